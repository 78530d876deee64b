"""Skills: make a new record and prove that it is there; tell the user."""

from __future__ import annotations

from collections.abc import Sequence

from environments.cards import KindCard
from protocol import Answer, GUIElement
from roles.contracts.orders import AnswerStep, ComputeStep, CreateStep, Entry, Records, RowTest
from roles.policies.orders.skills.committing import called, came_of, commit, news
from roles.policies.orders.skills.filling import outcome, write
from roles.policies.orders.skills.finding import find_record, find_row, go_to
from roles.policies.orders.skills.situation import Move, Situation, StepFailure, act, done, fail, press
from roles.policies.orders.skills.widgets import field_for, held, holds
from roles.screen.matching import similarity, tokens
from roles.screen.screens import Item, fold
from roles.screen.synonyms import leads_back


def create(step: CreateStep, at: Situation) -> Move:
    """Begin an empty form, write, commit, and see that the record is there."""
    kind = at.kind(step.app, step.kind)
    if at.notes.get("kept"):
        return _proved(step, kind, at)
    if at.view.subtask.attempt > 1 and not at.notes.get("begun") and (move := _looked(step, kind, at)) is not None:
        return move
    if (over := outcome(step.entries, _verb(step, at), step.app, at)) is not None:
        if over.kind != "done":
            return over
        return _on(step, kind, over, at)
    if not at.notes.get("begun") and (move := _begin(step, kind, at)) is not None:
        return move
    at.notes["begun"] = True
    now, _ = _here(step, at)
    move = write(now, step.app, at) if now else done("the form that was begun asks for nothing of it")
    return move if move.kind != "done" else commit(_verb(step, at), step.app, at)


def _verb(step: CreateStep, at: Situation) -> str:
    """In a dialog that asks for the name alone, its own verb."""
    return "create" if at.notes.get("prompted") else step.commit


def _here(step: CreateStep, at: Situation) -> tuple[list[Entry], list[Entry]]:
    """Entries for fields of this form, and those for which there is none yet, where a dialog asks for some first."""
    if at.screen.dialog is None or at.notes.get("pressed"):
        return list(step.entries), []
    here = [entry for entry in step.entries if field_for(entry.label, at) is not None]
    if not here and len(at.screen.inputs) == 1:
        here = [step.entries[0].model_copy(update={"label": at.screen.inputs[0].name})] if step.entries else []
    later = [e for n, e in enumerate(step.entries) if e not in here and not (n == 0 and len(here) == 1 and here[0].value == e.value)]
    at.notes.update(prompted=True, later=[step.entries.index(e) for e in later])
    return here, later


def _on(step: CreateStep, kind: KindCard | None, over: Move, at: Situation) -> Move:
    """After the commit: what a dialog did not ask for is written into the new record, and then it is proved."""
    left = [step.entries[n] for n in at.notes.pop("later", [])]
    if left and "prompted" in at.notes:
        at.notes.update({"rest": True, "kept": over.why, "whole": {}, "over": [], "tries": {}, "pressed": 0})
        at.notes.pop("prompted")
    at.notes.setdefault("kept", over.why)
    return _proved(step, kind, at)


# --- beginning --------------------------------------------------------------------------------------------------------


def _begin(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """Press what begins a new one; None where an empty form of it is there, or this very one."""
    label = kind.create.control if kind and kind.create else ""
    fields = _fields(step, at)
    pressed = at.notes.get("began")
    if None not in fields and fields and (pressed or not label) and _empty_or_mine(step, fields):
        return None
    if pressed and at.screen.dialog is not None and at.screen.inputs:
        return None
    if pressed and fields and any(fields) and at.count("looks") < 1:
        return None
    if at.screen.dialog is None and (begin := _beginner(step, label, at)) is not None:
        if at.count("begins") > 3:
            return fail(f'"{begin.name}" does not begin a new {step.kind}')
        if (scroll := at.reach(begin)) is not None:
            return scroll
        at.notes["began"] = True
        return press(begin, f'"{begin.name}" begins a {step.kind}')
    if at.count("ways") < 10 and (move := go_to(step.app, step.place or (kind.place if kind else ""), at)) is not None:
        return move
    if None not in fields and fields and not label:
        return None  # a form that stands on the page; what it holds of an earlier one is written over
    back = next((e for e in at.screen.presses if e.enabled and (leads_back(e.name) or fold(e.name).split()[:1] == ["close"])), None)
    if back is not None and at.count("leaves") < 3:
        return press(back, "the list offers to create one", at=at)
    names = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
    return fail(
        f"there is no way to create a {step.kind} in {at.title(step.app)} here; buttons there are: {names}",
        f"how to create a {step.kind}",
    )


def _fields(step: CreateStep, at: Situation) -> list[GUIElement | None]:
    try:
        return [field_for(entry.label, at) for entry in step.entries]
    except StepFailure:
        return []


def _empty_or_mine(step: CreateStep, fields: Sequence[GUIElement | None]) -> bool:
    """No field holds words of another record; what has choices, and what a form fills in itself, may."""
    texts = [(f, e.value) for f, e in zip(fields, step.entries, strict=True) if f is not None and f.role == "textbox"]
    free = [f for f, value in texts if not held(f) or holds(f, value)]
    return not texts or len(free) == len(texts) or bool(free and not held(texts[0][0]))


def _beginner(step: CreateStep, label: str, at: Situation) -> GUIElement | None:
    """The control of the card, else the only one that says so of this kind."""
    options = [e for e in at.screen.presses if e.enabled and e.role in {"button", "link", "menuitem", "tab"}]
    if label:
        named = [e for e in options if called(e.name, label)]
        words = {*tokens(step.kind), *(word for entry in step.entries for word in tokens(entry.label))}
        return next((e for e in named if "{" not in label or words & set(tokens(e.name))), None)
    made = []
    for element in options:
        first, *rest = fold(element.name).split()
        if first.strip("+") in {"", "new", "create", "add", "compose", "write"}:
            words = " ".join(word for word in rest if word not in {"a", "an", "new", "another"})
            made.append((2.0 if similarity(step.kind, words) >= 0.9 else 0.0 if words else 1.0, element))
    best = [e for score, e in made if score and score == max(score for score, _ in made)]
    return best[0] if len({e.name for e in best}) == 1 else None


# --- proof ------------------------------------------------------------------------------------------------------------


def _records(step: CreateStep, kind: KindCard | None) -> Records | None:
    """How the new record is known in its list: by the values of its key fields, else by the first text that is listed."""
    fields = {fold(f.label): f for f in kind.fields} if kind else {}
    named = [(e, fields[fold(e.label)]) for e in step.entries if fold(e.label) in fields and e.value.strip()]
    keys = [(e, f) for e, f in named if f.key] or [(e, f) for e, f in named if f.listed and f.type in {"text", "people"}][:1]
    tests = tuple(RowTest(label=f.label if f.listed else "", value=e.value) for e, f in keys)
    return Records(app=step.app, kind=step.kind, place=step.place, tests=tests) if tests else None


def _looked(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """A later attempt looks first whether an earlier one made it after all; None where it did not."""
    records = _records(step, kind)
    if records is None or at.notes.get("looked"):
        return None
    fields = _fields(step, at)
    if fields and None not in fields and all(f is None or holds(f, e.value) for f, e in zip(fields, step.entries, strict=True)):
        at.notes.update(looked=True, begun=True)  # its form is still open
        return None
    notes = at.notes.setdefault("looking", {})
    try:
        found = find_row(records, Situation(at.view, notes, at.said))
    except StepFailure:
        found = fail("it is not there")
    if isinstance(found, Item):
        return done(f"it was made before: {found.text}")
    if found.kind == "act" and at.count("look steps") < 12:
        return found
    at.notes["looked"] = True
    return None


def _proved(step: CreateStep, kind: KindCard | None, at: Situation) -> Move:
    """What was not asked for at first is written; then the record shows itself, or is looked for where such are listed."""
    if at.notes.get("rest"):
        return _rest(step, kind, at)
    why = str(at.notes["kept"])
    texts = [e.value for e in step.entries if e.value.strip() and e.mode == "set"]
    if news(at) or not texts:
        return done(why)
    if any(at.screen.says(text) or any(fold(text) in fold(i.text) for i in at.screen.items) for text in texts):
        return done(f"{why}; the screen shows it")
    records = _records(step, kind)
    if records is None:
        return done(why)
    found = find_row(records, Situation(at.view, at.notes.setdefault("proving", {}), at.said))
    if isinstance(found, Item):
        return done(f"{why}; it is in the list: {found.text}")
    return found if found.kind != "fail" else fail(f"the {step.kind} was kept ({why}), and is not in the list afterwards")


def _rest(step: CreateStep, kind: KindCard | None, at: Situation) -> Move:
    """The fields of the new record that its first dialog did not have."""
    asked = [e for e in step.entries if not any(h == fold(e.value) for h in [fold(str(at.notes.get("named", "")))])]
    records = _records(step, kind)
    rest = [e for e in asked if records is None or all(t.value != e.value for t in records.tests)]
    if (over := came_of(step.commit, at)) is not None:
        if over.kind == "done":
            at.notes.update(rest=False, kept=over.why)
            return done(over.why)
        return over
    fields = [field_for(e.label, at) for e in rest]
    if None in fields and records is not None and at.count("rest steps") < 14 and (move := find_record(records, at)) is not None:
        return move
    move = write(rest, step.app, at)
    return move if move.kind != "done" else commit(step.commit, step.app, at)


# --- telling ----------------------------------------------------------------------------------------------------------


def answer(step: AnswerStep, at: Situation) -> Move:
    """Tell the user, once."""
    if at.notes.get("told"):
        return done(f"the user was told: {step.value[:80]}")
    if not step.value.strip():
        return fail("there is nothing to tell")
    at.notes["told"] = True
    return act(Answer(text=step.value), "the goal asks for it")


def compute(step: ComputeStep, at: Situation) -> Move:
    """The Analyst's work; here it is only seen whether it is done."""
    if at.fact(step.name) is not None:
        return done(f'"{step.name}" is worked out')
    return fail(f'"{step.name}" is not worked out: that is the Analyst\'s work')
