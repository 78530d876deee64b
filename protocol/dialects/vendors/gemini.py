"""Gemini's computer use: function calls `{name, args}`, on a grid of 0..999 that is divided by 1000.

There are two sets of functions, `2.5` (also that of Gemini 3 Flash) and `3.5`. No name has two meanings, so both are read
whatever the variant; it says which set is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil
from typing import Any, ClassVar

from protocol.dialects.common.base import Context, Dialect, NothingDone, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import ONLY_TIME, given, row, says
from protocol.dialects.common.fields import Fields, each_of
from protocol.dialects.vendors.pointing import ENDS, NO_KEY, ONLY_SCREEN, PayloadReading, PayloadWriting
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject

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
_SIGNS = {"equals": "=", "semicolon": ";", "separator": ",", "decimal": ".", "add": "+"}
"""Names in Gemini's list of keys that nobody else has."""

_DEEPEST = 5
"""Levels of a response above its calls, and one more."""
_WAYS = ("up", "down", "left", "right")


def to_gemini(action: verbs.Action, context: Context) -> WrittenPayload:
    """A function call, or a list of them. Raises DialectError."""
    variant = DIALECT.variant(context)
    writing = (_Older if variant == "2.5" else _Newer)(NAME, context, variant, "norm1000", signed=False, most=MOST)
    said = [call for step in writing.steps(action) for call in writing.said(step)]
    return WrittenPayload(said[0] if len(said) == 1 else said, writing.losses)


_Calls = list[JsonObject]


class _Writing(PayloadWriting):
    """Function calls that both sets have, by names that may differ."""

    lost: ClassVar = {**NO_KEY, "drag": {**ENDS, **NO_KEY["drag"]}, "wait": ONLY_TIME, "screenshot": ONLY_SCREEN}
    in_words = "the model says it in words, without a call"
    navigate = says("navigate", "url")
    go_back = says("go_back")
    go_forward = says("go_forward")

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        return {"name": name, "args": arguments}

    def xy(self, target: Any, what: str = "target", prefix: str = "") -> dict[str, int]:
        return dict(zip((f"{prefix}x", f"{prefix}y"), self.spot(target, what), strict=True))

    def key_names(self, action: verbs.Action, keys: tuple[str, ...]) -> list[str]:
        return ["add" if name == "+" else name for name in self.names(action, keys, "playwright")]

    def drag_between(self, action: verbs.Drag, start: str, end: str) -> _Calls:
        self.only_left(action)
        return [self.call("drag_and_drop", **self.xy(action.target, prefix=start), **self.xy(action.to, "to", end))]

    def extension(self, action: verbs.Extension) -> _Calls:
        name = action.action_type.removeprefix(f"x-{NAME}.")
        if name not in THEIRS[self.variant] or action.arguments or action.target:
            self.cannot(action, "only the service makes a safety decision" if name == "safety_decision" else "")
        return [self.call(name)]


class _Older(_Writing):
    """The set of Gemini 2.5."""

    def steps(self, action: verbs.Action) -> list[verbs.Action]:
        return self.simpler(action, [("left", 1)], ("fill", "submit"), ("type", "scroll"))

    def click(self, action: verbs.Click) -> _Calls:
        return [self.call("click_at", **self.xy(action.target))]

    def hover(self, action: verbs.Hover) -> _Calls:
        return [self.call("hover_at", **self.xy(action.target))]

    def drag(self, action: verbs.Drag) -> _Calls:
        return self.drag_between(action, "", "destination_")

    def type(self, action: verbs.Type | verbs.Fill) -> _Calls:
        if action.target is None:
            self.cannot(action, "text is only typed at a place")
        how = {"press_enter": action.submit, "clear_before_typing": isinstance(action, verbs.Fill)}
        return [self.call("type_text_at", **self.xy(action.target), text=action.text, **how)]

    fill = type

    def press_key(self, action: verbs.PressKey | verbs.HoldKey) -> _Calls:
        names = self.key_names(action, action.keys)
        if isinstance(action, verbs.HoldKey):
            self.lose("hold_key.seconds", "keys are only pressed")
        return [self.call("key_combination", keys="+".join(names))]

    hold_key = press_key

    def scroll(self, action: verbs.Scroll) -> _Calls:
        if action.target is not None:
            at = self.xy(action.target)
            return [
                self.call("scroll_at", **at, direction=way, magnitude=share)
                for way, amount in self.ways(*self.amounts(action, "page", WHOLE))
                for share in self.shares(action, amount, MOST, "scroll.delta")
            ]
        if not action.delta.x and not action.delta.y:
            self.cannot(action, "a scroll by nothing has no direction")
        self.lose("scroll.delta", "how far is not said; a call for each page")
        ways = self.ways(*self.amounts(action, "page"))
        each = ((way, share) for way, pages in ways for share in self.shares(action, pages, 1, "scroll.delta"))
        return [self.call("scroll_document", direction=way) for way, _ in each]

    def wait(self, action: verbs.Wait) -> _Calls:
        if action.seconds != WAIT:
            self.lose("wait.seconds", f"said as calls of {WAIT} s each")
        return [self.call("wait_5_seconds")] * max(1, ceil(action.seconds / WAIT))


class _Newer(_Writing):
    """The set of Gemini 3.5."""

    type = says("type", "text", press_enter="submit")
    launch_app = says("open_app", app_name="app")
    screenshot = says("take_screenshot")

    def steps(self, action: verbs.Action) -> list[verbs.Action]:
        return self.simpler(action, list(CLICKS.values()), ("submit", "hold"))

    def click(self, action: verbs.Click) -> _Calls:
        at = self.xy(action.target)
        if action.hold:
            return [self.call("long_press", **at, seconds=self.whole_seconds(action, action.hold, "hold"))]
        return [self.call(name, **at) for name, click in CLICKS.items() if click == (action.button, action.count)]

    def hover(self, action: verbs.Hover) -> _Calls:
        return [self.call("move", **self.xy(action.target))]

    def drag(self, action: verbs.Drag) -> _Calls:
        return self.drag_between(action, "start_", "end_")

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> _Calls:
        self.only_left(action)
        return [self.call(action.verb, **self.xy(action.target))]

    mouse_up = mouse_down

    def press_key(self, action: verbs.PressKey) -> _Calls:
        names = self.key_names(action, action.keys)
        return [self.call("press_key", key=names[0]) if len(names) == 1 else self.call("hotkey", keys=names)]

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> _Calls:
        return [self.call(action.verb, key=self.key_names(action, (action.key,))[0])]

    key_up = key_down

    def scroll(self, action: verbs.Scroll) -> _Calls:
        x, y = self.spot_or_middle(action)
        return [
            self.call("scroll", x=x, y=y, direction=way, magnitude_in_pixels=share)
            for way, amount in self.ways(*self.amounts(action, "px"))
            for share in self.shares(action, amount, MOST, "scroll.delta")
        ]

    def wait(self, action: verbs.Wait) -> _Calls:
        return [self.call("wait", seconds=self.whole_seconds(action, action.seconds))]


def from_gemini(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a function call, of a list of calls or of parts that hold them, or of a response. Raises DialectError.

    A safety decision that asks for confirmation comes first, as `x-gemini.safety_decision`: whoever performs actions stops
    there, and can ask a person.
    """
    reading = _Reading(NAME, context, DIALECT.variant(context), "norm1000", signed=False)
    for name, fields in (call for each, where in each_of(payload) for call in reading.calls(each, where)):
        reading.fields = fields
        reading.confirm()
        if fields.text("intent", None) is not None:
            reading.lose("intent", "the model's words for the step are no part of the action")
        reading.actions.append(_READ[name](reading))
        fields.end()
    if not reading.actions:
        raise NothingDone(NAME, "$", "there is no function call")
    return ParsedPayload(reading.actions, reading.losses)


class _Reading(PayloadReading):
    """What the model said, call by call."""

    def calls(self, payload: Any, where: str) -> Iterator[tuple[str, Fields]]:
        """Names and arguments."""
        fields = Fields(NAME, payload, where)
        for inside in ("candidates", "content", "parts"):
            if inside in fields and "name" not in fields:
                yield from self._within(fields, inside)
                return
        if "function_response" in fields or "functionResponse" in fields:
            return
        fields.drop("thought", "thought_signature", "thoughtSignature", "signature")
        for wrapper in ("function_call", "functionCall"):
            if wrapper in fields:
                call = Fields(NAME, fields.any(wrapper), f"{where}.{wrapper}")
                fields.end()
                yield _call(call)
                return
        if "name" in fields:
            yield _call(fields)
        elif "text" in fields or fields.choice("type", ("model_output", "thought")):
            self.lose("words", "words beside a call are no action")

    def _within(self, fields: Fields, name: str) -> Iterator[tuple[str, Fields]]:
        """The calls of a response, of the content in it, or of the parts of that. What the user says is none of the model's."""
        if fields.text("role", "model") != "model":
            return
        given = fields.any(name)
        for n, each in enumerate(given if isinstance(given, list | tuple) else [given]):
            place = f"{fields.where}.{name}" + (f"[{n}]" if isinstance(given, list | tuple) else "")
            if isinstance(each, Mapping) and place.count(".") < _DEEPEST:
                yield from self.calls(each, place)
            else:
                fields.refuse(name, "an object is needed")

    def confirm(self) -> None:
        if "safety_decision" not in self.fields:
            return
        said = Fields(NAME, self.fields.any("safety_decision"), f"{self.fields.where}.safety_decision")
        decision = said.choice("decision", ("regular", "allowed", "require_confirmation", "block"))
        why = said.text("explanation", "")
        said.end()
        if decision == "block":
            said.refuse("decision", f"the service has blocked this action: {why[:200]}")
        if decision == "require_confirmation":
            self.actions.append(self.theirs("safety_decision", said.where, decision=decision, explanation=why))

    def press(self, name: str, verb: str) -> AgentAction:
        """A chord in the field `name`, as a text or as a list; `key_down` and `key_up` take one key."""
        given = self.fields.any(name)
        names = given if isinstance(given, list | tuple) else [given]
        if not all(isinstance(each, str) for each in names):
            self.fields.refuse(name, "names of keys are needed")
        keys = self.keys(name, names, "playwright", _SIGNS)
        if verb == "press_key":
            return self.build(verb, name, keys=keys)
        return self.build(verb, name, key=self.key(keys, name, "one key is needed"))

    def amount(self, name: str, default: int) -> JsonObject:
        way, amount = self.fields.choice("direction", _WAYS), self.fields.number(name, default, whole=True)
        if amount < 0:
            self.fields.refuse(name, f"the direction says where to, so it is not {amount}")
        return {"direction": way, "amount": amount}

    def scroll_at(self) -> AgentAction:
        way = self.amount("magnitude", 800)
        return self.build("scroll", target=self.xy(), unit="page", **{**way, "amount": way["amount"] / WHOLE})

    def scroll(self) -> AgentAction:
        """Google documents pixels; its desktop environment also says notches."""
        if "magnitude_in_wheel_clicks" in self.fields:
            return self.build("scroll", unit="notch", **self.amount("magnitude_in_wheel_clicks", 1), target=self.xy())
        return self.build("scroll", unit="px", **self.amount("magnitude_in_pixels", 300), target=self.xy())

    def scroll_document(self) -> AgentAction:
        self.lose("scroll.delta", "how far is not said; taken as a page")
        return self.build("scroll", direction=self.fields.choice("direction", _WAYS), amount=1, unit="page")

    def drag_and_drop(self) -> AgentAction:
        start, end = ("start_", "end_") if "start_x" in self.fields else ("", "destination_")
        spots = [self.xy(f"{prefix}x", f"{prefix}y") for prefix in (end, start)]
        return self.build("drag", target=spots[1], to=spots[0])


def _call(call: Fields) -> tuple[str, Fields]:
    call.choice("type", ("function_call",), None)
    name = call.text("name")
    if name not in _READ:
        call.refuse("name", f"there is no function {name[:60]!r}; functions are {', '.join(_READ)}")
    given = "args" if "args" in call else "arguments"
    arguments = Fields(NAME, call.any(given, {}), f"{call.where}.{given}")
    call.drop("id", "call_id")
    call.end()
    return name, arguments


def _here(r: _Reading) -> Any:
    return r.xy() if "x" in r.fields or "y" in r.fields else None


def _press(name: str, verb: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.press(name, verb)


def _theirs(name: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.theirs(name)


_AT = _Reading.xy
_READ: dict[str, Callable[[_Reading], AgentAction]] = {
    **{name: row("click", target=_AT, button=button, count=count) for name, (button, count) in CLICKS.items()},
    "click_at": row("click", target=_AT),
    **dict.fromkeys(("long_press", "long_press_at"), row("click", hold=given("seconds", 2, kind="number"), target=_AT)),
    "go_home": _theirs("go_home"),
    "hover_at": row("hover", target=_AT),
    "move": row("hover", target=_AT),
    "mouse_down": row("mouse_down", target=_here),
    "mouse_up": row("mouse_up", target=_here),
    "drag_and_drop": _Reading.drag_and_drop,
    # Gemini's own defaults: the field is cleared, and Enter is pressed.
    "type_text_at": lambda r: row(
        "fill" if r.fields.flag("clear_before_typing", True) else "type",
        submit=given("press_enter", True, kind="flag"), text=given("text"), target=_AT,
    )(r),
    "type": row("type", text=given("text"), submit=given("press_enter", False, kind="flag")),
    "key_combination": _press("keys", "press_key"),
    "hotkey": _press("keys", "press_key"),
    "press_key": _press("key", "press_key"),
    "key_down": _press("key", "key_down"),
    "key_up": _press("key", "key_up"),
    "scroll_document": _Reading.scroll_document,
    "scroll_at": _Reading.scroll_at,
    "scroll": _Reading.scroll,
    "navigate": row("navigate", "url", url=given("url")),
    "go_back": row("go_back"),
    "go_forward": row("go_forward"),
    "open_app": row("launch_app", app=given("app_name")),
    "wait_5_seconds": row("wait", seconds=WAIT),
    "wait": row("wait", "seconds", seconds=given("seconds", 1, kind="number")),
    "take_screenshot": row("screenshot"),
    **{name: _theirs(name) for names in THEIRS.values() for name in names},
}  # fmt: skip

DIALECT = Dialect(NAME, "Gemini computer use", "json", from_gemini, to_gemini, VARIANTS)
