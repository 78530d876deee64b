"""The public API: `from deskcrew import Crew, Outcome, Task, Environment`. A name is loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from environments.check import check_environment as check_environment
    from environments.contract import Environment as Environment
    from orchestrator.core.controller import build_controller as build_controller
    from orchestrator.crew import Crew as Crew
    from orchestrator.desk.client import runs_at as runs_at
    from orchestrator.desk.client.handle import RunHandle as RunHandle
    from orchestrator.errors import UsageProblem as UsageProblem
    from orchestrator.lab.episodes.episode import Episode as Episode
    from orchestrator.lab.testing.run import CrewRun as CrewRun
    from orchestrator.lab.testing.stage import Stage as Stage
    from orchestrator.runs.folders import list_runs as list_runs
    from orchestrator.runs.folders import show_run as show_run
    from orchestrator.runs.handle import RunControl as RunControl
    from orchestrator.runs.outcome import Outcome as Outcome
    from orchestrator.runs.runs import resume as resume
    from orchestrator.runs.runs import start as start
    from orchestrator.settings.settings import load_settings as load_settings
    from orchestrator.tasks.tasks import Task as Task
    from orchestrator.tasks.tasks import load_task as load_task
    from orchestrator.tasks.tasks import resolve_target as resolve_target

_HOMES = {
    "Crew": "orchestrator.crew",
    "CrewRun": "orchestrator.lab.testing.run",
    "Episode": "orchestrator.lab.episodes.episode",
    "Environment": "environments.contract",
    "Outcome": "orchestrator.runs.outcome",
    "RunControl": "orchestrator.runs.handle",
    "RunHandle": "orchestrator.desk.client.handle",
    "Stage": "orchestrator.lab.testing.stage",
    "Task": "orchestrator.tasks.tasks",
    "UsageProblem": "orchestrator.errors",
    "build_controller": "orchestrator.core.controller",
    "check_environment": "environments.check",
    "list_runs": "orchestrator.runs.folders",
    "load_settings": "orchestrator.settings.settings",
    "load_task": "orchestrator.tasks.tasks",
    "resolve_target": "orchestrator.tasks.tasks",
    "resume": "orchestrator.runs.runs",
    "runs_at": "orchestrator.desk.client",
    "show_run": "orchestrator.runs.folders",
    "start": "orchestrator.runs.runs",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'deskcrew' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
