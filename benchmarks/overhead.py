#!/usr/bin/env python3
"""What durable checkpoints cost: the controller against a plain loop over the same stages with the same journal.

    benchmarks/overhead.py                steps 10, 300 and 3,000
    benchmarks/overhead.py --steps 300    shorter

Both fill a field of the simulated desktop again and again, write the same journal and the same world store. CPU time is
that of the whole process (`time.process_time`), bytes are all that it passed to `write` (`wchar` of /proc/self/io), each
per GUI action over a window in front of the step. The machine's speed cancels out in the ratio; in the absolute figures
it does not. The smaller of several turns counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.core.controller import build_controller
from orchestrator.core.hub_line import HubLine
from orchestrator.store.checkpoints import CursorSaver
from protocol import ActionTarget, AgentStatus, Fill, OperatorDecision
from roles.contracts import OperatorView, PlanAnswer, Subtask
from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.contracts.policies import Granularity
from roles.journal.events import FeedbackEvent, GateEvent
from roles.journal.journal import Event, Journal
from roles.operator.graph import EDGES, STAGES
from roles.policies.scripted import ScriptedEvaluator, ScriptedManager
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor

WORLD = "name: bench\napps: {reimbursement: {}}\nopen: [reimbursement]\n"
WINDOW = 100
"""Actions that one figure is taken over."""
FIRST = 3
"""Where the first window begins: after the start and the first plan."""


class Filling:
    """Fills the amount with another value each time, so often."""

    def __init__(self, times: int) -> None:
        self._times = times

    def decide(self, view: OperatorView) -> OperatorDecision:
        done = int(view.memory.get("done", 0))
        if done >= self._times:
            return OperatorDecision(status=AgentStatus.FINISH)
        action = Fill(target=ActionTarget(text="Amount"), text=f"${done}.00")
        return OperatorDecision(status=AgentStatus.CONTINUE, action=action, reasoning="the next value", memory={"done": done + 1})


_IO = os.open("/proc/self/io", os.O_RDONLY)


class Mark(NamedTuple):
    cpu: float
    written: int


class Meter:
    """Notes CPU and bytes written after every step."""

    def __init__(self) -> None:
        self.marks: list[Mark] = [self._now()]

    def heard(self, event: Event) -> None:
        if event.kind == FeedbackEvent.KIND:
            self.marks.append(self._now())

    def per_action(self, step: int) -> tuple[float, float]:
        """CPU milliseconds and bytes of one action, over the window that ends (or, near the start, begins) at `step`."""
        last = min(max(step, WINDOW + FIRST), len(self.marks) - 1)
        first = max(last - WINDOW, FIRST)
        start, end = self.marks[first], self.marks[last]
        return (end.cpu - start.cpu) * 1000 / (last - first), (end.written - start.written) / (last - first)

    @staticmethod
    def _now() -> Mark:
        written = os.pread(_IO, 256, 0).split(b"wchar: ")[1].split(b"\n")[0]
        return Mark(time.process_time(), int(written))


def make_context(folder: Path, steps: int, meter: Meter) -> Context:
    safety, limits = SafetyPolicy(), Limits(steps=steps + 10, gates=steps + 10, wall_seconds=1e6)
    journal = Journal(folder / "journal.sqlite", time.time, Redactor(safety), meter.heard)
    plan = PlanAnswer(outcome="planned", subtasks=(Subtask(id="fill", title="fill", instruction="enter amounts"),))
    return Context(
        environment=SimulatedDesktop(parse_world(WORLD), 0, folder),
        journal=journal,
        manager=ScriptedManager(plans=(plan,)),
        operator=Filling(steps),
        evaluator=ScriptedEvaluator(),
        safety=safety,
        limits=limits,
        line=HubLine(journal, limits),
    )


def controller(folder: Path, steps: int, granularity: Granularity = "coarse") -> tuple[Meter, int]:
    """The real thing: hub, spokes, gates every twelve actions, checkpoints on disk. Returns the largest checkpoint, too."""
    meter = Meter()
    context = make_context(folder, steps, meter)
    saver = CursorSaver(folder / "checkpoints.sqlite")
    largest = Largest(saver.conn)

    def heard(event: Event) -> None:
        meter.heard(event)
        largest.look(event)

    context.journal._listener = heard
    graph = build_controller(checkpointer=saver, granularity=granularity)
    config: Any = {"configurable": {"thread_id": "bench"}, "recursion_limit": 10**7}
    result = graph.invoke({"goal": "fill"}, config, context=context, durability="sync")
    if result["task_status"] != "fulfilled":
        raise SystemExit(f"the run did not end well: {result}")
    context.journal.close()
    saver.close()
    return meter, largest.size


class Largest:
    """The largest checkpoint that was on disk at any step."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.size = 0

    def look(self, event: Event) -> None:
        if event.kind == GateEvent.KIND:  # between two gates it hardly changes
            row = self._connection.execute("SELECT max(length(checkpoint)) FROM checkpoints").fetchone()
            self.size = max(self.size, row[0] or 0)


def plain(folder: Path, steps: int) -> Meter:
    """The same stages in the same order in a while loop: no LangGraph, no checkpoint, no gate."""
    meter = Meter()
    context = make_context(folder, steps, meter)
    delegation = {"goal": "fill", "subtask": {"id": "fill", "title": "fill", "instruction": "enter amounts"}, "step": 0,
                  "since_gate": -(10**9)}  # fmt: skip
    state: dict[str, Any] = {"delegation": delegation}
    following = dict(EDGES)
    name = "prepare_interaction_task"
    while name != "finalize_interaction_report":
        state |= STAGES[name](state, context)
        state["step_count"] = 0
        name = following.get(name) or state["route"]
    context.journal.close()
    return meter


def measure(steps: list[int], turns: int, granularity: Granularity = "coarse") -> list[dict[str, float]]:
    best: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        controller(Path(first), 2 * FIRST)  # what is imported and compiled at first use is no cost of an action
        plain(Path(second), 2 * FIRST)
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            durable, largest = controller(Path(first), max(steps), granularity)
            bare = plain(Path(second), max(steps))
        for step in steps:
            cpu, written = durable.per_action(step)
            floor, floor_written = bare.per_action(step)
            row = {"step": step, "cpu_ms": cpu, "plain_ms": floor, "ratio": cpu / floor, "overhead_ms": cpu - floor,
                   "kB": written / 1000, "plain_kB": floor_written / 1000, "checkpoint_kB": largest / 1000}  # fmt: skip
            if step not in best or row["cpu_ms"] < best[step]["cpu_ms"]:
                best[step] = row
    return [best[step] for step in steps]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--granularity", choices=("coarse", "fine"), default="coarse", help="of the Operator in the controller")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = measure(sorted({min(10, given.steps), min(300, given.steps), given.steps}), given.turns, given.granularity)
    if given.json:
        print(json.dumps(rows))
        return 0
    names = list(rows[0])
    print("  ".join(f"{name:>13}" for name in names))
    for row in rows:
        print("  ".join(f"{row[name]:>13,.0f}" if name == "step" else f"{row[name]:>13.2f}" for name in names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
