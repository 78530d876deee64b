"""A person reviews every plan: nothing is worked before they said so, and what they said stands in the journal."""

from __future__ import annotations

from typing import Any

import pytest
from support import Planner, Run, decide, planned, subtask

from protocol import ActionTarget, AgentStatus, Fill, OperatorDecision
from roles.contracts import PlanAnswer, Subtask
from roles.contracts.limits import Limits
from roles.safety import SafetyPolicy
from roles.safety.policy import Uptime

FILL = decide(Fill(target=ActionTarget(text="Amount"), text="$5.00"))
OTHER = decide(Fill(target=ActionTarget(text="Vendor"), text="Acme"))
GIVE_UP = OperatorDecision(status=AgentStatus.FAIL, comment="no way through")
APPROVE = {"type": "approve"}


def reviewed(manager: Planner, lines: dict[str, Any], **more: Any) -> Run:
    return Run([PlanAnswer(outcome="infeasible")], lines, parts={"review_plans": True, "manager": manager}, **more).go()


class Later:
    """A clock that a test moves."""

    at = 1_000.0

    def __call__(self) -> float:
        return self.at

    def uptime(self) -> Uptime:
        return Uptime("boot", self.at)


@pytest.mark.parametrize(("expired", "worked"), [("ask", True), ("deny", False)])
def test_a_review_that_nobody_gave_in_time_is_asked_anew_or_is_a_rejection(expired: str, worked: bool) -> None:
    later = Later()
    policy = SafetyPolicy.model_validate({"approval_seconds": 60.0, "expired": expired})
    parts = {"clock": later, "uptime": later.uptime}
    manager = Planner(planned(subtask("a")))
    run = Run([PlanAnswer(outcome="infeasible")], {"a": (FILL,)}, safety=policy,
              parts={"review_plans": True, "manager": manager, **parts}).go()  # fmt: skip
    first = run.asked
    later.at += 61
    run.go(APPROVE)
    assert [body["then"] for body in run.bodies("approval_expired")] == [expired]
    assert not [body for body in run.bodies("approval") if body["decision"] == "approve"], "it came too late"
    if worked:
        again = run.asked
        assert (again["digest"], again["times"], again["asked"]["at"]) == (first["digest"], 2, later.at)
        later.at += 59
        run.go(APPROVE)
        assert run.status == "fulfilled"
    else:
        assert manager.requests[1].trigger == "plan_rejected"
        assert manager.requests[1].user_words == (), "nobody has said anything"
        assert "nobody answered in time" in manager.requests[1].evidence[-1]


def edit(*subtasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": "work_plan", "args": {"subtasks": list(subtasks), **more}}}


def test_a_plan_is_shown_in_the_form_of_every_approval_once_made_and_nothing_is_done_before() -> None:
    manager = Planner(planned(subtask("a"), subtask("b", "a")))
    run = reviewed(manager, {"a": [FILL], "b": [OTHER]})
    request = run.asked
    assert request["kind"] == "plan"
    assert [a["name"] for a in request["action_requests"]] == ["work_plan"]
    assert [s["id"] for s in request["action_requests"][0]["args"]["subtasks"]] == ["a", "b"]
    assert request["review_configs"] == [
        {"action_name": "work_plan", "allowed_decisions": ["approve", "edit", "reject", "respond"]}
    ]
    assert run.desk.received() == []
    assert run.bodies("plan") == []
    run.go(APPROVE)
    assert (run.status, len(manager.requests)) == ("fulfilled", 1)
    assert [item["action"]["text"] for item in run.desk.received()] == ["$5.00", "Acme"]


def test_a_replan_is_shown_too_with_what_has_ended_and_why() -> None:
    manager = Planner(planned(subtask("a"), subtask("b", "a")), planned(subtask("c", "a")))
    run = reviewed(manager, {"a": [FILL], "b": [GIVE_UP], "c": [OTHER]})
    run.go(APPROVE)
    request = run.asked
    assert request["ended"] == [
        {"id": "a", "title": "do a", "status": "fulfilled"},
        {"id": "b", "title": "do b", "status": "rejected"},
    ]
    assert [s["id"] for s in request["action_requests"][0]["args"]["subtasks"]] == ["c"]
    assert any("no way through" in reason for reason in request["reasons"])
    run.go(APPROVE)
    assert run.status == "fulfilled"


@pytest.mark.parametrize("kind", ["reject", "respond"])
def test_a_rejection_is_words_for_the_next_plan(kind: str) -> None:
    manager = Planner(planned(subtask("a")), planned(subtask("b")))
    run = reviewed(manager, {"b": [OTHER]})
    run.go({"type": kind, "message": "the vendor only", "who": "ada"})
    assert manager.requests[1].trigger == "plan_rejected"
    assert manager.requests[1].user_words == ("the vendor only",)
    assert any("the vendor only" in words for words in manager.requests[1].evidence)
    assert manager.requests[1].plan == ()
    run.go(APPROVE)
    assert run.status == "fulfilled"
    said = [(b["decision"], b["who"], b["message"], b["plan_version"], b["worked"]) for b in run.bodies("approval")]
    assert said == [(kind, "ada", "the vendor only", 1, 0), ("approve", "user", "", 2, 2)]


def test_a_rejected_replan_still_tells_what_went_wrong_before() -> None:
    manager = Planner(planned(subtask("a")), planned(subtask("b")), planned(subtask("c")))
    run = reviewed(manager, {"a": [GIVE_UP], "c": [FILL]})
    run.go(APPROVE)
    run.go({"type": "reject", "message": "not so"})
    last = manager.requests[2]
    assert [s.status.value for s in last.plan] == ["rejected"]
    assert last.failed == "a"
    assert any("no way through" in words for words in last.evidence)
    run.go(APPROVE)
    assert run.status == "fulfilled"


def test_rejections_are_bounded_by_the_budget_of_plans() -> None:
    run = reviewed(Planner(*[planned(subtask("a"))] * 3), {"a": [FILL]}, limits=Limits(plans=3))
    for _ in range(3):
        run.go({"type": "reject"})
    assert (run.status, run.result["ended_by"]) == ("rejected", "budget_spent")
    assert run.desk.received() == []


def test_an_edited_plan_is_worked_in_place_of_the_one_that_was_shown() -> None:
    run = reviewed(Planner(planned(subtask("a"))), {"a": [FILL], "mine": [OTHER]})
    run.go(edit({"id": "mine", "instruction": "do mine"}))
    assert run.status == "fulfilled"
    assert [item["action"]["text"] for item in run.desk.received()] == ["Acme"]
    assert [b["worked"] for b in run.bodies("approval")] == [2]
    assert [s["id"] for s in run.bodies("plan")[-1]["subtasks"]] == ["mine"]


def test_an_edit_of_a_replan_keeps_what_is_fulfilled_and_may_wait_for_it() -> None:
    manager = Planner(planned(subtask("a"), subtask("b", "a")), planned(subtask("c", "a")))
    run = reviewed(manager, {"a": [FILL], "b": [GIVE_UP], "mine": [OTHER]})
    run.go(APPROVE)
    run.go(edit({"id": "a", "title": "do a", "instruction": "do a"}, {"id": "mine", "instruction": "x", "depends_on": ["a"]}))
    assert run.status == "fulfilled"
    assert [item["action"]["text"] for item in run.desk.received()] == ["$5.00", "Acme"]
    assert {s["id"]: s["status"] for s in run.bodies("plan")[-1]["subtasks"]} == {
        "a": "fulfilled",
        "b": "rejected",
        "mine": "ready",
    }


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        (edit({"id": "a", "instruction": "x", "depends_on": ["z"]}), "'z', which is not in the plan"),
        (edit({"id": "a", "instruction": "x", "app": "crm"}), "wants the application 'crm'"),
        (edit({"id": "a", "instruction": "x", "depends_on": ["a"]}), "wait for each other"),
        (edit({"id": "a", "instruction": "x"}, {"id": "a", "instruction": "y"}), "is used twice"),
        (edit({"id": "a", "instruction": "x", "status": "fulfilled"}), "Extra inputs"),
        (edit(), "at least 1 item"),
        (edit({"id": "a", "instruction": "enter •••"}), "where a secret stood"),
        ({"type": "edit"}, "edit needs edited_action"),
        ({"type": "approve", "digest": "of-another"}, "something else"),
    ],
)
def test_an_edit_that_is_no_plan_and_an_answer_to_another_are_rejections_that_say_why(edited: dict[str, Any], said: str) -> None:
    run = reviewed(Planner(planned(subtask("a"))), {"a": [FILL]})
    run.go(edited)
    assert run.status == "rejected"
    assert said in run.bodies("approval")[0]["message"]
    assert run.desk.received() == []


def test_a_plan_in_parts_stays_one_after_a_review() -> None:
    part = planned(subtask("a")).model_copy(update={"more": True})
    run = reviewed(Planner(part, planned(subtask("a"), subtask("b", "a"))), {"a": [FILL], "b": [OTHER]})
    run.go(APPROVE)
    assert [s["id"] for s in run.asked["action_requests"][0]["args"]["subtasks"]] == ["b"]
    run.go(APPROVE)
    assert run.status == "fulfilled"


def test_a_plan_that_was_given_is_not_asked_about() -> None:
    run = Run([PlanAnswer(outcome="infeasible")], {"a": [FILL]}, parts={"review_plans": True})
    version = run.journal.save_plan((Subtask(id="a", title="a", instruction="a"),))
    run.result = run.graph.invoke({"goal": "do it", "plan_version": version}, run.config, context=run.context, durability="sync")
    assert run.status == "fulfilled"
