"""Draws every page of the desk into docs/pictures/desk-*.png, around runs that are really worked. Look at them afterwards."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from environments.browser.session import find_chromium
from orchestrator.crew import Crew
from orchestrator.desk.app import served
from orchestrator.desk.auth import Tokens, person_of
from orchestrator.desk.desk import Desk

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
GOAL = "Read the total of invoice INV-7029 in billing, enter it as the amount in the reimbursement form and submit the form"
TOKEN = "a-token-for-pictures"
LATE = 120_000


def runs(home: Path) -> dict[str, str]:
    """Runs of every kind, by what they show."""
    made = {}
    for name, goal, more in (
        ("question", "Open the notes", []), ("waiting", GOAL, []), ("plan", GOAL, ["crew.manager.review=true"]),
    ):  # fmt: skip
        made[name] = Crew.from_config(overrides=[f"runs_dir={home}", "display=none", *more]).run(goal).run_id
    for name, answer in (("done", {"type": "approve"}), ("rejected", {"type": "reject", "message": "not this month"})):
        crew = Crew.from_config(overrides=[f"runs_dir={home}", "display=none"])
        made[name] = crew.run(GOAL).run_id
        crew.resume(made[name], {"decisions": [{**answer, "who": "Ada"}]})
    return made


def draw(browser: Any, base: str, made: dict[str, str]) -> None:
    waiting, plan = made["waiting"], made["plan"]
    pages = [
        ("runs", "/", 1280, "light", ".run"),
        ("run", f"/runs/{waiting}", 1600, "light", ".below .graph"),
        ("run-dark", f"/runs/{made['rejected']}", 1280, "dark", ".frame canvas"),
        ("run-narrow", f"/runs/{waiting}", 420, "light", ".frame canvas"),
        ("approvals", f"/approvals?run={waiting}", 1280, "light", ".marks .target"),
        ("plan", f"/runs/{plan}/plan", 1280, "light", ".plan-form"),
        ("start", "/start", 1280, "light", ".form"),
    ]
    for name, path, width, scheme, there in pages:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{base}{path}{'&' if '?' in path else '?'}token={TOKEN}")
        page.wait_for_selector("html[data-ready=yes]", timeout=LATE)
        page.locator(there).first.wait_for(timeout=LATE)
        page.wait_for_timeout(500)
        page.screenshot(path=PICTURES / f"desk-{name}.png")
        context.close()
        sys.stdout.write(f"docs/pictures/desk-{name}.png\n")


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        made = runs(home)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with served(Desk(home, Tokens([person_of("ada", "operate", TOKEN)])), TOKEN) as address:
            draw(browser, address.base, made)
        browser.close()


if __name__ == "__main__":
    main()
