"""Histories of browser-use, of its old names and its new ones: every action of every answer, and what came of it."""

from pathlib import Path
from typing import Any

import pytest
from written.runs import lines_of

from protocol.dsl import emit

NEW = {"node_name": "BUTTON", "x_path": "html/body/button[1]", "ax_name": "Save", "attributes": {"role": "button", "id": "s"}}
OLD = {"xpath": "/html/body/input", "css_selector": "html > body > input", "attributes": {"placeholder": "Amount"}}
SAVE, AMOUNT = 'button "Save" #5 css "xpath=/html/body/button[1]"', '"Amount" #5 css "html > body > input"'


def item(*actions: Any, elements: Any = (), results: Any = (), **more: Any) -> dict[str, Any]:
    state = {"url": "https://a.example/", "title": "A", "tabs": [], "interacted_element": list(elements), "screenshot": "aGk="}
    return {"model_output": {"action": list(actions), **more}, "result": list(results), "state": state}


def test_a_history_is_read_with_its_reasons_results_and_times(tmp_path: Path) -> None:
    first = item(
        {"input": {"index": 5, "text": 'say "hi" 大'}}, {"click": {"index": 5}}, {"click": {"index": 7}},
        elements=[OLD, NEW], results=[{"error": None}, {"error": "covered"}], thinking="fill it in", memory="m",
    )  # fmt: skip
    first["metadata"] = {"step_start_time": 1700000000.5, "step_number": 1}
    done = [{"is_done": True, "success": True, "extracted_content": "All saved"}]
    last = item({"done": {"text": "All saved", "success": True, "files_to_display": []}}, results=done)
    last["model_output"]["current_state"] = {"next_goal": "finish"}
    found = lines_of("browser_use_history", tmp_path, {"history": [first, last]}, outcome="fulfilled", agent="browser-use")
    steps = [line.step for line in found if line.step]
    assert [emit(step.action) for step in steps] == [
        f'fill {AMOUNT} with "say \\"hi\\" 大"', f"click {SAVE}", "click #7", 'finish "All saved"',
    ]  # fmt: skip
    assert [line.number for line in found] == [1, 1, 1, 2]
    assert [step.reasoning for step in steps] == ["fill it in", "", "", "finish"]
    assert [step.result and step.result.exec_status.value for step in steps] == ["executed", "error", None, "executed"]
    assert steps[1].result
    assert steps[1].result.error == "covered"
    assert (steps[0].timestamp, steps[0].visual_state.app) == (1700000000.5, "A")
    assert "aGk=" not in str([step.raw for step in steps])


def test_a_mistake_in_an_action_costs_only_itself(tmp_path: Path) -> None:
    said = [{"go_back": {}}, {"click": {"index": "x"}}, {"wait": {"seconds": 1}}]
    history = [{"model_output": {"action": actions}, "result": [], "state": {}} for actions in (said, [])]
    back, wrong, wait, silent = lines_of("browser_use_history", tmp_path, {"history": history})
    assert [emit(line.step.action) for line in (back, wait) if line.step] == ["go back", "wait 1 s"]
    assert wrong.error.startswith("$.history[0].model_output.action[1].click.index: a number is needed")
    assert silent.error == "$.history[1].model_output.action: there is no action: the model said none"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ({"go_to_url": {"url": "https://a.example/"}}, 'navigate to "https://a.example/"'),
        ({"navigate": {"url": "https://a.example/", "new_tab": True}}, 'new tab "https://a.example/"'),
        ({"open_tab": {"url": "https://a.example/"}}, 'new tab "https://a.example/"'),
        ({"click_element_by_index": {"index": 5, "xpath": None}}, f"click {SAVE}"),
        ({"click": {"coordinate_x": 10, "coordinate_y": 20}}, "click at (10, 20)"),
        ({"click": {"index": 5, "while_holding_ctrl": True}}, f"Control-click {SAVE}"),
        ({"input": {"index": 5, "text": "a", "clear": False}}, f'type "a" into {SAVE}'),
        ({"select_dropdown_option": {"index": 5, "text": "Travel"}}, f'select "Travel" in {SAVE}'),
        ({"upload_file": {"index": 5, "path": "a.pdf"}}, f'upload "a.pdf" to {SAVE}'),
        ({"send_keys": {"keys": "Control+Shift+T"}}, "press Control+Shift+T"),
        ({"send_keys": {"keys": "hello world"}}, 'type "hello world"'),
        ({"scroll": {"down": False, "num_pages": 0.5}}, "scroll up 0.5 page"),
        ({"scroll": {"down": True, "pages": 2.0, "index": 5}}, f"scroll down 2.0 page in {SAVE}"),
        ({"scroll_down": {"amount": 500}}, "scroll down 500 px"),
        ({"scroll_up": {}}, "scroll up 1 page"),
        ({"go_back": {}}, "go back"),
        ({"wait": {}}, "wait 3 s"),
        ({"switch_tab": {"page_id": 1}}, "switch to tab 1"),
        ({"done": {"text": "no", "success": False}}, 'fail "no"'),
        ({"click": {"index": 5}, "input": None, "interacted_element": {}}, f"click {SAVE}"),
        # without a verb of ours
        ({"search": {"query": "a b", "engine": "google"}}, 'x-browser_use.search {"query": "a b", "engine": "google"}'),
        ({"switch": {"tab_id": "a1b2"}}, 'x-browser_use.switch {"tab_id": "a1b2"}'),
        ({"switch_tab": {"page_id": -1}}, 'x-browser_use.switch_tab {"page_id": -1}'),
        ({"done": {"success": True, "data": {"n": 1}}}, 'x-browser_use.done {"success": true, "data": {"n": 1}}'),
        ({"my_own_tool": {"deep": {"a": [1, None]}}}, 'x-browser_use.my_own_tool {"deep": {"a": [1, null]}}'),
    ],
    ids=lambda value: str(value)[:40],
)
def test_functions_of_every_version_are_verbs_or_carried(tmp_path: Path, said: Any, line: str) -> None:
    (found,) = lines_of("browser_use_history", tmp_path, {"history": [item(said, elements=[NEW])]})
    assert found.step, found.error
    assert emit(found.step.action) == line
