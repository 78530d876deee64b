"""The browser as a configured environment: what it is made from, and what it refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from environments.contract import type_of
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


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["environment=browser"], r"browser\.url: the browser needs the address"),
        (["environment=browser", "browser.url=PAGE"], r"local files are not allowed here; allow it with -c browser\.allow"),
        (
            ["environment=browser", "browser.url=http://elsewhere.example/", "browser.allowed_hosts=[localhost]"],
            r"the host 'elsewhere\.example' is not allowed; allowed are localhost",
        ),
        (["environment=served", "browser.url=http://localhost/"], r"browser\.url: the environment served has an address"),
    ],
)
def test_an_address_that_may_not_be_opened_is_refused(page: str, chromium: str, said: list[str], why: str) -> None:
    with pytest.raises(UsageProblem, match=why):
        make_environment(load_settings(overrides=[text.replace("PAGE", page) for text in said]).settings)


def test_a_goal_about_a_page_is_worked_and_a_run_that_lost_its_page_is_not_gone_on_with(
    tmp_path: Path, page: str, chromium: str
) -> None:
    said = ["environment=browser", f"browser.url={page}", "browser.allow_files=true", f"runs_dir={tmp_path / 'runs'}"]
    no_rules = "safety={name: open, rules: [], otherwise: allow, min_confidence: 0}"
    done = runs.start(load_settings(overrides=[*said, no_rules]), GOAL)
    assert (done.status, done.exit_code) == ("fulfilled", 0), done.reason
    waiting = runs.start(load_settings(overrides=said), GOAL)
    assert waiting.exit_code == WAITING
    with pytest.raises(UsageProblem, match="the page was lost with the process"):
        runs.resume(waiting.run_id, runs_dir=tmp_path / "runs", answer={"decisions": [{"type": "approve"}]})


@pytest.fixture
def served(chromium: str) -> Iterator[Any]:
    made = make_environment(load_settings(overrides=["environment=served", "world=office", "seed=4"]).settings)
    yield made
    made.close()


def test_a_served_world_is_a_browser_whose_truth_is_the_worlds_own(served: Any) -> None:
    def claims() -> dict[str, Any]:
        return served.world()["apps"]["reimbursement"]["claims"]  # type: ignore[no-any-return]

    first = served.reset(seed=4)
    assert type_of(served) == "browser"
    before = claims()
    for number, action in enumerate((
        Click(target=ActionTarget(text="Open Reimbursement")),
        Fill(target=ActionTarget(text="Amount"), text="12.50"),
        Click(target=ActionTarget(text="Submit")),
    )):  # fmt: skip
        result = served.perform(action, key=str(number))
        assert result.ok, result.error
    assert [claim["amount"] for key, claim in claims().items() if key not in before] == ["12.50"]
    assert next(one["action"]["action_type"] for one in served.received()) == "launch_app"
    again = served.reset(seed=4)
    assert claims() == before
    assert [element.text for element in again.elements] == [element.text for element in first.elements]


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
