"""Results and log lines as values."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from protocol import PROTOCOL_VERSION, ActionResult, ActionTarget, Click, ExecStatus, InteractionStep, VisualState


@pytest.mark.parametrize("status", ExecStatus)
def test_only_an_executed_action_is_ok(status: ExecStatus) -> None:
    assert ActionResult(exec_status=status).ok == (status is ExecStatus.EXECUTED)


@pytest.mark.parametrize("given", [{}, {"exec_status": "done"}, {"exec_status": "EXECUTED"}, {"exec_status": None}])
def test_a_result_without_a_known_status_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="exec_status"):
        ActionResult.model_validate(given)


def test_a_step_says_which_protocol_it_follows() -> None:
    step = InteractionStep(timestamp=0, visual_state=VisualState(), action=Click(target=ActionTarget(text="Save")))
    assert step.protocol_version == PROTOCOL_VERSION == "0.1"


@pytest.mark.parametrize("lacking", ["timestamp", "visual_state", "action"])
def test_a_step_needs_its_time_its_screen_and_its_action(lacking: str) -> None:
    whole = {"timestamp": 0, "visual_state": {}, "action": {"action_type": "wait"}}
    InteractionStep.model_validate(whole)
    with pytest.raises(ValidationError, match=lacking):
        InteractionStep.model_validate({k: v for k, v in whole.items() if k != lacking})


def test_steps_are_not_counted_backwards() -> None:
    with pytest.raises(ValidationError, match="step"):
        InteractionStep.model_validate({"timestamp": 0, "visual_state": {}, "action": {"action_type": "wait"}, "step": -1})
