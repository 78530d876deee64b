"""What a goal takes back in the same breath: "to 30, no, 20" is "to 20".

correction = mark edit new | mark new edit | mark "not" number      edit = "no" | "actually" | "I mean" | "make that" ...
What is not taken back for certain stays as it is, and is not understood.
"""

from __future__ import annotations

from typing import NamedTuple

from roles.contracts.orders import Span
from roles.screen.language.dates import Dates
from roles.screen.language.names import NAMED
from roles.screen.language.words import BREAKS, Lexicon, Words

OPENING = frozenset({",", ";", ".", "!", "-", "–", "("})
LEADING = frozenset({"to", "at", "on", "in", "from", "by", "for", "with", "as", "until", "of"})
LISTING = frozenset({"and", ",", "or", "&"})
MORE = frozenset({"too", "also", "well", "again"})
"""With these words something is wanted besides, and nothing is taken back."""


class _Value(NamedTuple):
    sort: str
    first: int
    bare: int
    """The place behind it without its unit."""
    end: int


def corrected(goal: str, today: str = "") -> str:
    """The goal with what is said at last in the place of what it takes back."""
    forms = sorted((form.split() for form in Lexicon.english().data["corrections"]), key=len, reverse=True)
    known, new = {form[0] for form in forms}, goal
    while new and known.intersection(word.strip(",.;:!()").lower() for word in new.split()):
        goal, words = new, Words(new)
        edit = _Correction(words, Dates(words, today), forms)
        new = next((said for at in range(1, len(words.list)) if (said := edit.at(at))), "")
    return new or goal


class _Correction:
    """Looks for one that a mark opens."""

    def __init__(self, words: Words, dates: Dates, forms: list[list[str]]) -> None:
        self.words, self.dates, self.forms = words, dates, forms
        self.low, dates.ranges = [token.lower for token in words.list], False

    def at(self, mark: int) -> str:
        """The goal without what is taken back; empty where nothing is, or not for certain."""
        first = self._edits(mark + 1)
        end = first
        while end < len(self.low) and self.low[end] not in {*BREAKS, ","} and not self._goes_on(end):
            end += 1
        stop = end - (self.low[end - 1] in {"instead", "then"})
        if first == mark + 1:  # two of them, actually
            stop = next((stop - len(form) for form in self.forms if self.low[first:stop][-len(form) :] == form), first)
        more = [one for one in self.words.nothing if one.lower in MORE and one.start > self.words.list[mark].start]
        if self.low[mark] not in OPENING or stop <= first or more:
            return ""
        found = self._instead(mark, first, stop)
        if found is None:
            return ""
        (begin, close), text = found
        end += self.low[mark] == "," and self.low[end : end + 1] == [","]
        rest = self.words.goal[self.words.list[end - 1].end :]
        return f"{self.words.goal[:begin]}{text}{self.words.goal[close : self.words.list[mark].start]}{rest}"

    def _edits(self, at: int) -> int:
        """The place behind all words that take something back."""
        while form := next((one for one in self.forms if self.low[at : at + len(one)] == one), None):
            at += len(form)
            at += self.low[at : at + 1] in ([","], [":"])
        return at

    def _goes_on(self, at: int) -> bool:
        return self.low[at] in {"and", "then", "but"} and self.words.verbal(at + 1)

    def _instead(self, mark: int, first: int, stop: int) -> tuple[Span, str] | None:
        """Where what is taken back stands, and what is said in its place."""
        begin = max((n + 1 for n in range(mark) if self.low[n] in BREAKS), default=0)
        lead = self.low[first] if self.low[first] in LEADING else ""
        new = self._value(first + bool(lead), begin)
        of = new.end + 2 if new and self.low[new.end : new.end + 2] == ["of", "them"] else new.end if new else 0
        if new is None or of != stop:
            return self._alike(begin, mark, first, stop)
        old = self._taken_back(begin, mark, new, lead)
        said = self.words.text(new.first, new.end)
        if self.low[first - 1] == "not":
            certain = old and new.sort == "number" and not self._value(old.first - 2, begin)
            return (self._span(old.first, old.end), self.words.text(old.first, old.end)) if old and certain else None
        if old is not None:
            return self._span(old.first, old.bare if new.bare == new.end else old.end), said
        one = [n for n in range(begin, mark) if (found := self.words.take(n, "articles")) and found.entry.name == "any"]
        same = [n for n in range(begin, mark) if (value := self._value(n, begin)) and self._like(value, new)]
        return (self._span(one[0], one[0] + 1), said) if new.sort == "number" and len(one) == 1 and not same else None

    def _taken_back(self, begin: int, mark: int, new: _Value, lead: str) -> _Value | None:
        """The value of the same sort that ends here, else the only one there is; none of a list."""
        same, at = list[_Value](), begin
        while at < mark:
            value = self._value(at, begin)
            at = value.end if value else at + 1
            if value and self._like(value, new) and (not lead or self.low[value.first - 1] == lead):
                same.append(value)
        near = same if lead or self._makes(new.first) or self.low[mark] in BREAKS else [v for v in same if v.end == mark]
        return near[0] if len(near) == 1 and self.low[near[0].first - 1] not in LISTING else None

    def _like(self, old: _Value, new: _Value) -> bool:
        return old.sort == new.sort or (new.sort == "number" and old.sort == "length" and new.bare == new.end)

    def _makes(self, at: int) -> bool:
        """Whether what is corrected may stand farther away."""
        return "make" in self.low[max(0, at - 3) : at] or self.low[at - 1] == "not"

    def _alike(self, begin: int, mark: int, first: int, stop: int) -> tuple[Span, str] | None:
        """ "milk and bread, no, milk and eggs": as many words, of which at most half are others."""
        size, found = stop - first, list[tuple[int, int]]()
        for at in range(begin, mark - size + 1):
            other = [n for n in range(size) if self.low[at + n] != self.low[first + n]]
            same = [n for n in range(size) if n not in other and not self.words.closed(first + n)]
            if same and 0 < len(other) <= size / 2 and all(self._swaps(at + n, first + n, begin) for n in other):
                found.append((len(other), at))
        best = [at for count, at in found if count == min(found)[0]]
        return (self._span(best[0], best[0] + size), self.words.text(first, stop)) if len(best) == 1 else None

    def _swaps(self, old: int, new: int, begin: int) -> bool:
        """Whether one word can stand for another."""
        one, other = self._value(old, begin), self._value(new, begin)
        if one and other:
            return one.sort == other.sort
        return not (self.words.closed(old) or self.words.closed(new))

    def _value(self, at: int, begin: int) -> _Value | None:
        """A day, a number or a time with its unit, a quotation, an address or a name, which begins no sentence."""
        if not begin <= at < len(self.low) or self.low[at] in LEADING:
            return None
        token = self.words.list[at]
        if days := self.dates.days(at):
            return _Value("day", at, days.end, days.end)
        if token.kind in {"number", "time"} or self.words.take(at, "numbers"):
            unit = self.words.take(at + 1, "units", "lengths")
            long = unit is not None and unit.entry.group == "lengths"
            return _Value("length" if long else "number", at, at + 1, unit.end if unit else at + 1)
        if token.kind in {*NAMED, "quote", "date"}:
            return _Value(token.kind, at, at + 1, at + 1)
        end = at
        while end < len(self.low) and self.words.list[end].kind == "word" and self.words.is_named(end):
            end += 1
        return _Value("name", at, end, end) if end > at else None

    def _span(self, first: int, end: int) -> Span:
        return self.words.list[first].start, self.words.list[end - 1].end
