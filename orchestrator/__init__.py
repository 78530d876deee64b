"""The orchestrator, and where each name for users is: `deskcrew` has them from here. A name is loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOMES = {
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


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'orchestrator' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
