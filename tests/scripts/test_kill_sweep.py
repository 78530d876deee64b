"""The sweep itself: a sample of it over every kind of run, and that it finds what it is there to find."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from types import ModuleType

import pytest
from services.sandboxed import needs_sandbox
from warm import python

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.runs import runs
from protocol import Action, ActionResult

pytestmark = pytest.mark.slow("processes that are killed")

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
ALONE = ("replan", "approval pending", "supplement", "technician script", "fault injected")
"""Kinds that need nothing but this process."""


def swept(*words: str) -> str:
    done = python(SCRIPTS / "kill_sweep.py", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def sweep(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("kill_sweep")


def kinds(*names: str) -> list[str]:
    return [word for name in names for word in ("--kind", name)]


def test_killed_at_points_of_every_kind_of_run_nothing_is_repeated_and_nothing_lost() -> None:
    said = swept(*kinds(*ALONE), "--sample", "1", "--seed", "11").splitlines()
    assert [line.partition(":")[0] for line in said] == list(ALONE)
    assert all(": 1 kills, 0 effects repeated, 0 lost, 0 went wrong" in line for line in said)


@needs_sandbox
def test_a_script_that_was_written_and_not_yet_reviewed_is_gone_on_with() -> None:
    """Reviewed twice: the text before it is run, and the change that it brought back before that is made."""
    assert ": 2 kills, 0 effects repeated, 0 lost, 0 went wrong" in swept(*kinds("technician script"), "--only", "reviewed")


def test_what_other_roles_do_is_done_once_as_well() -> None:
    """Actuators behind approvals, figures of the Analyst, reviewed plans: gates, facts and answers are compared, too."""
    tasks = ("warm-the-living-room", "overdue-sum-into-a-note", "ask-the-handbook")
    named = [word for task in tasks for word in ("--task", task)]
    said = swept(*named, "-c", "crew.manager.review=true", "--sample", "1", "--seed", "2").splitlines()
    assert [line.partition(":")[0] for line in said] == list(tasks)
    assert all(", 0 effects repeated, 0 lost, 0 went wrong" in line for line in said)


def test_the_resume_may_be_killed_as_well() -> None:
    assert ": 2 kills, 0 effects repeated" in swept(*kinds("replan"), "--twice", "--sample", "1", "--seed", "4")


def test_one_run_may_be_killed_many_times() -> None:
    said = swept(*kinds("replan"), "--random", "5", "--seed", "1")
    found = re.fullmatch(r"replan: killed 5 times at random.*: (\d+) kills, 0 effects repeated, 0 lost, 0 went wrong.*\n", said)
    assert found, said
    assert int(found[1]) >= 3, "a run may end before the last of them, and not long before"


def test_it_may_be_killed_between_points() -> None:
    assert "0 effects repeated, 0 lost, 0 went wrong" in swept(*kinds("approval pending"), "--moments", "2", "--seed", "2")


def test_a_run_in_a_browser_asks_the_page_what_was_done(chromium: str) -> None:
    """The point is the one after the page was acted on and before that is written down."""
    said = swept(*kinds("browser world"), "--only", "end", "--sample", "1", "--seed", "6")
    assert ": 1 kills, 0 effects repeated, 0 lost, 0 went wrong" in said


def test_a_request_that_was_held_or_let_go_when_the_run_was_killed_is_sent_once(chromium: str) -> None:
    said = swept(*kinds("held request"), "--only", "end", "--sample", "1", "--seed", "2")
    assert ": 1 kills, 0 effects repeated, 0 lost, 0 went wrong" in said


def test_a_world_that_forgets_its_keys_is_found_out(sweep: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is forked from this process, so a desktop that is spoilt here is spoilt there."""
    perform = SimulatedDesktop.perform

    def forgetful(self: SimulatedDesktop, action: Action, *, key: str) -> ActionResult:
        return perform(self, action, key=f"{key}/{os.getpid()}")

    monkeypatch.setattr(SimulatedDesktop, "perform", forgetful)
    monkeypatch.setattr(runs, "refuse_unlike", lambda *parts: None)  # which would say it, too
    work = sweep.KINDS["fault injected"]._replace(overrides=())
    alone, expected = sweep.worked(work, (), sweep.forked)
    labels = alone.labels[0]
    after = [point for point, label in enumerate(labels, start=1) if label == "perform"][1::2]
    _, found = sweep.worked(work, (after[3],), sweep.forked)  # what is filled in twice looks as if it were filled in once
    assert len(found.received) == len(expected.received) + 1


def test_points_of_several_processes_are_counted_through(sweep: ModuleType) -> None:
    assert sweep.leading_to([10, 5], 10) == [10]
    assert sweep.leading_to([10, 5], 11) == [0, 1]
    assert sweep.leading_to([10, 5, 7], 16) == [0, 0, 1]


def test_a_row_of_the_table_replaces_the_one_before_it(sweep: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{sweep.BEGIN}\n{sweep.END}\n\nafter\n")
    for name, manner, points in (
        ("supplement", "at every point", 9),
        ("replan", "at every point", 7),
        ("replan", "20 times at random", 7),
        ("replan", "at 3 points", 8),
    ):
        sweep.write_row(page, name, sweep.Swept(manner, points, points, points, 0, 0, 0), "command")
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert [row.split(" | ")[0:3] for row in rows] == [
        ["| replan", "at 3 points", "8"],
        ["| replan", "20 times at random", "7"],
        ["| supplement", "at every point", "9"],
    ]
