"""What a pointer does on a page: move, let the page react, press, and see that something came of it."""

import asyncio

from environments.browser import door
from environments.browser.actions.targeting import Aim, Refused, asked, find, find_usable, into_view, move, usable
from environments.browser.door import PlainButton
from environments.browser.observation.control_identity import Look, reviewed
from environments.browser.observation.screen import Activity, Sight, beat, effect, settle
from protocol import Click, Drag, Hover, MouseDown, MouseUp, Point, Resolved, Scroll

NOTCH = 100
WAITS = 0.65
"""Seconds within which a press shows an effect; menus that are fetched take half a second."""
_SWALLOWED = 0.4
PLAIN: tuple[PlainButton, ...] = ("left", "right", "middle")
_PRESSED = frozenset({"button", "link", "checkbox", "radio", "switch", "tab", "option", "menuitem", "summary", "treeitem"})
_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "slider"})


def plain_button(button: str) -> PlainButton:
    for plain in PLAIN:
        if button == plain:
            return plain
    raise Refused(f"this mouse has no button {button!r}; say go_back or go_forward")


async def click(sight: Sight, action: Click) -> Resolved:
    button = plain_button(action.button)
    aim = await find_usable(sight, action.target)
    first = await reviewed(sight, action, aim)
    before = await _pulse(sight)

    async def press(aim: Aim) -> Aim:
        count, held = action.count, action.hold
        return await door.press(sight, aim, first, button=button, count=count, hold=held, modifiers=action.modifiers)

    async with door.leaving(sight, first):
        aim = await press(aim)
        done = await _came_of_it(sight, aim, before)
        if await _unheard(sight, aim, before, done):
            await press(aim)
            sight.session.notes.append("the first press was swallowed, it was pressed once more")
            await _came_of_it(sight, aim, before)
    if not sight.session.dialogs and (await _pulse(sight)) == before:
        sight.session.notes.append("nothing on the page changed")
    return aim.resolved


async def pressed(sight: Sight, aim: Aim, first: Look) -> Aim:
    """Press it once, and wait for what comes of it."""
    before = await _pulse(sight)
    aim = await door.press(sight, aim, first)
    await _came_of_it(sight, aim, before)
    return aim


async def _came_of_it(sight: Sight, aim: Aim, before: Activity) -> bool:
    """Whether the page shows that it was pressed, once it is at rest."""
    rest = await settle(sight)
    if rest is not None and rest.content() != before.content():
        return True
    field = aim.element is not None and aim.element.role in _FIELDS
    done = await effect(sight, before, 0.0 if field else WAITS)
    if done and not sight.session.dialogs:
        await settle(sight)
    return done or field


async def _unheard(sight: Sight, aim: Aim, before: Activity, done: bool) -> bool:
    """Whether to press again: only where the press never reached the element, which still stands there.

    What did reach it may have begun something that does not show, and must not be begun twice.
    """
    from playwright.async_api import Error

    if aim.spot is None:
        return False
    try:
        heard = await aim.spot.eye.ask("heard")
        if heard == "press" or (await _pulse(sight)).elsewhere() != before.elsewhere():
            return False
        await asyncio.sleep(_SWALLOWED)
        await usable(sight, await asked(aim))
    except (Error, Refused):
        return False
    if heard and done:
        sight.session.notes.append(
            f"something else changed and the press may not have reached {aim.name}; look before pressing again"
        )
        return False
    return (await _pulse(sight)).elsewhere() == before.elsewhere()


async def _pulse(sight: Sight) -> Activity:
    return (await beat(sight)).pulse


async def hover(sight: Sight, action: Hover) -> Resolved:
    aim = await find_usable(sight, action.target, pressed=False)
    async with door.modified(sight, action.modifiers):
        aim = await move(sight, aim)
    await settle(sight)
    return aim.resolved


async def drag(sight: Sight, action: Drag) -> Resolved:
    button = plain_button(action.button)
    start = await find_usable(sight, action.target)
    end = await find_usable(sight, action.to, pressed=False)
    first, last = await reviewed(sight, action, start), await reviewed(sight, action, end, "to.")
    if first.role in _PRESSED and first.said.get("i") == last.said.get("i"):
        raise Refused(f"{start.name} is pressed, not dragged onto itself: click it")
    points = [at.to_px(sight.session.rules.size) for at in action.path]
    async with door.modified(sight, action.modifiers), door.leaving(sight, first):
        start = await move(sight, start)
        await door.drag(sight, start, first, end, [(float(point.x), float(point.y)) for point in points], button)
        await settle(sight)
    return start.resolved


async def half(sight: Sight, action: MouseDown | MouseUp) -> Resolved | None:
    """One half of a press, at the target or where the pointer is."""
    button = plain_button(action.button)
    if action.target is not None:
        aim = await find_usable(sight, action.target)
    else:
        x, y = sight.pointer
        await sight.look()
        aim = Aim(Resolved(tier="point", point=Point(int(x), int(y))), None, None, x, y)
    first = await reviewed(sight, action, aim)
    async with door.leaving(sight, first):
        if action.target is not None:
            aim = await move(sight, aim)
        await door.half(sight, aim, first, button, up=isinstance(action, MouseUp))
        await settle(sight)
    return aim.resolved if action.target is not None else None


async def scroll(sight: Sight, action: Scroll) -> Resolved | None:
    """With a target that is out of view, that is brought into view instead. A page of it is nine tenths of what is scrolled."""
    width, height = sight.session.rules.size
    aim = None
    x, y = width / 2, height / 2
    if action.target is not None:
        aim = await find(sight, action.target)
        try:
            aim = await usable(sight, aim, pressed=False)
        except Refused:
            await into_view(sight, aim)
            sight.session.notes.append(f"{aim.name} was brought into view")
            return aim.resolved
        x, y = aim.x, aim.y
    across, down = {"notch": (NOTCH, NOTCH), "px": (1, 1), "page": (width * 0.9, height * 0.9)}[action.unit]
    before = await _pulse(sight)
    mouse = sight.session.page.mouse
    if action.unit == "page":
        _, whole = await sight.ask(sight.session.page.main_frame, "scrolled", x, y)
        across, down = (min(largest, float(size) * 0.9) for largest, size in zip((across, down), whole, strict=True))
    async with door.modified(sight, action.modifiers):
        await mouse.move(x, y)
        await mouse.wheel(action.delta.x * across, action.delta.y * down)
    await asyncio.sleep(0.1)  # a wheel event is acted on in a later frame
    await settle(sight)
    if (await _pulse(sight)).changes == before.changes:
        sight.session.notes.append("already at the end" if action.delta.y > 0 or action.delta.x > 0 else "already at the top")
    return aim.resolved if aim else None
