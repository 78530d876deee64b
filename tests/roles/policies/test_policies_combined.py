"""Chains, votes and choices by subtask, made of any policies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.errors import GraphInterrupt

from protocol import ActionTarget, AgentStatus, Click, GUIElement, OperatorDecision, VisualState
from roles.contracts import (
    AnalystRequest,
    Answer,
    GateRequest,
    GateVerdict,
    OperatorView,
    PlanAnswer,
    PlanRequest,
    Result,
    Script,
    ScriptAnswer,
    ScriptRequest,
    Subtask,
)
from roles.contracts.signals import GateTrigger, Signal
from roles.policies.fallback import (
    BudgetSpent,
    BySubtask,
    Case,
    Condition,
    Fallback,
    GaveUp,
    NamedPolicy,
    PolicyFault,
    Unreachable,
    Vote,
)

SEEN = VisualState(elements=(GUIElement(element_id="1", text="Save", role="button"), GUIElement(element_id="2", text="Send")))
GATE = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g")


def view(app: str = "mail", memory: dict[str, Any] | None = None) -> OperatorView:
    subtask = Subtask(id="a", title="a", instruction="a", app=app)
    return OperatorView(user_request="g", subtask=subtask, app=app, seen=SEEN, memory=memory or {})


class Says:
    """A policy for every role, with the same answer each time."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.asked = 0

    def _say(self, request: Any) -> Any:
        self.asked += 1
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer(request) if callable(self._answer) else self._answer

    plan = decide = judge = answer = write = _say


def click(**target: Any) -> OperatorDecision:
    return OperatorDecision(action=Click(target=ActionTarget(**target)), status=AgentStatus.CONTINUE)


def named(*answers: Any) -> list[NamedPolicy]:
    return [NamedPolicy(f"p{number}", Says(answer)) for number, answer in enumerate(answers, start=1)]


def recorder() -> tuple[list[dict[str, Any]], Callable[[dict[str, Any]], None]]:
    seen: list[dict[str, Any]] = []
    return seen, seen.append


ERROR = OperatorDecision(status=AgentStatus.ERROR, comment="lost")
UNREAD = OperatorDecision(status=AgentStatus.FAIL, reasoning='not understood: "groceries"')


@pytest.mark.parametrize("first", [GaveUp("no words"), PolicyFault("gone"), ERROR, UNREAD])
def test_the_next_of_a_chain_decides_where_the_one_before_cannot(first: Any) -> None:
    seen, record = recorder()
    decision = Fallback(named(first, click(text="Save"), click(text="Send")), record).decide(view())
    assert decision.action == click(text="Save").action
    (told,) = seen
    assert told["decided_by"] == "p2"
    assert told["passed"][0].startswith("p1: ")


def test_who_has_read_a_subtask_and_cannot_do_it_is_not_overruled() -> None:
    failed = OperatorDecision(status=AgentStatus.FAIL, reasoning='"Save" does not react')
    assert Fallback(named(failed, click(text="Save"))).decide(view()).status is AgentStatus.FAIL


def test_a_chain_that_comes_to_its_end_says_what_each_of_them_said() -> None:
    seen, record = recorder()
    with pytest.raises(GaveUp, match="p1: one; p2: two"):
        Fallback(named(GaveUp("one"), PolicyFault("two")), record).judge(GATE)
    assert seen[0]["decided_by"] == ""
    answer = Fallback(named(GaveUp("one"), PlanAnswer(outcome="plan_failed", reason="no idea"))).plan(PlanRequest(goal="g"))
    assert answer.reason == "no idea"


def test_a_spent_budget_ends_a_chain_and_a_vote_and_an_interrupt_is_no_failure() -> None:
    for combined in (Fallback(named(BudgetSpent("spent"), ERROR)), Vote(named(BudgetSpent("spent"), ERROR))):
        with pytest.raises(BudgetSpent):
            combined.decide(view())
    for combined in (Fallback(named(GraphInterrupt(()), ERROR)), Vote(named(GraphInterrupt(()), ERROR))):
        with pytest.raises(GraphInterrupt):
            combined.decide(view())


def test_policies_that_take_turns_keep_their_notes_apart() -> None:
    heard: list[dict[str, Any]] = []

    def counting(request: OperatorView) -> OperatorDecision:
        heard.append(request.memory)
        return click(text="Save").model_copy(update={"memory": {"n": request.memory.get("n", 0) + 1}})

    fails = GaveUp("x")
    memory = Fallback(named(fails, counting)).decide(view()).memory
    memory = Fallback(named(counting, fails)).decide(view(memory=memory)).memory
    memory = Fallback(named(fails, counting)).decide(view(memory=memory)).memory
    assert heard == [{}, {}, {"n": 1}]
    assert memory == {"p1": {"n": 1}, "p2": {"n": 2}}


def verdict(decision: str, reason: str = "") -> GateVerdict:
    return GateVerdict.model_validate({"decision": decision, "reason": reason})


def test_the_majority_decides_and_who_cannot_change_it_is_not_asked() -> None:
    seen, record = recorder()
    votes = named(verdict("gate_fail"), verdict("gate_done", "a"), verdict("gate_done", "b"))
    assert Vote(votes, record).judge(GATE).reason == "a"
    assert seen[0]["disagree"] is True
    assert (seen[0]["for"], seen[0]["ballots"]) == (2, ["p1: gate_fail", "p2: gate_done", "p3: gate_done"])
    votes = named(verdict("gate_done"), verdict("gate_done"), verdict("gate_fail"))
    assert Vote(votes).judge(GATE).decision is Signal.GATE_DONE
    assert [voter.policy.asked for voter in votes] == [1, 1, 0]
    assert Vote(named(verdict("gate_fail"), verdict("gate_done"))).judge(GATE).decision is Signal.GATE_FAIL


def test_the_same_action_in_other_words_is_the_same_vote() -> None:
    votes = named(click(text="Send"), click(text="Save"), click(element_id="1"), click(element_id="1", text="Save"))
    decision = Vote(votes).decide(view())
    assert decision.action
    assert decision.action.target
    assert decision.action.target.text == "Save"


def test_who_fails_has_no_vote_and_without_any_there_is_no_decision() -> None:
    assert Vote(named(GaveUp("x"), ERROR, verdict("gate_done"))).judge(GATE).decision is Signal.GATE_DONE
    with pytest.raises(GaveUp, match=r"p1: no vote, x; p2: no vote, lost"):
        Vote(named(GaveUp("x"), ERROR)).decide(view())


def test_a_subtask_chooses_who_decides() -> None:
    cases = [
        Case(NamedPolicy("m", Says(click(text="Save"))), Condition(app="mail")),
        Case(NamedPolicy("t", Says(ERROR)), Condition(worker="technician")),
    ]
    policy = BySubtask(cases, NamedPolicy("other", Says(click(text="Send"))))
    texts = [policy.decide(view(app)).action.target.text for app in ("mail", "notes")]  # type: ignore[union-attr]
    assert texts == ["Save", "Send"]
    assert policy.judge(GATE) == click(text="Send")  # a gate about no subtask is the role's own policy's


def test_plans_are_alike_by_what_is_to_be_done() -> None:
    def plan(name: str, instruction: str = "Find it") -> PlanAnswer:
        return PlanAnswer(outcome="planned", subtasks=(Subtask(id=name, title=name, instruction=instruction, app="mail"),))

    votes = named(plan("x", "another"), plan("a"), plan("b", "find  it"))
    assert Vote(votes).plan(PlanRequest(goal="g")).subtasks[0].id == "a"


SCRIPT = ScriptRequest(goal="g", subtask=Subtask(id="a", title="a", instruction="a", worker="technician"))
QUESTION = AnalystRequest(goal="g", subtask=Subtask(id="a", title="a", instruction="a", worker="analyst"))


def bash(code: str) -> ScriptAnswer:
    return ScriptAnswer(outcome="run", script=Script(code=code))


def result(value: str) -> Answer:
    return Answer(results=(Result(name="sum", value=value),))


def test_chains_votes_and_choices_are_for_technician_and_analyst_too() -> None:
    cannot, nothing = ScriptAnswer(outcome="cannot", reason="no idea"), Answer(missing=("the rate",))
    assert Fallback(named(cannot, bash("ls"))).write(SCRIPT) == bash("ls")
    assert Fallback(named(nothing, result("7"))).answer(QUESTION) == result("7")
    assert Vote(named(bash("rm a"), bash("ls  -l"), bash("ls -l"))).write(SCRIPT) == bash("ls  -l")
    assert Vote(named(result("8"), result("7"), result("7"))).answer(QUESTION) == result("7")
    first, other = named(bash("a"), bash("b"))
    policy = BySubtask([Case(first, Condition(worker="technician"))], other)
    assert policy.write(SCRIPT) == bash("a")
    assert policy.write(SCRIPT.model_copy(update={"subtask": QUESTION.subtask})) == bash("b")


@pytest.mark.parametrize("combine", [Fallback, Vote])
def test_when_nobody_decides_and_one_could_not_be_reached_it_may_be_asked_later(combine: Any) -> None:
    with pytest.raises(Unreachable, match="the model is down"):
        combine(named(Unreachable("the model is down"), GaveUp("no words"))).judge(GATE)
    with pytest.raises(GaveUp) as gave_up:
        combine(named(PolicyFault("lost"), GaveUp("no words"))).judge(GATE)
    assert not isinstance(gave_up.value, Unreachable)
    assert combine(named(Unreachable("the model is down"), verdict("gate_done"))).judge(GATE).decision is Signal.GATE_DONE
