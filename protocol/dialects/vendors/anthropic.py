"""Anthropic's computer tool: `{action, coordinate, text, ...}`, in pixels of the picture that the model saw.

Also read: whole `tool_use` blocks, the per-action blocks of the computer toolset, `computer_batch`, lists of all these, and the
assistant's messages.
"""

import re
from collections.abc import Collection
from math import ceil
from typing import Any

from protocol import AgentAction, JsonObject
from protocol.dialects import WAYS, Fields, Part, Table, checked_number, dialect_of, given, row
from protocol.dialects.vendors.pointing import COORDINATE, MOST_CALLS, PayloadReading, PayloadWriting, aim_coordinate, click_rows
from protocol.model import verbs

NAME = "anthropic"
LONGEST_WAIT = 100
"""Seconds that one call may take, as the reference implementation has it."""

_NEWEST = frozenset({
    "key", "type", "mouse_move", "left_click", "left_click_drag", "right_click", "middle_click", "double_click", "screenshot",
    "cursor_position", "left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait", "triple_click", "zoom",
})  # fmt: skip
_TOOLSET = "20260801"
_VERBS = {"20251124": _NEWEST, "20250124": _NEWEST - {"zoom"}, _TOOLSET: _NEWEST}
_SERVICE = re.compile(r"(?:server|mcp)_tool_use|\w+_tool_result")


class _Reading(PayloadReading):
    """What the model said, call by call."""

    nothing = "there is no call of the computer tool"
    signed = False

    def take(self, payload: Any, where: str) -> None:
        fields = Fields(NAME, payload, where)
        if "action" in fields:
            self._call(fields)
        elif "tool_calls" in fields:
            fields.refuse("tool_calls", "this is a message of another service's form")
        elif payload.get("role") == "assistant" and isinstance(payload.get("content"), list | tuple):
            for n, each in enumerate(payload["content"]):
                self.take(each, f"{where}.content[{n}]")
        elif "arguments" in fields or "args" in fields:  # as the chat API and LangChain wrap it
            self._block(fields)
        elif _SERVICE.fullmatch(str(payload.get("type"))):
            self.lose("service", "what the service does by itself is no action")
        elif "role" in fields or fields.choice("type", ("tool_use", "text", "thinking", "redacted_thinking")) != "tool_use":
            self.lose("words", "words beside a call are no action")
        else:
            self._block(fields)

    def _call(self, fields: Fields, verb: str = "", named: str = "") -> None:
        """A call with these fields, of the verb that stands at `named` or else among them."""
        verb, named = verb or fields.text("action"), named or f"{fields.where}.action"
        if verb not in _VERBS[self.variant]:
            known = ", ".join(sorted(_VERBS[self.variant]))
            self.refuse(named, f"computer_{self.variant} has no action {verb[:60]!r}; it has {known}")
        self.fields = fields
        self.actions += self.read(_CALLS, verb)

    def _block(self, fields: Fields) -> None:
        """The calls of a `tool_use` block."""
        under = next((name for name in ("arguments", "args") if name in fields), "input")
        name, toolset, given = fields.text("name"), fields.text("toolset_name", None), fields.any(under)
        where = f"{fields.where}.{under}"
        fields.drop("type", "id", "caller", "cache_control")
        fields.end()
        if toolset == "computer":
            self._call(Fields(NAME, given, where), name, f"{fields.where}.name")
        elif (name, toolset) == ("computer", None):
            self._call(Fields(NAME, given, where))
        elif (name, toolset) == ("computer_batch", None):
            batch = Fields(NAME, given, where)
            calls = batch.any("actions")
            batch.end()
            for n, each in enumerate(calls if isinstance(calls, list | tuple) else batch.refuse("actions", "a list is needed")):
                self._call(Fields(NAME, each, f"{where}.actions[{n}]"))
        else:
            fields.refuse("name", f"{name[:60]!r} is not the computer tool")

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
        direction = self.fields.choice("scroll_direction", WAYS)
        amount = self.fields.number("scroll_amount", whole=True)
        target = self.pair() if "coordinate" in self.fields else None
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


_HELD = Part(lambda r: r.keys("text", [r.fields.text("text")], "xdotool"), lambda w, keys: w.held(keys))
_DURATION = Part(lambda r: r.fields.number("duration"), lambda w, seconds: {"duration": w.seconds(seconds)})
_CALLS: Table = {
    **click_rows(target=COORDINATE, modifiers=_HELD),
    "left_click_drag": _Reading.drag,
    "left_mouse_down": row("mouse_down"),
    "left_mouse_up": row("mouse_up"),
    "mouse_move": row("hover", target=COORDINATE),
    "type": row("type", text=given("text")),
    "key": _Reading.key_presses,
    "hold_key": row("hold_key", "duration", keys=_HELD, seconds=_DURATION),
    "wait": row("wait", "duration", seconds=_DURATION),
    "scroll": _Reading.scroll,
    "screenshot": row("screenshot"),
    "zoom": _Reading.zoom,
    "cursor_position": lambda r: r.theirs("cursor_position"),
}


class _Writing(PayloadWriting):
    """Calls of the tool."""

    aim = aim_coordinate
    table = _CALLS
    signed = False
    can = frozenset({"press left"})
    aimed = frozenset({"scroll"})
    moved = frozenset({"mouse_down", "mouse_up"})

    def names(self) -> Collection[str]:
        return [name for name in _CALLS if name in _VERBS[self.variant]]

    def calls(self, action: verbs.Action) -> list[JsonObject]:
        calls: list[JsonObject] = super().calls(action)
        for call in calls:
            if call["action"] not in _VERBS[self.variant]:
                self.cannot(action, f"computer_{self.variant} has no {call['action']}")
        if self.variant == _TOOLSET:
            return [{"type": "tool_use", "name": c.pop("action"), "toolset_name": "computer", "input": c} for c in calls]
        return calls

    def held(self, keys: tuple[str, ...]) -> dict[str, str]:
        return {"text": "+".join(self.key_names(keys, "xdotool"))} if keys else {}

    def seconds(self, seconds: float) -> float:
        """The toolset's durations are whole seconds."""
        return ceil(seconds) if seconds == int(seconds) or self.variant == _TOOLSET else seconds

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> list[JsonObject]:
        self.only_left(action)
        return [self.call(f"left_{action.verb}")]

    mouse_up = mouse_down

    def drag(self, action: verbs.Drag) -> list[JsonObject]:
        self.only_left(action)
        held = self.held(action.modifiers) if self.variant == _TOOLSET else {}
        start, end = self.spot(action.target), self.spot(action.to, "to")
        return [self.call("left_click_drag", start_coordinate=start, coordinate=end, **held)]

    def press_key(self, action: verbs.PressKey) -> list[JsonObject]:
        return [self.call("key", **self.held(action.keys))]

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        at = self.aim(action.target) if action.target else {}
        held = self.held(action.modifiers)
        ways = self.ways(action, "notch")
        return [self.call("scroll", **at, scroll_direction=way, scroll_amount=amount, **held) for way, amount in ways]

    def wait(self, action: verbs.Wait) -> list[JsonObject]:
        return [self.call("wait", duration=share) for share in self.shares(action, self.seconds(action.seconds), LONGEST_WAIT)]

    def screenshot(self, action: verbs.Screenshot) -> list[JsonObject]:
        if action.region is None or "zoom" not in self.names():
            return [self.call("screenshot")]
        return [self.call("zoom", region=self.area(action.region))]


DIALECT = dialect_of(_Reading, _Writing, NAME, "Anthropic computer tool", "json", tuple(_VERBS))
