"""A plan is a DAG of subtasks over applications that exist (seed 002); and its typed steps as a person writes them.

    - find: {app: billing, kind: invoice, where: {Number: INV-1}}
    - fill: {app: billing, fields: {Status: Paid, Tags: {add: urgent}}, commit: save}

The keys are those of the models, but that the records stand flat in the step, `where` are their tests and `fields` the entries.
What cannot be said so is written with the models' own keys, so that whatever is written is read back the same.
"""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, TypeAlias, get_args

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationError

from protocol import Frozen, JsonObject
from roles.contracts import AppWords, Expectation, Subtask, Worker
from roles.contracts.orders import STEP, Records, RowTest, Step
from roles.contracts.signals import SubtaskStatus
from roles.contracts.wording import in_words
from roles.policies.orders.stages import expected

_SKILLS: Mapping[str, Any] = {model.model_fields["skill"].default: model for model in get_args(get_args(Step)[0])}
_FLAT = tuple(name for name in Records.model_fields if name not in {"app", "tests", "but"})
_ANYTHING = "anything"
"""The label of a test on anything that a record shows."""


def read_step(value: Any) -> Any:
    """The models' own keys, of what a person wrote. Raises ValueError in one clause."""
    if not isinstance(value, Mapping) or "skill" in value:
        return _as_tuples(value)
    skill, body = next(iter(value.items()), ("", None))
    if len(value) != 1 or skill not in _SKILLS or not isinstance(body, Mapping):
        raise ValueError(f"a step is one of {', '.join(_SKILLS)}, with what it needs: find: {{app: notes, kind: note}}")
    body, keys = dict(body), _SKILLS[skill].model_fields
    if "entries" in keys and "fields" in body:
        body["entries"] = [_entry(label, said) for label, said in _pairs(body.pop("fields"), "fields")]
    if "records" in keys and "records" not in body and (keys["records"].is_required() or "kind" in body):
        records = {name: body.pop(name) for name in _FLAT if name in body}
        if "app" in body:
            records["app"] = body["app"] if "app" in keys else body.pop("app")
        if "where" in body:
            records["tests"] = [_test(label, said) for label, said in _pairs(body.pop("where"), "where")]
        if isinstance(body.get("but"), Sequence):
            records["but"] = [[_test(*pair) for pair in _pairs(tests, "but")] for tests in body.pop("but")]
        body["records"] = records
    return _as_tuples({"skill": skill, **body})


def _as_tuples(value: Any) -> Any:
    """Lists as tuples: what has been a file's list is none any more for a strict model."""
    if isinstance(value, Mapping):
        return {key: _as_tuples(part) for key, part in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


def _pairs(said: Any, key: str) -> list[tuple[str, Mapping[str, str]]]:
    """Labels, and `how: value` for each; a value that stands alone is how ``."""
    if not isinstance(said, Mapping):
        raise ValueError(f"{key} is not a mapping of labels to values")
    found = []
    for label, value in said.items():
        one = value if isinstance(value, Mapping) else {"": value}
        if len(one) != 1 or not all(isinstance(text, str) for text in (label, *one.values())):
            raise ValueError(f"{key}: {label!r} needs one text (put it in quotes)")
        found.append((label, one))
    return found


def _test(label: str, said: Mapping[str, str]) -> JsonObject:
    how, value = next(iter(said.items()))
    negated = how == "not" or how.startswith("not ")
    relation = how.removeprefix("not").strip() or "is"
    return {"label": "" if label == _ANYTHING else label, "relation": relation, "value": value, "negated": negated}


def _entry(label: str, said: Mapping[str, str]) -> JsonObject:
    how, value = next(iter(said.items()))
    return {"label": label, "value": value, "mode": how or "set"}


def written_step(step: Step) -> JsonObject:
    """The step as a person would write it."""
    own: JsonObject = STEP.dump_python(step, mode="json", exclude_defaults=True)
    body = {name: value for name, value in own.items() if name not in {"skill", "entries", "records", "order"}}
    if "entries" in own:
        body["fields"] = {e.label: e.value if e.mode == "set" else {e.mode: e.value} for e in getattr(step, "entries", ())}
    records = getattr(step, "records", None)
    if isinstance(records, Records):
        flat: JsonObject = records.model_dump(mode="json", exclude_defaults=True, exclude={"tests", "but"})
        flat |= {"where": _where(records.tests)} if records.tests else {}
        flat |= {"but": [_where(tests) for tests in records.but]} if records.but else {}
        body = {**flat, **body}
    short: JsonObject = {step.skill: body | ({"order": own["order"]} if "order" in own else {})}
    try:
        same = STEP.validate_python(read_step(short)) == step
    except (ValidationError, ValueError):
        same = False
    return short if same else own


def _where(tests: Sequence[RowTest]) -> JsonObject:
    found: JsonObject = {}
    for test in tests:
        how = " ".join([*(["not"] if test.negated else []), *([test.relation] if test.relation != "is" else [])])
        found[test.label or _ANYTHING] = {how: test.value} if how else test.value
    return found


WrittenStep: TypeAlias = Annotated[Step, BeforeValidator(read_step), PlainSerializer(written_step)]
"""A step in a file or in JSON, in the form that people write."""


WORK_PLAN = "work_plan"
"""The name of the action that a person is asked about when a plan is shown to them."""


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


def merge(old: Sequence[Subtask], new: Sequence[Subtask], apps: Sequence[AppWords] = ()) -> tuple[Subtask, ...]:
    """The new plan, with what is fulfilled or rejected kept exactly as it was. Raises PlanError."""
    ended, ids = {s.id: s for s in old if not s.status.is_open}, {s.id for s in new}
    # What is replaced stays in sight as rejected: a policy must know what was tried before.
    gone = [s if s.id in ended else s.model_copy(update={"status": SubtaskStatus.REJECTED}) for s in old if s.id not in ids]
    merged = (*sorted(gone, key=lambda s: s.id not in ended), *(ended.get(s.id, s) for s in new))
    validate_plan(merged, apps)
    rejected, live = {s.id for s in merged if s.status is SubtaskStatus.REJECTED}, [s for s in merged if s.status.is_open]
    for subtask in live:
        if lost := rejected & set(subtask.depends_on):
            raise PlanError(f"subtask {subtask.id!r} depends on {sorted(lost)[0]!r}, which was rejected")
    if not live:
        raise PlanError("the plan has no subtask that is still to be done")
    return merged


def next_ready(subtasks: Sequence[Subtask]) -> Subtask | None:
    """The first subtask that is not ended and whose dependencies are all fulfilled."""
    fulfilled = {s.id for s in subtasks if s.status is SubtaskStatus.FULFILLED}
    waiting = [s for s in subtasks if s.status.is_open]
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
    live = {s.id: s for s in new if s.status.is_open}
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
