"""The part of a page that a phrase names: a dialog, a group, the row of a thing, the card that a heading begins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from protocol import GUIElement
from roles.policies.rules.pages.reading.words import KIND, plain
from roles.screen.matching import similarity

_DIALOG = re.compile(r"\b(?:dialog|dialogue|pop-?up|modal|window|message box)\b")
_PLACES = frozenset(
    {"dialog", "alertdialog", "group", "radiogroup", "form", "row", "listitem", "menu", "tablist", "article", "region", "list"}
)
_RECORDS = frozenset({"row", "listitem", "group", "article"})
_NOT_NAMED = frozenset(
    {"the", "a", "an", "of", "in", "on", "for", "this", "that", "page", "screen", "left", "right", "top", "bottom", "site"}
)
_SAID = frozenset({"text", "cell", "gridcell", "heading", "label", "rowheader", "listitem", "link", "columnheader"})


def names_in(place: str) -> list[str]:
    """What a place may be called, the whole phrase first: `row of Klara` and then `Klara`, `folder Photos` and then `Photos`."""
    words = place.split()
    found = [place]
    for n in range(1, len(words)):
        if words[n - 1][:1].islower():
            found.append(" ".join(words[n:]))
        else:
            break
    return [name for name in found if any(w.casefold() not in _NOT_NAMED for w in name.split())]


def is_general(place: str) -> bool:
    """Whether a place names no one place: `the list`, `the page`, `the form`."""
    return all(
        w.casefold() in _NOT_NAMED or KIND.fullmatch(w) or w.casefold() in {"form", "menu", "table"} for w in place.split()
    )


def lines(elements: Sequence[GUIElement], anchor: GUIElement) -> list[GUIElement]:
    """What stands on the same line as `anchor`."""
    if anchor.bbox is None:
        return []
    top, bottom = anchor.bbox.y1, anchor.bbox.y2
    return [
        e
        for e in elements
        if e.bbox is not None
        and min(bottom, e.bbox.y2) - max(top, e.bbox.y1) > 0.4 * (min(bottom - top, e.bbox.y2 - e.bbox.y1) or 1)
    ]


def says(element: GUIElement, name: str) -> bool:
    """Whether an element shows the name, as a whole or as whole words."""
    wanted, shown = plain(name), plain(element.name)
    return bool(wanted) and (wanted == shown or re.search(rf"(?<![\w.-]){re.escape(wanted)}(?![\w-]|\.\w)", shown) is not None)


class Scopes:
    """The parts of one page."""

    def __init__(self, elements: Sequence[GUIElement]) -> None:
        self.elements = list(elements)
        self._above = {e.element_id: e.parent for e in elements}

    def inside(self, outer: GUIElement) -> list[GUIElement]:
        below, found = {outer.element_id}, []
        for element in self.elements:
            if element.parent in below:
                below.add(element.element_id)
                found.append(element)
        return found

    def of(self, place: str) -> list[GUIElement] | None:
        """The part that `place` names; all where it names none in particular, None where it names one that is not there."""
        words = plain(place)
        if not words:
            return self.elements
        dialogs = [e for e in self.elements if e.role in {"dialog", "alertdialog"} and e.visible]
        if dialogs and _DIALOG.search(words):
            return self.inside(dialogs[-1])
        for name in names_in(place):
            if found := self._named(name) or self._record(name) or self._under(name):
                return found
        return self.elements if is_general(place) else None

    def _named(self, name: str) -> list[GUIElement] | None:
        named = [e for e in self.elements if e.role in _PLACES and e.name and similarity(name, e.name) >= 0.9]
        named = named or [e for e in self.elements if e.role in _PLACES - _RECORDS and e.name and similarity(name, e.name) >= 0.7]
        return next((inside for e in named if (inside := self.inside(e))), None)

    def _record(self, name: str) -> list[GUIElement] | None:
        """The one row or item that shows the name; the innermost where several stand in each other."""
        exact = [e for e in self.elements if plain(e.name) == plain(name) and e.role in _SAID]
        for said in (exact, [e for e in self.elements if e.role in _SAID and says(e, name)]):
            holders = list(dict.fromkeys(id_ for e in said if (id_ := self._holder(e)) is not None))
            if len(holders) == 1:
                holder = next(e for e in self.elements if e.element_id == holders[0])
                return [holder, *self.inside(holder)]
            if len(holders) > 1:
                return None
        return None

    def _holder(self, element: GUIElement) -> str | None:
        at: str | None = element.element_id
        roles = {e.element_id: e.role for e in self.elements}
        for _ in range(40):
            if at is None:
                return None
            if roles.get(at) in _RECORDS:
                return at
            at = self._above.get(at)
        return None

    def _under(self, name: str) -> list[GUIElement] | None:
        """Without a row: what stands on the line of the name, else what follows it until another such name."""
        anchors = [e for e in self.elements if e.role in _SAID | {"status"} and plain(e.name) == plain(name)]
        anchors = anchors or [e for e in self.elements if e.role in _SAID and says(e, name)]
        if len(anchors) != 1:
            return None
        near = lines(self.elements, anchors[0])
        beside = [e for e in near if e.role == "link" or e.role not in _SAID | _PLACES]
        if beside:
            return [anchors[0], *beside]
        start = self.elements.index(anchors[0])
        rest = self.elements[start + 1 :]
        stop = next((n for n, e in enumerate(rest) if e.role == anchors[0].role and e.role == "heading"), len(rest))
        return [anchors[0], *rest[:stop]]
