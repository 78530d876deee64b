"""The contract check lets every type of surface through, and catches every broken promise."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from environments.browser import BrowserEnvironment
from environments.check import ContractError, check_environment
from environments.contract import DigestMismatch, Surface, WorldError, type_of
from environments.faults.faults import FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol import Action, ActionResult, CallApi, ExecStatus, LaunchApp, VisualState

FINE = ActionResult(exec_status=ExecStatus.EXECUTED)
TICKS = itertools.count()


class Plain:
    """The desktop as an adapter without any capability beside the contract."""

    name = "plain"
    closed = False

    def __init__(self) -> None:
        self.inner = SimulatedDesktop(load_world("office"))

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.inner.reset(seed=seed)

    def observe(self) -> VisualState:
        return self.inner.observe()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        return self.inner.perform(action, key=key)

    def close(self) -> None:
        self.inner.close()


def test_the_desktop_keeps_every_promise_and_so_do_an_adapter_without_capabilities_and_a_world_without_windows() -> None:
    kept = check_environment(SimulatedDesktop(load_world("office")))
    assert len(kept) == 9
    assert "an ambiguous text target is an error that names the candidates" in kept
    assert "observe changes nothing" in check_environment(Plain())
    assert check_environment(SimulatedDesktop(parse_world("apps: {settings: }")))


def seen(change: Callable[[VisualState], dict[str, Any]]) -> dict[str, Any]:
    """Every screen with this change."""

    def observe(self: Plain) -> VisualState:
        state = self.inner.observe()
        return state.model_copy(update=change(state))

    def reset(self: Plain, *, seed: int | None = None) -> VisualState:
        self.inner.reset(seed=seed)
        return observe(self)

    return {"observe": observe, "reset": reset}


def answered(change: Callable[[ActionResult], ActionResult]) -> dict[str, Any]:
    return {"perform": lambda self, action, *, key: change(self.inner.perform(action, key=key))}


def raising(result: ActionResult) -> ActionResult:
    if not result.ok:
        raise RuntimeError("element not found")
    return result


def taking_any(self: Plain, action: Action, *, key: str) -> ActionResult:
    try:
        return self.inner.perform(action, key=key)
    except DigestMismatch:
        return FINE


def closing_once(self: Plain) -> None:
    if self.closed:
        raise RuntimeError("already closed")
    self.closed = True


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"reset": lambda self, *, seed=None: self.inner.reset(seed=seed).model_dump()}, "reset gave dict, not a VisualState"),
        ({"reset": lambda self, *, seed=None: self.inner.reset(seed=next(TICKS))}, "reset with a seed"),
        ({"observe": seen(lambda state: {"timestamp": float(next(TICKS))})["observe"]}, "two observations in a row differ"),
        (seen(lambda state: {"elements": (*state.elements, state.elements[0])}), "is given twice"),
        (seen(lambda state: {"screen_resolution": (100, 100)}), "not inside the screen"),
        (answered(raising), "raised RuntimeError"),
        (answered(lambda result: FINE), "not error"),
        ({"perform": lambda self, action, *, key: self.inner.perform(action, key=f"{key}/{next(TICKS)}")}, "a second time"),
        ({"perform": taking_any}, "raises DigestMismatch"),
        (answered(lambda result: FINE if "elements match" in result.error else result), "was performed"),
        ({"close": closing_once}, "closing twice"),
    ],
)
def test_a_broken_promise_is_named(methods: dict[str, Any], said: str) -> None:
    with pytest.raises(ContractError, match=said):
        check_environment(type("Broken", (Plain,), methods)())


def test_what_lacks_a_method_is_named_with_it() -> None:
    with pytest.raises(ContractError, match="Headless has no observe, perform"):
        check_environment(type("Headless", (), {"reset": None, "close": None})())


# --- every type of surface of seed 000 behind the one contract


WORLDS = {"office": "desktop", "phone": "mobile", "reception-desk": "multimodal", "smart-home": "simulated_physical"}


@pytest.mark.parametrize(("world", "kind"), WORLDS.items())
def test_a_world_of_each_type_says_which_it_is_and_keeps_the_contract(world: str, kind: str) -> None:
    desktop = SimulatedDesktop(load_world(world))
    assert isinstance(desktop, Surface)
    assert type_of(desktop) == type_of(FaultyEnvironment(desktop, ())) == kind
    assert check_environment(desktop)


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


def test_a_phone_has_its_size_a_browser_is_one_before_it_is_opened_and_the_shipped_tasks_are_of_every_simulated_type() -> None:
    assert parse_world("form: phone\napps: {notes: {}}").screen == (390, 844)
    assert parse_world("form: phone\nscreen: [360, 640]\napps: {notes: {}}").screen == (360, 640)
    assert BrowserEnvironment.environment_type == "browser"
    assert type_of(object()) == "desktop"  # type: ignore[arg-type]  # nothing that says what it is
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
