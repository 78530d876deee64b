"""The world that a killed run works in, and what the run came to: read once everything is over."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kill_kinds import Work
from kill_process import leave

_SAME = ("status", "counts", "plan", "facts", "gates", "approvals", "supplements", "safety_findings", "transitions")
"""Parts of a report that must be the same however often the run was killed."""
_ADDRESS, _LEFT = "served.url", "served.json"
_PORT = re.compile(r"(?<=http://127\.0\.0\.1):\d+")


class Result(NamedTuple):
    """What a run comes to. `received` is every action that reached the world, in order."""

    world: dict[str, Any]
    received: list[dict[str, Any]]
    steps: list[Any]
    report: dict[str, Any]


class Difference(NamedTuple):
    """How a run that was killed is unlike the one that nobody killed."""

    repeated: int
    lost: int
    other: str
    """What else is not the same, in words; empty where nothing is."""

    def __bool__(self) -> bool:
        return bool(self.repeated or self.lost or self.other)


def result_of(work: Work, runs_dir: Path) -> Result:
    """Read from what is on disk; of a served world, from what its server wrote when it was stopped."""
    folder = next(path for path in runs_dir.iterdir() if (path / "report.json").exists())
    report = json.loads((folder / "report.json").read_text())
    world, received = _left(runs_dir) if work.served else _stored(folder)
    steps = [(step["subtask"], step["action"]) for step in report["steps"]]
    same = {key: report.get(key) for key in _SAME}
    if work.held:
        return Result(world, received, [], {"status": report["status"]})
    if work.served:  # a new browser gives new ids, also to the same page
        steps = [(subtask, {**action, "target": action.get("target", {}).get("text")}) for subtask, action in steps]
        same["gates"] = [{**gate, "evidence": []} for gate in same["gates"]]  # screens, which are new ones with their ids
    return Result(world, received, steps, same)


def _stored(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    record = json.loads((folder / "run.json").read_text())
    desktop = SimulatedDesktop(load_world(record["settings"]["world"]), record["settings"]["seed"], folder)
    received = [{**item, "key": item["key"].partition("/")[2]} for item in desktop.received()]
    world = desktop.world()
    desktop.close()
    return world, received


def _left(runs_dir: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    left = json.loads((runs_dir / _LEFT).read_text())
    return left["world"], [{**item, "key": ""} for item in left["received"]]


def difference(found: Result, expected: Result) -> Difference:
    """Effects that are there twice or not at all, and everything else that is not as it should be."""
    mine, theirs = (Counter(json.dumps(item, sort_keys=True) for item in result.received) for result in (found, expected))
    other = [
        f"{name} differs: {one!r:.300} instead of {wanted!r:.300}"
        for name, one, wanted in (
            ("world", found.world, expected.world),
            ("the order of what was done", found.received, expected.received),
            ("steps", found.steps, expected.steps),
            *((key, found.report[key], wanted) for key, wanted in expected.report.items()),
        )
        if _anywhere(one) != _anywhere(wanted)
    ]
    return Difference((mine - theirs).total(), (theirs - mine).total(), "; ".join(other))


def _anywhere(found: Any) -> str:
    """What was found, whatever port the world was served at."""
    return _PORT.sub("", json.dumps(found, sort_keys=True))


@contextmanager
def around(work: Work, runs_dir: Path) -> Iterator[Work]:
    """The work with the address of its world, which is served while the block runs by a process that nobody kills."""
    if not work.served:
        yield work
        return
    pid = os.fork()
    if pid == 0:
        _serve(work, runs_dir)
    try:
        address = _address(runs_dir)
        yield work._replace(overrides=(*work.overrides, f"browser.url={json.dumps(address)}"))
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def _address(runs_dir: Path) -> str:
    for _ in range(1200):
        if (runs_dir / _ADDRESS).exists():
            return (runs_dir / _ADDRESS).read_text()
        time.sleep(0.05)
    raise SystemExit(f"the world is not served: see {runs_dir / 'server'}")


def _serve(work: Work, runs_dir: Path) -> None:
    """Serve the world until SIGTERM; then write down how it stands. Never returns."""
    code = 1
    try:
        with (runs_dir / "server").open("w") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        from environments.served.server import served
        from environments.served.session import Session
        from environments.simulated.desktop import SimulatedDesktop
        from environments.simulated.world.worldfile import load_world

        desktop = SimulatedDesktop(load_world(work.served), 0)
        with served(Session(desktop)) as address:
            partial = runs_dir / f"{_ADDRESS}.part"
            partial.write_text(address.url)
            partial.replace(runs_dir / _ADDRESS)
            signal.sigwait({signal.SIGTERM})
        (runs_dir / _LEFT).write_text(json.dumps({"world": desktop.world(), "received": desktop.received()}))
        code = 0
    finally:
        leave(code)
