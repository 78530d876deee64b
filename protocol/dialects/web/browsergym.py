"""BrowserGym: Python-like calls such as `click('a51')`, by the id of an element (its bid) or by pixels of the viewport.

Source: ServiceNow/BrowserGym `browsergym/core/action/{functions,highlevel,parsers}.py`. Nothing is ever evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, nextafter
from typing import Any, NamedTuple

from protocol.dialects.common.base import (
    AIMED,
    NOTCH,
    Context,
    Conversion,
    Dialect,
    DialectError,
    Fields,
    Loss,
    ParsedPayload,
    WrittenPayload,
    at,
    build,
    cannot,
    pixels_in,
    without_delay,
)
from protocol.dialects.common.calls import BareName, Call, parse_calls
from protocol.dialects.common.saying import a_text, element_id_of, read_chord, spot, within_length, write_chord
from protocol.model.actions import AgentAction
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Answer,
    AskUser,
    Click,
    Drag,
    Extension,
    Fill,
    FinishGoal,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    PressKey,
    Scroll,
    SelectOption,
    Tabs,
    Type,
    Upload,
    Wait,
)

NAME = "browsergym"


class ParsedCall(NamedTuple):
    """`name(1, 'two', key=3)`."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def __str__(self) -> str:
        return f"{self.name}({', '.join([*map(repr, self.args), *(f'{k}={v!r}' for k, v in self.kwargs.items())])})"


class Writing(Conversion):
    """One action that is written."""

    def bid(self, target: ActionTarget | None, what: str = "target") -> str | None:
        """The id of the element; None for a bare place."""
        if target is None:
            raise DialectError(NAME, what, "a target is needed: where the pointer is cannot be said")
        found = element_id_of(target, self.context, NAME, what)
        self.take(found[1] if found else [])
        return found and found[0]

    def xy(self, target: ActionTarget | None, what: str = "target") -> tuple[float, float]:
        if target is None:
            raise DialectError(NAME, what, "a place is needed: where the pointer is cannot be said")
        said, losses = spot(target, self.context, "px", None, NAME, what, whole=False)
        self.take(losses)
        return said.x, said.y

    def on(self, target: ActionTarget | None, by_bid: str, by_xy: str, *args: Any, **kwargs: Any) -> ParsedCall:
        """A function for an element, or its like for a place."""
        bid = self.bid(target)
        return ParsedCall(by_xy, (*self.xy(target), *args), kwargs) if bid is None else ParsedCall(by_bid, (bid, *args), kwargs)

    def first_click(self, action: Action, then: str) -> list[ParsedCall]:
        if action.target is None:
            return []
        self.lose(f"{action.verb}.target", f"said as a click and then {then}")
        return [self.on(action.target, "click", "mouse_click")]

    def held(self, action: Click | Hover | Drag | Scroll, calls: list[ParsedCall]) -> list[ParsedCall]:
        """`calls` while the modifiers of `action` are down."""
        if not action.modifiers:
            return calls
        self.lose(f"{action.verb}.modifiers", "said as keys that go down before it and up after it")
        names = [chord(action, key) for key in action.modifiers]
        down, up = ([ParsedCall(f"keyboard_{way}", (name,)) for name in names] for way in ("down", "up"))
        return [*down, *calls, *reversed(up)]


def chord(action: Action, *keys: str) -> str:
    """Keys that are pressed together, as Playwright names them."""
    return write_chord(keys, "playwright", NAME, action)


def noop(seconds: float, what: str, w: Writing) -> list[ParsedCall]:
    """A wait: `noop` counts in milliseconds."""
    guess = seconds * 1000
    near = (guess, nextafter(guess, 0), nextafter(guess, inf))
    exact = [ms for ms in near if ms / 1000 == seconds]
    if not exact:
        w.lose(what, "rounded to what milliseconds can say")
    ms = exact[0] if exact else guess
    return [ParsedCall("noop", () if ms == 1000 else (int(ms) if ms == int(ms) else ms,))]


CARRIED: dict[str, tuple[str, ...]] = {"focus": (), "check": (), "uncheck": (), "keyboard_insert_text": ("text",)}
"""Functions that we lack a verb for, and their arguments beside the bid."""


def to_browsergym(action: Action, context: Context) -> WrittenPayload:
    """`action` as calls, one a line. Raises DialectError for what BrowserGym has no function for."""
    DIALECT.variant(context)
    write = _WRITE.get("extension" if isinstance(action, Extension) else action.verb)
    if write is None:
        cannot(NAME, action)
    writing = Writing(NAME, context)
    if action.verb not in _AIMED and not isinstance(action, Extension):
        writing.drop(action, target="the function has no target")
    text = "\n".join(map(str, write(action, writing)))
    return WrittenPayload(within_length(text, NAME), writing.losses + without_delay(action))


def _button(action: Click | Drag | MouseDown | MouseUp) -> dict[str, Any]:
    if action.button in ("back", "forward"):
        cannot(NAME, action, f"there is no {action.button} button")
    return {} if action.button == "left" else {"button": action.button}


def _say_click(action: Click, w: Writing) -> list[ParsedCall]:
    button = _button(action)
    if action.count == 3:
        cannot(NAME, action, "there is no triple click")
    if action.hold:
        return _long_press(action, w, button)
    verb = ("click", "dblclick")[action.count - 1]
    bid = w.bid(action.target)
    if bid is None:
        return w.held(action, [ParsedCall(f"mouse_{verb}", w.xy(action.target), button)])
    if "AltGraph" in action.modifiers:
        cannot(NAME, action, "AltGraph cannot be held")
    modifiers = {"modifiers": list(action.modifiers)} if action.modifiers else {}
    return [ParsedCall(verb, (bid,), {**button, **modifiers})]


def _long_press(action: Click, w: Writing, button: dict[str, Any]) -> list[ParsedCall]:
    if action.count > 1:
        cannot(NAME, action, "only a single click can be held")
    w.lose("click.hold", "said as a press, a wait and a release")
    place = w.xy(action.target)
    calls = [ParsedCall("mouse_down", place, button), *noop(action.hold, "click.hold", w), ParsedCall("mouse_up", place, button)]
    return w.held(action, calls)


def _say_mouse(action: MouseDown | MouseUp, w: Writing) -> list[ParsedCall]:
    return [ParsedCall(action.verb, w.xy(action.target), _button(action))]


def _hover(action: Hover, w: Writing) -> list[ParsedCall]:
    return w.held(action, [w.on(action.target, "hover", "mouse_move")])


def _say_drag(action: Drag, w: Writing) -> list[ParsedCall]:
    button = _button(action)
    if action.path or button:
        return w.held(action, _drag_by_hand(action, w, button))
    before = len(w.losses)
    bids = w.bid(action.target), w.bid(action.to, "to")
    if None not in bids:
        return w.held(action, [ParsedCall("drag_and_drop", bids)])
    del w.losses[before:]
    return w.held(action, [ParsedCall("mouse_drag_and_drop", (*w.xy(action.target), *w.xy(action.to, "to")))])


def _drag_by_hand(action: Drag, w: Writing, button: dict[str, Any]) -> list[ParsedCall]:
    w.lose("drag.path" if action.path else "drag.button", "said as a press, moves and a release")
    moves = [ParsedCall("mouse_move", w.xy(ActionTarget(point=point), "path")) for point in action.path]
    start, end = w.xy(action.target), w.xy(action.to, "to")
    return [ParsedCall("mouse_down", start, button), *moves, ParsedCall("mouse_up", end, button)]


def _say_scroll(action: Scroll, w: Writing) -> list[ParsedCall]:
    across, down = pixels_in(action.unit, w.context.size)
    if action.unit != "px":
        w.lose("scroll.unit", f"said in pixels: {NOTCH} to a notch, the size of the screen to a page")
    delta = (action.delta.x * across, action.delta.y * down)
    if not all(abs(way) <= 1_000_000 for way in delta):
        cannot(NAME, action, "the scroll is too long to be said in pixels")
    if action.target is None:
        return w.held(action, [ParsedCall("scroll", delta)])
    bid = w.bid(action.target)
    if bid is None:
        return w.held(action, [ParsedCall("scroll_at", (*w.xy(action.target), *delta))])
    w.lose("scroll.target", "said as a hover and then a scroll")
    return w.held(action, [ParsedCall("hover", (bid,)), ParsedCall("scroll", delta)])


def _type(action: Type, w: Writing) -> list[ParsedCall]:
    return [*w.first_click(action, "typing"), ParsedCall("keyboard_type", (action.text,)), *_enter(action, w)]


def _enter(action: Type | Fill, w: Writing) -> list[ParsedCall]:
    if not action.submit:
        return []
    w.lose(f"{action.verb}.submit", "said as the text and then the Enter key")
    return [ParsedCall("keyboard_press", ("Enter",))]


def _named(action: Action, w: Writing) -> str:
    """The id of an element, for a function that takes nothing else."""
    return w.bid(action.target) or cannot(NAME, action, "an element is needed: the function takes no place")


def _say_fill(action: Fill, w: Writing) -> list[ParsedCall]:
    return [ParsedCall("fill", (_named(action, w), action.text)), *_enter(action, w)]


def _press(action: PressKey, w: Writing) -> list[ParsedCall]:
    keys = chord(action, *action.keys)
    bid = None if action.target is None else w.bid(action.target)
    if bid is not None:
        return [ParsedCall("press", (bid, keys))]
    return [*w.first_click(action, "the keys"), ParsedCall("keyboard_press", (keys,))]


def _hold_key(action: HoldKey, w: Writing) -> list[ParsedCall]:
    w.lose("hold_key", "said as keys down, a wait and keys up")
    names = [chord(action, key) for key in action.keys]
    down, up = ([ParsedCall(f"keyboard_{way}", (name,)) for name in names] for way in ("down", "up"))
    wait = noop(action.seconds, "hold_key.seconds", w)
    return [*w.first_click(action, "the keys"), *down, *wait, *reversed(up)]


def _key(action: KeyDown | KeyUp, w: Writing) -> list[ParsedCall]:
    return [ParsedCall("keyboard_down" if isinstance(action, KeyDown) else "keyboard_up", (chord(action, action.key),))]


def _select(action: SelectOption, w: Writing) -> list[ParsedCall]:
    return [ParsedCall("select_option", (_named(action, w), _one_or_more(action.options)))]


def _upload(action: Upload, w: Writing) -> list[ParsedCall]:
    return [w.on(action.target, "upload_file", "mouse_upload_file", _one_or_more(action.files))]


def _one_or_more(values: tuple[str, ...]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


def _tabs(action: Tabs, w: Writing) -> list[ParsedCall]:
    if action.op == "list":
        cannot(NAME, action, "the tabs are part of every observation")
    if action.op == "select":
        return [ParsedCall("tab_focus", (action.index,))]
    if action.op == "new":
        if action.url is None:
            return [ParsedCall("new_tab")]
        w.lose("tabs.url", "said as a new tab and then a goto")
        return [ParsedCall("new_tab"), ParsedCall("goto", (action.url or cannot(NAME, action, "the address is empty"),))]
    if action.index is None:
        return [ParsedCall("tab_close")]
    w.lose("tabs.index", "said as a focus and then a close")
    return [ParsedCall("tab_focus", (action.index,)), ParsedCall("tab_close")]


def _wait(action: Wait, w: Writing) -> list[ParsedCall]:
    w.drop(action, text="there is no condition", text_gone="there is no condition")
    return noop(action.seconds, "wait.seconds", w)


def _message(action: Answer | AskUser | FinishGoal, w: Writing) -> list[ParsedCall]:
    if isinstance(action, AskUser):
        w.lose("ask_user", "said as a message to the user")
        return [ParsedCall("send_msg_to_user", (action.question,))]
    if isinstance(action, FinishGoal):
        w.lose("finish_goal", "there is no verb for success: said as a message to the user")
        return [ParsedCall("send_msg_to_user", (action.summary,))]
    return [ParsedCall("send_msg_to_user", (action.text,))]


def _say_theirs(action: Extension, w: Writing) -> list[ParsedCall]:
    name = action.action_type.removeprefix(f"x-{NAME}.")
    if name not in CARRIED:
        cannot(NAME, action)
    values = tuple(action.arguments.get(argument) for argument in CARRIED[name])
    if tuple(action.arguments) != CARRIED[name] or not all(isinstance(value, str) for value in values):
        cannot(NAME, action, f"the arguments are texts: {', '.join(CARRIED[name]) or 'none'}")
    if name != "keyboard_insert_text":
        return [ParsedCall(name, (_named(action, w),))]
    w.drop(action, target="the function has no target")
    return [ParsedCall(name, values)]


_WRITE: dict[str, Callable[[Any, Writing], list[ParsedCall]]] = {
    "click": _say_click,
    "mouse_down": _say_mouse,
    "mouse_up": _say_mouse,
    "hover": _hover,
    "drag": _say_drag,
    "scroll": _say_scroll,
    "type": _type,
    "fill": _say_fill,
    "press_key": _press,
    "hold_key": _hold_key,
    "key_down": _key,
    "key_up": _key,
    "select_option": _select,
    "upload": _upload,
    "navigate": lambda a, w: [ParsedCall("goto", (a.url,))],
    "go_back": lambda a, w: [ParsedCall("go_back")],
    "go_forward": lambda a, w: [ParsedCall("go_forward")],
    "tabs": _tabs,
    "wait": _wait,
    "answer": _message,
    "ask_user": _message,
    "finish_goal": _message,
    "fail_goal": lambda a, w: [ParsedCall("report_infeasible", (a.reason,))],
    "extension": _say_theirs,
}
_AIMED = AIMED | {"select_option", "upload"}


_SIGNATURES: dict[str, tuple[str, ...]] = {
    "send_msg_to_user": ("text",), "report_infeasible": ("reason",), "noop": ("wait_ms",),
    "fill": ("bid", "value", "enable_autocomplete_menu"), "clear": ("bid",), "check": ("bid",), "uncheck": ("bid",),
    "select_option": ("bid", "options"), "click": ("bid", "button", "modifiers"), "dblclick": ("bid", "button", "modifiers"),
    "hover": ("bid",), "press": ("bid", "key_comb"), "focus": ("bid",), "drag_and_drop": ("from_bid", "to_bid"),
    "upload_file": ("bid", "file"), "scroll": ("delta_x", "delta_y"), "scroll_at": ("x", "y", "dx", "dy"),
    "mouse_move": ("x", "y"), "mouse_up": ("x", "y", "button"), "mouse_down": ("x", "y", "button"),
    "mouse_click": ("x", "y", "button"), "mouse_dblclick": ("x", "y", "button"),
    "mouse_drag_and_drop": ("from_x", "from_y", "to_x", "to_y"), "mouse_upload_file": ("x", "y", "file"),
    "keyboard_down": ("key",), "keyboard_up": ("key",), "keyboard_press": ("key",), "keyboard_type": ("text",),
    "keyboard_insert_text": ("text",), "goto": ("url",), "go_back": (), "go_forward": (), "new_tab": (), "tab_close": (),
    "tab_focus": ("index",),
}  # fmt: skip
"""Every function of every subset, with its arguments in order."""

_FENCED = re.compile(r"^[ \t]*+```\w*+[ \t]*+$\n?(.*?)^[ \t]*+```", re.MULTILINE | re.DOTALL)

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
        blocks = _FENCED.findall("\n".join(tagged) if tagged else text) or tagged
        if not blocks:
            raise
        chains = parse_calls(NAME, "\n".join(blocks))
    if not chains:
        raise DialectError(NAME, "", "there is no call in the text")
    losses: list[Loss] = []
    return ParsedPayload([_action(chain, losses) for chain in chains], losses)


def _action(chain: list[Call], losses: list[Loss]) -> AgentAction:
    call = chain[0]
    if len(chain) > 1 or call.name not in _SIGNATURES:
        name = ".".join(link.name for link in chain)[:40]
        raise DialectError(NAME, call.where, f"there is no action {name!r}; actions are {', '.join(_SIGNATURES)}")
    reading = _Reading(call, losses)
    action = _READ[call.name](reading)
    reading.fields.end()
    return action


class _Reading:
    """One call that is read."""

    def __init__(self, call: Call, losses: list[Loss]) -> None:
        self.call = call
        self.where = call.where
        self.losses = losses
        names = _SIGNATURES[call.name]
        given = [*zip(names, call.args, strict=False), *call.kwargs.items()]
        if len(call.args) > len(names):
            raise DialectError(NAME, self.where, f"{call.name} takes {len(names)} arguments: {', '.join(names) or 'none'}")
        for name, value in given:
            for part in value if isinstance(value, list) else [value]:
                if type(part) is BareName:
                    raise DialectError(NAME, f"{self.where}.{name}", f"a text in quotes is needed, not the name {part[:40]}")
        if twice := set(names[: len(call.args)]) & call.kwargs.keys():
            raise DialectError(NAME, self.where, f"the argument {min(twice)} is given twice")
        self.fields = Fields(NAME, dict(given), self.where)

    def build(self, verb: str, **fields: Any) -> AgentAction:
        return build(NAME, self.where, action_type=verb, **fields)

    def bid(self, name: str = "bid") -> ActionTarget:
        return ActionTarget(element_id=self.fields.text(name))

    def point(self, x: str = "x", y: str = "y") -> ActionTarget:
        return at(self.fields.number(x), self.fields.number(y), "px", None, NAME, f"{self.where}.{x}")

    def place(self) -> ActionTarget:
        return self.bid() if "bid" in _SIGNATURES[self.call.name] else self.point()

    def keys(self, name: str) -> tuple[str, ...]:
        return read_chord(self.fields.text(name), "playwright", NAME, f"{self.where}.{name}")

    def key(self) -> str:
        keys = self.keys("key")
        return keys[0] if len(keys) == 1 else self.fields.refuse("key", "one key is needed, not a chord")

    def one_or_more(self, name: str) -> tuple[str, ...]:
        value = self.fields.any(name)
        return (value,) if isinstance(value, str) else Fields(NAME, {name: value}, self.where).texts(name)


def _click(count: int) -> Callable[[_Reading], AgentAction]:
    def read(r: _Reading) -> AgentAction:
        button = r.fields.choice("button", ("left", "middle", "right"), None)
        held = r.fields.texts("modifiers", ())
        modifiers = tuple(key for name in held for key in read_chord(name, "playwright", NAME, f"{r.where}.modifiers"))
        return r.build("click", target=r.place(), button=button, count=count, modifiers=modifiers)

    return read


def _mouse(verb: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build(verb, target=r.point(), button=r.fields.choice("button", ("left", "middle", "right"), None))


def _fill(r: _Reading) -> AgentAction:
    if r.fields.flag("enable_autocomplete_menu", False):
        r.losses.append(Loss(what="fill.enable_autocomplete_menu", why="the last character is not typed by itself"))
    return r.build("fill", target=r.bid(), text=r.fields.text("value"))


def _scroll(r: _Reading) -> AgentAction:
    delta = {"x": r.fields.number("delta_x"), "y": r.fields.number("delta_y")}
    return r.build("scroll", delta=delta, unit="px")


def _scroll_at(r: _Reading) -> AgentAction:
    delta = {"x": r.fields.number("dx"), "y": r.fields.number("dy")}
    return r.build("scroll", delta=delta, unit="px", target=r.point())


def _drag(r: _Reading) -> AgentAction:
    return r.build("drag", target=r.bid("from_bid"), to=r.bid("to_bid"))


def _mouse_drag(r: _Reading) -> AgentAction:
    return r.build("drag", target=r.point("from_x", "from_y"), to=r.point("to_x", "to_y"))


def _theirs(r: _Reading) -> AgentAction:
    """A verb that we lack; its element, where it has one, is the target."""
    target = r.bid() if "bid" in _SIGNATURES[r.call.name] else None
    arguments = {name: r.fields.text(name) for name in CARRIED[r.call.name]}
    return r.build(f"x-{NAME}.{r.call.name}", target=target, arguments=arguments)


def _says(verb: str, name: str, argument: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build(verb, **{name: r.fields.text(argument)})


def _plain(verb: str, **fields: Any) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build(verb, **fields)


_READ: dict[str, Callable[[_Reading], AgentAction]] = {
    "click": _click(1),
    "dblclick": _click(2),
    "mouse_click": _click(1),
    "mouse_dblclick": _click(2),
    "mouse_down": _mouse("mouse_down"),
    "mouse_up": _mouse("mouse_up"),
    "hover": lambda r: r.build("hover", target=r.place()),
    "mouse_move": lambda r: r.build("hover", target=r.place()),
    "drag_and_drop": _drag,
    "mouse_drag_and_drop": _mouse_drag,
    "fill": _fill,
    "clear": lambda r: r.build("fill", target=r.bid(), text=""),
    "select_option": lambda r: r.build("select_option", target=r.bid(), options=r.one_or_more("options")),
    "press": lambda r: r.build("press_key", target=r.bid(), keys=r.keys("key_comb")),
    "keyboard_press": lambda r: r.build("press_key", keys=r.keys("key")),
    "keyboard_down": lambda r: r.build("key_down", key=r.key()),
    "keyboard_up": lambda r: r.build("key_up", key=r.key()),
    "keyboard_type": _says("type", "text", "text"),
    "upload_file": lambda r: r.build("upload", target=r.place(), files=r.one_or_more("file")),
    "mouse_upload_file": lambda r: r.build("upload", target=r.place(), files=r.one_or_more("file")),
    "scroll": _scroll,
    "scroll_at": _scroll_at,
    "goto": _says("navigate", "url", "url"),
    "go_back": _plain("go_back"),
    "go_forward": _plain("go_forward"),
    "new_tab": _plain("tabs", op="new"),
    "tab_close": _plain("tabs", op="close"),
    "tab_focus": lambda r: r.build("tabs", op="select", index=r.fields.number("index", whole=True)),
    "noop": lambda r: r.build("wait", seconds=r.fields.number("wait_ms", 1000) / 1000),
    "send_msg_to_user": _says("answer", "text", "text"),
    "report_infeasible": _says("fail_goal", "reason", "reason"),
    **dict.fromkeys(CARRIED, _theirs),
}

DIALECT = Dialect(name=NAME, title="BrowserGym", kind="text", read=from_browsergym, write=to_browsergym)
