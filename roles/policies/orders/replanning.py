"""Another plan after something went wrong: what is done stays, and what failed is tried once more, or given up."""

from __future__ import annotations

from roles.contracts import PlanAnswer, PlanRequest, Subtask
from roles.contracts.orders import CreateStep, FillStep, PressStep, Step
from roles.contracts.signals import SubtaskStatus
from roles.policies.orders.stages import changes, group_of

_OPEN = {SubtaskStatus.READY, SubtaskStatus.PENDING}


def with_notes(request: PlanRequest) -> str:
    """The goal with what the user has said since, as if it had been said so at once."""
    words = [*request.user_words, *(note.words for note in request.notes if note.for_plans)]
    answers = [found.text for found in request.supplements if found.source == "user"]
    said = [word.strip(" .") for word in (*words, *answers) if word.strip(" .")]
    return ". ".join([request.goal.rstrip(". "), *said]) + "." if said else request.goal


def replan(request: PlanRequest, *, more: bool) -> PlanAnswer:
    """Nothing left, a second attempt at what failed, or why there is none."""
    failed = next((s for s in request.plan if s.id == request.failed and s.status is not SubtaskStatus.FULFILLED), None)
    said = "; ".join(request.evidence)
    if request.trigger == "issues_found":
        return PlanAnswer(outcome="infeasible", reason=f"the final check found: {said or 'issues'}")
    if failed is None:
        waiting = [s for s in request.plan if s.status in _OPEN]
        if not waiting:
            return PlanAnswer(outcome="nothing_left", reason="every subtask is fulfilled")
        return PlanAnswer(outcome="planned", subtasks=request.plan, more=more, reason="the plan goes on")
    if request.trigger == "approval_rejected" or request.refused:
        words = f'; the user said: "{request.user_words[-1]}"' if request.user_words else ""
        what = request.refused[-1] if request.refused else failed.title
        return PlanAnswer(outcome="infeasible", reason=f"not allowed: {what}{words}")
    tries = sum(1 for s in request.plan if group_of(s.id) == group_of(failed.id) and s.title == failed.title)
    done = request.trigger == "gate_fail" and any(once(step) for step in failed.steps)
    if tries >= 2 or done or sum(map(changes, failed.steps)) > 1:
        return PlanAnswer(outcome="infeasible", reason=f"{failed.title}: {said or 'it did not work'}")
    return PlanAnswer(outcome="planned", subtasks=_again(request, failed, said), more=more, reason="it is tried once more")


def once(step: Step) -> bool:
    """Whether doing it a second time would do more than the first."""
    return isinstance(step, PressStep) or (isinstance(step, FillStep | CreateStep) and step.commit in {"send", "submit"})


def _again(request: PlanRequest, failed: Subtask, said: str) -> tuple[Subtask, ...]:
    """The plan with a new attempt in the place of what failed."""
    hint = (f"an earlier attempt failed: {said[:300]}",) if said else ()
    name = f"{failed.id.split('-')[0]}-{2}"
    fresh = failed.model_copy(
        update={"id": name, "status": SubtaskStatus.READY, "attempt": 0, "result": "", "hints": (*failed.hints, *hint)}
    )
    rest = []
    for subtask in request.plan:
        if subtask.id == failed.id:
            rest.append(fresh)
        else:
            waits = tuple(name if one == failed.id else one for one in subtask.depends_on)
            rest.append(subtask.model_copy(update={"depends_on": waits}) if subtask.status in _OPEN else subtask)
    return tuple(rest)
