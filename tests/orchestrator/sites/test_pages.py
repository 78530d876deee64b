"""The crew with rules on pages: one written for these tests, told in other words than those of the rules, and some of miniwob."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing.miniwob import MiniwobPage, pages_folder

from environments.browser import BrowserEnvironment
from environments.contract import EnvironmentFault
from orchestrator.crew import Crew

pytestmark = pytest.mark.slow("a real browser")

PAGES = Path(__file__).parent / "pages"


def crew(page: BrowserEnvironment, folder: Path, seed: int = 0) -> Crew:
    chosen = [f"seed={seed}", "safety={name: open, rules: [], otherwise: allow, min_confidence: 0}", f"runs_dir={folder}"]
    return Crew.from_config(overrides=chosen, environment=page)


@pytest.fixture(scope="module")
def opened(chromium: str) -> Iterator[dict[str, BrowserEnvironment]]:
    pages = {name: BrowserEnvironment((PAGES / f"{name}.html").as_uri(), allow_files=True) for name in ("club", "mooring")}
    yield pages
    for page in pages.values():
        page.close()


@pytest.mark.parametrize(
    ("name", "goal", "said"),
    [
        ("club", "Hire the boat with the lowest price.", "hired Otter"),
        ("club", 'Press the "Hire" button of Swan.', "hired Swan"),
        ("club", 'Go ahead and click on the link "Training plan".', "read the plan"),
        (
            "club",
            "Open Membership, tick Cox and Bread and butter helper, enter 5 March 2027 as the date and 6:15 PM as the time, "
            "set Years to 3, set the share slider to 42, and click Join.",
            "joined|Cox+Bread and butter helper|2027-03-05|18:15|3|42",
        ),
        ("club", 'Find the last word of the text area, type it into the "Your answer" field and press Reply.', "sent towel"),
        ("club", 'Enter the value of Seats for Heron into the "Your answer" field, then press Reply.', "sent 2"),
        ("club", 'Click the button "Show notice" and close the dialog.', "closed it"),
        ("mooring", "Select Berths > Long.", "chose Long"),
        ("mooring", "Focus into the 2nd text field.", "second"),
        ("mooring", "Choose 12 May 2026 as the arrival and press Keep.", "kept 2026-05-12"),
        ("mooring", 'Expand the sections below, to find and click on the link "Lock keeper".', "called the lock"),
    ],
)
def test_a_goal_about_a_page_is_done_by_its_words_alone(opened, tmp_path, name, goal, said):
    outcome = crew(opened[name], tmp_path).run(goal)
    assert [e.name for e in opened[name].observe().elements if e.role == "status"] == [said], outcome.reason
    assert outcome.status == "fulfilled", outcome.reason


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ('Click on the button "Launch".', 'there is no "button Launch" on the page'),
        ("Hire the boat with the longest duration.", "shows no duration to compare with the others"),
        ("Knit a scarf out of the club colours.", "these words are not understood"),
        ('Enter "Ada" into the Nickname field and press Join.', 'there is no "Nickname field" on the page'),
    ],
)
def test_what_a_page_does_not_have_is_rejected_with_the_reason_and_nothing_else_is_done(opened, tmp_path, goal, words):
    outcome = crew(opened["club"], tmp_path).run(goal)
    assert (outcome.status, words in outcome.reason) == ("rejected", True), outcome.reason
    assert not [e.name for e in opened["club"].observe().elements if e.role == "status" and e.name]


@pytest.mark.parametrize(("name", "seed"), [("login-user", 11), ("click-checkboxes", 13)])
def test_pages_that_nobody_here_wrote_reward_what_the_crew_does(tmp_path, name, seed):
    try:
        pages_folder()
        page = MiniwobPage(name)
    except EnvironmentFault as missing:
        pytest.skip(str(missing))
    try:
        page.reset(seed=seed)
        outcome = crew(page, tmp_path, seed).run(page.goal)
        assert page.score == (True, 1.0), outcome.reason
        assert outcome.status == "fulfilled"
    finally:
        page.close()
