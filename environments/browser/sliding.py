"""Sliders that a page draws: set by the arrow keys, read by what the page shows for them."""

from __future__ import annotations

from environments.browser import door
from environments.browser.aiming import Aim, Refused
from environments.browser.keyboard import focus
from environments.browser.looking import Look
from environments.browser.quiet import settle
from environments.browser.sight import Sight, Spot
from protocol import GUIElement

_MOST = 1000
"""Key presses for one value."""
_ROUNDS = 4


async def slide(sight: Sight, aim: Aim, first: Look, text: str) -> None:
    """Move the handle until the page shows `text`, as near as its steps allow. Raises Refused."""
    try:
        wanted = float(text.strip().replace("−", "-"))
    except ValueError:
        raise Refused(f"{aim.name} is a slider and takes a number, not {text[:40]!r}") from None
    spot = aim.spot
    if spot is None:
        raise Refused(f"{aim.name} is gone from the page; look again")
    await focus(sight, aim)
    async with door.keys(sight, first, aim.name):
        await _move(sight, aim, spot, wanted)
    reached = await _level(spot)
    if abs(reached - wanted) > 1e-9:
        sight.session.notes.append(f"{aim.name} now stands at {reached:g}, not at {wanted:g}")


async def _move(sight: Sight, aim: Aim, spot: Spot, wanted: float) -> None:
    step = await _step(sight, spot)
    if not step:
        raise Refused(f"{aim.name} does not move by the arrow keys, or shows no number for where it is")
    for _ in range(_ROUNDS):
        now = await _level(spot)
        presses = round((wanted - now) / step)
        if not presses:
            break
        key = "ArrowRight" if presses > 0 else "ArrowLeft"
        await door.tap(sight, key, min(abs(presses), _MOST))
        await settle(sight, 1.0)
        if await _level(spot) == now:
            break


async def _level(spot: Spot) -> float:
    found = await spot.ask("level")
    return float(found) if found is not None else 0.0


async def _step(sight: Sight, spot: Spot) -> float:
    """How much one key changes the value. What shows the value is found by what changes, and changes back again."""
    for there, back in (("ArrowRight", "ArrowLeft"), ("ArrowLeft", "ArrowRight")):
        first = await _figures(spot)
        said = await spot.ask("level")
        await door.tap(sight, there)
        second = await _figures(spot)
        now = await spot.ask("level")
        await door.tap(sight, back)
        third = await _figures(spot)
        sign = 1.0 if there == "ArrowRight" else -1.0
        if said is not None and now is not None and now != said:
            return sign * (float(now) - float(said))
        moved = [n for n, (a, b, c) in enumerate(zip(first, second, third, strict=False)) if a != b and a == c]
        if moved and len(first) == len(second):
            await spot.ask("tie", moved[0])
            return sign * (second[moved[0]] - first[moved[0]])
    return 0.0


async def _figures(spot: Spot) -> list[float]:
    return [float(n) for n in await spot.eye.evaluate("eye => eye.figures()")]


def is_drawn_slider(element: GUIElement | None, tag: str) -> bool:
    """A slider that is no field of the browser's own."""
    return element is not None and element.role == "slider" and tag != "input"
