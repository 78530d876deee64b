"""Folders of help pages in the index, kept up to date: changed files are read again, removed ones are dropped.

`<folder>/<app>/...` is about an app, `<folder>/*` about all. A file is known by its path, and read again only when its time or
size is otherwise; it counts as changed only when its content is.
"""

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from roles.knowledge.pages.documents import MAX_TEXT, MAX_TITLE, Document, DocumentKind
from roles.knowledge.pages.playbook import without_front_matter
from roles.knowledge.pages.visible_text import page_of
from roles.knowledge.store import KEPT, KnowledgeStore

MAX_BYTES = 200_000
"""Of one file; what is behind is not read."""
MAX_TAGS = 10_000
"""Of one page in HTML."""
ENDINGS = (".md", ".markdown", ".html", ".htm", ".json")


class UnreadablePage(Exception):
    """A file that is no help page; the message is one sentence."""


def read_page(path: Path, raw: bytes, *, id: str, source: str, app: str | None = None, kind: DocumentKind = "help") -> Document:
    """The page in a file. Raises UnreadablePage."""
    if path.suffix.casefold() == ".json":
        raise UnreadablePage(f"{path}: a help page is Markdown or HTML, and not JSON")
    title, text = _html(path, raw[:MAX_BYTES]) if path.suffix.casefold() in {".html", ".htm"} else _markdown(raw)
    if not text.strip():
        raise UnreadablePage(f"{path}: there is nothing in it to read")
    said = " ".join(title.split()) or path.stem.replace("-", " ").replace("_", " ")
    return Document(kind=kind, app=app, title=said[:MAX_TITLE], text=_whole_sections(text, len(raw)), source=source, id=id)


def _whole_sections(text: str, size: int) -> str:
    """Of a page that is too large the sections that are whole: half a procedure is worse than none."""
    if size <= MAX_BYTES and len(text) <= MAX_TEXT:
        return text
    kept = text[:MAX_TEXT]
    headings = list(_HEADING.finditer(kept))
    cut = headings[-1].start() if headings else kept.rfind("\n\n")
    return kept[:cut] if cut > 0 else kept


_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def _markdown(raw: bytes) -> tuple[str, str]:
    text = raw[:MAX_BYTES].decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    bare = without_front_matter(text)
    told = re.search(r"^title\s*[:=]\s*(.+?)\s*$", text[: len(text) - len(bare)], re.MULTILINE)
    heading = _HEADING.search(bare)
    if told and heading is None:
        title = told[1].strip("\"'")
        return title, f"# {title}\n\n{bare}"
    lined = re.search(r"^(\S[^\n]*)\n={3,}[ \t]*$", bare, re.MULTILINE)
    first = min((found for found in (heading, lined) if found), key=lambda found: found.start(), default=None)
    return first[1] if first else "", bare


def _html(path: Path, raw: bytes) -> tuple[str, str]:
    """What a reader would see, as Markdown: with its headings, steps, steps of steps, tables and notes."""
    if raw.count(b"<") > MAX_TAGS:
        raise UnreadablePage(f"{path}: it has more than {MAX_TAGS:,} tags")
    said = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", raw[:4096], re.IGNORECASE)
    try:
        return page_of(raw.decode(said[1].decode("ascii") if said else "utf-8-sig", "replace"))
    except LookupError:  # it names a writing that there is not
        return page_of(raw.decode("utf-8-sig", "replace"))


MAX_FILES = 200_000
"""Of one folder."""


class FolderSync(NamedTuple):
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
) -> FolderSync:
    """Bring the pages of a folder, or of one file, on this shelf up to date. `app` is said for all of them."""
    problems: list[str] = []
    files = list(_files(place, problems))
    rows = {row["path"]: row for row in store.read("SELECT * FROM files WHERE shelf = ?", (shelf,))}
    here = {str(file.path): file for file in files}
    new = [file for path, file in here.items() if _other(rows.get(path), file, kind, app, store, shelf)]
    gone = [path for path in rows if path not in here and Path(path).is_relative_to(place.resolve())]
    if not new and not gone:
        return FolderSync(unchanged=len(files), problems=tuple(problems))
    added: list[str] = []
    changed: list[str] = []
    with store.writing() as db:
        removed = [_forget(store, db, shelf, path) for path in gone]
        for file in new:
            try:
                id, was = _read(store, db, file, rows.get(str(file.path)), shelf, app, kind)
            except (UnreadablePage, OSError) as bad:
                problems.append(str(bad))
                if str(file.path) in rows:
                    removed.append(_forget(store, db, shelf, str(file.path)))
                continue
            if was != "same":
                (added if was == "new" else changed).append(id)
    done = len(added) + len(changed) + len(problems)
    return FolderSync(tuple(added), tuple(changed), tuple(removed), max(0, len(files) - done), tuple(problems))


def _other(row: sqlite3.Row | None, file: _File, kind: DocumentKind, app: str | None, store: KnowledgeStore, shelf: str) -> bool:
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
