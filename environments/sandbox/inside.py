"""What stands inside the sandbox beside the script: puts the files there, runs the script, gives the files back.

Only its text is used: it is run by another Python, which may be older and has nothing of deskcrew. The job comes on stdin,
one line of JSON; the answer goes out as another, on a descriptor that the job names. Whoever reads it must not trust a word.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import signal
import stat
import subprocess
import sys
from typing import Any

_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
"""The number of that system call."""
_JOIN_SESSION_KEYRING = 1
"""A new one, without a name: the user's own may hold tickets and keys of disks."""


def main() -> None:
    job = json.loads(sys.stdin.buffer.readline())
    # What is handed down from whoever started this and no namespace takes away
    if call := _KEYCTL.get(os.uname().machine):
        ctypes.CDLL(None).syscall(call, _JOIN_SESSION_KEYRING, None)
    given = {path: base64.b64decode(body) for path, body in job["files"].items()}
    os.chdir(job["work"])
    for folder in job["folders"]:
        os.makedirs(folder, exist_ok=True)
    for path, body in given.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(body)
    with open(job["script"], "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(job["code"])
    done = subprocess.run(job["command"], stdin=subprocess.DEVNULL, env=job["env"], check=False)  # noqa: S603 - here is where it may
    left_behind()
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    answer: dict[str, Any] = {"exit_code": code, "files": {}, "folders": [], "left_out": [], "whole": False}
    gather(answer, given, job)
    with os.fdopen(job["answer"], "wb", closefd=False) as out:
        out.write(json.dumps(answer).encode("ascii") + b"\n")


def left_behind() -> None:
    """End whatever the script started and left, so that the folder no longer changes."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def gather(answer: dict[str, Any], given: dict[str, bytes], job: dict[str, Any]) -> None:
    """Every regular file below the work folder. No link is followed, and an unchanged file is only named."""
    room, left, waiting = job["bytes"], job["entries"], [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
        except OSError as bad:
            answer["left_out"].append([folder, bad.strerror])
            continue
        for entry in entries:
            path = entry.name if not folder else folder + "/" + entry.name
            left -= 1
            if left < 0 or room < 0:
                return
            if not is_text(path):
                answer["left_out"].append([ascii(path), "a name that is not text"])
                continue
            if entry.is_dir(follow_symlinks=False):
                answer["folders"].append(path)
                waiting.append(path)
                continue
            body = content(path, room)
            if isinstance(body, str):
                answer["left_out"].append([path, body])
            elif given.get(path) == body:
                answer["files"][path] = None
            else:
                room -= len(body)
                answer["files"][path] = base64.b64encode(body).decode("ascii")
    answer["whole"] = room >= 0


def is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def content(path: str, most: int) -> bytes | str:
    """What a regular file holds, or why it is not taken."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as bad:
        return "a symbolic link" if os.path.islink(path) else str(bad.strerror)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return "not a regular file"
        return file.read(most + 1)


if __name__ == "__main__":
    main()
