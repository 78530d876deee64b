#!/usr/bin/env python3
"""What episodes earn through each face: the oracle 1 and doing nothing 0, on every shipped task that has an oracle.

    scripts/episode_faces.py                       makes two environments below .faces/ (once) and tries every face on every task
    scripts/episode_faces.py openenv --every 20    one face, each twentieth task
    scripts/episode_faces.py --reuse               environments that add to the packages of this Python what the faces need

openenv wants mcp 1 and verifiers mcp 2, so that they cannot share an environment. Exit code 1 where a face is not right, 3 where
an environment cannot be made. With --reuse nobody sees whether the extras name all that is needed; without it they have to.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import tomllib
import venv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = {"openenv": ("openenv", "gymnasium"), "mcp2": ("inspect", "verifiers", "gymnasium")}
"""The extras of each."""
BESIDES = {"openenv": (), "mcp2": ("datasets>=5,<6",)}
HOMES = {"core": "openenv", "gymnasium": "openenv", "openenv": "openenv", "inspect": "mcp2", "verifiers": "mcp2", "rows": "mcp2"}
SEED = 3
IDLE = ["wait 1 s"] * 3
Earned = dict[str, tuple[float, float]]
"""By task: what doing nothing earned, and the oracle."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faces", nargs="*", metavar="FACE", help=f"of {', '.join(HOMES)}; all where none is named")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth task")
    parser.add_argument("--environments", type=Path, default=ROOT / ".faces", metavar="FOLDER")
    parser.add_argument("--reuse", action="store_true", help="take the packages of this Python and add what is missing")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := set(given.faces) - HOMES.keys():
        parser.error(f"{sorted(unknown)[0]!r} is no face; they are {', '.join(HOMES)}")
    if given.inside:
        print(json.dumps(FACES[given.faces[0]](lines_of_tasks(given.every))))
        return 0
    faces = given.faces or list(HOMES)

    def tried(home: str) -> int:
        python = environment(given.environments / home, home, given.reuse)
        return sum(wrong(python, face, given.every) for face in faces if HOMES[face] == home)

    with ThreadPoolExecutor() as beside:
        return int(any(list(beside.map(tried, sorted({HOMES[face] for face in faces})))))


def wrong(python: Path, face: str, every: int) -> int:
    """How many tasks do not earn through the face what they should."""
    began = time.monotonic()
    command: list[str | Path] = [python, __file__, face, "--inside", "--every", str(every)]
    earned: Earned = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])
    bad = {task: pair for task, pair in earned.items() if tuple(pair) != (0.0, 1.0)}
    right, seconds = len(earned) - len(bad), time.monotonic() - began
    print(f"{face:10} {right:4} of {len(earned):4} tasks right, {seconds:6.1f} s", *bad.items())
    return len(bad) + (not earned)


def environment(folder: Path, home: str, reuse: bool) -> Path:
    """The Python of an environment that has what the home's faces need; made where it is not there."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    own = [needed for extra in ENVIRONMENTS[home] for needed in extras[extra]]
    base = sysconfig.get_path("purelib") if reuse else ""
    wanted = [*(own if reuse else ("-e", f"{ROOT}[{','.join(ENVIRONMENTS[home])}]")), *BESIDES[home]]
    python, stamp, made_of = folder / "bin/python", folder / ".installed", " ".join([base, *wanted])
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != made_of:
        print(f"making {folder} ...", file=sys.stderr)
        venv.create(folder, clear=True)
        if reuse:
            # Behind the environment's own folder, so that what is installed there hides another version here.
            line = f"import site, sys; site.addsitedir({base!r}); sys.path.append({str(ROOT)!r})\n"
            (next(folder.glob("lib/python*/site-packages")) / "reused.pth").write_text(line, encoding="utf-8")
        quiet = ("--quiet", "--quiet", "--disable-pip-version-check")
        install = [sys.executable, "-m", "pip", "--python", str(python), "install", *quiet, *wanted]
        if subprocess.run(install).returncode:
            print(f"{folder} could not be made: pip could not install {' '.join(wanted)}.", file=sys.stderr)
            sys.exit(3)
        stamp.write_text(made_of, encoding="utf-8")
    return python


def lines_of_tasks(every: int) -> dict[str, list[str]]:
    """The oracle of each task that has one."""
    from orchestrator.lab.episodes.episode import Episode
    from orchestrator.settings.layers import shipped_names

    oracles = {name: Episode(name, SEED).oracle() for name in shipped_names("tasks")[::every]}
    return {name: lines for name, lines in oracles.items() if lines}


def core(tasks: dict[str, list[str]]) -> Earned:
    from orchestrator.lab.episodes.episode import Episode

    def earned(name: str, lines: list[str]) -> float:
        episode = Episode(name, SEED, steps=len(lines))
        return sum(episode.step(line).reward for line in lines)

    return {name: (earned(name, IDLE), earned(name, lines)) for name, lines in tasks.items()}


def gymnasium(tasks: dict[str, list[str]]) -> Earned:
    import gymnasium

    import deskcrew.gymnasium  # noqa: F401 - registers the tasks

    def earned(name: str, lines: list[str]) -> float:
        env = gymnasium.make(f"deskcrew/{name}-v0", steps=len(lines), disable_env_checker=True)
        env.reset(seed=SEED)
        return sum(float(env.step(line)[1]) for line in lines)

    return {name: (earned(name, IDLE), earned(name, lines)) for name, lines in tasks.items()}


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """An OpenEnv server: its address and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "deskcrew.openenv:app", "--port", str(port), "--log-level", "warning"]
    server = subprocess.Popen(command, cwd=ROOT)
    try:
        end = time.monotonic() + 240
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > end or server.poll() is not None:
                    raise
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        server.wait()


def openenv(tasks: dict[str, list[str]]) -> Earned:
    from deskcrew.openenv import DeskAction, DeskEnv

    def earned(name: str, lines: list[str]) -> float:
        env.reset(task=name, seed=SEED, steps=len(lines))
        return sum(float(env.step(DeskAction(line=line)).reward or 0) for line in lines)

    with served() as (address, _), DeskEnv(base_url=address).sync() as env:
        return {name: (earned(name, IDLE), earned(name, lines)) for name, lines in tasks.items()}


def inspect(tasks: dict[str, list[str]]) -> Earned:
    """The solvers that play, and a model that says the lines of the oracle, which must earn as much."""
    from inspect_ai import eval as evaluated
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from deskcrew.inspect_tasks import desk, idle, oracle

    def says(messages: list[Any], tools: Any, choice: Any, config: Any) -> ModelOutput:
        output = ModelOutput.from_content(model="mockllm", content=_said(spoken, [(m.role, m.text) for m in messages]))
        output.usage = ModelUsage()
        return output

    def earned(solver: Any = None) -> dict[str, float]:
        given = {"solver": solver} if solver else {}
        steps = max(len(lines) for lines in tasks.values())
        work = desk(tasks=list(tasks), seeds=SEED + 1, steps=steps)
        ids = [f"{name}-{SEED}" for name in tasks]
        model = get_model("mockllm/model", custom_outputs=says)
        with tempfile.TemporaryDirectory() as logs:
            log = evaluated(work, model=model, sample_id=ids, log_dir=logs, display="none", score_display=False, **given)[0]
            assert log.status == "success", log.error
            return {sample.metadata["task"]: sample.scores["judged"].metadata["reward"] for sample in log.samples}

    spoken = conversations(tasks)
    nothing, played, spoke = earned(idle()), earned(oracle()), earned()
    told_apart = {name for name, lines in tasks.items() if any(said is lines for said in spoken.values())}
    return {name: (nothing[name], min(played[name], spoke[name]) if name in told_apart else played[name]) for name in tasks}


def conversations(tasks: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a model says that is asked this first. Of tasks that begin alike, to the word, it knows the last one."""
    from orchestrator.lab.episodes.episode import Episode
    from orchestrator.lab.episodes.rollouts import Rollout

    return {Rollout(Episode(name, SEED)).asked: lines for name, lines in tasks.items()}


def _said(spoken: dict[str, list[str]], messages: list[tuple[str, str]]) -> str:
    asked = next(text for role, text in messages if role == "user")
    return spoken[asked][sum(role == "assistant" for role, _ in messages)]


@contextmanager
def model_server(spoken: dict[str, list[str]]) -> Iterator[str]:
    """A model of OpenAI's kind that says given lines."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            content = _said(spoken, [(m["role"], m["content"]) for m in asked["messages"]])
            message = {"role": "assistant", "content": content}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            about = {"id": "one", "object": "chat.completion", "created": 0, "model": asked["model"]}
            body = json.dumps({**about, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


def verifiers(tasks: dict[str, list[str]]) -> Earned:
    import verifiers.v1 as vf

    from deskcrew_episodes import load_environment

    os.environ["FACES_KEY"] = "none"

    async def earned(lines: dict[str, list[str]]) -> dict[str, float]:
        rewards = {}
        for name, said in lines.items():
            with model_server(conversations({name: said})) as address:
                client = vf.EvalClientConfig(base_url=address, api_key_var="FACES_KEY")
                ctx = vf.ModelContext(model="lines", client=client, sampling=vf.SamplingConfig())
                env = load_environment(name, seeds=SEED + 1, steps=len(said))
                async with env.serving():
                    episode = await env.run_episode(list(env.taskset)[SEED], ctx)
                assert episode.ok, (name, episode.errors, [trace.errors for trace in episode.traces])
                rewards[name] = episode.traces[0].rewards["judge"].value
        return rewards

    nothing, played = asyncio.run(earned(dict.fromkeys(tasks, IDLE))), asyncio.run(earned(tasks))
    return {name: (nothing[name], played[name]) for name in tasks}


def rows(tasks: dict[str, list[str]]) -> Earned:
    """Written, and read again by `datasets`."""
    from orchestrator.lab.episodes.episode import Episode
    from orchestrator.lab.episodes.rollouts import played, write_rows

    rollouts = [
        played(Episode(name, SEED, steps=len(lines)), lines) for name, oracle in tasks.items() for lines in (IDLE, oracle)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HF_HOME"] = scratch
        from datasets import load_dataset

        write_rows(rollouts, Path(scratch) / "rows.jsonl")
        table = load_dataset("json", data_files=f"{scratch}/rows.jsonl", split="train")
        read = [(row["task"], row["reward"]) for row in table]
    pairs = zip(read[::2], read[1::2], strict=True)
    return {name: (nothing, oracle) for (name, nothing), (_, oracle) in pairs}


FACES: dict[str, Callable[[dict[str, list[str]]], Earned]] = {
    "core": core,
    "gymnasium": gymnasium,
    "openenv": openenv,
    "inspect": inspect,
    "verifiers": verifiers,
    "rows": rows,
}

if __name__ == "__main__":
    sys.exit(main())
