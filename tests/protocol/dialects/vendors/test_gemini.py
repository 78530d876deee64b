"""Examples are those of Google's documentation of the two sets of functions."""

from __future__ import annotations

from typing import Any

import pytest

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.vendors.gemini import from_gemini, to_gemini

HERE = Context()
NEW = Context(variant="3.5")


def at(x: int, y: int) -> dict[str, Any]:
    return {"point": {"x": x, "y": y, "space": "norm1000"}}


OLD_SAID = [
    ("click_at", {"y": 300, "x": 500}, p.Click(target=at(500, 300))),
    ("hover_at", {"y": 150, "x": 250}, p.Hover(target=at(250, 150))),
    (
        "type_text_at",
        {"y": 250, "x": 400, "text": "search query", "press_enter": False, "clear_before_typing": True},
        p.Fill(text="search query", target=at(400, 250)),
    ),
    (
        "type_text_at",
        {"y": 250, "x": 400, "text": "more", "press_enter": True, "clear_before_typing": False},
        p.Type(text="more", target=at(400, 250), submit=True),
    ),
    ("key_combination", {"keys": "Control+A"}, p.PressKey(keys=("Control", "A"))),
    ("key_combination", {"keys": "Enter"}, p.PressKey(keys=("Enter",))),
    ("key_combination", {"keys": "Control+add"}, p.PressKey(keys=("Control", "+"))),
    (
        "scroll_at",
        {"y": 500, "x": 500, "direction": "down", "magnitude": 400},
        p.Scroll(target=at(500, 500), delta=p.Delta(y=0.4), unit="page"),
    ),
    (
        "scroll_at",
        {"y": 500, "x": 500, "direction": "left", "magnitude": 800},
        p.Scroll(target=at(500, 500), delta=p.Delta(x=-0.8), unit="page"),
    ),
    (
        "drag_and_drop",
        {"y": 100, "x": 100, "destination_y": 500, "destination_x": 600},
        p.Drag(target=at(100, 100), to=at(600, 500)),
    ),
    ("navigate", {"url": "https://www.wikipedia.org"}, p.Navigate(url="https://www.wikipedia.org")),
    ("go_back", {}, p.GoBack()),
    ("go_forward", {}, p.GoForward()),
    ("open_web_browser", {}, p.Extension(action_type="x-gemini.open_web_browser")),
    ("search", {}, p.Extension(action_type="x-gemini.search")),
]
NEW_SAID = [
    ("click", {"y": 300, "x": 500}, p.Click(target=at(500, 300))),
    ("double_click", {"y": 300, "x": 500}, p.Click(target=at(500, 300), count=2)),
    ("triple_click", {"y": 300, "x": 500}, p.Click(target=at(500, 300), count=3)),
    ("middle_click", {"y": 300, "x": 500}, p.Click(target=at(500, 300), button="middle")),
    ("right_click", {"y": 300, "x": 500}, p.Click(target=at(500, 300), button="right")),
    ("long_press", {"y": 300, "x": 500, "seconds": 2}, p.Click(target=at(500, 300), hold=2)),
    ("move", {"y": 300, "x": 500}, p.Hover(target=at(500, 300))),
    ("mouse_down", {"y": 300, "x": 500}, p.MouseDown(target=at(500, 300))),
    ("mouse_up", {"y": 300, "x": 500}, p.MouseUp(target=at(500, 300))),
    ("type", {"text": "a", "press_enter": True}, p.Type(text="a", submit=True)),
    ("type", {"text": "a", "press_enter": False}, p.Type(text="a")),
    (
        "drag_and_drop",
        {"start_y": 100, "start_x": 150, "end_y": 500, "end_x": 600},
        p.Drag(target=at(150, 100), to=at(600, 500)),
    ),
    ("wait", {"seconds": 7}, p.Wait(seconds=7)),
    ("press_key", {"key": "Enter"}, p.PressKey(keys=("Enter",))),
    ("hotkey", {"keys": ["Control", "c"]}, p.PressKey(keys=("Control", "c"))),
    ("key_down", {"key": "Shift"}, p.KeyDown(key="Shift")),
    ("key_up", {"key": "Shift"}, p.KeyUp(key="Shift")),
    ("take_screenshot", {}, p.Screenshot()),
    (
        "scroll",
        {"y": 500, "x": 500, "direction": "up", "magnitude_in_pixels": 300},
        p.Scroll(target=at(500, 500), delta=p.Delta(y=-300), unit="px"),
    ),
    ("navigate", {"url": "https://www.wikipedia.org"}, p.Navigate(url="https://www.wikipedia.org")),
    ("go_back", {}, p.GoBack()),
    ("go_forward", {}, p.GoForward()),
    ("open_app", {"app_name": "Mail"}, p.LaunchApp(app="Mail")),
    ("list_apps", {}, p.Extension(action_type="x-gemini.list_apps")),
]
SAID = [(*each, HERE) for each in OLD_SAID] + [(*each, NEW) for each in NEW_SAID]


@pytest.mark.parametrize(("name", "args", "action", "context"), SAID, ids=lambda value: value if isinstance(value, str) else "")
def test_every_function_is_the_same_in_both_directions(
    name: str, args: dict[str, Any], action: p.Action, context: Context
) -> None:
    call = {"name": name, "args": args}
    for variant in (HERE, NEW):
        assert from_gemini(call, variant) == ([action], []), "no name has two meanings"
    assert to_gemini(action, context) == (call, [])


def test_defaults_are_those_of_the_documentation() -> None:
    """Google's own sample code leaves Enter out; its documentation presses it."""
    (typed,) = from_gemini({"name": "type_text_at", "args": {"x": 1, "y": 2, "text": "a"}}, HERE).actions
    assert typed == p.Fill(text="a", target=at(1, 2), submit=True)
    assert from_gemini({"name": "type", "args": {"text": "a"}}, NEW).actions == [p.Type(text="a")]
    assert from_gemini({"name": "wait", "args": {}}, NEW).actions == [p.Wait(seconds=1)]
    assert from_gemini({"name": "long_press", "args": {"x": 1, "y": 2}}, NEW).actions == [p.Click(target=at(1, 2), hold=2)]
    (scroll,) = from_gemini({"name": "scroll_at", "args": {"x": 1, "y": 2, "direction": "down"}}, HERE).actions
    assert scroll == p.Scroll(target=at(1, 2), delta=p.Delta(y=0.8), unit="page")
    (scroll,) = from_gemini({"name": "scroll", "args": {"x": 1, "y": 2, "direction": "right"}}, NEW).actions
    assert scroll == p.Scroll(target=at(1, 2), delta=p.Delta(x=300), unit="px")


def test_the_grid_ends_at_999_and_is_divided_by_1000() -> None:
    (action,) = from_gemini({"name": "click_at", "args": {"x": 999, "y": 500}}, Context(screen=(2000, 1000))).actions
    assert action.target.point.to_px((2000, 1000)) == (1998, 500)
    said, losses = to_gemini(p.Click(target={"point": [1999, 999]}), Context(screen=(2000, 1000)))
    assert said["args"] == {"x": 999, "y": 999}
    assert [loss.what for loss in losses] == ["target.point"]


def test_the_magnitude_of_a_scroll_is_a_share_of_the_screen() -> None:
    call = {"name": "scroll_at", "args": {"x": 1, "y": 2, "direction": "up", "magnitude": 250}}
    (action,) = from_gemini(call, HERE).actions
    assert action == p.Scroll(target=at(1, 2), delta=p.Delta(y=-0.25), unit="page")
    notches = to_gemini(p.Scroll(target=at(1, 2), delta=p.Delta(y=2)), HERE)
    assert notches.payload["args"]["magnitude"] == 300, "240 of 800 pixels"
    assert [loss.what for loss in notches.losses] == ["scroll.unit"]


def test_a_scroll_of_the_document_says_no_amount() -> None:
    actions, losses = from_gemini({"name": "scroll_document", "args": {"direction": "down"}}, HERE)
    assert actions == [p.Scroll(delta=p.Delta(y=1), unit="page")]
    assert losses == [Loss(what="scroll.delta", why="how far is not said; taken as a page")]
    said, losses = to_gemini(p.Scroll(delta=p.Delta(y=-2.2), unit="page"), HERE)
    assert said == [{"name": "scroll_document", "args": {"direction": "up"}}] * 2
    assert {loss.what for loss in losses} == {"scroll.delta"}


def test_the_desktop_says_notches() -> None:
    call = {"name": "scroll", "args": {"x": 1, "y": 2, "direction": "down", "magnitude_in_wheel_clicks": 3}}
    assert from_gemini(call, NEW).actions == [p.Scroll(target=at(1, 2), delta=p.Delta(y=3))]


def test_a_wait_is_a_wait_of_five_seconds_or_several() -> None:
    assert to_gemini(p.Wait(seconds=5), HERE) == ({"name": "wait_5_seconds", "args": {}}, [])
    said, losses = to_gemini(p.Wait(seconds=12), HERE)
    assert len(said) == 3
    assert [loss.what for loss in losses] == ["wait.seconds"]
    assert to_gemini(p.Wait(seconds=1.5), NEW).payload["args"] == {"seconds": 2}


def test_calls_come_in_parts_and_with_words() -> None:
    parts = [
        {"text": "I click the button."},
        {"function_call": {"name": "click_at", "args": {"x": 1, "y": 2}}, "thought_signature": "abc"},
        {"functionCall": {"name": "go_back"}},
        {"type": "function_call", "id": "1", "name": "go_forward", "arguments": {"intent": "Going on."}},
    ]
    actions, losses = from_gemini(parts, HERE)
    assert [action.verb for action in actions] == ["click", "go_back", "go_forward"]
    assert [loss.what for loss in losses] == ["words", "intent"]


def test_a_confirmation_comes_before_the_action() -> None:
    """Whoever performs actions stops at it: no environment knows the verb."""
    safety = {"explanation": "This is a CAPTCHA.", "decision": "require_confirmation"}
    call = {"name": "click_at", "args": {"x": 60, "y": 100, "safety_decision": safety}}
    first, second = from_gemini(call, HERE).actions
    assert first == p.Extension(action_type="x-gemini.safety_decision", arguments=safety)
    assert second == p.Click(target=at(60, 100))
    with pytest.raises(DialectError, match="only the service makes a safety decision"):
        to_gemini(first, HERE)


def test_an_action_that_is_allowed_is_only_the_action() -> None:
    args = {"safety_decision": {"decision": "regular"}}
    assert from_gemini({"name": "go_back", "args": args}, HERE) == ([p.GoBack()], [])


def test_an_action_that_the_service_blocks_is_no_action() -> None:
    args = {"safety_decision": {"decision": "block", "explanation": "No."}}
    with pytest.raises(DialectError, match="blocked this action: No"):
        from_gemini({"name": "go_back", "args": args}, HERE)


SPLIT = [
    (p.Click(target=at(1, 2), count=2), HERE, ["click_at"] * 2, "click.count"),
    (p.Click(target=at(1, 2), modifiers=("Shift",)), HERE, ["click_at"], "click.modifiers"),
    (p.Click(target=at(1, 2), hold=1), HERE, ["click_at"], "click.hold"),
    (p.Click(target=at(1, 2), hold=1.5), NEW, ["long_press"], "click.hold"),
    (p.PressKey(keys=("a",), target=at(1, 2)), HERE, ["click_at", "key_combination"], "press_key.target"),
    (p.Type(text="a", target=at(1, 2), submit=True), NEW, ["click", "type"], "type.target"),
    (p.Fill(text="a", target=at(1, 2)), NEW, ["click", "hotkey", "press_key", "type"], "fill"),
    (p.HoldKey(keys=("Shift", "a"), seconds=2), NEW, ["key_down", "key_down", "wait", "key_up", "key_up"], "hold_key"),
    (p.HoldKey(keys=("a",), seconds=2), HERE, ["key_combination"], "hold_key.seconds"),
    (p.Scroll(delta=p.Delta(y=5), unit="px"), NEW, ["scroll"], "scroll.target"),
    (p.Scroll(delta=p.Delta(y=1500), unit="px", target=at(1, 2)), NEW, ["scroll"] * 2, "scroll.delta"),
    (p.Scroll(delta=p.Delta(x=5, y=5), unit="px", target=at(1, 2)), NEW, ["scroll"] * 2, "scroll.delta"),
    (p.Drag(target=at(1, 2), to=at(3, 4), path=[[5, 5]]), HERE, ["drag_and_drop"], "drag.path"),
    (p.Screenshot(region=[1, 2, 3, 4]), NEW, ["take_screenshot"], "screenshot.region"),
]


@pytest.mark.parametrize(("action", "context", "names", "lost"), SPLIT, ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_said_otherwise_is_declared(action: p.Action, context: Context, names: list[str], lost: str) -> None:
    said, losses = to_gemini(action, context)
    assert [call["name"] for call in (said if isinstance(said, list) else [said])] == names
    assert [loss.what for loss in losses] == [lost]


@pytest.mark.parametrize("call", [{"functionCall": {"name": "go_back"}}, {"function_call": {"name": "go_back", "args": {}}}])
def test_a_message_and_a_response_are_read_with_their_calls(call: dict[str, Any]) -> None:
    content = {"role": "model", "parts": [{"text": "Back."}, call]}
    for payload in (content, {"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": {}}):
        read = from_gemini(payload, HERE)
        assert read.actions == [p.GoBack()]
        assert [loss.what for loss in read.losses] == ["words"]
    answer = {"role": "user", "parts": [{"functionResponse": {"name": "go_back", "response": {}}}]}
    assert from_gemini([answer, content], HERE).actions == [p.GoBack()]
    with pytest.raises(DialectError) as refused:
        from_gemini({"role": "model", "parts": [{"functionCall": {"name": "dance"}}]}, HERE)
    assert refused.value.where == "$.parts[0].functionCall.name"
