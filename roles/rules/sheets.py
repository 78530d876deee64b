"""Skill: tables that can be sorted and cells that can be written, in a spreadsheet or any list with such controls."""

from __future__ import annotations

from protocol import GUIElement
from roles.rules import clauses as c
from roles.rules.matching import best, similarity
from roles.rules.moves import Move, Situation, done, fail, press
from roles.rules.writing import put_into


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
