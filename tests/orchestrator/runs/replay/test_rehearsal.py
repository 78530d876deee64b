"""Rehearsal: attempts in copies of the run, the best of which is carried out, and nothing of the others that reaches anybody."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.control.requests import approving
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.rehearsal import KEPT
from orchestrator.runs.replay.recording import find_recording
from orchestrator.runs.replay.replay import replay
from orchestrator.runs.runs import resume, start
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from protocol import AgentStatus, CallApi
from protocol.model.decisions import OperatorDecision
from roles.contracts import OperatorView
from roles.knowledge.library import stored_at
from roles.knowledge.store import KnowledgeStore
from roles.operator.rules import RulesOperator
from roles.policies.scripted_model import ScriptedChatModel

GOAL = 'Create a note titled "Rain check" with the text "not before Friday"'
DELETE = 'Delete the note "Travel plan"'


class Trying:
    """The rules, which `first` has a decision to put before theirs in each attempt that is begun."""

    def __init__(self, *first: OperatorDecision | None) -> None:
        self.first, self.begun, self.asked = list(first), 0, 0

    def decide(self, view: OperatorView) -> OperatorDecision:
        self.asked += 1
        if not view.history:
            self.begun += 1
            if self.begun <= len(self.first) and (own := self.first[self.begun - 1]) is not None:
                return own
        return RulesOperator().decide(view)


def gives_up() -> OperatorDecision:
    return OperatorDecision(status=AgentStatus.FAIL, comment="I do not know how", reasoning="I do not know how")


def run(tmp_path: Path, goal: str, *overrides: str, approver: Any = approving, **parts: Any) -> Outcome:
    said = [f"runs_dir={tmp_path / 'runs'}", "display=none", *overrides]
    return start(load_settings((), said), goal, approver=approver, parts=parts)


def rehearsals(outcome: Outcome) -> list[Mapping[str, Any]]:
    return [event.body for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == "rehearsal"]


def notes(folder: Path) -> list[str]:
    desk = SimulatedDesktop(load_world("office"), store=folder)
    found = desk.world()["apps"]["notes"]["notes"]
    return [note["title"] for note in (found.values() if isinstance(found, dict) else found)]


def test_the_first_attempt_that_passes_its_gate_is_carried_out_and_the_others_leave_no_trace(tmp_path: Path) -> None:
    operator = Trying(gives_up())
    outcome = run(tmp_path, GOAL, "crew.rehearse.n=3", operator=operator)
    assert outcome.status == "fulfilled"
    first, second, chosen = rehearsals(outcome)
    assert (first["decision"], second["decision"]) == ("", "gate_done")
    assert (chosen["chosen"], chosen["number"]) == (True, 2)
    assert any("Rain check" in line for line in second["told"]), "each transition is told"
    assert notes(outcome.folder).count("Rain check") == 1
    assert operator.begun == 2, "what is carried out is not decided anew"
    assert len(list((tmp_path / "runs").glob("2*"))) == 1
    assert replay(find_recording(outcome.run_id, tmp_path / "runs")).difference is None


def test_a_person_is_asked_about_what_is_carried_out_and_about_nothing_that_is_rehearsed(tmp_path: Path) -> None:
    asked: list[str] = []

    def approver(request: Mapping[str, Any]) -> dict[str, Any] | None:
        asked.append(request["kind"])
        return approving(request)

    outcome = run(tmp_path, DELETE, "crew.rehearse.n=2", operator=Trying(gives_up()), approver=approver)
    plain = run(tmp_path / "plain", DELETE, approver=lambda request: approving(request))
    assert outcome.status == plain.status == "fulfilled"
    assert len(asked) == len(plain.report["approvals"]) > 0


def test_where_no_attempt_passes_the_policy_decides_as_ever(tmp_path: Path) -> None:
    operator = Trying(gives_up(), gives_up(), None)
    outcome = run(tmp_path, GOAL, "crew.rehearse.n=2", operator=operator)
    assert outcome.status == "fulfilled"
    assert [one["decision"] for one in rehearsals(outcome)] == ["", ""]


def test_where_the_screen_is_another_than_in_the_rehearsal_it_is_decided_anew(tmp_path: Path) -> None:
    operator, again = Trying(), Trying()
    waits = run(tmp_path, DELETE, "crew.rehearse.n=2", operator=operator, approver=None)
    (path,) = (waits.folder / KEPT).glob("*.json")
    kept = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([one | {"seen": "another"} for one in kept]), encoding="utf-8")
    answer = {"decisions": [{"type": "approve"}]}
    outcome = resume(waits.run_id, runs_dir=tmp_path / "runs", answer=answer, approver=approving, parts={"operator": again})
    assert outcome.status == "fulfilled"
    assert again.asked > 0, "the rest is decided by the policy"
    assert again.begun == 0
    assert "Travel plan" not in notes(outcome.folder)


def test_a_run_that_waited_in_between_goes_on_with_what_was_rehearsed(tmp_path: Path) -> None:
    operator = Trying(gives_up())
    waits = run(tmp_path, DELETE, "crew.rehearse.n=2", operator=operator, approver=None)
    assert waits.exit_code == 3
    asked, again = operator.asked, Trying()
    answer = {"decisions": [{"type": "approve"}]}
    outcome = resume(waits.run_id, runs_dir=tmp_path / "runs", answer=answer, approver=approving, parts={"operator": again})
    assert outcome.status == "fulfilled"
    assert asked > 1
    assert again.asked == 0, "everything that was left had been decided"


def test_what_is_rehearsed_calls_no_tool_of_others(tmp_path: Path) -> None:
    called: list[str] = []

    @tool
    def exchange_rate(currency: str) -> str:
        """What one euro is worth."""
        called.append(currency)
        return f"1.08 {currency}"

    exchange_rate.metadata = {"risk": "observe", "idempotence": "reading"}
    call = CallApi(app="tools", function="exchange_rate", arguments={"currency": "USD"})
    calls = OperatorDecision(status=AgentStatus.CONTINUE, action=call, reasoning="to know")
    outcome = run(tmp_path, GOAL, "crew.rehearse.n=2", operator=Trying(calls, calls), skills=(exchange_rate,))
    assert outcome.status == "fulfilled"
    assert len(rehearsals(outcome)) >= 2
    assert len(called) <= 1, "only what was carried out"


def test_a_goal_is_rehearsed_as_a_whole_with_its_plan(tmp_path: Path) -> None:
    """Of several that pass, only what is carried out teaches anything."""
    outcome = run(tmp_path, GOAL, "crew.rehearse={n: 3, at: goal}", "knowledge.experience.save=always", operator=Trying())
    assert outcome.status == "fulfilled"
    (attempt, chosen) = rehearsals(outcome)
    assert attempt["decision"] == "gate_done"
    assert chosen["chosen"]
    assert notes(outcome.folder).count("Rain check") == 1
    store = load_settings((), [f"runs_dir={tmp_path / 'runs'}"]).settings
    with KnowledgeStore(stored_at(store.knowledge, store.runs_dir)) as kept:
        assert len(kept.list()) == 1


def test_of_several_that_pass_a_model_says_which_did_best_by_their_transitions(tmp_path: Path) -> None:
    told: list[str] = []

    def answer(messages: Any) -> dict[str, Any]:
        turn = "\n".join(str(message.content) for message in messages)
        if "attempt 2:" in turn:
            told.append(turn)
            return {"reason": "it does the same in fewer steps", "best": 2}
        seen = re.search(r"state:[0-9a-f]{8,}", turn)
        return {"reason": "it is there", "decision": "gate_done", "evidence": [seen[0] if seen else ""], "issues": []}

    model = ["crew.model={name: given}", "crew.evaluator={policy: llm}"]
    chosen_by = "crew.rehearse={n: 2, choose: comparative}"
    outcome = run(tmp_path, GOAL, *model, chosen_by, operator=Trying(), model=ScriptedChatModel(answer=answer))
    chosen = [one for one in rehearsals(outcome) if one.get("chosen")]
    assert [one["number"] for one in chosen] == [2]
    assert chosen[0]["reason"] == "it does the same in fewer steps"
    assert len(told) == 1
    assert told[0].count("Rain check") >= 3


def test_what_the_attempts_cost_is_counted(tmp_path: Path) -> None:
    def answer(messages: Any) -> dict[str, Any]:
        return {"reasoning": "I give up", "status": "FAIL", "comment": "no"}

    model = ["crew.model={name: given}", "crew.operator={policy: llm}", "crew.rehearse.n=3"]
    outcome = run(tmp_path, GOAL, *model, model=ScriptedChatModel(answer=answer))
    used = outcome.report["models"]
    assert used["controller"]["calls"] >= 3
    assert used["controller"]["tokens_in"] > used["operator"]["tokens_in"]


def test_every_attempt_but_the_first_is_made_at_another_temperature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heats: list[float | None] = []

    def follows(run_id: str, *, runs_dir: Path, **more: Any) -> Outcome:
        crew = json.loads((runs_dir / run_id / "run.json").read_text(encoding="utf-8"))["settings"]["crew"]
        heats.append(crew["model"]["temperature"])
        return resume(run_id, runs_dir=runs_dir, **more)

    monkeypatch.setattr(runs, "resume", follows)
    said = ["crew.model={name: given, temperature: 0.1}", "crew.rehearse={n: 3, temperature: 1.3}"]
    run(tmp_path, GOAL, *said, operator=Trying(*[gives_up()] * 9), model=ScriptedChatModel())
    assert heats[:3] == [0.1, 1.3, 1.3]


def test_a_world_that_cannot_be_copied_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"crew\.rehearse: only a simulated world"):
        run(tmp_path, GOAL, "crew.rehearse.n=2", environment=SimulatedDesktop(load_world("office")))
    with pytest.raises(UsageProblem, match="choose: judge goes with at: goal"):
        load_settings((), ["crew.rehearse={n: 2, choose: judge}"])
