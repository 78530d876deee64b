"""Screens read from their pictures, as a config asks for them."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from environments.contract import Environment, EnvironmentFault
from orchestrator.errors import Lacking, UsageProblem
from protocol import Frozen


class VisionSettings(Frozen):
    """Whether the crew is shown only what can be read from the pixels of the screen."""

    on: bool = False
    """Take nothing from the environment but its picture: elements by OCR and by what controls look like."""
    min_confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    """A line of text that OCR is less sure of is left out."""


def from_pixels(environment: Environment, settings: VisionSettings, store: Path | None) -> Environment:
    """The environment, or only its pixels. Raises UsageProblem where it has none, and where OCR is not installed."""
    if not settings.on:
        return environment
    try:
        from environments.vision.environment import FromPixels

        made: Environment = FromPixels(
            environment, min_confidence=settings.min_confidence, record=store / "vision" if store else None
        )
    except EnvironmentFault as bad:
        problem = Lacking if "installed" in str(bad) else UsageProblem
        raise problem(f"vision.on: {bad}") from None
    return made
