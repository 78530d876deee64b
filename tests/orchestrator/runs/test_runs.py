"""A run is a folder: it is resumed wherever it stopped, refused with one sentence where it cannot be, and never lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from killed import dies, killed
from warm import python
from worked.runs import APPROVE, crew_in

from deskcrew import Crew, UsageProblem, list_runs
from environments.simulated.desktop import SimulatedDesktop
from orchestrator.runs import open_run
from protocol import ExecStatus, read_log

SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
SAVE = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
ROOT = Path(__file__).parents[3]


@pytest.fixture
def crew(tmp_path: Path) -> Crew:
    return crew_in(tmp_path)


def test_a_wrong_answer_is_refused_none_asks_again_and_a_right_one_counts_for_the_end_of_an_id(crew: Crew) -> None:
    waiting = crew.run(SUBMIT)
    with pytest.raises(UsageProblem, match="not usable"):
        crew.resume(waiting.run_id, {"decisions": [{"type": "yes"}]})
    again = crew.resume(waiting.run_id)
    assert (again.exit_code, again.pending) == (3, waiting.pending)
    assert crew.resume(waiting.run_id[-4:], APPROVE).status == "fulfilled"


def test_a_correction_is_done_first_and_the_refused_action_asks_again(crew: Crew) -> None:
    waiting = crew.run(SUBMIT)
    corrected = crew.resume(waiting.run_id, {"decisions": [{"type": "reject", "message": "set the category to Travel first"}]})
    assert corrected.exit_code == 3
    assert not any(step["verb"] == "submit" for step in corrected.report["steps"])
    assert any(step["action"].get("options") == ["Travel"] for step in corrected.report["steps"])
    assert crew.resume(waiting.run_id, APPROVE).status == "fulfilled"


def test_a_value_that_a_person_wrote_into_an_action_needs_no_other_source(crew: Crew) -> None:
    waiting = crew.run(SUBMIT)
    edited = {"name": "fill", "args": {"text": "Berlin Rail", "target": {"text": "Vendor"}}}
    again = crew.resume(waiting.run_id, {"decisions": [{"type": "edit", "edited_action": edited}]})
    done = again if again.pending is None else crew.resume(waiting.run_id, APPROVE)
    assert "Berlin Rail" in [step["action"].get("text") for step in done.report["steps"]]
    assert done.status == "fulfilled", done.reason


def test_the_log_of_a_run_is_protocol_and_holds_every_step(tmp_path: Path) -> None:
    outcome = crew_in(tmp_path).run(SAVE)
    lines = list(read_log(outcome.folder / "log.jsonl"))
    assert not [line.error for line in lines if line.error]
    steps = [line.step for line in lines if line.step]
    assert len(steps) == outcome.report["counts"]["steps"] == len(outcome.report["steps"])
    assert all(step.result is not None and step.result.exec_status is ExecStatus.EXECUTED for step in steps)
    assert any(step.visual_state.elements for step in steps)


def test_bad_input_leaves_no_folder_behind(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no-such-world"):
        crew_in(tmp_path / "runs", "world=no-such-world").run(SAVE)
    assert list_runs(tmp_path / "runs") == []
    assert not [path for path in (tmp_path / "runs").glob("*")]


def test_a_journal_that_is_no_database_is_refused_with_one_sentence(crew: Crew) -> None:
    waiting = crew.run(SUBMIT)
    (waiting.folder / "journal.sqlite").write_bytes(b"not a database at all, only words" * 99)
    with pytest.raises(UsageProblem, match="cannot be resumed"):
        crew.resume(waiting.run_id, APPROVE)


def test_a_run_that_was_killed_before_its_first_checkpoint_starts_over(crew: Crew) -> None:
    waiting = crew.run(SUBMIT)
    for name in ("checkpoints.sqlite", "report.json"):
        (waiting.folder / name).unlink()
    assert crew.resume(waiting.run_id).exit_code == 3


def killed_run(folder: Path, spoil: Callable[[], None]) -> Path:
    """The folder of a run whose process was killed: `spoil` says where."""
    there = {*folder.iterdir()}
    killed(lambda: (spoil(), crew_in(folder).run(SAVE)))
    (made,) = {*folder.iterdir()} - there
    return made


def test_the_steps_of_a_run_that_was_killed_are_listed(tmp_path: Path) -> None:
    perform, done = SimulatedDesktop.perform, list[str]()

    def third(desktop: SimulatedDesktop, action: Any, *, key: str) -> Any:
        done.append(key)
        return dies() if len(done) == 3 else perform(desktop, action, key=key)

    killed_run(tmp_path, lambda: setattr(SimulatedDesktop, "perform", third))
    (info,) = list_runs(tmp_path)
    assert (info.steps, info.status) == (2, "interrupted")


def test_the_next_run_takes_away_what_was_never_begun_and_no_journal_of_one_that_was(tmp_path: Path) -> None:
    begun = killed_run(tmp_path, lambda: setattr(SimulatedDesktop, "perform", dies))
    (begun / "run.json").unlink()
    unbegun = killed_run(tmp_path, lambda: setattr(open_run, "write_json", dies))
    assert unbegun.exists()
    outcome = crew_in(tmp_path).run(SAVE)
    assert {*tmp_path.iterdir()} == {begun, outcome.folder}


@pytest.mark.slow("processes that are killed")
@pytest.mark.parametrize(
    "points",
    [
        ("--task", "invoice-to-reimbursement", "--sample", "3", "--seed", "7"),
        ("--task", "changed-behind-the-back", "--sample", "2", "--seed", "7"),
        ("--task", "invoice-to-reimbursement", "--only", "perform", "--last", "2"),
        ("--task", "invoice-to-reimbursement", "--only", "approval"),
    ],
    ids=lambda points: " ".join(points[1:]),
)
def test_killed_anywhere_and_resumed_nothing_is_done_twice_and_nothing_is_lost(points: tuple[str, ...]) -> None:
    """The last `perform` is the approved submit: killed after it, the run must not take its own effect for a changed screen."""
    done = python(ROOT / "scripts" / "kill_sweep.py", *points)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 went wrong" in done.stdout
