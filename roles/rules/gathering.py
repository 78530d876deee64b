"""The evidence of one gate, gathered by code before anybody judges: what was expected, what changed, what moved, what it took."""

from __future__ import annotations

from collections import Counter

from protocol import ExecStatus, VisualState
from protocol.prompt_form import diff_form
from roles.contracts import Checked, Expectation, GateEvidence, GateRequest, StepRecord, Subtask
from roles.rules.evidence import check, views
from roles.signals import SubtaskStatus

LATELY = 4
"""Steps that count as the last ones."""
_DIFF = 300
"""Tokens of what is different on the screen."""


def gather(request: GateRequest) -> GateEvidence:
    """Each expectation before and after, the visible difference, progress and efficiency."""
    steps = [s for s in request.steps if not s.recovery]
    subtasks = [request.subtask] if request.subtask else [s for s in request.plan if s.status is not SubtaskStatus.REJECTED]
    before = _before(request)
    return GateEvidence(
        checked=tuple(_checked(subtask, expectation, request, before) for subtask in subtasks for expectation in subtask.expect),
        before=f"state:{before.state_id}" if before else "",
        after=f"state:{request.screens[-1].state_id}" if request.screens else "",
        changed=_changed(before, request.screens[-1]) if before and request.screens else "",
        progress=progress(request),
        steps=len(request.steps),
        failed=sum(s.exec_status is not ExecStatus.EXECUTED for s in steps),
        idle=sum(s.exec_status is ExecStatus.EXECUTED and not s.visible_change for s in steps),
        repeated=sum(count - 1 for count in Counter(str(s.action) for s in steps).values()),
        recoveries=len(request.steps) - len(steps),
    )


def progress(request: GateRequest) -> tuple[str, ...]:
    """Steps of late that changed something new: a screen that was not there before."""
    known = {s.after for s in request.steps[:-LATELY]} | {s.before for s in request.steps[:1]}
    return tuple(f"step:{s.step}" for s in request.steps[-LATELY:] if s.visible_change and s.after not in known)


def _before(request: GateRequest) -> VisualState | None:
    """The screen on which the work began, while it is known."""
    first: StepRecord | None = request.steps[0] if request.steps else None
    return next((state for state in views(request) if first is not None and state.state_id == first.before), None)


def _checked(subtask: Subtask, expectation: Expectation, request: GateRequest, before: VisualState | None) -> Checked:
    found = check(expectation, request)
    others = tuple(fact for fact in request.facts if fact.subtask != subtask.id)
    then = request.model_copy(update={"screens": (before,) if before else (), "earlier": (), "steps": (), "facts": others})
    return Checked(
        subtask=subtask.id,
        expectation=expectation,
        held_before=check(expectation, then).holds,
        holds=found.holds,
        evidence=found.evidence,
        missing=found.missing,
    )


def _changed(before: VisualState, after: VisualState) -> str:
    return "" if before.state_id == after.state_id else diff_form(before, after, budget=_DIFF).text
