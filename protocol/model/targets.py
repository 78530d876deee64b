"""Which element an action means: track_id > element_id > text > bbox > point. Source: seed 003.

Ambiguity is an error that lists the candidates; nothing here guesses.
"""

from functools import lru_cache
from typing import Literal

from pydantic import Field, model_validator

from protocol.model.elements import ElementId, GUIElement, VisualState
from protocol.model.geometry import AnyBox, At, BoundingBox, Coordinate, Frozen, Point, Size

Tier = Literal["track_id", "element_id", "text", "bbox", "point"]


class ActionTarget(Frozen):
    """All that is known about the target; the first tier that is given decides."""

    track_id: str | None = None
    element_id: ElementId | None = None
    text: str | None = None
    bbox: AnyBox | None = None
    """Pixels, or a Region that names its space."""
    point: At | None = None
    """Where exactly; a model that only sees a picture gives nothing else."""
    role: str | None = None
    """Narrows `text`: the button Save, not the heading Save."""
    selector: str | None = None
    """A locator that only the environment can follow, such as a CSS selector or a test id; opaque."""
    description: str | None = None
    """Words for people, as a permission prompt shows them; never used to find anything."""
    state_id: str | None = None
    """The state on which the target was chosen: element_id, bbox and point hold for that one only."""

    @model_validator(mode="after")
    def _names_something(self) -> "ActionTarget":
        tiers = (self.track_id, self.element_id, self.text, self.bbox, self.point, self.selector)
        if all(tier is None for tier in tiers):
            raise ValueError("a target needs track_id, element_id, text, bbox, point or selector")
        return self

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, element: GUIElement) -> "ActionTarget":
        """Every locator that `element` offers, so that a log can be replayed when ids have changed."""
        return cls(track_id=element.track_id, element_id=element.element_id, text=element.text or None, bbox=element.bbox)

    def describe(self) -> str:
        return self.text or self.description or self.track_id or self.element_id or self.selector or self._where()

    def _where(self) -> str:
        at = self.point or self.bbox
        if at is None:
            return "a target that is gone"
        if isinstance(at, BoundingBox):
            return f"{at.center.x}, {at.center.y}"
        x, y = (at.x, at.y) if isinstance(at, Coordinate) else ((at.x1 + at.x2) / 2, (at.y1 + at.y2) / 2)
        return f"{x:g}, {y:g}" + ("" if at.space == "px" else f" {at.space}")


class Resolved(Frozen):
    """The element an action meant, the tier that found it and the pixel that is pressed."""

    element_id: str = ""
    """Empty where a point lies on no known element."""
    tier: Tier
    point: Point | None = None
    known: ActionTarget | None = Field(default=None)
    """Every locator of that element, where the target itself gave fewer: a log can be replayed when ids have changed."""


class TargetError(LookupError):
    """The target names no element of the state, or more than one. `candidates` are element ids."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class StaleTarget(TargetError):
    """The target was chosen on another state, and nothing that outlives a state was given."""


def resolve(target: ActionTarget, state: VisualState) -> Resolved:
    """Find the one element that `target` means in `state`.

    A tier that is given and matches nothing falls through to the next one that is given. A target chosen on another state
    is found by its track_id or text only: the other tiers hold for one state.
    Raises StaleTarget when those were not enough, TargetError when no tier matches, or when a tier matches several elements.
    """
    if target not in state.resolved:  # who reviews, does and records an action asks for the same
        state.resolved[target] = _resolve(target, state)
    found: Resolved = state.resolved[target]
    return found


def _resolve(target: ActionTarget, state: VisualState) -> Resolved:
    stale = target.state_id is not None and target.state_id != state.state_id
    if stale:
        target = target.model_copy(update={"element_id": None, "bbox": None, "point": None})
    for tier, wanted, matches in _tiers(target, state):
        if len(matches) == 1:
            return resolved_to(matches[0], target, tier, state.screen_resolution)
        if matches:
            listed = ", ".join(f"{e.element_id} {e.role or 'element'} {e.name!r}" for e in matches[:6])
            ids = tuple(e.element_id for e in matches)
            raise TargetError(f"{len(matches)} elements match {tier} {wanted!r}: {listed}", ids)
    if stale:
        raise StaleTarget(
            f"the target was chosen on state {target.state_id}, and the screen is now {state.state_id}; observe again"
        )
    if target.point is not None:
        point, (width, height) = target.point.to_px(state.screen_resolution), state.screen_resolution
        if not BoundingBox(x1=0, y1=0, x2=width, y2=height).contains(point):
            raise TargetError(f"the point {point.x}, {point.y} is not on the screen of {width} by {height} pixels")
        return Resolved(tier="point", point=point)
    if target.selector is not None:
        raise TargetError(f"the selector {target.selector!r} cannot be followed on a list of elements")
    raise TargetError(f"no element on the screen matches {target.describe()!r}")


def resolved_to(element: GUIElement, target: ActionTarget, tier: Tier, screen: Size) -> Resolved:
    """The pixel is the point that was given, if it lies on the element, and the element's middle otherwise."""
    point = target.point.to_px(screen) if target.point else None
    if element.bbox and (point is None or not element.bbox.contains(point)):
        point = element.bbox.center
    known = ActionTarget.of(element)
    ways = ((target.track_id, known.track_id), (target.element_id, known.element_id), (target.text, known.text))
    missing = any([mine is None and its is not None for mine, its in (*ways, (target.bbox, known.bbox))])
    return Resolved(element_id=element.element_id, tier=tier, point=point, known=known if missing else None)


def target_element(target: ActionTarget | None, state: VisualState) -> GUIElement | None:
    """The one element that `target` means in `state`; None where there is none, or where several may be meant."""
    try:
        return None if target is None else state.by_id.get(resolve(target, state).element_id or "")
    except TargetError:
        return None


def _tiers(target: ActionTarget, state: VisualState) -> list[tuple[Tier, object, list[GUIElement]]]:
    found: list[tuple[Tier, object, list[GUIElement]]] = []
    names: tuple[Tier, ...] = ("track_id", "element_id")
    for tier in names:
        if (wanted := getattr(target, tier)) is not None:
            found.append((tier, wanted, [e for e in state.elements if getattr(e, tier) == wanted]))
    if target.text is not None:
        found.append(("text", target.text, _by_text(target.text, target.role, state)))
    screen = state.screen_resolution
    if target.bbox is not None:
        found.append(("bbox", middle := target.bbox.to_px(screen).center, _by_point(middle, state)))
    if target.point is not None:
        found.append(("point", point := target.point.to_px(screen), _by_point(point, state)))
    return found


def _by_text(text: str, role: str | None, state: VisualState) -> list[GUIElement]:
    """Exact names first, then names that differ in case and spacing only; visible ones win over hidden ones, and what stands in
    another that has the same name wins over it."""
    folded = " ".join(text.split()).casefold()
    if not folded:
        return []
    named = [e for e in state.elements if role is None or e.role == role]
    exact = [e for e in named if e.text == text]
    matches = exact or [e for e in named if " ".join(e.name.split()).casefold() == folded]
    matches = [e for e in matches if e.visible] or matches
    around = {holder.element_id for e in matches for holder in state.above(e) if holder is not e} if len(matches) > 1 else ()
    return [e for e in matches if e.element_id not in around] or matches


def _by_point(point: Point, state: VisualState) -> list[GUIElement]:
    """The innermost visible element under the point: a button inside a panel is the button."""
    hit = [(e.bbox.area, e) for e in state.elements if e.visible and e.bbox and e.bbox.contains(point)]
    least = min((area for area, _ in hit), default=0)
    smallest = [e for area, e in hit if area == least]
    around = {e.parent for e in smallest}
    return [e for e in smallest if e.element_id not in around]
