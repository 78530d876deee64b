"""The orchestrator. Its names for users are those of `deskcrew`; from here they can still be imported as before."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    # By name, because nothing here may depend on what stands above.
    if name not in import_module("deskcrew").__all__:
        raise AttributeError(f"module 'orchestrator' has no attribute {name!r}")
    return getattr(import_module("deskcrew"), name)
