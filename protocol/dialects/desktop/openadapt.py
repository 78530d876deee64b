"""openadapt-types 0.24: an `Action` as JSON, or in its DSL `CLICK(x=640, y=400, is_normalized=false)`.

Numbers count what `is_normalized` says. Where that is left out, whole numbers are pixels and others fractions of the screen:
the form decides, never the size, and the reader is told of it.
"""

import re
from collections.abc import Mapping
from typing import Any

from protocol import ActionTarget, AgentAction, Coordinate, JsonObject, Space
from protocol.dialects import WAYS, DialectError, ParsedPayload, Part, Reading, Table, Writing, dialect_of, given, row
from protocol.dialects.common.fields import Fields, at, json_in, read_chords, within_length
from protocol.dialects.common.syntax import parse_calls
from protocol.model import verbs
from protocol.model.keys import Keyboard

NAME = "openadapt"
KEYBOARD: Keyboard = "pyautogui"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_SHORT = {"scroll_direction": "direction", "scroll_amount": "amount"}
_NEVER_READ = ("parse_error", "unconvertible_action_type")
"""Marks in `raw` of an action that stands for something their own parser could not read."""


class _Reading(Reading):
    """Actions of theirs, in JSON or in the DSL."""

    nothing, empty = "there is no action", DialectError
    text = False
    """Whether numbers were written as text, where `1` and `1.0` differ."""
    reasons: list[str | None]

    def parsed(self, payload: Any) -> ParsedPayload:
        if not isinstance(payload, str):
            return super().parsed(payload)
        self.text = self.variant == "dsl" or "{" not in payload
        return super().parsed(_statements(payload) if self.text else json_in(NAME, payload))

    def take(self, payload: Any, where: str) -> None:
        fields = self.fields = payload if isinstance(payload, Fields) else Fields(NAME, payload, where)
        kind = fields.text("type", None) or fields.text("action_type", None) or fields.text("action")
        raw = self.fields.any("raw", None)
        for mark in _NEVER_READ if isinstance(raw, Mapping) else ():
            if mark in raw:
                self.fields.refuse(f"raw.{mark}", "the action stands for something that nobody could read")
        if raw:
            self.lose("raw", "what stands beside the fields of an action is not understood")
        self.reasons = [fields.text(name, None) for name in ("reasoning", "thought", "thinking")]
        self.actions += self.read(_TYPES, kind.strip().lower(), "type", "type")

    def build(self, verb: str, blame: str = "", **values: Any) -> AgentAction:
        """At the place, with the keys that are held meanwhile."""
        spot = self.target()
        if verb in ("click", "drag", "hover") and spot is None:
            self.fields.refuse("" if self.text else "target", "a place or an element is missing")
        held = {} if verb == "press_key" else {"modifiers": self.modifiers() or None}
        return super().build(verb, blame, target=spot, **held, **values)

    def target(self, name: str = "target", flat: str = "") -> ActionTarget | None:
        """In an object of its own, or in fields beside the verb as the DSL and older JSON have it."""
        nested = self.fields.any(name, None)
        if nested is not None:
            inner = Fields(NAME, nested, f"{self.fields.where}.{name}")
            found = self._place(inner, "")
            inner.end()
            return found
        pair = self.fields.pair("coordinate", None) if not flat else None
        return self._placed(self.fields, pair, flat) if pair else self._place(self.fields, flat)

    def _place(self, fields: Fields, flat: str) -> ActionTarget | None:
        x, y = fields.number(f"{flat}x", None), fields.number(f"{flat}y", None)
        if (x is None) != (y is None):
            fields.refuse(f"{flat}{'y' if y is None else 'x'}", "is missing: a place has both numbers")
        return self._placed(fields, None if x is None else (x, y), flat)

    def _placed(self, fields: Fields, pair: tuple[float, float] | None, flat: str) -> ActionTarget | None:
        node, words = fields.text(f"{flat}node_id", None), fields.text(f"{flat}description", None)
        normalized = fields.flag(f"{flat}is_normalized", None)
        point: Coordinate | None = None
        if pair is not None:
            if normalized is None:
                self.lose(f"{flat}is_normalized", "not said: whole numbers are read as pixels, others as fractions")
                normalized = not all(isinstance(n, int) or (n.is_integer() and not self.text) for n in pair)
            space, image = ("norm1", None) if normalized else self.context.picture
            x, y = pair if normalized else (int(n) if n == int(n) else n for n in pair)  # their model turns 640 into 640.0
            point = at(x, y, space, image, NAME, f"{fields.where}.{flat}x").point
        if node is None and point is None:
            if words is not None:
                fields.refuse(f"{flat}description", "only words: they say neither a place nor an element")
            return None
        return ActionTarget(element_id=node, point=point, description=words)

    def end(self) -> ActionTarget:
        found = self.target("drag_end", "end_")
        return found or self.fields.refuse("end_x" if self.text else "drag_end", "is missing")

    def scroll(self) -> AgentAction:
        names = [name for name in ("scroll_direction", "direction") if name in self.fields] or ["scroll_direction"]
        amounts = [name for name in ("scroll_amount", "amount") if name in self.fields]
        direction = str(self.fields.choice(names[0], WAYS))
        if amounts:
            return self.build("scroll", unit="px", direction=direction, amount=self.fields.number(amounts[0]))
        self.lose("scroll_amount", "not said: read as a page")
        return self.build("scroll", direction=direction, amount=1, unit="page")

    def keys(self) -> tuple[str, ...]:
        keys = [*self.modifiers(), *self._chord("key", [self.fields.text("key")] if "key" in self.fields else [])]
        listed = self.fields.any("keys", None)
        if isinstance(listed, list | tuple) and all(isinstance(key, str) for key in listed):
            keys += self._chord("keys", listed)
        elif listed is not None:
            text = str(listed) if isinstance(listed, str) else self.fields.refuse("keys", "a chord or a list of keys is needed")
            commas = "," in text[:-1] and "+" not in text
            keys += self._chord("keys", [part.strip() for part in text.split(",")] if commas else [text])
        return tuple(keys) if keys else self.fields.refuse("key", "is missing")

    def modifiers(self) -> list[str]:
        """A list, or the names with commas as the DSL has them."""
        given = self.fields.any("modifiers", ())
        if isinstance(given, str):
            given = [part.strip() for part in given.split(",")]
        if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
            self.fields.refuse("modifiers", "a list of keys is needed")
        return self._chord("modifiers", given)

    def _chord(self, name: str, keys: list[str] | tuple[str, ...]) -> list[str]:
        return read_chords(NAME, f"{self.fields.where}.{name}", keys, KEYBOARD)

    def seconds(self) -> float | None:
        name = "duration_seconds" if "duration_seconds" in self.fields else "duration"
        seconds: float | None = self.fields.number(name, None)
        if seconds is None:
            self.lose("duration_seconds", "not said: read as one second")
        return seconds


_KEY = Part(_Reading.keys, lambda w, keys: None if len(keys) > 1 else {"key": w.key_names(keys, KEYBOARD)[0]})
_HOTKEY = Part(_Reading.keys, lambda w, keys: w.hotkey(keys))
_TEXT = Part(lambda r: r.fields.text("text"), lambda w, text: {"text": text} if text else None)
_REASON = Part(
    lambda r: next((reason for reason in r.reasons if reason), None), lambda w, reason: {"reasoning": reason} if reason else {}
)
_TYPES: Table = {
    "click": row("click"),
    "double_click": row("click", count=2),
    "right_click": row("click", button="right"),
    "drag": row("drag", to=Part(_Reading.end, lambda w, target: {"drag_end": w.aim(target, "to")})),
    "scroll": _Reading.scroll,
    "hover": row("hover"),
    "type": row("type", text=_TEXT),
    "key": row("press_key", keys=_KEY),
    "hotkey": row("press_key", keys=_HOTKEY),
    "goto": row("navigate", url=given("url")),
    "back": row("go_back"),
    "forward": row("go_forward"),
    "refresh": lambda r: r.theirs("refresh", target=r.target()),
    "open_app": row("launch_app", app=given("app_name")),
    "close_app": lambda r: r.theirs("close_app", target=r.target(), app_name=r.fields.text("app_name", None)),
    "window_focus": row("switch_window", window=given("app_name")),
    "wait": row("wait", seconds=Part(_Reading.seconds, lambda w, seconds: {"duration_seconds": seconds})),
    "screenshot": row("screenshot"),
    "done": row("finish_goal"),
    "fail": row("fail_goal", reason=_REASON),
    "answer": row("answer", text=given("answer")),
}


class _Writing(Writing):
    """Actions of theirs."""

    table = _TYPES
    verb_field = "type"
    aimed = frozenset({"type", "press_key", "scroll"})

    def payload(self, action: verbs.Action) -> Any:
        return "\n".join(map(self.dsl, self.calls(action))) if self.variant == "dsl" else super().payload(action)

    def said(self, action: verbs.Action) -> list[JsonObject]:
        """The calls, each with the target and what is held meanwhile."""
        calls: list[JsonObject] = super().said(action)
        for call in calls:
            if action.target is not None:
                call["target"] = self.aim(action.target)
            if modifiers := getattr(action, "modifiers", ()):
                call["modifiers"] = self.key_names(modifiers, KEYBOARD)
        return calls

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """The element, the place and the words; what only finds an element here is said as the element that it finds."""
        if target is None:
            return {}
        said: JsonObject = {}
        if target.element_id is not None:
            said["node_id"] = target.element_id
        if target.point is not None:  # fractions stay fractions; all else is said in pixels of what was seen
            said |= self._numbers(ActionTarget(point=target.point), target.point.space, what)
        bare = target.model_copy(update={"description": None})
        if not said and self.context.state is not None and (target.track_id is not None or target.text is not None):
            said = {"node_id": self.element(bare, what)}
        said = said or self._numbers(bare, "px", what)
        return said if target.description is None else {**said, "description": target.description}

    def _numbers(self, target: ActionTarget, given: Space, what: str) -> JsonObject:
        space, image = ("norm1", None) if given == "norm1" else self.context.picture
        said = self.place(target, what, space, image)
        return {"x": said.x, "y": said.y, "is_normalized": space == "norm1"}

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        return [self.call("scroll", scroll_direction=way, scroll_amount=amount) for way, amount in self.ways(action, "px")]

    def hotkey(self, keys: tuple[str, ...]) -> JsonObject:
        *modifiers, name = self.key_names(self.one_key(keys), KEYBOARD)
        return {"key": name, "modifiers": modifiers}

    def dsl(self, said: Mapping[str, Any]) -> str:
        """The JSON as a call of the DSL; objects within are written flat."""
        flat = {_SHORT.get(name, name): value for name, value in said.items() if name not in ("type", "target", "drag_end")}
        for prefix, name in (("", "target"), ("end_", "drag_end")):
            aimed = said.get(name, {})
            if aimed.get("is_normalized") is False and 0 <= aimed["x"] <= 1 and 0 <= aimed["y"] <= 1:
                self.lose(f"{'to' if prefix else 'target'}.point", "openadapt-types takes pixels up to 1 for fractions")
            flat |= {prefix + field: value for field, value in aimed.items()}
        return f"{said['type'].upper()}({', '.join(f'{name}={_literal(value)}' for name, value in flat.items())})"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = ",".join(value) if isinstance(value, list) else value
    return f'"{text.translate(_ESCAPES)}"' if isinstance(text, str) else repr(value)


_THOUGHT = re.compile(r"\s*thought:", re.IGNORECASE)
_ACTION = re.compile(r"^[ \t]*action:", re.IGNORECASE | re.MULTILINE)
_LEADING = re.compile(r"\s*(?:```\w*[ \t]*\n\s*)?(?:action:)?", re.IGNORECASE)


def _statements(text: str) -> list[Fields]:
    """The calls of a text in the DSL, as the flat JSON that they mean: behind its `Thought:` and `Action:`, if it has those."""
    within_length(text, NAME)
    reason: str | None = None
    if thought := _THOUGHT.match(text):
        action = _ACTION.search(text, thought.end())
        told = action.start() if action else text.find("\n", thought.end())
        if told < 0:
            raise DialectError(NAME, "line 1, column 1", "a thought, and no action after it")
        start, reason = action.end() if action else told, text[thought.end() : told].strip()
    else:
        leading = _LEADING.match(text)
        start = leading.end() if leading else 0
    end = text.rfind("```") if text.lstrip().startswith("```") else -1
    before = "".join(sign if sign == "\n" else " " for sign in text[:start])  # what stands where stays true
    found: list[Fields] = []
    for chain in parse_calls(NAME, before + text[start : end if end > start else None]):
        call = chain[0]
        if len(chain) > 1 or call.args:
            raise DialectError(NAME, call.where, f"{call.name[:60]} takes named arguments, and nothing follows it")
        flat = {"reasoning": reason, **call.kwargs, "type": call.name}
        found.append(Fields(NAME, flat, f"{call.where}, {call.name[:60]}"))
    return found


_TITLE = "openadapt-types Action, as JSON or in its DSL"
DIALECT = dialect_of(_Reading, _Writing, NAME, _TITLE, "json", ("json", "dsl"))
