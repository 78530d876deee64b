#!/usr/bin/env python3
"""What an action costs in either store: the same run with its journal and checkpoints in SQLite, and in PostgreSQL.

    benchmarks/stores.py                    500 actions in each, three times
    benchmarks/stores.py --actions 100 --turns 1

The run is that of `benchmarks/overhead.py`: the crew fills a field again and again, with gates, checkpoints and the journal, the
world in a file. CPU is that of deskcrew's process, without the server's; the clock is told, too, because a round trip to the
server is time and no CPU. Both are of one action, over the second half of the run; the smallest of the turns counts. The server
is one of Debian's package `postgresql`, on a Unix socket, with `fsync` on, in the folder for temporary files.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "_support"))

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import overhead
from services import postgres  # the server of the tests

from orchestrator.core.controller import build_controller
from orchestrator.core.hub_line import HubLine
from orchestrator.store.checkpoints import Cursors, CursorSaver
from orchestrator.store.postgres.connection import Link
from orchestrator.store.postgres.rows import PostgresCursors, PostgresRows
from orchestrator.store.postgres.runs import SharedRuns
from roles.contracts.context import Context
from roles.journal.events import FeedbackEvent
from roles.journal.journal import Event, Journal


class Cost(NamedTuple):
    """Of one action."""

    cpu_ms: float
    wall_ms: float


class Meter:
    """CPU and clock at the half and at the end of a run."""

    def __init__(self, actions: int) -> None:
        self._half, self._end = actions // 2, actions
        self._seen: list[tuple[float, float]] = []

    def heard(self, event: Event) -> None:
        if event.kind == FeedbackEvent.KIND and event.step in (self._half, self._end):
            self._seen.append((time.process_time(), time.perf_counter()))

    def cost(self) -> Cost:
        (cpu, wall), (cpu_end, wall_end) = self._seen
        many = (self._end - self._half) / 1000
        return Cost((cpu_end - cpu) / many, (wall_end - wall) / many)


def worked(context: Context, saver: Cursors, run: str, actions: int) -> Cost:
    meter = Meter(actions)
    context.journal._listener = meter.heard
    config: Any = {"configurable": {"thread_id": run}, "recursion_limit": 10**7}
    result = build_controller(checkpointer=saver).invoke({"goal": "fill"}, config, context=context, durability="sync")
    if result["task_status"] != "fulfilled":
        raise SystemExit(f"the run did not end well: {result}")
    context.journal.close()
    context.environment.close()
    saver.close()
    return meter.cost()


def in_sqlite(actions: int) -> Cost:
    with tempfile.TemporaryDirectory() as place:
        context = overhead.make_context(Path(place), actions, overhead.Meter())
        return worked(context, CursorSaver(Path(place) / "checkpoints.sqlite"), "bench", actions)


def in_postgres(address: str, run: str, actions: int) -> Cost:
    with tempfile.TemporaryDirectory() as place:
        context = overhead.make_context(Path(place), actions, overhead.Meter())
        context.journal.close()
        rows = PostgresRows(Link(address), run)
        journal = Journal(None, time.time, context.journal.redactor, run_id=run, rows=rows)
        context = context.with_(journal=journal, line=HubLine(journal, context.limits))
        return worked(context, PostgresCursors(Link(address), worker=rows.worker), run, actions)


@contextmanager
def server() -> Iterator[str]:
    if postgres.programs() is None:
        raise SystemExit(postgres.MISSING)
    with postgres.running(quick=False) as running:
        yield running.address


def size_of(address: str) -> int:
    """Bytes of all tables and indexes."""
    runs = SharedRuns(address)
    tables = "SELECT oid FROM pg_class WHERE relnamespace = 'deskcrew'::regnamespace AND relkind = 'r'"
    statement = f"SELECT sum(pg_total_relation_size(oid)) FROM ({tables}) AS tables"
    found = runs._link.connection.execute(statement).fetchone()
    runs.close()
    return int(found[0]) if found else 0


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--actions", type=int, default=500)
    asked.add_argument("--turns", type=int, default=3)
    told = asked.parse_args()
    in_sqlite(20)  # what is imported and compiled at first use is no cost of an action
    with server() as address:
        in_postgres(address, "first", 20)
        before = size_of(address)
        sqlite = [in_sqlite(told.actions) for _ in range(told.turns)]
        shared = [in_postgres(address, f"run-{turn}", told.actions) for turn in range(told.turns)]
        size = (size_of(address) - before) / told.turns / told.actions / 1000
    print("| store | CPU of an action | clock of an action |")
    print("| --- | --- | --- |")
    for name, costs in (("SQLite", sqlite), ("PostgreSQL", shared)):
        print(f"| {name} | {min(c.cpu_ms for c in costs):.2f} ms | {min(c.wall_ms for c in costs):.2f} ms |")
    print(f"\nIn PostgreSQL an action takes {size:.1f} kB, indexes and what is not vacuumed yet included.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
