"""The gate laboratory: forks that go their own way, gates judged by what became of the other decisions, and who is to blame."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.errors import UsageProblem
from orchestrator.lab.gates.laboratory import GateRow, blame, examine, figures, tried
from orchestrator.lab.suite.suite import EpisodeSpec, outcome_of
from orchestrator.runs.replay.courses import Ask, Course, Ending, between, ending
from orchestrator.runs.replay.recording import recording_of
from protocol import AgentStatus
from protocol.model.decisions import OperatorDecision
from roles.contracts.signals import GateTrigger, Signal
from roles.policies.fallback import Unreachable

ARCHIVE = EpisodeSpec(configuration="rules", task="archive-reports", seed=0)
RENAME = ARCHIVE.model_copy(update={"task": "rename-a-report"})
"""Which has no plan of its own: the final check holds the goal."""
TRUSTING = ("crew.evaluator.policy=trusting",)


def hasty(role: str, request: Any, ask: Ask) -> Any:
    """Reports a subtask as done before anything was."""
    finish = OperatorDecision(status=AgentStatus.FINISH, comment="done", is_goal_complete=True)
    return finish if role == "operator" else ask(request)


def falls_silent(role: str, request: Any, ask: Ask) -> Any:
    """Cannot be reached any more when the subtask is to be checked."""
    if role == "evaluator":
        raise Unreachable("there is no answer")
    return ask(request)


class EndsEarly:
    """Works as its policy does, but for its third decision: that it is done."""

    def __init__(self) -> None:
        self.asked = self.decided = 0
        self.made = -1

    def __call__(self, role: str, request: Any, ask: Ask) -> Any:
        self.asked += 1
        self.decided += role == "operator"
        if role != "operator" or self.decided != 3:
            return ask(request)
        self.made = self.asked - 1
        return hasty(role, request, ask)


def gate(decided: str, confidence: str = "", **endings: int) -> GateRow:
    status = {1: "fulfilled", 0: "rejected", -1: "fulfilled"}
    found = {name: Ending(status=status[worth], right=worth == 1, steps=5) for name, worth in endings.items()}
    about = {"configuration": "c", "task": "t", "seed": 0, "repeat": 0, "evaluator": "rules", "run": "r", "number": 0}
    return GateRow.model_validate(
        {**about, "trigger": "WORKER_SUCCESS", "subtask": "s", "decided": decided, "reason": "", "endings": found}
        | {"confidence": confidence}
    )


def test_every_allowed_decision_of_each_gate_is_followed_to_its_end(tmp_path: Path) -> None:
    rows = examine(ARCHIVE, tmp_path / "worked").lines
    assert [(row.trigger, row.decided, row.regret) for row in rows] == [
        ("WORKER_SUCCESS", "gate_done", 0), ("FINAL_CHECK", "gate_done", 0),
    ]  # fmt: skip
    assert {name: end.worth for name, end in rows[0].endings.items()} == {"gate_done": 1, "gate_continue": 1, "gate_fail": 0}
    assert {name: end.worth for name, end in rows[1].endings.items()} == {"gate_done": 1, "gate_fail": 0}
    plain = recording_of(outcome_of(ARCHIVE, tmp_path / "plain").folder)
    (worked,) = (tmp_path / "worked").iterdir()
    again = recording_of(worked)
    assert [event.kind for event in again.events] == [event.kind for event in plain.events], "the run itself is as without forks"
    assert again.apps == plain.apps


def test_a_gate_that_believes_a_hasty_worker_is_wrong_and_told_what_would_have_been_right(tmp_path: Path) -> None:
    trusting = ARCHIVE.model_copy(update={"settings": TRUSTING})
    first = examine(trusting, tmp_path, hasty).lines[0]
    assert (first.evaluator, first.decided, first.best, first.regret) == ("trusting", "gate_done", "gate_continue", 2)
    found = figures([first])[0]
    assert found.confusion == {"gate_done": {"gate_continue": 1}}
    assert (found.precision, found.recall, found.cost) == (0.0, None, 2.0)


def test_what_is_tried_at_a_gate_is_taken_and_the_gates_after_it_decide_for_themselves(tmp_path: Path) -> None:
    course = Course((), hasty)
    spec = RENAME.model_copy(update={"settings": ("limits.replans=0",)})
    assert ending(outcome_of(spec, tmp_path / "run", {"around": between(course)})).worth == 0
    at = next(number for number, choice in enumerate(course.choices) if choice.role == "evaluator")
    assert course.requests[at].trigger is GateTrigger.WORKER_SUCCESS
    done = tried(spec, course, at, Signal.GATE_DONE)  # and the final check, which is asked, sees that it is not
    assert (done.status, done.right) == ("rejected", False)
    assert tried(spec, course, at, Signal.GATE_CONTINUE).right


def test_blame_names_the_decision_that_was_planted(tmp_path: Path) -> None:
    mistake = EndsEarly()
    spec = ARCHIVE.model_copy(update={"settings": TRUSTING})
    outcome = outcome_of(spec, tmp_path, {"around": between(mistake)})
    assert ending(outcome).false_done
    found = blame(outcome.run_id, tmp_path)
    assert found is not None
    assert (found.role, found.number) == ("operator", mistake.made)
    assert '"status":"FINISH"' in found.decision
    assert found.tries <= 2 + found.of.bit_length()
    hopeless = ARCHIVE.model_copy(update={"settings": ("limits.steps=2",)})
    assert blame(outcome_of(hopeless, tmp_path).run_id, tmp_path) is None, "it fails from the beginning"
    with pytest.raises(UsageProblem, match="came out right"):
        blame(outcome_of(ARCHIVE, tmp_path).run_id, tmp_path)
    stopped = outcome_of(ARCHIVE, tmp_path, {"around": between(falls_silent)})
    assert stopped.status == "interrupted"
    with pytest.raises(UsageProblem, match="cannot be repeated to an end"):
        blame(stopped.run_id, tmp_path)


def test_of_equally_good_decisions_the_one_that_was_made_is_the_best() -> None:
    assert gate("gate_done", gate_done=1, gate_continue=1, gate_fail=0).best == "gate_done"
    assert gate("gate_fail", gate_done=-1, gate_continue=1, gate_fail=0).best == "gate_continue"
    assert gate("gate_fail", gate_done=-1, gate_continue=0, gate_fail=0).regret == 0  # to give up is better than falsely done
    assert gate("gate_done", gate_done=-1, gate_continue=0, gate_fail=1).regret == 2
    sure = [gate("gate_done", "high", gate_done=1, gate_fail=0), gate("gate_fail", "high", gate_done=1, gate_fail=0)]
    assert figures([*sure, gate("gate_fail", gate_done=1, gate_fail=0)])[0].calibration == {"high": (2, 1)}


def test_the_command_goes_on_behind_the_rows_that_it_has(tmp_path: Path) -> None:
    suite = tmp_path / "small.yaml"
    suite.write_text("tasks: [archive-reports]\n")
    said = [CliRunner().invoke(app, ["lab", "gates", str(suite), "--out", str(tmp_path / "out"), "--json"]) for _ in range(2)]
    assert [one.exit_code for one in said] == [0, 0], said[0].output
    (first, second) = (json.loads(one.stdout) for one in said)
    assert first == second
    assert {(line["trigger"], line["gates"], line["right"]) for line in first} == {
        ("WORKER_SUCCESS", 1, 1),
        ("FINAL_CHECK", 1, 1),
    }
