#!/usr/bin/env python3
"""Pages that nobody here wrote, worked by the whole crew with nothing but rules: a table of pages and seeds.

    benchmarks/pages.py                               the 25 pages of the list, seeds 1 to 4
    benchmarks/pages.py --pages click-tab,login-user  some pages
    benchmarks/pages.py --seeds 5-8 --log             other seeds, and why what failed did
    benchmarks/pages.py --json                        one JSON object

The crew is told what the page says of its goal and nothing else, and sees what a person sees. `1` is an episode that the page
rewards in full; a number below is a part of it; `-` is one that the page counts as failed; `.` is one that did not end.
Behind each page stand the share of rewarded episodes and the seconds of one. A `!` marks an episode of which the crew says
that it is done and the page does not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from browsing.miniwob import MiniwobPage

from deskcrew import Crew
from environments.contract import EnvironmentFault

PAGES = (
    "click-test,click-button,click-link,click-option,click-checkboxes,click-checkboxes-transfer,click-tab,click-dialog,"
    "click-dialog-2,click-collapsible,choose-list,enter-text,enter-text-dynamic,enter-password,enter-date,enter-time,"
    "login-user,focus-text,scroll-text,copy-paste,find-word,buy-ticket,read-table,use-slider,order-food"
)
SETTINGS = ("safety={name: open, rules: [], otherwise: allow, min_confidence: 0}", "display=none", "limits.wall_seconds=60")


class Episode(NamedTuple):
    """How one went: what the crew says, what the page says."""

    page: str
    seed: int
    goal: str
    status: str
    reason: str
    over: bool
    reward: float
    steps: int
    seconds: float

    @property
    def passed(self) -> bool:
        return self.over and self.reward >= 1.0

    @property
    def overclaimed(self) -> bool:
        return self.status == "fulfilled" and not self.passed

    def mark(self) -> str:
        shown = "." if not self.over else "-" if self.reward <= 0 else "1" if self.passed else f"{self.reward:.1f}"
        return shown + ("!" if self.overclaimed else "")


def episode(page: MiniwobPage, name: str, seed: int, runs: Path) -> Episode:
    """The whole crew on one episode."""
    page.reset(seed=seed)
    crew = Crew.from_config(overrides=[*SETTINGS, f"seed={seed}", f"runs_dir={runs}"], environment=page)
    started = time.perf_counter()
    outcome = crew.run(page.goal)
    seconds = time.perf_counter() - started
    steps = int(outcome.report.get("counts", {}).get("steps", 0) or outcome.report.get("steps", 0) or 0)
    return Episode(
        name, seed, page.goal, outcome.status, outcome.reason, page.score.over, page.score.reward, steps, round(seconds, 2)
    )


def measure(pages: list[str], seeds: list[int], *, log: bool, keep: Path | None) -> list[Episode]:
    """Every page with every seed, one browser a page."""
    found: list[Episode] = []
    with tempfile.TemporaryDirectory(prefix="deskcrew-pages-") as folder:
        runs = keep or Path(folder)
        for name in pages:
            page = MiniwobPage(name)
            try:
                done = [episode(page, name, seed, runs) for seed in seeds]
            finally:
                page.close()
            found += done
            print(line(name, done), flush=True, file=sys.stderr if not log else sys.stdout)
            for e in done:
                if log and not e.passed:
                    print(f"    seed {e.seed}: {e.goal}\n        {e.status}: {e.reason}")
    return found


def line(name: str, done: list[Episode]) -> str:
    share = sum(e.passed for e in done) / len(done)
    seconds = sum(e.seconds for e in done) / len(done)
    return f"{name:28} {' '.join(f'{e.mark():>3}' for e in done)}   {share:4.0%}  {seconds:5.1f} s"


def table(found: list[Episode]) -> str:
    names = list(dict.fromkeys(e.page for e in found))
    rows = [line(name, [e for e in found if e.page == name]) for name in names]
    whole = sum(all(e.passed for e in found if e.page == name) for name in names)
    claims = sum(e.overclaimed for e in found)
    rows.append(f"{whole} of {len(names)} pages with every seed; {sum(e.passed for e in found)} of {len(found)} episodes")
    doubts = sum(e.passed and e.status != "fulfilled" for e in found)
    rows.append(f"said to be done and not rewarded: {claims}; rewarded and not said to be done: {doubts}")
    return "\n".join(rows)


def seeds_of(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last) + 1)) if last else [int(n) for n in text.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", default=PAGES)
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("--log", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for the runs")
    given = parser.parse_args()
    try:
        found = measure(given.pages.split(","), seeds_of(given.seeds), log=given.log, keep=given.keep)
    except EnvironmentFault as missing:
        print(f"benchmarks/pages.py: {missing}", file=sys.stderr)
        return 1
    print(json.dumps([e._asdict() for e in found], indent=1) if given.json else table(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
