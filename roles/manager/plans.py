"""A plan is a DAG of subtasks over applications that exist. Source: seed 002."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from pydantic import Field

from protocol import Frozen
from roles.contracts import AppWords, Expectation, Subtask, Worker
from roles.contracts.signals import SubtaskStatus
from roles.manager.step_form import WrittenStep
from roles.policies.orders.stages import expected, in_words

WORK_PLAN = "work_plan"
"""The name of the action that a person is asked about when a plan is shown to them."""
_ENDED = frozenset({SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED})


class PlanError(ValueError):
    """One sentence: which subtask, and what is wrong with it. `at` is its place in the plan, and the key that is wrong."""

    def __init__(self, said: str, *at: int | str) -> None:
        super().__init__(said)
        self.at = at


class GivenSubtask(Frozen):
    """A subtask as a person writes it: what the run adds (status, attempts, result) is not theirs to say."""

    id: str = Field(min_length=1, pattern=r"^[A-Za-z0-9_.-]+$")
    title: str = ""
    """The instruction's beginning, where it is left out."""
    instruction: str = ""
    """What the steps do, where they are given and it is left out."""
    app: str | None = None
    worker: Worker = "operator"
    depends_on: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] | None = None
    """What its steps are to show, where it is left out."""
    steps: tuple[WrittenStep, ...] = ()
    """The instruction as data, for a worker that works by rules; without them it reads the words."""
    hints: tuple[str, ...] = ()
    pinned: bool | None = None
    """As the plan says, where it is left out."""


class GivenPlan(Frozen):
    """A plan as a person gives it: in a file, or in place of one that was shown to them."""

    pinned: bool = False
    """The Manager may try the subtasks again and add to them, but not change them."""
    subtasks: tuple[GivenSubtask, ...] = Field(min_length=1)

    def whole(self) -> tuple[Subtask, ...]:
        """The subtasks as the crew works them. Whether they fit together is `validate_plan`'s to say. Raises PlanError."""
        return tuple(_whole(given, place, pinned=self.pinned) for place, given in enumerate(self.subtasks))


def _whole(given: GivenSubtask, place: int, *, pinned: bool) -> Subtask:
    words = in_words(given.steps)
    if not (given.instruction or words):
        raise PlanError(f"subtask {given.id!r} has neither an instruction nor steps", place)
    if given.instruction and words and given.instruction != words:
        said = f"subtask {given.id!r} says in words something else than in steps; leave out what is not meant"
        raise PlanError(said, place, "instruction")
    instruction = given.instruction or words
    own = {
        "title": given.title or instruction[:80],
        "instruction": instruction,
        "steps": given.steps,
        "expect": expected(given.steps) if given.expect is None else given.expect,
        "pinned": pinned if given.pinned is None else given.pinned,
    }
    return Subtask.model_validate(given.model_dump(exclude=set(own)) | own)


def edited(shown: GivenPlan, given: GivenPlan) -> GivenPlan:
    """The plan that a person wrote in place of one that was shown: words that they left as they are keep their steps, and
    words or steps that they changed are not held by the others."""
    before = {subtask.id: subtask for subtask in shown.subtasks}
    kept = [_edited(before[one.id], one) if one.id in before else one for one in given.subtasks]
    return given.model_copy(update={"subtasks": tuple(kept)})


def _edited(before: GivenSubtask, now: GivenSubtask) -> GivenSubtask:
    if now.instruction == before.instruction and (not now.steps or now.steps == before.steps):
        return now.model_copy(update={"steps": before.steps})
    changed = {"title": ""} if now.title == before.title else {}
    if now.instruction == before.instruction:
        return now.model_copy(update=changed | {"instruction": ""})
    return now.model_copy(update=changed | ({"steps": ()} if now.steps == before.steps and now.instruction else {}))


def as_given(subtasks: Sequence[Subtask]) -> GivenPlan:
    """The plan as a person could have given it: without what was replaced, and without statuses."""
    kept = [s for s in subtasks if s.status is not SubtaskStatus.REJECTED]
    ids, pinned = {s.id for s in kept}, all(s.pinned for s in kept)
    return GivenPlan(
        pinned=pinned,
        subtasks=tuple(
            GivenSubtask.model_validate(
                s.model_dump(exclude={"status", "attempt", "result", "pinned", "depends_on", "origin", "steps"})
                | {"depends_on": [d for d in s.depends_on if d in ids], "pinned": s.pinned if s.pinned != pinned else None}
                | {"steps": s.steps, "expect": None if s.expect == expected(s.steps) else s.expect}
            )
            for s in kept
        ),
    )


def validate_plan(subtasks: Sequence[Subtask], apps: Sequence[AppWords] = ()) -> None:
    """Refuse duplicates, unknown ids, cycles and unknown applications. Raises PlanError."""
    ids = [subtask.id for subtask in subtasks]
    for place, subtask in enumerate(subtasks):
        if subtask.id in ids[:place]:
            raise PlanError(f"subtask id {subtask.id!r} is used twice", place, "id")
        for number, other in enumerate(subtask.depends_on):
            if other not in ids:
                said = f"subtask {subtask.id!r} depends on {other!r}, which is not in the plan"
                raise PlanError(said, place, "depends_on", number)
        if apps and subtask.app is not None and subtask.app not in {app.app for app in apps}:
            known = ", ".join(app.app for app in apps)
            raise PlanError(f"subtask {subtask.id!r} wants the application {subtask.app!r}; there are {known}", place, "app")
    try:
        TopologicalSorter({s.id: s.depends_on for s in subtasks}).prepare()
    except CycleError as cycle:
        circle = cycle.args[1]
        said = f"subtasks wait for each other: {' -> '.join(reversed(circle))}"
        raise PlanError(said, ids.index(circle[-1]), "depends_on") from None


def next_ready(subtasks: Sequence[Subtask]) -> Subtask | None:
    """The first subtask that is not ended and whose dependencies are all fulfilled."""
    fulfilled = {s.id for s in subtasks if s.status is SubtaskStatus.FULFILLED}
    waiting = [s for s in subtasks if s.status in {SubtaskStatus.PENDING, SubtaskStatus.READY}]
    return next((s for s in waiting if fulfilled.issuperset(s.depends_on)), None)


def levels(waits: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Ids by what they wait for: those of a level are independent of each other, and wait only for levels before theirs."""
    places = {name: number for number, name in enumerate(waits)}
    order = TopologicalSorter({name: [other for other in others if other in places] for name, others in waits.items()})
    order.prepare()
    found: list[tuple[str, ...]] = []
    while order.is_active():
        ready = order.get_ready()
        found.append(tuple(sorted(ready, key=places.__getitem__)))
        order.done(*ready)
    return tuple(found)


# --- pins -------------------------------------------------------------------------------------------------------------


def _work(subtask: Subtask) -> tuple[object, ...]:
    """What a pin holds fast: everything but the id, which a retry has anew, and what earlier attempts taught."""
    return subtask.title, subtask.instruction, subtask.app, subtask.worker, subtask.expect


def _waits(subtask: Subtask, plan: Sequence[Subtask]) -> set[tuple[object, ...]]:
    """The work, still to be done, that a subtask waits for."""
    return {_work(s) for s in plan if s.id in subtask.depends_on and s.status is not SubtaskStatus.FULFILLED}


def broken_pin(old: Sequence[Subtask], new: Sequence[Subtask]) -> str:
    """How the new plan changes what is pinned in the old one, in words; empty where it keeps it.

    Each pinned subtask must be there as it was; one that was rejected must be there once more, under a new id.
    """
    live = {s.id: s for s in new if s.status not in _ENDED}
    for pinned in (s for s in old if s.pinned and s.status is not SubtaskStatus.FULFILLED):
        name = f"the pinned subtask {pinned.id!r} ({pinned.title})"
        if pinned.status is SubtaskStatus.REJECTED:
            again = [s for s in live.values() if _work(s) == _work(pinned)]
            kept = next((s for s in again if _waits(s, new) <= _waits(pinned, old)), again[0] if again else None)
        else:
            kept = live.get(pinned.id)
        if kept is None:
            return f"{name} would not be worked"
        if _work(kept) != _work(pinned):
            return f"{name} would be changed"
        if _waits(kept, new) != _waits(pinned, old):
            return f"{name} would wait for something else"
    return ""


def keep_pins(old: Sequence[Subtask], new: Sequence[Subtask]) -> tuple[Subtask, ...]:
    """The new plan with the pins of the old one: a retry has that of what it takes the place of, which needs none any more."""
    work = [_work(s) for s in old if s.pinned]
    return tuple(
        s.model_copy(update={"pinned": s.status is not SubtaskStatus.REJECTED and (s.pinned or _work(s) in work)}) for s in new
    )
