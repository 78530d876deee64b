"""The picture before and after each step: what one step leaves is what the next one finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from protocol.dialects import dialect
from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.exports.common.base import ExportResult, Pictures, Run
from protocol.exports.common.kept import lost_state
from protocol.model.steps import InteractionStep, Picture

_GONE = Loss(what="picture", why="the file that the log names is not there")


class Frame(NamedTuple):
    """A step between two pictures; None where nobody took one."""

    step: InteractionStep
    before: Picture | None
    after: Picture | None


def frames(steps: Iterable[InteractionStep], pictures: Pictures, losses: Counter[Loss]) -> Iterator[Frame]:
    """Every step with its pictures, one step behind: the picture before a step stands for a missing one after the last."""
    waiting: Frame | None = None
    for step in steps:
        before, after = (_picture(step, moment, pictures, losses) for moment in _MOMENTS)
        if waiting is not None:
            before = before or (waiting.after and waiting.after.model_copy(update={"moment": "before"}))
            if waiting.after is None and before is not None:
                waiting = waiting._replace(after=before.model_copy(update={"moment": "after"}))
            yield waiting
        waiting = Frame(step, before, after)
    if waiting is not None:
        yield waiting


_MOMENTS: tuple[Literal["before", "after"], ...] = ("before", "after")


def _picture(
    step: InteractionStep, moment: Literal["before", "after"], pictures: Pictures, losses: Counter[Loss]
) -> Picture | None:
    try:
        found = pictures.of(step, moment)
    except (ValidationError, OSError):  # a path that is not relative, or that no file system takes
        found = None
    named = any(picture.moment == moment for picture in step.pictures)
    if found is None and (named or (moment == "before" and step.visual_state.screenshot_path)):
        losses[_GONE] += 1
    return found


def sized(step: InteractionStep) -> bool:
    """Whether the screen has a size: without one no place on it can be worked out."""
    return min(step.visual_state.screen_resolution) > 0


def context_of(step: InteractionStep, variant: str | None = None) -> Context:
    """What a dialect may know of the step. Raises DialectError for a screen of no size."""
    if not sized(step):
        raise DialectError("", "screen_resolution", "the screen has no size")
    return Context(state=step.visual_state, variant=variant)


class SpokenFrame(NamedTuple):
    """A step between two pictures, as a dialect says its action."""

    number: int
    frame: Frame
    payload: Any


def spoken(run: Run, path: Path, name: str, exported: ExportResult) -> Iterator[SpokenFrame]:
    """The steps of a run that the dialect can say; what it cannot is counted as lost, and so are the elements of the screen."""
    for index, frame in enumerate(frames(run.steps, Pictures(run.folder, path), exported.losses)):
        try:
            written = dialect(name).write(frame.step.action, context_of(frame.step))
        except DialectError as no:
            exported.unsaid(no)
            continue
        exported.losses.update([*written.losses, *lost_state(frame.step)])
        exported.steps += 1
        yield SpokenFrame(index, frame, written.payload)
