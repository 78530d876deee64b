"""AgentNet, the data of OpenCUA: pyautogui's calls with named arguments and places between 0 and 1, and some of its own.

Source: `schema/action/gui.py` of OpenCUA's data processor. In the variant `image` the places are pixels of the picture that the
model saw, as OpenCUA's models answer. Case means nothing within a chord.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import Call
from protocol.dialects.common.conversion import given, row, without_delay
from protocol.dialects.common.fields import Fields, at, checked_number
from protocol.dialects.python.pyautogui import FUNCTIONS, PACE, Code, Means, Reader
from protocol.dialects.python.strokes import InputDevice, Kind, Stroke, actions_of, spot_of, stroke, strokes_of, write_name
from protocol.model.actions import AgentAction
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Click, Extension, Fill, SelectOption

NAME = "agentnet"
_CAN: frozenset[Kind] = frozenset({"move", "click", "drag", "wheel", "write", "press", "wait", "done", "fail"})
_HANDS = InputDevice(NAME, _CAN, aimed=False, reports=True)
UNSAID_WAIT = 20.0
"""Seconds of `computer.wait()`, as the prompts of OpenCUA say."""
LONG_PRESS = 1.0
"""Seconds that `mobile.long_press` stands for; it does not say them."""
_STATUS: dict[str, Kind] = {"success": "done", "failure": "fail"}
_Said = list[Stroke | AgentAction]


def from_agentnet(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a text of calls."""
    space, image = context.picture if DIALECT.variant(context) == "image" else ("norm1", None)

    def spot(x: Any, y: Any, where: str) -> ActionTarget:
        return at(checked_number(NAME, where, x), checked_number(NAME, where, y), space, image, NAME, where)

    reader = Reader(NAME, context, spot, names_keys=True)
    code = Code(NAME, payload)
    strokes: _Said = []
    for call in code.calls():
        if not isinstance(call, Call) or (call.name not in FUNCTIONS and call.name not in _OWN):
            raise DialectError(NAME, call.where, "there is no such function here")
        if call.name in _OWN:
            strokes += reader.read(call, _OWN[call.name], () if call.name.endswith(".wait") else PACE)
        else:
            strokes += [replace(stroke, keys=_without_case(stroke.keys)) for stroke in reader.functions(call)]
    return ParsedPayload(actions_of(NAME, strokes), code.losses + reader.losses)


def _without_case(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key.lower() if len(key) == 1 and key.isascii() else key for key in keys) if len(keys) > 1 else keys


def _terminate(reader: Reader) -> list[Stroke]:
    kind = _STATUS[reader.fields.choice("status", tuple(_STATUS))]
    return [Stroke(kind, reader.call.where, text=reader.fields.text("answer", ""))]


def _swipe(reader: Reader) -> AgentAction:
    ends = {name: list(reader.fields.pair(name)) for name in ("from_coord", "to_coord")}
    for x, y in ends.values():
        reader.spot(x, y, reader.call.where)
    return reader.build("x-agentnet.swipe", arguments=ends)


_TRIPLE: Means = ("x y", stroke("click", at=Reader.needed, count=3))
_OWN: dict[str, Means] = {
    "computer.tripleClick": _TRIPLE,
    "computer.triple_click": _TRIPLE,
    "computer.wait": ("duration", stroke("wait", seconds=given("duration", UNSAID_WAIT, kind="number"))),
    "computer.terminate": ("status answer", _terminate),
    "answer": ("answer", row("answer", text=given("answer"))),
    "browser.select_option": (
        "x y value",
        row("select_option", target=Reader.needed, options=lambda r: (r.fields.text("value"),)),
    ),
    "browser.clear": ("x y", row("fill", target=Reader.needed, text="")),
    "mobile.swipe": ("from_coord to_coord", _swipe),
    "mobile.home": ("", row("x-agentnet.home")),
    "mobile.back": ("", row("go_back")),
    "mobile.wait": ("seconds", stroke("wait", seconds=given("seconds", kind="number"))),
    "mobile.long_press": ("x y", row("click", target=Reader.needed, hold=LONG_PRESS)),
    "mobile.open_app": ("app_name", row("launch_app", app=given("app_name"))),
}


def to_agentnet(action: Action, context: Context) -> WrittenPayload:
    """The lines that do `action`. Raises DialectError for what AgentNet cannot say."""
    image = DIALECT.variant(context) == "image"

    def locate(target: ActionTarget, what: str) -> tuple[ActionTarget, list[Loss]]:
        if image:
            return spot_of(target, context, *context.picture, NAME, what)
        return _short(*spot_of(target, context, "norm1", None, NAME, what), context, what)

    own = _WRITE_OWN.get(action.verb)
    said = own(action, locate) if own else None
    if said is None:
        strokes, losses = strokes_of(action, _HANDS, context, locate)
        if any(stroke.keys != _without_case(stroke.keys) for stroke in strokes):
            losses.append(Loss(what=f"{action.verb}.keys", why="case means nothing within a chord"))
        return WrittenPayload("\n".join(_WRITE[stroke.kind](stroke) for stroke in strokes), losses)
    lines, losses = said
    bare = action.model_copy(update={"target": None, "delay": None})
    if isinstance(action, Extension) and from_agentnet(lines[0], context).actions != [bare]:
        raise DialectError(NAME, action.verb, "the arguments are not those of the function")
    if action.target is not None and not isinstance(action, SelectOption | Fill | Click):
        losses.append(Loss(what="target", why=f"{action.verb} has no target here"))
    return WrittenPayload("\n".join(lines), without_delay(action) + losses)


def _short(spot: ActionTarget, losses: list[Loss], context: Context, what: str) -> tuple[ActionTarget, list[Loss]]:
    """A place with four decimals, as in the data."""
    point = spot.point
    if point is None:
        return spot, losses
    short = point.model_copy(update={"x": round(point.x, 4), "y": round(point.y, 4)})
    if short != point and all(loss.what != f"{what}.point" for loss in losses):
        losses = [*losses, Loss(what=f"{what}.point", why="rounded to four decimals")]
    return ActionTarget(point=short), losses


Locate = Callable[[ActionTarget, str], tuple[ActionTarget, list[Loss]]]
_Lines = tuple[list[str], list[Loss]]


def _write_click(action: Any, locate: Locate) -> _Lines | None:
    if not action.hold or action.modifiers or (action.button, action.count) != ("left", 1):
        return None
    spot, losses = locate(action.target, "target")
    if action.hold != LONG_PRESS:
        losses.append(Loss(what="click.hold", why="how long a long press is cannot be said"))
    return [_call("mobile.long_press", _xy(spot))], losses


def _write_fill(action: Any, locate: Locate) -> _Lines:
    spot, losses = locate(action.target, "target")
    lines = [_call("browser.clear", _xy(spot))]
    if action.text:
        lines += [_call("pyautogui.click", _xy(spot)), _call("pyautogui.write", f"message={action.text!r}")]
        losses.append(Loss(what="fill", why="said as a clear, a click and the text"))
    if action.submit:
        lines.append("pyautogui.press(keys=['enter'])")
        losses.append(Loss(what="fill.submit", why="said as a press of Enter afterwards"))
    return lines, losses


def _write_select(action: Any, locate: Locate) -> _Lines:
    spot, losses = locate(action.target, "target")
    lines = [_call("browser.select_option", _xy(spot), f"value={option!r}") for option in action.options]
    if len(lines) > 1:
        losses.append(Loss(what="select_option.options", why="said one by one"))
    return lines, losses


def _line(write: Callable[[Any], str]) -> Callable[[Any, Locate], _Lines]:
    return lambda action, locate: ([write(action)], [])


def _write_swipe(action: Any, locate: Locate) -> _Lines:
    fields = Fields(NAME, action.arguments, f"{action.verb}.arguments")
    ends = [f"{name}={list(fields.pair(name))!r}" for name in ("from_coord", "to_coord")]
    fields.end()
    return [_call("mobile.swipe", *ends)], []


_WRITE_OWN: dict[str, Callable[[Any, Locate], _Lines | None]] = {
    "click": _write_click, "fill": _write_fill, "select_option": _write_select, "x-agentnet.swipe": _write_swipe,
    "answer": _line(lambda a: _call("answer", repr(a.text))), "go_back": _line(lambda a: "mobile.back()"),
    "launch_app": _line(lambda a: _call("mobile.open_app", f"app_name={a.app!r}")),
    "x-agentnet.home": _line(lambda a: "mobile.home()"),
}  # fmt: skip


def _call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(filter(None, arguments))})"


def _xy(spot: ActionTarget | None) -> str:
    return f"x={spot.point.x!r}, y={spot.point.y!r}" if spot and spot.point else ""


_CLICKS = {
    ("left", 1): "pyautogui.click", ("right", 1): "pyautogui.rightClick", ("middle", 1): "pyautogui.middleClick",
    ("left", 2): "pyautogui.doubleClick", ("left", 3): "computer.tripleClick",
}  # fmt: skip


def _clicked(s: Stroke) -> str:
    name = _CLICKS.get((s.button, s.count))
    return _call(name, _xy(s.at)) if name else _call("pyautogui.click", _xy(s.at), f"clicks={s.count}", f"button={s.button!r}")


def _pressed(s: Stroke) -> str:
    names = [write_name(NAME, key) for key in s.keys]
    return _call("pyautogui.press" if len(names) == 1 else "pyautogui.hotkey", f"keys={names!r}")


_WRITE: dict[Kind, Callable[[Stroke], str]] = {
    "move": lambda s: _call("pyautogui.moveTo", _xy(s.at)),
    "click": _clicked,
    "drag": lambda s: _call("pyautogui.dragTo", _xy(s.at), f"button={s.button!r}"),
    "wheel": lambda s: f"pyautogui.hscroll({s.across})" if s.across else f"pyautogui.scroll({-s.down})",
    "write": lambda s: _call("pyautogui.write", f"message={s.text!r}"),
    "press": _pressed,
    "wait": lambda s: _call("computer.wait", f"duration={s.seconds!r}"),
    "done": lambda s: _call("computer.terminate", "status='success'", s.text and f"answer={s.text!r}"),
    "fail": lambda s: _call("computer.terminate", "status='failure'", s.text and f"answer={s.text!r}"),
}

DIALECT = Dialect(NAME, "AgentNet (OpenCUA)", "text", from_agentnet, to_agentnet, ("norm1", "image"))
