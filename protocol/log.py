"""`log.jsonl`: one InteractionStep a line, written as a stream and read as a stream."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from protocol.steps import InteractionStep


class LogLine(NamedTuple):
    """A line of a log: the step, or the reason why it cannot be read."""

    number: int
    step: InteractionStep | None
    error: str = ""


def write_log(path: Path, steps: Iterable[InteractionStep]) -> int:
    """Write `steps` to `path` in one piece: a reader sees the old file or the whole new one. Returns the count."""
    partial = path.with_name(path.name + ".part")
    count = 0
    with partial.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for count, step in enumerate(steps, start=1):  # noqa: B007 - the last count is the result
            file.write(step.model_dump_json(exclude_defaults=True, exclude={"protocol_version"})[:-1])
            file.write(f',"protocol_version":"{step.protocol_version}"}}\n')
    os.replace(partial, path)
    return count


def read_log(path: Path) -> Iterator[LogLine]:
    """Every line in order, constant memory. A bad or truncated line is reported and the rest is still read."""
    with path.open("rb") as file:  # bytes: a line cut off inside a character must not end the reading
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                yield LogLine(number, InteractionStep.model_validate_json(line))
            except ValidationError as bad:
                first = bad.errors()[0]
                where = ".".join(str(part) for part in first["loc"]) or "line"
                cut = "" if line.endswith(b"\n") else " (the line is cut off)"
                yield LogLine(number, None, f"{where}: {first['msg']}{cut}")
