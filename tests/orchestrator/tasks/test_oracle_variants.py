"""A task's oracle does it however the world looks or speaks: the player knows things by the apps' own words."""

from __future__ import annotations

from itertools import product

import pytest
from support import sampled

from environments.contract import OwnWords
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.tasks.judge import play, task_environment
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import ActionTarget, Click

pytestmark = pytest.mark.slow("every shipped task")

VARIANTS = ("language=de", "language=zh", "labels=synonyms", "order=shuffled", "names=missing", "density=compact", "layout=wide",
            "layout=mirrored", "theme=dark")  # fmt: skip
SAMPLE = ("reply-to-a-mail", "move-the-clash", "cancel-the-order", "sort-and-note", "invoice-to-reimbursement", "plan-again")


@pytest.mark.parametrize(("name", "variant"), sampled([*product(SAMPLE, VARIANTS)], 4))
def test_the_oracle_of_a_task_passes_clean_in_a_world_that_looks_or_speaks_otherwise(name: str, variant: str) -> None:
    task = resolve_target(name)
    assert isinstance(task, Task)
    surface = task_environment(task, 1, [variant])
    try:
        played = play(task, 1, surface)
    finally:
        surface.close()
    assert not played.problem
    assert played.verdict.passed
    assert played.verdict.clean


def test_a_word_of_the_app_means_the_control_that_shows_another_one() -> None:
    desktop = SimulatedDesktop(parse_world("apps: {notes: {generate: 2}}\nopen: [notes]\nvariation: {language: de}"))
    action = Click(target=ActionTarget(text="New note"))
    assert not desktop.perform(action, key="as it is written").ok
    assert isinstance(desktop, OwnWords)
    meant = desktop.meant(action)
    assert desktop.perform(meant, key="as it is meant").ok
    assert "Speichern" in {element.text for element in desktop.observe().elements}


def test_what_is_called_so_nowhere_stays_as_it_was_written() -> None:
    desktop = SimulatedDesktop(parse_world("apps: {notes: {generate: 2}}\nopen: [notes]"))
    action = Click(target=ActionTarget(text="No such button"))
    assert desktop.meant(action) == action
