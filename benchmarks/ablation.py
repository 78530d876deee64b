#!/usr/bin/env python3
"""What gates and replanning buy: the shipped tasks, with things going wrong, by four crews.

    benchmarks/ablation.py                                     every task, seed 0, all troubles
    benchmarks/ablation.py --seeds 0..4 --rows rows.jsonl      one line for each finished run; goes on behind the last of them
    benchmarks/ablation.py --tasks 'claim-*' --troubles surface:0.3 --kinds swallow     some of it
    benchmarks/ablation.py --rows rows.jsonl --picture docs/pictures/ablation.svg

The crews are the same rules four times: as shipped; without replanning (`limits.replans: 0`, the first thing that fails ends the
run); without gates (`crew.evaluator.policy: trusting`, the worker's word is believed); without both. The Operator's own
recovery, which tries an action again at once, belongs to all of them.

What goes wrong is the surface or the worker. On the surface a rate is the share of actions that something happens to, the kinds
of faults having equal parts of it. With the worker it is the share of its decisions at which it says that it is done and is not.
First every task is worked by the whole crew without faults: what it does not get right is named and left out. A run is right when
the task's judge says so, which asks for the outcome, the state of the world, and that nothing else was changed. Every approval is
given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from environments.faults.faults import FaultKind
from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.suite import EpisodeSpec, outcome_of, seeds_of
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.layers import shipped_names
from protocol import AgentStatus, OperatorDecision
from roles.contracts import OperatorPolicy, OperatorView

KINDS = tuple(
    str(kind)
    for kind in (
        FaultKind.SWALLOW, FaultKind.NOT_SAVED, FaultKind.SAVED_ANYWAY, FaultKind.TIMEOUT, FaultKind.TWICE, FaultKind.BREAK,
        FaultKind.STALE, FaultKind.EXPIRED, FaultKind.FOCUS, FaultKind.AUTOCOMPLETE,
    )
)  # fmt: skip
"""Everything that can happen to an action. Faults that lie on the screen from the start are no share of the actions."""
WITHOUT_GATES, WITHOUT_REPLANNING = "crew.evaluator.policy=trusting", "limits.replans=0"
ARMS: dict[str, tuple[str, ...]] = {
    "gates and replanning": (),
    "gates only": (WITHOUT_REPLANNING,),
    "replanning only": (WITHOUT_GATES,),
    "neither": (WITHOUT_GATES, WITHOUT_REPLANNING),
}
WHOLE = next(iter(ARMS))
TROUBLES = ("surface:0.1", "surface:0.3", "worker:0.1")
"""What things go wrong with, and how often; `surface:0` is a day without any."""


class Asked(NamedTuple):
    """One run."""

    task: str
    seed: int
    wrong: str
    rate: float
    arm: str
    kinds: str


class Row(NamedTuple):
    """How it came out."""

    asked: Asked
    right: bool
    clean: bool
    false_complete: bool
    status: str
    struck: int
    steps: int
    oracle: int
    plans: int
    gates: int
    approvals: int
    seconds: float
    why: str


def main() -> None:
    asked = _arguments()
    told = _Rows(Path(asked.rows) if asked.rows else None, asked)
    names = [name for name in shipped_names("tasks") if any(fnmatch(name, pattern) for pattern in asked.tasks.split(","))]
    pairs = [(name, seed) for name in names for seed in seeds_of(asked.seeds)]
    at_peace = told.work(Asked(name, seed, "surface", 0.0, WHOLE, "") for name, seed in pairs)
    solved = [(row.asked.task, row.asked.seed) for row in at_peace if row.right]
    rows = told.work(
        Asked(name, seed, wrong, rate, arm, asked.kinds if rate and wrong == "surface" else "")
        for wrong, rate in troubles_of(asked.troubles)
        for name, seed in solved
        for arm in asked.arms.split(",")
    )
    left_out = sorted({row.asked.task for row in at_peace if not row.right})
    cells = summary(rows)
    if asked.picture:
        Path(asked.picture).write_text(picture(cells), encoding="utf-8")
    if asked.json:
        print(json.dumps({"left_out": left_out, "cells": cells, "rows": [plain(row) for row in rows]}))
    else:
        print(table(cells, len(solved), left_out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0", help="such as 0,1 or 20..24")
    parser.add_argument("--tasks", default="*", help="names or patterns, with commas between them")
    parser.add_argument("--troubles", default=",".join(TROUBLES), help="what things go wrong with, and how often")
    parser.add_argument("--arms", default=",".join(ARMS), help="some of the crews, with commas between them")
    parser.add_argument("--kinds", default=",".join(KINDS), help="what goes wrong, in equal parts")
    parser.add_argument("--rows", default="", help="a file of JSON lines: what stands there is not done again")
    parser.add_argument("--picture", default="", help="write an SVG of the table there")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    for words, known in ((asked.arms, ARMS), (asked.kinds, tuple(FaultKind))):
        if unknown := set(words.split(",")) - set(known):
            parser.error(f"there is no {sorted(unknown)[0]!r}; there are {', '.join(known)}")
    return asked


def troubles_of(words: str) -> list[tuple[str, float]]:
    """`surface:0.1,worker:0.3`."""
    found = [trouble.partition(":") for trouble in words.split(",")]
    if unknown := {wrong for wrong, _, _ in found} - {"surface", "worker"}:
        raise SystemExit(f"there is no trouble with the {sorted(unknown)[0]!r}; there is surface:RATE and worker:RATE")
    return [(wrong, float(rate)) for wrong, _, rate in found]


class _Rows:
    """The rows that there are, and those that are worked now."""

    def __init__(self, path: Path | None, asked: argparse.Namespace) -> None:
        self._path, self._jobs, self._quiet = path, asked.jobs, asked.json
        lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
        self._known = {row.asked: row for row in map(_read, lines) if row is not None}

    def work(self, wanted: Iterable[Asked]) -> list[Row]:
        """A row for each, in the order asked for."""
        runs = list(wanted)
        for row in self._worked([run for run in runs if run not in self._known]):
            self._known[row.asked] = row
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(plain(row)) + "\n")
            if not self._quiet:
                print(_line(row), file=sys.stderr, flush=True)
        return [self._known[run] for run in runs]

    def _worked(self, runs: Sequence[Asked]) -> Iterator[Row]:
        if self._jobs < 2 or len(runs) < 2:
            yield from map(work_one, runs)
            return
        with ProcessPoolExecutor(self._jobs) as pool:
            yield from pool.map(work_one, runs, chunksize=4)


def plain(row: Row) -> dict[str, Any]:
    return row.asked._asdict() | {key: value for key, value in row._asdict().items() if key != "asked"}


def _read(line: str) -> Row | None:
    """None for a line that was cut short."""
    try:
        body = json.loads(line)
        return Row(Asked(*(body.pop(key) for key in Asked._fields)), **body)
    except (ValueError, KeyError, TypeError):
        return None


def work_one(asked: Asked) -> Row:
    """One run, in a folder of its own that is thrown away."""
    kinds = [kind for kind in asked.kinds.split(",") if kind]
    faults = [f"{kind}:{asked.rate / len(kinds):.4f}" for kind in kinds]
    parts = {"around": lambda role, policy: Hasty(policy, asked) if role == "operator" else policy}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        settings = (f"faults={json.dumps(faults)}", *ARMS[asked.arm])
        spec = EpisodeSpec(configuration=asked.arm, task=asked.task, seed=asked.seed, settings=settings)
        try:
            return _row(asked, outcome_of(spec, Path(folder), parts=parts if asked.wrong == "worker" else None))
        except UsageProblem as bad:
            return Row(asked, False, True, False, "not run", 0, 0, 0, 0, 0, 0, 0.0, str(bad))


class Hasty:
    """A worker that at some of its decisions says that it is done, and does nothing."""

    def __init__(self, policy: OperatorPolicy, asked: Asked) -> None:
        self._policy, self._asked = policy, asked

    def decide(self, view: OperatorView) -> OperatorDecision:
        decision = self._policy.decide(view)
        last = view.history[-1].step if view.history else 0
        place = f"{self._asked.seed}/{self._asked.task}/{view.subtask.id}/{view.subtask.attempt}/{last}"
        chance = int.from_bytes(hashlib.blake2b(place.encode(), digest_size=6).digest(), "big") / 2**48
        if decision.status is not AgentStatus.CONTINUE or chance >= self._asked.rate:
            return decision
        return OperatorDecision(status=AgentStatus.FINISH, comment="it is done", is_goal_complete=True, memory=decision.memory)


def _row(asked: Asked, outcome: Outcome) -> Row:
    report, verdict = outcome.report, outcome.report.get("judge") or {}
    why = "" if verdict.get("passed") else " ".join(f"{outcome.reason} {verdict.get('side_effects') or ''}".split())
    return Row(
        asked=asked,
        right=bool(verdict.get("passed")),
        clean=verdict.get("clean") is not False,
        false_complete=bool(verdict.get("false_complete")),
        status=outcome.status,
        struck=_struck(outcome.folder / "faults.jsonl"),
        steps=report["counts"]["steps"],
        oracle=int(verdict.get("oracle_steps") or 0),
        plans=report["counts"]["plans"],
        gates=report["counts"]["gates"],
        approvals=sum(a["decision"] == "approve" for a in report["approvals"]),
        seconds=round(report["wall_seconds"], 2),
        why=why[:400],
    )


def _struck(record: Path) -> int:
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return sum(bool(json.loads(line)["kind"]) for line in lines if line)


def _line(row: Row) -> str:
    mark = "ok   " if row.right else "LIED " if row.false_complete else "no   "
    run = row.asked
    return f"{mark} {run.wrong:7} {run.rate:<4} {run.arm:21} {run.task:28} {run.seed:>3} {row.struck:>3} struck {row.why[:220]}"


# --- what is told of them ---------------------------------------------------------------------------------------------


def summary(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """A cell for each trouble and crew, in the order they were asked for."""
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        trouble = f"{row.asked.wrong} {row.asked.rate:g}" if row.asked.rate else "nothing"
        cells.setdefault((trouble, row.asked.arm), []).append(row)
    return [_cell(trouble, arm, own) for (trouble, arm), own in cells.items()]


def _cell(trouble: str, arm: str, rows: Sequence[Row]) -> dict[str, Any]:
    over = [row.steps - row.oracle for row in rows if row.right]
    return {
        "wrong": trouble,
        "crew": arm,
        "runs": len(rows),
        "right": sum(row.right for row in rows) / len(rows),
        "false_complete": sum(row.false_complete for row in rows) / len(rows),
        "given_up": sum(not row.right and not row.false_complete for row in rows) / len(rows),
        "not_clean": sum(not row.clean for row in rows) / len(rows),
        "steps_over_oracle": statistics.mean(over) if over else None,
        "approvals": statistics.mean(row.approvals for row in rows),
        "plans": statistics.mean(row.plans for row in rows),
        "struck": statistics.mean(row.struck for row in rows),
        "seconds": statistics.mean(row.seconds for row in rows),
    }


def table(cells: Sequence[dict[str, Any]], solved: int, left_out: Sequence[str]) -> str:
    """In Markdown, as the documentation shows it."""
    lines = [
        "| goes wrong | crew | right | said done, was not | gave up | changed more | over oracle | approvals | plans | struck |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for cell in cells:
        shares = [f"{cell[key]:.1%}" for key in ("right", "false_complete", "given_up", "not_clean")]
        means = ["" if cell[key] is None else f"{cell[key]:.1f}" for key in ("steps_over_oracle", "approvals", "plans", "struck")]
        lines.append("| " + " | ".join([cell["wrong"], cell["crew"], *shares, *means]) + " |")
    lines.append(
        f"\n{solved} pairs of a task and a seed. Not right without faults, and left out: {', '.join(left_out) or 'none'}."
    )
    return "\n".join(lines)


_HEADS = {"nothing": "Nothing goes wrong", "surface": "The surface fails, rate", "worker": "The worker is hasty, rate"}
COLOURS = {"right": "#2f7d4f", "given_up": "#c9ced6", "false_complete": "#b8322a"}
SAID = {"right": "right", "given_up": "gave up and said so", "false_complete": "said done, and was not"}
_LEFT, _WIDE, _HIGH, _GAP, _TOP = 210, 480, 20, 6, 44


def picture(cells: Sequence[dict[str, Any]]) -> str:
    """A bar for each cell, divided into what its runs came to."""
    drawn: list[str] = []
    y = _TOP
    for number, cell in enumerate(cells):
        if number == 0 or cell["wrong"] != cells[number - 1]["wrong"]:
            y += 18
            kind, _, rate = cell["wrong"].partition(" ")
            drawn.append(f'<text x="12" y="{y}" font-weight="bold">{_HEADS[kind]} {rate}</text>')
            y += 8
        drawn.append(f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{cell["crew"]}</text>')
        x = float(_LEFT)
        for key, colour in COLOURS.items():
            width = cell[key] * _WIDE
            drawn.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_HIGH}" fill="{colour}"/>')
            if cell[key] >= 0.06:
                ink = "#222" if key == "given_up" else "#fff"
                drawn.append(
                    f'<text x="{x + width / 2:.1f}" y="{y + 14}" text-anchor="middle" fill="{ink}">{cell[key]:.0%}</text>'
                )
            x += width
        y += _HIGH + _GAP
    legend = "".join(
        f'<rect x="{_LEFT + 150 * n}" y="14" width="12" height="12" fill="{colour}"/>'
        f'<text x="{_LEFT + 150 * n + 18}" y="24">{SAID[key]}</text>'
        for n, (key, colour) in enumerate(COLOURS.items())
    )
    size = f'width="{_LEFT + _WIDE + 20}" height="{y + 8}" viewBox="0 0 {_LEFT + _WIDE + 20} {y + 8}"'
    body = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12" role="img" '
        f'aria-label="What runs came to, by crew and rate of faults">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{legend}\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
