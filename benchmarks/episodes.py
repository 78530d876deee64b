#!/usr/bin/env python3
"""What an episode costs: steps and episodes a second on one core, of the core, through Gymnasium and OpenEnv, forks and memory.

    benchmarks/episodes.py                 3 seconds for each line
    benchmarks/episodes.py --seconds 10 --json

OpenEnv is left out where it is not installed; its rate counts the CPU of the client and of the server.
The ratios of one run compare; the rates themselves are the machine's.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from orchestrator.lab.episodes.episode import Episode
from orchestrator.settings.layers import shipped_names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--task", default=shipped_names("tasks")[0])
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rates = {name: _rate(work, asked.seconds) for name, work in _works(asked.task).items()}
    if importlib.util.find_spec("openenv"):
        rates["steps/s through OpenEnv, by WebSocket"] = _openenv(asked.task, asked.seconds)
    rates["kB an episode that is kept"] = _memory(asked.task)
    if asked.json:
        print(json.dumps(rates))
        return
    for name, rate in rates.items():
        print(f"{rate:12,.1f}  {name}")


def _works(task: str) -> dict[str, Callable[[], Iterator[None]]]:
    return {
        "steps/s, nothing read": lambda: _steps(task, False),
        "steps/s with text": lambda: _steps(task, True),
        "steps/s with text, of screens that come again": lambda: _rounds(task),
        "steps/s through Gymnasium": lambda: _gym(task),
        "episodes/s, reset and judged": lambda: _episodes(task),
        "forks/s": lambda: _forks(task),
    }


def _rate(work: Callable[[], Iterator[None]], seconds: float) -> float:
    rounds = work()
    next(rounds)
    began = time.process_time()
    for done in itertools.count(1):
        next(rounds)
        if (spent := time.process_time() - began) > seconds:
            return done / spent
    raise AssertionError


def _lines(task: str) -> Iterator[str]:
    """Another text for the first field of the first screen each time, so that no two screens are the same."""
    field = next(e for e in Episode(task).look().screen.elements if e.role == "textbox")
    return (f'fill #{field.element_id} with "words {number}"' for number in itertools.count())


def _steps(task: str, text: bool) -> Iterator[None]:
    episode = Episode(task, steps=10**9)
    for line in _lines(task):
        turn = episode.step(line)
        assert turn.info["status"] == "executed"
        if text:
            assert turn.observation.text
        yield


def _rounds(task: str) -> Iterator[None]:
    """The task's oracle, again and again."""
    episode = Episode(task, steps=10**9)
    start = episode.snapshot()
    for line in itertools.cycle(episode.oracle()[:-1]):
        if line == episode.oracle()[0]:
            episode.restore(start)
        assert episode.step(line).observation.text
        yield


def _gym(task: str) -> Iterator[None]:
    from orchestrator.lab.episodes.gymnasium_env import TaskEnv

    env = TaskEnv(task, steps=10**9)
    env.reset(seed=0)
    for line in _lines(task):
        env.step(line)
        yield


def _openenv(task: str, seconds: float) -> float:
    from deskcrew.openenv import DeskAction, DeskEnv

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # On one machine to compress costs more than it saves
    told = ["--port", str(port), "--log-level", "error", "--ws-per-message-deflate", "false"]
    server = subprocess.Popen([sys.executable, "-m", "uvicorn", "deskcrew.openenv:app", *told])
    try:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        with DeskEnv(base_url=f"http://127.0.0.1:{port}").sync() as env:
            env.reset(task=task, steps=10**9)
            lines = _lines(task)
            env.step(DeskAction(line=next(lines)))
            began = time.process_time() + _cpu(server.pid)
            for done, line in enumerate(lines, start=1):
                env.step(DeskAction(line=line))
                if (spent := time.process_time() + _cpu(server.pid) - began) > seconds:
                    return done / spent
        raise AssertionError
    finally:
        server.terminate()
        server.wait()


def _cpu(pid: int) -> float:
    """Seconds of CPU of a process, as Linux counts them."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _episodes(task: str) -> Iterator[None]:
    episode = Episode(task)
    for seed in itertools.count():
        episode.reset(seed)
        episode.step("finish")
        yield


def _forks(task: str) -> Iterator[None]:
    episode = Episode(task)
    while True:
        episode.fork()
        yield


def _memory(task: str, kept: int = 200) -> float:
    episode = Episode(task)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    episodes = [episode.fork() for _ in range(kept)]
    for one, line in zip(episodes, _lines(task), strict=False):
        one.step(line)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / kept


if __name__ == "__main__":
    main()
