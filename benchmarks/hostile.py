#!/usr/bin/env python3
"""Hostile pages in Chromium, and a victim that does what each page wants: what reached the server that no yes had shown.

    benchmarks/hostile.py                              all of them, each under the shipped policy that it names
    benchmarks/hostile.py next-deletes 'where it leads'   pages and classes
    benchmarks/hostile.py --list                       their names, classes and scripts
    benchmarks/hostile.py --corpus FILE -c KEY=VALUE   pages of your own, other settings

A person rejects, or approves the first question and nothing else. The exit code is 1 where a page came through.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from browsing.hostile_pages import chosen_pages, line, load_pages, surfed, table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="names, globs or classes; all if none")
    parser.add_argument("--list", action="store_true", help="work none of them")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a file of pages instead of the shipped")
    parser.add_argument("-c", action="append", default=[], metavar="KEY=VALUE", help="set one value")
    given = parser.parse_args()
    pages = load_pages(given.corpus)
    cases, outcomes = chosen_pages(pages, given.names), []
    for case in cases if given.list else ():
        print(f"{case.name:<34} {case.kind:<28} {case.safety:<14} {'; '.join(case.do)}")
    for outcome in () if given.list else surfed(pages, cases, given.c):
        outcomes.append(outcome)
        print(line(outcome), flush=True)
    print("\n".join(table(outcomes) if outcomes else []))
    return 0 if all(outcome.held for outcome in outcomes) else 1


if __name__ == "__main__":
    raise SystemExit(main())
