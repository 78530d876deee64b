"""Skill: single cells of a sheet: go to a cell, write into it, and put a formula right that leaves something out."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import ActionTarget, Click, Fill, GUIElement
from roles.contracts import clauses as c
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press
from roles.policies.rules.skills.writing import put_into
from roles.screen.matching import best, similarity
from roles.screen.screens import shown
from roles.screen.values import amount_of, same_value


def sort(clause: c.Sort, at: Situation) -> Move:
    """Open the sheet, ask to sort, choose column and direction, agree."""
    if at.notes.get("agreed"):
        return done(f"sorted by {clause.column}") if at.screen.dialog is None else fail("the sort dialog is still open")
    if at.screen.dialog is None:
        return _begin(clause, at)
    lists = [f for f in at.screen.fields if f.options]
    column = next((f for f in lists if (_choice(clause.column, f)) is not None), None)
    if column is None:
        return fail(f'nothing here can be sorted by "{clause.column}"')
    if (move := put_into(column, _choice(clause.column, column) or "", at)).kind != "done":
        return move
    order = next((f for f in lists if f is not column and any(o.casefold().startswith(("desc", "asc")) for o in f.options)), None)
    if order is not None:
        way = next((o for o in order.options if o.casefold().startswith("desc" if clause.down else "asc")), "")
        if (move := put_into(order, way, at)).kind != "done":
            return move
    agree = next(
        (e for e in at.screen.presses if e.role == "button" and e.enabled and e.name.casefold() in {"sort", "ok", "apply"}), None
    )
    if agree is None:
        return fail("the dialog cannot be agreed to")
    at.notes["agreed"] = True
    return press(agree, "to sort by it", at=at)


def _choice(column: str, field: GUIElement) -> str | None:
    """`amount` among `D: Amount`."""
    match = best(column, [o for o in field.options if o], lambda o: o.split(":")[-1].strip(), least=0.7)
    return match.item if match else None


def _begin(clause: c.Sort, at: Situation) -> Move:
    if (tab := sheet_tab(clause.sheet, at)) is not None:
        return tab
    button = next(
        (
            e
            for e in at.screen.presses
            if e.role in {"button", "menuitem"} and e.enabled and e.name.casefold().rstrip(".…") == "sort"
        ),
        None,
    )
    if button is None or at.count("begins") > 2:
        return fail("there is no way to sort on this screen", "how to sort")
    return press(button, "to sort the rows", at=at)


def sheet_tab(sheet: str, at: Situation) -> Move | None:
    """A press on the tab of the sheet, unless it is in front."""
    tab = next((e for e in at.screen.presses if e.role == "tab" and similarity(sheet, e.name) >= 0.9), None)
    return press(tab, f'"{tab.name}" is the sheet', at=at) if tab is not None and not tab.selected else None


_PLACE = re.compile(r"([A-Z]{1,3})(\d+)")
_LIST = re.compile(r"[A-Z]{1,3}")


class Line(NamedTuple):
    """One row of the grid that is on the screen: its number, and its cells by the letters of their columns."""

    number: int
    cells: dict[str, GUIElement]


def cell(clause: c.Cell, at: Situation) -> Move:
    """Bring the sheet to the front, go to the cell, write, and see that it is there."""
    text = at.text(clause.value)
    if text is None:
        lacking = at.missing(clause.value)
        return fail(f'the fact "{lacking[0]}" is not known', f"where to find the {lacking[0]}")
    if (tab := _sheet(clause.sheet, at)) is not None:
        return tab
    return _write(clause.place, text, at)


def add_up(clause: c.AddUp, at: Situation) -> Move:
    """Find the row of the total and the figures above it; the formula over all of them goes into its cell."""
    if (tab := _sheet(clause.sheet, at)) is not None:
        return tab
    if "place" not in at.notes:
        found = _short_sum(clause.label, at)
        if found is None:
            return fail(f'there is no row "{clause.label}" with figures above it on the sheet "{clause.sheet}"')
        at.notes["place"], at.notes["formula"] = found
    return _write(str(at.notes["place"]), str(at.notes["formula"]), at)


def _sheet(name: str, at: Situation) -> Move | None:
    if not name:
        return None
    if (tab := sheet_tab(name, at)) is not None:
        return tab if at.count("tabs") < 3 else fail(f'the sheet "{name}" does not come to the front')
    tabs = [e for e in at.screen.presses if e.role == "tab"]
    if any(similarity(name, e.name) >= 0.9 for e in tabs):
        return None
    return fail(f'there is no sheet "{name}"; sheets are {", ".join(e.name for e in tabs) or "none"}')


def lines(at: Situation) -> list[Line]:
    """The rows of the grid; columns are called by letters, rows by numbers."""
    letters = [name for name in at.screen.columns if _LIST.fullmatch(name)]
    found: list[Line] = []
    for row in at.screen.rows:
        kids = at.screen.kids(row)
        if kids and kids[0].role == "rowheader" and kids[0].name.isdigit():
            found.append(Line(int(kids[0].name), dict(zip(letters, kids[1:], strict=False))))
    return found


def _write(place: str, text: str, at: Situation) -> Move:
    there = _element(place, at)
    if at.notes.get("written") and there is not None and _holds(there, text):
        return done(f"{place} holds {text}")
    where, bar = _bars(at)
    if where is None or bar is None:
        return fail("there is no line in which a cell can be edited", "how to write into a cell")
    if at.count("tries") > 8:
        return fail(f"{place} does not take {text!r}")
    if (where.value or "").strip().upper() != place:
        return _go(place, there, where)
    if at.notes.get("written") and there is None and same_value(bar.value or "", text):
        return done(f"{place} holds {text}")
    if same_value(bar.value or "", text) and there is not None and _holds(there, text):
        return done(f"{place} holds {text}")
    at.notes["written"] = True
    return act(Fill(target=ActionTarget.of(bar), text=text, submit=True), f"{place} is to hold {text}", f"{text!r} in {place}")


def _go(place: str, there: GUIElement | None, where: GUIElement) -> Move:
    """By a click when it is in sight, else by its name."""
    if there is not None and there.visible:
        return act(Click(target=ActionTarget.of(there)), f"{place} is the cell that is meant", f"{place} chosen")
    return act(Fill(target=ActionTarget.of(where), text=place, submit=True), f"to go to {place}", f"{place} chosen")


def _bars(at: Situation) -> tuple[GUIElement | None, GUIElement | None]:
    """The line that says which cell is chosen, and the one with what it holds; they are known by what they show."""
    boxes = [f for f in at.screen.inputs if f.role in {"textbox", "combobox"}]
    where = next((f for f in boxes if _PLACE.fullmatch((f.value or "").strip().upper())), None)
    rest = boxes[boxes.index(where) + 1 :] if where is not None else []
    return where, next((f for f in rest if f.role == "textbox"), None)


def _element(place: str, at: Situation) -> GUIElement | None:
    match = _PLACE.fullmatch(place)
    if match is None:
        return None
    return next((line.cells.get(match[1]) for line in lines(at) if line.number == int(match[2])), None)


def _holds(element: GUIElement, text: str) -> bool:
    """A formula shows its result."""
    held = shown(element)
    return (bool(held) and not held.startswith("#")) if text.startswith("=") else same_value(held, text)


def _short_sum(label: str, at: Situation) -> tuple[str, str] | None:
    """The cell of the total that is not what the figures above come to, and the formula that makes it so."""
    table = {line.number: line.cells for line in lines(at)}
    for number, cells in sorted(table.items(), reverse=True):
        if not any(similarity(label, shown(e)) >= 0.9 for e in cells.values() if shown(e)):
            continue
        places = [(letter, _run(letter, number, table)) for letter, e in cells.items() if amount_of(shown(e)) is not None]
        ranges = [(letter, run) for letter, run in places if run]
        wrong = [(letter, run) for letter, run in ranges if not _adds_up(letter, number, run, table)] or ranges
        if wrong:
            letter, run = wrong[0]
            return f"{letter}{number}", f"=SUM({letter}{run[0]}:{letter}{run[-1]})"
    return None


def _run(letter: str, below: int, table: dict[int, dict[str, GUIElement]]) -> list[int]:
    """Numbers of the rows right above that hold figures in this column, from the top."""
    found: list[int] = []
    at = below - 1
    while at in table and (held := table[at].get(letter)) is not None and amount_of(shown(held)) is not None:
        found.insert(0, at)
        at -= 1
    return found


def _adds_up(letter: str, number: int, run: list[int], table: dict[int, dict[str, GUIElement]]) -> bool:
    parts = sum(amount_of(shown(table[row][letter])) or 0 for row in run)
    return abs(parts - (amount_of(shown(table[number][letter])) or 0)) < 0.005
