"""What is looked up before anybody asks: for the goal before the first plan, and for a subtask before it is worked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support import FINISH, Run, planned, subtask, verdict

from protocol import OperatorDecision
from roles.contracts import OperatorView, PlanAnswer, PlanRequest, Supplement
from roles.contracts.signals import GateTrigger, Signal
from roles.knowledge.library import unasked
from roles.knowledge.store import SourceFault


class Library:
    """A source whose pages are found by their titles; what it was asked is kept."""

    name = "library"

    def __init__(self, **pages: str) -> None:
        self.pages = pages
        self.asked: list[tuple[str, str | None]] = []

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        self.asked.append((query, app))
        hits = [title for title in self.pages if title in query.casefold()]
        return [Supplement(query=query, source=self.name, title=title, text=self.pages[title]) for title in hits][:limit]


class Silent:
    name = "silent"

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        raise SourceFault("silent does not answer; see whether it runs")


class Planning:
    """A Manager with plans in a row, that keeps what it was told."""

    def __init__(self, *plans: PlanAnswer) -> None:
        self.requests: list[PlanRequest] = []
        self.plans = plans

    def plan(self, request: PlanRequest) -> PlanAnswer:
        self.requests.append(request)
        return self.plans[min(len(self.requests), len(self.plans)) - 1]


class Working:
    """An Operator that says of everything that it is done, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: dict[str, list[str]] = {}
        self.worked: list[str] = []

    def decide(self, view: OperatorView) -> OperatorDecision:
        self.worked.append(view.subtask.id)
        self.shown.setdefault(view.subtask.id, titles(view.retrieved))
        return FINISH


def titles(found: Sequence[Supplement]) -> list[str]:
    return [one.title for one in found]


def run(source: Any, *, ahead: bool = True, plans: Sequence[PlanAnswer] = (), **more: Any) -> tuple[Run, Planning, Working]:
    cat = subtask("first").model_copy(update={"instruction": 'Give the cat "Tom" milk'})
    dog = subtask("second").model_copy(update={"instruction": "Let the dog out"})
    pair = planned(cat, dog)
    manager, operator = Planning(*(plans or [pair])), Working()
    parts = {"manager": manager, "operator": operator, "ahead": ahead}
    whole = Run([pair], sources=[source], parts=parts, **more).go()
    return whole, manager, operator


def test_nothing_is_looked_up_where_nobody_asks() -> None:
    library = Library(cat="Cats like milk.")
    whole, manager, operator = run(library, ahead=False)
    assert library.asked == []
    assert whole.bodies("supplement") == []
    assert manager.requests[0].supplements == ()
    assert operator.shown == {"first": [], "second": []}


def test_who_plans_first_is_told_what_is_known_of_the_goal() -> None:
    library = Library(do="Do it well.")
    whole, manager, _ = run(library)
    assert library.asked[0] == ("do it", None)
    assert titles(manager.requests[0].supplements) == ["do"]
    assert whole.bodies("supplement")[0]["ahead"] is True


def test_each_worker_is_shown_what_is_known_of_its_own_subtask_and_of_the_goal() -> None:
    _, manager, operator = run(Library(do="Do it well.", cat="Cats like milk.", dog="Dogs run."))
    assert operator.shown == {"first": ["do", "cat"], "second": ["do", "dog"]}
    assert titles(manager.requests[-1].supplements) == ["do"]


def test_no_quoted_value_goes_to_a_source_that_nobody_has_asked() -> None:
    library = Library(cat="Cats like milk.")
    run(library)
    assert [query for query, _ in library.asked] == ["do it", "Give the cat milk", "Let the dog out"]


def test_a_subtask_is_looked_up_once_for_all_its_attempts() -> None:
    library = Library(cat="Cats like milk.")
    again = [verdict(Signal.GATE_CONTINUE), verdict(Signal.GATE_DONE)]
    whole, _, operator = run(library, verdicts={GateTrigger.WORKER_SUCCESS: again})
    assert whole.status == "fulfilled"
    assert operator.worked.count("first") == 2
    assert [query for query, _ in library.asked].count("Give the cat milk") == 1


def test_a_source_that_fails_unasked_stops_nobody_and_is_told_of_once() -> None:
    whole, _, operator = run(Silent())
    assert whole.status == "fulfilled"
    assert operator.shown == {"first": [], "second": []}
    told = [event for event in whole.journal.events("error") if "silent" in event.body["message"]]
    assert [(event.role, event.subtask) for event in told] == [("manager", ""), ("operator", "first"), ("operator", "second")]


def test_who_asks_for_more_is_still_answered() -> None:
    asking = PlanAnswer(outcome="supplement_needed", query="the dog", reason="how?")
    library = Library(do="Do it well.", dog="Dogs run.")
    _, manager, _ = run(library, plans=[asking, planned(subtask("a"))])
    assert titles(manager.requests[0].supplements) == ["do"]
    assert titles(manager.requests[1].supplements) == ["do", "dog"]


def test_who_has_not_asked_is_shown_what_fits_well_and_nothing_by_a_score_over_a_word_or_two() -> None:
    unscored = Supplement(query="q", source="a tool", title="t", text="x")
    *hits, low = (unscored.model_copy(update={"score": score}) for score in (0.8, 0.75, 0.5, 0.35))
    asked = "Change the phone number of a contact"
    assert unasked(asked, [*hits, low, unscored]) == [*hits[:2], unscored]
    assert unasked(asked, [low]) == []
    assert unasked("Mail to", [hits[0], unscored]) == [unscored]
