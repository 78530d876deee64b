"""Every type of surface of seed 000 behind the one contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from environments.browser import BrowserEnvironment
from environments.check import check_environment
from environments.contract import Surface, WorldError, type_of
from environments.faults.faults import FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol import CallApi, LaunchApp

WORLDS = {"office": "desktop", "phone": "mobile", "reception-desk": "multimodal", "smart-home": "simulated_physical"}


@pytest.mark.parametrize(("world", "kind"), WORLDS.items())
def test_a_world_of_each_type_says_which_it_is_and_keeps_the_contract(world: str, kind: str) -> None:
    desktop = SimulatedDesktop(load_world(world))
    assert isinstance(desktop, Surface)
    assert type_of(desktop) == type_of(FaultyEnvironment(desktop, ())) == kind
    assert check_environment(desktop)


def test_a_browser_is_one_before_it_is_opened_and_what_does_not_say_is_a_desktop() -> None:
    assert BrowserEnvironment.environment_type == "browser"
    assert type_of(object()) == "desktop"  # type: ignore[arg-type]  # nothing that says what it is


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("type: mobile\napps: {notes: {}}", "type: mobile does not go with form: desktop"),
        ("form: phone\ntype: desktop\napps: {notes: {}}", "a phone is mobile"),
        ("type: simulated_physical\napps: {notes: {}}", "needs one of the apps home"),
        ("type: multimodal\napps: {notes: {}}", "needs one of the apps camera, microphone"),
        ("type: submarine\napps: {notes: {}}", "submarine"),
    ],
)
def test_a_world_that_is_not_what_it_says_is_refused_on_loading(text: str, said: str) -> None:
    with pytest.raises(WorldError, match=said):
        parse_world(text, "w.yaml")


def test_a_phone_has_the_size_of_one_unless_it_says_another() -> None:
    assert parse_world("form: phone\napps: {notes: {}}").screen == (390, 844)
    assert parse_world("form: phone\nscreen: [360, 640]\napps: {notes: {}}").screen == (360, 640)


def test_the_shipped_tasks_are_of_every_simulated_type() -> None:
    kinds = [WORLDS.get(load_task(shipped("tasks", f"{name}.yaml")).world or "", "desktop") for name in shipped_names("tasks")]
    assert set(kinds) == set(WORLDS.values())
    assert len(kinds) - kinds.count("desktop") >= 9


def test_what_a_microphone_hears_by_function_says_what_its_window_says_and_no_more() -> None:
    desktop = SimulatedDesktop(load_world("reception-desk"), 4)
    desktop.perform(LaunchApp(app="microphone"), key="1")
    told = desktop.perform(CallApi(app="microphone", function="transcripts"), key="2").output
    shown = {e.name for e in desktop.observe().elements if e.role == "text"}
    heard = {f"{one['time']} {one['by']} says: {one['says']}" for one in json.loads(told)}
    assert heard
    assert heard <= shown
    assert "facts" not in told


def test_the_record_and_the_report_of_a_run_say_the_type(tmp_path: Path) -> None:
    outcome = start(load_settings(overrides=[f"runs_dir={tmp_path}", "world=smart-home"]), "Water the plants in the greenhouse")
    assert json.loads((outcome.folder / "run.json").read_text())["environment_type"] == "simulated_physical"
    assert outcome.report["environment_type"] == "simulated_physical"
