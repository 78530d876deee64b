"""Runs that are held, led, taken in hand, killed and called off from their page, and plans written there, in a real Chromium."""

import json
import os
import re
import shutil
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

from controlled import events, started
from playwright.sync_api import expect
from services.chrome import serious
from waiting import until
from worked.desk_pages import SLOW, Opened, approvals, see, worked
from worked.desk_runs import rests, serving

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.runs.folders import stored_report
from orchestrator.store.salvage import salvage


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click(timeout=SLOW)


def test_a_run_at_work_is_paused_told_something_resumed_and_followed_to_its_end(
    serve: Any, opened: Opened, runs_dir: Path
) -> None:
    with started(runs_dir) as run:
        page = opened(serve().address.base, f"/runs/{run.run_id}")
        see(page, "#head .badge", "running")
        press(page, "Pause")
        see(page, ".notice", "before the next action")  # the crew is in the middle of something
        run.go()
        see(page, "#head .badge", "paused")
        assert "paused by otto" in see(page, "#head .reason").inner_text()
        press(page, "Steer …")
        page.get_by_label("Whom").select_option("manager")
        page.get_by_label("What you want to tell it").fill("use the short form")
        press(page, "Steer")
        see(page, ".notice", "as soon as run")
        page.reload()
        see(page, "#head .badge", "paused")
        press(page, "Resume")
        see(page, "#head .badge", "fulfilled")
        told = {(e.kind, e.body.get("who"), e.body.get("words")) for e in events(run.folder, "paused", "steered")}
        assert told == {("paused", "otto", None), ("steered", "otto", "use the short form")}


def test_of_a_run_that_was_killed_the_page_says_so_and_offers_to_go_on_with_it(
    serve: Any, opened: Opened, runs_dir: Path
) -> None:
    with started(runs_dir) as run:
        base = serve().address.base
        page = opened(base, f"/runs/{run.run_id}")
        looking = opened(base, f"/runs/{run.run_id}", "vera")
        see(page, "#head .badge", "running")
        os.kill(run.process.pid, signal.SIGKILL)
        for one in (page, looking):
            see(one, "#head .badge", "interrupted")
            see(one, ".stopped", "Nobody works this run")
        assert looking.locator(".stopped button").count() == 0, "whoever may only look is offered nothing"
        see(page, ".stopped").get_by_role("button", name="Resume").click()
        see(page, "#head .badge", "fulfilled")
        page.locator(".stopped").wait_for(state="hidden")
        steps = [event.step for event in events(run.folder, "step")]
        assert sorted(set(steps)) == sorted(steps), "nothing was done twice"


def test_a_run_is_taken_over_acted_in_by_pressing_its_screen_and_handed_back(
    serve: Any, opened: Opened, runs_dir: Path, waits_once: str
) -> None:
    page = opened(serve().address.base, f"/runs/{waits_once}")
    see(page, ".asking .card.asks", 'click "Submit"')
    press(page, "Take over")
    see(page, ".hands", "The run is in your hands")
    see(page, "#head .badge", "taken over")
    expect(page.locator(".asking"), "what is held is not answered").to_be_hidden()
    line = page.get_by_label("An action")
    line.fill('click "No such thing"')
    line.press("Enter")
    see(page, ".hands [role=status]", "It did not work")
    base = page.url.partition("/runs/")[0]
    pending = until(lambda: page.request.get(f"{base}/api/runs/{waits_once}").json()["pending"], "what the run waits with")
    state = pending["state_id"]
    elements = page.request.get(f"{base}/api/runs/{waits_once}/screens/{state}/elements").json()
    x1, y1, x2, y2 = next(one for one in elements["elements"] if one[5] == "Vendor" and one[4] == "textbox")[:4]
    frame = see(page, ".figures .frame")
    box = until(frame.bounding_box, "the picture to stand still")
    scale = box["width"] / elements["size"][0]
    frame.click(position={"x": (x1 + x2) / 2 * scale, "y": (y1 + y2) / 2 * scale})
    expect(line).to_have_value('fill "Vendor" with ""')
    page.keyboard.type("Berlin Rail")  # between the marks
    page.keyboard.press("Enter")
    see(page, ".hands [role=status]", 'Done: fill "Vendor" with "Berlin Rail"')
    see(page, ".row.item.role-user", "Berlin Rail")
    press(page, "Hand back …")
    page.get_by_label("What you did").fill("the vendor is right now")
    press(page, "Hand back")
    page.locator(".hands").wait_for(state="hidden")
    rests(runs_dir / waits_once, 0)
    see(page, "#head .badge", "waiting for you: approval")
    see(page, ".asking .card.asks", "Submit")  # asked anew, of the screen as it is now
    page.keyboard.press("q")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    see(page, ".done", "You approved this.")
    heard = until(lambda: [one[:2] for one in approvals(runs_dir, waits_once) if one[0] == "approve"], "the run to hear it")
    assert heard == [("approve", "otto")]
    report = rests(runs_dir / waits_once)
    by_hand = [step["action"].get("text") for step in report["steps"] if step["role"] == "user"]
    assert by_hand == [None, "Berlin Rail"]  # the press that found nothing is a step, too


def test_the_keys_follow_the_run_and_go_to_what_is_asked_and_words_answer_it(
    serve: Any, opened: Opened, runs_dir: Path, waits_once: str
) -> None:
    page = opened(serve().address.base, f"/runs/{waits_once}", "anna")
    see(page, ".asking .card.asks", 'click "Submit"')
    page.keyboard.press("k")
    page.keyboard.press("k")
    see(page, "button.follow")
    page.keyboard.press("f")
    page.locator("button.follow").wait_for(state="hidden")
    see(page, ".row.item.current", 'asks: click "Submit"')
    page.keyboard.press("q")
    expect(page.locator("[aria-label='What is asked']:focus")).to_have_count(1)
    page.keyboard.press("s")
    page.keyboard.press("Control+Enter")
    see(page, ".asking [role=alert]", "Say something first.")
    page.keyboard.type("enter it as a draft only")
    page.keyboard.press("Control+Enter")
    see(page, ".done", "You answered this.")
    heard = until(lambda: approvals(runs_dir, waits_once), "the run to hear it")
    assert heard[0] == ("respond", "anna", "enter it as a draft only")


def test_a_run_is_cancelled_with_words_after_second_thoughts(serve: Any, opened: Opened, runs_dir: Path, waits_once: str) -> None:
    page = opened(serve().address.base, f"/runs/{waits_once}")
    press(page, "Cancel …")
    page.keyboard.press("Escape")  # not yet
    page.locator("dialog").wait_for(state="detached")
    see(page, "#head .badge", "waiting for you: approval")
    press(page, "Cancel …")
    page.get_by_label("Why").fill("the wrong month")
    press(page, "Yes, cancel the run")
    see(page, "#head .badge", "cancelled")
    assert "cancelled by otto: the wrong month" in see(page, "#head .reason").inner_text()
    expect(page.locator(".controls button")).to_have_count(0)
    assert stored_report(runs_dir / waits_once)["ended_by"] == "cancelled"


def test_a_run_of_which_nothing_can_be_read_and_one_that_has_done_nothing_say_so(
    serve: Any, opened: Opened, runs_dir: Path
) -> None:
    for name, record in (("broken", "{"), ("begun", '{"run_id": "begun", "goal": "Wait", "settings": {}}')):
        (runs_dir / name).mkdir()
        (runs_dir / name / "run.json").write_text(record, encoding="utf-8")
    base = serve().address.base
    page = opened(base, "/runs/broken")
    see(page, "#head .badge", "damaged")
    assert "cannot be read" in see(page, "#head .reason").inner_text()
    see(page, "#panel", "Nothing was done yet.")
    page = opened(base, "/runs/begun", refused="404")
    see(page, ".stopped", "Nobody works this run")
    see(page, ".below", "There is no plan yet.")
    page.keyboard.press("j")
    page.goto(f"{base}/runs/none-like-this")
    page.wait_for_selector("html[data-ready=no]")
    see(page, "main [role=alert]", "There is no run 'none-like-this' here")


def test_a_server_that_is_killed_loses_nothing_of_what_a_person_was_about_to_answer(
    opened: Opened, runs_dir: Path, waits_once: str
) -> None:
    with serving(runs_dir) as (process, address):
        base, _, token = address.partition("/?token=")
        page = opened(base, f"/approvals?token={token}", refused="net::ERR")
        see(page, ".choice.reject").click()
        page.get_by_label("Why, or what to do instead").fill("the wrong month")
        process.kill()
        process.wait()
        see(page, ".notice.warn", "The connection is lost.")
        see(page, ".chosen button.main").click()
        see(page, ".words-of [role=alert]", "cannot be reached")
    with serving(runs_dir, base.rpartition(":")[2]):
        see(page, ".light.live")
        assert page.get_by_label("Why, or what to do instead").input_value() == "the wrong month"
        see(page, ".chosen button.main").click()
        see(page, ".done", "You rejected this.")
        heard = until(lambda: approvals(runs_dir, waits_once), "the run to hear it")
    assert heard[0][::2] == ("reject", "the wrong month")


def test_an_open_page_follows_a_run_that_goes_on_after_its_end_and_says_when_it_is_deleted(
    serve: Any, opened: Opened, working: Any
) -> None:
    run = working()
    run.step()
    run.report("rejected", "a budget is spent")
    page = opened(serve().address.base, f"/runs/{run.id}", refused="404")
    see(page, "#head .badge", "rejected")
    see(page, ".light", "live")
    run.report("interrupted", "it goes on")
    run.step(line="what is done behind the end")
    see(page, ".row.item", "what is done behind the end")
    run.end()
    see(page, "#head .badge", "fulfilled")
    shutil.rmtree(run.folder)
    see(page, ".notice", "somebody deleted it")
    expect(page.locator(".row.item", has_text="what is done behind the end")).to_have_count(1)


# --- plans written: in a real Chromium


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
