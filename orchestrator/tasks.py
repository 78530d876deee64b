"""A task: a goal with a world, limits and the harness's success conditions, from one YAML file.

A slot is a value taken from the initial world by the seed: `{invoice.number}` in the goal becomes that invoice's number.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from orchestrator.documents import Document, KeyPath, Source, checked, read_document
from orchestrator.errors import UsageProblem, did_you_mean, nearest
from orchestrator.judging.changes import SLOT, parts_of, problem_with_pattern, slot_value
from orchestrator.judging.checkpoints import Checkpoint, problem_with_order
from orchestrator.judging.conditions import NAMES, evaluate, problem_with
from orchestrator.settings import Layer, shipped, shipped_names
from protocol import Frozen

_LAYER_KEYS = ("world", "seed", "limits", "safety")


def _condition(expression: str) -> str:
    if problem := problem_with(expression):
        raise ValueError(f"{expression!r} cannot be evaluated: {problem}")
    return expression


Condition = Annotated[str, AfterValidator(_condition)]
"""CEL over world, initial, slots, received and run."""


class Slot(Frozen):
    """One value, picked from the initial world, or from a list written here."""

    source: str | None = Field(default=None, alias="from")
    """Dotted path into the world: a list, or a mapping whose values are meant."""
    one_of: tuple[Any, ...] = ()
    where: str = ""
    """CEL over `item`, `world` and the `slots` above this one."""
    pick: Literal["seed", "first", "last"] = "seed"

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        if (self.source is None) == (not self.one_of):
            raise ValueError("a slot takes its value either from the world (from: apps...) or from a list (one_of: [...])")
        if self.where and (problem := problem_with(self.where, ("item", "world", "slots"))):
            raise ValueError(f"where: {self.where!r} cannot be evaluated: {problem}")
        return self


class Task(Frozen):
    """What a task file may say."""

    id: str = Field(default="", pattern=r"^[A-Za-z0-9_.-]*$")
    """The file's name, when it is not given."""
    about: str = ""
    """One line for people: what this task shows."""
    goal: str
    world: str | None = None
    seed: int | None = None
    limits: dict[str, Any] = Field(default_factory=dict)
    safety: str | dict[str, Any] | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    slots: dict[str, Slot] = Field(default_factory=dict)
    success: tuple[str, ...] = ()
    """CEL over world, initial, slots, received and run."""
    changes: tuple[str, ...] | None = None
    """Paths in the apps' state that may change, such as `apps.notes.notes.*`. None: nobody asks what else changed."""
    never: tuple[Condition, ...] = ()
    """Minefields: none of them may hold at the end."""
    checkpoints: dict[str, Checkpoint] = Field(default_factory=dict)
    """How far the run came, by name."""
    oracle_steps: int | None = Field(default=None, ge=0)
    """The fewest steps in which it is known to be done."""
    outcome: Literal["fulfilled", "rejected"] = "fulfilled"
    """How the run must end."""
    _document: Document | None = PrivateAttr(default=None)
    _base: Path = PrivateAttr(default_factory=Path.cwd)

    @model_validator(mode="after")
    def _speaks_of_what_there_is(self) -> Self:
        if not self.goal.strip():
            raise ValueError("goal is empty; say in words what is to be done")
        for name in SLOT.findall(self.goal):
            if name.split(".")[0] not in self.slots:
                raise ValueError(f"goal speaks of {{{name}}}, which is no slot{did_you_mean(name, self.slots)}")
        for expression in self.success:
            if problem := problem_with(expression, NAMES):
                raise ValueError(f"success: {expression!r} cannot be evaluated: {problem}")
        return self

    @model_validator(mode="after")
    def _is_judged_by_what_there_is(self) -> Self:
        for index, pattern in enumerate(self.changes or ()):
            if problem := problem_with_pattern(pattern, self.slots):
                raise _fault_at(("changes", index), pattern, problem)
        if found := problem_with_order(self.checkpoints):
            raise _fault_at(("checkpoints", *found[0]), None, found[1])
        return self

    def layer(self) -> Layer:
        """The task's words as a layer of settings, errors in which name the task file."""
        own = {key: value for key in _LAYER_KEYS if (value := getattr(self, key)) not in (None, {})}
        if self.limits and isinstance(inner := self.settings.get("limits"), dict):
            own["limits"] = {**inner, **self.limits}
        document = self._document
        if document is not None:
            lines: dict[KeyPath, int] = dict(document.lines)
            lines.update({path[1:]: line for path, line in document.lines.items() if path[0] == "settings" and len(path) > 1})
            lines.update({path: line for path, line in document.lines.items() if path[0] in own})
            document = document._replace(lines=lines)
        return Layer({**self.settings, **own}, document or Document({}, {}, f"task {self.id}"), self._base)


def _fault_at(key: KeyPath, value: Any, problem: str) -> ValidationError:
    """What a validator of the whole raises about one key."""
    detail = InitErrorDetails(type="value_error", loc=key, input=value, ctx={"error": ValueError(problem)})
    return ValidationError.from_exception_data("Task", [detail])


def load_task(path: Path) -> Task:
    """The task in a file. Raises UsageProblem with file, line and key."""
    document = read_document(path, "task file")
    data = {**document.data, "id": document.data.get("id", path.stem)}
    task = checked(Task, data, lambda key: _where(document, key))
    task._document, task._base = document, path.resolve().parent
    return task


def _where(document: Document, key: KeyPath) -> Source:
    return document.where(key) if key else Source(document.name)


def resolve_target(word: str) -> Task | str:
    """What the command line means: a task file, a shipped task by name, or a goal in words."""
    if not word.strip():
        raise UsageProblem("The goal is empty; say in words what is to be done, or name a task file.")
    names = shipped_names("tasks")
    if word in names:
        return load_task(shipped("tasks", f"{word}.yaml"))
    path, is_words = Path(word), len(word.split()) > 1
    if word.endswith((".yaml", ".yml")) or (not is_words and _there(path)):
        if not _there(path):
            close = nearest(path.stem, names)
            raise UsageProblem(f"There is no task file {word}; " + (f"did you mean {close}?" if close else "check the path."))
        return load_task(path)
    if not is_words and ("/" in word or "-" in word):
        raise UsageProblem(f"There is no task file and no shipped task {word!r}{did_you_mean(word, names)}")
    return word


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def fill_slots(task: Task, world: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The slots' values in this world; the same seed picks the same values."""
    rng = random.Random(seed)  # noqa: S311 - variation, not secrecy
    filled: dict[str, Any] = {}
    for name, slot in task.slots.items():
        items = list(slot.one_of) or _items(task, name, slot, world)
        if slot.where:
            items = [item for item in items if _holds(task, name, slot.where, {"item": item, "world": world, "slots": filled})]
        if not items:
            raise UsageProblem(f"Task {task.id}: slot {name!r} finds nothing in this world; change its 'from' or 'where'.")
        filled[name] = {"first": items[0], "last": items[-1]}.get(slot.pick, rng.choice(items))
    for pattern in task.changes or ():
        try:
            parts_of(pattern, filled)
        except KeyError as bad:
            raise UsageProblem(f"Task {task.id}: changes speaks of {pattern!r}, and the slot has no {bad.args[0]!r}.") from None
    return filled


def _items(task: Task, name: str, slot: Slot, world: Mapping[str, Any]) -> Sequence[Any]:
    value: Any = world
    for part in str(slot.source).split("."):
        if not isinstance(value, Mapping) or part not in value:
            known = did_you_mean(part, map(str, value)) if isinstance(value, Mapping) else ""
            raise UsageProblem(f"Task {task.id}: slot {name!r}: the world has no {slot.source!r} (at {part!r}){known}")
        value = value[part]
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else [value]


def _holds(task: Task, name: str, where: str, names: Mapping[str, Any]) -> bool:
    try:
        return evaluate(where, names) is True
    except (ValueError, KeyError, TypeError, RuntimeError, IndexError, ArithmeticError) as bad:
        raise UsageProblem(f"Task {task.id}: slot {name!r}: where {where!r} cannot be evaluated ({bad}).") from None


def fill_goal(task: Task, slots: Mapping[str, Any]) -> str:
    """The goal with every `{slot.key}` replaced by its value."""

    def value_of(match: re.Match[str]) -> str:
        try:
            return str(slot_value(match[1], slots))
        except KeyError as bad:
            raise UsageProblem(f"Task {task.id}: goal speaks of {match[0]}, and the slot has no {bad.args[0]!r}.") from None

    return SLOT.sub(value_of, task.goal)
