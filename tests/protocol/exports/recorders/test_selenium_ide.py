"""Projects of Selenium IDE: every command is an action, one that is carried, or an error at its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import protocol as p
from protocol.exports import format_named
from protocol.log.log import LogLine

FORM = format_named("selenium_ide")
SAVE = {"selector": '[id="save"]'}


def lines(folder: Path, *commands: Any, url: str = "https://a.example/app/") -> list[LogLine]:
    path = folder / "claims.side"
    project = {"id": "1", "version": "3.0", "name": "Claims", "url": url, "tests": [{"name": "pays", "commands": list(commands)}]}
    path.write_text(json.dumps(project), encoding="utf-8")
    return list(FORM.read(path).lines)


def done(folder: Path, command: str, target: str = "id=save", value: str = "") -> list[dict[str, Any]]:
    found = lines(folder, {"id": "c", "command": command, "target": target, "value": value})
    assert all(line.step for line in found), [line.error for line in found]
    return [line.step.action.dump() for line in found if line.step]


def keys(*pressed: str) -> dict[str, Any]:
    return {"action_type": "press_key", "target": SAVE, "keys": list(pressed)}


def carried(name: str, **arguments: str) -> dict[str, Any]:
    return {"action_type": f"x-selenium_ide.{name}", "arguments": arguments}


READ = [
    (("open", "/claims?q=1"), [{"action_type": "navigate", "url": "https://a.example/claims?q=1"}]),
    (("open", "https://b.example/"), [{"action_type": "navigate", "url": "https://b.example/"}]),
    (("click", "css=#main > a"), [{"action_type": "click", "target": {"selector": "#main > a"}}]),
    (("click", "linkText=Sign in"), [{"action_type": "click", "target": {"text": "Sign in", "role": "link"}}]),
    (("clickAndWait", "//a[1]"), [{"action_type": "click", "target": {"selector": "xpath=//a[1]"}}]),
    (("doubleClick", 'name=a"b'), [{"action_type": "click", "target": {"selector": '[name="a\\"b"]'}, "count": 2}]),
    (("mouseOver", "id=save"), [{"action_type": "hover", "target": SAVE}]),
    (("type", "id=save", "two\nlines ä"), [{"action_type": "fill", "target": SAVE, "text": "two\nlines ä"}]),
    (("sendKeys", "id=save", "12${KEY_ENTER}"), [{"action_type": "type", "target": SAVE, "text": "12"}, keys("Enter")]),
    (("sendKeys", "id=save", "${KEY_CTRL}${KEY_SHIFT}ab"), [keys("Control", "Shift", "a"), keys("Control", "Shift", "b")]),
    (("sendKeys", "id=save", "${KEY_PGDN}${KEY_F5}${KEY_TAB}"), [keys("PageDown"), keys("F5"), keys("Tab")]),
    (("select", "id=save", "label=Two = 2"), [{"action_type": "select_option", "target": SAVE, "options": ["Two = 2"]}]),
    (("select", "id=save", "Two"), [{"action_type": "select_option", "target": SAVE, "options": ["Two"]}]),
    (("select", "id=save", "index=2"), [carried("select", target="id=save", value="index=2")]),
    (("dragAndDropToObject", "id=save", "css=b"), [{"action_type": "drag", "target": SAVE, "to": {"selector": "b"}}]),
    (("pause", "1500"), [{"action_type": "wait", "seconds": 1.5}]),
    (("close", ""), [{"action_type": "tabs", "op": "close"}]),
    (("assertText", "id=save", "out"), [carried("assert_text", target="id=save", value="out")]),
    (("runScript", "alert(1)"), [carried("run_script", target="alert(1)")]),
    (("//click", "id=save"), []),
    (("", ""), []),
]  # fmt: skip


@pytest.mark.parametrize(("said", "meant"), READ, ids=lambda value: str(value)[:40])
def test_a_command_is_read(tmp_path: Path, said: tuple[str, ...], meant: list[dict[str, Any]]) -> None:
    assert done(tmp_path, *said) == meant


def test_a_step_has_its_test_its_comment_its_window_and_its_command(tmp_path: Path) -> None:
    click = {"command": "click", "target": "id=save", "value": "", "comment": "it is filled in", "opensWindow": True}
    (line,) = lines(tmp_path, {"command": "setWindowSize", "target": "1280x800", "value": ""}, click)
    assert line.step
    assert (line.number, line.step.subtask, line.step.reasoning) == (2, "pays", "it is filled in")
    assert line.step.visual_state.screen_resolution == (1280, 800)
    assert line.step.raw == {"command": click}


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    place = {"command": "clickAt", "target": "id=save", "value": "3,4"}
    secret = {"command": "type", "target": "id=save", "value": "${password}"}
    for command, what in ((place, "click.offset"), (secret, "variable")):
        (line,) = lines(tmp_path, command)
        assert line.step
        assert str(line.step.raw["lost"]).startswith(f"['{what}: ")


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ({"command": "click", "target": "somewhere"}, ".target"),
        ({"command": "sendKeys", "target": "id=a", "value": "${KEY_NOSUCH}"}, ".value"),
        ({"command": "click", "target": 3}, ".target"),
        ({"target": "id=a"}, ".command"),
        ("click", ""),
    ],
)
def test_a_mistake_names_its_place_and_costs_itself(tmp_path: Path, command: Any, where: str) -> None:
    wrong, right = lines(tmp_path, command, {"command": "close"})
    assert wrong.step is None
    assert f"$.tests[0].commands[0]{where}" in wrong.error
    assert right.step
    assert right.step.action == p.Tabs(op="close")
