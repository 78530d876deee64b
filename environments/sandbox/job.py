"""What goes into the sandbox and what comes out: a document each way, and no word of the second is trusted."""

import base64
import json
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from environments.sandbox.contract import LeftOut, SandboxLimits, ScriptResult

_CHUNK = 2**16
_GRACE = 5.0
"""Seconds for the kernel to clear away what was killed."""


class PipeOutput(NamedTuple):
    """What was kept of one pipe, and whether there was more."""

    data: bytes
    more: bool


def heard(process: subprocess.Popen[bytes], pipes: Mapping[int, int], timeout: float) -> tuple[list[PipeOutput], bool]:
    """Read every pipe to its end, keeping at most so many bytes of each; after `timeout` seconds the process is killed.

    Returns what was kept, and whether time ran out; the process has ended by then. Memory is bounded whatever is written.
    """
    kept = {pipe: bytearray() for pipe in pipes}
    more = dict.fromkeys(pipes, False)
    deadline, late = time.monotonic() + timeout, False
    try:
        with selectors.DefaultSelector() as waiting:
            for pipe in pipes:
                os.set_blocking(pipe, False)
                waiting.register(pipe, selectors.EVENT_READ)
            while waiting.get_map():
                ready = waiting.select(max(0.0, deadline - time.monotonic()))
                for key, _ in ready:
                    chunk = _read(key.fd)
                    if chunk == b"":
                        waiting.unregister(key.fd)
                    elif chunk:
                        room = pipes[key.fd] - len(kept[key.fd])
                        kept[key.fd] += chunk[:room]
                        more[key.fd] |= len(chunk) > room
                if time.monotonic() >= deadline:
                    if late:
                        break
                    late, deadline = True, time.monotonic() + _GRACE
                    end(process)
    finally:
        end(process)
        process.wait()
    return [PipeOutput(bytes(kept[pipe]), more[pipe]) for pipe in pipes], late


def _read(pipe: int) -> bytes | None:
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its group. With a namespace of its own below it, everything in there goes with it."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


WORK = "/workspace"
SCRIPT = "/tmp/script"  # noqa: S108 - inside, where /tmp is the script's own
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin")
"""Of the host, read-only, beside /usr: folders, or links into it."""
USEFUL = ("/etc/alternatives", "/etc/ld.so.cache")
"""Without the first, `awk` leads nowhere; without the second, starting a program is slow."""
INSIDE = Path(__file__).with_name("inside.py").read_text(encoding="utf-8")
"""What stands beside the script, as text."""
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": WORK,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
PACKAGES = "/etc/packages"
"""Where the folder of wheels is found inside."""
_INSTALLED = "/tmp/packages"  # noqa: S108 - inside
_INSTALLING = {
    "PIP_NO_INDEX": "1",
    "PIP_FIND_LINKS": PACKAGES,
    "PIP_TARGET": _INSTALLED,
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONPATH": _INSTALLED,
}
_TAKEN = frozenset({"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "tmp", "usr", "workspace"})
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,100}")


class _Answer(BaseModel):
    """What came back, as far as it has the form that it should have."""

    model_config = ConfigDict(extra="forbid", strict=True)

    exit_code: Annotated[int, Field(ge=0, le=255)]
    files: dict[str, str | None]
    folders: list[str]
    left_out: list[tuple[str, str]] = Field(strict=False)
    whole: bool


def job_of(
    script: str,
    runs: Sequence[str],
    files: Mapping[str, bytes],
    folders: Collection[str],
    limits: SandboxLimits,
    answer: int,
) -> bytes:
    """The document that goes in, on one line. `runs` are the words that run a script; the answer is written to a descriptor.

    Raises ValueError for a path that leads out of the work folder.
    """
    for path in (*files, *folders):
        if path.startswith("/") or "\0" in path or {"", ".", ".."} & set(path.split("/")):
            raise ValueError(f"{path!r} is not a path within the work folder")
    job: dict[str, Any] = {
        "work": WORK,
        "script": SCRIPT,
        "code": script,
        "command": [*runs, SCRIPT],
        "env": _ENVIRONMENT | (_INSTALLING if limits.packages else {}),
        "files": {path: base64.b64encode(body).decode("ascii") for path, body in files.items()},
        "folders": sorted(folders),
        "bytes": limits.work_bytes,
        "entries": limits.entries,
        "answer": answer,
    }
    return json.dumps(job).encode("ascii") + b"\n"


def at_the_top(paths: Iterable[str]) -> list[str]:
    """What lies at the top of the work folder and is found from the root too, as the world words it."""
    top = {path.split("/", 1)[0] for path in paths}
    return sorted(name for name in top if _PLAIN_NAME.fullmatch(name) and name not in _TAKEN)


def ran(
    returned: int, stdout: PipeOutput, stderr: PipeOutput, answer: PipeOutput, given: Mapping[str, bytes], late: bool
) -> ScriptResult:
    """The result, from streams that may hold anything."""
    said = ScriptResult(
        exit_code=128 - returned if returned < 0 else returned,
        stdout=stdout.data.decode("utf-8", "replace"),
        stderr=stderr.data.decode("utf-8", "replace"),
        timed_out=late,
        truncated=stdout.more or stderr.more,
    )
    if late or answer.more:
        return said
    try:
        found = _Answer.model_validate_json(answer.data)
        files = {
            path: given[path] if body is None else base64.b64decode(body, validate=True) for path, body in found.files.items()
        }
    except (ValidationError, ValueError, KeyError):
        return said
    # A path that leads anywhere else, or that is no text, was not made by what stands inside; it is left out all the same.
    good = {path for path in (*files, *found.folders) if _inner(path)}
    left = [LeftOut(path, why) for path, why in found.left_out]
    left += [LeftOut(path, "a name that is not text") for path in (*files, *found.folders) if path not in good]
    return said._replace(
        exit_code=found.exit_code,
        files={path: body for path, body in files.items() if path in good} if found.whole else None,
        folders=tuple(sorted(path for path in found.folders if path in good)),
        left_out=tuple(LeftOut(_shown(path), _shown(why)) for path, why in left),
    )


def _inner(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return not ({"", ".", ".."} & set(path.split("/")) or "\0" in path)


def _shown(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")[:500]
