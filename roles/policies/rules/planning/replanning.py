"""Another plan after something went wrong: what is done stays, what failed is done differently, as the evidence teaches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from environments.contract import STOPPED
from roles.contracts import PageUse, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.policies.rules.grammar import parse
from roles.policies.rules.planning.places import has_home, other_homes
from roles.policies.rules.planning.planning import make_subtasks, subtask_of
from roles.policies.rules.planning.playbook import follow, page_key
from roles.policies.rules.planning.understanding import understood, with_origins
from roles.screen.events import PAGE_ASKED, PAGE_SAYS_NO
from roles.screen.language import clauses as c
from roles.screen.language.wording import entity_words
from roles.screen.matching import similarity

Reading = Callable[[str], Sequence[c.Clause]]

_QUOTED = r"\"[^\"]*\"|“[^”]*”"
_BEGINS = r"(?:^|[.,;:!?]\s+|[-–—]\s+|\b(?:and|but|then|please|so)\s+)"
_MARK = re.compile(
    rf"{_QUOTED}"
    r"|\b(?P<several>(?:all|every|each|both|several|any)(?:\s+one\b)?(?:\s+of)?(?:\s+(?:the|my|our|these|those))?)(?=\s+\w)"
    rf"|{_BEGINS}(?P<not>(?:do\s+not|don['’]t|never)\b)"
    r"|\b(?P<without>without(?=\s+\w+ing\b)|(?:must|should|may|shall)(?:\s+not|n['’]t))"
    r"|(?P<but>\b(?:except|apart\s+from|other\s+than|unless)\b)"
    r"|(?<!ask me )(?<!ask us )(?<!tell me )\b(?P<if>if|provided(?:\s+that)?|in\s+case)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"(?P<quoted>{_QUOTED})|\b[A-Z]{{2,}}-\d+\b|[$€£]\s?\d[\d.,]*\d")
_SAVING = (c.Create, c.Rename, c.Reschedule)
_HOLDS = re.compile(r"^(?:all|every|each|both|any|none)\b|\b(?:except|unless|but\s+not|apart\s+from)\b", re.IGNORECASE)
_AROUND = 24
"""Characters behind it that are told, too."""
_OVER_MANY = (c.ForEach, c.Collect, c.Compute)
"""What speaks of several records: a repetition needs no second word for it."""


def unconsumed(goal: str, read: Reading) -> str:
    """The first quantifier, negation, condition or value of the goal that makes no difference to what is read; empty if all do.

    A phrase that holds such a word, or several quoted texts, has swallowed what it should have been read for.
    """
    read_so = list(read(goal))
    if any(isinstance(clause, c.Obey) for clause in read_so):
        return ""
    many = any(isinstance(clause, _OVER_MANY) for clause in read_so)
    for at, end, other in (*_without_marks(goal, many), *_with_other_values(goal)):
        if list(read(goal[:at] + other + goal[end:])) == read_so:
            return " ".join(goal[at : end + _AROUND].split())
    return _kept_all_the_same(read_so) or _swallowed(goal, read_so)


def _kept_all_the_same(clauses: Sequence[c.Clause]) -> str:
    """A thing that is not to be saved, where making it saves it."""
    if not any(isinstance(clause, _SAVING) for clause in clauses):
        return ""
    return next((f"do not {x.what}" for x in clauses if isinstance(x, c.Avoid) and re.match(r"sav(?:e|ing)\b", x.what)), "")


def _swallowed(goal: str, clauses: Sequence[c.Clause]) -> str:
    quoted = [found.group()[1:-1] for found in re.finditer(_QUOTED, goal) if len(found.group()) > 2]
    plain = re.sub(_QUOTED, " ", goal).casefold()
    for text in (text for clause in clauses for text in _texts(clause)):
        if _HOLDS.search(text) and text.casefold() in plain:
            return text
        if text not in quoted and sum(bool(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text)) for one in set(quoted)) > 1:
            return text
    return ""


def _texts(part: Any) -> Iterator[str]:
    """Every text in a clause by which something is told from something else."""
    if isinstance(part, c.Entity):
        yield from (text for text in (part.name, part.subject, part.id) if text)
    elif isinstance(part, tuple):
        for inner in part:
            yield from _texts(inner)
    elif is_dataclass(part) and not isinstance(part, c.Avoid | c.Obey | c.Unknown | type):
        for field in fields(part):
            yield from _texts(getattr(part, field.name))


def _without_marks(goal: str, many: bool) -> Iterator[tuple[int, int, str]]:
    for found in _MARK.finditer(goal):
        kind = found.lastgroup
        if kind is not None and not (many and kind == "several"):
            yield found.start(kind), found.end(kind) + (goal[found.end(kind) : found.end(kind) + 1] == " "), ""


def _with_other_values(goal: str) -> Iterator[tuple[int, int, str]]:
    for found in _VALUE.finditer(goal):
        text = found.group()
        other = f"{text[0]}Zq{text[1:]}" if found["quoted"] else re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), text)
        yield found.start(), found.end(), other


_SOUGHT = 6
"""Applications in which something is looked for."""
KEYBOARD = "use the keyboard"
_READABLE = ("vendor", "date", "invoice number", "total", "due date", "subtotal", "tax", "e-mail", "phone", "address", "subject")
"""What a record may tell; a category or a purpose is the user's to say."""
EXTRA = "wanted by a form"
ASK = "ask the user for what is missing"
_OPEN = {SubtaskStatus.READY, SubtaskStatus.PENDING}
_REFUSED = re.compile(r"\bis not allowed\b|\brejected by\b|\bwas rejected\b|\brefused\b|\bdenied\b|\bforbidden\b", re.IGNORECASE)
_REQUIRED = re.compile(r"required field \"(?P<a>[^\"]+)\"|(?P<b>[\w ]{2,40}?) is required", re.IGNORECASE)
_UNFACT = re.compile(r'the fact "(?P<fact>[^"]+)" is not known', re.IGNORECASE)
_NOT_FOUND = re.compile(r"\bwas not found in\b|\bno \"[^\"]*\" is shown in\b", re.IGNORECASE)
_NOT_THERE = re.compile(r"\bthere is no \"", re.IGNORECASE)
_STUCK = re.compile(
    r"no visible effect|does not react|identical actions|no visible change|without visible change|stall|stale"
    r"|same action|back and forth|nothing (?:new )?to see|did not change",
    re.IGNORECASE,
)
_ISSUE = re.compile(r"^(?P<id>[A-Za-z0-9_.-]+):\s*(?P<words>.+)$", re.DOTALL)


class Change(NamedTuple):
    """What to do instead: subtasks in order, the last of which takes the place of the failed one."""

    subtasks: list[Subtask]
    reason: str
    dropped: str = ""
    """Id of another subtask that the new ones replace."""
    uses: tuple[PageUse, ...] = ()


def replan(request: PlanRequest) -> PlanAnswer:
    """Answer for a plan that exists: nothing left, a changed plan, or why there can be none."""
    failed = next((s for s in request.plan if s.id == request.failed and s.status is not SubtaskStatus.FULFILLED), None)
    if failed is None and request.trigger == "issues_found":
        return _after_issues(request)
    if failed is None:
        waiting = [s for s in request.plan if s.status in _OPEN]
        if not waiting:
            return PlanAnswer(outcome="nothing_left", reason="every subtask is fulfilled")
        return PlanAnswer(outcome="planned", subtasks=request.plan, reason="the plan goes on")
    said = " ".join(request.evidence)
    if is_refused(request):
        return PlanAnswer(outcome="infeasible", reason=_refusal(request, failed))
    if any(words in said for words in (PAGE_SAYS_NO, PAGE_ASKED, STOPPED)):  # once more would be asking for what was refused
        return PlanAnswer(outcome="infeasible", reason=f"{failed.title}: {said}")
    if _may_be_told(request, said):
        return PlanAnswer(outcome="supplement_needed", query=request.goal, reason="it is not on the page, so help is looked for")
    change = _change(request, failed, said)
    if change is None:
        return PlanAnswer(outcome="infeasible", reason=f"{failed.title}: {said or 'it did not work'}; no other way is known")
    return _planned(request, failed, change)


def _waiting(subtask: Subtask, instead: Mapping[str, str]) -> Subtask:
    """The subtask, which waits for others in place of some."""
    return subtask.model_copy(update={"depends_on": tuple(dict.fromkeys(instead.get(d, d) for d in subtask.depends_on))})


def is_refused(request: PlanRequest) -> bool:
    """A person or the safety policy does not want it: that is an answer, and no other way round it is looked for."""
    return request.trigger == "approval_rejected" or bool(_REFUSED.search(" ".join(request.evidence)))


def _refusal(request: PlanRequest, failed: Subtask) -> str:
    what = request.refused[-1] if request.refused else failed.title
    words = f'; the user said: "{request.user_words[-1]}"' if request.user_words else ""
    evidence = f" ({'; '.join(request.evidence)})" if request.evidence else ""
    return f"not allowed: {what}{words}{evidence}"


def _may_be_told(request: PlanRequest, said: str) -> bool:
    """A goal was read as words about the page that is shown, and nothing there is called so: a page of help may say more."""
    by_page = any(origin.source for subtask in request.plan for origin in subtask.origin)
    return not request.apps and not by_page and bool(_NOT_THERE.search(said)) and request.goal not in request.looked_up


def _planned(request: PlanRequest, failed: Subtask, change: Change) -> PlanAnswer:
    last = change.subtasks[-1].id
    done = [s for s in request.plan if s.status is SubtaskStatus.FULFILLED]
    rest = [
        s.model_copy(update={"depends_on": tuple(last if d in {failed.id, change.dropped} else d for d in s.depends_on)})
        for s in request.plan
        if s.status in _OPEN and s.id not in {failed.id, change.dropped}
    ]
    return PlanAnswer(outcome="planned", subtasks=(*done, *change.subtasks, *rest), reason=change.reason, uses=change.uses)


def by_next_page(request: PlanRequest, failed: Subtask) -> PlanAnswer | None:
    """What a page said did not work: the next page that fits takes its place. What was done and what is the goal's own stays."""
    lost = {page_key(origin) for origin in failed.origin if origin.source}
    said = "; ".join(request.evidence)[:300] or "it did not work"
    step = next((origin.told() for origin in failed.origin if origin.source), "")
    given_up = tuple(PageUse(source=s, title=t, failed=True, why=f"{step}: {said}") for s, t in sorted(lost))
    found = understood(request, lost)
    new = [part.clause for part in found.parts if part.book and part.book not in lost]
    if not lost or not new:
        reason = f"{failed.title}: {said}; no other way is known (it is {step})"
        return PlanAnswer(outcome="infeasible", reason=reason, uses=(*given_up, *found.uses)) if lost else None
    done = [s for s in request.plan if s.status is SubtaskStatus.FULFILLED]
    made = with_origins(make_subtasks(new, request.apps, first=_number(request)), found)
    same = {s.id: next((d.id for d in done if d.instruction == s.instruction), "") for s in made}
    fresh = [_waiting(s, {d: known for d, known in same.items() if known}) for s in made if not same[s.id]]
    own = [s for s in request.plan if s.status in _OPEN and s.id != failed.id and not lost & {page_key(o) for o in s.origin}]
    replaced = {s.id for s in request.plan if s.status in _OPEN} - {s.id for s in own}
    last = (fresh or done)[-1].id if fresh or done else ""
    waits = [_waiting(s, dict.fromkeys((*replaced, failed.id), last)) for s in own]
    uses = (*given_up, *(use for use in found.uses if (use.source, use.title) not in lost))
    reason = f"{step} did not work, so another page is followed"
    return PlanAnswer(outcome="planned", subtasks=(*done, *fresh, *waits), reason=reason, uses=uses) if fresh else None


def _change(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    for way in (_without_extra, _missing_fact, _required_field, _elsewhere, _by_keyboard, _by_handbook, _once_more):
        if change := way(request, failed, said):
            return change
    return None


def _number(request: PlanRequest) -> int:
    return max((int(m.group(1)) for s in request.plan if (m := re.match(r"s(\d+)", s.id))), default=0) + 1


def _again(request: PlanRequest, failed: Subtask, **changes: object) -> Subtask:
    """The failed subtask under a new id, waiting for what is fulfilled only."""
    fulfilled_or_open = {s.id for s in request.plan if s.status is not SubtaskStatus.REJECTED and s.id != failed.id}
    kept = tuple(d for d in failed.depends_on if d in fulfilled_or_open)
    fresh = {"id": f"s{_number(request)}", "status": SubtaskStatus.READY, "attempt": 0, "result": "", "depends_on": kept}
    return failed.model_copy(update={**fresh, **changes})


def _tries(request: PlanRequest, failed: Subtask) -> int:
    """How often this work was begun: rejected subtasks of the same title, whatever their ids."""
    return sum(1 for s in request.plan if s.title == failed.title and (s.status is SubtaskStatus.REJECTED or s.id == failed.id))


def _without_extra(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    """What a form wanted cannot be read: who waits for it asks the user instead."""
    waiting = next((s for s in request.plan if failed.id in s.depends_on and s.status in _OPEN), None)
    if EXTRA not in failed.hints or waiting is None:
        return None
    return Change([_again(request, waiting, hints=(*waiting.hints, ASK))], "it cannot be read, so the user is asked", waiting.id)


def _missing_fact(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    match = _UNFACT.search(said)
    if not match:
        return None
    return _read_first(request, failed, match["fact"], f'the fact "{match["fact"]}" is read first')


def _required_field(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    """A form that wants more: read it where the other facts came from; after that, ask."""
    match = _REQUIRED.search(said)
    if not match:
        return None
    field = (match["a"] or match["b"]).strip()
    readable = any(similarity(name, field) >= 0.9 for name in _READABLE)
    change = (
        _read_first(request, failed, field.casefold(), f'the form wants "{field}", which is read first') if readable else None
    )
    if change is not None:
        return change
    if ASK in failed.hints:
        return None
    retry = _again(request, failed, hints=(*failed.hints, ASK))
    return Change([retry], f'nothing known fits the required field "{field}", so the user is asked')


def _read_first(request: PlanRequest, failed: Subtask, fact: str, reason: str) -> Change | None:
    """A new subtask that reads `fact` from the record that facts were read from, unless that was tried."""
    source = next((s for s in request.plan if s.status is SubtaskStatus.FULFILLED and _reads(s)), None)
    if source is None:
        return None
    record = _reads(source)[0]
    plain = fact.removeprefix(f"{record.entity.noun} ") if record.entity.noun else fact
    read = c.Read("", (plain,), record.entity)
    wanted = subtask_of(f"s{_number(request)}", source.app, [read], "", [source.id])
    if any(s.instruction == wanted.instruction for s in request.plan):
        return None
    wanted = wanted.model_copy(update={"hints": (EXTRA,)})
    retry = _again(request, failed, id=f"s{_number(request) + 1}")
    retry = retry.model_copy(update={"depends_on": (*retry.depends_on, wanted.id)})
    return Change([wanted, retry], reason)


def _reads(subtask: Subtask) -> list[c.Read]:
    return [x for x in parse(subtask.instruction) if isinstance(x, c.Read)]


def _elsewhere(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    """What is not in one application may be in another: a mail, a note, a file."""
    clauses = parse(failed.instruction)
    looks = clauses and all(isinstance(x, c.Read | c.OpenItem) for x in clauses)
    if not _NOT_FOUND.search(said) or not (looks or _nothing_done(clauses, said)):
        return None
    sought = next((x.entity for x in clauses if isinstance(x, c.Read | c.OpenItem | c.Enter | c.Act)), c.NOTHING)
    anywhere = not has_home(sought, request.apps)
    tried = [s.app for s in request.plan if s.app and s.instruction == failed.instruction and s.status is SubtaskStatus.REJECTED]
    homes = other_homes([*tried, failed.app or ""], request.apps, anywhere=anywhere)
    if not homes or len(tried) >= _SOUGHT or not (looks or anywhere):
        return None
    expect = tuple(e.model_copy(update={"app": homes[0]}) if "app" in type(e).model_fields else e for e in failed.expect)
    return Change([_again(request, failed, app=homes[0], expect=expect)], f"it may be in {homes[0]}")


def _nothing_done(clauses: Sequence[c.Clause], said: str) -> bool:
    """What should have been changed is what was not found, and nothing else stands before it."""
    first = clauses[0] if clauses else None
    return isinstance(first, c.Enter | c.Act) and first.entity.specific and entity_words(first.entity) in said


def _by_keyboard(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    stuck = _STUCK.search(said) or request.trigger == "stale_progress"
    if not stuck or KEYBOARD in failed.hints:
        return None
    return Change([_again(request, failed, hints=(*failed.hints, KEYBOARD))], "clicks did nothing, so the keyboard is used")


def _by_handbook(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    """Material that was fetched for this failure becomes the worker's hints, or steps when it is a procedure."""
    fresh = [s for s in request.supplements if not any(s.title in hint for hint in failed.hints)]
    if request.trigger != "supplied" or not fresh:
        return None
    aside = {*request.given_up, *(page_key(origin) for origin in failed.origin if origin.source)}
    looked = follow(failed.title if request.apps else request.goal, request, without=aside)
    if (page := looked.followed) is not None:
        made = make_subtasks(page.clauses, request.apps, first=_number(request), after=_again(request, failed).depends_on)
        origin = tuple(dict.fromkeys(origin for _, origin in page.origins))
        told = [s.model_copy(update={"origin": origin}) for s in made]
        return Change(told, f"a page says how: {page.book.title}", uses=looked.uses)
    hints = tuple(f"{s.title}: {s.text[:600]}" for s in fresh[:2])
    return Change([_again(request, failed, hints=(*failed.hints, *hints))], f"with help: {fresh[0].title}")


def _once_more(request: PlanRequest, failed: Subtask, said: str) -> Change | None:
    """Anything else is tried once more, with what was seen as a hint; the same approach never fails more than twice."""
    if _tries(request, failed) >= 2:
        return None
    hints = tuple(dict.fromkeys((*failed.hints, f"an earlier attempt failed: {said[:300]}"))) if said else failed.hints
    return Change([_again(request, failed, hints=hints)], "it is tried once more")


def _after_issues(request: PlanRequest) -> PlanAnswer:
    """The final check named what does not hold: redo the subtasks it speaks of."""
    redo: list[Subtask] = []
    number = _number(request)
    for issue in request.evidence:
        match = _ISSUE.match(issue)
        source = next((s for s in request.plan if match and s.id == match["id"]), None)
        if source is None or any(r.title == source.title for r in redo):
            continue
        if _redone(request, source) >= 2:
            return PlanAnswer(outcome="infeasible", reason=f"{source.title} does not last: {issue}")
        words = match["words"] if match else issue
        fresh = {"id": f"s{number + len(redo)}", "status": SubtaskStatus.READY, "attempt": 0, "result": ""}
        hints = (*source.hints, f"the final check found: {words[:300]}")
        redo.append(source.model_copy(update={**fresh, "depends_on": (source.id,), "hints": hints, **_narrowed(source, words)}))
    if not redo:
        return _by_clause(request)
    return PlanAnswer(outcome="planned", subtasks=(*request.plan, *redo), reason=f"to put right: {'; '.join(request.evidence)}")


def _redone(request: PlanRequest, source: Subtask) -> int:
    return sum(1 for s in request.plan if s.title == source.title and s.id != source.id)


def _narrowed(source: Subtask, words: str) -> dict[str, object]:
    """A thing that was made or sent is not made twice: only the values that were lost are entered anew, and saved."""
    clauses = parse(source.instruction)
    lost = [x for x in clauses if isinstance(x, c.Enter | c.Select | c.Check | c.Complete)]
    saves = [x for x in clauses if isinstance(x, c.Commit) and x.verb == "save"]
    if not lost or "value" not in words:
        return {}
    submits = [x for x in clauses if isinstance(x, c.Commit) and x.verb != "save"]
    kept: Sequence[c.Clause] = [replace(x, app="") for x in (*lost, *saves, *([] if saves else submits))]
    narrowed = subtask_of(source.id, source.app, kept, "", ())
    return {"instruction": narrowed.instruction, "expect": narrowed.expect}


def _by_clause(request: PlanRequest) -> PlanAnswer:
    """An issue that names no subtask: a clause of the goal that nothing covers is planned; else there is no way."""
    uncovered = [m.group(1) for issue in request.evidence if (m := re.match(r"not done: (.+)$", issue, re.DOTALL))]
    clauses = [x for words in uncovered for x in parse(words, request.apps, [f.name for f in request.facts])]
    if clauses and not any(isinstance(x, c.Unknown) for x in clauses) and request.attempts < 4:
        made = make_subtasks(clauses, request.apps, first=_number(request))
        return PlanAnswer(outcome="planned", subtasks=(*request.plan, *made), reason="what was left out is added")
    return PlanAnswer(outcome="infeasible", reason=f"the final check found: {'; '.join(request.evidence) or 'issues'}")
