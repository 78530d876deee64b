"""The browser as a configured environment: what it is made from, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from environments.contract import ActionRecord, Environment, WorldState, type_of
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.runs.outcome import WAITING
from orchestrator.settings.build import make_environment
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol import ActionTarget, Click, Fill

PAGE = """<label>Name</label> <input>
<button onclick="said.textContent = 'Hello ' + document.querySelector('input').value">Greet</button><p id="said"></p>"""
GOAL = 'Type "Ada" into the Name field and click Greet.'


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    return (tmp_path / "page.html").as_uri()


def overrides(tmp_path: Path, *more: str) -> list[str]:
    return ["environment=browser", f"runs_dir={tmp_path / 'runs'}", "display=none", *more]


def test_a_browser_wants_an_address() -> None:
    with pytest.raises(UsageProblem, match=r"browser\.url: the browser needs the address"):
        make_environment(load_settings(overrides=["environment=browser"]).settings)


def test_files_are_opened_only_where_that_is_said(page: str, chromium: str) -> None:
    with pytest.raises(UsageProblem, match=r"local files are not allowed here; allow it with -c browser.allow_files=true"):
        make_environment(load_settings(overrides=["environment=browser", f"browser.url={page}"]).settings)


def test_the_host_of_the_page_is_what_may_be_reached_unless_others_are_named(chromium: str) -> None:
    said = ["environment=browser", "browser.url=http://elsewhere.example/"]
    narrow = load_settings(overrides=[*said, "browser.allowed_hosts=[localhost]"]).settings
    with pytest.raises(UsageProblem, match=r"the host 'elsewhere\.example' is not allowed; allowed are localhost"):
        make_environment(narrow)
    made = make_environment(load_settings(overrides=said).settings)
    assert made.name == "browser:http://elsewhere.example/"
    made.close()


def test_a_goal_about_a_page_is_worked_and_a_run_that_lost_its_page_is_not_gone_on_with(
    tmp_path: Path, page: str, chromium: str
) -> None:
    address = [f"browser.url={page}", "browser.allow_files=true"]
    done = runs.start(
        load_settings(
            overrides=overrides(tmp_path, *address, "safety={name: open, rules: [], otherwise: allow, min_confidence: 0}")
        ),
        GOAL,
    )
    assert (done.status, done.exit_code) == ("fulfilled", 0), done.reason
    waiting = runs.start(load_settings(overrides=overrides(tmp_path, *address)), GOAL)
    assert waiting.exit_code == WAITING
    with pytest.raises(UsageProblem, match="the page was lost with the process"):
        runs.resume(waiting.run_id, runs_dir=tmp_path / "runs", answer={"decisions": [{"type": "approve"}]})


@pytest.fixture
def served(chromium: str) -> Iterator[Environment]:
    made = make_environment(load_settings(overrides=["environment=served", "world=office", "seed=4"]).settings)
    yield made
    made.close()


def claims(environment: Environment) -> dict[str, Any]:
    assert isinstance(environment, WorldState)
    return environment.world()["apps"]["reimbursement"]["claims"]  # type: ignore[no-any-return]


def test_a_served_world_is_a_browser_whose_truth_is_the_worlds_own(served: Environment) -> None:
    first = served.reset(seed=4)
    assert type_of(served) == "browser"
    before = claims(served)
    for number, action in enumerate((
        Click(target=ActionTarget(text="Open Reimbursement")),
        Fill(target=ActionTarget(text="Amount"), text="12.50"),
        Click(target=ActionTarget(text="Submit")),
    )):  # fmt: skip
        result = served.perform(action, key=str(number))
        assert result.ok, result.error
    assert [claim["amount"] for key, claim in claims(served).items() if key not in before] == ["12.50"]
    assert isinstance(served, ActionRecord)
    assert next(one["action"]["action_type"] for one in served.received()) == "launch_app"
    again = served.reset(seed=4)
    assert claims(served) == before
    assert [element.text for element in again.elements] == [element.text for element in first.elements]


def test_a_served_world_has_its_own_address(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"browser\.url: the environment served has an address of its own"):
        make_environment(load_settings(overrides=["environment=served", "browser.url=http://localhost/"]).settings)


def test_what_was_approved_in_a_served_world_is_done_by_a_new_browser(tmp_path: Path, chromium: str) -> None:
    task = load_task(shipped("tasks", "claim-in-the-browser.yaml"))
    outcome = runs.start(load_settings(overrides=[f"runs_dir={tmp_path}"], task_layer=task.layer()), task)
    asked: list[str] = []
    while outcome.exit_code == 3 and len(asked) < 6:  # a page that is slow is looked at, and asked about, once more
        asked.append(outcome.reason)
        outcome = runs.resume(outcome.run_id, runs_dir=tmp_path, answer={"decisions": [{"type": "approve"}]})
    assert outcome.exit_code == 0, outcome.reason
    assert {"Open Reimbursement", "Submit"} <= {word for reason in asked for word in reason.split('"')}
    assert outcome.report["judge"]["passed"]
    assert outcome.report["judge"]["clean"]
