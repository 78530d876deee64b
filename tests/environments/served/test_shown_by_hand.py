"""What a person shows in Chromium the rules do on another seed, with other values, in a layout that was moved about."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from waiting import until
from worlds.twin import Twin

from deskcrew import Crew, Outcome, load_settings, load_task
from environments.browser import BrowserEnvironment
from environments.cards import AppCard
from environments.contract import AppInfo
from environments.served.demonstration import Demonstration
from environments.served.server import served
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.cli import app
from orchestrator.settings.settings import varied
from orchestrator.tasks.judge import task_environment

SHOWN, DONE = 3, 11
"""The seed that the person worked, and the one that the crew works."""
MOVED = ("layout=mirrored", "order=shuffled", "density=compact", "theme=dark", "labels=synonyms")
CLAIM = """
    about: Words that no rule reads; somebody has shown what they mean.
    goal: Expense {invoice.number} under "{category}"
    tier: 2
    kinds: [extract_and_enter]
    world: office
    limits: {steps: 60, plans: 6}
    slots:
      invoice: {from: apps.billing.invoices}
      category: {one_of: [Travel, Office supplies, Software]}
    success:
      - size(world.apps.reimbursement.claims) == size(initial.apps.reimbursement.claims) + 1
      - >-
        world.apps.reimbursement.claims.exists(c, world.apps.reimbursement.claims[c].amount == slots.invoice.total &&
        world.apps.reimbursement.claims[c].vendor == slots.invoice.vendor &&
        world.apps.reimbursement.claims[c].category == slots.category)
    changes: [apps.reimbursement.claims.+]
"""
NOTE = """
    about: Words that no rule reads; somebody has shown what they mean.
    goal: Chalk up {invoice.number} under "{title}"
    tier: 2
    kinds: [extract_and_enter]
    world: office
    limits: {steps: 60, plans: 6}
    slots:
      invoice: {from: apps.billing.invoices}
      title: {one_of: [Budget check, To be paid, Open questions]}
    success:
      - >-
        world.apps.notes.notes.exists(n, !(n in initial.apps.notes.notes) && world.apps.notes.notes[n].title == slots.title &&
        world.apps.notes.notes[n].body.contains(slots.invoice.due))
    changes: [apps.notes.notes.+]
"""


class Person:
    """Somebody with a mouse and a keyboard at a page. Things are found as people find them, by what they are called."""

    def __init__(self, page: Any, log: Path) -> None:
        self.page, self._log = page, log

    def open(self, title: str) -> None:
        self._do(lambda: self.page.get_by_role("button", name=f"Open {title}").click())

    def press(self, name: str, role: str = "button") -> None:
        self._do(lambda: self.page.locator("#desk").get_by_role(role, name=name, exact=True).click())

    def write(self, field: str, text: str) -> None:
        """Over what stands there."""
        box = self.page.locator("#desk").get_by_role("textbox", name=field, exact=True)
        self._do(box.click)
        self.page.keyboard.press("End")
        for _ in box.input_value():
            self.page.keyboard.press("Backspace")
        self.page.keyboard.type(text, delay=2)
        self._do(lambda: self.page.keyboard.press("Tab"))

    def choose(self, field: str, option: str) -> None:
        box = self.page.locator("#desk").get_by_role("combobox", name=field, exact=True)
        self._do(lambda: box.select_option(label=option))

    def read(self, label: str) -> str:
        """The value beside a label, with the person's own eyes."""
        beside = f"//*[@id='desk']//*[normalize-space(text())='{label}']/following-sibling::*[1]"
        value: str = self.page.locator(f"xpath={beside}").first.inner_text()
        return value.strip()

    def _do(self, deed: Callable[[], None]) -> None:
        before = self._lines()
        deed()
        busy = "document.getElementById('desk').hasAttribute('aria-busy')"
        until(lambda: self._lines() != before and not self.page.evaluate(busy), "the page to take it")

    def _lines(self) -> int:
        return len(self._log.read_text(encoding="utf-8").splitlines())


@contextmanager
def sitting_at(chrome: Any, log: Path) -> Iterator[Person]:
    """Somebody at the served office, whose every action is written down."""
    session = Session(SimulatedDesktop(load_world("office"), SHOWN), log=Demonstration(log, "shown"))
    with closing(session), served(session) as address, chrome.new_context(viewport={"width": 1400, "height": 1000}) as context:
        page = context.new_page()
        page.goto(address.url)
        page.wait_for_selector("#desk [id]")
        yield Person(page, log)


def claim_by_hand(person: Person) -> str:
    """A look into the wrong app, and a wrong amount that is mended, on the way. Gives the goal."""
    person.press("Back to invoices")
    person.press("Next")
    number = str(person.page.locator("#desk").get_by_role("link").first.inner_text()).strip()
    person.press(number, "link")
    vendor, total = person.read("Vendor"), person.read("Total")
    person.open("Notes")
    person.open("Reimbursement")
    person.write("Vendor", vendor)
    person.write("Amount", "1.00")
    person.write("Amount", total)
    person.choose("Category", "Software")
    person.press("Submit")
    return f'Expense {number} under "Software"'


def note_by_hand(person: Person) -> str:
    """With a note that was begun, given up and begun again."""
    number, due = person.read("Invoice number"), person.read("Due date")
    person.open("Notes")
    person.press("New note")
    person.write("Title", "Remember me")
    person.write("Body", due)
    person.press("Save")
    return f'Chalk up {number} under "Remember me"'


CASES = {"claim": (CLAIM, claim_by_hand, ["billing", "reimbursement"]), "note": (NOTE, note_by_hand, ["billing", "notes"])}


class InBothWorlds(Twin):
    """The world in this process with its apps, where every action is done once more by hand in Chromium."""

    def apps(self) -> list[AppInfo]:
        return list(self.desktop.apps())

    def cards(self) -> list[AppCard]:
        return list(self.desktop.cards())


def deskcrew(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def ran(target: Path, runs: Path, *axes: str, environment: Any = None) -> Outcome:
    task = load_task(target)
    loaded = load_settings(
        overrides=[f"seed={DONE}", f"runs_dir={runs}", "safety=never-ask-in-simulation", *varied(axes)], task_layer=task.layer()
    )
    return Crew(loaded, **({"environment": environment} if environment is not None else {})).run(task)


def rightly(outcome: Outcome) -> bool:
    verdict = outcome.report["judge"]
    return outcome.exit_code == 0 and bool(verdict["passed"]) and bool(verdict["clean"])


@pytest.fixture(scope="module", params=sorted(CASES))
def taught(request: pytest.FixtureRequest, chrome: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which somebody has shown something to the crew, beside a task in the same words for another seed."""
    words, by_hand, apps = CASES[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    target, log, runs = folder / "task.yaml", folder / "shown.jsonl", folder / "runs"
    target.write_text(textwrap.dedent(words), encoding="utf-8")
    before = ran(target, runs)
    assert before.status == "rejected", "these words are not understood before somebody shows what they mean"
    assert "not understood" in before.reason
    with sitting_at(chrome, log) as person:
        goal = by_hand(person)
    said = deskcrew("knowledge", "learn", str(log), "--goal", goal, "--runs-dir", str(runs), "--json")
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert found["kept"]["saved"], found
    assert (found["app"], found["constants"], found["doubts"]) == (apps[0] if len(apps) == 1 else None, {}, [])
    values = re.findall(r'INV-\d+|(?<=")[^"]+', goal)
    assert len(values) == 2
    assert not any(value in " ".join(found["steps"]) for value in values), "its values are slots"
    return folder


def test_what_was_shown_is_done_on_another_seed_in_another_look(taught: Path) -> None:
    for axes in ((), MOVED):
        outcome = ran(taught / "task.yaml", taught / "runs", *axes)
        assert rightly(outcome), (outcome.reason, outcome.report["judge"])
        used = [page for page in outcome.report["knowledge"] if page["used"]]
        assert [page["kind"] for page in used] == ["demonstration"]
        assert used[0]["used"]


def test_what_was_shown_is_done_in_the_browser_as_well(taught: Path, browser: BrowserEnvironment) -> None:
    task = load_task(taught / "task.yaml")

    def make() -> SimulatedDesktop:
        surface = task_environment(task, DONE, MOVED)
        assert isinstance(surface, SimulatedDesktop)
        return surface

    both = InBothWorlds(make, browser)
    try:
        outcome = ran(taught / "task.yaml", taught / "runs", environment=both)
        assert rightly(outcome), (outcome.reason, outcome.report["judge"])
        assert both.unlike() == {}, "in Chromium it came to the same"
    finally:
        both.close()
