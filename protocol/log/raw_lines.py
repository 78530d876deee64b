"""The lines of a file as bytes of UTF-8, whatever wrote it: with a mark in front, in UTF-16, or compressed by gzip.

Read as a stream: no line takes more than LONGEST_LINE, and a longer log takes no more memory.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

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
        body = self.read(len(buffer))
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
