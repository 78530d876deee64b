"""From what somebody asks for to what is worked: the same in the server, which checks it, and in the process that works it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from orchestrator.desk.acting_orders import Begin
from orchestrator.documents import Source, checked
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.layers import looks_like_path, override_layer, shipped_names
from orchestrator.plans import PlanFile, plan_of
from orchestrator.settings import Loaded, load_settings
from orchestrator.tasks import Task, resolve_target
from roles.plans import GivenPlan

_SERVERS_OWN = (
    "runs_dir", "display", "store", "help_dirs*", "tools*", "skills.mcp*", "skills.installed*", "browser.executable",
    "knowledge.store", "knowledge.online.*", "memory.answers_file", "crew.*script", "crew.*prompt", "crew.*base_url",
    "crew.*key_env",
)  # fmt: skip
"""Keys that name programs to start, places of the machine that the server is on, or where its keys are sent."""
_NAMES = ("world", "policies", "safety", "safety.preset")
"""Keys that name something shipped; a path there would be one of the server's machine."""


def target_of(order: Begin) -> Task | str:
    """The task, or the goal in words. Raises UsageProblem."""
    if bool(order.goal.strip()) == bool(order.task):
        raise UsageProblem("Say either a goal in words, or the task that is to be worked.")
    if isinstance(order.task, dict):
        _refuse_places(_leaves({**order.task.get("settings", {}), **_spoken(order.task)}))
        return checked(Task, order.task, lambda path: Source("the task"))
    if not order.task:
        return order.goal
    names = shipped_names("tasks")
    if order.task not in names:
        raise UsageProblem(f"There is no task {order.task!r} here{did_you_mean(order.task, names)}")
    return resolve_target(order.task)


def loaded(order: Begin, target: Task | str) -> Loaded:
    """The settings of the run: those of the server, of the task, and what was asked for. Raises UsageProblem."""
    for text in order.overrides:
        _refuse_places(_leaves(override_layer(text).data))
    fixed = [as_override("runs_dir", str(order.runs_dir.resolve())), "display=none"]
    return load_settings(order.config, [*order.overrides, *fixed], target.layer() if isinstance(target, Task) else None)


def plan_given(order: Begin) -> PlanFile | None:
    """The plan that came with it. Raises UsageProblem."""
    if order.plan is None:
        return None
    name = f"the plan of {order.who}" if order.who else "the plan"
    given = checked(GivenPlan, order.plan, lambda path: Source(f"{name}, {'.'.join(map(str, path))}" if path else name))
    return plan_of(given.whole(), name)


def as_override(key: str, value: Any) -> str:
    """`KEY=VALUE`, as the command line has it."""
    return f"{key}={json.dumps(value, ensure_ascii=True)}"


def _spoken(task: Mapping[str, Any]) -> dict[str, Any]:
    return {key: task[key] for key in ("world", "safety") if key in task}


def _leaves(data: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{at}.{key}" if at else str(key))
    else:
        yield at, data


def _refuse_places(leaves: Iterable[tuple[str, Any]]) -> None:
    """Raises UsageProblem for what would reach into the server's machine."""
    for key, value in leaves:
        if any(fnmatchcase(key, pattern) for pattern in _SERVERS_OWN):
            raise UsageProblem(f"{key} is the server's own; set it where the server is started.")
        if key in _NAMES and isinstance(value, str) and looks_like_path(value):
            raise UsageProblem(f"{key}: {value[:100]!r} is a path, and only what the server ships can be named.")
