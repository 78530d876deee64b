"""Every limit of a run, and when a worker is stalled, in one place. Source: seeds 000 and 002.

What accumulates over a run is a budget, counted, warned of and reported by `roles/journal/budgets.py`; the rest limits
one decision, one action or one delegation.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import Field

from protocol import ExecStatus, Frozen
from roles.contracts.subtasks import StepRecord

Role = Literal["manager", "operator", "technician", "analyst", "evaluator"]
_Count = Annotated[int, Field(ge=1)]
_Amount = Annotated[float, Field(gt=0)]


class Limits(Frozen):
    """Limits of a run. A spent budget ends the run (or the delegation) with a reported outcome; the trace is kept."""

    plans: int = Field(default=10, ge=1)
    """Planning attempts of the Manager; one more ends the task as rejected (seed 002)."""
    replans: int | None = Field(default=None, ge=0)
    """How many of them may follow a failure; 0 ends the run there. None: limited only by `plans`."""
    steps: int = Field(default=120, ge=1)
    """Actions of the whole run (seed 002's N)."""
    wall_seconds: float = Field(default=900.0, gt=0)
    """Time at work; time spent waiting for a person does not count."""
    simulated_seconds: float | None = Field(default=None, gt=0)
    """Time on the environment's own clock, if it has one; None is no limit."""
    recoveries: int | None = Field(default=None, ge=1)
    """Recovery attempts of the whole run; None: limited only by those in a row and by the steps that they take."""
    unusable: int | None = Field(default=None, ge=1)
    """Unusable answers of all roles together that were asked for again; None: limited only by `reasks`."""
    goal_chars: int = Field(default=8_000, ge=1)
    """Characters of a goal, its slots filled; a longer one is not begun."""
    max_steps: int = Field(default=40, ge=1)
    """Observe-plan-act iterations of one delegation (seed 000)."""
    max_recovery_attempts: int = Field(default=4, ge=0)
    """Recovery attempts in a row, without a successful step between them (seed 000)."""
    retries: int = Field(default=2, ge=0)
    """Executions that may time out or fail in one subtask attempt before the Manager replans."""
    check_every: int = Field(default=15, ge=1)
    """A PERIODIC_CHECK is due after this many actions of a subtask."""
    reasks: int = Field(default=2, ge=0)
    """How often an unusable decision is asked for again."""
    gates: int = Field(default=60, ge=1)
    """Gate decisions of the whole run."""
    script_seconds: float = Field(default=20.0, gt=0, le=600)
    """A script of the Technician that runs longer is stopped, and changes nothing."""
    action_seconds: float = Field(default=120.0, gt=0)
    """Time limit of one action or observation of an environment; a simulated desktop has none."""
    script_output: int = Field(default=16_000, ge=100)
    """Characters kept of each of a script's stdout and stderr."""
    tool_output: int = Field(default=20_000, ge=100)
    """Characters kept of the result of one call of a tool or of an app's function."""
    answer_output: int = Field(default=60_000, ge=100)
    """Characters of a model's answer; a longer one is unusable."""
    looks: int = Field(default=2, ge=0)
    """How often in a row a decision may only observe again (SCREENSHOT), without an action in between."""
    stale_repeats: int = Field(default=3, ge=2)
    """This many identical actions, or actions without visible change, are a stall."""
    min_confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    """Below it a decision needs approval and an element counts as not recognised."""
    tokens: int | None = Field(default=None, ge=1)
    """Tokens that all models of the run may read and write together; None is no limit."""
    money: float | None = Field(default=None, gt=0)
    """Cost of all models of the run, in the currency of their prices; None is no limit."""
    role_tokens: dict[Role, _Count] = Field(default_factory=dict)
    """The same for single roles: `{operator: 50000}`."""
    role_money: dict[Role, _Amount] = Field(default_factory=dict)
    role_steps: dict[Role, _Count] = Field(default_factory=dict)
    """Actions of one worker: `{technician: 5}`."""


_INNER = frozenset({"memorize", "answer", "ask_user"})
"""They change the blackboard, not the screen."""
_CALLS = frozenset({"call_api", "ask_in_app_agent", "run_script"})
"""They need show nothing, and are a stall only where they are repeated."""


def stalled(steps: Sequence[StepRecord], repeats: int = 3, shows: Callable[[str], object] = str) -> str:
    """Why the last steps look like a stall, or an empty string.

    Three signs: `repeats` identical actions in a row; A-B-A-B; `repeats` actions (waits aside) without visible change.
    Attempts to recover do not count, and an action that failed is the retry budget's matter. The same action on another screen
    is another one; `shows` gives what counts of a screen. Distinct actions that change something never are a stall.
    """

    def again(some: Sequence[StepRecord]) -> bool:
        if len({_signature(s) for s in some}) > 1:
            return False
        return len({"" if s.action.get("action_type") in _INNER | _CALLS else shows(s.before) for s in some}) < len(some)

    worked = [s for s in steps if s.exec_status is ExecStatus.EXECUTED and not s.recovery]
    acts = [s for s in worked if s.verb not in {"wait", "screenshot"}]
    if len(acts) >= repeats and again(acts[-repeats:]):
        return f"the same action {repeats} times in a row: {acts[-1].verb} {acts[-1].target}".strip()
    if len(acts) >= 4 and again(acts[-4::2]) and again(acts[-3::2]) and _signature(acts[-1]) != _signature(acts[-2]):
        return f"two actions in turn: {acts[-2].verb} {acts[-2].target}, {acts[-1].verb} {acts[-1].target}"
    outer = [s for s in acts if s.verb not in _INNER and s.action.get("action_type") not in _CALLS]
    if len(outer) >= repeats and not any(s.visible_change for s in outer[-repeats:]):
        return f"{repeats} actions without a visible change"
    return ""


def _signature(step: StepRecord) -> tuple[str, str, str]:
    """What makes two actions the same for a person: the verb, the thing and the value; not a frame's element number."""
    rest = {k: v for k, v in step.action.items() if k not in {"target", "delay"}}
    return step.verb, step.target, repr(sorted(rest.items()))
