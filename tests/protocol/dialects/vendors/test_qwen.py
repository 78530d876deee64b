"""Examples are those of Qwen's own cookbook, and calls as its chat template writes them."""

import json
import re
from typing import Any

import pytest
from written.actions import HOSTILE

import protocol as p
from protocol.dialects import Context
from protocol.dialects.vendors.qwen import DIALECT
from protocol.dsl import parse_line

HERE = Context()
THEIRS = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
"""How Qwen-Agent and vLLM look for calls."""


def tagged(*calls: dict[str, Any], name: str = "computer_use") -> str:
    said = [{"name": name, "arguments": call} for call in calls]
    return "\n".join(f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in said)


SAID = {
    '{"action": "left_click", "coordinate": [500, 20]}': "click at (500, 20) norm999",
    '{"action": "right_click", "coordinate": [500, 20]}': "right-click at (500, 20) norm999",
    '{"action": "middle_click", "coordinate": [500, 20]}': "middle-click at (500, 20) norm999",
    '{"action": "double_click", "coordinate": [500, 20]}': "double-click at (500, 20) norm999",
    '{"action": "triple_click", "coordinate": [500, 20]}': "triple-click at (500, 20) norm999",
    '{"action": "mouse_move", "coordinate": [500, 20]}': "hover at (500, 20) norm999",
    '{"action": "key", "keys": ["ctrl", "shift", "t"]}': "press Control+Shift+t",
    '{"action": "key", "keys": ["pagedown"]}': "press PageDown",
    '{"action": "key", "keys": ["ctrl", "+"]}': "press Control++",
    '{"action": "type", "text": "你好 \'x\'\\n"}': "type \"你好 'x'\\n\"",
    '{"action": "scroll", "pixels": -300}': "scroll down 300 px",
    '{"action": "scroll", "pixels": 5.5}': "scroll up 5.5 px",
    '{"action": "hscroll", "pixels": 40}': "scroll right 40 px",
    '{"action": "hscroll", "pixels": -40}': "scroll left 40 px",
    '{"action": "wait", "time": 2.5}': "wait 2.5 s",
    '{"action": "terminate", "status": "success"}': "finish",
    '{"action": "terminate", "status": "failure"}': "fail",
    '{"action": "answer", "text": "42"}': 'answer "42"',
    '{"action": "left_click"}': "x-qwen.left_click",
    '{"action": "left_click_drag", "coordinate": [1, 2]}': "x-qwen.left_click_drag at (1, 2) norm999",
}


@pytest.mark.parametrize(("said", "line"), SAID.items(), ids=SAID.values())
def test_every_verb_is_the_same_in_both_directions(said: str, line: str) -> None:
    arguments, action = json.loads(said), parse_line(line)
    assert DIALECT.write(action, HERE) == (tagged(arguments), [])
    for payload in (
        tagged(arguments),
        arguments,
        said,
        {"name": "computer_use", "arguments": said},
        {"id": "1", "type": "function", "function": {"name": "computer_use", "arguments": said}},
        [{"name": "computer_use", "arguments": arguments}],
        "```json\n" + json.dumps({"name": "computer_use", "arguments": arguments}, indent=2) + "\n```",
    ):
        assert DIALECT.read(payload, HERE) == ([action], [])


DRAG = tagged({"action": "mouse_move", "coordinate": [1, 2]}, {"action": "left_click_drag", "coordinate": [3, 4]})


@pytest.mark.parametrize(
    ("answer", "line", "lost"),
    [
        (f'<think>I need {{"x"}} <tool_call> here.\n</think>\n\nAction: drag.\n{DRAG}', "drag at (1, 2) to (3, 4)", ["words"]),
        (f"The page is open.\n</think>\n{tagged({'action': 'wait', 'time': 1})}", "wait 1 s", ["words"]),
        (tagged({"action": "wait", "time": 1}).removesuffix("\n</tool_call>"), "wait 1 s", []),
        (DRAG, "drag at (1, 2) to (3, 4)", []),
    ],
    ids=["a thought", "a thought without its first tag", "cut off after its JSON", "a drag is a move and a drag"],
)
def test_an_answer_has_a_thought_words_and_several_calls(answer: str, line: str, lost: list[str]) -> None:
    actions, losses = DIALECT.read(answer, HERE)
    assert (actions, [loss.what for loss in losses]) == ([parse_line(re.sub(r"(?<=\))", " norm999", line))], lost)


@pytest.mark.parametrize("text", [*HOSTILE, "</tool_call>", "<tool_call>{}</tool_call>", "</think>", "a </think> b"])
def test_others_find_the_call_whatever_is_typed(text: str) -> None:
    said = DIALECT.write(p.Type(text=text), HERE).payload
    (found,) = THEIRS.findall(said)
    assert json.loads(found)["arguments"]["text"] == text
    assert "</think>" not in said
    assert DIALECT.read(said, HERE) == ([p.Type(text=text)], [])


@pytest.mark.parametrize(
    ("variant", "given", "pixel"),
    [
        ("999", [999, 500], (1919, 541)),
        ("1000", [1000, 500], (1919, 540)),
        ("image", [966, 546], (960, 540)),
        ("999", [1, 1], (2, 1)),
    ],
)
def test_a_place_counts_in_what_the_variant_says_and_is_never_guessed(variant: str, given: list[int], pixel: Any) -> None:
    """A grid of 999 or of 1000, or pixels of the resized picture."""
    context = Context(variant=variant, screen=(1920, 1080), image=(1932, 1092))
    arguments = {"action": "left_click", "coordinate": given}
    (action,) = DIALECT.read(arguments, context).actions
    assert action.target.point.to_px(context.size) == pixel
    assert DIALECT.write(action, context) == (tagged(arguments), [])


@pytest.mark.parametrize(
    ("line", "verbs", "lost"),
    [
        ("scroll down 10 px at (5, 6) norm999", "mouse_move scroll", "scroll"),
        ("scroll down 2 and right 1 px", "scroll hscroll", "scroll"),
        ("scroll down 2", "scroll", "scroll.unit"),
        ('type "a" at (1, 2) norm999', "left_click type", "type"),
        ('type "a" and press Enter', "type key", "type"),
        ('fill at (1, 2) norm999 with "a"', "left_click key key type", "fill"),
        ("middle-double-click at (1, 2) norm999", "middle_click middle_click", "click"),
        ("long-press at (1, 2) norm999 for 1 s", "left_click", "click.hold"),
        ("Shift-click at (1, 2) norm999", "left_click", "click.modifiers"),
        ("hold a for 2 s", "key", "hold_key"),
        ('wait 1 s for "Done"', "wait", "wait.text"),
        ('finish "It is saved."', "terminate", "finish_goal.summary"),
        ('fail "No such file."', "terminate", "fail_goal.reason"),
        ("click at (640, 400)", "left_click", "target.point"),
    ],
)
def test_what_is_said_otherwise_is_declared(line: str, verbs: str, lost: str) -> None:
    said, losses = DIALECT.write(parse_line(line), HERE)
    assert [json.loads(call)["arguments"]["action"] for call in THEIRS.findall(said)] == verbs.split()
    assert [loss.what for loss in losses] == [lost]


ON_A_PHONE = {
    '{"action": "click", "coordinate": [1, 2]}': "click at (1, 2) norm999",
    '{"action": "long_press", "coordinate": [1, 2], "time": 2}': "long-press at (1, 2) norm999 for 2 s",
    '{"action": "swipe", "coordinate": [1, 2], "coordinate2": [3, 4]}': "drag at (1, 2) norm999 to (3, 4) norm999",
    '{"action": "type", "text": "a\\n{"}': 'type "a\\n{"',
    '{"action": "system_button", "button": "Back"}': "go back",
    '{"action": "system_button", "button": "Enter"}': "press Enter",
    '{"action": "system_button", "button": "Home"}': 'x-qwen.system_button {"button": "Home"}',
    '{"action": "key", "text": "volume_up"}': 'x-qwen.key_event {"text": "volume_up"}',
    '{"action": "open", "text": "Chrome"}': 'open "Chrome"',
    '{"action": "wait", "time": 2}': "wait 2 s",
    '{"action": "terminate", "status": "failure"}': "fail",
}


@pytest.mark.parametrize(("said", "line"), ON_A_PHONE.items(), ids=ON_A_PHONE.values())
def test_what_is_done_on_a_phone_is_read(said: str, line: str) -> None:
    assert DIALECT.read(tagged(json.loads(said), name="mobile_use"), HERE).actions == [parse_line(line)]


def test_a_call_in_tags_in_place_of_json_is_read() -> None:
    """As Qwen3.5 writes it: an argument a tag, JSON but for what is typed."""
    click = "<function=computer_use>\n<parameter=action>left_click</parameter>\n<parameter=coordinate>\n[500, 20]\n</parameter>"
    typed = "<function=computer_use>\n<parameter=action>\ntype\n</parameter>\n<parameter=text>\n[12] <b>\n</parameter>"
    said = "".join(f"<tool_call>\n{call}\n</function>\n</tool_call>\n" for call in (click, typed))
    assert DIALECT.read(said, HERE) == ([parse_line("click at (500, 20) norm999"), p.Type(text="[12] <b>")], [])
