"""One process of a run that `kill_sweep.py` works and kills: it counts its points, and dies at the one that was asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kill_kinds import Work

APPROVE = {"decisions": [{"type": "approve"}]}
KILLED, WAITING, BROKEN = {-signal.SIGKILL, -signal.SIGPROF}, 3, 70
PATIENCE = 300
"""Seconds after which a process of a run counts as hung."""
MOST = 400
"""Processes that one run may take, however often it is killed."""
POINTS = "points"


class Counter:
    """Counts the points of this process and kills it at the one that was asked for."""

    def __init__(self, fatal: int) -> None:
        self.labels: list[str] = []
        self.fatal = fatal

    def heard(self, event: Any) -> None:
        self.tick(event.kind)

    def tick(self, label: str) -> None:
        self.labels.append(label)
        if len(self.labels) == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: type, name: str, label: str) -> None:
        """The moments before and after every call of a method are points."""
        function: Callable[..., Any] = getattr(owner, name)

        def ticking(*args: Any, **kwargs: Any) -> Any:
            self.tick(label)
            result = function(*args, **kwargs)
            self.tick(label)
            return result

        setattr(owner, name, ticking)


class Broken(Exception):
    """A process of a run ended as none should, or the run came to no end."""


class Process(NamedTuple):
    """How a process is told what to do."""

    work: Work
    runs_dir: Path
    fatal: float = 0
    """The point at which it dies, 0 for none; a fraction is a moment between two points, in seconds of its processor's time."""
    answering: bool = False


def run(told: Process) -> int:
    """Work the run in this process, whose points are counted from here on."""
    counter = Counter(int(told.fatal) if told.fatal == int(told.fatal) else 0)
    if told.fatal != int(told.fatal):
        signal.setitimer(signal.ITIMER_PROF, told.fatal)  # ends it as SIGKILL does: nothing in it is asked
    _watch(counter, told.work)
    (told.runs_dir / POINTS).unlink(missing_ok=True)
    code = go_on(told, counter.heard)
    (told.runs_dir / POINTS).write_text(json.dumps(counter.labels))
    return code


def go_on(told: Process, listener: Callable[[Any], None] | None = None) -> int:
    """Start the run, or resume the one that is there. Returns its exit code."""
    from orchestrator.runs import runs
    from orchestrator.runs.folders import list_runs
    from orchestrator.settings.settings import load_settings
    from orchestrator.tasks.tasks import Task, resolve_target

    work, runs_dir = told.work, told.runs_dir
    approver = None if work.later else lambda request: APPROVE
    there = list_runs(runs_dir)
    if there and there[0].status in {"fulfilled", "rejected"}:
        return 0  # it was killed at its very end
    if there:
        answer = APPROVE if told.answering else None
        return runs.resume(there[0].run_id, runs_dir=runs_dir, answer=answer, listener=listener, approver=approver).exit_code
    target = resolve_target(work.task)
    layer = target.layer() if isinstance(target, Task) else None
    settings = load_settings(overrides=[f"runs_dir={json.dumps(str(runs_dir))}", *work.overrides], task_layer=layer)
    return runs.start(settings, target, listener=listener, approver=approver).exit_code


def _watch(counter: Counter, work: Work) -> None:
    from orchestrator.store.checkpoints import CursorSaver

    counter.around(CursorSaver, "put", "put")
    if work.served:
        from environments.browser import BrowserEnvironment
        from environments.browser.session import Record

        counter.around(BrowserEnvironment, "perform", "perform")
        counter.around(Record, "begin", "begin")
        counter.around(Record, "end", "end")
    else:
        from environments.simulated.desktop import SimulatedDesktop

        counter.around(SimulatedDesktop, "perform", "perform")


def forked(told: Process) -> int:
    """A copy of this process, which knows nothing of the run. Returns its exit code, negative for a signal."""
    pid = os.fork()
    if pid == 0:
        code = BROKEN
        try:
            signal.alarm(PATIENCE)
            with (told.runs_dir / "said").open("w") as said:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
            code = run(told)
        finally:
            leave(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def leave(code: int) -> None:
    """End this process, which is a copy of another one: nothing of what that one would do at its end is done. Never returns."""
    if sys.exception() is not None:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(code)


def cold(told: Process) -> int:
    """A Python that is started for it, with other hashes of its own."""
    work = told.work
    command = [sys.executable, str(Path(__file__).with_name("kill_sweep.py")), "--child", "--task", work.task]
    command += ["--runs-dir", str(told.runs_dir), "--fatal", str(told.fatal)]
    command += [*(["--served", work.served] if work.served else [])]
    command += ["--held"] if work.held else []
    command += [*(["--later"] if work.later else []), *(["--answering"] if told.answering else [])]
    command += [part for override in work.overrides for part in ("-c", override)]
    with (told.runs_dir / "said").open("w") as said:
        return subprocess.run(command, stdout=said, stderr=said, timeout=PATIENCE, check=False).returncode


def points_of(runs_dir: Path) -> list[str]:
    """What the process that ended last passed, in order."""
    labels: list[str] = json.loads((runs_dir / POINTS).read_text())
    return labels


class Worked(NamedTuple):
    """A run that has come to its end: the points of each process that was not killed, and how many were."""

    labels: list[list[str]]
    kills: int


def work_through(work: Work, runs_dir: Path, fatal: Iterator[float], *, process: Callable[[Process], int] = forked) -> Worked:
    """One process after the other until the run has ended. `fatal` has at how many points each kill comes, counted from the start
    and then from the kill before; a process that waits before it has passed so many leaves the rest of them to the next."""
    labels: list[list[str]] = []
    kills, answering, left = 0, False, next(fatal, 0)
    for _ in range(MOST):
        code = process(Process(work, runs_dir, left, answering))
        if code in KILLED:
            kills, answering, left = kills + 1, False, next(fatal, 0)
            continue
        if code not in (0, 1, WAITING, 4):
            raise Broken(f"a process of {work.task!r} broke ({code}):\n{(runs_dir / 'said').read_text()[-3000:]}")
        labels.append(points_of(runs_dir))
        left -= min(left, len(labels[-1]))
        if code != WAITING or not work.later:
            return Worked(labels, kills)
        answering = True
    raise Broken(f"{work.task!r} came to no end in {MOST} processes")
