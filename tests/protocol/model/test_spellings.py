"""The seeds' own spellings of an action are read; what is written is canonical."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from protocol import Click, LLMResponse, parse_action
from protocol.model.decisions import AgentStatus


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (
            {"type": "click", "target_id": "url_bar", "bbox": [120, 80, 800, 120]},
            {"action_type": "click", "target": {"element_id": "url_bar", "bbox": {"x1": 120, "y1": 80, "x2": 800, "y2": 120}}},
        ),
        (
            {"type": "type", "target_id": "amount", "text": "5", "delay": 0.5},
            {"action_type": "type", "target": {"element_id": "amount"}, "text": "5", "delay": 0.5},
        ),
        ({"type": "launch_app", "text": "Calculator"}, {"action_type": "launch_app", "app": "Calculator"}),
        ({"type": "hover", "text": "Menu"}, {"action_type": "hover", "target": {"text": "Menu"}}),
        (
            {"action_type": "click", "target": {"track_id": "btn_login_0", "text": "Login"}, "parameters": {}},
            {"action_type": "click", "target": {"track_id": "btn_login_0", "text": "Login"}},
        ),
        (
            {"action_type": "type", "target": {"text": "Username"}, "parameters": {"text_to_type": "testuser"}},
            {"action_type": "type", "target": {"text": "Username"}, "text": "testuser"},
        ),
        ({"action_type": "finish_goal", "target": None, "parameters": {}}, {"action_type": "finish_goal"}),
        ({"action_type": "click", "target": {"element_id": 3}}, {"action_type": "click", "target": {"element_id": "3"}}),
        (
            {"action_type": "click", "target": {"bbox": [0.1, 0.2, 0.2, 0.1]}},
            {"action_type": "click", "target": {"bbox": {"x1": 0.1, "y1": 0.2, "x2": 0.3, "y2": 0.3, "space": "norm1"}}},
        ),
        (
            {"action_type": "scroll", "parameters": {"direction": "down", "amount": 3}},
            {"action_type": "scroll", "delta": {"y": 3}},
        ),
        ({"action_type": "scroll", "dx": -2, "dy": 1.5}, {"action_type": "scroll", "delta": {"x": -2, "y": 1.5}}),
        ({"action_type": "press_key", "parameters": {"key": "ctrl+-"}}, {"action_type": "press_key", "keys": ["Control", "-"]}),
        ({"action_type": "double_click", "target": {"text": "a"}}, {"action_type": "click", "target": {"text": "a"}, "count": 2}),
        (
            {"action_type": "right_click", "target": {"point": [3, 4]}},
            {"action_type": "click", "target": {"point": {"x": 3, "y": 4}}, "button": "right"},
        ),
        (
            {"action_type": "select_option", "target": {"text": "a"}, "option": "b"},
            {"action_type": "select_option", "target": {"text": "a"}, "options": ["b"]},
        ),
    ],
)
def test_an_action_in_a_seeds_spelling_is_the_canonical_one(written, canonical):
    action = parse_action(written)
    assert action == parse_action(canonical)
    assert parse_action(json.loads(json.dumps(action.dump()))) == action
    assert "parameters" not in action.dump()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({"type": "click", "target": {"text": "a"}, "target_id": "b"}, "not both"),
        ({"action_type": "type", "text": "a", "parameters": {"text": "b"}}, "stands both"),
        ({"action_type": "click", "target": {"bbox": [100.0, 200.0, 150.0, 240.0]}}, "between 0 and 1"),
        ({"action_type": "click", "target": {"point": [0.5, 0.5]}}, "two whole pixels"),
        ({"action_type": "click", "target": {"point": {"x": 3, "y": 4, "space": "image"}}}, "image_size"),
        ({"action_type": "scroll", "direction": "down", "delta": {"y": 1}}, "one of delta"),
        ({"action_type": "scroll", "amount": 3}, "amount needs a direction"),
        ({"action_type": "scroll", "direction": "down", "amount": -3}, "not negative"),
        ({"action_type": "scroll", "direction": "downwards"}, "up, down, left or right"),
        ({"action_type": "tabs", "op": "select"}, "needs the index"),
        ({"action_type": "X-upper"}, "X-upper"),
        ({"action_type": "x-"}, "pattern"),
        ({"action_type": 3}, "3"),
        ({"action_type": "click", "type": "click", "target": {"text": "a"}}, "type"),
    ],
)
def test_what_contradicts_itself_or_does_not_say_what_it_counts_is_refused(written, reason):
    with pytest.raises(ValidationError, match=reason):
        parse_action(written)


def test_an_extension_verb_is_carried_whole():
    written = {"action_type": "x-their.verb", "arguments": {"a": [1, {"b": None}]}, "target": {"text": "t"}}
    assert parse_action(written).dump() == written


def test_a_models_answer_in_the_form_of_seed_003_becomes_a_decision():
    answer = LLMResponse.model_validate_json(
        '{"reasoning": "Login successful, goal complete.", "action": {"action_type": "finish_goal", "target": null,'
        ' "parameters": {}}, "is_goal_complete": true}'
    )
    assert answer.decision().status is AgentStatus.FINISH
    going_on = LLMResponse(reasoning="next", action=Click(target={"text": "Login"}))
    assert going_on.decision().status is AgentStatus.CONTINUE
    with pytest.raises(ValidationError):
        LLMResponse.model_validate({"action": {"action_type": "finish_goal"}})


def test_the_seeds_own_example_log_is_read():
    from protocol import read_log

    (line,) = read_log(Path(__file__).parents[3] / "protocol" / "v0_1" / "examples" / "seed-004.jsonl")
    assert line.step
    assert line.step.action.target
    assert line.step.action.target.element_id == "url_bar"
