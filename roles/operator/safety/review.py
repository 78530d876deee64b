"""The Operator's safety stage: what policy, confidence and earlier attempts say of the pending action. Source: seed 000."""

from collections import Counter

from environments.effects import released
from protocol import Action, AskUser, GUIElement, VisualState, describe
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import TraceNote
from roles.contracts.requests import Pending, pending_of
from roles.contracts.signals import Signal
from roles.journal.events import Json
from roles.operator.perceive import DECIDED, FINALIZE, attempt_of, current_screen, element_ref, ended, safety_of, subtask_id
from roles.operator.recovery import asked_anew, doubt
from roles.operator.safety.approval import answered, record_review, to_be_asked
from roles.operator.safety.interruption import previewed
from roles.operator.safety.permits import element_of, grounds_of, own_work, told_of, with_permit
from roles.safety import Review, review
from roles.safety.destinations import page_host
from roles.safety.review import shown

_WHOLE = frozenset({"form", "dialog", "alertdialog", "search"})
_PARTS = frozenset({"row", "listitem", "article", "group", "treeitem"})
_PASSING = frozenset({"status", "alert", "log", "timer", "progressbar", "meter", "tooltip", "note", "img"})
"""What may say something else at any time, and is no part of what is approved."""
_BEFORE, _AFTER = 8, 3
"""Elements around a control that stands in nothing."""
_TOLD = 80


def unlike(shown: VisualState, element: GUIElement, now: VisualState, found: GUIElement) -> str:
    """What is different around the control since it was shown, in words; empty where nothing is."""
    then_host, host = page_host(shown), page_host(now)
    if then_host != host:
        return f"the page is on {host or 'no site'} now, and was on {then_host or 'none'}"
    if element.leads != found.leads:
        return f"it leads to {found.leads or 'nowhere'} now, and did to {element.leads or 'nowhere'}"
    if element.shown != found.shown:
        return f"it shows {found.shown or found.name!r} now, and did {element.shown or element.name!r}"
    before, after = _around(shown, element), _around(now, found)
    gone, fresh = before - after, after - before
    if not gone and not fresh:
        return ""
    if gone and fresh:
        return f"{_words(gone)} is now {_words(fresh)}"
    return f"{_words(gone)} is gone" if gone else f"{_words(fresh)} is new"


def _words(said: Counter[tuple[str, str]]) -> str:
    name, value = next(iter(said))
    return repr(f"{name} {value}".strip()[:_TOLD])


def _around(state: VisualState, element: GUIElement) -> Counter[tuple[str, str]]:
    """Names and values of what stands with the control: in its form or dialog, in its row, else next to it."""
    above = [e for e in state.above(element) if e.role in _WHOLE | _PARTS]
    holder = next((e for e in above if e.role in _WHOLE), above[0] if above else None)
    if holder is not None:
        near = [e for e in state.within(holder) if e is not element]
    else:
        at = next(n for n, e in enumerate(state.elements) if e.element_id == element.element_id)
        near = [*state.elements[max(0, at - _BEFORE) : at], *state.elements[at + 1 : at + 1 + _AFTER]]
    return Counter((e.name, e.value or "") for e in near if e.role not in _PASSING and (e.name or e.value))


def review_action_safety(state: State, ctx: Context) -> Update:
    """Check the pending action against policy, risk and confidence; write the intent that everything later is bound to."""
    if state.get("route") in DECIDED or not state.get("pending_action"):
        return {"route": state["route"] if state.get("pending_action") else FINALIZE}
    pending = pending_of(state)
    seen = current_screen(state, ctx)
    action = pending.does
    element, missing = element_of(action, seen)
    found = _judge(state, ctx, action, element, seen, pending)
    anew: Update = {}
    if found.verdict != "deny":
        intent = ctx.journal.intend(pending.key, action)
        if intent.digest != ctx.journal.digest(action):
            action = intent.action
            anew = {"task_context": state["task_context"] | {"memory": {}}}  # it speaks of what was decided, and this is done
            element, missing = element_of(action, seen)
            found = _judge(state, ctx, action, element, seen, pending)
    pending = pending.but(missing=missing, element=element_ref(element))
    if found.verdict != "deny":
        judged = element or next((e for e in seen.elements if e.focused), None)
        pending, found = with_permit(ctx, pending, action, found, judged)
    unable = missing or pending.changed or ctx.skills.problem(action)
    if unable and found.verdict == "ask":  # nothing will be done, and that is recovered from
        found = found.model_copy(update={"verdict": "allow", "policy": "nothing_there_to_act_on"})
    if isinstance(action, AskUser) and found.verdict == "ask" and (known := answered(ctx.journal, action.question)) is not None:
        found = found.model_copy(update={"verdict": "allow", "policy": "answered_before"})
        pending = pending.but(answer=known.value)
    changes, digest = shown(found.changes), ctx.journal.digest(action)
    told: Json = {"page": found.page, "changes": changes}
    finding = record_review(state, ctx, pending.key, digest, found, describe(action), step=pending.step, **told)
    hidden = element is not None and safety_of(state, ctx).is_private(element)
    line = describe(action, hide_text=hidden)
    pending = pending.but(
        action=action.dump(),
        digest=digest,
        effect=found.effect.value,
        line=line,
        before=seen.state_id,
        leads=(element.leads or "") if element is not None else "",
        private=hidden,
        page=found.page,
        changes=changes,
    )
    first, *later = state["action_plan"] or [{}]
    rated = {"action_plan": [first | {"risk": found.severity}, *later]} if "type" in first else {}
    update = anew | rated | _verdict(state, ctx, pending, found, finding.body())
    if not state.get("delegation"):
        ctx.journal.commit()  # without a hub a checkpoint may say that this is done
    return update


def _judge(state: State, ctx: Context, action: Action, element: GUIElement | None, seen: VisualState, pending: Pending) -> Review:
    policy, skills = safety_of(state, ctx), ctx.skills
    sure: Json = {"confidence": pending.confidence, "confirm": pending.confirm}
    effects, unrated = skills.effects(action, element, seen), skills.unrated(action)
    effects = pending.effects if released(action) else own_work(ctx, policy, action, element, seen) or effects
    changes = None if skills.settled(action) else previewed(ctx, action)
    subject = (action, element, seen, policy)
    found = review(*subject, grounds=grounds_of(state, ctx), effects=effects, unrated=unrated, changes=changes, **sure)
    if ctx.journal.outcome(pending.key) is not None:  # done by a process before this one: nothing of it is left to allow
        return found.model_copy(update={"verdict": "allow", "policy": "done_before", "reasons": ()})
    if released(action):
        if not effects:
            why = "only a request that an environment holds can be released, and none is named"
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
    if found.verdict == "ask" and not pending.confirm and ctx.journal.approved(pending.key, ctx.journal.digest(action)):
        return found.model_copy(update={"verdict": "allow"})
    return found


def _verdict(state: State, ctx: Context, pending: Pending, found: Review, finding: Json) -> Update:
    findings = state["safety_findings"] + ([finding] if found.verdict != "allow" else [])
    if found.verdict == "deny":
        why = f"{pending.line} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
        note: TraceNote = {"step": pending.step, "line": pending.line, "status": "blocked"}
        end = ended(state, Signal.CANNOT_EXECUTE, "blocked", why, refused=pending.line)
        return end | {"safety_findings": findings, "action_trace": [*state["action_trace"], note]}
    if not pending.held:
        ctx.line.passing(Signal.GENERATE_ACTION, step=pending.step, key=f"generate/{pending.key}")
    if found.verdict == "allow":
        return {"pending_action": pending.dump(), "needs_approval": False, "safety_findings": findings, "route": "execute_action"}
    return to_be_asked(state, ctx, pending, found, role="operator") | {"safety_findings": findings}
