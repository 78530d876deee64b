"""BrowserGym: Python-like calls such as `click('a51')`, by the id of an element (its bid) or by pixels of the viewport.

Source: ServiceNow/BrowserGym `browsergym/core/action/{functions,highlevel,parsers}.py`. Nothing is ever evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, nextafter
from typing import Any, ClassVar

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import BareName, Call, bound, parse_calls
from protocol.dialects.common.conversion import (
    AIMED,
    NOTCH,
    Reading,
    Writing,
    given,
    pixels_in,
    positional,
    read_chord,
    row,
    without_delay,
)
from protocol.dialects.common.fields import Fields, a_text, within_length
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget

NAME = "browsergym"
CARRIED: dict[str, tuple[str, ...]] = {"focus": (), "check": (), "uncheck": (), "keyboard_insert_text": ("text",)}
"""Functions that we lack a verb for, and their arguments beside the bid."""


def to_browsergym(action: verbs.Action, context: Context) -> WrittenPayload:
    """`action` as calls, one a line. Raises DialectError for what BrowserGym has no function for."""
    DIALECT.variant(context)
    writing = _Writing(NAME, context)
    text = "\n".join(writing.said(action))
    return WrittenPayload(within_length(text, NAME), writing.losses + without_delay(action))


class _Writing(Writing):
    """Calls in Python's words."""

    aimed = AIMED | {"select_option", "upload", *(f"x-{NAME}.{name}" for name in CARRIED)}
    no_target = "the function has no target"
    lost: ClassVar = {"wait": {"text": "there is no condition", "text_gone": "there is no condition"}}
    navigate = positional("goto", "url")
    go_back = positional("go_back")
    go_forward = positional("go_forward")
    answer = positional("send_msg_to_user", "text")
    fail_goal = positional("report_infeasible", "reason")

    def call(self, name: str, /, *args: Any, **named: Any) -> str:
        return f"{name}({', '.join([*map(repr, args), *(f'{key}={value!r}' for key, value in named.items())])})"

    def bid(self, target: ActionTarget | None, what: str = "target") -> str | None:
        """The id of the element; None for a bare place."""
        if target is None:
            self.refuse(what, "a target is needed: where the pointer is cannot be said")
        return self.element_id(target, what)

    def bid_alone(self, action: verbs.Action) -> str:
        """The id of an element, for a function that takes nothing else."""
        return self.bid(action.target) or self.cannot(action, "an element is needed: the function takes no place")

    def xy(self, target: ActionTarget | None, what: str = "target") -> tuple[float, float]:
        if target is None:
            self.refuse(what, "a place is needed: where the pointer is cannot be said")
        said = self.near(target, what, whole=False)
        return said.x, said.y

    def on(self, target: ActionTarget | None, by_bid: str, by_xy: str, *args: Any) -> str:
        """A function for an element, or its like for a place."""
        bid = self.bid(target)
        return self.call(by_xy, *self.xy(target), *args) if bid is None else self.call(by_bid, bid, *args)

    def first_click(self, action: verbs.Action, then: str) -> list[str]:
        if action.target is None:
            return []
        self.lose(f"{action.verb}.target", f"said as a click and then {then}")
        return [self.on(action.target, "click", "mouse_click")]

    def key_names(self, action: verbs.Action, *keys: str) -> str:
        """Keys that are pressed together, as Playwright names them."""
        return self.chord(action, keys, "playwright")

    def around(self, action: verbs.Action, keys: tuple[str, ...], calls: list[str]) -> list[str]:
        """`calls` while the keys are down."""
        names = [self.key_names(action, key) for key in keys]
        down, up = ([self.call(f"keyboard_{way}", name) for name in names] for way in ("down", "up"))
        return [*down, *calls, *reversed(up)]

    def held(self, action: verbs.Click | verbs.Hover | verbs.Drag | verbs.Scroll, *calls: str) -> list[str]:
        """`calls` while the modifiers of `action` are down."""
        if action.modifiers:
            self.lose(f"{action.verb}.modifiers", "said as keys that go down before it and up after it")
        return self.around(action, action.modifiers, [*calls])

    def noop(self, seconds: float, what: str) -> str:
        """A wait: `noop` counts in milliseconds."""
        guess = seconds * 1000
        exact = [ms for ms in (guess, nextafter(guess, 0), nextafter(guess, inf)) if ms / 1000 == seconds]
        if not exact:
            self.lose(what, "rounded to what milliseconds can say")
        ms = exact[0] if exact else guess
        return self.call("noop") if ms == 1000 else self.call("noop", int(ms) if ms == int(ms) else ms)

    def button(self, action: verbs.Click | verbs.Drag | verbs.MouseDown | verbs.MouseUp) -> JsonObject:
        if action.button in ("back", "forward"):
            self.cannot(action, f"there is no {action.button} button")
        return {} if action.button == "left" else {"button": action.button}

    def enter(self, action: verbs.Type | verbs.Fill) -> list[str]:
        if not action.submit:
            return []
        self.lose(f"{action.verb}.submit", "said as the text and then the Enter key")
        return [self.call("keyboard_press", "Enter")]

    def click(self, action: verbs.Click) -> list[str]:
        button = self.button(action)
        if action.count == 3:
            self.cannot(action, "there is no triple click")
        if action.hold:
            if action.count > 1:
                self.cannot(action, "only a single click can be held")
            self.lose("click.hold", "said as a press, a wait and a release")
            down, up = (self.call(f"mouse_{way}", *self.xy(action.target), **button) for way in ("down", "up"))
            return self.held(action, down, self.noop(action.hold, "click.hold"), up)
        verb = ("click", "dblclick")[action.count - 1]
        bid = self.bid(action.target)
        if bid is None:
            return self.held(action, self.call(f"mouse_{verb}", *self.xy(action.target), **button))
        if "AltGraph" in action.modifiers:
            self.cannot(action, "AltGraph cannot be held")
        modifiers = {"modifiers": list(action.modifiers)} if action.modifiers else {}
        return [self.call(verb, bid, **button, **modifiers)]

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> list[str]:
        return [self.call(action.verb, *self.xy(action.target), **self.button(action))]

    mouse_up = mouse_down

    def hover(self, action: verbs.Hover) -> list[str]:
        return self.held(action, self.on(action.target, "hover", "mouse_move"))

    def drag(self, action: verbs.Drag) -> list[str]:
        button = self.button(action)
        if action.path or button:
            self.lose("drag.path" if action.path else "drag.button", "said as a press, moves and a release")
            moves = [self.call("mouse_move", *self.xy(ActionTarget(point=point), "path")) for point in action.path]
            start, end = self.xy(action.target), self.xy(action.to, "to")
            return self.held(action, self.call("mouse_down", *start, **button), *moves, self.call("mouse_up", *end, **button))
        before = len(self.losses)
        bids = self.bid(action.target), self.bid(action.to, "to")
        if None not in bids:
            return self.held(action, self.call("drag_and_drop", *bids))
        del self.losses[before:]
        return self.held(action, self.call("mouse_drag_and_drop", *self.xy(action.target), *self.xy(action.to, "to")))

    def scroll(self, action: verbs.Scroll) -> list[str]:
        across, down = pixels_in(action.unit, self.context.size)
        if action.unit != "px":
            self.lose("scroll.unit", f"said in pixels: {NOTCH} to a notch, the size of the screen to a page")
        delta = (action.delta.x * across, action.delta.y * down)
        if not all(abs(way) <= 1_000_000 for way in delta):
            self.cannot(action, "the scroll is too long to be said in pixels")
        if action.target is None:
            return self.held(action, self.call("scroll", *delta))
        bid = self.bid(action.target)
        if bid is None:
            return self.held(action, self.call("scroll_at", *self.xy(action.target), *delta))
        self.lose("scroll.target", "said as a hover and then a scroll")
        return self.held(action, self.call("hover", bid), self.call("scroll", *delta))

    def type(self, action: verbs.Type) -> list[str]:
        return [*self.first_click(action, "typing"), self.call("keyboard_type", action.text), *self.enter(action)]

    def fill(self, action: verbs.Fill) -> list[str]:
        return [self.call("fill", self.bid_alone(action), action.text), *self.enter(action)]

    def press_key(self, action: verbs.PressKey) -> list[str]:
        keys = self.key_names(action, *action.keys)
        bid = None if action.target is None else self.bid(action.target)
        if bid is not None:
            return [self.call("press", bid, keys)]
        return [*self.first_click(action, "the keys"), self.call("keyboard_press", keys)]

    def hold_key(self, action: verbs.HoldKey) -> list[str]:
        self.lose("hold_key", "said as keys down, a wait and keys up")
        calls = self.around(action, action.keys, [self.noop(action.seconds, "hold_key.seconds")])
        return [*self.first_click(action, "the keys"), *calls]

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> list[str]:
        return [self.call(action.verb.replace("key", "keyboard"), self.key_names(action, action.key))]

    key_up = key_down

    def select_option(self, action: verbs.SelectOption) -> list[str]:
        return [self.call("select_option", self.bid_alone(action), _one_or_more(action.options))]

    def upload(self, action: verbs.Upload) -> list[str]:
        return [self.on(action.target, "upload_file", "mouse_upload_file", _one_or_more(action.files))]

    def tabs(self, action: verbs.Tabs) -> list[str]:
        if action.op == "list":
            self.cannot(action, "the tabs are part of every observation")
        if action.op == "new" and action.url is not None:
            self.lose("tabs.url", "said as a new tab and then a goto")
            return [self.call("new_tab"), self.call("goto", action.url or self.cannot(action, "the address is empty"))]
        if action.op == "close" and action.index is not None:
            self.lose("tabs.index", "said as a focus and then a close")
            return [self.call("tab_focus", action.index), self.call("tab_close")]
        return [
            {"new": self.call("new_tab"), "close": self.call("tab_close")}.get(action.op) or self.call("tab_focus", action.index)
        ]

    def wait(self, action: verbs.Wait) -> list[str]:
        return [self.noop(action.seconds, "wait.seconds")]

    def ask_user(self, action: verbs.AskUser) -> list[str]:
        self.lose("ask_user", "said as a message to the user")
        return [self.call("send_msg_to_user", action.question)]

    def finish_goal(self, action: verbs.FinishGoal) -> list[str]:
        self.lose("finish_goal", "there is no verb for success: said as a message to the user")
        return [self.call("send_msg_to_user", action.summary)]

    def extension(self, action: verbs.Extension) -> list[str]:
        name = action.action_type.removeprefix(f"x-{NAME}.")
        if name not in CARRIED:
            self.cannot(action)
        values = [action.arguments.get(argument) for argument in CARRIED[name]]
        if tuple(action.arguments) != CARRIED[name] or not all(isinstance(value, str) for value in values):
            self.cannot(action, f"the arguments are texts: {', '.join(CARRIED[name]) or 'none'}")
        if name != "keyboard_insert_text":
            return [self.call(name, self.bid_alone(action))]
        self.drop(action, target=self.no_target)
        return [self.call(name, *values)]


def _one_or_more(values: tuple[str, ...]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


_FENCED = re.compile(r"^[ \t]*+```\w*+[ \t]*+$\n?(.*?)^[ \t]*+```", re.MULTILINE | re.DOTALL)

_INLINE = re.compile(r"```[ \t]*+([^`\n]++)```")
"""As its demo agent answers, at the end of a sentence."""
_TAGGED = re.compile(r"<action>((?:[^<]|<(?!/?action>))*+)</action>")
"""As the agents of AgentLab answer, after what they think."""


def from_browsergym(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a text of calls; words around a fence or its tags are the model's own. Raises DialectError."""
    DIALECT.variant(context)
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
        raise DialectError(NAME, "", "there is no call in the text")
    losses: list[Loss] = []
    return ParsedPayload([_action(chain, _Reading(NAME, context, losses=losses)) for chain in chains], losses)


def _action(chain: list[Call], reading: _Reading) -> AgentAction:
    call = chain[0]
    if len(chain) > 1 or call.name not in _CALLS:
        name = ".".join(link.name for link in chain)[:40]
        raise DialectError(NAME, call.where, f"there is no action {name!r}; actions are {', '.join(_CALLS)}")
    names, read = _CALLS[call.name]
    reading.bind(call, names.split())
    action = read(reading)
    reading.fields.end()
    return action


class _Reading(Reading):
    """One call that is read."""

    call: Call

    def bind(self, call: Call, names: list[str]) -> None:
        """The arguments by name. Raises DialectError for too many, and for what is no literal."""
        self.call = call
        arguments = bound(NAME, call.where, call.name, names, call.args, call.kwargs)
        for name, value in arguments.items():
            for part in value if isinstance(value, list) else [value]:
                if type(part) is BareName:
                    self.refuse(f"{call.where}.{name}", f"a text in quotes is needed, not the name {part[:40]}")
        self.fields = Fields(NAME, arguments, call.where)

    def bid(self, name: str = "bid") -> ActionTarget:
        return ActionTarget(element_id=self.fields.text(name))

    def point(self, x: str = "x", y: str = "y") -> ActionTarget:
        return self.at(x, y, x)

    def chord_in(self, name: str = "key") -> tuple[str, ...]:
        return read_chord(self.fields.text(name), "playwright", NAME, f"{self.fields.where}.{name}")

    def one_or_more(self, name: str) -> tuple[str, ...]:
        value = self.fields.any(name)
        return (value,) if isinstance(value, str) else Fields(NAME, {name: value}, self.fields.where).texts(name)

    def modifiers(self) -> tuple[str, ...]:
        held, where = self.fields.texts("modifiers", ()), f"{self.fields.where}.modifiers"
        return tuple(key for name in held for key in read_chord(name, "playwright", NAME, where))

    def fill(self) -> AgentAction:
        if self.fields.flag("enable_autocomplete_menu", False):
            self.losses.append(Loss(what="fill.enable_autocomplete_menu", why="the last character is not typed by itself"))
        return self.build("fill", target=self.bid(), text=self.fields.text("value"))

    def theirs(self) -> AgentAction:
        """A verb that we lack; its element, where it has one, is the target."""
        arguments = {name: self.fields.text(name) for name in CARRIED[self.call.name]}
        target = None if arguments else self.bid()
        return self.build(f"x-{NAME}.{self.call.name}", target=target, arguments=arguments)


def _click(count: int, target: Callable[[_Reading], ActionTarget]) -> Callable[[_Reading], AgentAction]:
    return row("click", button=_BUTTON, count=count, modifiers=_Reading.modifiers, target=target)


def _delta(x: str, y: str) -> Callable[[_Reading], Any]:
    return lambda r: {"x": r.fields.number(x), "y": r.fields.number(y)}


_BUTTON = given("button", ("left", "middle", "right"), None, kind="choice")
_BID, _POINT = _Reading.bid, _Reading.point
_CALLS: dict[str, tuple[str, Callable[[_Reading], AgentAction]]] = {
    "send_msg_to_user": ("text", row("answer", text=given("text"))),
    "report_infeasible": ("reason", row("fail_goal", reason=given("reason"))),
    "noop": ("wait_ms", row("wait", seconds=lambda r: r.fields.number("wait_ms", 1000) / 1000)),
    "fill": ("bid value enable_autocomplete_menu", _Reading.fill),
    "clear": ("bid", row("fill", target=_BID, text="")),
    "check": ("bid", _Reading.theirs),
    "uncheck": ("bid", _Reading.theirs),
    "select_option": ("bid options", row("select_option", target=_BID, options=lambda r: r.one_or_more("options"))),
    "click": ("bid button modifiers", _click(1, _BID)),
    "dblclick": ("bid button modifiers", _click(2, _BID)),
    "hover": ("bid", row("hover", target=_BID)),
    "press": ("bid key_comb", row("press_key", target=_BID, keys=lambda r: r.chord_in("key_comb"))),
    "focus": ("bid", _Reading.theirs),
    "drag_and_drop": ("from_bid to_bid", row("drag", target=lambda r: r.bid("from_bid"), to=lambda r: r.bid("to_bid"))),
    "upload_file": ("bid file", row("upload", target=_BID, files=lambda r: r.one_or_more("file"))),
    "scroll": ("delta_x delta_y", row("scroll", delta=_delta("delta_x", "delta_y"), unit="px")),
    "scroll_at": ("x y dx dy", row("scroll", delta=_delta("dx", "dy"), unit="px", target=_POINT)),
    "mouse_move": ("x y", row("hover", target=_POINT)),
    "mouse_up": ("x y button", row("mouse_up", target=_POINT, button=_BUTTON)),
    "mouse_down": ("x y button", row("mouse_down", target=_POINT, button=_BUTTON)),
    "mouse_click": ("x y button", _click(1, _POINT)),
    "mouse_dblclick": ("x y button", _click(2, _POINT)),
    "mouse_drag_and_drop": (
        "from_x from_y to_x to_y",
        row("drag", target=lambda r: r.point("from_x", "from_y"), to=lambda r: r.point("to_x", "to_y")),
    ),
    "mouse_upload_file": ("x y file", row("upload", target=_POINT, files=lambda r: r.one_or_more("file"))),
    "keyboard_down": ("key", row("key_down", key=lambda r: r.key(r.chord_in()))),
    "keyboard_up": ("key", row("key_up", key=lambda r: r.key(r.chord_in()))),
    "keyboard_press": ("key", row("press_key", keys=_Reading.chord_in)),
    "keyboard_type": ("text", row("type", text=given("text"))),
    "keyboard_insert_text": ("text", _Reading.theirs),
    "goto": ("url", row("navigate", url=given("url"))),
    "go_back": ("", row("go_back")),
    "go_forward": ("", row("go_forward")),
    "new_tab": ("", row("tabs", op="new")),
    "tab_close": ("", row("tabs", op="close")),
    "tab_focus": ("index", row("tabs", op="select", index=given("index", kind="number", whole=True))),
}
"""Every function of every subset, with its arguments in order, and what it means."""

DIALECT = Dialect(NAME, "BrowserGym", "text", from_browsergym, to_browsergym)
