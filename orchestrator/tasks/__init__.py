"""Task files: goals with worlds, limits and conditions; the judge, the oracle, and the checks of such files."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    # Scripts of users say `from orchestrator.tasks import Task`; loaded then, so that the package costs nothing to import.
    if name not in {"Task", "load_task"}:
        raise AttributeError(f"module 'orchestrator.tasks' has no attribute {name!r}")
    return getattr(import_module("orchestrator.tasks.tasks"), name)
