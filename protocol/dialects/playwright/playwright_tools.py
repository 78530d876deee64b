"""The tools of Playwright's MCP server, and how their calls are read.

Source: the README of microsoft/playwright-mcp and `packages/playwright-core/src/tools/backend` of Playwright.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from protocol.dialects.common.fields import Fields, at, build
from protocol.model.actions import AgentAction
from protocol.model.targets import ActionTarget

NAME = "playwright_mcp"
PREFIX = f"x-{NAME}."
REF = re.compile(r"(f\d+)?e\d+")
"""A reference of a snapshot, as the server tells it from a selector."""
BUTTONS = ("left", "right", "middle")
MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
UNSAID_WAIT = 30.0
"""Seconds that a wait for a text may take: Playwright's own default."""

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


def read_tool(fields: Fields, name: str, arguments: Any) -> list[AgentAction]:
    """The actions of one call. Raises DialectError for a tool that is not known."""
    where = f"{fields.where}.arguments"
    tool = name.removeprefix("browser_")
    known = name.startswith("browser_")
    if known and tool in _READ:
        inner = Fields(NAME, arguments, where)
        actions = _READ[tool](inner)
        inner.end()
        return actions
    if known and tool in _SOMETIMES:
        found = _SOMETIMES[tool](Fields(NAME, arguments, where))
        if found:
            return found
    if not known or tool not in CARRIED:
        fields.refuse("name", f"there is no tool {name[:60]!r}")
    return [build(NAME, where, action_type=PREFIX + tool, arguments=arguments)]


def read_target(fields: Fields, start: str = "") -> ActionTarget:
    """`element` with `target`, or with one of the older names `ref` and `selector`; `start` is `start` or `end` of a drag."""

    def named(name: str) -> str:
        return start + name.capitalize() if start else name

    words = fields.text(named("element"), None)
    target = fields.text(named("target"), None)
    if target is not None:
        return _referred(target, words)
    selector = fields.text(named("selector"), None)
    if selector is not None:
        return ActionTarget(selector=selector, description=words)
    reference = fields.text(named("ref"), None)
    if reference is None:
        fields.refuse(named("target"), "is missing")
    return ActionTarget(element_id=reference, description=words)


def _referred(target: str, words: str | None) -> ActionTarget:
    if REF.fullmatch(target):
        return ActionTarget(element_id=target, description=words)
    return ActionTarget(selector=target, description=words)


_Read = Callable[[Fields], list[AgentAction]]


def _one(fields: Fields, verb: str, **given: Any) -> list[AgentAction]:
    return [build(NAME, fields.where, action_type=verb, **given)]


def _spot(fields: Fields, x: str = "x", y: str = "y") -> ActionTarget:
    fields.drop("element")  # older versions asked for words here too
    return at(fields.number(x), fields.number(y), "px", None, NAME, fields.where)


def _click(f: Fields) -> list[AgentAction]:
    count = 2 if f.flag("doubleClick", False) else 1
    modifiers = f.texts("modifiers", ())
    for n, name in enumerate(modifiers):
        if name not in MODIFIERS:
            f.refuse(f"modifiers[{n}]", f"one of {', '.join(MODIFIERS)} is needed, not {name[:40]!r}")
    return _one(f, "click", target=read_target(f), count=count, button=f.choice("button", BUTTONS, "left"), modifiers=modifiers)


def _click_xy(f: Fields) -> list[AgentAction]:
    count, delay = f.number("clickCount", 1, whole=True), f.number("delay", 0)
    button = f.choice("button", BUTTONS, "left")
    return _one(f, "click", target=_spot(f), button=button, count=count, hold=delay / 1000)


def _drag(f: Fields) -> list[AgentAction]:
    return _one(f, "drag", target=read_target(f, "start"), to=read_target(f, "end"))


def _drag_xy(f: Fields) -> list[AgentAction]:
    return _one(f, "drag", target=_spot(f, "startX", "startY"), to=_spot(f, "endX", "endY"))


def _type(f: Fields) -> list[AgentAction]:
    """Key by key where it is slow; otherwise the value is set at once."""
    verb = "type" if f.flag("slowly", False) else "fill"
    return _one(f, verb, target=read_target(f), text=f.text("text"), submit=f.flag("submit", False))


def _fields_of_a_form(f: Fields) -> list[AgentAction]:
    rows = f.any("fields")
    if not isinstance(rows, list) or not rows:
        f.refuse("fields", "a list of fields is needed")
    return [action for n, row in enumerate(rows) for action in _field(row, f"{f.where}.fields[{n}]")]


def _field(row: Any, where: str) -> list[AgentAction]:
    f = Fields(NAME, row, where)
    kind = f.choice("type", ("textbox", "slider", "combobox", "checkbox", "radio"))
    if kind in ("checkbox", "radio"):
        return _one(f, PREFIX + "fill_form", arguments={"fields": [row]})
    name = f.text("name", None)
    target = read_target(f)
    if target.description is None:
        target = target.model_copy(update={"description": name})
    value = f.text("value")
    f.end()
    if kind == "combobox":
        return _one(f, "select_option", target=target, options=(value,))
    return _one(f, "fill", target=target, text=value)


def _wait(f: Fields) -> list[AgentAction]:
    """Theirs waits for the time first and then for the texts, for as long as the server likes."""
    time, text, gone = f.number("time", None), f.text("text", None), f.text("textGone", None)
    if time is None and text is None and gone is None:
        f.refuse("", "one of time, text and textGone is needed")
    waits = [] if time is None else _one(f, "wait", seconds=time)
    if text is None and gone is None:
        return waits
    return [*waits, *_one(f, "wait", seconds=UNSAID_WAIT, text=text, text_gone=gone)]


def _tabs(op: str = "") -> _Read:
    def read(f: Fields) -> list[AgentAction]:
        wanted = op or f.choice("action", ("list", "new", "close", "select"))
        return _one(f, "tabs", op=wanted, index=f.number("index", None, whole=True), url=f.text("url", None))

    return read


def _screenshot(f: Fields) -> list[AgentAction]:
    """A plain picture of the page; one of an element or into a file is carried as it is."""
    plain = f.any("type", "png") == "png" and f.any("scale", "css") == "css" and f.any("fullPage", False) is False
    left = any(name in f for name in ("filename", "element", "target", "ref", "selector", "raw"))
    if not plain or left:
        return []
    f.end()
    return _one(f, "screenshot")


def _mouse(verb: str) -> _Read:
    return lambda f: _one(f, verb, button=f.choice("button", BUTTONS, "left"))


def _key(verb: str) -> _Read:
    def read(f: Fields) -> list[AgentAction]:
        keys = f.chord("key", "playwright")
        if len(keys) > 1:
            f.refuse("key", "one key is needed")
        return _one(f, verb, key=keys[0])

    return read


_READ: dict[str, _Read] = {
    "click": _click,
    "mouse_click_xy": _click_xy,
    "mouse_down": _mouse("mouse_down"),
    "mouse_up": _mouse("mouse_up"),
    "hover": lambda f: _one(f, "hover", target=read_target(f)),
    "mouse_move_xy": lambda f: _one(f, "hover", target=_spot(f)),
    "drag": _drag,
    "mouse_drag_xy": _drag_xy,
    "mouse_wheel": lambda f: _one(f, "scroll", unit="px", delta={"x": f.number("deltaX", 0), "y": f.number("deltaY", 0)}),
    "type": _type,
    "press_sequentially": lambda f: _one(f, "type", text=f.text("text"), submit=f.flag("submit", False)),
    "fill_form": _fields_of_a_form,
    "select_option": lambda f: _one(f, "select_option", target=read_target(f), options=f.texts("values")),
    "press_key": lambda f: _one(f, "press_key", keys=f.chord("key", "playwright")),
    "keydown": _key("key_down"),
    "keyup": _key("key_up"),
    "navigate": lambda f: _one(f, "navigate", url=f.text("url")),
    "navigate_back": lambda f: _one(f, "go_back"),
    "navigate_forward": lambda f: _one(f, "go_forward"),
    "wait_for": _wait,
    "tabs": _tabs(),
    "tab_list": _tabs("list"),
    "tab_new": _tabs("new"),
    "tab_close": _tabs("close"),
    "tab_select": _tabs("select"),
}
_SOMETIMES: dict[str, _Read] = {"take_screenshot": _screenshot}
"""Tools that are a verb of ours with some arguments, and are carried with others."""
