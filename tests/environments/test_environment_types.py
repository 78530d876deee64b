"""Every type of surface of seed 000 behind the one contract."""

from __future__ import annotations

import json

import pytest

from environments.check import check_environment
from environments.contract import Surface, WorldError, type_of
from environments.faults.faults import FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.judge import play
from orchestrator.tasks.tasks import load_task
from protocol import CallApi, LaunchApp

WORLDS = {"office": "desktop", "phone": "mobile", "reception-desk": "multimodal", "smart-home": "simulated_physical"}


@pytest.mark.parametrize(("world", "kind"), WORLDS.items())
def test_a_world_of_each_type_says_which_it_is_and_keeps_the_contract(world: str, kind: str) -> None:
    desktop = SimulatedDesktop(load_world(world))
    assert isinstance(desktop, Surface)
    assert type_of(desktop) == kind
    assert type_of(FaultyEnvironment(desktop, ())) == kind
    assert check_environment(desktop)


def test_an_environment_that_does_not_say_is_a_desktop() -> None:
    class Plain:
        name = "plain"

    assert type_of(Plain()) == "desktop"  # type: ignore[arg-type]


def test_a_browser_is_one_before_it_is_opened() -> None:
    pytest.importorskip("playwright", reason="the browser needs the extra: pip install 'deskcrew[browser]'")
    from environments.browser.environment import BrowserEnvironment

    assert BrowserEnvironment.environment_type == "browser"


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


def test_the_shipped_tasks_are_of_every_simulated_type_and_their_oracles_do_them() -> None:
    tasks = [load_task(shipped("tasks", f"{name}.yaml")) for name in shipped_names("tasks")]
    here = [task for task in tasks if WORLDS.get(task.world or "", "desktop") != "desktop"]
    assert {WORLDS[task.world or ""] for task in here} == {"mobile", "multimodal", "simulated_physical"}
    assert len(here) >= 9
    for task in here:
        for seed in (0, 3):
            played = play(task, seed)
            assert played.passed, (task.id, seed, played.problem, played.verdict)


def test_what_a_microphone_hears_by_function_says_what_its_window_says() -> None:
    desktop = SimulatedDesktop(load_world("reception-desk"), 4)
    desktop.perform(LaunchApp(app="microphone"), key="1")
    told = desktop.perform(CallApi(app="microphone", function="transcripts"), key="2").output
    shown = [e.name for e in desktop.observe().elements if e.role == "text"]
    assert told
    assert "facts" not in told
    for heard in json.loads(told):
        assert f"{heard['time']} {heard['by']} says: {heard['says']}" in shown


def test_the_record_and_the_report_of_a_run_say_the_type(tmp_path) -> None:  # type: ignore[no-untyped-def]
    outcome = start(load_settings(overrides=[f"runs_dir={tmp_path}", "world=smart-home"]), "Water the plants in the greenhouse")
    assert json.loads((outcome.folder / "run.json").read_text())["environment_type"] == "simulated_physical"
    assert outcome.report["environment_type"] == "simulated_physical"
