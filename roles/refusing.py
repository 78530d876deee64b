"""A worker that cannot do its work yet, and says so."""

from __future__ import annotations

from roles.context import Context, State, Update
from roles.contracts import Report
from roles.nodes import Stage
from roles.signals import Signal


def refusing(role: str, reason: str) -> Stage:
    """A stage that reports `cannot_execute` with the reason, for the Manager to plan with."""

    def work(state: State, ctx: Context) -> Update:
        ctx.journal.record("error", {"message": reason}, role=role, subtask=state["delegation"]["subtask"]["id"])
        summary = f"the {role} cannot execute this: {reason}"
        report = Report(signal=Signal.CANNOT_EXECUTE, summary=summary, evidence=[reason])
        return {"report": report.model_dump(mode="json")}

    return work
