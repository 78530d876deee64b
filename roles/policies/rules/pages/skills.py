"""Skills on any page: press, choose, write, learn, open, close, focus."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from protocol import ActionTarget, Click, GUIElement, Memorize, PressKey
from roles.policies.rules.pages.choosing import choose
from roles.policies.rules.pages.deeds import attach, back, deed, drag, restored, seek, take
from roles.policies.rules.pages.entering import put
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.things import apart
from roles.policies.rules.pages.reading.values import value_of
from roles.policies.rules.pages.rows import collect, extreme, look_up, table
from roles.policies.rules.pages.steps import into_view, missing, note_press, page_of, press, pressed, unclear, uncover
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.language.clauses import Clause
from roles.screen.language.lexicon import EXTREME, plain
from roles.screen.page import PRESSED, Thing, likeness


def push(clause: p.Push, at: Situation) -> Move:
    """Press the control once. What a press comes to is the Evaluator's to see."""
    if pressed(at):
        return done(f'"{clause.thing.words}" was pressed')
    page = page_of(at)
    thing = apart(clause.thing, page)
    found = page.find(thing, page.elements if clause.right else None)
    if found is None:
        return uncover(at, page, thing) or fail(missing(clause.thing.words, page))
    if len(rivals := page.rivals(thing)) > 1:
        return fail(unclear(clause.thing.words, rivals))
    if (again := restored(clause, page, at)) is not None:
        return again
    if clause.right:
        note_press(at)
        return into_view(found, at) or act(Click(target=ActionTarget.of(found), button="right"), f"the goal says: {clause.said}")
    if clause.double:
        return press(found, f"the goal says: {clause.said}", at, count=2)
    return press(found, f"the goal says: {clause.said}", at)


_IN_ROW = re.compile(r"\s+(?:of|for)\s+", re.IGNORECASE)


def _by_row(label: str) -> tuple[str, str] | None:
    """The column and the row of `the price of the oldest chair`, `the article with the lowest price`."""
    if _IN_ROW.search(label):
        attribute, row_words = _IN_ROW.split(label, maxsplit=1)
        return attribute, row_words
    head, with_, _ = label.partition(" with ")
    return (head, label) if with_ and EXTREME.search(label) else None


def learn(clause: p.Learn, at: Situation) -> Move:
    """Keep what the page shows on the blackboard."""
    if any(fact.name == clause.name and fact.subtask == at.view.subtask.id for fact in at.view.facts) and at.notes.get("kept"):
        return done(f"{clause.name} is known")
    page = page_of(at)
    if parted := _by_row(clause.source.label):
        attribute, row_words = parted
        move, row, _ = look_up(row_words, at)
        if move is not None:
            return move
        if row is not None and (told := row.under(attribute)):
            at.notes["kept"] = True
            shown = next((e for e in page.elements if e.name == told), page.elements[0])
            return act(Memorize(name=clause.name, value=told, target=ActionTarget.of(shown)), f"{clause.name} is {told!r}")
        if table(page):
            return fail(f'"{clause.name}" is not to be found on the page')
    value, source = value_of(clause.source, page)
    if not value or source is None:
        return uncover(at, page) or fail(f'"{clause.name}" is not to be found on the page')
    at.notes["kept"] = True
    return act(Memorize(name=clause.name, value=value, target=ActionTarget.of(source)), f"{clause.name} is {value!r}")


def unfold(clause: p.Unfold, at: Situation) -> Move:
    """Open or close what the words name: by what it says of itself, else by one press."""
    if pressed(at, "folded"):
        return done(f"{clause.thing.words} was {'opened' if clause.open else 'closed'}")
    page = page_of(at)
    folding = [e for e in page.controls if e.expanded is not None or e.role in {"tab", "treeitem"}]
    found = page.find(clause.thing, folding) or page.find(clause.thing)
    headed = clause.thing.kind == "section" and any(plain(e.name) == plain(clause.thing.name) for e in page.texts)
    if headed and (found is None or likeness(clause.thing.name, found.name) < 0.9):
        return done(f'the section "{clause.thing.name}" is on the page')
    if len(rivals := page.rivals(clause.thing, folding if page.find(clause.thing, folding) else None)) > 1:
        return fail(unclear(clause.thing.words, rivals))
    if not clause.thing.name and not clause.thing.nth:
        ready = [e for e in folding if e.expanded is not None]
        found = next((e for e in ready if e.expanded != clause.open), None) or (found if not ready else None)
        if found is None and ready:
            return done(f"every section is {'open' if clause.open else 'closed'}")
    if found is None:
        return uncover(at, page, clause.thing) or fail(missing(clause.thing.words, page))
    if found.expanded is clause.open:
        return done(f'"{found.name}" is as it should be')
    return press(found, f"the goal says: {clause.said}", at, what="folded")


def dismiss(clause: p.Dismiss, at: Situation) -> Move:
    """Close the dialog by its own control, or with Escape."""
    if pressed(at):
        return done("the dialog was closed")
    page = page_of(at)
    if not page.dialogs:
        closing = page.find(Thing(name="close", kind="button", words="close"))
        return press(closing, "it closes what is open", at) if closing else fail("no dialog is open")
    inside = [e for e in page.inside(page.dialogs[-1]) if e.role in PRESSED]
    button = next((e for word in ("close", "cancel", "ok", "dismiss") for e in inside if likeness(word, e.name) >= 0.9), None)
    if button is None and at.count("escape") == 0:
        note_press(at)
        return act(PressKey(keys=("Escape",)), "the dialog has no button to close it")
    return press(button, "it closes the dialog", at) if button else fail("the dialog has no button to close it")


def focus(clause: p.Focus, at: Situation) -> Move:
    page = page_of(at)
    found = page.find(clause.thing, page.fields)
    if pressed(at) or (found is not None and found.focused):
        return done(f"{clause.thing.words} has the focus")
    if found is None:
        return uncover(at, page) or fail(missing(clause.thing.words, page))
    return press(found, f"the goal says: {clause.said}", at)


def key(clause: p.Key, at: Situation) -> Move:
    """Press the control of that name if there is one, else the key."""
    if pressed(at):
        return done(f"{clause.name} was pressed")
    named = page_of(at).find(Thing(name=clause.name, kind="button", words=clause.name))
    if named is not None and likeness(clause.name, named.name) >= 0.9:
        return press(named, f"the goal says: {clause.said}", at)
    note_press(at)
    return act(PressKey(keys=(clause.name,)), f"the goal says: {clause.said}")


def _is_meant(thing: Thing, found: GUIElement) -> bool:
    return not thing.name or bool(thing.nth) or likeness(thing.name, found.name) >= 0.8


def look(clause: p.Look, at: Situation) -> Move:
    """Bring it to light: what follows is done to it."""
    page = page_of(at)
    found = page.find(clause.thing)
    if clause.thing.kind == "holder" or (found is not None and _is_meant(clause.thing, found)):
        return done(f"{clause.thing.words} is on the page")
    return uncover(at, page) or fail(missing(clause.thing.words, page))


PAGE_SKILLS: dict[type[Clause], Callable[[Any, Situation], Move]] = {
    p.Push: push, p.Choose: choose, p.Put: put, p.Learn: learn, p.Unfold: unfold, p.Dismiss: dismiss, p.Focus: focus,
    p.Look: look, p.Key: key, p.Extreme: extreme, p.Collect: collect, p.Deed: deed, p.DragTo: drag,
    p.Attach: attach, p.Seek: seek, p.Take: take, p.Back: back,
}  # fmt: skip
