"""AndroidWorld: `{"action_type": "click", "index": 3}`, by the number of an element or by pixels.

An index counts the visible elements of the state in order, from 0: the list that AndroidWorld itself gives its agents.
Source: google-research/android_world `env/{json_action,actuation,interface}.py`, `agents/m3a.py`.
"""

import json
import re
from collections.abc import Mapping
from math import floor
from typing import Any

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import Context, DialectError, Fields, a_text, dialect_of, read_chord
from protocol.dialects.common.conversion import WAYS, Choice, Part, Reading, Table, Writing, element_of, given, given_in, row
from protocol.dialects.common.syntax import BareName, parse_value
from protocol.log.versions import SaidTwice, said_once
from protocol.model import verbs
from protocol.model.keys import write_key

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
        found = json.loads(body, object_pairs_hook=said_once)
    except SaidTwice as twice:
        raise DialectError(NAME, "$", str(twice)) from None
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

OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
"""A finger that moves up shows what is further down."""
SCROLL = 0.5
"""Pages of a scroll: AndroidWorld drags from the middle of the region to its edge."""
SWIPE = 1
"""Pages of a swipe, from one edge of the screen to the other."""
LONG_PRESS = 1.0
"""Seconds of a long press."""
WAIT = 1.0
"""Seconds of a wait."""


def _listed(context: Context) -> list[str]:
    """Ids of the visible elements, in order."""
    return [element.element_id for element in context.state.elements if element.visible] if context.state else []


class _Reading(Reading):
    """Objects that are read, or the answer of an agent."""

    nothing = "there is no action"

    def take(self, payload: Any, where: str) -> None:
        if self.variant == "m3a" and not isinstance(payload, str):
            self.refuse(where, f"a text is needed, not {type(payload).__name__}")
        self.fields = Fields(NAME, read_object(a_text(payload, NAME)) if isinstance(payload, str) else payload, where)
        self.actions += self.read(_ACTIONS, self.fields.text("action_type"), "action_type")

    def target(self) -> ActionTarget | None:
        """By `index`, or by `x` and `y`; None where neither is given."""
        placed = "x" in self.fields or "y" in self.fields
        if "index" not in self.fields:
            return self.at(blame="x") if placed else None
        if placed:
            self.fields.refuse("index", "either an index or a place is needed, not both")
        index = self.fields.any("index")
        if isinstance(index, str) and index.isascii() and index.isdigit() and len(index) < 7:
            index = int(index)
        if isinstance(index, bool) or not isinstance(index, int):
            self.fields.refuse("index", "a whole number is needed")
        if self.context.state is None:
            self.lose("index", "which element it counts can only be seen on its screen")
            return ActionTarget(element_id=str(index))
        listed = _listed(self.context)
        if not 0 <= index < len(listed):
            self.fields.refuse("index", f"there are {len(listed)} visible elements, counted from 0: there is no {index}")
        return ActionTarget(element_id=listed[index])

    def text(self, name: str = "text") -> str:
        """A text; models write numbers without quotes."""
        value = self.fields.any(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return str(value)
        return value if isinstance(value, str) else self.fields.refuse(name, "a text is needed")

    def input_text(self) -> list[AgentAction]:
        """Enter is always pressed. Without a target the text goes to the focused field; to clear that takes keys."""
        target, text, clear = self.target(), self.text(), self.fields.flag("clear_text", False)
        if clear and target is not None:
            return [self.build("fill", target=target, text=text, submit=True)]
        keys = [("Control", "a"), ("Backspace",)] if clear else []
        cleared = [self.build("press_key", keys=chord) for chord in keys]
        return [*cleared, self.build("type", target=target, text=text, submit=True)]

    def key_code(self) -> tuple[str, ...]:
        code = self.fields.text("keycode")
        if not code.startswith("KEYCODE_"):
            self.fields.refuse("keycode", "a name such as KEYCODE_ENTER is needed")
        return (self.key(read_chord(code, "android", NAME, f"{self.fields.where}.keycode"), "keycode"),)


_AT = Part(_Reading.target, lambda w, target: w.aim(target))
_WAY = given("direction", WAYS, kind="choice")
_KEY = Part(_Reading.key_code, lambda w, keys: None if (code := w.code(keys)) is None else {"keycode": code})
_ACTIONS: Table = {
    "click": row("click", target=_AT, hold=0.0),
    "double_tap": row("click", target=_AT, count=2, hold=0.0),
    "long_press": row("click", target=_AT, hold=Part(lambda r: LONG_PRESS, lambda w, hold: {})),
    "input_text": _Reading.input_text,
    "keyboard_enter": row("press_key", keys=("Enter",)),
    "press_keyboard": row("press_key", keys=_KEY),
    "navigate_home": lambda r: r.theirs("navigate_home"),
    "navigate_back": row("go_back"),
    "scroll": row("scroll", direction=_WAY, amount=SCROLL, unit="page", target=_AT),
    # The direction is that of the finger: a swipe up shows what is further down.
    "swipe": row("scroll", direction=lambda r: OPPOSITE[_WAY(r)], amount=SWIPE, unit="page", target=_AT),
    "open_app": row("launch_app", app=Part(lambda r: r.text("app_name"), lambda w, app: {"app_name": app})),
    "wait": row("wait", seconds=Part(lambda r: WAIT, lambda w, seconds: {})),
    "answer": row("answer", text=Part(_Reading.text, lambda w, text: {"text": text})),
    "status": Choice(
        "goal_status", {**dict.fromkeys(("complete", "task_complete"), row("finish_goal")), "infeasible": row("fail_goal")}
    ),
}


_Calls = list[JsonObject]


class _Writing(Writing):
    """Objects, before they are put into the words of an agent."""

    table = _ACTIONS
    verb_field = "action_type"
    can = frozenset({"fill", "submit", "hold"})
    aimed = frozenset({"type", "scroll"})

    def payload(self, action: verbs.Action) -> Any:
        """Objects; texts for M3A."""
        said = [write_object(call) if self.variant == "m3a" else call for call in self.calls(action)]
        return said[0] if len(said) == 1 else said

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """The index of the element, or the place: of anything where places are spoken, else of what is nothing but a place."""
        if target is None:
            return {}
        if self.variant == "xy" or given_in(target) == ["point"]:
            said = self.near(target)
            return {"x": floor(said.x + 0.5), "y": floor(said.y + 0.5)}
        element, listed = element_of(target, self.context, NAME)[0], _listed(self.context)
        if element is None or element.element_id not in listed:
            self.refuse(what, f"{target.describe()!r} is no visible element, and only those have an index")
        return {"index": listed.index(element.element_id)}

    def simpler(self, action: verbs.Action) -> list[verbs.Action]:
        if isinstance(action, verbs.Click) and (action.count > 2 or action.modifiers or (action.hold and action.count > 1)):
            self.cannot(action, "only a tap, a double tap and a long press can be said")
        return super().simpler(action)

    def code(self, keys: tuple[str, ...]) -> str | None:
        """The code of a key; none for several."""
        code = write_key(keys[0], "android") if len(keys) == 1 else None
        if code is not None:
            self.lose("press_key.keys", "the executor knows press_keyboard, but AndroidWorld's own JSONAction refuses its name")
        return code

    def type(self, action: verbs.Type | verbs.Fill) -> _Calls:
        if not action.text:
            self.lose(f"{action.verb}.text", "AndroidWorld does nothing for an empty text")
        if not action.text.isascii():
            self.lose(f"{action.verb}.text", "AndroidWorld's executor types ASCII only and drops the rest")
        clear = {"clear_text": True} if isinstance(action, verbs.Fill) else {}
        return [self.call("input_text", text=action.text, **self.aim(action.target), **clear)]

    fill = type

    def scroll(self, action: verbs.Scroll) -> _Calls:
        """Never a swipe to the left or right: the executor has those two the wrong way round."""
        way, aim = self.way(action), self.aim(action.target)
        if action.target is None and (abs(action.delta.y), action.unit) == (SWIPE, "page"):
            return [self.call("swipe", direction=OPPOSITE[way])]
        if "x" in aim:
            self.lose("scroll.target", "the executor scrolls an element or the whole screen, not a place")
        return [self.call("scroll", direction=way, **aim)]


DIALECT = dialect_of(_Reading, _Writing, NAME, "AndroidWorld", "json", ("index", "xy", "m3a"))
