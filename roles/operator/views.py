"""What an Operator's policy is given for one decision: every input of seed 001's page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from environments.contract import Screenshots
from protocol import ActionTarget, BoundingBox, TargetError, VisualState, parse_action, resolve
from roles.context import Context, State
from roles.contracts import Fact, OperatorView, ScreenPicture, StepRecord, Subtask
from roles.journal import Journal
from roles.memory.blackboard_told import board_for_worker
from roles.operator.perceive import subtask_of, titles

SCREEN = "screen"
"""The kind of a fact that stands for a screen."""
_SAVED = 3
_LAST_EVENTS = 6
_EARLIER = 12


def view_of(state: State, ctx: Context, seen: VisualState) -> OperatorView:
    """The request, the subtask, the screen and its pictures, what was done and planned, and all that the crew knows."""
    delegation = state.get("delegation") or {}
    subtask = Subtask.model_validate(ctx.journal.alike(subtask_of(state).model_dump(mode="json")))
    history = ctx.journal.steps(subtask.id, subtask.attempt, limit=30)
    before = ctx.journal.screens.get(history[-1].before) if history else None
    marks = asked_marks(history, seen)
    facts = ctx.journal.facts()
    stopped = state["task_context"].get("batch_stopped")
    events = [event["text"] for event in state["environment_events"][-_LAST_EVENTS:]]
    return OperatorView(
        user_request=ctx.journal.alike(state.get("input") or state["task_goal"]),
        subtask=subtask,
        app=subtask.app,
        seen=seen,
        facts=facts,
        board=board_for_worker(facts, delegation, subtask, ctx.journal, ctx.blackboard),
        history=history,
        previous_subtasks=tuple(delegation.get("previous", ())),
        previous_plan=titles(state),
        context={k: state["task_context"][k] for k in ("page", "values", "fields", "assumptions") if k in state["task_context"]},
        meanings=tuple(state.get("element_interpretations") or ()),
        host_message=delegation.get("message", ""),
        retrieved=ctx.journal.supplements(subtask.id),
        events=(*events, *([stopped] if stopped else [])),
        memory=state["task_context"]["memory"],
        refused=tuple(delegation.get("refused", ())),
        apps=ctx.apps(),
        before=before,
        earlier=_earlier(history, ctx.journal),
        verbs=ctx.skills.verbs(subtask.app),
        functions=ctx.skills.lines(subtask.app, f"{subtask.instruction} {subtask.title}"),
        skills=ctx.skills.offered(subtask.app),
        prefer=ctx.skills.settings.preferred(subtask.app, subtask.id),
        screenshots=_pictures(seen, marks, _last_box(history, before, seen)) if isinstance(ctx.environment, Screenshots) else (),
        marks=marks,
        saved=_saved(facts, ctx.journal),
        notes=ctx.say.notes("operator"),
    )


def _earlier(history: Sequence[StepRecord], journal: Journal) -> tuple[VisualState, ...]:
    ids = list(dict.fromkeys(i for step in reversed(history) for i in (step.after, step.before) if i))[:_EARLIER]
    return tuple(screen for screen in map(journal.screens.get, ids) if screen is not None)


def looks(history: Sequence[StepRecord]) -> int:
    """How many of the last steps did nothing but look again because a decision asked for it."""
    count = 0
    for step in reversed(history):
        if step.recovery or step.action["action_type"] != "screenshot":
            break
        count += 1
    return count


def asked_marks(history: Sequence[StepRecord], seen: VisualState) -> tuple[str, ...]:
    """The elements that the last step wanted marked, as far as they are on the screen still."""
    last = history[-1].action if history else {}
    return tuple(name for name in last.get("marks", ()) if name in seen.by_id)


def _pictures(seen: VisualState, marks: tuple[str, ...], last: BoundingBox | None) -> tuple[ScreenPicture, ...]:
    clean = ScreenPicture(kind="clean", state_id=seen.state_id)
    marked = ScreenPicture(kind="annotated", state_id=seen.state_id, marks=marks)
    if last is None:
        return clean, marked
    return clean, marked, ScreenPicture(kind="last_target", state_id=seen.state_id, last=last)


def _last_box(history: Sequence[StepRecord], before: VisualState | None, seen: VisualState) -> BoundingBox | None:
    """Where the last target was, on a screen of the same application."""
    if not history or before is None or before.app != seen.app:
        return None
    target: ActionTarget | None = parse_action(history[-1].action).target
    if target is None:
        return None
    try:
        element = before.by_id.get(resolve(target, before).element_id)
    except TargetError:
        return None
    return element.bbox if element is not None else None


def _saved(facts: Sequence[Fact], journal: Journal) -> tuple[VisualState, ...]:
    kept = [fact.state_id for fact in facts if fact.kind == SCREEN and fact.state_id][-_SAVED:]
    found = (journal.screens.written(state_id) for state_id in kept)
    return tuple(screen for screen in found if screen is not None)


def keep_screen(ctx: Context, seen: VisualState, said: str, *, subtask: str, step: int, why: str = "") -> None:
    """Put the screen on the blackboard: a fact that names it, says what it shows, and why it was kept."""
    heading = next((e.name for e in seen.elements if e.role == "heading" and e.visible), "")
    shows = said or ": ".join(part for part in (seen.app or "the desktop", heading) if part)
    place: dict[str, Any] = {"app": seen.app, "state_id": seen.state_id, "subtask": subtask, "step": step}
    fact = Fact(name=f"screen at step {step}", value=shows[:300], kind=SCREEN, source="screen", reason=why[:160], **place)
    ctx.journal.remember(fact)
    if ctx.gallery is not None:
        ctx.gallery.keep(seen, "asked", role="operator", subtask=subtask, step=step)
