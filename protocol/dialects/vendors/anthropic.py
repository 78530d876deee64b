"""Anthropic's computer tool: `{action, coordinate, text, ...}`, in pixels of the picture that the model saw.

Also read: whole `tool_use` blocks, the per-action blocks of the computer toolset, `computer_batch`, lists of all these, and the
assistant's messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple

from protocol.dialects.common.base import Context, Dialect, DialectError, NothingDone, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import ONLY_TIME, given, row, says
from protocol.dialects.common.fields import Fields, checked_number, each_of
from protocol.dialects.vendors.pointing import CLICKS, ENDS, MOST_CALLS, NO_KEY, PayloadReading, PayloadWriting
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget

NAME = "anthropic"
LONGEST_WAIT = 100
"""Seconds that one call may take, as the reference implementation has it."""

_FIRST = frozenset({
    "key", "type", "mouse_move", "left_click", "left_click_drag", "right_click", "middle_click", "double_click", "screenshot",
    "cursor_position",
})  # fmt: skip
_SECOND = _FIRST | {"left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait", "triple_click"}
_VERBS = {"20251124": _SECOND | {"zoom"}, "20250124": _SECOND, "20241022": _FIRST, "20260801": _SECOND | {"zoom"}}
_SERVICE = re.compile(r"(?:server|mcp)_tool_use|\w+_tool_result")
_POINTER_ONLY = "20241022"
_TOOLSET = "20260801"


def from_anthropic(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a call, or of a list of calls. Raises DialectError."""
    version = DIALECT.variant(context)
    reading = _Reading(NAME, context, version, *context.picture, signed=False)
    for verb, where, fields in (call for each, at in each_of(payload) for call in reading.calls(each, at)):
        reading.fields = fields
        if verb not in _VERBS[version]:
            known = ", ".join(sorted(_VERBS[version]))
            raise DialectError(NAME, where, f"computer_{version} has no action {verb[:60]!r}; it has {known}")
        actions = _READ[verb](reading)
        fields.end()
        reading.actions += actions if isinstance(actions, list) else [actions]
    if not reading.actions:
        raise NothingDone(NAME, "$", "there is no call of the computer tool")
    return ParsedPayload(reading.actions, reading.losses)


class _Call(NamedTuple):
    verb: str
    where: str
    """Where the verb stands."""
    fields: Fields


def _call(payload: Any, where: str) -> _Call:
    fields = Fields(NAME, payload, where)
    return _Call(fields.text("action"), f"{where}.action", fields)


class _Reading(PayloadReading):
    """What the model said, call by call."""

    def calls(self, payload: Any, where: str) -> Iterator[_Call]:
        fields = Fields(NAME, payload, where)
        if "action" in fields:
            yield _call(payload, where)
        elif "tool_calls" in fields:
            fields.refuse("tool_calls", "this is a message of another service's form")
        elif payload.get("role") == "assistant" and isinstance(payload.get("content"), list | tuple):
            for n, each in enumerate(payload["content"]):
                yield from self.calls(each, f"{where}.content[{n}]")
        elif "arguments" in fields or "args" in fields:  # as the chat API and LangChain wrap it
            yield from self._block(fields)
        elif _SERVICE.fullmatch(str(payload.get("type"))):
            self.lose("service", "what the service does by itself is no action")
        elif "role" in fields or fields.choice("type", ("tool_use", "text", "thinking", "redacted_thinking")) != "tool_use":
            self.lose("words", "words beside a call are no action")
        else:
            yield from self._block(fields)

    def _block(self, fields: Fields) -> Iterator[_Call]:
        """The calls of a `tool_use` block."""
        under = next((name for name in ("arguments", "args") if name in fields), "input")
        name, toolset, given = fields.text("name"), fields.text("toolset_name", None), fields.any(under)
        where = f"{fields.where}.{under}"
        fields.drop("type", "id", "caller", "cache_control")
        fields.end()
        if toolset == "computer":
            yield _Call(name, f"{fields.where}.name", Fields(NAME, given, where))
        elif (name, toolset) == ("computer", None):
            yield _call(given, where)
        elif (name, toolset) == ("computer_batch", None):
            batch = Fields(NAME, given, where)
            calls = batch.any("actions")
            batch.end()
            for n, each in enumerate(calls if isinstance(calls, list | tuple) else batch.refuse("actions", "a list is needed")):
                yield _call(each, f"{where}.actions[{n}]")
        else:
            fields.refuse("name", f"{name[:60]!r} is not the computer tool")

    def maybe(self, name: str = "coordinate") -> ActionTarget | None:
        return self.pair(name) if name in self.fields else None

    def meanwhile(self) -> str | None:
        """Keys held down meanwhile: `text`, or `key` in the reference implementation."""
        text, key = self.fields.text("text", None), self.fields.text("key", None)
        if text is not None and key is not None:
            self.fields.refuse("key", "the keys that are held are said twice, as text and as key")
        held: str | None = text if text is not None else key
        return held or None

    def key_presses(self) -> list[AgentAction]:
        """xdotool takes several chords with blanks between them, one after the other."""
        text: str = self.fields.text("text")
        repeat: int = self.fields.number("repeat", 1, whole=True)
        chords = text.split() or [text]
        if repeat < 1 or len(chords) * repeat > MOST_CALLS:
            self.fields.refuse("repeat", f"between 1 and {MOST_CALLS} chords are pressed in one call")
        pressed = [self.keys("text", [chord], "xdotool") for chord in chords]
        return [self.build("press_key", "text", keys=keys) for keys in pressed] * repeat

    def scroll(self) -> AgentAction:
        direction = self.fields.choice("scroll_direction", ("up", "down", "left", "right"))
        amount, target = self.fields.number("scroll_amount", whole=True), self.maybe()
        if amount < 0:
            self.fields.refuse("scroll_amount", f"the direction says where to; {amount} notches are none")
        held = self.held(self.meanwhile())
        return self.build("scroll", "text", direction=direction, amount=amount, target=target, modifiers=held)

    def zoom(self) -> AgentAction:
        region, where = self.fields.any("region"), f"{self.fields.where}.region"
        if not isinstance(region, list | tuple) or len(region) != 4:
            self.fields.refuse("region", "four numbers are needed: [x0, y0, x1, y1]")
        numbers = [checked_number(NAME, f"{where}[{n}]", number, whole=True) for n, number in enumerate(region)]
        self.check(where, *numbers)
        return self.build("screenshot", "region", region=self.box(numbers))


def _read_click(verb: str, r: _Reading) -> AgentAction:
    return r.click(verb, None if r.variant == _POINTER_ONLY else r.maybe(), r.meanwhile())


_DURATION = given("duration", kind="number")
_READ: dict[str, Callable[[_Reading], Any]] = {
    **{verb: partial(_read_click, verb) for verb in CLICKS},
    "left_click_drag": lambda r: r.drag(r.maybe("start_coordinate"), r.pair(), r.meanwhile()),
    "left_mouse_down": row("mouse_down"),
    "left_mouse_up": row("mouse_up"),
    "mouse_move": row("hover", target=PayloadReading.pair),
    "type": row("type", text=given("text")),
    "key": _Reading.key_presses,
    "hold_key": row("hold_key", "duration", keys=lambda r: r.keys("text", [r.fields.text("text")], "xdotool"), seconds=_DURATION),
    "wait": row("wait", "duration", seconds=_DURATION),
    "scroll": _Reading.scroll,
    "screenshot": row("screenshot"),
    "zoom": _Reading.zoom,
    "cursor_position": lambda r: r.theirs("cursor_position"),
}


def to_anthropic(action: verbs.Action, context: Context) -> WrittenPayload:
    """A call, or a list of calls. Raises DialectError."""
    version = DIALECT.variant(context)
    writing = _Writing(NAME, context, version, *context.picture, signed=False)
    clicks = [button for verb, button in CLICKS.items() if verb in _VERBS[version]]
    steps = writing.simpler(action, clicks, () if version == _POINTER_ONLY else ("press left",))
    calls: list[JsonObject] = [call for step in steps for call in writing.said(step)]
    for call in calls:
        if call["action"] not in _VERBS[version]:
            writing.cannot(action, f"computer_{version} has no {call['action']}")
    if version == _TOOLSET:
        calls = [{"type": "tool_use", "name": call.pop("action"), "toolset_name": "computer", "input": call} for call in calls]
    return WrittenPayload(calls[0] if len(calls) == 1 else calls, writing.losses)


_Calls = list[JsonObject]


class _Writing(PayloadWriting):
    """Calls of the tool."""

    lost: ClassVar = {"hover": NO_KEY["hover"], "drag": ENDS, "wait": ONLY_TIME, "screenshot": {"marks": "nothing is marked"}}
    in_words = "the model says it in words, without a call of the tool"
    type = says("type", "text")

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        return {"action": name, **arguments}

    def held(self, action: verbs.Action, keys: tuple[str, ...]) -> dict[str, str]:
        return {"text": "+".join(self.names(action, keys, "xdotool"))} if keys else {}

    def seconds(self, action: verbs.Action, seconds: float) -> float:
        """The toolset's durations are whole seconds."""
        if seconds != int(seconds) and self.variant != _TOOLSET:
            return seconds
        return self.whole_seconds(action, seconds)

    def click(self, action: verbs.Click) -> _Calls:
        verb = next(verb for verb, click in CLICKS.items() if click == (action.button, action.count))
        spot = self.spot(action.target)
        if self.variant != _POINTER_ONLY:
            return [self.call(verb, coordinate=spot, **self.held(action, action.modifiers))]
        self.lose("click.target", "said as a move and then a click where the pointer is")
        self.drop(action, **NO_KEY["click"])
        return [self.call("mouse_move", coordinate=spot), self.call(verb)]

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> _Calls:
        self.only_left(action)
        call = self.call(f"left_{action.verb}")
        if action.target is None:
            return [call]
        self.lose(f"{action.verb}.target", "said as a move and then the button")
        return [self.call("mouse_move", coordinate=self.spot(action.target)), call]

    mouse_up = mouse_down

    def hover(self, action: verbs.Hover) -> _Calls:
        return [self.call("mouse_move", coordinate=self.spot(action.target))]

    def drag(self, action: verbs.Drag) -> _Calls:
        self.only_left(action)
        start, end = self.spot(action.target), self.spot(action.to, "to")
        held = self.held(action, action.modifiers) if self.variant == _TOOLSET else {}
        if not held:
            self.drop(action, **NO_KEY["drag"])
        if self.variant != _POINTER_ONLY:
            return [self.call("left_click_drag", start_coordinate=start, coordinate=end, **held)]
        self.lose("drag.target", "said as a move and then a drag from where the pointer is")
        return [self.call("mouse_move", coordinate=start), self.call("left_click_drag", coordinate=end)]

    def press_key(self, action: verbs.PressKey) -> _Calls:
        return [self.call("key", **self.held(action, action.keys))]

    def hold_key(self, action: verbs.HoldKey) -> _Calls:
        held = self.held(action, action.keys)
        return [self.call("hold_key", **held, duration=self.seconds(action, action.seconds))]

    def scroll(self, action: verbs.Scroll) -> _Calls:
        at = {"coordinate": self.spot(action.target)} if action.target else {}
        held = self.held(action, action.modifiers)
        ways = self.ways(*self.amounts(action, "notch"))
        return [self.call("scroll", **at, scroll_direction=way, scroll_amount=amount, **held) for way, amount in ways]

    def wait(self, action: verbs.Wait) -> _Calls:
        seconds = self.seconds(action, action.seconds)
        return [self.call("wait", duration=share) for share in self.shares(action, seconds, LONGEST_WAIT, "wait.seconds")]

    def screenshot(self, action: verbs.Screenshot) -> _Calls:
        if action.region is None or "zoom" not in _VERBS[self.variant]:
            self.drop(action, region="only the whole screen is shown")
            return [self.call("screenshot")]
        return [self.call("zoom", region=self.area(action.region))]

    def extension(self, action: verbs.Extension) -> _Calls:
        """A verb that was carried; one that could not have been read is refused."""
        call: JsonObject = {**action.arguments, "action": action.action_type.removeprefix(f"x-{NAME}.")}
        if action.target is not None:
            call["coordinate"] = self.spot(action.target)
        read = from_anthropic(call, self.context).actions[0] if call["action"] in _VERBS[self.variant] else None
        if not isinstance(read, verbs.Extension) or (read.verb, read.arguments) != (action.verb, action.arguments):
            self.cannot(action)
        return [call]


DIALECT = Dialect(NAME, "Anthropic computer tool", "json", from_anthropic, to_anthropic, tuple(_VERBS))
