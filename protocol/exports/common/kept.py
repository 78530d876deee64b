"""What a format has no field for: kept under one key of ours where it takes more keys, and taken back from there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import ValidationError

from protocol.dialects.common.base import Loss
from protocol.exports.common.base import RunInfo
from protocol.exports.common.lines import listed, mapping, refuse, step_of
from protocol.model.actions import AgentAction
from protocol.model.steps import InteractionStep, Picture

KEY = "deskcrew"
"""The key under which it is kept."""
_FIELDS = frozenset(
    {"timestamp", "step", "run_id", "subtask", "role", "result", "state_id", "after_state_id", "visible_change", "raw"}
)
_STATE = Loss(what="visual_state", why="the elements of the screen are left out; its size, its id and its picture are said")


def kept(step: InteractionStep) -> dict[str, Any]:
    """All of a step but its action, its reason, its pictures and the elements of its screen."""
    dumped = step.model_dump(mode="json", exclude_defaults=True, include=set(_FIELDS))
    return {**dumped, "screen": list(step.visual_state.screen_resolution)}


def kept_pictures(*pictures: Picture | None) -> dict[str, Any]:
    """The pictures of a step with their hashes, to stand beside what is kept; nothing where there are none."""
    there = [picture.model_dump() for picture in pictures if picture]
    return {"pictures": there} if there else {}


def pictures_of(data: object, where: str) -> tuple[Picture, ...]:
    """What `kept_pictures` wrote. Raises BadStep."""
    try:
        return tuple(map(Picture.model_validate, listed(mapping(data).get("pictures"))))
    except ValidationError as bad:
        refuse(f"{where}.pictures", str(bad.errors(include_url=False)[0]["msg"]).removeprefix("Value error, "))


def picture_named(path: object, moment: Literal["before", "after"]) -> tuple[Picture, ...]:
    """The picture of another agent's step, if it is named by a path that can be followed from its log."""
    try:
        return (Picture.model_validate({"path": path, "moment": moment}),)
    except ValidationError:
        return ()


def lost_state(step: InteractionStep) -> list[Loss]:
    """What `kept` leaves out."""
    return [_STATE] if step.visual_state.elements else []


LOST = "lost"
"""The key of `raw` under which stands what was lost when a step was read."""


def lost_in_reading(losses: Sequence[Loss]) -> dict[str, Any]:
    """What stands in `raw` of that; nothing where nothing was lost."""
    return {LOST: [f"{loss.what}: {loss.why}" for loss in losses]} if losses else {}


def taken_back(
    data: object,
    where: str,
    action: AgentAction,
    reasoning: str = "",
    pictures: tuple[Picture, ...] = (),
    **otherwise: Any,
) -> InteractionStep:
    """The step of `action`, with what `kept` put into `data`, or `otherwise` where it is another agent's. Raises BadStep."""
    ours = mapping(data)
    fields = {"timestamp": 0.0, **({name: ours[name] for name in _FIELDS & ours.keys()} if ours else otherwise)}
    screen = ours.get("screen", fields.pop("screen", None))
    path = next((picture.path for picture in pictures if picture.moment == "before"), "")
    state = {"screenshot_path": path, **({} if screen is None else {"screen_resolution": screen})}
    return step_of(where, visual_state=state, action=action, reasoning=reasoning, pictures=pictures, **fields)


def run_facts(info: RunInfo) -> dict[str, str]:
    """What is known of a run, without what nobody has said."""
    facts = {
        "run_id": info.run_id,
        "goal": info.goal,
        "outcome": info.outcome,
        "agent": info.agent,
        "agent_version": info.agent_version,
    }
    return {name: fact for name, fact in facts.items() if fact}


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


def iso(timestamp: float) -> str | None:
    """Seconds since 1970 as ISO 8601; None for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(timestamp, UTC).isoformat().replace("+00:00", "Z")
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
