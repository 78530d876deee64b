"""Recordings of Chrome's DevTools: every step is an action, one that is carried, or an error at its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from protocol import AgentAction, Click, Drag, Fill, Hover, KeyDown, KeyUp, Navigate, Scroll, Tabs
from protocol.exports import ImportResult, format_named
from protocol.log.log import LogLine

FORM = format_named("devtools_recorder")
SAVE = [["aria/Save all"], ["#save"], ['xpath///*[@id="save"]'], ["pierce/#save"], ["text/Save all"]]
SAVE_TARGET = {"text": "Save all", "selector": "#save"}


def read(path: Path, *steps: Any, title: str = "Claim") -> ImportResult:
    path = path / "recording.json"
    path.write_text(json.dumps({"title": title, "steps": list(steps)}), encoding="utf-8")
    return FORM.read(path)


def lines(path: Path, *steps: Any) -> list[LogLine]:
    return list(read(path, *steps).lines)


def action(path: Path, **step: Any) -> AgentAction:
    (line,) = lines(path, step)
    assert line.step, line.error
    return line.step.action


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
        {"type": "hover", "selectors": [["#menu"]]},
        {"type": "close", "target": "https://b.example/"},
    ]
    imported = read(tmp_path, *steps)
    found = list(imported.lines)
    assert (imported.info.goal, imported.info.agent) == ("Claim", "Chrome DevTools Recorder")
    assert [line.step.action for line in found if line.step] == [
        Navigate(url="https://a.example/"),
        Click(target=SAVE_TARGET, button="right"),
        Click(target=SAVE_TARGET, count=2, hold=0.5),
        Fill(target={"text": "Amount", "role": "textbox", "selector": "#a"}, text='it\'s "so"'),
        KeyDown(key="Enter"),
        KeyUp(key="Space"),
        Hover(target={"selector": "#menu"}),
        Tabs(op="close"),
    ]
    assert [line.number for line in found] == list(range(2, 10))
    first, click, *_, last = (line.step for line in found if line.step)
    assert first.visual_state.screen_resolution == (1440, 757)
    assert first.raw["step"] == steps[1]
    assert [str(lost).split(":")[0] for step in (click, last) for lost in step.raw["lost"]] == ["click.offset", "frame"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("selectors", "target"),
    [
        ([["xpath///html/body/a"], ["pierce/#x"]], {"selector": "xpath=//html/body/a"}),
        ([["pierce/#x"]], {"selector": "#x"}),
        ([["my-app", "#inner"]], {"selector": "my-app >> #inner"}),
        (["#flat", "aria/Flat"], {"text": "Flat", "selector": "#flat"}),
        ([['aria/[role="button"]'], ["b"]], {"selector": "b"}),
        ([["aria/[name=\"It's\"][role='tab']"], ["b"]], {"text": "It's", "role": "tab", "selector": "b"}),
        ([["aria/Outer", "aria/Inner"]], {"selector": "aria/Outer >> aria/Inner"}),
        ([["text/Größe 大小"]], {"text": "Größe 大小"}),
    ],
)
def test_an_element_is_named_as_well_as_its_selectors_say(tmp_path: Path, selectors: Any, target: dict[str, str]) -> None:
    assert action(tmp_path, type="click", selectors=selectors) == Click(target=target)


def test_what_people_note_beside_a_step_is_kept_and_does_not_cost_it(tmp_path: Path) -> None:
    noted = {"type": "hover", "selectors": [["#a"]], "description": "Look at it", "_field": {"name": "a"}}
    (line,) = lines(tmp_path, noted)
    assert line.step
    assert line.step.action == Hover(target={"selector": "#a"})
    assert line.step.raw == {"step": noted}


def test_a_scroll_is_the_way_from_where_it_was(tmp_path: Path) -> None:
    box = [["#box"]]
    steps = [{"type": "scroll", "y": 300}, {"type": "scroll", "x": 20, "y": 100.5}, {"type": "scroll", "y": 50, "selectors": box},
             {"type": "navigate", "url": "https://a.example/"}, {"type": "scroll", "y": 80}]  # fmt: skip
    found = [line.step.action for line in lines(tmp_path, *steps) if line.step]
    assert found[:3] + found[4:] == [
        Scroll(delta={"y": 300}, unit="px"),
        Scroll(delta={"x": 20, "y": -199.5}, unit="px"),
        Scroll(delta={"y": 50}, unit="px", target={"selector": "#box"}),
        Scroll(delta={"y": 80}, unit="px"),
    ]


@pytest.mark.parametrize(
    ("step", "name"),
    [({"type": "waitForElement", "operator": ">=", "count": 2, "visible": True}, "wait_for_element"),
     ({"type": "waitForExpression", "expression": "document.title === 'x'"}, "wait_for_expression"),
     ({"type": "customStep", "name": "n", "parameters": {"a": [1]}}, "custom_step"),
     ({"type": "emulateNetworkConditions", "download": 1, "upload": 2, "latency": 3}, "emulate_network_conditions")],
)  # fmt: skip
def test_what_no_verb_means_is_carried_as_data(tmp_path: Path, step: dict[str, Any], name: str) -> None:
    carried = action(tmp_path, **step).dump()
    assert carried == {"action_type": f"x-devtools_recorder.{name}",
                       "arguments": {field: value for field, value in step.items() if field != "type"}}  # fmt: skip


@pytest.mark.parametrize(
    ("step", "said"),
    [({"type": "clik"}, "there is no step 'clik'"), ({}, "$.steps[0].type"), (3, "a step is an object"),
     ({"type": "click"}, "$.steps[0]"), ({"type": "click", "selectors": [[]]}, "$.steps[0].selectors"),
     ({"type": "click", "selectors": SAVE, "button": "thumb"}, "$.steps[0].button"),
     ({"type": "click", "selectors": SAVE, "new": 1}, "$.steps[0].new: is not understood"),
     ({"type": "keyDown", "key": "Entr"}, "$.steps[0].key"),
     ({"type": "change", "selectors": SAVE, "value": 3}, "$.steps[0].value"),
     ({"type": "navigate"}, "$.steps[0].url"), ({"type": "setViewport", "width": "wide"}, "$.steps[0].width")],
)  # fmt: skip
def test_what_is_not_understood_costs_itself_and_says_where(tmp_path: Path, step: Any, said: str) -> None:
    bad, good = lines(tmp_path, step, {"type": "hover", "selectors": [["#a"]]})
    assert bad.step is None
    assert said in bad.error
    assert good.step
    assert not isinstance(good.step.action, Drag)
