"""The Operator's safety stage: what policy, confidence and earlier attempts say of the pending action. Source: seed 000."""

from __future__ import annotations

from typing import Any

from environments.effects import Effect, released
from protocol import Action, AskUser, GUIElement, VisualState, describe, parse_action
from roles.context import Context, State, Update
from roles.memory.answers_used import note_recall, recall
from roles.memory.blackboard_fact import MEMORY
from roles.operator.approval import record_request
from roles.operator.grounds import element_of, grounds_of
from roles.operator.guarding import own_work, told_of, with_permit
from roles.operator.perceive import attempt_of, current_screen, element_ref, safety_of, subtask_id
from roles.operator.permission import reviewed_key
from roles.operator.previewing import previewed
from roles.operator.questions import answered, is_secret
from roles.operator.repeating import asked_anew, doubt
from roles.operator.state import FINALIZE
from roles.safety import Review, review
from roles.safety.changes import shown
from roles.signals import Signal


def review_action_safety(state: State, ctx: Context) -> Update:
    """Check the pending action against policy, risk and confidence; write the intent that everything later is bound to."""
    pending = state.get("pending_action")
    if state.get("route") == FINALIZE or not pending:
        return {"route": FINALIZE}
    seen = current_screen(state, ctx)
    action = parse_action(pending["action"])
    element, missing = element_of(action, seen)
    found = _judge(state, ctx, action, element, seen, pending)
    if found.verdict != "deny":
        intent = ctx.journal.intend(pending["key"], action)
        if intent.digest != ctx.journal.digest(action):
            action = intent.action
            element, missing = element_of(action, seen)
            found = _judge(state, ctx, action, element, seen, pending)
    pending = pending | {"missing": missing, "element": element_ref(element)}
    if found.verdict != "deny":
        judged = element or next((e for e in seen.elements if e.focused), None)
        pending, found = with_permit(ctx, pending, action, found, judged)
    unable = missing or pending.get("changed") or ctx.skills.problem(action)
    if unable and found.verdict == "ask":  # nothing will be done, and that is recovered from
        found = found.model_copy(update={"verdict": "allow", "policy": "nothing_there_to_act_on"})
    if isinstance(action, AskUser) and found.verdict == "ask" and (known := answered(ctx.journal, action.question)) is not None:
        found = found.model_copy(update={"verdict": "allow", "policy": "answered_before"})
        before = {"recalled": {"from": known.source_name}} if known.role == MEMORY else {}
        pending = pending | {"answer": known.value, "again": True} | before
    elif isinstance(action, AskUser) and found.verdict == "ask":
        found, pending = _remembered(state, ctx, action, found, pending, seen.app)
    finding = {
        "policy": found.policy,
        "severity": found.severity,
        "verdict": found.verdict,
        "effect": found.effect.value,
        "reasons": list(found.reasons),
        "action": describe(action),
        **({"page": found.page} if found.page else {}),
        **({"changes": changes} if (changes := shown(found.changes)) else {}),
    }
    ctx.journal.record(
        "reviewed",
        finding,
        role="operator",
        subtask=subtask_id(state),
        step=pending["step"],
        key=reviewed_key(pending["key"], found.verdict, ctx.journal.digest(action)),
    )
    hidden = element is not None and safety_of(state, ctx).is_private(element)
    line = describe(action, hide_text=hidden)
    pending = pending | {
        "action": action.dump(),
        "digest": ctx.journal.digest(action),
        "effect": found.effect.value,
        "line": line,
        "before": seen.state_id,
        "leads": (element.leads or "") if element is not None else "",
        "private": hidden,
        "page": found.page,
        "changes": changes,
    }
    first, *later = state["action_plan"] or [{}]
    rated = {"action_plan": [first | {"risk": found.severity}, *later]} if "type" in first else {}
    return rated | _verdict(state, ctx, pending, found, finding)


def _remembered(
    state: State, ctx: Context, ask: AskUser, found: Review, pending: dict[str, Any], app: str | None
) -> tuple[Review, dict[str, Any]]:
    """What the user answered in an earlier run: used where the settings say so and exactly this was asked, else offered."""
    known = recall(ctx, ask, app, secret=is_secret(ask, safety_of(state, ctx)))
    if known is None:
        return found, {key: value for key, value in pending.items() if key != "remembered"}
    if ctx.answers.mode != "on" or not known["exact"]:
        return found, pending | {"remembered": known}
    note_recall(ctx, ask, known, subtask=subtask_id(state), step=pending["step"])
    used = pending | {"answer": known["value"], "recalled": known}
    return found.model_copy(update={"verdict": "allow", "policy": "answered_in_an_earlier_run"}), used


def _judge(
    state: State, ctx: Context, action: Action, element: GUIElement | None, seen: VisualState, pending: dict[str, Any]
) -> Review:
    policy, skills = safety_of(state, ctx), ctx.skills
    sure = {"confidence": pending["confidence"], "confirm": pending["confirm"]}
    effects, unrated = skills.effects(action, element, seen), skills.unrated(action)
    if released(action):
        effects = tuple(map(Effect, pending.get("effects", ())))
    else:
        effects = own_work(ctx, policy, action, element, seen) or effects
    changes = None if skills.settled(action) else previewed(ctx, action)
    subject = (action, element, seen, policy)
    found = review(*subject, grounds=grounds_of(state, ctx), effects=effects, unrated=unrated, changes=changes, **sure)
    if released(action):
        if not effects:
            why = "only what an environment holds can be let go, and nobody names it"
            no = {"verdict": "deny", "policy": "no_such_request", "severity": "high", "reasons": (why,)}
            return found.model_copy(update=no)
        found = told_of(pending, found)
    if why := skills.forbidden(action, (element.app if element is not None else None) or seen.app):
        return found.model_copy(update={"verdict": "deny", "policy": "skills_forbid", "severity": "high", "reasons": (why,)})
    steps = ctx.journal.steps(subtask_id(state), attempt_of(state), limit=12)
    if found.verdict != "deny" and (
        why := doubt(action, element, found.effect, seen, steps, ctx.journal.screens.get, skills.of(action))
    ):
        return found.model_copy(update={"verdict": "ask", "policy": "unknown_outcome_before", "reasons": (why, *found.reasons)})
    if found.verdict == "ask" and (again := asked_anew(action, element, found.effect, steps)):
        found = found.model_copy(update={"reasons": (again, *found.reasons)})
    if found.verdict == "ask" and not pending["confirm"] and ctx.journal.approved(pending["key"], ctx.journal.digest(action)):
        return found.model_copy(update={"verdict": "allow"})
    return found


def _verdict(state: State, ctx: Context, pending: dict[str, Any], found: Review, finding: dict[str, Any]) -> Update:
    trace_note = {"step": pending["step"], "line": pending["line"], "status": "blocked"}
    findings = state["safety_findings"]
    if found.verdict != "allow":
        findings = [*findings, finding]
    if found.verdict == "deny":
        why = f"{pending['line']} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
        report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": why, "evidence": [why], "refused": pending["line"]}
        return {
            "pending_action": None,
            "safety_findings": findings,
            "interaction_status": "blocked",
            "report": report,
            "action_trace": [*state["action_trace"], trace_note],
            "route": FINALIZE,
        }
    if not pending.get("held"):
        ctx.line.passing(Signal.GENERATE_ACTION, step=pending["step"], key=f"generate/{pending['key']}")
    if found.verdict == "allow":
        ctx.journal.commit()  # before a checkpoint says that this is done
        return {"pending_action": pending, "needs_approval": False, "safety_findings": findings, "route": "execute_action"}
    record_request(state, ctx, pending, found, role="operator")
    ctx.journal.commit()
    return {
        "pending_action": pending,
        "needs_approval": True,
        "safety_findings": findings,
        "interaction_status": "needs_approval",
        "route": "request_human_approval",
    }
