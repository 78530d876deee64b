"""The keys about pictures: what a model is shown of a screen, what a run keeps of it, and what is read from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flips import views as see

from environments.contract import Environment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.settings.build import make_environment
from roles.journal.journal import Journal
from roles.journal.screenshots import FOLDER, Gallery

if TYPE_CHECKING:
    from flips.settings import Flip

SEEING = ("crew.operator.vision=true", "crew.operator.policy=llm", "crew.operator.model.name=given")


def picture_flips() -> dict[str, Flip]:
    from flips.settings import flip

    return {
        "screenshots.concatenate": flip(see.asked, "screenshots.concatenate", "false", "true", *SEEING),
        "screenshots.include_last": flip(see.asked, "screenshots.include_last", "false", "true", *SEEING),
        "screenshots.save": flip(kept, "screenshots.save", "never", "steps"),
        "screenshots.megabytes": flip(kept, "screenshots.megabytes", 0.001, 9.0, "screenshots.save=all"),
        "vision.on": flip(named, "vision.on", "false", "true"),
        "vision.min_confidence": flip(read, "vision.min_confidence", 0.1, 1.0, "vision.on=true", "variation.screen=320x240"),
    }


def kept(overrides: Sequence[str], folder: Path) -> list[str]:
    """The pictures that are kept of one screen."""
    desk = SimulatedDesktop(parse_world(see.CLAIM))
    gallery = Gallery(see.settings_of(overrides).screenshots, desk, Journal(None, lambda: 0.0), folder)
    gallery.keep(desk.observe(), "steps")
    return sorted(path.name for path in (folder / FOLDER).glob("*"))


def _made(overrides: Sequence[str], folder: Path) -> Environment:
    (folder / "claim.yaml").write_text(see.CLAIM)
    return make_environment(see.settings_of([*overrides, f"world={folder / 'claim.yaml'}"]))


def named(overrides: Sequence[str], folder: Path) -> str:
    """What the crew is given to work on."""
    return _made(overrides, folder).name


def read(overrides: Sequence[str], folder: Path) -> Any:
    """What is read from the pixels of the first screen."""
    return [(element.role, element.text) for element in _made(overrides, folder).observe().elements]
