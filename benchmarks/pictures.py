#!/usr/bin/env python3
"""What a picture of the simulated desktop costs, beside an action and a look at its elements.

    benchmarks/pictures.py               every kind of screen, 1280 by 800
    benchmarks/pictures.py --turns 50    calmer figures

CPU time of the process, the smallest of several turns, in milliseconds; `x act` is the ratio to filling a field and
observing what is there then, in the same run: that one compares between machines. `first` is the first picture of all,
when no letter has been drawn yet.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from environments.pictures.set_of_mark import mark
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.render import picture, png
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, Click, Fill, LaunchApp

WORLD = """
name: bench
apps: {billing: {generate: 300, page_size: 50}, reimbursement: , mail: , settings: }
open: [billing]
"""
LIMIT = 40.0
"""Milliseconds that a warm picture may take."""


def milliseconds(work: Callable[[], Any], turns: int) -> float:
    """The smallest CPU time of several turns."""
    best = float("inf")
    for _ in range(turns):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return 1000 * best


def act_and_look(desktop: SimulatedDesktop) -> Callable[[], Any]:
    """Something that changes the screen each time, in a way in which it never was before."""
    count = itertools.count()

    def turn() -> None:
        text = str(next(count))
        desktop.perform(Fill(target=ActionTarget(text="Search invoices"), text=text), key=f"fill/{text}")
        desktop.observe()

    return turn


def screens(desktop: SimulatedDesktop) -> list[tuple[str, Any]]:
    """Worlds that show a dense table, a form, a list of mail and a dialog."""
    found = [("table of 50 rows", desktop._world)]
    for app in ("reimbursement", "mail", "settings"):
        desktop.perform(LaunchApp(app=app), key=app)
        found.append((app, desktop._world))
    desktop.perform(Click(target=ActionTarget(text="Delete account")), key="dialog")
    return [*found, ("dialog", desktop._world)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=20, help="how often each is measured")
    turns = parser.parse_args().turns
    desktop = SimulatedDesktop(parse_world(WORLD))
    acting = milliseconds(act_and_look(desktop), turns)
    first = milliseconds(desktop.screenshot, 1)
    print(f"{'act and observe':<34}{acting:>8.2f} ms")
    print(f"{'first picture':<34}{first:>8.2f} ms{first / acting:>9.1f} x act\n")
    print(f"{'screen':<20}{'shapes':>10}{'PNG':>10}{'x act':>8}{'KB':>6}{'marks':>9}")
    worst = 0.0
    for name, world in screens(desktop):
        desktop._world = world
        drawn, state, shot = picture(world), desktop.observe(), desktop.screenshot()
        listing = milliseconds(partial(picture, world), turns)
        whole = milliseconds(desktop.screenshot, turns)
        marking = milliseconds(partial(mark, shot, state), turns)
        worst = max(worst, whole)
        size = len(png(drawn)) / 1000
        print(f"{name:<20}{listing:>10.2f}{whole:>10.2f}{whole / acting:>8.1f}{size:>6.0f}{marking:>9.2f}")
    print(f"\nslowest PNG {worst:.1f} ms, limit {LIMIT:.0f} ms: {'kept' if worst < LIMIT else 'BROKEN'}")
    raise SystemExit(worst >= LIMIT)


if __name__ == "__main__":
    main()
