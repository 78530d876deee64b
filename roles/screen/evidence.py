"""What was observed about each expectation: holds or not, and the ids of what shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    TextShown,
)
from roles.screen.answers import PAGE_SAYS_NO, called_off, refusal
from roles.screen.calls import (
    changed_by,
    changes_something,
    function_words,
    gone_later,
    is_call,
    looks_only,
    said_later,
    shown_later,
    told_of,
)
from roles.screen.language.words import deeds
from roles.screen.matching import similarity, tokens
from roles.screen.page import Page, held, likeness, shows
from roles.screen.screens import FIELD_ROLES, Screen, fold
from roles.screen.values import same_value

_DATA = frozenset({"row", "cell", "gridcell", "listitem", "treeitem", "option", "tab", "heading"})
_WRITE = frozenset({"fill", "type", "select_option", "drag"})
_TICKED = frozenset({"checkbox", "switch", "radio", "option", "slider", "spinbutton"})
"""What a click changes the value of."""
_ASKING = 2
"""So many answers make a dialog a question; one only closes what it says."""
_STAYS = re.compile(r"keep (?:editing|writing|working)\b", re.IGNORECASE)
"""What a button says that goes on with a form: it keeps nothing."""
_GOOD = 0.6
_TICKS = frozenset({"true", "false"})
_AWAY = re.compile(r"\bsign[- ]?in\b|\blog[- ]?in\b|\bexpired\b|\berror\b|\boffline\b|\bnot found\b", re.IGNORECASE)
"""What a screen says that one is sent to instead."""


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
            exact = next((f for f in request.facts if f.name.casefold() == name.casefold()), None)
            if exact is None or not exact.value.strip():
                return Finding(False, (), f'the fact "{name}" is not known')
            return Finding(True, (f"fact:{exact.name}",))
        case FieldHas(app=app):
            return _field(expectation, request).or_else(told_of(expected_value(expectation, request), app, request))
        case TextShown(text=text, app=app):
            return _text(text, app, request).or_else(told_of(text, app, request))
        case EffectSeen(verb=verb, target=target, app=app):
            return _effect(verb, target, app, request)
        case AppShown(app=app):
            return _app(app, request)


def fact_of(name: str, facts: Iterable[Fact]) -> Fact | None:
    """The newest fact of that name, else one whose name means the same."""
    newest = list(facts)[::-1]
    exact = next((f for f in newest if f.name.casefold() == name.casefold()), None)
    return exact or next((f for f in newest if similarity(name, f.name) >= 0.9), None)


def views(request: GateRequest) -> list[VisualState]:
    """The newest first."""
    return [*reversed(request.screens), *request.earlier]


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
            if element.role not in FIELD_ROLES | {"slider"} or not element.value or _is_source(element, state, read):
                continue
            if holds(element, value) and _fits(wanted.label, element, state, value):
                lost = wanted.beside and original(element, request.steps, views(request)).strip() not in (element.value or "")
                said = f'"{element.name}" holds {value!r}, but no longer what it held before' if lost else ""
                said = said or _not_kept(element, request)
                return Finding(not said, (f"state:{state.state_id}",), said)
            if latest is None and similarity(wanted.label, element.name) >= 0.9:
                latest = (element.name, element.value)
        paired = any(same_value(p.value, value) and similarity(wanted.label, p.label) >= 0.6 for p in Screen(state).pairs)
        if paired or (shows(wanted.label, value, Page(state, "")) if wanted.app else held(wanted.label, value, state)):
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
        target = str((step.action.get("target") or {}).get("element_id", ""))
        before = known[step.before].by_id.get(target) if step.before in known else None
        after = next((e for e in known[step.after].elements if _same(e, field)), None) if step.after in known else None
        if before is not None and _same(before, field) and (after is None or same_value(after.value or "", held)):
            held = before.value or ""
    return held


def _same(element: GUIElement, field: GUIElement) -> bool:
    return element.role in FIELD_ROLES and fold(element.name) == fold(field.name)


def _is_source(element: GUIElement, state: VisualState, read: Fact | None) -> bool:
    """The field that a value was read from does not show that it was written."""
    return read is not None and read.element_id == element.element_id and read.app == state.app


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
    parts = [*_labelled(held), *(held.splitlines() if len(value) >= 3 else ())]
    return element.role == "textbox" and any(same_value(part, value) for part in parts)


def _labelled(text: str) -> list[str]:
    """What stands behind the colons of lines."""
    return [line.split(": ", 1)[1] for line in text.splitlines() if ": " in line]


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


def _effect(verb: str, target: str | None, app: str | None, request: GateRequest) -> Finding:
    if (called := _called(verb, target, request)) is not None and called.holds:
        return called
    done = _tried(verb, target, app, request)
    seen = [s for s in done if _showed(s, request)]
    if seen and (asked := called_off(seen[-1], request.steps) or _asks_still(seen[-1], request)):
        return Finding(False, (f"step:{seen[-1].step}",), asked)
    if verb == "click" and seen and (said := _refused(seen[-1], request)):
        return Finding(False, (f"step:{seen[-1].step}",), f'{PAGE_SAYS_NO}: "{said}"')
    if not seen and verb == "save" and (state := _nothing_to_save(app, request)):
        return Finding(True, (f"state:{state.state_id}",))
    if seen:
        last = seen[-1]
        return Finding(True, (f"step:{last.step}", f"state:{last.after}"))
    if other := next((s for s in reversed(request.steps) if s.instead_of == verb and s.exec_status == "executed"), None):
        return Finding(True, (f"step:{other.step}",))  # what a person put in its place is what they want
    if done:
        return Finding(
            False, (f"step:{done[-1].step}",), f"{verb} was tried, and nothing showed that it worked{_words(done[-1])}"
        )
    if called is None and (lost := next((s for s in reversed(request.steps) if _asked_for(s, verb, target, request)), None)):
        return Finding(False, (f"step:{lost.step}",), f"{verb} was tried, and it is not known what came of it")
    return called or Finding(False, (), f"nothing was done to {verb}")


def _asked_for(step: StepRecord, verb: str, target: str | None, request: GateRequest) -> bool:
    """Whether it may have had this effect, though it was not seen to be carried out."""
    if is_call(step):
        return step.exec_status != "executed" and not looks_only(step)
    return _amounts_to(step, verb, target, request)


def _tried(verb: str, target: str | None, app: str | None, request: GateRequest) -> list[StepRecord]:
    pressed = [s for s in request.steps if not is_call(s)]
    done = [s for s in pressed if _amounts_to(s, verb, target, request) and (s.exec_status == "executed" or shown_for_it(s))]
    done = done if verb == "click" else [s for s in done if not _leads_there(s)]
    return ([s for s in done if s.app in {app, None}] or done) if app else done


def _showed(step: StepRecord, request: GateRequest) -> bool:
    complained = any(event.startswith("validation") for event in step.events)
    return (step.visible_change and not complained and _more_than_focus(step, request)) or _brought(step)


def _leads_there(step: StepRecord) -> bool:
    """Whether it did no more than open a place of its own name: the folder called Archive."""
    name, said = step.target.casefold(), [event.casefold() for event in step.events]
    there = [event for event in said if event.startswith("navigation:") and re.search(rf"\W{re.escape(name)}$", event)]
    return bool(name and there) and not any(event.startswith("status:") for event in said)


def _asks_still(step: StepRecord, request: GateRequest) -> str:
    """What is asked in the dialog that the press brought or stood in, and that is open still; empty where nothing is."""
    known = {state.state_id: state for state in views(request)}
    after, now = known.get(step.after), next((s for s in reversed(request.screens) if s.app == step.app), None)
    told = any(event.startswith("status:") for event in step.events)
    if after is None or now is None or after.modal is None or now.modal is None or told:
        return ""
    opened, dialog = after.by_id.get(after.modal), now.by_id.get(now.modal)
    answers = [e for e in Screen(now).elements if e.role == "button" and e.enabled]
    if opened is None or dialog is None or opened.name != dialog.name or len(answers) < _ASKING:
        return ""
    return f'the dialog "{dialog.name}" is open still: it is not done yet'


def done_of(wanted: EffectSeen, request: GateRequest) -> list[StepRecord]:
    """The steps that had this effect, as far as it could be seen."""
    by_call = [s for s in _calls_for(wanted.verb, request) if _seen_of(s, wanted.verb, wanted.target, request)]
    by_hand = [s for s in _tried(wanted.verb, wanted.target, wanted.app, request) if _showed(s, request)]
    return sorted([*by_call, *(s for s in by_hand if not called_off(s, request.steps))], key=lambda step: step.step)


def _called(verb: str, target: str | None, request: GateRequest) -> Finding | None:
    """What can be seen of calls that may have done it; None where nothing was called. A call's own word counts for nothing."""
    may = _calls_for(verb, request)
    for step in reversed(may):
        if found := _seen_of(step, verb, target, request):
            return Finding(True, (f"step:{step.step}", found))
    if not may:
        return None
    said = f"{may[-1].target or 'a function'} said that it was done, and nothing that was seen afterwards shows it"
    return Finding(False, (f"step:{may[-1].step}",), said)


def _calls_for(verb: str, request: GateRequest) -> list[StepRecord]:
    """Calls of what is named for it. Who asks an agent may have asked for anything."""
    named = {*deeds()["amounts"].get(verb, (verb,)), *(deeds()["stores"] if verb == "save" else ())}
    calls = [s for s in request.steps if is_call(s) and s.exec_status == "executed" and not looks_only(s)]
    return [s for s in calls if s.verb in named or named & set(function_words(s)) or _may_have_asked(s, named)]


def _may_have_asked(step: StepRecord, named: set[str]) -> bool:
    """Whether an agent was asked for it, or for nothing else that has a name here."""
    if step.action.get("function"):
        return False
    said = set(tokens(str(step.action.get("request", ""))))
    return bool(said & named) or not any(said.intersection(words) for words in deeds()["amounts"].values())


def _seen_of(step: StepRecord, verb: str, target: str | None, request: GateRequest) -> str:
    """What shows that a call did it, as evidence."""
    found = gone_later(step, target, request) if verb == "delete" else shown_later(step, request)
    return found or said_later(step, done_word(verb), request) or changed_by(step, request)


def _amounts_to(step: StepRecord, verb: str, target: str | None, request: GateRequest) -> bool:
    if verb == "click":
        by_hand = step.action.get("action_type") in {"click", "press_key"}
        return by_hand and (not target or max(likeness(target, step.target), similarity(target, step.target)) >= 0.7)
    words = deeds()["amounts"].get(verb, (verb,))
    keys = [str(k).casefold() for k in step.action.get("keys", [])]
    if step.action.get("action_type") == "drag" and any(verb in e.casefold() for e in step.events):
        return True  # a row that was swept aside
    if (changes_something(step) and _announced(verb, step)) or _became(verb, step, request):
        return True
    shortcut = verb == "save" and keys[-1:] == ["s"] and len(keys) > 1
    pressed = step.action.get("action_type") in {"click", "press_key"} or bool(step.action.get("submit"))
    return step.verb in words or shortcut or (pressed and names_effect(step.target, verb) and not _is_datum(step, request))


def _is_datum(step: StepRecord, request: GateRequest) -> bool:
    """Whether what was pressed is a thing that the screen holds, such as a folder called Archive, as far as that is known."""
    element = _pressed(step, request)
    return element is not None and element.role in _DATA


def _pressed(step: StepRecord, request: GateRequest) -> GUIElement | None:
    target = str((step.action.get("target") or {}).get("element_id", ""))
    before = next((state for state in request.earlier if state.state_id == step.before), None)
    return before.by_id.get(target) if before is not None else None


def names_effect(name: str, verb: str) -> bool:
    """Whether a control of this name is there to do that: `Save` and `Save note` to save, `Discard draft` to delete."""
    name = name.casefold()
    if _STAYS.match(name):
        return False
    return any(name == word or name.startswith(word + " ") for word in deeds()["amounts"].get(verb, (verb,)))


def _announced(verb: str, step: StepRecord) -> bool:
    """The screen itself says what was done: `Message moved to Trash` came of pressing `Trash`."""
    return any(event.startswith("status:") and re.search(done_word(verb), event, re.IGNORECASE) for event in step.events)


def _became(verb: str, step: StepRecord, request: GateRequest) -> bool:
    """A form that was filled in and became a page whose name says it at its end: `Claim R-1 submitted`."""
    named = any(e.startswith("navigation:") and re.search(rf"{done_word(verb)}$", e, re.IGNORECASE) for e in step.events)
    before = next((s for s in request.earlier if s.state_id == step.before), None)
    if not named or before is None or step.exec_status != "executed":
        return False
    fields = {e.name for e in before.elements if e.role in FIELD_ROLES and not is_search(e)}
    return any(s.step < step.step and s.app == step.app and s.target in fields and _writes(s, request) for s in request.steps)


def done_word(verb: str) -> str:
    """A pattern for what is said of a thing once it was done: saved, submitted, sent."""
    return r"\bsent\b" if verb == "send" else rf"\b{re.escape(verb.removesuffix('e'))}\w?ed\b"


def _nothing_to_save(app: str | None, request: GateRequest) -> VisualState | None:
    """A screen that says it was saved, or whose Save button is disabled because nothing is new, after something was written."""
    written = {s.app for s in request.steps if _writes(s, request) and s.visible_change and s.exec_status == "executed"}
    for state in request.screens[::-1]:
        if state.app not in written or (app and state.app != app):
            continue
        said = any(e.role == "status" and "saved" in fold(e.name).split() for e in state.elements)
        idle = any(e.role == "button" and not e.enabled and fold(e.name).split()[:1] == ["save"] for e in state.elements)
        if (said and any(_amounts_to(s, "save", None, request) for s in request.steps)) or idle:
            return state
    return None


def _writes(step: StepRecord, request: GateRequest) -> bool:
    """Whether it changes a value, and not only where one is."""
    target = _pressed(step, request)
    return step.action.get("action_type") in _WRITE or (target is not None and target.role in _TICKED)


def _more_than_focus(step: StepRecord, request: GateRequest) -> bool:
    """Whether something else changed than which element has the focus, as far as both screens are known."""
    states = {state.state_id: state for state in views(request)}
    before, after = states.get(step.before), states.get(step.after)
    told = [event for event in step.events if not event.startswith("told:")]
    if before is None or after is None or told or step.verb == "click":
        return True
    return _unfocused(before) != _unfocused(after)


def brought_nothing(step: StepRecord, request: GateRequest) -> bool:
    """Whether only the focus is elsewhere on the newest screen, and nothing was told: as far as can be seen it had no effect."""
    before = next((state for state in views(request) if state.state_id == step.before), None)
    now = next((state for state in views(request) if state.app == step.app), None)
    told = [event for event in step.events if not event.startswith("told:")]
    return before is not None and now is not None and not told and _unfocused(before) == _unfocused(now)


def _not_kept(field: GUIElement, request: GateRequest) -> str:
    """What a page that saves by itself says against the last entry in a field; empty where it says nothing."""
    states = {state.state_id: state for state in views(request)}
    wrote = next((step for step in reversed(request.steps) if step.action.get("action_type") in _WRITE), None)
    if wrote is None or wrote.before not in states or not request.screens or wrote.target != field.name:
        return ""
    said = refusal(states[wrote.before], request.screens[-1])
    return f'{PAGE_SAYS_NO}: "{said}"' if said else ""


def _refused(step: StepRecord, request: GateRequest) -> str:
    """What the page says against the press, as far as both screens are known."""
    states = {state.state_id: state for state in views(request)}
    last = request.screens[-1] if request.screens else None
    after = next((state for state in (states.get(step.after), last) if state is not None), None)
    known = after is not None and step.before in states
    return refusal(states[step.before], after, request.goal, step.target) if known and after is not None else ""


def _unfocused(state: VisualState) -> list[GUIElement]:
    return [element.model_copy(update={"focused": False}) for element in state.elements]


def shown_for_it(step: StepRecord) -> bool:
    """Whether the screen confirmed a step that was reported as failed: what can be seen counts, not what is said."""
    told = [event for event in step.events if event.startswith(("status:", "navigation:"))]
    return step.visible_change and bool(told) and not any(_AWAY.search(event) for event in told)


def _brought(step: StepRecord) -> bool:
    """Whether the step brought something that no screen shows: a file that was downloaded."""
    return any(event.startswith("told: downloaded ") for event in step.events)


def _words(step: StepRecord) -> str:
    said = "; ".join(step.events)
    return f" ({said})" if said else ""


def _app(app: str, request: GateRequest) -> Finding:
    state = next((s for s in views(request) if s.app == app), None)
    return Finding(True, (f"state:{state.state_id}",)) if state else Finding(False, (), f"{app} was not seen")
