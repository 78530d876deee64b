"""A workbook reckoned: every cell's value from what was typed, each formula once, in the order of what needs what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from datetime import date

from environments.simulated.apps.documents.spreadsheet.calls import Block, Operand, binary, called, single, unary
from environments.simulated.apps.documents.spreadsheet.formula import (
    BAD,
    CIRC,
    NUM,
    REF,
    Area,
    At,
    Code,
    Do,
    Error,
    Mistake,
    Value,
    areas,
    compiled,
    parse_at,
    typed,
)

WORK = 900_000
"""How many cells all formulas together may read; one more, and a formula is `#NUM!`."""
Place = tuple[str, At]


def place_of(key: str) -> tuple[str, At | None]:
    """The sheet of `March!B3`, and the place in it."""
    sheet, _, name = key.rpartition("!")
    return sheet, parse_at(name)


class Book:
    """The values of all cells."""

    def __init__(self, sheets: tuple[str, ...], cells: Mapping[str, str], today: date) -> None:
        self.today = today
        self.names = {name.casefold(): name for name in sheets}
        self.values: dict[str, dict[At, Value]] = {name: {} for name in sheets}
        self._codes: dict[Place, Code] = {}
        self._left = WORK
        self._extents: dict[str, At] = {}
        for key, text in cells.items():
            sheet, at = place_of(key)
            if at is not None and sheet in self.values:
                self._put(sheet, at, text)
        self._reckon(self._codes)

    def with_values(self, texts: Mapping[str, str | None]) -> Book | None:
        """The book with other values in some cells; None where formulas are among them, or work runs short, and it has to be
        made anew. Only formulas that read those cells are reckoned again."""
        places = {key: place_of(key) for key in texts}
        formulas = any(place in self._codes or (texts[key] or "").startswith("=") for key, place in places.items())
        if formulas or self._left < WORK // 2 or len(texts) * len(self._codes) > WORK // 16:
            return None
        other = copy(self)
        other.values, other._extents = {name: dict(used) for name, used in self.values.items()}, {}
        for key, (sheet, at) in places.items():
            if at is None or sheet not in other.values:
                continue
            value = typed(texts[key] or "")
            if value is None:
                other.values[sheet].pop(at, None)
            else:
                other.values[sheet][at] = value
        stale = self._reading({(sheet, at) for sheet, at in places.values() if at is not None})
        for sheet, at in stale:
            other.values[sheet][at] = CIRC
        other._reckon(stale)
        return other if other._left >= 0 else None

    def _reading(self, places: set[Place]) -> dict[Place, Code]:
        """The formulas that read one of these places, directly or by another formula."""
        stale: dict[Place, Code] = {}
        while places:
            rest = {here: code for here, code in self._codes.items() if here not in stale}
            found = {here: code for here, code in rest.items() if self._reads(here[0], code, places)}
            stale |= found
            places = set(found)
        return stale

    def _reads(self, own: str, code: Code, places: set[Place]) -> bool:
        read = [(self._sheet(area, own), area) for area in areas(code)]
        return any(sheet == name and _within(at, area) for sheet, at in places for name, area in read)

    def value(self, sheet: str, at: At) -> Value:
        return self.values.get(sheet, {}).get(at)

    def extent(self, sheet: str) -> At:
        """The last row and the last column in use."""
        if sheet not in self._extents:
            used = self.values.get(sheet, {})
            self._extents[sheet] = At(max((at.row for at in used), default=0), max((at.column for at in used), default=0))
        return self._extents[sheet]

    def worth(self, sheet: str, formula: str) -> Value:
        """What a formula would be worth in that sheet. Raises Mistake. For a book of one's own: it uses up its work."""
        self._left = WORK
        return self._run(sheet, compiled(formula))

    def _put(self, sheet: str, at: At, text: str) -> None:
        if not text.startswith("="):
            if (value := typed(text)) is not None:
                self.values[sheet][at] = value
            return
        try:
            self._codes[sheet, at] = compiled(text)
            self.values[sheet][at] = CIRC
        except Mistake:
            self.values[sheet][at] = BAD

    def _reckon(self, codes: Mapping[Place, Code]) -> None:
        """Work out these formulas; the values of all others stand."""

        def needs(here: Place) -> list[Place]:
            return self._needs(here, codes)

        for together in components(codes, needs):
            if len(together) == 1 and together[0] not in needs(together[0]):
                sheet, at = together[0]
                self.values[sheet][at] = self._run(sheet, codes[sheet, at])

    def _needs(self, here: Place, codes: Mapping[Place, Code]) -> list[Place]:
        """The formulas that a formula reads."""
        found: list[Place] = []
        for area in areas(codes[here]):
            sheet = self._sheet(area, here[0])
            if sheet is None:
                continue
            if len(codes) < area.size:
                beside = (place for place in codes if place[0] == sheet and _within(place[1], area))
                found.extend(beside if self._spend(area, sheet) else ())
            else:
                found.extend((sheet, at) for at in self._inside(sheet, area) if (sheet, at) in codes)
        return found

    def _sheet(self, area: Area, own: str) -> str | None:
        return own if area.sheet is None else self.names.get(area.sheet.casefold())

    def _inside(self, sheet: str, area: Area) -> list[At]:
        """The cells in use within a range, by whichever way is shorter."""
        used = self.values[sheet]
        first, last = area.first, area.last
        if not self._spend(area, sheet):
            return []
        if area.size <= len(used):
            places = (At(r, c) for r in range(first.row, last.row + 1) for c in range(first.column, last.column + 1))
            return [at for at in places if at in used]
        return [at for at in used if _within(at, area)]

    def _spend(self, area: Area, sheet: str) -> bool:
        """Count what it takes to go through a range; False where no work is left."""
        self._left -= min(area.size, len(self.values[sheet]))
        return self._left >= 0

    def _run(self, own: str, code: Code) -> Value:
        stack: list[Operand] = []
        for step in code:
            if isinstance(step, Area):
                stack.append(self._read(own, step))
            elif isinstance(step, Do):
                given = stack[len(stack) - step.count :]
                del stack[len(stack) - step.count :]
                stack.append(self._do(step, given))
            else:
                stack.append(step)
        if self._left < 0:
            return NUM
        result = single(stack[0])
        return result if result is not None else typed("0")

    def _do(self, step: Do, given: list[Operand]) -> Value:
        if not step.call:
            return binary(step.name, *given) if step.count == 2 else unary(step.name, given[0])
        return called(step.name, given, self.today)

    def _read(self, own: str, area: Area) -> Operand:
        sheet = self._sheet(area, own)
        if sheet is None:
            return REF
        if not area.many:
            return self.values[sheet].get(area.first)
        used, first, last = self.values[sheet], area.first, area.last
        cells = sorted(self._inside(sheet, area))
        values = {(at.row - first.row, at.column - first.column): used[at] for at in cells}
        return Block(last.row - first.row + 1, last.column - first.column + 1, values)


def _within(at: At, area: Area) -> bool:
    return area.first.row <= at.row <= area.last.row and area.first.column <= at.column <= area.last.column


def components(places: Iterable[Place], needs: Callable[[Place], list[Place]]) -> Iterator[list[Place]]:
    """Places that need each other, together, after all that they need (Tarjan's way, with a stack of its own)."""
    order: dict[Place, int] = {}
    low: dict[Place, int] = {}
    waiting: dict[Place, None] = {}
    for start in places:
        walk = [] if start in order else [(start, iter(needs(start)))]
        while walk:
            here, rest = walk[-1]
            if here not in order:
                order[here] = low[here] = len(order)
                waiting[here] = None
            for need in rest:
                if need not in order:
                    walk.append((need, iter(needs(need))))
                    break
                if need in waiting:
                    low[here] = min(low[here], order[need])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[here])
                if low[here] == order[here]:
                    yield _taken(waiting, here)


def _taken(waiting: dict[Place, None], first: Place) -> list[Place]:
    """The last ones that wait, down to `first`."""
    together: list[Place] = []
    while not together or together[-1] != first:
        together.append(waiting.popitem()[0])
    return together


_KEPT: list[tuple[Mapping[str, str], tuple[str, ...], str, Book]] = []


def book_of(sheets: tuple[str, ...], cells: Mapping[str, str], today: str) -> Book:
    """The workbook of a state; the last few are kept, since most actions change no cell."""
    for kept in _KEPT:
        if kept[0] is cells and kept[1] == sheets and kept[2] == today:
            return kept[3]
    return _kept(sheets, cells, today, Book(sheets, cells, date.fromisoformat(today)))


def follow_up(before: Mapping[str, str], cells: Mapping[str, str], changed: Mapping[str, str | None]) -> None:
    """Make the workbook of `cells` from that of `before`, where that one is kept and only a few values are others."""
    for kept in _KEPT:
        if kept[0] is before and (book := kept[3].with_values(changed)) is not None:
            _kept(kept[1], cells, kept[2], book)
            return


def _kept(sheets: tuple[str, ...], cells: Mapping[str, str], today: str, book: Book) -> Book:
    _KEPT.insert(0, (cells, sheets, today, book))
    del _KEPT[4:]
    return book


def failed(value: Value) -> bool:
    return isinstance(value, Error)
