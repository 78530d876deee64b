"""Settings as they are merged, with their sources; and what is shipped: tasks and presets of policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query

from orchestrator.desk.auth import Viewer
from orchestrator.desk.desk import Desk, TheDesk
from orchestrator.desk.routes.start import as_override
from orchestrator.settings.build import report_presets
from orchestrator.settings.layers import shipped_names
from orchestrator.settings.settings import LoadedSettings, load_settings, show_config
from orchestrator.tasks import shipped
from orchestrator.tasks.shipped import ShippedTask
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import Frozen
from roles.safety.privacy.redaction import MASK

router = APIRouter(prefix="/api", tags=["settings"])
_PRIVATE = frozenset({"env", "headers", "api_key", "token", "password", "secret"})
"""Keys whose values are for the server alone; names of environment variables are not such."""


class Setting(Frozen):
    """A key, its value and where it was set: a file and its line, the command line, or built in."""

    key: str
    value: Any
    source: str


class SettingRows(Frozen):
    settings: tuple[Setting, ...]


class Tasks(Frozen):
    tasks: tuple[ShippedTask, ...]


class Preset(Frozen):
    """Who decides for each role."""

    name: str
    about: str
    policies: dict[str, str]
    safety: str
    wrong: tuple[str, ...]
    lacking: tuple[str, ...]
    """What has to be installed or given on the server's machine before a run."""


class Presets(Frozen):
    presets: tuple[Preset, ...]


@router.get("/settings")
def settings(
    desk: TheDesk, visitor: Viewer, preset: Annotated[str, Query()] = "", task: Annotated[str, Query()] = ""
) -> SettingRows:
    """As a run would have them."""
    found = settings_of(desk, preset, task)
    rows = show_config(found)
    return SettingRows(
        settings=tuple(
            Setting(key=row.key, value=_shown(row.value, row.key.rpartition(".")[2]), source=row.source)
            for row in rows
            if not _PRIVATE & set(row.key.split("."))
        )
    )


@router.get("/tasks")
def tasks(visitor: Viewer) -> Tasks:
    """What is shipped."""
    return Tasks(tasks=tuple(shipped.tasks()))


@router.get("/presets")
def presets(visitor: Viewer) -> Presets:
    """What is shipped, and what it lacks on this machine."""
    found = (
        Preset(name=p.name, about=p.about, policies=p.policies, safety=p.safety, wrong=tuple(p.wrong), lacking=tuple(p.lacking))
        for p in report_presets()
    )
    return Presets(presets=tuple(found))


def settings_of(desk: Desk, preset: str = "", task: str = "") -> LoadedSettings:
    """Raises UsageProblem, and HTTPException for a name that is not there."""
    layer = None
    if preset and preset not in shipped_names("policies"):
        raise HTTPException(404, f"There is no preset {preset[:100]!r}; see /api/presets.")
    if task:
        if task not in shipped_names("tasks"):
            raise HTTPException(404, f"There is no task {task[:100]!r}; see /api/tasks.")
        found = resolve_target(task)
        layer = found.layer() if isinstance(found, Task) else None
    given = [as_override("runs_dir", str(desk.runs_dir.resolve()))]
    return load_settings(desk.config, [*given, *([as_override("policies", preset)] if preset else [])], layer)


def _shown(value: Any, key: str) -> Any:
    """Without what is for the server alone."""
    if key in _PRIVATE and value:
        return MASK
    if isinstance(value, Mapping):
        return {name: _shown(part, str(name)) for name, part in value.items()}
    return [_shown(part, "") for part in value] if isinstance(value, list | tuple) else value
