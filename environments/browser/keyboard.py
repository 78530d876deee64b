"""What keys do on a page: typing and chords."""

from __future__ import annotations

import asyncio
import re

from environments.browser.aiming import Aim, Refused, find, usable_in_view
from environments.browser.pointer import move
from environments.browser.quiet import beat, settle
from environments.browser.sight import Sight
from protocol import HoldKey, KeyDown, KeyUp, PressKey, Resolved, Type
from protocol.keys import write_key

_KEYED = 400
"""Characters that are typed one by one; a longer text is put in as a paste is."""


async def focus(sight: Sight, aim: Aim) -> Aim:
    """Put the caret at the end of a field, by a press as a person would. Raises Refused."""
    aim = await usable_in_view(sight, aim)
    if aim.spot is None or not await aim.spot.ask("focusIn"):
        aim = await move(sight, aim)
        await sight.session.page.mouse.click(aim.x, aim.y)
        await settle(sight, 1.5)
    if aim.spot is not None:
        if not await aim.spot.ask("focusIn"):
            await aim.spot.ask("focus")
        if not await aim.spot.ask("focusIn"):
            raise Refused(f"{aim.name} does not take the keyboard")
        await aim.spot.ask("caretEnd")
    return aim


async def type_text(sight: Sight, action: Type) -> Resolved | None:
    aim = await find(sight, action.target) if action.target else None
    if aim is not None:
        aim = await focus(sight, aim)
        await _one_line(aim, action.text)
    before, _ = await beat(sight)
    await write(sight, action.text)
    if action.submit:
        await sight.session.page.keyboard.press("Enter")
    await settle(sight)
    if action.text and (await beat(sight))[0] == before:
        sight.session.notes.append("nothing on the page changed; no field may have had the focus")
    return aim.resolved if aim else None


async def _one_line(aim: Aim, text: str) -> None:
    if aim.spot is None or ("\n" not in text and "\r" not in text):
        return
    kind = await aim.spot.ask("kind")
    if kind and kind["tag"] == "input":
        raise Refused(f"{aim.name} takes one line; leave the line breaks out, and set submit to press Enter")


async def write(sight: Sight, text: str) -> None:
    """Key events for what has a key; the rest is put in as text."""
    keyboard = sight.session.page.keyboard
    for piece in re.split(r"(\r\n|\r|\n|\t)", text):
        if piece in ("\r\n", "\r", "\n"):
            await keyboard.press("Enter")
        elif piece == "\t" or len(piece) > _KEYED:
            await keyboard.insert_text(piece)
        elif piece:
            await keyboard.type(piece)


async def press_key(sight: Sight, action: PressKey) -> Resolved | None:
    return await _chord(sight, action, 0.0)


async def hold_key(sight: Sight, action: HoldKey) -> Resolved | None:
    return await _chord(sight, action, action.seconds)


async def _chord(sight: Sight, action: PressKey | HoldKey, seconds: float) -> Resolved | None:
    aim = await focus(sight, await find(sight, action.target)) if action.target else None
    names = [_name(key) for key in action.keys]
    keyboard = sight.session.page.keyboard
    down: list[str] = []
    try:
        for name in names:
            await keyboard.down(name)
            down.append(name)
        if seconds:
            await asyncio.sleep(seconds)
    finally:
        for name in reversed(down):
            await keyboard.up(name)
    await asyncio.sleep(0.03)
    await settle(sight)
    return aim.resolved if aim else None


async def key_down(sight: Sight, action: KeyDown) -> None:
    await sight.session.page.keyboard.down(_name(action.key))
    await settle(sight)


async def key_up(sight: Sight, action: KeyUp) -> None:
    await sight.session.page.keyboard.up(_name(action.key))
    await settle(sight)


def _name(key: str) -> str:
    name = write_key(key, "playwright")
    if name is None or (len(name) == 1 and not name.isascii()):
        raise Refused(f"this keyboard has no key {key!r}; type it as text")
    return name
