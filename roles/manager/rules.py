"""The Manager's rules policy: the goal, with what the user said since, is read, grounded in applications and made into typed
subtasks. What went wrong is tried once more where doing it twice does no more than once.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from environments.cards import vocabulary
from roles.contracts import USER, PageUse, PlanAnswer, PlanRequest, Subtask
from roles.contracts.orders import (
    AnswerStep,
    CreateStep,
    FillStep,
    FindStep,
    OpenStep,
    PressStep,
    Reading,
    RowTest,
    Step,
    WaitStep,
    names_in,
)
from roles.contracts.signals import SubtaskStatus
from roles.knowledge.pages.follow import Followed, answers_page, follow, with_origins, without_page
from roles.policies.orders.grounding import Refusal
from roles.policies.orders.planner import Planner, why_not
from roles.policies.orders.stages import changes, group_of, new_subtasks
from roles.policies.orders.state import Group
from roles.screen.language.reader import read
from roles.screen.language.words import phrases
from roles.screen.texts import pieces, says_any

_WHEN = re.compile(r"[,\s]*\b(?:first|beforehand|before(?: that)?|instead)\b[\s.!]*$|^\s*(?:no|first|instead)\b[,:\s]+", re.I)


class Wish(NamedTuple):
    """The goal and those words of the user that are orders, read as one."""

    reading: Reading
    own: int = 0
    """Orders of the goal itself."""
    noted: int = 0
    """Orders of it and of what was said while the crew works; those behind are of answers to requests."""
    newest: str = ""
    lost: tuple[str, ...] = ()
    """Words that are not understood: nothing comes of them."""

    def name(self, group: str) -> str:
        """The group's name, which stays when more is said."""
        number, rest = order_of(group), group.partition(".")
        at, letter = (number, "o") if number < self.own else (number - self.own, "n")
        at, letter = (at, letter) if number < self.noted else (number - self.noted, "u")
        return f"{letter}{at}{rest[1]}{rest[2]}"

    def order(self, subtask: str) -> int:
        """The order that a subtask is for; -1 where it is for none."""
        base = {"o": 0, "n": self.own, "u": self.noted}.get(subtask[:1], -1)
        return base + order_of(subtask) if base >= 0 and order_of(subtask) >= 0 else -1

    @property
    def forbids(self) -> bool:
        """Whether the newest words only say what is not to be done."""
        return bool(self.newest) and self.reading.orders[-1].negated

    @property
    def first(self) -> bool:
        return says_any(self.newest, phrases("first"))

    @property
    def instead(self) -> bool:
        return says_any(self.newest, phrases("instead"))


def order_of(group: str) -> int:
    number = group_of(group)[1:].partition(".")[0]
    return int(number) if group[:1] in "onu" and number else -1


def is_given(plan: Sequence[Subtask]) -> bool:
    """Whether it is a plan of somebody else: none of its subtasks is for an order of the goal."""
    return bool(plan) and all(order_of(subtask.id) < 0 for subtask in plan)


def wished(request: PlanRequest) -> Wish:
    """The goal with what the user has said since, as if it had been said so at once."""
    goal = "" if is_given(request.plan) else request.given or request.goal
    notes = [note.words for note in request.notes if note.for_plans]
    words = [*((said, True) for said in notes), *((said, False) for said in request.user_words)]
    whole = [at for at, (said, _) in enumerate(words) if says_any(said, phrases("instead"))]
    if whole and not any(subtask.id.startswith("o") for subtask in request.plan):  # of the goal itself nothing was worked
        goal, words = "", words[whole[-1] :]
    first = _read(goal, request)
    for answer in (one.text for one in request.supplements if one.source == USER and not answers_page(one, goal)):
        joined = (f"{goal.rstrip('. ')}{mark}{answer}" for mark in (" ", ". "))
        first = first if first.understood else next((one for t in joined if (one := _read(t, request)).understood), first)
    wish = Wish(first, len(first.orders), len(first.orders))
    for said, noted in words:
        before, plain = wish.reading, _WHEN.sub("", said).strip(" .!")
        more = _read(f"{before.goal.rstrip('. ')}. {plain}." if before.goal else f"{plain}.", request)
        if more.asks != before.asks or more.unread != before.unread or len(more.orders) <= len(before.orders):
            wish = wish._replace(lost=(*wish.lost, said))
        else:
            wish = wish._replace(reading=more, newest=said, noted=len(more.orders) if noted else wish.noted)
    return wish


def _read(goal: str, request: PlanRequest) -> Reading:
    shown = names_in([step for subtask in request.plan for step in subtask.steps])
    return read(goal, request.today, vocabulary(request.cards, shown)) if goal else Reading(goal="")


def given_up(plan: Sequence[Subtask], wish: Wish) -> set[int]:
    """Orders in whose place something else is done, as the user wanted it: its subtasks are named so."""
    marks = (subtask.id.partition("x")[2] for subtask in plan)
    return {wish.order(mark) for mark in marks if mark}


def is_corrected(request: PlanRequest, groups: Sequence[Group], order: int, wish: Wish) -> bool:
    """Whether the order that is at work is to be done in another way now."""
    planned = [step for s in request.plan if wish.order(s.id) == order for step in s.steps]
    wanted = [step for group in groups if order_of(group.id) == order for step in group.steps]
    return any(_bare(step) not in map(_bare, planned) for step in wanted) or not wanted


def minded(
    request: PlanRequest, wish: Wish, groups: Sequence[Group], titles: Mapping[str, str], instead: int = -1
) -> tuple[Subtask, ...]:
    """The plan as it is wanted now: what is done stays, what is left is planned anew, and what was said comes to it."""
    done = [s for s in request.plan if not s.status.is_open]
    left = [s for s in request.plan if s.status.is_open]
    front: list[Group] = []
    back: list[Group] = []
    for group in groups:
        number, name = order_of(group.id), wish.name(group.id)
        mine = [s for s in request.plan if group_of(s.id) == name]
        gone = [_bare(step) for s in mine if s.status is SubtaskStatus.FULFILLED for step in s.steps]
        steps = tuple(step for step in group.steps if _bare(step) not in gone)
        said = number >= wish.own and not mine
        name += f"-{len(mine) + 1}" if mine else ""
        name += f"x{wish.name(f'o{instead}')}" if said and instead >= 0 else ""
        if steps:
            (front if said and (wish.first or instead >= 0) else back).append(Group(name, steps))
    if is_given(request.plan):
        return (*request.plan, *new_subtasks([*front, *back], request.plan, titles))
    fresh = new_subtasks([*front, *back], done, titles)
    same = {new.id: old for new in fresh for old in left if [*map(_bare, old.steps)] == [*map(_bare, new.steps)]}
    there = {s.id for s in done if s.status is SubtaskStatus.FULFILLED} | {s.id for s in fresh}
    made = []
    for subtask in fresh:
        waits = tuple(same[one].id if one in same else one for one in subtask.depends_on if one in there)
        made.append(same.get(subtask.id, subtask).model_copy(update={"depends_on": waits}))
    return (*done, *made)


def _bare(step: Step) -> Step:
    """The step, whichever order it is for."""
    return step.model_copy(update={"order": -1})


ADVICE = "a model may understand it (--model NAME, or crew.manager.policy: llm)"
_TOLD = 300
"""Characters of what was seen, in a hint to a second attempt."""
_TELLS = frozenset({"steered", "plan_rejected", "approval_rejected"})


class RulesManager:
    """Plans what is understood for certain, and says in the goal's own words what is not."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        wish = wished(request)
        if request.trigger in _TELLS and (answer := _unheard(request, wish)):
            return answer
        if is_given(request.plan) and not wish.reading.orders:
            return replan(request, more=False)
        wish, followed = _by_page(request, wish)
        why = "" if followed.steps else why_not(wish.reading)
        answer = _unread(request, wish.reading, why, followed) if why else self._planned(request, wish, followed)
        other = without_page(request) if answer.outcome == "infeasible" else None
        if other is not None:
            answer = self.plan(other.request)
            renamed = tuple(_renamed(s, f"-{request.attempts}") for s in answer.subtasks)
            answer = answer.model_copy(update={"subtasks": renamed, "uses": (*answer.uses, *other.failed)})
        return answer

    def _planned(self, request: PlanRequest, wish: Wish, followed: Followed) -> PlanAnswer:
        try:
            answer, new = _plan(request, wish, followed)
        except Refusal as no:
            if any(use.used for use in followed.uses) and not no.ask:
                return self._by_next(request, followed, str(no))
            if _by_another(wish.reading):
                return _unread(request, wish.reading, str(no), followed)
            return _asked(str(no), request) if no.ask else _infeasible(str(no))
        reading = wish.reading if followed.goal else None
        origins = {s.id: s for s in with_origins(new, reading, followed)}
        goal = wish.reading.goal if wish.reading.goal != request.goal and not request.given else ""
        subtasks = tuple(origins.get(s.id, s) for s in answer.subtasks)
        return answer.model_copy(update={"subtasks": subtasks, "uses": followed.uses, "goal": goal})

    def _by_next(self, request: PlanRequest, followed: Followed, why: str) -> PlanAnswer:
        """A page whose steps cannot be done here gives way to the next one."""
        failed = [use.model_copy(update={"used": False, "failed": True, "why": why}) for use in followed.uses if use.used]
        gone = (*request.given_up, *((use.source, use.title) for use in failed))
        answer = self.plan(request.model_copy(update={"given_up": gone}))
        return answer.model_copy(update={"uses": (*answer.uses, *failed)})


def _renamed(subtask: Subtask, end: str) -> Subtask:
    return subtask.model_copy(update={"id": subtask.id + end, "depends_on": tuple(one + end for one in subtask.depends_on)})


def _by_another(reading: Reading) -> bool:
    """Whether it says to follow a procedure that it names."""
    return any(order.verb == "follow" for order in reading.orders)


def _by_page(request: PlanRequest, wish: Wish) -> tuple[Wish, Followed]:
    """What nobody understands by the page that was found for it, if there is one."""
    if not (why_not(wish.reading) or _by_another(wish.reading)) or not request.supplements:
        return wish, Followed()
    followed = follow(request, wish.reading)
    if not followed.goal:
        return wish, followed
    reading = read(followed.goal, request.today, vocabulary(request.cards))
    own = len(reading.orders) - len(wish.reading.orders) + wish.own
    return wish._replace(reading=reading, own=own, noted=wish.noted - wish.own + own), followed


def _plan(request: PlanRequest, wish: Wish, followed: Followed) -> tuple[PlanAnswer, list[Subtask]]:
    """The plan, and what of it is new. Raises Refusal."""
    skipped, at_work = given_up(request.plan, wish), wish.order(request.failed or "")
    steps = [step for s in request.plan for step in s.steps]
    planner = Planner(wish.reading, request.cards, request.facts, skipped, steps)
    planner.now = request.today
    groups = [Group("p", followed.steps)] if followed.steps else planner.groups()
    titles = {card.app: card.title for card in request.cards}
    if request.trigger in _TELLS:
        refused = request.trigger == "approval_rejected" and not wish.first
        drops = at_work >= 0 and (wish.instead or refused) and not is_corrected(request, groups, at_work, wish)
        if drops:
            planner = Planner(wish.reading, request.cards, request.facts, {*skipped, at_work}, steps)
            groups = planner.groups()
        plan = minded(request, wish, groups, titles, at_work if drops else -1)
        if not any(s.status.is_open for s in plan):
            return PlanAnswer(outcome="nothing_left", reason="what the user does not want is left out"), []
        new = [s for s in plan if s.id not in {old.id for old in request.plan}]
        return PlanAnswer(outcome="planned", subtasks=plan, more=planner.more, reason="the plan follows the user's words"), new
    broken = any(s.id == request.failed and s.status is not SubtaskStatus.FULFILLED for s in request.plan)
    named = [Group(wish.name(group.id), group.steps) for group in groups]
    tried = {group_of(s.id) for s in request.plan}
    if broken or request.trigger == "issues_found":  # what failed may have led to what comes after it all the same
        return replan(request, more=planner.more or any(group.id not in tried for group in named)), []
    known = {group_of(s.id) for s in request.plan if s.status is not SubtaskStatus.REJECTED}
    last = max((at for at, group in enumerate(named) if group.id in known), default=-1)
    wanted = [group._replace(id=f"{group.id}-{request.attempts}") if group.id in tried else group for group in named[last + 1 :]]
    new = new_subtasks(wanted, request.plan, titles)
    if not new:
        return _no_more(request, wish.reading, groups, planner), []
    pages = " and ".join(f'"{use.title}" ({use.source})' for use in followed.uses if use.used)
    reason = f"by {pages}" if pages else f"{len(wish.reading.orders)} orders are understood"
    reason = "what was unknown is known now" if request.plan else reason
    return PlanAnswer(outcome="planned", subtasks=(*request.plan, *new), more=planner.more, reason=reason), new


def _no_more(request: PlanRequest, reading: Reading, groups: Sequence[Group], planner: Planner) -> PlanAnswer:
    """Nothing is left, nothing was there to be done, or what comes next depends on what nobody found out."""
    if any(s.status.is_open for s in request.plan):
        return PlanAnswer(outcome="planned", subtasks=request.plan, more=planner.more, reason="the plan goes on")
    if planner.more:
        return PlanAnswer(outcome="infeasible", reason="what the next part of the plan depends on was not found out")
    if any(changes(s) or isinstance(s, AnswerStep | FindStep | OpenStep | WaitStep) for g in groups for s in g.steps):
        return PlanAnswer(outcome="nothing_left", reason="every subtask is fulfilled")
    if planner.forbidden:
        why = "what the goal asks for is what it says must not be done"
    else:
        conditions = any(order.condition is not None for order in reading.orders)
        why = "no condition of the goal holds" if conditions else "what the goal names is not there"
    left = request.plan and (planner.forbidden or planner.passed_over)
    return PlanAnswer(outcome="nothing_left" if left else "infeasible", reason=f"there is nothing to do: {why}")


def _unheard(request: PlanRequest, wish: Wish) -> PlanAnswer | None:
    """What comes of words of the user that are no orders; None where they are to be minded."""
    if request.trigger == "steered":
        lost = [note.words for note in request.notes if note.words in wish.lost]
        if wish.newest and (not lost or lost[-1] != request.notes[-1].words):
            return None
        reason = f'the plan stays as it is: the words "{"; ".join(lost)}" are not understood'
        return PlanAnswer(outcome="planned", subtasks=request.plan, more=not is_given(request.plan), reason=reason)
    newest = request.user_words[-1] if request.user_words else ""
    heard = bool(newest) and newest not in wish.lost
    if request.trigger == "approval_rejected":
        what = request.refused[-1] if request.refused else "what was to be done"
        origins = [origin for s in request.plan if s.id == request.failed for origin in s.origin if origin.source]
        what = f"{what} ({origins[0].told()})" if origins else what
        words = f'; the user said: "{newest}"' if newest else ""
        return None if heard and not wish.forbids else PlanAnswer(outcome="infeasible", reason=f"not allowed: {what}{words}")
    said = f'"{newest}"; these words are not understood' if newest else "they did not say why"
    return None if heard else PlanAnswer(outcome="infeasible", reason=f"the user rejected the plan: {said}")


def _unread(request: PlanRequest, reading: Reading, why: str, followed: Followed) -> PlanAnswer:
    """Words that nobody understands are looked up once; then a page may ask, or the user be asked; then it is given up."""
    if reading.asks:
        return _asked(why, request)
    whole = reading.goal.rstrip(" .") if _by_another(reading) else ""
    words, uses = "; ".join(part.text for part in reading.unread) or whole, followed.uses
    if words and words not in request.looked_up and not request.supplements:
        return PlanAnswer(outcome="supplement_needed", query=words, reason=why)
    if followed.ask and followed.ask not in request.looked_up:
        return PlanAnswer(outcome="supplement_needed", query=followed.ask, ask=True, reason="a page asks for it", uses=uses)
    pages = any(found.source != USER for found in request.supplements)
    if request.can_ask and pages and request.looked_up.count(words) == 1:
        return PlanAnswer(outcome="supplement_needed", query=words, ask=True, reason="no page describes it", uses=uses)
    return _infeasible("; ".join(filter(None, (why, followed.why()))), uses)


def _asked(why: str, request: PlanRequest) -> PlanAnswer:
    """A question to the person, once; without one to ask, the reason."""
    if request.can_ask and why not in request.looked_up:
        return PlanAnswer(outcome="supplement_needed", query=why, ask=True, reason="only the user can say it")
    return _infeasible(why)


def _infeasible(why: str, uses: tuple[PageUse, ...] = ()) -> PlanAnswer:
    return PlanAnswer(outcome="infeasible", reason=f"{why}; {ADVICE}", unread=True, uses=uses)


def replan(request: PlanRequest, *, more: bool) -> PlanAnswer:
    """A second attempt at what failed, or why there is none."""
    said = "; ".join(request.evidence)
    if request.trigger == "issues_found":
        return _mended(request, said)
    failed = next((s for s in request.plan if s.id == request.failed and s.status is not SubtaskStatus.FULFILLED), None)
    if failed is None:
        waits = any(s.status.is_open for s in request.plan)
        outcome = PlanAnswer(outcome="planned", subtasks=request.plan, more=more, reason="the plan goes on")
        return outcome if waits else PlanAnswer(outcome="nothing_left", reason="every subtask is fulfilled")
    if request.refused:
        words = f'; the user said: "{request.user_words[-1]}"' if request.user_words else ""
        page = next((f" ({origin.told()})" for origin in failed.origin if origin.source), "")
        return PlanAnswer(outcome="infeasible", reason=f"not allowed: {request.refused[-1]}{page}{words}")
    if (which := _which(request, failed, said)) is not None:
        return which.model_copy(update={"more": more})
    tries = sum(1 for s in request.plan if group_of(s.id) == group_of(failed.id) and s.title == failed.title)
    pressed = request.trigger == "gate_fail" or "after the press" in said or "after the last press" in said
    done = pressed and any(once(step) and f"nothing was done to {_verb(step)}" not in said for step in failed.steps)
    if tries >= 2 or done or sum(map(changes, failed.steps)) > 1 or failed.worker == "technician":
        return PlanAnswer(outcome="infeasible", reason=f"{failed.title}: {said or 'it did not work'}")
    return PlanAnswer(outcome="planned", subtasks=_again(request, failed, said), more=more, reason="it is tried once more")


_FIT = re.compile(r'\b\d+ fit (?P<kind>[\w -]+?) with .* where 1 was to be found: (?P<there>".*")')
_WHICH = re.compile(r'Which (?P<kind>[\w -]+?) is meant: (?P<there>".*")\?')


def _which(request: PlanRequest, failed: Subtask, said: str) -> PlanAnswer | None:
    """Which of several records is meant: asked of the user, and their answer tells it from the others."""
    found, last = _FIT.search(said), request.supplements[-1] if request.supplements else None
    if found is None and last is not None and last.source == USER:
        found = _WHICH.fullmatch(last.query)  # only their answer is known by now
    if found is None or not request.can_ask or any(map(changes, failed.steps[:-1])):
        return None
    query = f"Which {found['kind']} is meant: {found['there'].replace(chr(34) + '; ' + chr(34), chr(34) + ' or ' + chr(34))}?"
    told = [one.text for one in request.supplements if one.source == USER and one.query == query]
    if not told:
        asked = PlanAnswer(outcome="supplement_needed", query=query, ask=True, reason="only the user can say it")
        return None if query in request.looked_up else asked
    there = [{*pieces(one.casefold())} for one in found["there"].split('"')[1::2]]
    words = [word for word in pieces(told[-1]) if sum(word.casefold() in one for one in there) == 1]
    meant = {at for word in words for at, one in enumerate(there) if word.casefold() in one}
    if len(meant) != 1:
        return None
    own = RowTest(relation="has", value=words[0])
    names = {records.model_dump_json() for step in failed.steps if (records := getattr(step, "records", None)) is not None}

    def told_apart(step: Step) -> Step:
        records = getattr(step, "records", None)
        if records is None or records.model_dump_json() not in names or records.kind != found["kind"]:
            return step
        return step.model_copy(update={"records": records.model_copy(update={"tests": (*records.tests, own)})})

    again = _again(request, failed, "")
    open_ = [s.model_copy(update={"steps": tuple(map(told_apart, s.steps))}) if s.status.is_open else s for s in again]
    return PlanAnswer(outcome="planned", subtasks=tuple(open_), reason="the user said which is meant")


def once(step: Step) -> bool:
    """Whether doing it a second time would do more than the first."""
    return isinstance(step, PressStep) or (isinstance(step, FillStep | CreateStep) and step.commit in {"send", "submit"})


def _verb(step: Step) -> str:
    """What is seen to be done of a step that does no more than once."""
    return step.verb if isinstance(step, PressStep) else getattr(step, "commit", "")


def _mended(request: PlanRequest, said: str) -> PlanAnswer:
    """What the final check misses is done once more, where that does no more than once; else the task ends with what it found."""
    missing = {entry.order for entry in (request.ledger.entries if request.ledger else ()) if entry.state == "missing"}
    named = {subtask for issue in request.evidence if " " not in (subtask := issue.partition(": ")[0])}
    named |= {s.id for s in request.plan if missing & {step.order for step in s.steps} and any(map(changes, s.steps))}
    lost = [s for s in request.plan if s.id in named]
    later = request.plan[request.plan.index(lost[0]) :] if lost else ()
    apps = {s.app for s in lost}
    # A value that is written anew after the press that was to save it is saved by nothing.
    if not later or any("-" in s.id for s in lost) or any(once(step) for s in later if s.app in apps for step in s.steps):
        return PlanAnswer(outcome="infeasible", reason=f"the final check found: {said or 'issues'}")
    again = tuple(_fresh(s, said) for s in lost)
    chained = [s.model_copy(update={"depends_on": (again[at - 1].id,) if at else ()}) for at, s in enumerate(again)]
    reason = "what the final check misses is done once more"
    return PlanAnswer(outcome="planned", subtasks=(*request.plan, *chained), reason=reason)


def _fresh(failed: Subtask, said: str, *more: str) -> Subtask:
    hints = (*failed.hints, *((f"an earlier attempt failed: {said[:_TOLD]}",) if said else ()), *more)
    fresh = {"id": f"{failed.id.split('-')[0]}-2", "status": SubtaskStatus.READY, "attempt": 0, "result": "", "hints": hints}
    return failed.model_copy(update=fresh)


def _again(request: PlanRequest, failed: Subtask, said: str) -> tuple[Subtask, ...]:
    """The plan with a new attempt in the place of what failed."""
    told = [f"{found.title}: {found.text[:_TOLD]}" for found in request.supplements] if request.trigger == "supplied" else []
    keys = ["use the keyboard"] if "has no visible effect" in said else []
    fresh = _fresh(failed, said, *told, *keys)
    rest = []
    for subtask in request.plan:
        waits = tuple(fresh.id if one == failed.id else one for one in subtask.depends_on)
        rest.append(fresh if subtask.id == failed.id else subtask.model_copy(update={"depends_on": waits}))
    return tuple(rest)
