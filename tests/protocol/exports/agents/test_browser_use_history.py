"""Histories of browser-use, of its old names and its new ones: every action of every answer, and what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import protocol as p
from protocol.exports import ImportResult, format_named
from protocol.log.log import LogLine

FORM = format_named("browser_use_history")
NEW = {"node_name": "BUTTON", "x_path": "html/body/button[1]", "ax_name": "Save", "attributes": {"role": "button", "id": "s"}}
OLD = {
    "tag_name": "input",
    "xpath": "/html/body/input",
    "css_selector": "html > body > input",
    "attributes": {"placeholder": "Amount"},
}
NEW_TARGET = {"element_id": "5", "text": "Save", "role": "button", "selector": "xpath=/html/body/button[1]"}
OLD_TARGET = {"element_id": "5", "text": "Amount", "selector": "html > body > input"}


def read(path: Path, *history: Any) -> ImportResult:
    path = path / "history.json"
    path.write_text(json.dumps({"history": list(history)}), encoding="utf-8")
    return FORM.read(path)


def item(*actions: Any, elements: Any = (), results: Any = (), **more: Any) -> dict[str, Any]:
    state = {"url": "https://a.example/", "title": "A", "tabs": [], "interacted_element": list(elements), "screenshot": "aGk="}
    return {"model_output": {"action": list(actions), **more}, "result": list(results), "state": state}


def one(path: Path, action: Any, element: Any = None) -> Any:
    (line,) = read(path, item(action, elements=[element])).lines
    assert line.step, line.error
    return line.step.action


def test_a_history_is_read_with_its_reasons_results_and_times(tmp_path: Path) -> None:
    first = item(
        {"input": {"index": 5, "text": 'say "hi" 大'}}, {"click": {"index": 5}}, {"click": {"index": 7}},
        elements=[OLD, NEW], results=[{"error": None}, {"error": "covered"}], thinking="fill it in", memory="m",
    )  # fmt: skip
    first["metadata"] = {"step_start_time": 1700000000.5, "step_number": 1}
    done = [{"is_done": True, "success": True, "extracted_content": "All saved"}]
    last = item({"done": {"text": "All saved", "success": True, "files_to_display": []}}, results=done)
    last["model_output"]["current_state"] = {"next_goal": "finish"}
    imported = read(tmp_path, first, last)
    found: list[LogLine] = list(imported.lines)
    steps = [line.step for line in found if line.step]
    assert [step.action for step in steps] == [
        p.Fill(target=OLD_TARGET, text='say "hi" 大'), p.Click(target=NEW_TARGET), p.Click(target={"element_id": "7"}),
        p.FinishGoal(summary="All saved"),
    ]  # fmt: skip
    assert [line.number for line in found] == [1, 1, 1, 2]
    assert [step.reasoning for step in steps] == ["fill it in", "", "", "finish"]
    assert [step.result and step.result.exec_status.value for step in steps] == ["executed", "error", None, "executed"]
    assert steps[1].result.error == "covered"
    assert (steps[0].timestamp, steps[0].visual_state.app) == (1700000000.5, "A")
    assert "aGk=" not in str([step.raw for step in steps])
    assert (imported.info.outcome, imported.info.agent) == ("fulfilled", "browser-use")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"go_to_url": {"url": "https://a.example/"}}, p.Navigate(url="https://a.example/")),
        ({"navigate": {"url": "https://a.example/", "new_tab": True}}, p.Tabs(op="new", url="https://a.example/")),
        ({"open_tab": {"url": "https://a.example/"}}, p.Tabs(op="new", url="https://a.example/")),
        ({"click_element_by_index": {"index": 5, "xpath": None}}, p.Click(target=NEW_TARGET)),
        ({"click": {"coordinate_x": 10, "coordinate_y": 20}}, p.Click(target={"point": [10, 20]})),
        ({"click": {"index": 5, "while_holding_ctrl": True}}, p.Click(target=NEW_TARGET, modifiers="ctrl")),
        ({"input": {"index": 5, "text": "a", "clear": False}}, p.Type(target=NEW_TARGET, text="a")),
        ({"select_dropdown_option": {"index": 5, "text": "Travel"}}, p.SelectOption(target=NEW_TARGET, options="Travel")),
        ({"upload_file": {"index": 5, "path": "a.pdf"}}, p.Upload(target=NEW_TARGET, files=("a.pdf",))),
        ({"send_keys": {"keys": "Control+Shift+T"}}, p.PressKey(keys=("Control", "Shift", "T"))),
        ({"send_keys": {"keys": "hello world"}}, p.Type(text="hello world")),
        ({"scroll": {"down": False, "num_pages": 0.5}}, p.Scroll(delta={"y": -0.5}, unit="page")),
        ({"scroll": {"down": True, "pages": 2.0, "index": 5}}, p.Scroll(delta={"y": 2}, unit="page", target=NEW_TARGET)),
        ({"scroll_down": {"amount": 500}}, p.Scroll(delta={"y": 500}, unit="px")),
        ({"scroll_up": {}}, p.Scroll(delta={"y": -1}, unit="page")),
        ({"go_back": {}}, p.GoBack()),
        ({"wait": {}}, p.Wait(seconds=3)),
        ({"switch_tab": {"page_id": 1}}, p.Tabs(op="select", index=1)),
        ({"done": {"text": "no", "success": False}}, p.FailGoal(reason="no")),
        ({"click": {"index": 5}, "input": None, "interacted_element": {}}, p.Click(target=NEW_TARGET)),
    ],
)
def test_functions_of_every_version_are_verbs(tmp_path: Path, said: Any, meant: p.AgentAction) -> None:
    assert one(tmp_path, said, NEW) == meant


@pytest.mark.parametrize(
    "said",
    [{"search": {"query": "a b", "engine": "google"}}, {"switch": {"tab_id": "a1b2"}}, {"switch_tab": {"page_id": -1}},
     {"extract": {"query": "all"}}, {"evaluate": {"code": "alert(1)"}}, {"done": {"success": True, "data": {"n": 1}}},
     {"my_own_tool": {"deep": {"a": [1, None]}}}],
)  # fmt: skip
def test_functions_without_a_verb_are_carried_with_their_arguments(tmp_path: Path, said: dict[str, Any]) -> None:
    ((name, arguments),) = said.items()
    assert one(tmp_path, said).dump() == {"action_type": f"x-browser_use.{name}", "arguments": arguments}


@pytest.mark.parametrize(
    ("bad", "said"),
    [({"model_output": None, "result": [{"error": "429 Too Many"}]}, "429 Too Many"), ({}, "$.history[0].model_output.action"),
     (3, "a step is an object"), (item({}), "an object with one function"),
     (item({"a": {}, "b": {}}), "an object with one function"), (item({"Bad Name": {}}), "not a valid name of a function"),
     (item({"click": {}}), "index"), (item({"click": {"index": 5, "n": 1}}), ".n"),
     (item({"input": {"index": 5, "text": 3}}), "text"), (item({"go_to_url": {}}), "url")],
)  # fmt: skip
def test_what_is_not_understood_costs_itself_and_says_why(tmp_path: Path, bad: Any, said: str) -> None:
    first, last = read(tmp_path, bad, item({"go_back": {}})).lines
    assert first.step is None
    assert said in first.error
    assert last.step
