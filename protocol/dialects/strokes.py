"""One stroke of the mouse or the keyboard after the other: what computer_13, pyautogui and AgentNet have in common.

A stroke without a place that directly follows a move happens where the move ended, so `moveTo` and `dragTo` are one drag, and
`moveTo` and `click()` one click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from protocol.actions import AgentAction
from protocol.dialects.base import DialectError, build
from protocol.keys import KeyNameError, read_key, write_key
from protocol.targets import ActionTarget

Kind = Literal[
    "move", "click", "down", "up", "drag", "wheel", "write", "press", "key_down", "key_up", "wait", "done", "fail"
]  # fmt: skip
ALL: frozenset[Kind] = frozenset(get_args(Kind))
PAUSE = 2.0
"""Seconds that OSWorld waits on WAIT: the default of its `step(action, pause=2)`."""


@dataclass(frozen=True)
class Stroke:
    """One thing that mouse or keyboard do. `where` is its place in the payload."""

    kind: Kind
    where: str = ""
    at: ActionTarget | None = None
    """None where the pointer is."""
    button: str = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    text: str = ""
    across: int = 0
    """Notches of the wheel, positive to the right."""
    down: int = 0
    """Notches of the wheel, positive down."""
    seconds: float = PAUSE


def actions_of(dialect: str, strokes: Iterable[Stroke | AgentAction]) -> list[AgentAction]:
    """The actions that these strokes are, in order; actions that stand among them stay. Raises DialectError for no action."""
    found: list[AgentAction] = []
    moved: Stroke | None = None
    for stroke in strokes:
        if moved and isinstance(stroke, Stroke) and _is_where_it_moved(stroke):
            stroke, moved = _joined(dialect, moved, stroke), None
        if moved:
            found.append(_built(dialect, moved, "hover", target=moved.at))
            moved = None
        if not isinstance(stroke, Stroke):
            found.append(stroke)
        elif stroke.kind == "move":
            moved = stroke
        else:
            found += _READ[stroke.kind](dialect, stroke)
    if moved:
        found.append(_built(dialect, moved, "hover", target=moved.at))
    if not found:
        raise DialectError(dialect, "", "there is no action in it")
    return found


def _is_where_it_moved(stroke: Stroke) -> bool:
    return stroke.kind == "drag" or (stroke.at is None and stroke.kind in _AT_THE_POINTER)


def _joined(dialect: str, moved: Stroke, stroke: Stroke) -> Stroke | AgentAction:
    if stroke.kind == "drag":
        return _built(dialect, stroke, "drag", target=moved.at, to=stroke.at, button=stroke.button)
    return replace(stroke, at=moved.at)


_AT_THE_POINTER = ("click", "down", "up", "wheel")


def _built(dialect: str, stroke: Stroke, verb: str, **fields: Any) -> AgentAction:
    return build(dialect, stroke.where, action_type=verb, **fields)


def _read_click(dialect: str, s: Stroke) -> list[AgentAction]:
    """A click where the pointer is says no place: it is pressing and releasing."""
    if s.at is not None:
        return [_built(dialect, s, "click", target=s.at, button=s.button, count=s.count)]
    both = [_built(dialect, s, verb, button=s.button) for verb in ("mouse_down", "mouse_up")]
    return both * s.count


def _read_drag(dialect: str, s: Stroke) -> list[AgentAction]:
    """A drag from where the pointer is."""
    press = _built(dialect, s, "mouse_down", button=s.button)
    return [press, _built(dialect, s, "mouse_up", button=s.button, target=s.at)]


def _reader(verb: str, *names: str, **renamed: str) -> Callable[[str, Stroke], list[AgentAction]]:
    """Reads fields of a stroke as fields of an action: the same name, or `field="name of the stroke's"`."""
    fields = {name: name for name in names} | renamed

    def read(dialect: str, s: Stroke) -> list[AgentAction]:
        return [_built(dialect, s, verb, **{name: getattr(s, own) for name, own in fields.items()})]

    return read


def _read_key(verb: str) -> Callable[[str, Stroke], list[AgentAction]]:
    return lambda dialect, s: [_built(dialect, s, verb, key=s.keys[0])]


_READ: dict[Kind, Callable[[str, Stroke], list[AgentAction]]] = {
    "click": _read_click,
    "down": _reader("mouse_down", "button", target="at"),
    "up": _reader("mouse_up", "button", target="at"),
    "drag": _read_drag,
    "wheel": lambda dialect, s: [_built(dialect, s, "scroll", target=s.at, delta={"x": s.across, "y": s.down})],
    "write": _reader("type", "text"),
    "press": _reader("press_key", "keys"),
    "key_down": _read_key("key_down"),
    "key_up": _read_key("key_up"),
    "wait": _reader("wait", "seconds"),
    "done": _reader("finish_goal", summary="text"),
    "fail": _reader("fail_goal", reason="text"),
}

_CONTROL_SIGNS = {"\t": "Tab", "\n": "Enter", "\r": "Enter", "decimal": "."}


def read_name(dialect: str, where: str, name: str) -> str:
    """The canonical key that pyautogui calls `name`."""
    if name in _CONTROL_SIGNS:
        return _CONTROL_SIGNS[name]
    try:
        return read_key(name, "pyautogui")
    except KeyNameError as no:
        raise DialectError(dialect, where, str(no)) from None


def write_name(dialect: str, key: str) -> str:
    """What pyautogui calls a canonical key: a name of its KEYBOARD_KEYS."""
    name = write_key(key, "pyautogui")
    if name is None or (len(name) == 1 and not name.isascii()):
        raise DialectError(dialect, "keys", f"{dialect} has no key {key!r}")
    return name
