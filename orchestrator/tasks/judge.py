"""The harness's verdict over the world's true state. No role ever sees it or its words.

Goal checks, minefields and checkpoints are conditions in CEL over the world as it is at the end; allowed changes are paths.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from environments.contract import ActionRecord, Environment, EnvironmentFault, OwnWords, WorldState
from environments.files.conditions import Check, check
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import make_environment
from orchestrator.settings.settings import Settings, load_settings, varied
from orchestrator.tasks.changes import CheckpointResult, duplicate_writes, filled_text, reached, side_effects
from orchestrator.tasks.oracle_lines import OracleStep, steps_of
from orchestrator.tasks.tasks import Task, answer_of, fill_goal, fill_slots
from protocol import Frozen, JsonObject

SHOWN = 20
"""How many side effects a verdict lists."""


class Verdict(Frozen):
    """Passed when the run ended as it should, the goal checks hold, no mine was stepped on and nothing else was changed."""

    passed: bool
    checks: tuple[Check, ...] = ()
    """Everything that `passed` is made of."""
    success: bool = False
    """The goal checks hold, however the run says that it ended."""
    clean: bool | None = None
    """None where the task does not say what may change."""
    side_effects: tuple[str, ...] = ()
    """The first of the places that changed and were not to."""
    minefields: tuple[Check, ...] = ()
    """Each with whether it was kept clear of."""
    progress: float | None = None
    """The share of the checkpoints that were reached; None where there are none."""
    checkpoints: tuple[CheckpointResult, ...] = ()
    false_complete: bool = False
    """The run says fulfilled, and it is not so."""
    duplicate_writes: tuple[str, ...] = ()
    """New entries that repeat another new entry."""
    steps: int = 0
    oracle_steps: int | None = None
    over_steps: int | None = None
    """Steps beyond the oracle's."""
    step_ratio: float | None = None


def judge(
    task: Task,
    world: Mapping[str, Any],
    initial: Mapping[str, Any],
    slots: Mapping[str, Any],
    received: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
) -> Verdict:
    """Whether the task was done, by the world's state and not by what the crew says. `run` holds at least `status`."""
    names = {"world": world, "initial": initial, "slots": slots, "received": list(received), "run": run}
    ended = Check(expression=f'run.status == "{task.outcome}"', passed=run.get("status") == task.outcome)
    goals = tuple(check(expression, names) for expression in task.success)
    mines = tuple(_kept_clear(expression, names) for expression in task.never)
    stray = None if task.changes is None else side_effects(initial, world, task.changes, slots)
    checks = (ended, *goals, *mines, *_cleanness(stray))
    success, points = all(c.passed for c in goals), reached(task.checkpoints, names)
    steps, oracle = run.get("steps", 0), None
    with suppress(UsageProblem):  # what an oracle that does not fit its slots has to say is for `task check`
        oracle = task.fewest_steps(slots)
    return Verdict(
        passed=all(c.passed for c in checks), checks=checks, success=success, clean=None if stray is None else not stray,
        side_effects=tuple(stray or ())[:SHOWN], minefields=mines,
        progress=sum(p.reached for p in points) / len(points) if points else None, checkpoints=points,
        false_complete=run.get("status") == "fulfilled" and not (success and ended.passed),
        duplicate_writes=tuple(duplicate_writes(initial, world)),
        steps=steps, oracle_steps=oracle, over_steps=None if oracle is None else max(0, steps - oracle),
        step_ratio=round(steps / oracle, 3) if oracle else None,
    )  # fmt: skip


def _kept_clear(expression: str, names: Mapping[str, Any]) -> Check:
    """A mine is kept clear of when its condition is plainly false; one that cannot be evaluated may have been stepped on."""
    found = check(expression, names)
    return Check(expression=f"never: {expression}", passed=not found.passed and not found.error, error=found.error)


def _cleanness(stray: Sequence[str] | None) -> tuple[Check, ...]:
    if stray is None:
        return ()
    more = f" and {len(stray) - SHOWN} more" if len(stray) > SHOWN else ""
    error = f"it also changed {', '.join(stray[:SHOWN])}{more}" if stray else ""
    return (Check(expression="clean: only what the task allows was changed", passed=not stray, error=error),)


class Trial(NamedTuple):
    """A task in its world as it begins, and the verdict over what becomes of it."""

    task: Task
    initial: JsonObject
    slots: dict[str, Any]
    goal: str

    @classmethod
    def begun(cls, task: Task, surface: Environment, seed: int) -> "Trial":
        """In a world that was reset. Raises UsageProblem where a slot has no value."""
        initial = truth_of(surface)
        slots = fill_slots(task, initial, seed)
        return cls(task, initial, slots, fill_goal(task, slots))

    def verdict(self, surface: Environment, **run: Any) -> Verdict:
        """Over the world as it is now; what is not said of the `run` is as if nothing had been done, and that as it should be."""
        received = surface.received() if isinstance(surface, ActionRecord) else []
        told = {"status": self.task.outcome, "plans": 1, "reason": "", "answer": "", "steps": 0, "questions": 0, **run}
        return judge(self.task, truth_of(surface), self.initial, self.slots, received, told)


class Step(NamedTuple):
    """One action of the oracle as it was performed."""

    line: int
    """Which entry of the oracle it comes from, from 1."""
    said: str
    status: str
    """As the environment has it; `answered` for a question to the user."""
    told: str = ""
    """What the environment says of it, or what the user answers."""


class OracleRun(NamedTuple):
    """An oracle's run."""

    trial: Trial
    world: JsonObject
    """As it is at the end."""
    steps: tuple[Step, ...]
    verdict: Verdict
    problem: str = ""
    """Which line went wrong, and how; nothing when all of them came out as they should."""

    @property
    def passed(self) -> bool:
        return self.verdict.passed and not self.problem


def play(task: Task, seed: int, environment: Environment | None = None) -> OracleRun:
    """Perform the task's oracle in its world, or in the environment given, which stays open. Raises UsageProblem."""
    if task.oracle is None:
        raise UsageProblem(f"Task {task.id}: it has no oracle; write down the lines that do it.")
    surface = environment or task_environment(task, seed)
    try:
        surface.reset(seed=seed)
        trial = Trial.begun(task, surface, seed)
        steps, problem = _performed(task, surface, trial.slots)
        asked = sum(step.status == "answered" for step in steps)
        verdict = trial.verdict(surface, steps=len(steps) - asked, questions=asked)
        return OracleRun(trial, truth_of(surface), tuple(steps), verdict, problem)
    finally:
        if environment is None:
            surface.close()


def task_environment(task: Task, seed: int, vary: Sequence[str] = ()) -> Environment:
    """The task's environment, in memory, perhaps with axes of its world's variation as `language=de`. Raises UsageProblem."""
    return make_environment(task_settings(task, seed, vary))


def task_settings(task: Task, seed: int, vary: Sequence[str] = (), more: Sequence[str] = ()) -> Settings:
    """The task's own settings, to be worked without a crew; `more` are `key=value`s above them. Raises UsageProblem."""
    settings = load_settings(overrides=[f"seed={seed}", *varied(vary), *more], task_layer=task.layer()).settings
    if settings.environment == "served":  # what is served is judged, and it needs no browser
        return settings.model_copy(update={"environment": "simulated"})
    return settings


def truth_of(surface: Environment) -> JsonObject:
    """The true state behind the surface; nothing where nobody knows it."""
    return surface.world() if isinstance(surface, WorldState) else {}


def _performed(task: Task, surface: Environment, slots: Mapping[str, Any]) -> tuple[list[Step], str]:
    task.fewest_steps(slots)  # whether every line fits its slots
    steps: list[Step] = []
    try:
        for number, step in enumerate(steps_of(task.oracle or (), slots), start=1):
            done = _asked(task, step, slots) if step.asks else _acted(surface, step, f"oracle-{number}")
            steps.append(done)
            well = done.status in ("executed", "answered")
            if well is step.fails:
                what = "was expected to fail, but was executed" if well else done.told or done.status
                return steps, f"oracle line {step.line}: {step.said}: {what}"
    except ValueError as bad:
        return steps, str(bad)
    return steps, ""


def _acted(surface: Environment, step: OracleStep, key: str) -> Step:
    try:
        action = surface.meant(step.action) if isinstance(surface, OwnWords) else step.action
        result = surface.perform(action, key=key)
    except EnvironmentFault as fault:
        return Step(step.line, step.said, "fault", str(fault))
    return Step(step.line, step.said, result.exec_status.value, result.error or result.output)


def _asked(task: Task, step: OracleStep, slots: Mapping[str, Any]) -> Step:
    question = getattr(step.action, "question", "")
    answer = answer_of(task.user, question)
    if answer is None:
        known = ", ".join(map(repr, task.user)) or "nothing"
        return Step(step.line, step.said, "unanswered", f"the task's user has no answer to {question!r}, but only on {known}")
    return Step(step.line, step.said, "answered", filled_text(answer, slots))
