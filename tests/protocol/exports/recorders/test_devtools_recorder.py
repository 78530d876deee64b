"""Recordings of Chrome's DevTools: every step is an action, one that is carried, or an error at its place."""

from pathlib import Path
from typing import Any

import pytest
from written.runs import lines_of

from protocol.dsl import emit, parse_line
from protocol.log.log import LogLine

SAVE = [["aria/Save all"], ["#save"], ['xpath///*[@id="save"]'], ["pierce/#save"], ["text/Save all"]]


def lines(path: Path, *steps: Any) -> list[LogLine]:
    return lines_of("devtools_recorder", path, {"title": "Claim", "steps": steps}, goal="Claim", agent="Chrome DevTools Recorder")


def actions(found: list[LogLine]) -> list[str]:
    assert not [line.error for line in found if line.error]
    return [emit(line.step.action) for line in found if line.step]


def test_a_recording_is_read_step_by_step(tmp_path: Path) -> None:
    events = [{"type": "navigation", "url": "https://a.example/", "title": "A"}]
    steps = [
        {"type": "setViewport", "width": 1440, "height": 757, "deviceScaleFactor": 1, "isMobile": False, "hasTouch": False},
        {"type": "navigate", "url": "https://a.example/", "assertedEvents": events},
        {"type": "click", "target": "main", "selectors": SAVE, "offsetX": 10.5, "offsetY": 3, "button": "secondary"},
        {"type": "doubleClick", "target": "main", "selectors": SAVE, "duration": 500, "deviceType": "mouse"},
        {"type": "change", "value": 'it\'s "so"', "selectors": [['aria/Amount[role="textbox"]'], ["#a"]], "target": "main"},
        {"type": "keyDown", "target": "main", "key": "Enter"},
        {"type": "keyUp", "target": "main", "key": " "},
        {"type": "hover", "selectors": [["#menu"]], "description": "Look at it", "_field": {"name": "a"}},
        {"type": "close", "target": "https://b.example/"},
    ]
    found = lines(tmp_path, *steps)
    assert actions(found) == [
        'navigate to "https://a.example/"',
        'right-click "Save all" css "#save"',
        'double-click "Save all" css "#save" hold 0.5 s',
        'fill textbox "Amount" css "#a" with "it\'s \\"so\\""',
        "key down Enter",
        "key up Space",
        'hover css "#menu"',
        "close tab",
    ]
    assert [line.number for line in found] == list(range(2, 10))
    first, click, *_, noted, last = (line.step for line in found if line.step)
    assert first.visual_state.screen_resolution == (1440, 757)
    assert (first.raw["step"], noted.raw) == (steps[1], {"step": steps[7]})
    assert [str(lost).split(":")[0] for step in (click, last) for lost in step.raw["lost"]] == ["click.offset", "frame"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("selectors", "target"),
    [
        ([["xpath///html/body/a"], ["pierce/#x"]], 'css "xpath=//html/body/a"'),
        ([["pierce/#x"]], 'css "#x"'),
        ([["my-app", "#inner"]], 'css "my-app >> #inner"'),
        (["#flat", "aria/Flat"], '"Flat" css "#flat"'),
        ([['aria/[role="button"]'], ["b"]], 'css "b"'),
        ([["aria/[name=\"It's\"][role='tab']"], ["b"]], 'tab "It\'s" css "b"'),
        ([["aria/Outer", "aria/Inner"]], 'css "aria/Outer >> aria/Inner"'),
        ([["text/Größe 大小"]], '"Größe 大小"'),
    ],
)
def test_an_element_is_named_as_well_as_its_selectors_say(tmp_path: Path, selectors: Any, target: str) -> None:
    (line,) = lines(tmp_path, {"type": "click", "selectors": selectors})
    assert line.step
    assert line.step.action == parse_line(f"click {target}")


def test_a_scroll_is_the_way_from_where_it_was(tmp_path: Path) -> None:
    box = [["#box"]]
    steps = [{"type": "scroll", "y": 300}, {"type": "scroll", "x": 20, "y": 100.5}, {"type": "scroll", "y": 50, "selectors": box},
             {"type": "navigate", "url": "https://a.example/"}, {"type": "scroll", "y": 80}]  # fmt: skip
    first, second, third, _, last = actions(lines(tmp_path, *steps))
    assert (first, second) == ("scroll down 300 px", "scroll up 199.5 and right 20 px")
    assert (third, last) == ('scroll down 50 px in css "#box"', "scroll down 80 px")


@pytest.mark.parametrize(
    ("step", "name"),
    [({"type": "waitForElement", "operator": ">=", "count": 2, "visible": True}, "wait_for_element"),
     ({"type": "waitForExpression", "expression": "document.title === 'x'"}, "wait_for_expression"),
     ({"type": "customStep", "name": "n", "parameters": {"a": [1]}}, "custom_step"),
     ({"type": "emulateNetworkConditions", "download": 1, "upload": 2, "latency": 3}, "emulate_network_conditions")],
)  # fmt: skip
def test_what_no_verb_means_is_carried_as_data(tmp_path: Path, step: dict[str, Any], name: str) -> None:
    (line,) = lines(tmp_path, step)
    assert line.step
    fields = {field: value for field, value in step.items() if field != "type"}
    assert line.step.action.dump() == {"action_type": f"x-devtools_recorder.{name}", "arguments": fields}
