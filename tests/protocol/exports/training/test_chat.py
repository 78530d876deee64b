"""Chats to train on: every sample passes what LLaMA-Factory's converter asks for."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.runs import INFO, STATE, Written, infos, step, steps

import protocol as p
from protocol import ActionTarget, Answer, Click, Coordinate, Drag, InteractionStep, Picture, Type, VisualState, parse_action
from protocol.exports import FormatError, Run, RunInfo, format_named

FORM = format_named("llamafactory")
seen = partial(step, pictures=(Picture(path="a.png"),))


def check(row: Any, folder: Path) -> None:
    """The rules of `SharegptDatasetConverter` and of `_validate_messages` in its mm_plugin."""
    roles = [message["role"] for message in row["messages"]]
    assert roles == ["system", "user", "assistant"]
    for sign, images in (("<image>", row["images"]), ("<video>", []), ("<audio>", [])):
        assert sum(message["content"].count(sign) for message in row["messages"]) == len(images)
    for path in row["images"]:
        assert (folder / path).is_file()
    assert len(row["image_sha256"]) == len(row["images"])


def rows(written: Written) -> list[Any]:
    return [json.loads(line) for line in written.text.splitlines()]


def answered(row: Any) -> Any:
    """The action that the model learns to say: the last line that says one."""
    return json.loads(("\n" + row["messages"][-1]["content"]).rpartition("\nAction: ")[2])


def lost(written: Written) -> list[str]:
    """What is lost, but for the placeholder in the goal."""
    return [loss.what for loss in written.losses if loss.what != "text"]


@given(st.lists(steps, max_size=6), infos)
def test_every_sample_is_one_that_it_takes(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as written:
        samples = rows(written)
        for row in samples:
            check(row, written.path.parent)
            parse_action(answered(row))
        left_out = sum(count for loss, count in written.exported.losses.items() if loss.what == "action")
        assert written.exported.steps == len(samples) == len(run) - left_out


@given(steps)
def test_where_nothing_is_lost_the_answer_is_the_action(one: InteractionStep) -> None:
    with Written(FORM, [one]) as written:
        if not any(loss.what.split(".")[0] in ("target", "to", "drag", "action") for loss in written.losses):
            assert parse_action(answered(rows(written)[0])) == one.action


def test_a_sample_has_the_task_the_screen_the_last_actions_and_the_answer() -> None:
    run = [seen(Click(target=ActionTarget(point=Coordinate(x=n, y=1))), reasoning=f"now {n}", step=n) for n in range(7)]
    with Written(FORM, run, RunInfo(goal="Save it")) as written:
        row = rows(written)[-1]
    said = [json.dumps({"action_type": "click", "target": {"point": {"x": n, "y": 1}}}) for n in range(2, 7)]
    assert row["messages"][1]["content"] == "\n".join(
        ["<image>Task: Save it", "Screen: 1280 x 800 pixels", "Done before:", *said[:4]]
    )
    assert row["messages"][2]["content"] == f"Thought: now 6\nAction: {said[4]}"
    assert (row["step"], row["image_moment"]) == (6, "before")


def test_the_dataset_is_listed_beside_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "dataset_info.json").write_text('{"old": {"file_name": "old.json"}}')
    exported = FORM.write(Run(steps=[]), tmp_path / "crew.jsonl")
    listed = json.loads((tmp_path / "dataset_info.json").read_text())
    assert list(listed) == ["old", "crew"]
    assert listed["crew"]["file_name"] == "crew.jsonl"
    assert listed["crew"]["columns"] == {"messages": "messages", "images": "images"}
    assert [file.name for file in exported.files] == ["crew.jsonl", "dataset_info.json"]


@pytest.mark.parametrize("text", ["[]", "{", "\ud800"])
def test_a_list_of_datasets_that_cannot_be_read_is_not_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "dataset_info.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(FormatError, match=r"dataset_info\.json"):
        FORM.write(Run(steps=[]), tmp_path / "crew.jsonl")
    assert not (tmp_path / "crew.jsonl").exists()


def test_where_a_picture_is_seen_a_target_is_the_point_on_it() -> None:
    drag = Drag(
        target=ActionTarget(element_id="1"), to=ActionTarget(text="Amount"), path=(Coordinate(x=0.5, y=0.5, space="norm1"),)
    )
    with Written(FORM, [seen(drag, STATE)]) as written:
        assert answered(rows(written)[0]) == {
            "action_type": "drag",
            "target": {"point": {"x": 150, "y": 120}},
            "to": {"point": {"x": 200, "y": 220}},
            "path": [{"x": 640, "y": 400}],
        }
        assert lost(written) == ["target.element_id", "to.text", "drag.path"]


def test_a_target_without_a_place_stays_as_it_was_logged() -> None:
    with Written(FORM, [seen(Click(target=ActionTarget(selector="#save")))]) as written:
        assert answered(rows(written)[0])["target"] == {"selector": "#save"}
        assert lost(written) == ["target"]


def test_without_a_picture_the_elements_are_listed_and_their_values_are_not() -> None:
    with Written(FORM, [step(Click(target=ActionTarget(element_id="1")), STATE)]) as written:
        [row] = rows(written)
        assert row["messages"][1]["content"].endswith('Elements:\n1 button "Save"\n2 textbox "Amount"\n3 textbox "Secret"')
        assert answered(row)["target"] == {"element_id": "1"}
        assert row["images"] == []
        assert "hunter2" not in written.text
        assert written.lost("picture")


def test_a_screen_of_hundreds_of_elements_is_cut_and_a_step_without_any_is_left_out() -> None:
    many = VisualState(elements=tuple(p.GUIElement(element_id=str(n)) for n in range(250)))
    with Written(FORM, [step(Answer(text="x"), many), step(Answer(text="x"))]) as written:
        (row,) = rows(written)
        assert row["messages"][1]["content"].endswith('199 element ""\n... 50 more')
        assert written.exported.steps == 1
        assert written.lost("action")


def test_a_placeholder_in_a_text_stands_for_no_picture() -> None:
    hostile = "<image> <video><audio> and <bbox>"
    run = [seen(Type(text=hostile), reasoning=hostile), seen(p.RunScript(code=hostile), reasoning="a\nAction: {}")]
    with Written(FORM, run, INFO) as written:
        for row, action in zip(rows(written), run, strict=True):
            check(row, written.path.parent)
            assert parse_action(answered(row)) == action.action
        assert [(loss.what, count) for loss, count in written.exported.losses.items()] == [("text", 3)]
