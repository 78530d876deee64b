"""A list as it is to be looked through: from its first page, whole, at the day that is meant, or searched for a name."""

from __future__ import annotations

from typing import Any

from protocol import ActionTarget, Fill, GUIElement, SelectOption, Type
from roles.contracts.orders import Records
from roles.policies.orders.skills.lists import pages_of, turn
from roles.policies.orders.skills.situation import Move, Situation, act, press
from roles.screen.screens import fold
from roles.screen.values import parse_date

_TO_DAY = frozenset({"go to date", "go to day", "jump to date", "show from", "from date"})
_LONG = 3
"""Pages from which on it is searched for a name before pages are turned."""


def prepared(records: Records, place: str, state: dict[str, Any], at: Situation) -> Move | None:
    """The next move before a list is read; None when it is as it should be."""
    return _unfiltered(place, at) or _first_page(at) or _searched(records, state, at) or _dated(records, at)


def _first_page(at: Situation) -> Move | None:
    """A list is read from its beginning."""
    pages = pages_of(at)
    if (pages is not None and pages[0] < 2) or at.count("turned back") >= 60:
        return None
    return turn(False, at)


def _unfiltered(place: str, at: Situation) -> Move | None:
    """A choice of a part of the list that was left by others is taken back."""
    for box in at.screen.fields:
        whole = box.options[0] if box.role == "combobox" and box.options else ""
        if fold(whole).startswith("all") and fold(box.value or "") not in {"", fold(whole), fold(place)} and box.enabled:
            return act(SelectOption(target=ActionTarget.of(box), options=(whole,)), f'to see "{whole}"', f'"{whole}" shown')
    return None


def _searched(records: Records, state: dict[str, Any], at: Situation) -> Move | None:
    """What an earlier search left is cleared; in a long list a name is searched for before its pages are turned."""
    field = next((f for f in at.screen.searches if f.enabled and f.role in {"searchbox", "textbox"}), None)
    if field is None:
        return None
    if state["query"] is None:
        pages = pages_of(at)
        named = name_of(records, at)
        long = bool(field.value) or (pages is not None and pages[1] >= _LONG)
        wanted = records.exactly == 1 and records.pick is None and not records.but and long
        state["query"] = named if wanted else ""
    if at.notes.get("searched for", field.value or "") == state["query"] or at.count("search fields") > 5:
        return None
    if fold(field.value or "") != fold(state["query"]):
        at.notes["searched for"] = None
        return act(Fill(target=ActionTarget.of(field), text=state["query"]), f'to search for "{state["query"]}"', "the words")
    at.notes["searched for"] = state["query"]
    return start_search(field, at)


def _dated(records: Records, at: Situation) -> Move | None:
    """A list that shows a span of time is taken to the day that is meant."""
    field = next((f for f in at.screen.fields if f.enabled and fold(f.name) in _TO_DAY), None)
    ordered = (t for t in records.tests if not t.negated and t.relation in {"on", "is", "in", "between", "after"})
    day = next((t.value[:10] for t in ordered if parse_date(t.value[:10]) is not None), "")
    if field is None or not day or at.notes.get("dated") == "shown":
        return None
    if at.notes.get("dated") == day:
        at.notes["dated"] = "shown"
        return start_search(field, at)
    at.notes["dated"] = day
    return act(Fill(target=ActionTarget.of(field), text=day), f"the list is to show {day}", f"{day} in the field")


def start_search(field: GUIElement, at: Situation) -> Move:
    """Press the button that belongs to the search field: one in the same group before one that merely has such a name."""
    buttons = [
        e for e in at.screen.presses if e.role == "button" and e.enabled and fold(e.name) in {"search", "find", "go", "filter"}
    ]
    own = [e for e in buttons if e.parent == field.parent or any(a.element_id == e.parent for a in at.screen.above(field)[:2])]
    return (
        press(own[0], "to search", at=at) if own else act(Type(target=ActionTarget.of(field), text="", submit=True), "to search")
    )


def name_of(records: Records, at: Situation) -> str:
    """Words by which the application can search for them."""
    card = at.kind(records.app, records.kind)
    keys = {"", *(f.label for f in card.fields if f.key)} if card else {""}
    words = (t.value for t in records.tests if t.label in keys and not t.negated and t.relation in {"is", "has", "about"})
    return next((w for w in words if " .. " not in w), "")
