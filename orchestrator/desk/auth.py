"""Who asks: names and roles by their tokens, and what a role may do."""

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import Depends, HTTPException, Request
from pydantic import Field, TypeAdapter, ValidationError

from environments.files.yaml_lines import KeyPath, nearest_line
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import read_private, shown
from protocol import Frozen

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
            raise UsageProblem(f"{path} can be read or written by others; restrict it (chmod 600), or use --new-token.")
        text = file.read(200)
    if _TOKEN.fullmatch(text) is None:
        raise UsageProblem(f"{path} contains no token; create one with --new-token, or name another file with --token-file.")
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


class Refused(HTTPException):
    """Somebody asks for what is not theirs to have: answered in a sentence, and written down."""


Role = Literal["view", "approve", "operate"]
_RANK: dict[Role, int] = {"view": 0, "approve": 1, "operate": 2}
_MAY: dict[Role, str] = {"view": "look", "approve": "answer for people", "operate": "start and change runs"}


class Caller(NamedTuple):
    """Somebody who was let in."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        return _RANK[self.role] >= _RANK[role]


class Person(Frozen):
    """A line of a file of tokens."""

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
    role: Role
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Of the token; the token itself is in no file of the server's."""


class Tokens:
    """Everybody who may come in."""

    def __init__(self, people: Sequence[Person]) -> None:
        """Raises UsageProblem where two have one name."""
        names = [person.name for person in people]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageProblem(f"There are two tokens of {twice!r}; approvals record names, so give each person another name.")
        self._people = [(bytes.fromhex(person.sha256), Caller(person.name, person.role)) for person in people]

    def known(self, token: str) -> Caller | None:
        """Whose token that is."""
        given = hashlib.sha256(token.encode()).digest()
        found = [visitor for digest, visitor in self._people if secrets.compare_digest(digest, given)]
        return found[0] if found else None


def person_of(name: str, role: Role, token: str) -> Person:
    return Person(name=name, role=role, sha256=hashlib.sha256(token.encode()).hexdigest())


def read_people(path: Path) -> list[Person]:
    """The people of a YAML file: a list of name, role and sha256. Raises UsageProblem, which repeats no word of the file:
    somebody may have written a token into it."""
    said, lines = read_private(path, "file of tokens")
    try:
        return TypeAdapter(list[Person]).validate_python(said)
    except ValidationError as bad:
        raise UsageProblem(_wrong_in(bad, lines, shown(path))) from None


def _wrong_in(bad: ValidationError, lines: dict[KeyPath, int], name: str) -> str:
    first = bad.errors(include_input=False)[0]
    line, key = nearest_line(lines, first["loc"]), first["loc"][-1:]
    place = name if line is None else f"{name}, line {line}"
    if first["type"] == "extra_forbidden":
        return f"{place}: unknown key; a person has name, role and sha256, and the token itself is not stored."
    what = f"{key[0]}: " if key and isinstance(key[0], str) else ""
    return f"{place}: {what}{first['msg']}; give a list of name, role, sha256."


def visitor_of(request: Request) -> Caller:
    """Whoever asks; the guard let nobody else in."""
    found: Any = request.scope["visitor"]
    assert isinstance(found, Caller)  # noqa: S101 - an invariant of the guard
    return found


def require(caller: Caller, role: Role) -> Caller:
    """Raises Refused where the role of the caller is less."""
    if not caller.may(role):
        raise Refused(403, f"{caller.name} has the role {caller.role}, which may not {_MAY[role]}.")
    return caller


def _at_least(role: Role) -> Callable[[Request], Caller]:
    def check(request: Request) -> Caller:
        return require(visitor_of(request), role)

    return check


Viewer = Annotated[Caller, Depends(_at_least("view"))]
Approver = Annotated[Caller, Depends(_at_least("approve"))]
Operator = Annotated[Caller, Depends(_at_least("operate"))]
"""As the type of a parameter: whoever asks, refused where their role is less."""
