"""The page of a run whose end was told already: it goes on after all, is read badly, or is deleted."""

from __future__ import annotations

import shutil
from typing import Any

from playwright.sync_api import expect
from worked.desk_pages import Opened, see


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


def test_the_page_of_a_run_says_that_its_journal_cannot_be_read(serve: Any, opened: Opened, working: Any) -> None:
    run = working()
    run.step()
    run.ask()
    run.journal.close()
    (run.folder / "journal.sqlite").write_bytes(b"no journal" * 100)
    page = opened(serve().address.base, f"/runs/{run.id}")
    see(page, "#head .missing", "journal.sqlite")
