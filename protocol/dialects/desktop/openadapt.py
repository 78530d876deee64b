"""openadapt-types 0.24: an `Action` as JSON, or in its DSL `CLICK(x=640, y=400, is_normalized=false)`.

Numbers count what `is_normalized` says. Where that is left out, whole numbers are pixels and others fractions of the screen:
the form decides, never the size, and the reader is told of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from protocol.dialects.common.base import Context, Dialect, DialectError, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import parse_calls
from protocol.dialects.common.conversion import Reading, says
from protocol.dialects.common.fields import Fields, at, each_of, json_in, within_length
from protocol.dialects.desktop.naming import Ledger, read_keys
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import Coordinate, JsonObject, Space
from protocol.model.keys import Keyboard
from protocol.model.targets import ActionTarget

NAME = "openadapt"
KEYBOARD: Keyboard = "pyautogui"
CLICKS = {("left", 1): "click", ("left", 2): "double_click", ("right", 1): "right_click"}
TEXTS = {
    "type": ("text", "text"), "goto": ("url", "url"), "open_app": ("app_name", "app"), "window_focus": ("app_name", "window"),
    "answer": ("answer", "text"),
}  # fmt: skip
"""Their type: the field that holds its text, there and here."""

CARRIED: dict[str, frozenset[str]] = {"refresh": frozenset(), "close_app": frozenset({"app_name"})}
"""Types of theirs that we lack, and the texts that they take."""

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_SHORT = {"scroll_direction": "direction", "scroll_amount": "amount"}
_TIME = "only a time is waited for"


def to_openadapt(action: verbs.Action, context: Context) -> WrittenPayload:
    """The action as an Action of theirs, or as several. Raises DialectError for what they cannot say."""
    writing = _Writing(NAME, context)
    dsl = DIALECT.variant(context) == "dsl"
    said = [call for part in writing.simpler(action, CLICKS, aimed=_FREELY_AIMED) for call in writing.aimed_calls(part)]
    if dsl:
        return WrittenPayload("\n".join([writing.dsl(each) for each in said]), writing.losses)
    return WrittenPayload(said[0] if len(said) == 1 else said, writing.losses)


_FREELY_AIMED = ("type", "press_key", "scroll")
_Calls = list[JsonObject]


class _Writing(Ledger):
    """Actions of theirs."""

    lost: ClassVar = {
        "drag": {"path": "only the two ends are said"}, "wait": {"text": _TIME, "text_gone": _TIME},
        "screenshot": {"marks": "marks are not chosen", "region": "the whole screen is shown"},
        "finish_goal": {"summary": "only that it is done is said"},
    }  # fmt: skip
    hover = says("hover")
    go_back = says("back")
    go_forward = says("forward")
    navigate = says("goto", "url")
    launch_app = says("open_app", app_name="app")
    switch_window = says("window_focus", app_name="window")
    answer = says("answer", answer="text")
    wait = says("wait", duration_seconds="seconds")
    screenshot = says("screenshot")
    finish_goal = says("done")

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        return {"type": name, **arguments}

    def aimed_calls(self, action: verbs.Action) -> _Calls:
        """The calls, each with the target and what is held meanwhile."""
        calls: _Calls = self.said(action)
        for call in calls:
            if action.target is not None:
                call["target"] = self.aim(action.target)
            if modifiers := getattr(action, "modifiers", ()):
                call["modifiers"] = self.names(action, modifiers, KEYBOARD)
        return calls

    def aim(self, target: ActionTarget, what: str = "target") -> JsonObject:
        """The element, the place and the words; what only finds an element here is said as the element that it finds."""
        said: JsonObject = {}
        if target.element_id is not None:
            said["node_id"] = target.element_id
        if target.point is not None:  # fractions stay fractions; all else is said in pixels of what was seen
            said |= self._numbers(ActionTarget(point=target.point), target.point.space, what)
        if said:
            self.leave_out(target, {"element_id", "point", "description"}, "an element, a place and words are said", what)
        else:
            said = self._found(target.model_copy(update={"description": None}), what)
        return said if target.description is None else {**said, "description": target.description}

    def _found(self, target: ActionTarget, what: str) -> JsonObject:
        if self.context.state is not None and (target.track_id is not None or target.text is not None):
            return {"node_id": self.element(target, what)}
        return self._numbers(target, "px", what)

    def _numbers(self, target: ActionTarget, given: Space, what: str) -> JsonObject:
        space, image = ("norm1", None) if given == "norm1" else self.context.picture
        said = self.place(target, what, space, image)
        return {"x": said.x, "y": said.y, "is_normalized": space == "norm1"}

    def click(self, action: verbs.Click) -> _Calls:
        return [self.call(CLICKS[action.button, action.count])]

    def drag(self, action: verbs.Drag) -> _Calls:
        if action.button != "left":
            self.cannot(action, f"there is no drag with the {action.button} button")
        return [self.call("drag", drag_end=self.aim(action.to, "to"))]

    def scroll(self, action: verbs.Scroll) -> _Calls:
        return [self.call("scroll", scroll_direction=way, scroll_amount=amount) for way, amount in self.strokes(action, "px")]

    def type(self, action: verbs.Type) -> _Calls:
        return [self.call("type", text=action.text or self.cannot(action, "a type needs a text"))]

    def press_key(self, action: verbs.PressKey) -> _Calls:
        held, key = self.one_key(action)
        *modifiers, name = self.names(action, (*held, key), KEYBOARD)
        return [self.call("hotkey", key=name, modifiers=modifiers) if modifiers else self.call("key", key=name)]

    def fail_goal(self, action: verbs.FailGoal) -> _Calls:
        """Their own parser gives the reason of a failure as reasoning too."""
        return [self.call("fail", **({"reasoning": action.reason} if action.reason else {}))]

    def extension(self, action: verbs.Extension) -> _Calls:
        owner, _, kind = action.action_type.partition(".")
        if owner != f"x-{NAME}" or kind not in CARRIED:
            self.cannot(action)
        if action.arguments.keys() - CARRIED[kind] or not all(isinstance(value, str) for value in action.arguments.values()):
            self.cannot(action, f"{kind} takes {', '.join(CARRIED[kind]) or 'nothing'}")
        return [self.call(kind, **action.arguments)]

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


_VERBS: dict[str, JsonObject] = {
    "click": {"action_type": "click"}, "double_click": {"action_type": "click", "count": 2},
    "right_click": {"action_type": "click", "button": "right"}, "drag": {"action_type": "drag"},
    "scroll": {"action_type": "scroll", "unit": "px"}, "hover": {"action_type": "hover"}, "type": {"action_type": "type"},
    "key": {"action_type": "press_key"}, "hotkey": {"action_type": "press_key"}, "goto": {"action_type": "navigate"},
    "back": {"action_type": "go_back"}, "forward": {"action_type": "go_forward"},
    "refresh": {"action_type": "x-openadapt.refresh"}, "open_app": {"action_type": "launch_app"},
    "close_app": {"action_type": "x-openadapt.close_app"}, "window_focus": {"action_type": "switch_window"},
    "wait": {"action_type": "wait"}, "screenshot": {"action_type": "screenshot"}, "done": {"action_type": "finish_goal"},
    "fail": {"action_type": "fail_goal"}, "answer": {"action_type": "answer"},
}  # fmt: skip
"""Their type: ours."""

_AIMED = ("click", "double_click", "right_click", "drag", "hover")
_NEVER_READ = ("parse_error", "unconvertible_action_type")
"""Marks in `raw` of an action that stands for something their own parser could not read."""
_WAYS = ("up", "down", "left", "right")


def from_openadapt(payload: Any, context: Context) -> ParsedPayload:
    """The actions of an Action, of a list of them, or of a text that holds them. Raises DialectError."""
    spoken = DIALECT.variant(context)
    in_dsl = isinstance(payload, str) and (spoken == "dsl" or "{" not in payload)
    if in_dsl:
        found = _statements(payload)
    else:
        given = json_in(NAME, payload) if isinstance(payload, str) else payload
        found = [Fields(NAME, each, where) for each, where in each_of(given)]
    if not found:
        raise DialectError(NAME, "$", "there is no action")
    reading = _Reading(NAME, context)
    return ParsedPayload([reading.action(fields, in_dsl) for fields in found], reading.losses)


class _Reading(Reading):
    """Actions of theirs, in JSON or in the DSL."""

    text = False
    """Whether numbers were written as text, where `1` and `1.0` differ."""

    def action(self, fields: Fields, text: bool) -> AgentAction:
        self.fields, self.text = fields, text
        given = fields.text("type", None) or fields.text("action_type", None) or fields.text("action")
        kind = given.strip().lower()
        if kind not in _VERBS:
            fields.refuse("type", f"there is no type {given[:60]!r}; types are {', '.join(_VERBS)}")
        raw = self.fields.any("raw", None)
        for mark in _NEVER_READ if isinstance(raw, Mapping) else ():
            if mark in raw:
                self.fields.refuse(f"raw.{mark}", "the action stands for something that nobody could read")
        if raw:
            self.lose("raw", "what stands beside the fields of an action is not understood")
        reasons = [fields.text(name, None) for name in ("reasoning", "thought", "thinking")]
        more: JsonObject = {"target": self.target(), **(_READERS[kind](self) if kind in _READERS else {})}
        if kind in _AIMED and more["target"] is None:
            fields.refuse("" if text else "target", "a place or an element is missing")
        if kind in TEXTS:
            theirs, ours = TEXTS[kind]
            more[ours] = str(fields.text(theirs))
        if kind == "fail":
            more["reason"] = next((reason for reason in reasons if reason), None)
        if (modifiers := self._modifiers()) and kind not in ("key", "hotkey"):
            more["modifiers"] = modifiers
        fields.end()
        verb = _VERBS[kind]
        return self.build(verb["action_type"], **{**{name: verb[name] for name in verb if name != "action_type"}, **more})

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

    def drag(self) -> JsonObject:
        end = self.target("drag_end", "end_")
        return {"to": end or self.fields.refuse("end_x" if self.text else "drag_end", "is missing")}

    def scroll(self) -> JsonObject:
        names = [name for name in ("scroll_direction", "direction") if name in self.fields] or ["scroll_direction"]
        amounts = [name for name in ("scroll_amount", "amount") if name in self.fields]
        direction = str(self.fields.choice(names[0], _WAYS))
        if amounts:
            return {"direction": direction, "amount": self.fields.number(amounts[0])}
        self.lose("scroll_amount", "not said: read as a page")
        return {"direction": direction, "amount": 1, "unit": "page"}

    def keys(self) -> JsonObject:
        keys = [*self._modifiers(), *self._chord("key", [self.fields.text("key")] if "key" in self.fields else [])]
        listed = self.fields.any("keys", None)
        if isinstance(listed, list | tuple) and all(isinstance(key, str) for key in listed):
            keys += self._chord("keys", listed)
        elif listed is not None:
            text = str(listed) if isinstance(listed, str) else self.fields.refuse("keys", "a chord or a list of keys is needed")
            commas = "," in text[:-1] and "+" not in text
            keys += self._chord("keys", [part.strip() for part in text.split(",")] if commas else [text])
        return {"keys": tuple(keys) if keys else self.fields.refuse("key", "is missing")}

    def _modifiers(self) -> list[str]:
        """A list, or the names with commas as the DSL has them."""
        given = self.fields.any("modifiers", ())
        if isinstance(given, str):
            given = [part.strip() for part in given.split(",")]
        if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
            self.fields.refuse("modifiers", "a list of keys is needed")
        return self._chord("modifiers", given)

    def _chord(self, name: str, keys: list[str] | tuple[str, ...]) -> list[str]:
        return read_keys(NAME, f"{self.fields.where}.{name}", keys, KEYBOARD)

    def wait(self) -> JsonObject:
        name = "duration_seconds" if "duration_seconds" in self.fields else "duration"
        if (seconds := self.fields.number(name, None)) is None:
            self.lose("duration_seconds", "not said: read as one second")
        return {"seconds": seconds}

    def close_app(self) -> JsonObject:
        app = self.fields.text("app_name", None)
        return {"arguments": {} if app is None else {"app_name": app}}


_READERS: dict[str, Callable[[_Reading], JsonObject]] = {
    "drag": _Reading.drag, "scroll": _Reading.scroll, "key": _Reading.keys, "hotkey": _Reading.keys, "wait": _Reading.wait,
    "close_app": _Reading.close_app,
}  # fmt: skip

_THOUGHT = re.compile(r"\s*thought:", re.IGNORECASE)
_ACTION = re.compile(r"^[ \t]*action:", re.IGNORECASE | re.MULTILINE)
_LEADING = re.compile(r"\s*(?:```\w*[ \t]*\n\s*)?(?:action:)?", re.IGNORECASE)


def _statements(text: str) -> list[Fields]:
    """The calls of a text in the DSL, as the flat JSON that they mean."""
    start, thought = _start(within_length(text, NAME))
    end = text.rfind("```") if text.lstrip().startswith("```") else -1
    before = "".join(sign if sign == "\n" else " " for sign in text[:start])  # what stands where stays true
    found: list[Fields] = []
    for chain in parse_calls(NAME, before + text[start : end if end > start else None]):
        call = chain[0]
        if len(chain) > 1 or call.args:
            raise DialectError(NAME, call.where, f"{call.name[:60]} takes named arguments, and nothing follows it")
        flat = {"reasoning": thought, **call.kwargs, "type": call.name}
        found.append(Fields(NAME, flat, f"{call.where}, {call.name[:60]}"))
    return found


def _start(text: str) -> tuple[int, str | None]:
    """Where the calls start, after a `Thought:` and an `Action:`, and the thought."""
    if thought := _THOUGHT.match(text):
        if action := _ACTION.search(text, thought.end()):
            return action.end(), text[thought.end() : action.start()].strip()
        line = text.find("\n", thought.end())
        if line < 0:
            raise DialectError(NAME, "line 1, column 1", "a thought, and no action after it")
        return line, text[thought.end() : line].strip()
    leading = _LEADING.match(text)
    return (leading.end() if leading else 0), None


DIALECT = Dialect(NAME, "openadapt-types Action, as JSON or in its DSL", "json", from_openadapt, to_openadapt, ("json", "dsl"))
