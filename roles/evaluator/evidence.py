"""The evidence of one gate, gathered by code before anybody judges: what was expected, what changed, what moved, what it took."""

from collections.abc import Callable, Iterable

from protocol import ExecStatus, VisualState
from roles.contracts import (
    CheckedExpectation,
    EffectSeen,
    Expectation,
    FactKnown,
    GateEvidence,
    GateRequest,
    StepRecord,
    Subtask,
    TextShown,
)
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.evaluator.provenance import unfounded
from roles.screen.calls import INNER, changes_something, is_call, looks_only
from roles.screen.evidence import Screens, check, done_of, learned_by, screens_of

LATELY = 4
"""Steps that count as the last ones."""
_AT_FIRST = 8
"""Screens of the way to the first change."""


def gather(request: GateRequest, screen: Screens | None = None) -> GateEvidence:
    """Each expectation before and after, the visible difference, progress and efficiency; at the end where values come from.

    `screen` finds an older screen by its id; without it only those that the request holds are known.
    """
    find = screens_of(request, screen)
    steps = [s for s in request.steps if not s.recovery]
    subtasks = [request.subtask] if request.subtask else [s for s in request.plan if s.status is not SubtaskStatus.REJECTED]
    before = find(request.steps[0].before) if request.steps else None

    def screens(names: Iterable[str]) -> tuple[VisualState, ...]:
        return tuple(state for name in dict.fromkeys(names) if (state := find(name)) is not None)

    def at_first(subtask: Subtask) -> tuple[VisualState, ...]:
        """What was seen before the first step of a subtask that changed something: nothing on it came of the work."""
        mine = [s for s in request.steps if s.subtask == subtask.id]
        until = next((n for n, step in enumerate(mine) if changes_something(step)), len(mine))
        return screens([*(s.before for s in mine[: until + 1]), *(s.after for s in mine[:until])])[:_AT_FIRST]

    whole = request
    if request.subtask and request.subtask.expect:  # every screen of the subtask is read for them, and for nothing else
        seen = screens(i for s in reversed(steps) for i in (s.after, s.before))
        whole = request.model_copy(update={"earlier": (*request.earlier, *(s for s in seen if s not in request.earlier))})
    return GateEvidence(
        checked=tuple(_checked(subtask, e, whole, at_first) for subtask in subtasks for e in subtask.expect),
        before=f"state:{before.state_id}" if before else "",
        after=f"state:{request.screens[-1].state_id}" if request.screens else "",
        progress=progress(request),
        steps=len(request.steps),
        failed=sum(s.exec_status is not ExecStatus.EXECUTED for s in steps),
        idle=sum(
            s.exec_status is ExecStatus.EXECUTED and not (s.visible_change or works_unseen(s) or s.verb in INNER) for s in steps
        ),
        repeated=_repeated(steps),
        recoveries=len(request.steps) - len(steps),
        unfounded=unfounded(request, find) if request.trigger is GateTrigger.FINAL_CHECK else (),
    )


def _repeated(steps: Iterable[StepRecord]) -> int:
    """How many did again what an earlier one had done: by a call that changes something, on the same screen, or to no effect."""
    count, made = 0, set[tuple[str, str]]()
    for s in steps:
        action = str(s.action)
        again = (action, "") in made and (works_unseen(s) or not s.visible_change)
        count += (again or (action, s.before) in made) and not looks_only(s)
        made |= {(action, ""), (action, s.before)}
    return count


def progress(request: GateRequest) -> tuple[str, ...]:
    """Steps of late that did something new: to a screen that was not there before, or by a call or script made once."""
    known = {s.after for s in request.steps[:-LATELY]} | {s.before for s in request.steps[:1]}
    made = [str(s.action) for s in request.steps]
    if request.subtask is not None and any(step.skill in {"collect", "find"} for step in request.subtask.steps):
        known = set()  # a list is gone through from its first page, whichever was seen before
    fresh = {s.step for s in request.steps if works_unseen(s) and made.count(str(s.action)) == 1}
    return tuple(
        f"step:{s.step}"
        for s in request.steps[-LATELY:]
        if (s.visible_change and s.after not in known) or (s.step in fresh and s.exec_status is ExecStatus.EXECUTED)
    )


def works_unseen(step: StepRecord) -> bool:
    """Whether it does its work without a screen: a call, a script."""
    return is_call(step) or step.action.get("action_type") == "run_script"


def own(subtask: Subtask, request: GateRequest) -> GateRequest:
    """The request with the steps of this subtask alone, and what was seen by them: another's work is no evidence for it."""
    steps = tuple(s for s in request.steps if s.subtask == subtask.id)
    seen = {i for s in steps for i in (s.before, s.after)}
    return request.model_copy(update={"steps": steps, "earlier": tuple(s for s in request.earlier if s.state_id in seen)})


def _checked(
    subtask: Subtask, expectation: Expectation, request: GateRequest, at_first: Callable[[Subtask], tuple[VisualState, ...]]
) -> CheckedExpectation:
    others = tuple(fact for fact in request.facts if fact.subtask != subtask.id)
    then = request.model_copy(update={"screens": at_first(subtask), "earlier": (), "steps": (), "facts": others})
    found = check(expectation, _counting(subtask, expectation, request))
    return CheckedExpectation(
        subtask=subtask.id, expectation=expectation, held_before=check(expectation, then).holds,
        holds=found.holds, evidence=found.evidence, missing=found.missing,
    )  # fmt: skip


def _counting(subtask: Subtask, expectation: Expectation, request: GateRequest) -> GateRequest:
    """The request with what counts for an expectation: of effects and texts the subtask's own steps, of a text those from the
    last effect on that it is expected after, and of facts none that an attempt which was given up left where these steps learn
    it."""
    if request.subtask is None and isinstance(expectation, EffectSeen | TextShown):
        request = own(subtask, request)
    if isinstance(expectation, TextShown):
        effects = [e for e in subtask.expect[: subtask.expect.index(expectation)] if isinstance(e, EffectSeen)]
        last = max((step.step for effect in effects for step in done_of(effect, request)[-1:]), default=0)
        request = request.model_copy(update={"steps": tuple(s for s in request.steps if s.step >= last)})
    if isinstance(expectation, FactKnown):
        mine = learned_by(subtask)
        failed = {s.id for s in request.plan if s.status is SubtaskStatus.REJECTED and s.id != subtask.id}
        facts = tuple(f for f in request.facts if f.name not in mine or f.subtask not in failed)
        request = request.model_copy(update={"facts": facts})
    return request
