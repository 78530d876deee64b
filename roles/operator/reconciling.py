"""An action whose process stopped in the middle of it, in a world that keeps no keys: the screen tells whether it was done.

Such an environment answers `pending` for a key that was begun and never ended. Where the action's postcondition holds, it was
done; where nothing of it can be seen, it was not, and is done now under a key of its own; else nobody knows: it stays `pending`,
and before anything like it is tried again a person is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from itertools import count

from environments.effects import released
from protocol import (
    Action,
    ActionResult,
    ActionTarget,
    ExecStatus,
    Fill,
    GUIElement,
    SelectOption,
    TargetError,
    Type,
    VisualState,
    resolve,
)
from protocol.retries import Busy, Retries
from roles.effects import Effect, effect_of
from roles.operator.recovery import words
from roles.operator.repeating import Repeat, has_trace, repeat_class

_TOLD = frozenset({"alert", "status"})
_TITLES = frozenset({"heading", "dialog", "window", "tabpanel", "form"})
_FOUND = "the process stopped in the middle of it; the screen shows that it was done"


class Stands(StrEnum):
    """Whether a postcondition holds."""

    DONE = "done"
    NOT_DONE = "not done"
    UNKNOWN = "unknown"


def reconciled(
    begun: ActionResult,
    action: Action,
    before: VisualState | None,
    expected: str,
    *,
    key: str,
    observe: Callable[[], VisualState],
    perform: Callable[[str], ActionResult],
) -> ActionResult:
    """The result of an action that was begun by another process and perhaps done; `before` is the screen it was decided on."""
    if released(action):  # no screen shows whether a request has left
        return begun
    again = count(1)

    def once() -> ActionResult:
        how = stands(action, before, observe(), expected)
        if how is Stands.DONE:
            return ActionResult(exec_status=ExecStatus.EXECUTED, output=_FOUND)
        if how is Stands.UNKNOWN:
            return begun
        result = perform(f"{key}/again-{next(again)}")
        if result.exec_status is ExecStatus.PENDING:
            raise Busy("nobody knows, again")
        return result

    try:
        return Retries(tries=3, wait=0.0).trying()(once)  # a process may be stopped in the middle of that as well
    except Busy:
        return begun


def stands(action: Action, before: VisualState | None, now: VisualState, expected: str = "") -> Stands:
    """Whether the screen shows that the action was done. `expected` are words that its doer wanted to see afterwards."""
    field = same_control(action.target, now) if action.target is not None else None
    if isinstance(action, Fill | SelectOption) and field is not None and field.value == _wanted(action) and not _sends(action):
        return Stands.DONE
    was = same_control(action.target, before) if before is not None and action.target is not None else None
    effect = effect_of(action, was, before or now)
    if repeat_class(action, effect) is Repeat.SAFE:
        return Stands.NOT_DONE
    if before is None:
        return Stands.UNKNOWN
    if not has_trace(before, now):
        return Stands.NOT_DONE
    if expected and _says(now, expected) and not _says(before, expected):
        return Stands.DONE
    if was is None or _place(before) != _place(now):
        return Stands.UNKNOWN
    done = _answered(action, was, field, before, now) or _brought(was, before, now, anything=effect is Effect.NAVIGATE)
    return Stands.DONE if done else Stands.UNKNOWN


def same_control(target: ActionTarget, seen: VisualState) -> GUIElement | None:
    """What the target means on that screen, if it is there."""
    try:
        return seen.by_id.get(resolve(target, seen).element_id)
    except TargetError:
        return None


def _answered(action: Action, was: GUIElement, field: GUIElement | None, before: VisualState, now: VisualState) -> bool:
    """Whether what is different is what the control itself brings about, or the page's answer to it."""
    if isinstance(action, Type):
        return field is not None and field.value == (was.value or "") + action.text
    if field is None or (was.enabled and not field.enabled):
        return True
    if (was.value, was.selected, was.expanded) != (field.value, field.selected, field.expanded):
        return True
    return (before.modal is None and now.modal is not None) or bool(_named(now, _TOLD) - _named(before, _TOLD))


def _brought(pressed: GUIElement, before: VisualState, now: VisualState, *, anything: bool) -> bool:
    """Whether a title is new, or `anything`, that speaks of what the control is called."""
    roles = None if anything else _TITLES
    return bool(words(pressed.name) & words(" ".join(_named(now, roles) - _named(before, roles))))


def _named(seen: VisualState, roles: frozenset[str] | None) -> set[str]:
    return {e.name for e in seen.elements if roles is None or e.role in roles}


def _wanted(action: Fill | SelectOption) -> str:
    return action.text if isinstance(action, Fill) else action.option


def _sends(action: Action) -> bool:
    return bool(getattr(action, "submit", False))


def _says(seen: VisualState, words: str) -> bool:
    folded = words.casefold()
    return any(folded in (e.text or "").casefold() for e in seen.elements)


def _place(seen: VisualState) -> tuple[object, ...]:
    """Which page of which application: a browser that was opened anew may stand elsewhere, which says nothing of the action."""
    return seen.app, tuple(window.title for window in seen.windows if window.focused)
