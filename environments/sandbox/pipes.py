"""Reading from a process that may say anything, at any length, or never stop."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_CHUNK = 2**16
_GRACE = 5.0
"""Seconds for the kernel to clear away what was killed."""


class PipeOutput(NamedTuple):
    """What was kept of one pipe, and whether there was more."""

    data: bytes
    more: bool


def listen(process: subprocess.Popen[bytes], pipes: Mapping[int, int], timeout: float) -> tuple[dict[int, PipeOutput], bool]:
    """Read every pipe to its end, keeping at most so many bytes of each; after `timeout` seconds the process is killed.

    Returns what was kept, and whether time ran out. Memory is bounded whatever is written.
    """
    kept = {pipe: bytearray() for pipe in pipes}
    more = dict.fromkeys(pipes, False)
    deadline, late = time.monotonic() + timeout, False
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
    return {pipe: PipeOutput(bytes(kept[pipe]), more[pipe]) for pipe in pipes}, late


def _read(pipe: int) -> bytes | None:
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def heard(
    process: subprocess.Popen[bytes], most: int, timeout: float, also: Mapping[int, int] = MappingProxyType({})
) -> tuple[PipeOutput, PipeOutput, dict[int, PipeOutput], bool]:
    """What a process says on both streams and on the pipes `also`, and whether time ran out; it has ended by then."""
    assert process.stdout is not None  # noqa: S101 - it was asked for
    assert process.stderr is not None  # noqa: S101 - it was asked for
    with process.stdout as stdout, process.stderr as stderr:
        one, two = stdout.fileno(), stderr.fileno()
        try:
            said, late = listen(process, {one: most, two: most, **also}, timeout)
        finally:
            end(process)
            process.wait()
    return said[one], said[two], said, late


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its group. With a namespace of its own below it, everything in there goes with it."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
