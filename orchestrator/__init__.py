"""The orchestrator: `from orchestrator import Crew`. Names are loaded when they are used, so that the command is quick."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.control.handle import RunControl
    from orchestrator.core.controller import build_controller
    from orchestrator.crew import Crew
    from orchestrator.errors import UsageProblem
    from orchestrator.runs.runs import Outcome, list_runs, resume, show_run, start
    from orchestrator.settings.settings import load_settings
    from orchestrator.tasks.tasks import Task, load_task

__all__ = [
    "Crew",
    "Outcome",
    "RunControl",
    "Task",
    "UsageProblem",
    "build_controller",
    "list_runs",
    "load_settings",
    "load_task",
    "resume",
    "show_run",
    "start",
]

_HOME = {
    "Crew": "crew",
    "Outcome": "runs.runs",
    "RunControl": "control.handle",
    "Task": "tasks.tasks",
    "UsageProblem": "errors",
    "build_controller": "core.controller",
    "list_runs": "runs.runs",
    "load_settings": "settings.settings",
    "load_task": "tasks.tasks",
    "resume": "runs.runs",
    "show_run": "runs.runs",
    "start": "runs.runs",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'orchestrator' has no attribute {name!r}")
    return getattr(import_module(f"orchestrator.{_HOME[name]}"), name)
