"""A real Chromium for the tests: of the system, without a way out of this machine."""

from collections.abc import Iterator
from typing import Any

import pytest

from environments.browser.session import find_chromium, flags, need_playwright
from environments.contract import EnvironmentFault


@pytest.fixture(scope="session")
def chromium() -> str:
    """Chromium by path; whoever needs it is skipped without it, with how to get it."""
    try:
        need_playwright()
        return find_chromium()
    except EnvironmentFault as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def chrome(chromium: str) -> Iterator[Any]:
    """A browser of Playwright's, to look at pages as a person would."""
    # Not longer than a module: while it is open a loop runs in this thread, which other tests of the worker cannot stand.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        args = [*flags(("127.0.0.1", "localhost")), "--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=chromium, args=args)
        yield browser
        browser.close()


def serious(page: Any, where: str) -> list[str]:
    """What axe holds for serious or critical in a page."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{where}: {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in ("serious", "critical")]
