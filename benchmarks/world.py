#!/usr/bin/env python3
"""How fast the simulated desktop is, what it takes, and the same world in Chromium beside it.

    benchmarks/world.py                 all of it; Chromium where it is installed
    benchmarks/world.py --no-browser    in process only
    benchmarks/world.py --json          one JSON object

The world has ten windows, one a little below the other, and 305 elements: it had grown to 494 as its apps did, and was set
back, so run this file on both commits that are compared. In process, times are those of the CPU
(`time.process_time`), the median of several rounds; in Chromium, where much happens in other processes, those of the wall.
Memory is what ten further desktops add to the process, a tenth each (`tracemalloc` for what they hold, resident size beside).
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import EnvironmentFault
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import WorldSpec, parse_world
from protocol import Action, ActionTarget, Click, Fill, GUIElement, Hover, PressKey, Scroll, VisualState
from protocol.prompt_form import prompt_form

WORLD = """
name: ten-windows
arrange: cascade
screen: [1280, 800]
apps:
  billing: {generate: 24, page_size: 2}
  reimbursement: {}
  mail: {generate: 1}
  notes: {generate: 2}
  files: {generate: 1}
  settings: {}
  calendar: {}
  contacts: {generate: 1}
  chat: {generate: 1}
  terminal: {}
open: [reimbursement, billing, notes, mail, files, settings, contacts, chat, terminal, calendar]
"""
ROUNDS = 7
_keys = count(1)


class Figure(NamedTuple):
    """One line of the table."""

    name: str
    value: float
    unit: str
    aim: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    spec = parse_world(WORLD)
    figures = [*in_process(spec), *growth()]
    if not given.no_browser:
        figures += in_chromium(spec, next(f.value for f in figures if f.name == "steps"))
    if given.json:
        print(json.dumps({f.name: {"value": f.value, "unit": f.unit, "aim": f.aim} for f in figures}))
        return
    for figure in figures:
        print(f"{figure.name:<44}{figure.value:>12,.3f} {figure.unit:<10} {figure.aim}")


def in_process(spec: WorldSpec) -> Iterator[Figure]:
    env = SimulatedDesktop(spec)
    seen = env.observe()
    yield Figure("elements", len(seen.elements), "")
    yield Figure("windows", len(seen.windows), "")
    actions = list(mixed(seen))
    yield Figure("steps", len(actions) / median(lambda: work(env, actions)), "1/s", "10,000")
    for action in actions:
        yield Figure(f"  {action.verb}", 20 / median(lambda: work(env, [action] * 20)), "1/s")  # noqa: B023
    yield Figure("steps and observations", len(actions) / median(lambda: work(env, actions, SimulatedDesktop.observe)), "1/s")
    yield Figure("steps with a text observation", len(actions) / median(lambda: work(env, actions, text)), "1/s", "5,000")
    yield Figure("reset", 1000 * median(lambda: env.reset(seed=1)), "ms", "below 1")
    env.perform(actions[0], key=f"bench/{next(_keys)}")
    then = env.snapshot()
    env.perform(actions[1], key=f"bench/{next(_keys)}")
    yield Figure("snapshot", 1000 * median(env.snapshot), "ms", "below 1")
    yield Figure("restore", 1000 * median(lambda: env.restore(then)), "ms", "below 1")
    yield Figure("fork", 1000 * median(env.fork), "ms", "below 1")
    yield Figure("hashes of all apps", 1000 * median(env.hashes), "ms", "below 1")
    yield Figure("PNG", 1000 * median(env.screenshot), "ms", "below 40")
    yield from memory(spec)


def mixed(seen: VisualState) -> Iterator[Action]:
    """What a worker does: into a field, onto a control, by key, and looking about."""
    front = [e for e in seen.elements if e.app == seen.app and e.visible]
    field = _first(front, "textbox")
    yield Fill(target=ActionTarget(track_id=field.track_id), text="first words")
    yield Fill(target=ActionTarget(track_id=field.track_id), text="other words")
    yield Click(target=ActionTarget(track_id=_first(front, "combobox").track_id))
    yield PressKey(keys=("Tab",))
    yield Hover(target=ActionTarget(track_id=_first(front, "button").track_id))
    yield Scroll.toward("down", 1)
    yield Scroll.toward("up", 1)


def _first(elements: list[GUIElement], role: str) -> GUIElement:
    return next(e for e in elements if e.role == role and e.enabled)


def text(env: SimulatedDesktop) -> str:
    return prompt_form(env.observe())


def work(env: SimulatedDesktop, actions: list[Action], look: Callable[[SimulatedDesktop], Any] | None = None) -> None:
    for action in actions:
        result = env.perform(action, key=f"bench/{next(_keys)}")
        assert result.ok, result.error
        if look:
            look(env)


def median(do: Callable[[], Any], rounds: int = ROUNDS, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds that `do` takes once. Repeated within a round until the clock can tell."""
    do()
    times = []
    for _ in range(rounds):
        began, done = clock(), 0
        while clock() - began < 0.05:
            do()
            done += 1
        times.append((clock() - began) / done)
    return statistics.median(times)


def memory(spec: WorldSpec) -> Iterator[Figure]:
    def resident() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

    gc.collect()
    before = resident()
    kept = [SimulatedDesktop(spec, seed=seed) for seed in range(10)]
    for env in kept:
        work(env, list(mixed(env.observe())), SimulatedDesktop.observe)
    yield Figure("memory of an instance, resident", (resident() - before) / 10, "MB", "below 20")
    tracemalloc.start()
    more = [SimulatedDesktop(spec, seed=seed) for seed in range(10, 15)]
    for env in more:
        env.observe()
    yield Figure("memory of an instance, held", tracemalloc.get_traced_memory()[0] / 5 / 2**20, "MB")
    tracemalloc.stop()


def growth() -> Iterator[Figure]:
    """An observation costs what is visible, not what exists."""
    folders: list[Action] = [Click(target=ActionTarget(text=name)) for name in ("Sent", "Inbox")]
    parts: dict[str, tuple[str, str, list[Action]]] = {
        "mails": ("mail", "generate: {size}", folders),
        "invoices": ("billing", "generate: {size}", typed("Search invoices")),
        "contacts": ("contacts", "generate: {size}", typed("Search contacts")),
        "events": ("calendar", "generate: {size}", typed("Search events")),
        "messages": ("chat", "generate: 10, generate_messages: {tenth}", typed("Search messages")),
        "products": ("shop", "generate: {size}", typed("Search products")),
        "rows": ("spreadsheet", "generate: {size}", typed("Filter rows")),
    }
    for name, (app, content, actions) in parts.items():
        first = 0.0
        for size in (10, 100, 1_000, 10_000):
            made = content.format(size=size, tenth=size // 10)
            env = SimulatedDesktop(parse_world(f"apps: {{{app}: {{{made}}}}}\nopen: [{app}]"))
            each = median(lambda: work(env, [*actions], SimulatedDesktop.observe), 3) / 2  # noqa: B023
            first = first or each
            yield Figure(f"step and observation with {size:,} {name}", each * 1000, "ms", f"{each / first:.2f} times that of 10")
            env.close()


def typed(label: str) -> list[Action]:
    """Words into a field; the view is another one each time."""
    return [Fill(target=ActionTarget(text=label), text=words) for words in "ab"]


def in_chromium(spec: WorldSpec, steps: float) -> Iterator[Figure]:
    """The same world served to Chromium, worked by Playwright."""
    try:
        from browsing.twin import Twin

        from environments.browser import BrowserEnvironment

        browser = BrowserEnvironment("about:blank")
        browser.reset()
    except (ImportError, EnvironmentFault) as bad:
        print(f"Chromium is left out: {bad}", file=sys.stderr)
        return
    twin = Twin(lambda: SimulatedDesktop(spec), browser)
    try:
        field = _first([e for e in twin.observe().elements if e.app == twin.observe().app], "textbox")
        words = count(1)

        def step() -> None:
            action = Fill(target=ActionTarget(track_id=field.track_id), text=f"words {next(words)}")
            assert twin.perform(action, key=f"bench/{next(_keys)}").ok

        wall = time.perf_counter
        slow = 1 / median(step, 3, wall)
        yield Figure("Chromium: steps", slow, "1/s", f"in process {steps / slow:,.0f} times as many")
        look = median(browser.observe, 3, wall)
        yield Figure("Chromium: observations", 1 / look, "1/s")
        yield Figure("Chromium: PNG", 1000 * median(browser.screenshot, 3, wall), "ms")
    finally:
        twin.close()
        browser.close()


if __name__ == "__main__":
    main()
