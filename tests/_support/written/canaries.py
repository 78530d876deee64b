"""Looking for private values in everything that a run leaves behind, in whatever writing."""

import base64
import html
import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, quote_plus

from roles.journal.rows import screen_text

VAULT = "vault.jsonl"
THE_WORLDS_OWN = ("world.", "faults.")
"""Files that are the simulated apps' own database."""
SHORT = 6
"""A shorter value is looked for where texts stand, not in pages and compressed bytes, in which it may turn up by chance."""


def found_in(folder: Path, canaries: Iterable[str]) -> list[str]:
    """`file: value` for every value that stands in a file which is neither the vault nor the world's own."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != VAULT and not path.name.startswith(THE_WORLDS_OWN):
            texts = list(_texts(path))
            found += [f"{path.relative_to(folder)}: {value}" for value in canaries if any(_holds(text, value) for text in texts)]
            raw = path.read_bytes()
            found += [f"{path.relative_to(folder)} (bytes): {v}" for v in canaries if len(v) >= SHORT and _holds(raw, v)]
    return found


def in_text(text: str, canaries: Iterable[str]) -> list[str]:
    return [value for value in canaries if _holds(text.encode("utf-8", "surrogatepass"), value)]


def _holds(body: bytes, value: str) -> bool:
    if len(value) < SHORT:
        return re.search(rb"(?<![\w.])" + re.escape(value.encode()) + rb"(?![\w.])", body) is not None
    return any(writing in body for writing in _writings(value))


def _writings(value: str) -> Iterator[bytes]:
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        yield value.encode(encoding)
    body = value.encode()
    for text in (quote(value), quote(value, safe=""), quote_plus(value), html.escape(value), json.dumps(value)[1:-1], body.hex()):
        yield text.encode()
    for skipped in range(3):  # base64 of a longer text that holds it, wherever it begins
        inner = base64.b64encode(b"\0" * skipped + body).rstrip(b"=")
        yield inner[-(-skipped * 8 // 6) : len(inner) - 1]
    yield "".join(sign for sign in value if sign.isdigit()).encode() if re.fullmatch(r"[+\d ().-]+", value) else body


def _texts(path: Path) -> Iterator[bytes]:
    """What can be read in a file: of a database every value of every row, of what was compressed what it was."""
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if "observations" in names:
                yield from (screen_text(db, row) for (row,) in db.execute("SELECT row FROM observations").fetchall())
            for name in names:
                for row in db.execute(f'SELECT * FROM "{name}"'):
                    yield from map(_plain, row)
    elif path.suffix not in {".sqlite-wal", ".sqlite-shm", ".png"}:
        yield path.read_bytes()


def _plain(value: object) -> bytes:
    if not isinstance(value, bytes):
        return str(value).encode("utf-8", "surrogatepass")
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value
