"""Plans written: in a real Chromium."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

from services.chrome import serious
from worked.desk_pages import Opened, see, worked

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.store.salvage import salvage


def notes(folder: Path) -> list[tuple[str, str]]:
    """Titles and bodies of what stands in the notes of a run's world."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    with closing(SimulatedDesktop(load_world("office"), record["settings"]["seed"], folder)) as desktop:
        return [(note["title"], note["body"]) for note in desktop.world()["apps"]["notes"]["notes"].values()]


def test_a_goal_is_planned_first_the_plan_is_written_anew_and_started(serve: Any, opened: Opened, runs_dir: Path) -> None:
    page = opened(serve().address.base, "/start")
    page.get_by_label("Goal").fill('Create a note titled "Milk" with the text "two bottles"')
    page.get_by_role("button", name="Plan first").click()
    see(page, "h2", "The plan, before it is worked")
    page.get_by_label("Instruction").first.fill('Create a note titled "Milk" with the text "three bottles".')
    page.get_by_text("Expected to be seen").first.click()
    page.get_by_label("A list of expectations, as JSON").first.fill("nothing")
    page.get_by_role("button", name="Start with this plan").click()
    see(page, "[role=alert]", "is no JSON")
    assert list(runs_dir.glob("*/run.json")) == [], "nothing was started"
    page.get_by_label("A list of expectations, as JSON").first.fill("[]")
    page.get_by_role("button", name="Start with this plan").click()
    page.wait_for_url(re.compile(r"/runs/\d"))
    see(page, "#head .badge", "fulfilled")
    folder = runs_dir / page.url.rpartition("/")[2].partition("#")[0]
    assert ("Milk", "three bottles") in notes(folder)


def test_a_replan_is_reviewed_too_and_worked_as_somebody_wrote_it(serve: Any, opened: Opened, runs_dir: Path) -> None:
    base, run_id = serve().address.base, worked(runs_dir, "crew.manager.review=true")
    page = opened(base, f"/runs/{run_id}/plan", "anna")
    see(page, "button", "Work this plan").click()
    see(page, ".done", "You approved this plan")
    page.get_by_role("link", name="Watch the run").click()
    see(page, ".asking .card.asks", 'click "Submit"')  # the run has heard of the plan
    see(page, ".choice.reject").click()
    page.get_by_label("Why, or what to do instead").fill("save it as a draft")
    page.keyboard.press("Control+Enter")
    see(page, ".asking .badge", "a plan")
    see(page, ".asking a.button", "Review and edit the plan").click()
    see(page, ".kind .badge", "a new plan, number 2")
    see(page, ".card .quiet", "stays as it is")  # what is fulfilled
    page.get_by_label("Instruction").last.fill('Save the "draft" in the "reimbursement" app.')
    for summary in page.locator(".subtask-form summary").all():
        summary.click()
    for field in page.get_by_label("A list of expectations, as JSON").all():
        field.fill("[]")
    see(page, "button", "Work the plan as I wrote it").click()
    see(page, ".done", "Your plan is being worked.")
    page.get_by_role("link", name="Watch the run").click()
    see(page, ".row.item", "draft")
    events = salvage(runs_dir / run_id / "journal.sqlite").events
    plans = [event.body["decision"] for event in events if event.kind == "approval" and "worked" in event.body]
    assert plans == ["approve", "edit"]
    last = [event.body for event in events if event.kind == "plan"][-1]
    assert last["subtasks"][-1]["instruction"] == 'Save the "draft" in the "reimbursement" app.'


def test_axe_finds_nothing_serious_in_any_dialog(serve: Any, opened: Opened, waits_once: str) -> None:
    base = serve().address.base
    page = opened(base, f"/runs/{waits_once}")
    wrong: list[str] = []

    def look(what: str) -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            wrong.extend(serious(page, f"{what} {scheme}"))

    see(page, ".frame canvas")
    for name in ("edit", "reject"):
        see(page, f".choice.{name}").click()
        look(name)
    for name in ("Steer …", "Cancel …"):
        page.get_by_role("button", name=name, exact=True).click()
        see(page, "dialog[open]")
        look(name)
        page.keyboard.press("Escape")
    page.locator("body").press("?")
    see(page, "dialog[open]")
    look("keys")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Take over", exact=True).click()
    see(page, ".hands", "The run is in your hands")
    look("in hands")
    assert wrong == []
