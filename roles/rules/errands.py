"""Skill: keep one thing of a list and remove the others, put an event to another hour, write to those who attend."""

from __future__ import annotations

import re

from protocol import GUIElement
from roles.rules import clauses as c
from roles.rules.committing import after_press, push
from roles.rules.finding import go_to, is_open
from roles.rules.matching import best, similarity
from roles.rules.moves import Move, Situation, done, fail, press
from roles.rules.screens import fold
from roles.rules.writing import put_into

_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


def keep_only(clause: c.KeepOnly, at: Situation) -> Move:
    """Press Remove for every other row, then set the quantity and update."""
    page = best(
        clause.place, [e for e in at.screen.presses if e.role in {"link", "tab", "button"} and e.enabled], lambda e: e.name
    )
    on_page = any(e.role == "heading" and clause.place in fold(e.name) for e in at.screen.elements)
    if not on_page:
        if page is None or at.count("goes") > 2:
            return fail(f'there is no "{clause.place}" here')
        return press(page.item, f'"{page.item.name}" shows what is in it', at=at)
    rows = [item for item in at.screen.items if any(e.role == "button" for e in at.screen.within(item.element))]
    kept = [item for item in rows if fold(clause.item) in fold(item.text)]
    if len(kept) != 1:
        return fail(f'"{clause.item}" stands {len(kept)} times in the {clause.place}')
    other = next((item for item in rows if item not in kept), None)
    if other is not None:
        remove = next(
            (e for e in at.screen.within(other.element) if e.role == "button" and fold(e.name).startswith(("remove", "delete"))),
            None,
        )
        if remove is None or at.count("removes") > 40:
            return fail(f'"{other.text}" cannot be removed')
        return press(remove, f'only "{clause.item}" is to stay', at=at)
    field = next((e for e in at.screen.within(kept[0].element) if e.role in {"spinbutton", "textbox", "combobox"}), None)
    if field is None:
        return fail(f'the quantity of "{clause.item}" cannot be set')
    if (move := put_into(field, clause.quantity, at)).kind != "done":
        return move
    update = next(
        (e for e in at.screen.presses if e.role == "button" and e.enabled and fold(e.name).startswith(("update", "save"))), None
    )
    if update is not None and not at.notes.get("updated"):
        at.notes["updated"] = True
        return press(update, "to keep the quantity", at=at)
    return done(f'only "{clause.item}" is left, {clause.quantity} of it')


def reschedule(clause: c.Reschedule, at: Situation) -> Move:
    """Open it, edit, move begin and end by the same time, save."""
    if at.notes.get("pressed") and (move := after_press("save", at)):
        return move
    begin, end = _field("start time", at), _field("end time", at)
    if begin is None or end is None:
        if not is_open(clause.entity, at):
            return go_to(clause.entity, at)
        edit = next((e for e in at.screen.presses if e.enabled and fold(e.name) in {"edit", "change"}), None)
        if edit is None or at.count("edits") > 2:
            return fail("it cannot be changed on this screen", "how to change an event")
        return press(edit, f'"{edit.name}" lets it be changed', at=at)
    at.notes.setdefault("until", _later(clause.to, begin.value or "", end.value or ""))
    for field, text in ((begin, clause.to), (end, str(at.notes["until"]))):
        if (move := put_into(field, text, at)).kind != "done":
            return move
    save = next((e for e in at.screen.presses if e.role == "button" and fold(e.name) == "save"), None)
    return push(save, "save", at) if save is not None else fail("there is no button to save it")


def _field(name: str, at: Situation) -> GUIElement | None:
    return next((f for f in at.screen.inputs if similarity(name, f.name) >= 0.95), None)


def _later(to: str, begin: str, end: str) -> str:
    """The end that leaves the length as it was."""
    minutes = [int(m[1]) * 60 + int(m[2]) for text in (to, begin, end) if (m := _CLOCK.search(text))]
    if len(minutes) < 3:
        return end
    late = (minutes[0] + minutes[2] - minutes[1]) % (24 * 60)
    return f"{late // 60:02d}:{late % 60:02d}"


def write_to_attendees(clause: c.Invite, at: Situation) -> Move:
    """The event's own way of writing to all who attend."""
    if at.notes.get("pressed") and (move := after_press("send", at)):
        return move
    field = next((f for f in at.screen.inputs if similarity("message", f.name) >= 0.9), None)
    if field is not None and at.notes.get("begun"):
        if (move := put_into(field, clause.body.text, at)).kind != "done":
            return move
        send = next((e for e in at.screen.presses if e.role == "button" and fold(e.name) == "send"), None)
        return push(send, "send", at) if send is not None else fail("there is no button to send it")
    button = next(
        (
            e
            for e in at.screen.presses
            if e.enabled and re.match(r"(?:e-?)?mail\b.*\b(?:attendees|guests|participants)", fold(e.name))
        ),
        None,
    )
    if button is not None and at.count("begins") < 2:
        at.notes["begun"] = True
        return press(button, f'"{button.name}" writes to all who attend', at=at)
    if is_open(clause.entity, at) or at.count("seeks") > 12:
        return fail("there is no way to write to those who attend")
    return go_to(clause.entity, at)
