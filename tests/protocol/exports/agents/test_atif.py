"""ATIF: what we write its own models accept and we read back exactly; what others write is read or refused at its place."""

import json
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory
from hypothesis import given
from hypothesis import strategies as st
from written.runs import BLANK, INFO, Written, core, infos, lines_of, step, steps

from protocol import ActionResult, ActionTarget, Click, Coordinate, ExecStatus, FinishGoal, InteractionStep, Picture, Type
from protocol.exports import FormatError, format_named

FORM = format_named("atif")
SAVE = Click(target=ActionTarget(text="Save"))


DONE, FAILED = (ActionResult(exec_status=status, output="ok") for status in (ExecStatus.EXECUTED, ExecStatus.ERROR))
CREW = [
    step(SAVE, subtask="s1", role="operator", reasoning="first\nlook", result=DONE),
    step(Type(text="a"), subtask="s1", role="operator", result=FAILED),
    step(SAVE, subtask="s1", role="technician"),
    step(SAVE, subtask="s2", role="operator"),
    step(SAVE, subtask="s1", role="operator"),
    step(FinishGoal(summary="done")),
]


def foreign(tmp_path: Path, *told: dict[str, Any], **more: Any) -> list[Any]:
    numbered = [{"step_id": n, **one} for n, one in enumerate(told, start=1)]
    head = {"schema_version": "ATIF-v1.6", "session_id": "x", "agent": {"name": "theirs", "version": "1"}}
    return lines_of("atif", tmp_path, {**head, "steps": numbered, **more}, run_id="x", agent="theirs")


def called(function: str, arguments: Any, **more: Any) -> dict[str, Any]:
    call = {"tool_call_id": "c1", "function_name": function, "arguments": arguments}
    return {"source": "agent", "message": "", "tool_calls": [call], **more}


@given(st.lists(steps, max_size=5), infos)
def test_whatever_is_written_its_models_accept_and_reading_gives_back(run: list[InteractionStep], info: Any) -> None:
    with Written(FORM, run, info) as written:
        Trajectory.model_validate(json.loads(written.text))
        assert FORM.read(written.path).info == info
        lines = list(FORM.read(written.path).lines)
        assert [line.error for line in lines] == [""] * len(run)
        assert [core(line.step) for line in lines] == [core(step) for step in run]


def test_the_root_is_the_controller_with_a_step_and_a_trajectory_for_every_delegation() -> None:
    with Written(FORM, CREW) as written:
        root = Trajectory.model_validate(json.loads(written.text))
    assert root.schema_version == "ATIF-v1.8"
    assert root.session_id == "r1"
    assert root.steps[0].message == INFO.goal
    assert [step.source for step in root.steps] == ["user", "agent", "agent", "agent", "agent", "agent"]
    handed = [(c.arguments["subtask"], c.arguments["role"]) for s in root.steps[1:-1] for c in s.tool_calls or []]
    assert handed == [("s1", "operator"), ("s1", "technician"), ("s2", "operator"), ("s1", "operator")]
    assert [step.llm_call_count for step in root.steps[1:-1]] == [0, 0, 0, 0]
    assert [c.function_name for c in root.steps[-1].tool_calls or []] == ["finish_goal"]
    results = [result for step in root.steps for result in (step.observation.results if step.observation else [])]
    refs = [ref.trajectory_id for result in results for ref in result.subagent_trajectory_ref or []]
    subagents = root.subagent_trajectories or []
    assert refs == [subagent.trajectory_id for subagent in subagents]
    assert [len(subagent.steps) for subagent in subagents] == [3, 2, 2, 2]
    assert [subagent.agent.name for subagent in subagents] == ["operator", "technician", "operator", "operator"]
    first = subagents[0]
    assert (first.steps[0].source, first.steps[0].message) == ("user", "s1")
    assert first.steps[1].reasoning_content == "first\nlook"
    assert first.steps[1].llm_call_count is None
    assert [step.observation.results[0].content for step in first.steps[1:] if step.observation] == [
        "executed\nok",
        "error\nok",
    ]
    assert json.loads(written.text)["extra"]["deskcrew"]["outcome"] == "fulfilled"
    assert json.loads(written.text)["final_metrics"] == {"total_steps": 6}


def test_pictures_are_copied_and_shown_after_the_action_and_at_the_start_of_the_work() -> None:
    run = [step(SAVE, subtask="s1", role="operator", pictures=(Picture(path=path),)) for path in ("a.png", "b.png")]
    with Written(FORM, run) as written:
        subagent = json.loads(written.text)["subagent_trajectories"][0]
        lines = list(FORM.read(written.path).lines)
        start = subagent["steps"][0]["message"][1]["source"]
        after = subagent["steps"][1]["observation"]["results"][0]["content"][0]["source"]
        assert (start["media_type"], after["media_type"]) == ("image/png", "image/png")
        assert (written.path.parent / start["path"]).read_bytes() != (written.path.parent / after["path"]).read_bytes()
    first = lines[0].step.pictures
    assert [(picture.moment, len(picture.sha256)) for picture in first] == [("before", 64), ("after", 64)]
    assert first[1].path == lines[1].step.pictures[0].path == after["path"]


def test_pictures_that_are_gone_or_of_another_kind_are_losses() -> None:
    with Written(FORM, [step(SAVE, pictures=(Picture(path="gone.png"), Picture(path="c.svg", moment="after")))]) as written:
        assert sorted(loss.why for loss in written.losses) == [
            "ATIF shows no .svg pictures; only its path is kept",
            "the file that the log names is not there",
        ]
    with Written(FORM, [step(SAVE, BLANK.model_copy(update={"screenshot_path": "/etc/hostname"}))]) as written:
        assert written.lost("picture")


def test_the_work_of_others_is_read_as_far_as_their_tools_are_known(tmp_path: Path) -> None:
    lines = foreign(
        tmp_path,
        {"source": "user", "message": "Book it"},
        called("bash", {"command": "ls"}),
        called("click", {"target": {"text": "Book"}}, message="Now I book."),
        called("click", {"target": {"text": "Book"}, "how": "gently"}),
        called("computer", {"action": "left_click", "coordinate": [3, 4]}, reasoning_content="there"),
        called("computer", {"action": "dance"}),
        called("mcp__playwright__browser_click", {"element": "Book", "target": "e12"}),
        called("browser_click", {"index": 3}),
    )
    assert [line.number for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    assert lines[0].error == "$.steps[1].tool_calls[0].function_name: there is no tool 'bash'"
    assert lines[1].step.action == Click(target=ActionTarget(text="Book"))
    assert lines[1].step.reasoning == "Now I book."
    assert lines[2].error == "$.steps[3].tool_calls[0].arguments.how: Extra inputs are not permitted"
    assert lines[3].step.action == Click(target=ActionTarget(point=Coordinate(x=3, y=4)))
    assert lines[3].step.reasoning == "there"
    assert lines[4].error.startswith("$.steps[5].tool_calls[0].arguments")
    assert lines[5].step.action.target.element_id == "e12"
    assert lines[6].error.startswith("$.steps[7].tool_calls[0].arguments")


def test_what_a_tool_of_others_answered_is_kept_and_is_no_verdict(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "Error: no"}, {"type": "image", "source": {"media_type": "image/png", "path": "s/1.png"}}]
    shown = {"results": [{"source_call_id": "c1", "content": content}]}
    about = {"message": "m", "reasoning_content": "r", "metrics": {"cost_usd": 1}, "timestamp": "2025-01-01T00:00:00Z"}
    spoken = called("go_back", {}, observation=shown, **about)
    [line] = foreign(tmp_path, spoken)
    assert line.step.result is None
    assert line.step.raw == {"metrics": {"cost_usd": 1}, "message": "m", "observation": content}
    assert line.step.pictures == (Picture(path="s/1.png", moment="after"),)
    assert line.step.timestamp == 1735689600.0


def test_a_verb_that_is_said_twice_is_refused(tmp_path: Path) -> None:
    [line] = foreign(tmp_path, called("wait", {"action_type": "finish_goal"}))
    assert line.step is None
    assert ".arguments.action_type: " in line.error


def test_copied_context_is_not_told_twice(tmp_path: Path) -> None:
    lines = foreign(tmp_path, called("go_back", {}, is_copied_context=True), called("go_forward", {}))
    assert [line.step.action.verb for line in lines] == ["go_forward"]


def delegated(**ref: Any) -> dict[str, Any]:
    observation = {"results": [{"source_call_id": "c1", "subagent_trajectory_ref": [ref]}]}
    return called("task", {}, observation=observation)


def test_subagents_are_read_where_they_are_delegated_to_and_once(tmp_path: Path) -> None:
    subagents = [
        {"trajectory_id": name, "agent": {"name": name, "version": "1"}, "steps": [called(verb, {})]}
        for name, verb in (("a", "go_back"), ("b", "go_forward"), ("idle", "screenshot"))
    ]
    lines = foreign(
        tmp_path,
        delegated(trajectory_id="b"),
        delegated(trajectory_id="a"),
        delegated(trajectory_id="a"),
        delegated(trajectory_id="none"),
        delegated(trajectory_path="other.json"),
        subagent_trajectories=subagents,
    )
    assert [line.step.action.verb if line.step else line.error for line in lines] == [
        "go_forward",
        "go_back",
        "$.steps[3]: there is no subagent trajectory 'none'",
        "$.steps[4]: the subagent's steps are in another file, 'other.json'; read it by itself",
        "screenshot",
    ]


def test_subagents_may_not_be_nested_without_end(tmp_path: Path) -> None:
    inner: dict[str, Any] = {"trajectory_id": "t", "steps": [called("go_back", {})]}
    for _ in range(40):
        inner = {"trajectory_id": "t", "steps": [], "subagent_trajectories": [inner]}
    [line] = foreign(tmp_path, subagent_trajectories=[inner])
    assert "nested more than 20 deep" in line.error


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"schema_version": "ATIF-v1.8", "steps": [', "not JSON: Expecting value"),
        ('{"schema_version": "ATIF-v2.0", "steps": []}', "$.schema_version: ATIF-v1 is read, not 'ATIF-v2.0'"),
        ('{"steps": []}', "$.schema_version"),
        ('{"schema_version": "ATIF-v1.8", "steps": [NaN]}', "NaN is not a number in JSON"),
    ],
)
def test_a_file_that_is_no_atif_is_refused_by_name_and_place(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=r"run\.json") as caught:
        lines_of("atif", tmp_path, [text])
    assert reason in str(caught.value)
