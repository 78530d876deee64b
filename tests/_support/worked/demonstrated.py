"""Things that were done in simulated worlds, as logs of people: by the oracle of a task, or line by line."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from environments.contract import OwnWords
from environments.served.demonstration import Demonstration
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.tasks.judge import task_environment
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, fill_goal, fill_slots, resolve_target
from protocol import AgentAction, InteractionStep, read_log
from protocol.dsl import parse_line


class Done(NamedTuple):
    """A log, its steps and what it was for."""

    path: Path
    goal: str
    steps: list[InteractionStep]


def by_oracle(name: str, seed: int, path: Path, vary: Iterable[str] = ()) -> Done:
    """A task done by its oracle."""
    task = resolve_target(name)
    assert isinstance(task, Task)
    surface = task_environment(task, seed, list(vary))
    assert isinstance(surface, SimulatedDesktop)
    surface.reset(seed=seed)
    slots = fill_slots(task, surface.world(), seed)
    actions = [step.action for step in steps_of(task.oracle or (), slots) if not step.asks]
    return _done(surface, fill_goal(task, slots), actions, path)


def by_hand(goal: str, lines: Iterable[str], path: Path, world: str = "office", seed: int = 0) -> Done:
    """What the lines say, one after the other; one that fails is written down, too."""
    return _done(SimulatedDesktop(load_world(world), seed), goal, [parse_line(line) for line in lines], path)


def _done(surface: SimulatedDesktop, goal: str, actions: Iterable[AgentAction], path: Path) -> Done:
    session = Session(surface, goal, log=Demonstration(path, path.stem))
    for action in actions:
        meant = surface.meant(action) if isinstance(surface, OwnWords) else action
        session.perform(session.complete(meant), role="person")
    session.close()
    surface.close()
    return Done(path, goal, [line.step for line in read_log(path) if line.step is not None])
