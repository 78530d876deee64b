"""What was observed about each expectation: holds or not, and the ids of what shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.contracts import (
    AppShown,
    EffectSeen,
    Expectation,
    Fact,
    FactKnown,
    FieldHas,
    GateRequest,
    StepRecord,
    Subtask,
    TextShown,
)
from roles.contracts.orders import CollectStep, ReadStep
from roles.contracts.wording import slots_in
from roles.screen.answers import PAGE_SAYS_NO, called_off, refusal
from roles.screen.calls import changes_something, effect_seen, function_words, is_call, looks_only, target_of, told_of
from roles.screen.language.words import deeds, phrases, tells_done
from roles.screen.matching import similarity, tokens
from roles.screen.page import Page, likeness, shows
from roles.screen.rows import is_cut, matches, says, seen_with
from roles.screen.screens import FIELD_ROLES, PRESS_VERBS, Screen
from roles.screen.texts import begins, fold, labelled, says_any, words
from roles.screen.values import same_value

_DATA = frozenset({"row", "cell", "gridcell", "listitem", "treeitem", "option", "tab", "heading"})
WRITES = frozenset({"fill", "type", "select_option"})
_TICKED = frozenset({"checkbox", "switch", "radio", "option", "slider", "spinbutton"})
"""What a click changes the value of."""
_ASKING = 2
"""So many answers make a dialog a question; one only closes what it says."""
_GOOD = 0.6
_TICKS = frozenset({"true", "false"})


class Finding(NamedTuple):
    """Whether an expectation holds, what shows it, and words for what is missing."""

    holds: bool
    evidence: tuple[str, ...] = ()
    missing: str = ""

    def or_else(self, evidence: str) -> Finding:
        """The same, or what other evidence there is for it."""
        return Finding(True, (evidence,)) if evidence and not self.holds else self


def check(expectation: Expectation, request: GateRequest) -> Finding:
    """Look for evidence on the screens, in older observations, in the steps and among the facts."""
    match expectation:
        case FactKnown(name=name):
            worker = request.subtask.id if request.subtask is not None else None  # the word of another one was judged with it
            facts = (f for f in request.facts if f.source != "model" or worker in {None, f.subtask})
            exact = next((f for f in facts if f.name.casefold() == name.casefold()), None)
            if exact is None or not exact.value.strip():
                return Finding(False, (), f'the fact "{name}" is not known')
            wrong = _misread(name, request)
            return Finding(not wrong, (f"fact:{exact.name}",), wrong)
        case FieldHas(app=app):
            return _field(expectation, request).or_else(told_of(expected_value(expectation, request), app, request))
        case TextShown(text=text, app=app):
            return _text(text, app, request).or_else(told_of(text, app, request))
        case EffectSeen():
            return _effect(expectation, request)
        case AppShown(app=app):
            state = next((s for s in views(request) if s.app == app), None)
            return Finding(True, (f"state:{state.state_id}",)) if state else Finding(False, (), f"{app} was not seen")


def fact_of(name: str, facts: Iterable[Fact]) -> Fact | None:
    """The newest fact of that name, else one whose name means the same."""
    newest = list(facts)[::-1]
    exact = next((f for f in newest if f.name.casefold() == name.casefold()), None)
    return exact or next((f for f in newest if similarity(name, f.name) >= 0.9), None)


def learned_by(subtask: Subtask) -> frozenset[str]:
    """The names of the facts that its own steps learn: what an attempt that was given up left under them does not count."""
    read = [name for step in subtask.steps if isinstance(step, ReadStep) for name in step.names]
    return frozenset([*read, *(step.name for step in subtask.steps if isinstance(step, CollectStep))])


def _misread(name: str, request: GateRequest) -> str:
    """Where a fact was taken off another record than its step names, or off another field of it, as far as its screen tells."""
    reads = [step for step in (request.subtask.steps if request.subtask else ()) if isinstance(step, ReadStep)]
    step = next((one for one in reads if name in one.names and one.records and not one.part), None)
    fact = next((f for f in reversed(request.facts) if f.name == name and f.element_id), None)
    state = next((one for one in views(request) if fact is not None and one.state_id == fact.state_id), None)
    at = state.by_id.get(fact.element_id or "") if fact is not None and state is not None else None
    if step is None or step.records is None or fact is None or state is None or at is None:
        return ""
    row, label = seen_with(at, state), dict(zip(step.names, step.labels, strict=False)).get(name)
    tests = [test for test in step.records.tests if not slots_in(test.value)]
    called = [test.value for test in tests if test.relation in {"is", "has"} and not test.negated]
    if matches(row, tests) is False or (called and not any(says(row.text, one) for one in called)):
        return f'"{name}" was read off "{row.key or row.text[:80]}", and nothing there says that it is the one that is meant'
    held = row.value(label) if label else None
    if held and not is_cut(held) and not same_value(held, fact.value):
        return f'"{name}" is {fact.value[:80]!r}, and "{label}" shows {held!r} there'
    return ""


Screens = Callable[[str], VisualState | None]
"""Finds a screen by its id."""


def views(request: GateRequest) -> list[VisualState]:
    """The newest first."""
    return [*reversed(request.screens), *request.earlier]


def screens_of(request: GateRequest, older: Screens | None = None) -> Screens:
    """Finds those that the request holds, and `older` ones where they can be looked up."""
    known = {state.state_id: state for state in views(request)}
    return lambda name: known.get(name) or (older(name) if older is not None and name else None)


def _field(wanted: FieldHas, request: GateRequest) -> Finding:
    value = expected_value(wanted, request)
    if value is None:
        return Finding(False, (), f'the fact "{wanted.fact}" is not known')
    read = fact_of(wanted.fact, request.facts) if wanted.fact else None
    latest: tuple[str, str] | None = None
    for state in views(request):
        if wanted.app and state.app != wanted.app:
            continue
        for element in state.elements:
            source = read is not None and (read.element_id, read.app) == (element.element_id, state.app)  # where it was read
            if element.role not in FIELD_ROLES | {"slider"} or not element.value or source:
                continue
            if holds(element, value) and _fits(wanted.label, element, state, value):
                lost = wanted.beside and original(element, request.steps, views(request)).strip() not in (element.value or "")
                said = f'"{element.name}" holds {value!r}, but no longer what it held before' if lost else ""
                said = said or _not_kept(element, request)
                return Finding(not said, (f"state:{state.state_id}",), said)
            if latest is None and similarity(wanted.label, element.name) >= 0.9:
                latest = (element.name, element.value)
        paired = any(same_value(p.value, value) and similarity(wanted.label, p.label) >= 0.6 for p in Screen.of(state).pairs)
        if paired or shows(wanted.label, value, Page(state, "")):
            return Finding(True, (f"state:{state.state_id}",))
    there = listed(wanted, value, request) if latest is None and not wanted.beside else None
    if there is not None:
        return Finding(True, (f"state:{there.state_id}",))
    instead = f'; "{latest[0]}" shows {latest[1]!r}' if latest else ""
    return Finding(False, (), f'no field "{wanted.label}" was seen with the value {value!r}{instead}')


def listed(wanted: FieldHas, value: str, request: GateRequest) -> VisualState | None:
    """The screen on which a value that was written stands in a list, where the form that took it is gone."""
    wrote = (s for s in request.steps if s.action.get("action_type") in {"fill", "type"} and s.exec_status == "executed")
    mine = (s for s in wrote if similarity(wanted.label, s.target) >= 0.9 and same_value(str(s.action.get("text", "")), value))
    there = [state for state in views(request) if state.app == wanted.app] if any(mine) else []
    roles = _DATA | {"text", "link", "checkbox"}  # such as the title of a task beside its box, or of the box
    return next((s for s in there if any(e.role in roles and same_value(e.name, value) for e in s.elements)), None)


def original(field: GUIElement, steps: Iterable[StepRecord], screens: Iterable[VisualState]) -> str:
    """What a field held before these steps wrote in it, as far as their screens are known; else what it holds."""
    known = {state.state_id: state for state in screens}
    held = field.value or ""
    for step in reversed(list(steps)):
        before = target_of(step, known.get(step.before))
        after = next((e for e in known[step.after].elements if _same(e, field)), None) if step.after in known else None
        if before is not None and _same(before, field) and (after is None or same_value(after.value or "", held)):
            held = before.value or ""
    return held


def _same(element: GUIElement, field: GUIElement) -> bool:
    return element.role in FIELD_ROLES and fold(element.name) == fold(field.name)


def expected_value(wanted: FieldHas, request: GateRequest) -> str | None:
    if wanted.fact is None:
        return wanted.value
    fact = fact_of(wanted.fact, request.facts)
    return fact.value if fact else None


def holds(element: GUIElement, value: str) -> bool:
    """Whether a field shows the value; a text may hold it among others, a choice behind its own label (`D: Amount`)."""
    held = element.value or ""
    if same_value(held, value) or (element.choices and same_value(held.rsplit(": ", 1)[-1], value)):
        return True
    told = (labelled(line) for line in held.splitlines())
    parts = [*(text for label, text in told if label), *(held.splitlines() if len(value) >= 3 else ())]
    return element.role == "textbox" and any(same_value(part, value) for part in parts)


def _fits(label: str, element: GUIElement, state: VisualState, value: str) -> bool:
    """The field is the one that is meant: by name, or by a value that tells it, where no field has such a name."""
    if similarity(label, element.name) >= _GOOD or fold(label) == fold(value):
        return True
    if is_search(element) or value in _TICKS:
        return False
    return not any(similarity(label, e.name) >= _GOOD for e in state.elements if e.role in FIELD_ROLES)


def is_search(element: GUIElement) -> bool:
    """A field that looks for things: what stands in it was asked for, not written down."""
    return element.role == "searchbox" or fold(element.name).split()[:1] == ["search"]


def _text(text: str, app: str | None, request: GateRequest) -> Finding:
    """What was shown before the steps counts only where it still stands there."""
    folded, brought = fold(text), {step.after for step in request.steps}
    for state in (*request.screens[::-1], *(s for s in request.earlier if not request.steps or s.state_id in brought)):
        if app and state.app not in {app, None}:
            continue
        if any(folded in fold(f"{e.name} {e.value or ''}") for e in state.elements):
            return Finding(True, (f"state:{state.state_id}",))
    return Finding(False, (), f'"{text}" was not seen')


def _effect(wanted: EffectSeen, request: GateRequest) -> Finding:
    """A call that was seen to have it; else the last press that was, unless what came of it speaks against that."""
    verb = wanted.verb
    calls, done = _calls_for(verb, request), _tried(wanted, request)
    for step in reversed(calls):  # a call's own word counts for nothing
        if found := effect_seen(step, verb, wanted.target, request):
            return Finding(True, (f"step:{step.step}", found))
    if seen := [step for step in done if _showed(step, request)]:
        last = seen[-1]
        against = called_off(last, request.steps) or _asks_still(last, request)
        against = against or (_refused(last, request) if verb == "click" else "")
        return Finding(not against, (f"step:{last.step}",) + (f"state:{last.after}",) * (not against), against)
    if verb == "save" and (state := _nothing_to_save(wanted, request)):
        return Finding(True, (f"state:{state.state_id}",))
    if other := next((s for s in reversed(request.steps) if s.instead_of == verb and s.exec_status == "executed"), None):
        return Finding(True, (f"step:{other.step}",))  # what a person put in its place is what they want
    pressed = [s for s in request.steps if not is_call(s) and _amounts_to(s, wanted, request)]
    lost = [*pressed, *(s for s in request.steps if is_call(s) and s.exec_status != "executed" and not looks_only(s))]
    if not (done or calls or lost):
        return Finding(False, (), f"nothing was done to {verb}")
    last, why = (done or calls or lost)[-1], f"{verb} was tried, and it is not known what came of it"
    if done:
        why = f"{verb} was tried, and nothing showed that it worked" + f" ({'; '.join(last.events)})" * bool(last.events)
    elif calls:
        why = f"{last.target or 'a function'} said that it was done, and nothing that was seen afterwards shows it"
    return Finding(False, (f"step:{last.step}",), why)


def _tried(wanted: EffectSeen, request: GateRequest) -> list[StepRecord]:
    pressed = [s for s in request.steps if not is_call(s) and (s.exec_status == "executed" or shown_for_it(s))]
    done = [s for s in pressed if _amounts_to(s, wanted, request) and (wanted.verb == "click" or not _leads_there(s))]
    return [s for s in done if wanted.app and s.app in {wanted.app, None}] or done


def _showed(step: StepRecord, request: GateRequest) -> bool:
    complained = any(event.startswith("validation") for event in step.events)
    downloaded = any(event.startswith("told: downloaded ") for event in step.events)  # a file, which no screen shows
    only_focus = step.verb != "click" and _only_focus(step, _screen(step.after, request), request)
    return (step.visible_change and not complained and not only_focus) or downloaded


def _leads_there(step: StepRecord) -> bool:
    """Whether it did no more than open a place of its own name: the folder called Archive."""
    name = words(step.target.casefold())
    there = [event for event in step.events if event.startswith("navigation:") and words(event.casefold())[-len(name) :] == name]
    return bool(name and there) and not any(event.startswith("status:") for event in step.events)


def _asks_still(step: StepRecord, request: GateRequest) -> str:
    """What is asked in the dialog that the press brought or stood in, and that is open still; empty where nothing is."""
    after, now = _screen(step.after, request), next((s for s in reversed(request.screens) if s.app == step.app), None)
    if after is None or now is None or any(event.startswith("status:") for event in step.events):
        return ""
    opened, dialog = Screen.of(after).dialog, Screen.of(now).dialog
    answers = [e for e in Screen.of(now).elements if e.role == "button" and e.enabled]
    if opened is None or dialog is None or opened.name != dialog.name or len(answers) < _ASKING:
        return ""
    return f'the dialog "{dialog.name}" is open still: it is not done yet'


def done_of(wanted: EffectSeen, request: GateRequest) -> list[StepRecord]:
    """The steps that had this effect, as far as it could be seen."""
    by_call = [s for s in _calls_for(wanted.verb, request) if effect_seen(s, wanted.verb, wanted.target, request)]
    by_hand = [s for s in _tried(wanted, request) if _showed(s, request) and not called_off(s, request.steps)]
    return sorted([*by_call, *by_hand], key=lambda step: step.step)


def _calls_for(verb: str, request: GateRequest) -> list[StepRecord]:
    """Calls of what is named for it, and of an agent that was asked for it, or for nothing else that has a name here."""
    named = {*deeds()["amounts"].get(verb, (verb,)), *(deeds()["stores"] if verb == "save" else ())}

    def may_be(step: StepRecord) -> bool:
        if step.verb in named or step.action.get("function"):
            return step.verb in named or bool(named & set(function_words(step)))
        said = {*tokens(str(step.action.get("request", "")))}
        return bool(said & named) or not any(said.intersection(words) for words in deeds()["amounts"].values())

    return [s for s in request.steps if is_call(s) and s.exec_status == "executed" and not looks_only(s) and may_be(s)]


def _amounts_to(step: StepRecord, wanted: EffectSeen, request: GateRequest) -> bool:
    """Whether it is the press or the key for it, or the screen says that this came of it."""
    verb, action = wanted.verb, step.action
    pressed = action.get("action_type") in PRESS_VERBS
    if verb == "click":
        likely = max(likeness(wanted.target or "", step.target), similarity(wanted.target or "", step.target))
        return pressed and (not wanted.target or likely >= 0.7)
    swept = action.get("action_type") == "drag" and any(verb in event.casefold() for event in step.events)
    # The screen may say itself what was done: `Message moved to Trash` came of pressing `Trash`.
    announced = any(event.startswith("status:") and tells_done(event, verb) for event in step.events)
    if swept or (announced and changes_something(step)) or _became(verb, step, request):
        return True
    keys = [str(k).casefold() for k in action.get("keys", [])]
    if step.verb in deeds()["amounts"].get(verb, (verb,)) or (verb == "save" and keys[-1:] == ["s"] and len(keys) > 1):
        return True
    on = target_of(step, _screen(step.before, request))  # a thing that the screen holds may be called so: the folder Archive
    return (pressed or bool(action.get("submit"))) and names_effect(step.target, verb) and (on is None or on.role not in _DATA)


def names_effect(name: str, verb: str) -> bool:
    """Whether a control of this name is there to do that: `Save` and `Save note` to save, `Discard draft` to delete."""
    name = name.casefold()
    if begins(name, phrases("stays")):
        return False
    return any(name == word or name.startswith(word + " ") for word in deeds()["amounts"].get(verb, (verb,)))


def _became(verb: str, step: StepRecord, request: GateRequest) -> bool:
    """A form that was filled in and became a page whose name says it at its end: `Claim R-1 submitted`."""
    named = any(e.startswith("navigation:") and tells_done(e.split()[-1], verb) for e in step.events)
    before = _screen(step.before, request) if named and step.exec_status == "executed" else None
    fields = {e.name for e in before.elements if e.role in FIELD_ROLES and not is_search(e)} if before is not None else set()
    return any(s.step < step.step and s.app == step.app and s.target in fields and _writes(s, request) for s in request.steps)


def _nothing_to_save(wanted: EffectSeen, request: GateRequest) -> VisualState | None:
    """A screen that says it was saved, or whose Save button is disabled because nothing is new, after something was written."""
    written = {s.app for s in request.steps if _writes(s, request) and s.visible_change and s.exec_status == "executed"}
    pressed = any(_amounts_to(s, wanted.model_copy(update={"target": None}), request) for s in request.steps)
    for state in (s for s in request.screens[::-1] if s.app in written and wanted.app in {None, "", s.app}):
        said = any(e.role == "status" and "saved" in fold(e.name).split() for e in state.elements)
        idle = any(e.role == "button" and not e.enabled and fold(e.name).split()[:1] == ["save"] for e in state.elements)
        if (said and pressed) or idle:
            return state
    return None


def _writes(step: StepRecord, request: GateRequest) -> bool:
    """Whether it changes a value, and not only where one is."""
    target = target_of(step, _screen(step.before, request))
    return step.action.get("action_type") in WRITES | {"drag"} or (target is not None and target.role in _TICKED)


def brought_nothing(step: StepRecord, request: GateRequest) -> bool:
    """Whether only the focus is elsewhere on the newest screen, and nothing was told: as far as can be seen it had no effect."""
    return _only_focus(step, next((state for state in views(request) if state.app == step.app), None), request)


def _only_focus(step: StepRecord, after: VisualState | None, request: GateRequest) -> bool:
    before, told = _screen(step.before, request), [event for event in step.events if not event.startswith("told:")]
    if before is None or after is None or told:
        return False
    was, now = ([element.model_copy(update={"focused": False}) for element in one.elements] for one in (before, after))
    return was == now


def _not_kept(field: GUIElement, request: GateRequest) -> str:
    """What a page that saves by itself says against the last entry in a field; empty where it says nothing."""
    wrote = next((step for step in reversed(request.steps) if step.action.get("action_type") in WRITES | {"drag"}), None)
    if wrote is None or not request.screens or wrote.target != field.name:
        return ""
    said = refusal(_screen(wrote.before, request), request.screens[-1])
    return "" if same_value(said, str(wrote.action.get("text", ""))) else _quoted(said)  # it says what was written


def _refused(step: StepRecord, request: GateRequest) -> str:
    """What the page says against the press, as far as both screens are known."""
    after = _screen(step.after, request) or (request.screens[-1] if request.screens else None)
    return _quoted(refusal(_screen(step.before, request), after, request.goal, step.target)) if after is not None else ""


def _quoted(said: str) -> str:
    return f'{PAGE_SAYS_NO}: "{said}"' if said else ""


def _screen(name: str, request: GateRequest) -> VisualState | None:
    return next((state for state in views(request) if state.state_id == name), None)


def shown_for_it(step: StepRecord) -> bool:
    """Whether the screen confirmed a step that was reported as failed: what can be seen counts, not what is said."""
    told = [event for event in step.events if event.startswith(("status:", "navigation:"))]
    return step.visible_change and bool(told) and not any(says_any(event, phrases("away")) for event in told)
