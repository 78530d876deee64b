"""Examples are those of Qwen's own cookbook, and calls as its chat template writes them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from written.actions import HOSTILE

import protocol as p
from protocol.dialects import Context, DialectError
from protocol.dialects.vendors.qwen import DIALECT, from_qwen

HERE = Context()
PICTURE = Context(variant="image", screen=(1920, 1080), image=(1932, 1092))
THEIRS = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
"""How Qwen-Agent and vLLM look for calls."""


def at(x: int, y: int) -> dict[str, Any]:
    return {"point": {"x": x, "y": y, "space": "norm999"}}


def tagged(*calls: dict[str, Any], name: str = "computer_use") -> str:
    said = [{"name": name, "arguments": call} for call in calls]
    return "\n".join(f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in said)


SAID = [
    ({"action": "left_click", "coordinate": [500, 20]}, p.Click(target=at(500, 20))),
    ({"action": "right_click", "coordinate": [500, 20]}, p.Click(target=at(500, 20), button="right")),
    ({"action": "middle_click", "coordinate": [500, 20]}, p.Click(target=at(500, 20), button="middle")),
    ({"action": "double_click", "coordinate": [500, 20]}, p.Click(target=at(500, 20), count=2)),
    ({"action": "triple_click", "coordinate": [500, 20]}, p.Click(target=at(500, 20), count=3)),
    ({"action": "mouse_move", "coordinate": [500, 20]}, p.Hover(target=at(500, 20))),
    ({"action": "key", "keys": ["ctrl", "shift", "t"]}, p.PressKey(keys=("Control", "Shift", "t"))),
    ({"action": "key", "keys": ["pagedown"]}, p.PressKey(keys=("PageDown",))),
    ({"action": "key", "keys": ["ctrl", "+"]}, p.PressKey(keys=("Control", "+"))),
    ({"action": "type", "text": "你好 'x'\n"}, p.Type(text="你好 'x'\n")),
    ({"action": "scroll", "pixels": -300}, p.Scroll(delta=p.Delta(y=300), unit="px")),
    ({"action": "scroll", "pixels": 5.5}, p.Scroll(delta=p.Delta(y=-5.5), unit="px")),
    ({"action": "hscroll", "pixels": 40}, p.Scroll(delta=p.Delta(x=40), unit="px")),
    ({"action": "wait", "time": 2.5}, p.Wait(seconds=2.5)),
    ({"action": "terminate", "status": "success"}, p.FinishGoal()),
    ({"action": "terminate", "status": "failure"}, p.FailGoal()),
    ({"action": "answer", "text": "42"}, p.Answer(text="42")),
    ({"action": "left_click"}, p.Extension(action_type="x-qwen.left_click")),
    ({"action": "left_click_drag", "coordinate": [1, 2]}, p.Extension(action_type="x-qwen.left_click_drag", target=at(1, 2))),
]


@pytest.mark.parametrize(("arguments", "action"), SAID, ids=lambda value: value["action"] if isinstance(value, dict) else "")
def test_every_verb_is_the_same_in_both_directions(arguments: dict[str, Any], action: p.Action) -> None:
    assert DIALECT.write(action, HERE) == (tagged(arguments), [])
    for payload in (
        tagged(arguments),
        arguments,
        json.dumps(arguments),
        {"name": "computer_use", "arguments": arguments},
        {"name": "computer_use", "arguments": json.dumps(arguments)},
        {"id": "1", "type": "function", "function": {"name": "computer_use", "arguments": json.dumps(arguments)}},
        [{"name": "computer_use", "arguments": arguments}],
        "```json\n" + json.dumps({"name": "computer_use", "arguments": arguments}, indent=2) + "\n```",
    ):
        assert from_qwen(payload, HERE) == ([action], [])


def test_an_answer_has_words_a_thought_and_several_calls() -> None:
    answer = (
        'I need {"x"} <tool_call> here.\n</think>\n\nAction: move and click.\n'
        + tagged({"action": "mouse_move", "coordinate": [1, 2]}, {"action": "left_click"})
    )  # fmt: skip
    assert from_qwen("<think>" + answer, HERE).actions == [p.Click(target=at(1, 2))]
    assert [loss.what for loss in from_qwen("<think>" + answer, HERE).losses] == ["words"]


def test_a_thought_without_its_first_tag_is_passed_over() -> None:
    answer = "The page is open.\n</think>\n" + tagged({"action": "terminate", "status": "success"})
    assert from_qwen(answer, HERE).actions == [p.FinishGoal()]


def test_a_call_that_is_cut_off_after_its_json_is_whole() -> None:
    answer = tagged({"action": "wait", "time": 1})
    assert from_qwen(answer.removesuffix("\n</tool_call>"), HERE).actions == [p.Wait(seconds=1)]


@pytest.mark.parametrize("text", [*HOSTILE, "</tool_call>", "<tool_call>{}</tool_call>", "</think>", "a </think> b"])
def test_others_find_the_call_whatever_is_typed(text: str) -> None:
    said = DIALECT.write(p.Type(text=text), HERE).payload
    (found,) = THEIRS.findall(said)
    assert json.loads(found)["arguments"]["text"] == text
    assert "</think>" not in said
    assert from_qwen(said, HERE) == ([p.Type(text=text)], [])


@pytest.mark.parametrize(
    ("variant", "x", "pixel"), [("999", 999, 1919), ("999", 500, 961), ("1000", 1000, 1919), ("1000", 500, 960)]
)
def test_a_grid_is_divided_by_what_the_variant_says(variant: str, x: int, pixel: int) -> None:
    context = Context(variant=variant, screen=(1920, 1080))
    (action,) = from_qwen({"action": "left_click", "coordinate": [x, 0]}, context).actions
    assert action.target.point.to_px(context.size).x == pixel


def test_pixels_are_those_of_the_resized_picture() -> None:
    (action,) = from_qwen({"action": "left_click", "coordinate": [966, 546]}, PICTURE).actions
    assert action.target.point.to_px(PICTURE.size) == (960, 540)
    assert DIALECT.write(action, PICTURE) == (tagged({"action": "left_click", "coordinate": [966, 546]}), [])


def test_a_place_is_never_guessed_from_the_size_of_its_numbers() -> None:
    """openadapt-types takes the pixel 1, 1 for the bottom right corner."""
    (action,) = from_qwen({"action": "left_click", "coordinate": [1, 1]}, Context(screen=(1920, 1080))).actions
    assert action.target.point.to_px((1920, 1080)) == (2, 1)


def test_scrolling_up_is_positive_and_right_is_positive() -> None:
    assert DIALECT.write(p.Scroll.toward("down", 100, "px"), HERE).payload == tagged({"action": "scroll", "pixels": -100})
    assert DIALECT.write(p.Scroll.toward("up", 100, "px"), HERE).payload == tagged({"action": "scroll", "pixels": 100})
    assert DIALECT.write(p.Scroll.toward("right", 100, "px"), HERE).payload == tagged({"action": "hscroll", "pixels": 100})
    assert DIALECT.write(p.Scroll.toward("left", 100, "px"), HERE).payload == tagged({"action": "hscroll", "pixels": -100})


def test_a_drag_is_a_move_and_a_drag_and_is_read_as_one() -> None:
    drag = p.Drag(target=at(1, 2), to=at(3, 4))
    said, losses = DIALECT.write(drag, HERE)
    assert said == tagged({"action": "mouse_move", "coordinate": [1, 2]}, {"action": "left_click_drag", "coordinate": [3, 4]})
    assert losses == []
    assert from_qwen(said, HERE).actions == [drag]


def test_a_scroll_at_a_place_is_read_with_its_place() -> None:
    (action,) = from_qwen({"action": "scroll", "pixels": -10, "coordinate": [5, 6]}, HERE).actions
    assert action == p.Scroll(target=at(5, 6), delta=p.Delta(y=10), unit="px")


SPLIT = [
    (p.Scroll(target=at(5, 6), delta=p.Delta(y=10), unit="px"), ["mouse_move", "scroll"], "scroll"),
    (p.Scroll(delta=p.Delta(x=1, y=2), unit="px"), ["scroll", "hscroll"], "scroll"),
    (p.Scroll(delta=p.Delta(y=2)), ["scroll"], "scroll.unit"),
    (p.Type(text="a", target=at(1, 2)), ["left_click", "type"], "type"),
    (p.Type(text="a", submit=True), ["type", "key"], "type"),
    (p.Fill(text="a", target=at(1, 2)), ["left_click", "key", "key", "type"], "fill"),
    (p.Click(target=at(1, 2), count=2, button="middle"), ["middle_click"] * 2, "click"),
    (p.Click(target=at(1, 2), hold=1), ["left_click"], "click.hold"),
    (p.Click(target=at(1, 2), modifiers=("Shift",)), ["left_click"], "click.modifiers"),
    (p.HoldKey(keys=("a",), seconds=2), ["key"], "hold_key"),
    (p.Wait(text="Done"), ["wait"], "wait.text"),
    (p.FinishGoal(summary="It is saved."), ["terminate"], "finish_goal.summary"),
    (p.FailGoal(reason="No such file."), ["terminate"], "fail_goal.reason"),
    (p.Click(target={"point": [640, 400]}), ["left_click"], "target.point"),
]


@pytest.mark.parametrize(("action", "verbs", "lost"), SPLIT, ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_said_otherwise_is_declared(action: p.Action, verbs: list[str], lost: str) -> None:
    said, losses = DIALECT.write(action, HERE)
    assert [json.loads(call)["arguments"]["action"] for call in THEIRS.findall(said)] == verbs
    assert [loss.what for loss in losses] == [lost]


ON_A_PHONE = [
    ({"action": "click", "coordinate": [1, 2]}, {"action_type": "click", "target": at(1, 2)}),
    ({"action": "long_press", "coordinate": [1, 2], "time": 2}, {"action_type": "click", "target": at(1, 2), "hold": 2}),
    (
        {"action": "swipe", "coordinate": [1, 2], "coordinate2": [3, 4]},
        {"action_type": "drag", "target": at(1, 2), "to": at(3, 4)},
    ),
    ({"action": "type", "text": "a\n{"}, {"action_type": "type", "text": "a\n{"}),
    ({"action": "system_button", "button": "Back"}, {"action_type": "go_back"}),
    ({"action": "system_button", "button": "Enter"}, {"action_type": "press_key", "keys": ["Enter"]}),
    (
        {"action": "system_button", "button": "Home"},
        {"action_type": "x-qwen.system_button", "arguments": {"button": "Home"}},
    ),
    ({"action": "key", "text": "volume_up"}, {"action_type": "x-qwen.key_event", "arguments": {"text": "volume_up"}}),
    ({"action": "open", "text": "Chrome"}, {"action_type": "launch_app", "app": "Chrome"}),
    ({"action": "wait", "time": 2}, {"action_type": "wait", "seconds": 2}),
    ({"action": "terminate", "status": "failure"}, {"action_type": "fail_goal"}),
]


@pytest.mark.parametrize(("said", "meant"), ON_A_PHONE, ids=lambda value: str(value)[:30])
def test_what_is_done_on_a_phone_is_read(said: dict[str, Any], meant: dict[str, Any]) -> None:
    read = from_qwen(tagged(said, name="mobile_use"), HERE)
    assert read.actions == [p.parse_action(meant)]


def test_a_call_in_tags_in_place_of_json_is_read() -> None:
    """As Qwen3.5 writes it: an argument a tag, JSON but for what is typed."""
    click = "<function=computer_use>\n<parameter=action>left_click</parameter>\n<parameter=coordinate>\n[500, 20]\n</parameter>"
    typed = "<function=computer_use>\n<parameter=action>\ntype\n</parameter>\n<parameter=text>\n[12] <b>\n</parameter>"
    said = "".join(f"<tool_call>\n{call}\n</function>\n</tool_call>\n" for call in (click, typed))
    assert from_qwen(said, HERE) == ([p.Click(target=at(500, 20)), p.Type(text="[12] <b>")], [])
    with pytest.raises(DialectError, match="line 2, column 1"):
        from_qwen("<tool_call>\n<function=computer_use><parameter=action>wait\n</tool_call>", HERE)
