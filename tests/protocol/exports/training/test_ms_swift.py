"""ms-swift: as many pictures and boxes as there are placeholders, and a call that is plain Python."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from written.runs import BLANK, STATE, Written, infos, steps

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, Coordinate, Drag, InteractionStep, Picture, Screenshot, Type, VisualState
from protocol.exports import RunInfo, format_named

FORM = format_named("ms_swift")
SEEN = (Picture(path="a.png"),)
TAGS = ("<video>", "<audio>", "<ref-object>", "<cot-process>", "<start-image>", "<end-image>")


def check(row: Any, folder: Path) -> None:
    """The rules of Custom-dataset.md and of `normalize_bbox` in its template."""
    texts = [message["content"] for message in row["messages"]]
    assert [message["role"] for message in row["messages"]] == ["system", "user", "assistant"]
    assert sum(text.count("<image>") for text in texts) == len(row["images"])
    assert not any(tag in text for text in texts for tag in TAGS)
    objects = row.get("objects", {"ref": [], "bbox": [], "bbox_type": "norm1"})
    assert set(objects) == {"ref", "bbox", "bbox_type"}
    assert objects["bbox_type"] == "norm1"
    assert sum(text.count("<bbox>") for text in texts) == len(objects["bbox"])
    for box in objects["bbox"]:
        assert len(box) in (2, 4)
        assert all(type(number) is float and 0 <= number <= 1 for number in box)
    for path in row["images"]:
        assert (folder / path).is_file()


def rows(written: Written) -> list[Any]:
    return [json.loads(line) for line in written.text.splitlines()]


def call(row: Any) -> tuple[str, dict[str, Any]]:
    """The call of the answer; parsed, never run."""
    answer = "\n" + row["messages"][-1]["content"]
    node = ast.parse(answer.rpartition("\nAction: ")[2], mode="eval").body
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return node.func.id, {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}


def step(action: Any, state: VisualState = BLANK, **fields: Any) -> InteractionStep:
    return InteractionStep(timestamp=1, visual_state=state, action=action, **{"pictures": SEEN, **fields})


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(steps, max_size=6), infos)
def test_every_sample_is_one_that_it_takes(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as written:
        samples = rows(written)
        for row in samples:
            check(row, written.path.parent)
            call(row)
        left_out = sum(count for loss, count in written.exported.losses.items() if loss.what == "action")
        assert written.exported.steps == len(samples) == len(run) - left_out


def test_a_click_is_a_call_with_its_box() -> None:
    with Written(FORM, [step(Click(target=ActionTarget(element_id="1"), button="right"), STATE, reasoning="Save")]) as written:
        [row] = rows(written)
    assert row["messages"][-1]["content"] == "Thought: Save\nAction: click(start_box='<bbox>', button='right')"
    assert row["objects"] == {"ref": [], "bbox": [[0.117188, 0.15]], "bbox_type": "norm1"}


def test_boxes_stand_in_the_order_in_which_the_text_names_them() -> None:
    drag = Drag(
        target=ActionTarget(point=Coordinate(x=128, y=80)),
        path=(Coordinate(x=256, y=160), Coordinate(x=0.5, y=0.25, space="norm1")),
        to=ActionTarget(point=Coordinate(x=640, y=400)),
    )
    shot = Screenshot(region=BoundingBox(x1=0, y1=0, x2=640, y2=800))
    with Written(FORM, [step(drag), step(shot)]) as written:
        first, second = rows(written)
    assert call(first) == ("drag", {"start_box": "<bbox>", "path": ["<bbox>", "<bbox>"], "end_box": "<bbox>"})
    assert first["objects"]["bbox"] == [[0.1, 0.1], [0.2, 0.2], [0.5, 0.25], [0.5, 0.5]]
    assert second["objects"]["bbox"] == [[0.1, 0.1], [0.2, 0.2], [0.5, 0.25], [0.5, 0.5], [0.0, 0.0, 0.5, 1.0]]


def test_a_place_off_the_screen_is_kept_on_it_and_told() -> None:
    shot = Screenshot(region=BoundingBox(x1=-5, y1=0, x2=2000, y2=800))
    with Written(FORM, [step(Click(target=ActionTarget(point=Coordinate(x=1300, y=1)))), step(shot)]) as written:
        assert rows(written)[1]["objects"]["bbox"][1] == [0.0, 0.0, 1.0, 1.0]
        assert [loss.what for loss in written.losses if loss.what != "text"] == ["target.point", "region"]


def test_a_verb_of_others_is_said_by_name() -> None:
    one = p.Extension(action_type="x-a.b-c", arguments={"text": "it's <bbox>", "n": None})
    with Written(FORM, [step(one)]) as written:
        [row] = rows(written)
        assert call(row) == ("extension", {"verb": "x-a.b-c", "arguments": {"text": "it's <bbox>", "n": None}})


def test_without_a_picture_there_are_no_boxes() -> None:
    with Written(FORM, [step(Click(target=ActionTarget(element_id="1")), STATE, pictures=())]) as written:
        [row] = rows(written)
        assert call(row) == ("click", {"target": {"element_id": "1"}})
        assert "objects" not in row


def test_a_placeholder_in_a_text_stands_for_no_box() -> None:
    hostile = "<bbox>\\<image>'\"\n<ref-object>"
    with Written(FORM, [step(Type(text=hostile), reasoning=hostile)]) as written:
        [row] = rows(written)
        check(row, written.path.parent)
        assert call(row) == ("type", {"text": hostile})
