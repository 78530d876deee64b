"""One stroke of the mouse or the keyboard after the other: what computer_13, pyautogui and AgentNet have in common.

A stroke without a place that directly follows a move happens where the move ended, so `moveTo` and `dragTo` are one drag, and
`moveTo` and `click()` one click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, get_args

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.conversion import NOTCH, Writing, pixels_in, place, whole
from protocol.dialects.common.fields import build, refusing
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject, Size, Space
from protocol.model.keys import read_key, write_key
from protocol.model.targets import ActionTarget

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


def stroke(kind: Kind, **fields: Any) -> Callable[[Any], list[Stroke]]:
    """A call that is one stroke. As in a `row`, a value that can be called takes its own from the reading."""
    return lambda r: [Stroke(kind, r.fields.where, **{name: v(r) if callable(v) else v for name, v in fields.items()})]


def actions_of(dialect: str, strokes: Iterable[Stroke | AgentAction]) -> list[AgentAction]:
    """The actions that these strokes are, in order; actions that stand among them stay. Raises DialectError for no action."""
    found: list[AgentAction] = []
    moved: Stroke | None = None
    for stroke in strokes:
        if moved and isinstance(stroke, Stroke) and stroke.kind == "drag":
            both = {"target": moved.at, "to": stroke.at, "button": stroke.button}
            stroke, moved = build(dialect, stroke.where, action_type="drag", **both), None
        elif moved and isinstance(stroke, Stroke) and stroke.at is None and stroke.kind in _AT_THE_POINTER:
            stroke, moved = replace(stroke, at=moved.at), None
        if moved:
            found += _read(dialect, moved)
            moved = None
        if not isinstance(stroke, Stroke):
            found.append(stroke)
        elif stroke.kind == "move":
            moved = stroke
        else:
            found += _read(dialect, stroke)
    if moved:
        found += _read(dialect, moved)
    return found or _nothing(dialect)


def _nothing(dialect: str) -> NoReturn:
    raise DialectError(dialect, "", "there is no action in it")


_AT_THE_POINTER = ("click", "down", "up", "wheel")


def _read(dialect: str, s: Stroke) -> list[AgentAction]:
    """A click where the pointer is says no place: it is pressing and releasing, and so is a drag from there."""
    if s.kind == "drag" or (s.kind == "click" and s.at is None):
        down = build(dialect, s.where, action_type="mouse_down", button=s.button)
        return [down, build(dialect, s.where, action_type="mouse_up", button=s.button, target=s.at)] * s.count
    verb, fields = _MEANS[s.kind]
    return [build(dialect, s.where, action_type=verb, **fields(s))]


_MEANS: dict[Kind, tuple[str, Callable[[Stroke], JsonObject]]] = {
    "move": ("hover", lambda s: {"target": s.at}),
    "click": ("click", lambda s: {"target": s.at, "button": s.button, "count": s.count}),
    "down": ("mouse_down", lambda s: {"button": s.button, "target": s.at}),
    "up": ("mouse_up", lambda s: {"button": s.button, "target": s.at}),
    "wheel": ("scroll", lambda s: {"target": s.at, "delta": {"x": s.across, "y": s.down}}),
    "write": ("type", lambda s: {"text": s.text}),
    "press": ("press_key", lambda s: {"keys": s.keys}),
    "key_down": ("key_down", lambda s: {"key": s.keys[0]}),
    "key_up": ("key_up", lambda s: {"key": s.keys[0]}),
    "wait": ("wait", lambda s: {"seconds": s.seconds}),
    "done": ("finish_goal", lambda s: {"summary": s.text}),
    "fail": ("fail_goal", lambda s: {"reason": s.text}),
}
"""What each stroke is here."""

_CONTROL_SIGNS = {"\t": "Tab", "\n": "Enter", "\r": "Enter", "decimal": "."}


def read_name(dialect: str, where: str, name: str) -> str:
    """The canonical key that pyautogui calls `name`."""
    if name in _CONTROL_SIGNS:
        return _CONTROL_SIGNS[name]
    with refusing(dialect, where):
        return read_key(name, "pyautogui")


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


def strokes_of(action: verbs.Action, hands: InputDevice, context: Context, locate: Locate) -> tuple[list[Stroke], list[Loss]]:
    """The strokes that do `action`. Raises DialectError for what these hands cannot do."""
    pen = _Pen(hands, context, locate)
    for step in pen.simpler(action, [(button, count) for button in _BUTTONS for count in (1, 2, 3)], ("press", "modifiers")):
        pen.verb = step.verb
        pen.said(step)
    return pen.strokes, pen.losses


class _Pen(Writing):
    """Writes one action, stroke by stroke."""

    verb = ""

    def __init__(self, hands: InputDevice, context: Context, locate: Locate) -> None:
        super().__init__(hands.dialect, context)
        self.hands = hands
        self.strokes: list[Stroke] = []
        self._locate = locate

    def aim(self, target: ActionTarget | None, what: str = "target") -> ActionTarget | None:
        if target is None:
            return None
        said, losses = self._locate(target, what)
        self.take(losses)
        return said

    def do(self, kind: Kind, **fields: Any) -> None:
        """Add a stroke, with a move before it where it cannot take a place itself."""
        if kind not in self.hands.can:
            self.refuse(self.verb, f"{self.dialect} has no {kind.replace('_', ' ')} for it")
        stroke = Stroke(kind, **fields)
        if kind in ("click", "down", "up", "drag") and stroke.button not in _BUTTONS:
            self.refuse(f"{self.verb}.button", f"{self.dialect} has no button {stroke.button!r}")
        if stroke.at and kind in ("down", "up", "wheel") and not self.hands.aimed:
            self.do("move", at=stroke.at)
            stroke = replace(stroke, at=None)
        self.strokes.append(stroke)

    def pause(self, seconds: float, what: str = "seconds") -> None:
        self.do("wait", seconds=seconds)
        if not self.hands.timed and seconds != PAUSE:
            self.lose(f"{self.verb}.{what}", f"how long a wait is cannot be said; it is {PAUSE:g} s by default")

    def click(self, a: verbs.Click) -> None:
        self.do("click", at=self.aim(a.target), button=a.button, count=a.count)

    def mouse_down(self, a: verbs.MouseDown) -> None:
        self.do("down", at=self.aim(a.target), button=a.button)

    def mouse_up(self, a: verbs.MouseUp) -> None:
        self.do("up", at=self.aim(a.target), button=a.button)

    def hover(self, a: verbs.Hover) -> None:
        self.do("move", at=self.aim(a.target))

    def drag(self, a: verbs.Drag) -> None:
        start, end = self.aim(a.target), self.aim(a.to, "to")
        self.do("move", at=start)
        if "down" in self.hands.can and (a.path or a.button not in self.hands.dragging):
            self.do("down", button=a.button)
            for n, point in enumerate(a.path):
                self.do("move", at=self.aim(ActionTarget(point=point), f"path[{n}]"))
            self.do("move", at=end)
            self.do("up", button=a.button)
            self.lose("drag", "said as a press, moves and a release")
        else:
            self.do("drag", at=end, button=a.button)
            if a.path:
                self.lose("drag.path", "only the two ends are said")

    def type(self, a: verbs.Type) -> None:
        self.do("write", text=a.text)

    def press_key(self, a: verbs.PressKey) -> None:
        self.do("press", keys=a.keys)

    def key_down(self, a: verbs.KeyDown | verbs.KeyUp) -> None:
        self.do("key_down" if isinstance(a, verbs.KeyDown) else "key_up", keys=(a.key,))

    key_up = key_down

    def scroll(self, a: verbs.Scroll) -> None:
        across, down = pixels_in(a.unit, self.context.size)
        x, y = whole(a.delta.x * across / NOTCH), whole(a.delta.y * down / NOTCH)
        if a.unit != "notch":
            self.lose("scroll.unit", f"{a.unit} said as notches of {NOTCH} pixels")
        elif (x, y) != (a.delta.x, a.delta.y):
            self.lose("scroll.delta", "only whole notches can be said")
        if max(abs(x), abs(y)) > FARTHEST:
            self.refuse("scroll.delta", f"{max(abs(x), abs(y))} notches are too many")
        at = self.aim(a.target)
        if x and y and not self.hands.both_ways:
            self.do("wheel", at=at, across=x)
            self.do("wheel", at=at if self.hands.aimed else None, down=y)
            self.lose("scroll.delta", "said as two scrolls, one for each way")
        else:
            self.do("wheel", at=at, across=x, down=y)

    def wait(self, a: verbs.Wait) -> None:
        self.pause(a.seconds)
        self.drop(a, text="only time can be waited for", text_gone="only time can be waited for")

    def finish_goal(self, a: verbs.FinishGoal | verbs.FailGoal) -> None:
        kind, field, words = ("done", "summary", a.summary) if isinstance(a, verbs.FinishGoal) else ("fail", "reason", a.reason)
        self.do("done" if kind == "done" else "fail", text=words)
        if words and not self.hands.reports:
            self.lose(f"{a.verb}.{field}", "the end of the work says nothing more")

    fail_goal = finish_goal
