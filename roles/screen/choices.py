"""What a page shows as chosen, held or taken: ticked boxes, entries of lists that it draws, items of an order."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.screen.matching import similarity
from roles.screen.page import BOXES, LISTS, PRESSED, Page, Scopes, likeness, lines, listed, plain
from roles.screen.values import same_value

NOTHING = re.compile(r"^(?:nothing|none|no\s+\w+|none of (?:them|these|the \w+))$", re.IGNORECASE)
ALL = re.compile(r"^(?:everything|all(?:\s+of\s+(?:them|these|it))?|all\s+(?:the\s+)?(?:items|options|boxes|checkboxes))$", re.I)
_MARKED = frozenset({"option", "tab", "treeitem", "listitem", "row", "button", "menuitem", "link"})


def taken(names: str, trait: str, each: int, goal: str, state: VisualState) -> bool:
    """So many of each named item are in the order, or so many items with the trait, as the page counts them."""
    found = adding(Page(state, goal))
    if trait:
        return sum(r.quantity for r in found if has_trait(r, trait)) >= each
    wanted, left = listed(names, [r.title for r in found])
    return bool(wanted) and not left and all(r.quantity == each for r in found if r.title in wanted)


def held(label: str, value: str, state: VisualState) -> bool:
    """Whether what is called so shows the value where it is no field: a group of boxes, a list that the page draws, a switch."""
    page = Page(state, "")
    if shows(label, value, page):
        return True
    roles = LISTS | BOXES | {"textbox", "group", "radiogroup"}
    called = any(similarity(label, e.name) >= 0.6 for e in page.elements if e.role in roles)
    return not called and chosen(value, False, True, state)


def chosen(names: str, exact: bool, on: bool, state: VisualState) -> bool:
    """Boxes are ticked, a list shows it, or an entry is selected."""
    boxes = [e for e in state.elements if e.role in BOXES]
    if boxes and (NOTHING.match(names) or ALL.match(names)):
        return all((e.value == "true") == bool(ALL.match(names)) for e in boxes)
    wanted, rest = listed(names, [e.name for e in boxes])
    if wanted and not rest:
        named = all((e.value == "true") == on for e in boxes if e.name in wanted)
        return named and not (exact and any(e.value == "true" for e in boxes if e.name not in wanted))
    for entry in state.elements:
        if entry.role in LISTS and entry.value and (picked := listed(names, entry.options))[0] and not picked[1]:
            return entry.value == ", ".join(picked[0])
    return any(e.role in _MARKED and e.selected and likeness(names, e.name) >= 0.9 for e in state.elements)


class Record(NamedTuple):
    """A control that is there for each of several things, and what stands with it."""

    press: GUIElement
    parts: tuple[GUIElement, ...]

    @property
    def title(self) -> str:
        return next((e.name for e in self.parts if e.role != "heading" and e.name), self.press.name)

    @property
    def quantity(self) -> int:
        """How many are taken already: the number that stands alone before the control."""
        numbers = [e.value or e.name for e in self.parts if re.fullmatch(r"\d{1,3}", (e.value or e.name).strip())]
        return int(numbers[-1]) if numbers else 0

    @property
    def texts(self) -> list[str]:
        return [e.name for e in (*self.parts, self.press) if e.name]


def records(page: Page, controls: list[GUIElement]) -> list[Record]:
    """The parts between two such controls belong to one of them: to the one that follows, where words stand before the first."""
    if not controls:
        return []
    order = {e.element_id: n for n, e in enumerate(page.elements)}
    places = [order[c.element_id] for c in controls]
    said = [n for n, e in enumerate(page.elements) if e.name and e.role in {"text", "cell", "label", "heading"}]
    leads = any(n < places[0] for n in said)
    spans = (
        list(zip([-1, *places[:-1]], places, strict=True)) if leads else list(zip(places, [*places[1:], len(order)], strict=True))
    )
    return [Record(c, tuple(page.elements[a + 1 : b])) for c, (a, b) in zip(controls, spans, strict=True)]


def adding(page: Page) -> list[Record]:
    """What the page offers with a control to take one more of it."""
    return records(page, [e for e in page.elements if e.role in PRESSED and e.enabled and likeness("+", e.name) >= 0.9])


def has_trait(record: Record, trait: str) -> bool:
    return any(likeness(trait, text) >= 0.9 for text in record.texts)


_GROUPS = frozenset({"group", "radiogroup", "listbox", "tablist", "list", "menu", "grid", "table"})
_OPTIONS = frozenset(
    {"option", "menuitem", "menuitemradio", "menuitemcheckbox", "listitem", "treeitem", "radio", "button", "tab"}
)


_ON, _OFF = frozenset({"on", "yes", "true", "checked", "enabled"}), frozenset({"off", "no", "false", "unchecked", "disabled"})


def shows(name: str, value: str, page: Page) -> bool:
    """Whether the page shows that what is called so holds the value."""
    answer = crossed(name, value, page.boxes)
    if answer is not None and answer.value == "true":
        return True
    for part in _parts(name, page):
        marked = [e for e in part if (e.role in BOXES and e.value == "true") or (e.role in _OPTIONS and e.selected)]
        if any(same_value(e.name, value) for e in marked):
            return True
    for e in page.controls:
        called = similarity(name, e.name) >= 0.9
        if e.role in BOXES and called and plain(value) in _ON | _OFF:
            return (e.value == "true") == (plain(value) in _ON)
        holds = e.role in LISTS | {"textbox", "button"} and called and bool(e.value)
        if holds and (same_value(e.value or "", value) or plain(e.value or "") == plain(value)):
            return True
        if e.role in PRESSED and e.name and _labelled(e, name, page) and _ends_with(e.name, value):
            return True
    return False


def _ends_with(name: str, value: str) -> bool:
    return plain(name) == plain(value) or re.search(rf"[:\s-]{re.escape(plain(value))}$", plain(name)) is not None


def _parts(name: str, page: Page) -> list[list[GUIElement]]:
    """What stands in the groups of that name, and on the line of a text of that name."""
    scopes = Scopes(page.elements)
    named = [e for e in page.elements if e.role in _GROUPS and e.name and similarity(name, e.name) >= 0.9]
    found = [inside for e in named if (inside := scopes.inside(e))]
    labels = [e for e in page.texts if plain(e.name).rstrip(" :*") == plain(name)]
    return found or [lines(page.elements, label) for label in labels]


def _labelled(element: GUIElement, name: str, page: Page) -> bool:
    head = re.split(r"\s*[:–-]\s+", element.name, maxsplit=1)[0]
    if similarity(name, head) >= 0.9:
        return True
    if element.expanded is None:
        return False
    at = page.elements.index(element)
    near = [*lines(page.texts, element), *(e for e in page.elements[max(0, at - 1) : at] if e in page.texts)]
    return any(plain(e.name).rstrip(" :*") == plain(name) for e in near)


def crossed(name: str, value: str, boxes: list[GUIElement]) -> GUIElement | None:
    """The box of a grid of questions and answers that is called by both: `Staff are friendly Agree`."""
    both = {plain(f"{name} {value}"), plain(f"{value} {name}")}
    found = [e for e in boxes if plain(e.name) in both]
    return found[0] if len(found) == 1 else None
