"""Examples are those of Google's documentation of the two sets of functions."""

from __future__ import annotations

from typing import Any

import pytest

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.vendors.gemini import DIALECT, from_gemini

HERE = Context()
NEW = Context(variant="3.5")


def at(x: int, y: int) -> dict[str, Any]:
    return {"point": {"x": x, "y": y, "space": "norm1000"}}


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
    said, losses = DIALECT.write(p.Click(target={"point": [1999, 999]}), Context(screen=(2000, 1000)))
    assert said["args"] == {"x": 999, "y": 999}
    assert [loss.what for loss in losses] == ["target.point"]


def test_the_magnitude_of_a_scroll_is_a_share_of_the_screen() -> None:
    call = {"name": "scroll_at", "args": {"x": 1, "y": 2, "direction": "up", "magnitude": 250}}
    (action,) = from_gemini(call, HERE).actions
    assert action == p.Scroll(target=at(1, 2), delta=p.Delta(y=-0.25), unit="page")
    notches = DIALECT.write(p.Scroll(target=at(1, 2), delta=p.Delta(y=2)), HERE)
    assert notches.payload["args"]["magnitude"] == 300, "240 of 800 pixels"
    assert [loss.what for loss in notches.losses] == ["scroll.unit"]


def test_a_scroll_of_the_document_says_no_amount() -> None:
    actions, losses = from_gemini({"name": "scroll_document", "args": {"direction": "down"}}, HERE)
    assert actions == [p.Scroll(delta=p.Delta(y=1), unit="page")]
    assert losses == [Loss(what="scroll.delta", why="how far is not said; taken as a page")]
    said, losses = DIALECT.write(p.Scroll(delta=p.Delta(y=-2.2), unit="page"), HERE)
    assert said == [{"name": "scroll_document", "args": {"direction": "up"}}] * 2
    assert [loss.what for loss in losses] == ["scroll", "scroll.delta"]


def test_the_desktop_says_notches() -> None:
    call = {"name": "scroll", "args": {"x": 1, "y": 2, "direction": "down", "magnitude_in_wheel_clicks": 3}}
    assert from_gemini(call, NEW).actions == [p.Scroll(target=at(1, 2), delta=p.Delta(y=3))]


def test_a_wait_is_a_wait_of_five_seconds_or_several() -> None:
    assert DIALECT.write(p.Wait(seconds=5), HERE) == ({"name": "wait_5_seconds", "args": {}}, [])
    said, losses = DIALECT.write(p.Wait(seconds=12), HERE)
    assert len(said) == 3
    assert [loss.what for loss in losses] == ["wait"]
    assert DIALECT.write(p.Wait(seconds=1.5), NEW).payload["args"] == {"seconds": 2}


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
    with pytest.raises(DialectError, match="gemini has no"):
        DIALECT.write(first, HERE)


def test_an_action_that_is_allowed_is_only_the_action() -> None:
    args = {"safety_decision": {"decision": "regular"}}
    assert from_gemini({"name": "go_back", "args": args}, HERE) == ([p.GoBack()], [])


def test_an_action_that_the_service_blocks_is_no_action() -> None:
    args = {"safety_decision": {"decision": "block", "explanation": "No."}}
    with pytest.raises(DialectError, match="blocked this action: No"):
        from_gemini({"name": "go_back", "args": args}, HERE)


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
