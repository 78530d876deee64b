"""`deskcrew world serve`: an address that opens a world, a task that is judged, and refusals in one sentence."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from waiting import DEADLINE
from warm import Forked, python

from orchestrator.tasks.check import task_named
from orchestrator.tasks.judge import task_environment
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import fill_goal, fill_slots

COMMAND = ("-m", "deskcrew", "world", "serve")


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[httpx.Client, list[str]]]:
    """A client of the command's server, and the lines that it prints; all of them once it has ended."""
    with Forked([*COMMAND, "--port", "0", *arguments], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said: list[str] = []
        for line in server.stdout:
            said.append(line.strip())
            if line.startswith("open "):
                break
        url = httpx.URL(said[-1].removeprefix("open "))
        bearer = {"Authorization": f"Bearer {url.params['token']}"}
        try:
            with httpx.Client(base_url=url.copy_with(path="/", query=None), headers=bearer, trust_env=False) as client:
                yield client, said
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(DEADLINE)
            said += [line.strip() for line in server.stdout]


def test_a_task_done_by_hand_is_judged_as_a_crews_would_be() -> None:
    task = task_named("total-into-a-note")
    alone = task_environment(task, 3)
    alone.reset(seed=3)
    slots = fill_slots(task, alone.world(), 3)  # type: ignore[attr-defined]
    alone.close()
    with serving("--task", "total-into-a-note", "--seed", "3") as (client, said):
        assert said[0] == f"goal: {fill_goal(task, slots)}"
        first = client.get("/hashes").json()
        client.post("/reset", json={"seed": 4}).raise_for_status()
        assert client.get("/hashes").json() != first, "other slots"
        client.post("/reset", json={"seed": 3}).raise_for_status()
        assert client.get("/hashes").json() == first
        early = client.post("/finish", json={"status": "fulfilled"}).json()
        assert early["passed"] is False
        for step in steps_of(task.oracle or (), slots):
            client.post("/actions", json=step.action.dump()).raise_for_status()
        verdict = client.post("/finish", json={"status": "fulfilled"}).json()
        assert verdict["passed"] is True, verdict
        assert client.post("/finish", json={"status": "rejected"}).json()["passed"] is False
        assert client.post("/finish", json={"status": "bored"}).status_code == 422
    printed = [line for line in said if "passed, " in line]
    assert [line.split(",")[0] for line in printed] == ["not passed", "passed", "not passed"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a world, or a task with --task"),
        (["no-such-world"], "no-such-world"),
        (["--task", "do it well"], "a goal in words"),
        (["office", "--record", "."], "is there already"),
        (["office", "--host", "192.0.2.1"], "192.0.2.1:"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(arguments, said, tmp_path: Path) -> None:
    done = python(*COMMAND, "--port", "0", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_named() -> None:
    with serving("office") as (client, _):
        port = str(client.base_url.port)
        done = python(*COMMAND, "office", "--port", port)
    assert done.returncode == 2
    assert f":{port}" in done.stderr
    assert "--port" in done.stderr
