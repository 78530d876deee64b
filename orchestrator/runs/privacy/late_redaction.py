"""A private value that was recognised late: written as a plain word of the goal, and known for what it is once it was typed.

When the run has ended, what was written before that is written over with references.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from orchestrator.runs.open_run import OpenRun
from orchestrator.runs.privacy.secrets import redactor_of
from orchestrator.store.json_files import write_json
from roles.journal.rows import TEXTS
from roles.journal.transcripts import PICTURE, WITHDRAWN


def recognised_late(run: OpenRun) -> bool:
    """Whether the goal, as it was written down, holds a value that is known to be private by now."""
    return redactor_of(run.context.journal).vault.finds(str(run.record["goal"]))


def scrub(run: OpenRun) -> None:
    """Write references over the value in `run.json` and in the journal; to be done before the report is written."""
    vault, path = redactor_of(run.context.journal).vault, run.folder / "journal.sqlite"
    run.record.update(vault.sealed(run.record))
    write_json(run.folder / "run.json", run.record)
    run.context.journal.commit()
    if path.exists():
        _rewrite(path, vault.seal)
    else:
        run.context.journal.rows.write_over(lambda old: _sealed(old, vault.seal))


def forget_checkpoints(run: OpenRun) -> None:
    """Nobody resumes a run that has ended, and its checkpoints hold the goal as it was written."""
    run.saver.give_up(run.record["run_id"])
    path = run.folder / "checkpoints.sqlite"
    if not path.exists():
        return
    with closing(_opened(path)) as db:
        for table in ("checkpoints", "writes"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed names
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _opened(path: Path) -> sqlite3.Connection:
    """What is deleted or written over is overwritten with zeros."""
    db = sqlite3.connect(path, isolation_level=None, timeout=20)
    db.execute("PRAGMA secure_delete=ON")
    return db


def _rewrite(path: Path, seal: Callable[[str], str]) -> None:
    with closing(_opened(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        for table, (key, *columns) in TEXTS.items():
            for number, *said in db.execute(f"SELECT {key}, {', '.join(columns)} FROM {table}").fetchall():  # noqa: S608
                for column, old in zip(columns, said, strict=True):
                    if (new := _sealed(old, seal)) != old:
                        db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, number))  # noqa: S608
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _sealed(old: str | bytes | None, seal: Callable[[str], str]) -> str | bytes | None:
    if isinstance(old, bytes):
        body = zlib.decompress(old).decode("utf-8", "surrogatepass")
        if body.startswith(PICTURE):  # nobody can tell whether the value is on it
            return zlib.compress(WITHDRAWN.encode(), 1)
        return old if (new := seal(body)) == body else zlib.compress(new.encode("utf-8", "surrogatepass"), 1)
    return old if old is None else seal(old)
