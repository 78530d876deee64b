"""Gemini's computer use: function calls `{name, args}`, on a grid of 0..999 that is divided by 1000.

There are two sets of functions, `2.5` (also that of Gemini 3 Flash) and `3.5`. No name has two meanings, so both are read
whatever the variant; it says which set is written.
"""

from collections.abc import Callable, Collection, Mapping
from math import ceil
from typing import Any

from protocol import ActionTarget, AgentAction, JsonObject, Space
from protocol.dialects import WAYS, Fields, Part, Table, dialect_of, given, row
from protocol.dialects.vendors.pointing import XY, PayloadReading, PayloadWriting
from protocol.model import verbs

NAME = "gemini"
_ONLY_OLDER = (
    "click_at", "hover_at", "type_text_at", "key_combination", "scroll_document", "scroll_at", "wait_5_seconds",
    "open_web_browser", "search",
)  # fmt: skip
"""Functions of the older set that the newer one has not."""
WHOLE = 1_000
"""What numbers of the grid are divided by."""

WAIT = 5
"""Seconds of the one wait of the older set."""

_CLICKS = {
    "click": ("left", 1), "double_click": ("left", 2), "triple_click": ("left", 3), "middle_click": ("middle", 1),
    "right_click": ("right", 1),
}  # fmt: skip
_CARRIED = ("go_home", "open_web_browser", "search", "list_apps")
"""Functions that we lack."""

MOST = 999
"""The largest number of the grid."""
_SIGNS = {"equals": "=", "semicolon": ";", "separator": ",", "decimal": ".", "add": "+"}
"""Names in Gemini's list of keys that nobody else has."""

_SPACES: dict[str, Space] = {"2.5": "norm1000", "3.5": "norm1000"}
_DEEPEST = 5
"""Levels of a response above its calls, and one more."""


class _Reading(PayloadReading):
    """What the model said, call by call: a function call, parts that hold them, or a response.

    A safety decision that asks for confirmation comes first, as `x-gemini.safety_decision`: whoever performs actions stops
    there, and can ask a person.
    """

    nothing = "there is no function call"
    spaces = _SPACES
    signed = False

    def take(self, payload: Any, where: str) -> None:
        fields = Fields(NAME, payload, where)
        for inside in ("candidates", "content", "parts"):
            if inside in fields and "name" not in fields:
                return self._within(fields, inside)
        if "function_response" in fields or "functionResponse" in fields:
            return None
        fields.drop("thought", "thought_signature", "thoughtSignature", "signature")
        for wrapper in ("function_call", "functionCall"):
            if wrapper in fields:
                call = Fields(NAME, fields.any(wrapper), f"{where}.{wrapper}")
                fields.end()
                return self._call(call)
        if "name" in fields:
            self._call(fields)
        elif "text" in fields or fields.choice("type", ("model_output", "thought")):
            self.lose("words", "words beside a call are no action")

    def _within(self, fields: Fields, name: str) -> None:
        """The calls of a response, of the content in it, or of the parts of that. What the user says is none of the model's."""
        if fields.text("role", "model") != "model":
            return
        given = fields.any(name)
        for n, each in enumerate(given if isinstance(given, list | tuple) else [given]):
            place = f"{fields.where}.{name}" + (f"[{n}]" if isinstance(given, list | tuple) else "")
            if isinstance(each, Mapping) and place.count(".") < _DEEPEST:
                self.take(each, place)
            else:
                fields.refuse(name, "an object is needed")

    def _call(self, call: Fields) -> None:
        call.choice("type", ("function_call",), None)
        name = call.text("name")
        if name not in _CALLS:
            call.refuse("name", f"there is no function {name[:60]!r}; functions are {', '.join(_CALLS)}")
        given = "args" if "args" in call else "arguments"
        self.fields = Fields(NAME, call.any(given, {}), f"{call.where}.{given}")
        call.drop("id", "call_id")
        call.end()
        self.confirm()
        if self.fields.text("intent", None) is not None:
            self.lose("intent", "the model's words for the step are no part of the action")
        self.actions += self.read(_CALLS, name)

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

    def chord(self, name: str) -> tuple[str, ...]:
        """The keys in the field `name`, as a text or as a list."""
        return self.keys(name, self.fields.texts(name, alone=True), "playwright", _SIGNS)

    def amount(self, name: str, default: int) -> JsonObject:
        way, amount = self.fields.choice("direction", WAYS), self.fields.number(name, default, whole=True)
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
        return self.build("scroll", direction=self.fields.choice("direction", WAYS), amount=1, unit="page")

    def type_text_at(self) -> AgentAction:
        """Gemini's own defaults: the field is cleared, and Enter is pressed."""
        clear, submit = self.fields.flag("clear_before_typing", True), self.fields.flag("press_enter", True)
        return self.build("fill" if clear else "type", submit=submit, text=self.fields.text("text"), target=self.xy())

    def end(self, newer: str, older: str) -> ActionTarget:
        """One end of a drag, by the names of the set that it is in."""
        prefix = newer if "end_x" in self.fields or "start_x" in self.fields else older
        return self.xy(f"{prefix}x", f"{prefix}y")


def _theirs(name: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.theirs(name)


def _chord(name: str, form: Callable[[list[str]], Any]) -> Part:
    """Keys in the field `name`, written in that form; None is none for so many keys."""

    def write(w: "_Writing", keys: tuple[str, ...]) -> JsonObject | None:
        said = form(["add" if key == "+" else key for key in w.key_names(keys, "playwright")])
        return None if said is None else {name: said}

    return Part(lambda r: r.chord(name), write)


def _alone(names: list[str]) -> str | None:
    return names[0] if len(names) == 1 else None


_HERE = Part(lambda r: r.xy() if "x" in r.fields or "y" in r.fields else None, XY.write)
_START = Part(lambda r: r.end("start_", ""), lambda w, target: w.xy(target, prefix=w.ends[0]))
_END = Part(lambda r: r.end("end_", "destination_"), lambda w, target: w.xy(target, "to", w.ends[1]))
_KEY = Part(lambda r: r.key(r.chord("key"), "key", "one key is needed"), lambda w, key: _chord("key", _alone).write(w, (key,)))
_HOLD = Part(lambda r: r.fields.number("seconds", 2), lambda w, hold: {"seconds": ceil(hold)} if hold else None)
_SECONDS = Part(lambda r: r.fields.number("seconds", 1), lambda w, seconds: {"seconds": ceil(seconds)})
_CALLS: Table = {
    **dict.fromkeys(("long_press", "long_press_at"), row("click", hold=_HOLD, target=XY)),
    **{name: row("click", target=XY, button=button, count=count) for name, (button, count) in _CLICKS.items()},
    "click_at": row("click", target=XY),
    "go_home": _theirs("go_home"),
    "hover_at": row("hover", target=XY),
    "move": row("hover", target=XY),
    "mouse_down": row("mouse_down", target=_HERE),
    "mouse_up": row("mouse_up", target=_HERE),
    "drag_and_drop": row("drag", to=_END, target=_START),
    "type_text_at": _Reading.type_text_at,
    "type": row("type", text=given("text"), submit=given("press_enter", False, kind="flag", always=True)),
    "key_combination": row("press_key", "keys", keys=_chord("keys", "+".join)),
    "press_key": row("press_key", "key", keys=_chord("key", _alone)),
    "hotkey": row("press_key", "keys", keys=_chord("keys", list)),
    "key_down": row("key_down", "key", key=_KEY),
    "key_up": row("key_up", "key", key=_KEY),
    "scroll_document": _Reading.scroll_document,
    "scroll_at": _Reading.scroll_at,
    "scroll": _Reading.scroll,
    "navigate": row("navigate", "url", url=given("url")),
    "go_back": row("go_back"),
    "go_forward": row("go_forward"),
    "open_app": row("launch_app", app=given("app_name")),
    "wait_5_seconds": row("wait", seconds=WAIT),
    "wait": row("wait", "seconds", seconds=_SECONDS),
    "take_screenshot": row("screenshot"),
    **{name: _theirs(name) for name in _CARRIED},
}


class _Writing(PayloadWriting):
    """Function calls."""

    table = _CALLS
    spaces = _SPACES
    signed = False
    most = MOST
    ends = ("start_", "end_")
    """How the numbers of the two ends of a drag begin."""

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        return {"name": name, "args": arguments}


class _Newer(_Writing):
    """The set of Gemini 3.5."""

    can = frozenset({"submit", "hold"})

    def names(self) -> Collection[str]:
        return [name for name in _CALLS if name not in _ONLY_OLDER]

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        x, y = self.spot_or_middle(action)
        parts = [(way, share) for way, amount in self.ways(action, "px") for share in self.shares(action, amount, MOST)]
        return [self.call("scroll", x=x, y=y, direction=way, magnitude_in_pixels=share) for way, share in parts]


class _Older(_Writing):
    """The set of Gemini 2.5."""

    can = frozenset({"fill", "submit", "tap"})
    aimed = frozenset({"type", "scroll"})
    ends = ("", "destination_")

    def names(self) -> Collection[str]:
        return (*_ONLY_OLDER, "drag_and_drop", "navigate", "go_back", "go_forward")

    def type(self, action: verbs.Type | verbs.Fill) -> list[JsonObject]:
        how = {"press_enter": action.submit, "clear_before_typing": isinstance(action, verbs.Fill)}
        return [self.call("type_text_at", **self.xy(action.target), text=action.text, **how)]

    fill = type

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        if action.target is not None:
            at, ways = self.xy(action.target), self.ways(action, "page", WHOLE)
            parts = [(way, share) for way, amount in ways for share in self.shares(action, amount, MOST)]
            return [self.call("scroll_at", **at, direction=way, magnitude=share) for way, share in parts]
        self.way(action)  # one by nothing has none
        parts = [(way, share) for way, pages in self.ways(action, "page") for share in self.shares(action, pages, 1)]
        return [self.call("scroll_document", direction=way) for way, _ in parts]

    def wait(self, action: verbs.Wait) -> list[JsonObject]:
        return [self.call("wait_5_seconds")] * max(1, ceil(action.seconds / WAIT))


_SETS = {"2.5": _Older, "3.5": _Newer}
DIALECT = dialect_of(
    _Reading, lambda name, context, variant: _SETS[variant](name, context, variant=variant), NAME, "Gemini computer use", "json",
    tuple(_SETS),
)  # fmt: skip
