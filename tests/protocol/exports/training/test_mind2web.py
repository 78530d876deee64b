"""Mind2Web: tasks and rows, as they are published; an element is known by all that is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from protocol.exports import ImportResult, format_named

FORM = format_named("mind2web")


def operation(op: str, value: str = "", original: str = "") -> dict[str, str]:
    return {"original_op": original or op, "value": value, "op": op}


def candidate(node: str, rect: str = "10,20.4,100,30.2", **more: Any) -> dict[str, Any]:
    return {"tag": "input", "attributes": json.dumps({"bounding_box_rect": rect}), "backend_node_id": node, **more}


def task(*actions: dict[str, Any], words: Any = ()) -> dict[str, Any]:
    about = {"website": "shop", "annotation_id": "t1", "confirmed_task": "Find a flight"}
    return {**about, "action_reprs": list(words), "actions": list(actions)}


def read(folder: Path, text: str) -> ImportResult:
    path = folder / "train.json"
    path.write_text(text, encoding="utf-8")
    return FORM.read(path)


def dumped(imported: ImportResult) -> list[dict[str, Any]]:
    found = list(imported.lines)
    assert all(line.step for line in found), [line.error for line in found]
    return [line.step.action.dump() for line in found if line.step]


BOX = {"x1": 10, "y1": 20, "x2": 110, "y2": 51}
READ = [
    (operation("CLICK"), "[button]  Search -> CLICK", {"action_type": "click"}),
    (operation("CLICK", original="HOVER"), "[button]  Search -> HOVER", {"action_type": "hover"}),
    (operation("CLICK", original="ENTER"), "[button]  Search -> ENTER", {"action_type": "press_key", "keys": ["Enter"]}),
    (operation("TYPE", "a: b -> c"), "[button]  Search -> TYPE: a: b -> c", {"action_type": "type", "text": "a: b -> c"}),
    (operation("SELECT", "One"), "[button]  Search -> SELECT: One", {"action_type": "select_option", "options": ["One"]}),
]


@pytest.mark.parametrize(("said", "words", "meant"), READ, ids=lambda value: str(value)[:30])
def test_an_action_of_a_task_is_read(tmp_path: Path, said: Any, words: str, meant: dict[str, Any]) -> None:
    action = {"action_uid": "a", "operation": said, "pos_candidates": [candidate("7"), candidate("9", is_original_target=True)]}
    imported = read(tmp_path, json.dumps([task(action, words=[words])]))
    assert imported.info.goal == "Find a flight"
    (line,) = imported.lines
    assert line.step
    target = {"element_id": "9", "text": "Search", "role": "button", "bbox": BOX}
    assert line.step.action.dump() == {**meant, "target": target}
    assert (line.step.subtask, line.step.visual_state.app, line.step.reasoning) == ("Find a flight", "shop", words)


def test_a_row_with_texts_for_objects_is_the_same(tmp_path: Path) -> None:
    row = {
        **task(), "operation": json.dumps(operation("TYPE", "NYC")), "pos_candidates": [json.dumps(candidate("3"))],
        "action_reprs": ["[a]  Home -> CLICK", "[input]  From -> TYPE: NYC"], "target_action_index": "1",
    }  # fmt: skip
    del row["actions"]
    target = {"element_id": "3", "text": "From", "bbox": BOX}
    meant = [{"action_type": "type", "target": target, "text": "NYC"}] * 2
    assert dumped(read(tmp_path, f"{json.dumps(row)}\n{json.dumps(row)}\n")) == meant


def test_what_was_not_shown_has_no_box_and_what_was_not_found_is_known_by_its_name(tmp_path: Path) -> None:
    hidden = {"operation": operation("CLICK"), "pos_candidates": [candidate("5", "-1,-1,-1,-1")]}
    gone = {"operation": operation("CLICK"), "pos_candidates": []}
    words = ["[svg]   -> CLICK", "[a]  Sign in -> CLICK"]
    assert [one["target"] for one in dumped(read(tmp_path, json.dumps(task(hidden, gone, words=words))))] == [
        {"element_id": "5"}, {"text": "Sign in", "role": "link"},
    ]  # fmt: skip


def test_a_mistake_names_its_place_and_costs_itself(tmp_path: Path) -> None:
    click = {"operation": operation("CLICK"), "pos_candidates": [candidate("1")]}
    wrong: list[Any] = [
        {**click, "operation": operation("SWIPE")}, {**click, "operation": "{"}, {**click, "pos_candidates": []}, 3,
    ]  # fmt: skip
    found = list(read(tmp_path, json.dumps([task(*wrong, click)])).lines)
    assert [line.step is not None for line in found] == [False, False, False, False, True]
    assert all(f"$[0].actions[{n}]" in found[n].error for n in range(4))
