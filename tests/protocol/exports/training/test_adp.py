"""Agent Data Protocol: its schemas of 1.2.0 and 1.3.0, written down again here, take every trajectory."""

import json
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, model_validator
from written.runs import STATE, Written, infos, step, steps

from protocol import ActionResult, ActionTarget, Click, ExecStatus, InteractionStep, Picture, VisualState
from protocol.exports import RunInfo, format_named

FORM = format_named("adp_linked")
PLAIN = format_named("adp")
CLICK = Click(target=ActionTarget(element_id="1"))
Who = Literal["user", "agent", "environment"]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Linked(Strict):
    tool_call_id: str | None = None
    reward: float | None = None


class ApiAction(Linked):
    class_: Literal["api_action"]
    function: str
    kwargs: dict[str, Any]
    description: str | None = None
    reasoning_content: str | None = None


class TextObservation(Linked):
    class_: Literal["text_observation"]
    content: str
    name: str | None = None
    source: Who


class Sides(Strict):
    x: float
    y: float
    width: float
    height: float


class Annotation(Strict):
    text: str | None
    element_type: str
    bounding_box: Sides


class ImageObservation(Linked):
    class_: Literal["image_observation"]
    content: str
    annotations: list[Annotation] | None = None
    source: Who


class WebObservation(Linked):
    class_: Literal["web_observation"]
    html: str | None
    axtree: str | None
    url: str | None
    image_observation: ImageObservation | None
    viewport_size: tuple[int, int] | None


Item = Annotated[ApiAction | TextObservation | ImageObservation | WebObservation, Field(discriminator="class_")]


class Trajectory(Strict):
    """The published rules: extra keys are refused, and a call has exactly one observation, after it."""

    schema_version: Literal["1.3.0"]
    id: str
    content: list[Item]
    details: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _linked(self) -> Self:
        called: list[str] = []
        answered: list[str] = []
        for n, item in enumerate(self.content):
            if isinstance(item, ApiAction):
                followed = n + 1 < len(self.content) and not isinstance(self.content[n + 1], ApiAction)
                if item.tool_call_id is None and followed:
                    raise ValueError(f"the action {n} is followed by an observation and has no tool_call_id")
                called += [item.tool_call_id] if item.tool_call_id else []
            elif item.tool_call_id is not None:
                if item.tool_call_id not in called or getattr(item, "source", "") == "user":
                    raise ValueError(f"the observation {n} answers nothing")
                answered.append(item.tool_call_id)
        if sorted(called) != sorted(answered) or len(set(called)) != len(called):
            raise ValueError("a call has no observation, or more than one")
        return self


def trajectory(written: Written) -> Trajectory:
    [line] = written.text.splitlines()
    return Trajectory.model_validate_json(line)


@given(st.lists(steps, max_size=6), infos)
def test_every_run_is_a_trajectory_that_the_schema_takes(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as written:
        found = trajectory(written)
        calls = [item for item in found.content if isinstance(item, ApiAction)]
        assert len(calls) == written.exported.steps == len(run)
        assert [call.reasoning_content or "" for call in calls] == [one.reasoning for one in run]
        for item in found.content:
            if isinstance(item, ImageObservation):
                assert not PurePosixPath(item.content).is_absolute()
                assert (written.path.parent / item.content).is_file()
                assert len(found.details["picture_sha256"][item.content]) == 64


def test_the_goal_is_the_users_word_and_what_came_of_an_action_is_linked_to_it() -> None:
    result = ActionResult(exec_status=ExecStatus.ERROR, error="no such element", output="seen: 3")
    judged = step(CLICK, result=result, reasoning="so")
    with Written(FORM, [judged, step(CLICK)], RunInfo(goal="Save", outcome="rejected")) as written:
        goal, call, answer, _, nothing = trajectory(written).content
        assert trajectory(written).details["outcome"] == "rejected"
        assert (nothing.content, written.lost("result")) == ("", True), "an action that nobody judged"
    assert (goal.content, goal.source) == ("Save", "user")
    assert (call.function, call.kwargs, call.reasoning_content) == ("click", {"target": {"element_id": "1"}}, "so")
    assert answer.content == "error\nno such element\nseen: 3"
    assert answer.tool_call_id == call.tool_call_id == "call_000001"


def test_a_picture_stands_before_its_action_with_what_it_shows() -> None:
    run = [step(CLICK, STATE, pictures=(Picture(path="a.png"), Picture(path="b.png", moment="after")))]
    with Written(FORM, run) as written:
        kinds = [item.class_ for item in trajectory(written).content]
        before = trajectory(written).content[1]
        assert "hunter2" not in written.text
    assert kinds == ["text_observation", "image_observation", "api_action", "text_observation", "image_observation"]
    assert [(note.text, note.element_type, note.bounding_box.width) for note in before.annotations] == [
        ("Save", "button", 100.0),
        ("Amount", "textbox", 200.0),
    ]


def test_without_a_picture_the_elements_are_a_tree_which_is_not_shown_again_while_it_is_the_same() -> None:
    other = VisualState(elements=STATE.elements[:1])
    with Written(FORM, [step(CLICK, STATE), step(CLICK, STATE), step(CLICK, other)]) as written:
        trees = [item for item in trajectory(written).content if isinstance(item, WebObservation)]
    assert trees[0].axtree == '[1] button "Save"\n[2] textbox "Amount"\n[3] textbox "Secret"'
    assert trees[0].viewport_size == (1280, 800)
    assert len(trees) == 2


@given(st.lists(steps, max_size=6), infos)
def test_version_1_2_has_the_same_items_and_no_links(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as linked, Written(PLAIN, run, info) as plain:
        found = json.loads(plain.text)
        assert found["schema_version"] == "1.2.0"
        assert not any("tool_call_id" in item for item in found["content"])
        kept = [{**item, "tool_call_id": None} for item in json.loads(linked.text)["content"]]
        kinds = {kind.__name__: kind for kind in (ApiAction, TextObservation, ImageObservation, WebObservation)}
        for item in found["content"]:
            kinds["".join(part.title() for part in item["class_"].split("_"))].model_validate_json(json.dumps(item))
        assert [item["class_"] for item in kept] == [item["class_"] for item in found["content"]]
