"""What came of it: the result of one action, and one line of a log. Sources: seeds 002 and 004."""

from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, JsonValue, field_validator

from protocol.model.actions import AgentAction
from protocol.model.elements import VisualState
from protocol.model.geometry import Frozen
from protocol.model.targets import Resolved

PROTOCOL_VERSION: Final = "0.1"


class ExecStatus(StrEnum):
    """Status of one command (seed 002)."""

    EXECUTED = "executed"
    TIMEOUT = "timeout"
    ERROR = "error"
    PENDING = "pending"


class ActionResult(Frozen):
    """What the environment says of an action. A failure that can be planned around is a value, not an exception."""

    exec_status: ExecStatus
    error: str = ""
    output: str = ""
    resolved: Resolved | None = None

    @property
    def ok(self) -> bool:
        return self.exec_status is ExecStatus.EXECUTED


class Picture(Frozen):
    """A picture that belongs to a step, and whether it was taken before or after the action."""

    path: str = Field(min_length=1)
    """Relative to the log, with forward slashes; never the picture itself."""
    sha256: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    moment: Literal["before", "after"] = "before"

    @field_validator("path")
    @classmethod
    def _relative(cls, path: str) -> str:
        if path.startswith(("/", "data:")) or "\\" in path or ":" in path.split("/")[0] or ".." in path.split("/"):
            raise ValueError(f"a picture is named by a path relative to the log, not {path[:80]!r}")
        return path


def picture_file(folder: Path, path: str) -> Path | None:
    """The file of a picture that a log in `folder` names; None where there is none.

    Who wrote a log may not point out of its folder, by `..`, by an absolute path or by a link, nor at what is no file.
    """
    try:
        found = (folder / path).resolve(strict=True)  # else what stands behind a circle of links is not followed
        return found if found.is_relative_to(folder.resolve()) and found.is_file() else None
    except (OSError, ValueError, RuntimeError):  # ValueError: a null character; RuntimeError: links in a circle
        return None


class InteractionStep(Frozen):
    """One line of `log.jsonl`: what was seen, what was done, why, and what came of it."""

    protocol_version: Literal["0.1"] = PROTOCOL_VERSION
    timestamp: float
    visual_state: VisualState
    """Seen *before* the action."""
    action: AgentAction
    step: int = Field(default=0, ge=0)
    run_id: str = ""
    subtask: str = ""
    role: str = ""
    reasoning: str = ""
    result: ActionResult | None = None
    state_id: str = ""
    after_state_id: str = ""
    visible_change: bool | None = None
    """Whether the next observation differed; None when there was none."""
    pictures: tuple[Picture, ...] = ()
    raw: dict[str, JsonValue] = Field(default_factory=dict)
    """What another log's line held and this one has no field for; kept as it was."""
