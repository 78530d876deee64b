"""The control that an action falls on: what it is, told by parts, and held against what was allowed."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from environments.browser.actions.targeting import Aim, Refused, find
from environments.browser.observation.elements import clean, shown_address
from environments.browser.observation.screen import Sight, Spot
from environments.contract import STOPPED
from environments.effects import ControlSeen
from protocol import GUIElement
from protocol.model import verbs

PARTS = ("page", "role", "name", "shows", "leads", "own", "enter", "form", "around", "handlers")
_OF_AN_EDIT = ("page", "role", "name")
_KEYS = (verbs.PressKey, verbs.HoldKey, verbs.KeyDown, verbs.KeyUp)
_SETS = (verbs.Fill, verbs.SelectOption, verbs.Upload)
_REACHES = (verbs.Click, verbs.Drag, verbs.MouseDown, verbs.MouseUp, verbs.Type, *_SETS, *_KEYS)
_PRESSING = frozenset({"Enter", " ", "Space", "NumpadEnter"})
_MOST_TOLD = 8
_TOKEN = re.compile(r"token|csrf|xsrf|nonce|verification|viewstate|^__|^utf8$|^_method$", re.IGNORECASE)
"""Fields that nearly every form has and nobody reads."""
_NOTHING = ControlSeen(parts={"nothing": "there"})


class Look(NamedTuple):
    """What the page says of one control at one moment."""

    said: Mapping[str, Any]
    spot: Spot

    @property
    def gone(self) -> bool:
        """Whether there is nothing at all."""
        return "i" not in self.said

    @property
    def role(self) -> str:
        return clean(self.said.get("role"), 40)

    @property
    def name(self) -> str:
        return clean(self.said.get("name"), 80)

    def part(self, name: str) -> Any:
        return self.said.get("fields" if name == "form" else name)

    def parts(self, whole: bool = True) -> dict[str, str]:
        """Digests by part: of all parts, or of those that count for what only edits."""
        return {name: _digest(self.part(name)) for name in (PARTS if whole else _OF_AN_EDIT)}

    def told(self) -> tuple[str, ...]:
        """What no screen shows of it, for a person."""
        found = []
        shows = clean(str(self.said.get("shows") or "").split("\n")[0], 200)
        if shows:
            found.append(f"it shows {shows!r} beside its name")
        leads = [clean(line, 300) for line in str(self.said.get("leads") or "").splitlines()]
        found += [f"it leads to: {line}" for line in leads if line and not _plainly(line)]
        unseen = [(clean(n, 40), clean(v, 40)) for n, v, shown in self.said.get("fields") or () if not shown and v]
        listed = [f"{n}={v}" for n, v in unseen if not _TOKEN.search(n)]
        if listed:
            more = ", ..." if len(listed) > _MOST_TOLD else ""
            found.append(f"its form also sends what is not shown: {', '.join(listed[:_MOST_TOLD])}{more}")
        return tuple(found)


def _plainly(line: str) -> bool:
    """Whether the element's own `leads` says all of it."""
    how, _, rest = line.partition(" ")
    return how in ("open", "get", "post", "download") and rest.strip() == shown_address(rest.strip())


def _digest(what: Any) -> str:
    return blake2b(json.dumps(what, ensure_ascii=True, default=str).encode(), digest_size=8).hexdigest()


async def control(sight: Sight, action: verbs.Action) -> ControlSeen | None:
    """The control on which it would fall now; None where it is no press and no key. What is not there is like nothing that is."""
    if not isinstance(action, _REACHES):
        return None
    if sight.session.dialogs:
        return ControlSeen(parts=dialog_parts(sight))
    try:
        looks = await _looks(sight, action)
    except Refused:
        return _NOTHING
    parts: dict[str, str] = {}
    told: list[str] = []
    for prefix, (look, _) in looks.items():
        if look.gone:
            return _NOTHING
        parts |= {f"{prefix}{name}": digest for name, digest in look.parts(presses(action, look)).items()}
        told += look.told() if presses(action, look) else ()
    shown = looks[""][1]
    if shown is None:
        return ControlSeen(parts=parts, told=tuple(told))
    return ControlSeen(parts=parts, role=shown.role or "", name=shown.name, leads=shown.leads or "", told=tuple(told))


def dialog_parts(sight: Sight) -> dict[str, str]:
    """The JavaScript dialog that is open."""
    dialog = sight.session.dialogs[0]
    return {"dialog": _digest([dialog.kind, dialog.message, dialog.page.url])}


async def _looks(sight: Sight, action: verbs.Action) -> dict[str, tuple[Look, GUIElement | None]]:
    """What is there of the control, and of the place that something is dragged to, each with its element on the screen."""
    if action.target is not None:
        how = "keys" if isinstance(action, verbs.Type | verbs.Fill | verbs.HoldKey | verbs.PressKey) else "press"
        aim = await find(sight, action.target, how)
        found = {"": (await looked(sight, aim), aim.element)}
    else:
        await sight.look()
        if isinstance(action, verbs.MouseDown | verbs.MouseUp):
            return {"": (await look_under(sight, *sight.pointer), None)}
        found = {"": (await look_focus(sight), next((e for e in sight.elements if e.focused), None))}
    if isinstance(action, verbs.Drag):
        aim = await find(sight, action.to)
        found["to."] = await looked(sight, aim), aim.element
    return found


def presses(action: verbs.Action, look: Look) -> bool:
    """Whether it counts as a press of the control: everything but an edit of a field."""
    if isinstance(action, verbs.Type | verbs.Fill):
        lines = "\n" in action.text and look.said.get("tag") == "input"
        return action.submit or lines or not look.said.get("editable")
    if isinstance(action, verbs.Upload):
        return look.said.get("type") != "file"
    if isinstance(action, _SETS):
        return look.said.get("tag") not in ("select", "input")
    if isinstance(action, _KEYS):
        keys = action.keys if isinstance(action, verbs.PressKey | verbs.HoldKey) else (action.key,)
        return bool(_PRESSING & set(keys)) or not look.said.get("editable")
    return True


class ControlChanged(Refused):
    """What is there is not what was allowed: nothing was done, and it has to be looked at anew."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{STOPPED}{why}")


async def reviewed(sight: Sight, action: verbs.Action, aim: Aim, prefix: str = "") -> Look:
    """What was said of an aim, held against the permit of the present action. Raises ControlChanged."""
    look = await looked(sight, aim)
    hold(sight, action, look, aim.name, prefix)
    return look


def hold(sight: Sight, action: verbs.Action, look: Look, name: str, prefix: str = "") -> None:
    """Hold what is there against the permit of the present action. Raises ControlChanged."""
    allowed = sight.session.permit.control if sight.session.permit is not None else None
    if look.gone:
        raise ControlChanged(f"{name} is gone from the page; look again")
    if not allowed:
        return
    known = {part.removeprefix(prefix): digest for part, digest in allowed.items() if part.startswith(prefix)}
    now = look.parts(presses(action, look))
    if "dialog" in known:
        raise ControlChanged(f"the dialog is gone, and {name} was not reviewed; look again")
    if other := [part for part in PARTS if (part in now or part in known) and now.get(part) != known.get(part)]:
        raise ControlChanged(f"{name} is not what was reviewed: {_words(other, look)}; look again")


def otherwise(first: Look, then: Look, *, typed: bool = False) -> str:
    """What of a control is different by now, in words; empty where nothing is. What was `typed` into it is not compared."""
    other = [part for part in PARTS if part not in ("form", "around") and first.part(part) != then.part(part)]
    if _fields(first, typed) != _fields(then, typed):
        other.append("form")
    if not typed and not _same_texts(first, then):
        other.append("around")
    return _words(other, then)


def _fields(look: Look, typed: bool) -> list[Any]:
    return [field for field in look.part("form") or () if not (typed and field[0] == look.said.get("field"))]


def _same_texts(first: Look, then: Look) -> bool:
    """Whether the same stands around it, but for words without figures that come and go under a pointer."""
    a, b = Counter(first.part("around")), Counter(then.part("around"))
    passing = [(text, look.said.get("hidden") or ()) for texts, look in ((b - a, first), (a - b, then)) for text in texts]
    return all(text in hidden and not any(c.isdigit() for c in text) for text, hidden in passing)


def _words(other: Sequence[str], now: Look) -> str:
    said = {
        "page": f"it stands on {clean(now.said.get('page'), 120)}",
        "role": f"it is a {now.role}",
        "name": f'it is called "{now.name}"',
        "shows": "it shows something else",
        "leads": f"it leads to {clean(now.said.get('leads'), 200) or 'nowhere'}",
        "own": "its own name, value or address in the page is another",
        "enter": "Enter presses another button there",
        "form": "its form sends other fields or values",
        "around": "other words or values stand around it",
        "handlers": "a press of it runs another script",
    }
    return " and ".join(said[part] for part in other)


async def looked(sight: Sight, aim: Aim) -> Look:
    """What the page said of an aim, or what lies at its point now."""
    return Look(aim.said, aim.spot) if aim.spot is not None else await look_under(sight, aim.x, aim.y)


async def look_under(sight: Sight, x: float, y: float) -> Look:
    """The control at a pixel of the page, in whichever frame that lies."""
    frame, left, top = sight.session.page.main_frame, 0.0, 0.0
    while True:
        eye, hit = await sight.ask(frame, "under", x - left, y - top)
        inner = await sight.inside(frame, eye, hit)
        if inner is None:
            spot = Spot(frame, eye, 0, left, top)
            return Look(await spot.ask("look", [x - left, y - top], "press"), spot)
        dx, dy = await eye.ask("inner", int(hit["i"]))
        frame, left, top = inner, left + float(dx), top + float(dy)


async def look_focus(sight: Sight) -> Look:
    """What has the focus, in whichever frame that is."""
    frame = sight.session.page.main_frame
    while True:
        eye, said = await sight.ask(frame, "look", 0, None, "focus")
        inner = await sight.inside(frame, eye, said)
        if inner is None:
            return Look(said, Spot(frame, eye, int(said["i"]), 0.0, 0.0))
        frame = inner
