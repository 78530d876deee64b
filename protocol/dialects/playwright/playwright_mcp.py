"""Playwright's MCP server: tool calls `{name, arguments}` whose `target` is a reference of the last snapshot, or a selector.

A reference is an element_id here, and `element` are words for people. The variant `cli` also has the tools that only
Playwright's command line lists, such as `browser_keydown`. Source: the README of microsoft/playwright-mcp and
`packages/playwright-core/src/tools/backend` of Playwright.
"""

import re
from typing import Any

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import Fields, Part, Row, Table, Writing, dialect_of, element_of, given, given_in, row
from protocol.dialects.playwright.locators import BUTTONS, MODIFIERS, UNSAID_WAIT, PageReading
from protocol.model import verbs

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


class _Reading(PageReading):
    """Calls of tools, or `tools/call` requests, that are read."""

    def take(self, payload: Any, where: str) -> None:
        call = Fields(NAME, payload, where)
        method = call.any("method", None)
        if "jsonrpc" in call and method != "tools/call":
            return  # what else the client and the server say to each other
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
        if known in _TOOLS:
            self.fields = Fields(NAME, arguments, f"{call.where}.arguments")
            if known != "take_screenshot" or self.plain():
                self.actions += self.read(_TOOLS, known)
                return
        if known not in CARRIED:
            call.refuse("name", f"there is no tool {name[:60]!r}")
        self.fields = Fields(NAME, {}, f"{call.where}.arguments")
        self.actions.append(self.build(PREFIX + tool, arguments=arguments))

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
            actions.append(self.form_field(each))
        self.fields = outer
        return actions

    def form_field(self, row: Any) -> AgentAction:
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


def _tabs(op: Any) -> Row:
    return row("tabs", op=op, index=given("index", None, kind="number", whole=True), url=given("url", None))


def _end(which: str, what: str) -> Part:
    """One end of a drag between elements: `target` is `startTarget` there."""

    def write(w: "_Writing", target: ActionTarget | None) -> JsonObject | None:
        found = w.named(target, what)
        return found and {which + name.capitalize(): value for name, value in found.items()}

    return Part(lambda r: r.target(which), write)


def _place(x: str, y: str, what: str) -> Part:
    return Part(lambda r: r.spot(x, y), lambda w, target: dict(zip((x, y), w.numbers(target, what), strict=True)))


_AT = Part(_Reading.target, lambda w, target: w.named(target))
_FIELD = Part(_Reading.target, lambda w, target: w.aim(target))
_XY = _place("x", "y", "target")
_BUTTON = given("button", BUTTONS, "left", kind="choice")
_HELD = Part(_Reading.modifiers, lambda w, keys: w.held(keys))
_DOUBLE = Part(
    lambda r: 2 if r.fields.flag("doubleClick", False) else 1, lambda w, count: ({}, {"doubleClick": True}, None)[count - 1]
)
_DELAY = Part(lambda r: r.fields.number("delay", 0) / 1000, lambda w, hold: {"delay": hold * 1000} if hold else {})
_TEXT, _SUBMIT = given("text"), given("submit", False, kind="flag")
_KEYS = Part(_Reading.keys, lambda w, keys: {"key": w.chord(keys, "playwright")})
_KEY = Part(_Reading.one_key, lambda w, key: {"key": w.chord((key,), "playwright")})
_TYPED = {verb: row(verb, target=_AT, text=_TEXT, submit=_SUBMIT) for verb in ("type", "fill")}
_VALUES = Part(lambda r: r.fields.texts("values"), lambda w, options: {"values": list(options)})
_TOOLS: Table = {
    "click": row("click", count=_DOUBLE, hold=0.0, modifiers=_HELD, target=_AT, button=_BUTTON),
    "mouse_click_xy": row(
        "click", count=given("clickCount", 1, kind="number", whole=True), hold=_DELAY, modifiers=(), button=_BUTTON, target=_XY,
    ),
    "mouse_down": row("mouse_down", button=_BUTTON),
    "mouse_up": row("mouse_up", button=_BUTTON),
    "hover": row("hover", target=_AT, modifiers=()),
    "mouse_move_xy": row("hover", target=_XY, modifiers=()),
    "drag": row("drag", target=_end("start", "target"), to=_end("end", "to"), modifiers=()),
    "mouse_drag_xy": row("drag", target=_place("startX", "startY", "target"), to=_place("endX", "endY", "to"), modifiers=()),
    "mouse_wheel": row(
        "scroll", unit="px", delta=lambda r: {"x": r.fields.number("deltaX", 0), "y": r.fields.number("deltaY", 0)},
    ),
    # Key by key where it is slow; otherwise the value is set at once.
    "type": lambda r: _TYPED["type" if r.fields.flag("slowly", False) else "fill"](r),
    "press_sequentially": row("type", text=_TEXT, submit=_SUBMIT),
    "fill_form": _Reading.form,
    "select_option": row("select_option", target=_FIELD, options=_VALUES),
    "press_key": row("press_key", keys=_KEYS),
    "keydown": row("key_down", key=_KEY),
    "keyup": row("key_up", key=_KEY),
    "navigate": row("navigate", url=given("url")),
    "navigate_back": row("go_back"),
    "navigate_forward": row("go_forward"),
    "take_screenshot": row("screenshot"),
    "wait_for": _Reading.wait,
    "tabs": _tabs(given("action", ("list", "new", "close", "select"), kind="choice")),
    **{f"tab_{op}": _tabs(op) for op in ("list", "new", "close", "select")},
}  # fmt: skip


class _Writing(Writing):
    """Calls of tools."""

    table = _TOOLS
    can = frozenset({"fill", "submit"})
    aimed = frozenset({"type"})
    moved = frozenset({"scroll", "mouse_down", "mouse_up"})

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        tool = f"browser_{name}"
        if tool in SKILL_ONLY and self.variant == "mcp":
            self.refuse(tool, "the server lists no such tool; it is one of the variant cli")
        return {"name": tool, "arguments": arguments}

    def simpler(self, action: verbs.Action) -> list[verbs.Action]:
        """Between elements a drag has no path; else it goes from place to place."""
        if isinstance(action, verbs.Drag) and not action.modifiers and (action.path or action.button != "left"):
            if action.button == "left" and self.named(action.target) and self.named(action.to, "to"):
                return [action]
            ends = {what: ActionTarget(point=self.place(getattr(action, what), what)) for what in ("target", "to")}
            return self.by_hand(action.model_copy(update=ends))
        return super().simpler(action)

    def in_clicks(self, action: verbs.Click) -> list[verbs.Action]:
        return [action]

    def named(self, target: ActionTarget | None, what: str = "target", *, needed: bool = False) -> JsonObject | None:
        """The arguments that name an element; None for a mere place, unless an element is needed there."""
        if target is None:
            return None
        words = {} if target.description is None else {"element": target.description}
        state = self.context.state
        stale = state is not None and target.state_id is not None and target.state_id != state.state_id
        if target.element_id is not None and not stale:
            return _by_id(target.element_id) | words
        if target.selector is not None and not (stale and target.text is not None):
            return {"target": f"css={target.selector}" if REF.fullmatch(target.selector) else target.selector} | words
        if not needed and (state is None or {*given_in(target)} <= _PLACES):
            return None
        element, _ = element_of(target, self.context, NAME, what)
        if element is None and needed:
            self.refuse(what, "there is no element at this place")
        return _by_id(element.element_id) | words if element else None

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """An element where nothing else will do."""
        return self.named(target, what, needed=True) or self.refuse(what, "an element is needed")

    def numbers(self, target: ActionTarget | None, what: str) -> tuple[float, float]:
        point = self.place(target, what)
        return point.x, point.y

    def held(self, keys: tuple[str, ...]) -> JsonObject:
        if not {*keys} <= {*MODIFIERS}:
            self.refuse("modifiers", f"modifiers are {', '.join(MODIFIERS)}")
        return {"modifiers": list(keys)} if keys else {}

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        if action.modifiers:
            self.cannot(action, "no keys are held meanwhile")
        x, y = self.pixels(action)
        return [self.call("mouse_wheel", deltaX=x, deltaY=y)]

    def type(self, action: verbs.Type) -> list[JsonObject]:
        found, typed = self.named(action.target), {"text": action.text, **(_SUBMIT.write(self, action.submit) or {})}
        if found is not None:
            return [self.call("type", **found, **typed, slowly=True)]
        click = [] if action.target is None else self.said(verbs.Click(target=action.target))
        return [*click, self.call("press_sequentially", **typed)]

    def fill(self, action: verbs.Fill) -> list[JsonObject]:
        return [self.call("type", **self.aim(action.target), text=action.text, **(_SUBMIT.write(self, action.submit) or {}))]

    def wait(self, action: verbs.Wait) -> list[JsonObject]:
        if action.text is None and action.text_gone is None:
            if action.seconds > LONGEST_WAIT:
                self.lose("wait.seconds", f"the server waits no longer than {LONGEST_WAIT:g} s")
            return [self.call("wait_for", time=action.seconds)]
        texts = {"text": action.text, "textGone": action.text_gone}
        return [self.call("wait_for", **{name: text for name, text in texts.items() if text is not None})]

    def upload(self, action: verbs.Upload) -> list[JsonObject]:
        return [self.call("click", **self.aim(action.target)), self.call("file_upload", paths=list(action.files))]

    def extension(self, action: verbs.Extension) -> list[JsonObject]:
        """A call that is carried; the arguments name its element."""
        tool = action.action_type.removeprefix(PREFIX)
        return [self.call(tool, **action.arguments)] if tool in CARRIED else self.cannot(action)


def _by_id(element_id: str) -> JsonObject:
    """An id that does not look like a reference goes by the older name `ref`: as `target` it would be a selector."""
    return {"target" if REF.fullmatch(element_id) else "ref": element_id}


DIALECT = dialect_of(_Reading, _Writing, NAME, "Playwright MCP", "json", ("mcp", "cli"))
