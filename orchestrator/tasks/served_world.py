"""A world, or the world of a task, served to a person, who is judged as a crew would be."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from environments.contract import EnvironmentFault
from environments.served.demonstration import Demonstration
from environments.served.server import Address, serve
from environments.served.session import Session, Status
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.check import task_named
from orchestrator.tasks.judge import Trial, Verdict
from orchestrator.tasks.tasks import Task


class PracticeTask:
    """A task that is done by hand in the served world."""

    def __init__(self, task: Task, told: Callable[[Verdict], None]) -> None:
        self._task, self._told = task, told
        self._trial: Trial

    def begin(self, desktop: SimulatedDesktop) -> str:
        self._trial = Trial.begun(self._task, desktop, int(desktop.world()["seed"]))
        return self._trial.goal

    def finish(self, desktop: SimulatedDesktop, status: Status, reason: str, steps: int) -> Mapping[str, Any]:
        verdict = self._trial.verdict(desktop, status=status, reason=reason, steps=steps)
        self._told(verdict)
        return verdict.model_dump(mode="json")


def serve_world(
    ready: Callable[[Address, str], None], told: Callable[[Verdict], None], *,
    world: str | None, task: str | None, seed: int | None, goal: str, record: Path | None, host: str, port: int,
) -> None:  # fmt: skip
    """Serve until it is stopped. `ready` gets the address and the goal. Raises UsageProblem for what cannot be served."""
    practised = None if task is None else task_named(task)
    if practised is None and world is None:
        raise UsageProblem("There is nothing to serve; name a world, or a task with --task.")
    try:
        overrides = [] if seed is None else [f"seed={seed}"]
        settings = load_settings(overrides=overrides, task_layer=None if practised is None else practised.layer()).settings
        spec = load_world(world or settings.world)
        desktop = SimulatedDesktop(spec, settings.seed if seed is not None or practised is not None else None)
        log = None if record is None else Demonstration(record, f"{spec.name}-{desktop.world()['seed']}")
        session = Session(desktop, goal, None if practised is None else PracticeTask(practised, told), log)
        try:
            serve(session, host, port, lambda address: ready(address, session.goal))
        finally:
            session.close()
            session.desktop.close()
    except EnvironmentFault as problem:
        raise UsageProblem(str(problem)) from None
