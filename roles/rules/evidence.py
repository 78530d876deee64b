"""What was observed about each expectation: holds or not, and the ids of what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.contracts import AppShown, EffectSeen, Expectation, Fact, FactKnown, FieldHas, GateRequest, StepRecord, TextShown
from roles.rules.matching import similarity
from roles.rules.screens import FIELD_ROLES, Screen, fold
from roles.rules.values import same_value

_VERBS = {
    "submit": ("submit", "send", "file", "hand", "turn", "confirm", "apply"),
    "send": ("send", "submit", "post"),
    "save": ("save", "store", "keep", "update", "create", "add", "done", "ok"),
    "delete": ("delete", "remove", "trash", "erase", "discard"),
    "move": ("move", "archive"),
}


class Finding(NamedTuple):
    """Whether an expectation holds, what shows it, and words for what is missing."""

    holds: bool
    evidence: tuple[str, ...] = ()
    missing: str = ""


def check(expectation: Expectation, request: GateRequest) -> Finding:
    """Look for evidence on the screens, in older observations, in the steps and among the facts."""
    match expectation:
        case FactKnown(name=name):
            return _fact(name, request)
        case FieldHas():
            return _field(expectation, request)
        case TextShown(text=text, app=app):
            return _text(text, app, request)
        case EffectSeen(verb=verb, target=target, app=app):
            return _effect(verb, target, app, request)
        case AppShown(app=app):
            return _app(app, request)


def fact_of(name: str, facts: Iterable[Fact]) -> Fact | None:
    """The newest fact of that name, else one whose name means the same."""
    newest = list(facts)[::-1]
    exact = next((f for f in newest if f.name.casefold() == name.casefold()), None)
    return exact or next((f for f in newest if similarity(name, f.name) >= 0.9), None)


def _fact(name: str, request: GateRequest) -> Finding:
    exact = next((f for f in request.facts if f.name.casefold() == name.casefold()), None)
    if exact is None or not exact.value.strip():
        return Finding(False, (), f'the fact "{name}" is not known')
    return Finding(True, (f"fact:{exact.name}",))


def views(request: GateRequest) -> list[VisualState]:
    """The newest first."""
    return [*reversed(request.screens), *request.earlier]


def _field(wanted: FieldHas, request: GateRequest) -> Finding:
    value = expected_value(wanted, request)
    if value is None:
        return Finding(False, (), f'the fact "{wanted.fact}" is not known')
    latest: tuple[str, str] | None = None
    for state in views(request):
        if wanted.app and state.app != wanted.app:
            continue
        for element in state.elements:
            if element.role not in FIELD_ROLES or not element.value:
                continue
            if holds(element, value) and _fits(wanted.label, element, state, value):
                return Finding(True, (f"state:{state.state_id}",))
            if latest is None and similarity(wanted.label, element.name) >= 0.9:
                latest = (element.name, element.value)
        if _shown_as_pair(wanted.label, value, state):
            return Finding(True, (f"state:{state.state_id}",))
    instead = f'; "{latest[0]}" shows {latest[1]!r}' if latest else ""
    return Finding(False, (), f'no field "{wanted.label}" was seen with the value {value!r}{instead}')


def expected_value(wanted: FieldHas, request: GateRequest) -> str | None:
    if wanted.fact is None:
        return wanted.value
    fact = fact_of(wanted.fact, request.facts)
    return fact.value if fact else None


def holds(element: GUIElement, value: str) -> bool:
    """Whether a field shows the value; a text may hold it among others."""
    held = element.value or ""
    if same_value(held, value):
        return True
    return element.role == "textbox" and len(value) >= 3 and any(same_value(part, value) for part in _parts(held))


def _parts(text: str) -> list[str]:
    lines = text.splitlines()
    return [*lines, *(line.split(": ", 1)[1] for line in lines if ": " in line)]


def _fits(label: str, element: GUIElement, state: VisualState, value: str) -> bool:
    """The field is the one that is meant: by name, or because no other field has that name."""
    if similarity(label, element.name) >= 0.6 or fold(label) == fold(value):
        return True
    return not any(similarity(label, e.name) >= 0.9 for e in state.elements if e.role in FIELD_ROLES)


def _shown_as_pair(label: str, value: str, state: VisualState) -> bool:
    pairs = Screen(state).pairs
    return any(same_value(p.value, value) and similarity(label, p.label) >= 0.6 for p in pairs)


def _text(text: str, app: str | None, request: GateRequest) -> Finding:
    folded = fold(text)
    for state in views(request):
        if app and state.app not in {app, None}:
            continue
        if any(folded in fold(f"{e.name} {e.value or ''}") for e in state.elements):
            return Finding(True, (f"state:{state.state_id}",))
    return Finding(False, (), f'"{text}" was not seen')


def _effect(verb: str, target: str | None, app: str | None, request: GateRequest) -> Finding:
    done = [s for s in request.steps if _amounts_to(s, verb, target) and s.exec_status == "executed"]
    if app:
        done = [s for s in done if s.app in {app, None}] or done
    seen = [s for s in done if s.visible_change and not _complained(s) and _more_than_focus(s, request)]
    if not seen and verb == "save" and (state := _nothing_to_save(app, request)):
        return Finding(True, (f"state:{state.state_id}",))
    if seen:
        last = seen[-1]
        return Finding(True, (f"step:{last.step}", f"state:{last.after}"))
    if done:
        return Finding(
            False, (f"step:{done[-1].step}",), f"{verb} was tried, and nothing showed that it worked{_words(done[-1])}"
        )
    return Finding(False, (), f"nothing was done to {verb}")


def _amounts_to(step: StepRecord, verb: str, target: str | None) -> bool:
    if verb == "click":
        return bool(target) and similarity(target or "", step.target) >= 0.7
    words = _VERBS.get(verb, (verb,))
    name = step.target.casefold()
    keys = [str(k).casefold() for k in step.action.get("keys", [])]
    shortcut = verb == "save" and keys[-1:] == ["s"] and len(keys) > 1
    pressed = step.action.get("action_type") in {"click", "press_key", "type"}
    return step.verb in words or shortcut or (pressed and any(name == w or name.startswith(w + " ") for w in words))


def _nothing_to_save(app: str | None, request: GateRequest) -> VisualState | None:
    """A screen that says it was saved, or whose Save button is disabled because nothing is new."""
    for state in request.screens[::-1]:
        if app and state.app != app:
            continue
        said = any(e.role == "status" and "saved" in fold(e.name).split() for e in state.elements)
        idle = any(e.role == "button" and not e.enabled and fold(e.name).split()[:1] == ["save"] for e in state.elements)
        if (said and any(_amounts_to(s, "save", None) for s in request.steps)) or idle:
            return state
    return None


def _more_than_focus(step: StepRecord, request: GateRequest) -> bool:
    """Whether something else changed than which element has the focus, as far as both screens are known."""
    states = {state.state_id: state for state in views(request)}
    before, after = states.get(step.before), states.get(step.after)
    if before is None or after is None or step.events or step.verb == "click":
        return True
    return _unfocused(before) != _unfocused(after)


def _unfocused(state: VisualState) -> list[GUIElement]:
    return [element.model_copy(update={"focused": False}) for element in state.elements]


def _complained(step: StepRecord) -> bool:
    return any(e.startswith("validation") for e in step.events)


def _words(step: StepRecord) -> str:
    said = "; ".join(step.events)
    return f" ({said})" if said else ""


def _app(app: str, request: GateRequest) -> Finding:
    state = next((s for s in views(request) if s.app == app), None)
    return Finding(True, (f"state:{state.state_id}",)) if state else Finding(False, (), f"{app} was not seen")
