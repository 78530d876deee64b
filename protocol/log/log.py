"""`log.jsonl`: one InteractionStep a line, written as a stream and read as a stream."""

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from pydantic import ValidationError

from protocol.log.versions import BadStep, Problem, json_of_line, parse_step
from protocol.model.steps import PROTOCOL_VERSION, InteractionStep

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; a longer line is reported and skipped, so that memory stays bounded."""
LARGEST_DOCUMENT = 256 * 1024 * 1024
"""Bytes of a file that is held in memory, unpacked."""
LARGEST_UNPACKED = 4 * 1024 * 1024 * 1024
"""Bytes that come out of a compressed file; more is what a small one was made for."""
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class UnreadableLine(str):
    """Why there is nothing where a line or a document should be."""

    __slots__ = ()


class _Bytes(Protocol):
    def read(self, most: int, /) -> bytes: ...

    def readline(self, most: int, /) -> bytes: ...


def raw_lines(path: Path) -> Iterator[bytes | UnreadableLine]:
    """Every line with its end, in order; a reason in the place of one that cannot be had. Raises OSError."""
    try:
        with _opened(path) as file:
            while line := file.readline(LONGEST_LINE):
                if len(line) < LONGEST_LINE or line.endswith(b"\n"):
                    yield line
                    continue
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield UnreadableLine(f"the line is longer than {LONGEST_LINE // 1024**2} MB")
    except (EOFError, zlib.error, gzip.BadGzipFile) as bad:
        yield _damaged(bad)


def whole_document(path: Path) -> bytes | UnreadableLine:
    """All of a file, or why it cannot be had. Raises OSError."""
    try:
        with _opened(path) as file:
            data = file.read(LARGEST_DOCUMENT + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as bad:
        return _damaged(bad)
    return data if len(data) <= LARGEST_DOCUMENT else UnreadableLine(f"it is larger than {LARGEST_DOCUMENT // 1024**2} MB")


def _damaged(bad: Exception) -> UnreadableLine:
    return UnreadableLine(f"the compressed file is cut off or damaged: {str(bad)[:80]}")


@contextmanager
def _opened(path: Path) -> Iterator[_Bytes]:
    with path.open("rb") as plain:
        file = plain
        if plain.peek(2)[:2] == _GZIP:
            file = io.BufferedReader(_Unpacked(fileobj=plain))
        head = file.peek(3)
        if head[:2] in _WIDE:
            file.read(2)
            yield _Narrow(file, _WIDE[head[:2]])
            return
        if head[:3] == _MARK:
            file.read(3)
        yield file


class _Unpacked(gzip.GzipFile):
    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # as io.BufferedReader calls it
        body = self.read1(len(buffer))  # `read` would lose what stands before the cut
        buffer[: len(body)] = body
        if self.tell() > LARGEST_UNPACKED:
            raise gzip.BadGzipFile(f"more than {LARGEST_UNPACKED // 1024**3} GB are in it")
        return len(body)


class _Narrow:
    """UTF-16 as UTF-8; what is no text there is U+FFFD here."""

    def __init__(self, file: io.BufferedReader, encoding: str) -> None:
        self._text = io.TextIOWrapper(file, encoding, errors="replace", newline="\n")

    def read(self, most: int, /) -> bytes:
        return self._text.read(most).encode("utf-8")

    def readline(self, most: int, /) -> bytes:
        return self._text.readline(most // 4).encode("utf-8")


PARTIAL = ".part"
"""What the name of a file ends with that is not whole yet."""


@contextmanager
def whole_file(path: Path, *, errors: str = "strict", mode: int = 0o666) -> Iterator[IO[str]]:
    """A file to write; a reader sees the old text or the whole new one, also where power fails.

    It is written beside its place. Whoever made the folder may have laid a link there: nothing is written through one.
    """
    with _whole(path, mode) as file, io.TextIOWrapper(file, "utf-8", errors, newline="\n") as text:
        yield text
        text.flush()
        os.fsync(file.fileno())  # else failing power leaves the new name and no text


def write_whole(path: Path, body: bytes, *, mode: int = 0o666) -> None:
    """The same for bytes."""
    with _whole(path, mode) as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _whole(path: Path, mode: int) -> Iterator[IO[bytes]]:
    partial = path.with_name(path.name + PARTIAL)
    if partial.is_symlink():
        partial.unlink()
    try:
        with open(partial, "wb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), mode)) as file:
            yield file
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


def bad_line(number: int, *problems: Problem) -> LogLine:
    """A line that cannot be read, and why."""
    return LogLine(number, None, str(problems[0]), problems)


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


def each_line(path: Path, meaning: Callable[[int, bytes], Iterator[LogLine]]) -> Iterator[LogLine]:
    """What every line that says something means, in order and in constant memory; a bad one is reported with its number, and the
    rest is still read."""
    for number, line in enumerate(raw_lines(path), start=1):  # bytes: a line cut off inside a character must not end the reading
        if isinstance(line, UnreadableLine):
            yield bad_line(number, Problem("$", line))
        elif line.strip():
            try:
                yield from meaning(number, line)
            except BadStep as bad:
                yield bad_line(number, *bad.problems)


def read_log(path: Path) -> Iterator[LogLine]:
    """Every line in order, constant memory. A bad or truncated line is reported and the rest is still read."""
    return each_line(path, _read)


def _read(number: int, line: bytes) -> Iterator[LogLine]:
    step: InteractionStep | None = None
    if _CURRENT in line:
        with suppress(ValidationError):  # read again below, slowly, for the JSON path of what is wrong
            step = InteractionStep.model_validate_json(line)
    as_written = step is not None and step_json(step).encode() == line.rstrip(b"\r\n")  # another line may say a key twice
    yield LogLine(number, step if step and as_written else parse_step(json_of_line(line)))
