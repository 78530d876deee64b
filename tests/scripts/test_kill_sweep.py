"""The sweep itself: a sample of it over every kind of run, that it finds what it is there to find, and many at once."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

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


def swept(*words: str, kinds: Sequence[str] = ()) -> str:
    done = python(SCRIPTS / "kill_sweep.py", *(word for name in kinds for word in ("--kind", name)), *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_killed_at_points_of_every_kind_of_run_nothing_is_repeated_and_nothing_lost() -> None:
    said = swept("--sample", "1", "--seed", "11", kinds=ALONE).splitlines()
    assert [line.partition(":")[0] for line in said] == list(ALONE)
    assert all(": 1 kills, 0 effects repeated, 0 lost, 0 went wrong" in line for line in said)


@pytest.mark.parametrize(
    ("kind", "words", "kills"),
    [
        # reviewed twice: the text before it is run, and the change that it brought back before that is made
        pytest.param("technician script", ["--only", "reviewed"], 2, marks=needs_sandbox),
        pytest.param("replan", ["--twice", "--sample", "1", "--seed", "4"], 2, id="the resume is killed as well"),
        # both moments of this seed lie in the first half of the run, which takes more or less time on a busy machine
        pytest.param("approval pending", ["--moments", "2", "--seed", "41"], 2, id="between points"),
    ],
)
def test_a_run_may_be_killed_twice(kind: str, words: list[str], kills: int) -> None:
    assert f": {kills} kills, 0 effects repeated, 0 lost, 0 went wrong" in swept(*words, kinds=[kind])


@pytest.mark.parametrize(("kind", "seed"), [("browser world", "6"), ("held request", "2")])
def test_a_run_in_a_browser_asks_the_page_what_was_done_and_sends_a_request_once(kind: str, seed: str, chromium: str) -> None:
    """The point is the one after the page was acted on and before that is written down."""
    said = swept("--only", "end", "--sample", "1", "--seed", seed, kinds=[kind])
    assert ": 1 kills, 0 effects repeated, 0 lost, 0 went wrong" in said


def test_one_run_may_be_killed_many_times() -> None:
    said = swept("--random", "5", "--seed", "1", kinds=["replan"])
    found = re.fullmatch(r"replan: killed 5 times at random.*: (\d+) kills, 0 effects repeated, 0 lost, 0 went wrong.*\n", said)
    assert found, said
    assert int(found[1]) >= 3, "a run may end before the last of them, and not long before"


def test_what_other_roles_do_is_done_once_as_well() -> None:
    """Actuators behind approvals, figures of the Analyst, reviewed plans: gates, facts and answers are compared, too."""
    tasks = ("warm-the-living-room", "overdue-sum-into-a-note", "ask-the-handbook")
    named = [word for task in tasks for word in ("--task", task)]
    said = swept(*named, "-c", "crew.manager.review=true", "--sample", "1", "--seed", "2").splitlines()
    assert [line.partition(":")[0] for line in said] == list(tasks)
    assert all(", 0 effects repeated, 0 lost, 0 went wrong" in line for line in said)


def test_a_world_that_forgets_its_keys_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is forked from this process, so a desktop that is spoilt here is spoilt there."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    sweep = importlib.import_module("kill_sweep")
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


# --- many processes on the runs of one store: every event is kept, no run is worked twice, and nobody sees a lock


SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "one_store.py"


def test_many_processes_work_the_runs_of_one_store() -> None:
    words = ("--processes", "3", "--runs", "6")
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 runs, " in done.stdout
    assert "3 processes: 0 things went wrong" in done.stdout
