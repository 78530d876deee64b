"""A task: a goal with a world, limits and the harness's success conditions, from one YAML file.

A slot is a value taken from the initial world by the seed: `{invoice.number}` in the goal becomes that invoice's number.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, model_validator
from pydantic_core import InitErrorDetails

from environments.files.conditions import evaluate, evaluate_each, problem_with
from environments.files.wrong_data import did_you_mean, nearest
from environments.files.yaml_lines import KeyPath
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import Document, Layer, Source, checked, read_document, shipped, shipped_names
from orchestrator.tasks.changes import (
    SLOT,
    Checkpoint,
    Condition,
    filled_text,
    parts_of,
    problem_with_order,
    problem_with_pattern,
    slot_value,
)
from orchestrator.tasks.oracle_lines import Oracle, fewest_steps, problem_with_oracle
from protocol import Frozen, JsonObject
from roles.contracts.limits import Limits
from roles.manager.plans import GivenPlan, GivenSubtask

COMPUTED = ("sum", "count", "min", "max", "join", "value")


class BadSlot(ValueError):
    """One clause: why a slot has no value in this world."""


class Slot(Frozen):
    """One value: picked from the world or from a list written here, or computed over a part of the world.

    Every origin but `one_of` and `value` is a dotted path into the world, or into a slot above as `slots.name`: a list, or a
    mapping whose values are meant.
    """

    source: str | None = Field(default=None, alias="from")
    one_of: tuple[Any, ...] = ()
    sum: str | None = None
    """Their `of` added up, exactly, as text with as many decimal places as they have."""
    count: str | None = None
    min: str | None = None
    """The one item whose `of` is least: a number where all are numbers, else by the alphabet, as dates are."""
    max: str | None = None
    join: str | None = None
    """Their `of` as one text, with `between` between them."""
    value: str | None = None
    """CEL over `world` and the `slots` above this one, for whatever the others cannot say."""
    where: str = ""
    """CEL over `item`, `world` and the `slots` above this one."""
    pick: Literal["seed", "first", "last", "all"] = "seed"
    """Which of them; `all` gives the list, which may be empty."""
    of: str = ""
    """The field that is computed with, dotted where it lies deeper. Without it the items themselves."""
    between: str = ", "

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        given = [name for name in COMPUTED if getattr(self, name) is not None]
        if (self.source is not None) + bool(self.one_of) + len(given) != 1:
            raise ValueError(
                "a slot takes its value from one place: from the world (from: apps...), from a list (one_of: [...]) or computed "
                f"({', '.join(COMPUTED)})"
            )
        if self.of and given not in (["sum"], ["min"], ["max"], ["join"]):
            raise ValueError("of: is for slots with sum, min, max or join")
        if self.between != ", " and given != ["join"]:
            raise ValueError("between: is for slots with join")
        if self.pick != "seed" and given:
            raise ValueError(f"pick: chooses among items, and {given[0]} takes them all")
        if self.where and self.value is not None:
            raise ValueError("where: chooses among items, and value has none")
        for key, names in (("where", ("item", "world", "slots")), ("value", ("world", "slots"))):
            if (expression := getattr(self, key)) and (problem := problem_with(expression, names)):
                raise ValueError(f"{key}: {expression!r} cannot be evaluated: {problem}")
        return self

    @property
    def computed(self) -> str:
        """The name of what is computed, or nothing."""
        return next((name for name in COMPUTED if getattr(self, name) is not None), "")

    @property
    def path(self) -> str:
        return str(getattr(self, self.computed) if self.computed else self.source)


def value_of(slot: Slot, world: Mapping[str, Any], filled: Mapping[str, Any], rng: random.Random) -> Any:
    """The slot's value. Raises BadSlot."""
    if slot.value is not None:
        with _told("value", slot.value):
            return evaluate(slot.value, {"world": world, "slots": filled})
    items = list(slot.one_of) or items_at(slot.path, {**world, "slots": filled})
    if slot.where:
        with _told("where", slot.where):
            fits = evaluate_each(slot.where, "item", items, {"world": world, "slots": filled})
        items = [item for item, fit in zip(items, fits, strict=True) if fit is True]
    if slot.computed == "count":
        return len(items)
    if slot.pick == "all" and not slot.computed:
        return list(items)
    if not items:
        raise BadSlot("finds nothing in this world; change its origin or its 'where'")
    if slot.computed:
        return _COMPUTE[slot.computed](slot, items)
    # An expression gives the keys of a map in another order in every process.
    keys = slot.path.startswith("slots.") and all(isinstance(item, str) for item in items)
    chosen = rng.choice(sorted(items) if keys else items)
    return {"seed": chosen, "first": items[0], "last": items[-1]}[slot.pick]


def items_at(path: str, world: Mapping[str, Any]) -> Sequence[Any]:
    """What stands at a dotted path, as a list. Raises BadSlot with what is there instead."""
    value: Any = world
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            known = did_you_mean(part, map(str, value)) if isinstance(value, Mapping) else ""
            raise BadSlot(f"the world has no {path!r} (at {part!r}){known}")
        value = value[part]
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else [value]


@contextmanager
def _told(key: str, expression: str) -> Iterator[None]:
    """What goes wrong in an expression, as a clause about its key."""
    try:
        yield
    except (ValueError, KeyError, TypeError, RuntimeError, IndexError, ArithmeticError) as bad:
        raise BadSlot(f"{key} {expression!r} cannot be evaluated ({bad})") from None


def _fields(slot: Slot, items: Sequence[Any]) -> list[Any]:
    if not slot.of:
        return list(items)
    try:
        return [slot_value(slot.of, item) for item in items]
    except KeyError as bad:
        raise BadSlot(f"of: {slot.of!r}: an item of {slot.path!r} has no {bad.args[0]!r}") from None


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _sum(slot: Slot, items: Sequence[Any]) -> str:
    total = Decimal(0)
    for value in _fields(slot, items):
        number = _number(value)
        if number is None:
            raise BadSlot(f"sum: {value!r} is not a number; name a field of numbers with 'of'")
        total += number
    return format(total, "f")


def _extreme(slot: Slot, items: Sequence[Any]) -> Any:
    values = _fields(slot, items)
    numbers = [_number(value) for value in values]
    keys: list[Any] = list(map(str, values)) if None in numbers else numbers
    most = (max if slot.computed == "max" else min)(keys)
    if keys.count(most) > 1:
        raise BadSlot(f"{slot.computed}: {keys.count(most)} items have {most} alike; narrow 'where' until there is one")
    return items[keys.index(most)]


_COMPUTE: dict[str, Callable[[Slot, Sequence[Any]], Any]] = {
    **{"sum": _sum, "min": _extreme, "max": _extreme},
    "join": lambda slot, items: slot.between.join(map(str, _fields(slot, items))),
}


_LAYER_KEYS = ("world", "seed", "limits", "safety", "constraints")


class TaskPlan(Frozen):
    """How a goal is worked that the rules cannot carry by themselves. It speaks of the slots that the goal speaks of: what a
    run has to find out stands in no plan."""

    words: str = ""
    """The goal in plain words, which the Manager reads in its place."""
    subtasks: tuple[GivenSubtask, ...] = ()
    """Or the subtasks themselves."""

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> Self:
        if bool(self.words.strip()) == bool(self.subtasks):
            raise ValueError("a plan has either words or subtasks")
        return self

    def texts(self) -> Iterator[tuple[KeyPath, str]]:
        """All that it says, with the keys."""
        yield ("words",), self.words
        for place, subtask in enumerate(self.subtasks):
            yield ("subtasks", place), subtask.model_dump_json()


Kind = Literal[
    "extract_and_enter", "aggregate", "conditional", "ask_the_user", "infeasible", "refuse", "recurring", "deadline",
    "search", "edit", "organise", "communicate", "interrupted", "deceptive", "gates",
]  # fmt: skip


class Task(Frozen):
    """The content of a task file."""

    id: str = Field(default="", pattern=r"^[A-Za-z0-9_.-]*$")
    """Default: the file's name."""
    about: str = ""
    """One line for people: what this task shows."""
    goal: str
    world: str | None = None
    seed: int | None = None
    limits: JsonObject = Field(default_factory=dict)
    safety: str | JsonObject | None = None
    constraints: JsonObject = Field(default_factory=dict)
    """Constraints that narrow the safety policy for this task (seed 000)."""
    settings: JsonObject = Field(default_factory=dict)
    slots: dict[str, Slot] = Field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    """Names of private values that the user gives as `--secret NAME` or as an environment variable; `{NAME}` in the goal."""
    success: tuple[Condition, ...] = ()
    changes: tuple[str, ...] | None = None
    """Paths in the apps' state that may change, such as `apps.notes.notes.*`. None: changes are not checked."""
    never: tuple[Condition, ...] = ()
    """Mines: none of them may hold at the end."""
    checkpoints: dict[str, Checkpoint] = Field(default_factory=dict)
    """Conditions that measure progress, by name."""
    oracle_steps: int | None = Field(default=None, ge=0)
    """The fewest steps in which the task is known to be done; if there is an oracle, it follows from that."""
    oracle: Oracle | None = None
    """A plan that is known to fulfil the task: lines of the DSL with `{slot}`s, performed by the harness, not by a crew.
    `[]` is the plan of a task that must be rejected. None: there is none."""
    tier: Literal[1, 2, 3] = 1
    """1: one thing in one or two apps; 2: several things, conditions or sums; 3: long, interrupted or deceptive."""
    kinds: tuple[Kind, ...] = ()
    """What it demands of a crew."""
    plan: TaskPlan | None = None
    """For rules only, and counted separately: a model plans the goal itself."""
    user: dict[str, str] = Field(default_factory=dict)
    """Answers of the task's user: a word of the question, and the answer, which may contain slots."""
    outcome: Literal["fulfilled", "rejected"] = "fulfilled"
    """How the run must end."""
    _document: Document | None = PrivateAttr(default=None)
    _base: Path = PrivateAttr(default_factory=Path.cwd)

    @model_validator(mode="after")
    def _speaks_of_what_there_is(self) -> Self:
        if not self.goal.strip():
            raise ValueError("goal is empty; say in words what is to be done")
        for name in SLOT.findall(self.goal):
            if name.split(".")[0] not in self.slots and name not in self.secrets:
                raise ValueError(f"goal names {{{name}}}, which is not a slot{did_you_mean(name, self.slots)}")
        return self

    @model_validator(mode="after")
    def _is_judged_by_what_there_is(self, info: ValidationInfo) -> Self:
        for index, pattern in enumerate(self.changes or ()):
            if problem := problem_with_pattern(pattern, self.slots):
                raise _fault_at(("changes", index), pattern, problem)
        if found := problem_with_order(self.checkpoints):
            raise _fault_at(("checkpoints", *found[0]), None, found[1])
        # To read the lines takes a third of a second, and no crew looks at them; the tests read those that are shipped.
        of_others = not (info.context or {}).get("shipped")
        if of_others and (wrong := problem_with_oracle(self.oracle or (), self.slots)):
            raise _fault_at(("oracle", *wrong[0]), None, wrong[1])
        of_goal = set(SLOT.findall(self.goal))
        for key, text in self.plan.texts() if self.plan is not None else ():
            if more := [name for name in self._named(text) if name not in of_goal]:
                raise _fault_at(("plan", *key), text, f"the plan names {{{more[0]}}}, which the goal does not name")
        for word, answer in self.user.items():
            for name in SLOT.findall(answer):
                if name.split(".")[0] not in self.slots and name not in self.secrets:
                    raise _fault_at(("user", word), answer, f"it names {{{name}}}, which is not a slot")
        return self

    def _named(self, text: str) -> list[str]:
        return [name for name in SLOT.findall(text) if name.split(".")[0] in self.slots or name in self.secrets]

    def fewest_steps(self, slots: Mapping[str, Any]) -> int | None:
        """The fewest steps in which the task is known to be done with these slots. None: unknown. Raises UsageProblem."""
        try:
            return self.oracle_steps if self.oracle is None else fewest_steps(self.oracle, slots)
        except ValueError as bad:
            raise UsageProblem(f"Task {self.id}: {bad}.") from None

    def where(self, key: KeyPath) -> Source | None:
        """The file and line of a key; None for a task without a file."""
        return None if self._document is None else self._document.where(key)

    def layer(self) -> Layer:
        """The task's keys as a layer of settings, whose errors name the task file."""
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
    """Load a task file. Raises UsageProblem with file, line and key."""
    document = read_document(path, "task file")
    data = {**document.data, "id": document.data.get("id", path.stem)}
    ours = path.parent == shipped("tasks")
    task = checked(Task, data, lambda key: document.where(key) if key else Source(document.name), {"shipped": ours})
    task._document, task._base = document, path.resolve().parent
    return task


def resolve_target(word: str) -> Task | str:
    """Resolve an argument of the command line: a task file, a shipped task by name, or a goal in words."""
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
        try:
            filled[name] = value_of(slot, world, filled, rng)
        except BadSlot as bad:
            raise UsageProblem(f"Task {task.id}: slot {name!r}: {bad}.") from None
    for pattern in task.changes or ():
        try:
            parts_of(pattern, filled)
        except KeyError as bad:
            raise UsageProblem(f"Task {task.id}: changes names {pattern!r}, and the slot has no {bad.args[0]!r}.") from None
    return filled


def fill_goal(task: Task, slots: Mapping[str, Any]) -> str:
    """The goal with every `{slot.key}` replaced by its value."""

    try:
        return filled_text(task.goal, slots)
    except KeyError as bad:
        raise UsageProblem(f"Task {task.id}: goal names a slot that has no {bad.args[0]!r}.") from None


def fill_plan(task: Task, slots: Mapping[str, Any]) -> GivenPlan | str:
    """The task's plan with the slots filled in as in the goal: subtasks, or words."""
    assert task.plan is not None  # noqa: S101 - asked for where there is one

    def value(part: Any, *, doubled: bool) -> Any:
        if isinstance(part, str):
            return SLOT.sub(lambda match: _one(match, doubled=doubled), part)
        if isinstance(part, Mapping):
            return {key: value(inner, doubled=doubled or key == "steps") for key, inner in part.items()}
        return [value(inner, doubled=doubled) for inner in part] if isinstance(part, list) else part

    def _one(match: re.Match[str], *, doubled: bool) -> str:
        if not task._named(match[0]):
            return match[0]  # a fact's
        text = str(slot_value(match[1], slots))
        return text.replace("{", "{{").replace("}", "}}") if doubled else text

    if task.plan.words:
        return str(value(task.plan.words, doubled=False))
    return GivenPlan.model_validate(value(task.plan.model_dump(mode="json", exclude={"words"}), doubled=False))


def fitting(goal: str, limits: Limits) -> str:
    """The goal. Raises UsageProblem for one that is too long."""
    if len(goal) > limits.goal_chars:
        raise UsageProblem(
            f"The goal has {len(goal):,} characters, and limits.goal_chars is {limits.goal_chars:,}; shorten it or raise it."
        )
    return goal


def answer_of(user: Mapping[str, str], question: str) -> str | None:
    """What the task's user answers: the first entry whose word stands in the question."""
    asked = question.casefold()
    return next((answer for word, answer in user.items() if word.casefold() in asked), None)
