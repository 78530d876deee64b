"""Values that stand at a place of their own: a cell of a table, what somebody said in a recording, what a camera shows."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import GUIElement, Wait
from roles.contracts import clauses as c
from roles.policies.rules.skills.moves import Move, Situation, act
from roles.screen.matching import similarity
from roles.screen.screens import fold, shown

NOUNS = frozenset({"row", "recording", "picture"})
"""What such places are called."""
_WAITS = 8
SHAPES = (
    (("hours", "times"), re.compile(r"\b\d{1,2}:\d{2}(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+)\d{1,2}:\d{2})*\b")),
    (
        ("phone number", "phone", "mobile", "number"),
        re.compile(r"(?<![\d/-])(?!\d{4}-\d\d?-\d|\d\d?/\d\d?/\d{2})\+?\d[\d ()/-]{5,}\d"),  # a date is none
    ),
    (("invoice number", "order number", "reference"), re.compile(r"\b[A-Z]{2,}-\d[\w-]*")),
    (("room", "place", "location"), re.compile(r"\b(?:[Rr]oom [\w-]+|(?:[A-Z]\w+ )+[Rr]oom(?! ?\d))\b")),
    (("e-mail", "email address", "address", "mail"), re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (("code", "password", "pin"), re.compile(r"\b(?:[A-Z]+-?\d[\w-]*|\d{4,})\b")),
)
"""What kinds of values look like in running text."""


class Spot(NamedTuple):
    """A value and the element that shows it."""

    value: str
    element: GUIElement


def shape_of(fact: str) -> re.Pattern[str] | None:
    return next((shape for names, shape in SHAPES if fact.casefold() in names), None)


def spot(fact: str, entity: c.Entity, at: Situation) -> Spot | None:
    """The value of `fact`, when it is on the screen."""
    match entity.noun:
        case "row":
            return _cell(fact, entity, at)
        case "recording":
            return _said(fact, entity.name, at)
        case _:
            return _picture(entity.name, at)


def waited(entity: c.Entity, at: Situation) -> Move | None:
    """What is only heard or seen later is worth waiting for, a while."""
    if entity.noun not in {"recording", "picture"} or at.count("waits_for") >= _WAITS:
        return None
    return act(Wait(seconds=15.0), f"{entity.name} may still be heard or seen")


def _cell(fact: str, entity: c.Entity, at: Situation) -> Spot | None:
    named = (
        [item for item in at.screen.items if item.cells and fold(item.cells[0].value) == fold(entity.name)] if entity.name else []
    )
    if len(named) == 1:
        cells = [pair for pair in named[0].cells if similarity(fact, pair.label) >= 0.9 and pair.value]
        return Spot(cells[0].value, cells[0].element) if cells else None
    return _grid_cell(fact, entity.pick, at) if entity.pick else None


def _grid_cell(fact: str, pick: str, at: Situation) -> Spot | None:
    """In a sheet the first line that is not empty holds the names of the columns."""
    lines = [[e for e in at.screen.kids(row) if e.role in {"cell", "gridcell"}] for row in at.screen.rows]
    lines = [line for line in lines if any(shown(cell) for cell in line)]
    if len(lines) < 2:
        return None
    column = next((i for i, cell in enumerate(lines[0]) if shown(cell) and similarity(fact, shown(cell)) >= 0.9), None)
    line = lines[-1] if pick == "last" else lines[1]
    if column is None or column >= len(line) or not shown(line[column]):
        return None
    return Spot(shown(line[column]), line[column])


def _said(fact: str, name: str, at: Situation) -> Spot | None:
    shape = shape_of(fact)
    for element in reversed(at.screen.elements):
        words = shown(element)
        if shape is not None and element.role in {"text", "listitem"} and fold(name) in fold(words):
            hits = list(shape.finditer(re.sub(r"^\d{1,2}:\d{2}(?::\d{2})?\s", "", words)))
            if hits:
                return Spot(hits[-1].group(), element)
    return None


def _picture(name: str, at: Situation) -> Spot | None:
    for element in at.screen.elements:
        if element.role in {"img", "image"} and element.name:
            group = [e for above in at.screen.above(element)[:1] for e in at.screen.kids(above)]
            if any(e.role == "heading" and similarity(name, e.name) >= 0.7 for e in group):
                return Spot(element.name, element)
    return None
