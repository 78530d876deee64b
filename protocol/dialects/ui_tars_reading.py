"""What UI-TARS's calls mean: one reader for each verb, old spellings included."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from protocol.actions import AgentAction
from protocol.dialects.base import DialectError, Fields, at, build, checked_number
from protocol.dialects.saying import read_chord
from protocol.dialects.ui_tars_text import NAME, Said
from protocol.geometry import Size, Space
from protocol.targets import ActionTarget

SCROLL = 5
"""Notches of a scroll, which never says how far; UI-TARS's executor turns the wheel by so many."""
WAIT = 5.0
"""Seconds of a wait, which never says how long."""
LONG_PRESS = 1.0
"""Seconds of a long press that does not say how long."""
HELP = "The agent asks for help."
"""The question of a `call_user`, which has no words of its own."""
CARRIED = frozenset({"press_home", "open_computer"})
"""Verbs that we lack."""

_NUMBERS = re.compile(
    r"(?:<\|box_start\|>|<point>|<bbox>)?\s*+[(\[]?([-+.\deE,\s]++)[)\]]?\s*+(?:<\|box_end\|>|</point>|</bbox>)?"
)


def read_call(call: Said, space: Space, image: Size | None) -> AgentAction:
    """The action that `call` means; its numbers count in `space`. Raises DialectError."""
    read = _READ.get(call.name)
    if read is None:
        raise DialectError(NAME, call.where, f"there is no verb {call.name[:40]!r}; verbs are {', '.join(_READ)}")
    reading = _Reading(call, space, image)
    action = read(reading)
    reading.fields.end()
    return action


class _Reading:
    """One call that is read."""

    def __init__(self, call: Said, space: Space, image: Size | None) -> None:
        self.call = call
        self.where = call.where
        self.fields = Fields(NAME, call.args, call.where)
        self._space = space
        self._image = image

    def build(self, verb: str, **fields: Any) -> AgentAction:
        return build(NAME, self.where, action_type=verb, **fields)

    def target(self, *names: str) -> Any:
        """The place in the first of these arguments that is given; None where none is."""
        given = [name for name in names if name in self.fields]
        return self._place(given[0], self.fields.text(given[0])) if given else None

    def _place(self, name: str, text: str) -> ActionTarget | dict[str, Any]:
        where = f"{self.where}.{name}"
        match = _NUMBERS.fullmatch(text.strip())
        try:
            numbers = [_number(part) for part in re.split(r"[,\s]+", match[1].strip())] if match else []
        except ValueError:  # signs without digits, or thousands of digits
            numbers = []
        if len(numbers) not in (2, 4):
            raise DialectError(NAME, where, "a point or a box is needed, such as (10,20) or <point>10 20</point>")
        x1, y1, *corner = (checked_number(NAME, where, number) for number in numbers)
        if not corner or corner == [x1, y1]:
            return at(x1, y1, self._space, self._image, NAME, where)
        box = {"x1": x1, "y1": y1, "x2": corner[0], "y2": corner[1]}
        return {"bbox": box if self._space == "px" else {"space": self._space, "image_size": self._image, **box}}

    def start(self) -> Any:
        return self.target("start_box", "point", "start_point")

    def keys(self, older: str) -> tuple[str, ...]:
        """The chord in `key`, or under its older name. Separated by blanks; `ctrl+c` is read as well."""
        name = "key" if "key" in self.fields else older
        text = self.fields.text(name).strip()
        return tuple(key for part in text.split() or [text] for key in read_chord(part, "uitars", NAME, f"{self.where}.{name}"))

    def key(self) -> str:
        keys = self.keys("press")
        return keys[0] if len(keys) == 1 else self.fields.refuse("key", "one key is needed, not a chord")


def _number(text: str) -> int | float:
    return float(text) if re.search("[.eE]", text) else int(text)


def _clicks(**fields: Any) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build("click", target=r.start(), **fields)


def _long_press(r: _Reading) -> AgentAction:
    given = r.fields.text("time", "").strip()
    if given and not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", given):
        r.fields.refuse("time", "seconds are needed")
    return r.build("click", target=r.start(), hold=float(given) if given else LONG_PRESS)


def _type(r: _Reading) -> AgentAction:
    content = r.fields.text("content")
    return r.build("type", text=content.removesuffix("\n"), submit=content.endswith("\n"), target=r.start())


def _scroll(r: _Reading) -> AgentAction:
    way = r.fields.text("direction").strip().lower()
    if way not in ("up", "down", "left", "right"):
        r.fields.refuse("direction", f"one of up, down, left or right is needed, not {way[:40]!r}")
    return r.build("scroll", direction=way, amount=SCROLL, target=r.start())


def _mouse(verb: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build(verb, target=r.start(), button=r.fields.text("button", None))


def _drag(r: _Reading) -> AgentAction:
    return r.build("drag", target=r.start(), to=r.target("end_box", "end_point"))


def _theirs(r: _Reading) -> AgentAction:
    r.fields.drop(*r.call.args)
    return r.build(f"x-{NAME}.{r.call.name}", arguments=r.call.args)


_READ: dict[str, Callable[[_Reading], AgentAction]] = {
    "click": _clicks(),
    "left_single": _clicks(),
    "left_double": _clicks(count=2),
    "right_single": _clicks(button="right"),
    "long_press": _long_press,
    "hover": lambda r: r.build("hover", target=r.start()),
    "move_to": lambda r: r.build("hover", target=r.start()),
    "mouse_down": _mouse("mouse_down"),
    "mouse_up": _mouse("mouse_up"),
    "drag": _drag,
    "select": _drag,
    "scroll": _scroll,
    "type": _type,
    "hotkey": lambda r: r.build("press_key", keys=r.keys("hotkey")),
    "press": lambda r: r.build("key_down", key=r.key()),
    "keydown": lambda r: r.build("key_down", key=r.key()),
    "release": lambda r: r.build("key_up", key=r.key()),
    "keyup": lambda r: r.build("key_up", key=r.key()),
    "wait": lambda r: r.build("wait", seconds=WAIT),
    "finished": lambda r: r.build("finish_goal", summary=r.fields.text("content", "")),
    "call_user": lambda r: r.build("ask_user", question=HELP),
    "open_app": lambda r: r.build("launch_app", app=r.fields.text("app_name")),
    "navigate": lambda r: r.build("navigate", url=r.fields.text("url" if "url" in r.fields else "content")),
    "navigate_back": lambda r: r.build("go_back"),
    "press_back": lambda r: r.build("go_back"),
    **dict.fromkeys(CARRIED, _theirs),
}
