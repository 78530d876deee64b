"""Another order of what stands side by side or below each other: fields of a form, buttons of a bar, columns, and tabs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeVar

from environments.simulated.widgets import FIELDS, Widget

T = TypeVar("T")
_NUMBER = re.compile(r"\d+")
_PRESSED = frozenset({"button", "link"})


class Order(NamedTuple):
    """How things are put; `seed` draws a shuffled order."""

    kind: Literal["reversed", "shuffled"]
    app: str
    seed: int

    def of(self, things: Sequence[T], key: Callable[[T], str]) -> list[T]:
        """The things in their new order, which one that joins or leaves does not change for the others."""
        if self.kind == "reversed":
            return list(reversed(things))
        return sorted(things, key=lambda thing: drawn(f"{self.seed}:order:{self.app}:{kind_of(key(thing))}"))


def kind_of(key: str) -> str:
    """A key without its numbers: the same button in every row is one kind."""
    return _NUMBER.sub("#", key)


@lru_cache(maxsize=4096)
def drawn(name: str) -> float:
    """A number from 0 to 1 that belongs to this name."""
    return random.Random(name).random()  # noqa: S311 - variation, not secrecy


def ordered(widget: Widget, order: Order) -> Widget:
    """The same tree with its things in another order; keys stay."""
    if not widget.children:
        return widget
    children = tuple(ordered(child, order) for child in widget.children)
    if widget.role == "table":
        children = _columns(children, order)
    elif widget.role == "tablist":
        children = tuple(order.of(children, _key))
    elif widget.role in {"form", "dialog"} or widget.across:
        children = _pressed(_fields(children, order), order)
    same = all(new is old for new, old in zip(children, widget.children, strict=True))
    return widget if same else widget._replace(children=children)


def _key(widget: Widget) -> str:
    return widget.key


def _fields(children: tuple[Widget, ...], order: Order) -> tuple[Widget, ...]:
    """Fields change places, each with the message below it; everything else stays where it is."""
    units: list[tuple[str, tuple[Widget, ...]]] = []
    for child in children:
        if units and (before := units[-1][0]) and child.key.startswith(f"{before}."):
            units[-1] = (before, (*units[-1][1], child))
        else:
            units.append((_field(child), (child,)))
    moved = iter(order.of([unit for unit in units if unit[0]], lambda unit: unit[0]))
    return tuple(widget for name, unit in units for widget in (next(moved)[1] if name else unit))


def _field(widget: Widget) -> str:
    """The key of a field, or of the only one in a group that belongs to it; empty for anything else."""
    if widget.role in FIELDS:
        return widget.key
    found = [name for child in widget.children if (name := _field(child))] if widget.role == "group" else []
    return found[0] if len(found) == 1 and widget.key.startswith(f"{found[0]}.") else ""


def _pressed(children: tuple[Widget, ...], order: Order) -> tuple[Widget, ...]:
    """Buttons and links change places among themselves."""
    moved = iter(order.of([child for child in children if child.role in _PRESSED], _key))
    return tuple(next(moved) if child.role in _PRESSED else child for child in children)


def _columns(rows: tuple[Widget, ...], order: Order) -> tuple[Widget, ...]:
    """The columns of a table, each header with its cells. A grid whose rows or cells are things themselves stays as it is."""
    head = rows[0].children
    plain = all(len(row.children) == len(head) and row.role == "row" for row in rows)
    if not plain or any(
        cell.role == "rowheader" or (cell.role == "cell" and cell.children) for row in rows for cell in row.children
    ):
        return rows
    places = order.of(range(len(head)), lambda place: head[place].key)
    return tuple(row._replace(children=tuple(row.children[place] for place in places)) for row in rows)
