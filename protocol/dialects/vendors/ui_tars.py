"""UI-TARS: `Thought: ...` and `Action: click(start_box='(10,20)')`, in the spellings of its four families of models.

Source: bytedance/UI-TARS `codes/ui_tars/{prompt,action_parser}.py` (PyPI `ui-tars`), and the prompts of UI-TARS-desktop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from protocol.dialects.common.base import (
    AIMED,
    Context,
    Conversion,
    Dialect,
    DialectError,
    ParsedPayload,
    WrittenPayload,
    cannot,
    without_delay,
)
from protocol.dialects.common.saying import a_text, direction_of, spot, within_length, write_chord
from protocol.dialects.vendors.ui_tars_text import (
    CARRIED,
    HELP,
    LONG_PRESS,
    NAME,
    SCROLL,
    WAIT,
    ParsedCall,
    read_call,
    read_text,
    read_xml,
    thought_of,
    write_text,
    write_xml,
)
from protocol.model.geometry import Size, Space
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Answer,
    AskUser,
    Click,
    Drag,
    Extension,
    FailGoal,
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
    Type,
    Wait,
)

__all__ = ["DIALECT", "from_ui_tars", "thought_of", "to_ui_tars"]


def _space(context: Context, variant: str) -> tuple[Space, Size | None]:
    return context.picture if variant == "1.5" else ("norm1000", None)


def from_ui_tars(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a model's answer; its thought is no action. Raises DialectError."""
    variant = DIALECT.variant(context)
    text = a_text(payload, NAME)
    calls = read_xml(text) if variant == "xml" else read_text(text)
    return ParsedPayload([read_call(call, *_space(context, variant)) for call in calls], [])


def to_ui_tars(action: Action, context: Context) -> WrittenPayload:
    """The text of `action`, without a thought. Raises DialectError for what UI-TARS has no verb for."""
    variant = DIALECT.variant(context)
    write = _WRITE.get("extension" if isinstance(action, Extension) else action.verb)
    if write is None:
        cannot(NAME, action)
    writing = _Writing(NAME, context, variant)
    if action.verb not in AIMED:
        writing.drop(action, target="the verb has no place")
    calls = write(action, writing)
    text = write_xml(calls) if variant == "xml" else write_text(calls)
    return WrittenPayload(within_length(text, NAME), writing.losses + without_delay(action))


@dataclass
class _Writing(Conversion):
    """One action that is written."""

    variant: str

    def point(self, target: ActionTarget | None, what: str = "target") -> str:
        if target is None:
            raise DialectError(NAME, what, "a place is needed")
        space, image = _space(self.context, self.variant)
        said, losses = spot(target, self.context, space, image, NAME, what, whole=True)
        self.take(losses)
        if self.variant in ("doubao", "xml"):
            return f"<point>{said.x} {said.y}</point>"
        return f"({said.x},{said.y})" if self.variant == "1.5" else f"<|box_start|>({said.x},{said.y})<|box_end|>"

    def at(self, name: str, target: ActionTarget | None, **args: str) -> ParsedCall:
        box = "point" if self.variant in ("doubao", "xml") else "start_box"
        return ParsedCall(name, {box: self.point(target), **args})

    def first_click(self, action: Action, then: str) -> list[ParsedCall]:
        """A click into the target of a verb that has no place of its own."""
        if action.target is None:
            return []
        self.lose(f"{action.verb}.target", f"said as a click and then {then}")
        return [self.at("click", action.target)]

    def chord(self, action: Action, what: str, *keys: str) -> str:
        low = tuple(key.lower() if len(key) == 1 else key for key in keys)
        if low != keys:
            self.lose(f"{action.verb}.{what}", "keys are said in lower case")
        return write_chord(low, "uitars", NAME, action, " ")

    def held(self, action: Click | Hover | Drag, calls: list[ParsedCall]) -> list[ParsedCall]:
        """`calls` while the modifiers of `action` are down."""
        if not action.modifiers:
            return calls
        self.lose(f"{action.verb}.modifiers", "said as press and release around it")
        names = [self.chord(action, "modifiers", key) for key in action.modifiers]
        down = [ParsedCall("press", {"key": name}) for name in names]
        return [*down, *calls, *(ParsedCall("release", {"key": name}) for name in reversed(names))]


_CLICKS = {("left", 1): "click", ("left", 2): "left_double", ("right", 1): "right_single"}


def _write_click(action: Click, w: _Writing) -> list[ParsedCall]:
    name = _CLICKS.get((action.button, action.count))
    if name is None:
        cannot(NAME, action, f"there is no verb for {action.count} clicks of the {action.button} button")
    if action.hold:
        if name != "click":
            cannot(NAME, action, "only a single click of the left button can be held")
        name = "long_press"
        if action.hold != LONG_PRESS:
            w.lose("click.hold", f"a long press always takes {LONG_PRESS:g} second")
    return w.held(action, [w.at(name, action.target)])


def _write_mouse(action: MouseDown | MouseUp, w: _Writing) -> list[ParsedCall]:
    if action.button in ("back", "forward"):
        cannot(NAME, action, f"there is no {action.button} button")
    button: dict[str, str] = {} if action.button == "left" else {"button": action.button}
    return [ParsedCall(action.verb, button) if action.target is None else w.at(action.verb, action.target, **button)]


def _write_drag(action: Drag, w: _Writing) -> list[ParsedCall]:
    if action.button != "left":
        cannot(NAME, action, "only the left button drags")
    w.drop(action, path="only the start and the end are said")
    names = ("start_point", "end_point") if w.variant in ("doubao", "xml") else ("start_box", "end_box")
    places = (w.point(action.target), w.point(action.to, "to"))
    return w.held(action, [ParsedCall("drag", dict(zip(names, places, strict=True)))])


def _write_hover(action: Hover, w: _Writing) -> list[ParsedCall]:
    return w.held(action, [w.at("move_to" if w.variant == "xml" else "hover", action.target)])


def _write_scroll(action: Scroll, w: _Writing) -> list[ParsedCall]:
    way, losses = direction_of(action, NAME, SCROLL, "notch")
    w.take(losses)
    return [ParsedCall("scroll", {"direction": way}) if action.target is None else w.at("scroll", action.target, direction=way)]


def _write_type(action: Type, w: _Writing) -> list[ParsedCall]:
    if action.text.endswith("\n") and not action.submit:
        w.lose("type.text", "a line break at the end presses Enter there")
    return [*w.first_click(action, "a type"), ParsedCall("type", {"content": action.text + "\n" * action.submit})]


def _write_fill(action: Fill, w: _Writing) -> list[ParsedCall]:
    w.lose("fill", "said as a click, ctrl a and a type")
    typed = _write_type(Type(text=action.text, submit=action.submit), w)
    return [w.at("click", action.target), ParsedCall("hotkey", {"key": "ctrl a"}), *typed]


def _write_chord(action: PressKey, w: _Writing) -> list[ParsedCall]:
    return [*w.first_click(action, "a hotkey"), ParsedCall("hotkey", {"key": w.chord(action, "keys", *action.keys)})]


def _write_hold(action: HoldKey, w: _Writing) -> list[ParsedCall]:
    w.lose("hold_key.seconds", "said as press, wait and release: how long is not said")
    names = [w.chord(action, "keys", key) for key in action.keys]
    down, up = ([ParsedCall(verb, {"key": name}) for name in names] for verb in ("press", "release"))
    return [*w.first_click(action, "the keys"), *down, ParsedCall("wait", {}), *reversed(up)]


def _write_key(action: KeyDown | KeyUp, w: _Writing) -> list[ParsedCall]:
    return [ParsedCall("press" if isinstance(action, KeyDown) else "release", {"key": w.chord(action, "key", action.key)})]


def _write_wait(action: Wait, w: _Writing) -> list[ParsedCall]:
    w.drop(action, text="there is no condition", text_gone="there is no condition")
    if action.seconds != WAIT:
        w.lose("wait.seconds", f"a wait always takes {WAIT:g} seconds")
    return [ParsedCall("wait", {})]


def _write_finished(action: FinishGoal | Answer, w: _Writing) -> list[ParsedCall]:
    if isinstance(action, Answer):
        w.lose("answer", "said as finished, which also ends the run")
    text = action.text if isinstance(action, Answer) else action.summary
    return [ParsedCall("finished", {"content": text} if text else {})]


def _write_help(action: AskUser | FailGoal, w: _Writing) -> list[ParsedCall]:
    if isinstance(action, FailGoal):
        w.lose("fail_goal", "said as call_user, which also asks for help and has no words")
    elif (action.question, action.name) != (HELP, "answer"):
        w.lose("ask_user.question", "call_user has no words")
    return [ParsedCall("call_user", {})]


def _write_theirs(action: Extension, w: _Writing) -> list[ParsedCall]:
    name = action.action_type.removeprefix(f"x-{NAME}.")
    if name not in CARRIED:
        cannot(NAME, action)
    w.drop(action, target="the verb has no place")
    args = {
        key: value for key, value in action.arguments.items() if isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*", key)
    }
    if len(args) != len(action.arguments):
        cannot(NAME, action, "arguments are texts, with names of letters")
    return [ParsedCall(name, args)]


_WRITE: dict[str, Callable[[Any, _Writing], list[ParsedCall]]] = {
    "click": _write_click,
    "mouse_down": _write_mouse,
    "mouse_up": _write_mouse,
    "hover": _write_hover,
    "drag": _write_drag,
    "scroll": _write_scroll,
    "type": _write_type,
    "fill": _write_fill,
    "press_key": _write_chord,
    "hold_key": _write_hold,
    "key_down": _write_key,
    "key_up": _write_key,
    "wait": _write_wait,
    "finish_goal": _write_finished,
    "answer": _write_finished,
    "ask_user": _write_help,
    "fail_goal": _write_help,
    "launch_app": lambda a, w: [ParsedCall("open_app", {"app_name": a.app})],
    "navigate": lambda a, w: [ParsedCall("navigate", {"content": a.url})],
    "go_back": lambda a, w: [ParsedCall("press_back", {})],
    "extension": _write_theirs,
}

DIALECT = Dialect(
    name=NAME,
    title="UI-TARS",
    kind="text",
    read=from_ui_tars,
    write=to_ui_tars,
    variants=("1.5", "v1", "doubao", "xml"),
)
