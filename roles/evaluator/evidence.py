"""The evidence of one gate, gathered by code before anybody judges: what was expected, what changed, what moved, what it took."""

from __future__ import annotations

from collections import Counter

from protocol import ExecStatus, VisualState
from protocol.prompt_form import diff_form
from roles.contracts import Checked, EffectSeen, Expectation, GateEvidence, GateRequest, StepRecord, Subtask, TextShown
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.evaluator.provenance import Screen, unfounded
from roles.screen.calls import is_call
from roles.screen.evidence import check, done_of, views

LATELY = 4
"""Steps that count as the last ones."""
_DIFF = 300
"""Tokens of what is different on the screen."""


def gather(request: GateRequest, screen: Screen | None = None) -> GateEvidence:
    """Each expectation before and after, the visible difference, progress and efficiency; at the end where values come from.

    `screen` finds an older screen by its id; without it only those that the request holds are known.
    """
    known = {state.state_id: state for state in views(request)}
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
        idle=sum(s.exec_status is ExecStatus.EXECUTED and not s.visible_change and not works_unseen(s) for s in steps),
        repeated=sum(count - 1 for count in Counter(str(s.action) for s in steps).values()),
        recoveries=len(request.steps) - len(steps),
        unfounded=unfounded(request, screen or known.get) if request.trigger is GateTrigger.FINAL_CHECK else (),
    )


def progress(request: GateRequest) -> tuple[str, ...]:
    """Steps of late that did something new: to a screen that was not there before, or by a call or script made once."""
    known = {s.after for s in request.steps[:-LATELY]} | {s.before for s in request.steps[:1]}
    made = [str(s.action) for s in request.steps]
    fresh = {s.step for s in request.steps if works_unseen(s) and made.count(str(s.action)) == 1}
    return tuple(
        f"step:{s.step}"
        for s in request.steps[-LATELY:]
        if (s.visible_change and s.after not in known) or (s.step in fresh and s.exec_status is ExecStatus.EXECUTED)
    )


def _after_effects(subtask: Subtask, wanted: TextShown, request: GateRequest) -> GateRequest:
    """What was seen from the last effect on that the text is expected after."""
    before = [e for e in subtask.expect[: subtask.expect.index(wanted)] if isinstance(e, EffectSeen)]
    last = max((step.step for effect in before for step in done_of(effect, request)[-1:]), default=0)
    return request.model_copy(update={"steps": tuple(s for s in request.steps if s.step >= last)})


def works_unseen(step: StepRecord) -> bool:
    """Whether it does its work without a screen: a call, a script."""
    return is_call(step) or step.action.get("action_type") == "run_script"


def own(subtask: Subtask, request: GateRequest) -> GateRequest:
    """The request with the steps of this subtask alone, and what was seen by them: another's work is no evidence for it."""
    steps = tuple(s for s in request.steps if s.subtask == subtask.id)
    seen = {i for s in steps for i in (s.before, s.after)}
    return request.model_copy(update={"steps": steps, "earlier": tuple(s for s in request.earlier if s.state_id in seen)})


def _before(request: GateRequest) -> VisualState | None:
    """The screen on which the work began, while it is known."""
    first: StepRecord | None = request.steps[0] if request.steps else None
    return next((state for state in views(request) if first is not None and state.state_id == first.before), None)


def _checked(subtask: Subtask, expectation: Expectation, request: GateRequest, before: VisualState | None) -> Checked:
    if request.subtask is None and isinstance(expectation, EffectSeen | TextShown):
        request = own(subtask, request)
    if isinstance(expectation, TextShown):
        request = _after_effects(subtask, expectation, request)
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
