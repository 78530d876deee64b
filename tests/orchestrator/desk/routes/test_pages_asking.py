"""What a run asks, in a real Chromium: nothing answers by mistake, and no word of a screen looks like a control."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from worked.desk_pages import Opened, see

from orchestrator.control.channel import Channel
from orchestrator.store.salvage import salvage

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
