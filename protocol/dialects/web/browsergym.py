"""BrowserGym: Python-like calls such as `click('a51')`, by the id of an element (its bid) or by pixels of the viewport.

Source: ServiceNow/BrowserGym `browsergym/core/action/{functions,highlevel,parsers}.py`. Nothing is ever evaluated.
"""

import re
from collections.abc import Callable
from math import inf, nextafter
from typing import Any, ClassVar

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import DialectError, Loss, ParsedPayload, Part, Writing, a_text, dialect_of, given, row
from protocol.dialects.common.fields import read_chords
from protocol.dialects.common.syntax import CallReading, Means, parse_calls
from protocol.model import verbs

NAME = "browsergym"
CARRIED: dict[str, tuple[str, ...]] = {"focus": (), "check": (), "uncheck": (), "keyboard_insert_text": ("text",)}
"""Functions that we lack a verb for, and their arguments beside the bid."""
_FENCED = re.compile(r"^[ \t]*+```\w*+[ \t]*+$\n?(.*?)^[ \t]*+```", re.MULTILINE | re.DOTALL)

_INLINE = re.compile(r"```[ \t]*+([^`\n]++)```")
"""As its demo agent answers, at the end of a sentence."""
_TAGGED = re.compile(r"<action>((?:[^<]|<(?!/?action>))*+)</action>")
"""As the agents of AgentLab answer, after what they think."""


class _Reading(CallReading):
    """A text of calls; words around a fence or its tags are the model's own."""

    def parsed(self, payload: Any) -> ParsedPayload:
        text = a_text(payload, NAME)
        try:
            chains = parse_calls(NAME, text)
        except DialectError:
            tagged = _TAGGED.findall(text)
            answer = "\n".join(tagged) if tagged else text
            blocks = _FENCED.findall(answer) or _INLINE.findall(answer) or tagged
            if not blocks:
                raise
            chains = parse_calls(NAME, "\n".join(blocks))
        if not chains:
            self.refuse("", "there is no call in the text")
        return ParsedPayload([self.action(chain) for chain in chains], self.losses)

    def action(self, chain: Any) -> AgentAction:
        call = chain[0]
        if len(chain) > 1 or call.name not in _FUNCTIONS:
            name = ".".join(link.name for link in chain)[:40]
            raise DialectError(NAME, call.where, f"there is no action {name!r}; actions are {', '.join(_FUNCTIONS)}")
        names, read = _FUNCTIONS[call.name]
        self.bind(call, names.split())
        return self.acted(read)[0]

    def bid(self, name: str = "bid") -> ActionTarget:
        return ActionTarget(element_id=self.fields.text(name))

    def point(self, x: str = "x", y: str = "y") -> ActionTarget:
        return self.at(x, y, x)

    def modifiers(self) -> tuple[str, ...]:
        held = self.fields.texts("modifiers", ())
        return tuple(read_chords(NAME, f"{self.fields.where}.modifiers", held, "playwright"))

    def fill(self) -> AgentAction:
        if self.fields.flag("enable_autocomplete_menu", False):
            self.losses.append(Loss(what="fill.enable_autocomplete_menu", why="the last character is not typed by itself"))
        return self.build("fill", target=self.bid(), text=self.fields.text("value"))

    def carried(self) -> AgentAction:
        """A verb that we lack; its element, where it has one, is the target."""
        arguments = {name: self.fields.text(name) for name in CARRIED[self.call.name]}
        return self.theirs(self.call.name, target=None if arguments else self.bid(), **arguments)


def _element(name: str = "bid", what: str = "target") -> Part:
    """An element by its id; a function that takes one cannot say a bare place."""

    def write(w: "_Writing", target: ActionTarget | None) -> JsonObject | None:
        bid = None if target is None else w.element_id(target, what)
        return None if bid is None else {name: bid}

    return Part(lambda r: r.bid(name), write)


def _point(x: str = "x", y: str = "y", what: str = "target") -> Part:
    return Part(lambda r: r.point(x, y), lambda w, target: w.xy(target, what))


def _one_or_more(name: str) -> Part:
    return Part(
        lambda r: r.fields.texts(name, alone=True), lambda w, values: {name: values[0] if len(values) == 1 else list(values)}
    )


def _delta(x: str, y: str) -> Callable[[_Reading], JsonObject]:
    return lambda r: {"x": r.fields.number(x), "y": r.fields.number(y)}


def _chord(name: str = "key") -> Part:
    return Part(lambda r: r.fields.chord(name, "playwright"), lambda w, keys: {name: w.chord(keys, "playwright")})


_BUTTON = given("button", ("left", "middle", "right"), "left", kind="choice")
_BID, _POINT = _element(), _point()
_KEY = Part(lambda r: r.key(r.fields.chord("key", "playwright")), lambda w, key: {"key": w.chord((key,), "playwright")})
_MODIFIERS = Part(_Reading.modifiers, lambda w, keys: {"modifiers": list(keys)} if keys else {})
_SECONDS = Part(lambda r: r.fields.number("wait_ms", 1000) / 1000, lambda w, seconds: w.milliseconds(seconds))
_FUNCTIONS: dict[str, Means] = {
    "send_msg_to_user": ("text", row("answer", text=given("text"))),
    "report_infeasible": ("reason", row("fail_goal", reason=given("reason"))),
    "noop": ("wait_ms", row("wait", seconds=_SECONDS)),
    "fill": ("bid value enable_autocomplete_menu", _Reading.fill),
    "clear": ("bid", lambda r: r.build("fill", target=r.bid(), text="")),
    "check": ("bid", _Reading.carried),
    "uncheck": ("bid", _Reading.carried),
    "select_option": ("bid options", row("select_option", target=_BID, options=_one_or_more("options"))),
    "click": ("bid button modifiers", row("click", target=_BID, button=_BUTTON, modifiers=_MODIFIERS)),
    "dblclick": ("bid button modifiers", row("click", target=_BID, button=_BUTTON, count=2, modifiers=_MODIFIERS)),
    "hover": ("bid", row("hover", target=_BID)),
    "press": ("bid key_comb", row("press_key", target=_BID, keys=_chord("key_comb"))),
    "focus": ("bid", _Reading.carried),
    "drag_and_drop": ("from_bid to_bid", row("drag", target=_element("from_bid"), to=_element("to_bid", "to"))),
    "upload_file": ("bid file", row("upload", target=_BID, files=_one_or_more("file"))),
    "scroll": ("delta_x delta_y", row("scroll", delta=_delta("delta_x", "delta_y"), unit="px")),
    "scroll_at": ("x y dx dy", row("scroll", delta=_delta("dx", "dy"), unit="px", target=_POINT)),
    "mouse_move": ("x y", row("hover", target=_POINT)),
    "mouse_up": ("x y button", row("mouse_up", target=_POINT, button=_BUTTON)),
    "mouse_down": ("x y button", row("mouse_down", target=_POINT, button=_BUTTON)),
    "mouse_click": ("x y button", row("click", target=_POINT, button=_BUTTON)),
    "mouse_dblclick": ("x y button", row("click", target=_POINT, button=_BUTTON, count=2)),
    "mouse_drag_and_drop": (
        "from_x from_y to_x to_y",
        row("drag", target=_point("from_x", "from_y"), to=_point("to_x", "to_y", "to")),
    ),
    "mouse_upload_file": ("x y file", row("upload", target=_POINT, files=_one_or_more("file"))),
    "keyboard_down": ("key", row("key_down", key=_KEY)),
    "keyboard_up": ("key", row("key_up", key=_KEY)),
    "keyboard_press": ("key", row("press_key", keys=_chord())),
    "keyboard_type": ("text", row("type", text=given("text"))),
    "keyboard_insert_text": ("text", _Reading.carried),
    "goto": ("url", row("navigate", url=given("url"))),
    "go_back": ("", row("go_back")),
    "go_forward": ("", row("go_forward")),
    "new_tab": ("", row("tabs", op="new")),
    "tab_close": ("", row("tabs", op="close")),
    "tab_focus": ("index", row("tabs", op="select", index=given("index", kind="number", whole=True))),
}
"""Every function of every subset, with its arguments in order, and what it means."""


class _Writing(Writing):
    """Calls in Python's words."""

    table: ClassVar = {name: read for name, (_, read) in _FUNCTIONS.items()}
    can = frozenset({"modifiers", "fill"})
    aimed = frozenset({"scroll", "mouse_down", "mouse_up", "press_key"})
    clicks = frozenset((button, count) for button in ("left", "right", "middle") for count in (1, 2))

    def call(self, name: str, /, **arguments: Any) -> str:
        said = [f"{own}={value!r}" if own in ("button", "modifiers") else repr(value) for own, value in arguments.items()]
        return f"{name}({', '.join(said)})"

    def xy(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        said = self.near(target, what)
        return {f"{what}_x": said.x, f"{what}_y": said.y}

    def milliseconds(self, seconds: float) -> JsonObject:
        """What `noop` counts in."""
        guess = seconds * 1000
        ms = next((ms for ms in (guess, nextafter(guess, 0), nextafter(guess, inf)) if ms / 1000 == seconds), guess)
        return {} if ms == 1000 else {"wait_ms": int(ms) if ms == int(ms) else ms}

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        return _BID.write(self, target) or self.refuse(what, "an element is needed: the function takes no place")

    def simpler(self, action: verbs.Action) -> list[verbs.Action]:
        """A click of an element says itself which keys are held; one that is held is a press, a wait and a release there."""
        if isinstance(action, verbs.Click):
            if action.count == 3 or (action.hold and action.count > 1):
                self.cannot(action, "only a single click can be held, and there is no triple click")
            if action.hold and not action.modifiers:
                down, up = (kind(target=action.target, button=action.button) for kind in (verbs.MouseDown, verbs.MouseUp))
                return [down, verbs.Wait(seconds=action.hold), up]
            if action.modifiers and not action.hold and action.target and self.element_id(action.target) is not None:
                return [action] if "AltGraph" not in action.modifiers else self.cannot(action, "AltGraph cannot be held")
        return super().simpler(action)

    def drag(self, action: verbs.Drag) -> list[str]:
        if action.path or action.button != "left":
            button = _BUTTON.write(self, action.button)
            if button is None:
                self.cannot(action, f"there is no {action.button} button")
            moves = [self.call("mouse_move", **self.xy(ActionTarget(point=point), "path")) for point in action.path]
            start, end = self.xy(action.target), self.xy(action.to, "to")
            return [self.call("mouse_down", **start, **button), *moves, self.call("mouse_up", **end, **button)]
        bids = [self.element_id(target, what) for target, what in ((action.target, "target"), (action.to, "to")) if target]
        if None not in bids:
            return [self.call("drag_and_drop", start=bids[0], end=bids[1])]
        return [self.call("mouse_drag_and_drop", **self.xy(action.target), **self.xy(action.to, "to"))]

    def scroll(self, action: verbs.Scroll) -> list[str]:
        delta = dict(zip(("dx", "dy"), self.pixels(action), strict=True))
        bid = None if action.target is None else self.element_id(action.target)
        if action.target is not None and bid is None:
            return [self.call("scroll_at", **self.xy(action.target), **delta)]
        return [*([] if bid is None else [self.call("hover", bid=bid)]), self.call("scroll", **delta)]

    def fill(self, action: verbs.Fill) -> list[str]:
        return [self.call("fill", **self.aim(action.target), value=action.text)]

    def press_key(self, action: verbs.PressKey) -> list[str]:
        keys = self.chord(action.keys, "playwright")
        if action.target is None:
            return [self.call("keyboard_press", key=keys)]
        bid = self.element_id(action.target)
        if bid is not None:
            return [self.call("press", bid=bid, key_comb=keys)]
        return [*self.said(verbs.Click(target=action.target)), self.call("keyboard_press", key=keys)]

    def tabs(self, action: verbs.Tabs) -> list[str]:
        if action.op == "list" or action.url == "":
            self.cannot(action, "the tabs are part of every observation, and an address is not empty")
        focus = [self.call("tab_focus", index=action.index)] if action.index is not None else []
        opened = [self.call("goto", url=action.url)] if action.url is not None else []
        return [*focus, *({"new": ["new_tab()"], "close": ["tab_close()"]}.get(action.op, [])), *opened]

    def ask_user(self, action: verbs.AskUser) -> list[str]:
        return [self.call("send_msg_to_user", text=action.question)]

    def finish_goal(self, action: verbs.FinishGoal) -> list[str]:
        return [self.call("send_msg_to_user", text=action.summary)]


DIALECT = dialect_of(_Reading, _Writing, NAME, "BrowserGym", "text")
