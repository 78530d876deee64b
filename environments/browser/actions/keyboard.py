"""What keys do on a page: typing and chords."""

from __future__ import annotations

import asyncio

from environments.browser import door
from environments.browser.actions.targeting import Aim, Refused, find, usable_in_view
from environments.browser.observation.control_identity import Look, hold, look_at, look_focus
from environments.browser.observation.screen import Sight
from environments.browser.observation.settling import beat, settle
from protocol import HoldKey, KeyDown, KeyUp, PressKey, Resolved, Type
from protocol.model.keys import write_key

_KEYED_ROLES = frozenset(
    {"textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox", "tree", "grid", "menu", "canvas", "application"}
)
"""What keys are meant for, beside fields that are typed into."""


async def focus(sight: Sight, aim: Aim) -> Look:
    """Give a field the focus, by script and never by a press, and put the caret at its end. Raises Refused."""
    aim = await usable_in_view(sight, aim)
    if aim.spot is None:
        raise Refused(f"{aim.name} is no field: name the field, or click it first")
    look = await look_at(sight, aim, "keys")
    if not look.said.get("editable") and look.role not in _KEYED_ROLES:
        raise Refused(f"{aim.name} is a {look.role} and takes no keys; click it, or name the field that is meant")
    if not await aim.spot.ask("focusOn"):
        raise Refused(f"{aim.name} does not take the keyboard")
    await aim.spot.ask("caretEnd")
    return look


async def _keyed(sight: Sight, action: PressKey | HoldKey | KeyDown | KeyUp | Type) -> tuple[Aim | None, Look, str]:
    """What the keys go to: the target, or what has the focus; held against what was allowed."""
    if action.target is not None:
        aim = await find(sight, action.target)
        look = await focus(sight, aim)
        hold(sight, action, look, aim.name)
        return aim, look, aim.name
    await sight.look()
    look = await look_focus(sight)
    name = f'"{look.name}"' if look.name else "what has the focus"
    hold(sight, action, look, name)
    return None, look, name


async def type_text(sight: Sight, action: Type) -> Resolved | None:
    aim, look, name = await _keyed(sight, action)
    if not look.said.get("editable"):
        where = "it is no field" if aim else "no field has the focus"
        raise Refused(f"{where}, so nothing was typed; name the field as the target, or click what is to be pressed")
    if aim is not None and look.said.get("tag") == "input" and ("\n" in action.text or "\r" in action.text):
        raise Refused(f"{name} takes one line; leave the line breaks out, and set submit to press Enter")
    before, _ = await beat(sight)
    async with door.leaving(sight, look):
        async with door.keys(sight, look, name, focused=aim is None):
            await door.write(sight, action.text)
        if action.submit:
            await door.enter(sight, look, name)
        await settle(sight)
    if action.text and (await beat(sight))[0] == before:
        sight.session.notes.append("nothing on the page changed; no field may have had the focus")
    return aim.resolved if aim else None


async def press_key(sight: Sight, action: PressKey) -> Resolved | None:
    return await _chord(sight, action, 0.0)


async def hold_key(sight: Sight, action: HoldKey) -> Resolved | None:
    return await _chord(sight, action, action.seconds)


async def _chord(sight: Sight, action: PressKey | HoldKey, seconds: float) -> Resolved | None:
    names = [_name(key) for key in action.keys]
    aim, look, name = await _keyed(sight, action)
    async with door.leaving(sight, look):
        async with door.keys(sight, look, name, focused=aim is None):
            await door.chord(sight, names, seconds)
        await asyncio.sleep(0.03)
        await settle(sight)
    return aim.resolved if aim else None


async def key_down(sight: Sight, action: KeyDown) -> None:
    await _half(sight, action, up=False)


async def key_up(sight: Sight, action: KeyUp) -> None:
    await _half(sight, action, up=True)


async def _half(sight: Sight, action: KeyDown | KeyUp, *, up: bool) -> None:
    key = _name(action.key)
    _, look, name = await _keyed(sight, action)
    async with door.leaving(sight, look):
        async with door.keys(sight, look, name, focused=True):
            await door.key_half(sight, key, up=up)
        await settle(sight)


def _name(key: str) -> str:
    name = write_key(key, "playwright")
    if name is None or (len(name) == 1 and not name.isascii()):
        raise Refused(f"this keyboard has no key {key!r}; type it as text")
    return name
