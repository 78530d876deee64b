"""Python processes of tests, each of which begins where the imports are done.

One process imports what nearly all of them need; for each it makes a fork of itself, which has its own folder, environment and
streams, and ends as any Python does. So a process is worked as it is written, without a start of two seconds for each.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import re
import runpy
import select
import signal
import socket
import subprocess
import sys
import types
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import Any

BOUND = 280
"""Seconds that one of them may take."""
NEEDED = (
    "cel", "orchestrator.settings.build", "orchestrator.cli", "orchestrator.cli.check", "orchestrator.cli.runs",
    "orchestrator.cli.tools.logs", "orchestrator.desk.app", "orchestrator.desk.routes.start",
    "orchestrator.cli.run", "orchestrator.cli.view", "orchestrator.crew", "environments.simulated.desktop", "uvicorn",
)  # fmt: skip
_SHELL = re.compile(r"[|&;<>`\n]")


class Warm:
    """The process that has imported what is needed."""

    def __init__(self) -> None:
        self._door, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            command = [sys.executable, __file__, str(there.fileno())]
            self._process = subprocess.Popen(command, stdin=DEVNULL, stdout=DEVNULL, pass_fds=[there.fileno()])

    def close(self) -> None:
        self._door.close()
        self._process.wait()

    def fork(self, asked: Mapping[str, Any], streams: Sequence[int]) -> int:
        """A process with these streams; gives where its id is to be read, and its exit code as soon as it has ended."""
        heard, tells = os.pipe()
        try:
            socket.send_fds(self._door, [json.dumps(asked).encode("utf-8", "surrogatepass")], [*streams, tells])
        finally:
            os.close(tells)
        return heard


class Forked(subprocess.Popen[Any]):
    """As `subprocess.Popen([sys.executable, *arguments])`, without the start of a Python; `deskcrew` first is the command."""

    _heard: Any = None

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any, env: Any, startupinfo: Any,
        creationflags: Any, shell: Any, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int, errread: int, errwrite: int,
        restore_signals: Any, gid: Any, gids: Any, uid: Any, umask: Any, start_new_session: bool, *more: Any,
    ) -> None:  # fmt: skip
        words = [os.fsdecode(word) for word in args]
        asked = {
            "words": words[1:] if words[0] == sys.executable else words,
            "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
            "session": start_new_session,
        }
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            streams = [given if given != -1 else usual for given, usual in ((p2cread, nothing), (c2pwrite, 1), (errwrite, 2))]
            self._heard = os.fdopen(shared().fork(asked, streams))
            self.pid = int(self._heard.readline())
            self._child_created = True
        finally:
            os.close(nothing)
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                self._listen(0)
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None and not self._listen(timeout):
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return int(self.returncode)

    def _listen(self, seconds: float | None) -> bool:
        """Whether it has ended by then."""
        if self.returncode is None and select.select([self._heard], [], [], seconds)[0]:
            self.returncode = int(self._heard.readline())
            self._heard.close()
        return self.returncode is not None


def python(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run([sys.executable, *arguments], capture_output=True, text=True)`, without the start of a Python."""
    with Forked(arguments, cwd=cwd, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as process:
        said = process.communicate(typed)
    return subprocess.CompletedProcess(arguments, process.returncode, *said)


def line(command: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """A line of a shell, and its exit code and all that it prints. More than `deskcrew` with words is a shell's own."""
    given: dict[str, Any] = {"cwd": folder, "env": environment, "stdin": DEVNULL, "stdout": PIPE, "text": True}
    if not command.startswith("deskcrew ") or _SHELL.search(re.sub(r"\$\([^()]*\)|'[^']*'", "", command)):
        done = subprocess.run(["bash", "-c", command], **given, stderr=STDOUT, timeout=BOUND)
        return done.returncode, str(done.stdout)
    found = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], **given, check=True)
    with Forked(found.stdout.split("\0")[:-1], **given, stderr=STDOUT) as process:
        printed = process.communicate()[0]
    return process.returncode, printed


@functools.cache
def shared() -> Warm:
    """One for all tests of this process."""
    warm = Warm()
    atexit.register(warm.close)
    return warm


def _serve(door: socket.socket) -> None:
    """Fork for each that is asked for; the fork leaves through here too, with what it was asked for."""
    for needed in NEEDED:
        importlib.import_module(needed)
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    SimulatedDesktop(load_world("office")).cards()  # nearly every run begins with them, and every fork has them
    gc.freeze()
    signal.signal(signal.SIGCHLD, _reaped)
    while True:
        text, streams, *_ = socket.recv_fds(door, 1 << 20, 4)
        if not text:
            return
        if not os.fork():
            door.close()
            _wait_for(json.loads(text), *streams)
            return
        for stream in streams:
            os.close(stream)


def _reaped(*_: object) -> None:
    """Nobody else waits for those that wait for a process; waited for, their CPU time counts as that of the tests."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _wait_for(asked: Mapping[str, Any], typed: int, printed: int, complained: int, tells: int) -> None:
    """Tell the id of the process that is asked for, and how it ended; that process leaves through here."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if not (process := os.fork()):
        os.close(tells)
        _become(asked, typed, printed, complained)
        return
    for stream in (typed, printed, complained):
        os.close(stream)
    os.write(tells, f"{process}\n".encode())
    os.write(tells, f"{os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])}\n".encode())
    os._exit(0)


def _become(asked: Mapping[str, Any], *streams: int) -> None:
    signal.alarm(BOUND)
    if asked["session"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    words = asked["words"]
    if words[:2] == ["-W", "error"]:
        warnings.simplefilter("error")
        words = words[2:]
    match words:
        case ["-c", text, *more]:
            sys.argv = ["-c", *more]
            sys.path[0] = ""
            exec(compile(text, "<string>", "exec"), main.__dict__)
        case ["-m", module, *more] | ["-P", "-m", module, *more]:
            sys.argv = ["-m", *more]
            sys.path[0] = asked["folder"]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["deskcrew", *more]:
            from orchestrator.cli import main as deskcrew

            sys.argv = ["deskcrew", *more]
            sys.path[0] = str(Path(sys.executable).parent)
            deskcrew()
        case [path, *more]:
            sys.argv = [path, *more]
            sys.path[0] = str(Path(path).parent)
            runpy.run_path(path, run_name="__main__")


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
