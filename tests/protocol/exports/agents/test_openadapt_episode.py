"""OpenAdapt's episodes: its own model judges what is written, and recordings of both its schemas are read."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openadapt_types import Episode
from written.runs import INFO, STATE, Written, core, infos, lines_of, step, steps

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, Coordinate, ExecStatus, FinishGoal, GUIElement, InteractionStep, Picture
from protocol.dsl import emit
from protocol.exports import FormatError, format_named

FORM = format_named("openadapt_episode")
HERE = ActionTarget(point=Coordinate(x=10, y=20))


def read(path: Path) -> list[Any]:
    return list(FORM.read(path).lines)


def theirs(tmp_path: Path, *told: Any, **more: Any) -> list[Any]:
    head = {"schema_version": "0.1.0", "episode_id": "e1", "instruction": "do it"}
    return lines_of("openadapt_episode", tmp_path, {**head, "steps": told, **more}, run_id="e1", goal="do it")


@given(steps)
def test_where_nothing_is_lost_the_same_step_is_read_back(one: InteractionStep) -> None:
    with Written(FORM, [one]) as written:
        lines = read(written.path)
        lost = {loss.what for loss in written.losses} - {"picture"}
        assert not any(line.error for line in lines)
        assert bool(lines) == ("action" not in lost)
        if not lost:
            assert [core(line.step) for line in lines] == [core(one)]
            public = tuple(e.model_copy(update={"value": None}) if e.private else e for e in one.visual_state.elements)
            assert lines[0].step.visual_state.elements == public


@given(st.lists(steps, max_size=5), infos)
def test_their_model_takes_every_run(run: list[InteractionStep], info: Any) -> None:
    with Written(FORM, run, info) as written:
        episode = Episode.from_file(written.path)
        assert [each.step_index for each in episode.steps] == list(range(len(episode.steps)))
        assert (episode.episode_id, episode.instruction) == (info.run_id, info.goal)
        assert FORM.read(written.path).info == info
        for told in episode.steps:
            shown = told.observation.screenshot_path
            assert shown is None or (written.path.parent / shown).is_file()


def test_a_run_is_told_as_they_tell_it() -> None:
    result = p.ActionResult(exec_status=ExecStatus.TIMEOUT, error="too slow")
    run = [
        step(Click(target={"text": "Save"}), visual_state=STATE, reasoning="save it", pictures=(Picture(path="a.png"),)),
        step(p.Fill(target={"element_id": "2"}, text="9"), visual_state=STATE, result=result),
        step(p.SelectOption(target=HERE, options=("a",))),
        step(FinishGoal()),
    ]
    with Written(FORM, run, INFO) as written:
        episode = Episode.from_file(written.path)
        assert [told.action.type.value for told in episode.steps] == ["click", "click", "hotkey", "key", "type", "done"]
        assert {loss.what for loss in written.losses} == {"target.text", "fill", "action", "picture"} - {"picture"}
    first, second, last = episode.steps[0], episode.steps[1], episode.steps[-1]
    assert (first.action.target.node_id, first.reasoning, first.observation.viewport) == ("1", "save it", (1280, 800))
    node = first.observation.get_node("2")
    assert (node.role, node.name, node.value, node.bbox.center) == ("text_input", "Amount", "7", (200, 220))
    assert first.observation.get_node("3").value is None
    assert (second.result.success, second.result.error, second.result.error_type) == (False, "too slow", "timeout")
    assert (last.done, episode.success, episode.agent_model) == (True, True, "deskcrew")


def test_a_screen_comes_back_as_it_was() -> None:
    seen = p.VisualState(
        screen_resolution=(1920, 1080),
        app="mail",
        windows=(p.Window(window_id="w1", app="mail", title="Inbox", focused=True),),
        modal="d",
        loading=True,
        timestamp=5.0,
        elements=(
            GUIElement(element_id="d", role="dialog", text="Send?", bbox=BoundingBox(x1=-5, y1=0, x2=100, y2=90)),
            GUIElement(element_id="ok", role="unknown", text="", parent="d", track_id="t", options=("a",), enabled=False),
            GUIElement(element_id="x", visible=False, focused=True, selected=True, required=True, confidence=0.5, value="v"),
        ),
    )
    with Written(FORM, [step(Click(target={"element_id": "ok"}), visual_state=seen)]) as written:
        assert read(written.path)[0].step.visual_state == seen
        tree = Episode.from_file(written.path).steps[0].observation
        assert [node.node_id for node in tree.get_children("d")] == ["ok"]


OBSERVED = {
    "schema_version": "0.1.0", "screenshot_path": "shots/1.png", "viewport": [1440, 900], "url": "http://x",
    "platform": "windows", "screenshot_base64": "aGVsbG8=", "nodes": [
        {"node_id": "n0", "role": "window", "name": "App", "children_ids": ["n1"]},
        {"node_id": "n1", "role": "text_input", "name": "User", "text": "user name", "value": "bob", "is_enabled": False,
         "bbox": {"x": 10, "y": 20, "width": 30, "height": 40}, "is_editable": True, "automation_id": "userBox",
         "attributes": {"data-x": 1}},
    ],
}  # fmt: skip


def test_an_episode_of_openadapt_types_is_read(tmp_path: Path) -> None:
    click = {"type": "click", "target": {"x": 0.5, "y": 0.5, "is_normalized": True}, "raw": {"source": "waa"}}
    result = {"success": False, "error": "gone", "error_type": "grounding_error", "resolved_coordinates": [720, 450]}
    about = {"reasoning": "it is there", "reward": 0.5, "timestamp": 12.5, "duration_ms": 80}
    first = {"step_index": 0, "observation": OBSERVED, "action": click, "result": result, **about}
    save = {"type": "hotkey", "key": "s", "modifiers": ["ctrl"], "reasoning": "save"}
    second = {"step_index": 1, "observation": {"screenshot_path": "shots/2.png"}, "action": save}
    lines = theirs(tmp_path, first, second, success=False, agent_model="claude", tags=["demo"])
    info = FORM.read(tmp_path / "run.json").info
    assert (info.outcome, info.agent) == ("rejected", "claude")
    Episode.from_file(tmp_path / "run.json")
    assert [line.error for line in lines] == ["", ""]
    one, two = (line.step for line in lines)
    assert one.action == Click(target=ActionTarget(point=Coordinate(x=0.5, y=0.5, space="norm1")))
    assert (one.timestamp, one.step, one.run_id, one.reasoning) == (12.5, 0, "e1", "it is there")
    assert one.pictures == (Picture(path="shots/1.png"), Picture(path="shots/2.png", moment="after"))
    assert one.visual_state.screenshot_path == "shots/1.png"
    assert one.visual_state.screen_resolution == (1440, 900)
    user = one.visual_state.by_id["n1"]
    assert (user.role, user.text, user.value, user.enabled, user.parent) == ("textbox", "User", "bob", False, "n0")
    assert user.bbox == BoundingBox(x1=10, y1=20, x2=40, y2=60)
    assert (one.result.exec_status, one.result.error) == (ExecStatus.ERROR, "gone")
    assert tuple(one.result.resolved.point) == (720, 450)
    assert one.raw == {
        "reward": 0.5,
        "duration_ms": 80,
        "observation": {
            "url": "http://x",
            "platform": "windows",
            "left_out": ["screenshot_base64"],
            "nodes": {"n1": {"is_editable": True, "automation_id": "userBox", "text": "user name", "attributes": {"data-x": 1}}},
        },
        "result": {"error_type": "grounding_error"},
        "action": {"source": "waa"},
        "episode": {"tags": ["demo"]},
    }
    assert (two.action, two.reasoning, two.step) == (p.PressKey(keys=("Control", "s")), "save", 1)


OLDER = [
    ({"type": "click", "coordinates": {"x": 512, "y": 384}, "element": {"role": "button", "name": "OK", "element_id": "b"}},
     'click button "OK" #b at (512, 384)'),
    ({"type": "double_click", "normalized_coordinates": [0.5, 0.25]}, "double-click at (0.5, 0.25) norm1"),
    ({"type": "drag", "start_coordinates": {"x": 1, "y": 2}, "end_coordinates": {"x": 3, "y": 4}}, "drag at (1, 2) to (3, 4)"),
    ({"type": "click_and_type", "coordinates": {"x": 5, "y": 6}, "text": "hi"}, 'type "hi" at (5, 6)'),
    ({"type": "wait", "duration": 2.5}, "wait 2.5 s"),
    ({"type": "window_focus", "window_title": "Mail"}, 'switch to "Mail"'),
    ({"type": "select_monitor", "monitor_id": 2}, 'x-openadapt.select_monitor {"monitor_id": 2}'),
    ({"type": "click", "element": {"name": "Save", "bounds": {"x": 0, "y": 0, "width": 10, "height": 10}, "xpath": "//a"}},
     'click "Save" css "//a" box [0, 0, 10, 10]'),
    ({"type": "done"}, "finish"),
    ({"type": "fail", "reasoning": "there is no such file"}, 'fail "there is no such file"'),
]  # fmt: skip


def test_an_episode_of_openadapt_ml_is_read(tmp_path: Path) -> None:
    observed = {"screenshot_path": "1.png", "screen_size": [1920, 1080], "window_title": "Mail"}
    told = [{"step_index": n, "observation": observed, "action": action} for n, (action, _) in enumerate(OLDER)]
    lines = theirs(tmp_path, *told, schema_version="1.0.0")
    assert [emit(line.step.action) if line.step else line.error for line in lines] == [said for _, said in OLDER]
    assert lines[0].step.visual_state.screen_resolution == (1920, 1080)
    assert lines[0].step.raw["observation"] == {"window_title": "Mail"}


def test_what_was_lost_in_reading_is_kept_with_the_step(tmp_path: Path) -> None:
    (line,) = theirs(tmp_path, {"observation": {}, "action": {"type": "click", "target": {"x": 1, "y": 1}}})
    assert line.step.action == Click(target={"point": [1, 1]})
    assert line.step.raw["losses"] == ["is_normalized: not said: whole numbers are read as pixels, others as fractions"]


def test_a_picture_elsewhere_is_named_but_not_followed(tmp_path: Path) -> None:
    away = {"step_index": 0, "observation": {"screenshot_path": "/home/me/1.png"}, "action": {"type": "done"}}
    (line,) = theirs(tmp_path, away)
    assert line.step.pictures == ()
    assert line.step.raw["screenshot_path"] == "/home/me/1.png"


@pytest.mark.parametrize(
    "text",
    [
        '{"steps": [], "schema_version": "2.0.0"}',
        '{"steps": [], "schema_version": 1}',
        '{"steps": [], "x": ' + "9" * 5000 + "}",
        '{"steps": [NaN]}',
    ],
)
def test_a_file_that_is_no_episode_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "episode.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=r"episode\.json"):
        read(path)
