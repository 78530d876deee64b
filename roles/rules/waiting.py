"""Skill: wait until something is there, a mail in its list or what a camera shows, and no longer than is worth it."""

from __future__ import annotations

from protocol import GUIElement, Wait
from roles.rules import clauses as c
from roles.rules.finding import look_elsewhere
from roles.rules.matching import similarity, tokens
from roles.rules.moves import Move, Situation, act, done, fail, press
from roles.rules.records import entry_of, matching_entries, on_record
from roles.rules.screens import shown
from roles.rules.wording import entity_words

_PIECE = 15.0
"""Seconds between two looks."""


def await_it(clause: c.Await, at: Situation) -> Move:
    """Done once it is on the screen; until then wait and look again."""
    return _place(clause, at) if clause.shows else _record(clause, at)


def _record(clause: c.Await, at: Situation) -> Move:
    """The list is where it will appear; nothing is opened."""
    if matching_entries(clause.entity, [entry_of(item) for item in at.screen.items]) or on_record(clause.entity, at.screen):
        return done(f"{entity_words(clause.entity)} is there")
    if not at.screen.items and (at.screen.prose or not at.screen.searches):
        return look_elsewhere(clause.entity, at)
    return _wait(clause, at)


def _place(clause: c.Await, at: Situation) -> Move:
    """What the place shows, in the words that stand for its picture or its sound."""
    spots = _standing_under(clause.entity.name, at)
    if not spots:
        return _next_part(clause, at)
    at.notes["place"] = True
    wanted = set(tokens(clause.shows))
    seen = next((e for e in spots if wanted <= set(tokens(f"{e.name} {shown(e)}"))), None)
    if seen is not None:
        return done(f"{clause.entity.name} shows: {seen.name or shown(seen)}")
    return _wait(clause, at)


def _standing_under(name: str, at: Situation) -> list[GUIElement]:
    """Pictures and texts in the same group as a heading of this name; what it showed before does not count."""
    for head in at.screen.elements:
        if head.role == "heading" and similarity(name, head.name) >= 0.9:
            group = [e for above in at.screen.above(head)[:1] for e in at.screen.within(above) if e is not head]
            pictures = [e for e in group if e.role in {"img", "image"} and e.name]
            return pictures or [e for e in group if e.role in {"text", "listitem"}]
    return []


def _next_part(clause: c.Await, at: Situation) -> Move:
    """The place is in another part of the application: look into one after the other."""
    tried: list[str] = at.notes.setdefault("tabs", [])
    options = [e for e in at.screen.presses if e.role in {"tab", "link"} and e.enabled and not e.selected]
    options.sort(key=lambda e: -similarity(clause.entity.name, e.name))
    link = next((e for e in options if e.name not in tried), None)
    if link is None:
        return fail(f'there is no "{clause.entity.name}" here', f"where to see {clause.entity.name}")
    tried.append(link.name)
    return press(link, f'"{clause.entity.name}" may be shown there', at=at)


def _wait(clause: c.Await, at: Situation) -> Move:
    waited = float(at.notes.get("waited", 0.0))
    if waited >= clause.seconds:
        what = f'"{clause.shows}"' if clause.shows else entity_words(clause.entity)
        return fail(f"{what} did not come within {waited:.0f} seconds")
    at.notes["waited"] = waited + _PIECE
    return act(Wait(seconds=_PIECE), "it is not there yet")
