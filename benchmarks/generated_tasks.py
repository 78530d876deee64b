#!/usr/bin/env python3
"""Whether generated tasks hold in worlds in which they were not tried, and with mutants that were not drawn then.

    deskcrew lab tasks -n 2000 --seed 0 --out FOLDER
    benchmarks/generated_tasks.py FOLDER                 each task in the world of seed 7
    benchmarks/generated_tasks.py FOLDER --seeds 7..9

A task fails here if its oracle does not pass, a mutant does, or the world has no record that fits its slots.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.suite import seeds_of
from orchestrator.tasks.generated import survivors
from orchestrator.tasks.tasks import load_task


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=seeds_of, default=(7,))
    given = parser.parse_args()
    began, found, mutants = time.process_time(), Counter[str](), 0
    files = sorted(given.folder.glob("*.yaml"))
    for file in files:
        task = load_task(file)
        for seed in given.seeds:
            try:
                wrong, tried = survivors(task, seed)
            except UsageProblem as bad:
                found["no such record"] += 1
                print(f"{file.name} seed {seed}: {bad}")
                continue
            mutants += tried
            found["mutant" if any("passes" in one for one in wrong) else "oracle" if wrong else "good"] += 1
            print(*(f"{file.name} seed {seed}: {one}" for one in wrong), sep="\n", end="\n" if wrong else "")
    print(f"{len(files)} tasks, seeds {given.seeds}, {mutants:,} mutants, {time.process_time() - began:.0f} s of the processor:")
    print(
        f"{found['good']} hold, {found['mutant']} have a mutant that passes, of {found['oracle']} the oracle does not pass, ",
        end="",
    )
    print(f"{found['no such record']} find no record")


if __name__ == "__main__":
    main()
