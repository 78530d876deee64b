"""A person reviews plans, and is asked what no source knows: nothing is worked before, and the journal has their words."""

from typing import Any

import pytest
from support import Handbook, Planner, Run, decide, planned, subtask

from protocol import ActionTarget, AgentStatus, Fill, OperatorDecision
from roles.contracts import PlanAnswer
from roles.contracts.limits import Limits
from roles.knowledge.store import SourceFault
from roles.manager.review import knows_nothing
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
    assert (run.desk.received(), run.bodies("plan")) == ([], [])
    run.go(APPROVE)
    assert (run.status, len(manager.requests)) == ("fulfilled", 1)
    assert [item["action"]["text"] for item in run.desk.received()] == ["$5.00", "Acme"]


def test_a_replan_is_shown_with_what_has_ended_and_why_and_still_tells_it_once_rejected() -> None:
    manager = Planner(planned(subtask("a"), subtask("b", "a")), planned(subtask("c", "a")), planned(subtask("d", "a")))
    run = reviewed(manager, {"a": [FILL], "b": [GIVE_UP], "d": [OTHER]})
    run.go(APPROVE)
    request = run.asked
    ended = {"a": "fulfilled", "b": "rejected"}
    assert request["ended"] == [{"id": name, "title": f"do {name}", "status": status} for name, status in ended.items()]
    assert [s["id"] for s in request["action_requests"][0]["args"]["subtasks"]] == ["c"]
    assert any("no way through" in reason for reason in request["reasons"])
    run.go({"type": "reject", "message": "not so"})
    last = manager.requests[2]
    assert ({s.id: s.status.value for s in last.plan}, last.failed) == (ended, "b")
    assert any("no way through" in words for words in last.evidence)
    run.go(APPROVE)
    assert run.status == "fulfilled"


@pytest.mark.parametrize("kind", ["reject", "respond"])
def test_a_rejection_is_words_for_the_next_plan(kind: str) -> None:
    manager = Planner(planned(subtask("a")), planned(subtask("b")))
    run = reviewed(manager, {"b": [OTHER]})
    run.go({"type": kind, "message": "the vendor only", "who": "ada"})
    assert (manager.requests[1].trigger, manager.requests[1].user_words) == ("plan_rejected", ("the vendor only",))
    assert any("the vendor only" in words for words in manager.requests[1].evidence)
    assert manager.requests[1].plan == ()
    run.go(APPROVE)
    assert run.status == "fulfilled"
    said = [(b["decision"], b["who"], b["message"], b["plan_version"], b["worked"]) for b in run.bodies("approval")]
    assert said == [(kind, "ada", "the vendor only", 1, 0), ("approve", "user", "", 2, 2)]


def test_rejections_are_bounded_by_the_budget_of_plans() -> None:
    run = reviewed(Planner(*[planned(subtask("a"))] * 3), {"a": [FILL]}, limits=Limits(plans=3))
    for _ in range(3):
        run.go({"type": "reject"})
    assert (run.status, run.result["ended_by"]) == ("rejected", "budget_spent")
    assert run.desk.received() == []


def test_an_edited_plan_is_worked_in_place_of_the_one_that_was_shown_and_keeps_what_is_fulfilled() -> None:
    manager = Planner(planned(subtask("a"), subtask("b", "a")), planned(subtask("c", "a")))
    run = reviewed(manager, {"a": [FILL], "b": [GIVE_UP], "mine": [OTHER]})
    run.go(APPROVE)
    run.go(edit({"id": "a", "title": "do a", "instruction": "do a"}, {"id": "mine", "instruction": "x", "depends_on": ["a"]}))
    assert run.status == "fulfilled"
    assert [item["action"]["text"] for item in run.desk.received()] == ["$5.00", "Acme"]
    assert [b["worked"] for b in run.bodies("approval")] == [1, 3]
    statuses = {s["id"]: s["status"] for s in run.bodies("plan")[-1]["subtasks"]}
    assert statuses == {"a": "fulfilled", "b": "rejected", "mine": "ready"}


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


# --- what no source knows the person is asked: once a question, recorded with its source, and used in the next plan


WANTS = PlanAnswer(outcome="supplement_needed", query="how to close the month")


def wanting(*queries: str) -> Planner:
    """Wants to know these things, one after the other, and then plans."""
    return Planner(*(PlanAnswer(outcome="supplement_needed", query=query) for query in queries), planned(subtask("a")))


class Broken:
    name = "shelf"

    def search(self, query: str, app: str | None, limit: int) -> list[Any]:
        raise SourceFault("the shelf cannot be asked")


def asking(manager: Planner, *sources: Any, on: bool = True, **more: Any) -> Run:
    return Run([WANTS], {"a": [FILL]}, sources=sources, parts={"ask_user": on, "manager": manager}, **more).go()


def test_the_answer_is_recorded_with_its_source_and_used_in_the_next_plan() -> None:
    manager = wanting("how to close the month")
    run = asking(manager)
    assert run.asked["kind"] == "question"
    assert "how to close the month" in run.asked["action_requests"][0]["args"]["question"]
    assert run.asked["review_configs"][0]["allowed_decisions"] == ["respond", "reject"]
    run.go({"type": "respond", "message": "fill the amount", "who": "ada"})
    (found,) = manager.requests[1].supplements
    assert (found.source, found.query, found.text) == ("user", "how to close the month", "fill the amount")
    assert manager.requests[1].trigger == "supplied"
    assert (run.bodies("supplement")[0]["found"][0]["source"], run.bodies("approval")[0]["who"]) == ("user", "ada")
    assert run.status == "fulfilled"


@pytest.mark.parametrize(
    "answer",
    [{"type": "respond", "message": words} for words in ("", "  ", "I do not know.", "I don't know", "no idea", "?")]
    + [{"type": "reject"}, {"type": "approve"}],
)
def test_not_knowing_is_nothing_found_and_said(answer: dict[str, Any]) -> None:
    manager = wanting("how to close the month")
    run = asking(manager)
    run.go(answer)
    assert (manager.requests[1].trigger, manager.requests[1].supplements) == ("nothing_found", ())
    assert "nothing_found" in [body["signal"] for body in run.bodies("situation")]
    assert run.bodies("supplement") == [{"query": "how to close the month", "found": []}]


def test_a_question_is_asked_once() -> None:
    manager = wanting("how to close the month", "how to close the month", "what is due")
    run = asking(manager)
    run.go({"type": "respond", "message": "I do not know"})
    assert "what is due" in run.asked["action_requests"][0]["args"]["question"]
    assert [request.trigger for request in manager.requests] == ["task_open", "nothing_found", "nothing_found"]
    run.go({"type": "respond", "message": "ten dollars"})
    assert (run.status, len(run.bodies("approval_requested"))) == ("fulfilled", 2)


def test_the_user_is_asked_within_bounds_and_only_what_no_source_knows() -> None:
    run = asking(wanting(*(f"question {n}" for n in range(99))), limits=Limits(plans=4))
    for _ in range(4):
        run.go({"type": "respond", "message": "no idea"})
    assert (run.status, run.result["ended_by"]) == ("rejected", "budget_spent")
    run = asking(wanting("how to close the month"), Handbook("close it at the end"))
    assert run.status == "fulfilled"
    assert not run.bodies("approval_requested")
    run = asking(wanting("how to close the month"), Broken())
    assert run.asked["reasons"] == ["the shelf cannot be asked"]
    run = asking(wanting("how to close the month"), on=False)
    assert not run.bodies("approval_requested")
    assert run.bodies("supplement") == [{"query": "how to close the month", "found": []}]


@pytest.mark.parametrize("words", ["It is under Reports", "no, use the form", "nothing but the amount", "I know: 5"])
def test_what_says_something_is_an_answer(words: str) -> None:
    assert not knows_nothing(words)
