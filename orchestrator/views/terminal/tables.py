"""Tables in plain text: columns by the width that characters have in a terminal, cut where it ends."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from orchestrator.store.printable import clean

NARROW = 80
GAP = 2
_LEAST = 6
"""A column that has room for less says nothing."""


def table(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Columns as wide as their widest cell; wide characters count two. Where `width` is less than that, the widest columns
    give way, never the first one, by which a row is named."""
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    if width is not None:
        _give_way(widths, width)
    lines = []
    for row in rows:
        cells = [_cut(cell, room) for cell, room in zip(row, widths, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join(lines)


def cells(data: Mapping[str, Any], columns: Sequence[str], limit: int = 300) -> tuple[str, ...]:
    """A row of what is listed as data; lists are joined by commas."""
    values = (data.get(name) for name in columns)
    return tuple(clean(", ".join(map(str, v)) if isinstance(v, list | tuple) else "" if v is None else v, limit) for v in values)


def width_of_terminal() -> int | None:
    """How wide the terminal is that is printed to. None for pipes and files, in which nothing is cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _give_way(widths: list[int], width: int) -> None:
    too_much = sum(widths) + GAP * (len(widths) - 1) - width
    while too_much > 0:
        widest = max(range(1, len(widths)), key=widths.__getitem__, default=0)
        if widest == 0 or widths[widest] <= _LEAST:
            return
        widths[widest] -= 1
        too_much -= 1


def _cut(cell: str, room: int) -> str:
    return set_cell_size(cell, room) if cell_len(cell) <= room else set_cell_size(cell, max(room - 1, 0)) + "…"
