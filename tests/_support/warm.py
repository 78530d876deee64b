"""Commands and code of the documents, each in a process of its own that begins where the imports are done.

One process imports what nearly all of them need; for each it makes a fork of itself, which has its own folder, environment and
output, and ends as any Python does. So a document is worked as it is written, without a start of two seconds for each line.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import types
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BOUND = 240
"""Seconds that one of them may take."""
NEEDED = (
    "cel", "orchestrator.settings.build", "orchestrator.cli", "orchestrator.cli.check", "orchestrator.cli.runs",
    "orchestrator.lab.logs.cli",
    "orchestrator.cli.run", "orchestrator.cli.view",
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

    def _done(self, asked: dict[str, Any], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
        assert self._process.stdin
        assert self._process.stdout
        printed = folder.with_name(f"{folder.name}-printed")
        print(
            json.dumps({**asked, "folder": str(folder), "environment": dict(environment), "printed": str(printed)}),
            file=self._process.stdin, flush=True,
        )  # fmt: skip
        code = self._process.stdout.readline()
        assert code, "the process with the imports has ended; what it said stands above"
        return int(code), printed.read_text(encoding="utf-8")


def _serve() -> None:
    """Fork for each line; the fork leaves through here too, with what it was asked for."""
    for needed in NEEDED:
        importlib.import_module(needed)
    while line := sys.stdin.readline():
        asked = json.loads(line)
        if not (fork := os.fork()):
            _become(asked)
            return
        print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)


def _become(asked: Mapping[str, Any]) -> None:
    signal.alarm(BOUND)
    printed = os.open(asked["printed"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, handle in enumerate((nothing, printed, printed)):
        os.dup2(handle, number)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if "code" in asked:
        sys.argv = ["-c"]
        sys.path[0] = ""
        warnings.simplefilter("error")
        exec(compile(asked["code"], "<string>", "exec"), main.__dict__)
    else:
        from orchestrator.cli import main as deskcrew

        sys.argv = ["deskcrew", *asked["words"]]
        sys.path[0] = str(Path(sys.executable).parent)
        deskcrew()


if __name__ == "__main__":
    _serve()
