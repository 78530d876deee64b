"""Choosing: boxes, options of lists, entries that a page draws."""

from __future__ import annotations

import re

from protocol import ActionTarget, Click, GUIElement, SelectOption
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.things import narrowed, row_boxes
from roles.policies.rules.pages.steps import into_view, missing, page_of, press, pressed, unclear, uncover
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.language.lexicon import ALL, NOTHING
from roles.screen.page import FIELDS, PRESSED, Page, Thing, likeness, listed
from roles.screen.values import same_value


def choose(clause: p.Choose, at: Situation) -> Move:
    """Tick boxes, select options; what is already as it should be stays."""
    if pressed(at, "picked"):
        return done(f'"{clause.names}" was picked')
    whole = page_of(at)
    page = narrowed(clause.thing, whole)
    if page is None:
        return uncover(at, whole) or fail(missing(clause.thing.name or clause.thing.place, whole))
    if clause.thing.nth or (clause.thing.every and clause.thing.kind == "box"):
        return _by_place(clause, page, at)
    nothing, everything = bool(NOTHING.match(clause.names)), bool(ALL.match(clause.names))
    boxes = page.boxes
    if boxes and (nothing or everything):
        return _set_boxes(boxes, [everything] * len(boxes), at)
    wanted, rest = listed(clause.names, [e.name for e in boxes])
    if wanted and not rest:
        twice = [e for e in boxes if e.name == wanted[0] and e.visible]
        if len(wanted) == 1 and len(twice) > 1 and not clause.thing.every:
            return fail(unclear(wanted[0], twice))
        states = [e.name in wanted if e.name in wanted or clause.exact else None for e in boxes]
        return _set_boxes(boxes, [None if s is None else s == clause.on for s in states], at)
    for entry in page.lists:
        picked, left = listed(clause.names, entry.options)
        if picked and not left:
            return _select(entry, picked, at)
    return _pick(clause, page, at)


def _by_place(clause: p.Choose, page: Page, at: Situation) -> Move:
    """`the second checkbox`, `all checkboxes`, `the last option of the list`."""
    if clause.thing.kind == "item" and page.lists:
        options = page.lists[0].options
        place = clause.thing.nth - 1 if clause.thing.nth > 0 else clause.thing.nth
        if -len(options) <= place < len(options):
            return _select(page.lists[0], [options[place]], at)
    found = page.all(clause.thing, page.boxes)
    one = page.find(clause.thing, page.boxes) if clause.thing.nth else None
    meant = [one] if one else [] if clause.thing.nth else found
    if meant:
        return _set_boxes(meant, [clause.on] * len(meant), at)
    return _pick(clause, page, at)


def _set_boxes(boxes: list[GUIElement], states: list[bool | None], at: Situation) -> Move:
    for box, state in zip(boxes, states, strict=True):
        if state is None or (box.value == "true") == state:
            continue
        if at.count(f"ticked {box.track_id}") > 3:
            return fail(f'"{box.name}" stays as it is')
        if scroll := into_view(box, at):
            return scroll
        return act(Click(target=ActionTarget.of(box)), f'"{box.name}" is to be {"ticked" if state else "cleared"}', "it changes")
    return done("what was to be ticked is ticked")


def _select(entry: GUIElement, options: list[str], at: Situation) -> Move:
    shown = entry.value or ""
    if shown == ", ".join(options) or (len(options) == 1 and same_value(shown, options[0])):
        return done(f'"{entry.name}" shows {shown}')
    if at.count(f"selected {entry.track_id}") > 2:
        return fail(f'"{entry.name}" does not take {", ".join(options)}')
    if scroll := into_view(entry, at):
        return scroll
    return act(
        SelectOption(target=ActionTarget.of(entry), options=tuple(options)), f"{', '.join(options)} is to be chosen", "shown"
    )


def _bare(names: str) -> str:
    """A name without its article and without the word for what it is; empty where there is none."""
    words = re.sub(r"^(?:the|a|an)\s+", "", names).split()
    named = len(words) > 1 and not words[0].islower() and words[-1].islower() and "," not in names
    return " ".join(words[:-1] if named else words) if named or " ".join(words) != names else ""


def _pick(clause: p.Choose, page: Page, at: Situation) -> Move:
    """An entry of a list that the page draws, or a control of that name; the list is opened first if it must be."""
    options = [e for e in page.controls if e.role not in FIELDS] + [e for e in page.texts if e.role in {"listitem", "cell"}]
    thing = Thing(name=clause.names, kind=clause.thing.kind if clause.thing.kind != "list" else "item", words=clause.names)
    if page.find(thing, options) is None and (bare := _bare(clause.names)):
        thing = Thing(name=bare, kind=thing.kind, words=bare)  # `the Startup plan` of `Startup`
    asked = clause.thing if clause.thing.nth else thing
    found = page.find(asked, options)
    if (found is None or likeness(asked.name, found.name) < 0.9) and (boxed := row_boxes(clause.names, page)):
        return _set_boxes(boxed, [clause.on] * len(boxed), at)
    if found is not None and len(rivals := page.rivals(asked, options)) > 1:
        return fail(unclear(clause.names, rivals))
    if found is not None and found.role in {"checkbox", "radio", "switch"}:
        return _set_boxes([found], [clause.on], at)
    if found is not None:
        return press(found, f'"{clause.names}" is to be picked', at, what="picked")
    opener = page.find(Thing(kind="list", place=""), page.controls) if clause.thing.kind == "list" else None
    if opener is not None and opener.role in PRESSED and at.count("listed") == 0:
        return press(opener, "the list has to be opened", at, what="opening")
    return uncover(at, page) or fail(missing(clause.names, page))
