"""A workbook reckoned: every cell's value from what was typed, each formula once, in the order of what needs what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

from environments.simulated.apps.spreadsheet_calls import Block, Operand, binary, single, unary
from environments.simulated.apps.spreadsheet_cells import BAD, CIRC, NUM, REF, At, Error, Value, parse_at, typed
from environments.simulated.apps.spreadsheet_formula import Area, Code, Do, Mistake, areas, compiled
from environments.simulated.apps.spreadsheet_named import called

WORK = 900_000
"""How many cells all formulas together may read; one more, and a formula is `#NUM!`."""
Place = tuple[str, At]


class Book:
    """The values of all cells."""

    def __init__(self, sheets: tuple[str, ...], cells: Mapping[str, str], today: date) -> None:
        self.today = today
        self.names = {name.casefold(): name for name in sheets}
        self.values: dict[str, dict[At, Value]] = {name: {} for name in sheets}
        self._codes: dict[Place, Code] = {}
        self._left = WORK
        for key, text in cells.items():
            sheet, _, name = key.rpartition("!")
            at = parse_at(name)
            if at is not None and sheet in self.values:
                self._put(sheet, at, text)
        self._reckon()

    def value(self, sheet: str, at: At) -> Value:
        return self.values.get(sheet, {}).get(at)

    def extent(self, sheet: str) -> At:
        """The last row and the last column in use."""
        used = self.values.get(sheet, {})
        return At(max((at.row for at in used), default=0), max((at.column for at in used), default=0))

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

    def _reckon(self) -> None:
        for together in components(self._codes, self._needs):
            if len(together) == 1 and together[0] not in self._needs(together[0]):
                sheet, at = together[0]
                self.values[sheet][at] = self._run(sheet, self._codes[sheet, at])

    def _needs(self, here: Place) -> list[Place]:
        """The formulas that a formula reads."""
        found: list[Place] = []
        for area in areas(self._codes[here]):
            sheet = self._sheet(area, here[0])
            if sheet is not None:
                found.extend((sheet, at) for at in self._inside(sheet, area) if (sheet, at) in self._codes)
        return found

    def _sheet(self, area: Area, own: str) -> str | None:
        return own if area.sheet is None else self.names.get(area.sheet.casefold())

    def _inside(self, sheet: str, area: Area) -> list[At]:
        """The cells in use within a range, by whichever way is shorter."""
        used = self.values[sheet]
        first, last = area.first, area.last
        size = (last.row - first.row + 1) * (last.column - first.column + 1)
        self._left -= min(size, len(used))
        if self._left < 0:
            return []
        if size <= len(used):
            places = (At(r, c) for r in range(first.row, last.row + 1) for c in range(first.column, last.column + 1))
            return [at for at in places if at in used]
        return [at for at in used if first.row <= at.row <= last.row and first.column <= at.column <= last.column]

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
    book = Book(sheets, cells, date.fromisoformat(today))
    _KEPT.insert(0, (cells, sheets, today, book))
    del _KEPT[4:]
    return book


def failed(value: Value) -> bool:
    return isinstance(value, Error)
