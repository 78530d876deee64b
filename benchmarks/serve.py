#!/usr/bin/env python3
"""How long it takes until those who look on see what a run does: many runs at work at once, and many viewers.

    benchmarks/serve.py                       50 runs, 20 viewers, 60 seconds
    benchmarks/serve.py --runs 5 --viewers 3 --seconds 10
    benchmarks/serve.py --pace 2              steps a second, of each run
    benchmarks/serve.py --json                figures only

Fifty whole crews do not fit on a small machine, so the runs are written by one process of its own: into a journal each, with the
events that a crew writes at a step (seven of them, and a screen), committed as a crew commits them, at a crew's pace. The server
is `deskcrew serve` as it is, in another process. Each viewer follows the list and some of the runs, over real streams, so that
all runs are followed; one viewer more opens a stream and waits a second after each thing that it reads. The delay is the time
from before the commit of a step, by the writer's clock, until a viewer has read its line. At the end the steps that each viewer
saw are compared with the journals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.store.printable import write_json
from protocol import ActionResult, Click, ExecStatus, LaunchApp
from protocol.model.targets import ActionTarget, Resolved
from roles.contracts import StepRecord
from roles.journal.actions import action_key
from roles.journal.journal import Journal

SETTLE = 5.0
"""Seconds that viewers have after the last event."""


class Figures(NamedTuple):
    """Milliseconds, and what was lost."""

    events: int
    seen: int
    lost: int
    median: float
    p95: float
    p99: float
    most: float
    slow_lost: int
    server_cpu: float
    """Share of one core."""


# --- the runs -------------------------------------------------------------------------------------------------------


class Run:
    """One run, written a step at a time."""

    def __init__(self, folder: Path, seen: Any) -> None:
        folder.mkdir(parents=True)
        self.folder, self.id, self._seen, self.steps = folder, folder.name, seen, 0
        record = {"run_id": self.id, "started": time.time(), "goal": "Work on and on", "settings": {"world": "office", "seed": 0}}
        write_json(folder / "run.json", record)
        self.journal = Journal(folder / "journal.sqlite", time.time, run_id=self.id)
        self.journal.append("run_started", {"goal": "Work on and on", "run_id": self.id, "world": "office", "seed": 0})
        self.journal.commit()
        self._before = self._kept(0)
        self._target = next(e for e in seen.elements if e.role in ("link", "button") and e.bbox is not None)

    def _kept(self, step: int) -> str:
        first, *rest = self._seen.elements
        elements = (first.model_copy(update={"text": f"{self.id} {step}"}), *rest)
        return self.journal.screens.keep(self._seen.model_copy(update={"elements": elements, "timestamp": float(step)}))

    def step(self) -> None:
        self.steps += 1
        step, journal = self.steps, self.journal
        place: dict[str, Any] = {"role": "operator", "subtask": "s1", "step": step}
        action, key = Click(target=ActionTarget.of(self._target)), action_key(self.id, "s1", 1, step)
        line = f"{step} {time.time()!r}"
        journal.append("observed", {"state_id": self._before, "app": "billing", "step": step}, **place)
        answer = {"observation": "billing", "reasoning": "so it is", "action": action.dump()}
        journal.append("answered", {"answer": answer}, role="operator", subtask="s1")
        journal.append("decided", {"status": "CONTINUE", "reasoning": "so it is", "line": line, "plan": []}, **place)
        journal.append("reviewed", {"policy": "work_is_allowed", "verdict": "allow", "reasons": [], "action": line}, **place)
        journal.intend(key, action)
        journal.commit()
        found = Resolved(element_id=self._target.element_id, tier="track_id")
        line = f"{step} {time.time()!r}"
        journal.settle(key, ActionResult(exec_status=ExecStatus.EXECUTED, resolved=found))
        journal.append("outcome", {"line": line, "exec_status": "executed", "error": "", "key": key}, **place)
        after = self._kept(step)
        done = StepRecord(
            step=step, subtask="s1", app="billing", action=action.dump(), verb="click", exec_status=ExecStatus.EXECUTED,
            before=self._before, after=after, visible_change=True,
        )  # fmt: skip
        journal.step(done, 1, key=f"step/{key}")
        self._before = after
        journal.append("situation", {"situation": "GET_ACTION", "signal": "generate_action", "next": "EXECUTE_ACTION"}, step=step)
        journal.commit()

    def end(self) -> None:
        self.journal.append("run_finished", {"status": "fulfilled", "reason": "the end of the benchmark", "exit_code": 0})
        self.journal.close()
        report = {"status": "fulfilled", "reason": "the end of the benchmark", "counts": {"steps": self.steps}, "budgets": {}}
        write_json(self.folder / "report.json", report)


def write(folder: Path, runs: int, seconds: float, pace: float) -> None:
    """Begin the runs, wait for a line on the input, and work them all for that long."""
    desk = SimulatedDesktop(load_world("office"))
    desk.perform(LaunchApp(app="billing"), key="1")
    seen = desk.observe()
    made = [Run(folder / f"20260101-000000-{number:04x}", seen) for number in range(runs)]
    print("begun", flush=True)
    sys.stdin.readline()
    chance = random.Random(1)
    begin = time.monotonic()
    due = [(begin + chance.random() / pace, run) for run in made]
    while due and (now := time.monotonic()) < begin + seconds:
        at, run = min(due, key=lambda one: one[0])
        if at > now:
            time.sleep(min(at - now, 0.05))
            continue
        run.step()
        due.remove((at, run))
        due.append((max(at + chance.uniform(0.5, 1.5) / pace, time.monotonic()), run))
    for run in made:
        run.end()
    print(json.dumps({"steps": sum(run.steps for run in made)}), flush=True)


# --- those who look on ----------------------------------------------------------------------------------------------


class Viewer:
    """Follows some runs; keeps the delay of each line, and which steps it saw."""

    def __init__(self, http: httpx.AsyncClient, runs: list[str], *, slow: bool = False) -> None:
        self._http, self._runs, self._slow = http, runs, slow
        self.delays: list[float] = []
        self.seen: dict[str, set[int]] = {run: set() for run in runs}

    async def look(self) -> None:
        await asyncio.gather(*(self._follow(run) for run in self._runs), *([] if self._slow else [self._list()]))

    async def _follow(self, run: str) -> None:
        async with self._http.stream("GET", f"/api/runs/{run}/stream") as answer:
            data = kind = ""
            async for line in answer.aiter_lines():
                now = time.time()
                if line.startswith("event: "):
                    kind = line[7:]
                elif line.startswith("data: "):
                    data = line[6:]
                elif not line and kind == "items":
                    self._take(run, json.loads(data), now)
                    await asyncio.sleep(1.0 if self._slow else 0)
                elif not line and kind == "end":
                    return

    def _take(self, run: str, told: dict[str, Any], now: float) -> None:
        for item in told["items"]:
            if item[0] == "step" and item[5] not in self.seen[run]:
                self.seen[run].add(item[5])
                self.delays.append(now - float(item[8].partition(" ")[2]))

    async def _list(self) -> None:
        async with self._http.stream("GET", "/api/stream") as answer:
            async for _ in answer.aiter_lines():
                pass


async def watched(base: str, token: str, runs: list[str], viewers: int, begin: Any) -> tuple[list[Viewer], Viewer]:
    """Look until every run has ended."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    bearer = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=base, headers=bearer, limits=limits, timeout=None, trust_env=False) as http:
        shares = [runs[number::viewers] or [runs[number % len(runs)]] for number in range(viewers)]
        several = [Viewer(http, share) for share in shares]
        slow = Viewer(http, runs[:1], slow=True)
        tasks = [asyncio.create_task(viewer.look()) for viewer in several]
        slowly = asyncio.create_task(slow.look())
        await asyncio.sleep(1)
        await asyncio.get_running_loop().run_in_executor(None, begin)
        await asyncio.wait([slowly], timeout=SETTLE)
        await asyncio.sleep(SETTLE)
        for task in (*tasks, slowly):
            task.cancel()
        await asyncio.gather(*tasks, slowly, return_exceptions=True)
        return several, slow


def measured(folder: Path, runs: int, viewers: int, seconds: float, pace: float) -> Figures:
    command = [sys.executable, __file__, f"--write={folder}", f"--runs={runs}", f"--seconds={seconds}", f"--pace={pace}"]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    server = None
    try:
        assert writer.stdin is not None
        assert writer.stdout is not None
        write_in, write_out, written = writer.stdin, writer.stdout, writer.stdout.readline()
        assert written == "begun\n"
        command = [sys.executable, "-m", "deskcrew", "serve", "--port", "0", "--runs-dir", str(folder)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        pid = server.pid
        base, _, token = server.stdout.readline().strip().removeprefix("open ").partition("/?token=")
        spent = [0.0, 0.0]

        def begin() -> None:
            spent[0] = _cpu(pid)
            write_in.write("\n")
            write_in.flush()
            write_out.readline()
            spent[1] = _cpu(pid)

        names = sorted(path.name for path in folder.iterdir() if path.is_dir())
        several, slow = asyncio.run(watched(base, token, names, viewers, begin))
    finally:
        for process in (writer, server):
            if process is not None:
                process.terminate()
                process.wait(30)
    return _figures(folder, several, slow, (spent[1] - spent[0]) / seconds)


def _cpu(pid: int) -> float:
    """Seconds of a processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _figures(folder: Path, several: list[Viewer], slow: Viewer, cpu: float) -> Figures:
    written = {path.name: _steps(path) for path in folder.iterdir() if path.is_dir()}
    lost = sum(len(written[run] - seen) for viewer in several for run, seen in viewer.seen.items())
    delays = sorted(1000 * delay for viewer in several for delay in viewer.delays)
    cuts = statistics.quantiles(delays, n=100, method="inclusive")
    return Figures(
        sum(map(len, written.values())), len(delays), lost, round(cuts[49], 1), round(cuts[94], 1), round(cuts[98], 1),
        round(delays[-1], 1), sum(len(written[run] - seen) for run, seen in slow.seen.items()), round(cpu, 2),
    )  # fmt: skip


def _steps(folder: Path) -> set[int]:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as db:
        return {step for (step,) in db.execute("SELECT step FROM events WHERE kind = 'step'")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pace", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(given.write, given.runs, given.seconds, given.pace)
        return
    with tempfile.TemporaryDirectory() as home:
        found = measured(Path(home) / "runs", given.runs, given.viewers, given.seconds, given.pace)
    if given.json:
        print(json.dumps(found._asdict()))
        return
    print(f"{given.runs} runs, each with about {given.pace:g} steps a second for {given.seconds:g} s; {given.viewers} viewers")
    print(f"{found.events} steps were written, {found.seen} lines seen, {found.lost} lost, {found.slow_lost} by the slow one")
    print(f"delay: median {found.median} ms, p95 {found.p95} ms, p99 {found.p99} ms, most {found.most} ms")
    print(f"the server used {found.server_cpu} of a core")
    if found.lost or found.slow_lost or found.p95 >= 250:
        sys.exit(1)


if __name__ == "__main__":
    main()
