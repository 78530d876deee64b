"""Commands and code of the documents, each in a process of its own that begins where the imports are done.

One process imports what nearly all of them need; for each it makes a fork of itself, which has its own folder, environment and
output, and ends as any Python does. So a document is worked as it is written, without a start of two seconds for each line.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import types
import warnings
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BOUND = 280
"""Seconds that one of them may take."""
NEEDED = (
    "cel", "orchestrator.settings.build", "orchestrator.cli", "orchestrator.cli.check", "orchestrator.cli.runs",
    "orchestrator.cli.tools.logs",
    "orchestrator.cli.run", "orchestrator.cli.view", "orchestrator.crew", "environments.simulated.desktop",
)  # fmt: skip
_SHELL = re.compile(r"[|&;<>`\n]")


class Warm:
    """The process that has imported what is needed, and what is asked of it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def code(self, text: str, folder: Path) -> tuple[int, str]:
        """`python -W error -c text`: its exit code, and all that it prints."""
        return self._done({"code": text}, folder, os.environ)

    def deskcrew(self, words: list[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
        """The command with these words: its exit code, and all that it prints."""
        return self._done({"words": words}, folder, environment)

    def line(self, command: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
        """A line of a shell. One that does more than to start `deskcrew` with words is a shell's own."""
        if command.startswith("deskcrew ") and not _SHELL.search(re.sub(r"\$\([^()]*\)|'[^']*'", "", command)):
            found = subprocess.run(
                ["bash", "-c", f"printf '%s\\0' {command}"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
            return self.deskcrew(found.stdout.split("\0")[1:-1], folder, environment)
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=BOUND,
        )  # fmt: skip
        return done.returncode, done.stdout

    def python(
        self, arguments: list[str], folder: Path, environment: Mapping[str, str], typed: str
    ) -> subprocess.CompletedProcess[str]:
        """What `python` does with these arguments: `-c` and a program, `-m` and a module, or a file."""
        with TemporaryDirectory() as place:
            streams = [str(Path(place, name)) for name in ("typed", "printed", "complained")]
            Path(streams[0]).write_text(typed, encoding="utf-8")
            code = self._code({"python": arguments}, folder, environment, streams)
            said = [Path(stream).read_text(encoding="utf-8") for stream in streams[1:]]
        return subprocess.CompletedProcess(arguments, code, *said)

    def _done(self, asked: dict[str, Any], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
        printed = folder.with_name(f"{folder.name}-printed")
        code = self._code(asked, folder, environment, [os.devnull, str(printed), ""])
        return code, printed.read_text(encoding="utf-8")

    def _code(self, asked: dict[str, Any], folder: Path, environment: Mapping[str, str], streams: list[str]) -> int:
        assert self._process.stdin
        assert self._process.stdout
        told = {**asked, "folder": str(folder), "environment": dict(environment), "streams": streams}
        print(json.dumps(told), file=self._process.stdin, flush=True)
        code = self._process.stdout.readline()
        assert code, "the process with the imports has ended; what it said stands above"
        return int(code)


def python(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run([sys.executable, *arguments], capture_output=True, text=True)`, without the start of a Python."""
    return shared().python([str(part) for part in arguments], cwd or Path.cwd(), os.environ if env is None else env, typed)


@functools.cache
def shared() -> Warm:
    """One for all tests of this process."""
    warm = Warm()
    atexit.register(warm.close)
    return warm


def _serve() -> None:
    """Fork for each line; the fork leaves through here too, with what it was asked for."""
    for needed in NEEDED:
        importlib.import_module(needed)
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    SimulatedDesktop(load_world("office")).cards()  # nearly every run begins with them, and every fork has them
    gc.freeze()
    while line := sys.stdin.readline():
        asked = json.loads(line)
        if not (fork := os.fork()):
            _become(asked)
            return
        print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)


def _become(asked: Mapping[str, Any]) -> None:
    signal.alarm(BOUND)
    typed, printed, complained = asked["streams"]
    os.dup2(os.open(typed, os.O_RDONLY), 0)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # what was read ahead of the old one is for others
    os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    os.dup2(os.open(complained, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) if complained else 1, 2)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    match asked:
        case {"code": text}:
            warnings.simplefilter("error")
            _program(text, main)
        case {"python": ["-c", text, *words]}:
            _program(text, main, *words)
        case {"python": ["-m", module, *words]}:
            sys.argv = ["-m", *words]
            sys.path[0] = asked["folder"]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case {"python": [path, *words]}:
            sys.argv = [path, *words]
            sys.path[0] = str(Path(path).parent)
            runpy.run_path(path, run_name="__main__")
        case _:
            from orchestrator.cli import main as deskcrew

            sys.argv = ["deskcrew", *asked["words"]]
            sys.path[0] = str(Path(sys.executable).parent)
            deskcrew()


def _program(text: str, main: types.ModuleType, *words: str) -> None:
    sys.argv = ["-c", *words]
    sys.path[0] = ""
    exec(compile(text, "<string>", "exec"), main.__dict__)


if __name__ == "__main__":
    _serve()
