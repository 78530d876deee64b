"""What is remembered, and for how long: within a run the blackboard, and from run to run what the user has answered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from protocol import Frozen
from roles.memory.blackboard import BoardSettings

AnswersMode = Literal["off", "ask", "on"]


def _word(value: Any) -> Any:
    """YAML reads `on` and `off` as yes and no."""
    return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value


class MemorySettings(Frozen):
    """The blackboard of a run, and the answers of its user."""

    blackboard: BoardSettings = BoardSettings()
    """How much of the blackboard a prompt is told; nothing of it is lost."""
    answers: Annotated[AnswersMode, BeforeValidator(_word)] = "off"
    """What a person answered in an earlier run: `off` keeps and uses nothing, `ask` offers it where the same or nearly the same
    is asked in the same application, `on` uses it without asking where exactly the same is asked."""
    answers_days: float = Field(default=180.0, gt=0)
    """How long an answer is good for; what is older is neither offered nor used."""
    answers_file: Path | None = None
    """Where answers are kept; `.deskcrew/answers.sqlite` beside `runs_dir` where nothing is said."""
