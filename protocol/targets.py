"""Which element an action means: track_id > element_id > text > bbox. Source: seed 003.

Ambiguity is an error that lists the candidates; nothing here guesses.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from protocol.elements import ElementId, GUIElement, VisualState
from protocol.geometry import Box, Frozen, Point

Tier = Literal["track_id", "element_id", "text", "bbox"]


class ActionTarget(Frozen):
    """All that is known about the target; the first tier that is given decides."""

    track_id: str | None = None
    element_id: ElementId | None = None
    text: str | None = None
    bbox: Box | None = None

    @model_validator(mode="after")
    def _names_something(self) -> ActionTarget:
        if self.track_id is None and self.element_id is None and self.text is None and self.bbox is None:
            raise ValueError("a target needs track_id, element_id, text or bbox")
        return self

    @classmethod
    def of(cls, element: GUIElement) -> ActionTarget:
        """Every locator that `element` offers, so that a log can be replayed when ids have changed."""
        return cls(track_id=element.track_id, element_id=element.element_id, text=element.text or None, bbox=element.bbox)

    def describe(self) -> str:
        return self.text or self.track_id or self.element_id or str(self.bbox and self.bbox.center)


class Resolved(Frozen):
    """The element an action meant, the tier that found it and the pixel that is pressed."""

    element_id: str
    tier: Tier
    point: Point | None = None


class TargetError(LookupError):
    """The target names no element of the state, or more than one. `candidates` are element ids."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


def resolve(target: ActionTarget, state: VisualState) -> Resolved:
    """Find the one element that `target` means in `state`.

    A tier that is given and matches nothing falls through to the next one that is given.
    Raises TargetError when no tier matches, or when a tier matches several elements.
    """
    for tier, wanted, matches in _tiers(target, state):
        if len(matches) == 1:
            element = matches[0]
            return Resolved(element_id=element.element_id, tier=tier, point=element.bbox.center if element.bbox else None)
        if matches:
            listed = ", ".join(f"{e.element_id} {e.role or 'element'} {e.name!r}" for e in matches[:6])
            ids = tuple(e.element_id for e in matches)
            raise TargetError(f"{len(matches)} elements match {tier} {wanted!r}: {listed}", ids)
    raise TargetError(f"no element on the screen matches {target.describe()!r}")


def _tiers(target: ActionTarget, state: VisualState) -> list[tuple[Tier, object, list[GUIElement]]]:
    found: list[tuple[Tier, object, list[GUIElement]]] = []
    if target.track_id is not None:
        found.append(("track_id", target.track_id, [e for e in state.elements if e.track_id == target.track_id]))
    if target.element_id is not None:
        found.append(("element_id", target.element_id, [e for e in state.elements if e.element_id == target.element_id]))
    if target.text is not None:
        found.append(("text", target.text, _by_text(target.text, state)))
    if target.bbox is not None:
        found.append(("bbox", target.bbox.center, _by_point(target.bbox.center, state)))
    return found


def _by_text(text: str, state: VisualState) -> list[GUIElement]:
    """Exact names first, then names that differ in case and spacing only; visible ones win over hidden ones."""
    folded = " ".join(text.split()).casefold()
    if not folded:
        return []
    exact = [e for e in state.elements if e.text == text]
    loose = [e for e in state.elements if " ".join(e.name.split()).casefold() == folded]
    matches = exact or loose
    return [e for e in matches if e.visible] or matches


def _by_point(point: Point, state: VisualState) -> list[GUIElement]:
    """The innermost visible element under the point: a button inside a panel is the button."""
    hit = [(e.bbox.area, e) for e in state.elements if e.visible and e.bbox and e.bbox.contains(point)]
    least = min((area for area, _ in hit), default=0)
    smallest = [e for area, e in hit if area == least]
    around = {e.parent for e in smallest}
    return [e for e in smallest if e.element_id not in around]
