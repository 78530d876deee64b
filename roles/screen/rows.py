"""Records as lists and pages show them, whether a text holds a value that was named, and which records fit the tests of a step:
typed, and told apart from "not told"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from rapidfuzz import fuzz

from protocol import GUIElement, VisualState
from roles.contracts.orders import Pick, Relation, RowTest, StepFailure
from roles.contracts.values import Number, Trouble, converted, parse_date, plain_number, unit_of
from roles.screen.language.words import deeds
from roles.screen.matching import similarity, tokens
from roles.screen.screens import FIELD_ROLES, Screen, shown
from roles.screen.texts import fold, has_phrase, listed_in, uncut, words
from roles.screen.values import amount_of, is_a, is_masked, minutes_in, same_value, values_in

_NUMBER = re.compile(
    r"(?P<sign>[-−])?(?P<before>[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b)?\s?(?P<sign2>[-−])?"
    r"(?P<number>\d(?:[\d.,'\u00a0\u202f]*\d)?)\s?(?P<after>[€£$¥%]|[^\W\d_]+)?"
)
_OF_DAYS: dict[str, Relation] = {"over": "after", "at_least": "after", "under": "before", "at_most": "before"}
_APART = str.maketrans("@._-", "    ")
_LENGTH = re.compile(r"\s*(?:(?P<h>\d+)\s*h(?:ours?|rs?)?)?\s*(?:(?P<m>\d+)\s*m(?:in(?:utes?)?)?)?\s*", re.IGNORECASE)
_SHAPES: tuple[tuple[frozenset[str], Callable[[str], object]], ...] = (
    (frozenset({"price", "cost", "costs", "amount", "total", "fare", "fee"}), partial(values_in, "money")),
    (frozenset({"duration", "length", "time"}), _LENGTH.fullmatch),
    (frozenset({"date", "day"}), parse_date),
)
_ORDERED = frozenset({"before", "after", "between", "over", "under", "at_least", "at_most"})


@dataclass(frozen=True)
class Row:
    """A record reduced to data: the texts of its row, and of its own page once that was opened."""

    text: str = ""
    key: str = ""
    """What it is called: its link, else its first cell."""
    cells: tuple[tuple[str, str], ...] = ()
    page: int = 0
    body: str | None = None
    """What its own page says; None while that was not looked at."""
    track: str = ""
    """By what the record is known again on another screen."""

    def value(self, label: str) -> str | None:
        """What it shows under `label`; None where it has no such column or field."""
        exact = next((text for name, text in self.cells if fold(name) == fold(label)), None)
        if exact is not None:
            return exact
        near = {text for name, text in self.cells if similarity(label, name) >= 0.9}
        return near.pop() if len(near) == 1 else None

    @property
    def texts(self) -> list[str]:
        return [*(text for _, text in self.cells), *self.text.split(" · "), *([self.body] if self.body else [])]

    def dump(self) -> list[Any]:
        return [self.text, self.key, [list(cell) for cell in self.cells], self.page, self.body]

    @staticmethod
    def load(kept: Sequence[Any]) -> Row:
        text, key, cells, page, body = kept
        return Row(text, key, tuple((str(k), str(v)) for k, v in cells), int(page), body)

    def opened(self, pairs: Iterable[tuple[str, str]], body: str) -> Row:
        """With what its own page says: it has the last word where a cell was cut short."""
        whole = {fold(label): (label, text) for label, text in self.cells}
        for label, text in pairs:
            if not whole.get(fold(label), ("", ""))[1] or is_cut(whole[fold(label)][1]):
                whole[fold(label)] = (label, text)
        return replace(self, cells=tuple(whole.values()), body=body)


# --- as a screen shows them -------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def says(text: str, wanted: str) -> bool:
    """Whether a text holds a value of the goal, in whichever spelling: names by their words, dates and amounts by value."""
    name, there = fold(wanted.rsplit("/", 1)[-1] if wanted.startswith("/") else wanted).strip(" .\"'"), fold(text)
    if not name or has_phrase(there, name):
        return True
    if amount_of(wanted) is not None:
        return any(same_value(wanted, one) for one in (*values_in("money", text), *values_in("number", text)))
    if parse_date(wanted) is not None:
        return any(same_value(wanted, one) for one in values_in("date", text))
    shown = {*tokens(text), *words(there), *words(there.replace("-", " "))}
    if (told := tokens(wanted)) and all(word in shown for word in told):
        return True
    numbers = {*values_in("figures", name)}
    alike = fuzz.partial_ratio if len(name) <= len(there) else fuzz.ratio  # "Planning" does not say "Sprint planning"
    return len(name) >= 8 and numbers <= {*values_in("figures", there)} and alike(name, there) >= 92


def seen_with(target: GUIElement | None, state: VisualState) -> Row:
    """The record in which an element stands: its row, or else the page."""
    screen = Screen.of(state)
    row = row_of(target, screen)
    return record_of(row, screen) if row is not None else seen_on(state)


def seen_on(state: VisualState) -> Row:
    """The record that is open: all texts outside lists, and the dialog over it."""
    under = without_dialog(state)
    pairs = [p for p in under.pairs if p.element.role not in FIELD_ROLES]
    lines = [shown(e) for e in under.detail_texts if e.role != "status"]
    lines += [f"{f.name}: {f.value}" for f in under.inputs if f.value]
    lines += [dialog_text(state)] if state.modal else []
    lines += [item.text for item in under.items if pairs and item.element.role != "treeitem"]
    return Row("\n".join(lines), "", tuple((p.label, p.value) for p in under.pairs))


def rows_on(state: VisualState) -> list[Row]:
    """The records of the lists on a screen."""
    screen = without_dialog(state)
    return [record_of(item.element, screen) for item in screen.items if item.text and item.element.role != "treeitem"]


def without_dialog(state: VisualState) -> Screen:
    """The page without the dialog over it."""
    return Screen(state.model_copy(update={"modal": None}) if state.modal else state)


def row_of(target: GUIElement | None, screen: Screen) -> GUIElement | None:
    """The row of a list in which an element stands, or which it is."""
    above = (target, *screen.above(target)) if target is not None else ()
    return next((e for e in above if e.role in {"row", "listitem", "treeitem"}), None)


def record_of(row: GUIElement, screen: Screen) -> Row:
    """The record of a row of a list."""
    item = screen._item(row)
    key = shown(item.press) if item.press is not row else next((p.value for p in item.cells if p.value), row.name or item.text)
    return Row(item.text, key, tuple((p.label, p.value) for p in item.cells), track=row.track_id or "")


def dialog_text(state: VisualState) -> str:
    """What the open dialog says; empty without one."""
    if state.modal is None or (dialog := state.by_id.get(state.modal)) is None:
        return ""
    return "\n".join([dialog.name, *(shown(e) for e in Screen.of(state).elements if e.role != "button" and shown(e))])


# --- whether they fit -------------------------------------------------------------------------------------------------


def is_cut(text: str) -> bool:
    """Whether it is not the value itself, but its beginning, or what stands where it is kept from view."""
    return uncut(text) != text.rstrip() or is_masked(text)


def matches(row: Row, tests: Sequence[RowTest]) -> bool | None:
    """Whether all tests hold; None where the row does not tell."""
    verdicts = [_holds(row, test) for test in tests]
    if any(verdict is not None and (verdict > 0) == test.negated for verdict, test in zip(verdicts, tests, strict=True)):
        return False
    return None if None in verdicts else True


def best_fitting(rows: Sequence[Row], tests: Sequence[RowTest]) -> list[Row]:
    """Of those that fit, the ones that are called exactly so, where there are any: `Ada Byron` beside `Ada Byron 2`."""
    for test in tests:
        if not test.negated and test.relation not in _ORDERED and not any(_lists(row, test) for row in rows):
            rows = [row for row in rows if is_called(row, test)] or rows
    return list(rows)


def excepted(rows: Sequence[Row], but: Sequence[RowTest]) -> list[Row]:
    """Those of which it is said that they are none of what is meant."""
    return best_fitting([row for row in rows if matches(row, but)], [t for t in but if t.label and t.relation in {"is", "has"}])


def _lists(row: Row, test: RowTest) -> bool:
    """Whether it holds several, of which one is called exactly so: `Friends, Suppliers`."""
    held = (row.value(test.label) or "") if test.label else ""
    parts = [fold(part) for part in listed_in(held)]
    return len(parts) > 1 and fold(test.value) in parts


def is_called(row: Row, test: RowTest) -> bool:
    """Whether it is exactly that, and not only in part."""
    return (_holds(row, test) or 0) > 1


def _holds(row: Row, test: RowTest) -> int | None:
    """2 exactly, 1 as a part of what is shown, 0 not at all; None where the row does not tell."""
    if not test.label:
        grades = [grade for text in row.texts if _may_say(text, test) and (grade := compare(text, test)) is not None]
        if test.relation in _ORDERED:
            return grades[0] if len({*grades}) == 1 else None  # of several amounts or days nothing says which is meant
        return max(grades, default=0) or (0 if row.body is not None else None)
    text = row.value(test.label)
    if text is not None and not test.value:
        return 0 if text.strip() else 2
    return (0 if row.body == "" else None) if text is None else compare(text, test)


def _may_say(text: str, test: RowTest) -> bool:
    """Whether a text without a label may be what is compared: amounts stand alone, and a number in a name is none."""
    if test.relation not in _ORDERED:
        return True
    dated = _moment(test.value.partition(" .. ")[0]) is not None
    alone = amount_of(text) is not None and (" " not in text.strip() or is_a("money", text.strip()))
    return len(text) < 30 and _moment(text) is not None if dated else alone


def compare(text: str, test: RowTest) -> int | None:
    """How a text passes a test: 2 exactly, 1 as a part of it, 0 not at all; None where it does not tell."""
    if test.relation in {"starts", "ends"}:
        there = fold(text).startswith(fold(test.value)) if test.relation == "starts" else fold(text).endswith(fold(test.value))
        return 2 if there else None if is_cut(text) and test.relation == "ends" else 0
    first, _, last = test.value.partition(" .. ")
    last = last or first
    if test.relation in _OF_DAYS and _is_day(first):  # "at least 2026-03-02" is a day, and no number
        day = test.model_copy(update={"relation": _OF_DAYS[test.relation], "negated": False})
        on = _by_moment(text, test.model_copy(update={"relation": "on"}), first, last) if test.relation.startswith("at_") else 0
        return on or _by_moment(text, day, first, last)
    if test.relation in {"over", "under", "at_least", "at_most"} or (test.relation == "between" and _moment(first) is None):
        return _by_amount(text, test, first, last)
    if _moment(first) is not None and (test.relation in _ORDERED | {"on", "in"} or (" .. " in test.value) or _is_day(first)):
        return _by_moment(text, test, first, last)
    if test.relation in _ORDERED:
        raise StepFailure(f'"{test.value}" is neither a day, a time nor an amount, so nothing can be {test.relation} it')
    denials = {*deeds()["denials"]} & {*text.casefold().split()} - {*test.value.casefold().split()}
    denied = test.label and len(tokens(text)) < 5 and denials
    return 0 if denied else _by_text(text, test.value)


@lru_cache(maxsize=16384)
def _by_text(text: str, value: str) -> int | None:
    if same_value(text, value):
        return 2
    shown, wanted = fold(text), fold(value)
    letters, _, number = shown.partition("-")
    if has_phrase(shown, wanted) or (len(wanted) > 2 and wanted == number and letters.isalpha()):  # invoice 4359 is INV-4359
        return 1
    if wanted and not any(map(str.isdigit, wanted)):
        said, there = (set(tokens(one.translate(_APART))) for one in (value, shown))
        if said and said <= there:
            return 1
    return None if is_cut(text) else 0


def _is_day(text: str) -> bool:
    return parse_date(text[:10]) is not None and len(text) <= 16


@lru_cache(maxsize=16384)
def _moment(text: str) -> tuple[int | None, int | None] | None:
    """Day and minute that `text` names; None when it names neither."""
    day = parse_date(text) or next((d for found in values_in("date", text) if (d := parse_date(found)) is not None), None)
    minute = next(iter(minutes_in([text])), None)
    return None if day is None and minute is None else (None if day is None else day.toordinal(), minute)


def _by_moment(text: str, test: RowTest, first: str, last: str) -> int | None:
    shown, begin, end = _moment(text), _moment(first), _moment(last)
    if begin is None or end is None:
        raise StepFailure(f'"{test.value}" is not a day or a time')
    if shown is None:
        return 0 if not text.strip() or test.label else None
    low, high = _order(shown, begin), _order(shown, end)
    if low is None or high is None:
        return None
    verdict = low < 0 if test.relation == "before" else high > 0 if test.relation == "after" else low >= 0 >= high
    return 2 if verdict else 0


def _order(one: tuple[int | None, int | None], other: tuple[int | None, int | None]) -> int | None:
    """Below 0 when `one` is earlier; None where they cannot be compared. A whole day holds all of its times."""
    if other[0] is not None:
        if one[0] is None:
            return None
        if one[0] != other[0] or other[1] is None:
            return one[0] - other[0]
    if other[1] is None or one[1] is None:
        return None
    return one[1] - other[1]


def amount_in(text: str) -> Number | None:
    """The first number in a text with its unit: `Only 3 left`, `$1,248.90`, `12 KB` (in bytes)."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    amount, word = Decimal(plain_number(match["number"].rstrip(".,'"))), match["before"] or match["after"] or ""
    number = Number(-amount if match["sign"] or match["sign2"] else amount, unit_of(word) or unit_of(word.upper()) or "")
    return converted(number, "B") if number.unit.endswith("B") else number


def _by_amount(text: str, test: RowTest, first: str, last: str) -> int | None:
    low, high, shown = amount_in(first), amount_in(last), amount_in(text)
    if low is None or high is None:
        raise StepFailure(f'"{test.value}" is not an amount')
    if shown is None:
        return 0 if test.label else None
    try:
        amount = converted(shown, low.unit).amount if low.unit and shown.unit else shown.amount
    except Trouble:
        raise StepFailure(f'"{text}" and "{test.value}" are in different units and cannot be compared') from None
    holds = {
        "over": amount > low.amount, "under": amount < low.amount, "at_least": amount >= low.amount,
        "at_most": amount <= low.amount, "between": low.amount <= amount <= high.amount,
    }  # fmt: skip
    return 2 if holds[test.relation] else 0


def picked(rows: Sequence[Row], pick: Pick) -> list[Row]:
    """What a superlative or an ordinal leaves. Raises StepFailure where values are missing or equal ones leave it open."""
    start, end = pick.at - 1, pick.at - 1 + pick.number
    if len(rows) < end:
        raise StepFailure(f"number {end} was asked for, and there are only {len(rows)}")
    if pick.order in {"first", "last"}:
        return list(rows if pick.order == "first" else [*reversed(rows)])[start:end]
    rows = [row for row in rows if row.value(pick.by) != ""]
    if len(rows) < end:
        raise StepFailure(f"only {len(rows)} of them have a {pick.by}")
    keyed = sorted(((_sort_key(row, pick.by), row) for row in rows), key=lambda pair: pair[0], reverse=pick.order == "most")
    keys = [key for key, _ in keyed]
    if (start and keys[start - 1] == keys[start]) or (end < len(keys) and keys[end - 1] == keys[end]):
        equal = "; ".join(f'"{row.text}"' for key, row in keyed if key in {keys[start], keys[end - 1]})
        raise StepFailure(f"several have the same {pick.by}, so it is unclear which is meant: {equal}")
    return [row for _, row in keyed[start:end]]


def _sort_key(row: Row, by: str) -> float:
    text = row.value(by) or _told(row, by) if by else None
    if text and (length := _LENGTH.fullmatch(text)) and text.strip():
        return int(length["h"] or 0) * 60.0 + int(length["m"] or 0)
    moment = _moment(text) if text else None
    if moment is not None and (moment[0] is not None or moment[1] is not None):
        return (moment[0] or 0) * 1440.0 + (moment[1] or 0)
    amount = amount_in(text) if text else None
    if amount is None:
        raise StepFailure(f'"{row.text}" shows no {by or "value"} to compare with the others')
    return float(amount.amount)


def _told(row: Row, by: str) -> str | None:
    """Of a row that shows all there is: the only text that has the shape of a price, a length of time or a day."""
    shaped = next((shape for words, shape in _SHAPES if fold(by) in words and row.body == ""), lambda _: None)
    texts = [text for text in dict.fromkeys(row.texts) if text.strip() and shaped(text)]
    return (values_in("money", texts[0]) or texts)[0] if len(texts) == 1 else None


def words_of(tests: Sequence[RowTest]) -> str:
    """The tests for people: `Vendor is "Acme", Total over "$500"`."""
    return ", ".join(
        f'{test.label or "something"} {"not " if test.negated else ""}{test.relation.replace("_", " ")} "{test.value}"'
        for test in tests
    )
