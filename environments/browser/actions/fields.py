"""What is set rather than pressed: values of fields, options of lists, files."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from environments.browser import door
from environments.browser.actions.pointer import WAITS, pressed
from environments.browser.actions.targeting import Aim, Refused, asked, find, usable
from environments.browser.observation.control_identity import Look, hold, look_focus, looked, reviewed
from environments.browser.observation.elements import clean
from environments.browser.observation.screen import Activity, Sight, Spot, beat, effect, settle
from protocol import ActionTarget, Fill, GUIElement, HoldKey, KeyDown, KeyUp, PressKey, Resolved, SelectOption, Type, Upload
from protocol.model.keys import write_key

_KEYED_ROLES = frozenset(
    {"textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox", "tree", "grid", "menu", "canvas", "application"}
)
"""What keys are meant for, beside fields that are typed into."""


async def focus(sight: Sight, aim: Aim) -> Aim:
    """Give a field the focus, by script and never by a press, and put the caret at its end. Raises Refused."""
    aim = await usable(sight, aim, "keys", scroll=True)
    if aim.spot is None:
        raise Refused(f"{aim.name} is not a field: name the field, or click it first")
    look = await looked(sight, aim)
    if not look.said.get("editable") and look.role not in _KEYED_ROLES:
        raise Refused(f"{aim.name} is a {look.role} and takes no keys; click it, or name the field that is meant")
    if not await aim.spot.ask("focusOn"):
        raise Refused(f"{aim.name} does not take the keyboard")
    return aim


async def _keyed(sight: Sight, action: PressKey | HoldKey | KeyDown | KeyUp | Type) -> tuple[Aim | None, Look, str]:
    """What the keys go to: the target, or what has the focus; held against what was allowed."""
    if action.target is not None:
        aim = await focus(sight, await find(sight, action.target, "keys"))
        return aim, await reviewed(sight, action, aim), aim.name
    await sight.look()
    look = await look_focus(sight)
    name = f'"{look.name}"' if look.name else "what has the focus"
    hold(sight, action, look, name)
    return None, look, name


async def type_text(sight: Sight, action: Type) -> Resolved | None:
    aim, look, name = await _keyed(sight, action)
    if not look.said.get("editable"):
        where = "it is not a field" if aim else "no field has the focus"
        raise Refused(f"{where}, so nothing was typed; name the field as the target, or click what is to be pressed")
    if aim is not None and look.said.get("tag") == "input" and ("\n" in action.text or "\r" in action.text):
        raise Refused(f"{name} takes one line; leave the line breaks out, and set submit to press Enter")
    before = (await beat(sight)).pulse
    async with door.leaving(sight, look):
        async with door.keys(sight, look, name, focused=aim is None):
            await door.write(sight, action.text)
        if action.submit:
            await door.enter(sight, look, name)
        await _offered(sight, look.role)
    if action.text and (await beat(sight)).pulse == before:
        sight.session.notes.append("nothing on the page changed; no field may have had the focus")
    return aim.resolved if aim else None


async def press_keys(sight: Sight, action: PressKey | HoldKey | KeyDown | KeyUp) -> Resolved | None:
    keys = (action.key,) if isinstance(action, KeyDown | KeyUp) else action.keys
    names = [_name(key) for key in keys]
    aim, look, name = await _keyed(sight, action)
    async with door.leaving(sight, look):
        async with door.keys(sight, look, name, focused=aim is None):
            if isinstance(action, KeyDown | KeyUp):
                await door.key_half(sight, names[0], up=isinstance(action, KeyUp))
            else:
                await door.chord(sight, names, action.seconds if isinstance(action, HoldKey) else 0.0)
        await asyncio.sleep(0.03)
        await settle(sight)
    return aim.resolved if aim else None


def _name(key: str) -> str:
    name = write_key(key, "playwright")
    if name is None or (len(name) == 1 and not name.isascii()):
        raise Refused(f"this keyboard has no key {key!r}; type it as text")
    return name


_MOST = 1000
"""Key presses for one value."""
_ROUNDS = 4


async def slide(sight: Sight, aim: Aim, first: Look, text: str) -> None:
    """Move the handle until the page shows `text`, as near as its steps allow. Raises Refused."""
    try:
        wanted = float(text.strip().replace("−", "-"))
    except ValueError:
        raise Refused(f"{aim.name} is a {first.role} and takes a number, not {text[:40]!r}") from None
    spot = aim.spot
    if spot is None:
        raise Refused(f"{aim.name} is gone from the page; look again")
    await focus(sight, aim)
    keys = ("ArrowUp", "ArrowDown") if first.role == "spinbutton" else ("ArrowRight", "ArrowLeft")
    async with door.keys(sight, first, aim.name):
        step = await _step(sight, spot, keys)
        if not step:
            raise Refused(f"{aim.name} does not move by the arrow keys, or shows no number for where it is")
        for _ in range(_ROUNDS):
            now = await _level(spot)
            presses = round((wanted - now) / step)
            if not presses:
                break
            await door.tap(sight, keys[presses < 0], min(abs(presses), _MOST))
            await settle(sight, 1.0)
            if await _level(spot) == now:
                break
    reached = await _level(spot)
    if abs(reached - wanted) > 1e-9:
        sight.session.notes.append(f"{aim.name} now stands at {reached:g}, not at {wanted:g}")


async def _level(spot: Spot) -> float:
    found = await spot.ask("level")
    return float(found) if found is not None else 0.0


async def _step(sight: Sight, spot: Spot, keys: tuple[str, str]) -> float:
    """How much one key changes the value. What shows the value is found by what changes, and changes back again."""
    for there, back in (keys, keys[::-1]):
        first = await _figures(spot)
        said = await spot.ask("level")
        await door.tap(sight, there)
        second = await _figures(spot)
        now = await spot.ask("level")
        await door.tap(sight, back)
        third = await _figures(spot)
        sign = 1.0 if there == keys[0] else -1.0
        if said is not None and now is not None and now != said:
            return sign * (float(now) - float(said))
        moved = [n for n, (a, b, c) in enumerate(zip(first, second, third, strict=False)) if a != b and a == c]
        if moved and len(first) == len(second):
            await spot.ask("tie", moved[0])
            return sign * (second[moved[0]] - first[moved[0]])
    return 0.0


async def _figures(spot: Spot) -> list[float]:
    return [float(n) for n in await spot.eye.ask("figures")]


_SHAPES = {
    "date": "2026-12-31",
    "time": "23:59",
    "datetime-local": "2026-12-31T23:59",
    "month": "2026-12",
    "week": "2026-W53",
    "color": "#ff8800",
    "number": "12.5",
    "range": "50",
}
_TICKS = {"true": "true", "on": "true", "false": "false", "off": "false"}
_CHOICES = frozenset(
    {"option", "menuitem", "menuitemradio", "menuitemcheckbox", "radio", "treeitem", "listitem", "button", "link"}
)


async def fill(sight: Sight, action: Fill) -> Resolved:
    aim = await usable(sight, await find(sight, action.target, "keys"), "keys", scroll=True)
    kind = _kind(aim)
    first = await reviewed(sight, action, aim)
    rest: Activity | None = None
    async with door.leaving(sight, first):
        drawn = aim.element is not None and aim.element.role in ("slider", "spinbutton") and kind.tag != "input"
        if drawn and not kind.editable:  # with keys for more and less, and no field of the browser's own
            await slide(sight, aim, first, action.text)
        elif kind.type in ("checkbox", "radio"):
            wanted = _TICKS.get(action.text.strip().casefold())
            if wanted is None:
                raise Refused(f"{aim.name} is ticked with 'true' or 'false', not {action.text[:40]!r}")
            if aim.spot is None or await aim.spot.ask("holds") != wanted:
                await door.press(sight, aim, first)
        elif kind.tag == "select":
            await _choose(sight, aim, first, kind, (action.text,))
        else:
            rest = await _set(sight, aim, kind, action.text)
        if action.submit:
            await door.enter(sight, first, aim.name)
            rest = None
        await _offered(sight, first.role, rest)
    return aim.resolved


async def _offered(sight: Sight, role: str, rest: Activity | None = None) -> None:
    """Wait until the page is at rest, unless it came to it already, and for what it looks up for a text: it begins a moment after
    the last key."""
    rest = rest or await settle(sight)
    if role in ("combobox", "searchbox") and await effect(sight, rest or (await beat(sight)).pulse, WAITS):
        await settle(sight)


class FieldKind(NamedTuple):
    """What the page says of a field, by its tag and its attributes."""

    tag: str
    type: str
    role: str | None
    editable: bool
    readonly: bool
    multiple: bool
    opens: bool
    file: int | None
    """The file field that it stands for."""


def _kind(aim: Aim) -> FieldKind:
    kind = aim.said.get("kind")
    if kind is None:
        raise Refused(f"{aim.name} is not a field")
    return FieldKind(**{name: kind[name] for name in FieldKind._fields})


async def _set(sight: Sight, aim: Aim, kind: FieldKind, text: str) -> Activity | None:
    """The pulse with which the page came to rest."""
    from playwright.async_api import Error

    if kind.type == "file":
        raise Refused(f"{aim.name} takes files; say upload")
    if not (kind.editable or kind.tag in ("input", "textarea")) or kind.type in ("button", "submit", "reset", "image"):
        raise Refused(f"{aim.name} is a {kind.role or kind.tag}, which cannot be filled; click it or choose an option")
    if kind.readonly:
        raise Refused(f"{aim.name} can only be read; there may be a button beside it that sets it")
    if kind.tag == "input" and ("\n" in text or "\r" in text):
        raise Refused(f"{aim.name} takes one line; leave the line breaks out, and set submit to press Enter")
    first = await looked(sight, aim)
    try:
        await (door.put_formed if kind.type in _SHAPES else door.put)(sight, aim, first, text)
    except Error as bad:
        if "Malformed value" in str(bad) or "Cannot type text" in str(bad):
            raise _misshapen(aim, kind.type, text) from None
        raise
    rest = await settle(sight, 1.5)
    if text and kind.type in _SHAPES and aim.spot is not None and await aim.spot.ask("holds") == "":
        raise _misshapen(aim, kind.type, text)
    holds = await aim.spot.ask("holds") if aim.spot else None
    if holds is not None and " ".join(str(holds).split()) != " ".join(text.split()):
        private = aim.element is not None and aim.element.private
        what = "something else" if private else repr(clean(holds, 100))
        sight.session.notes.append(f"{aim.name} now holds {what}, not what was filled in")
    return rest


def _misshapen(aim: Aim, kind: str, text: str) -> Refused:
    shape = _SHAPES.get(kind, "another form")
    return Refused(f"{aim.name} does not take {text[:60]!r}; it is a {kind} field, as in {shape!r}")


async def select_option(sight: Sight, action: SelectOption) -> Resolved:
    aim = await usable(sight, await find(sight, action.target), scroll=True)
    kind = _kind(aim)
    first = await reviewed(sight, action, aim)
    async with door.leaving(sight, first):
        if kind.tag == "select":
            await _choose(sight, aim, first, kind, action.options)
        elif kind.tag == "input" and aim.element is not None and aim.element.options:
            await _set(sight, await asked(aim, "keys"), kind, _one(aim, aim.element.options, action.options))
        else:
            await _press_option(sight, aim, first, kind, action.options)
        await settle(sight)
    return aim.resolved


def _one(aim: Aim, options: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    if len(wanted) > 1:
        raise Refused(f"{aim.name} takes one option, not {len(wanted)}")
    found = _matching(options, wanted[0])
    if not found:
        raise _no_option(aim, wanted[0], options)
    return options[found[0]]


def _matching(options: tuple[str, ...], wanted: str) -> list[int]:
    """Where that option is: exactly, or but for case and spacing."""
    folded = " ".join(wanted.split()).casefold()
    exact = [n for n, option in enumerate(options) if option == wanted]
    return exact or [n for n, option in enumerate(options) if " ".join(option.split()).casefold() == folded]


def _no_option(aim: Aim, wanted: str, options: tuple[str, ...]) -> Refused:
    listed = ", ".join(option for option in options[:30] if option)
    return Refused(f"{aim.name} has no option {wanted[:80]!r}; options are: {listed or 'none'}")


async def _choose(sight: Sight, aim: Aim, first: Look, kind: FieldKind, wanted: tuple[str, ...]) -> None:
    """In a native list, by the number of the option: its text never becomes a selector."""
    if len(wanted) > 1 and not kind.multiple:
        raise Refused(f"{aim.name} takes one option, not {len(wanted)}")
    assert aim.spot is not None  # noqa: S101 - it has a kind
    options = await aim.spot.ask("options")
    labels = tuple(clean(option["label"]) for option in options)
    values = tuple(clean(option["value"]) for option in options)
    chosen = {}
    for one in wanted:
        found = _matching(labels, one) or _matching(values, one)
        if not found:
            raise _no_option(aim, one, labels)
        if options[found[0]]["off"]:
            raise Refused(f"the option {one[:80]!r} of {aim.name} is disabled")
        chosen[int(options[found[0]]["n"])] = str(options[found[0]]["value"])
    await door.choose(sight, aim, first, chosen)


async def _press_option(sight: Sight, aim: Aim, first: Look, kind: FieldKind, wanted: tuple[str, ...]) -> None:
    """In a list that a page draws: open it, find the text in what it opened, press that."""
    if len(wanted) > 1:
        raise Refused(f"{aim.name} takes one option at a time")
    if not kind.opens:
        raise Refused(f"{aim.name} is a {first.role} and no list; click it, look, and click what is meant")
    known = {e.element_id for e in sight.elements if e.visible}
    within = _inside(sight, aim)
    option = _option(within, wanted[0])
    if option is None:
        aim = await pressed(sight, aim, first)
        option, within = await _unfolded(sight, aim, known, wanted[0])
    typed = option is None and kind.tag == "input" and not kind.readonly
    if typed:  # it lists what fits a text that is typed
        rest = await _set(sight, await asked(aim, "keys"), kind, wanted[0])
        await _offered(sight, first.role, rest)
        option, within = await _unfolded(sight, aim, known, wanted[0])
    if option is None:
        if typed:
            await _set(sight, await asked(aim, "keys"), kind, (aim.element and aim.element.value) or "")
        await door.escape(sight)
        raise _no_option(aim, wanted[0], tuple(e.name for e in within))
    chosen = await usable(sight, await find(sight, ActionTarget(track_id=option.track_id)))
    meant = await looked(sight, chosen)
    if str(meant.said.get("leads") or "").startswith(("open", "download")) or meant.said.get("sends"):
        raise Refused(f"{option.name[:80]!r} leads elsewhere or sends a form, and is not an option of a list; look, and click it")
    await door.press(sight, chosen, meant)


async def _unfolded(sight: Sight, aim: Aim, known: set[str], wanted: str) -> tuple[GUIElement | None, list[GUIElement]]:
    """The option of that name among what is shown now and was not `known`, and all that is offered there."""
    await sight.look()
    fresh = [e for e in sight.elements if e.visible and e.element_id not in known]
    offered = [e for e in fresh or _inside(sight, aim) if e.role in _CHOICES or e.role in ("text", "cell")]
    return _option(offered, wanted), [e for e in offered if e.role == "option"] or offered


def _inside(sight: Sight, aim: Aim) -> list[GUIElement]:
    held = sight.state().within(aim.element) if aim.element is not None else ()
    return [e for e in held if e.visible and e.role in _CHOICES]


def _option(offered: list[GUIElement], wanted: str) -> GUIElement | None:
    found = _matching(tuple(e.name for e in offered), wanted)
    return offered[found[0]] if found else None


async def upload(sight: Sight, action: Upload) -> Resolved:
    """To a file field, to the label of one, or to a control that opens a file chooser."""
    paths = [_allowed(sight, name) for name in action.files]
    aim = await find(sight, action.target)
    kind = _kind(aim)
    if len(paths) > 1 and kind.file == (aim.spot.local if aim.spot else None) and not kind.multiple:
        raise Refused(f"{aim.name} takes one file, not {len(paths)}")
    first = await reviewed(sight, action, aim)
    async with door.leaving(sight, first):
        if kind.file is not None and aim.spot is not None:
            await door.give(sight, aim, first, int(kind.file), paths)
        else:
            aim = await usable(sight, aim, scroll=True)
            if sight.session.chooser is None:
                aim = await pressed(sight, aim, first)
            await door.give_chooser(sight, aim, first, paths)
            sight.session.notes[:] = [note for note in sight.session.notes if "asks for a file" not in note]
        await settle(sight)
    return aim.resolved


def _allowed(sight: Sight, name: str) -> Path:
    """A file in the folder for uploads, or one that was downloaded: no other file of the machine may leave it."""
    rules = sight.session.rules
    folders = [folder.resolve() for folder in (rules.uploads, sight.session.downloads) if folder is not None]
    for folder in folders:
        try:
            path = (folder / name).resolve(strict=True)  # else what stands behind a circle of links is not followed
            if path.is_relative_to(folder) and path.is_file():
                return path
        except (OSError, ValueError, RuntimeError):
            continue
    here = sorted({p.name for folder in folders if folder.is_dir() for p in folder.iterdir() if p.is_file()})[:30]
    raise Refused(f"there is no file {name[:100]!r} to upload; files are: {', '.join(here) or 'none'}")
