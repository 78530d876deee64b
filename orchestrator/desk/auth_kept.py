"""The token of whoever started the server, kept between two starts, so that a page that is open goes on after a restart."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from orchestrator.errors import UsageProblem

FILE = "desk.token"
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{32,100}\n")


def kept_token(path: Path, *, new: bool = False) -> str:
    """The token that the file holds, or a new one in a file that nobody but its owner can read. Raises UsageProblem."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = None if new else _read(path)
        return held if held is not None else _write(path)
    except OSError as bad:
        raise UsageProblem(f"{path} cannot be used to keep the token ({bad.strerror}); name another with --token-file.") from None


def _read(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise UsageProblem(f"{path} may be read or written by others; make it yours alone (chmod 600), or use --new-token.")
        text = file.read(200)
    if _TOKEN.fullmatch(text) is None:
        raise UsageProblem(f"{path} holds no token; make another with --new-token, or name another file with --token-file.")
    return text.decode("ascii").strip()


def _write(path: Path) -> str:
    token = secrets.token_urlsafe(32)
    beside = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{token}\n")
        file.flush()
        os.fsync(descriptor)
    os.replace(beside, path)
    return token
