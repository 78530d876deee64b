"""What an approval is bound to beside the action: the control as it was shown, and what stood around it.

A person approves what they see: `Pay` beside `10 EUR to Anna`. Where the same control stands beside other words when it is to be
pressed, in a form with other values or on another site, it is not what was approved, and is asked about anew.
"""

from __future__ import annotations

from collections import Counter

from protocol import GUIElement, VisualState
from roles.leading import page_host

_WHOLE = frozenset({"form", "dialog", "alertdialog", "search"})
_PARTS = frozenset({"row", "listitem", "article", "group", "treeitem"})
_PASSING = frozenset({"status", "alert", "log", "timer", "progressbar", "meter", "tooltip", "note", "img"})
"""What may say something else at any time, and is no part of what is approved."""
_BEFORE, _AFTER = 8, 3
"""Elements around a control that stands in nothing."""
_DEEPEST = 64
_TOLD = 80


def unlike(shown: VisualState, element: GUIElement, now: VisualState, found: GUIElement) -> str:
    """What is different around the control since it was shown, in words; empty where nothing is."""
    then_host, host = page_host(shown), page_host(now)
    if then_host != host:
        return f"the page is on {host or 'no site'} now, and was on {then_host or 'none'}"
    if element.leads != found.leads:
        return f"it leads to {found.leads or 'nowhere'} now, and did to {element.leads or 'nowhere'}"
    if element.shown != found.shown:
        return f"it shows {found.shown or found.name!r} now, and did {element.shown or element.name!r}"
    before, after = _around(shown, element), _around(now, found)
    gone, fresh = before - after, after - before
    if not gone and not fresh:
        return ""
    if gone and fresh:
        return f"{_words(gone)} is now {_words(fresh)}"
    return f"{_words(gone)} is gone" if gone else f"{_words(fresh)} is new"


def _words(said: Counter[tuple[str, str]]) -> str:
    name, value = next(iter(said))
    return repr(f"{name} {value}".strip()[:_TOLD])


def _around(state: VisualState, element: GUIElement) -> Counter[tuple[str, str]]:
    """Names and values of what stands with the control: in its form or dialog, in its row, else next to it."""
    holder = _holder(state, element)
    if holder is not None:
        near = [e for e in state.elements if e is not element and _is_inside(e, holder, state)]
    else:
        at = next(n for n, e in enumerate(state.elements) if e.element_id == element.element_id)
        near = [*state.elements[max(0, at - _BEFORE) : at], *state.elements[at + 1 : at + 1 + _AFTER]]
    return Counter((e.name, e.value or "") for e in near if e.role not in _PASSING and (e.name or e.value))


def _holder(state: VisualState, element: GUIElement) -> GUIElement | None:
    above = [e for e in _above(state, element) if e.role in _WHOLE | _PARTS]
    return next((e for e in above if e.role in _WHOLE), above[0] if above else None)


def _above(state: VisualState, element: GUIElement) -> list[GUIElement]:
    found: list[GUIElement] = []
    at = state.by_id.get(element.parent or "")
    while at is not None and len(found) < _DEEPEST:
        found.append(at)
        at = state.by_id.get(at.parent or "")
    return found


def _is_inside(element: GUIElement, holder: GUIElement, state: VisualState) -> bool:
    return any(above.element_id == holder.element_id for above in _above(state, element))
