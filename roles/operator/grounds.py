"""What an action is judged by beside itself: the element that it means, and what the crew was told and has seen."""

from __future__ import annotations

from collections.abc import Iterator

from protocol import Action, GUIElement, TargetError, VisualState, resolve
from roles.context import Context, State
from roles.contracts import StepOrigin
from roles.safety import Grounds


def element_of(action: Action, seen: VisualState) -> tuple[GUIElement | None, str]:
    """The element the action means, or why there is none."""
    if action.target is None:
        return None, ""
    try:
        return seen.by_id.get(resolve(action.target, seen).element_id), ""  # a bare point may lie on nothing
    except TargetError as missing:
        return None, str(missing)


def grounds_of(state: State, ctx: Context) -> Grounds:
    """What the values of an action may come from. What is not at hand is read only when a rule asks for it."""
    return Grounds(
        said=lambda: _said(state, ctx),
        facts=ctx.journal.facts(),
        supplements=ctx.journal.supplements,
        screens=lambda: _screens(ctx),
        steps=_steps(state),
    )


def _steps(state: State) -> tuple[StepOrigin, ...]:
    told = ((state.get("delegation") or {}).get("subtask") or {}).get("origin") or ()
    return tuple(StepOrigin.model_validate(origin) for origin in told)


def _said(state: State, ctx: Context) -> list[str]:
    """The user's words: the goal, and what they said to requests since."""
    goal = (state.get("delegation") or {}).get("goal") or state.get("task_goal") or ""
    notes = [note.words for role in ("operator", "manager") for note in ctx.say.notes(role)]
    return [goal, *ctx.journal.words(), *notes]


def _screens(ctx: Context) -> Iterator[VisualState]:
    """The latest screen of each application, newest first."""
    for state_id in reversed(ctx.journal.screens.latest().values()):
        if (screen := ctx.journal.screens.get(state_id)) is not None:
            yield screen
