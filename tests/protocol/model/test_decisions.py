"""What a policy answers: an answer that cannot be understood is an error, never a success."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol import AgentStatus, Click, OperatorDecision

CLICK = {"action_type": "click", "target": {"text": "Save"}}


@pytest.mark.parametrize("status", ["DONE", "finish", " FINISH", "FINISH!", "", 1, True, [], ["FINISH"], {}, None])
def test_an_unknown_or_missing_status_is_an_error_that_says_what_was_given(status: object) -> None:
    assert OperatorDecision().status is AgentStatus.ERROR
    decision = OperatorDecision.model_validate({"status": status, "action": CLICK})
    assert decision.status is AgentStatus.ERROR
    assert repr(status) in decision.comment


@given(st.text() | st.integers() | st.none() | st.booleans() | st.lists(st.text()))
def test_nothing_but_the_word_itself_finishes(status: object) -> None:
    decision = OperatorDecision.model_validate({"status": status, "action": CLICK})
    assert (decision.status is AgentStatus.FINISH) == (status == "FINISH")


@pytest.mark.parametrize("said", [False, "false", "no", "", 0, None, "0", "maybe"])
def test_only_a_plain_true_completes_the_goal_of_an_answer_without_a_status(said: object) -> None:
    try:
        decision = OperatorDecision.model_validate({"is_goal_complete": said})
    except ValidationError:
        return
    assert decision.status is AgentStatus.ERROR
    assert OperatorDecision.model_validate({"is_goal_complete": True}).status is AgentStatus.FINISH


def test_a_goal_that_is_complete_does_not_overrule_a_status() -> None:
    decision = OperatorDecision.model_validate({"status": "FAIL", "is_goal_complete": True})
    assert decision.status is AgentStatus.FAIL
    assert OperatorDecision.model_validate({"status": "DONE", "is_goal_complete": True}).status is AgentStatus.ERROR


@pytest.mark.parametrize("status", ["CONTINUE", "CONFIRM"])
def test_a_status_that_acts_needs_an_action(status: str) -> None:
    with pytest.raises(ValidationError, match=f"status {status} needs an action"):
        OperatorDecision.model_validate({"status": status})
    assert isinstance(OperatorDecision.model_validate({"status": status, "action": CLICK}).action, Click)


@pytest.mark.parametrize("wrong", [{"action": {"action_type": "explode"}}, {"confidence": 1.5}, {"thoughts": "unknown key"}])
def test_an_answer_of_another_shape_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        OperatorDecision.model_validate({"status": "CONTINUE", "action": CLICK, **wrong})
    for whole in ("FINISH", None, []):
        with pytest.raises(ValidationError):
            OperatorDecision.model_validate(whole)


@pytest.mark.parametrize("status", AgentStatus)
@pytest.mark.parametrize("brief", [True, False])
def test_a_decision_is_read_back_as_itself(status: AgentStatus, brief: bool) -> None:
    decision = OperatorDecision.model_validate({"status": status, "action": CLICK, "memory": {"at": 1}, "plan": ["a", "b"]})
    again = OperatorDecision.model_validate_json(decision.model_dump_json(exclude_defaults=brief))
    assert (again.status, again.action, again.memory, again.plan) == (decision.status, decision.action, {"at": 1}, ("a", "b"))
    assert brief or again == decision


@pytest.mark.parametrize(
    "action",
    [
        {"action_type": "select_option", "target": {"text": "a"}, "options": ["x"]},
        {"action_type": "screenshot", "marks": ["e1"]},
        {"action_type": "upload", "target": {"text": "a"}, "files": ["a.txt"]},
    ],
)
def test_a_decision_that_is_written_in_a_file_may_hold_lists(action: dict[str, object]) -> None:
    """Files are read strictly, which takes no list for a tuple once something else has looked at it."""
    body = {"status": "CONTINUE", "action": action, "plan": ["go on"], "then": [{"action": action}]}
    read = OperatorDecision.model_validate_json(json.dumps(body), strict=True)
    assert read == OperatorDecision.model_validate(body)
    assert read.then[0].action == read.action


def test_a_question_needs_no_action() -> None:
    assert OperatorDecision(status=AgentStatus.PENDING, comment="Which one?").action is None
