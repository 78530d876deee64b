"""Skills: make a new record and prove that it is there; tell the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from environments.cards import KindCard
from protocol import Answer, CallApi, ExecStatus, GUIElement
from roles.contracts.orders import AnswerStep, CreateStep, Entry, FillStep, Records, RowTest
from roles.policies.orders.skills.committing import called, commit, news
from roles.policies.orders.skills.filling import fill, outcome, tried_before, write
from roles.policies.orders.skills.finding import find_record, find_row, go_to, step_back
from roles.policies.orders.skills.situation import Move, Situation, StepFailure, act, done, fail, press
from roles.policies.orders.skills.widgets import field_for, held, holds
from roles.screen.matching import similarity, tokens
from roles.screen.screens import Item, fold

_MAKING = frozenset({"new", "create", "add", "compose", "write", ""})


def create(step: CreateStep, at: Situation) -> Move:
    """Begin an empty form, write, commit, and see that the record is there."""
    kind = at.kind(step.app, step.kind)
    if "kept" in at.notes:
        return _proved(step, kind, at)
    if at.view.prefer == "api" and "by hand" not in at.notes and (move := _called_for(step, kind, at)) is not None:
        return move
    if tried_before(at) and "begun" not in at.notes and (move := _looked(step, kind, at)) is not None:
        return move
    if not at.notes.get("pressed"):
        if "begun" not in at.notes and (move := _begin(step, kind, at)) is not None:
            return move
        at.notes["begun"] = True
    now = _now(step, at)
    verb = "create" if len(now) < len(step.entries) else step.commit
    over = outcome(now, verb, at)
    if over is None:
        over = write(now, step.app, at)
        over = commit(verb, step.app, at, about=(step.kind,)) if over.kind == "done" and verb else over
    if over.kind != "done" or not verb:
        return over  # a form that is only to be filled in is left as it stands
    at.notes["kept"] = over.why
    return _proved(step, kind, at)


def _now(step: CreateStep, at: Situation) -> list[Entry]:
    """What is written at first: all, or what a dialog asks for, where one asks for a name before there is anything."""
    if "now" not in at.notes:
        if at.screen.dialog is None or "begun by" not in at.notes:
            return list(step.entries)
        here = [n for n, entry in enumerate(step.entries) if field_for(entry.label, at) is not None]
        title = bool(step.entries) and {*tokens(step.entries[0].label)} <= {"name", "title", *tokens(step.kind)}
        lone = at.screen.inputs[0].name if not here and title and len(at.screen.inputs) == 1 else ""
        if not here and not lone:
            raise StepFailure(f'"{at.notes["begun by"]}" asks for {", ".join(f.name for f in at.screen.inputs) or "nothing"}')
        at.notes.update(now=[0] if lone else here, lone=lone)
    some = [step.entries[n] for n in at.notes["now"]]
    return [some[0].model_copy(update={"label": at.notes["lone"]})] if at.notes["lone"] else some


# --- beginning --------------------------------------------------------------------------------------------------------


def _begin(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """Press what begins a new one; None where its empty form is there, or this very one."""
    label = _control(step, kind)
    fields, pressed = _fields(step, at), "begun by" in at.notes
    whole = bool(fields) and None not in fields
    if pressed and (whole or (at.screen.dialog is not None and at.screen.inputs) or (any(fields) and not at.count("looks"))):
        return None
    if not label and whole and _is_free(step, fields) and (not step.place or at.notes.get("placed")):
        return None
    begin = _beginner(step, label, at) if at.screen.dialog is None and (not step.place or at.notes.get("placed")) else None
    if begin is not None:
        if at.count("begins") > 5:
            return fail(f'"{begin.name}" does not begin a new {step.kind}')
        if (scroll := at.reach(begin)) is None:
            at.notes["begun by"] = begin.name
        return scroll or press(begin, f'"{begin.name}" begins a {step.kind}')
    if at.count("ways") < 10 and (move := go_to(step.app, step.place or (kind.place if kind else ""), at)) is not None:
        return move
    if not at.notes.get("placed"):
        at.notes["placed"] = True
        return _begin(step, kind, at)
    if whole and not label:
        return None  # a form that always stands there: what an earlier one left in it is written over
    if at.notes["ways"] < 10 and (back := step_back(at)) is not None:
        return back
    names = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
    why = f"there is no way to create a {step.kind} in {at.title(step.app)} here; buttons there are: {names}"
    return fail(why, f"how to create a {step.kind}")


def _control(step: CreateStep, kind: KindCard | None) -> str:
    """What begins one: of several ways the one that asks for what there is to say."""
    ways = [v for v in (kind.create, *kind.verbs) if v is not None and v.verb == "create"] if kind else []
    labels = {fold(entry.label) for entry in step.entries}
    asking = [v for v in ways if v.asks and any(fold(f.label) in labels for f in v.asks)]
    return next(iter([*asking, *(v for v in ways if not v.asks), *ways])).control if ways else ""


def _fields(step: CreateStep, at: Situation) -> list[GUIElement | None]:
    try:
        return [field_for(entry.label, at) for entry in step.entries]
    except StepFailure:
        return []


def _is_free(step: CreateStep, fields: Sequence[GUIElement | None]) -> bool:
    """No text field holds words of another record."""
    pairs = [(f, e) for f, e in zip(fields, step.entries, strict=True) if f is not None and f.role == "textbox"]
    return all(not held(field) or holds(field, entry.value) for field, entry in pairs)


def _beginner(step: CreateStep, label: str, at: Situation) -> GUIElement | None:
    """The control of the card, else the only one that says so of this kind, or of no kind at all."""
    options = [e for e in at.screen.presses if e.enabled and e.role in {"button", "link", "menuitem", "tab"}]
    if label:
        words = {*tokens(step.kind), *(word for entry in step.entries for word in tokens(entry.label))}
        return next((e for e in options if called(e.name, label) and ("{" not in label or words & set(tokens(e.name)))), None)
    made = []
    for element in options:
        first, *rest = fold(element.name).split()
        noun = " ".join(word for word in rest if word not in {"a", "an", "new", "another"})
        if first.strip("+") in _MAKING and (not noun or similarity(step.kind, noun) >= 0.9):
            made.append((bool(noun), element))
    best = [e for named, e in made if named == max(made, key=lambda pair: pair[0])[0]]
    return best[0] if len({e.name for e in best}) == 1 else None


def _called_for(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """One call of the application's function that takes exactly these entries, where the run prefers functions; once."""
    if "call" in at.notes:
        last = next((r for r in reversed(at.history) if r.action.get("action_type") == "call_api"), None)
        if last is None or last.exec_status is ExecStatus.ERROR:
            at.notes["by hand"] = True  # it said that it did not do it
            return None
        if last.exec_status is not ExecStatus.EXECUTED:
            return fail(f"{at.notes['call']} did not say whether it was done ({last.error or last.exec_status.value})")
        records = _records(step, kind)
        way = find_record(records, at) if records is not None else None
        return way or done(f"{at.notes['call']} did it{', and it is there' if records is not None else ''}")
    nouns = {fold(word) for word in (step.kind, *(kind.words if kind else ()))}
    verbs = {"save": {"create", "add", "start"}}.get(step.commit, {step.commit})
    for skill in (s for s in at.view.skills if s.kind == "api" and s.app == step.app and not tried_before(at)):
        verb, _, noun = skill.name.replace("_", " ").partition(" ")
        named = {e.label: [a for a in skill.takes if similarity(e.label, a.replace("_", " ")) >= 0.9] for e in step.entries}
        exact = all(len(found) == 1 and skill.takes[found[0]].get("type") == "string" for found in named.values())
        arguments: dict[str, Any] = {named[e.label][0]: e.value for e in step.entries} if exact else {}
        if verb in verbs and noun in nouns and len(arguments) == len(step.entries) and {*skill.needs} <= {*arguments}:
            at.notes.update(call=skill.called, verb=step.commit, noticed=at.screen.notices)
            call = CallApi(app=step.app, function=skill.name, arguments=arguments)
            return act(call, f"{skill.called} is the application's own function for this")
    at.notes["by hand"] = True
    return None


# --- proof ------------------------------------------------------------------------------------------------------------


def _records(step: CreateStep, kind: KindCard | None, whole: bool = False) -> Records | None:
    """How the new record is known in its list: by its key fields, else by the first text that is listed, or was asked for.

    With `whole` by all that its list shows of it.
    """
    fields = {fold(f.label): f for f in kind.fields} if kind else {}
    named = [(e, fields[fold(e.label)]) for e in step.entries if fold(e.label) in fields and e.value.strip()]
    keys = [(e, f) for e, f in named if f.key or (whole and f.listed)] or [
        (e, f) for e, f in named if f.listed and f.type in {"text", "people"}
    ][:1]
    tests = tuple(RowTest(label=f.label if f.listed else "", value=e.value) for e, f in keys)
    if not tests and step.entries and fold(step.entries[0].label) not in fields:
        tests = (RowTest(value=step.entries[0].value),)
    return Records(app=step.app, kind=step.kind, place=step.place, tests=tests) if tests else None


def _looked(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """A later attempt looks first whether an earlier one made it after all; None where it did not."""
    records, fields = _records(step, kind, whole=True), _fields(step, at)
    if records is None or at.notes.get("looked"):
        return None
    if fields and all(f is not None and holds(f, e.value) for f, e in zip(fields, step.entries, strict=True)):
        at.notes.update(looked=True, begun=True)  # its form is still open
        return None
    found = _row_of(records, "looking", at)
    if isinstance(found, Item) and fold(records.tests[0].value) in {
        fold(t) for t in (found.press.name, *found.text.split(" · "))
    }:
        return done(f"it was made before: {found.text}")
    if isinstance(found, Item):
        found = None
    at.notes["looked"] = found is None
    return found


def _row_of(records: Records, what: str, at: Situation) -> Item | Move | None:
    """The record's row, or the next move towards it; None where it is not listed."""
    if at.count(f"{what} steps") > 14:
        return None
    try:
        found = find_row(records, Situation(at.view, at.notes.setdefault(what, {}), at.said))
    except StepFailure:
        return None
    return None if isinstance(found, Move) and found.kind == "fail" else found


def _proved(step: CreateStep, kind: KindCard | None, at: Situation) -> Move:
    """What a first dialog did not ask for is written; then the record shows itself, or is looked for in its list."""
    records, why = _records(step, kind), str(at.notes["kept"])
    left = [e for n, e in enumerate(step.entries) if n not in at.notes["now"]] if "now" in at.notes else []
    if left:
        here = at.notes.setdefault("opened", any(field_for(e.label, at) is not None for e in left))
        rest = FillStep(app=step.app, records=None if here else records, entries=tuple(left), commit=step.commit)
        return fill(rest, Situation(at.view, at.notes.setdefault("rest", {}), at.said))
    texts = [e.value for e in step.entries if e.value.strip()]
    if news(at) or not texts or records is None:
        return done(why)
    told = fold(" · ".join([*(e.name for e in at.screen.detail_texts if e.role != "status"), *(i.text for i in at.screen.items)]))
    if any(fold(text.splitlines()[0]) in told for text in texts):
        return done(f"{why}; the screen shows it")
    found = _row_of(records, "proving", at)
    if isinstance(found, Move):
        return found
    if found is None:
        return fail(f"the {step.kind} was kept ({why}), and is not in the list afterwards")
    return done(f"{why}; it is in the list: {found.text}")


# --- telling ----------------------------------------------------------------------------------------------------------


def answer(step: AnswerStep, at: Situation) -> Move:
    """Tell the user, once."""
    if at.notes.get("told"):
        return done(f"the user was told: {step.value[:80]}")
    if not step.value.strip():
        return fail("there is nothing to tell")
    at.notes["told"] = True
    return act(Answer(text=step.value), "the goal asks for it")
