"""What is shipped, as it stands in its files: read for lists and for completion, checked where it is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from orchestrator.settings.layers import shipped, shipped_names

TASK_COLUMNS = ("name", "tier", "world", "goal")
WORLD_COLUMNS = ("name", "form", "apps", "about")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""A hundred files in a tenth of the time, where the library was built with it."""


def tasks(part: str = "") -> list[dict[str, Any]]:
    """Every shipped task that has `part` in its name, world, kinds or goal."""
    return _having(part, (_task(name, data) for name, data in _read("tasks")))


def worlds(part: str = "") -> list[dict[str, Any]]:
    """Every shipped world that has `part` in its name, form, apps or purpose."""
    return _having(part, (_world(name, data) for name, data in _read("worlds")))


def _read(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in shipped_names(kind):
        path: Path = shipped(kind, f"{name}.yaml")
        yield name, yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe one


def _task(name: str, data: dict[str, Any]) -> dict[str, Any]:
    goal = " ".join(str(data["goal"]).split())
    return {
        "name": name,
        "tier": data.get("tier", 1),
        "world": data.get("world"),
        "kinds": data.get("kinds", []),
        "goal": goal,
        "about": data.get("about", ""),
    }


def _world(name: str, data: dict[str, Any]) -> dict[str, Any]:
    apps = data.get("apps") or {}
    return {"name": name, "form": data.get("form", "desktop"), "apps": list(apps), "about": data.get("about", "")}


def _having(part: str, found: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    wanted = part.casefold()
    return [one for one in found if any(wanted in str(value).casefold() for value in one.values())]
