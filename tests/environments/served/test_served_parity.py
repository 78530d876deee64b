"""An oracle played in process and by hand in Chromium comes to the same state in every app."""

from __future__ import annotations

import pytest
from support import sampled
from worlds.twin import Twin

from environments.browser import BrowserEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.tasks.judge import play, task_environment
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import ActionTarget, Click, Fill, LaunchApp

SAMPLE = (
    "invoice-to-reimbursement", "claim-with-details", "reply-to-a-mail", "total-into-a-note", "stuck-button",
    "changed-behind-the-back", "mail-the-total", "due-date-into-a-file",
)  # fmt: skip
"""Chosen for the controls that they use, of which each second is played here; scripts/parity.py plays every task."""


@pytest.mark.parametrize("name", sampled(SAMPLE, 2))
def test_an_oracle_comes_to_the_same_both_ways(browser: BrowserEnvironment, name: str) -> None:
    task = resolve_target(name)
    assert isinstance(task, Task)
    assert task.oracle

    def make() -> SimulatedDesktop:
        surface = task_environment(task, 3)
        assert isinstance(surface, SimulatedDesktop)
        return surface

    twin = Twin(make, browser)
    try:
        played = play(task, 3, twin)
        assert played.problem == ""
        assert played.verdict.passed
        assert twin.unlike() == {}
    finally:
        twin.close()


def test_what_is_done_on_one_side_only_is_found(browser: BrowserEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worlds.twin.PATIENCE", 0.3)
    twin = Twin(lambda: SimulatedDesktop(load_world("office")), browser)
    try:
        twin.perform(LaunchApp(app="reimbursement"), key="1")
        assert twin.unlike() == {}
        twin.desktop.perform(Fill(target=ActionTarget(text="Amount"), text="1.00"), key="2")
        assert set(twin.unlike()) == {"reimbursement"}
        refused = twin.perform(Click(target=ActionTarget(text="No such button")), key="3")
        assert not refused.ok
    finally:
        twin.close()
