"""What holds for every format: little memory, a whole file or none, and one typed error for what is not of it."""

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from written.runs import STATE, Written, core, lines_of, spoiled
from written.runs import steps as any_step

from protocol import ActionResult, ActionTarget, Click, Coordinate, ExecStatus, InteractionStep
from protocol.exports import NAMES, FormatError, Run, format_named

LINES = ["osworld", "llamafactory", "adp", "agentnet_traj", "playwright_script"]
CALL = {"tool_call_id": "c1", "function_name": "click", "arguments": {"target": {"text": "Save"}}}
SEEN = {"results": [{"source_call_id": "c1", "content": [{"type": "image", "source": {"path": "a.png"}}]}]}
NODE = {"node_id": "a", "role": "button", "name": "A", "bbox": {"x": 1, "y": 2, "width": 3, "height": 4}, "children_ids": ["b"]}
AIMED = {"type": "click", "target": {"x": 1, "y": 2, "is_normalized": False}, "coordinates": {"x": 1, "y": 2}}
TRACKED = {"track_id": "t", "latest_element": {"id": 0, "type": "button", "content": "OK", "bounds": [0.1, 0.2, 0.3, 0.4]}}
INTERACTED = {"ax_name": "Save", "x_path": "html/a", "attributes": {"role": "button"}}
BROWSED = [{"click": {"index": 5}}, {"input": {"index": 5, "text": "a", "clear": True}}, {"scroll": {"down": True, "pages": 1}}]
PRESSED = {"selector": "#a", "button": "left", "delay": 5, "modifiers": ["Shift"]}
CHOSEN = {"selector": "#a", "options": [{"label": "b"}]}
SAMPLES: dict[str, Any] = {
    "atif": {"schema_version": "ATIF-v1.6", "steps": [{"source": "agent", "tool_calls": [CALL], "observation": SEEN}]},
    "osworld": [
        {"step_num": 1, "action": "pyautogui.click(1, 2)", "response": "r", "info": {}, "screenshot_file": "a.png"},
        {"step_num": 2, "action": {"action_type": "CLICK", "parameters": {"x": 1, "y": 2}}},
    ],
    "agentnet_traj": [
        {"task_id": "t", "instruction": "i", "traj": [{"image": "a.png", "value": {"thought": "t", "code": "mobile.back()"}}]}
    ],
    "openadapt_episode": {
        "schema_version": "0.1.0", "episode_id": "e", "instruction": "i", "metadata": {"a": 1}, "steps": [
            {"step_index": 0, "observation": {"screenshot_path": "a.png", "viewport": [10, 20], "nodes": [NODE]}, "action": AIMED,
             "result": {"success": True, "resolved_coordinates": [1, 2]}, "timestamp": 1.0},
        ],
    },
    "omnimcp_log": [
        {"step_index": 0, "timestamp": 1.5, "goal": "g", "screenshot_path": "a.png", "tracking_context": [TRACKED],
         "llm_decision": {"analysis_reasoning": "w", "is_goal_complete": False}, "executed_action": "click",
         "executed_target_element_id": 0, "executed_parameters": {}, "action_success": True},
    ],
    "devtools_recorder": {"title": "t", "steps": [
        {"type": "setViewport", "width": 10, "height": 20}, {"type": "scroll", "x": 1, "y": 2}, {"type": "keyDown", "key": "a"},
        {"type": "click", "selectors": [["aria/Save"], ["#a"]], "offsetX": 1, "button": "secondary", "duration": 50},
        {"type": "change", "value": "v", "selectors": [["#a"]]}, {"type": "waitForElement", "count": 2},
    ]},
    "browser_use_history": {"history": [
        {"model_output": {"action": BROWSED, "thinking": "t"}, "result": [{"error": None}], "metadata": {"step_start_time": 1.5},
         "state": {"title": "A", "interacted_element": [INTERACTED], "screenshot_path": "a.png"}},
        {"model_output": {"action": [{"send_keys": {"keys": "Enter"}}, {"wait": {}}, {"done": {"text": "x", "success": True}}]}},
    ]},
    "playwright_trace": [
        {"type": "context-options"}, {"type": "after", "callId": "c", "error": {"message": "m"}},
        {"type": "before", "callId": "c", "startTime": 1.5, "class": "Frame", "method": "click", "params": PRESSED},
        {"type": "before", "callId": "d", "class": "Frame", "method": "selectOption", "params": CHOSEN},
    ],
}  # fmt: skip
"""What each format that is read may hold, small enough to be spoiled everywhere."""
READ = [name for name in NAMES if format_named(name).read]


@pytest.mark.parametrize("name", READ)
def test_whatever_is_spoiled_is_a_step_an_error_or_refused(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert not [line.error for line in lines_of(name, tmp_path_factory.mktemp("whole"), SAMPLES[name]) if line.error]

    @given(spoiled(SAMPLES[name]))
    def spoil(document: Any) -> None:
        try:
            lines = lines_of(name, tmp_path_factory.mktemp("spoiled"), document)
        except FormatError:
            return
        assert all((line.step is None) == bool(line.error) for line in lines)

    spoil()


@pytest.mark.parametrize("name", READ)
def test_a_file_of_something_else_is_refused_by_its_name(name: str, tmp_path: Path) -> None:
    form = format_named(name)
    path = tmp_path / f"run{form.suffix}"
    with pytest.raises(FormatError, match=rf"^run{form.suffix}: cannot be read"):
        form.read(path)
    for data in (b"", b"\n\n", b"[]", b"// 7", b"[" * 100_000, b"\xff\xfe", b"[{"):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=rf"^run{form.suffix}: "):
            print(data[:9], list(form.read(path).lines))


LOGGED = {"step_index": 0, "timestamp": 1.5, "executed_action": "wait", "executed_parameters": {}, "action_success": True}
HOVER = {"type": "hover", "selectors": [["#a"]]}
HEAD = {"type": "context-options"}
DONE = {"observation": {}, "action": {"type": "done"}}


def called(method: str, **params: Any) -> dict[str, Any]:
    return {"type": "before", "callId": "c", "startTime": 1500.0, "class": "Frame", "method": method, "params": params}


def logged(verb: str, **more: Any) -> dict[str, Any]:
    return {**LOGGED, "executed_action": verb, **more}


def browsed(*actions: Any) -> dict[str, Any]:
    return {"model_output": {"action": list(actions)}}


AMONG: dict[str, Callable[[Any], Any]] = {
    "osworld": lambda bad: [{"action": "DONE"}, bad, {"action": "FAIL"}],
    "omnimcp_log": lambda bad: [LOGGED, bad, LOGGED],
    "openadapt_episode": lambda bad: {"schema_version": "0.1.0", "steps": [DONE, bad, DONE]},
    "browser_use_history": lambda bad: {"history": [browsed({"go_back": {}}), bad, browsed({"go_back": {}})]},
    "devtools_recorder": lambda bad: {"title": "t", "steps": [HOVER, bad, HOVER]},
    "playwright_trace": lambda bad: [HEAD, called("goBack"), bad, called("goBack")],
}
"""A document with something between two steps that are as they should be."""
MISTAKES: dict[str, list[tuple[Any, str]]] = {
    "osworld": [
        ("7", "$: a line is an object"),
        ({"Error": "Time limit exceeded in x"}, "$.action: is missing; the harness says Time limit exceeded in x"),
        ({"action": None}, "$.action: a text or an object is needed"),
        ({"action": "import os; os.system('rm -rf /')"}, "$.action: pyautogui: line 1"),
        ({"action": "pyautogui.dance(1)"}, "$.action: pyautogui: line 1, column 1"),
        ({"action": {"action_type": "DANCE"}}, "$.action.action_type: there is no verb"),
        ({"action": {"action_type": "tool_use"}}, "$.action: a text or an object is needed"),
        ({"action": "DONE", "step_num": -1}, "$.step: Input should be greater than or equal to 0"),
        ('{"action": "DONE", "reward": NaN}', "NaN is not a number in JSON"),
        ('{"action": "DO', "$: not JSON: Unterminated string starting, column 12"),
    ],
    "omnimcp_log": [
        (logged("perception_error"), "$.executed_action"),
        (logged("planning_error"), "$.executed_action"),
        (logged("none"), "$.executed_action"),
        (logged("dance"), "$.executed_action"),
        (logged("click"), "$.executed_target_element_id"),
        (logged("scroll", llm_decision={"analysis_reasoning": "I scroll down"}), "$.executed_parameters.scroll_direction"),
        (logged("press_key", executed_parameters={"key_info": "nokey"}), "$.executed_parameters.key_info"),
        (logged("wait", step_index="one"), "$.step_index"),
        (logged("wait", timestamp=None), "$.timestamp"),
        (logged("wait", tracking_context=[{"latest_element": {"id": "x", "confidence": 7}}]),
         "$.tracking_context[0].latest_element.confidence"),
        ("[1]", "$"),
        ('{"step_index": 0, "goal"', "$"),
    ],
    "openadapt_episode": [
        (7, "$.steps[1]"),
        ({"observation": {}}, "$.steps[1]"),
        ({"observation": {}, "action": {"type": "dance"}}, "$.steps[1].action.type"),
        ({"observation": {}, "action": {"type": "click", "coordinates": {"x": "a", "y": 1}}}, "$.steps[1].action.coordinates"),
        ({"observation": {"viewport": [1]}, "action": {"type": "done"}}, "$.steps[1].observation.viewport"),
        ({"observation": {"nodes": [{"role": "x"}]}, "action": {"type": "done"}}, "$.steps[1].observation.nodes[0].element_id"),
        ({**DONE, "timestamp": "now"}, "$.steps[1].timestamp"),
        ({"observation": {}, "action": {"type": "fail", "raw": {"parse_error": "x"}}}, "$.steps[1].action.raw.parse_error"),
    ],
    "browser_use_history": [
        ({"model_output": None, "result": [{"error": "429 Too Many"}]}, "429 Too Many"),
        ({}, "$.history[1].model_output.action"),
        (3, "a step is an object"),
        (browsed({}), "an object with one function"),
        (browsed({"a": {}, "b": {}}), "an object with one function"),
        (browsed({"Bad Name": {}}), "not a valid name of a function"),
        (browsed({"click": {}}), "index"),
        (browsed({"click": {"index": 5, "n": 1}}), ".n"),
        (browsed({"input": {"index": 5, "text": 3}}), "text"),
        (browsed({"go_to_url": {}}), "url"),
    ],
    "devtools_recorder": [
        ({"type": "clik"}, "there is no step 'clik'"),
        ({}, "$.steps[1].type"),
        (3, "a step is an object"),
        ({"type": "click"}, "$.steps[1]"),
        ({"type": "click", "selectors": [[]]}, "$.steps[1].selectors"),
        ({**HOVER, "type": "click", "button": "thumb"}, "$.steps[1].button"),
        ({**HOVER, "new": 1}, "$.steps[1].new: is not understood"),
        ({"type": "keyDown", "key": "Entr"}, "$.steps[1].key"),
        ({**HOVER, "type": "change", "value": 3}, "$.steps[1].value"),
        ({"type": "navigate"}, "$.steps[1].url"),
        ({"type": "setViewport", "width": "wide"}, "$.steps[1].width"),
    ],
    "playwright_trace": [
        ('{"type": ', "not JSON"),
        (called("click"), "$.params.selector"),
        (called("press", selector="#q", key="Nosuch"), "$.params.key"),
        (called(""), "$.method"),
        (called("click", selector="#q", trial=True), "did nothing"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("name", "bad", "said"), [(name, *row) for name, rows in MISTAKES.items() for row in rows])
def test_a_mistake_says_where_it_is_and_costs_only_itself(name: str, bad: Any, said: str, tmp_path: Path) -> None:
    first, wrong, last = lines_of(name, tmp_path, AMONG[name](bad))
    assert wrong.step is None
    assert wrong.number == first.number + 1 == last.number - 1
    assert said in wrong.error
    assert first.step
    assert last.step


@pytest.mark.parametrize("name", ["osworld", "agentnet_traj"])
@given(one=any_step)
def test_where_nothing_is_lost_the_same_action_is_read_back(name: str, one: InteractionStep) -> None:
    form = format_named(name)
    with Written(form, [one]) as written:
        lines = list(form.read(written.path).lines) if written.text else []
        lost = {loss.what for loss in written.losses} - {"visual_state", "picture"}
        assert not any(line.error for line in lines)
        assert bool(lines) == ("action" not in lost) == bool(written.exported.steps)
        if not lost:
            assert [core(line.step) for line in lines if line.step] == [core(one)]


@pytest.mark.parametrize("name", [name for name in NAMES if format_named(name).write and name != "model_chats"])
def test_a_private_value_is_never_written(name: str) -> None:
    click = Click(target=ActionTarget(element_id="1"))
    with Written(format_named(name), [InteractionStep(timestamp=1, visual_state=STATE, action=click)] * 2) as written:
        assert "hunter2" not in written.text


def steps(count: int, *, fail: bool = False) -> Iterator[InteractionStep]:
    for n in range(count):
        yield InteractionStep(
            timestamp=n,
            step=n,
            visual_state=STATE,
            action=Click(target=ActionTarget(point=Coordinate(x=n % 1000, y=5))),
            reasoning="because " * 40,
            result=ActionResult(exec_status=ExecStatus.EXECUTED),
        )
    if fail:
        raise RuntimeError("the log cannot be read on")


def peak(name: str, count: int, path: Path) -> int:
    form = format_named(name)
    tracemalloc.start()
    try:
        exported = form.write(Run(steps=steps(count)), path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        assert exported.steps == count


@pytest.mark.parametrize("name", LINES)
def test_ten_times_the_steps_take_no_more_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    peak(name, 10, path)  # what is loaded and compiled once does not count
    few = peak(name, 40, path)
    # What other threads of the process take meanwhile is counted, too, but not each time.
    assert any(peak(name, 400, path) < few + 200_000 for _ in range(3))


@pytest.mark.parametrize("name", [*LINES, "atif"])
def test_a_log_that_breaks_off_leaves_the_old_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("old")
    form = format_named(name)
    with pytest.raises(RuntimeError):
        form.write(Run(steps=steps(3, fail=True)), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["run"]
