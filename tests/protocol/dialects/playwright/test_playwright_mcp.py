"""The MCP SDK and the parameters that Playwright's server lists judge what is written for it."""

from typing import Any

import pytest
from hypothesis import given
from mcp.types import CallToolRequest
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError
from protocol.dialects.playwright.playwright_mcp import CARRIED, DIALECT, SKILL_ONLY

HERE = Context()
CLI = Context(variant="cli")
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


def read(payload: Any) -> list[p.AgentAction]:
    return DIALECT.read(payload, HERE).actions


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
