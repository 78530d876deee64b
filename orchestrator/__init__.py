"""The orchestrator. Its names for users are those of `deskcrew`; scripts of theirs take these two from here."""

from importlib import import_module
from typing import Any

_HOMES = {"Crew": "orchestrator.crew", "UsageProblem": "orchestrator.errors"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'orchestrator' has no attribute {name!r}; take it from deskcrew")
    return getattr(import_module(_HOMES[name]), name)
