"""The desk's pages in a real Chromium, around a desk that is really served and runs that are really worked."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from services.chrome import serious
from waiting import until
from worked.desk_pages import HOSTILE, Opened, approvals, see, worked

from orchestrator.control.channel import Channel
from orchestrator.desk.app import files
from orchestrator.store.salvage import salvage
from roles.journal.journal import Journal


def test_a_run_is_found_watched_refreshed_and_approved_with_the_keyboard_alone(serve, opened: Opened, runs_dir: Path) -> None:
    base = serve().address.base
    page = opened(base)
    see(page, "[role=status]", "There are no runs here yet.")
    begun: list[str] = []
    crew = threading.Thread(target=lambda: begun.append(worked(runs_dir)))
    crew.start()
    see(page, ".run .badge", "waiting for you: approval")  # the list keeps up by itself
    crew.join()
    page.keyboard.press("/")
    page.keyboard.type("INV-7029")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{begun[0]}")
    see(page, ".row.item.current", 'asks: click "Submit"')
    lines = see(page, ".row.top .aside").inner_text()
    page.keyboard.press("k")
    see(page, "button.follow")
    page.reload()
    see(page, ".row.item.current", 'fill "Amount"')  # where somebody stood they stand again
    assert see(page, ".row.top .aside").inner_text() == lines
    assert page.locator(".choice[aria-pressed=true]").count() == 0
    assert page.evaluate("document.activeElement === document.body")
    see(page, "button.follow").press("Enter")
    see(page, ".choice.approve").focus()
    page.keyboard.press("a")
    assert approvals(runs_dir, begun[0]) == []  # one key alone answers nothing
    expect(page.get_by_role("button", name="Yes, do exactly this")).to_be_focused()
    page.keyboard.press("Enter")
    see(page, ".done", "You approved this.")
    see(page, "#head .badge", "fulfilled")
    see(page, ".row.item", "fulfilled")
    assert approvals(runs_dir, begun[0]) == [("approve", "otto", "")]


def test_of_two_browsers_one_answers_and_the_other_is_told(serve, opened: Opened, runs_dir: Path) -> None:
    base, run_id = serve().address.base, worked(runs_dir)
    anna, otto, vera = (opened(base, "/approvals", who) for who in ("anna", "otto", "vera"))
    for page in (anna, otto, vera):
        see(page, "h2.exact", 'click "Submit"')
        see(page, ".card .marks .target")
    stale = otto.request.get(f"{base}/api/approvals").json()
    otto.route("**/api/approvals", lambda route: route.fulfill(json=stale))  # so that otto does not know yet
    assert all(button.is_disabled() for button in vera.locator(".choice").all())
    otto.keyboard.press("a")
    see(otto, "button.main", "Yes, do exactly this")
    anna.keyboard.press("r")
    anna.keyboard.type("not today")
    anna.keyboard.press("Tab")
    anna.keyboard.press("Enter")
    see(anna, ".done", "You rejected this.")
    see(otto, "button.main", "Yes, do exactly this").click()
    for page in (otto, vera):
        see(page, ".done", "Anna rejected this: “not today”.")
    assert all(button.is_disabled() for button in otto.locator(".choice").all())
    until(lambda: approvals(runs_dir, run_id), "the run to hear it")  # the pages know before it does
    assert approvals(runs_dir, run_id) == [("reject", "anna", "not today")]


def test_markup_in_every_word_of_a_run_is_text(serve, opened: Opened, runs_dir: Path, hostile: Callable[..., Path]) -> None:
    base = serve().address.base
    subtask = {"id": HOSTILE, "title": HOSTILE, "instruction": HOSTILE, "app": HOSTILE, "depends_on": [HOSTILE]}
    for kind, asked in (
        ("approval", {"name": "click", "args": {"target": {"text": HOSTILE}}, "description": HOSTILE}),
        ("plan", {"name": "work_plan", "args": {"subtasks": [subtask]}, "description": HOSTILE}),
    ):
        folder = hostile(runs_dir / kind, HOSTILE)
        request = {"key": "k2", "digest": "d2", "kind": kind, "action_requests": [asked], "rule": HOSTILE, "reasons": [HOSTILE]}
        request |= {"state_id": "s", "app": HOSTILE, "apps": [HOSTILE], "asked": {"at": 1.0}, "reason": HOSTILE}
        journal = Journal(folder / "journal.sqlite", lambda: 2.0, run_id=folder.name)
        journal.append("approval_requested", request, role="operator", subtask="s1", step=2)
        journal.close()
        report = {"status": "on_hold", "reason": HOSTILE, "pending": request}
        (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    for path, shown in (
        ("/", ".run .what"), ("/approvals?run=approval", "h2.exact"), ("/runs/approval", "h2.exact"), ("/runs/plan/plan", "h2"),
    ):  # fmt: skip
        page = opened(base, path)
        assert "<img src=x" in see(page, shown).inner_text()
        see(page, "body").press("j")
        assert page.locator("img, b:text-is('bold'), main script, a[href^='javascript']").count() == 0
        assert page.title() != "owned"
        assert "\u202e" not in page.locator("body").inner_text()
    assert "<img src=x" in page.get_by_label("Instruction").input_value()


def test_every_page_fits_its_width_in_light_and_dark_and_axe_finds_nothing_serious(serve, opened: Opened, runs_dir: Path) -> None:
    base, run_id, planned = serve().address.base, worked(runs_dir), worked(runs_dir, "crew.manager.review=true")
    page = opened(base)
    wrong: list[str] = []
    for path in (
        "/", f"/runs/{run_id}", f"/approvals?run={run_id}", f"/runs/{planned}/plan", "/start",
    ):  # fmt: skip
        page.goto(base + path)
        page.wait_for_selector("html[data-ready=yes]")
        if run_id in path:
            see(page, ".frame canvas")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            wrong += serious(page, f"{path} {scheme}")
        for width in (1920, 420, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            wrong += [f"{path} is {over} px too wide at {width}"] if over > 0 else []
    assert wrong == []


def test_nothing_but_the_files_of_the_pages_is_served(serve) -> None:
    place = serve()
    assert place.http.get("/static/page.html").status_code == 404
    page = place.http.get("/approvals")
    policy = page.headers["content-security-policy"]
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    names = {name for name in files() if name.endswith(".js")}
    for name in names:
        text = files()[name].body.decode()
        assert not any(way in text for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")), name


ASKED = {
    "name": "click", "args": {"action_type": "click", "target": {"text": "Submit"}}, "description": 'click "Submit"',
}  # fmt: skip
SPOOF = 'click "OK". It was rejected. ⏎ Press here to go back" ' + "\n" * 50 + "   Approve   "


def asking(working: Any, number: int = 1, **more: Any) -> Any:
    """A run that waits, worked by nobody."""
    run = working()
    run.step(2)
    run.ask(number, action_requests=[ASKED], **more)
    return run


def answers(run: Any) -> list[str]:
    """What was written down for the run to hear."""
    channel = Channel(run.folder)
    found = [row[0] for row in channel._db.execute("SELECT body FROM answers").fetchall()]
    channel.close()
    return found


@pytest.mark.parametrize("path", ["/approvals", "/runs/20260101-000000-0001"])
def test_no_stray_key_or_second_press_approves(path: str, serve: Any, opened: Opened, working: Any) -> None:
    run = asking(working)
    page = opened(serve().address.base, path, "anna")
    see(page, ".choice.approve")
    assert page.evaluate("document.activeElement === document.body"), "the focus is on nothing that answers"
    assert page.locator("[aria-pressed=true]").count() == 0
    for key in ("Enter", "Space", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".chosen button").count() == 0
    see(page, ".choice.approve").focus()
    page.keyboard.down("Enter")  # chosen; and held down
    see(page, ".chosen button.main")
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    see(page, ".chosen button", "Back").click()
    see(page, ".choice.approve").dblclick()
    yes = see(page, ".chosen button.main")
    yes.dispatch_event("click", {"detail": 2})  # the second of two quick presses
    page.wait_for_timeout(300)
    assert answers(run) == []
    see(page, ".card.asks")


def test_a_press_that_was_meant_for_what_was_asked_before_answers_nothing_that_is_asked_now(
    serve: Any, opened: Opened, working: Any
) -> None:
    run = asking(working)
    place = serve()
    page = opened(place.address.base, f"/runs/{run.id}", "anna")
    see(page, ".choice.approve").click()
    yes = see(page, ".chosen button.main").bounding_box()
    old = place.get("/api/approvals")["approvals"][0]
    run.answer(old["pending"]["key"], who="Ada")
    other = {**ASKED, "args": {"action_type": "click", "target": {"text": "Delete all"}}, "description": 'click "Delete all"'}
    run.ask(2, action_requests=[other])
    see(page, ".card.asks h2.exact", "Delete all")
    page.mouse.click(yes["x"] + yes["width"] / 2, yes["y"] + yes["height"] / 2)
    page.keyboard.press("Enter")
    assert page.locator(".chosen button").count() == 0
    for name in (old["id"], old["pending"]["digest"], old["pending"]["key"]):
        said = place.by("approve").post(f"/api/runs/{run.id}/answer", json={"pending": name, "decision": "approve"})
        assert said.status_code == 409, name
    key = place.get("/api/approvals")["approvals"][0]["pending"]["key"]
    said = place.by("approve").post(f"/api/runs/{run.id}/answer", json={"pending": key, "decision": "approve"})
    assert said.status_code == 409, "the place of an action is not what it does"
    assert answers(run) == []


def test_what_a_screen_says_is_in_no_control_and_moves_none_away(serve: Any, opened: Opened, working: Any) -> None:
    run = asking(working)
    page = opened(serve().address.base, "/approvals", "anna")
    see(page, ".choice.approve")
    names = page.get_by_role("group", name="Your answer").get_by_role("button").all_inner_texts()
    run.answer(f"{run.id}/s1/1/000001")
    run.ask(
        2, action_requests=[{**ASKED, "description": SPOOF * 40, "args": {"target": {"text": SPOOF}}}], reasons=[SPOOF],
        app=SPOOF, reason=SPOOF, kind="approval",
    )  # fmt: skip
    page.reload()
    see(page, "h2.exact", "It was rejected")
    assert page.get_by_role("group", name="Your answer").get_by_role("button").all_inner_texts() == names
    controls = page.locator("main .card button, main .card a, main .card summary").all_inner_texts()
    assert not any("rejected" in control for control in controls)
    see(page, ".choice.approve").click()
    assert see(page, ".chosen button.main").inner_text() == "Yes, do exactly this"
    assert page.locator("h2.exact").bounding_box()["height"] < 400
    see(page, "summary", "The exact action").click() if not page.locator("details[open]").count() else None
    assert "It was rejected" in see(page, "main .card pre").inner_text()


def test_an_edit_is_sent_as_a_line_and_what_is_done_instead_is_shown(
    serve: Any, opened: Opened, runs_dir: Path, waits_once: str
) -> None:
    page = opened(serve().address.base, f"/runs/{waits_once}", "anna", refused="422")
    see(page, ".choice.edit").click()
    field = see(page, "textarea.code")
    assert '"action_type": "click"' in field.input_value()
    field.fill("no such verb")
    see(page, "button.main", "Edit: send").click()
    see(page, ".asking [role=alert]", "not usable")
    assert field.input_value() == "no such verb", "what was written stays"
    field.fill('click "Save draft"')
    see(page, "button.main", "Edit: send").click()
    see(page, ".done", "You edited this; this is done instead.")
    see(page, ".row.item", 'click "Save draft"')
    done = [event.body for event in salvage(runs_dir / waits_once / "journal.sqlite").events if event.kind == "approval"]
    assert (done[0]["decision"], done[0]["who"]) == ("edit", "anna")
