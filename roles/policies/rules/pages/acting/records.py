"""Skills on things that a page shows over and over: the one with the most of something, so many of each."""

from __future__ import annotations

import re

from protocol import GUIElement
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.values import measure, named_by
from roles.policies.rules.pages.steps import missing, page_of, press, pressed
from roles.policies.rules.skills.moves import Move, Situation, done, fail
from roles.screen.choices import Record, adding, has_trait, records
from roles.screen.language.lexicon import plain
from roles.screen.page import PRESSED, Page, likeness, listed

_TAKES = ("buy", "book", "order", "purchase", "reserve", "select", "choose", "get", "pick", "add", "open", "view")
_MORE = frozenset({"load more", "show more", "more results", "view more", "mehr laden", "mehr anzeigen", "voir plus", "ver más"})
_MOST_LOADS = 20
_HANDS_IN = ("order", "buy", "book", "check out", "checkout", "place order", "submit", "confirm", "done")


def _repeated(page: Page, verb: str) -> list[GUIElement]:
    """The controls that are there for each record: the same but for numbers; those that speak of the verb first."""
    groups: dict[tuple[str, str], list[GUIElement]] = {}
    for element in page.elements:
        if element.role in PRESSED and element.enabled and element.name:
            groups.setdefault((str(element.role), re.sub(r"\d[\d.,]*", "#", plain(element.name))), []).append(element)
    many = [(name, found) for (_, name), found in groups.items() if len(found) > 1]
    speaking = [found for name, found in many if any(name == w or name.startswith(f"{w} ") for w in (verb, *_TAKES))]
    return max(speaking or [found for _, found in many], key=len, default=[])


def extreme(clause: p.Extreme, at: Situation) -> Move:
    """Press the control of the record that has the most, or the least, of what is named."""
    if pressed(at):
        return done(f"the {'most' if clause.most else 'least'} by {clause.by} was taken")
    page = page_of(at)
    onward = next((e for e in page.controls if e.role in PRESSED and plain(e.name) in _MORE and e.enabled), None)
    if onward is not None and at.count("more") < _MOST_LOADS:
        return press(onward, "what is not loaded yet may be more so", at, what="loading")
    found = [_in_row(page, r) for r in records(page, _repeated(page, clause.verb))]
    sized = [(size, r) for r in found if (size := _size(r, clause.by, _column(page, clause.by))) is not None]
    if not sized:
        return fail(f'nothing on the page can be compared by "{clause.by}"')
    size, best = (max if clause.most else min)(sized, key=lambda pair: pair[0])
    return press(best.press, f"its {clause.by} is {size:g}, of {len(sized)} compared", at)


def _in_row(page: Page, record: Record) -> Record:
    """A control in a row of a table goes with the cells of that row."""
    known = {e.element_id: e for e in page.elements}
    at = known.get(record.press.parent or "")
    while at is not None and at.role != "row":
        at = known.get(at.parent or "")
    return record if at is None else Record(record.press, tuple(e for e in page.inside(at) if e.parent == at.element_id))


def _column(page: Page, by: str) -> int | None:
    """The place of the column that is headed by the attribute."""
    for row in (e for e in page.elements if e.role == "row"):
        heads = [e for e in page.inside(row) if e.role == "columnheader"]
        if (place := next((n for n, e in enumerate(heads) if named_by(e.name, by)), None)) is not None:
            return place
    return None


def _size(record: Record, by: str, column: int | None) -> float | None:
    texts = record.texts
    if column is not None and len(record.parts) > column and record.parts[column].role == "cell":
        return measure(record.parts[column].name, by)
    for n, text in enumerate(texts):
        head, colon, tail = text.partition(":")
        if colon and tail.strip() and named_by(head, by) and (size := measure(tail, by)) is not None:
            return size
        if named_by(text, by) and n + 1 < len(texts) and (size := measure(texts[n + 1], by)) is not None:
            return size
    return next((size for text in texts if (size := measure(text, by, bare=False)) is not None), None)


def collect(clause: p.Collect, at: Situation) -> Move:
    """Take each item as often as asked, one after the other, and hand the order in."""
    page = page_of(at)
    if pressed(at):
        return done("the order was handed in")
    found = adding(page)
    taken: list[str] = at.notes.setdefault("taken", [])
    if "added" in at.notes and pressed(at, "added"):
        taken.append(str(at.notes["going"]))
        del at.notes["added"]
    wanted, left = _wanted(clause, found)
    if not wanted or left:
        return fail(missing(left or clause.names or clause.trait, page))
    keys = [record.press.track_id or record.press.element_id for record in wanted]
    for n, (key, record) in enumerate(zip(keys, wanted, strict=True)):
        if taken.count(key) < keys[: n + 1].count(key):
            count = clause.each if clause.names else 1
            at.notes["going"] = key
            if count > 3:
                return fail(f"{count} of one item are more than one press can take")
            return press(record.press, f'"{record.title}" is to be taken, {count} of it', at, count=count, what="added")
    words = (clause.verb, *_HANDS_IN)
    commit = next((e for word in words for e in page.controls if e.role in PRESSED and likeness(word, e.name) >= 0.9), None)
    return press(commit, "everything is taken", at) if commit else done("everything is taken")


def _wanted(clause: p.Collect, found: list[Record]) -> tuple[list[Record], str]:
    if clause.trait:
        fitting = [r for r in found if has_trait(r, clause.trait)]
        return [fitting[n % len(fitting)] for n in range(clause.each)] if fitting else [], "" if fitting else clause.trait
    names, left = listed(clause.names, [r.title for r in found])
    return [next(r for r in found if r.title == name) for name in names], left


