"""What a pointer does on a page: move, let the page react, press, and see that something came of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Literal

from environments.browser.aiming import SETTLE, Aim, Refused, find, into_view, usable, usable_in_view
from environments.browser.gate import Expected
from environments.browser.quiet import Pulse, beat, effect, settle
from environments.browser.reading import clean
from environments.browser.sight import Sight
from protocol import Click, Coordinate, Drag, Hover, MouseDown, MouseUp, Resolved, Scroll
from protocol.keys import write_key

NOTCH = 100
WAITS = 0.65
"""Seconds within which a press shows an effect; menus that are fetched take half a second."""
_SWALLOWED = 0.4
_NAME = 200
"""Characters of a name that are compared."""
PlainButton = Literal["left", "right", "middle"]
PLAIN: tuple[PlainButton, ...] = ("left", "right", "middle")
_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "slider"})


def plain_button(button: str) -> PlainButton:
    for plain in PLAIN:
        if button == plain:
            return plain
    raise Refused(f"this mouse has no button {button!r}; say go_back or go_forward")


@asynccontextmanager
async def held(sight: Sight, modifiers: Sequence[str]) -> AsyncIterator[None]:
    """Modifiers down, and up again whatever happens."""
    keyboard = sight.session.page.keyboard
    names = [write_key(key, "playwright") or key for key in modifiers]
    try:
        for name in names:
            await keyboard.down(name)
        yield
    finally:
        for name in reversed(names):
            await keyboard.up(name)


@asynccontextmanager
async def watched(sight: Sight, aim: Aim | None) -> AsyncIterator[None]:
    """A press of a control: what it sends is held against what the control says."""
    session = sight.session
    said = await aim.spot.ask("look", None, "press") if aim is not None and aim.spot is not None else {}
    page = aim.spot.frame.url if aim is not None and aim.spot is not None else session.page.url
    session.gate.begin(session.permit, Expected.of(said.get("expected") or {}, page))
    try:
        yield
    finally:
        session.gate.end()


async def move(sight: Sight, aim: Aim) -> Aim:
    """Bring the pointer there and let the page react; what swaps or moves under the pointer is followed."""
    mouse = sight.session.page.mouse
    await mouse.move(aim.x, aim.y, steps=2)
    await asyncio.sleep(SETTLE)
    if aim.spot is None or await aim.spot.ask("at", aim.x - aim.spot.x, aim.y - aim.spot.y):
        return aim
    if (await aim.spot.ask("place", None)).get("gone"):
        return aim  # it was replaced on hover: what took its place is meant
    aim = await usable(sight, aim)
    await mouse.move(aim.x, aim.y, steps=2)
    await asyncio.sleep(SETTLE)
    return aim


async def click(sight: Sight, action: Click) -> Resolved:
    assert action.target is not None  # noqa: S101 - the verb's own rule
    button = plain_button(action.button)
    aim = await usable(sight, await find(sight, action.target))
    before, _ = await beat(sight)
    async with watched(sight, aim):
        aim = await press(sight, aim, button, action)
        done = await came_of_it(sight, aim, before)
        if await _unheard(sight, aim, before, done):
            await press(sight, aim, button, action)
            sight.session.notes.append("the first press was swallowed, it was pressed once more")
            await came_of_it(sight, aim, before)
    if not sight.session.dialogs and (await _pulse(sight)) == before:
        sight.session.notes.append("nothing on the page changed")
    return aim.resolved


async def press(sight: Sight, aim: Aim, button: PlainButton, action: Click) -> Aim:
    """Move, and press and release `count` times."""
    mouse = sight.session.page.mouse
    async with held(sight, action.modifiers):
        aim = await move(sight, aim)
        if aim.spot is not None:
            await _still_called_so(aim)
            await aim.spot.ask("listen")
        for n in range(1, action.count + 1):
            await mouse.down(button=button, click_count=n)
            if action.hold:
                await asyncio.sleep(action.hold)
            await mouse.up(button=button, click_count=n)
    return aim


async def _still_called_so(aim: Aim) -> None:
    """What is called otherwise once the pointer is on it is not what was meant. Raises Refused."""
    seen = aim.element
    if aim.spot is None or seen is None or not seen.text or seen.role in _FIELDS:
        return
    now, leads = clean(await aim.spot.ask("called", seen.role or "button"), _NAME), seen.leads or ""
    if (await aim.spot.ask("place", None)).get("gone"):
        at = [aim.x - aim.spot.x, aim.y - aim.spot.y]
        other = await aim.spot.eye.evaluate("(eye, at) => eye.inPlace(...at)", at) or {}
        now, leads = clean(other.get("name"), _NAME), clean(other.get("leads"), _NAME)
    if leads != (seen.leads or ""):
        raise Refused(f"{aim.name} is another one now that the pointer is on it, and was not pressed; look again")
    if now and now not in seen.text:
        raise Refused(f'{aim.name} is called "{now[:80]}" now that the pointer is on it, and was not pressed; look again')


async def came_of_it(sight: Sight, aim: Aim, before: Pulse) -> bool:
    """Whether the page shows that it was pressed, once it is at rest."""
    await settle(sight)
    field = aim.element is not None and aim.element.role in _FIELDS
    done = await effect(sight, before, 0.0 if field else WAITS)
    if done and not sight.session.dialogs:
        await settle(sight)
    return done or field


async def _unheard(sight: Sight, aim: Aim, before: Pulse, done: bool) -> bool:
    """Whether to press again: only where the press never reached the element, which still stands there.

    What did reach it may have begun something that does not show, and must not be begun twice.
    """
    from playwright.async_api import Error

    now = await _pulse(sight)
    if aim.spot is None or now.elsewhere() != before.elsewhere():
        return False
    try:
        heard = await aim.spot.eye.evaluate("eye => eye.heard()")
        if heard == "press":
            return False
        await asyncio.sleep(_SWALLOWED)
        await usable(sight, aim)
    except (Error, Refused):
        return False
    if heard and done:
        sight.session.notes.append(
            f"something else changed and the press may not have reached {aim.name}; look before pressing again"
        )
        return False
    return (await _pulse(sight)).elsewhere() == before.elsewhere()


async def _pulse(sight: Sight) -> Pulse:
    return (await beat(sight))[0]


async def hover(sight: Sight, action: Hover) -> Resolved:
    assert action.target is not None  # noqa: S101 - the verb's own rule
    aim = await usable(sight, await find(sight, action.target), pressed=False)
    async with held(sight, action.modifiers):
        aim = await move(sight, aim)
    await settle(sight)
    return aim.resolved


async def drag(sight: Sight, action: Drag) -> Resolved:
    assert action.target is not None  # noqa: S101 - the verb's own rule
    button = plain_button(action.button)
    start = await usable(sight, await find(sight, action.target))
    end = await usable(sight, await find(sight, action.to), pressed=False)
    mouse, size = sight.session.page.mouse, sight.session.rules.size
    async with held(sight, action.modifiers):
        start = await move(sight, start)
        await mouse.down(button=button)
        try:
            for point in [*(_pixel(at, size) for at in action.path), (end.x, end.y)]:
                await mouse.move(*point, steps=6)
            await asyncio.sleep(SETTLE)
        finally:
            await mouse.up(button=button)
    await settle(sight)
    return start.resolved


def _pixel(at: Coordinate, size: tuple[int, int]) -> tuple[float, float]:
    point = at.to_px(size)
    return float(point.x), float(point.y)


async def mouse_down(sight: Sight, action: MouseDown) -> Resolved | None:
    return await _half(sight, action)


async def mouse_up(sight: Sight, action: MouseUp) -> Resolved | None:
    return await _half(sight, action)


async def _half(sight: Sight, action: MouseDown | MouseUp) -> Resolved | None:
    """One half of a press, at the target or where the pointer is."""
    button, aim = plain_button(action.button), None
    if action.target is not None:
        aim = await move(sight, await usable(sight, await find(sight, action.target)))
    mouse = sight.session.page.mouse
    await (mouse.down(button=button) if isinstance(action, MouseDown) else mouse.up(button=button))
    await settle(sight)
    return aim.resolved if aim else None


async def scroll(sight: Sight, action: Scroll) -> Resolved | None:
    """With a target that is out of view, that is brought into view instead."""
    width, height = sight.session.rules.size
    aim = None
    x, y = width / 2, height / 2
    if action.target is not None:
        aim = await find(sight, action.target)
        try:
            aim = await usable(sight, aim, pressed=False)
        except Refused:
            await into_view(sight, aim)
            aim = await usable_in_view(sight, aim._replace(element=None)) if aim.spot is None else aim
            sight.session.notes.append(f"{aim.name} was brought into view")
            return aim.resolved
        x, y = aim.x, aim.y
    across, down = {"notch": (NOTCH, NOTCH), "px": (1, 1), "page": (width * 0.9, height * 0.9)}[action.unit]
    before, _ = await beat(sight)
    mouse = sight.session.page.mouse
    async with held(sight, action.modifiers):
        await mouse.move(x, y)
        await mouse.wheel(action.delta.x * across, action.delta.y * down)
    await asyncio.sleep(0.1)  # a wheel event is acted on in a later frame
    await settle(sight)
    if (await _pulse(sight)).changes == before.changes:
        sight.session.notes.append("already at the end" if action.delta.y > 0 or action.delta.x > 0 else "already at the top")
    return aim.resolved if aim else None
