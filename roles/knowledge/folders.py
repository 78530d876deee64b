"""Folders of help pages in the index, kept up to date: changed files are read again, removed ones are dropped.

`<folder>/<app>/...` is about an app, `<folder>/*` about all. A file is known by its path, and read again only when its time or
size is otherwise; it counts as changed only when its content is.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from roles.knowledge.documents import DocumentKind
from roles.knowledge.reading import ENDINGS, MAX_BYTES, Unreadable, read_page
from roles.knowledge.store import KEPT, KnowledgeStore

MAX_FILES = 200_000
"""Of one folder."""


class Synced(NamedTuple):
    """What a look at a folder came to."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Ids of documents."""
    unchanged: int = 0
    problems: tuple[str, ...] = ()
    """Files that are no pages, a sentence each."""


class _File(NamedTuple):
    path: Path
    parts: tuple[str, ...]
    """Of its path within the folder."""
    mtime_ns: int
    size: int


def sync(
    store: KnowledgeStore, place: Path, *, shelf: str = KEPT, app: str | None = None, kind: DocumentKind = "help"
) -> Synced:
    """Bring the pages of a folder, or of one file, on this shelf up to date. `app` is said for all of them."""
    problems: list[str] = []
    files = list(_files(place, problems))
    rows = {row["path"]: row for row in store.read("SELECT * FROM files WHERE shelf = ?", (shelf,))}
    here = {str(file.path): file for file in files}
    new = [file for path, file in here.items() if _other(rows.get(path), file, kind, app, store, shelf)]
    gone = [path for path in rows if path not in here and Path(path).is_relative_to(place.resolve())]
    if not new and not gone:
        return Synced(unchanged=len(files), problems=tuple(problems))
    added: list[str] = []
    changed: list[str] = []
    with store.writing() as db:
        removed = [_forget(store, db, shelf, path) for path in gone]
        for file in new:
            try:
                id, was = _read(store, db, file, rows.get(str(file.path)), shelf, app, kind)
            except (Unreadable, OSError) as bad:
                problems.append(str(bad))
                if str(file.path) in rows:
                    removed.append(_forget(store, db, shelf, str(file.path)))
                continue
            if was != "same":
                (added if was == "new" else changed).append(id)
    done = len(added) + len(changed) + len(problems)
    return Synced(tuple(added), tuple(changed), tuple(removed), max(0, len(files) - done), tuple(problems))


def _other(
    row: sqlite3.Row | None, file: _File, kind: DocumentKind, app: str | None, store: KnowledgeStore, shelf: str
) -> bool:
    if row is None or (row["mtime_ns"], row["size"]) != (file.mtime_ns, file.size):
        return True
    if shelf != KEPT:
        return False
    known = store.get(row["id"], shelf=shelf)  # by hand, what is kept may be removed or said to be something else
    return known is None or known.kind != kind or (app is not None and known.app != app)


def _files(place: Path, problems: list[str]) -> Iterator[_File]:
    """The files that can be pages, in order; a link that leads out of the folder is left alone."""
    root = place.resolve()
    if root.is_file():
        yield from _file(root, (root.name,), problems)
        return
    count = 0
    for folder, names, found in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(found):
            path = Path(folder) / name
            if path.suffix.casefold() not in ENDINGS or name.startswith("."):
                continue
            if not Path(os.path.realpath(path)).is_relative_to(root):
                continue  # a link out of the folder would put a file of the user's before a model
            count += 1
            if count > MAX_FILES:
                problems.append(f"{place}: only the first {MAX_FILES:,} files are read")
                return
            yield from _file(path, path.relative_to(root).parts, problems)


def _file(path: Path, parts: tuple[str, ...], problems: list[str]) -> Iterator[_File]:
    try:
        stat = path.stat()
        if path.is_file():
            yield _File(path, parts, stat.st_mtime_ns, stat.st_size)
    except OSError as bad:
        problems.append(f"{path}: {bad.strerror or bad}")


def _read(
    store: KnowledgeStore,
    db: sqlite3.Connection,
    file: _File,
    row: sqlite3.Row | None,
    shelf: str,
    app: str | None,
    kind: DocumentKind,
) -> tuple[str, str]:
    """The id of the file's page, and whether it is `new`, `changed` or the `same`."""
    with file.path.open("rb") as opened:
        raw = opened.read(MAX_BYTES + 1)
    content = hashlib.blake2b(raw, digest_size=16).hexdigest()
    about = app or (file.parts[0] if len(file.parts) > 1 else None)
    source = f"{kind}:{'/'.join(file.parts)}"
    id = row["id"] if row is not None and row["id"].startswith(f"{kind}:") else _free(store, shelf, source)
    known = store.get(id, shelf=shelf)
    same = row is not None and row["hash"] == content and known is not None and (known.kind, known.app) == (kind, about)
    if not same:
        page = read_page(file.path, raw, id=id, source=source, app=about, kind=kind)
        if row is not None and row["id"] != id:
            store.remove(row["id"], shelf=shelf)
        store.add(page, shelf=shelf)
    db.execute(
        "INSERT OR REPLACE INTO files (shelf, path, mtime_ns, size, hash, id) VALUES (?, ?, ?, ?, ?, ?)",
        (shelf, str(file.path), file.mtime_ns, file.size, content, id),
    )
    return id, "same" if same else "changed" if row is not None and known is not None else "new"


def _free(store: KnowledgeStore, shelf: str, wanted: str) -> str:
    """`wanted`, or the same with a number where a page of another file has that id."""
    id, number = wanted, 1
    while store.get(id, shelf=shelf) is not None:
        number += 1
        id = f"{wanted}~{number}"
    return id


def _forget(store: KnowledgeStore, db: sqlite3.Connection, shelf: str, path: str) -> str:
    row = db.execute("SELECT id FROM files WHERE shelf = ? AND path = ?", (shelf, path)).fetchone()
    db.execute("DELETE FROM files WHERE shelf = ? AND path = ?", (shelf, path))
    store.remove(row["id"], shelf=shelf)
    return str(row["id"])
