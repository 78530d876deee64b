"""Whether a record, as it was seen, is one that the goal means, and whether a value of the goal stands in what was done.

All answers are of three kinds: yes, no, and None where what was seen does not tell.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from environments.cards import AppCard, KindCard
from protocol import VisualState
from roles.contracts import StepRecord
from roles.contracts.orders import Amount, Back, Of, Pick, Reading, RowTest, StepFailure, Test, Text, Thing, Value, When, Worked
from roles.contracts.values import parse_date, parse_time
from roles.evaluator.effects import Answered
from roles.evaluator.provenance import moments_in
from roles.policies.orders.grounding import housed
from roles.policies.orders.state import each_of
from roles.screen.calls import function_words, looks_only
from roles.screen.evidence import is_search
from roles.screen.language.words import phrases
from roles.screen.matching import similarity, tokens
from roles.screen.rows import Row, compare, rows_on, says, seen_on
from roles.screen.rows import picked as picked_rows
from roles.screen.screens import turns
from roles.screen.texts import begins, fold, labelled
from roles.screen.values import amount_of, is_masked, minutes_in, same_state, same_value, takes_place, values_in

_MENU = "more"
"""What a list with its own paging calls a menu."""
_ALIKE = 0.6
_SURELY = 0.85


class ListLook(NamedTuple):
    """What was seen of one list: its records, over all pages that were looked at."""

    app: str
    title: str
    """Its heading, and what it was narrowed down by."""
    records: tuple[Row, ...]
    whole: bool
    """Its first and its last page were seen, and nothing narrowed it down but words of the goal."""
    evidence: tuple[str, ...]


class Every(NamedTuple):
    """All that are meant: those of which it is sure, and those of which what was seen does not tell."""

    records: list[Row]
    unsure: list[Row]


def lists_of(states: Iterable[VisualState], goal: str) -> list[ListLook]:
    """The lists on these screens, each with what was seen of it at first."""
    groups: dict[tuple[str, ...], list[VisualState]] = {}
    for state in states:
        narrowed = [f"{e.name}={e.value}" for e in state.elements if e.value and (e.role == "combobox" or is_search(e))]
        chosen = [e.name for e in state.elements if e.selected and e.role in {"tab", "treeitem"}]
        heading = next((e.name for e in state.elements if e.role == "heading"), "")
        groups.setdefault((state.app or "", heading, *narrowed, *chosen), []).append(state)
    return [_look(key, seen, goal) for key, seen in groups.items()]


def lists_answered(steps: Iterable[StepRecord], answers: Mapping[int, tuple[Answered, bool]], goal: str) -> list[ListLook]:
    """The lists that functions gave: whole, where the answer is all that there is, by no words but those of the goal."""
    found, told = [], fold(goal)
    for step in steps:
        records, all_there = answers.get(step.step, ((), False))
        if records and looks_only(step):
            given = [fold(value) for value in (step.action.get("arguments") or {}).values() if isinstance(value, str)]
            whole = all_there and all(one in told for one in given)
            title = f"{' '.join(function_words(step))} {' '.join(given)}"
            found.append(ListLook(str(step.action.get("app") or step.app or ""), title, records, whole, (f"step:{step.step}",)))
    return found


def _look(key: tuple[str, ...], states: Sequence[VisualState], goal: str) -> ListLook:
    records: dict[str, Row] = {}
    first = last = False
    narrowed: list[str] = []
    for state in states:
        for record in rows_on(state):
            records.setdefault(record.track or record.text, record)
        presses = [e for e in state.elements if e.enabled and e.role in {"button", "link"} and e.expanded is None]
        last = last or not any(turns(e.name, "onward") for e in presses if fold(e.name) != _MENU)
        first = first or not any(turns(e.name, "backward") for e in presses)
        boxes = [e for e in state.elements if e.role == "combobox" and len(e.options) > 1 and e.value != e.options[0]]
        narrowed += [e.value for e in (*boxes, *filter(is_search, state.elements)) if e.value]
    own = all(fold(value) in fold(goal) or fold(value).startswith("all") for value in narrowed)
    evidence = tuple(f"state:{state.state_id}" for state in states[:3])
    return ListLook(key[0], " ".join(key[1:]), tuple(records.values()), first and last and own, evidence)


def fits(thing: Thing, record: Row) -> bool | None:
    """Whether the record is one of those that are meant, its superlative aside."""
    answers: list[bool | None] = [_named(thing, record)] if thing.name is not None else []
    answers += [holds(test, record) for test in thing.tests]
    told = [but for but in thing.but if but.name is not None or but.tests]
    answers += [None if (out := fits(but, record)) is None else not out for but in told]
    answers += [not stands_in(but.place, record) for but in thing.but if but not in told and but.place is not None]
    return False if False in answers else None if None in answers else True


def stands_in(place: Thing, record: Row) -> bool:
    """Whether a record says that it is there: the one in the kitchen."""
    return any(says(value, place.name.text if place.name is not None else place.kind) for _, value in record.cells)


def _named(thing: Thing, record: Row) -> bool:
    """Whether the record has the name, of which the kind may be a part: the gas reading is called Gas."""
    name = thing.name.text if thing.name is not None else ""
    plain = name.casefold().removesuffix("s") if name.casefold().endswith(f"{thing.kind}s") else name.casefold()
    rest = plain.removesuffix(thing.kind).strip() if thing.kind and not (thing.name and thing.name.quoted) else ""
    number = name if len(name) > 2 and name.isdigit() else ""  # invoice 4359 is INV-4359
    if says(record.text, name) or (number and any(one.endswith(f"-{number}") for one in values_in("id", record.text))):
        return True
    return len(rest) > 1 and rest != name.casefold() and says(record.text, rest)


def holds(test: Test, record: Row) -> bool | None:
    """Whether a record passes a test, by the field that it speaks of or, without one, by anything that it shows."""
    held = [value for label, value in record.cells if not test.field or similarity(test.field, label) >= _ALIKE]
    found = _compared(test, held, record)
    return found if found is None else found != test.negated


def _compared(test: Test, held: Sequence[str], record: Row) -> bool | None:
    match test.value:
        case When():
            return _when(test, test.value, held or ([] if test.field else [record.text]))
        case Amount():
            return _amount(test, test.value.number, held)
        case Text(text=text):
            return _text(test, text, held, record)
        case Of(fields=(), thing=thing):
            called = [one.name.text if one.name is not None else one.kind for one in (thing, *thing.also)]
            answers = [_text(test, text, held, record) for text in called if text]
            lists = test.relation == "in" and any(similarity(thing.kind, label) >= 0.9 for label, _ in record.cells)
            answers = [bool(one) for one in answers] if lists else answers  # the groups that it is in are shown
            return True if True in answers else None if None in answers or not answers else False
        case _:
            return None


def _text(test: Test, text: str, held: Sequence[str], record: Row) -> bool | None:
    if test.relation in {"starts", "ends"}:
        told = [fold(value) for value in (held if test.field else [record.key]) if value]
        found = [one.startswith(fold(text)) if test.relation == "starts" else one.endswith(fold(text)) for one in told]
        return any(found) if found else None
    if any(says(value, text) or same_state(value, text) for value in held) or (not test.field and says(record.text, text)):
        return True
    if test.relation == "is" and (states := [v for label, v in record.cells if similarity("status", label) >= 0.9]):
        return any(same_state(value, text) for value in states)
    if test.field:
        return False if held else None
    if test.relation == "has" and (named := [value for label, value in record.cells if similarity(text, label) >= 0.9]):
        return any(value.strip() for value in named)  # the field itself: "without a phone number"
    return False if test.relation in {"from", "is"} and record.cells and record.track else None


def _when(test: Test, when: When, held: Sequence[str]) -> bool | None:
    times = minutes_in(held)
    if test.relation == "on" and when.start and not test.field and len(times) == 2 and not takes_place(times, when):
        return False
    days = [text for value in held for text in ([value] if parse_date(value) else values_in("date", value)) if parse_date(text)]
    if not when.first or not days:
        return None
    relation = {"under": "before", "over": "after"}.get(test.relation, test.relation)
    relation = relation if relation in {"before", "after", "at_least", "at_most"} else "on"
    asked = RowTest.model_validate({"relation": relation, "value": f"{when.first[:10]} .. {(when.last or when.first)[:10]}"})
    return any(compare(day, asked) for day in days)


def _amount(test: Test, number: float, held: Sequence[str]) -> bool | None:
    numbers = [value for value in held if amount_of(value) is not None]
    relation = {"before": "under", "after": "over", "has": "is"}.get(test.relation, test.relation)
    if not numbers or (not test.field and len(numbers) > 1) or relation not in {"over", "under", "at_least", "at_most", "is"}:
        return None
    return bool(compare(numbers[0], RowTest.model_validate({"relation": relation, "value": f"{number:g}"})))


def picked(pick: Pick, records: Sequence[Row]) -> list[Row] | None:
    """What a superlative leaves of a whole list; None where what it goes by is not seen, or equal ones leave it open."""
    dated = bool({"date", "start", "received", "modified"} & {*tokens(pick.by)})

    def key(record: Row) -> str:
        kept = [cell for cell in record.cells if (parse_date(cell[1]) is not None) == dated]
        cells = [(similarity(pick.by, label), value) for label, value in kept if dated or amount_of(value) is not None]
        near = [cell for cell in cells if cell[0] >= _ALIKE] or (cells if len(cells) == 1 else [])
        return max(near)[1] if near else ""

    keys = [key(record) if pick.by else "" for record in records]
    rows = [Row(str(n), "", ((pick.by, key),) if key else ()) for n, key in enumerate(keys)]
    with suppress(StepFailure):
        return [records[int(row.text)] for row in picked_rows(rows, pick)] if "" not in keys or not pick.by else None
    return None


def tells(text: str, wanted: str) -> bool:
    """Whether what was written holds a value of the goal. An amount among other words stands there with all its decimals: who
    reads it takes 2053.7 for another text than 2053.70, which in a field of its own is the same number."""
    places = _places(wanted) if amount_of(wanted) is not None else 0
    if not places or not says(text, wanted):
        return says(text, wanted)
    held = [labelled(line)[1] for line in text.splitlines()]
    return any(
        same_value(wanted, one) if one == line else same_value(wanted, one) and _places(one) >= places
        for line in map(str.strip, held)
        for one in ((line,) if amount_of(line) is not None else (*values_in("money", line), *values_in("number", line)))
    )


def _places(number: str) -> int:
    """How many digits stand behind its point."""
    behind = number.rstrip("€$£¥ ").replace(",", ".").rpartition(".")[2]
    return len(behind) if behind != number and behind.isdigit() and len(behind) < 3 else 0


def tells_moment(text: str, when: When) -> bool | None:
    """Whether a text tells the day and the time that are meant."""
    told, answers = moments_in(text), list[bool]()
    for moment in (when.first, when.last):
        if (day := parse_date(moment[:10])) is not None and (moment is when.first or when.last != when.first):
            answers.append(told.have_day(day) and not told.relative)
    for clock in (when.first[11:], when.start, when.end):
        if (minute := parse_time(clock)) is not None:
            answers.append(told.have_minute(minute))
    return all(answers) if answers else None


class Resolver:
    """What values and things of the goal stand for, as far as the screens tell."""

    def __init__(
        self, reading: Reading, states: Sequence[VisualState], looks: Sequence[ListLook], cards: Sequence[AppCard]
    ) -> None:
        self._orders, self._cards = reading.orders, cards
        self.looks, self.pages = looks, [seen_on(state) for state in states]

    def texts(self, value: Value, depth: int = 0) -> list[str] | None:
        """The texts that must all be there; None where nobody can say."""
        match value:
            case Text(text=text, quoted=quoted):
                return [text] if quoted or not begins(text, phrases("points")) else None
            case Amount(text=text, number=number):
                return [text if amount_of(text) is not None else f"{number:g}"]
            case Of(fields=fields, thing=thing) if fields:
                found = [self._field(name, self.named(one)) for one in each_of(thing) for name in fields]
                return None if None in found else [text for text in found if text is not None]
            case Back(to=to, field=field) if depth < 3 and 0 <= to < len(self._orders):
                order = self._orders[to]
                values = [s.value for s in order.slots if s.role in {"value", "saying"} and isinstance(s.value, Of | Worked)]
                if len(values) == 1:
                    return self.texts(values[0], depth + 1)
                return [order.object.name.text] if order.object is not None and order.object.name and not field else None
            case Worked():
                return self._worked(value)
            case _:
                return None

    def _field(self, name: str, thing: Thing) -> str | None:
        """The value of a field of the one record that is meant, where all that were seen agree on it."""
        if thing.name is None and not thing.tests:
            return None
        pools = [[record for look in self.looks_at(thing) for record in look.records if record.cells], self.pages]
        if thing.pick is not None:
            every = self.all_of(thing)
            pools = [every.records] if every is not None else []
        near: list[tuple[float, str]] = []
        for seen in pools:
            if not near or max(near)[0] < _SURELY:  # a page may show more than the one that is meant
                cells = [cell for record in seen if record.cells and fits(thing, record) for cell in record.cells]
                told = ((label, value) for label, value in cells if value and not is_masked(value, label))
                near += [(round(similarity(name, label), 2), value) for label, value in told]
        best = max((score for score, _ in near), default=0.0)
        held = {fold(value): value for score, value in near if score == best >= _ALIKE}
        return next(iter(held.values())) if len(held) == 1 else None

    def _home(self, thing: Thing) -> AppCard | None:
        """The application that is named as where it is."""
        place = thing.place or Thing()
        said = (place.name.text if place.name is not None else place.kind).casefold()
        return next((card for card in self._cards if said in {card.app.casefold(), card.title.casefold()}), None)

    def named(self, thing: Thing) -> Thing:
        """The thing, with what it points back at."""
        if thing.back is None or not 0 <= thing.back.to < len(self._orders):
            thing = housed(thing, self._cards, self._home(thing))
            return thing.model_copy(update={"but": tuple(map(self._called, thing.but))}) if thing.but else thing
        order = self._orders[thing.back.to]
        values = [slot.value.thing for slot in order.slots if slot.role == "value" and isinstance(slot.value, Of)]
        other = order.object or (values[0] if len(values) == 1 else None)
        if other is None or (other.back is not None and other.back.to >= thing.back.to):
            return thing
        other = self.named(other)
        home = self._home(thing)
        elsewhere = home is not None and not any(is_kind(other.kind, kind) for kind in home.kinds)
        if elsewhere or (thing.kind and other.kind and similarity(thing.kind, other.kind) < 0.9):
            return thing.model_copy(update={"back": None})  # what came of it, such as the note that a mail was saved to
        either = {part: getattr(thing, part) or getattr(other, part) for part in ("kind", "name", "pick", "place", "also")}
        both = {"tests": (*other.tests, *thing.tests), "but": (*other.but, *thing.but), "back": None}
        return thing.model_copy(update=either | both)

    def _worked(self, value: Worked) -> list[str] | None:
        """A sum or a number over all records of a list that was seen whole."""
        one = value.of[0] if len(value.of) == 1 else None
        how: Callable[[list[float]], float] | None = {"sum": sum, "largest": max, "smallest": min}.get(value.how)  # type: ignore[assignment]
        if not isinstance(one, Of) or (how is None and value.how != "count"):
            return None
        sets = [self.all_of(self.named(each)) for each in (one.thing.model_copy(update={"also": ()}), *one.thing.also)]
        if any(every is None or every.unsure for every in sets):
            return None
        meant = [record for every in sets if every is not None for record in every.records]
        if how is None:
            return [str(len(meant))]
        field = one.fields[0] if one.fields else "total"
        held = [amount_of(v) for record in meant for label, v in record.cells if similarity(field, label) >= 0.9]
        numbers = [number for number in held if number is not None]
        return [f"{how(numbers):.2f}"] if numbers and len(numbers) == len(held) == len(meant) else None

    def is_called(self, name: str) -> bool:
        """Whether a record of a list is called exactly so."""
        return any(fold(record.key) == fold(name) for look in self.looks for record in look.records if record.key)

    def _called(self, thing: Thing) -> Thing:
        """What is called exactly so, where there is such a record: the note Plan, and not the note Plan 2."""
        if thing.name is None or not self.is_called(thing.name.text):
            return thing
        whole = (Test(relation="starts", value=thing.name), Test(relation="ends", value=thing.name))
        return thing.model_copy(update={"tests": (*thing.tests, *whole)})

    def all_of(self, thing: Thing) -> Every | None:
        """All records that are meant, of the lists of them that were seen whole; None where none was."""
        if thing.pick is not None:
            every = self.all_of(thing.model_copy(update={"pick": None}))
            chosen = picked(thing.pick, every.records) if every is not None and not every.unsure else None
            return Every(chosen, []) if chosen is not None else None
        kinds = [kind for card in self._cards for kind in card.kinds if kind.told_by and is_kind(thing.kind, kind)]
        for told in (kind.told_by for kind in kinds[:1] if kind.told_by):  # what a list says of those among others
            test = Test(field=told.label, value=Text(text=told.value, quoted=True))
            thing = thing.model_copy(update={"tests": (*thing.tests, test)})
        whole = [look for look in self.looks_at(thing) if look.whole and not begins_later(look, thing)]
        whole = [look for look in whole if any(fits(thing, record) for record in look.records)]
        whole = [look for look in whole if look.evidence[0].startswith("state:")] or whole  # the same ones, seen
        place = thing.place.name if thing.place is not None else None
        within = thing
        if place is not None:  # in the group Sales
            there = [look for look in whole if says(f"{look.title} {look.app}", place.text)]
            within = thing if there else thing.model_copy(update={"tests": (*thing.tests, Test(relation="has", value=place))})
            whole = there or [look for look in whole if any(fits(within, record) for record in look.records)]
        if len({look.app for look in whole}) != 1:
            return None
        records = {record.track or record.text: record for look in whole for record in look.records if fits(within, record)}
        return Every([*records.values()], [record for look in whole for record in look.records if fits(thing, record) is None])

    def looks_at(self, thing: Thing) -> list[ListLook]:
        """The lists in which such things stand, by the cards; all where no card knows the kind."""
        kinds = [(card.app, kind) for card in self._cards for kind in card.kinds if is_kind(thing.kind, kind)]
        held = {(app, name) for app, kind in kinds for name in (kind.kind, kind.some_of) if name}
        mine = [look for look in self.looks if any((look.app, name) in held for name in kinds_in(look, self._cards))]
        return mine if held else list(self.looks)


def begins_later(look: ListLook, thing: Thing) -> bool:
    """Whether it is a list from a day on ("Agenda from 11 March") that comes after the first that is meant."""
    begun = [day for text in values_in("date", look.title) if (day := parse_date(text))]
    firsts = [day for test in thing.tests if isinstance(test.value, When) and (day := parse_date(test.value.first[:10]))]
    return any(day > first for day in begun for first in firsts)


def is_kind(noun: str, kind: KindCard) -> bool:
    """Whether a noun of the goal names this kind."""
    return any(similarity(noun, word) >= 0.9 for word in (kind.kind, *kind.words))


def kinds_in(look: ListLook, cards: Sequence[AppCard]) -> set[str]:
    """Which kinds of record a list may hold: those whose columns and whose place it has most of."""
    columns = {fold(label) for record in look.records[:1] for label, _ in record.cells}
    kinds = [kind for card in cards if card.app == look.app for kind in card.kinds]
    shared = {
        kind.kind: bool(kind.place and says(look.title, kind.place)) + len(columns & {fold(field.label) for field in kind.fields})
        for kind in kinds
    }
    best = max(shared.values(), default=0)
    if columns and not best and all(any(field.listed for field in kind.fields) for kind in kinds):
        return set()  # a list of something else, such as the items of an invoice
    return {kind for kind, count in shared.items() if count == best} if best or len(kinds) == 1 else set()
