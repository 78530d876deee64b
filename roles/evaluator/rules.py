"""The Evaluator's rules policy: evidence first, then a verdict. What a worker says of itself counts for nothing."""

from collections.abc import Iterator, Sequence

from protocol import ExecStatus, VisualState
from roles.contracts import EffectSeen, FactKnown, FieldHas, GateRequest, GateVerdict, StepRecord, Subtask
from roles.contracts.orders import CollectStep, CreateStep, FillStep, PressStep, WaitStep
from roles.contracts.policies import MOST_STEPS
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.contracts.values import table_of
from roles.contracts.wording import slots_in
from roles.evaluator.evidence import LATELY, gather, own, progress
from roles.screen.answers import accepts
from roles.screen.calls import looks_only
from roles.screen.evidence import WRITES, expected_value, holds, listed, names_effect, screens_of, shown_for_it, views
from roles.screen.language.words import deeds, phrases
from roles.screen.matching import similarity
from roles.screen.rows import excepted, is_called, matches, rows_on
from roles.screen.screens import FIELD_ROLES, PRESS_VERBS, Screen, turns
from roles.screen.texts import fold, says_any
from roles.screen.values import same_value

_CHOSEN = frozenset({"tab", "treeitem", "link", "option", "radio"})
_LOOKING = frozenset({"scroll", "hover", "wait", "screenshot", "go_back", "go_forward", "switch_window", "launch_app", "tabs"})
"""Verbs of somebody who does not know where to press."""
_BRINGS = frozenset({"reveal", "open", "show", "expand"})
"""Verbs of a press that only brings something into view, which may stand there already or be reached in another way."""


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


def _success(request: GateRequest) -> GateVerdict:
    found = request.found or gather(request)
    missing = [one.missing for one in found.checked if not one.holds]
    state = request.screens[-1] if request.screens else None
    named = [name for one in found.checked for name in one.evidence] or ([f"state:{state.state_id}"] if state else [])
    evidence = tuple(dict.fromkeys(named))[:12]
    short = [*missing, *found.undone, *_skipped(request), *_gone(request)]
    complaints = [*_partial(request), *_miscollected(request), *_unkept(request), *_failed_last(request)]
    complaints += _complaints(state) if state else ()
    if missing and state and state.loading:
        reason = f"{state.app} is still loading: {missing[0]}"
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason=reason, evidence=evidence)
    if short and not complaints and not request.continued:
        reason = f"not all was done: {'; '.join(short)}"
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason=reason, evidence=evidence)
    if not short and not complaints:
        count = len(found.checked)
        reason = f"all {count} expectations hold" if count else "the worker finished and nothing speaks against it"
        return GateVerdict(decision=Signal.GATE_DONE, reason=reason, evidence=evidence)
    return _failed([*short, *complaints], evidence)


def _failed(issues: list[str], evidence: tuple[str, ...]) -> GateVerdict:
    return GateVerdict(decision=Signal.GATE_FAIL, reason="; ".join(issues), evidence=evidence, issues=tuple(issues))


def _gone(request: GateRequest) -> Iterator[str]:
    """What was entered as expected and stands there no more, as after another page was looked at before it was saved."""
    task = request.subtask
    live = [s for s in request.plan if s.status is not SubtaskStatus.REJECTED]
    if task is None or task not in live:
        return
    for wanted in (e for e in task.expect if isinstance(e, FieldHas)):
        if lost := _lost(wanted, task, live, request):
            yield lost


def _partial(request: GateRequest) -> list[str]:
    """A list that is seen to go on is not known as a whole, nor is one that an earlier subtask left for this one to do anew."""
    if request.subtask is None or request.subtask.steps:  # a typed step that collects turns all pages itself
        return []
    expected = {(s.id, e.name) for s in (request.subtask, *request.plan) for e in s.expect if isinstance(e, FactKnown)}
    taken = {fact.name for fact in request.facts if fact.kind == "table" and (fact.subtask, fact.name) in expected}
    wanted = [e.name for e in request.subtask.expect if isinstance(e, FactKnown) and e.name in taken]
    controls = [e for e in (request.screens[-1].elements if request.screens else ()) if e.enabled]
    more = [e.name for e in controls if turns(e.name, "onward") and fold(e.name) != "more"]
    return [f'"{wanted[-1]}" was taken while "{more[0]}" shows that there is more'] if wanted and more else []


def _miscollected(request: GateRequest) -> Iterator[str]:
    """Where a worker collected other rows of a list than the tests of the step itself tell, as far as the list was seen."""
    task = request.subtask
    for step in (s for s in task.steps if isinstance(s, CollectStep)) if task is not None else ():
        tests, but = step.records.tests, step.records.but
        fact = next((f for f in reversed(request.facts) if f.name == step.name), None)
        table = table_of(fact.value) if fact is not None else None
        last = next((state for state in views(request) if fact is not None and state.state_id == fact.state_id), None)
        if fact is None or last is None or not tests or any(slots_in(test.value) for test in tests):
            continue  # without a test nothing tells the rows of its list from others on the screen
        taken = [
            {fold(cell) for cell in map(str, row) if cell.strip()}
            for row in (table.rows if table is not None else [[fact.value]])
        ]
        rows = [row for state in views(request) if _place(state) == _place(last) for row in rows_on(state)]
        out = [row for one in but for row in (*excepted(rows, one), *(row for row in rows if matches(row, one) is None))]
        fit = [row for row in rows if matches(row, tests) and row not in out]
        exactly = [row for row in fit if all(test.negated or test.relation != "is" or is_called(row, test) for test in tests)]
        for row in exactly if step.records.pick is None else ():
            if not any(cells <= {*map(fold, row.texts)} for cells in taken):
                yield f'"{row.text}" is not in "{step.name}", and the list shows that it belongs there'
        for cells in filter(None, taken):
            holders = [row for row in rows if cells <= {*map(fold, row.texts)}]
            if holders and all(matches(row, tests) is False for row in holders):
                yield f'"{holders[0].text}" is in "{step.name}", and the list shows that it does not belong there'


def _skipped(request: GateRequest) -> Iterator[str]:
    """A control that a step names and that no attempt pressed, and lines that were to be entered and were not: what is expected
    may be there without them, or be seen of another step."""
    task = request.subtask
    if task is None:
        return
    every = {s.step: s for s in (*(s for s in request.run if s.subtask == task.id), *request.steps)}.values()
    done = [s for s in every if s.exec_status is ExecStatus.EXECUTED or shown_for_it(s)]
    presses = [one for one in task.steps if isinstance(one, PressStep)]
    if presses and not task.expect and all(s.recovery for s in request.steps):
        yield "nothing was done, and something was to be pressed"
        return
    # Of what has an opposite it may be so already, where the control is another one: Unmute, of what is not muted.
    free = _BRINGS | deeds()["opposites"].keys()
    named = [one for one in presses if one.verb not in free and (one.records is not None or one.control)]
    for step in {(one.verb, one.control): one for one in named}.values():
        times = sum((one.verb, one.control) == (step.verb, step.control) for one in named)
        if sum(_does(s, step) for s in done) < times:
            yield f'"{step.control or step.verb}" was not pressed{f" {times} times" if times > 1 else ""}'
    lines = sum(isinstance(one, FillStep) and one.commit == "enter" for one in task.steps)
    entered = sum(map(_entered_by, done))
    if entered < lines:
        yield f"Enter was pressed {entered} of {lines} times"


def _does(done: StepRecord, step: PressStep) -> bool:
    """Whether it may have been the press of a step: by its control, by what it amounts to, or without a control."""
    name = (step.control or step.verb).replace("{title}", "")
    pressed = step.verb in {done.verb, done.instead_of} or names_effect(done.target, step.verb) or bool(done.instead_of)
    other = done.action.get("action_type") not in {"click", "double_click", *WRITES} and not looks_only(done)
    return pressed or other or (bool(name) and (similarity(done.target, name) >= 0.9 or fold(name) in fold(done.target)))


def _unkept(request: GateRequest) -> Iterator[str]:
    """What was written for a step that ends with a press, by this attempt or by one before it, where the control for that stands
    there and was not pressed since."""
    steps = request.subtask.steps if request.subtask is not None else ()
    for step in (one for one in steps if isinstance(one, CreateStep | FillStep) and one.commit):
        values = {entry.value for entry in step.entries}
        own = [s for s in _done(request.steps, step.app) if s.action.get("action_type") in WRITES]
        wrote = own or [s for s in _done(request.run, step.app) if values & {s.action.get("text"), *s.action.get("options", ())}]
        if not wrote:
            continue
        last = wrote[-1]
        after = next((one for one in views(request) if own and one.state_id == last.after), None)
        if after is None:  # an earlier attempt wrote it: what is shown now
            after = next((one for one in reversed(request.screens) if one.app == step.app), None)
        waits = [e.name for e in after.elements if e.role == "button" and e.enabled] if after is not None else []
        waits = [name for name in waits if names_effect(name, step.commit)]
        # A press that was reported as failed may have kept it all the same; whether it did is for what is expected to be seen.
        since = [s for s in (*request.run, *request.steps) if s.step >= last.step]
        pressed = any(
            step.commit in {s.verb, s.instead_of} or names_effect(s.target, step.commit) or _entered_by(s) for s in since
        )
        if waits and not pressed:
            yield f'what was written in {step.app} was not kept: "{waits[0]}" was not pressed'


def _done(steps: Sequence[StepRecord], app: str) -> list[StepRecord]:
    return [s for s in steps if s.exec_status is ExecStatus.EXECUTED and s.app == app]


def _entered_by(step: StepRecord) -> bool:
    """Whether Enter was pressed, the key or a button."""
    return bool(step.action.get("submit")) or "Enter" in (*step.action.get("keys", ()), step.target)


def _place(state: VisualState) -> tuple[str | None, frozenset[str]]:
    """Which list of which application is shown: by its headings, and by what is chosen."""
    return state.app, frozenset(e.name for e in state.elements if e.role == "heading" or (e.selected and e.role in _CHOSEN))


def _failed_last(request: GateRequest) -> list[str]:
    """Who ends on an action that did not work is not done, unless the screen shows that it did."""
    work = [s for s in request.steps if not s.recovery]
    if not work or work[-1].exec_status is ExecStatus.EXECUTED or shown_for_it(work[-1]):
        return []
    return [f"the last action did not work: {work[-1].verb} {work[-1].target} ({work[-1].error})"]


def _periodic(request: GateRequest) -> GateVerdict:
    moved, task = progress(request), request.subtask
    if moved or not request.steps:
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason="the last steps changed the screen", evidence=moved)
    if task and any(isinstance(step, WaitStep) for step in task.steps) and request.steps[-1].verb == "wait":  # it has a limit
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason="the step says to wait this long")
    if task and task.expect and (done := _success(request)).decision is Signal.GATE_DONE:
        return done
    return _stuck(f"no visible progress in the last {min(LATELY, len(request.steps))} steps", request)


def _stale(request: GateRequest) -> GateVerdict:
    """One more chance while something moves, then help if there was none yet, then another plan.

    The same action again and again is progress only where each time something else came of it, as when pages are turned.
    """
    moved, lately = progress(request), request.steps[-LATELY:]
    repeats = len(lately) >= LATELY and len({str(s.action) for s in lately}) <= 2 and len(moved) < len(lately)
    if moved and not repeats:
        return GateVerdict(decision=Signal.GATE_CONTINUE, reason="the last steps still changed something", evidence=moved)
    return _stuck(f"no visible progress: {request.summary or 'the last actions changed nothing'}", request)


def _stuck(reason: str, request: GateRequest) -> GateVerdict:
    """Help from the handbook, once, when the worker looks for a way rather than fights a dead control; else another plan."""
    reason = f"{reason}; {request.found.picture}" if request.found and request.found.picture else reason
    evidence = (f"step:{request.steps[-1].step}",) if request.steps else ()
    lately = [step for step in request.steps if not step.recovery][-LATELY:]
    looking = len(lately) > 1 and all(step.verb in _LOOKING for step in lately)
    unable = says_any(request.summary, phrases("unable"))
    if request.supplements or request.subtask is None or not (looking or unable):
        return _failed([reason], evidence)
    words = request.subtask.instruction
    query = request.summary[:200] if unable else f"how to {words[:1].lower()}{words[1:200]}"
    return GateVerdict(decision=Signal.GATE_SUPPLEMENT, reason=reason, evidence=evidence, query=query)


def _complaints(state: VisualState) -> list[str]:
    """Open validation errors on a screen."""
    screen = Screen.of(state)
    return [f"{state.app} reports: {'; '.join(screen.complaints)}"] if any(f.invalid for f in screen.inputs) else []


def _final(request: GateRequest) -> GateVerdict:
    found = request.found or gather(request)
    live = {s.id: s for s in request.plan if s.status is not SubtaskStatus.REJECTED}
    issues = [f"{s.id}: {s.title} is not fulfilled" for s in live.values() if s.status is not SubtaskStatus.FULFILLED]
    worked = {step.subtask for step in request.steps}
    evidence: list[str] = []
    for one in found.checked:
        known = one.subtask in worked or len(request.steps) < MOST_STEPS
        lost = isinstance(one.expectation, FieldHas) and _lost(one.expectation, live[one.subtask], [*live.values()], request)
        if lost:
            issues.append(f"{one.subtask}: {lost}")
        elif isinstance(one.expectation, EffectSeen) and not one.holds and known:
            issues.append(f"{one.subtask}: {one.missing}")
        evidence += one.evidence if one.holds and not lost else ()
    issues += [issue for state in request.screens for issue in _open_ends(state, [*live.values()])]
    issues += found.unfounded
    seen = tuple(dict.fromkeys([*evidence, *(f"state:{s.state_id}" for s in request.screens)]))[:16]
    if issues:
        return _failed([*dict.fromkeys(issues)], seen)
    reason = "every subtask is fulfilled, and what can still be checked holds"
    return GateVerdict(decision=Signal.GATE_DONE, reason=reason, evidence=seen)


def _lost(wanted: FieldHas, subtask: Subtask, live: list[Subtask], request: GateRequest) -> str:
    """A value that was there and that the screen now contradicts. What has left the screen contradicts nothing, nor what is
    written anew later, what Enter or a press that the page confirms took out of its field, or what a list holds by now."""
    later = [*subtask.expect[subtask.expect.index(wanted) + 1 :], *(e for s in live[live.index(subtask) + 1 :] for e in s.expect)]
    anew = any(isinstance(e, FieldHas) and e.app == wanted.app and similarity(e.label, wanted.label) >= 0.9 for e in later)
    value, state = expected_value(wanted, request), next((s for s in reversed(request.screens) if s.app == wanted.app), None)
    if anew or value is None or state is None or _entered(wanted, value, request):
        return ""
    sent = any(isinstance(e, EffectSeen) and e.verb in {"submit", "send"} for e in subtask.expect)
    fields = [(e.name, e.value or "", holds(e, value)) for e in state.elements if e.role in FIELD_ROLES]
    if sent:  # the form is a new one: the record tells
        pairs = [pair for pair in Screen.of(state).pairs if pair.element.role not in FIELD_ROLES]
        fields = [(pair.label, pair.value, same_value(pair.value, value)) for pair in pairs]
    fields = [field for field in fields if similarity(wanted.label, field[0]) >= 0.9]
    now = own(subtask, request).model_copy(update={"screens": (state,), "earlier": ()})
    emptied = not sent and not any(text for _, text, _ in fields) and listed(wanted, value, now)
    if not fields or emptied or any(there for *_, there in fields) or _handed_in(wanted, value, live, request):
        return ""
    return f'the value {value!r} of "{fields[0][0]}" is gone: it shows {fields[0][1]!r}'


def _entered(wanted: FieldHas, value: str, request: GateRequest) -> bool:
    """Whether the next press was Enter, the key or a button: that takes it out of the field, as a command line does."""
    done = [s for s in request.steps if s.exec_status is ExecStatus.EXECUTED]
    wrote = [n for n, s in enumerate(done) if similarity(wanted.label, s.target) >= 0.9]
    pressed = [s for n in wrote if same_value(str(done[n].action.get("text", "")), value) for s in done[n : n + 2]]
    return any(map(_entered_by, pressed))


def _handed_in(wanted: FieldHas, value: str, live: list[Subtask], request: GateRequest) -> bool:
    """Whether a press of the plan took it out of its field, and the page said newly that it did what was pressed."""
    known, presses = screens_of(request), [one for s in live for one in s.steps if isinstance(one, PressStep)]
    for step in _done(request.run, wanted.app or ""):
        before, after = known(step.before), known(step.after)
        pressed = any(fold(step.target) == fold(p.control) or names_effect(step.target, p.verb) for p in presses)
        if before is None or after is None or not pressed or step.action.get("action_type") not in PRESS_VERBS:
            continue
        fields = ([e for e in state.elements if e.role in FIELD_ROLES] for state in (before, after))
        held, left = ([holds(e, value) for e in some if similarity(wanted.label, e.name) >= 0.9] for some in fields)
        if any(held) and left and not any(left) and accepts(before, after, request.goal, step.target):
            return True
    return False


def _open_ends(state: VisualState, live: list[Subtask]) -> list[str]:
    """Validation errors, alerts, a dialog, an unsent draft, a record that was sent back."""
    mine, screen = [s for s in live if s.app == state.app], Screen.of(state)
    verbs = {getattr(e, "verb", "") for s in mine for e in s.expect}
    found = _complaints(state)
    if screen.dialog is not None:
        found.append(f'a dialog is still open in {state.app}: "{screen.dialog.name}"')
    if verbs & {"submit", "send"}:
        told = [p for p in screen.pairs if similarity("status", p.label) >= 0.9 and p.element.role not in FIELD_ROLES]
        back = [p.value for p in told if says_any(p.value, phrases("sent back"))]
        found += [f"what was submitted in {state.app} has the status {status!r}" for status in back]
    draft = [f for f in screen.inputs if similarity("to", f.name) >= 0.9 and f.value]
    if "send" in verbs and draft and any(e.name.casefold() == "send" for e in screen.presses):
        found.append(f"a message to {draft[0].value} is written and not sent")
    return [f"{mine[-1].id}: {words}" if mine else words for words in found]
