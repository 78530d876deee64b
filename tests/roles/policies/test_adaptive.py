"""A model is not asked where code can tell; where anything has happened since, or matters more, it is asked as ever."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from models import SCREEN, step

from orchestrator.crew import Crew
from orchestrator.runs.outcome import Outcome
from orchestrator.store.salvage import salvage
from orchestrator.tasks.tasks import Task, resolve_target
from roles.contracts import FactKnown, GateEvidence, GateRequest, GateVerdict, Subtask
from roles.contracts.orders import GoalLedger, LedgerEntry
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.journal.events import ErrorEvent, FactEvent, GateEvent, JournalEvent, ModelCallEvent
from roles.journal.journal import Event
from roles.policies.adaptive import AdaptiveEvaluator
from roles.policies.scripted_model import ScriptedChatModel

GOAL = 'Create a note titled "Milk" with the text "two bottles"'


def says_yes(messages: Sequence[BaseMessage]) -> Any:
    """No plan, and at every gate that all is well."""
    turn = str(messages[1].content)
    evidence = re.search(r"state:[0-9a-f]{8,}", turn)
    if "Why you are asked" not in turn:
        return "?"
    return {"reason": "it looks fine", "decision": "gate_done", "evidence": [evidence[0] if evidence else ""], "issues": []}


def worked(tmp_path: Path, goal: Task | str, *more: str) -> tuple[Outcome, list[Event]]:
    both = [f"crew.{role}={{policy: fallback, chain: [llm, rules]}}" for role in ("manager", "evaluator")]
    given = [*both, "crew.model=given", "limits.reasks=0", f"runs_dir={tmp_path}", *more]
    outcome = Crew.from_config(overrides=given, model=ScriptedChatModel(answer=says_yes)).run(goal)
    return outcome, salvage(outcome.folder / "journal.sqlite").events


def asked(events: list[Event], role: str) -> int:
    return sum(event.kind == "model_call" and event.role == role for event in events)


def noting(title: str) -> dict[str, Any]:
    """The one call that makes the note, and the end."""
    note = {"title": title, "body": "two bottles"}
    call = {"action": "call_api", "app": "notes", "function": "create_note", "arguments": note}
    return call | {"reasoning": "one call", "status": "FINISH"}


def in_one_go(tmp_path: Path, answer: Callable[[Sequence[BaseMessage]], Any]) -> tuple[Outcome, list[Event]]:
    """A goal that a model is given whole, and that is planned where that does not do."""
    settings = [f"crew.{role}.policy=llm" for role in ("manager", "operator", "evaluator")]
    settings += ["crew.adaptive.plan=as_needed", "crew.model=given", "limits.reasks=0", f"runs_dir={tmp_path}"]
    outcome = Crew.from_config(overrides=settings, model=ScriptedChatModel(answer=answer)).run("jot milk down, two bottles of it")
    return outcome, salvage(outcome.folder / "journal.sqlite").events


@pytest.mark.parametrize(("title", "manager"), [("Milk", 0), ("Water", 1)])
def test_a_goal_is_given_whole_to_a_model_and_planned_where_that_does_not_do(tmp_path: Path, title: str, manager: int) -> None:
    """One call of the Operator is also its end; a gate that is not content has the Manager plan."""
    call = noting(title)

    def answer(messages: Sequence[BaseMessage]) -> Any:
        turn = str(messages[1].content)
        if "Your subtask" in turn:
            assert "Your subtask, in any application: the whole goal" in turn
            return call
        if "Your plan:" in turn:
            assert "- goal (rejected, operator)" in turn, "what the final check refuses is not told as done"
            return {"reason": "there is no more to try", "outcome": "infeasible", "subtasks": []}
        state = re.search(r"state:[0-9a-f]{8,}", turn)
        done = "gate_done" if title == "Milk" else "gate_fail"
        return {"reason": "by the note", "decision": done, "evidence": [state[0] if state else ""], "issues": ["it is called so"]}

    outcome, events = in_one_go(tmp_path, answer)
    assert outcome.status == ("rejected" if manager else "fulfilled"), outcome.reason
    assert [asked(events, role) for role in ("manager", "operator", "evaluator")] == [manager, 1, 1]


@pytest.mark.parametrize(("plans", "status", "operator"), [(True, "fulfilled", 2), (False, "rejected", 1)])
def test_a_goal_that_the_operator_gives_up_in_one_piece_goes_to_the_manager_once(
    tmp_path: Path, plans: bool, status: str, operator: int
) -> None:
    """The Operator has seen one screen; the Manager sees what all applications hold, and is told why it was given up."""
    call = noting("Milk")
    subtask = {"id": "s1", "instruction": "Note it", "app": "notes", "worker": "operator"}

    def answer(messages: Sequence[BaseMessage]) -> Any:
        turn = str(messages[1].content)
        if "Your subtask" in turn:
            gives_up = {"reasoning": "there is no list here", "action": "none", "status": "FAIL"}
            return gives_up if "the whole goal" in turn else call
        if "Why you are asked" in turn and "Your plan" not in turn:
            state = re.search(r"state:[0-9a-f]{8,}", turn)
            return {"reason": "by the note", "decision": "gate_done", "evidence": [state[0] if state else ""], "issues": []}
        assert "there is no list here" in turn
        return {"reason": "r", "outcome": "planned" if plans else "infeasible", "subtasks": [subtask] if plans else []}

    outcome, events = in_one_go(tmp_path, answer)
    assert outcome.status == status, outcome.reason
    assert [asked(events, role) for role in ("manager", "operator")] == [1, operator]


@pytest.mark.parametrize(("adaptive", "evaluator"), [("{final_check: false}", 2), ("{}", 1)])
def test_one_subtask_costs_one_verdict(tmp_path: Path, adaptive: str, evaluator: int) -> None:
    outcome, events = worked(tmp_path, GOAL, f"crew.adaptive={adaptive}")
    assert outcome.status == "fulfilled", outcome.reason
    assert (asked(events, "manager"), asked(events, "evaluator")) == (1, evaluator)
    gates = [event.body for event in events if event.kind == "gate"]
    assert [gate["trigger"] for gate in gates] == ["WORKER_SUCCESS", "FINAL_CHECK"]
    if evaluator == 1:
        assert "no model is asked: its one subtask was judged on the same evidence just before" in gates[1]["reason"]
    told = [(event.role, event.body["answer"]) for event in events if event.body.get("decided_by") == "code, no model"]
    assert [role for role, _ in told] == ["evaluator"] * (evaluator == 1)


def test_the_end_is_asked_about_where_there_are_two_subtasks_or_a_policy_of_its_own(tmp_path: Path) -> None:
    outcome, events = worked(tmp_path, resolve_target("total-into-a-note"))
    assert outcome.status == "fulfilled", outcome.reason
    assert asked(events, "evaluator") == 3
    _, events = worked(tmp_path, GOAL, "crew.evaluator.final=llm")
    assert asked(events, "evaluator") == 2


class Counting:
    """A policy that says yes, and how often it was asked."""

    def __init__(self, decision: Signal = Signal.GATE_DONE) -> None:
        self.asked = 0
        self._decision = decision

    def judge(self, request: GateRequest) -> GateVerdict:
        self.asked += 1
        return GateVerdict(decision=self._decision, reason="r")  # type: ignore[arg-type]


CALL = ModelCallEvent(model="m", tokens_in=1, tokens_out=1, seconds=0.1)
JUDGED = GateEvent(
    decision="gate_done", reason="seen", evidence=[], issues=[], query="", trigger="WORKER_SUCCESS",
    found={"after": f"state:{SCREEN.state_id}"},
)  # fmt: skip


def events_of(*events: JournalEvent, role: str = "evaluator", subtask: str = "a") -> list[Event]:
    return [Event(n, 0.0, event.KIND, role, subtask, 0, event.body()) for n, event in enumerate(events, start=1)]


def final(**changes: Any) -> GateRequest:
    subtask = Subtask(id="a", title="a", instruction="i", app="claims", status=SubtaskStatus.FULFILLED)
    given = {"trigger": GateTrigger.FINAL_CHECK, "goal": "g", "plan": (subtask,), "screens": (SCREEN,), "steps": (step(1),)}
    return GateRequest(**given | changes)


SENT = step(2, verb="send", target="Send")
FACT = FactEvent(name="n", value="v", kind="text", app="a", state_id="", source="screen", reason="")
LOOKED = step(1, action={"action_type": "click", "target": {"text": "Hall"}}, events=("navigation: home / Home: Hall",))
TOLD = GoalLedger(goal="g", entries=(LedgerEntry(text="say who is there", state="shown"),))
UNUSABLE = ErrorEvent(message="not usable", unusable=True)
UNREAD = ModelCallEvent(model="m", tokens_in=1, tokens_out=1, seconds=0.1, problem="no JSON")


WHOLE = Subtask(id="goal", title="g", instruction="g", status=SubtaskStatus.FULFILLED)
EXPECTING = WHOLE.model_copy(update={"expect": (FactKnown(name="total"),)})
BY_MODEL = [*events_of(CALL, role="operator"), *events_of(JUDGED)]


def in_one_piece(*entries: LedgerEntry, **changes: Any) -> GateRequest:
    found = GateEvidence(ledger=GoalLedger(goal="g", entries=entries))
    return final(**{"plan": (WHOLE,), "found": found, "steps": (SENT,)} | changes)


ORDER = LedgerEntry(order=0, text="send it", state="shown", evidence=("step:2",))
KEPT = LedgerEntry(order=1, kind="exclusion", text="but keep the draft", state="shown")

MISSED = LedgerEntry(order=0, text="send it", state="missing", why="nothing was sent")
INSISTS = GateEvent(**JUDGED.body() | {"found": JUDGED.found | {"undone": ["not done: send it (nothing was sent)"]}})
OTHER = LedgerEntry(order=1, kind="exclusion", text="but keep the draft", state="forbidden")


@pytest.mark.parametrize(
    ("events", "request_", "by_rules", "asks"),
    [
        (events_of(CALL, JUDGED), final(), Signal.GATE_DONE, 0),
        (events_of(CALL, JUDGED), final(), Signal.GATE_FAIL, 1),
        (events_of(JUDGED), final(), Signal.GATE_DONE, 1),
        (events_of(CALL, UNUSABLE, JUDGED), final(), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED, FACT), final(), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED, JUDGED), final(), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED, role="operator"), final(), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(user_words=("rather not",)), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(screens=()), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(plan=(final().plan[0], final().plan[0])), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(reask="that was none"), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(steps=(LOOKED,)), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(steps=(LOOKED,), found=GateEvidence(ledger=TOLD)), Signal.GATE_DONE, 0),
        (events_of(UNREAD, JUDGED), final(), Signal.GATE_DONE, 1),
        (events_of(CALL, JUDGED), final(found=GateEvidence(ledger=GoalLedger(goal="g", entries=(MISSED,)))), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, KEPT), Signal.GATE_DONE, 0),
        (BY_MODEL, in_one_piece(ORDER, KEPT), Signal.GATE_FAIL, 1),
        (events_of(JUDGED), in_one_piece(ORDER, KEPT), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, KEPT, steps=(LOOKED,)), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, KEPT, user_words=("rather not",)), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, KEPT, plan=final().plan), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, LedgerEntry(kind="unread", text="soon", state="unread")), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, LedgerEntry(text="tell Ann", state="unchecked")), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, LedgerEntry(text="tell Ann", state="shown")), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, LedgerEntry(kind="besides", text="a mail", state="forbidden")), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(KEPT), Signal.GATE_DONE, 1),
        (BY_MODEL, in_one_piece(ORDER, KEPT, plan=(EXPECTING,)), Signal.GATE_DONE, 1),
        (events_of(CALL, INSISTS, subtask="goal"), in_one_piece(MISSED), Signal.GATE_FAIL, 0),
        (events_of(CALL, JUDGED, subtask="goal"), in_one_piece(MISSED), Signal.GATE_FAIL, 1),
        (events_of(CALL, INSISTS, FACT, subtask="goal"), in_one_piece(MISSED), Signal.GATE_FAIL, 1),
        (events_of(CALL, INSISTS, subtask="goal"), in_one_piece(MISSED, OTHER), Signal.GATE_FAIL, 1),
        (events_of(CALL, INSISTS, subtask="goal"), in_one_piece(MISSED, screens=()), Signal.GATE_FAIL, 1),
        (events_of(CALL, INSISTS), in_one_piece(MISSED, plan=final().plan), Signal.GATE_FAIL, 1),
        (events_of(CALL, INSISTS, subtask="goal"), in_one_piece(MISSED, user_words=("rather not",)), Signal.GATE_FAIL, 1),
    ],
    ids=["same", "code is against it", "rules judged", "unusable", "a new fact", "a second gate", "not the evaluator's",
         "user", "another screen", "two subtasks", "asked again", "nothing was done", "an order that is done by telling",
         "an answer with a problem", "an order that speaks against it", "whole: both agree", "whole: code is against it",
         "whole: rules worked", "whole: nothing was done", "whole: user",
         "whole: planned", "whole: unread", "whole: unchecked", "whole: without evidence", "whole: something besides",
         "whole: no order", "whole: something expected",
         "insists: told", "insists: not told", "insists: a new fact", "insists: something else, too",
         "insists: another screen", "insists: planned", "insists: user"],
)  # fmt: skip
def test_the_end_is_asked_about_unless_the_same_was_just_judged_or_all_of_a_goal_in_one_piece_is_read_and_shown(
    events: list[Event], request_: GateRequest, by_rules: Signal, asks: int
) -> None:
    """Nor is who insisted on the same evidence asked again."""
    model, noted = Counting(), []
    AdaptiveEvaluator(model, Counting(by_rules), lambda: events, noted.append).judge(request_)
    assert model.asked == asks
    assert [note["answer"].partition(":")[0] for note in noted] == ["gate_done"] * (1 - asks)
