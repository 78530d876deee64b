"""The patterns of grep: characters, `.`, `[…]`, `*`, `^` and `$`, matched in one pass over a line whatever the pattern is."""

from __future__ import annotations

from typing import NamedTuple

from environments.simulated.apps.terminal_tree import Trouble

_LONGEST = 200


class Item(NamedTuple):
    """One character of a pattern: which ones fit, and whether it may come any number of times."""

    chars: str = ""
    ranges: tuple[tuple[str, str], ...] = ()
    other: bool = False
    """Everything but these fits."""
    star: bool = False

    def fits(self, char: str) -> bool:
        hit = char in self.chars or any(low <= char <= high for low, high in self.ranges)
        return hit != self.other


class Pattern(NamedTuple):
    """A pattern; `fold` leaves case out of account."""

    items: tuple[Item, ...]
    start: bool
    end: bool
    fold: bool

    def found_in(self, line: str) -> bool:
        """Whether a part of the line fits. The places that may be reached are gone through together."""
        line = line.lower() if self.fold else line
        last = len(self.items)
        at = self._reach({0})
        for char in line:
            if last in at and not self.end:
                return True
            moved = {n if self.items[n].star else n + 1 for n in at if n < last and self.items[n].fits(char)}
            at = self._reach(moved if self.start else moved | {0})
        return last in at

    def _reach(self, places: set[int]) -> set[int]:
        reached = set(places)
        for place in places:
            while place < len(self.items) and self.items[place].star:
                place += 1
                if place in reached:
                    break
                reached.add(place)
        return reached


def pattern(text: str, fold: bool) -> Pattern:
    """Read a pattern. Raises Trouble for one that is not understood."""
    if len(text) > _LONGEST:
        raise Trouble("Regular expression too big", 2)
    text = text.lower() if fold else text
    start = text.startswith("^")
    end = text.endswith("$") and not text.endswith("\\$")
    body = text[start : len(text) - end if len(text) > start else len(text)]
    items: list[Item] = []
    at = 0
    while at < len(body):
        if body[at] == "*" and items:
            items[-1] = items[-1]._replace(star=True)
            at += 1
            continue
        item, at = _item(body, at)
        items.append(item)
    return Pattern(tuple(items), start, end, fold)


def _item(body: str, at: int) -> tuple[Item, int]:
    char = body[at]
    if char == ".":
        return Item(other=True), at + 1
    if char == "[":
        return _bracket(body, at)
    if char != "\\":
        return Item(char), at + 1
    escaped = body[at + 1 : at + 2]
    if not escaped:
        raise Trouble("Trailing backslash", 2)
    if escaped.isalnum() or escaped in "|(){}+?<>":
        raise Trouble(f"'\\{escaped}' is not supported in a pattern here", 2)
    return Item(escaped), at + 2


def _bracket(body: str, at: int) -> tuple[Item, int]:
    other = body.startswith("^", at + 1)
    first = at + 1 + other
    close = body.find("]", first + 1)
    if close < 0:
        raise Trouble("Unmatched [, [^, [:, [., or [=", 2)
    inner, ranges, chars = body[first:close], list[tuple[str, str]](), ""
    if inner.startswith("["):
        raise Trouble(f"'[{inner}' is not supported in a pattern here", 2)
    n = 0
    while n < len(inner):
        if inner[n + 1 : n + 2] == "-" and n + 2 < len(inner):
            ranges.append((inner[n], inner[n + 2]))
            n += 3
        else:
            chars += inner[n]
            n += 1
    return Item(chars, tuple(ranges), other), close + 1
