"""`deskcrew task check` and `deskcrew world check`: what is wrong with a file, said without running a crew."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from environments.contract import WorldError
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.worldfile import load_world
from orchestrator.build import make_environment
from orchestrator.errors import UsageProblem
from orchestrator.judge import Verdict, judge
from orchestrator.judging.changes import parts_of
from orchestrator.settings import load_settings, shipped_names
from orchestrator.tasks import Task, fill_goal, fill_slots, resolve_target

SEEDS = 5


class Checked(NamedTuple):
    """A file and what is wrong with it; nothing wrong is an empty list."""

    name: str
    problems: list[str]
    says: str = ""
    """What a good one comes to: the goal of its first seed, or what the world shows at first."""


def check_tasks(words: Sequence[str], seeds: int = SEEDS) -> Iterator[Checked]:
    """Each task, or every shipped one: it loads, its slots have values, its conditions name what the world has."""
    return (_checked(word, partial(_task, word, seeds)) for word in words or shipped_names("tasks"))


def check_worlds(words: Sequence[str], seeds: int = SEEDS) -> Iterator[Checked]:
    """Each world, or every shipped one: it loads, and begins the same way twice for each seed."""
    return (_checked(word, partial(_world, word, seeds)) for word in words or shipped_names("worlds"))


def _checked(name: str, work: Callable[[], tuple[list[str], str]]) -> Checked:
    try:
        problems, says = work()
    except (UsageProblem, WorldError) as bad:
        return Checked(name, [str(bad)])
    return Checked(name, list(dict.fromkeys(problems)), says)


def _task(word: str, seeds: int) -> tuple[list[str], str]:
    task = resolve_target(word)
    if not isinstance(task, Task):
        raise UsageProblem(f"{word!r} is a goal in words; name a task file or a shipped task.")
    problems: list[str] = []
    goals = []
    for seed in range(seeds):
        settings = load_settings(overrides=[f"seed={seed}"], task_layer=task.layer()).settings
        environment = make_environment(settings)
        try:
            environment.reset(seed=seed)
            world = environment.world() if isinstance(environment, SimulatedDesktop) else {}
        finally:
            environment.close()
        slots = fill_slots(task, world, seed)
        goals.append(fill_goal(task, slots))
        problems += _untouched(task, world, slots, seed)
    return problems, goals[0] if goals else ""


def _untouched(task: Task, world: dict[str, Any], slots: dict[str, Any], seed: int) -> Iterator[str]:
    """What the conditions make of a world in which nothing was done."""
    verdict = judge(task, world, world, slots, [], {"status": task.outcome, "plans": 1, "reason": "", "steps": 0})
    for key, expression, error in _evaluated(verdict):
        if error:
            yield f"seed {seed}: {key}: {expression!r} cannot be evaluated on the world as it begins: {error}"
    for mine in verdict.minefields:
        if not mine.passed and not mine.error:
            yield f"seed {seed}: {mine.expression!r} holds before anything was done"
    for pattern in task.changes or ():
        if missing := _nowhere(pattern, world, slots):
            yield f"seed {seed}: changes: {pattern!r} leads nowhere; the world has no {missing!r}"
    if verdict.passed and task.outcome == "fulfilled":
        yield f"seed {seed}: every condition holds before anything was done; a crew that does nothing would pass"
    if verdict.progress == 1:
        yield f"seed {seed}: every checkpoint is reached before anything was done"


def _evaluated(verdict: Verdict) -> Iterator[tuple[str, str, str]]:
    """Every condition with the key that it stands under."""
    for check in verdict.checks:
        yield "never" if check in verdict.minefields else "success", check.expression, check.error
    for point in verdict.checkpoints:
        yield f"checkpoints.{point.name}", "when", point.error


def _nowhere(pattern: str, world: dict[str, Any], slots: dict[str, Any]) -> str:
    """The app, or the field of an app, that a pattern means and the world does not have."""
    inside: Any = world.get("apps", {})
    for part in parts_of(pattern, slots)[1:3]:
        fits = fnmatch.filter(inside, part)
        if not fits:
            return part
        inside = {key: None for name in fits for key in inside[name] or ()}
    return ""


def _world(word: str, seeds: int) -> tuple[list[str], str]:
    problems: list[str] = []
    says = ""
    for seed in range(seeds):
        one, other = (SimulatedDesktop(load_world(word), seed=seed) for _ in range(2))
        if one.state_hash() != other.state_hash():
            problems.append(f"seed {seed}: it begins in another state each time")
        seen = one.observe()
        says = says or f"{', '.join(app.app for app in one.apps())}; {len(seen.elements)} elements at first"
        one.close()
        other.close()
    return problems, says
