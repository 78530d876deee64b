"""What of a run may be an order's: effects of its verb's kind, on what is meant, with the values that go with it.

It knows no application: what was done is known by the words of controls, by the records that they fell on and by the values that
were written.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from environments.cards import singular
from environments.effects import Effect
from protocol import VisualState
from roles.contracts import GateRequest, StepRecord
from roles.contracts.orders import CollectStep, Condition, Of, Order, Reading, Slot, Text, Thing, When, said
from roles.contracts.signals import SubtaskStatus
from roles.contracts.values import Table, number_of, parse_date, parse_time, table_of
from roles.evaluator.effects import RecordEffect, Written, effects_of, records_in
from roles.evaluator.fitting import Resolver, fits, is_kind, lists_answered, lists_of, stands_in, tells, tells_moment
from roles.evaluator.provenance import moments_in
from roles.policies.orders.grounding import ground_field
from roles.screen.answers import is_for_another, is_taken_back, unshown
from roles.screen.calls import changes_something, target_of
from roles.screen.evidence import Screens, shown_for_it
from roles.screen.language.words import deeds, phrases
from roles.screen.matching import Box, app_for, box_for, similarity, tokens
from roles.screen.page import likeness
from roles.screen.page import stands_in as is_in_part
from roles.screen.rows import Row, rows_on, says, seen_with
from roles.screen.screens import DIALOG_ROLES, FIELD_ROLES
from roles.screen.texts import fold, pieces, words
from roles.screen.values import day_of, is_masked, same_value, values_in
from roles.skills.contract import RESULT

_STRICT = frozenset({"to", "into", "as", "called", "saying", "field", "value"})
"""Roles of slots whose words stand in what was written, moved or sent."""
_EMPTIES = frozenset({"empty", "remove", "delete"})


class Candidates:
    """The effects of one run, and what was seen in it."""

    def __init__(self, reading: Reading, request: GateRequest, screen: Screens) -> None:
        self.reading, self.request = reading, request
        results = {f.step: f for f in request.facts if f.kind == RESULT and not f.private}
        answers = {number: records_in(fact.app or "", fact.value) for number, fact in results.items()}
        self.effects = effects_of(request.steps, screen, {number: records for number, (records, _) in answers.items()})
        ids = dict.fromkeys(i for step in request.steps for i in (step.before, step.after) if i)
        states = [state for i in ids if (state := screen(i)) is not None]
        self.states: list[VisualState] = [*states, *(s for s in request.screens if s.state_id not in ids)]
        looks = [*lists_of(self.states, reading.goal), *lists_answered(request.steps, answers, reading.goal)]
        self.find = Resolver(reading, self.states, looks, request.cards)
        self.kinds = [kind for card in request.cards for kind in card.kinds]
        self.worked = [step for s in request.plan if s.status is SubtaskStatus.FULFILLED for step in s.steps]
        """Typed steps of what is fulfilled."""
        self.on_page = any(card.page is not None for card in request.cards)
        """No more is known than what a page shows."""
        self._opens = {frozenset(tokens(kind.create.control)) for kind in self.kinds if kind.create}
        self._options = {fold(option) for kind in self.kinds for field in kind.fields for option in field.options}
        self._linked: dict[Thing, list[Row]] = {}
        """What was seen of the things that are meant."""

    # --- of the verb's kind ---------------------------------------------------------------------------------------------

    def may(self, order: Order) -> list[int]:
        """Effects that are of the verb's kind, by their place."""
        verb, controls = order.verb, set(deeds()["controls"].get(order.verb, ())) or {order.verb, *order.said.casefold().split()}
        stems = {token for word in controls for token in tokens(str(word))} | ({*tokens(order.said)} if self.on_page else set())
        every = [v for kind in self.kinds for v in (*kind.verbs, kind.create) if v]
        cards = {tokens(v.control) for v in every if v.verb == verb}
        tick, box, text = deeds()["ticks"].get(verb), self.box(order), {*tokens(said(self.reading.goal, order.spans))}
        # Of `Place order` the order has the whole name: "place the order".
        found = []
        for n, effect in enumerate(self.effects):
            if box and any(v.value == box.value and set(_box_name(box)) <= {*tokens(v.label)} for v in effect.written):
                found.append(n)
            elif tick and not effect.control:
                found += [n] if any(v.value == tick and self._is_about(order, effect) for v in effect.written) else []
            elif self._tells_itself(order, effect, stems) and (
                effect.words & stems
                or (effect.control and ((called := tokens(effect.control)) in cards or (len(called) > 1 and {*called} <= text)))
                or (verb in deeds()["writes"] and not effect.control and effect.written)
                or self._emptied(order, effect)
                or (verb in deeds()["makes"] and any(words <= effect.words for words in self._opens) and effect.made_a_record())
            ):
                found.append(n)
        if verb in deeds()["makes"] and order.object is not None and order.object.kind in deeds()["unsent"]:
            found = [n for n in found if self.effects[n].kind not in {Effect.SEND, Effect.SUBMIT}]
        return [n for n in found if not (verb == "remove" and self._destroys(order, self.effects[n]))]

    def makes(self, effect: RecordEffect) -> bool:
        """Whether it was done in the form of something new."""
        return bool(effect.words & {*deeds()["opens"]}) or any(words and words <= effect.words for words in self._opens)

    def _tells_itself(self, order: Order, effect: RecordEffect, stems: set[str]) -> bool:
        """Whether a change that was kept says that it was this one: of "archive the claim" the claim was saved in any case, and
        only a field that holds Archive tells, or one that holds what goes with the verb."""
        free = order.verb in {"save", *deeds()["makes"], *deeds()["contents"]} or self._emptied(order, effect)
        if free or not effect.stores:
            return True
        read = (number_of, parse_time, parse_date)
        counted = any(of(v.value) is not None for v in effect.written for of in read)  # moved by so much
        if any(s.role == "from" or (s.role == "by" and counted) or self._stands(s, order, [effect])[0] for s in order.slots):
            return True
        own = {*tokens(order.verb), *tokens(order.said)}
        told = {token for v in effect.written for token in (*tokens(v.label), *tokens(v.value))}
        told |= effect.words if effect.control else set()
        return bool(own & {*tokens(effect.control)} or (own | stems - {*deeds()["controls"]["save"]}) & told)

    def _emptied(self, order: Order, effect: RecordEffect) -> bool:
        """Whether the field was emptied that was to be."""
        kind = order.object.kind if order.object is not None and order.verb in _EMPTIES else ""
        return bool(kind) and any(not v.value and similarity(kind, v.label) >= 0.6 for v in effect.written)

    def _destroys(self, order: Order, effect: RecordEffect) -> bool:
        """Whether the record itself was deleted that was only to be taken out of a group that it says it is in."""
        homes = [slot.value.thing for slot in order.slots if slot.role == "from" and isinstance(slot.value, Of)]
        named = [(home.kind, home.name.text) for home in homes if home.kind and home.name is not None]
        within = any(similarity(kind, k) >= 0.6 and says(v, name) for kind, name in named for k, v in effect.record.cells)
        return within and effect.kind is Effect.DELETE

    def box(self, order: Order) -> Box | None:
        """The box of such a record that is ticked for it."""
        mine = [kind for kind in self.kinds if order.object is not None and is_kind(order.object.kind, kind)] or self.kinds
        return next((box for kind in mine if (box := box_for(order, kind)) is not None), None)

    def _is_about(self, order: Order, effect: RecordEffect) -> bool:
        """Whether a box that was ticked is called as the verb or as what it is done to."""
        thing, label = self.object(order), effect.written[-1].label
        names = [thing.kind, thing.name.text if thing.name else ""] if thing is not None else []
        called = {token for name in (order.verb, *names) for token in tokens(name)}
        shown = tokens(f"{label} {effect.record.text if effect.record.track else ''}")
        return bool(called & {*shown}) or (thing is not None and similarity(thing.kind, label) >= 0.6)

    def so_already(self, order: Order, thing: Thing | None) -> tuple[str, ...]:
        """The screen on which only the control for the opposite stands, or a box that is as it is to be."""
        opposite, box = {*tokens(deeds()["opposites"].get(order.verb, ""))}, self.box(order)
        tick = box.value if box else deeds()["ticks"].get("tick" if order.verb == "select" else order.verb)
        name = (thing.name.text if thing.name else thing.kind) if thing is not None else ""
        called = {*tokens(name), *(_box_name(box) if box and name else ())}
        for state, e in ((one, e) for one in self.states if called for e in one.elements):
            there = {*tokens(e.name)}
            ticked = tick is not None and e.value == tick and called <= there
            if ticked or (opposite and opposite <= there and called <= {*there, *tokens(seen_with(e, state).text)}):
                return (f"state:{state.state_id}",)
        return self._held(order, thing) if order.verb == "set" and thing is not None else ()

    def _held(self, order: Order, thing: Thing) -> tuple[str, ...]:
        """The last screen that shows a field of what an application has one of, if it held the wanted value all along."""
        slot = order.slots[0] if len(order.slots) == 1 else None
        wanted = self.find.texts(slot.value) if slot is not None else None
        if slot is None or not wanted or thing.name is not None or thing.tests or any(is_kind(thing.kind, k) for k in self.kinds):
            return ()
        label = slot.field or thing.kind
        shown = [
            (one, e) for one in self.states for e in one.elements if e.role in FIELD_ROLES and similarity(label, e.name) >= 0.9
        ]
        if not shown or len({(one.app, e.name) for one, e in shown}) > 1:
            return ()
        same = {wanted[0], deeds()["truths"].get(wanted[0].casefold())}
        held = all(e.value in same or same_value(e.value or "", wanted[0]) for _, e in shown)
        return (f"state:{shown[-1][0].state_id}",) if held else ()

    def changes(self, effect: RecordEffect) -> list[tuple[Written, str]]:
        """The values of its form, each with what the field held before the first of them was written."""
        first = min((v.step for v in effect.written), default=0)
        begun = {s.before for s in self.request.steps if s.step == first}
        held = {e.name: e.value or "" for state in self.states if state.state_id in begun for e in state.elements}
        return [(value, held.get(value.label, "")) for value in effect.values]

    def placed(self, order: Order, thing: Thing | None) -> bool | None:
        """Whether the page shows what was to be put there, in the part that is named; None where nothing tells."""
        if not self.on_page or thing is None or thing.name is None or order.verb not in {"move", "put", "add", "create"}:
            return None
        name, state = thing.name.text, self.states[-1]
        into = next((s.value.thing for s in order.slots if s.role in {"to", "into"} and isinstance(s.value, Of)), None)
        if order.verb in {"move", "put"} and into is not None and into.name and is_in_part(name, into.name.text, state):
            return True
        shown = any(name.casefold() in f"{e.name} {e.value or ''}".casefold() for e in state.elements)
        return None if shown or order.verb == "move" else False

    def unwritten(self, order: Order) -> list[str]:
        """Words of an order that a form of the page was for, and that are neither in what was written and ticked there nor, where
        they are plain words, in its headings and controls."""
        words = said(self.reading.goal, order.spans)
        written = [v for effect in self.effects for v in effect.written if v.value != "false"]
        for value in sorted({v.value for v in written}, key=len, reverse=True):
            days = [day for day in values_in("date", words) if parse_date(day) is not None and same_value(day, value)]
            for text in (value, *days):
                at = words.casefold().find(text.casefold()) if text else -1
                words = f"{words[:at]} {words[at + len(text) :]}" if at >= 0 else words
        done = {token for v in written for text in (v.label, v.value) for token in tokens(text)} | {*tokens(order.said)}
        done |= {token for effect in self.effects for token in tokens(effect.control)}
        done |= phrases("beside values") | phrases("parts")
        heads = (
            e.name for state in self.states for e in state.elements if e.role in {"heading", *DIALOG_ROLES, "form", "region"}
        )
        told = {token for name in heads for token in tokens(name)} - phrases("told by no heading") - phrases("numbers")
        stems = {part[:4] for token in (*done, *told) for part in token.split("-")}  # "picking up on" is of `Pick-up date`
        rest = [word for word in pieces(words) if not {*tokens(word)} <= done]
        return [word for word in rest if not (word.islower() and all(token[:4] in stems for token in tokens(word)))]

    def presses(self, name: str) -> list[StepRecord]:
        """Steps that fell on a control of that name."""
        steps = (s for s in self.request.steps if (s.exec_status == "executed" or shown_for_it(s)) and s.verb != "scroll")
        return [s for s in steps if similarity(name, s.target) >= 0.9 or likeness(name, s.target) >= 0.9]

    def unkept(self, number: int) -> str:
        """Why a step is not shown to have done anything, or what it did is not there any more: the page took it back."""
        states = {state.state_id: state for state in self.states}
        steps = [s for s in self.request.steps if s.step >= number and {s.before, s.after} <= states.keys()]
        if not steps or steps[0].step != number:
            return ""
        before, after, now = states[steps[0].before], states[steps[0].after], self.states[-1]
        idle = [(states[s.before], states[s.after]) for s in steps if s.verb == "wait"]
        idle += [(states[s.after], states[t.before]) for s, t in pairwise(steps)] + [(states[steps[-1].after], now)]
        if is_taken_back((before, after), idle):
            return "the page took back what it showed at first"
        until = next((states[s.before] for s in steps[1:] if s.verb not in {"wait", "scroll"}), now)
        target = target_of(steps[0], before)
        why = [unshown(target, before, state) for state in (after, until)] if target is not None else [""]
        return why[-1] if all(why) else ""

    # --- on what is meant -----------------------------------------------------------------------------------------------

    def object(self, order: Order) -> Thing | None:
        """What an order is about: its object, or what is answered or passed on."""
        home = [s.value.thing for s in order.slots if s.role == "from" and isinstance(s.value, Of) and not s.value.fields]
        if order.object is not None and home and order.verb == "remove" and order.object.quantity == "all":
            return self.find.named(order.object.model_copy(update={"place": home[0]}))  # nobody else is in it
        if order.object is not None:
            return self._entry(self.find.named(order.object))
        to = next((slot.value for slot in order.slots if slot.role == "to"), None)
        return self.find.named(to.thing) if isinstance(to, Of) and not to.fields and order.verb in deeds()["passes"] else None

    def _entry(self, thing: Thing) -> Thing:
        """Of a page "the socks" are the one entry that is called so."""
        if not self.on_page or thing.name is not None or not thing.kind or thing.tests or thing.pick or thing.also or thing.but:
            return thing
        called = {e.name for state in self.states for e in state.elements if singular(fold(e.name)) == singular(fold(thing.kind))}
        named = Text(text=next(iter(called), ""), quoted=True, spans=thing.spans)
        return thing.model_copy(update={"kind": "", "name": named, "quantity": "one"}) if len(called) == 1 else thing

    def meant(self, thing: Thing, order: Order, n: int) -> bool | None:
        """Whether an effect fell on what is meant."""
        effect, told = self.effects[n], thing.name is not None or bool(thing.tests)
        if (
            thing.name is not None
            and effect.before is not None
            and is_for_another(effect.control, thing.name.text, effect.before)
        ):
            return False
        if thing.new or order.verb in deeds()["makes"]:
            return says(effect.says(), thing.name.text) if thing.name is not None else True
        cells = (*effect.record.cells, *((v.label, v.value) for v in effect.values))
        record = Row(f"{effect.text}\n{effect.origin}", "", cells, track=effect.record.track)
        answer = fits(thing.model_copy(update={"but": ()}), record)
        if order.verb == "set" and answer and not told:
            asked, own = [s.field for s in order.slots if s.field] or [thing.kind], [kind for kind in self.kinds if kind.single]
            own = [] if any(is_kind(thing.kind, kind) for kind in self.kinds if not kind.single) else own
            fields = [field.label for kind in own for name in asked if (field := ground_field(name, kind, True))]
            if fields and not any(similarity(one, v.label) >= 0.9 for one in fields for v in effect.written):
                return False  # another field of what there is only one of
            return any(similarity(s.field or thing.kind, v.label) >= 0.6 for s in order.slots for v in effect.written) or None
        if thing.pick is not None and answer is not False:
            chosen = self.find.all_of(thing)
            return None if chosen is None else any(fell_on(one, effect) for one in chosen.records)
        if answer or not told:
            return answer
        if thing not in self._linked:
            seen = [*(one for look in self.find.looks for one in look.records), *self.find.pages]
            self._linked[thing] = [one for one in seen if fits(thing, one)]
        if any(fell_on(one, effect) for one in self._linked[thing]):
            return True
        forms = [m for m in range(n) if (wrote := {*self.effects[m].written}) and wrote <= {*effect.written}]
        if any(self.meant(thing, order, m) for m in forms):  # it was written while the form said the old name
            return True
        return answer if effect.record.text else None

    def surely(self, thing: Thing, n: int) -> bool:
        """Whether the record itself, and not what was written for it, says that it is meant."""
        record = self.effects[n].record
        there = thing.place is not None and stands_in(thing.place, record)
        return (thing.name is not None or bool(thing.tests) or there) and fits(thing, record) is True

    # --- with the values ------------------------------------------------------------------------------------------------

    def lost(self, order: Order, group: Sequence[int], thing: Thing | None = None) -> tuple[list[str], list[str]]:
        """What of the slots does not stand in what was done, to the `thing` in hand, and what of them is not known."""
        effects, box = [self.effects[n] for n in group], self.box(order)
        lost, unsure = list[str](), list[str]()
        lines = [(line, v.label) for effect in effects for v in effect.written for line in v.value.splitlines()]
        hidden = any(is_masked(part.strip(), label) for line, label in lines for part in (line, line.rpartition(":")[2]))
        back = order.object.back if order.object is not None and self._is_value(order) else None
        for slot in (*order.slots, *([Slot(role="value", value=back)] if back is not None else [])):
            passed = slot.role == "to" and order.object is None and isinstance(slot.value, Of) and order.verb in deeds()["passes"]
            if (
                slot.role in {"per", "before"} or passed or (box is not None and slot.role == "as")
            ):  # what is ticked says the state
                continue
            slot = self._of_its_own(slot, order, thing)
            fields = slot.value.fields if isinstance(slot.value, Of) else ()
            answer, words = self._stands(slot, order, effects)
            moment = isinstance(slot.value, When) and order.verb in (*deeds()["makes"], *deeds()["writes"])
            people = order.verb in deeds()["makes"] and any(effect.values for effect in effects)
            strict = slot.role in _STRICT or slot.field or (slot.role == "with" and (fields or people)) or moment
            strict = strict or (isinstance(slot.value, Text) and fold(slot.value.text) in self._options)
            if not answer:
                known = answer is False or (bool(fields) and hidden)
                (lost if strict and known else unsure).append(words)
        return lost, unsure

    def untold(self, order: Order, answer: str) -> list[str]:
        """What of the slots an answer does not say."""
        said = RecordEffect(0, "", frozenset(), record=Row(answer))
        return [words for slot in order.slots for stands, words in [self._stands(slot, order, [said])] if stands is False]

    def _of_its_own(self, slot: Slot, order: Order, thing: Thing | None) -> Slot:
        """The slot, with a field of what the order is about as one of the thing in hand: "with the number and the amount"."""
        value = slot.value
        if thing is None or not (thing.name or thing.tests) or not isinstance(value, Of) or not value.fields:
            return slot
        back, bare = value.thing.back, not (value.thing.name or value.thing.tests)
        mine = back is None or self.reading.orders[back.to].spans == order.spans
        own = bare and mine and (back is not None or thing.quantity == "one") and slot.role in {"with", "value"}
        return slot.model_copy(update={"value": value.model_copy(update={"thing": thing})}) if own else slot

    def _is_value(self, order: Order) -> bool:
        """Whether what it is about is a value that was found out before."""
        back = order.object.back if order.object is not None else None
        return back is not None and 0 <= back.to < len(self.reading.orders) and self.reading.orders[back.to].object is None

    def _stands(self, slot: Slot, order: Order, group: Sequence[RecordEffect]) -> tuple[bool | None, str]:
        """Whether what goes with the verb stands in what was done, and its words."""
        value, text = slot.value, "\n".join(effect.text for effect in group)
        spans = slot.spans or value.spans
        words = said(self.reading.goal, spans) if spans else slot.role
        if isinstance(value, When):
            return self._timed(slot, value, order, group), words
        if isinstance(value, Of) and value.fields and slot.role in {"as", "into", "field"}:
            return self._fielded(value.fields, order, group), words
        if isinstance(value, Of) and not value.fields:
            people = slot.role in {"to", "with"} and value.thing.quantity == "all"
            every = self.find.all_of(self.find.named(value.thing)) if people else None
            if every is not None and not every.unsure:
                return all(_is_addressed(one, text) for one in every.records), words
            things = (value.thing, *value.thing.also)
            there = [self._named_in(one.name.text if one.name else one.kind, text, group) for one in things]
            asked = any(value.thing.kind in tokens(v.label) for effect in group if effect.control for v in effect.written)
            return (True if all(there) else False if any(there) or asked else None), words
        if isinstance(value, Text) and slot.role in {"into", "at"} and app_for(value.text, self.request.apps) is not None:
            return self._named_in(value.text, text, group), words
        wanted = self.find.texts(value)
        if wanted is None:
            return None, words
        labels = list(value.fields) if isinstance(value, Of) and slot.role == "with" and len(wanted) == len(value.fields) else []
        pairs = zip(labels or [slot.field] * len(wanted), wanted, strict=True)
        missing = [label if labels else one for label, one in pairs if not self._is_written(one, label, slot, order, group)]
        return not missing, f"{words} ({', '.join(missing)})" if missing and missing != [words] else words

    def _timed(self, slot: Slot, when: When, order: Order, group: Sequence[RecordEffect]) -> bool | None:
        """Whether what was done takes place then: of a form with two times it begins with the first and ends with the other."""
        if slot.role == "by" and when.minutes and order.verb in {"move", "postpone"}:
            return self._shifted(when.minutes, group)
        times = [found for effect in group if len(found := _times(effect)) == 2]
        if slot.role == "for":
            return when.minutes in {(end - start) % 1440 for start, end in times} if times else None
        told = tells_moment("\n".join(effect.text for effect in group), when)
        start, end = parse_time(when.first[11:] or when.start), parse_time(when.last[11:] or when.end)
        wanted = {0: None, 1: start} if slot.role == "until" else {0: start, 1: end if end != start else None}
        if slot.field or slot.role == "from" or not times:
            return told
        apart = any(minute is not None and minute not in {pair[at] for pair in times} for at, minute in wanted.items())
        return False if told and apart else told

    def _shifted(self, minutes: int, group: Sequence[RecordEffect]) -> bool | None:
        """Whether day and time are so many minutes later than they were; None where what they were was not seen."""
        found = set[int]()
        for effect in [effect for effect in group if effect.control] or group:
            changed = self.changes(effect)
            days, times = _differences(changed, day_of), _differences(changed, parse_time)
            if times:
                found.add(1440 * sum(days[:1]) + times[0])
        return found == {minutes} if found else None

    def _is_written(self, one: str, label: str, slot: Slot, order: Order, group: Sequence[RecordEffect]) -> bool:
        """Whether a value stands in the field that is called so, or anywhere where no field is."""
        values, whole = [v for effect in group for v in effect.values], "\n".join(effect.text for effect in group)
        own = [v for v in values if label and similarity(label, v.label) >= 0.75]
        if slot.role == "with" and label and isinstance(slot.value, Of):
            forms = [held for effect in group if (held := effect.fields(label)) is not None]
            return tells("\n".join(value for form in forms for value in form) if forms else whole, one)
        text, name = "\n".join(v.value for v in own) or whole, order.object.name if order.object is not None else None
        if name is not None and fold(name.text) != fold(one) and says(name.text, one):  # the note Plan old is to be called Plan
            return tells(fold(text).replace(fold(name.text), " "), one)
        box = label or (order.object.kind if order.object is not None else "")
        truth = deeds()["truths"].get(one.casefold())
        ticked = [v.value for v in values if similarity(box, v.label) >= 0.75]
        ticked = ticked or [v.value for v in values if v.value in {"true", "false"} and box.casefold() in tokens(v.label)]
        if truth and {*ticked} == {truth}:
            return True
        if tells(text, one) or any(same_value(v.value, one) for v in own or values):
            return True
        if (minute := parse_time(one)) is not None and moments_in(text).have_minute(minute):
            return True
        if slot.role == "saying" and isinstance(slot.value, Text) and not slot.value.quoted:
            return _retold(one, text)
        chosen = order.verb in {"set", "select"} and slot.field and self.presses(one)  # of a list that the page draws
        return bool(chosen) or (slot.role == "to" and self._reached(one, whole))

    def _named_in(self, name: str, text: str, group: Sequence[RecordEffect]) -> bool:
        """Whether a place or a person is named in what was done, or is the application in which it was done."""
        apps, app = {effect.app for effect in group}, app_for(name, self.request.apps)
        return (app is not None and app.app in apps) or says(f"{text}\n{' '.join(apps)}", name) or self._reached(name, text)

    def _fielded(self, fields: Sequence[str], order: Order, group: Sequence[RecordEffect]) -> bool | None:
        """Whether the value stands in the field that is named; None where no such field was seen, or the value is not known."""
        values = [slot.value for slot in order.slots if slot.role == "value"]
        values += [order.object.back] if self._is_value(order) and order.object and order.object.back else []
        wanted = [text for value in values for text in self.find.texts(value) or ()]
        held = [v.value for effect in group for v in effect.values if any(similarity(f, v.label) >= 0.75 for f in fields)]
        return any(says(one, text) for text in wanted for one in held) if wanted and held else None

    def _reached(self, name: str, text: str) -> bool:
        """Whether a person was written to under an address or a number that was seen beside the name."""
        seen = [r.text for look in self.find.looks for r in look.records] + [page.text for page in self.find.pages]
        long = [word.strip(",;") for word in text.split() if "@" in word or sum(map(str.isdigit, word)) > 5]
        held = [word for word in long if parse_date(word) is None]
        return any(word in record for record in seen if says(record, name) for word in held)

    # --- all that are meant, and whether a condition held -------------------------------------------------------------------

    def collected(self, thing: Thing, number: int = -1) -> list[Row] | None:
        """What a look through the whole list found that was taken for order `number`, or for these very words: the skill that
        collects fails where it cannot see all of it."""
        values = [thing.name, *(test.value for test in thing.tests)]
        words = [one.text if isinstance(one, Text) else one.first[:10] for one in values if isinstance(one, Text | When)]
        kinds = {kind.kind for kind in self.kinds if not thing.kind or is_kind(thing.kind, kind)}
        tables: list[Table] = []
        for look in (step for step in self.worked if isinstance(step, CollectStep) and step.records.exactly == 0):
            tests = look.records.tests
            asked = "\n".join(test.value for test in tests if not test.negated)
            same = len(tests) == len(words) == len(values) - (thing.name is None) and all(says(asked, word) for word in words)
            same = same and look.records.pick is None and not look.records.but
            if look.records.kind in kinds and (same if number < 0 else look.order == number):
                tables += [table for f in self.request.facts if f.name == look.name and (table := table_of(f.value)) is not None]
        if len(tables) != 1 and (number >= 0 or not tables):
            return None
        table = tables[0]
        rows = [tuple(zip(table.columns, row, strict=True)) for row in table.rows]
        found = [Row(" · ".join(v for _, v in row), row[0][1] if row else "", row) for row in rows]
        return None if number >= 0 and any(fits(thing, one) is False for one in found) else found

    def truth(self, condition: Condition) -> tuple[bool | None, tuple[str, ...]]:
        """Whether a condition held when it was first seen, and what shows it."""
        thing, tests = self.find.named(condition.thing), Thing(tests=condition.tests)
        found, shown = self._there_is(thing) if not condition.tests else (None, ())
        if condition.tests and thing.quantity in {"all", "any"} and (every := self.find.all_of(thing)) is not None:
            asked = [fits(tests, record) for record in every.records]
            settles = thing.quantity == "any"  # one that passes settles it, else one that does not
            found = settles if settles in asked else None if None in asked or every.unsure else not settles
        elif condition.tests and thing.quantity != "all":
            answers: dict[str, tuple[bool, str]] = {}
            for name, record in self._seen(self.states):
                if fits(thing, record) and (holding := fits(tests, record)) is not None:
                    answers.setdefault(record.track, (holding, name))
            rows = {holding for track, (holding, _) in answers.items() if track} or {holding for holding, _ in answers.values()}
            found = rows.pop() if len(rows) == 1 else None
            shown = tuple(name for _, name in answers.values())[:1]
        return (None if found is None else found != condition.negated), shown

    def _there_is(self, thing: Thing) -> tuple[bool | None, tuple[str, ...]]:
        """Whether there is such a thing: what was made since does not count."""
        if (looked := self.collected(thing)) is not None:
            fitting = [fits(thing, record) for record in looked]
            return (None if None in fitting and True not in fitting else True in fitting), ()
        changed = {step.after for step in self.request.steps if changes_something(step)}
        until = next((n for n, state in enumerate(self.states) if state.state_id in changed), len(self.states))
        told = thing.name is not None or thing.tests
        seen = [name for name, record in self._seen(self.states[:until]) if fits(thing, record)] if told else []
        whole = [look for look in self.find.looks_at(thing) if look.whole]
        none = bool(whole) and all(fits(thing, record) is False for look in whole for record in look.records)
        return (True if seen else False if none else None), tuple(seen[:1])

    def _seen(self, states: Sequence[VisualState]) -> Iterator[tuple[str, Row]]:
        for state, page in zip(states, self.find.pages, strict=False):
            yield from ((f"state:{state.state_id}", record) for record in (*rows_on(state), page))


def _times(effect: RecordEffect) -> list[int]:
    """The times of day that the fields of a form hold."""
    held = [parse_time(value.value.split()[-1]) for value in effect.values if value.value.strip()]
    return [time for time in held if time is not None]


def _differences(changed: Sequence[tuple[Written, str]], of: Callable[[str], int | None]) -> list[int]:
    """By how much each value is another than the field held before, where both can be counted."""
    pairs = [(of(was), of(value.value)) for value, was in changed]
    return [new - old for old, new in pairs if old is not None and new is not None]


def _is_addressed(record: Row, text: str) -> bool:
    """Whether a text names somebody, by name or by address."""
    names = (record.key, *(value for _, value in record.cells if "@" in value))
    return any(says(text, name) for name in names if name)


def fell_on(record: Row, effect: RecordEffect) -> bool:
    """Whether an effect is on this record, or was made with what the record holds."""
    if record.track and record.track == effect.record.track:
        return True
    text = f"{effect.text}\n{effect.origin}"
    held = [value for _, value in record.cells if len(value) > 2]
    marks = [value for value in held if len(value) > 3 and any(c.isdigit() for c in value)]
    if any(says(v.value, mark) for mark in marks for v in effect.written):
        return True
    return bool(record.key) and says(text, record.key) and 2 * sum(says(text, value) for value in held) >= len(held)


def is_several(thing: Thing) -> bool:
    number = thing.pick.number if thing.pick is not None else thing.number if thing.quantity == "number" else 1
    return number > 1 or (thing.quantity == "all" and thing.pick is None)


def _retold(wanted: str, text: str) -> bool:
    """Whether reported speech was said in other persons and forms: every word of weight in it, and every no."""
    denials, persons = set(deeds()["denials"]), set(deeds()["persons"])
    said, told = (words(one.casefold().replace("-", " ")) for one in (wanted, text))
    stems = {word[: max(3, len(word) - 2)] for word in told if word not in denials}
    exact = [word for word in said if word in denials or word.isdigit()]
    heavy = [word for word in said if word not in exact and len(word) > 3 and word not in persons]
    return {*exact} <= {*told} and all(word[: max(3, len(word) - 2)] in stems for word in heavy)


def _box_name(box: Box) -> tuple[str, ...]:
    return tokens(box.label.replace("{title}", ""))
