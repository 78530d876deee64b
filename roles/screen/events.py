"""What a person would notice after an action: the difference of two screens as events. Source: seed 000."""

from __future__ import annotations

from environments.contract import Environment, type_of
from protocol import Action, ActionResult, VisualState
from roles.safety.effects.effects import SENSITIVE, Effect

_NAMED = SENSITIVE | {Effect.SAVE}
_LONG = 240


def effect_verb(action: Action, effect: str) -> str:
    """What the step amounts to: submit, send, save, delete, ... or just the action's verb."""
    return effect if effect in {e.value for e in _NAMED} else action.verb


def target_name(action: Action) -> str:
    """What a step records as its target: the control, or the application."""
    if action.target is not None:
        return action.target.describe()
    return str(action.parameters.get("app") or action.parameters.get("window") or "")


def screen_events(before: VisualState | None, after: VisualState) -> list[dict[str, str]]:
    """Events as `{kind, text}`: popup, loading, validation, alert, status, navigation."""
    known = {(e.role, e.text) for e in before.elements} if before is not None else set()
    events: list[dict[str, str]] = []
    if after.modal is not None and (before is None or _dialog_text(before) != _dialog_text(after)):
        events.append({"kind": "popup", "text": _dialog_text(after)})
    if after.loading:
        events.append({"kind": "loading", "text": f"{after.app} is loading"})
    invalid = {e.name for e in before.elements if e.invalid} if before is not None else set()
    fresh = [e for e in after.elements if e.invalid and e.name not in invalid]
    events += [{"kind": "validation", "text": f"{e.name or e.element_id} is not valid"} for e in fresh]
    any_invalid = any(e.invalid for e in after.elements)
    for element in after.elements:
        if element.role in {"alert", "status"} and element.text and (element.role, element.text) not in known:
            kind = "validation" if element.role == "alert" and any_invalid else str(element.role)
            events.append({"kind": kind, "text": element.text})
    if before is not None and (before.app != after.app or _heading(before) != _heading(after)):
        events.append({"kind": "navigation", "text": " / ".join(part for part in (after.app, _heading(after)) if part)})
    return [{"kind": e["kind"], "text": e["text"][:_LONG]} for e in events[:8]]


def told_by(environment: Environment, action: Action, result: ActionResult) -> list[dict[str, str]]:
    """What a browser tells that no screen shows: files, new tabs, answered dialogs, requests that were stopped."""
    if action.inner or not result.output or type_of(environment) != "browser":
        return []
    return [{"kind": "told", "text": " ".join(result.output.split())[:_LONG]}]


def _heading(state: VisualState) -> str:
    return next((e.name for e in state.elements if e.role == "heading" and e.visible), "")


def _dialog_text(state: VisualState) -> str:
    """Title and words of the dialog on top."""
    if state.modal is None:
        return ""
    dialog = state.by_id.get(state.modal)
    words = [dialog.name if dialog else "", *(e.name for e in state.children(state.modal) if e.role != "button")]
    return " - ".join(dict.fromkeys(w for w in words if w))
