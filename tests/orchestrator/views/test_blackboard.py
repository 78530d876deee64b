"""The blackboard of whole runs: where each fact is from, who used it, how it stood at a step, and that a kill loses nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from killed import dies, killed
from typer.testing import CliRunner

from deskcrew import Crew
from orchestrator.cli import app
from orchestrator.runs import runs
from orchestrator.runs.folders import list_runs, read_run
from orchestrator.runs.report import BudgetCount, board_at
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from orchestrator.views.listing import board_page
from orchestrator.views.terminal.event_lines import Teller
from orchestrator.views.terminal.live import Picture
from roles.contracts import Fact
from roles.journal.journal import Event, Journal

COPY = "Find the invoice total on the billing page and copy it into the reimbursement form"


def settings(folder: Path) -> list[str]:
    return ["display=none", f"runs_dir={json.dumps(str(folder))}"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], list[Event]]:
    """A run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    outcome = Crew.from_config(overrides=settings(folder)).run(COPY)
    assert outcome.status == "fulfilled"
    return outcome.folder, outcome.report, salvage(outcome.folder / "journal.sqlite").events


def test_a_fact_says_where_it_was_read_and_which_steps_used_it(whole: tuple[Path, dict[str, Any], list[Event]]) -> None:
    _, report, events = whole
    fact = board_at(events)["facts"][0]
    assert (fact["source"], fact["app"], fact["kind"]) == ("screen", "billing", "money")
    assert fact["said_by"] == "the screen of billing"
    assert fact["normal"].startswith("USD ")
    assert fact["element_id"]
    assert fact["subtask"]
    read = next(s["step"] for s in report["steps"] if s["action"].get("name") == fact["name"])
    assert fact["step"] == read
    filled = [s["step"] for s in report["steps"] if fact["value"] in s["action"].get("text", "")]
    assert fact["used_by"] == [f"step {step}" for step in filled]
    assert filled
    assert report["blackboard"]["facts"][0] == fact
    assert [s["status"] for s in report["blackboard"]["subtasks"]] == ["fulfilled"] * len(report["plan"])


def test_the_blackboard_is_shown_as_it_stood_at_a_step(whole: tuple[Path, dict[str, Any], list[Event]]) -> None:
    folder, _, events = whole
    fact = board_at(events)["facts"][0]
    there = ["--blackboard", "--runs-dir", str(folder.parent)]

    def shown(*more: str) -> str:
        done = CliRunner().invoke(app, ["show", folder.name, *there, *more])
        assert done.exit_code == 0, done.output
        return done.output

    assert fact["value"] in shown()
    assert "the screen of billing" in shown()
    assert f"There are no facts by step {fact['step'] - 1}." in shown("--at", str(fact["step"] - 1))
    before = json.loads(shown("--json", "--at", str(fact["step"])))
    assert [(f["name"], f["used_by"]) for f in before["facts"]] == [(fact["name"], [])]
    assert json.loads(shown("--json"))["facts"][0] == fact


def test_every_face_shows_what_is_known_and_who_says_it(whole: tuple[Path, dict[str, Any], list[Event]]) -> None:
    _, _, events = whole
    fact = board_at(events)["facts"][0]
    picture, teller = Picture(), Teller()
    lines = [str(line) for event in events for line in teller.lines(event)]
    for event in events:
        picture.apply(event)
    told = f"{fact['value']} (the screen of billing)"
    assert picture.facts[0] == (fact["name"], told)
    assert any(f"{fact['name']} = {told}" in line for line in lines)


@pytest.mark.parametrize("when", ["before", "uncommitted", "committed"])
def test_a_kill_around_a_fact_neither_loses_it_nor_doubles_it(
    when: str, tmp_path: Path, whole: tuple[Path, dict[str, Any], list[Event]]
) -> None:
    real = Journal.remember

    def remember(journal: Journal, fact: Fact, **more: Any) -> None:
        if when != "before":
            real(journal, fact, **more)
        if when == "committed":
            journal.commit()
        dies()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "remember", remember)
        killed(lambda: runs.start(load_settings((), settings(tmp_path)), COPY))
    (run,) = list_runs(tmp_path)
    outcome = runs.resume(run.run_id, runs_dir=tmp_path)
    assert outcome.status == "fulfilled"
    found = salvage(outcome.folder / "journal.sqlite").events
    assert board_at(found)["facts"] == board_at(whole[2])["facts"]
    names = [event.body["name"] for event in found if event.kind == "fact"]
    assert len(names) == len(set(names))


def test_what_a_stopped_run_had_used_is_told_from_its_journal_as_it_would_have_told_it_itself(
    whole: tuple[Path, dict[str, Any], list[Event]],
) -> None:
    folder, report, events = whole

    def used(heard: list[Event]) -> dict[str, float]:
        counting = BudgetCount()
        for one in heard:
            counting.hear(one)
        return {budget.key: budget.used for budget in counting.budgets(read_run(folder)["settings"])}

    told = used(events)
    for name, counted in report["counts"].items():
        assert told[f"limits.{name}"] == counted, name
    assert told["limits.wall_seconds"] <= report["budgets"]["limits.wall_seconds"]["used"] + 1
    assert 0 < used(events[: len(events) // 2])["limits.plans"] <= told["limits.plans"]


def event(number: int, step: int, **fact: Any) -> Event:
    body = Fact.model_validate({"step": step, **fact}).model_dump(mode="json", exclude_defaults=True)
    return Event(number, 0.0, "fact", fact.get("role", "operator"), fact.get("subtask", ""), step, body)


def test_earlier_values_screens_and_disputes_are_shown_and_nothing_of_it_is_markup() -> None:
    other = {"value": "[red]$4", "source": "screen", "app": "mail", "step": 1}
    events = [
        event(1, 1, name="total", value="$4", source="screen", app="mail"),
        event(2, 2, name="total", value="$5", source="screen", app="billing", instead=(other,)),
        event(3, 3, name="screen at step 3", value="the form", kind="screen", app="billing", reason="to compare", state_id="s"),
        event(4, 4, name="day", value="Monday", role="user", source="user", question="Which day?"),
        event(5, 5, name="pin", value="4931", private=True, source="screen", app="bank"),
    ]
    board = board_at(events)
    assert board["facts"][0]["earlier"] == [{"value": "$4", "step": 1, "said_by": "the screen of mail"}]
    assert board["screens"][0]["why"] == "to compare"
    page = board_page(board)
    for words in ("total: the screen of mail says [red]$4 (step 1)", "Which day? → Monday (the user)", "the form: to compare"):
        assert words in page
    assert "4931" not in page + json.dumps(board)


def test_events_that_deskcrew_never_wrote_are_one_sentence() -> None:
    from orchestrator.errors import UsageProblem

    with pytest.raises(UsageProblem, match="deskcrew does not write"):
        board_at([Event(1, 0.0, "fact", "", "", 0, {"nonsense": 1})])
