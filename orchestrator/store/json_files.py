"""JSON files that are written in one piece, and JSON that somebody else may have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from protocol import JsonObject


def write_json(path: Path, data: Any, mode: int = 0o666) -> None:
    """In one piece: whoever reads it has the old text or the new one."""
    from protocol.log.log import whole_file

    text = json.dumps(data, indent=1, ensure_ascii=False, default=str) + "\n"
    with whole_file(path, errors="surrogatepass", mode=mode) as file:
        file.write(text)


def mapping_in(text: str | bytes | None) -> JsonObject | None:
    """The mapping that a text says; None for anything else."""
    try:
        value = json.loads(text or "")
    except (ValueError, TypeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
