"""Several actions of one decision: each is worked as a step of its own, and the first surprise ends the rest.

The queue is plain JSON in `task_context["batch"]`, so it is in the checkpoint from which a killed run goes on.
"""

from collections.abc import Sequence

from typing_extensions import TypedDict

from protocol import (
    Action,
    ActionTarget,
    ExecStatus,
    Fill,
    GUIElement,
    JsonObject,
    OperatorDecision,
    PressKey,
    SelectOption,
    Type,
    VisualState,
    parse_action,
    target_element,
)
from roles.contracts import StepRecord
from roles.operator.recovery import has_trace
from roles.screen.calls import GRAVE_EVENTS


class Anchor(TypedDict):
    """What a target was on the screen of the decision."""

    role: str | None
    text: str | None
    box: JsonObject | None
    alone: bool
    """Nothing else on the screen has its role and its name."""


class BatchStep(TypedDict, total=False):
    """One action of the batch, and what is to be seen after it."""

    action: JsonObject
    expected: str
    anchors: dict[str, Anchor | None]


class Batch(TypedDict):
    """What is left of a decision of several actions."""

    doing: BatchStep
    left: list[BatchStep]
    of: int
    app: str | None
    window: str | None
    modal: str | None
    reasoning: str
    confidence: float


_OFF_SCREEN = frozenset({"call_api", "ask_in_app_agent", "memorize", "answer", "ask_user"})
"""Verbs that neither need the screen nor have to change it."""
_WITHOUT_EFFECT = _OFF_SCREEN | {"wait", "screenshot", "hover", "scroll"}
"""Verbs after which the screen may well be as it was."""
_SELECTING = frozenset({("Control", "a"), ("Meta", "a"), ("ControlOrMeta", "a")})
"""Keys that select a text, of which elements tell nothing."""
_WRITTEN = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
"""A press on one of these has its effect when it has the focus."""


def batch_of(decision: OperatorDecision, seen: VisualState) -> Batch | None:
    """What follows the decision's own action, with how each target looks now; None for a decision of one action."""
    if not decision.then or decision.action is None:
        return None
    left: list[BatchStep] = [
        {
            "action": step.action.dump(),
            "expected": step.expected,
            "anchors": {name: _anchor(element, seen) for name, element in _elements(step.action, seen).items()},
        }
        for step in decision.then
    ]
    return {
        "doing": {"action": decision.action.dump(), "expected": decision.expected},
        "left": left,
        "of": len(left) + 1,
        "app": seen.app,
        "window": _window(seen),
        "modal": seen.modal,
        "reasoning": decision.reasoning[:300],
        "confidence": decision.confidence,
    }


def surprise(batch: Batch, steps: Sequence[StepRecord], before: VisualState | None, seen: VisualState) -> str:
    """Why the next action of the batch may not be done as it was decided, or an empty string."""
    last = steps[-1] if steps else None
    if last is None or last.exec_status is not ExecStatus.EXECUTED:
        return f"the action before it failed: {last.error}" if last is not None else "the action before it was not done"
    if last.action != batch["doing"]["action"]:
        return "another action was done instead of the one before it"
    return _screen_surprise(batch, seen) or _effect_surprise(batch["doing"], last, before, seen) or _target_surprise(batch, seen)


def advanced(batch: Batch, seen: VisualState) -> tuple[OperatorDecision, Batch | None]:
    """The next action as a decision, on what its targets are by now, and the batch that is left after it."""
    step, *rest = batch["left"]
    number = batch["of"] - len(rest)
    action = {**step["action"]}
    for name, then in step["anchors"].items():
        target = ActionTarget.model_validate(action[name])
        element = target_element(target, seen)
        if then is not None and (element is None or not _same(element, then)) and (only := _only(then, seen)) is not None:
            action[name] = ActionTarget.of(only).model_dump(mode="json", exclude_none=True)
    decision = OperatorDecision.model_validate(
        {
            "action": action,
            "status": "CONTINUE",
            "reasoning": f"{number} of {batch['of']} decided together: {batch['reasoning']}"[:300],
            "expected": step["expected"],
            "confidence": batch["confidence"],
        }
    )
    doing: BatchStep = {"action": parse_action(action).dump(), "expected": step["expected"]}
    return decision, ({**batch, "doing": doing, "left": rest} if rest else None)


def _screen_surprise(batch: Batch, seen: VisualState) -> str:
    if seen.modal is not None and seen.modal != batch["modal"]:
        dialog = seen.by_id.get(seen.modal)
        return f'a dialog opened: "{dialog.name if dialog else seen.modal}"'
    if parse_action(batch["left"][0]["action"]).verb in _OFF_SCREEN:
        return ""
    if seen.app != batch["app"] or _window(seen) != batch["window"]:
        return f"another window is in front: {seen.app or 'the desktop'}"
    return f"{seen.app} is loading" if seen.loading else ""


def _effect_surprise(doing: BatchStep, last: StepRecord, before: VisualState | None, seen: VisualState) -> str:
    """Whether the last action shows what it should: its words, its value, or at least a change."""
    if wrong := next((event for event in last.events if event.startswith(GRAVE_EVENTS)), ""):
        return f"the screen says {wrong}"
    expected = " ".join(doing["expected"].casefold().split())
    if expected:
        shown = " ".join(f"{e.name} {e.value or ''}" for e in seen.elements if e.visible).casefold()
        return "" if expected in " ".join(shown.split()) else f'"{doing["expected"]}" is not to be seen'
    action = parse_action(doing["action"])
    if action.verb in _WITHOUT_EFFECT or (isinstance(action, PressKey) and action.keys in _SELECTING):
        return ""
    element = target_element(action.target, seen)
    if (
        element is not None
        and element.value is not None
        and not element.private
        and isinstance(action, Fill | Type | SelectOption)
    ):
        wanted = action.option if isinstance(action, SelectOption) else action.text
        holds = wanted == element.value if isinstance(action, Fill) else wanted in element.value
        return "" if holds or action.parameters.get("submit") else f'"{element.name}" holds {element.value!r}, not {wanted!r}'
    if element is not None and (element.selected or (element.focused and element.role in _WRITTEN)):
        return ""
    if before is not None and not has_trace(before, seen):
        return "the action before it changed nothing"
    return ""


def _target_surprise(batch: Batch, seen: VisualState) -> str:
    step = batch["left"][0]
    now = _elements(parse_action(step["action"]), seen)
    for name, then in step["anchors"].items():
        element = now[name]
        if then is None:
            return "its target was not on the screen when it was decided"
        only = _only(then, seen)
        if element is None and only is None:
            return f'its target "{then["text"]}" is gone'
        if element is not None and only is None and not _same(element, then):
            return f'its target "{then["text"]}" is now "{element.text}"'
        if element is not None and only is None and _box(element) != then["box"]:
            return f'its target "{then["text"]}" has moved'
        element = only or element
        if element is not None and not (element.visible and element.enabled):
            return f'its target "{then["text"]}" cannot be used now'
    return ""


def _same(element: GUIElement, then: Anchor) -> bool:
    return (element.role, element.text) == (then["role"], then["text"])


def _only(then: Anchor, seen: VisualState) -> GUIElement | None:
    """What has its role and its name where nothing else has or had: it may stand elsewhere, and is the same thing."""
    alike = [element for element in seen.elements if then.get("alone") and then["text"] and _same(element, then)]
    return alike[0] if len(alike) == 1 else None


def _elements(action: Action, seen: VisualState) -> dict[str, GUIElement | None]:
    """What each target of the action is on this screen."""
    targets = {name: getattr(action, name, None) for name in ("target", "to")}
    return {name: target_element(target, seen) for name, target in targets.items() if isinstance(target, ActionTarget)}


def _anchor(element: GUIElement | None, seen: VisualState) -> Anchor | None:
    if element is None:
        return None
    alike = sum((other.role, other.text) == (element.role, element.text) for other in seen.elements)
    return {"role": element.role, "text": element.text, "box": _box(element), "alone": alike == 1}


def _box(element: GUIElement) -> JsonObject | None:
    return element.bbox.model_dump(mode="json") if element.bbox else None


def _window(seen: VisualState) -> str | None:
    return next((window.window_id for window in seen.windows if window.focused), None)
