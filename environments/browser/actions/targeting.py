"""From a target to a pixel that can be pressed, or a sentence why there is none."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from environments.browser.observation.screen import Sight, Spot
from environments.browser.observation.settling import settle
from protocol import ActionTarget, GUIElement, Point, Resolved, TargetError, resolve

SETTLE = 0.03
"""Seconds between moving and pressing: what reacts to the pointer has shown it by then."""


class Refused(Exception):
    """The sentence says what the planner can do about it."""


class Aim(NamedTuple):
    """An element that was meant, and where on the page it is pressed. `spot` is None for a bare point."""

    resolved: Resolved
    spot: Spot | None
    element: GUIElement | None
    x: float
    y: float

    @property
    def given(self) -> bool:
        """Whether the point was the target's own, not the middle of the element."""
        return self.element is None or self.element.bbox is None or self.resolved.point != self.element.bbox.center

    @property
    def name(self) -> str:
        if self.element is None:
            return f"the point {self.x:g}, {self.y:g}"
        return f'"{self.element.name}"' if self.element.text else f"the {self.element.role} {self.element.element_id}"


async def find(sight: Sight, target: ActionTarget) -> Aim:
    """The element that is meant, wherever it is. Raises Refused."""
    await sight.look()
    state = sight.state()
    try:
        resolved = resolve(target, state)
    except TargetError as problem:
        raise Refused(f"{problem}; the page is still loading, wait" if sight.busy else str(problem)) from None
    element = state.by_id.get(resolved.element_id)
    spot = sight.spots.get(resolved.element_id)
    point = resolved.point or Point(0, 0)
    if element is not None and spot is None:
        raise Refused(f"{element.role} {element.element_id} is a notice, not a part of the page")
    return Aim(resolved, spot, element, point.x, point.y)


async def usable(sight: Sight, aim: Aim, *, pressed: bool = True) -> Aim:
    """The same aim, at a point where nothing covers it. Raises Refused where a pointer cannot get to it."""
    if aim.spot is None:
        return aim
    exact = aim.given
    place = await _at_rest(sight, aim, None)
    _check(aim, place, pressed)
    if exact and await aim.spot.ask("at", aim.x - aim.spot.x, aim.y - aim.spot.y):
        return aim
    x, y = place["pt"][0] + aim.spot.x, place["pt"][1] + aim.spot.y
    await _through_frames(sight, aim, x, y)
    resolved = aim.resolved.model_copy(update={"point": Point(int(x), int(y))})
    return aim._replace(resolved=resolved, x=x, y=y)


async def into_view(sight: Sight, aim: Aim) -> None:
    """Scroll so that it can be seen."""
    if aim.spot is not None:
        await aim.spot.ask("show")
        await settle(sight, 1.0)


async def usable_in_view(sight: Sight, aim: Aim) -> Aim:
    """As usable(), but what is out of view is scrolled to first."""
    if aim.spot is not None:
        place = await aim.spot.ask("place", None)
        if place.get("off") or _outside(sight, aim, place):
            await into_view(sight, aim)
    return await usable(sight, aim)


def _outside(sight: Sight, aim: Aim, place: dict[str, Any]) -> bool:
    """Whether it lies in a frame of which this part is out of view."""
    if aim.spot is None or not place.get("pt") or aim.spot.frame.parent_frame is None:
        return False
    x, y = place["pt"][0] + aim.spot.x, place["pt"][1] + aim.spot.y
    width, height = sight.session.rules.size
    return not (0 <= x < width and 0 <= y < height)


async def _at_rest(sight: Sight, aim: Aim, point: list[float] | None) -> dict[str, Any]:
    """Where it is once it no longer moves: an animation carries things off, and swallows presses."""
    assert aim.spot is not None  # noqa: S101 - callers looked
    place: dict[str, Any] = await aim.spot.ask("place", point)
    for _ in range(40):
        if place.get("gone"):
            break
        await asyncio.sleep(0.035)
        then, place = place, await aim.spot.ask("place", point)
        if place.get("b") == then.get("b") and not place.get("moving"):
            break
    return place


def _check(aim: Aim, place: dict[str, Any], pressed: bool) -> None:
    name = aim.name
    if place.get("gone"):
        raise Refused(f"{name} is gone from the page; look again")
    if pressed and place.get("disabled"):
        raise Refused(f"{name} is disabled")
    if place.get("hidden"):
        raise Refused(f"{name} is not shown on the page")
    if place.get("off"):
        way = place["side"]
        hint = f"scroll {way}" if way in ("up", "down", "left", "right") else "scroll its container"
        raise Refused(f"{name} is out of view; {hint}, or scroll with it as the target to bring it into view")
    if place.get("cover"):
        raise Refused(f'{name} is covered by "{str(place["cover"])[:80]}"; close or move that first')


async def _through_frames(sight: Sight, aim: Aim, x: float, y: float) -> None:
    """A point in a frame counts only where the page shows that frame. Raises Refused."""
    width, height = sight.session.rules.size
    if not (0 <= x < width and 0 <= y < height):
        raise Refused(f"{aim.name} is out of view; scroll with it as the target to bring it into view")
    shown = sight.state().by_id.get(aim.resolved.element_id)
    if aim.spot is not None and aim.spot.frame.parent_frame is not None and shown is not None and not shown.visible:
        raise Refused(f"{aim.name} lies in a frame that is covered or out of view; scroll with it as the target")


async def move(sight: Sight, aim: Aim) -> Aim:
    """Bring the pointer there and let the page react; what moves under the pointer is followed."""
    await _to(sight, aim)
    if aim.spot is None or await aim.spot.ask("at", aim.x - aim.spot.x, aim.y - aim.spot.y):
        return aim
    if (await aim.spot.ask("place", None)).get("gone"):
        return aim  # it was replaced on hover: the door looks whether by the same
    aim = await usable(sight, aim)
    await _to(sight, aim)
    return aim


async def _to(sight: Sight, aim: Aim) -> None:
    sight.pointer = aim.x, aim.y
    await sight.session.page.mouse.move(aim.x, aim.y, steps=2)
    await asyncio.sleep(SETTLE)
