"""Anthropic's own SDK judges what is written for its toolset; the older tools have no types, so examples stand for them."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types.beta import BetaComputerToolUseBlock
from anthropic.types.beta.beta_computer_member_name import BETA_COMPUTER_MEMBER_NAME_VALUES
from hypothesis import given
from pydantic import TypeAdapter
from written.actions import every_action
from written.dialect_cases import pairs

import protocol as p
from protocol.dialects import Context, DialectError
from protocol.dialects.vendors.anthropic import DIALECT, from_anthropic

HERE = Context()
PICTURE = Context(screen=(1920, 1080), image=(1280, 720))
TOOLSET = Context(variant="20260801")
AT = {"point": [10, 20]}
JUDGE: TypeAdapter[Any] = TypeAdapter(BetaComputerToolUseBlock)


def click(**more: Any) -> p.Click:
    return p.Click(target=AT, **more)


SAID = pairs("anthropic")


def test_every_action_of_the_sdk_is_read() -> None:
    assert {call["action"] for call, _ in SAID} == set(BETA_COMPUTER_MEMBER_NAME_VALUES)


@pytest.mark.parametrize(("call", "action"), SAID, ids=lambda value: value["action"] if isinstance(value, dict) else "")
def test_the_blocks_of_the_toolset_are_read(call: dict[str, Any], action: p.Action) -> None:
    given = {name: value for name, value in call.items() if name != "action"}
    block = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": call["action"],
        "toolset_name": "computer",
        "input": given,
        "caller": None,
    }
    assert from_anthropic(block, HERE).actions == [action]
    assert from_anthropic([block], TOOLSET).actions == [action]


@given(action=every_action)
def test_the_sdk_takes_every_block_that_is_written(action: p.Action) -> None:
    """Strictly: whole numbers, known directions, nothing missing."""
    try:
        written = DIALECT.write(action, TOOLSET).payload
    except DialectError:
        return
    for block in written if isinstance(written, list) else [written]:
        checked = JUDGE.validate_python({**block, "id": "toolu_1"}, strict=True)
        assert checked.input.model_dump(exclude_none=True) == block["input"], "the SDK does not know a field"


def test_a_batch_is_read_in_order() -> None:
    calls = [{"action": "left_click", "coordinate": [1, 2]}, {"action": "type", "text": "a"}]
    block = {"type": "tool_use", "id": "1", "name": "computer_batch", "input": {"actions": calls}}
    assert [action.verb for action in from_anthropic(block, HERE).actions] == ["click", "type"]


def test_coordinates_are_pixels_of_the_picture_that_the_model_saw() -> None:
    (action,) = from_anthropic({"action": "left_click", "coordinate": [640, 360]}, PICTURE).actions
    assert action.target.point == p.Coordinate(x=640, y=360, space="image", image_size=(1280, 720))
    assert action.target.point.to_px(PICTURE.size) == (960, 540)
    assert DIALECT.write(action, PICTURE) == ({"action": "left_click", "coordinate": [640, 360]}, [])


def test_a_zoom_is_a_part_of_the_picture_too() -> None:
    (action,) = from_anthropic({"action": "zoom", "region": [0, 0, 640, 360]}, PICTURE).actions
    assert action == p.Screenshot(region=p.Region(x1=0, y1=0, x2=640, y2=360, space="image", image_size=(1280, 720)))
    assert DIALECT.write(p.Screenshot(region=[0, 0, 960, 540]), PICTURE).payload == {"action": "zoom", "region": [0, 0, 640, 360]}


@pytest.mark.parametrize("direction", ["up", "down", "left", "right"])
def test_a_scroll_goes_where_it_went(direction: p.Direction) -> None:
    """cua turns Anthropic's `down` 5 into `up` 5 on its way through OpenAI's form and back."""
    call = {"action": "scroll", "coordinate": [1, 2], "scroll_direction": direction, "scroll_amount": 5}
    (action,) = from_anthropic(call, HERE).actions
    assert action == p.Scroll.toward(direction, 5, target={"point": [1, 2]})
    assert DIALECT.write(action, HERE) == (call, [])


def test_scrolling_in_other_units_is_said_in_notches_and_declared() -> None:
    said, losses = DIALECT.write(p.Scroll(delta=p.Delta(y=-600), unit="px"), HERE)
    assert said == {"action": "scroll", "scroll_direction": "up", "scroll_amount": 5}
    assert [loss.what for loss in losses] == ["scroll.unit"]
    assert DIALECT.write(p.Scroll(delta=p.Delta(y=1), unit="page"), HERE).payload["scroll_amount"] == 7
    assert DIALECT.write(p.Scroll(delta=p.Delta(y=10), unit="px"), HERE).payload["scroll_amount"] == 1, "it still moves"


def test_a_diagonal_scroll_is_two_calls() -> None:
    said, losses = DIALECT.write(p.Scroll(delta=p.Delta(x=2, y=-3)), HERE)
    assert [(call["scroll_direction"], call["scroll_amount"]) for call in said] == [("up", 3), ("right", 2)]
    assert [loss.what for loss in losses] == ["scroll"]


def test_the_demo_names_held_keys_key() -> None:
    (action,) = from_anthropic({"action": "left_click", "coordinate": [10, 20], "key": "shift"}, HERE).actions
    assert action == click(modifiers=("Shift",))


def test_several_chords_in_one_text_are_pressed_one_after_the_other() -> None:
    actions = from_anthropic({"action": "key", "text": "Down Down ctrl+a", "repeat": 2}, HERE).actions
    assert [action.keys for action in actions] == [("ArrowDown",), ("ArrowDown",), ("Control", "a")] * 2


def test_a_click_at_the_pointer_has_the_place_of_the_move_before_it() -> None:
    calls = [{"action": "mouse_move", "coordinate": [10, 20]}, {"action": "double_click"}, {"action": "right_click"}]
    assert from_anthropic(calls, HERE).actions == [click(count=2), click(button="right")]


def test_a_click_at_an_unknown_place_is_carried() -> None:
    call = {"action": "left_click", "text": "ctrl"}
    actions = from_anthropic(call, HERE).actions
    assert actions == [p.Extension(action_type="x-anthropic.left_click", arguments={"text": "ctrl"})]
    assert DIALECT.write(actions[0], HERE) == (call, [])
    drag = {"action": "left_click_drag", "coordinate": [3, 4]}
    assert DIALECT.write(from_anthropic(drag, HERE).actions[0], HERE) == (drag, [])


def test_a_move_and_a_click_of_the_first_tool_are_one_click() -> None:
    said = [{"action": "mouse_move", "coordinate": [10, 20]}, {"action": "double_click"}]
    assert from_anthropic(said, HERE).actions == [click(count=2)]


def test_a_long_wait_is_as_long_in_parts() -> None:
    assert [call["duration"] for call in DIALECT.write(p.Wait(seconds=250.5), HERE).payload] == [100, 100, 50.5]


def test_the_toolset_says_whole_seconds_and_holds_keys_while_it_drags() -> None:
    hold = DIALECT.write(p.HoldKey(keys=("a",), seconds=1.2), TOOLSET)
    assert (hold.payload["input"]["duration"], [loss.what for loss in hold.losses]) == (2, ["hold_key.seconds"])
    assert DIALECT.write(p.Drag(target=AT, to=AT, modifiers=("Shift",)), TOOLSET).losses == []


def test_a_zoom_is_the_whole_screen_where_there_is_none() -> None:
    said, losses = DIALECT.write(p.Screenshot(region=[0, 0, 5, 5]), Context(variant="20250124"))
    assert (said, [loss.what for loss in losses]) == ({"action": "screenshot"}, ["screenshot.region"])


def test_a_verb_of_a_later_tool_is_refused() -> None:
    with pytest.raises(DialectError, match="computer_20250124 has no action 'zoom'"):
        from_anthropic({"action": "zoom", "region": [0, 0, 1, 1]}, Context(variant="20250124"))


def test_the_newest_single_tool_is_spoken_by_default() -> None:
    assert DIALECT.variants[0] == "20251124"
    assert DIALECT.write(p.Screenshot(), HERE) == DIALECT.write(p.Screenshot(), Context(variant="20251124"))


def test_a_message_of_the_assistant_is_read_with_its_calls() -> None:
    call = {"type": "tool_use", "id": "1", "name": "computer", "input": {"action": "key", "text": "ctrl+s"}}
    words = {"type": "text", "text": "I save."}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [words, call], "usage": {}}
    read = from_anthropic(message, Context())
    assert read.actions == [p.PressKey(keys="ctrl+s")]
    assert [loss.what for loss in read.losses] == ["words"]
    with pytest.raises(DialectError) as refused:
        from_anthropic({**message, "content": [{**call, "name": "bash"}]}, Context())
    assert refused.value.where == "$.content[0].name"
