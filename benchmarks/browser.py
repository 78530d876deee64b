#!/usr/bin/env python3
"""What an action in the browser costs beside bare Playwright that waits for the same: milliseconds of the clock an action.

    benchmarks/browser.py              the served world and pages of the page benchmark, 15 turns of each
    benchmarks/browser.py --turns 5    fewer

Both fill and press the same controls of the same pages in a Chromium of their own, one after the other in each turn, the first
of a turn being the second of the next. Bare Playwright finds a control by its id, moves there, gives the page the same moment
to react, presses, and then waits as the environment does: until nothing changed for a while, no request is under way, and for as
long for a first effect of a press. An `action` is what the crew does for one: it looks, asks what the control is, has it done
under a permit, and looks again. A turn begins with what a reset of the environment does: another Chromium for the served world,
another profile for a page.

Ratios are those of the medians of one run. Pages of the page benchmark are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from statistics import median
from typing import Any, NamedTuple

from browsing.miniwob import _BEGIN, MiniwobPage, pages_folder
from playwright.sync_api import Browser, Page, Playwright, Request, sync_playwright

from environments.browser import BrowserEnvironment
from environments.browser.actions.pointer import WAITS
from environments.browser.actions.targeting import SETTLE
from environments.browser.observation.screen import STILL
from environments.browser.session import find_chromium
from environments.contract import EnvironmentFault
from environments.effects import Network, Permit
from environments.served.browsed import BrowsedWorld
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, Click, Fill, VisualState

COUNTED = {"document", "script", "stylesheet", "xhr", "fetch"}
"""Requests that are waited for; the stream of the served page never ends."""
BEGUN = 0.5
"""Seconds after which the first action of a turn begins: a Chromium that was just started is busy with itself."""
WATCH = """(() => { let changes = 0, last = performance.now();
  const changed = () => { changes++; last = performance.now(); };
  new MutationObserver(changed).observe(document, {childList: true, subtree: true, attributes: true, characterData: true});
  for (const kind of ['input', 'toggle', 'change', 'focusin', 'scroll']) addEventListener(kind, changed, true);
  globalThis.activity = () => [changes, performance.now() - last, document.readyState === 'complete']; })()"""


class Step(NamedTuple):
    """A control by its id, and what is written into it; it is pressed where that is None."""

    control: str
    text: str | None = None


WORLD = """
name: bench
user: Ada Lind
apps: {billing: {generate: 12}, reimbursement: {}, notes: {generate: 3}}
open: [reimbursement]
"""
CLAIM = tuple(Step(f"reimbursement.{field}", text) for field, text in (
    ("vendor", "Acme"), ("amount", "12.50"), ("receipt", None), ("description", "A ticket"), ("save-draft", None),
))  # fmt: skip
PAGES = {
    "enter-text": (Step("tt", "Kim"), Step("subbtn")),
    "login-user": (Step("username", "kim"), Step("password", "x1"), Step("subbtn")),
    "click-checkboxes": (Step("ch0"), Step("ch1"), Step("subbtn")),
}


def element_of(seen: VisualState, control: str) -> ActionTarget:
    found = next(element for element in seen.elements if (element.tag or "").endswith(f"#{control}"))
    return ActionTarget(element_id=found.element_id)


def by_environment(env: BrowserEnvironment, step: Step, key: str) -> float:
    start = time.perf_counter()
    target = element_of(env.observe(), step.control)
    action = Click(target=target) if step.text is None else Fill(target=target, text=step.text)
    control = env.control(action)
    env.admit(key, Permit(effects=(), control=control.parts if control else None))
    result = BrowserEnvironment.perform(env, action, key=key)  # a page that keeps a score asks for it
    env.observe()
    if not result.ok:
        raise SystemExit(f"{step.control}: {result.error}")
    return (time.perf_counter() - start) * 1000


def by_playwright(page: Page, step: Step, flying: set[Any]) -> float:
    start = time.perf_counter()
    place = page.locator(f'[id="{step.control}"]')
    before, _, _ = page.evaluate("activity()")
    if step.text is None:
        place.hover()
        page.wait_for_timeout(SETTLE * 1000)
        place.click()
    else:
        place.fill(step.text)
    pressed = time.perf_counter()
    while True:
        changes, since, complete = page.evaluate("activity()")
        done = step.text is not None or changes != before or time.perf_counter() > pressed + WAITS
        if done and complete and since >= STILL and not flying:
            return (time.perf_counter() - start) * 1000
        page.wait_for_timeout(max(STILL - since, 0) + 2 if complete and not flying and since < STILL else 30)


class Bare:
    """A tab of bare Playwright, and its requests that are under way."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._chromium: Browser | None = None
        self.flying: set[Request] = set()

    def renew(self, *, browser: bool) -> Page:
        """Another tab in a profile of its own; with `browser`, in another Chromium."""
        if self._chromium is not None and browser:
            self._chromium.close()
        if self._chromium is None or browser:
            args = ["--headless=new", "--no-sandbox"]
            self._chromium = self._playwright.chromium.launch(executable_path=find_chromium(), args=args)
        for context in self._chromium.contexts:
            context.close()
        self.flying.clear()
        page = self._chromium.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH)
        page.on("request", lambda request: self.flying.add(request) if request.resource_type in COUNTED else None)
        page.on("requestfinished", lambda request: self.flying.discard(request))
        page.on("requestfailed", lambda request: self.flying.discard(request))
        return page


def measure(env: BrowserEnvironment, tab: Bare, steps: tuple[Step, ...], turns: int) -> tuple[list[float], list[float]]:
    """What each action took, after a turn that is not counted."""
    bare: list[float] = []
    ours: list[float] = []
    pages = isinstance(env, MiniwobPage)
    numbers = count()

    def turn_of_playwright() -> list[float]:
        page = tab.renew(browser=not pages)
        page.goto(env._rules.start_url)
        if pages:
            page.evaluate(_BEGIN, 1)
        else:
            page.locator(f'[id="{steps[0].control}"]').wait_for()
        page.wait_for_timeout(BEGUN * 1000)
        return [by_playwright(page, step, tab.flying) for step in steps]

    def turn_of_environment() -> list[float]:
        env.reset(seed=1)
        time.sleep(BEGUN)
        env.guard(Network(mode="watch"))
        return [by_environment(env, step, f"{next(numbers)}") for step in steps]

    for turn in range(turns + 1):
        if turn % 2:
            first, second = turn_of_playwright(), turn_of_environment()
        else:
            second, first = turn_of_environment(), turn_of_playwright()
        if turn:
            bare += first
            ours += second
    return bare, ours


def served() -> BrowserEnvironment:
    return BrowsedWorld(lambda: SimulatedDesktop(parse_world(WORLD), 0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=15)
    given = parser.parse_args()
    cases: dict[str, tuple[Callable[[], BrowserEnvironment], tuple[Step, ...]]] = {"served world": (served, CLAIM)}
    try:
        pages_folder()
        cases |= {name: (partial(MiniwobPage, name), steps) for name, steps in PAGES.items()}
    except EnvironmentFault as missing:
        print(f"benchmarks/browser.py: {missing}", file=sys.stderr)
    print(f"{'':18}{'bare':>8}{'action':>8}{'ratio':>7}")
    with sync_playwright() as playwright:
        tab = Bare(playwright)
        for name, (make, steps) in cases.items():
            env = make()
            try:
                bare, action = map(median, measure(env, tab, steps, given.turns))
            finally:
                env.close()
            print(f"{name:18}{bare:8.0f}{action:8.0f}{action / bare:7.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
