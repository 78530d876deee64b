"""Chains of any policies, and another policy for the end."""

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
from roles.policies.fallback import BudgetSpent, Fallback, GaveUp, NamedPolicy, PolicyFault, Unreachable

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


def test_who_has_read_a_subtask_is_not_overruled_a_spent_budget_ends_a_chain_and_an_interrupt_is_no_failure() -> None:
    failed = OperatorDecision(status=AgentStatus.FAIL, reasoning='"Save" does not react')
    assert Fallback(named(failed, click(text="Save"))).decide(view()).status is AgentStatus.FAIL
    for raised in (BudgetSpent("spent"), GraphInterrupt(())):
        with pytest.raises(type(raised)):
            Fallback(named(raised, ERROR)).decide(view())


def test_a_chain_that_comes_to_its_end_says_what_each_of_them_said() -> None:
    seen, record = recorder()
    with pytest.raises(GaveUp, match="p1: one; p2: two"):
        Fallback(named(GaveUp("one"), PolicyFault("two")), record).judge(GATE)
    assert seen[0]["decided_by"] == ""
    answer = Fallback(named(GaveUp("one"), PlanAnswer(outcome="plan_failed", reason="no idea"))).plan(PlanRequest(goal="g"))
    assert answer.reason == "no idea"


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


SCRIPT = ScriptRequest(goal="g", subtask=Subtask(id="a", title="a", instruction="a", worker="technician"))
QUESTION = AnalystRequest(goal="g", subtask=Subtask(id="a", title="a", instruction="a", worker="analyst"))


def test_chains_are_for_technician_and_analyst_too() -> None:
    cannot, nothing = ScriptAnswer(outcome="cannot", reason="no idea"), Answer(missing=("the rate",))
    script, answer = ScriptAnswer(outcome="run", script=Script(code="ls")), Answer(results=(Result(name="sum", value="7"),))
    assert Fallback(named(cannot, script)).write(SCRIPT) == script
    assert Fallback(named(nothing, answer)).answer(QUESTION) == answer


def test_when_nobody_decides_and_one_could_not_be_reached_it_may_be_asked_later() -> None:
    with pytest.raises(Unreachable, match="the model is down"):
        Fallback(named(Unreachable("the model is down"), GaveUp("no words"))).judge(GATE)
    with pytest.raises(GaveUp) as gave_up:
        Fallback(named(PolicyFault("lost"), GaveUp("no words"))).judge(GATE)
    assert not isinstance(gave_up.value, Unreachable)
    assert Fallback(named(Unreachable("the model is down"), verdict("gate_done"))).judge(GATE).decision is Signal.GATE_DONE
