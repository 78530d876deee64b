"""The Evaluator's rules policy: evidence first, then a verdict. What a worker says of itself counts for nothing."""

from __future__ import annotations

import re

from protocol import ExecStatus, VisualState
from roles.contracts import EffectSeen, FactKnown, FieldHas, GateRequest, GateVerdict, Subtask
from roles.contracts.orders import WaitStep
from roles.contracts.policies import MOST_STEPS
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.evaluator.evidence import LATELY, gather, own, progress
from roles.screen.evidence import Finding, check, expected_value, holds, listed, shown_for_it
from roles.screen.matching import similarity
from roles.screen.screens import FIELD_ROLES, Screen
from roles.screen.values import same_value

_MORE = re.compile(r"(?:next(?: page)?|(?:load|show) more|more results|older)\s*[›»>]?", re.IGNORECASE)
_LOOKING = frozenset({"scroll", "hover", "wait", "screenshot", "go_back", "go_forward", "switch_window", "launch_app", "tabs"})
"""Verbs of somebody who does not know where to press."""
_UNABLE = re.compile(r"\b(?:how to|where|no button|no field|no way|is not known)\b")
_BAD_STATUS = re.compile(r"\b(?:returned|rejected|failed|refused|bounced|needs? changes|undeliverable|declined)\b", re.IGNORECASE)


class RulesEvaluator:
    """Deterministic. Checks each expectation against observations and names the evidence."""

    def judge(self, request: GateRequest) -> GateVerdict:
        match request.trigger:
            case GateTrigger.WORKER_SUCCESS:
                return _success(request)
            case GateTrigger.PERIODIC_CHECK:
                return _periodic(request)
            case GateTrigger.WORKER_STALE:
                return _stale(request)
            case GateTrigger.FINAL_CHECK:
                return _final(request)


def _evidence(findings: list[Finding], request: GateRequest) -> tuple[str, ...]:
    ids = [e for finding in findings for e in finding.evidence]
    if not ids and request.screens:
        ids = [f"state:{request.screens[-1].state_id}"]
    return tuple(dict.fromkeys(ids))[:12]


def _success(request: GateRequest) -> GateVerdict:
    findings = [Finding(c.holds, c.evidence, c.missing) for c in (request.found or gather(request)).checked]
    missing = [f.missing for f in findings if not f.holds]
    evidence = _evidence(findings, request)
    shown = _complaints(request.screens[-1]) if request.screens else []
    undone = request.found.undone if request.found is not None else ()
    complaints = [*undone, *_partial(request), *_failed_last(request), *shown]
    if missing and request.screens and request.screens[-1].loading:
        reason = f"{request.screens[-1].app} is still loading: {missing[0]}"
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason=reason, evidence=evidence)
    if not missing and not complaints:
        reason = f"all {len(findings)} expectations hold" if findings else "the worker finished and nothing speaks against it"
        return GateVerdict(decision=Signal.GATE_DONE, reason=reason, evidence=evidence)
    issues = tuple([*missing, *complaints])
    return GateVerdict(decision=Signal.GATE_FAIL, reason="; ".join(issues), evidence=evidence, issues=issues)


def _partial(request: GateRequest) -> list[str]:
    """A list that is seen to go on is not known as a whole, nor is one that an earlier subtask left for this one to do anew."""
    if request.subtask is None or request.subtask.steps:  # a typed step that collects turns all pages itself
        return []
    expected = {(s.id, e.name) for s in (request.subtask, *request.plan) for e in s.expect if isinstance(e, FactKnown)}
    taken = {fact.name for fact in request.facts if fact.kind == "table" and (fact.subtask, fact.name) in expected}
    wanted = [e.name for e in request.subtask.expect if isinstance(e, FactKnown) and e.name in taken]
    more = [e.name for e in (request.screens[-1].elements if request.screens else ()) if e.enabled and _MORE.fullmatch(e.name)]
    return [f'"{wanted[-1]}" was taken while "{more[0]}" shows that there is more'] if wanted and more else []


def _failed_last(request: GateRequest) -> list[str]:
    """Who ends on an action that did not work is not done, unless the screen shows that it did."""
    work = [s for s in request.steps if not s.recovery]
    if not work or work[-1].exec_status is ExecStatus.EXECUTED or shown_for_it(work[-1]):
        return []
    return [f"the last action did not work: {work[-1].verb} {work[-1].target} ({work[-1].error})"]


def _periodic(request: GateRequest) -> GateVerdict:
    moved = progress(request)
    if moved or not request.steps:
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason="the last steps changed the screen", evidence=moved)
    if _waits(request):
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason="the step says to wait this long")
    if request.subtask and request.subtask.expect and (done := _success(request)).decision is Signal.GATE_DONE:
        return done
    last = f"step:{request.steps[-1].step}"
    reason = _pictured(f"no visible progress in the last {min(LATELY, len(request.steps))} steps", request)
    if query := _help_query(request):
        return GateVerdict(decision=Signal.GATE_SUPPLEMENT, reason=reason, evidence=(last,), query=query)
    return GateVerdict(decision=Signal.GATE_FAIL, reason=reason, evidence=(last,), issues=(reason,))


def _waits(request: GateRequest) -> bool:
    """Whether it is the worker's task to wait, which it does within its own limit, and it waits."""
    task = request.subtask
    return task is not None and any(isinstance(step, WaitStep) for step in task.steps) and request.steps[-1].verb == "wait"


def _stale(request: GateRequest) -> GateVerdict:
    """One more chance while something moves, then help if there was none yet, then another plan.

    The same action again and again is progress only where each time something else came of it, as when pages are turned.
    """
    moved, lately = progress(request), request.steps[-LATELY:]
    repeats = len(lately) >= LATELY and len({str(s.action) for s in lately}) <= 2 and len(moved) < len(lately)
    if moved and not repeats:
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason="the last steps still changed something", evidence=moved)
    last = (f"step:{request.steps[-1].step}",) if request.steps else ()
    reason = _pictured(f"no visible progress: {request.summary or 'the last actions changed nothing'}", request)
    query = _help_query(request)
    if query:
        return GateVerdict(decision=Signal.GATE_SUPPLEMENT, reason=reason, evidence=last, query=query)
    return GateVerdict(decision=Signal.GATE_FAIL, reason=reason, evidence=last, issues=(reason,))


def _pictured(reason: str, request: GateRequest) -> str:
    return f"{reason}; {request.found.picture}" if request.found and request.found.picture else reason


def _help_query(request: GateRequest) -> str:
    """A question for the handbook, once, when the worker looks for a way rather than fights a dead control."""
    lately = [step for step in request.steps if not step.recovery][-LATELY:]
    looking = len(lately) > 1 and all(step.verb in _LOOKING for step in lately)
    said = _UNABLE.search(request.summary)
    if request.supplements or request.subtask is None or not (looking or said):
        return ""
    return (
        request.summary[:200] if said else f"how to {request.subtask.instruction[:1].lower()}{request.subtask.instruction[1:200]}"
    )


def _complaints(state: VisualState) -> list[str]:
    """Open validation errors on a screen."""
    screen = Screen(state)
    invalid = [f for f in screen.inputs if f.invalid]
    if not invalid:
        return []
    alerts = [e.name for e in state.elements if e.role == "alert" and e.name]
    return [f"{state.app} reports: {'; '.join(alerts) or invalid[0].name + ' is not valid'}"]


def _final(request: GateRequest) -> GateVerdict:
    issues: list[str] = []
    evidence: list[str] = []
    live = [s for s in request.plan if s.status is not SubtaskStatus.REJECTED]
    issues += [f"{s.id}: {s.title} is not fulfilled" for s in live if s.status is not SubtaskStatus.FULFILLED]
    for subtask in live:
        mine = own(subtask, request)
        for expectation in subtask.expect:
            effect = isinstance(expectation, EffectSeen)
            finding = check(expectation, mine if effect else request)
            if isinstance(expectation, FieldHas) and (lost := _lost(expectation, subtask, live, request)):
                issues.append(f"{subtask.id}: {lost}")
            elif effect and not finding.holds and (mine.steps or len(request.steps) < MOST_STEPS):
                issues.append(f"{subtask.id}: {finding.missing}")
            elif finding.holds:
                evidence += finding.evidence
    issues += [issue for state in request.screens for issue in _open_ends(state, live)]
    issues += (request.found or gather(request)).unfounded
    seen = tuple(dict.fromkeys([*evidence, *(f"state:{s.state_id}" for s in request.screens)]))[:16]
    if issues:
        kept = tuple(dict.fromkeys(issues))
        return GateVerdict(decision=Signal.GATE_FAIL, reason="; ".join(kept), evidence=seen, issues=kept)
    return GateVerdict(
        decision=Signal.GATE_DONE, reason="every subtask is fulfilled, and what can still be checked holds", evidence=seen
    )


def _lost(wanted: FieldHas, subtask: Subtask, live: list[Subtask], request: GateRequest) -> str:
    """A value that was there and that the screen now contradicts; what has left the screen contradicts nothing."""
    later = [*subtask.expect[subtask.expect.index(wanted) + 1 :], *(e for s in live[live.index(subtask) + 1 :] for e in s.expect)]
    if any(isinstance(e, FieldHas) and e.app == wanted.app and similarity(e.label, wanted.label) >= 0.9 for e in later):
        return ""
    value = expected_value(wanted, request)
    if _entered(wanted, value, request):
        return ""
    state = next((s for s in reversed(request.screens) if s.app == wanted.app), None)
    if value is None or state is None or _handed_over(subtask):
        return "" if value is None or state is None else _changed_pair(wanted, value, state)
    fields = [e for e in state.elements if e.role in FIELD_ROLES and similarity(wanted.label, e.name) >= 0.9]
    if not fields or any(holds(e, value) for e in fields):
        return ""
    now = own(subtask, request).model_copy(update={"screens": (state,), "earlier": ()})
    if not any(e.value for e in fields) and listed(wanted, value, now):
        return ""  # the form is empty for the next one, and what was written stands in the list
    return f'the value {value!r} of "{fields[0].name}" is gone: the field shows {fields[0].value or ""!r}'


def _entered(wanted: FieldHas, value: str | None, request: GateRequest) -> bool:
    """Whether the next press was Enter, the key or a button: that takes it out of the field, as a command line does."""
    done = [s for s in request.steps if s.exec_status is ExecStatus.EXECUTED]
    wrote = [n for n, s in enumerate(done) if similarity(wanted.label, s.target) >= 0.9 and value is not None]
    wrote = [n for n in wrote if same_value(str(done[n].action.get("text", "")), value or "")]
    pressed = [s for n in wrote for s in done[n : n + 2]]
    return any(s.action.get("submit") or "Enter" in (*s.action.get("keys", ()), s.target) for s in pressed)


def _handed_over(subtask: Subtask) -> bool:
    """After submitting, the form is a new one."""
    return any(getattr(e, "verb", "") in {"submit", "send"} for e in subtask.expect)


def _changed_pair(wanted: FieldHas, value: str, state: VisualState) -> str:
    """The record that was submitted shows another value."""
    screen = Screen(state)
    pairs = [p for p in screen.pairs if p.element.role not in FIELD_ROLES and similarity(wanted.label, p.label) >= 0.9]
    if not pairs or any(same_value(p.value, value) for p in pairs):
        return ""
    return f'the value {value!r} of "{pairs[0].label}" is gone: it shows {pairs[0].value!r}'


def _open_ends(state: VisualState, live: list[Subtask]) -> list[str]:
    """Validation errors, alerts, a dialog, an unsent draft, a record that was sent back."""
    owner = next((s.id for s in reversed(live) if s.app == state.app), "")
    prefix = f"{owner}: " if owner else ""
    found = [f"{prefix}{words}" for words in _complaints(state)]
    screen = Screen(state)
    if screen.dialog is not None:
        found.append(f'{prefix}a dialog is still open in {state.app}: "{screen.dialog.name}"')
    back = [
        p
        for p in screen.pairs
        if similarity("status", p.label) >= 0.9 and _BAD_STATUS.search(p.value) and p.element.role not in FIELD_ROLES
    ]
    changed = any(getattr(e, "verb", "") in {"submit", "send"} for s in live if s.app == state.app for e in s.expect)
    found += [f"{prefix}what was submitted in {state.app} has the status {p.value!r}" for p in back if changed]
    sends = any(getattr(e, "verb", "") == "send" for s in live if s.app == state.app for e in s.expect)
    draft = [f for f in screen.inputs if similarity("to", f.name) >= 0.9 and f.value]
    if sends and draft and any(e.name.casefold() == "send" for e in screen.presses):
        found.append(f"{prefix}a message to {draft[0].value} is written and not sent")
    return found
