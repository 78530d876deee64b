#!/usr/bin/env python3
"""What an action in the browser costs beside bare Playwright that waits for the same: milliseconds of the clock an action.

    benchmarks/browser.py              the served world and pages of the page benchmark, 15 turns of each
    benchmarks/browser.py --turns 5    fewer

Both fill and press the same controls of the same pages in a Chromium of their own, one after the other in each turn, the first
of a turn being the second of the next. Bare Playwright finds a control by its id, moves there, gives the page the same moment
to react, presses, and then waits as the environment does: until nothing changed for a while, no request is under way, and for as
long for a first effect of a press. `action` is what the crew does for one: it looks, asks what the control is, has it done under
a permit, and looks again; `perform` is the doing alone. `asked` is how often the page is asked something in an action.

Ratios are those of the medians of one run. Pages of the page benchmark are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from playwright.async_api import JSHandle
from playwright.async_api import Page as AsyncPage
from playwright.sync_api import Page, sync_playwright

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "_support"))

from worlds.miniwob import _BEGIN, MiniwobPage, pages_folder

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


class Times(NamedTuple):
    """Milliseconds of one action, and how often the page was asked for it."""

    action: float
    perform: float
    asked: int


@contextmanager
def asking() -> Iterator[list[str]]:
    """Whatever the environment asks a page while this lasts."""
    said: list[str] = []
    with ExitStack() as undo:
        for kind in (JSHandle, AsyncPage):
            plain = kind.evaluate

            async def counted(self: Any, script: str, *given: Any, _plain: Any = plain) -> Any:
                said.append(script)
                return await _plain(self, script, *given)

            setattr(kind, "evaluate", counted)  # noqa: B010 - a method of a class is no plain attribute
            undo.callback(setattr, kind, "evaluate", plain)
        yield said


def element_of(seen: VisualState, control: str) -> ActionTarget:
    found = next(element for element in seen.elements if (element.tag or "").endswith(f"#{control}"))
    return ActionTarget(element_id=found.element_id)


def by_environment(env: BrowserEnvironment, step: Step, key: str) -> Times:
    with asking() as asked:
        start = time.perf_counter()
        target = element_of(env.observe(), step.control)
        action = Click(target=target) if step.text is None else Fill(target=target, text=step.text)
        control = env.control(action)
        env.admit(key, Permit(effects=(), control=control.parts if control else None))
        began = time.perf_counter()
        result = BrowserEnvironment.perform(env, action, key=key)  # a page that keeps a score asks for it
        ended = time.perf_counter()
        env.observe()
        after = time.perf_counter()
    if not result.ok:
        raise SystemExit(f"{step.control}: {result.error}")
    return Times((after - start) * 1000, (ended - began) * 1000, len(asked))


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


def measure(env: BrowserEnvironment, page: Page, steps: tuple[Step, ...], turns: int) -> tuple[list[float], list[Times]]:
    """What each action took, after a turn that is not counted."""
    bare: list[float] = []
    ours: list[Times] = []
    flying: set[Any] = set()
    page.on("request", lambda request: flying.add(request) if request.resource_type in COUNTED else None)
    page.on("requestfinished", lambda request: flying.discard(request))
    page.on("requestfailed", lambda request: flying.discard(request))
    pages = isinstance(env, MiniwobPage)
    numbers = count()

    def turn_of_playwright() -> list[float]:
        page.goto(env._rules.start_url)
        if pages:
            page.evaluate(_BEGIN, 1)
        else:
            page.locator(f'[id="{steps[0].control}"]').wait_for()
        return [by_playwright(page, step, flying) for step in steps]

    def turn_of_environment() -> list[Times]:
        env.reset(seed=1)
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
    print(f"{'':18}{'bare':>8}{'perform':>9}{'ratio':>7}{'action':>8}{'ratio':>7}{'asked':>7}")
    with sync_playwright() as playwright:
        for name, (make, steps) in cases.items():
            chromium = playwright.chromium.launch(executable_path=find_chromium(), args=["--headless=new", "--no-sandbox"])
            env = make()
            try:
                page = chromium.new_page(viewport={"width": 1280, "height": 800})
                page.add_init_script(WATCH)
                found, times = measure(env, page, steps, given.turns)
            finally:
                env.close()
                chromium.close()
            bare, columns = median(found), zip(*times, strict=True)
            action, perform, asked = (median(column) for column in columns)
            row = f"{bare:8.0f}{perform:9.0f}{perform / bare:7.2f}{action:8.0f}{action / bare:7.2f}{asked:7.0f}"
            print(f"{name:18}{row}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
