"""The orders of a goal, held against what happened: shown to be done, missing, done though forbidden, or not to be checked.

It reads the goal and not the plan, so that whoever planned is held to the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words
from roles.contracts import GateRequest
from roles.contracts.orders import (
    Amount,
    Back,
    CreateStep,
    FillStep,
    GoalLedger,
    JobStep,
    LedgerEntry,
    Of,
    Order,
    PressStep,
    Reading,
    Text,
    Thing,
    When,
    Worked,
    names_in,
    said,
)
from roles.contracts.policies import MOST_STEPS
from roles.contracts.signals import SubtaskStatus
from roles.contracts.values import parse_date, parse_time
from roles.evaluator.candidates import Candidates, fell_on, is_several
from roles.evaluator.effects import RecordEffect
from roles.evaluator.fitting import fits, is_kind
from roles.screen.answers import tells_another
from roles.screen.evidence import WRITES, Screens, brought_nothing
from roles.screen.language.words import deeds, trend_of
from roles.screen.matching import app_for, is_called_by, similarity, tokens
from roles.screen.rows import says
from roles.screen.screens import PRESS_VERBS
from roles.screen.texts import fold, listed_in
from roles.screen.values import trend

_MOVES = frozenset({"move", "postpone"})
_TELLS_OF = frozenset({"send", "write", "collect"})
"""Verbs by which one deed may tell of several records."""
_TO_PEOPLE = frozenset({"send", "reply", "forward", "invite"})
_FORMS = frozenset({"form", "field"})


class Verdict(NamedTuple):
    """How an order stands, and the effects that were done for it."""

    state: str
    why: str = ""
    evidence: tuple[str, ...] = ()
    used: tuple[int, ...] = ()
    sure: bool = True


def ledger(reading: Reading, request: GateRequest, screen: Screens, *, part: bool = False) -> GoalLedger:
    """Every order, exclusion and rest of the goal, held against the steps and the screens of the run.

    Of a `part` of the work others may still be to come, such as the press that saves what was written.
    """
    return _Check(reading, request, screen, part).ledger()


def asked_again(order: Order, words: str) -> bool:
    """Whether words ask for what an order asks for, which then may be done in part only: by its verb, and of what it names."""
    values = [order.object.name if order.object is not None else None, *(slot.value for slot in order.slots)]
    named = [value.text.casefold() for value in values if isinstance(value, Text | Amount)]
    again = {*tokens(order.verb), *tokens(order.said)} & {*tokens(words)}
    return bool(again) and (not named or any(name in words.casefold() for name in named))


class _Check:
    """One goal and one run."""

    def __init__(self, reading: Reading, request: GateRequest, screen: Screens, part: bool) -> None:
        self.reading, self.orders, self.request, self.part = reading, reading.orders, request, part
        self.screen, self.run = screen, Candidates(reading, request, screen)
        self.effects, self.find = self.run.effects, self.run.find
        self.written = [{value.label: value.value for value in effect.written} for effect in self.effects]
        self.by_control: dict[tuple[str, str], list[int]] = {}
        """The places of the effects of each control of an application."""
        for n, effect in enumerate(self.effects):
            self.by_control.setdefault((effect.control, effect.app), []).append(n)
        self.statuses = {step.step for step in request.steps if any(event.startswith("status:") for event in step.events)}
        """Steps at which the screen said how something stands."""
        scripts = {step.step for step in request.steps if step.action.get("action_type") == "run_script"}
        unseen = [effect.step for effect in self.effects if effect.opaque]
        self.cut = len(request.steps) >= MOST_STEPS or bool(unseen)
        """Not all that was done is known."""
        self.cut_to_people = len(request.steps) >= MOST_STEPS or not scripts.issuperset(unseen)
        """Nor all that was written to somebody, whom no script reaches."""
        self.used: set[int] = set()
        self.verdicts: dict[int, Verdict] = {}
        self.replaced = [step for step in request.steps if step.instead_of and step.exec_status == "executed"]

    def ledger(self) -> GoalLedger:
        entries: list[LedgerEntry] = []
        # What was done belongs first to orders that were to be done, and only then to those whose condition does not hold.
        off = [o.negated or (o.condition is not None and self.run.truth(o.condition)[0] is False) for o in self.orders]
        for number in sorted(range(len(self.orders)), key=lambda n: off[n]):
            verdict = self._excused(self.orders[number], self._held(self.orders[number]))
            self.verdicts[number] = verdict
            self.used |= {n for n in verdict.used if not (_fills(self.orders[number]) and self.effects[n].settles)}
        for number, order in enumerate(self.orders):
            kind = "exclusion" if order.negated or order.verb in deeds()["keeps"] else "order"
            entries.append(self._entry(number, kind, order.spans, self.verdicts[number]))
            buts = order.object.but if order.object is not None and not order.negated else ()
            entries += [self._entry(number, "exclusion", but.spans, self._excepted(order, but)) for but in buts]
        rest = [LedgerEntry(kind="unread", text=u.text, state="unread", why=u.why) for u in self.reading.unread]
        return GoalLedger(goal=self.reading.goal, entries=(*entries, *self._besides(), *rest))

    def _entry(self, number: int, kind: Any, spans: tuple[tuple[int, int], ...], verdict: Verdict) -> LedgerEntry:
        cut = self.cut_to_people if number >= 0 and self.orders[number].verb in _TO_PEOPLE else self.cut
        state: Any = "unchecked" if verdict.state == "missing" and cut else verdict.state
        text, seen = said(self.reading.goal, spans), tuple(dict.fromkeys(verdict.evidence))[:8]
        sure = verdict.sure and (not self.reading.unread or self._is_sure(self.orders[number], seen))
        return LedgerEntry(order=number, kind=kind, text=text, state=state, evidence=seen, why=verdict.why, sure=sure)

    def _is_sure(self, order: Order, seen: tuple[str, ...]) -> bool:
        """Whether words of a goal that is read in part mean just this: the verb is said by its own name, or something of the kind
        was seen; and what it goes to or comes from is a kind of thing, an application, or stands on a screen."""
        things = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of) and slot.role in {"into", "to", "from"}]
        bare = [one.kind for one in things if one == Thing(kind=one.kind, spans=one.spans)]
        shown = {e.name for state in self.run.states for e in state.elements if e.name}
        there = all(
            any(is_kind(name, kind) for kind in self.run.kinds)
            or app_for(name, self.request.apps) is not None
            or any(similarity(name, one) >= 0.9 for one in shown)
            for name in bare
        )
        return there and (bool(seen) or bool({*tokens(order.verb)} & {*tokens(order.said)}))

    def _evidence(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(e for n in numbers for e in self.effects[n].evidence)

    # --- one order ----------------------------------------------------------------------------------------------------------

    def _held(self, order: Order) -> Verdict:
        if scripts := self._computed(order):
            return Verdict("shown", "", scripts)
        thing = self.run.object(order)
        if not order.negated and self._kept_back(order):
            order = order.model_copy(update={"verb": "write"})
        if order.negated or order.verb in deeds()["keeps"]:
            return self._left_alone(order, thing)
        if order.condition is not None:
            holds, shown = self.run.truth(order.condition)
            if not holds:
                return self._not_due(order, thing, shown if holds is False else None)
        if order.verb in deeds()["looks"]:
            pressed = self._clicked(order, thing).used if order.verb == "open" and thing is not None and thing.name else ()
            return self._looked(order, thing)._replace(used=pressed)
        if order.verb in deeds()["presses"]:
            return self._clicked(order, thing)
        verdict = self._told(order) if order.verb in deeds()["tells"] else self._by_page(order) or self._worked(order, thing)
        already = self.run.so_already(order, thing) if verdict.state == "missing" and order.verb == "set" else ()
        return Verdict("shown", "it was so already", already) if already else self._in_time(order, verdict)

    def _in_time(self, order: Order, verdict: Verdict) -> Verdict:
        """What was to be done by some time, and was done later or nobody knows when, is not shown to be done."""
        limit = next((s.value for s in order.slots if s.role == "before" and isinstance(s.value, When)), None)
        if limit is None or verdict.state != "shown":
            return verdict
        done = [after.timestamp for n in verdict.used if (after := self.effects[n].after) is not None]
        known = [state.timestamp for state in self.run.states]
        if not done or not known:
            return verdict._replace(state="unchecked", why="it is not known when it was done")
        if limit.minutes:
            late = max(done) - min(known) > 60 * limit.minutes
        else:
            now = datetime.fromisoformat(self.request.today)
            late = now - timedelta(seconds=max(known) - max(done)) > datetime.fromisoformat(f"{limit.first} {limit.start}")
        return verdict._replace(state="missing", why="it was done too late") if late else verdict

    def _by_page(self, order: Order) -> Verdict | None:
        """How an order stands that a control of the page has the very words of ("save the changes"), or that a form was for."""
        if not self.run.on_page:
            return None
        words, number = said(self.reading.goal, order.spans), [one.spans for one in self.orders].index(order.spans)
        if not order.slots and any(is_called_by(words, step.target) for step in self.run.presses(words)):
            return self._clicked(order, Thing(name=Text(text=words)))
        steps = [step for step in self.run.worked if step.order == number]
        ends = [step for step in steps if isinstance(step, PressStep) and step.records is None and not step.leads]
        if not (ends and any(isinstance(step, FillStep) for step in steps)) or order.verb in {*deeds()["writes"]} - {"add"}:
            return None
        verdict, lost = self._clicked(order, Thing(name=Text(text=ends[-1].control))), self.run.unwritten(order)
        if verdict.state == "shown" and (other := self._other_option(verdict.used)):
            return verdict._replace(state="missing", why=f'the page says "{other}", and something else was chosen')
        if verdict.state != "shown" or not lost:
            return verdict
        return verdict._replace(state="missing", why=f"not seen in what was done: {', '.join(lost)}")

    def _other_option(self, done: Iterable[int]) -> str:
        """What the page says of another option than the one that was chosen for what was done."""
        for effect in (self.effects[n] for n in done):
            said = tells_another(effect.before, effect.after, effect.control) if effect.before and effect.after else ""
            if said:
                return said
        return ""

    def _excused(self, order: Order, verdict: Verdict) -> Verdict:
        """What a person had done in the place of a press is what they want: that press is not missed, once for each."""
        controls = {order.verb, *deeds()["controls"].get(order.verb, ())}
        other = next((step for step in self.replaced if step.instead_of in controls), None)
        if other is None or verdict.state != "missing":
            return verdict
        self.replaced.remove(other)
        return Verdict("unchecked", f"the user had {other.target!r} pressed in its place", (f"step:{other.step}",), verdict.used)

    def _not_due(self, order: Order, thing: Thing | None, shown: tuple[str, ...] | None) -> Verdict:
        """How an order stands whose condition does not hold, as `shown`, or is not known to."""
        free = [n for n in self.run.may(order) if n not in self.used and self.effects[n].control]
        done = [n for n in free if thing is None or self.run.meant(thing, order, n) is not False]
        done = [n for n in done if not self.run.lost(order, [n])[0]]
        if order.verb in (*deeds()["looks"], *deeds()["tells"]):
            done = []
        if shown is None:
            why = "nothing that was seen shows whether its condition holds"
            return Verdict("missing" if done else "unchecked", why, sure=False)
        why = "it was done although its condition does not hold" if done else "its condition does not hold"
        return Verdict("forbidden" if done else "shown", why, (*shown, *self._evidence(done)))

    def _computed(self, order: Order) -> tuple[str, ...]:
        """The scripts that ended well for an order that is a computation over files: no screen shows those."""
        number = self.orders.index(order)
        done = [s for s in self.request.plan if s.status is SubtaskStatus.FULFILLED]
        mine = {s.id for s in done if any(isinstance(step, JobStep) and step.order == number for step in s.steps)}
        ran = [s for s in self.request.steps if s.subtask in mine and s.verb == "run_script"]
        unsure = order.negated or order.condition is not None or any(s.exec_status != "executed" for s in ran)
        return () if unsure else tuple(f"step:{s.step}" for s in ran)

    def _kept_back(self, order: Order) -> bool:
        """Whether it is only to be prepared, since a later order says not to do it."""
        verbs = {order.verb, "send", "submit"} if order.verb != "keep" else set[str]()
        later = [o.object for o in self.orders if o.negated and o.verb in verbs]
        return any(thing is None or (thing.back is not None and thing.back.to == self.orders.index(order)) for thing in later)

    def _looked(self, order: Order, thing: Thing | None) -> Verdict:
        states = self.run.states
        open_dialog = any(e.role in {"dialog", "alertdialog"} for state in states[-1:] for e in state.elements)
        if order.verb == "close" and thing is not None and thing.kind == "dialog" and open_dialog:
            return Verdict("missing", "a dialog is still open")
        if thing is None or (thing.name is None and not thing.tests):
            return Verdict("shown" if states else "unchecked")
        called = thing.name.text.casefold() if thing.name is not None else ""
        apps = {card.app for card in self.request.cards if called in {card.app.casefold(), card.title.casefold()}}
        pages = zip(states, self.find.pages, strict=True)
        seen = [f"state:{state.state_id}" for state, page in pages if state.app in apps or fits(thing, page)]
        seen += [look.evidence[0] for look in self.find.looks if any(fits(thing, record) for record in look.records)]
        if not seen:
            return Verdict("unchecked", f"{_called(thing)} was not seen by that name")
        return Verdict("shown", "", (seen[0],))

    def _told(self, order: Order) -> Verdict:
        answers = [fact for fact in self.request.facts if fact.name.casefold() == "answer"]
        if not answers:
            return Verdict("unchecked", "no answer of the crew is known")
        lost = self.run.untold(order, answers[-1].value)
        if lost:
            return Verdict("missing", f"the answer does not say {', '.join(lost)}")
        return Verdict("shown", "", ("fact:answer",))

    def _clicked(self, order: Order, thing: Thing | None) -> Verdict:
        """That a control of that name was pressed; of what has no name, the one that the plan found for it."""
        if thing is not None and thing.also:
            return _together([self._clicked(order, one) for one in (thing.model_copy(update={"also": ()}), *thing.also)])
        name = thing.name.text if thing is not None and thing.name is not None else ""
        if not name:
            number = self.orders.index(order)
            found = [x.control for x in self.run.worked if isinstance(x, PressStep) and x.order == number and x.control]
            name = found[0] if len(found) == 1 else ""
        presses = self.run.presses(name) if name else []
        done = {step.step for step in presses}
        if not done:
            return Verdict("missing" if name else "unchecked", f"{name or 'what is meant'} was not pressed")
        if effect_of_words(name) in SENSITIVE | {Effect.SAVE} and all(brought_nothing(step, self.request) for step in presses):
            return Verdict("missing", f"{name} was pressed, and nothing on the screen shows that it had an effect")
        used = tuple(n for n, effect in enumerate(self.effects) if effect.step in done)
        return self._stands(Verdict("shown", "", tuple(f"step:{n}" for n in sorted(done)), used), done)

    def _stands(self, verdict: Verdict, done: Iterable[int]) -> Verdict:
        """What the steps of an order came to, where it is still so: of a page no more is known than what it shows."""
        if verdict.state != "shown" or not self.run.on_page:
            return verdict
        wrong = next((why for number in sorted({*done}) if (why := self.run.unkept(number))), "")
        return verdict._replace(state="missing", why=wrong) if wrong else verdict

    def _nothing_chosen(self) -> Verdict:
        """That no box was ticked when the last control was pressed."""
        before = {step.before for step in self.request.steps if step.verb == "click"}
        pages = [state.elements for state in self.run.states if state.state_id in before]
        boxes = [[e for e in page if e.role in {"checkbox", "radio", "switch"}] for page in pages]
        shown = next((part for part in reversed(boxes) if part), [])
        ticked = [e.name for e in shown if e.value == "true"]
        return Verdict("missing", f"{', '.join(ticked)} is chosen") if ticked else Verdict("shown" if shown else "unchecked")

    def _worked(self, order: Order, thing: Thing | None) -> Verdict:
        """That it was done: to the one that is meant, to each of them, to so many."""
        if thing is not None and thing.kind == "nothing":
            return self._nothing_chosen()
        may, back = self.run.may(order), order.object.back if order.object is not None else None
        if back is not None and back.to in self.verdicts:
            own = [n for n in may if n in self.verdicts[back.to].used]  # "make one and submit it" is one press
            may = own if own and not (order.verb in deeds()["writes"] and self.run.lost(order, own)[0]) else may
        placed = self.run.placed(order, thing)
        if placed:
            return Verdict("shown", "it stands there", (f"state:{self.run.states[-1].state_id}",), tuple(may))
        if not may and (shown := self.run.so_already(order, thing)):
            return Verdict("shown", "it was so already", shown)
        if order.verb == "select" and thing is not None and thing.name is not None:
            chosen = any(self.run.meant(thing, order, n) is not False for n in may)
            if not may or (self.run.on_page and not chosen and self.run.presses(thing.name.text)):
                return self._clicked(order, thing)  # on a page whatever else came of a press is of no kind that is known
        if not may:
            return Verdict("missing", f"nothing was seen to be done that is to {order.verb.replace('_', ' ')}")
        per = next((slot.value.thing for slot in order.slots if slot.role == "per" and isinstance(slot.value, Of)), None)
        if per is not None and not (thing := self.find.named(per)).also:
            return self._each(order, thing.model_copy(update={"quantity": "all"}), may)
        if thing is None:
            verdict = self._with_slots(order, may)
            besides = self._widened(verdict.used)
            return verdict._replace(state="missing", why=besides) if besides else verdict
        every = [thing.model_copy(update={"also": ()}), *(self.find.named(one) for one in thing.also)]
        several = [is_several(one) and not self._is_field(one, may) for one in every]
        ways = [self._each if many else self._one for many in several]
        verdict = _together([way(order, one, may) for way, one in zip(ways, every, strict=True)])
        wrong = self._still_there(order, every, verdict.used) or self._stretched(order, verdict.used)
        wrong = wrong or self._turned(order, verdict.used) or self._widened(verdict.used)
        over = [self._written_over(self.effects[n]) for n in verdict.used if order.verb in deeds()["makes"]]
        wrong = wrong or next((f'it was written over "{name}"' for name in over if name), "")
        wrong = wrong or next(
            (f"the page does not show {_called(one)}" for one in every if self.run.placed(order, one) is False), ""
        )
        verdict = verdict._replace(state="missing", why=wrong, evidence=self._evidence(may)) if wrong else verdict
        return self._stands(verdict, (self.effects[n].step for n in verdict.used))

    def _still_there(self, order: Order, things: Sequence[Thing], used: Sequence[int]) -> str:
        """Whoever was to be taken off a list and stands in it as it was saved."""
        if order.verb != "remove" or not any(slot.role == "from" for slot in order.slots):
            return ""
        lists = {field.label for kind in self.run.kinds for field in kind.fields if field.type == "list"}
        stored = [effect for effect in (self.effects[n] for n in used) if effect.stores]
        held = "\n".join(v.value for effect in stored for v in effect.values if v.label in lists)
        there = [one.name.text for one in things if held and one.name is not None and says(held, one.name.text)]
        return f"{there[0]} is still there" if there else ""

    def _stretched(self, order: Order, used: Sequence[int]) -> str:
        """What was moved and lasts longer or shorter than it did, or is on another day or at another time, though nothing was
        said of that."""
        ends = any(slot.field or (isinstance(slot.value, When) and slot.value.end) for slot in order.slots)
        whens = [slot.value for one in self.orders for slot in one.slots if isinstance(slot.value, When)]
        free = any(when.minutes or not (when.first or when.start) for when in whens)  # a length, or words that only a clock tells
        timed = free or any(when.start or when.end or when.first[10:] for when in whens)
        dated = free or any(when.first for when in whens)
        for effect in (self.effects[n] for n in used if order.verb in _MOVES and not ends and self.effects[n].written):
            changed = self.run.changes(effect)
            for kind, of, said_ in (("day", parse_date, dated), ("time", parse_time, timed)):
                moved = [was for v, was in changed if of(was) is not None and of(v.value) not in {None, of(was)}]
                if moved and not said_:
                    return f"its {kind} was {moved[0]} before, and no other was asked for"
            times = [(parse_time(was), parse_time(v.value)) for v, was in changed]
            known = [(old, new) for old, new in times if old is not None and new is not None]
            was, now = ((known[1][n] - known[0][n]) % 1440 for n in (0, 1)) if len(known) == 2 else (0, 0)
            if was != now:
                return f"it was {was} minutes long and is {now} now"
        return ""

    def _turned(self, order: Order, used: Sequence[int]) -> str:
        """What was raised that was to be lowered, and the other way round."""
        way = trend_of(order.said) if order.verb == "set" else ""
        changed = [(v, was) for n in used if way for v, was in self.run.changes(self.effects[n]) if v.step]
        wrong = [(v, was) for v, was in changed if trend(was, v.value) not in {"", way}]
        return f"{wrong[0][0].label} was {wrong[0][1]!r} before, and is {wrong[0][0].value!r} now" if wrong else ""

    def _widened(self, used: Sequence[int]) -> str:
        """Who was put on a list by no word of the goal, where it names all of them one by one."""
        values = [slot.value for order in self.orders for slot in order.slots]
        things = [*(v.thing for v in values if isinstance(v, Of)), *(o.object for o in self.orders if o.object is not None)]
        open_ended = any(isinstance(v, Back | Worked) or (isinstance(v, Of) and v.fields) for v in values)
        if open_ended or any(one.quantity in {"all", "number"} or one.back is not None for one in things):
            return ""
        lists = {field.label for kind in self.run.kinds for field in kind.fields if field.type in {"list", "people"}}
        named = {*tokens("\n".join([self.reading.goal, *self.request.user_words]).replace(".", " ").replace("@", " "))}
        changed = [(v, was) for n in used for v, was in self.run.changes(self.effects[n]) if v.step and v.label in lists]
        new = [one for v, was in changed for one in listed_in(v.value) if fold(one) not in map(fold, listed_in(was))]
        seen = [*(record for look in self.find.looks for record in look.records), *self.find.pages]
        known = [r for r in seen if r.text.count("@") == 1 and not named.isdisjoint(tokens(r.key or r.text))]
        besides = [
            one
            for one in new
            if named.isdisjoint(tokens(one.partition("@")[0].replace(".", " "))) and not any(says(r.text, one) for r in known)
        ]
        return f"{besides[0]} was put there besides" if besides else ""

    def _is_field(self, thing: Thing, may: Sequence[int]) -> bool:
        """Whether it is no records, but a field that is called so: the notifications, turned off."""
        if thing.name or thing.tests or thing.pick or any(is_kind(thing.kind, kind) for kind in self.run.kinds):
            return False
        return any(similarity(thing.kind, v.label) >= 0.6 for n in may for v in self.effects[n].written)

    def _one(self, order: Order, thing: Thing, may: Sequence[int]) -> Verdict:
        fit = {n: self.run.meant(thing, order, n) for n in may}
        sure, maybe = [n for n in may if fit[n]], [n for n in may if fit[n] is None]
        if not sure and not maybe:
            instead = f"it was not done to {_called(thing)}, but to {self.effects[may[-1]].line!r}"
            return Verdict("missing", instead, self._evidence(may))
        verdict = self._with_slots(order, sure or maybe, thing)
        if verdict.state == "shown" and not sure and thing.name is not None:
            return verdict._replace(state="unchecked", why=f"what was seen does not show whether it was {_called(thing)}")
        return verdict

    def _with_slots(self, order: Order, kept: Sequence[int], thing: Thing | None = None) -> Verdict:
        """That what goes with the verb stands in what was written, moved or sent: in one press with what was written for it, or
        in all of an application together."""
        groups = [[n] for n in kept if self.effects[n].control]
        apps = dict.fromkeys(self.effects[n].app for n in kept)
        groups += [[n for n in kept if self.effects[n].app == app] for app in apps]
        found = [self.run.lost(order, group, thing) for group in groups]
        # Not what was done for other orders, and what settles something, where two serve as well.
        poor = [(self.used >= set(group), not any(self.effects[n].settles for n in group)) for group in groups]
        at = min(range(len(groups)), key=lambda n: (len(found[n][0]), len(found[n][1]), poor[n]))
        best, (lost, unsure) = groups[at], found[at]
        things = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of)]  # to everybody, for each
        spreads = any(t.quantity in {"all", "number"} or t.also for t in things) or any(s.role == "per" for s in order.slots)
        verdict = Verdict("shown", "", self._evidence(best), tuple(kept if spreads else best))
        if lost:
            return verdict._replace(state="missing", why=f"not seen in what was done: {', '.join(lost)}")
        if self._unsaved(order, best):
            return verdict._replace(state="missing", why="it was written and not saved")
        return verdict._replace(state="unchecked", why=f"not known: {', '.join(unsure)}") if unsure else verdict

    def _written_over(self, effect: RecordEffect) -> str:
        """The record that was opened right before its form was written in, and that a field was named by until then."""
        first = min((value.step for value in effect.written), default=0)
        earlier = [s for s in self.request.steps if s.step < first and s.exec_status == "executed" and s.app == effect.app]
        opened = next((s for s in reversed(earlier) if s.action.get("action_type") not in WRITES), None)
        form = self.screen(opened.after) if opened is not None else None
        held = [e for e in form.elements if e.value and fold(e.value) == fold(opened.target)] if form and opened else []
        kept = {value.value for value in effect.values}
        return next((e.value for e in held if e.value and e.value not in kept), "")

    def _unsaved(self, order: Order, group: Sequence[int]) -> bool:
        """Whether nothing was pressed for what was written, while the application still shows the control for it."""
        others = {o.verb for o in self.orders if o is not order} & {"save", "submit", "send", "click"}
        if self.part or others or order.verb == "select" or _fills(order) or any(self.effects[n].control for n in group):
            return False
        last = self.effects[group[-1]]
        state = next((s for s in reversed(self.request.screens) if s.app == last.app), None)
        buttons = [e for e in state.elements if e.role == "button" and e.enabled] if state is not None else []
        waits = any(effect_of_words(e.name) in {Effect.SAVE, Effect.SUBMIT} for e in buttons)
        return waits and not any(e.app == last.app and e.control and e.step > last.step for e in self.effects)

    def _each(self, order: Order, thing: Thing, may: Sequence[int]) -> Verdict:
        """That it was done to each of those that are meant, and to no other."""
        every = self.find.all_of(thing)
        records = every.records if every is not None else self.run.collected(thing, self.orders.index(order))
        if records is None:
            return self._of_unknown(order, thing, may)
        left, used, undone, found = list(may), list[int](), list[str](), list[tuple[str, list[str], list[str]]]()
        for record in records:
            itself = Thing(kind=thing.kind, name=Text(text=record.key, quoted=True)) if record.key else None
            mine = [n for n in left if fell_on(record, self.effects[n])]
            if not mine and not self.run.so_already(order, itself):
                undone.append(record.key or record.text)
            if not mine:  # it is so now, perhaps by a press on its own page
                used += [n for n in left if record.key.casefold() in self.effects[n].names - {""}]
                continue
            mine = [n for n in mine if self.effects[n].control] or mine
            lost, unsure, one = min((*self.run.lost(order, [n], itself), n) for n in mine)
            found.append((record.key or record.text, lost, unsure))
            used.append(one)
            same = [self.effects[n] for n in left if n != one and self.effects[n].step == self.effects[one].step]
            more = order.verb in _TELLS_OF or any(not effect.record.track for effect in same)
            left = left if more else [n for n in left if n != one]
        if undone:
            return Verdict("missing", f"not done to {', '.join(undone[:6])}", self._evidence(used), tuple(used))
        verdict = Verdict("shown", "" if used else "there is none", self._evidence(used), tuple(used))
        never = [words for _, _, words in found if all(words == other for _, _, other in found)]
        for name, lost, unsure in found:  # what is seen of one, and is not of another, is not there
            if lost or (unsure and not never):
                return verdict._replace(state="missing", why=f"not seen in what was done to {name}: {', '.join(lost or unsure)}")
        if used and self._unsaved(order, used):
            return verdict._replace(state="missing", why="it was written and not saved")
        if never and never[0]:
            return verdict._replace(state="unchecked", why=f"not known: {', '.join(never[0])}")
        rest = [r.key for r in (every.unsure if every is not None else ()) if not any(fell_on(r, self.effects[n]) for n in may)]
        why = f"what was seen of {', '.join(rest[:4])} does not show whether it is meant"
        return verdict._replace(state="unchecked", why=why) if rest else verdict

    def _of_unknown(self, order: Order, thing: Thing, may: Sequence[int]) -> Verdict:
        """How it stands where no list tells which are all."""
        wanted = thing.number or (thing.pick.number if thing.pick else 0)
        done = [self.effects[n] for n in may if self.run.meant(thing, order, n) is not False]
        distinct = {effect.record.track or effect.says() for effect in done}
        if thing.quantity == "number" and 0 < len(distinct) < wanted:
            return Verdict("missing", f"it was done to {len(distinct)} of {wanted}", self._evidence(may), tuple(may))
        listed = any(look.records for look in self.find.looks_at(thing)) or bool(self.request.cards)
        why = "it is not shown that these are all: no list of them was seen whole"
        return Verdict("missing" if thing.quantity == "all" and listed else "unchecked", why, self._evidence(may), tuple(may))

    # --- what was not to be done ----------------------------------------------------------------------------------------------

    def _excepted(self, order: Order, but: Thing) -> Verdict:
        """That it was not done to what is excepted."""
        ticked = order.verb in deeds()["ticks"]
        done = [n for n in self.run.may(order) if (ticked or not self.effects[n].stores) and self.run.surely(but, n)]
        if but.name is not None and self.find.is_called(but.name.text):
            done = [n for n in done if but.name.text.casefold() in self.effects[n].names]
        if not done:
            return Verdict("shown", "it was left alone")
        return Verdict("forbidden", f"it was done to {self.effects[done[0]].line!r} all the same", self._evidence(done))

    def _left_alone(self, order: Order, thing: Thing | None) -> Verdict:
        if order.verb in deeds()["keeps"]:
            kinds = SENSITIVE | {Effect.SAVE}
            done = [n for n, e in enumerate(self.effects) if (e.kind in kinds if e.control else e.written)]
            many = [at for at, o in enumerate(self.orders) if o.object is not None and (o.object.also or is_several(o.object))]
            own = {n for at, v in self.verdicts.items() if at not in many for n in v.used}  # of several some may be spared
            done = [n for n in done if thing is not None and n not in own and self.run.surely(thing, n)]
        else:
            named = thing is not None and (thing.name is not None or bool(thing.tests) or thing.place is not None)
            others = order.object is not None and order.object.back is None  # not what another order made, but anything else
            ticked = order.verb in deeds()["ticks"]
            free = [n for n in self.run.may(order) if (self.effects[n].control or ticked) and not (others and n in self.used)]
            done = [n for n in free if not named or (thing is not None and self.run.surely(thing, n))]
            done = [n for n in done if order.verb == "save" or self.effects[n].kind is not Effect.SAVE]
            if effect_of_words(order.verb) in SENSITIVE:  # "My claims" only leads elsewhere, though to claim may be to submit
                done = [n for n in done if self.effects[n].kind is not Effect.NAVIGATE]
        if done:
            return Verdict("forbidden", "it was done", self._evidence(done), tuple(done))
        return Verdict("unchecked" if self.cut else "shown", "nothing of the kind was done")

    def _besides(self) -> Iterator[LedgerEntry]:
        """What was done and nobody asked for, by the steps of a plan that came with the goal, else by the orders that were
        read."""
        whole = self.reading.understood and not self.request.earlier_goals and not any(o.verb == "follow" for o in self.orders)
        by_orders = whole and not self.request.given
        several = by_orders and any(o.object is not None and o.object.quantity == "number" for o in self.orders)
        ends = self._ends_of_the_plan() if self.request.given else {}
        for n, effect in enumerate(self.effects):
            why = "it was made already" if self._is_twice(n, several, by_orders) else ""
            if not why and n not in self.used and not effect.opaque and not self._is_twin(effect):
                unasked = by_orders and (effect.settles or self._is_made_besides(effect) or self._is_switched(effect))
                why = "no order asks for it" if unasked else "no step of the plan asks for it" * self._is_unplanned(effect, ends)
            if why:
                text = f"{effect.control or effect.written[0].label}: {effect.line}"[:160]
                yield LedgerEntry(kind="besides", text=text, state="forbidden", evidence=effect.evidence, why=why)
        if by_orders:
            yield from self._led_on()

    def _is_made_besides(self, effect: RecordEffect) -> bool:
        """Whether a form was saved in which nothing was done for an order, or something was made once more by the
        control that did what an order asks for: "Add to cart"."""
        mine = [self.effects[n] for n in self.used]
        if {*tokens(effect.control)} & {*deeds()["opens"]}:
            again = any((one.control, one.app) == (effect.control, effect.app) and one.step != effect.step for one in mine)
            return again and not any(value.value in self.reading.goal and not value.value.isdigit() for value in effect.written)
        same = [one.record for one in mine if (one.control, one.app) == (effect.control, effect.app)]
        does = not effect.stores and not effect.leads
        if same and does and (effect.record.track or effect.record.text) not in {r.track or r.text for r in same}:
            return True  # what an order asks for was done to one more
        if effect.kind is Effect.SAVE and not effect.written:  # "Save to notes", which no form asks for
            ways = [verb for kind in self.run.kinds for verb in kind.verbs if verb.control == effect.control]
            return bool(ways) and all(verb.at == "record" for verb in ways)
        mine_at = {one.step for one in mine}
        if effect.kind is not Effect.SAVE or not effect.written or any(value.step in mine_at for value in effect.written):
            return False
        if self._written_over(effect):
            return True
        told = {(value.label.casefold(), value.value) for value in effect.written}
        for one in (one for one in mine if one.app == effect.app):
            holds = {(value.label.casefold(), value.value) for value in one.values}
            kept = bool(one.written) and all(value.value in effect.says() for value in one.written)
            swapped = any(v.value == w.value and v.label != w.label for v in one.written for w in effect.written)
            if effect.opened == one.opened > 0 or told <= holds or (kept and not swapped):
                return False  # what was changed since is written again
        return True

    def _is_switched(self, effect: RecordEffect) -> bool:
        """Whether a switch, or a button that then has the opposite for its name, stands another way than before for no order."""
        if effect.control:
            same = [n for control in {effect.control, effect.opposite} for n in self.by_control.get((control, effect.app), ())]
            return effect.opposite != "" and len(same) % 2 == 1 and self.used.isdisjoint(same)
        label = effect.written[0].label if effect.written and effect.before is not None else ""
        roles = {e.role for e in effect.before.elements if e.name == label} if effect.before is not None and label else set()
        if roles != {"switch"}:
            return False
        mine = (effect.app, effect.record.key, label)
        same = [n for n, e in enumerate(self.effects) if mine in {(e.app, e.record.key, v.label) for v in e.written}]
        own = [n for n in same if not self.effects[n].control]  # what saves a form holds it once more, with what was asked for
        asked = own if not self._is_named(label) else same
        return len(own) % 2 == 1 and self.used.isdisjoint(asked)

    def _is_named(self, label: str) -> bool:
        """Whether the goal or the plan has a word for it."""
        steps = [step for subtask in self.request.plan for step in subtask.steps]
        said = [self.reading.goal, *names_in(steps), *(subtask.instruction for subtask in self.request.plan)]
        return not {*tokens(label)}.isdisjoint(tokens(" ".join(said)))

    def _led_on(self) -> Iterator[LedgerEntry]:
        """What led from one application into another to send, buy or delete there, where nothing was done for an order."""
        goal, worked = {*tokens(self.reading.goal)}, {self.effects[n].app for n in self.used}
        apps = {state.state_id: state.app for state in self.run.states}
        for step in self.request.steps:
            begun, there = apps.get(step.before) or step.app, apps.get(step.after)
            away = bool(there) and there != begun and step.verb in PRESS_VERBS and step.exec_status == "executed"
            if away and there not in worked and effect_of_words(step.target) in SENSITIVE and not goal & {*tokens(step.target)}:
                text, evidence = f"{step.target}: {there}", (f"step:{step.step}",)
                yield LedgerEntry(kind="besides", text=text, state="forbidden", evidence=evidence, why="no order asks for it")

    def _is_twice(self, n: int, several: bool, by_orders: bool) -> bool:
        """Whether the same was made before by values that were written anew, or sent before where one order says to; or text was
        put twice behind the same text, of which one was asked for and no order has a use for the other."""
        effect, held = self.effects[n], self.written[n]
        unused, makes = by_orders and n not in self.used, bool(effect.control) and self.run.makes(effect)
        if not (unused or (held and not several and (makes or effect.kind is Effect.SEND))):
            return False
        for m in self.by_control[effect.control, effect.app]:
            one, there = self.effects[m], self.written[m]
            if one.step == effect.step:
                continue
            later = sum(v.step > one.step for v in effect.written) if m < n else 0
            alike = (held, effect.line, effect.origin) == (there, one.line, one.origin)
            if later and not several and effect.kind is Effect.SEND and alike and self._for_one_order(m, n):
                return True
            anew = later if {effect.step, one.step} <= self.statuses else 0
            less, more = sorted((held.items(), there.items()), key=len)
            if not several and makes and anew > 1 and less <= more and self.run.makes(one):
                return True
            if unused and m in self.used:
                other = [(was, held[label]) for label, was in there.items() if held.get(label, was) != was]
                added = [(was, now.removeprefix(was).strip()) for was, now in other]
                if added and there.keys() == held.keys() and all(text and was.endswith(f"\n{text}") for was, text in added):
                    return True
        return False

    def _for_one_order(self, *effects: int) -> bool:
        """Whether an order that names several took all of these for what it asks for."""
        return any({*effects} <= {*verdict.used} for verdict in self.verdicts.values())

    def _ends_of_the_plan(self) -> dict[str, set[Effect | None]]:
        """By application what the steps of the plan come to, where all of it is steps."""
        worked = [s for s in self.request.plan if s.worker == "operator" and s.status is not SubtaskStatus.REJECTED]
        ends: dict[str, set[Effect | None]] = {}
        for step in (step for s in worked for step in s.steps if isinstance(step, CreateStep | FillStep | PressStep)):
            verb = step.verb if isinstance(step, PressStep) else step.commit
            ends.setdefault(step.app, set()).add(effect_of_words(verb))
        return ends if all(s.steps for s in worked) else {}

    def _is_unplanned(self, effect: RecordEffect, ends: dict[str, set[Effect | None]]) -> bool:
        if ends and self._is_switched(effect):
            steps = [step for subtask in self.request.plan for step in subtask.steps]
            names = [*names_in(steps), *(step.verb for step in steps if isinstance(step, PressStep))]
            return all(similarity(effect.control or effect.written[0].label, name) < 0.6 for name in names)
        if not ends or not effect.control:
            return False
        if effect.app in ends:
            return effect.settles and effect.kind not in ends[effect.app]
        return self.run.makes(effect) or effect.kind not in {Effect.OBSERVE, Effect.NAVIGATE, Effect.ACTIVATE}

    def _is_twin(self, effect: RecordEffect) -> bool:
        """Whether it is of the kind of an order's own effect, on the same record or in the same step: asked for and confirmed."""
        others, track = [self.effects[m] for m in self.used], effect.record.track
        if any(_is_again(one, effect) for one in others):
            return True  # pressed once more, since the first press had changed nothing
        return any(one.step == effect.step or (track and one.record.track == track and one.kind is effect.kind) for one in others)


def _is_again(one: RecordEffect, other: RecordEffect) -> bool:
    """Whether a control was pressed twice on the same screen, which the first press changed in nothing but the focus."""
    screens = [state.elements for state in (one.before, other.before) if state is not None]
    apart = abs(one.step - other.step) != 1 or one.app != other.app or {*tokens(one.control)} != {*tokens(other.control)}
    if len(screens) < 2 or apart:
        return False
    was, now = ([element.model_copy(update={"focused": False}) for element in elements] for elements in screens)
    return was == now


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several: the worst of them, with the evidence of all."""
    bad = [v for v in verdicts if v.state == "missing"] or [v for v in verdicts if v.state != "shown"] or [Verdict("shown")]
    evidence = tuple(name for verdict in verdicts for name in verdict.evidence)
    return bad[0]._replace(evidence=evidence, used=tuple(n for verdict in verdicts for n in verdict.used))


def _fills(order: Order) -> bool:
    """Whether it is about a form, which is filled and left as it is unless another order says more."""
    about = [*(slot.value.thing for slot in order.slots if isinstance(slot.value, Of)), order.object]
    things = [place for thing in about if thing is not None for place in (thing, thing.place) if place is not None]
    return order.verb in deeds()["writes"] and any(thing.kind in _FORMS for thing in things)


def _called(thing: Thing) -> str:
    texts = [thing.name.text] if thing.name is not None else [t.value.text for t in thing.tests if isinstance(t.value, Text)]
    return f"{thing.kind} {' '.join(map(repr, texts))}".strip() or "what is meant"
