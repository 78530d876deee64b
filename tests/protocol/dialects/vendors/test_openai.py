"""OpenAI's own SDK judges every action and every call."""

from typing import Any

import pytest
from hypothesis import given
from openai.types.responses import ResponseComputerToolCall
from openai.types.responses.computer_action import ComputerAction
from pydantic import TypeAdapter
from written.dialect_cases import calls, pairs

import protocol as p
from protocol.dialects import Context, Loss
from protocol.dialects.vendors.anthropic import DIALECT as ANTHROPIC
from protocol.dialects.vendors.openai import DIALECT as OPENAI

HERE = Context()
SINGLE = Context(variant="single")
JUDGE: TypeAdapter[Any] = TypeAdapter(ComputerAction)
CALL: TypeAdapter[Any] = TypeAdapter(ResponseComputerToolCall)


@pytest.mark.parametrize(("said", "action"), [each for each in pairs("openai") if "actions" in each[0]])
def test_an_action_may_stand_alone_and_in_a_call_of_the_older_tool(said: dict[str, Any], action: p.Action) -> None:
    (alone,) = said["actions"]
    call = {"type": "computer_call", "action": alone}
    assert OPENAI.read(alone, HERE) == OPENAI.read(call, HERE) == ([action], [])
    assert OPENAI.write(action, SINGLE) == (call, [])


@given(written=calls(OPENAI, HERE))
def test_the_sdk_takes_every_action_that_is_written(written: list[Any]) -> None:
    for call in written:
        for said in call["actions"]:
            checked = JUDGE.validate_python(said, strict=True)
            assert checked.model_dump(exclude_none=True) == said, "the SDK does not know a field"
        CALL.validate_python({**call, "id": "cu_1", "call_id": "call_1", "status": "completed", "pending_safety_checks": []})


def test_a_call_as_the_sdk_gives_it_is_read() -> None:
    call = CALL.validate_python(
        {
            "type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed", "pending_safety_checks": [],
            "actions": [{"type": "double_click", "x": 1, "y": 2, "keys": None}, {"type": "type", "text": "a"}],
        }
    )  # fmt: skip
    actions, losses = OPENAI.read([{"type": "reasoning", "id": "rs_1", "summary": []}, call.model_dump()], HERE)
    assert actions == [p.Click(target={"point": [1, 2]}, count=2), p.Type(text="a")]
    assert losses == [Loss(what="words", why="words beside a call are no action")]


@pytest.mark.parametrize(("x", "y", "direction"), [(0, 240, "down"), (0, -240, "up"), (240, 0, "right"), (-240, 0, "left")])
def test_scrolling_keeps_its_sign_on_both_axes(x: int, y: int, direction: str) -> None:
    """OSWorld's adapter takes pixels for notches and turns the horizontal sign; cua turns the vertical one."""
    said = {"type": "scroll", "x": 1, "y": 2, "scroll_x": x, "scroll_y": y}
    (action,) = OPENAI.read(said, HERE).actions
    assert action == p.Scroll(target={"point": [1, 2]}, delta=p.Delta(x=x, y=y), unit="px")
    theirs, losses = ANTHROPIC.write(action, HERE)
    assert (theirs["scroll_direction"], theirs["scroll_amount"]) == (direction, 2)
    assert [loss.what for loss in losses] == ["scroll.unit"]
    (back,) = ANTHROPIC.read(theirs, HERE).actions
    assert OPENAI.write(back, HERE).payload == {"type": "computer_call", "actions": [said]}
