"""The order of a screen: what stands side by side belongs together, and rows with the same columns are a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from environments.vision.parts import Part
from environments.vision.pixels import Box
from environments.vision.shapes import Frame

_ALIKE = 10
"""How far the edges of one column may be from each other."""
_DEEPER = 12
"""How much further in a text begins that is below another in a tree."""


def arranged(parts: Sequence[Part], holders: Sequence[Frame]) -> list[Part]:
    """The parts in reading order, within the groups, tables and lists that they make."""
    inside: dict[int, list[Part]] = {}
    loose: list[Part] = []
    cards = [frame.box for frame in holders if frame.box.height > 60 and frame.box.width > 150]
    for made in parts:
        within = [n for n, card in enumerate(cards) if card.holds(made.box) and card.area > 1.5 * made.box.area]
        if within:
            inside.setdefault(min(within, key=lambda n: cards[n].area), []).append(made)
        else:
            loose.append(made)
    for n, held in inside.items():
        loose += _holder(cards[n], held)
    return [whole for row in rows_of(loose) for whole in _grouped(row)]


def rows_of(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts that stand side by side, from the top, each row from the left."""
    rows: list[list[Part]] = []
    for made in sorted(parts, key=lambda made: (made.box.y1, made.box.x1)):
        if rows and _level(rows[-1], made):
            rows[-1].append(made)
        else:
            rows.append([made])
    return [sorted(row, key=lambda made: made.box.x1) for row in rows]


def _level(row: Sequence[Part], made: Part) -> bool:
    """Whether it stands beside all of a row: at the height of its middle, and not on top of one of them."""
    top, bottom = max(other.box.y1 for other in row), min(other.box.y2 for other in row)
    over = min(bottom, made.box.y2) - max(top, made.box.y1)
    if over < 0.5 * min(made.box.height, bottom - top if bottom > top else made.box.height):
        return False
    return all(made.box.x1 >= other.box.x2 - 2 or made.box.x2 <= other.box.x1 + 2 for other in row)


def _grouped(row: Sequence[Part]) -> Iterator[Part]:
    if len(row) == 1:
        yield row[0]
        return
    yield Part("group", _around(row), inside=list(row))


def _holder(card: Box, held: Sequence[Part]) -> list[Part]:
    """A table where rows have columns in common, a list where each row is one thing; else the parts as they are."""
    rows = rows_of(held)
    if len(rows) >= 2 and sum(len(row) > 1 for row in rows) >= max(2, len(rows) // 2) and _columns(rows):
        return [Part("table", card, inside=[_table_row(row, card, first=not n) for n, row in enumerate(rows)])]
    if _indented(rows):
        return [Part("tree", card, inside=[_item(row[0], card, "treeitem") for row in rows])]
    if len(rows) >= 2 and all(len(row) == 1 and row[0].role in {"link", "text"} for row in rows):
        return [Part("list", card, inside=[_item(row[0], card) for row in rows])]
    return list(held)


def _indented(rows: Sequence[Sequence[Part]]) -> bool:
    """Whether single texts begin at several depths, the first at the least; the one that is chosen may have a frame."""
    if len(rows) < 3 or not all(len(row) == 1 and row[0].role in {"text", "button"} for row in rows):
        return False
    starts = [row[0].box.x1 for row in rows if row[0].role == "text"]
    deep = [start for start in starts if start - min(starts) >= _DEEPER]
    return bool(deep) and starts[0] == min(starts) and len(starts) >= len(rows) - 1


def _columns(rows: Sequence[Sequence[Part]]) -> bool:
    """Whether most that stands in later rows begins where something of the first does."""
    starts = [made.box.x1 for made in rows[0]]
    below = [made for row in rows[1:] for made in row]
    alike = sum(any(abs(made.box.x1 - start) <= _ALIKE for start in starts) for made in below)
    return len(starts) > 1 and alike >= 0.7 * len(below)


def _table_row(row: Sequence[Part], card: Box, *, first: bool) -> Part:
    for made in row:
        if made.role in {"text", "heading"}:
            made.role = "columnheader" if first else "cell"
    around = _around(row)
    return Part("row", Box(card.x1, around.y1, card.x2, around.y2), inside=list(row))


def _item(made: Part, card: Box, role: str = "listitem") -> Part:
    box = made.box if role == "treeitem" else Box(card.x1, made.box.y1, card.x2, made.box.y2)
    if made.role == "link":
        return Part(role, box, inside=[made])
    made.selected = made.selected or made.role == "button"
    made.role, made.box = role, box
    return made


def _around(parts: Sequence[Part]) -> Box:
    box = parts[0].box
    for made in parts[1:]:
        box = box.around(made.box)
    return box
