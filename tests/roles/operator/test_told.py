"""What a worker is told between two decisions: each thing when it came, and no longer than it holds."""

from __future__ import annotations

import pytest
from support import FINISH, OPEN_HOUSE, Run, decide, desktop, planned, subtask, verdict

from protocol import Action, ActionTarget, Click, Fill, OperatorDecision
from roles.contracts import OperatorView, PlanAnswer, PlanRequest
from roles.contracts.limits import Limits
from roles.contracts.signals import GateTrigger
from roles.safety import SafetyPolicy

SUBMIT, DRAFT = (Click(target=ActionTarget(text=name)) for name in ("Submit", "Save draft"))


class Told:
    """Decides these one after the other, then finishes; keeps what it was told."""

    def __init__(self, *decisions: Action | OperatorDecision) -> None:
        self.views: list[OperatorView] = []
        self._left = [*decisions]

    def decide(self, view: OperatorView) -> OperatorDecision:
        self.views.append(view)
        action = self._left.pop(0) if self._left else FINISH
        return action if isinstance(action, OperatorDecision) else decide(action)


class Planner:
    """Plans this, then nothing more; keeps what it was told."""

    def __init__(self, *plans: PlanAnswer) -> None:
        self.requests: list[PlanRequest] = []
        self._left = [*plans]

    def plan(self, request: PlanRequest) -> PlanAnswer:
        self.requests.append(request)
        return self._left.pop(0) if self._left else PlanAnswer(outcome="infeasible", reason="no other way")


def fill(label: str, text: str) -> Action:
    return Fill(target=ActionTarget(text=label), text=text)


def run(policy: Told, planner: Planner | None = None, **more) -> Run:
    parts = {"operator": policy, **({"manager": planner} if planner else {})}
    return Run([planned(subtask("a"))], parts=parts, **({"safety": OPEN_HOUSE} | more)).go()


def test_what_a_gate_remarks_is_told_once() -> None:
    policy = Told(*(fill("Amount", f"${n}.00") for n in range(2, 6)))
    goes_on = {GateTrigger.PERIODIC_CHECK: [verdict("gate_continue", "the amount is there; the vendor is not")] * 9}
    run(policy, verdicts=goes_on, limits=Limits(check_every=3))
    told = [view.host_message for view in policy.views]
    assert told == ["", "", "", "", "the amount is there; the vendor is not"]


def test_a_message_is_of_the_step_that_brought_it_each_time_it_comes() -> None:
    policy = Told(DRAFT, fill("Amount", "$2.00"))
    run(policy)
    _, saved, filled = policy.views
    assert saved.events == ("Draft saved",)
    assert filled.events == ('"Draft saved" on the screen came at step 1, in reimbursement',)
    policy = Told(DRAFT, DRAFT)
    run(policy)
    assert policy.views[2].events == ("Draft saved",)


def test_a_worker_is_told_what_the_user_said_instead_of_approving() -> None:
    policy = Told(SUBMIT)
    whole = run(policy, Planner(planned(subtask("a")), planned(subtask("b"))), safety=SafetyPolicy())
    whole.go({"type": "respond", "message": "put the vendor in first"})
    assert policy.views[-1].events == ('the user answered instead of approving click "Submit": put the vendor in first',)


def test_the_question_that_comes_with_confirm_is_what_the_person_reads() -> None:
    whole = run(Told(decide(DRAFT, status="CONFIRM", comment="Shall I keep it as a draft?")))
    assert whole.asked["reason"] == "Shall I keep it as a draft?"


def test_all_that_a_worker_says_of_its_failure_reaches_who_plans_and_the_journal() -> None:
    comment, reasoning = "There is no such vendor. " * 40, "None of the 15 has that name."
    planner = Planner(planned(subtask("a")))
    whole = run(Told(OperatorDecision(status="FAIL", comment=comment, reasoning=reasoning)), planner)
    assert planner.requests[1].evidence == (comment, reasoning)
    assert [(body["status"], body.get("reason")) for body in whole.bodies("subtask_status")][-1] == ("rejected", comment)
    assert whole.bodies("decided")[0]["comment"] == comment


def test_the_same_press_for_the_same_message_is_a_stall() -> None:
    whole = run(Told(*[DRAFT] * 5))
    assert any("--stale_progress-->" in row for row in whole.rows)


@pytest.mark.parametrize("times", [4, 6])
def test_pages_may_be_turned_as_often_as_there_are_pages(times: int) -> None:
    names = ", ".join(f"{{name: Person {n:03}}}" for n in range(200))
    desk = desktop(world=f"name: pages\napps: {{contacts: {{contacts: [{names}]}}}}\nopen: [contacts]\n")
    whole = run(Told(*[Click(target=ActionTarget(text="Next"))] * times), desk=desk)
    assert not any("--stale_progress-->" in row for row in whole.rows)
    assert whole.status == "fulfilled"
