"""Databases of a run, opened by whoever does not work it. Imports nothing heavy, for lists of many runs."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote


def open_read_only(path: Path, patience: float = 5.0) -> sqlite3.Connection:
    """The database as it stands; nothing of it can be changed through this. `patience` are seconds to wait for whoever writes.
    Raises sqlite3.Error."""
    if not path.is_file() and path.exists():  # a pipe never ends
        raise sqlite3.OperationalError("it is not a file")
    asked = "mode=ro"
    if not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists():
        asked = "immutable=1"  # SQLite would put files beside it, which a medium that is only read does not take
    name = f"file:{quote(Path(os.path.abspath(path)).as_posix())}?{asked}"
    return sqlite3.connect(name, uri=True, timeout=patience, check_same_thread=False)


def row_of(path: Path, question: str, *values: str) -> tuple[Any, ...] | None:
    """The first row that answers; None where there is none, no such file, or one that cannot be read."""
    try:
        with closing(open_read_only(path)) as db:
            found: tuple[Any, ...] | None = db.execute(question, values).fetchone()
    except sqlite3.Error:
        return None
    return found
