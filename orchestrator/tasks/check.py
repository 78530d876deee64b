"""`deskcrew task check` and `deskcrew world check`: what is wrong with a file, said without running a crew."""

import fnmatch
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from environments.contract import Environment, WorldError
from environments.files.wrong_data import did_you_mean
from environments.files.yaml_lines import KeyPath
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import shipped_names
from orchestrator.settings.settings import load_settings, varied
from orchestrator.tasks.changes import parts_of
from orchestrator.tasks.judge import OracleRun, Trial, play, task_environment
from orchestrator.tasks.tasks import BadSlot, Task, items_at, resolve_target
from protocol import CallApi, JsonObject


class CheckedFile(NamedTuple):
    """A file and what is wrong with it; nothing wrong is an empty list."""

    name: str
    problems: list[str]
    says: str = ""
    """What a good one comes to: the goal of its first seed, or what the world shows at first."""


def check_tasks(words: Sequence[str], seeds: int) -> Iterator[CheckedFile]:
    """Each task, or every shipped one: it loads, its slots have values, its conditions name what the world has, its oracle
    does it, and whoever does nothing, or one thing too many, has not done it."""
    return (_checked(word, partial(_task, word, seeds)) for word in words or shipped_names("tasks"))


def check_worlds(words: Sequence[str], seeds: int, vary: Sequence[str] = ()) -> Iterator[CheckedFile]:
    """Each world, or every shipped one: it loads, and begins the same way twice for each seed, also where axes of its
    variation, such as `language=de`, are others. Raises UsageProblem for an axis or a value that there is not."""
    variation = load_settings(overrides=varied(vary)).settings.variation
    return (_checked(word, partial(_world, word, seeds, variation)) for word in words or shipped_names("worlds"))


def _checked(name: str, work: Callable[[], tuple[list[str], str]]) -> CheckedFile:
    try:
        problems, says = work()
    except (UsageProblem, WorldError) as bad:
        return CheckedFile(name, [str(bad)])
    return CheckedFile(name, list(dict.fromkeys(problems)), says)


def task_named(word: str) -> Task:
    """The task of a file, or the shipped one of this name."""
    task = resolve_target(word)
    if not isinstance(task, Task):
        raise UsageProblem(f"{word!r} is a goal in words; name a task file or a shipped task.")
    return task


def _task(word: str, seeds: int) -> tuple[list[str], str]:
    task = task_named(word)
    found: dict[str, list[int]] = {}
    goals: list[str] = []
    taken: int | None = None
    for seed in range(seeds):
        environment = task_environment(task, seed)
        try:
            environment.reset(seed=seed)
            trial = Trial.begun(task, environment, seed)
            goals.append(trial.goal)
            taken = task.fewest_steps(trial.slots)
            problems = [*_untouched(trial, environment)]
            if task.oracle is not None:
                problems += _performed(task, seed, environment)
            for key, problem in problems:
                place = f"{task.where(key)}: " if key and task.where(key) is not None else ""
                found.setdefault(f"{place}{problem}", []).append(seed)
        finally:
            environment.close()
    told = [text if len(at) == seeds else f"{text} (seed {', '.join(map(str, at))})" for text, at in found.items()]
    if task.oracle is not None and task.oracle_steps not in (None, taken):
        told.append(f"oracle_steps says {task.oracle_steps}, and the oracle takes {taken}; leave oracle_steps out")
    return told, goals[0] if goals else ""


Problem = tuple[KeyPath, str]
"""What is wrong, and the key that it is about; no key where it is about the whole."""


def _key_of(task: Task, expression: str) -> KeyPath:
    lists: dict[str, Sequence[str]] = {"success": task.success, "never": task.never}
    bare = expression.removeprefix("never: ")
    return next(((name, items.index(bare)) for name, items in lists.items() if bare in items), ())


def _performed(task: Task, seed: int, environment: Environment) -> Iterator[Problem]:
    """What the oracle does not come to, and whether one thing more than the oracle goes unseen."""
    played = play(task, seed, environment)
    if played.problem:
        yield ("oracle",), played.problem
        return
    for failed in played.verdict.checks:
        if not failed.passed:
            why = f": {failed.error}" if failed.error else ""
            said = f"the oracle was performed, and {failed.expression!r} does not hold{why}"
            yield _key_of(task, failed.expression), said
    for point in played.verdict.checkpoints:
        if not point.reached:
            key = ("checkpoints", point.name)
            yield key, f"the oracle was performed, and the checkpoint {point.name!r} is not reached"
    if played.verdict.passed and sees_strays(task, played, environment) is False:
        yield ("changes",), "an unwanted write after the oracle is not detected; the task's changes allow too much"


_PATHS = re.compile(r"\b(?:world|initial)\.((?:\w+\.)*\w+)\b(?!\s*\()")
"""Paths into the world in a condition; what is called on one, such as `exists(`, is no part of it."""
STRAYS = (
    CallApi(app="notes", function="create_note", arguments={"title": "By the way"}),
    CallApi(app="reimbursement", function="save_draft", arguments={"description": "for later"}),
    CallApi(app="files", function="create_folder", arguments={"path": "/By the way"}),
    CallApi(app="mail", function="save_draft", arguments={"subject": "By the way"}),
    CallApi(app="settings", function="update_account", arguments={"phone": "+1 555 0199"}),
    CallApi(app="notes", function="update_note", arguments={"note": "1", "append": "by the way"}),
    CallApi(app="contacts", function="create_contact", arguments={"name": "By The Way"}),
)
"""Things that no task asks for."""


def sees_strays(task: Task, played: OracleRun, environment: Environment) -> bool | None:
    """Whether one call more to a function of some app leaves the run unclean. None: nothing was there to be called."""
    if task.changes is None or not isinstance(environment, SimulatedDesktop):
        return None
    allowed = {pattern.split(".")[1] for pattern in task.changes}
    for stray in sorted(STRAYS, key=lambda stray: stray.app in allowed):
        if stray.app in played.trial.initial["apps"] and environment.perform(stray, key=f"stray {stray.digest}").ok:
            verdict = played.trial.verdict(environment, steps=played.verdict.steps + 1)
            if not verdict.clean or stray.app not in allowed:
                return not verdict.clean
    return None


def _untouched(trial: Trial, environment: Environment) -> Iterator[Problem]:
    """What the conditions make of a world in which nothing was done."""
    task, world, verdict = trial.task, trial.initial, trial.verdict(environment)
    every: list[tuple[KeyPath, str, str]] = [(_key_of(task, one.expression), one.expression, one.error) for one in verdict.checks]
    every += [(("checkpoints", point.name, "when"), "when", point.error) for point in verdict.checkpoints]
    for key, expression, error in every:
        if error:
            name = ".".join(map(str, key[:2])) if key[:1] == ("checkpoints",) else str(key[0]) if key else "the end"
            said = expression.removeprefix("never: ")
            yield key, f"{name}: {said!r} cannot be evaluated on the world as it begins: {_missing(said, world) or error}"
    for mine in verdict.minefields:
        if not mine.passed and not mine.error:
            yield _key_of(task, mine.expression), f"{mine.expression!r} holds before anything was done"
    for number, pattern in enumerate(task.changes or ()):
        if missing := _nowhere(pattern, world, trial.slots):
            yield ("changes", number), f"changes: {pattern!r} leads nowhere; the world has no {missing}"
    if verdict.passed and task.outcome == "fulfilled":
        yield ("success",), "every condition holds before anything was done; a crew that does nothing would pass"
    if verdict.progress == 1:
        yield ("checkpoints",), "every checkpoint is reached before anything was done"


def _missing(expression: str, world: JsonObject) -> str:
    """The first path into the world that it does not have, with what is there instead."""
    for path in _PATHS.findall(expression):
        try:
            items_at(path, world)
        except BadSlot as bad:
            return str(bad)
    return ""


def _nowhere(pattern: str, world: JsonObject, slots: JsonObject) -> str:
    """The app, or the field of an app, that a pattern means and the world does not have, with what it has instead."""
    inside: Any = world.get("apps", {})
    for part in parts_of(pattern, slots)[1:3]:
        fits = fnmatch.filter(inside, part)
        if not fits:
            return f"{part!r}{did_you_mean(part, inside)}"
        inside = {key: None for name in fits for key in inside[name] or ()}
    return ""


def _world(word: str, seeds: int, variation: Variation) -> tuple[list[str], str]:
    problems: list[str] = []
    says = ""
    spec = load_world(word)
    spec = spec.model_copy(update={"variation": spec.variation.with_changes(variation)})
    for seed in range(seeds):
        one, other = (SimulatedDesktop(spec.model_copy(), seed=seed) for _ in range(2))
        if one.state_hash() != other.state_hash():
            problems.append(f"seed {seed}: it begins in another state each time")
        seen = one.observe()
        says = says or f"{', '.join(app.app for app in one.apps())}; {len(seen.elements)} elements at first"
        one.close()
        other.close()
    return problems, says
