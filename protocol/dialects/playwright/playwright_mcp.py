"""Playwright's MCP server: tool calls `{name, arguments}` whose `target` is a reference of the last snapshot, or a selector.

A reference is an element_id here, and `element` are words for people. The variant `cli` also has the tools that only
Playwright's command line lists, such as `browser_keydown`. Source: the README of microsoft/playwright-mcp and
`packages/playwright-core/src/tools/backend` of Playwright.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from protocol.dialects.common.base import Context, Dialect, Loss, NothingDone, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import AIMED, NOTCH, Writing, element_of, given, pixels_in, row, without_delay
from protocol.dialects.common.fields import Fields, each_of
from protocol.dialects.playwright.locators import BUTTONS, MODIFIERS, UNSAID_WAIT, PageReading, chord_text
from protocol.dialects.python.strokes import FARTHEST
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget

NAME = "playwright_mcp"
PREFIX = f"x-{NAME}."
REF = re.compile(r"(f\d+)?e\d+")
"""A reference of a snapshot, as the server tells it from a selector."""

CARRIED = frozenset({
    "annotate", "check", "close", "console_clear", "console_messages", "cookie_clear", "cookie_delete", "cookie_get",
    "cookie_list", "cookie_set", "drop", "evaluate", "file_upload", "fill_form", "find", "generate_locator",
    "generate_playwright_test", "get_config", "handle_dialog", "hide_highlight", "highlight", "install", "localstorage_clear",
    "localstorage_delete", "localstorage_get", "localstorage_list", "localstorage_set", "network_clear", "network_request",
    "network_requests", "network_state_set", "pdf_save", "reload", "resize", "resume", "route", "route_list", "run_code",
    "run_code_unsafe", "sessionstorage_clear", "sessionstorage_delete", "sessionstorage_get", "sessionstorage_list",
    "sessionstorage_set", "set_storage_state", "snapshot", "start_recording", "start_tracing", "start_video", "stop_recording",
    "stop_tracing", "stop_video", "storage_state", "take_screenshot", "uncheck", "unroute", "verify_element_visible",
    "verify_list_visible", "verify_text_visible", "verify_value", "video_chapter", "video_hide_actions", "video_show_actions",
})  # fmt: skip
"""Tools that no verb of ours means, without `browser_`; carried whole as `x-playwright_mcp.<tool>`, and never run here."""
SKILL_ONLY = frozenset({
    "browser_check", "browser_keydown", "browser_keyup", "browser_navigate_forward", "browser_press_sequentially",
    "browser_reload", "browser_uncheck", "browser_console_clear", "browser_network_clear",
})  # fmt: skip
"""Tools that Playwright's command line has and its MCP server does not list."""


LONGEST_WAIT = 30.0
"""Seconds after which the server stops waiting for a time."""
_PLACES = {"point", "description", "state_id", "role"}


def from_playwright_mcp(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a call, of a `tools/call` request, or of a list of them."""
    DIALECT.variant(context)
    reading = _Reading(NAME, context)
    actions = [action for call, where in each_of(payload) for action in reading.tool(Fields(NAME, call, where))]
    if not actions:
        raise NothingDone(NAME, "$", "there is no call in it")
    return ParsedPayload(actions, [])


class _Reading(PageReading):
    """The call of a tool that is read."""

    def tool(self, call: Fields) -> list[AgentAction]:
        """The actions of one call. Raises DialectError for a tool that is not known."""
        method = call.any("method", None)
        if "jsonrpc" in call and method != "tools/call":
            return []  # what else the client and the server say to each other
        if "params" in call:
            call.drop("jsonrpc", "id")
            if method != "tools/call":
                call.refuse("method", "tools/call is needed")
            inner = Fields(NAME, call.any("params"), f"{call.where}.params")
            call.end()
            call = inner
        call.drop("_meta")
        name, arguments = call.text("name"), call.any("arguments", {})
        call.end()
        tool = name.removeprefix("browser_")
        known = tool if name.startswith("browser_") else ""
        if known in _READ or known == "take_screenshot":
            self.fields = Fields(NAME, arguments, f"{call.where}.arguments")
            if known != "take_screenshot" or self.plain():
                actions = _READ[known](self)
                self.fields.end()
                return actions if isinstance(actions, list) else [actions]
        if known not in CARRIED:
            call.refuse("name", f"there is no tool {name[:60]!r}")
        self.fields = Fields(NAME, {}, f"{call.where}.arguments")
        return [self.build(PREFIX + tool, arguments=arguments)]

    def plain(self) -> bool:
        """A plain picture of the page; one of an element or into a file is carried as it is."""
        f = self.fields
        plain = f.any("type", "png") == "png" and f.any("scale", "css") == "css" and f.any("fullPage", False) is False
        return plain and not any(name in f for name in ("filename", "element", "target", "ref", "selector", "raw"))

    def target(self, start: str = "") -> ActionTarget:
        """`element` with `target`, or with one of the older names `ref` and `selector`; `start` is `start` or `end` of a drag."""
        f, named = self.fields, {name: start + name.capitalize() if start else name for name in _NAMES}
        words, target = f.text(named["element"], None), f.text(named["target"], None)
        if target is not None and REF.fullmatch(target):
            return ActionTarget(element_id=target, description=words)
        selector = target if target is not None else f.text(named["selector"], None)
        if selector is not None:
            return ActionTarget(selector=selector, description=words)
        reference = f.text(named["ref"], None)
        if reference is None:
            f.refuse(named["target"], "is missing")
        return ActionTarget(element_id=reference, description=words)

    def spot(self, x: str = "x", y: str = "y") -> ActionTarget:
        self.fields.drop("element")  # older versions asked for words here too
        return self.at(x, y)

    def form(self) -> list[AgentAction]:
        rows, where = self.fields.any("fields"), f"{self.fields.where}.fields"
        if not isinstance(rows, list) or not rows:
            self.fields.refuse("fields", "a list of fields is needed")
        outer, actions = self.fields, []
        for n, each in enumerate(rows):
            self.fields = Fields(NAME, each, f"{where}[{n}]")
            actions.append(self._field(each))
        self.fields = outer
        return actions

    def _field(self, row: Any) -> AgentAction:
        kind = self.fields.choice("type", ("textbox", "slider", "combobox", "checkbox", "radio"))
        if kind in ("checkbox", "radio"):
            return self.build(PREFIX + "fill_form", arguments={"fields": [row]})
        name = self.fields.text("name", None)
        target = self.target()
        if target.description is None:
            target = target.model_copy(update={"description": name})
        value = self.fields.text("value")
        self.fields.end()
        if kind == "combobox":
            return self.build("select_option", target=target, options=(value,))
        return self.build("fill", target=target, text=value)

    def wait(self) -> list[AgentAction]:
        """Theirs waits for the time first and then for the texts, for as long as the server likes."""
        time, text, gone = self.fields.number("time", None), self.fields.text("text", None), self.fields.text("textGone", None)
        if time is None and text is None and gone is None:
            self.fields.refuse("", "one of time, text and textGone is needed")
        waits = [] if time is None else [self.build("wait", seconds=time)]
        shown = {"text": text, "text_gone": gone}
        return waits if text is None and gone is None else [*waits, self.build("wait", seconds=UNSAID_WAIT, **shown)]


_NAMES = ("element", "target", "selector", "ref")


def _delta(r: _Reading) -> JsonObject:
    return {"x": r.fields.number("deltaX", 0), "y": r.fields.number("deltaY", 0)}


def _tabs(op: Any) -> Callable[[_Reading], AgentAction]:
    return row("tabs", op=op, index=given("index", None, kind="number", whole=True), url=given("url", None))


_AT, _XY = _Reading.target, _Reading.spot
_BUTTON = given("button", BUTTONS, "left", kind="choice")
_SUBMIT = given("submit", False, kind="flag")
_TYPED = {verb: row(verb, target=_AT, text=given("text"), submit=_SUBMIT) for verb in ("type", "fill")}
_READ: dict[str, Callable[[_Reading], Any]] = {
    "click": row(
        "click", count=lambda r: 2 if r.fields.flag("doubleClick", False) else 1, modifiers=_Reading.modifiers, target=_AT,
        button=_BUTTON,
    ),
    "mouse_click_xy": row(
        "click", count=given("clickCount", 1, kind="number", whole=True), hold=lambda r: r.fields.number("delay", 0) / 1000,
        button=_BUTTON, target=_XY,
    ),
    "mouse_down": row("mouse_down", button=_BUTTON),
    "mouse_up": row("mouse_up", button=_BUTTON),
    "hover": row("hover", target=_AT),
    "mouse_move_xy": row("hover", target=_XY),
    "drag": row("drag", target=lambda r: r.target("start"), to=lambda r: r.target("end")),
    "mouse_drag_xy": row("drag", target=lambda r: r.spot("startX", "startY"), to=lambda r: r.spot("endX", "endY")),
    "mouse_wheel": row("scroll", unit="px", delta=_delta),
    # Key by key where it is slow; otherwise the value is set at once.
    "type": lambda r: _TYPED["type" if r.fields.flag("slowly", False) else "fill"](r),
    "press_sequentially": row("type", text=given("text"), submit=_SUBMIT),
    "fill_form": _Reading.form,
    "select_option": row("select_option", target=_AT, options=given("values", kind="texts")),
    "press_key": row("press_key", keys=_Reading.keys),
    "keydown": row("key_down", key=_Reading.one_key),
    "keyup": row("key_up", key=_Reading.one_key),
    "navigate": row("navigate", url=given("url")),
    "navigate_back": row("go_back"),
    "navigate_forward": row("go_forward"),
    "take_screenshot": row("screenshot"),
    "wait_for": _Reading.wait,
    "tabs": _tabs(given("action", ("list", "new", "close", "select"), kind="choice")),
    **{f"tab_{op}": _tabs(op) for op in ("list", "new", "close", "select")},
}  # fmt: skip


def to_playwright_mcp(action: verbs.Action, context: Context) -> WrittenPayload:
    """The call that is `action`, or a list of calls. Raises DialectError for what no tool does."""
    writing = _Writing(action, context, DIALECT.variant(context))
    if isinstance(action, verbs.Extension):
        return writing.carried(action)
    writing.said(action)
    if action.target is not None and action.verb not in _AIMED:
        writing.lose("target", f"{action.verb} has no target here")
    return WrittenPayload(writing.calls[0] if len(writing.calls) == 1 else writing.calls, writing.losses)


_AIMED = AIMED | {"select_option", "upload"}


class Element(NamedTuple):
    """`target` and `element` of a call, and what they do not say."""

    arguments: dict[str, str]
    losses: list[Loss]

    def of(self, end: str) -> Element:
        """As one end of a drag: `target` is `startTarget` there."""
        return self._replace(arguments={end + name.capitalize(): value for name, value in self.arguments.items()})


def _by_id(element_id: str, words: str | None) -> tuple[ActionTarget, dict[str, str]]:
    """An id that does not look like a reference goes by the older name `ref`: as `target` it would be a selector."""
    name = "target" if REF.fullmatch(element_id) else "ref"
    return ActionTarget(element_id=element_id, description=words), {name: element_id}


class _Writing(Writing):
    """Writes one action."""

    def __init__(self, action: verbs.Action, context: Context, variant: str) -> None:
        super().__init__(NAME, context, losses=without_delay(action))
        self.verb = action.verb
        self.variant = variant
        self.calls: list[JsonObject] = []

    def ask(self, tool: str, *elements: Element, **arguments: Any) -> None:
        """Add a call; arguments that are None are left out."""
        for element in elements:
            arguments = element.arguments | arguments
            self.take(element.losses)
        name = f"browser_{tool}"
        if name in SKILL_ONLY and self.variant == "mcp":
            self.refuse(self.verb, f"the server lists no tool for it; {name} is one of the variant cli")
        if arguments.get("button") not in (None, *BUTTONS):
            self.refuse(f"{self.verb}.button", f"there is no button {arguments['button']!r}")
        self.calls.append({"name": name, "arguments": {k: v for k, v in arguments.items() if v is not None}})

    def element(self, target: ActionTarget, what: str = "target", *, needed: bool = False) -> Element | None:
        """The element that a call names; None for a mere place, unless an element is needed there."""
        found = self._reference(target, what, needed)
        if found is None:
            return None
        back, arguments = found
        other = [name for name in ActionTarget.model_fields if getattr(target, name) != getattr(back, name)]
        lost = [name for name in other if getattr(target, name) is not None] or other
        words = {"element": target.description} if target.description is not None else {}
        losses = [Loss(what=f"{what}.{lost[0]}", why="only the reference is said")] if lost else []
        return Element(arguments | words, losses)

    def _reference(self, target: ActionTarget, what: str, needed: bool) -> tuple[ActionTarget, dict[str, str]] | None:
        words = target.description
        state = self.context.state
        stale = state is not None and target.state_id is not None and target.state_id != state.state_id
        if target.element_id is not None and not stale:
            return _by_id(target.element_id, words)
        if target.selector is not None and not (stale and target.text is not None):
            written = f"css={target.selector}" if REF.fullmatch(target.selector) else target.selector
            return ActionTarget(selector=written, description=words), {"target": written}
        given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
        if not needed and (given <= _PLACES or state is None):
            return None
        element, _ = element_of(target, self.context, NAME, what)
        if element is None and needed:
            self.refuse(f"{self.verb}.{what}", "there is no element at this place")
        return _by_id(element.element_id, words) if element else None

    def field(self, target: ActionTarget) -> Element:
        """An element where nothing else will do."""
        return self.element(target, needed=True) or self.refuse(f"{self.verb}.target", "an element is needed")

    def at(self, tool: str, target: ActionTarget | None, what: str = "target") -> None:
        """Ask for something at an element or, by another tool, at a place; nothing where there is no target."""
        if target is None:
            return
        element = self.element(target, what)
        if element:
            self.ask(tool, element)
        else:
            point = self.place(target, what)
            self.ask({"hover": "mouse_move_xy", "click": "mouse_click_xy"}[tool], x=point.x, y=point.y)

    def first_click(self, action: verbs.Action, then: str) -> None:
        self.at("click", action.target)
        if action.target is not None:
            self.lose(f"{action.verb}.target", f"said as a click and then {then}")

    def first_move(self, action: verbs.Action, then: str) -> None:
        """Bring the pointer somewhere before something else."""
        self.at("hover", action.target)
        if action.target is not None:
            self.lose(f"{action.verb}.target", f"said as a move and then {then}")

    def no_keys(self, modifiers: tuple[str, ...]) -> None:
        if modifiers:
            self.refuse(f"{self.verb}.modifiers", "no keys can be held meanwhile")

    def keys(self, *keys: str) -> str:
        return chord_text(keys, NAME, self.verb)

    def click(self, a: Any) -> None:
        element = self.element(a.target) if not a.hold and a.count < 3 else None
        button = None if a.button == "left" else a.button
        if element:
            if not set(a.modifiers) <= set(MODIFIERS):
                self.refuse("click.modifiers", f"modifiers are {', '.join(MODIFIERS)}")
            double, held = (True if a.count == 2 else None), list(a.modifiers) or None
            self.ask("click", element, doubleClick=double, button=button, modifiers=held)
            return
        self.no_keys(a.modifiers)
        point = self.place(a.target)
        delay = a.hold * 1000 if a.hold else None
        if delay is not None and delay / 1000 != a.hold:
            self.lose("click.hold", "rounded in milliseconds")
        count = None if a.count == 1 else a.count
        self.ask("mouse_click_xy", x=point.x, y=point.y, button=button, clickCount=count, delay=delay)

    def mouse_down(self, a: verbs.MouseDown | verbs.MouseUp) -> None:
        self.first_move(a, "the button")
        self.ask(a.verb, button=None if a.button == "left" else a.button)

    mouse_up = mouse_down

    def hover(self, a: verbs.Hover) -> None:
        self.no_keys(a.modifiers)
        self.at("hover", a.target)

    def drag(self, a: Any) -> None:
        self.no_keys(a.modifiers)
        start, end = self.element(a.target), self.element(a.to, "to")
        if start and end and a.button == "left":
            if a.path:
                self.lose("drag.path", "only the two ends are said")
            self.ask("drag", start.of("start"), end.of("end"))
            return
        first, last = self.place(a.target), self.place(a.to, "to")
        if a.button == "left" and not a.path:
            self.ask("mouse_drag_xy", startX=first.x, startY=first.y, endX=last.x, endY=last.y)
            return
        self.ask("mouse_move_xy", x=first.x, y=first.y)
        self.ask("mouse_down", button=a.button)
        for n, point in enumerate(a.path):
            self.at("hover", ActionTarget(point=point), f"path[{n}]")
        self.ask("mouse_move_xy", x=last.x, y=last.y)
        self.ask("mouse_up", button=a.button)
        self.lose("drag", "said as a press, moves and a release")

    def scroll(self, a: verbs.Scroll) -> None:
        self.no_keys(a.modifiers)
        across, down = pixels_in(a.unit, self.context.size)
        x, y = a.delta.x * across, a.delta.y * down
        if max(abs(x), abs(y)) > FARTHEST:
            self.refuse("scroll.delta", "it is too far")
        if a.unit != "px":
            self.lose("scroll.unit", f"a notch is said as {NOTCH} pixels, a page as the size of the screen")
        self.first_move(a, "the wheel")
        self.ask("mouse_wheel", deltaX=x, deltaY=y)

    def type(self, a: verbs.Type) -> None:
        element = self.element(a.target) if a.target is not None else None
        if element:
            self.ask("type", element, text=a.text, submit=a.submit or None, slowly=True)
            return
        self.first_click(a, "a type")
        self.ask("press_sequentially", text=a.text, submit=a.submit or None)

    def fill(self, a: Any) -> None:
        self.ask("type", self.field(a.target), text=a.text, submit=a.submit or None)

    def press_key(self, a: verbs.PressKey) -> None:
        self.first_click(a, "a press")
        self.ask("press_key", key=self.keys(*a.keys))

    def hold_key(self, a: verbs.HoldKey) -> None:
        self.first_click(a, "the keys")
        for key in a.keys:
            self.ask("keydown", key=self.keys(key))
        self.ask("wait_for", time=a.seconds)
        for key in reversed(a.keys):
            self.ask("keyup", key=self.keys(key))
        self.lose("hold_key", "said as keys that go down, a wait, and keys that come up")

    def key_down(self, a: verbs.KeyDown | verbs.KeyUp) -> None:
        self.ask(a.verb.replace("_", ""), key=self.keys(a.key))

    key_up = key_down

    def select_option(self, a: Any) -> None:
        self.ask("select_option", self.field(a.target), values=list(a.options))

    def navigate(self, a: verbs.Navigate) -> None:
        self.ask("navigate", url=a.url)

    def go_back(self, a: verbs.GoBack | verbs.GoForward) -> None:
        self.ask(a.verb.replace("go", "navigate"))

    go_forward = go_back

    def tabs(self, a: verbs.Tabs) -> None:
        if a.index is not None and a.index > FARTHEST:
            self.refuse("tabs.index", "there are not that many tabs")
        self.ask("tabs", action=a.op, index=a.index, url=a.url)

    def wait(self, a: verbs.Wait) -> None:
        if a.text is None and a.text_gone is None:
            if a.seconds > LONGEST_WAIT:
                self.lose("wait.seconds", f"the server waits no longer than {LONGEST_WAIT:g} s")
            self.ask("wait_for", time=a.seconds)
            return
        if a.seconds != UNSAID_WAIT:
            self.lose("wait.seconds", "how long a wait for a text may take is the server's own")
        self.ask("wait_for", text=a.text, textGone=a.text_gone)

    def screenshot(self, a: verbs.Screenshot) -> None:
        self.drop(a, **dict.fromkeys(("marks", "region"), "the picture is of the whole view, without marks"))
        self.ask("take_screenshot")

    def upload(self, a: Any) -> None:
        self.ask("click", self.field(a.target))
        self.ask("file_upload", paths=list(a.files))
        self.lose("upload.target", "said as a click that asks for files, and then the files")

    def carried(self, action: verbs.Extension) -> WrittenPayload:
        """A call that is carried, if reading it gives the action back."""
        tool = action.action_type.removeprefix(PREFIX)
        bare = action.model_copy(update={"target": None, "delay": None})
        call = {"name": f"browser_{tool}", "arguments": action.arguments}
        if not action.action_type.startswith(PREFIX) or tool not in CARRIED:
            self.cannot(action)
        if call["name"] in SKILL_ONLY and self.variant == "mcp":
            self.refuse(action.verb, f"{call['name']} is a tool of the variant cli")
        if from_playwright_mcp(call, self.context) != ([bare], []):
            self.refuse(action.verb, "a verb of ours says this call")
        self.take([Loss(what="target", why="the arguments name it")] if action.target is not None else [])
        return WrittenPayload(call, self.losses)


DIALECT = Dialect(NAME, "Playwright MCP", "json", from_playwright_mcp, to_playwright_mcp, ("mcp", "cli"))
