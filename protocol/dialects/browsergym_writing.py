"""How each of our verbs is said with the functions of BrowserGym."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, nextafter
from typing import Any, NamedTuple

from protocol.dialects.base import Context, DialectError, Loss, Written, cannot, without_delay
from protocol.dialects.saying import dropped, element_id_of, spot, within_length, write_chord
from protocol.dialects.units import NOTCH, pixels_in
from protocol.targets import ActionTarget
from protocol.verbs import (
    Action,
    Answer,
    AskUser,
    Click,
    Drag,
    Extension,
    Fill,
    FinishGoal,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    PressKey,
    Scroll,
    SelectOption,
    Tabs,
    Type,
    Upload,
    Wait,
)

NAME = "browsergym"

CARRIED: dict[str, tuple[str, ...]] = {"focus": (), "check": (), "uncheck": (), "keyboard_insert_text": ("text",)}
"""Functions that we lack a verb for, and their arguments beside the bid."""


class Said(NamedTuple):
    """`name(1, 'two', key=3)`."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def __str__(self) -> str:
        return f"{self.name}({', '.join([*map(repr, self.args), *(f'{k}={v!r}' for k, v in self.kwargs.items())])})"


def write_action(action: Action, context: Context) -> Written:
    """`action` as calls, one a line. Raises DialectError for what BrowserGym has no function for."""
    write = _WRITE.get("extension" if isinstance(action, Extension) else action.verb)
    if write is None:
        cannot(NAME, action)
    writing = _Writing(context)
    if action.verb not in _AIMED and not isinstance(action, Extension):
        writing.losses += dropped(action, target="the function has no target")
    text = "\n".join(map(str, write(action, writing)))
    return Written(within_length(text, NAME), writing.losses + without_delay(action))


@dataclass
class _Writing:
    """One action that is written, and what is lost."""

    context: Context
    losses: list[Loss] = field(default_factory=list)

    def lose(self, what: str, why: str) -> None:
        self.losses.append(Loss(what=what, why=why))

    def bid(self, target: ActionTarget | None, what: str = "target") -> str | None:
        """The id of the element; None for a bare place."""
        if target is None:
            raise DialectError(NAME, what, "a target is needed: where the pointer is cannot be said")
        found = element_id_of(target, self.context, NAME, what)
        self.losses += found[1] if found else []
        return found and found[0]

    def xy(self, target: ActionTarget | None, what: str = "target") -> tuple[float, float]:
        if target is None:
            raise DialectError(NAME, what, "a place is needed: where the pointer is cannot be said")
        said, losses = spot(target, self.context, "px", None, NAME, what, whole=False)
        self.losses += losses
        return said.x, said.y

    def on(self, target: ActionTarget | None, by_bid: str, by_xy: str, *args: Any, **kwargs: Any) -> Said:
        """A function for an element, or its like for a place."""
        bid = self.bid(target)
        return Said(by_xy, (*self.xy(target), *args), kwargs) if bid is None else Said(by_bid, (bid, *args), kwargs)

    def first_click(self, action: Action, then: str) -> list[Said]:
        if action.target is None:
            return []
        self.lose(f"{action.verb}.target", f"said as a click and then {then}")
        return [self.on(action.target, "click", "mouse_click")]

    def held(self, action: Click | Hover | Drag | Scroll, calls: list[Said]) -> list[Said]:
        """`calls` while the modifiers of `action` are down."""
        if not action.modifiers:
            return calls
        self.lose(f"{action.verb}.modifiers", "said as keys that go down before it and up after it")
        names = [_chord(action, key) for key in action.modifiers]
        down, up = ([Said(f"keyboard_{way}", (name,)) for name in names] for way in ("down", "up"))
        return [*down, *calls, *reversed(up)]


def _chord(action: Action, *keys: str) -> str:
    return write_chord(keys, "playwright", NAME, action)


def _button(action: Click | Drag | MouseDown | MouseUp) -> dict[str, Any]:
    if action.button in ("back", "forward"):
        cannot(NAME, action, f"there is no {action.button} button")
    return {} if action.button == "left" else {"button": action.button}


def _click(action: Click, w: _Writing) -> list[Said]:
    button = _button(action)
    if action.count == 3:
        cannot(NAME, action, "there is no triple click")
    if action.hold:
        return _long_press(action, w, button)
    verb = ("click", "dblclick")[action.count - 1]
    bid = w.bid(action.target)
    if bid is None:
        return w.held(action, [Said(f"mouse_{verb}", w.xy(action.target), button)])
    if "AltGraph" in action.modifiers:
        cannot(NAME, action, "AltGraph cannot be held")
    modifiers = {"modifiers": list(action.modifiers)} if action.modifiers else {}
    return [Said(verb, (bid,), {**button, **modifiers})]


def _long_press(action: Click, w: _Writing, button: dict[str, Any]) -> list[Said]:
    if action.count > 1:
        cannot(NAME, action, "only a single click can be held")
    w.lose("click.hold", "said as a press, a wait and a release")
    place = w.xy(action.target)
    calls = [Said("mouse_down", place, button), *_noop(action.hold, "click.hold", w), Said("mouse_up", place, button)]
    return w.held(action, calls)


def _mouse(action: MouseDown | MouseUp, w: _Writing) -> list[Said]:
    return [Said(action.verb, w.xy(action.target), _button(action))]


def _hover(action: Hover, w: _Writing) -> list[Said]:
    return w.held(action, [w.on(action.target, "hover", "mouse_move")])


def _drag(action: Drag, w: _Writing) -> list[Said]:
    button = _button(action)
    if action.path or button:
        return w.held(action, _drag_by_hand(action, w, button))
    before = len(w.losses)
    bids = w.bid(action.target), w.bid(action.to, "to")
    if None not in bids:
        return w.held(action, [Said("drag_and_drop", bids)])
    del w.losses[before:]
    return w.held(action, [Said("mouse_drag_and_drop", (*w.xy(action.target), *w.xy(action.to, "to")))])


def _drag_by_hand(action: Drag, w: _Writing, button: dict[str, Any]) -> list[Said]:
    w.lose("drag.path" if action.path else "drag.button", "said as a press, moves and a release")
    moves = [Said("mouse_move", w.xy(ActionTarget(point=point), "path")) for point in action.path]
    start, end = w.xy(action.target), w.xy(action.to, "to")
    return [Said("mouse_down", start, button), *moves, Said("mouse_up", end, button)]


def _scroll(action: Scroll, w: _Writing) -> list[Said]:
    across, down = pixels_in(action.unit, w.context.size)
    if action.unit != "px":
        w.lose("scroll.unit", f"said in pixels: {NOTCH} to a notch, the size of the screen to a page")
    delta = (action.delta.x * across, action.delta.y * down)
    if not all(abs(way) <= 1_000_000 for way in delta):
        cannot(NAME, action, "the scroll is too long to be said in pixels")
    if action.target is None:
        return w.held(action, [Said("scroll", delta)])
    bid = w.bid(action.target)
    if bid is None:
        return w.held(action, [Said("scroll_at", (*w.xy(action.target), *delta))])
    w.lose("scroll.target", "said as a hover and then a scroll")
    return w.held(action, [Said("hover", (bid,)), Said("scroll", delta)])


def _type(action: Type, w: _Writing) -> list[Said]:
    return [*w.first_click(action, "typing"), Said("keyboard_type", (action.text,)), *_enter(action, w)]


def _enter(action: Type | Fill, w: _Writing) -> list[Said]:
    if not action.submit:
        return []
    w.lose(f"{action.verb}.submit", "said as the text and then the Enter key")
    return [Said("keyboard_press", ("Enter",))]


def _named(action: Action, w: _Writing) -> str:
    """The id of an element, for a function that takes nothing else."""
    return w.bid(action.target) or cannot(NAME, action, "an element is needed: the function takes no place")


def _fill(action: Fill, w: _Writing) -> list[Said]:
    return [Said("fill", (_named(action, w), action.text)), *_enter(action, w)]


def _press(action: PressKey, w: _Writing) -> list[Said]:
    keys = _chord(action, *action.keys)
    bid = None if action.target is None else w.bid(action.target)
    if bid is not None:
        return [Said("press", (bid, keys))]
    return [*w.first_click(action, "the keys"), Said("keyboard_press", (keys,))]


def _hold_key(action: HoldKey, w: _Writing) -> list[Said]:
    w.lose("hold_key", "said as keys down, a wait and keys up")
    names = [_chord(action, key) for key in action.keys]
    down, up = ([Said(f"keyboard_{way}", (name,)) for name in names] for way in ("down", "up"))
    wait = _noop(action.seconds, "hold_key.seconds", w)
    return [*w.first_click(action, "the keys"), *down, *wait, *reversed(up)]


def _key(action: KeyDown | KeyUp, w: _Writing) -> list[Said]:
    return [Said("keyboard_down" if isinstance(action, KeyDown) else "keyboard_up", (_chord(action, action.key),))]


def _select(action: SelectOption, w: _Writing) -> list[Said]:
    return [Said("select_option", (_named(action, w), _one_or_more(action.options)))]


def _upload(action: Upload, w: _Writing) -> list[Said]:
    return [w.on(action.target, "upload_file", "mouse_upload_file", _one_or_more(action.files))]


def _one_or_more(values: tuple[str, ...]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


def _tabs(action: Tabs, w: _Writing) -> list[Said]:
    if action.op == "list":
        cannot(NAME, action, "the tabs are part of every observation")
    if action.op == "select":
        return [Said("tab_focus", (action.index,))]
    if action.op == "new":
        if action.url is None:
            return [Said("new_tab")]
        w.lose("tabs.url", "said as a new tab and then a goto")
        return [Said("new_tab"), Said("goto", (action.url or cannot(NAME, action, "the address is empty"),))]
    if action.index is None:
        return [Said("tab_close")]
    w.lose("tabs.index", "said as a focus and then a close")
    return [Said("tab_focus", (action.index,)), Said("tab_close")]


def _wait(action: Wait, w: _Writing) -> list[Said]:
    w.losses += dropped(action, text="there is no condition", text_gone="there is no condition")
    return _noop(action.seconds, "wait.seconds", w)


def _noop(seconds: float, what: str, w: _Writing) -> list[Said]:
    guess = seconds * 1000
    near = (guess, nextafter(guess, 0), nextafter(guess, inf))
    exact = [ms for ms in near if ms / 1000 == seconds]
    if not exact:
        w.lose(what, "rounded to what milliseconds can say")
    ms = exact[0] if exact else guess
    return [Said("noop", () if ms == 1000 else (int(ms) if ms == int(ms) else ms,))]


def _message(action: Answer | AskUser | FinishGoal, w: _Writing) -> list[Said]:
    if isinstance(action, AskUser):
        w.lose("ask_user", "said as a message to the user")
        return [Said("send_msg_to_user", (action.question,))]
    if isinstance(action, FinishGoal):
        w.lose("finish_goal", "there is no verb for success: said as a message to the user")
        return [Said("send_msg_to_user", (action.summary,))]
    return [Said("send_msg_to_user", (action.text,))]


def _theirs(action: Extension, w: _Writing) -> list[Said]:
    name = action.action_type.removeprefix(f"x-{NAME}.")
    if name not in CARRIED:
        cannot(NAME, action)
    values = tuple(action.arguments.get(argument) for argument in CARRIED[name])
    if tuple(action.arguments) != CARRIED[name] or not all(isinstance(value, str) for value in values):
        cannot(NAME, action, f"the arguments are texts: {', '.join(CARRIED[name]) or 'none'}")
    if name != "keyboard_insert_text":
        return [Said(name, (_named(action, w),))]
    w.losses += dropped(action, target="the function has no target")
    return [Said(name, values)]


_WRITE: dict[str, Callable[[Any, _Writing], list[Said]]] = {
    "click": _click,
    "mouse_down": _mouse,
    "mouse_up": _mouse,
    "hover": _hover,
    "drag": _drag,
    "scroll": _scroll,
    "type": _type,
    "fill": _fill,
    "press_key": _press,
    "hold_key": _hold_key,
    "key_down": _key,
    "key_up": _key,
    "select_option": _select,
    "upload": _upload,
    "navigate": lambda a, w: [Said("goto", (a.url,))],
    "go_back": lambda a, w: [Said("go_back")],
    "go_forward": lambda a, w: [Said("go_forward")],
    "tabs": _tabs,
    "wait": _wait,
    "answer": _message,
    "ask_user": _message,
    "finish_goal": _message,
    "fail_goal": lambda a, w: [Said("report_infeasible", (a.reason,))],
    "extension": _theirs,
}
_AIMED = frozenset(
    {
        "click",
        "mouse_down",
        "mouse_up",
        "hover",
        "drag",
        "scroll",
        "type",
        "fill",
        "press_key",
        "hold_key",
        "select_option",
        "upload",
    }
)
