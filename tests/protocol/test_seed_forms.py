"""The seeds' own models accept what is written in their form, and the exported schemas accept what the seeds write."""

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from protocol import AgentStatus, InteractionStep, LLMResponse, parse_action, read_log
from protocol.dialects import Context, DialectError, dialect
from protocol.exports import Run, format_named
from protocol.log.versions import schemas

EXAMPLES = sorted((Path(__file__).parents[2] / "protocol/v0_1/examples").glob("*.jsonl"))
STEPS = [line.step for path in EXAMPLES for line in read_log(path) if line.step is not None]


class Box004(BaseModel):
    x1: int
    y1: int
    x2: int
    y2: int


class Element004(BaseModel):
    element_id: str
    tag: str | None = None
    text: str | None = None
    role: str | None = None
    bbox: Box004 | None = None
    visible: bool = True


class State004(BaseModel):
    screenshot_path: str
    screen_resolution: tuple[int, int]
    elements: list[Element004]
    timestamp: float


class Action004(BaseModel):
    type: Literal["click", "type", "hover", "launch_app", "scroll"]
    target_id: str | None = None
    bbox: Box004 | None = None
    text: str | None = None
    delay: float | None = None


class Step004(BaseModel):
    timestamp: float
    visual_state: State004
    action: Action004


class Target003(BaseModel):
    track_id: str | None = None
    element_id: int | None = None
    text: str | None = None
    bbox: tuple[float, float, float, float] | None = None


class Action003(BaseModel):
    action_type: Literal["click", "type", "scroll", "press_key", "wait", "finish_goal", "hover"]
    target: Target003 | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


class Response003(BaseModel):
    reasoning: str
    action: Action003
    is_goal_complete: bool = False


def response(verb: str, target: Any = None, *, complete: bool = False, **parameters: Any) -> dict[str, Any]:
    action = {"action_type": verb, "target": target, "parameters": parameters}
    return {"reasoning": "It is the next step.", "action": action, "is_goal_complete": complete}


RESPONSES = [
    response("click", {"track_id": "btn_login_0", "text": "Login"}),
    response("type", {"text": "Username"}, text_to_type="testuser"),
    response("hover", {"element_id": 4, "bbox": [0.1, 0.2, 0.3, 0.05]}),
    response("finish_goal", complete=True),
]
DRAFT = {
    "timestamp": 4.1,
    "visual_state": {
        "screenshot_path": "frames/frame_002.png",
        "screen_resolution": [1920, 1080],
        "elements": [{"element_id": "url_bar", "text": "Search", "bbox": [120, 80, 800, 120], "visible": True}],
    },
    "action": {"type": "click", "target_id": "url_bar", "bbox": [120, 80, 800, 120]},
}


def test_what_is_written_in_the_form_of_seed_004_is_read_by_its_models(tmp_path: Path) -> None:
    exported = format_named("draft").write(Run(steps=STEPS), tmp_path / "draft.jsonl")  # type: ignore[misc]
    lines = (tmp_path / "draft.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [Step004.model_validate_json(line, strict=True) for line in lines]
    assert {step.action.type for step in steps} == {"click", "type", "hover", "launch_app", "scroll"}
    assert exported.steps == len(lines)
    left_out = sum(count for loss, count in exported.losses.items() if loss.why.endswith("the step is left out"))
    assert exported.steps + left_out == len(STEPS)
    again = [line.step for line in read_log(tmp_path / "draft.jsonl")]
    assert [step.action.verb for step in again if step] == [step.action.type for step in steps]


def test_what_is_written_in_the_form_of_seed_003_is_read_by_its_models() -> None:
    written = 0
    for step in STEPS:
        try:
            said, _ = dialect("omnimcp").write(step.action, Context(state=step.visual_state))
        except DialectError:
            continue
        for one in said if isinstance(said, list) else [said]:
            Response003.model_validate_json(json.dumps(one), strict=True)
            written += 1
    assert written > 20


@pytest.mark.parametrize("said", RESPONSES)
def test_the_schema_accepts_what_seed_003_writes(said: dict[str, Any]) -> None:
    assert Response003.model_validate(said)
    Draft202012Validator(schemas()["llm_response"]).validate(said)
    assert LLMResponse.model_validate(said)


def test_the_schema_accepts_what_seed_004_writes() -> None:
    Draft202012Validator(schemas()["interaction_step"]).validate(DRAFT)
    assert InteractionStep.model_validate(DRAFT)


@pytest.mark.parametrize("variant", ["response", "plan", "decision"])
def test_a_verb_that_omnimcp_does_not_have_is_refused_by_name(variant: str) -> None:
    drag = {"action_type": "drag", "target": {"element_id": "1"}, "to": {"element_id": "2"}}
    launch = {"action_type": "launch_app", "app": "mail"}
    for action in (drag, launch, {"action_type": "memorize", "name": "a", "value": "b"}):
        with pytest.raises(DialectError, match=f"{action['action_type']}: omnimcp has no"):
            dialect("omnimcp").write(parse_action(action), Context(variant=variant))


@pytest.mark.parametrize("verb", ["click", "type", "wait"])
def test_an_action_that_comes_with_the_end_is_done_first(verb: str) -> None:
    more = {"text_to_type": "x"} if verb == "type" else {}
    said = response(verb, None if verb == "wait" else {"text": "Save"}, complete=True, **more)
    decision = LLMResponse.model_validate(said).decision()
    assert (decision.status, decision.action.verb if decision.action else "") == (AgentStatus.CONTINUE, verb)
    read = dialect("omnimcp").read(said, Context())  # what others have logged ended there, and did nothing more
    assert [action.verb for action in read.actions] == ["finish_goal"]
    assert [loss.what for loss in read.losses] == [f"action {verb}"]


def test_only_finish_goal_is_the_end_itself() -> None:
    assert LLMResponse.model_validate(response("finish_goal", complete=True)).decision().status is AgentStatus.FINISH
