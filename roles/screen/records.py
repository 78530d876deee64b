"""Records as a screen shows them, and whether a text holds a value that was named."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz import fuzz

from protocol import GUIElement, VisualState
from roles.contracts.values import parse_date
from roles.screen.matching import tokens
from roles.screen.rows import Row
from roles.screen.screens import FIELD_ROLES, Screen, shown
from roles.screen.texts import fold, has_phrase, words
from roles.screen.values import amount_of, same_value, values_in


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
    return len(name) >= 8 and numbers <= {*values_in("figures", there)} and fuzz.partial_ratio(name, there) >= 92


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
