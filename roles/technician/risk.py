"""Whether a script is run at all, read from its text: a class for each command, as data for the safety policy.

What it does to files is no matter of its text: the change that the sandbox brings back is reviewed. The wall is the sandbox; a
text that hides what it does is of the worst class.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class RiskClass(StrEnum):
    """From harmless to whatever it likes."""

    FILES = "files"
    """Reads and changes the copy of the user's files, and nothing else."""
    PROCESS = "process"
    """Reaches other processes, or leaves some behind."""
    OUTSIDE = "outside"
    """Names a path outside of the user's files."""
    NETWORK = "network"
    PRIVILEGE = "privilege"
    """Wants other rights."""
    OBFUSCATED = "obfuscated"
    """It cannot be told: put together while it runs, another language, an unknown command, or no valid text at all."""


ORDER = tuple(RiskClass)
_LONGEST = 20_000
_SYSTEM = frozenset({"etc", "usr", "bin", "sbin", "lib", "lib32", "lib64", "proc", "sys", "dev", "boot", "root", "run", "var"})
_STREAMS = frozenset(f"/dev/{name}" for name in ("null", "zero", "random", "urandom", "stdin", "stdout", "stderr"))


class Risk(NamedTuple):
    """One command and its class. `line` counts from 1."""

    kind: RiskClass
    what: str
    line: int = 1
    why: str = ""

    def describe(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"line {self.line}: {self.kind.value}: {self.what}{why}"


@lru_cache(maxsize=64)
def risks_of(language: str, code: str) -> tuple[Risk, ...]:
    """A risk for each command of a script in `bash` or `python`, in the order of the text."""
    if hidden := _hidden(code):
        return (Risk(RiskClass.OBFUSCATED, hidden),)
    if language == "bash":
        from roles.technician.risk_bash import bash_risks  # its parser is an extra

        return tuple(bash_risks(code))
    from roles.technician.risk_python import python_risks

    return tuple(python_risks(code))


def worst(risks: Iterable[Risk]) -> RiskClass:
    """The worst class of them."""
    return max((risk.kind for risk in risks), key=ORDER.index, default=RiskClass.FILES)


def of_path(path: str) -> RiskClass | None:
    """The class of a path that leads out of the user's files; None for one that does not."""
    if path in _STREAMS:
        return None
    if path.startswith(("/dev/tcp", "/dev/udp")):
        return RiskClass.NETWORK
    depth = 0
    parts = [part for part in path.split("/") if part not in {"", "."}]
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return RiskClass.OUTSIDE
    if path.startswith("/") and parts and parts[0] in _SYSTEM:
        return RiskClass.OUTSIDE
    return RiskClass.OUTSIDE if path.startswith("~") and path[1:2] not in {"", "/"} else None


def short(text: str) -> str:
    """A command on one line, as it is shown."""
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:119]}…"


def _hidden(code: str) -> str:
    """Why the text cannot be read as it would be run, or nothing."""
    if len(code) > _LONGEST:
        return f"it is longer than {_LONGEST} characters, too long to be reviewed"
    for char in code:
        if char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            return f"it holds a character that cannot be seen (U+{ord(char):04X})"
    return ""
