"""Files that appear under their names only once they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PARTIAL = ".part"
"""What the name of a file ends with that is not whole yet."""


@contextmanager
def whole_file(path: Path, *, errors: str = "strict", mode: int = 0o666) -> Iterator[IO[str]]:
    """A file to write; a reader sees the old text or the whole new one, also where power fails.

    It is written beside its place. Whoever made the folder may have laid a link there: nothing is written through one.
    """
    partial = path.with_name(path.name + PARTIAL)
    if partial.is_symlink():
        partial.unlink()
    try:
        with open(
            partial, "w", encoding="utf-8", errors=errors, newline="\n",
            opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), mode),
        ) as file:  # fmt: skip
            yield file
            file.flush()
            os.fsync(file.fileno())  # else failing power leaves the new name and no text
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, body: bytes, *, mode: int = 0o666) -> None:
    """The same for bytes."""
    partial = path.with_name(path.name + PARTIAL)
    if partial.is_symlink():
        partial.unlink()
    try:
        with open(partial, "wb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), mode)) as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
