"""The MCP SDK and the parameters that Playwright's server lists judge what is written for it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from mcp.types import CallToolRequest
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.playwright.playwright_mcp import CARRIED, SKILL_ONLY, from_playwright_mcp, to_playwright_mcp

HERE = Context()
CLI = Context(variant="cli")
REF = {"element_id": "e12"}
SAVE = {"element_id": "e12", "description": "Save button"}
FRAMED = {"element_id": "f1e2"}
CSS = {"selector": "#save"}
AT = {"point": [10, 20]}
ELEMENTS = (
    p.GUIElement(element_id="e1", text="Name", role="textbox", bbox=p.BoundingBox(x1=0, y1=0, x2=20, y2=20), track_id="t1"),
    p.GUIElement(element_id="e2", text="Save", role="button", bbox=p.BoundingBox(x1=40, y1=0, x2=60, y2=20)),
)
SEEN = Context(state=p.VisualState(elements=ELEMENTS))

# README of microsoft/playwright-mcp: the parameters of each tool, the optional ones with a question mark
LISTED = {
    "browser_click": "element? target doubleClick? button? modifiers?",
    "browser_drag": "startElement? startTarget endElement? endTarget",
    "browser_file_upload": "paths?",
    "browser_hover": "element? target",
    "browser_navigate": "url",
    "browser_navigate_back": "",
    "browser_press_key": "key",
    "browser_select_option": "element? target values",
    "browser_take_screenshot": "element? target? type? filename? fullPage? scale?",
    "browser_type": "element? target text submit? slowly?",
    "browser_wait_for": "time? text? textGone?",
    "browser_tabs": "action index? url?",
    "browser_mouse_click_xy": "x y button? clickCount? delay?",
    "browser_mouse_down": "button?",
    "browser_mouse_up": "button?",
    "browser_mouse_drag_xy": "startX startY endX endY",
    "browser_mouse_move_xy": "x y",
    "browser_mouse_wheel": "deltaX deltaY",
    # of the command line only
    "browser_navigate_forward": "",
    "browser_press_sequentially": "text submit?",
    "browser_keydown": "key",
    "browser_keyup": "key",
}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"name": f"browser_{tool}", "arguments": arguments}


SAID: list[tuple[dict[str, Any], p.AgentAction]] = [
    (call("click", target="e12"), p.Click(target=REF)),
    (call("click", target="e12", element="Save button"), p.Click(target=SAVE)),
    (call("click", target="f1e2", doubleClick=True), p.Click(target=FRAMED, count=2)),
    (
        call("click", target="#save", button="right", modifiers=["ControlOrMeta", "Shift"]),
        p.Click(target=CSS, button="right", modifiers=("ControlOrMeta", "Shift")),
    ),
    (call("mouse_click_xy", x=10, y=20), p.Click(target=AT)),
    (
        call("mouse_click_xy", x=10, y=20, button="middle", clickCount=3, delay=1500.0),
        p.Click(target=AT, button="middle", count=3, hold=1.5),
    ),
    (call("mouse_down"), p.MouseDown()),
    (call("mouse_up", button="right"), p.MouseUp(button="right")),
    (call("hover", target="e12"), p.Hover(target=REF)),
    (call("mouse_move_xy", x=10, y=20), p.Hover(target=AT)),
    (
        call("drag", startTarget="e12", startElement="Save button", endTarget="f1e2"),
        p.Drag(target=SAVE, to=FRAMED),
    ),
    (call("mouse_drag_xy", startX=10, startY=20, endX=30, endY=40), p.Drag(target=AT, to={"point": [30, 40]})),
    (call("mouse_wheel", deltaX=0, deltaY=240), p.Scroll(delta=p.Delta(y=240), unit="px")),
    (call("type", target="e12", text="Ada"), p.Fill(target=REF, text="Ada")),
    (call("type", target="e12", text="Ada", submit=True), p.Fill(target=REF, text="Ada", submit=True)),
    (call("type", target="e12", text="Ada", slowly=True), p.Type(target=REF, text="Ada")),
    (call("select_option", target="e12", values=["a", "b"]), p.SelectOption(target=REF, options=("a", "b"))),
    (call("press_key", key="Control+Shift+t"), p.PressKey(keys=("Control", "Shift", "t"))),
    (call("press_key", key="Control++"), p.PressKey(keys=("Control", "+"))),
    (call("navigate", url="https://example.org"), p.Navigate(url="https://example.org")),
    (call("navigate_back"), p.GoBack()),
    (call("tabs", action="list"), p.Tabs(op="list")),
    (call("tabs", action="new", url="https://example.org"), p.Tabs(op="new", url="https://example.org")),
    (call("tabs", action="select", index=2), p.Tabs(op="select", index=2)),
    (call("tabs", action="close"), p.Tabs(op="close")),
    (call("wait_for", time=2.0), p.Wait(seconds=2.0)),
    (call("wait_for", text="Saved"), p.Wait(seconds=30.0, text="Saved")),
    (call("wait_for", textGone="Loading"), p.Wait(seconds=30.0, text_gone="Loading")),
    (call("take_screenshot"), p.Screenshot()),
    (
        call("handle_dialog", accept=True, promptText="Ada"),
        p.Extension(action_type="x-playwright_mcp.handle_dialog", arguments={"accept": True, "promptText": "Ada"}),
    ),
    (
        call("evaluate", function="() => document.title", target="e2"),
        p.Extension(action_type="x-playwright_mcp.evaluate", arguments={"function": "() => document.title", "target": "e2"}),
    ),
    (call("snapshot"), p.Extension(action_type="x-playwright_mcp.snapshot")),
    (
        call("take_screenshot", filename="page.png"),
        p.Extension(action_type="x-playwright_mcp.take_screenshot", arguments={"filename": "page.png"}),
    ),
]
SAID_BY_CLI: list[tuple[dict[str, Any], p.AgentAction]] = [
    (call("press_sequentially", text="Ada", submit=True), p.Type(text="Ada", submit=True)),
    (call("keydown", key="Shift"), p.KeyDown(key="Shift")),
    (call("keyup", key="Shift"), p.KeyUp(key="Shift")),
    (call("navigate_forward"), p.GoForward()),
    (call("reload"), p.Extension(action_type="x-playwright_mcp.reload")),
]


def read(payload: Any) -> list[p.AgentAction]:
    return from_playwright_mcp(payload, HERE).actions


@pytest.mark.parametrize(("payload", "action"), SAID)
def test_each_tool_is_said_and_understood(payload: Any, action: p.AgentAction) -> None:
    assert from_playwright_mcp(payload, HERE) == ([action], [])
    assert to_playwright_mcp(action, HERE) == (payload, [])


@pytest.mark.parametrize(("payload", "action"), SAID_BY_CLI)
def test_tools_of_the_command_line_are_read_and_only_said_to_it(payload: Any, action: p.AgentAction) -> None:
    assert from_playwright_mcp(payload, HERE) == ([action], [])
    assert to_playwright_mcp(action, CLI) == (payload, [])
    with pytest.raises(DialectError, match="cli"):
        to_playwright_mcp(action, HERE)


@pytest.mark.parametrize(
    ("payload", "actions"),
    [
        (call("click", element="Save button", ref="e12"), [p.Click(target=SAVE)]),
        (call("click", element="Save button", ref="s1e12"), [p.Click(target=SAVE | {"element_id": "s1e12"})]),
        (call("click", selector="#save"), [p.Click(target=CSS)]),
        (call("drag", startElement="a", startRef="e1", endElement="b", endRef="e2"), [
            p.Drag(target={"element_id": "e1", "description": "a"}, to={"element_id": "e2", "description": "b"})
        ]),
        (call("mouse_click_xy", element="Save", x=10, y=20), [p.Click(target=AT)]),
        (call("mouse_wheel", deltaY=-120), [p.Scroll(delta=p.Delta(y=-120), unit="px")]),
        (call("tab_select", index=1), [p.Tabs(op="select", index=1)]),
        (call("tab_new", url="https://a.example"), [p.Tabs(op="new", url="https://a.example")]),
        (call("wait_for", time=1, text="Saved"), [p.Wait(seconds=1.0), p.Wait(seconds=30.0, text="Saved")]),
        (call("take_screenshot", type="png"), [p.Screenshot()]),
        ({"name": "browser_navigate_back"}, [p.GoBack()]),
        (
            {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call("click", target="e12") | {"_meta": {}}},
            [p.Click(target=REF)],
        ),
        ([call("click", target="e12"), call("navigate_back")], [p.Click(target=REF), p.GoBack()]),
    ],
)  # fmt: skip
def test_older_names_and_whole_requests_are_read(payload: Any, actions: list[p.AgentAction]) -> None:
    assert read(payload) == actions


def test_a_form_is_filled_field_by_field() -> None:
    fields = [
        {"name": "Name", "type": "textbox", "target": "e1", "value": "Ada"},
        {"name": "Colour", "type": "combobox", "ref": "e2", "value": "Red"},
        {"name": "Agree", "type": "checkbox", "target": "e3", "value": "true"},
        {"element": "Volume", "name": "Volume", "type": "slider", "target": "#volume", "value": "7"},
    ]
    assert read(call("fill_form", fields=fields)) == [
        p.Fill(target={"element_id": "e1", "description": "Name"}, text="Ada"),
        p.SelectOption(target={"element_id": "e2", "description": "Colour"}, options=("Red",)),
        p.Extension(action_type="x-playwright_mcp.fill_form", arguments={"fields": [fields[2]]}),
        p.Fill(target={"selector": "#volume", "description": "Volume"}, text="7"),
    ]
    (box,) = read(call("fill_form", fields=fields[2:3]))
    assert to_playwright_mcp(box, HERE) == (call("fill_form", fields=fields[2:3]), [])


def test_an_id_that_is_no_reference_goes_by_the_older_name() -> None:
    """As `target` it would be a selector."""
    click = p.Click(target={"element_id": "12"})
    assert to_playwright_mcp(click, HERE) == (call("click", ref="12"), [])
    assert read(call("click", ref="12")) == [click]
    assert read(call("click", target="12")) == [p.Click(target={"selector": "12"})]


def test_a_selector_that_looks_like_a_reference_is_told_apart() -> None:
    written = to_playwright_mcp(p.Click(target={"selector": "e12"}), HERE)
    assert written == (call("click", target="css=e12"), [Loss(what="target.selector", why="only the reference is said")])


def test_names_are_found_on_the_state_and_the_loss_is_declared() -> None:
    written = to_playwright_mcp(p.Fill(target={"text": "Name"}, text="Ada"), SEEN)
    assert written == (call("type", target="e1", text="Ada"), [Loss(what="target.text", why="only the reference is said")])
    with pytest.raises(DialectError, match="without a state 'Name' has none"):
        to_playwright_mcp(p.Hover(target={"text": "Name"}), HERE)


def test_a_reference_of_another_state_is_stale_unless_something_outlives_it() -> None:
    stale = {"element_id": "e9", "state_id": "another"}
    with pytest.raises(DialectError, match="observe again"):
        to_playwright_mcp(p.Click(target=stale), SEEN)
    assert to_playwright_mcp(p.Click(target=stale | {"text": "Save"}), SEEN).payload == call("click", target="e2")


def test_a_long_or_triple_click_on_an_element_is_done_at_its_place() -> None:
    written = to_playwright_mcp(p.Click(target={"element_id": "e2"}, count=3), SEEN)
    assert written.payload == call("mouse_click_xy", x=50, y=10, clickCount=3)
    assert [loss.what for loss in written.losses] == ["target.element_id"]


def test_an_upload_opens_the_chooser_first() -> None:
    written = to_playwright_mcp(p.Upload(target=REF, files=("a.txt",)), HERE)
    assert written.payload == [call("click", target="e12"), call("file_upload", paths=["a.txt"])]
    assert [loss.what for loss in written.losses] == ["upload.target"]


def test_a_held_key_comes_up_again() -> None:
    written = to_playwright_mcp(p.HoldKey(keys=("Shift", "a"), seconds=1), CLI)
    assert [one["name"].removeprefix("browser_") for one in written.payload] == [
        "keydown",
        "keydown",
        "wait_for",
        "keyup",
        "keyup",
    ]


@given(action=every_action)
@settings(max_examples=3 * settings.default.max_examples)
def test_only_listed_tools_and_parameters_are_written(action: p.Action) -> None:
    for context in (HERE, CLI, SEEN):
        try:
            payload = to_playwright_mcp(action, context).payload
        except DialectError:
            continue
        for one in payload if isinstance(payload, list) else [payload]:
            request = CallToolRequest.model_validate({"method": "tools/call", "params": one})
            assert request.params.arguments == one["arguments"]
            listed = LISTED[one["name"]].split()
            needed = {name for name in listed if "?" not in name}
            given_names = {name.replace("Ref", "Target").replace("ref", "target") for name in one["arguments"]}
            assert needed <= given_names <= {name.strip("?") for name in listed}
            assert context is CLI or one["name"] not in SKILL_ONLY


@pytest.mark.parametrize("tool", sorted(CARRIED))
def test_every_other_tool_is_carried_whole_and_never_run(tool: str) -> None:
    payload = call(tool, filename="x", text="y")
    action = p.Extension(action_type=f"x-playwright_mcp.{tool}", arguments=payload["arguments"])
    if tool == "fill_form":
        return  # a tool of ours, but for its boxes
    assert read(payload) == [action]
    assert to_playwright_mcp(action, CLI) == (payload, [])
