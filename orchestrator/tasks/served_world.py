"""A world, or the world of a task, served to a person, who is judged as a crew would be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import EnvironmentFault
from environments.served.demonstration import Demonstration
from environments.served.server import Address, serve
from environments.served.session import Session, Status
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.judge import Verdict, judge
from orchestrator.tasks.tasks import Task, fill_goal, fill_slots, resolve_target
from protocol import JsonObject


class ServeOptions(NamedTuple):
    """What is to be served, as the command line has it."""

    world: str | None
    task: str | None
    seed: int | None
    goal: str
    record: Path | None
    host: str
    port: int


class PracticeTask:
    """A task that is done by hand in the served world."""

    def __init__(self, task: Task, told: Callable[[Verdict], None]) -> None:
        self._task, self._told = task, told
        self._initial: JsonObject = {}
        self._slots: dict[str, Any] = {}

    def begin(self, desktop: SimulatedDesktop) -> str:
        self._initial = desktop.world()
        self._slots = fill_slots(self._task, self._initial, int(self._initial["seed"]))
        return fill_goal(self._task, self._slots)

    def finish(self, desktop: SimulatedDesktop, status: Status, reason: str, steps: int) -> Mapping[str, Any]:
        run = {"status": status, "reason": reason, "steps": steps, "plans": 1, "questions": 0}
        verdict = judge(self._task, desktop.world(), self._initial, self._slots, desktop.received(), run)
        self._told(verdict)
        return verdict.model_dump(mode="json")


def serve_world(wanted: ServeOptions, ready: Callable[[Address, str], None], told: Callable[[Verdict], None]) -> None:
    """Serve until it is stopped. `ready` gets the address and the goal. Raises UsageProblem for what cannot be served."""
    task = None if wanted.task is None else _task(wanted.task)
    if task is None and wanted.world is None:
        raise UsageProblem("There is nothing to serve; name a world, or a task with --task.")
    try:
        # The world, to be served
        overrides = [] if wanted.seed is None else [f"seed={wanted.seed}"]
        settings = load_settings(overrides=overrides, task_layer=None if task is None else task.layer()).settings
        spec = load_world(wanted.world or settings.world)
        named = wanted.seed is not None or task is not None
        desktop = SimulatedDesktop(spec, settings.seed if named else None)
        run_id = f"{spec.name}-{desktop.world()['seed']}"
        log = None if wanted.record is None else Demonstration(wanted.record, run_id)
        practice = None if task is None else PracticeTask(task, told)
        session = Session(desktop, wanted.goal, practice, log)
        try:
            serve(session, wanted.host, wanted.port, lambda address: ready(address, session.goal))
        finally:
            session.close()
            session.desktop.close()
    except EnvironmentFault as problem:
        raise UsageProblem(str(problem)) from None


def _task(word: str) -> Task:
    found = resolve_target(word)
    if not isinstance(found, Task):
        raise UsageProblem(f"{word!r} is a goal in words; name a task file or a shipped task, or give the words with --goal.")
    return found
