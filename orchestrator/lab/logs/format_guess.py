"""What a log may be that was taken for something else: named in the sentence that refuses it, and never read unasked.

The same words may mean different places in two dialects, so whoever knows where the file is from has to say it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from protocol.dialects import NAMES as DIALECTS
from protocol.dialects import Context, DialectError
from protocol.exports import NAMES as FORMATS
from protocol.exports import FormatError, format_named
from protocol.exports.training.spoken import read_spoken
from protocol.log.log import LogLine

_LARGEST = 8_000_000
"""Bytes of a file that is looked at."""
_LINES = 20
_ENOUGH = 0.75
"""Of the lines: every log may have some that nobody understands."""


def advice(path: Path) -> str:
    """What to do about a log that cannot be read as what it was taken for."""
    found = readable_as(path)
    if not found:
        return "see what --from takes: deskcrew log formats"
    said = " or ".join(f"--from {name}" for name in found[:3])
    return f"it can be read with {said}; all that --from takes: deskcrew log formats"


def readable_as(path: Path) -> list[str]:
    """The formats and dialects in which nearly every one of the first lines can be read, the most telling first."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return []
    except OSError:
        return []
    ways: list[tuple[str, Callable[[], Iterator[LogLine]]]] = []
    for name in FORMATS:
        read = format_named(name).read
        if read is not None:
            ways.append((name, lambda read=read: read(path).lines))  # type: ignore[misc]
    ways += [(name, lambda name=name: read_spoken(name, path, Context()).lines) for name in DIALECTS]  # type: ignore[misc]
    counted = {name: _read(lines) for name, lines in ways}
    fits = [name for name, (share, _) in counted.items() if share >= _ENOUGH]
    return sorted(fits, key=lambda name: counted[name], reverse=True)


def _read(lines: Callable[[], Iterator[LogLine]]) -> tuple[float, int]:
    """Which share of the first lines can be read, and how many."""
    try:
        found = list(islice(lines(), _LINES))
    except (FormatError, DialectError, OSError):
        return 0.0, 0
    count = sum(line.step is not None for line in found)
    return count / max(1, len(found)), count
