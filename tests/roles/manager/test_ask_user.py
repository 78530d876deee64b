"""What no source knows the person is asked: once a question, recorded with its source, and used in the next plan."""

from __future__ import annotations

from typing import Any

import pytest
from support import Handbook, Planner, Run, decide, planned, subtask

from protocol import ActionTarget, Fill
from roles.contracts import PlanAnswer
from roles.contracts.limits import Limits
from roles.knowledge.store import SourceFault
from roles.manager.review import knows_nothing

FILL = decide(Fill(target=ActionTarget(text="Amount"), text="$5.00"))
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
    assert run.bodies("supplement")[0]["found"][0]["source"] == "user"
    assert run.bodies("approval")[0]["who"] == "ada"
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
    assert manager.requests[1].trigger == "nothing_found"
    assert manager.requests[1].supplements == ()
    assert "nothing_found" in [body["signal"] for body in run.bodies("situation")]
    assert run.bodies("supplement") == [{"query": "how to close the month", "found": []}]


def test_a_question_is_asked_once() -> None:
    manager = wanting("how to close the month", "how to close the month", "what is due")
    run = asking(manager)
    run.go({"type": "respond", "message": "I do not know"})
    assert "what is due" in run.asked["action_requests"][0]["args"]["question"]
    assert [request.trigger for request in manager.requests] == ["task_open", "nothing_found", "nothing_found"]
    run.go({"type": "respond", "message": "ten dollars"})
    assert run.status == "fulfilled"
    assert len(run.bodies("approval_requested")) == 2


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
