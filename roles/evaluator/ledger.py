"""The orders of a goal, held against what happened: shown to be done, missing, done though forbidden, or not to be checked.

It reads the goal and not the plan, so that whoever planned is held to the same. It knows no application: what was done is
known by the words of controls, by the records that they fell on and by the values that were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words
from protocol import VisualState
from roles.contracts import GateRequest, StepRecord
from roles.contracts.orders import (
    Amount,
    CollectStep,
    Condition,
    CreateStep,
    FillStep,
    GoalLedger,
    JobStep,
    LedgerEntry,
    Of,
    Order,
    PressStep,
    Reading,
    Slot,
    Text,
    Thing,
    When,
    said,
)
from roles.contracts.policies import MOST_STEPS
from roles.contracts.signals import SubtaskStatus
from roles.contracts.values import Table, parse_time, table_of
from roles.evaluator.effects import RecordEffect, Screens, SeenRecord, effects_of, made_by, records_in, rows_on, seen_with
from roles.evaluator.evidence import moments_in
from roles.evaluator.fitting import (
    Resolver,
    fits,
    is_kind,
    lists_answered,
    lists_of,
    picked,
    says,
    stands_in,
    tells,
    tells_moment,
)
from roles.screen.calls import changes_something
from roles.screen.language.words import deeds
from roles.screen.matching import Box, app_for, box_for, similarity, tokens
from roles.screen.page import likeness
from roles.screen.values import find_dates, is_masked, same_value
from roles.skills.contract import RESULT

_STRICT = frozenset({"to", "into", "as", "called", "saying", "field", "value"})
"""Roles of slots whose words stand in what was written, moved or sent."""
_MOVES = frozenset({"move", "postpone"})
_EMPTIES = frozenset({"empty", "remove", "delete"})
_TELLS_OF = frozenset({"send", "write", "collect"})
"""Verbs by which one deed may tell of several records."""
_FORMS = frozenset({"form", "field"})
_SETTLED = frozenset({Effect.DELETE, Effect.SEND, Effect.SUBMIT, Effect.PURCHASE, Effect.ACCOUNT})
"""What is never done besides."""
_MAKES = frozenset({"new", "create", "add"})
"""Words of what leads to the form of something that is made."""


class Verdict(NamedTuple):
    """How an order stands, and the effects that were done for it."""

    state: str
    why: str = ""
    evidence: tuple[str, ...] = ()
    used: tuple[int, ...] = ()
    sure: bool = True


def ledger(reading: Reading, request: GateRequest, screen: Screens | None = None, *, part: bool = False) -> GoalLedger:
    """Every order, exclusion and rest of the goal, held against the steps and the screens of the run.

    Of a `part` of the work others may still be to come, such as the press that saves what was written.
    """
    known = {state.state_id: state for state in (*request.earlier, *request.screens)}
    return _Check(reading, request, screen or known.get, part).ledger()


class _Check:
    """One goal and one run."""

    def __init__(self, reading: Reading, request: GateRequest, screen: Screens, part: bool) -> None:
        self.reading, self.request, self.part = reading, request, part
        results = {f.step: f for f in request.facts if f.kind == RESULT and not f.private}
        answers = {number: (fact.value, records_in(fact.app or "", fact.value)) for number, fact in results.items()}
        self.effects = effects_of(request.steps, screen, {number: records for number, (_, records) in answers.items()})
        ids = dict.fromkeys(i for step in request.steps for i in (step.before, step.after) if i)
        states = [state for i in ids if (state := screen(i)) is not None]
        self.states: list[VisualState] = [*states, *(s for s in request.screens if s.state_id not in ids)]
        self.looks = [*lists_of(self.states, reading.goal), *lists_answered(request.steps, answers, reading.goal)]
        self.find = Resolver(reading, self.states, self.looks, request.cards)
        self.cut = len(request.steps) >= MOST_STEPS or any(effect.opaque for effect in self.effects)
        """Not all that was done is known."""
        self.worked = [step for s in request.plan if s.status is SubtaskStatus.FULFILLED for step in s.steps]
        """Typed steps of what is fulfilled."""
        self.used: set[int] = set()
        self.verdicts: dict[int, Verdict] = {}
        self.replaced = [step for step in request.steps if step.instead_of and step.exec_status == "executed"]
        self.linked: dict[Thing, list[SeenRecord]] = {}
        """What was seen of the things that are meant."""

    def ledger(self) -> GoalLedger:
        entries: list[LedgerEntry] = []
        orders = self.reading.orders
        # What was done belongs first to orders that were to be done, and only then to those whose condition does not hold.
        off = {n for n, o in enumerate(orders) if o.negated or (o.condition is not None and self._truth(o.condition)[0] is False)}
        verdicts = self.verdicts
        for number in sorted(range(len(orders)), key=lambda n: n in off):
            verdicts[number] = self._excused(orders[number], self._held(orders[number]))
            self.used |= {n for n in verdicts[number].used if not (_fills(orders[number]) and self._settles(n))}
        for number, order in enumerate(orders):
            verdict = verdicts[number]
            kind = "exclusion" if order.negated or order.verb in deeds()["keeps"] else "order"
            entries.append(self._entry(number, kind, order.spans, verdict))
            buts = order.object.but if order.object is not None and not order.negated else ()
            entries += [self._entry(number, "exclusion", but.spans, self._excepted(order, but)) for but in buts]
        rest = [LedgerEntry(kind="unread", text=u.text, state="unread", why=u.why) for u in self.reading.unread]
        follows = any(order.verb == "follow" for order in self.reading.orders)
        if self.request.given:
            besides = (*self._unplanned(), *self._made_twice())
        elif self.reading.understood and not follows and not self.request.earlier_goals:
            several = any(o.object is not None and o.object.quantity == "number" for o in orders)
            besides = (*self._besides(), *(() if several else self._made_twice()))
        else:
            besides = tuple(self._made_twice())
        return GoalLedger(goal=self.reading.goal, entries=(*entries, *besides, *rest))

    def _entry(self, number: int, kind: Any, spans: tuple[tuple[int, int], ...], verdict: Verdict) -> LedgerEntry:
        state: Any = "unchecked" if verdict.state == "missing" and self.cut else verdict.state
        text, seen = said(self.reading.goal, spans), tuple(dict.fromkeys(verdict.evidence))[:8]
        sure = verdict.sure and (not self.reading.unread or self._sure(self.reading.orders[number], seen))
        return LedgerEntry(order=number, kind=kind, text=text, state=state, evidence=seen, why=verdict.why, sure=sure)

    def _sure(self, order: Order, seen: tuple[str, ...]) -> bool:
        """Whether words of a goal that is read in part mean just this: the verb is said by its own name, or something of the kind
        was seen; and what it goes to or comes from is a kind of thing that there is."""
        things = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of) and slot.role in {"into", "to", "from"}]
        bare = [one.kind for one in things if one == Thing(kind=one.kind, spans=one.spans)]
        kinds = [kind for card in self.request.cards for kind in card.kinds]
        there = all(any(is_kind(name, kind) for kind in kinds) or self._is_place(name) for name in bare)
        return there and (bool(seen) or bool({*tokens(order.verb)} & {*tokens(order.said)}))

    def _is_place(self, name: str) -> bool:
        """Whether an application or something on a screen is called so."""
        return app_for(name, self.request.apps) is not None or any(
            similarity(name, e.name) >= 0.9 for state in self.states for e in state.elements if e.name
        )

    # --- one order ----------------------------------------------------------------------------------------------------------

    def _held(self, order: Order) -> Verdict:
        if scripts := self._computed(order):
            return Verdict("shown", "", scripts)
        thing = self._object(order)
        if self._taken_back(order):
            return Verdict("shown", "it was taken back")
        if not order.negated and self._kept_back(order):
            order = order.model_copy(update={"verb": "write"})
        if order.negated or order.verb in deeds()["keeps"]:
            return self._left_alone(order, thing)
        if order.condition is not None and (bound := self._bound(order, order.condition, thing)) is not None:
            return bound
        if order.verb in deeds()["looks"]:
            pressed = self._clicked(order, thing) if order.verb == "open" and thing is not None and thing.name else None
            return self._looked(order, thing)._replace(used=pressed.used if pressed is not None else ())
        if order.verb in deeds()["presses"]:
            return self._clicked(order, thing)
        if order.verb in deeds()["tells"]:
            return self._told(order)
        return self._worked(order, thing)

    def _excused(self, order: Order, verdict: Verdict) -> Verdict:
        """What a person had done in the place of a press is what they want: that press is not missed, once for each."""
        if verdict.state != "missing":
            return verdict
        controls = {order.verb, *deeds()["controls"].get(order.verb, ())}
        other = next((step for step in self.replaced if step.instead_of in controls), None)
        if other is None:
            return verdict
        self.replaced.remove(other)
        return Verdict("unchecked", f"the user had {other.target!r} pressed in its place", (f"step:{other.step}",), verdict.used)

    def _bound(self, order: Order, condition: Condition, thing: Thing | None) -> Verdict | None:
        """How an order stands whose condition does not hold, or is not known to."""
        asked, shown = self._truth(condition)
        if asked:
            return None
        done = self._done(order, thing)
        if asked is None:
            why = "nothing that was seen shows whether its condition holds"
            return Verdict("missing" if done else "unchecked", why, sure=False)
        why = "it was done although its condition does not hold" if done else "its condition does not hold"
        return Verdict("forbidden" if done else "shown", why, (*shown, *self._evidence(done)))

    def _computed(self, order: Order) -> tuple[str, ...]:
        """The scripts that ended well for an order that is a computation over files: no screen shows those."""
        number = self.reading.orders.index(order)
        done = [s for s in self.request.plan if s.status is SubtaskStatus.FULFILLED]
        mine = {s.id for s in done if any(isinstance(step, JobStep) and step.order == number for step in s.steps)}
        ran = [s for s in self.request.steps if s.subtask in mine and s.verb == "run_script"]
        scripted = order.negated or order.condition is not None or any(s.exec_status != "executed" for s in ran)
        return () if scripted else tuple(f"step:{s.step}" for s in ran)

    def _taken_back(self, order: Order) -> bool:
        """Whether a later order says of the very same not to do it."""
        mine = order.object if not order.negated else None
        if mine is None or not (mine.name or mine.tests):
            return False
        later = [o for o in self.reading.orders[self.reading.orders.index(order) + 1 :] if o.negated and o.verb == order.verb]
        told = [(o.object.kind, o.object.name and o.object.name.text, o.object.tests) for o in later if o.object is not None]
        return (mine.kind, mine.name and mine.name.text, mine.tests) in told

    def _kept_back(self, order: Order) -> bool:
        """Whether it is only to be prepared, since a later order says not to do it."""
        number = self.reading.orders.index(order)
        later = [
            o for o in self.reading.orders if o.negated and o.verb in {order.verb, "send", "submit"} and order.verb != "keep"
        ]
        return any(o.object is None or (o.object.back is not None and o.object.back.to == number) for o in later)

    def _object(self, order: Order) -> Thing | None:
        """What an order is about: its object, or what is answered or passed on."""
        if order.object is not None:
            return self._setting(order) or self.find.named(order.object)
        to = next((slot.value for slot in order.slots if slot.role == "to"), None)
        return self.find.named(to.thing) if isinstance(to, Of) and not to.fields and order.verb in deeds()["passes"] else None

    def _setting(self, order: Order) -> Thing | None:
        """ "Mute the sound and set the brightness": what there is only one of belongs to nothing that was spoken of before."""
        back, said = order.object.back if order.object is not None else None, next((s.field for s in order.slots if s.field), "")
        if order.verb != "set" or back is None or not said or not 0 <= back.to < len(self.reading.orders):
            return None
        other, kinds = self.reading.orders[back.to].object, [kind for card in self.request.cards for kind in card.kinds]
        bare = other is not None and not (other.name or other.tests or other.pick or other.back)
        known = other is None or any(is_kind(other.kind, kind) for kind in kinds)
        return Thing(kind=said) if bare and not known else None

    def _done(self, order: Order, thing: Thing | None) -> list[int]:
        """Effects that this order would have, if it was worked."""
        if order.verb in (*deeds()["looks"], *deeds()["tells"]):
            return []
        free = [n for n in self._may(order) if n not in self.used and self.effects[n].control]
        return [n for n in free if (thing is None or self._meant(thing, order, n) is not False) and not self._lost(order, [n])[0]]

    def _may(self, order: Order) -> list[int]:
        """Effects that are of the verb's kind."""
        verb, controls = order.verb, set(deeds()["controls"].get(order.verb, ())) or {order.verb, *order.said.casefold().split()}
        stems = {token for word in controls for token in tokens(str(word))}
        cards = {
            tokens(v.control)
            for card in self.request.cards
            for k in card.kinds
            for v in (*k.verbs, k.create)
            if v and v.verb == verb
        }
        opens = {frozenset(tokens(k.create.control)) for card in self.request.cards for k in card.kinds if k.create}
        tick, box = deeds()["ticks"].get(verb), self._box(order)
        found = []
        for n, effect in enumerate(self.effects):
            if box and any(v.value == box.value and set(_box_name(box)) <= {*tokens(v.label)} for v in effect.written):
                found.append(n)
            elif tick and not effect.control:
                found += [n] if any(v.value == tick and self._about(order, effect) for v in effect.written) else []
            elif (
                effect.words & stems
                or (effect.control and tokens(effect.control) in cards)
                or (verb in deeds()["writes"] and not effect.control and effect.written)
                or (verb in _EMPTIES and any(not v.value and self._is_field_of(order, v.label) for v in effect.written))
                or (verb in deeds()["makes"] and any(words <= effect.words for words in opens) and made_by(effect))
            ):
                found.append(n)
        return [n for n in found if not (verb == "remove" and self._destroys(order, self.effects[n]))]

    def _destroys(self, order: Order, effect: RecordEffect) -> bool:
        """Whether the record itself was deleted that was only to be taken out of a group that it says it is in."""
        homes = [slot.value.thing for slot in order.slots if slot.role == "from" and isinstance(slot.value, Of)]
        named = [(home.kind, home.name.text) for home in homes if home.kind and home.name is not None]
        within = any(similarity(kind, k) >= 0.6 and says(v, name) for kind, name in named for k, v in effect.cells)
        return within and effect_of_words(effect.control) is Effect.DELETE

    def _is_field_of(self, order: Order, label: str) -> bool:
        """Whether a field is the one that was to be emptied."""
        return order.object is not None and bool(order.object.kind) and similarity(order.object.kind, label) >= 0.6

    def _box(self, order: Order) -> Box | None:
        """The box of such a record that is ticked for it."""
        kinds = [kind for card in self.request.cards for kind in card.kinds]
        mine = [kind for kind in kinds if order.object is not None and is_kind(order.object.kind, kind)] or kinds
        return next((box for kind in mine if (box := box_for(order, kind)) is not None), None)

    def _about(self, order: Order, effect: RecordEffect) -> bool:
        """Whether a box that was ticked is called as the verb or as what it is done to."""
        thing = self._object(order)
        called = [
            *tokens(order.verb),
            *(tokens(thing.kind) if thing else ()),
            *(tokens(thing.name.text) if thing and thing.name else ()),
        ]
        shown = tokens(f"{effect.written[-1].label} {effect.record if effect.track else ''}")
        return bool({*called} & {*shown}) or (thing is not None and similarity(thing.kind, effect.written[-1].label) >= 0.6)

    def _worked(self, order: Order, thing: Thing | None) -> Verdict:
        """That it was done: to the one that is meant, to each of them, to so many."""
        if thing is not None and thing.kind == "nothing":
            return self._nothing_chosen()
        may = self._may(order)
        back = order.object.back if order.object is not None and self._setting(order) is None else None
        if back is not None and back.to in self.verdicts:
            own = [n for n in may if n in self.verdicts[back.to].used]  # "make one and submit it" is one press
            may = own if own and not (order.verb in deeds()["writes"] and self._lost(order, own)[0]) else may
        if not may and (shown := self._so_already(order, thing)):
            return Verdict("shown", "it was so already", shown)
        if not may and order.verb == "select" and thing is not None and thing.name is not None:
            return self._clicked(order, thing)
        if not may:
            return Verdict("missing", f"nothing was seen to be done that is to {order.verb.replace('_', ' ')}")
        per = next((slot.value.thing for slot in order.slots if slot.role == "per" and isinstance(slot.value, Of)), None)
        if per is not None and not (thing := self.find.named(per)).also:
            return self._each(order, thing.model_copy(update={"quantity": "all"}), may)
        if thing is None:
            return self._with_slots(order, may)
        every = [thing.model_copy(update={"also": ()}), *(self.find.named(t) for t in thing.also)]
        several = [_several(one) and not self._is_field(one, may) for one in every]
        verdicts = [(self._each if many else self._one)(order, one, may) for many, one in zip(several, every, strict=True)]
        if still := self._still_there(order, every, [n for v in verdicts for n in v.used]):
            return Verdict("missing", f"{still} is still there", self._evidence(may))
        if stretched := self._stretched(order, [n for v in verdicts for n in v.used]):
            return Verdict("missing", stretched, self._evidence(may))
        bad = next((v for v in verdicts if v.state == "missing"), None) or next((v for v in verdicts if v.state != "shown"), None)
        used = tuple(n for v in verdicts for n in v.used)
        evidence = tuple(e for v in verdicts for e in v.evidence)
        return Verdict(bad.state, bad.why, evidence, used) if bad is not None else Verdict("shown", "", evidence, used)

    def _still_there(self, order: Order, things: Sequence[Thing], used: Sequence[int]) -> str:
        """Whoever was to be taken off a list and stands in it as it was saved."""
        if order.verb != "remove" or not any(slot.role == "from" for slot in order.slots):
            return ""
        fields = (field for card in self.request.cards for kind in card.kinds for field in kind.fields)
        lists = {field.label for field in fields if field.type == "list"}
        held = "\n".join(v.value for n in used if self._stores(n) for v in self.effects[n].values if v.label in lists)
        return next((one.name.text for one in things if one.name is not None and says(held, one.name.text)), "") if held else ""

    def _stretched(self, order: Order, used: Sequence[int]) -> str:
        """What was moved to another time and lasts longer or shorter than it did, though nothing was said of its end."""
        ends = any(slot.field or (isinstance(slot.value, When) and slot.value.end) for slot in order.slots)
        for effect in (self.effects[n] for n in used if order.verb in _MOVES and not ends and self.effects[n].written):
            first = min(v.step for v in effect.written)
            begun = next((s.before for s in self.request.steps if s.step == first), "")
            fields = {e.name: e.value or "" for state in self.states if state.state_id == begun for e in state.elements}
            times = [(parse_time(fields.get(v.label, "")), parse_time(v.value)) for v in effect.values]
            known = [(old, new) for old, new in times if old is not None and new is not None]
            was, now = ((known[1][n] - known[0][n]) % 1440 for n in (0, 1)) if len(known) == 2 else (0, 0)
            if was != now:
                return f"it was {was} minutes long and is {now} now"
        return ""

    def _is_field(self, thing: Thing, may: list[int]) -> bool:
        """Whether it is no records, but a field that is called so: the notifications, turned off."""
        named = thing.name is not None or thing.tests or thing.pick is not None
        kinds = [kind for card in self.request.cards for kind in card.kinds]
        if named or any(is_kind(thing.kind, kind) for kind in kinds):
            return False
        return any(similarity(thing.kind, v.label) >= 0.6 for n in may for v in self.effects[n].written)

    def _so_already(self, order: Order, thing: Thing | None) -> tuple[str, ...]:
        """The screen on which only the control for the opposite stands, or a box that is as it is to be."""
        opposite, box = deeds()["opposites"].get(order.verb, ""), self._box(order)
        tick = box.value if box else deeds()["ticks"].get(order.verb)
        called = {*tokens(thing.name.text if thing.name else thing.kind)} if thing is not None else set[str]()
        called |= {*(_box_name(box) if box and called else ())}
        for state in self.states if called else ():
            for e in state.elements:
                there = {*tokens(e.name)}
                ticked = tick is not None and e.value == tick and called <= there
                if ticked or (
                    opposite and {*tokens(opposite)} <= there and called <= {*there, *tokens(seen_with(e, state).text)}
                ):
                    return (f"state:{state.state_id}",)
        return ()

    def _clicked(self, order: Order, thing: Thing | None) -> Verdict:
        """That a control of that name was pressed; of what has no name, the one that the plan found for it."""
        every = [thing.model_copy(update={"also": ()}), *thing.also] if thing is not None and thing.also else []
        if every:
            verdicts = [self._clicked(order, one) for one in every]
            bad = next((verdict for verdict in verdicts if verdict.state != "shown"), verdicts[0])
            return bad._replace(used=tuple(n for verdict in verdicts for n in verdict.used))
        name = thing.name.text if thing is not None and thing.name is not None else ""
        if not name:
            number = self.reading.orders.index(order)
            found = [x.control for x in self.worked if isinstance(x, PressStep) and x.order == number and x.control]
            name = found[0] if len(found) == 1 else ""
        done = self._presses(name) if name else []
        if done:
            mine = tuple(n for n, e in enumerate(self.effects) if e.step in {s.step for s in done})
            return Verdict("shown", "", tuple(f"step:{s.step}" for s in done), mine)
        return Verdict("missing" if name else "unchecked", f"{name or 'what is meant'} was not pressed")

    def _presses(self, name: str) -> list[StepRecord]:
        """Steps that fell on a control of that name."""
        steps = (s for s in self.request.steps if s.exec_status == "executed" and s.verb != "scroll")
        return [s for s in steps if similarity(name, s.target) >= 0.9 or likeness(name, s.target) >= 0.9]

    def _nothing_chosen(self) -> Verdict:
        """That no box was ticked when the last control was pressed."""
        before = {step.before for step in self.request.steps if step.verb == "click"}
        asked = [state for state in self.states if state.state_id in before]
        boxes = [[e for e in state.elements if e.role in {"checkbox", "radio", "switch"}] for state in asked]
        shown = next((part for part in reversed(boxes) if part), [])
        ticked = [e.name for e in shown if e.value == "true"]
        return Verdict("missing", f"{', '.join(ticked)} is chosen") if ticked else Verdict("shown" if shown else "unchecked")

    def _one(self, order: Order, thing: Thing, may: list[int]) -> Verdict:
        fit = {n: self._meant(thing, order, n) for n in may}
        sure, maybe = [n for n in may if fit[n]], [n for n in may if fit[n] is None]
        if not sure and not maybe:
            back = order.object.back if order.object is not None else None
            made = self.verdicts.get(back.to) if back is not None else None
            if order.verb == "save" and made is not None and made.state == "unchecked":
                return Verdict("unchecked", "what is to be saved was not known", self._evidence(may), tuple(may))
            on = next((line for n in reversed(may) for line in self.effects[n].says().splitlines() if line), "something else")
            return Verdict("missing", f"it was not done to {_called(thing)}, but to {on!r}", self._evidence(may))
        kept = sure or maybe
        verdict = self._with_slots(order, kept, thing)
        if verdict.state == "shown" and not sure and thing.name is not None:
            return verdict._replace(state="unchecked", why=f"what was seen does not show whether it was {_called(thing)}")
        return verdict

    def _with_slots(self, order: Order, kept: list[int], thing: Thing | None = None) -> Verdict:
        """That what goes with the verb stands in what was written, moved or sent."""
        if self._box(order) is not None:  # what is ticked says the state
            order = order.model_copy(update={"slots": tuple(slot for slot in order.slots if slot.role != "as")})
        groups = self._groups(kept)
        found = [self._lost(self._with_own(order, thing), group) for group in groups]
        # Not what was done for other orders, and what settles something, where two serve as well.
        poor = [(self.used >= set(group), not any(map(self._settles, group))) for group in groups]
        at = min(range(len(groups)), key=lambda n: (len(found[n][0]), len(found[n][1]), poor[n]))
        best, (lost, unsure) = groups[at], found[at]
        used = tuple(kept if self._spreads(order) else best)
        if lost:
            return Verdict("missing", f"not seen in what was done: {', '.join(lost)}", self._evidence(best), used)
        if self._unsaved(order, best):
            return Verdict("missing", "it was written and not saved", self._evidence(best), used)
        why = f"not known: {', '.join(unsure)}" if unsure else ""
        return Verdict("unchecked" if unsure else "shown", why, self._evidence(best), used)

    def _spreads(self, order: Order) -> bool:
        """Whether it is done several times over: to everybody, for each."""
        things = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of)]
        return any(thing.quantity in {"all", "number"} or thing.also for thing in things) or any(
            s.role == "per" for s in order.slots
        )

    def _groups(self, kept: list[int]) -> list[list[int]]:
        """Effects that are one piece of work: a press with what was written for it, and all of an application together."""
        groups = [[n] for n in kept if self.effects[n].control]
        for app in dict.fromkeys(self.effects[n].app for n in kept):
            groups.append([n for n in kept if self.effects[n].app == app])
        return groups

    def _lost(self, order: Order, group: list[int]) -> tuple[list[str], list[str]]:
        """What of the slots does not stand there, and what of them is not known."""
        text = "\n".join(self._all_of(n) for n in group)
        lost, unsure = list[str](), list[str]()
        given = (
            [Slot(role="value", value=order.object.back)] if self._is_value(order) and order.object and order.object.back else []
        )
        for slot in (*order.slots, *given):
            if slot.role == "per" or (
                slot.role == "to" and order.object is None and isinstance(slot.value, Of) and order.verb in deeds()["passes"]
            ):
                continue
            answer, words = self._stands(slot, text, order, group)
            if answer is None and not self._hidden(slot, group):
                unsure.append(words)
            elif not answer:
                fields = slot.role == "with" and isinstance(slot.value, Of) and slot.value.fields
                (lost if slot.role in _STRICT or slot.field or fields or _is_moment(slot, order) else unsure).append(words)
        return lost, unsure

    def _hidden(self, slot: Slot, group: list[int]) -> bool:
        """Whether what stands for a field was written as a page hides it."""
        written = [v for n in group for v in self.effects[n].written] if isinstance(slot.value, Of) and slot.value.fields else []
        lines = [(line, v.label) for v in written for line in v.value.splitlines()]
        return any(is_masked(part.strip(), label) for line, label in lines for part in (line, line.rpartition(":")[2]))

    def _is_value(self, order: Order) -> bool:
        """Whether what it is about is a value that was found out before."""
        back = order.object.back if order.object is not None else None
        return back is not None and 0 <= back.to < len(self.reading.orders) and self.reading.orders[back.to].object is None

    def _stands(self, slot: Slot, text: str, order: Order, group: list[int]) -> tuple[bool | None, str]:
        """Whether what goes with the verb stands in what was done, and its words."""
        spans = slot.spans or slot.value.spans
        words = said(self.reading.goal, spans) if spans else slot.role
        if isinstance(slot.value, When):
            return tells_moment(text, slot.value), words
        if isinstance(slot.value, Of) and slot.role in {"as", "into", "field"} and slot.value.fields:
            return self._fielded(slot.value.fields, order, group), words
        if isinstance(slot.value, Of) and not slot.value.fields:
            things = (slot.value.thing, *slot.value.thing.also)
            there = [self._named_in(one.name.text if one.name else one.kind, text, group) for one in things]
            return (True if all(there) else False if any(there) else None), words
        if (
            slot.role in {"into", "at"}
            and isinstance(slot.value, Text)
            and app_for(slot.value.text, self.request.apps) is not None
        ):
            return self._named_in(slot.value.text, text, group), words
        wanted = self.find.texts(slot.value)
        if wanted is None:
            return None, words
        if isinstance(slot.value, Of) and len(wanted) == len(slot.value.fields) and slot.role == "with":
            named = zip(slot.value.fields, wanted, strict=True)
            lost = [name for name, one in named if not self._where_called(name, one, text, group)]
            return not lost, f"{words} ({', '.join(lost)})" if lost else words
        values = [v for n in group for v in self.effects[n].values]
        own = [v for v in values if slot.field and similarity(slot.field, v.label) >= 0.75]
        held = "\n".join(v.value for v in own)
        missing = [one for one in wanted if not tells(held or text, one) and not (slot.role == "to" and self._reached(one, text))]
        missing = [one for one in missing if not any(same_value(v.value, one) for v in own or values)]
        chosen = order.verb in {"set", "select"} and slot.field  # of a list that the page draws
        missing = [one for one in missing if not (chosen and self._presses(one))]
        missing = [one for one in missing if (time := parse_time(one)) is None or not moments_in(held or text).have_minute(time)]
        if isinstance(slot.value, Of) and slot.value.fields == ("date",):  # on which day, and not from when to when
            missing = [one for one in missing if not (days := find_dates(one)) or not all(says(text, day) for day in days)]
        if slot.role == "saying" and isinstance(slot.value, Text) and not slot.value.quoted:
            missing = [one for one in missing if not _retold(one, held or text)]
        return not missing, f"{words} ({', '.join(missing)})" if missing and missing != [words] else words

    def _where_called(self, name: str, wanted: str, text: str, group: list[int]) -> bool:
        """Whether a value stands in the field that is called as it is, or anywhere where no field is."""
        held = [value for n in group if (value := self.effects[n].fields(name)) is not None]
        return tells("\n".join(one for values in held for one in values) if held else text, wanted)

    def _named_in(self, name: str, text: str, group: list[int]) -> bool:
        """Whether a place or a person is named in what was done, or is the application in which it was done."""
        apps, app = {self.effects[n].app for n in group}, app_for(name, self.request.apps)
        return (app is not None and app.app in apps) or says(f"{text}\n{' '.join(apps)}", name) or self._reached(name, text)

    def _fielded(self, fields: Sequence[str], order: Order, group: list[int]) -> bool | None:
        """Whether the value stands in the field that is named; None where no such field was seen, or the value is not known."""
        values = [slot.value for slot in order.slots if slot.role == "value"]
        values += [order.object.back] if self._is_value(order) and order.object and order.object.back else []
        wanted = [text for value in values for text in self.find.texts(value) or ()]
        held = [v.value for n in group for v in self.effects[n].values if any(similarity(f, v.label) >= 0.75 for f in fields)]
        return any(says(one, text) for text in wanted for one in held) if wanted and held else None

    def _reached(self, name: str, text: str) -> bool:
        """Whether a person was written to under an address or a number that was seen beside the name."""
        seen = [r.text for look in self.looks for r in look.records] + [page.text for page in self.find.pages]
        held = [word for word in text.split() if "@" in word or sum(map(str.isdigit, word)) > 5]
        return any(word.strip(",;") in record for record in seen if says(record, name) for word in held)

    def _unsaved(self, order: Order, group: list[int]) -> bool:
        """Whether nothing was pressed for what was written, while the application still shows the control for it."""
        others = {o.verb for o in self.reading.orders if o is not order}
        if self.part or any(self.effects[n].control for n in group) or others & {"save", "submit", "send", "click"}:
            return False
        if order.verb == "select" or _fills(order):
            return False
        app = self.effects[group[-1]].app
        later = [e for e in self.effects if e.app == app and e.control and e.step > self.effects[group[-1]].step]
        state = next((s for s in reversed(self.request.screens) if s.app == app), None)
        waits = state is not None and any(
            e.role == "button" and e.enabled and effect_of_words(e.name) in {Effect.SAVE, Effect.SUBMIT} for e in state.elements
        )
        return waits and not later

    def _all_of(self, n: int) -> str:
        effect = self.effects[n]
        return f"{effect.says()}\n{effect.control}"

    def _meant(self, thing: Thing, order: Order, n: int) -> bool | None:
        """Whether an effect fell on what is meant."""
        effect = self.effects[n]
        if thing.new or order.verb in deeds()["makes"]:
            return says(effect.says(), thing.name.text) if thing.name is not None else True
        text = f"{effect.says()}\n{effect.control}\n{effect.origin}"
        cells = (*effect.cells, *((v.label, v.value) for v in effect.values))
        answer = fits(thing.model_copy(update={"but": ()}), SeenRecord(text, cells, effect.track))
        if order.verb == "set" and answer and thing.name is None and not thing.tests:
            return any(similarity(thing.kind, v.label) >= 0.6 for v in effect.written) or None
        if thing.pick is not None and answer is not False:
            chosen = self._chosen(thing)
            return None if chosen is None else any(self._fell_on(record, effect) for record in chosen)
        if answer or (thing.name is None and not thing.tests):
            return answer
        if thing not in self.linked:
            seen = [*(record for look in self.looks for record in look.records), *self.find.pages]
            self.linked[thing] = [record for record in seen if fits(thing, record)]
        if any(self._fell_on(record, effect) for record in self.linked[thing]):
            return True
        return answer if effect.record else None

    def _chosen(self, thing: Thing) -> list[SeenRecord] | None:
        """What a superlative leaves of a list that was seen whole."""
        if thing.pick is None or (meant := self.find.all_of(thing.model_copy(update={"pick": None}))) is None:
            return None
        return picked(thing.pick, meant) if not self.find.unsure_of(thing.model_copy(update={"pick": None})) else None

    def _fell_on(self, record: SeenRecord, effect: RecordEffect) -> bool:
        """Whether an effect is on this record, or was made with what the record holds."""
        if record.track and record.track == effect.track:
            return True
        text = f"{effect.says()}\n{effect.control}\n{effect.origin}"
        told = [value for _, value in record.cells if len(value) > 2 and says(text, value)]
        held = [value for _, value in record.cells if len(value) > 2]
        own = [v.value for v in effect.written]
        carried = [
            value for value in held if len(value) > 3 and any(c.isdigit() for c in value) and any(says(one, value) for one in own)
        ]
        return bool(carried) or (bool(record.key) and says(text, record.key) and 2 * len(told) >= len(held))

    # --- several ------------------------------------------------------------------------------------------------------------

    def _each(self, order: Order, thing: Thing, may: list[int]) -> Verdict:
        """That it was done to each of those that are meant, and to no other."""
        every = self._chosen(thing) if thing.pick is not None else self.find.all_of(thing)
        every = self._collected(order, thing) if every is None else every
        if every is None:
            wanted = thing.number or (thing.pick.number if thing.pick else 0)
            distinct = {self.effects[n].track or self.effects[n].says() for n in may if self._meant(thing, order, n) is not False}
            if thing.quantity == "number" and 0 < len(distinct) < wanted:
                return Verdict("missing", f"it was done to {len(distinct)} of {wanted}", self._evidence(may), tuple(may))
            why = "it is not shown that these are all: no list of them was seen whole"
            listed = any(look.records for look in self.find.looks_at(thing)) or bool(self.request.cards)
            state = "missing" if thing.quantity == "all" and listed else "unchecked"
            return Verdict(state, why, self._evidence(may), tuple(may))
        left, used, undone, done = list(may), list[int](), list[str](), list[SeenRecord]()
        for record in every:
            one = next((n for n in left if self._fell_on(record, self.effects[n])), None)
            if one is None:
                itself = Thing(kind=thing.kind, name=Text(text=record.key, quoted=True)) if record.key else None
                undone += [] if self._so_already(order, itself) else [record.key or record.text]
            else:
                same = [
                    n for n in left if self.effects[n].step == self.effects[one].step and n != one and not self.effects[n].track
                ]
                left = [n for n in left if n != one or same or order.verb in _TELLS_OF]
                used.append(one)
                done.append(record)
        if undone:
            return Verdict("missing", f"not done to {', '.join(undone[:6])}", self._evidence(used), tuple(used))
        own = [slot for slot in order.slots if self._is_own(slot, order) and not self._box(order)]
        without = order.model_copy(update={"slots": tuple(slot for slot in order.slots if slot not in own)})
        verdict = self._with_slots(without, used) if used else Verdict("shown", "there is none")
        short = [r.key for r, n in zip(done, used, strict=True) if any(not says(self._all_of(n), v) for v in _held(own, r))]
        if short:
            return Verdict(
                "missing", f"what belongs to it was not given for {', '.join(short[:4])}", self._evidence(used), tuple(used)
            )
        unsure = [r.key for r in self.find.unsure_of(thing) if not any(self._fell_on(r, self.effects[n]) for n in may)]
        if verdict.state == "shown" and unsure:
            verdict = verdict._replace(
                state="unchecked", why=f"what was seen of {', '.join(unsure[:4])} does not show whether it is meant"
            )
        return verdict._replace(used=tuple(used))

    def _is_own(self, slot: Slot, order: Order) -> bool:
        """Whether it is a field of each thing that the order is about, "with the number and the amount"."""
        thing = slot.value.thing if isinstance(slot.value, Of) and slot.value.fields else None
        mine = thing is not None and (thing.back is None or self.reading.orders[thing.back.to].spans == order.spans)
        return mine and thing is not None and thing.name is None and not thing.tests

    def _with_own(self, order: Order, thing: Thing | None) -> Order:
        """The order, its fields those of the thing in hand."""
        slots = [
            slot.model_copy(update={"value": slot.value.model_copy(update={"thing": thing})})
            if thing is not None and (thing.name is not None or thing.tests) and slot.role in {"with", "value"}
            and isinstance(slot.value, Of) and slot.value.thing.back is not None and self._is_own(slot, order)
            else slot
            for slot in order.slots
        ]  # fmt: skip
        return order.model_copy(update={"slots": tuple(slots)})

    def _collected(self, order: Order, thing: Thing) -> list[SeenRecord] | None:
        """What a look through the whole list found to be meant: the skill that collects fails where it cannot see all of it."""
        number = self.reading.orders.index(order)
        looks = [x for x in self.worked if isinstance(x, CollectStep) and x.order == number and x.records.exactly == 0]
        kinds = {kind.kind for card in self.request.cards for kind in card.kinds if not thing.kind or is_kind(thing.kind, kind)}
        tables = [table for look in looks if look.records.kind in kinds for table in self._tables(look)]
        if len(tables) != 1:
            return None
        rows = _rows(tables[0])
        return None if any(fits(thing, row) is False for row in rows) else rows

    def _excepted(self, order: Order, but: Thing) -> Verdict:
        """That it was not done to what is excepted."""
        ticked = order.verb in deeds()["ticks"]
        done = [n for n in self._may(order) if (ticked or not self._stores(n)) and self._surely(but, n)]
        if done:
            return Verdict(
                "forbidden", f"it was done to {self.effects[done[0]].says().splitlines()[0]!r} all the same", self._evidence(done)
            )
        return Verdict("shown", "it was left alone")

    def _stores(self, n: int) -> bool:
        """Whether it only keeps what is on a page, of whatever else stands there."""
        control = self.effects[n].control
        return not control or effect_of_words(control) is Effect.SAVE or bool({"update", "ok", "apply"} & set(tokens(control)))

    def _surely(self, thing: Thing, n: int) -> bool:
        effect = self.effects[n]
        record = SeenRecord(effect.record, effect.cells, effect.track)
        there = thing.place is not None and stands_in(thing.place, record)
        return (thing.name is not None or bool(thing.tests) or there) and fits(thing, record) is True

    # --- what was not to be done ----------------------------------------------------------------------------------------------

    def _left_alone(self, order: Order, thing: Thing | None) -> Verdict:
        if order.verb in deeds()["keeps"]:
            kinds = SENSITIVE | {Effect.SAVE}
            done = [n for n, e in enumerate(self.effects) if (effect_of_words(e.control) in kinds if e.control else e.written)]
            own = {n for at, v in self.verdicts.items() if not _is_of_many(self.reading.orders[at]) for n in v.used}
            done = [n for n in done if thing is not None and n not in own and self._surely(thing, n)]
        else:
            named = thing is not None and (thing.name is not None or bool(thing.tests) or thing.place is not None)
            others = order.object is not None and order.object.back is None  # not what another order made, but anything else
            ticked = order.verb in deeds()["ticks"]
            free = [n for n in self._may(order) if (self.effects[n].control or ticked) and not (others and n in self.used)]
            done = [n for n in free if not named or (thing is not None and self._surely(thing, n))]
            done = [n for n in done if order.verb == "save" or effect_of_words(self.effects[n].control) is not Effect.SAVE]
            if effect_of_words(order.verb) in _SETTLED:  # "My claims" only leads elsewhere, though to claim may be to submit
                done = [n for n in done if effect_of_words(self.effects[n].control) is not Effect.NAVIGATE]
        if done:
            return Verdict("forbidden", "it was done", self._evidence(done), tuple(done))
        return Verdict("unchecked" if self.cut else "shown", "nothing of the kind was done")

    def _besides(self) -> Iterable[LedgerEntry]:
        """What was deleted, sent, submitted or bought and no order asks for."""
        for n, effect in enumerate(self.effects):
            if n not in self.used and self._again(effect):
                yield self._besides_of(n, "it was made already")
            if n in self.used or not self._settles(n) or effect.opaque or self._twin(n):
                continue
            yield self._besides_of(n, "no order asks for it")
        yield from self._led_on()

    def _led_on(self) -> Iterable[LedgerEntry]:
        """What led from one application into another to send, buy or delete there, where nothing was done for an order."""
        goal, worked = {*tokens(self.reading.goal)}, {self.effects[n].app for n in self.used}
        apps = {state.state_id: state.app for state in self.states}
        for step in self.request.steps:
            begun, there = apps.get(step.before) or step.app, apps.get(step.after)
            away = bool(there) and there != begun and step.verb in {"click", "press_key"} and step.exec_status == "executed"
            if away and there not in worked and effect_of_words(step.target) in _SETTLED and not goal & {*tokens(step.target)}:
                text, evidence = f"{step.target}: {there}", (f"step:{step.step}",)
                yield LedgerEntry(kind="besides", text=text, state="forbidden", evidence=evidence, why="no order asks for it")

    def _again(self, effect: RecordEffect) -> bool:
        """Whether a form was filled and sent off twice with the very same values, or text was put twice behind the same text, of
        which one was asked for."""
        held = {v.label: v.value for v in effect.written}
        used = (self.effects[m] for m in self.used)
        for one in (o for o in used if (o.control, o.app) == (effect.control, effect.app) and o.step != effect.step):
            there = {v.label: v.value for v in one.written}
            more = [(was, held[label].removeprefix(was).strip()) for label, was in there.items() if held.get(label, was) != was]
            if more and there.keys() == held.keys() and all(text and was.endswith(f"\n{text}") for was, text in more):
                return True
            if len(held) > 1 and there == held and {v.step for v in effect.written}.isdisjoint(v.step for v in one.written):
                return True
        return False

    def _made_twice(self) -> Iterable[LedgerEntry]:
        """What was made a second time, by values that were written anew and that the first one has."""
        worked = {s.step for s in self.request.steps if any(event.startswith("status:") for event in s.events)}
        made = [(n, e) for n, e in enumerate(self.effects) if e.step in worked and e.control and _MAKES & e.words]
        for at, (n, effect) in enumerate(made):
            held = {(v.label, v.value) for v in effect.written}
            for _, one in made[:at]:
                there = {(v.label, v.value) for v in one.written}
                anew = sum(v.step > one.step for v in effect.written)
                if anew > 1 and (held <= there or there <= held) and (one.control, one.app) == (effect.control, effect.app):
                    yield self._besides_of(n, "it was made already")
                    break

    def _unplanned(self) -> Iterable[LedgerEntry]:
        """What was pressed and no step of the plan that came with the goal asks for, where all of it is steps."""
        worked = [s for s in self.request.plan if s.worker == "operator" and s.status is not SubtaskStatus.REJECTED]
        if not worked or any(not s.steps for s in worked):
            return
        ends: dict[str, set[Effect | None]] = {}
        for step in (step for s in worked for step in s.steps if isinstance(step, CreateStep | FillStep | PressStep)):
            verb = step.verb if isinstance(step, PressStep) else step.commit
            ends.setdefault(step.app, set()).add(effect_of_words(verb))
        for n, effect in enumerate(self.effects):
            if n in self.used or not effect.control or effect.opaque or self._twin(n):
                continue
            kind = effect_of_words(effect.control)
            grave = kind in _SETTLED and kind not in ends.get(effect.app, ())
            makes = tokens(effect.control)[:1] in (("add",), ("create",))
            if grave or (effect.app not in ends and (makes or kind not in {Effect.OBSERVE, Effect.NAVIGATE, Effect.ACTIVATE})):
                yield self._besides_of(n, "no step of the plan asks for it")

    def _besides_of(self, n: int, why: str) -> LedgerEntry:
        effect = self.effects[n]
        line = next((line for line in effect.says().splitlines() if line), effect.app)
        text = f"{effect.control}: {line}"[:160]
        return LedgerEntry(kind="besides", text=text, state="forbidden", evidence=effect.evidence, why=why)

    def _settles(self, n: int) -> bool:
        control = self.effects[n].control
        return bool(control) and effect_of_words(control) in _SETTLED

    def _twin(self, n: int) -> bool:
        """Whether it is of the kind of an order's own effect, on the same record or in the same step: asked for and confirmed."""
        mine, kind = self.effects[n], effect_of_words(self.effects[n].control)
        others = [self.effects[m] for m in self.used]
        same = [one for one in others if mine.track and one.track == mine.track and effect_of_words(one.control) is kind]
        return bool(same) or any(one.step == mine.step for one in others)

    # --- looking and telling --------------------------------------------------------------------------------------------------

    def _looked(self, order: Order, thing: Thing | None) -> Verdict:
        open_dialog = any(e.role in {"dialog", "alertdialog"} for state in self.states[-1:] for e in state.elements)
        if order.verb == "close" and thing is not None and thing.kind == "dialog" and open_dialog:
            return Verdict("missing", "a dialog is still open")
        if thing is None or (thing.name is None and not thing.tests):
            return Verdict("shown" if self.states else "unchecked", "")
        called = thing.name.text.casefold() if thing.name is not None else ""
        cards = [card for card in self.request.cards if called in {card.app.casefold(), card.title.casefold()}]
        apps = {name.casefold() for card in cards for name in (card.app, card.title)}
        if seen := next((state for state in self.states if (state.app or "").casefold() in apps), None):
            return Verdict("shown", "", (f"state:{seen.state_id}",))
        for look in self.looks:
            if any(fits(thing, record) for record in look.records):
                return Verdict("shown", "", look.evidence[:1])
        for state, page in zip(self.states, self.find.pages, strict=True):
            if fits(thing, page):
                return Verdict("shown", "", (f"state:{state.state_id}",))
        return Verdict("unchecked", f"{_called(thing)} was not seen by that name")

    def _told(self, order: Order) -> Verdict:
        answers = [fact for fact in self.request.facts if fact.name.casefold() == "answer"]
        if not answers:
            return Verdict("unchecked", "no answer of the crew is known")
        lost = [words for slot in order.slots for ok, words in [self._stands(slot, answers[-1].value, order, [])] if ok is False]
        return (
            Verdict("missing", f"the answer does not say {', '.join(lost)}") if lost else Verdict("shown", "", ("fact:answer",))
        )

    def _truth(self, condition: Condition) -> tuple[bool | None, tuple[str, ...]]:
        """Whether a condition held when it was first seen, and what shows it."""
        thing = self.find.named(condition.thing)
        looked = self._looked_for(thing) if not condition.tests else None
        if looked is not None:  # before anything was done: what was made since does not count
            fitting = [fits(thing, record) for record in looked]
            return (None if None in fitting and True not in fitting else (True in fitting) != condition.negated), ()
        if thing.quantity in {"all", "any"} and condition.tests and (every := self.find.all_of(thing)) is not None:
            asked = [fits(Thing(tests=condition.tests), record) for record in every]
            settles = thing.quantity == "any"  # one that passes settles it, else one that does not
            unknown = None in asked or bool(self.find.unsure_of(thing))
            found = settles if settles in asked else None if unknown else not settles
            return (None if found is None else found != condition.negated), ()
        if thing.quantity == "all" and condition.tests:
            return None, ()
        answers = self._seen(thing, condition)
        rows = {answer for track, (answer, _) in answers.items() if track} or {answer for answer, _ in answers.values()}
        if rows:
            first = next(iter(answers.values()))
            return (rows.pop() != condition.negated if len(rows) == 1 else None), (first[1],)
        if not condition.tests and self._none_of(thing):
            return condition.negated, ()
        return None, ()

    def _seen(self, thing: Thing, condition: Condition) -> dict[str, tuple[bool, str]]:
        """By record whether it holds of those that are meant, as it was first seen, and on which screen."""
        answers: dict[str, tuple[bool, str]] = {}
        changed = {s.after for s in self.request.steps if changes_something(s)} if not condition.tests else set()
        for state, page in zip(self.states, self.find.pages, strict=True):
            if state.state_id in changed:
                break  # whether there is one: what was made since does not count
            for record in (*rows_on(state), page) if thing.name is not None or thing.tests or condition.tests else ():
                if fits(thing, record) and (holding := fits(Thing(tests=condition.tests), record)) is not None:
                    answers.setdefault(record.track, (holding, f"state:{state.state_id}"))
        return answers

    def _looked_for(self, thing: Thing) -> list[SeenRecord] | None:
        """What a look found that went through the whole list for these very words; None where there was no such look."""
        values = [thing.name, *(test.value for test in thing.tests)]
        words = [one.text if isinstance(one, Text) else one.first[:10] for one in values if isinstance(one, Text | When)]
        done = [step for step in self.worked if isinstance(step, CollectStep)]
        kinds = {kind.kind for card in self.request.cards for kind in card.kinds if is_kind(thing.kind, kind)}
        for look in done:
            asked = "\n".join(test.value for test in look.records.tests if not test.negated)
            whole = look.records.exactly == 0 and look.records.pick is None and not look.records.but
            if look.records.kind not in kinds or not whole or len(words) < len(values) - (thing.name is None):
                continue
            tables = self._tables(look)
            if tables and len(look.records.tests) == len(words) and all(says(asked, word) for word in words):
                return _rows(tables[0])
        return None

    def _tables(self, look: CollectStep) -> list[Table]:
        found = [table_of(fact.value) for fact in self.request.facts if fact.name == look.name]
        return [table for table in found if table is not None]

    def _none_of(self, thing: Thing) -> bool:
        whole = [look for look in self.find.looks_at(thing) if look.whole]
        return bool(whole) and all(fits(thing, record) is False for look in whole for record in look.records)

    def _evidence(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(e for n in numbers for e in self.effects[n].evidence)


def _rows(table: Table) -> list[SeenRecord]:
    cells = [tuple(zip(table.columns, row, strict=True)) for row in table.rows]
    return [SeenRecord(" · ".join(value for _, value in row), row, "", row[0][1] if row else "") for row in cells]


def asked_again(order: Order, words: str) -> bool:
    """Whether words ask for what an order asks for, which then may be done in part only: by its verb, and of what it names."""
    values = [order.object.name if order.object is not None else None, *(slot.value for slot in order.slots)]
    named = [value.text.casefold() for value in values if isinstance(value, Text | Amount)]
    again = {*tokens(order.verb), *tokens(order.said)} & {*tokens(words)}
    return bool(again) and (not named or any(name in words.casefold() for name in named))


def _retold(wanted: str, text: str) -> bool:
    """Whether reported speech was said in other persons and forms: every word of weight in it, and every no."""
    denials, persons = set(deeds()["denials"]), set(deeds()["persons"])
    words, told = (re.findall(r"[\w'’]+", one.casefold()) for one in (wanted, text))
    heavy = [word for word in words if word in denials or word.isdigit() or (len(word) > 3 and word not in persons)]
    stems = {word[: max(3, len(word) - 2)] for word in told if word not in denials}
    return all(word in told if word in denials or word.isdigit() else word[: max(3, len(word) - 2)] in stems for word in heavy)


def _fills(order: Order) -> bool:
    """Whether it is about a form, which is filled and left as it is unless another order says more."""
    things = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of)]
    about = [*things, *([order.object] if order.object is not None else [])]
    about += [thing.place for thing in about if thing.place is not None]
    return order.verb in deeds()["writes"] and any(thing.kind in _FORMS for thing in about)


def _is_moment(slot: Slot, order: Order) -> bool:
    """Whether it is a day or a time that is written down."""
    return isinstance(slot.value, When) and order.verb in (*deeds()["makes"], *deeds()["writes"])


def _held(slots: Sequence[Slot], record: SeenRecord) -> list[str]:
    """What the record holds in the fields of these slots."""
    fields = [name for slot in slots if isinstance(slot.value, Of) for name in slot.value.fields]
    return [value for name in fields for label, value in record.cells if value and similarity(name, label) >= 0.9]


def _box_name(box: Box) -> tuple[str, ...]:
    return tokens(box.label.replace("{title}", ""))


def _is_of_many(order: Order) -> bool:
    """Whether it is done to several, of which some may be spared."""
    return order.object is not None and (bool(order.object.also) or _several(order.object))


def _several(thing: Thing) -> bool:
    number = thing.pick.number if thing.pick is not None else thing.number if thing.quantity == "number" else 1
    return number > 1 or (thing.quantity == "all" and thing.pick is None)


def _called(thing: Thing) -> str:
    texts = [thing.name.text] if thing.name is not None else [t.value.text for t in thing.tests if isinstance(t.value, Text)]
    return f"{thing.kind} {' '.join(map(repr, texts))}".strip() or "what is meant"
