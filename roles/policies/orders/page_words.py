"""A goal in words of its own about a page with one form, said again in the words of its controls: "book a double room for Ann,
arrival 3 May" is to fill this and that and press Book. What is left over, or could go to two places, is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from environments.cards import PageCard, Widget, singular
from roles.contracts.values import number_of, parse_date, parse_time
from roles.policies.orders.pages import WRITTEN, names_verb
from roles.screen.language.words import table
from roles.screen.page import BOXES, LISTS, PRESSED, plain

_WORD = re.compile(r'"[^"\n]*"|[\w@.+\-/:€$£%\']*\w[%€$£]?|[€$£]|[,;:.]')
_MARKS = frozenset(",;:.")
_WORDS = table("forms")
_MINOR, _POLITE, _MONEY = (frozenset(_WORDS[name]) for name in ("minor", "polite", "money"))
_TYPES: dict[str, frozenset[str]] = {kind: frozenset(words) for kind, words in _WORDS["labels"].items()}
_TYPED = frozenset().union(*(words for kind, words in _TYPES.items() if kind != "name"))
_SHAPE = re.compile(r"yy|hh", re.IGNORECASE)
"""In the empty state of a field: it takes a day or a time."""


class Part(NamedTuple):
    """Words of the goal that belong to one control."""

    widget: Widget
    value: str


def in_page_words(goal: str, page: PageCard, title: str = "") -> str:
    """The goal as one types, selects and presses on this page; empty where a word or a value finds no place for certain."""
    form = _Form(goal, page, title)
    return form.said() if form.whole() else ""


class _Form:
    def __init__(self, goal: str, page: PageCard, title: str) -> None:
        self.title = title
        self.words = [_Token(found[0]) for found in _WORD.finditer(goal.strip().rstrip(".!"))]
        self.free = [True] * len(self.words)
        self.page = page
        self.parts: dict[int, Part] = {}
        """By the widget's place on the page."""
        self.presses = self._presses()

    def _presses(self) -> list[Widget]:
        """What the first words of the goal call: "Sign up", "Book now"."""
        begin = next((n for n, word in enumerate(self.words) if word.plain not in _POLITE), 0)
        self._take(0, begin)
        verbs = [" ".join(word.plain for word in self.words[begin : begin + n]) for n in (2, 1)]
        for verb in verbs:
            controls = [w for w in self.page.widgets if w.role in PRESSED and w.name and w.folded is None]
            found = [w for w in controls if names_verb(verb, w.name)]
            found = [w for w in found if w.role == "button"] or found
            if found:
                self._take(begin, begin + len(verb.split()))
                return found
        return []

    def whole(self) -> bool:
        """Whether each word has its place: exactly one control is pressed, and something is filled before."""
        if len(self.presses) != 1:
            return False
        for find in (self._counted, self._labelled, self._chosen, self._typed, self._typed):
            find()  # of the values without a label one may leave only one field for another
        ends = next(n for n, w in enumerate(self.page.widgets) if w is self.presses[0])
        return bool(self.parts) and max(self.parts) < ends and not any(self._left())  # a form ends with its button

    def said(self) -> str:
        orders = [_order(part) for _, part in sorted(self.parts.items())]
        said = ", ".join([*orders, f'click "{self.presses[0].name}"'])
        return f"{said[0].upper()}{said[1:]}."

    # --- where words belong -----------------------------------------------------------------------------------------------

    def _labelled(self) -> None:
        """Behind the label of a field: "first name Pat, street: 12 Quay Street"."""
        starts: dict[int, tuple[int, Widget]] = {}
        for at, length, widget in self._runs(self.page.widgets, _labels, partly=True):
            if not any(first < at + length and at < first + size for first, (size, _) in starts.items()):
                starts[at] = (length, widget)
        for at, (length, widget) in starts.items():
            begin = at + length
            while begin < len(self.words) and self.words[begin].text in {":", "is", "of", "to", "as"}:
                begin += 1
            whole, end = self.words[begin - 1].text == ":", begin  # behind a colon it goes on to the next mark
            while end < len(self.words) and self.free[end] and self.words[end].text not in _MARKS and end not in starts:
                if self.words[end].plain in _MINOR and not whole:
                    break
                end += 1
            if end > begin:
                self._put(widget, self._text(begin, end), at, end)

    def _chosen(self) -> None:
        """The name of an option or of a box."""
        lists = [w for w in self.page.widgets if w.role in LISTS | BOXES]
        for at, length, widget in self._runs(lists, _choices, partly=True):
            words = tuple(word.plain for word in self.words[at : at + length])
            value = next(name for name in _choices(widget) if _begins_or_ends(_tokens(name), words))
            self._put(widget, value, at, at + length)

    def _counted(self) -> None:
        """A number before a word of a label: "2 guests", "3.5 kg"."""
        for at in range(len(self.words) - 1):
            if self.free[at] and self.words[at].is_number and self.free[at + 1]:
                unit = singular(self.words[at + 1].plain)
                fields = [
                    w
                    for w in self.page.widgets
                    if w.role in WRITTEN | LISTS and unit in map(singular, _tokens(f"{w.name} {w.hint}"))
                ]
                if len(fields) == 1 and (fields[0].role in WRITTEN or self.words[at].text in fields[0].options):
                    self._put(fields[0], self.words[at].text, at, at + 2)

    def _typed(self) -> None:
        """A value of a type that one field alone takes."""
        for kind, begin, end, value in [*self._values()]:
            if not all(self.free[begin:end]):
                continue
            fields = self._open(WRITTEN)
            plainly = [
                w for w in fields if w.role != "spinbutton" and not {*_tokens(w.name)} & _TYPED and not _SHAPE.search(w.hint)
            ]
            hinted = [w for w in fields if kind in {"day", "time"} and ("yy" if kind == "day" else "hh") in w.hint.casefold()]
            named = [w for w in fields if {*_tokens(w.name)} & _TYPES.get(kind, frozenset())]
            fitting = hinted or named or (plainly if kind in {"text", "name"} else [])
            if len(fitting) == 1:
                self._put(fitting[0], value, begin, end)

    def _values(self) -> Iterator[tuple[str, int, int, str]]:
        words, count, at = self.words, len(self.words), 0
        while at < count:
            text, end = words[at].text, at + 1
            if "@" in text and "." in text:
                yield "email", at, end, text
            elif (day := next((n for n in (4, 3, 2, 1) if at + n <= count and self._day(at, at + n)), 0)) > 0:
                end = at + day
                yield "day", at, end, self._text(at, end)
            elif parse_time(text) is not None and ":" in text:
                yield "time", at, end, text
            elif words[at].is_number:
                money = at + 1 < count and words[at + 1].plain in _MONEY
                end += money
                yield "money", at, end, text
            elif text.startswith('"'):
                whom = at > 0 and words[at - 1].plain in {"for", "to", "of", "name"}
                yield "name" if whom else "text", at, end, text[1:-1]
            elif text[0].isupper() and at:
                while end < count and words[end].text[0].isupper():
                    end += 1
                yield "name", at, end, self._text(at, end)
            at = end

    def _day(self, begin: int, end: int) -> bool:
        words = self.words[begin:end]
        return words[-1].text not in _MARKS and parse_date(self._text(begin, end)) is not None

    # --- tools ------------------------------------------------------------------------------------------------------------

    def _runs(
        self, widgets: Sequence[Widget], names: Callable[[Widget], Sequence[str]], partly: bool = False
    ) -> Iterator[tuple[int, int, Widget]]:
        """Longest first: words in a row that are a name of exactly one of the widgets, or its beginning."""
        called = [(w, _tokens(name)) for w in widgets for name in names(w) if name]
        for length in range(6, 0, -1):
            for at in range(len(self.words) - length + 1):
                words = tuple(word.plain for word in self.words[at : at + length])
                if not all(self.free[at : at + length]) or (length == 1 and words[0] in _MINOR):
                    continue
                found = [w for w, name in called if name == words]
                if not found and partly and not self.words[at].is_number:
                    found = [w for w, name in called if _begins_or_ends(name, words)]
                if len(found) == 1 and id(found[0]) not in {id(part.widget) for part in self.parts.values()}:
                    yield at, length, found[0]

    def _open(self, roles: frozenset[str]) -> list[Widget]:
        """Fields that nothing is written into yet."""
        taken = {id(part.widget) for part in self.parts.values()}
        return [w for w in self.page.widgets if w.role in roles and w.name and id(w) not in taken and not w.filled]

    def _put(self, widget: Widget, value: str, begin: int, end: int) -> None:
        place = next(n for n, w in enumerate(self.page.widgets) if w is widget)
        if place in self.parts or not all(self.free[begin:end]):
            return
        self.parts[place] = Part(widget, value)
        self._take(begin, end)

    def _take(self, begin: int, end: int) -> None:
        self.free[begin:end] = [False] * (end - begin)

    def _text(self, begin: int, end: int) -> str:
        return " ".join(word.text for word in self.words[begin:end]).strip('"')

    def _left(self) -> Iterator[str]:
        """Words that are neither minor nor what the page itself calls what is done: "Add expense", "Book a visit"."""
        verb = _tokens(self.presses[0].name)[0]
        titles = [self.title, self.presses[0].name, *(text for text in self.page.texts if _tokens(text)[:1] == (verb,))]
        known = {singular(word) for title in titles for word in _tokens(title)}
        for word, free in zip(self.words, self.free, strict=True):
            if free and word.text not in _MARKS and word.plain not in _MINOR and singular(word.plain) not in known:
                yield word.text


def _begins_or_ends(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a name begins with the words, or ends with more than one of them: "I accept the privacy notice"."""
    return name[: len(words)] == words or (len(words) > 1 and name[-len(words) :] == words)


class _Token(NamedTuple):
    text: str

    @property
    def plain(self) -> str:
        return plain(self.text)

    @property
    def is_number(self) -> bool:
        return number_of(self.text) is not None and self.text[0].isdigit()


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(plain(found[0]) for found in _WORD.finditer(name) if found[0] not in _MARKS)


def _labels(widget: Widget) -> tuple[str, ...]:
    return (widget.name,) if widget.role in WRITTEN | LISTS else ()


def _choices(widget: Widget) -> tuple[str, ...]:
    return widget.options if widget.role in LISTS else (widget.name,)


def _order(part: Part) -> str:
    widget, value = part
    if widget.role in BOXES:
        return f'select "{widget.name}"'
    if widget.role in LISTS:
        return f'select "{value}" from the "{widget.name}" list'  # noqa: S608 - words, not SQL
    return f'type "{value}" into the "{widget.name}" field'
