"""The one door of the adapter: nothing else presses a button of the mouse or a key, sets a field or gives a page files.

Each time the control that is there is looked at once more, held against what was allowed, and the guard in the page lets through
only what falls on it as it was then.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from environments.browser.actions.targeting import SETTLE, Aim, Refused, asked, move, usable
from environments.browser.network.gate import ExpectedRequest
from environments.browser.observation.control_identity import ControlChanged, Look, look_focus, otherwise
from environments.browser.observation.elements import clean
from environments.browser.observation.screen import Sight, Spot
from protocol.model.keys import write_key

PlainButton = Literal["left", "right", "middle"]
_KEYED = 400
"""Characters that are typed one by one; a longer text is put in as a paste is."""
_TRIES = 2


@asynccontextmanager
async def leaving(sight: Sight, look: Look) -> AsyncIterator[None]:
    """What leaves the page while this lasts is held against what the control says it sends."""
    sight.session.gate.begin(sight.session.permit, ExpectedRequest.of(look.said))
    try:
        yield
    finally:
        sight.session.gate.end()


def _chosen(sight: Sight, look: Look, values: Sequence[str]) -> None:
    """What leaves from here on may carry what is about to be chosen in this field."""
    expected = ExpectedRequest.of(look.said).holding(str(look.said.get("field") or ""), values)
    sight.session.gate.begin(sight.session.permit, expected)


@asynccontextmanager
async def modified(sight: Sight, modifiers: Sequence[str]) -> AsyncIterator[None]:
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


async def _arm(sight: Sight, spot: Spot, first: Look, name: str, how: str, mode: str, *given: Any, typed: bool = False) -> None:
    """Look once more, and open the guard for exactly this control. Raises ControlChanged where it is another by now."""
    now = Look(await spot.ask("arm", *given[:1] or [None], how, mode, *given[1:]), spot)
    why = "it is gone from the page" if now.gone else otherwise(first, now, typed=typed)
    if why:
        await _shut(spot)
        raise ControlChanged(f"{name} changed before it was pressed: {why}; look again")
    sight.session.gate.begin(sight.session.permit, ExpectedRequest.of(now.said))


async def _shut(spot: Spot) -> Mapping[str, Any]:
    """Close the guard; what it stopped meanwhile. A page that was left says nothing, and needs no guard."""
    from playwright.async_api import Error

    try:
        said = await spot.eye.handle.evaluate("eye => eye.disarm()")
    except Error:
        return {"fouls": [], "reached": True}
    return dict(said)


def _refuse_fouls(said: Mapping[str, Any], name: str, done: str = "") -> None:
    """Raises ControlChanged for what the guard stopped."""
    if not said["fouls"]:
        return
    kind, why = (clean(part, 120) for part in said["fouls"][0])
    what = "another one" if why == "changed" else f"not where it falls on: that is {why}"
    raise ControlChanged(f"{name} is {what} by the time of the {kind}, which was held back{done}; look again")


async def press(
    sight: Sight,
    aim: Aim,
    first: Look,
    *,
    button: PlainButton = "left",
    count: int = 1,
    hold: float = 0.0,
    modifiers: Sequence[str] = (),
) -> Aim:
    """Move, and press and release `count` times. What moved away meanwhile is aimed at anew."""
    mouse = sight.session.page.mouse
    for attempt in range(_TRIES):
        async with modified(sight, modifiers):
            aim = await move(sight, aim)
            spot = aim.spot or first.spot
            await _arm(sight, spot, first, aim.name, "press", "press", [aim.x - spot.x, aim.y - spot.y])
            for n in range(1, count + 1):
                await mouse.down(button=button, click_count=n)
                if hold:
                    await asyncio.sleep(hold)
                await mouse.up(button=button, click_count=n)
        if sight.session.dialogs:
            return aim
        said = await _shut(spot)
        if said["reached"] or attempt + 1 == _TRIES:
            break
        aim = await usable(sight, await asked(aim))
    if not said["reached"] and not said["fouls"]:
        raise ControlChanged(f"{aim.name} was not reached by the press: something covers it; look again")
    _refuse_fouls(said, aim.name)
    return aim


async def half(sight: Sight, aim: Aim, first: Look, button: PlainButton, *, up: bool) -> None:
    """One half of a press."""
    mouse, spot = sight.session.page.mouse, aim.spot or first.spot
    await _arm(sight, spot, first, aim.name, "press", "up" if up else "down", [aim.x - spot.x, aim.y - spot.y])
    await (mouse.up(button=button) if up else mouse.down(button=button))
    if not sight.session.dialogs:
        _refuse_fouls(await _shut(spot), aim.name)


async def drag(sight: Sight, start: Aim, first: Look, end: Aim, path: Sequence[tuple[float, float]], button: PlainButton) -> None:
    """Press at the start, move along, and drop at the end: no click comes of it."""
    mouse, spot = sight.session.page.mouse, start.spot or first.spot
    there = end.spot if end.spot is not None and end.spot.eye is spot.eye else None
    to = [there.local if there else 0, [end.x - spot.x, end.y - spot.y]]
    await _arm(sight, spot, first, start.name, "press", "drag", [start.x - spot.x, start.y - spot.y], to)
    await mouse.down(button=button)
    try:
        for point in [*path, (end.x, end.y)]:
            await mouse.move(*point, steps=6)
            sight.pointer = point
        await asyncio.sleep(SETTLE)
    finally:
        await mouse.up(button=button)
    if not sight.session.dialogs:
        _refuse_fouls(await _shut(spot), start.name)


@asynccontextmanager
async def keys(sight: Sight, first: Look, name: str, *, focused: bool = False, typed: bool = False) -> AsyncIterator[None]:
    """While this lasts, keys reach this control and no other. Raises ControlChanged where some were held back."""
    await _arm(sight, first.spot, first, name, "focus" if focused else "keys", "keys", typed=typed)
    try:
        yield
    finally:
        said = {"fouls": []} if sight.session.dialogs else await _shut(first.spot)
    _refuse_fouls(said, name, ", and what was typed before it may stand there")


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


async def tap(sight: Sight, key: str, times: int = 1) -> None:
    """A key, where `keys` has opened the way for it."""
    for _ in range(times):
        await sight.session.page.keyboard.press(key)


async def enter(sight: Sight, first: Look, name: str) -> None:
    """Enter in a field that was typed into: all else of its form must be as it was."""
    async with keys(sight, first, name, typed=True):
        await tap(sight, "Enter")


async def escape(sight: Sight) -> None:
    await sight.look()
    async with keys(sight, await look_focus(sight), "the focus", focused=True):
        await tap(sight, "Escape")


async def chord(sight: Sight, names: Sequence[str], seconds: float) -> None:
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


async def key_half(sight: Sight, name: str, *, up: bool) -> None:
    keyboard = sight.session.page.keyboard
    await (keyboard.up(name) if up else keyboard.down(name))


async def _handle(aim: Aim, local: int | None = None) -> Any:
    if (spot := aim.spot) is not None:
        found = await spot.eye.handle.evaluate_handle("(eye, id) => eye.node(id)", spot.local if local is None else local)
        if (handle := found.as_element()) is not None:
            return handle
    raise Refused(f"{aim.name} is gone from the page; look again")


async def put(sight: Sight, aim: Aim, first: Look, text: str) -> None:
    """Replace what a field holds that is typed into."""
    keyboard = sight.session.page.keyboard
    async with keys(sight, first, aim.name):
        if aim.spot is None or not await aim.spot.ask("focusOn", True):
            raise Refused(f"{aim.name} does not take the keyboard")
        await (keyboard.insert_text(text) if text else keyboard.press("Delete"))


async def put_formed(sight: Sight, aim: Aim, first: Look, text: str) -> None:
    """Replace what a field holds that takes values of one form, as a date. Raises Playwright's error for any other text."""
    handle = await _handle(aim)
    async with keys(sight, first, aim.name):
        await handle.fill(text, timeout=3000)


async def choose(sight: Sight, aim: Aim, first: Look, options: Mapping[int, str]) -> None:
    """Options of a native list, by their numbers; what stands beside each is what its form sends."""
    handle = await _handle(aim)
    _chosen(sight, first, list(options.values()))
    await handle.select_option(index=list(options), timeout=3000)


async def give(sight: Sight, aim: Aim, first: Look, local: int, paths: Sequence[Path]) -> None:
    """Files to a file field."""
    handle = await _handle(aim, local)
    _chosen(sight, first, [path.name for path in paths])
    await handle.set_input_files(list(paths), timeout=5000)


async def give_chooser(sight: Sight, aim: Aim, first: Look, paths: Sequence[Path]) -> None:
    """Files to the chooser that a press of the control has opened."""
    from playwright.async_api import Error

    chooser, sight.session.chooser = sight.session.chooser, None
    if chooser is None:
        raise Refused(f"{aim.name} does not take files")
    _chosen(sight, first, [path.name for path in paths])
    try:
        await chooser.set_files(list(paths))
    except Error as bad:
        raise Refused(f"{aim.name} did not take the files: {str(bad).splitlines()[0][:150]}") from None
