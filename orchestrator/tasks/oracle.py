"""The oracle player: a task's own plan performed by the environment alone, without a crew, and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from environments.contract import ActionRecord, Environment, EnvironmentFault, OwnWords, WorldState
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import make_environment
from orchestrator.settings.settings import Settings, load_settings, varied
from orchestrator.tasks.changes import filled_text
from orchestrator.tasks.judge import Verdict, judge
from orchestrator.tasks.oracle_lines import OracleStep, steps_of
from orchestrator.tasks.tasks import Task, answer_of, fill_goal, fill_slots
from protocol import JsonObject


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

    goal: str
    slots: dict[str, Any]
    initial: JsonObject
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
        return _played(task, seed, surface)
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


def _played(task: Task, seed: int, surface: Environment) -> OracleRun:
    surface.reset(seed=seed)
    initial = _world(surface)
    slots = fill_slots(task, initial, seed)
    goal = fill_goal(task, slots)
    steps, problem = _performed(task, surface, slots)
    asked = sum(step.status == "answered" for step in steps)
    run = {"status": task.outcome, "plans": 1, "reason": "", "steps": len(steps) - asked, "questions": asked}
    received = surface.received() if isinstance(surface, ActionRecord) else []
    world = _world(surface)
    verdict = judge(task, world, initial, slots, received, run)
    return OracleRun(goal, slots, initial, world, tuple(steps), verdict, problem)


def _world(surface: Environment) -> JsonObject:
    return surface.world() if isinstance(surface, WorldState) else {}


def _performed(task: Task, surface: Environment, slots: Mapping[str, Any]) -> tuple[list[Step], str]:
    steps: list[Step] = []
    try:
        for number, step in enumerate(steps_of(task.oracle or (), slots), start=1):
            done = _asked(task, step, slots) if step.asks else _acted(surface, step, f"oracle-{number}")
            steps.append(done)
            if problem := _problem(step, done):
                return steps, problem
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


def _problem(step: OracleStep, done: Step) -> str:
    well = done.status in ("executed", "answered")
    if well is not step.fails:
        return ""
    what = "was to fail and was executed" if well else done.told or done.status
    return f"oracle line {step.line}: {step.said}: {what}"
