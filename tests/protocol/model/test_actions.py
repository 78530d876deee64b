"""The closed union of actions: round trips, refusals, digests, and text that nobody interprets."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from written.actions import KINDS, every_action

import protocol as p
from protocol import Action, ActionTarget, AgentAction, Click, describe, parse_action


@pytest.mark.parametrize("verb", KINDS)
@given(data=st.data())
def test_an_action_that_is_written_is_read_back_as_itself(verb: str, data: st.DataObject) -> None:
    action = data.draw(KINDS[verb])
    assert action.verb == verb
    for written in (action.dump(), action.model_dump(mode="json"), action.model_dump(exclude_defaults=True)):
        assert parse_action(written) == action
    adapter: TypeAdapter[Any] = TypeAdapter(AgentAction)
    assert adapter.validate_json(json.dumps(action.dump())) == action
    assert adapter.validate_json(action.model_dump_json(exclude_defaults=True)) == action


@given(every_action)
def test_parameters_are_everything_but_the_verb_and_the_target(action: Action) -> None:
    assert {"action_type", "target"}.isdisjoint(action.parameters)
    rebuilt: dict[str, Any] = {"action_type": action.verb, **action.parameters}
    if action.target is not None:
        rebuilt["target"] = action.target.model_dump(mode="json")
    assert parse_action(rebuilt) == action


@given(every_action, every_action)
def test_two_actions_share_a_digest_only_when_they_are_equal(one: Action, other: Action) -> None:
    assert (one.digest == other.digest) == (one == other)
    assert parse_action(one.dump()).digest == one.digest


def test_nought_is_written_one_way() -> None:
    one = parse_action({"action_type": "scroll", "delta": {"x": -0.0, "y": 2}})
    assert parse_action(one.dump()).digest == one.digest


AT = {"target": {"text": "a"}}


@pytest.mark.parametrize(
    "data",
    [{"action_type": "explode"}, {"action_type": "FINISH_GOAL"}, {"action_type": "x-custom", "text": "a"}, {"action_type": None},
     {"text": "finish"}, "finish_goal", None, [],
     {"action_type": "click"}, {"action_type": "fill", "text": "a"}, {"action_type": "drag", "to": {"text": "b"}},
     {"action_type": "drag", **AT}, {"action_type": "click", "target": {}}, {"action_type": "click", **AT, "count": 4},
     {"action_type": "click", **AT, "node_id": "n1"}, {"action_type": "press_key", "keys": []},
     {"action_type": "wait", "seconds": -1}, {"action_type": "wait", "seconds": float("nan")},
     {"action_type": "wait", "seconds": float("inf")}, {"action_type": "wait", "seconds": 601},
     {"action_type": "type", "text": "a", "delay": 61},
     {"action_type": "type", "text": "x" * 100_001}, {"action_type": "ask_user", "question": ""}],
    ids=lambda data: str(data)[:60],
)  # fmt: skip
def test_an_unknown_verb_and_what_lacks_or_exceeds_something_is_refused_and_nothing_dropped(data: object) -> None:
    with pytest.raises(ValidationError):
        parse_action(data)


@given(every_action)
def test_a_description_is_one_line_whatever_the_screen_says(action: Action) -> None:
    assert len(describe(action).splitlines()) <= 1
    assert len(describe(action, hide_text=True).splitlines()) <= 1


@pytest.mark.parametrize("verb", ["type", "fill", "memorize", "answer"])
def test_a_description_hides_text_when_told_to(verb: str) -> None:
    data = {"action_type": verb, "target": {"text": "Password"}, "text": "hunter2"}
    if verb == "memorize":
        data = {"action_type": verb, "name": "pin", "value": "hunter2"}
    action = parse_action(data)
    assert "hunter2" in describe(action)
    assert "hunter2" not in describe(action, hide_text=True)


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (Click(target=ActionTarget(text="Save"), count=2), 'double-click "Save"'),
        (Click(target=ActionTarget(element_id="e7"), button="right"), 'right-click "e7"'),
        (p.Fill(target=ActionTarget(text="Amount"), text="$248.90"), 'fill "Amount" with "$248.90"'),
        (p.Type(text="hi", submit=True), 'type "hi" and press Enter'),
        (p.PressKey(keys=("Control", "s")), "press Control+s"),
        (p.Scroll(dy=-3, unit="page"), "scroll up 3 page"),
        (p.Scroll(dx=2), "scroll right 2 notch"),
        (p.Wait(seconds=0.5), "wait 0.5 s"),
        (p.FinishGoal(), "finish goal"),
        (p.Drag(target=ActionTarget(text="a"), to=ActionTarget(text="b")), 'drag "a" to "b"'),
    ],
)
def test_descriptions_read_like_instructions(action: Action, line: str) -> None:
    assert describe(action) == line


@pytest.mark.parametrize("verb", KINDS)
@given(data=st.data())
def test_only_verbs_of_the_crew_itself_are_inner(verb: str, data: st.DataObject) -> None:
    assert data.draw(KINDS[verb]).inner == (verb in {"memorize", "answer", "ask_user", "finish_goal", "fail_goal"})
