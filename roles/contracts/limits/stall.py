"""Has a worker stopped making progress? Pure, over its last steps. Sources: seeds 000 and 002."""

from __future__ import annotations

from collections.abc import Sequence

from protocol import ExecStatus
from roles.contracts import StepRecord

_INNER = frozenset({"memorize", "answer", "ask_user"})
"""They change the blackboard, not the screen."""
_CALLS = frozenset({"call_api", "ask_in_app_agent", "run_script"})
"""They need show nothing, and are a stall only where they are repeated."""


def stalled(steps: Sequence[StepRecord], repeats: int = 3) -> str:
    """Why the last steps look like a stall, or an empty string.

    Three signs: `repeats` identical actions in a row; A-B-A-B; `repeats` actions (waits aside) without visible change.
    Attempts to recover do not count, and an action that failed is the retry budget's matter.
    Distinct actions that change something never are one.
    """
    worked = [s for s in steps if s.exec_status is ExecStatus.EXECUTED and not s.recovery]
    acts = [s for s in worked if s.verb not in {"wait", "screenshot"}]
    names = [_signature(s) for s in acts]
    if len(names) >= repeats and len(set(names[-repeats:])) == 1:
        return f"the same action {repeats} times in a row: {acts[-1].verb} {acts[-1].target}".strip()
    if len(names) >= 4 and names[-4:-2] == names[-2:] and names[-1] != names[-2]:
        return f"two actions in turn: {acts[-2].verb} {acts[-2].target}, {acts[-1].verb} {acts[-1].target}"
    outer = [s for s in acts if s.verb not in _INNER and s.action.get("action_type") not in _CALLS]
    if len(outer) >= repeats and not any(s.visible_change for s in outer[-repeats:]):
        return f"{repeats} actions without a visible change"
    return ""


def _signature(step: StepRecord) -> tuple[str, str, str]:
    """What makes two actions the same for a person: the verb, the thing and the value; not a frame's element number."""
    rest = {k: v for k, v in step.action.items() if k not in {"target", "delay"}}
    return step.verb, step.target, repr(sorted(rest.items()))
