"""The MCP SDK and the parameters that Playwright's server lists judge what is written for it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from mcp.types import CallToolRequest
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.playwright.playwright_mcp import CARRIED, DIALECT, SKILL_ONLY, from_playwright_mcp

HERE = Context()
CLI = Context(variant="cli")
REF = {"element_id": "e12"}
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


SAID_BY_CLI: list[tuple[dict[str, Any], p.AgentAction]] = [
    (call("press_sequentially", text="Ada", submit=True), p.Type(text="Ada", submit=True)),
    (call("keydown", key="Shift"), p.KeyDown(key="Shift")),
    (call("keyup", key="Shift"), p.KeyUp(key="Shift")),
    (call("navigate_forward"), p.GoForward()),
    (call("reload"), p.Extension(action_type="x-playwright_mcp.reload")),
]


def read(payload: Any) -> list[p.AgentAction]:
    return from_playwright_mcp(payload, HERE).actions


@pytest.mark.parametrize(("payload", "action"), SAID_BY_CLI)
def test_tools_of_the_command_line_are_read_and_only_said_to_it(payload: Any, action: p.AgentAction) -> None:
    assert from_playwright_mcp(payload, HERE) == ([action], [])
    assert DIALECT.write(action, CLI) == (payload, [])
    with pytest.raises(DialectError, match="cli"):
        DIALECT.write(action, HERE)


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
    assert DIALECT.write(box, HERE) == (call("fill_form", fields=fields[2:3]), [])


def test_an_id_that_is_no_reference_goes_by_the_older_name() -> None:
    """As `target` it would be a selector."""
    click = p.Click(target={"element_id": "12"})
    assert DIALECT.write(click, HERE) == (call("click", ref="12"), [])
    assert read(call("click", ref="12")) == [click]
    assert read(call("click", target="12")) == [p.Click(target={"selector": "12"})]


def test_a_selector_that_looks_like_a_reference_is_told_apart() -> None:
    written = DIALECT.write(p.Click(target={"selector": "e12"}), HERE)
    assert written == (call("click", target="css=e12"), [Loss(what="target.selector", why="said otherwise")])


def test_names_are_found_on_the_state_and_the_loss_is_declared() -> None:
    written = DIALECT.write(p.Fill(target={"text": "Name"}, text="Ada"), SEEN)
    assert written == (call("type", target="e1", text="Ada"), [Loss(what="target.text", why="only the element of it is said")])
    with pytest.raises(DialectError, match="without a state 'Name' has none"):
        DIALECT.write(p.Hover(target={"text": "Name"}), HERE)


def test_a_reference_of_another_state_is_stale_unless_something_outlives_it() -> None:
    stale = {"element_id": "e9", "state_id": "another"}
    with pytest.raises(DialectError, match="observe again"):
        DIALECT.write(p.Click(target=stale), SEEN)
    assert DIALECT.write(p.Click(target=stale | {"text": "Save"}), SEEN).payload == call("click", target="e2")


def test_a_long_or_triple_click_on_an_element_is_done_at_its_place() -> None:
    written = DIALECT.write(p.Click(target={"element_id": "e2"}, count=3), SEEN)
    assert written.payload == call("mouse_click_xy", x=50, y=10, clickCount=3)
    assert [loss.what for loss in written.losses] == ["target.element_id"]


def test_an_upload_opens_the_chooser_first() -> None:
    written = DIALECT.write(p.Upload(target=REF, files=("a.txt",)), HERE)
    assert written.payload == [call("click", target="e12"), call("file_upload", paths=["a.txt"])]
    assert [loss.what for loss in written.losses] == ["upload"]


def test_a_held_key_comes_up_again() -> None:
    written = DIALECT.write(p.HoldKey(keys=("Shift", "a"), seconds=1), CLI)
    assert [one["name"].removeprefix("browser_") for one in written.payload] == [
        "keydown",
        "keydown",
        "wait_for",
        "keyup",
        "keyup",
    ]


@given(action=every_action)
def test_only_listed_tools_and_parameters_are_written(action: p.Action) -> None:
    for context in (HERE, CLI, SEEN):
        try:
            payload = DIALECT.write(action, context).payload
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
    assert DIALECT.write(action, CLI) == (payload, [])
