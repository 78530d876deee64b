"""OpenAI's computer use: `computer_call` items with one action or a batch of them, in pixels of the picture that was sent.

Also read: bare actions, lists of items as a response holds them, and whole responses.
"""

from collections.abc import Sequence
from typing import Any

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import Fields, Part, Table, dialect_of, given, row
from protocol.dialects.vendors.pointing import XY, PayloadReading, PayloadWriting
from protocol.model import verbs

NAME = "openai"
_CHECKS = "pending_safety_checks"
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "back": "back", "forward": "forward"}
_SAID_BUTTONS = {ours: theirs for theirs, ours in _BUTTONS.items()}
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


def _a_list(fields: Fields, name: str, value: Any) -> Sequence[Any]:
    if value is not None and not isinstance(value, list | tuple):
        fields.refuse(name, "a list is needed")
    return value or ()


class _Reading(PayloadReading):
    """The items of a response.

    Safety checks come first, as `x-openai.pending_safety_checks`: whoever performs actions stops there, and can ask a person.
    """

    nothing = "there is no computer call"

    def take(self, payload: Any, where: str) -> None:
        fields = Fields(NAME, payload, where)
        kind = payload.get("type")
        if kind is None and isinstance(payload.get("output"), list | tuple):
            for n, each in enumerate(payload["output"]):
                self.take(each, f"{where}.output[{n}]")
        elif kind == "computer_call":
            self._call(fields)
        elif kind in _WORDS or (kind is None and "role" in payload and not payload.get("tool_calls")):
            self.lose("words", "words beside a call are no action")
        elif kind in _SERVICE:
            self.lose(kind, "what the service does by itself is no action")
        else:
            self._act(fields)

    def _act(self, fields: Fields) -> None:
        self.fields = fields
        self.actions += self.read(_CALLS, fields.text("type"), "type")

    def function(self) -> AgentAction:
        """A function of the harness's own, beside the tool: carried, since only the harness knows what it does."""
        self.fields.drop("id", "call_id", "namespace")
        self.fields.choice("status", ("completed",), None)
        name, arguments = self.fields.text("name"), self.fields.text("arguments", "{}")
        return self.theirs(_FUNCTION, name=name, arguments=arguments)

    def _call(self, fields: Fields) -> None:
        fields.drop("type", "id", "call_id")
        fields.choice("status", ("completed",), None)
        action, actions, checks = fields.any("action", None), fields.any("actions", None), []
        for n, each in enumerate(_a_list(fields, _CHECKS, fields.any(_CHECKS, None))):
            check = Fields(NAME, each, f"{fields.where}.{_CHECKS}[{n}]")
            said = {name: check.text(name, None) for name in ("id", "code", "message")}
            check.end()
            checks.append({name: text for name, text in said.items() if text is not None})
        fields.end()
        if checks:
            self.actions.append(self.theirs(_CHECKS, f"{fields.where}.{_CHECKS}", checks=checks))
        if action is not None and actions is not None:
            fields.refuse("actions", "a call has either an action or actions")
        if action is None and actions is None and not checks:
            fields.refuse("actions", "is missing")
        if action is not None:
            self._act(Fields(NAME, action, f"{fields.where}.action"))
        for n, each in enumerate(_a_list(fields, "actions", actions)):
            self._act(Fields(NAME, each, f"{fields.where}.actions[{n}]"))

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


def _keys(w: "_Writing", keys: tuple[str, ...]) -> JsonObject:
    return {"keys": w.key_names(keys, "openai")} if keys else {}


_HELD = Part(_Reading.meanwhile, _keys)
_BUTTON = Part(
    lambda r: _BUTTONS[r.fields.choice("button", tuple(_BUTTONS), "left")], lambda w, button: {"button": _SAID_BUTTONS[button]}
)
_CALLS: Table = {
    "click": row("click", "keys", button=_BUTTON, target=XY, modifiers=_HELD),
    "double_click": row("click", "keys", count=2, target=XY, modifiers=_HELD),
    "drag": _Reading.drag_along,
    "keypress": row("press_key", "keys", keys=Part(lambda r: _shortcut(r.keys("keys", r.fields.texts("keys"), "openai")), _keys)),
    "move": row("hover", "keys", target=XY, modifiers=_HELD),
    "screenshot": row("screenshot"),
    "scroll": _Reading.scroll,
    "type": row("type", text=given("text")),
    "wait": _Reading.wait,
    _FUNCTION: _Reading.function,
}


class _Writing(PayloadWriting):
    """A `computer_call`, or several of them in variant `single`; the ids are the service's to give."""

    table = _CALLS
    verb_field = "type"
    can = frozenset({"tap"})
    clicks = frozenset({("left", 2), *((button, 1) for button in _SAID_BUTTONS)})

    def calls(self, action: verbs.Action) -> list[JsonObject]:
        said: list[JsonObject] = super().calls(action)
        if isinstance(action, verbs.Extension):
            return said
        each = [{"actions": said}] if self.variant == "batched" else [{"action": one} for one in said]
        return [{"type": "computer_call", **one} for one in each]

    def drag(self, action: verbs.Drag) -> list[JsonObject]:
        self.only_left(action)
        between = [("path", ActionTarget(point=point)) for point in action.path]
        spots = [self.spot(target, what) for what, target in (("target", action.target), *between, ("to", action.to))]
        return [self.call("drag", path=[{"x": x, "y": y} for x, y in spots], **_keys(self, action.modifiers))]

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        x, y = self.spot_or_middle(action)
        across, down = self.amounts(action, "px")
        return [self.call("scroll", x=x, y=y, scroll_x=across, scroll_y=down, **_keys(self, action.modifiers))]

    def wait(self, action: verbs.Wait) -> list[JsonObject]:
        return [self.call("wait")]

    def extension(self, action: verbs.Extension) -> list[JsonObject]:
        """What is carried: safety checks, and functions."""
        if action.action_type == f"x-{NAME}.{_CHECKS}":
            return [{"type": "computer_call", _CHECKS: action.arguments.get("checks")}]
        return super().extension(action)


DIALECT = dialect_of(_Reading, _Writing, NAME, "OpenAI computer use", "json", ("batched", "single"))
