"""`log.jsonl`: one InteractionStep a line, written as a stream and read as a stream."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from pydantic import ValidationError

from protocol.log.raw_lines import UnreadableLine, raw_lines
from protocol.log.versions import BadStep, Problem, parse_step
from protocol.model.steps import PROTOCOL_VERSION, InteractionStep

PARTIAL = ".part"
"""What the name of a file ends with that is not whole yet."""


@contextmanager
def whole_file(path: Path, *, errors: str = "strict", mode: int = 0o666) -> Iterator[IO[str]]:
    """A file to write; a reader sees the old text or the whole new one, also where power fails.

    It is written beside its place. Whoever made the folder may have laid a link there: nothing is written through one.
    """
    partial = path.with_name(path.name + PARTIAL)
    if partial.is_symlink():
        partial.unlink()
    try:
        with open(
            partial, "w", encoding="utf-8", errors=errors, newline="\n",
            opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), mode),
        ) as file:  # fmt: skip
            yield file
            file.flush()
            os.fsync(file.fileno())  # else failing power leaves the new name and no text
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, body: bytes, *, mode: int = 0o666) -> None:
    """The same for bytes."""
    partial = path.with_name(path.name + PARTIAL)
    if partial.is_symlink():
        partial.unlink()
    try:
        with open(partial, "wb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), mode)) as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


_CURRENT = f'"protocol_version":"{PROTOCOL_VERSION}"'.encode()


class LogLine(NamedTuple):
    """A line of a log: the step, or the reason why it cannot be read."""

    number: int
    step: InteractionStep | None
    error: str = ""
    problems: tuple[Problem, ...] = ()
    """Each with its JSON path; `error` says the first."""


def write_log(path: Path, steps: Iterable[InteractionStep]) -> int:
    """Write `steps` to `path` in one piece: a reader sees the old file or the whole new one. Returns the count."""
    count = 0
    with whole_file(path) as file:
        for count, step in enumerate(steps, start=1):  # noqa: B007 - the last count is the result
            file.write(step_json(step) + "\n")
    return count


def step_json(step: InteractionStep) -> str:
    """One line of a log, without its end."""
    body = step.model_dump_json(exclude_defaults=True, exclude={"protocol_version"})
    return f'{body[:-1]},"protocol_version":"{step.protocol_version}"}}'


def read_log(path: Path) -> Iterator[LogLine]:
    """Every line in order, constant memory. A bad or truncated line is reported and the rest is still read."""
    for number, line in enumerate(raw_lines(path), start=1):  # bytes: a line cut off inside a character must not end the reading
        if isinstance(line, UnreadableLine):
            yield _bad(number, Problem("$", line))
        elif line.strip():
            yield _read(number, line)


def _read(number: int, line: bytes) -> LogLine:
    if _CURRENT in line:
        try:
            return LogLine(number, InteractionStep.model_validate_json(line))
        except ValidationError:
            pass  # read again below, slowly, for the JSON path of what is wrong
    cut = "" if line.endswith(b"\n") else " (the line is cut off)"
    try:
        return LogLine(number, parse_step(json.loads(line.decode())))
    except BadStep as bad:
        return _bad(number, *bad.problems)
    except json.JSONDecodeError as bad:
        return _bad(number, Problem("$", f"not JSON: {bad.msg.removesuffix(' at')}, column {bad.colno}{cut}"))
    except UnicodeDecodeError as bad:
        return _bad(number, Problem("$", f"not UTF-8: byte {bad.start + 1} of the line{cut}"))
    except RecursionError:
        return _bad(number, Problem("$", f"cannot be read: it is nested too deeply{cut}"))
    except ValueError:
        return _bad(number, Problem("$", f"cannot be read: a number in it has thousands of digits{cut}"))


def _bad(number: int, *problems: Problem) -> LogLine:
    return LogLine(number, None, str(problems[0]), problems)
