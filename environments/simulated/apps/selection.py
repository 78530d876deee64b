"""Several rows that are chosen at once, as the modifiers of a click mean it."""

from __future__ import annotations

from collections.abc import Sequence

Chosen = tuple[str, ...]
"""Keys of what is chosen; the first one is where a range with Shift begins."""


def picked(order: Sequence[str], chosen: Chosen, key: str, modifiers: Sequence[str] = ()) -> Chosen:
    """What is chosen after a click: only that, with Control that too or no longer, with Shift all from the first one to it."""
    held = [name for name in chosen if name in order]
    if "Shift" in modifiers and held and key in order:
        ends = sorted((order.index(held[0]), order.index(key)))
        between = order[ends[0] : ends[1] + 1]
        return (held[0], *(name for name in between if name != held[0]))
    if {"Control", "Meta", "ControlOrMeta"} & set(modifiers):
        return tuple(name for name in held if name != key) if key in held else (key, *held)
    return (key,)


def stepped(order: Sequence[str], chosen: Chosen, way: int) -> Chosen:
    """The next or the previous one of the order; the first or the last where nothing is chosen."""
    if not order:
        return ()
    here = order.index(chosen[0]) + way if chosen and chosen[0] in order else (0 if way > 0 else len(order) - 1)
    return (order[min(max(0, here), len(order) - 1)],)
