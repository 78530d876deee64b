"""What is shipped, as it stands in its files: read for lists and for completion, checked where it is used."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from typing_extensions import TypedDict

from orchestrator.settings.layers import shipped, shipped_names

TASK_COLUMNS = ("name", "tier", "plan", "world", "goal")
WORLD_COLUMNS = ("name", "form", "apps", "about")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""A hundred files in a tenth of the time, where the library was built with it."""


class ShippedTask(TypedDict):
    """A task in a list."""

    name: str
    tier: int
    plan: str
    """`given` where it ships with its plan."""
    world: str | None
    kinds: list[str]
    goal: str
    about: str


class ShippedWorld(TypedDict):
    """A world in a list."""

    name: str
    form: str
    apps: list[str]
    about: str


_Shipped = TypeVar("_Shipped", ShippedTask, ShippedWorld)


def tasks(part: str = "") -> list[ShippedTask]:
    """Every shipped task that has `part` in its name, world, kinds or goal."""
    return _having(
        part,
        (
            ShippedTask(
                name=name, tier=data.get("tier", 1), plan="given" if data.get("plan") else "", world=data.get("world"),
                kinds=data.get("kinds", []), goal=" ".join(str(data["goal"]).split()), about=data.get("about", ""),
            )
            for name, data in _read("tasks")
        ),
    )  # fmt: skip


def worlds(part: str = "") -> list[ShippedWorld]:
    """Every shipped world that has `part` in its name, form, apps or purpose."""
    return _having(
        part,
        (
            ShippedWorld(
                name=name, form=data.get("form", "desktop"), apps=list(data.get("apps") or {}), about=data.get("about", "")
            )
            for name, data in _read("worlds")
        ),
    )


def _read(kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in shipped_names(kind):
        path: Path = shipped(kind, f"{name}.yaml")
        yield name, yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe one


def _having(part: str, found: Iterator[_Shipped]) -> list[_Shipped]:
    wanted = part.casefold()
    return [one for one in found if any(wanted in str(value).casefold() for value in one.values())]
