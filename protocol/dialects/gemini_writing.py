"""Writing Gemini's function calls: which function of either set says a verb."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from protocol.dialects.base import Written, cannot
from protocol.dialects.pointing import Writing, simpler
from protocol.verbs import (
    Action,
    Click,
    Drag,
    Extension,
    Fill,
    GoBack,
    GoForward,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    LaunchApp,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    Screenshot,
    Scroll,
    Type,
    Wait,
)

NAME = "gemini"
VARIANTS = ("2.5", "3.5")
WHOLE = 1_000
"""What numbers of the grid are divided by."""

WAIT = 5
"""Seconds of the one wait of the older set."""

CLICKS = {
    "click": ("left", 1), "double_click": ("left", 2), "triple_click": ("left", 3), "middle_click": ("middle", 1),
    "right_click": ("right", 1),
}  # fmt: skip
THEIRS = {"2.5": ("open_web_browser", "search"), "3.5": ("list_apps",)}
"""Functions that we lack."""

MOST = 999
"""The largest number of the grid."""


def written(action: Action, writing: Writing) -> Written:
    """A function call, or a list of them. Raises DialectError."""
    writers = {**_BOTH, **(_NEW if writing.variant == "3.5" else _OLD)}
    said: list[dict[str, Any]] = []
    for step in _steps(action, writing):
        if type(step) not in writers:
            cannot(NAME, action, "the model says it in words, without a call" if action.inner else "")
        said += [{"name": name, "args": given} for name, given in writers[type(step)](step, writing)]
    return Written(said[0] if len(said) == 1 else said, writing.losses)


def _steps(action: Action, writing: Writing) -> list[Action]:
    if writing.variant == "2.5":
        return simpler(action, writing, [("left", 1)], ("fill",))
    steps = simpler(action, writing, list(CLICKS.values()), ("submit", "hold"))
    held = steps[-1]
    if isinstance(held, HoldKey):
        writing.lose("hold_key", "said as keys that go down, a wait, and keys that go up")
        down: list[Action] = [KeyDown(key=key) for key in held.keys]
        return [*steps[:-1], *down, Wait(seconds=held.seconds), *(KeyUp(key=key) for key in reversed(held.keys))]
    return steps


_Calls = list[tuple[str, dict[str, Any]]]


def _xy(target: Any, writing: Writing, what: str = "target", x: str = "x", y: str = "y") -> dict[str, int]:
    return dict(zip((x, y), writing.spot(target, what), strict=True))


def _names(action: Action, keys: tuple[str, ...], writing: Writing) -> list[str]:
    return ["add" if name == "+" else name for name in writing.chord(action, keys, "playwright")]


def _write_click(action: Click, writing: Writing) -> _Calls:
    writing.drop(action, modifiers="no key is held during a click")
    at = _xy(action.target, writing)
    if writing.variant == "2.5":
        return [("click_at", at)]
    if action.hold:
        return [("long_press", {**at, "seconds": _whole(action, action.hold, "hold", writing)})]
    return [(name, at) for name, click in CLICKS.items() if click == (action.button, action.count)]


def _whole(action: Action, seconds: float, field: str, writing: Writing) -> int:
    if seconds != int(seconds):
        writing.lose(f"{action.verb}.{field}", "said in whole seconds, rounded up")
    return ceil(seconds)


def _write_hover(action: Hover, writing: Writing) -> _Calls:
    writing.drop(action, modifiers="no key is held during a move")
    return [("hover_at" if writing.variant == "2.5" else "move", _xy(action.target, writing))]


def _write_button(action: MouseDown | MouseUp, writing: Writing) -> _Calls:
    if action.button != "left":
        cannot(NAME, action, f"only the left button is pressed and released by itself, not {action.button}")
    return [(action.verb, _xy(action.target, writing))]


def _write_drag(action: Drag, writing: Writing) -> _Calls:
    if action.button != "left":
        cannot(NAME, action, f"only the left button drags, not {action.button}")
    writing.drop(action, path="only the two ends are said", modifiers="no key is held during a drag")
    start, end = ("", "destination_") if writing.variant == "2.5" else ("start_", "end_")
    spots = {
        **_xy(action.target, writing, "target", f"{start}x", f"{start}y"),
        **_xy(action.to, writing, "to", f"{end}x", f"{end}y"),
    }
    return [("drag_and_drop", spots)]


def _write_type_at(action: Type | Fill, writing: Writing) -> _Calls:
    if action.target is None:
        cannot(NAME, action, "text is only typed at a place")
    given = {"text": action.text, "press_enter": action.submit, "clear_before_typing": isinstance(action, Fill)}
    return [("type_text_at", {**_xy(action.target, writing), **given})]


def _write_chord(action: PressKey | HoldKey, writing: Writing) -> _Calls:
    names = _names(action, action.keys, writing)
    if writing.variant == "3.5":
        return [("press_key", {"key": names[0]}) if len(names) == 1 else ("hotkey", {"keys": names})]
    if isinstance(action, HoldKey):
        writing.lose("hold_key.seconds", "keys are only pressed")
    return [("key_combination", {"keys": "+".join(names)})]


def _write_scroll_old(action: Scroll, writing: Writing) -> _Calls:
    writing.drop(action, modifiers="no key is held during a scroll")
    if action.target is not None:
        at = _xy(action.target, writing)
        return [
            ("scroll_at", {**at, "direction": way, "magnitude": share})
            for way, amount in writing.ways(*writing.scroll(action, "page", WHOLE))
            for share in writing.shares(action, amount, MOST, "scroll.delta")
        ]
    if not action.delta.x and not action.delta.y:
        cannot(NAME, action, "a scroll by nothing has no direction")
    writing.lose("scroll.delta", "how far is not said; a call for each page")
    ways = writing.ways(*writing.scroll(action, "page"))
    return [
        ("scroll_document", {"direction": way}) for way, pages in ways for _ in writing.shares(action, pages, 1, "scroll.delta")
    ]


def _write_scroll_new(action: Scroll, writing: Writing) -> _Calls:
    writing.drop(action, modifiers="no key is held during a scroll")
    if action.target is None:
        writing.lose("scroll.target", "the pointer's place is not known: said in the middle of the screen")
    x, y = writing.spot(action.target) if action.target else writing.middle()
    return [
        ("scroll", {"x": x, "y": y, "direction": way, "magnitude_in_pixels": share})
        for way, amount in writing.ways(*writing.scroll(action, "px"))
        for share in writing.shares(action, amount, MOST, "scroll.delta")
    ]


def _write_wait(action: Wait, writing: Writing) -> _Calls:
    writing.drop(action, text="only the time is said", text_gone="only the time is said")
    if writing.variant == "3.5":
        return [("wait", {"seconds": _whole(action, action.seconds, "seconds", writing)})]
    calls = max(1, ceil(action.seconds / WAIT))
    if action.seconds != WAIT:
        writing.lose("wait.seconds", f"said as calls of {WAIT} s each")
    return [("wait_5_seconds", {})] * calls


def _write_look(action: Screenshot, writing: Writing) -> _Calls:
    writing.drop(action, marks="nothing is marked", region="only the whole screen is shown")
    return [("take_screenshot", {})]


def _write_theirs(action: Extension, writing: Writing) -> _Calls:
    name = action.action_type.removeprefix(f"x-{NAME}.")
    if name not in THEIRS[writing.variant] or action.arguments or action.target:
        cannot(NAME, action, "only the service makes a safety decision" if name == "safety_decision" else "")
    return [(name, {})]


_BOTH: dict[type[Action], Callable[[Any, Writing], _Calls]] = {
    Click: _write_click,
    Hover: _write_hover,
    Drag: _write_drag,
    PressKey: _write_chord,
    Wait: _write_wait,
    Navigate: lambda action, writing: [("navigate", {"url": action.url})],
    GoBack: lambda action, writing: [("go_back", {})],
    GoForward: lambda action, writing: [("go_forward", {})],
    Extension: _write_theirs,
}
_OLD: dict[type[Action], Callable[[Any, Writing], _Calls]] = {
    Type: _write_type_at,
    Fill: _write_type_at,
    HoldKey: _write_chord,
    Scroll: _write_scroll_old,
}
_NEW: dict[type[Action], Callable[[Any, Writing], _Calls]] = {
    MouseDown: _write_button,
    MouseUp: _write_button,
    Type: lambda action, writing: [("type", {"text": action.text, "press_enter": action.submit})],
    KeyDown: lambda action, writing: [("key_down", {"key": _names(action, (action.key,), writing)[0]})],
    KeyUp: lambda action, writing: [("key_up", {"key": _names(action, (action.key,), writing)[0]})],
    Scroll: _write_scroll_new,
    LaunchApp: lambda action, writing: [("open_app", {"app_name": action.app})],
    Screenshot: _write_look,
}
