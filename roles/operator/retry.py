"""Whether an action may be tried again after an attempt whose outcome nobody knows (seed 000's retries).

Every verb has a class: doing it twice is the same as doing it once, or it is not. What is not is repeated only when the
screen, read back, shows no trace of the first attempt; else a person says whether.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from environments.contract import STOPPED
from environments.effects import released
from protocol import CARRIES, Action, ExecStatus, GUIElement, VisualState, parse_action
from roles.contracts import StepRecord
from roles.safety.effects import Effect
from roles.screen.events import target_name
from roles.skills.contract import Idempotence, Skill


class Repeat(StrEnum):
    """What it means to do a thing twice."""

    SAFE = "safe"
    """The second time makes nothing different: a field is filled, an application opened."""
    READ_BACK = "read_back"
    """The second time adds to the first: a press, keys, a drag, a script."""


REPEATS: dict[str, Repeat] = {
    **dict.fromkeys(
        ("fill", "select_option", "hover", "launch_app", "switch_window", "navigate", "wait", "screenshot", "memorize", "answer"),
        Repeat.SAFE,
    ),
    **dict.fromkeys(("ask_user", "finish_goal", "fail_goal", "mouse_up", "key_up", "scroll"), Repeat.SAFE),
    **dict.fromkeys(
        ("click", "mouse_down", "drag", "type", "press_key", "hold_key", "key_down", "go_back", "go_forward", "tabs", "upload"),
        Repeat.READ_BACK,
    ),
    **dict.fromkeys(("call_api", "ask_in_app_agent", "run_script"), Repeat.READ_BACK),
}
"""Every verb of the protocol; one of somebody else's (`x-`) is READ_BACK."""
CHANGED = "the screen changed after the approval"
"""How an error begins that says why an approval did not hold."""
_NOT_DONE = ("target not found", "not performed", STOPPED, CHANGED)
"""How the Operator itself says that an action never reached the environment."""
_PASSING = frozenset({"alert", "status", "progressbar", "tooltip", "timer"})
"""Roles of what passes, and what a failure itself may show; a status that is new counts all the same."""
_RECENT = 8


def repeat_class(action: Action, effect: Effect, skill: Skill | None = None) -> Repeat:
    """The class of an action: by its verb; a field that is sent is not safe, and a press that only looks is.

    What is called is as its skill says.
    """
    if skill is not None and skill.kind != "gui":
        return Repeat.READ_BACK if skill.idempotence is Idempotence.ONCE else Repeat.SAFE
    if getattr(action, "submit", False):
        return Repeat.READ_BACK
    return Repeat.SAFE if effect is Effect.OBSERVE else REPEATS.get(action.verb, Repeat.READ_BACK)


def doubt(
    action: Action,
    element: GUIElement | None,
    effect: Effect,
    seen: VisualState,
    steps: Sequence[StepRecord],
    screen: Callable[[str], VisualState | None],
    skill: Skill | None = None,
) -> str:
    """Why this action needs a person before it is tried again, or an empty string. `steps` are those of the attempt."""
    if repeat_class(action, effect, skill) is Repeat.SAFE:
        return ""
    first = next((s for s in reversed(steps[-_RECENT:]) if _same(s, action, element, effect)), None)
    if first is None or first.exec_status is ExecStatus.EXECUTED or first.error.startswith(_NOT_DONE):
        return ""
    said = first.error or first.exec_status.value
    if released(action) or (skill is not None and skill.outside):  # no screen shows what a program of others has done
        return f"it was called at step {first.step} ({said}), and it may have been done already"
    before, after = screen(first.before), screen(first.after)
    if before is not None and after is not None and not (has_trace(before, after) or has_trace(before, seen)):
        return ""
    return f"it was tried at step {first.step} ({said}), and the screen was another one afterwards: it may have been done already"


def asked_anew(action: Action, element: GUIElement | None, effect: Effect, steps: Sequence[StepRecord]) -> str:
    """Why the approval of the same action did not hold the last time, or an empty string."""
    last = next((s for s in reversed(steps[-_RECENT:]) if _same(s, action, element, effect)), None)
    return f"it is asked about anew: {last.error}" if last is not None and last.error.startswith((STOPPED, CHANGED)) else ""


def _same(step: StepRecord, action: Action, element: GUIElement | None, effect: Effect) -> bool:
    """The same thing done to the same control, by whichever verb: a press by key is a press."""
    before = parse_action(step.action)
    names = {target_name(action), *([element.name] if element is not None else [])}
    if step.target not in names or _carried(before) != _carried(action):
        return False
    return step.verb == effect.value or (before.verb, before.parameters) == (action.verb, action.parameters)


def _carried(action: Action) -> dict[str, object]:
    return {name: value for name, value in action.parameters.items() if name in CARRIES}


def has_trace(before: VisualState, after: VisualState) -> bool:
    """Whether something is on the screen that was not, or is no longer; a status that went away says nothing."""
    held, holds = _shown(before), _shown(after)
    return held != holds or bool(_statuses(after) - _statuses(before))


def _shown(state: VisualState) -> tuple[object, ...]:
    """What a screen holds, without its messages, its focus and its places."""
    held = sorted((e.role or "", e.name, e.value or "", e.selected) for e in state.elements if e.role not in _PASSING)
    return state.app, state.modal is not None, tuple(held)


def _statuses(state: VisualState) -> set[str]:
    return {e.name for e in state.elements if e.role == "status"}
