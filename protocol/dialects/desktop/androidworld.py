"""AndroidWorld: `{"action_type": "click", "index": 3}`, by the number of an element or by pixels.

An index counts the visible elements of the state in order, from 0: the list that AndroidWorld itself gives its agents.
Source: google-research/android_world `env/{json_action,actuation,interface}.py`, `agents/{m3a,seeact,seeact_utils}.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from protocol.dialects.common.base import (
    Context,
    Conversion,
    Dialect,
    DialectError,
    Fields,
    Loss,
    ParsedPayload,
    WrittenPayload,
    at,
    build,
    cannot,
    element_of,
    without_delay,
)
from protocol.dialects.common.calls import BareName, parse_value
from protocol.dialects.common.saying import a_text, direction_of, position, read_chord, spot, within_length
from protocol.model.actions import AgentAction
from protocol.model.elements import GUIElement
from protocol.model.geometry import JsonObject
from protocol.model.keys import write_key
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Click, Extension, Fill, FinishGoal, PressKey, Scroll, Type, Wait

NAME = "androidworld"

_MARK = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_NAMED = re.compile(r"\{\s*+[\"'}]")
_FENCE = re.compile(r"```(?:json)?\s*+(.*?)\s*```", re.DOTALL)


def read_object(text: str) -> Mapping[str, Any]:
    """The object behind `Action:`, or alone; in JSON, or as Python prints it. Raises DialectError.

    It starts at the first brace and ends the text: an object inside a typed text is never taken for the action.
    """
    stripped = text.strip()
    mark = None if stripped.startswith(("{", "```")) else _MARK.search(stripped)
    body = stripped[mark.end() :].strip() if mark else stripped
    fenced = _FENCE.fullmatch(body)
    body = fenced[1] if fenced else body
    if not body.startswith("{"):
        raise DialectError(NAME, "$", "an object in braces is needed behind Action:")
    if not _NAMED.match(body):
        raise DialectError(NAME, "$", "an object with names in quotes is needed")
    try:
        found = json.loads(body)
    except RecursionError:
        raise DialectError(NAME, "$", "the JSON is nested too deeply") from None
    except ValueError:
        found = parse_value(NAME, body)
    if not isinstance(found, Mapping) or not all(type(name) is str for name in found):
        raise DialectError(NAME, "$", "an object whose names are in quotes is needed")
    for name, value in found.items():
        if type(value) is BareName:
            raise DialectError(NAME, f"$.{name}", f"a value is needed, not the name {str(value)[:40]}")
    return found


def write_object(said: Mapping[str, Any]) -> str:
    """M3A's answer. It must have a reason, and ends its object at the first brace: those of texts are written by their number."""
    return f"Reason: none given\nAction: {json.dumps(said, ensure_ascii=False).replace('}', _BRACE)[: -len(_BRACE)]}}}"


_BRACE = "\\u007d"

_VERBS = {
    "CLICK": "click", "LONG PRESS": "long_press", "INPUT TEXT": "input_text", "SWIPE": "scroll", "OPEN APP": "open_app",
    "ANSWER": "answer", "KEYBOARD ENTER": "keyboard_enter", "NAVIGATE HOME": "navigate_home", "NAVIGATE BACK": "navigate_back",
    "WAIT": "wait", "TERMINATE": "status",
}  # fmt: skip
_NAMES = {verb: name for name, verb in _VERBS.items()}
_VALUES = {"INPUT TEXT": "text", "SWIPE": "direction", "OPEN APP": "app_name", "ANSWER": "text"}
_OURS = {"INPUT TEXT": "type.text", "OPEN APP": "launch_app.app", "ANSWER": "answer.text"}
OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
"""A finger that moves up shows what is further down."""
_LINES = re.compile(r"^(?:ELEMENT:(?P<element>[^\n]*)\n\s*)?ACTION:(?P<action>[^\n]*)\n\s*VALUE:(?P<value>[^\n]*)", re.MULTILINE)
_LETTERS = 26 * 26 + 1
"""Elements for which SeeAct has letters."""


def read_lines(text: str) -> JsonObject:
    """SeeAct's answer as AndroidWorld's object. Raises DialectError."""
    found = _LINES.search(text)
    if found is None:
        raise DialectError(NAME, "", "the lines ELEMENT:, ACTION: and VALUE: are needed")
    if text[found.end() :].strip():
        raise DialectError(NAME, position(text, found.end()), "a value is one line, and nothing follows it")
    name = found["action"].strip().rstrip(".")
    if name not in _VERBS:
        where = position(text, found.start("action"))
        raise DialectError(NAME, where, f"there is no action {name[:40]!r}; actions are {', '.join(_VERBS)}")
    said: JsonObject = {"action_type": _VERBS[name]}
    element = (found["element"] or "").strip().rstrip(".")
    if element not in ("", "None"):
        said["index"] = _index(element, position(text, found.start("element")))
    value = _value(name, found["value"].strip(), position(text, found.start("value")))
    if value is not None:
        said[_VALUES[name]] = value
    return said | ({"goal_status": "task_complete"} if name == "TERMINATE" else {})


def _value(name: str, value: str, where: str) -> str | None:
    plain = value.strip(".")
    if name not in _VALUES:
        if plain not in ("", "None"):
            raise DialectError(NAME, where, f"{name} has the value None, not {value[:40]!r}")
        return None
    if name == "SWIPE":
        if plain not in OPPOSITE:
            raise DialectError(NAME, where, f"one of up, down, left or right is needed, not {value[:40]!r}")
        return OPPOSITE[plain]
    if not value:
        raise DialectError(NAME, where, f"{name} needs a value")
    return value


def _index(letters: str, where: str) -> int:
    """`A` is 0, `Z` is 25, `AA` is 26, as SeeAct counts."""
    if not re.fullmatch("[A-Z]{1,2}", letters):
        raise DialectError(NAME, where, f"one or two capital letters are needed, not {letters[:40]!r}")
    last = ascii_uppercase.index(letters[-1])
    return last if len(letters) == 1 else 26 + 26 * ascii_uppercase.index(letters[0]) + last


def _letters(index: int) -> str:
    if index >= _LETTERS:
        raise DialectError(NAME, "target", f"SeeAct has letters for {_LETTERS} elements, not for number {index}")
    return ascii_uppercase[index] if index < 26 else ascii_uppercase[index // 26 - 1] + ascii_uppercase[index % 26]


def write_lines(said: Mapping[str, Any]) -> tuple[str, list[Loss]]:
    """SeeAct's answer for AndroidWorld's object, and what its own parser makes of the value. Raises DialectError."""
    name = _NAMES.get(said["action_type"])
    if name is None or said.get("goal_status") == "infeasible" or "clear_text" in said or "x" in said:
        raise DialectError(NAME, str(said["action_type"]), "SeeAct has no words for it")
    losses: list[Loss] = []
    value = said[_VALUES[name]] if name in _VALUES else "None"
    if name in _OURS:
        losses = _cut(_OURS[name], value)
    element = _letters(said["index"]) if "index" in said else "None"
    if name == "INPUT TEXT" and element == "None":
        raise DialectError(NAME, "target", "SeeAct needs an element to type into")
    return f"ELEMENT: {element}\n\nACTION: {name}\n\nVALUE: {OPPOSITE[value] if name == 'SWIPE' else value}", losses


def _cut(field: str, value: str) -> list[Loss]:
    if "\n" in value or not value.strip():
        raise DialectError(NAME, field, "a value is one line that is not empty")
    if value != value.strip():
        return [Loss(what=field, why="blanks at the ends are not kept")]
    if ":" in value or value != value.strip("."):
        return [Loss(what=field, why="SeeAct's own parser cuts a value at a colon, and dots at its ends")]
    return []


SCROLL = 0.5
"""Pages of a scroll: AndroidWorld drags from the middle of the region to its edge."""
SWIPE = 1
"""Pages of a swipe, from one edge of the screen to the other."""
LONG_PRESS = 1.0
"""Seconds of a long press."""
WAIT = 1.0
"""Seconds of a wait."""
_DIRECTIONS = ("up", "down", "left", "right")


def _listed(context: Context) -> list[GUIElement]:
    return [element for element in context.state.elements if element.visible] if context.state else []


def from_androidworld(payload: Any, context: Context) -> ParsedPayload:
    """The actions of an object, of a list of objects, or of an agent's answer. Raises DialectError."""
    variant = DIALECT.variant(context)
    if isinstance(payload, list) and payload:
        parts = [_read(part, context, variant, f"$[{n}]") for n, part in enumerate(payload)]
        return ParsedPayload([action for part in parts for action in part], [])
    return ParsedPayload(_read(payload, context, variant, "$"), [])


def _read(payload: Any, context: Context, variant: str, where: str) -> list[AgentAction]:
    if isinstance(payload, str):
        text = a_text(payload, NAME)
        payload = read_lines(text) if variant == "seeact" else read_object(text)
    elif variant in ("m3a", "seeact"):
        raise DialectError(NAME, where, f"a text is needed, not {type(payload).__name__}")
    reading = _Reading(Fields(NAME, payload, where), context)
    verb = reading.fields.text("action_type")
    if verb not in _READ:
        reading.fields.refuse("action_type", f"there is no action {verb[:40]!r}; actions are {', '.join(_READ)}")
    actions = _READ[verb](reading)
    reading.fields.end()
    return actions


@dataclass
class _Reading:
    """One object that is read."""

    fields: Fields
    context: Context

    def build(self, verb: str, **fields: Any) -> list[AgentAction]:
        return [build(NAME, self.fields.where, action_type=verb, **fields)]

    def target(self) -> ActionTarget | None:
        """By `index`, or by `x` and `y`; None where neither is given."""
        if "index" not in self.fields:
            if "x" not in self.fields and "y" not in self.fields:
                return None
            return at(self.fields.number("x"), self.fields.number("y"), "px", None, NAME, f"{self.fields.where}.x")
        if "x" in self.fields or "y" in self.fields:
            self.fields.refuse("index", "either an index or a place is needed, not both")
        index = self._index()
        if self.context.state is None:
            self.fields.refuse("index", "a state is needed to know which element it is")
        listed = _listed(self.context)
        if not 0 <= index < len(listed):
            self.fields.refuse("index", f"there are {len(listed)} visible elements, counted from 0: there is no {index}")
        return ActionTarget(element_id=listed[index].element_id)

    def _index(self) -> int:
        given = self.fields.any("index")
        if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 7:
            return int(given)
        if isinstance(given, bool) or not isinstance(given, int):
            self.fields.refuse("index", "a whole number is needed")
        return given

    def text(self, name: str = "text") -> str:
        """A text; models write numbers without quotes."""
        value = self.fields.any(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return str(value)
        return value if isinstance(value, str) else self.fields.refuse(name, "a text is needed")


def _click(**how: Any) -> Callable[[_Reading], list[AgentAction]]:
    return lambda r: r.build("click", target=r.target(), **how)


def _input_text(r: _Reading) -> list[AgentAction]:
    """Enter is always pressed. Without a target the text goes to the focused field; to clear that takes keys."""
    target, text, clear = r.target(), r.text(), r.fields.flag("clear_text", False)
    if clear and target is not None:
        return r.build("fill", target=target, text=text, submit=True)
    keys = [("Control", "a"), ("Backspace",)] if clear else []
    cleared = [action for chord in keys for action in r.build("press_key", keys=chord)]
    return [*cleared, *r.build("type", target=target, text=text, submit=True)]


def _scroll(r: _Reading) -> list[AgentAction]:
    way = r.fields.choice("direction", _DIRECTIONS)
    return r.build("scroll", direction=way, amount=SCROLL, unit="page", target=r.target())


def _swipe(r: _Reading) -> list[AgentAction]:
    """The direction is that of the finger: a swipe up shows what is further down."""
    way = OPPOSITE[r.fields.choice("direction", _DIRECTIONS)]
    return r.build("scroll", direction=way, amount=SWIPE, unit="page", target=r.target())


def _press_keyboard(r: _Reading) -> list[AgentAction]:
    code, where = r.fields.text("keycode"), f"{r.fields.where}.keycode"
    if not code.startswith("KEYCODE_"):
        r.fields.refuse("keycode", "a name such as KEYCODE_ENTER is needed")
    keys = read_chord(code, "android", NAME, where)
    return r.build("press_key", keys=keys) if len(keys) == 1 else r.fields.refuse("keycode", "one key is needed, not a chord")


def _status(r: _Reading) -> list[AgentAction]:
    status = r.fields.choice("goal_status", ("complete", "task_complete", "infeasible"))
    return r.build("fail_goal" if status == "infeasible" else "finish_goal")


_READ: dict[str, Callable[[_Reading], list[AgentAction]]] = {
    "click": _click(),
    "double_tap": _click(count=2),
    "long_press": _click(hold=LONG_PRESS),
    "input_text": _input_text,
    "keyboard_enter": lambda r: r.build("press_key", keys=("Enter",)),
    "press_keyboard": _press_keyboard,
    "navigate_home": lambda r: r.build(f"x-{NAME}.navigate_home"),
    "navigate_back": lambda r: r.build("go_back"),
    "scroll": _scroll,
    "swipe": _swipe,
    "open_app": lambda r: r.build("launch_app", app=r.text("app_name")),
    "wait": lambda r: r.build("wait", seconds=WAIT),
    "answer": lambda r: r.build("answer", text=r.text()),
    "status": _status,
}


def to_androidworld(action: Action, context: Context) -> WrittenPayload:
    """The object of `action`, or a list of several; texts for M3A and SeeAct. Raises DialectError."""
    writing = _Writing(NAME, context, DIALECT.variant(context))
    write = _WRITE.get(action.action_type if isinstance(action, Extension) else action.verb)
    if write is None:
        cannot(NAME, action)
    if action.verb not in _AIMED:
        writing.drop(action, target="there is no target")
    said = [writing.worded(part) for part in write(action, writing)]
    return WrittenPayload(said[0] if len(said) == 1 else said, writing.losses + without_delay(action))


@dataclass
class _Writing(Conversion):
    """One action that is written."""

    variant: str

    def worded(self, said: JsonObject) -> Any:
        if self.variant == "m3a":
            return within_length(write_object(said), NAME)
        if self.variant == "seeact":
            text, losses = write_lines(said)
            self.take(losses)
            return within_length(text, NAME)
        return said

    def aim(self, target: ActionTarget | None) -> JsonObject:
        """The index of the element, or the place: of anything where places are spoken, else of what is nothing but a place."""
        if target is None:
            return {}
        if self.variant == "xy" or (self.variant != "seeact" and set(target.model_dump(exclude_none=True)) == {"point"}):
            said, losses = spot(target, self.context, "px", None, NAME, "target", whole=True)
            self.take(losses)
            return {"x": said.x, "y": said.y}
        return {"index": self._index(target)}

    def _index(self, target: ActionTarget) -> int:
        element = element_of(target, self.context, NAME)[0]
        listed = [each.element_id for each in _listed(self.context)]
        if element is None or element.element_id not in listed:
            raise DialectError(NAME, "target", f"{target.describe()!r} is no visible element, and only those have an index")
        for name, value in target.model_dump(exclude_none=True).items():
            if name != "element_id" and value is not None:
                self.lose(f"target.{name}", "said as the index of the element")
        return listed.index(element.element_id)


def _write_click(action: Click, w: _Writing) -> list[JsonObject]:
    if action.button != "left" or action.count > 2 or action.modifiers or (action.hold and action.count > 1):
        cannot(NAME, action, "only a tap, a double tap and a long press can be said")
    if action.hold and action.hold != LONG_PRESS:
        w.lose("click.hold", f"a long press always takes {LONG_PRESS:g} second")
    verb = "long_press" if action.hold else ("click", "double_tap")[action.count - 1]
    return [{"action_type": verb, **w.aim(action.target)}]


def _write_text(action: Type | Fill, w: _Writing) -> list[JsonObject]:
    if not action.submit:
        w.lose(f"{action.verb}.submit", "input_text always presses Enter")
    if not action.text:
        w.lose(f"{action.verb}.text", "AndroidWorld does nothing for an empty text")
    if not action.text.isascii():
        w.lose(f"{action.verb}.text", "AndroidWorld's executor types ASCII only and drops the rest")
    clear = {"clear_text": True} if isinstance(action, Fill) else {}
    return [{"action_type": "input_text", "text": action.text, **w.aim(action.target), **clear}]


def _write_key(action: PressKey, w: _Writing) -> list[JsonObject]:
    code = write_key(action.keys[0], "android") if len(action.keys) == 1 else None
    if code is None:
        cannot(NAME, action, "only single keys that Android has can be said")
    click = [{"action_type": "click", **w.aim(action.target)}] if action.target else []
    if click:
        w.lose("press_key.target", "said as a tap and then the key")
    if code == "KEYCODE_ENTER":
        return [*click, {"action_type": "keyboard_enter"}]
    w.lose("press_key.keys", "the executor knows press_keyboard, but AndroidWorld's own JSONAction refuses its name")
    return [*click, {"action_type": "press_keyboard", "keycode": code}]


def _write_scroll(action: Scroll, w: _Writing) -> list[JsonObject]:
    """Never a swipe to the left or right: the executor has those two the wrong way round."""
    if action.target is None and w.variant != "seeact" and (abs(action.delta.y), action.unit) == (SWIPE, "page"):
        way, losses = direction_of(action, NAME, SWIPE, "page")
        w.take(losses)
        return [{"action_type": "swipe", "direction": OPPOSITE[way]}]
    way, losses = direction_of(action, NAME, SCROLL, "page")
    w.take(losses)
    aim = w.aim(action.target)
    if "x" in aim:
        w.lose("scroll.target", "the executor scrolls an element or the whole screen, not a place")
    return [{"action_type": "scroll", "direction": way, **aim}]


def _write_wait(action: Wait, w: _Writing) -> list[JsonObject]:
    w.drop(action, text="there is no condition", text_gone="there is no condition")
    if action.seconds != WAIT:
        w.lose("wait.seconds", f"a wait always takes {WAIT:g} second")
    return [{"action_type": "wait"}]


def _write_status(action: Action, w: _Writing) -> list[JsonObject]:
    w.drop(action, **{"summary" if isinstance(action, FinishGoal) else "reason": "a status has no words"})
    return [{"action_type": "status", "goal_status": "complete" if isinstance(action, FinishGoal) else "infeasible"}]


def _write_home(action: Extension, w: _Writing) -> list[JsonObject]:
    if action.arguments:
        cannot(NAME, action, "the verb has no arguments")
    return [{"action_type": "navigate_home"}]


_WRITE: dict[str, Callable[[Any, _Writing], list[JsonObject]]] = {
    "click": _write_click,
    "type": _write_text,
    "fill": _write_text,
    "press_key": _write_key,
    "scroll": _write_scroll,
    "launch_app": lambda a, w: [{"action_type": "open_app", "app_name": a.app}],
    "go_back": lambda a, w: [{"action_type": "navigate_back"}],
    "wait": _write_wait,
    "answer": lambda a, w: [{"action_type": "answer", "text": a.text}],
    "finish_goal": _write_status,
    "fail_goal": _write_status,
    f"x-{NAME}.navigate_home": _write_home,
}
_AIMED = frozenset({"click", "type", "fill", "press_key", "scroll"})

DIALECT = Dialect(
    name=NAME,
    title="AndroidWorld",
    kind="json",
    read=from_androidworld,
    write=to_androidworld,
    variants=("index", "xy", "m3a", "seeact"),
)
