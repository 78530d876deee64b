"""OpenAI's own SDK judges every action and every call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from openai.types.responses import ResponseComputerToolCall
from openai.types.responses.computer_action import ComputerAction
from pydantic import TypeAdapter
from written.actions import every_action
from written.dialect_cases import pairs

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.vendors.anthropic import DIALECT as ANTHROPIC
from protocol.dialects.vendors.anthropic import from_anthropic
from protocol.dialects.vendors.openai import DIALECT as OPENAI
from protocol.dialects.vendors.openai import from_openai

HERE = Context()
SINGLE = Context(variant="single")
PICTURE = Context(screen=(1920, 1080), image=(960, 540))
AT = {"point": [10, 20]}
JUDGE: TypeAdapter[Any] = TypeAdapter(ComputerAction)
CALL: TypeAdapter[Any] = TypeAdapter(ResponseComputerToolCall)


def batch(*actions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "computer_call", "actions": list(actions)}


@pytest.mark.parametrize(("said", "action"), pairs("openai"))
def test_an_action_may_stand_alone_and_in_a_call_of_the_older_tool(said: dict[str, Any], action: p.Action) -> None:
    (alone,) = said["actions"]
    call = {"type": "computer_call", "action": alone}
    assert from_openai(alone, HERE) == from_openai(call, HERE) == ([action], [])
    assert OPENAI.write(action, SINGLE) == (call, [])


@given(action=every_action)
def test_the_sdk_takes_every_action_that_is_written(action: p.Action) -> None:
    try:
        written = OPENAI.write(action, HERE).payload
    except DialectError:
        return
    for said in written["actions"]:
        checked = JUDGE.validate_python(said, strict=True)
        assert checked.model_dump(exclude_none=True) == said, "the SDK does not know a field"
    CALL.validate_python({**written, "id": "cu_1", "call_id": "call_1", "status": "completed", "pending_safety_checks": []})


def test_a_call_as_the_sdk_gives_it_is_read() -> None:
    call = CALL.validate_python(
        {
            "type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed", "pending_safety_checks": [],
            "actions": [{"type": "double_click", "x": 1, "y": 2, "keys": None}, {"type": "type", "text": "a"}],
        }
    )  # fmt: skip
    actions, losses = from_openai([{"type": "reasoning", "id": "rs_1", "summary": []}, call.model_dump()], HERE)
    assert actions == [p.Click(target={"point": [1, 2]}, count=2), p.Type(text="a")]
    assert losses == [Loss(what="words", why="words beside a call are no action")]


def test_a_whole_response_is_read_with_the_words_beside_its_calls() -> None:
    call = {"type": "computer_call", "status": "completed", "action": {"type": "drag", "path": [[10, 20], [300, 400]]}}
    words = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I move it."}]}
    read = from_openai({"id": "resp_1", "model": "m", "output": [words, call], "usage": {"total_tokens": 3}}, HERE)
    assert read.actions == [p.Drag(target=AT, to={"point": [300, 400]})]
    assert [loss.what for loss in read.losses] == ["words"]
    with pytest.raises(DialectError) as refused:
        from_openai({"output": [words, {**call, "action": {"type": "clik"}}]}, HERE)
    assert refused.value.where == "$.output[1].action.type"


@pytest.mark.parametrize(
    ("said", "meant"),
    [(["CTRL", "L"], ("Control", "l")), (["CMD", "A"], ("Meta", "a")), (["CTRL", "SHIFT", "T"], ("Control", "Shift", "T")),
     (["A"], ("A",)), (["SHIFT", "A"], ("Shift", "A")), (["ALT", "ENTER"], ("Alt", "Enter"))],
)  # fmt: skip
def test_letters_of_a_shortcut_are_keys_and_no_capitals(said: list[str], meant: tuple[str, ...]) -> None:
    assert from_openai({"type": "keypress", "keys": said}, HERE).actions == [p.PressKey(keys=meant)]


def test_a_capital_in_a_shortcut_is_a_loss_when_it_is_written() -> None:
    assert [loss.what for loss in OPENAI.write(p.PressKey(keys=("Control", "L")), HERE).losses] == ["press_key.keys"]
    assert OPENAI.write(p.PressKey(keys=("Control", "l")), HERE).losses == []


def test_safety_checks_come_before_the_action_and_are_kept() -> None:
    """Whoever performs actions stops at them: no environment knows the verb."""
    checks = [{"id": "sc_1", "code": "malicious_instructions", "message": "The page tells you what to do."}]
    call = {
        "type": "computer_call",
        "pending_safety_checks": checks,
        "action": {"type": "click", "button": "left", "x": 1, "y": 2},
    }
    first, second = from_openai(call, HERE).actions
    assert first == p.Extension(action_type="x-openai.pending_safety_checks", arguments={"checks": checks})
    assert second.verb == "click"
    said, losses = OPENAI.write(first, HERE)
    assert (said, losses) == ({"type": "computer_call", "pending_safety_checks": checks}, [])
    assert from_openai(said, HERE) == ([first], [])


def test_a_wait_says_no_time_in_either_direction() -> None:
    assert from_openai({"type": "wait"}, HERE) == (
        [p.Wait(seconds=1)],
        [Loss(what="wait.seconds", why="a wait says no time; taken as 1 s")],
    )
    said, losses = OPENAI.write(p.Wait(seconds=2, text="Done"), HERE)
    assert said == batch({"type": "wait"})
    assert [loss.what for loss in losses] == ["wait.seconds", "wait.text"]


def test_coordinates_are_pixels_of_the_picture_that_was_sent() -> None:
    (action,) = from_openai({"type": "move", "x": 480, "y": 270}, PICTURE).actions
    assert action.target.point.to_px(PICTURE.size) == (960, 540)
    assert OPENAI.write(action, PICTURE).payload == batch({"type": "move", "x": 480, "y": 270})


@pytest.mark.parametrize(("x", "y", "direction"), [(0, 240, "down"), (0, -240, "up"), (240, 0, "right"), (-240, 0, "left")])
def test_scrolling_keeps_its_sign_on_both_axes(x: int, y: int, direction: str) -> None:
    """OSWorld's adapter takes pixels for notches and turns the horizontal sign; cua turns the vertical one."""
    said = {"type": "scroll", "x": 1, "y": 2, "scroll_x": x, "scroll_y": y}
    (action,) = from_openai(said, HERE).actions
    assert action == p.Scroll(target={"point": [1, 2]}, delta=p.Delta(x=x, y=y), unit="px")
    theirs, losses = ANTHROPIC.write(action, HERE)
    assert (theirs["scroll_direction"], theirs["scroll_amount"]) == (direction, 2)
    assert [loss.what for loss in losses] == ["scroll.unit"]
    (back,) = from_anthropic(theirs, HERE).actions
    assert OPENAI.write(back, HERE).payload == batch(said)


def test_the_older_tool_has_a_call_for_each_action() -> None:
    said = OPENAI.write(p.Type(text="a", submit=True), SINGLE).payload
    assert [call["action"]["type"] for call in said] == ["type", "keypress"]
    assert from_openai(said, SINGLE).actions == [p.Type(text="a"), p.PressKey(keys=("Enter",))]


def test_a_function_of_the_harness_is_carried_in_both_directions() -> None:
    item = {"type": "function_call", "name": "goto", "arguments": '{"url": "https://a.example/"}'}
    output = {"type": "function_call_output", "call_id": "c", "output": "success"}
    read = from_openai([{**item, "id": "f", "call_id": "c", "status": "completed"}, output, batch({"type": "screenshot"})], HERE)
    function, look = read.actions
    assert function.action_type == "x-openai.function_call"
    assert look == p.Screenshot()
    assert OPENAI.write(function, HERE) == (item, [])
