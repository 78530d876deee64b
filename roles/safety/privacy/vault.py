"""The vault of a run: private values under names. Everywhere else stands a reference, `<secret>password</secret>`.

A name is bound to one value for good: another value gets another name, so an action that holds a reference means one text only.
UnknownSecret       a reference to a value that is not in the vault, or not any more
SecretTaken         a name that is bound to another value
"""

import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from roles.safety.privacy.vault_shapes import REFERENCE, finder_of

FILE = "vault.jsonl"
_LOOKS_LIKE_ONE = re.compile(r"<(\s*/?\s*secret\s*)>", re.IGNORECASE)
_PLAIN = re.compile(r"[\w@.+:=][\w@.+:=-]*(?: [\w@.+:=][\w@.+:=-]*)*")
_LONGEST_NAME = 32
_MOST_ALIKE = 16


class UnknownSecret(LookupError):
    """One sentence that names the value and how it can be given."""


class SecretTaken(ValueError):
    """One sentence that names the value."""


def reference(name: str) -> str:
    """What stands for the value of this name."""
    return f"<secret>{name}</secret>"


def references_in(text: str) -> list[str]:
    """The names that `text` refers to, each once, in order."""
    return list(dict.fromkeys(REFERENCE.findall(text)))


def is_reference(text: str) -> bool:
    """Whether `text` is one reference and nothing else."""
    return REFERENCE.fullmatch(text.strip()) is not None


def disarmed(text: str) -> str:
    """A text from outside, in which nothing can be taken for a reference."""
    return _LOOKS_LIKE_ONE.sub(r"‹\1›", text) if "<" in text else text


def name_of(label: str) -> str:
    """A label as the name of a value: `Card number` becomes `card_number`."""
    return re.sub(r"[^a-z0-9]+", "_", label.casefold()).strip("_")[:_LONGEST_NAME].strip("_") or "value"


class Vault:
    """Keeps the values in memory and, where it is given a path, in a file that only its owner can read.

    A line is appended for each value before anything refers to it; a line that failing power cut off is no line.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._key = secrets.token_bytes(16)
        self._values: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._gone: set[str] = set()
        self._read = 0
        """How much of the file is known."""
        self._finder = finder_of({})
        self._refresh()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def names(self) -> list[str]:
        """What there is a value for."""
        return list(self._values)

    @property
    def known(self) -> dict[str, str]:
        """The values by name, for whoever works the run again."""
        return dict(self._values)

    @property
    def gone(self) -> list[str]:
        """Names whose values went when the run had ended, and that were not given again."""
        return sorted(self._gone - self._values.keys())

    def keep(self, value: str, label: str) -> str:
        """Put a value in, under a name made of the label, and return its reference. One that is in has its name already."""
        if is_reference(value):
            return value.strip()
        value = self.reveal(value) if REFERENCE.search(value) else value
        if value in self._names:
            return reference(self._names[value])
        with self._locked():  # by now another process may have put it in
            known = self._names.get(value)
            return reference(known if known is not None else self._bind(self._free(name_of(label)), value))

    def give(self, name: str, value: str) -> str:
        """Bind exactly this name, as a person gave it. Raises SecretTaken where it has another value."""
        if REFERENCE.fullmatch(reference(name)) is None:
            raise SecretTaken(f"{name[:60]!r} is not a valid name for a private value: small letters, digits and _, at most 40")
        if not value:
            raise SecretTaken(f"the private value {name} is empty")
        with self._locked():
            held = self._values.get(name)
            if held is not None and held != value:
                raise SecretTaken(f"the private value {name} is another one in this run; give the new one another name")
            if held is None:
                self._bind(name, value)
        return reference(name)

    def _free(self, name: str) -> str:
        number, free = 1, name
        while free in self._values or free in self._gone:
            number += 1
            free = f"{name}_{number}"
        return free

    def _bind(self, name: str, value: str) -> str:
        self._append({"name": name, "value": value})
        self._values[name] = value
        self._names.setdefault(value, name)
        self._finder = finder_of(self._values)
        return name

    def seal(self, text: str) -> str:
        """`text` with the reference in place of every value that is long enough to be told from other words."""
        if self._finder is None:
            return text
        return self._finder.replaced(text, reference, self._like)

    def _like(self, name: str, found: str) -> str:
        """A value of its own, so that a reference means exactly this text; of very many that are alike, the one they are like."""
        many = sum(known.startswith(name) for known in self._values) > _MOST_ALIKE
        return reference(name) if many else self.keep(found, name)

    def sealed(self, value: Any) -> Any:
        """`value` (JSON) with every text sealed, keys as well."""
        return value if self._finder is None else each(value, self.seal)

    def finds(self, text: str) -> bool:
        """Whether a value stands in `text`, written plainly or as URLs, HTML, JSON and base64 write it."""
        return self._finder is not None and self._finder.finds(text)

    def reveal(self, text: str) -> str:
        """`text` with values in place of references. Raises UnknownSecret."""
        return REFERENCE.sub(lambda match: self._value(match[1]), text)

    def reveal_plain(self, code: str) -> str:
        """As `reveal`, inside of a script. Raises ValueError for a value with signs that a shell or Python would read."""
        for name in references_in(code):
            if _PLAIN.fullmatch(self._value(name)) is None:
                raise ValueError(f"the private value {name!r} holds signs that a script would read as its own; type it instead")
        return self.reveal(code)

    def revealed(self, value: Any) -> Any:
        """`value` (JSON) with every text revealed."""
        return each(value, self.reveal)

    def as_known(self, value: Any) -> Any:
        """As `revealed`; a reference whose value is not known stays as it is."""
        return each(value, lambda text: REFERENCE.sub(lambda match: self._values.get(match[1], match[0]), text))

    def alike(self, value: Any) -> Any:
        """`value` (JSON) written as a screen shows it now: what was learned since it was sealed is referred to as well."""
        return value if self._finder is None else self.sealed(self.as_known(value))

    def bound(self, digest: str, names: Iterable[str]) -> str:
        """The digest of an action with the values that it refers to, under the key of this run."""
        said = json.dumps([digest, [[name, self._values.get(name)] for name in names]])
        return hmac.new(self._key, said.encode(), hashlib.blake2b).hexdigest()[:24]

    def _value(self, name: str) -> str:
        if name not in self._values:
            self._refresh()
        if name in self._values:
            return self._values[name]
        known = f"; known are {', '.join(self._values)}" if self._values else ""
        raise UnknownSecret(f"the private value {name!r} is not known here{known}; a person can give it with --secret {name}")

    def empty(self) -> None:
        """The run has ended: the values and the key are written over. The names stay, so that it can be said what is missing."""
        names = [*self._values, *self.gone]
        self._values.clear()
        self._names.clear()
        self._finder, self._key, self._gone = None, secrets.token_bytes(16), set(names)
        if self._path is None or not self._path.exists():
            return
        with self._path.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            file.write(b" " * size)
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            file.truncate()
            file.write(_line({"gone": names}))
            file.flush()
            os.fsync(file.fileno())
            self._read = file.tell()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Nobody else changes the file meanwhile, and all that stands in it is known."""
        if self._path is None:
            yield
            return
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._refresh()
            yield
        finally:
            os.close(descriptor)

    def _refresh(self) -> None:
        """Take in what was appended since the file was read."""
        if self._path is None or not self._path.is_file():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            body = file.read()
        lines = body[: body.rfind(b"\n") + 1] or (body if _entry(body) else b"")
        for line in lines.splitlines():
            self._take(_entry(line))
        if lines:
            self._read += len(lines)
            self._finder = finder_of(self._values)

    def _take(self, entry: Mapping[str, Any]) -> None:
        if "key" in entry:
            self._key = bytes.fromhex(entry["key"])
        elif "gone" in entry:
            self._gone = set(entry["gone"])
        elif "name" in entry:
            self._values[entry["name"]] = entry["value"]
            self._names.setdefault(entry["value"], entry["name"])

    def _append(self, entry: Mapping[str, Any]) -> None:
        """A line more, on the disk; a line that was cut off before it stays one of its own."""
        if self._path is None:
            return
        with self._path.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            torn = b"\n" if size > self._read else b""
            first = b"" if self._values else _line({"key": self._key.hex()})
            file.write(torn + first + _line(entry))
            file.flush()
            os.fsync(file.fileno())
            self._read = file.tell()


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _entry(line: bytes) -> dict[str, Any]:
    """A line of the file; nothing where it is damaged: what is missing is asked for when it is needed."""
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    wanted = {"key": str, "gone": list, "name": str, "value": str}
    if not isinstance(entry, dict) or any(not isinstance(entry.get(key, kind()), kind) for key, kind in wanted.items()):
        return {}
    return entry if "name" not in entry or "value" in entry else {}


def each(value: Any, change: Callable[[str], str]) -> Any:
    """`value` (JSON) with every text changed, keys as well."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key) if isinstance(key, str) else key: each(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [each(item, change) for item in value]
    return value
