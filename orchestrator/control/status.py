"""How a run stands, as far as can be seen from outside: by its report, and by who holds it now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.control.channel import Holder, holder_of
from orchestrator.control.lease import CREW_PAUSED, CREW_WAITS, told, works

PAUSED, TAKEN_OVER, RUNNING, CANCELLED = "paused", "taken_over", "running", "cancelled"
HOLDING_STILL = frozenset({PAUSED, TAKEN_OVER})
_ENDED = frozenset({"fulfilled", "rejected"})
_STAYING = {CREW_PAUSED: PAUSED, CREW_WAITS: TAKEN_OVER}


class RunStatus(NamedTuple):
    """Read from files; nothing is opened for it, and nobody is asked."""

    state: str
    """running; paused, taken_over or on_hold (it waits for an answer); interrupted; fulfilled, rejected or cancelled."""
    reason: str
    holder: Holder | None
    """Who works it now."""

    @property
    def ended(self) -> bool:
        return self.state in {*_ENDED, CANCELLED}


def reported(report: Mapping[str, Any]) -> tuple[str, str]:
    """State and reason by the report alone."""
    status = str(report.get("status", "interrupted"))
    if status == "rejected" and report.get("ended_by") == CANCELLED:
        status = CANCELLED
    return status, str(report.get("reason", "it was stopped before it could report; resume it"))


def standing(folder: Path, report: Mapping[str, Any]) -> RunStatus:
    """How the run of a folder stands; `report` is its `report.json`, empty where there is none."""
    state, reason = reported(report)
    found = RunStatus(state, reason, None)
    if found.ended:
        return found
    holder = holder_of(folder)
    if holder is None or not works(holder):
        return found
    return RunStatus(_STAYING.get(holder.doing, RUNNING), f"worked by {told(holder)}", holder)
