"""Search fields: what to write into them, how to start, and when searching is quicker than turning pages."""

from __future__ import annotations

import re

from protocol import ActionTarget, GUIElement, Type
from roles.rules import clauses as c
from roles.rules.moves import Move, Situation, act, press, set_value
from roles.rules.records import entry_of, matching_entries

_PAGES = re.compile(r"(?:of|von|/)\s*(\d+)\s*$", re.IGNORECASE)
_LONG = 4
"""Pages from which on a list is long."""


def search_for(entity: c.Entity, at: Situation) -> Move | None:
    """Fill the search field with what the record is called, and start; None when there is none or it was done."""
    words = entity.id or entity.name or entity.subject
    field = next((f for f in at.screen.searches if f.enabled), None)
    if field is None or not words or at.notes.get("searched"):
        return None
    if field.value != words:
        return set_value(field, words, f'to search for "{words}"', at)
    at.notes.update(searched=True, page=0, entries={})
    return start_search(field, at)


def start_search(field: GUIElement, at: Situation) -> Move:
    """Press the button that belongs to the search field: one in the same group before one that merely has such a name."""
    buttons = [e for e in at.screen.presses if e.role == "button" and e.name.casefold() in {"search", "find", "go"}]
    own = [e for e in buttons if e.parent == field.parent or any(a.element_id == e.parent for a in at.screen.above(field)[:2])]
    if own or (buttons and not any(e.name.casefold() == "go" for e in buttons)):
        return press((own or buttons)[0], "", at=at)
    return act(Type(target=ActionTarget.of(field), text="", submit=True), "to search")


def sooner(entity: c.Entity, at: Situation) -> Move | None:
    """In a long list, looking for a name of one's own is quicker than turning its pages."""
    pages = next((m for e in at.screen.elements if (m := _PAGES.search(e.name))), None)
    named = (entity.id or entity.name) and not (entity.pick or entity.filters or entity.subject)
    if pages is None or int(pages[1]) < _LONG or not named or at.notes.get("chosen"):
        return None
    here = [entry_of(item, 0) for item in at.screen.items]
    return None if matching_entries(entity, here) else search_for(entity, at)
