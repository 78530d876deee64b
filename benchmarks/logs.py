#!/usr/bin/env python3
"""How fast logs are checked and printed, and how fast each dialect reads and writes.

    benchmarks/logs.py               a log of 20 MB
    benchmarks/logs.py --megabytes 200

The log is the example logs of version 0.1, again and again. MB/s and conversions/s are of this machine; the ratio to
plain `json.loads` on the same lines is what compares. Memory is the peak of the whole process, so that a longer log shows
whether it grows.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from orchestrator.lab.logs import opened, show, validate
from protocol import Action, VisualState, read_log
from protocol.dialects import NAMES, Context, DialectError, dialect
from protocol.dsl import emit, parse_line

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "protocol" / "v0_1" / "examples").glob("*.jsonl"))


def seconds(work: Callable[[], Any], turns: int = 3) -> float:
    """The smallest CPU time of several turns."""
    best = float("inf")
    for _ in range(turns):
        started = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            work()
        best = min(best, time.process_time() - started)
    return best


def long_log(path: Path, megabytes: float) -> float:
    """Example logs until it is that long. Returns its size in MB."""
    body = b"".join(example.read_bytes() for example in EXAMPLES if example.stem != "seed-004")
    with path.open("wb") as file:
        for _ in range(max(1, round(megabytes * 1e6 / len(body)))):
            file.write(body)
    return path.stat().st_size / 1e6


def logs(megabytes: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        size = long_log(path, megabytes)
        jobs: dict[str, Callable[[], Any]] = {
            "json.loads": lambda: [json.loads(line) and None for line in path.open("rb")],
            "read_log": lambda: sum(1 for _ in read_log(path)),
            "log validate": lambda: validate(opened(str(path), "deskcrew", Path()), as_json=False),
            "log show": lambda: show(opened(str(path), "deskcrew", Path()), only=None, pictures="none", as_json=False),
        }
        print(f"log of {size:.0f} MB{'':>8}{'MB/s':>10}{'x json.loads':>14}{'peak MB':>10}")
        base = 0.0
        for name, work in jobs.items():
            took = seconds(work, turns=1 if megabytes > 50 else 3)
            base = base or took
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            print(f"{name:<20}{size / took:>10.1f}{took / base:>14.2f}{peak:>10.0f}")


def examples() -> list[tuple[Action, VisualState]]:
    return [(line.step.action, line.step.visual_state) for path in EXAMPLES for line in read_log(path) if line.step]


def dialects() -> None:
    """Conversions a second of all example actions that the dialect can say."""
    acted = examples()
    print(f"\n{'dialect':<34}{'said':>10}{'write/s':>10}{'read/s':>10}")
    lines = [emit(action) for action, _ in acted]
    _row("dsl", len(acted), len(acted), lambda: [emit(a) for a, _ in acted], lambda: [parse_line(line) for line in lines])
    for name in NAMES:
        for variant in dialect(name).variants:
            _dialect(name, variant, acted)


def _dialect(name: str, variant: str, acted: list[tuple[Action, VisualState]]) -> None:
    spoken = dialect(name)
    said: list[tuple[Action, Context, Any]] = []
    for action, state in acted:
        context = Context(state=state, variant=variant)
        with contextlib.suppress(DialectError):
            said.append((action, context, spoken.write(action, context).payload))
    _row(
        f"{name} {variant}",
        len(said),
        len(acted),
        lambda: [spoken.write(action, context) for action, context, _ in said],
        lambda: [spoken.read(payload, context) for _, context, payload in said],
    )


def _row(name: str, said: int, all_of_them: int, write: Callable[[], Any], read: Callable[[], Any]) -> None:
    writing, reading = said / seconds(write), said / seconds(read)
    print(f"{name:<34}{f'{said}/{all_of_them}':>10}{writing:>10,.0f}{reading:>10,.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=20.0, help="size of the log")
    logs(parser.parse_args().megabytes)
    dialects()


if __name__ == "__main__":
    main()
