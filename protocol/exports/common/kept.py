"""What formats make of a step: its pictures before and after, and what they have no field for.

What one step leaves is what the next one finds. The rest is kept under one key of ours, and taken back from there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from protocol import ActionResult, AgentAction, InteractionStep, JsonObject, Picture
from protocol.dialects import Context, DialectError, Loss, ParsedPayload, dialect
from protocol.exports.common.base import ExportResult, Pictures, Run, RunInfo
from protocol.exports.common.lines import checked, listed, mapping, placed, step_of
from protocol.log.versions import BadStep

KEY = "deskcrew"
"""The key under which it is kept."""
_FIELDS = frozenset(
    {"timestamp", "step", "run_id", "subtask", "role", "result", "state_id", "after_state_id", "visible_change", "raw"}
)
_STATE = Loss(what="visual_state", why="the elements of the screen are left out; its size, its id and its picture are said")


def fields_of(step: InteractionStep, *pictures: Picture | None) -> JsonObject:
    """All of a step but its action, its reason and the elements of its screen; of the pictures those that there are, with their
    hashes."""
    dumped = step.model_dump(mode="json", exclude_defaults=True, include=set(_FIELDS))
    there = [picture.model_dump() for picture in pictures if picture]
    return {**dumped, "screen": list(step.visual_state.screen_resolution), **({"pictures": there} if there else {})}


def pictures_of(data: object, where: str) -> tuple[Picture, ...]:
    """The pictures that `fields_of` wrote. Raises BadStep."""
    found = listed(mapping(data).get("pictures"))
    return tuple(checked(Picture, each, f"{where}.pictures[{n}]") for n, each in enumerate(found))


def picture_named(path: object, moment: Literal["before", "after"]) -> tuple[Picture, ...]:
    """The picture of another agent's step, if it is named by a path that can be followed from its log."""
    try:
        return (Picture.model_validate({"path": path, "moment": moment}),)
    except ValidationError:
        return ()


def lost_state(step: InteractionStep) -> list[Loss]:
    """What `fields_of` leaves out."""
    return [_STATE] if step.visual_state.elements else []


LOST = "lost"
"""The key of `raw` under which stands what was lost when a step was read."""


def lost_in_reading(losses: Sequence[Loss]) -> JsonObject:
    """What stands in `raw` of that; nothing where nothing was lost."""
    return {LOST: [f"{loss.what}: {loss.why}" for loss in losses]} if losses else {}


def taken_back(
    data: object, where: str, action: AgentAction, reasoning: str = "", pictures: tuple[Picture, ...] = (), **otherwise: Any
) -> InteractionStep:
    """The step of `action`, with what `fields_of` put into `data`, or `otherwise` where it is another agent's. Raises BadStep."""
    ours = mapping(data)
    fields = {"timestamp": 0.0, **({name: ours[name] for name in _FIELDS & ours.keys()} if ours else otherwise)}
    screen = ours.get("screen", fields.pop("screen", None))
    path = next((picture.path for picture in pictures if picture.moment == "before"), "")
    state = {"screenshot_path": path, **({} if screen is None else {"screen_resolution": screen})}
    return step_of(where, visual_state=state, action=action, reasoning=reasoning, pictures=pictures, **fields)


def run_facts(info: RunInfo) -> dict[str, str]:
    """What is known of a run, without what nobody has said."""
    return {name: fact for name, fact in asdict(info).items() if fact}


def info_of(facts: object, **otherwise: object) -> RunInfo:
    """The run that `run_facts` told, or else another agent's; what is no text, or no known outcome, is nobody's word."""
    given = facts if isinstance(facts, dict) else otherwise

    def text(name: str) -> str:
        value = given.get(name)
        return value if isinstance(value, str) else ""

    outcome = given.get("outcome")
    return RunInfo(
        run_id=text("run_id"),
        goal=text("goal"),
        outcome="fulfilled" if outcome == "fulfilled" else "rejected" if outcome == "rejected" else "",
        agent=text("agent"),
        agent_version=text("agent_version"),
    )


def formatted(timestamp: float, form: str = "") -> str | None:
    """Seconds since 1970 in that form, or as ISO 8601; None for a time that no calendar has."""
    try:
        when = datetime.fromtimestamp(timestamp, UTC)
        return when.strftime(form) if form else when.isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return None


def from_iso(text: object) -> float:
    """Seconds since 1970; 0 for what is no time. Without a zone, UTC."""
    if not isinstance(text, str):
        return 0.0
    try:
        when = datetime.fromisoformat(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


_GONE = Loss(what="picture", why="the file that the log names is not there")


def read_as(name: str, said: Any, context: Context, where: str) -> ParsedPayload:
    """What the dialect of that name reads in a part of a file. Raises BadStep at that place."""
    try:
        return dialect(name).read(said, context)
    except DialectError as bad:
        raise BadStep((placed(bad, where),)) from None


def outcome_of(result: ActionResult | None) -> str:
    """What came of an action, for people."""
    return "" if result is None else "\n".join(text for text in (str(result.exec_status), result.error, result.output) if text)


class Frame(NamedTuple):
    """A step between two pictures; None where nobody took one."""

    step: InteractionStep
    before: Picture | None
    after: Picture | None


def frames(steps: Iterable[InteractionStep], pictures: Pictures, losses: Counter[Loss]) -> Iterator[Frame]:
    """Every step with its pictures, one step behind: the picture before a step stands for a missing one after the last."""
    waiting: Frame | None = None
    for step in steps:
        taken: list[Picture | None] = []
        for moment in _MOMENTS:
            try:
                found = pictures.of(step, moment)
            except (ValidationError, OSError):  # a path that is not relative, or that no file system takes
                found = None
            named = any(picture.moment == moment for picture in step.pictures)
            if found is None and (named or (moment == "before" and step.visual_state.screenshot_path)):
                losses[_GONE] += 1
            taken.append(found)
        before, after = taken
        if waiting is not None:
            before = before or (waiting.after and waiting.after.model_copy(update={"moment": "before"}))
            if waiting.after is None and before is not None:
                waiting = waiting._replace(after=before.model_copy(update={"moment": "after"}))
            yield waiting
        waiting = Frame(step, before, after)
    if waiting is not None:
        yield waiting


_MOMENTS: tuple[Literal["before", "after"], ...] = ("before", "after")


def sized(step: InteractionStep) -> bool:
    """Whether the screen has a size: without one no place on it can be worked out."""
    return min(step.visual_state.screen_resolution) > 0


def context_of(step: InteractionStep) -> Context:
    """What a dialect may know of the step. Raises DialectError for a screen of no size."""
    if not sized(step):
        raise DialectError("", "screen_resolution", "the screen has no size")
    return Context(state=step.visual_state)


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
