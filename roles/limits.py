"""Every number that bounds a run, in one place. Source: seeds 000 and 002."""

from __future__ import annotations

from pydantic import Field

from protocol import Frozen


class Limits(Frozen):
    """Spending one ends the run (or the delegation) in a reported outcome, with the trace kept."""

    plans: int = Field(default=10, ge=1)
    """Planning attempts of the Manager; one more ends the task as rejected (seed 002)."""
    steps: int = Field(default=120, ge=1)
    """Actions of the whole run (seed 002's N)."""
    wall_seconds: float = Field(default=900.0, gt=0)
    """Time at work; time spent waiting for a person does not count."""
    max_steps: int = Field(default=40, ge=1)
    """Observe-plan-act iterations of one delegation (seed 000)."""
    max_recovery_attempts: int = Field(default=4, ge=0)
    """Recovery attempts in a row, without a successful step between them (seed 000)."""
    retries: int = Field(default=2, ge=0)
    """Executions that may time out or fail in one subtask attempt before the Manager plans anew."""
    check_every: int = Field(default=15, ge=1)
    """A PERIODIC_CHECK is due after this many actions of a subtask."""
    reasks: int = Field(default=2, ge=0)
    """How often an unusable decision is asked for again."""
    gates: int = Field(default=60, ge=1)
    """Gate decisions of the whole run."""
    stale_repeats: int = Field(default=3, ge=2)
    """So many identical actions, or actions without visible change, are a stall."""
    min_confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    """Below it a decision needs approval and an element counts as not recognised."""
