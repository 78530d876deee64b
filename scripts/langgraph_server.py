#!/usr/bin/env python3
"""Work the crew in LangGraph Server by its own client: eight threads at once, a server that is killed while they wait, and AG-UI.

It needs an environment of its own: pip install -e . 'langgraph-cli[inmem]' 'ag-ui-langgraph[fastapi]'
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOAL = "Find the invoice total on the billing page, copy it into the reimbursement form and submit it"
APPROVE = {"decisions": [{"type": "approve"}]}
THREADS = 8
STARTS = 90.0
"""Seconds that a server may take until it answers."""


@contextmanager
def served(folder: Path, port: int) -> Iterator[Any]:
    """A client of a server in `folder`, which is killed at the end."""
    from langgraph_sdk import get_client

    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with (folder / "server.log").open("a") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        _until_it_answers(f"{url}/ok")
        yield get_client(url=url)
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _until_it_answers(url: str) -> None:
    end = time.monotonic() + STARTS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


async def begin(client: Any, seed: int) -> str:
    """A thread that waits for its approval."""
    thread = str((await client.threads.create())["thread_id"])
    state = await client.runs.wait(thread, "crew", input={"goal": GOAL}, config=_config(seed))
    assert state["__interrupt__"][0]["value"]["action_requests"], state
    return thread


async def go_on(client: Any, seed: int, thread: str) -> str:
    """The reason with which a thread ends that was approved."""
    state = await client.runs.wait(thread, "crew", command={"resume": APPROVE}, config=_config(seed))
    assert state["task_status"] == "fulfilled", state
    return str(state["reason"])


async def taken_back(client: Any, seed: int, thread: str) -> str:
    """What is said where a thread is to go on from an earlier checkpoint."""
    history = await client.threads.get_history(thread, limit=50)
    earlier = history[len(history) // 2]["checkpoint"]
    try:
        await client.runs.wait(thread, "crew", checkpoint=earlier, config=_config(seed))
    except Exception as refused:
        if "deskcrew fork" not in str(refused):
            raise
        return str(refused)
    raise AssertionError("an earlier checkpoint was worked in a world that cannot follow")


def _config(seed: int) -> dict[str, Any]:
    return {"configurable": {"seed": seed}}


async def by_ag_ui() -> str:
    """The status of a run over AG-UI, asked and answered."""
    from ag_ui.core import RunAgentInput
    from ag_ui_langgraph import LangGraphAgent
    from langgraph.checkpoint.memory import InMemorySaver

    from deskcrew import Crew

    agent = LangGraphAgent(name="crew", graph=Crew.from_config().graph(InMemorySaver()))

    async def turn(state: dict[str, Any], forwarded: dict[str, Any]) -> list[Any]:
        run: dict[str, Any] = {"thread_id": "one", "run_id": str(uuid.uuid4()), "state": state, "forwarded_props": forwarded}
        asked = RunAgentInput(**run, messages=[], tools=[], context=[])
        return [event async for event in agent.run(asked)]

    waiting = await turn({"goal": GOAL}, {})
    assert any(event.type == "CUSTOM" and event.name == "on_interrupt" for event in waiting), waiting[-3:]
    ended = await turn({}, {"command": {"resume": json.dumps(APPROVE)}})
    return str(next(event for event in reversed(ended) if event.type == "STATE_SNAPSHOT").snapshot["task_status"])


async def main(folder: Path, port: int) -> None:
    served_here = (ROOT / "langgraph.json").read_text(encoding="utf-8").replace('"."', json.dumps(str(ROOT)))
    (folder / "langgraph.json").write_text(served_here, encoding="utf-8")
    with served(folder, port) as client:
        threads = await asyncio.gather(*(begin(client, seed) for seed in range(THREADS)))
        print(f"{len(threads)} threads wait for an approval")
        await asyncio.sleep(12)  # the in-memory server writes its checkpoints to disk every ten seconds
    with served(folder, port) as client:
        reasons = await asyncio.gather(*(go_on(client, seed, thread) for seed, thread in enumerate(threads)))
        print(f"{len(reasons)} threads went on in another process: {set(reasons)}")
        print(f"an earlier checkpoint: {await taken_back(client, 0, threads[0])}")
    blocking = (folder / "server.log").read_text(encoding="utf-8", errors="replace").count("BlockingError")
    assert not blocking, f"{blocking} blocking calls, see {folder / 'server.log'}"
    print(f"AG-UI: {await by_ag_ui()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=2124)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(main(Path(scratch), given.port))
