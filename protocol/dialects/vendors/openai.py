"""OpenAI's computer use: `computer_call` items with one action or a batch of them, in pixels of the picture that was sent.

Also read: bare actions, lists of items as a response holds them, and whole responses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from protocol.dialects.common.base import Context, Dialect, DialectError, NothingDone, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import given, row, says
from protocol.dialects.common.fields import Fields, each_of
from protocol.dialects.vendors.pointing import ONLY_SCREEN, PayloadReading, PayloadWriting
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget

NAME = "openai"
_CHECKS = "pending_safety_checks"
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "back": "back", "forward": "forward"}
_WHEEL = {ours: theirs for theirs, ours in _BUTTONS.items()}
_CLICKS = frozenset({("left", 2), *((button, 1) for button in _WHEEL)})
_FUNCTION = "function_call"
_WORDS = ("message", "reasoning", "computer_call_output", "function_call_output")
_SERVICE = (
    "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools",
)  # fmt: skip
"""What the service did by itself while it answered."""
_LONGEST_PATH = 1_002
_COMMANDS = frozenset({"Control", "Alt", "Meta", "ControlOrMeta"})
_WAIT = 1.0
"""Seconds that a `wait` is taken for, as OpenAI's sample app does."""


def from_openai(payload: Any, context: Context) -> ParsedPayload:
    """The actions of an item, of an action, or of a list of either. Raises DialectError.

    Safety checks come first, as `x-openai.pending_safety_checks`: whoever performs actions stops there, and can ask a person.
    """
    reading = _Reading(NAME, context, DIALECT.variant(context), *context.picture)
    for fields in (fields for each, where in each_of(payload) for fields in reading.calls(each, where)):
        reading.fields = fields
        verb = fields.text("type")
        if verb not in _READ and verb != _FUNCTION:
            fields.refuse("type", f"there is no action {verb[:60]!r}; actions are {', '.join(_READ)}")
        reading.actions.append(reading.function() if verb == _FUNCTION else _READ[verb](reading))
        fields.end()
    if not reading.actions:
        raise NothingDone(NAME, "$", "there is no computer call")
    return ParsedPayload(reading.actions, reading.losses)


def _a_list(fields: Fields, name: str, value: Any) -> Sequence[Any]:
    if value is not None and not isinstance(value, list | tuple):
        fields.refuse(name, "a list is needed")
    return value or ()


class _Reading(PayloadReading):
    """The items of a response."""

    def calls(self, payload: Any, where: str) -> Iterator[Fields]:
        fields = Fields(NAME, payload, where)
        kind = payload.get("type")
        if kind is None and isinstance(payload.get("output"), list | tuple):
            for n, each in enumerate(payload["output"]):
                yield from self.calls(each, f"{where}.output[{n}]")
        elif kind == "computer_call":
            yield from self._call(fields)
        elif kind in _WORDS or (kind is None and "role" in payload and not payload.get("tool_calls")):
            self.lose("words", "words beside a call are no action")
        elif kind in _SERVICE:
            self.lose(kind, "what the service does by itself is no action")
        else:
            yield fields

    def function(self) -> AgentAction:
        """A function of the harness's own, beside the tool: carried, since only the harness knows what it does."""
        self.fields.drop("id", "call_id", "namespace")
        self.fields.choice("status", ("completed",), None)
        name, arguments = self.fields.text("name"), self.fields.text("arguments", "{}")
        return self.theirs(_FUNCTION, name=name, arguments=arguments)

    def _call(self, fields: Fields) -> Iterator[Fields]:
        fields.drop("type", "id", "call_id")
        fields.choice("status", ("completed",), None)
        action, actions, checks = fields.any("action", None), fields.any("actions", None), self._checks(fields)
        fields.end()
        if checks:
            self.actions.append(self.theirs(_CHECKS, f"{fields.where}.{_CHECKS}", checks=checks))
        if action is not None and actions is not None:
            fields.refuse("actions", "a call has either an action or actions")
        if action is None and actions is None and not checks:
            fields.refuse("actions", "is missing")
        if action is not None:
            yield Fields(NAME, action, f"{fields.where}.action")
        for n, each in enumerate(_a_list(fields, "actions", actions)):
            yield Fields(NAME, each, f"{fields.where}.actions[{n}]")

    def _checks(self, fields: Fields) -> list[dict[str, str]]:
        found = []
        for n, each in enumerate(_a_list(fields, _CHECKS, fields.any(_CHECKS, None))):
            check = Fields(NAME, each, f"{fields.where}.{_CHECKS}[{n}]")
            said = {name: check.text(name, None) for name in ("id", "code", "message")}
            check.end()
            found.append({name: text for name, text in said.items() if text is not None})
        return found

    def meanwhile(self) -> tuple[str, ...]:
        """The keys that are held."""
        return self.keys("keys", self.fields.texts("keys", ()), "openai")

    def drag_along(self) -> AgentAction:
        path = self.fields.any("path")
        if not isinstance(path, list | tuple) or not 2 <= len(path) <= _LONGEST_PATH:
            self.fields.refuse("path", f"a list of 2 to {_LONGEST_PATH} points is needed")
        outer, spots = self.fields, []
        for n, each in enumerate(path):
            pair = isinstance(each, list | tuple) and len(each) == 2
            self.fields = Fields(NAME, {"x": each[0], "y": each[1]} if pair else each, f"{outer.where}.path[{n}]")
            spots.append(self.xy())
            self.fields.end()
        self.fields = outer
        between = [spot.point for spot in spots[1:-1]]
        held = self.meanwhile()
        return self.build("drag", "keys", target=spots[0], to=spots[-1], path=between, modifiers=held)

    def scroll(self) -> AgentAction:
        delta = {"x": self.fields.number("scroll_x", whole=True), "y": self.fields.number("scroll_y", whole=True)}
        held = self.meanwhile()
        return self.build("scroll", "keys", target=self.xy(), delta=delta, unit="px", modifiers=held)

    def wait(self) -> AgentAction:
        self.lose("wait.seconds", f"a wait says no time; taken as {_WAIT:g} s")
        return self.build("wait", seconds=_WAIT)


def _shortcut(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The model says `CTRL` and `L` for the two keys with these letters on them: no capital is meant without Shift."""
    if "Shift" in keys or not _COMMANDS & {*keys}:
        return keys
    return tuple(key.lower() if len(key) == 1 and key.isascii() else key for key in keys)


_HELD = {"target": _Reading.xy, "modifiers": _Reading.meanwhile}
_READ: dict[str, Callable[[_Reading], AgentAction]] = {
    "click": row("click", "keys", button=lambda r: _BUTTONS[r.fields.choice("button", tuple(_BUTTONS), "left")], **_HELD),
    "double_click": row("click", "keys", count=2, **_HELD),
    "drag": _Reading.drag_along,
    "keypress": row("press_key", "keys", keys=lambda r: _shortcut(r.keys("keys", r.fields.texts("keys"), "openai"))),
    "move": row("hover", "keys", **_HELD),
    "screenshot": row("screenshot"),
    "scroll": _Reading.scroll,
    "type": row("type", text=given("text")),
    "wait": _Reading.wait,
}


def to_openai(action: verbs.Action, context: Context) -> WrittenPayload:
    """A `computer_call`, or a list of them in variant `single`; the ids are the service's to give. Raises DialectError."""
    writing = _Writing(NAME, context, DIALECT.variant(context), *context.picture)
    if isinstance(action, verbs.Extension):
        return WrittenPayload(_carried(action, writing), writing.losses)
    said = [call for step in writing.simpler(action, _CLICKS) for call in writing.said(step)]
    if writing.variant == "batched":
        return WrittenPayload({"type": "computer_call", "actions": said}, writing.losses)
    calls = [{"type": "computer_call", "action": each} for each in said]
    return WrittenPayload(calls[0] if len(calls) == 1 else calls, writing.losses)


def _carried(action: verbs.Extension, writing: PayloadWriting) -> JsonObject:
    """What is carried: safety checks, and functions. Anything that could not have been read is refused."""
    call = {"type": "computer_call", _CHECKS: action.arguments.get("checks")}
    if action.action_type == f"x-{NAME}.{_FUNCTION}":
        call = {"type": _FUNCTION, **action.arguments}
    try:
        exact = from_openai(call, Context()).actions == [action]
    except DialectError:
        exact = False
    return call if exact else writing.cannot(action)


_Calls = list[JsonObject]


class _Writing(PayloadWriting):
    """Actions of a call."""

    lost: ClassVar = {"screenshot": ONLY_SCREEN}
    in_words = "the model says it in words, without a call of the tool"
    type = says("type", "text")
    screenshot = says("screenshot")

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        return {"type": name, **arguments}

    def held(self, action: verbs.Click | verbs.Drag | verbs.Hover | verbs.Scroll) -> dict[str, list[str]]:
        return {"keys": self.names(action, action.modifiers, "openai")} if action.modifiers else {}

    def click(self, action: verbs.Click) -> _Calls:
        x, y = self.spot(action.target)
        button = {"button": _WHEEL[action.button]} if action.count == 1 else {}
        return [self.call("click" if action.count == 1 else "double_click", **button, x=x, y=y, **self.held(action))]

    def hover(self, action: verbs.Hover) -> _Calls:
        x, y = self.spot(action.target)
        return [self.call("move", x=x, y=y, **self.held(action))]

    def drag(self, action: verbs.Drag) -> _Calls:
        self.only_left(action)
        between = [("path", ActionTarget(point=point)) for point in action.path]
        spots = [self.spot(target, what) for what, target in (("target", action.target), *between, ("to", action.to))]
        return [self.call("drag", path=[{"x": x, "y": y} for x, y in spots], **self.held(action))]

    def press_key(self, action: verbs.PressKey | verbs.HoldKey) -> _Calls:
        if isinstance(action, verbs.HoldKey):
            self.lose("hold_key.seconds", "keys are only pressed")
        if _shortcut(action.keys) != action.keys:
            self.lose(f"{action.verb}.keys", "a capital letter of a shortcut is read as the key that it stands on")
        return [self.call("keypress", keys=self.names(action, action.keys, "openai"))]

    hold_key = press_key

    def scroll(self, action: verbs.Scroll) -> _Calls:
        x, y = self.spot_or_middle(action)
        across, down = self.amounts(action, "px")
        return [self.call("scroll", x=x, y=y, scroll_x=across, scroll_y=down, **self.held(action))]

    def wait(self, action: verbs.Wait) -> _Calls:
        self.lose("wait.seconds", "a wait says no time")
        self.drop(action, text="a wait has no condition", text_gone="a wait has no condition")
        return [self.call("wait")]


DIALECT = Dialect(NAME, "OpenAI computer use", "json", from_openai, to_openai, ("batched", "single"))
