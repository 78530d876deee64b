"""One stroke of the mouse or the keyboard after the other: what computer_13, pyautogui and AgentNet have in common.

A stroke without a place that directly follows a move happens where the move ended, so `moveTo` and `dragTo` are one drag, and
`moveTo` and `click()` one click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, get_args

from protocol.dialects.common.base import (
    AIMED,
    NOTCH,
    Context,
    Conversion,
    DialectError,
    Loss,
    build,
    cannot,
    pixels_in,
    place,
    whole,
    without_delay,
)
from protocol.model.actions import AgentAction
from protocol.model.geometry import Size, Space
from protocol.model.keys import KeyNameError, read_key, write_key
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Delta, Scroll

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


FARTHEST = 500_000
"""Pixels or notches; a number beyond is a mistake."""
_BUTTONS = ("left", "right", "middle")


@dataclass(frozen=True)
class InputDevice:
    """What a dialect can do."""

    dialect: str
    can: frozenset[Kind] = ALL
    timed: bool = True
    """Whether a wait says how long."""
    aimed: bool = True
    """Whether the wheel and the buttons take a place."""
    both_ways: bool = False
    """Whether the wheel turns both ways at once."""
    dragging: tuple[str, ...] = _BUTTONS
    """Buttons that a drag can hold."""
    reports: bool = False
    """Whether the end of the work says something."""


Locate = Callable[[ActionTarget, str], tuple[ActionTarget, list[Loss]]]
"""A target as the dialect says it, what of the action it is, and what is lost."""


def spot_of(
    target: ActionTarget, context: Context, space: Space, image: Size | None, dialect: str, what: str
) -> tuple[ActionTarget, list[Loss]]:
    """`target` as nothing but a place, and what is lost. Raises DialectError where the context does not show it."""
    spot, losses = place(target, context, space, image, dialect, what)
    return ActionTarget(point=spot), losses


def strokes_of(action: Action, hands: InputDevice, context: Context, locate: Locate) -> tuple[list[Stroke], list[Loss]]:
    """The strokes that do `action`. Raises DialectError for what these hands cannot do."""
    write = _WRITTEN.get(action.verb)
    if write is None:
        cannot(hands.dialect, action)
    pen = _Pen(action, hands, context, locate)
    write(pen, action)
    if action.target is not None and action.verb not in AIMED:
        pen.lose("target", f"{action.verb} has no target here")
    return pen.strokes, pen.losses


class _Pen(Conversion):
    """Writes one action."""

    def __init__(self, action: Action, hands: InputDevice, context: Context, locate: Locate) -> None:
        super().__init__(hands.dialect, context, losses=without_delay(action))
        self.verb = action.verb
        self.hands = hands
        self.strokes: list[Stroke] = []
        self._locate = locate

    def refuse(self, what: str, why: str) -> NoReturn:
        raise DialectError(self.hands.dialect, f"{self.verb}.{what}" if what else self.verb, why)

    def place(self, target: ActionTarget | None, what: str = "target") -> ActionTarget | None:
        if target is None:
            return None
        said, losses = self._locate(target, what)
        self.take(losses)
        return said

    def do(self, kind: Kind, **fields: Any) -> None:
        """Add a stroke, with a move before it where it cannot take a place itself."""
        if kind not in self.hands.can:
            self.refuse("", f"{self.hands.dialect} has no {kind.replace('_', ' ')} for it")
        stroke = Stroke(kind, **fields)
        if kind in ("click", "down", "up", "drag") and stroke.button not in _BUTTONS:
            self.refuse("button", f"{self.hands.dialect} has no button {stroke.button!r}")
        if stroke.at and kind in ("down", "up", "wheel") and not self.hands.aimed:
            self.do("move", at=stroke.at)
            stroke = replace(stroke, at=None)
        self.strokes.append(stroke)

    def hold(self, modifiers: tuple[str, ...]) -> None:
        """Press modifiers before something else."""
        for key in modifiers:
            self.do("key_down", keys=(key,))
        if modifiers:
            self.lose(f"{self.verb}.modifiers", "said as keys that are pressed before it and released after it")

    def release(self, modifiers: tuple[str, ...]) -> None:
        for key in reversed(modifiers):
            self.do("key_up", keys=(key,))

    def focus(self, target: ActionTarget | None) -> None:
        """Click where the keys should go."""
        if target is not None:
            self.do("click", at=self.place(target))
            self.lose(f"{self.verb}.target", f"said as a click and then a {self.verb.replace('_', ' ')}")

    def submit(self, wanted: bool) -> None:
        if wanted:
            self.do("press", keys=("Enter",))
            self.lose(f"{self.verb}.submit", "said as a press of Enter afterwards")

    def pause(self, seconds: float, what: str) -> None:
        self.do("wait", seconds=seconds)
        if not self.hands.timed and seconds != PAUSE:
            self.lose(f"{self.verb}.{what}", f"how long a wait is cannot be said; it is {PAUSE:g} s by default")


def _click(pen: _Pen, a: Any) -> None:
    pen.hold(a.modifiers)
    at = pen.place(a.target)
    if a.hold:
        pen.do("move", at=at)
        for _ in range(a.count):
            pen.do("down", button=a.button)
            pen.pause(a.hold, "hold")
            pen.do("up", button=a.button)
        pen.lose("click.hold", "said as a press, a wait and a release")
    else:
        pen.do("click", at=at, button=a.button, count=a.count)
    pen.release(a.modifiers)


def _mouse(kind: Kind) -> Callable[[_Pen, Any], None]:
    return lambda pen, a: pen.do(kind, at=pen.place(a.target), button=a.button)


def _hover(pen: _Pen, a: Any) -> None:
    pen.hold(a.modifiers)
    pen.do("move", at=pen.place(a.target))
    pen.release(a.modifiers)


def _drag(pen: _Pen, a: Any) -> None:
    pen.hold(a.modifiers)
    start, end = pen.place(a.target), pen.place(a.to, "to")
    pen.do("move", at=start)
    if "down" in pen.hands.can and (a.path or a.button not in pen.hands.dragging):
        pen.do("down", button=a.button)
        for n, point in enumerate(a.path):
            pen.do("move", at=pen.place(ActionTarget(point=point), f"path[{n}]"))
        pen.do("move", at=end)
        pen.do("up", button=a.button)
        pen.lose("drag", "said as a press, moves and a release")
    else:
        pen.do("drag", at=end, button=a.button)
        if a.path:
            pen.lose("drag.path", "only the two ends are said")
    pen.release(a.modifiers)


def _type(pen: _Pen, a: Any) -> None:
    pen.focus(a.target)
    pen.do("write", text=a.text)
    pen.submit(a.submit)


def _fill(pen: _Pen, a: Any) -> None:
    pen.do("click", at=pen.place(a.target))
    pen.do("press", keys=("Control", "a"))
    pen.do("press", keys=("Backspace",))
    if a.text:
        pen.do("write", text=a.text)
    pen.lose("fill", "said as a click, Ctrl+A, Backspace and the text")
    pen.submit(a.submit)


def _press(pen: _Pen, a: Any) -> None:
    pen.focus(a.target)
    pen.do("press", keys=a.keys)


def _hold_key(pen: _Pen, a: Any) -> None:
    pen.focus(a.target)
    for key in a.keys:
        pen.do("key_down", keys=(key,))
    pen.pause(a.seconds, "seconds")
    for key in reversed(a.keys):
        pen.do("key_up", keys=(key,))
    pen.lose("hold_key", "said as keys that go down, a wait, and keys that come up")


def _one_key(kind: Kind) -> Callable[[_Pen, Any], None]:
    return lambda pen, a: pen.do(kind, keys=(a.key,))


def _scroll(pen: _Pen, a: Any) -> None:
    pen.hold(a.modifiers)
    x, y = _notches(pen, a)
    at = pen.place(a.target)
    if x and y and not pen.hands.both_ways:
        pen.do("wheel", at=at, across=x)
        pen.do("wheel", at=at if pen.hands.aimed else None, down=y)
        pen.lose("scroll.delta", "said as two scrolls, one for each way")
    else:
        pen.do("wheel", at=at, across=x, down=y)
    pen.release(a.modifiers)


def _notches(pen: _Pen, a: Scroll) -> tuple[int, int]:
    across, down = pixels_in(a.unit, pen.context.size)
    x, y = whole(a.delta.x * across / NOTCH), whole(a.delta.y * down / NOTCH)
    if a.unit != "notch":
        pen.lose("scroll.unit", f"{a.unit} said as notches of {NOTCH} pixels")
    elif Delta(x=x, y=y) != a.delta:
        pen.lose("scroll.delta", "only whole notches can be said")
    if max(abs(x), abs(y)) > FARTHEST:
        pen.refuse("delta", f"{max(abs(x), abs(y))} notches are too many")
    return x, y


def _wait(pen: _Pen, a: Any) -> None:
    pen.pause(a.seconds, "seconds")
    for name in ("text", "text_gone"):
        if getattr(a, name) is not None:
            pen.lose(f"wait.{name}", "only time can be waited for")


def _end(kind: Kind, field: str) -> Callable[[_Pen, Any], None]:
    def write(pen: _Pen, a: Any) -> None:
        words = getattr(a, field)
        pen.do(kind, text=words)
        if words and not pen.hands.reports:
            pen.lose(f"{a.verb}.{field}", "the end of the work says nothing more")

    return write


_WRITTEN: dict[str, Callable[[_Pen, Any], None]] = {
    "click": _click, "mouse_down": _mouse("down"), "mouse_up": _mouse("up"), "hover": _hover, "drag": _drag, "type": _type,
    "fill": _fill, "press_key": _press, "hold_key": _hold_key, "key_down": _one_key("key_down"), "key_up": _one_key("key_up"),
    "scroll": _scroll, "wait": _wait, "finish_goal": _end("done", "summary"), "fail_goal": _end("fail", "reason"),
}  # fmt: skip
