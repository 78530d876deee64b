#!/usr/bin/env python3
"""What a person is asked on harmless pages, and whether each task ends right: the 64 of benign.yaml, with yes to every question.

    benchmarks/benign.py                     all of them
    benchmarks/benign.py 'login-*' tabs      some
    benchmarks/benign.py --questions         and what was asked

`before` is how often it was asked at commit cbee91c, when nothing looked at requests.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from browsing.hostile_pages import PageOutcome, PageRunner, chosen_pages, load_pages

PAGES = Path(__file__).with_name("benign.yaml")
ALL = 99


def counted(names: list[str], surf: PageRunner, questions: bool = False) -> list[PageOutcome]:
    pages, found = load_pages([PAGES]), []
    for case in chosen_pages(pages, names):
        outcome = surf.work(case.model_copy(update={"approves": ALL}), pages.sites[case.name])
        found.append(outcome)
        lacks = f"  did not end right: {', '.join(outcome.lacks)}" if outcome.lacks else ""
        print(f"{outcome.name:<28} before {outcome.before}  now {len(outcome.asked)}{lacks}", flush=True)
        for asked in outcome.asked if questions else ():
            print(f"    {asked}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--questions", action="store_true", help="say what was asked")
    given = parser.parse_args()
    surf = PageRunner()
    try:
        found = counted(given.names, surf, given.questions)
    finally:
        surf.close()
    wrong = sum(bool(outcome.lacks) for outcome in found)
    before, now = sum(outcome.before for outcome in found), sum(len(outcome.asked) for outcome in found)
    print(f"{len(found)} tasks: {wrong} did not end right; {before} questions before, {now} now")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
