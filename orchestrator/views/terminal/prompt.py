"""A line that a person types, waited for together with what others do meanwhile: whoever is first is heard."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from getpass import getpass
from typing import IO

try:
    import termios
except ImportError:  # no such terminals there: what others do is heard when something was typed
    termios = None  # type: ignore[assignment]

_LOOKS_AGAIN = 0.3
"""Seconds between two looks at what others have done."""


class RequestSettled(Exception):
    """What is asked needs no answer from here any more; the text says why, in a few words."""


_ELSEWHERE: ContextVar[Callable[[], str] | None] = ContextVar("settled_elsewhere", default=None)


@contextmanager
def settled_by(look: Callable[[], str]) -> Iterator[None]:
    """While somebody is asked here, `look` says what others have done that settles it; nothing as long as they have not."""
    before = _ELSEWHERE.set(look)
    try:
        yield
    finally:
        _ELSEWHERE.reset(before)


def forget_typed() -> None:
    """What was typed before something was asked is no answer to it."""
    if _is_terminal(sys.stdin):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def typed(prompt: str, out: IO[str] | None = None, *, hidden: bool = False) -> str:
    """The line. Raises EOFError at the end of input, and RequestSettled."""
    source, out = sys.stdin, out or sys.stdout
    if not _is_terminal(source):
        return getpass(prompt) if hidden else input(prompt)
    out.write(prompt)
    out.flush()
    with _unseen(source) if hidden else nullcontext():
        _wait(source, out)
        line = source.readline()
    if hidden:
        out.write("\n")
    if not line:
        raise EOFError
    return line.rstrip("\n")


def typed_unseen(prompt: str) -> str:
    """The same, and nothing of it is shown."""
    return typed(prompt, hidden=True)


def _wait(source: IO[str], out: IO[str]) -> None:
    """Until a line is there: a terminal gives none before it is whole."""
    look = _ELSEWHERE.get()
    while not select.select([source], [], [], _LOOKS_AGAIN if look else None)[0]:
        if look and (said := look()):
            forget_typed()  # half a line for this question must not answer the next one
            out.write("\n")
            raise RequestSettled(said)


@contextmanager
def _unseen(source: IO[str]) -> Iterator[None]:
    before = termios.tcgetattr(source.fileno())
    silent = [*before]
    silent[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(source.fileno(), termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(source.fileno(), termios.TCSAFLUSH, before)


def _is_terminal(source: IO[str]) -> bool:
    try:
        return termios is not None and source.isatty() and source.fileno() >= 0
    except (OSError, ValueError, AttributeError):
        return False
