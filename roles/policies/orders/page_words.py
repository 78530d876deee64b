"""A goal in words of its own about a page with one form, said again in the words of its controls: "book a double room for Ann,
arrival 3 May" is to fill this and that and press Book. What is left over, or could go to two places, is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

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
_HINTS = {"day": "yy", "time": "hh"}
"""In the empty state of a field: it takes a day or a time."""


def in_page_words(goal: str, page: PageCard, title: str = "") -> str:
    """The goal as one types, selects and presses on this page; empty where a word or a value finds no place for certain."""
    return _Form(goal, page, title).said()


class _Form:
    """The words of a goal, and the controls, by their place on the page, to which they belong."""

    def __init__(self, goal: str, page: PageCard, title: str) -> None:
        self.words = [found[0] for found in _WORD.finditer(goal.strip().rstrip(".!"))]
        self.plain = [plain(word) for word in self.words]
        self.free = [True] * len(self.words)
        self.page, self.widgets, self.title = page, page.widgets, title
        self.values: dict[int, str] = {}
        self.press = self._called()

    def _called(self) -> int:
        """The one control that the first words call, "Sign up", "Book now"; -1 where it is none, or several."""
        begin = next((n for n, word in enumerate(self.plain) if word not in _POLITE), 0)
        self._take(0, begin)
        controls = [n for n, w in enumerate(self.widgets) if w.role in PRESSED and w.name and w.folded is None]
        for end in (begin + 2, begin + 1):
            found = [n for n in controls if names_verb(" ".join(self.plain[begin:end]), self.widgets[n].name)]
            found = [n for n in found if self.widgets[n].role == "button"] or found
            if found:
                self._take(begin, end)
                return found[0] if len(found) == 1 else -1
        return -1

    def said(self) -> str:
        """Each value and the press, in the order of the page; empty unless each word has its place before the button."""
        finds = (self._counted, self._labelled, self._chosen, self._typed, self._typed)
        for find in finds if self.press >= 0 else ():
            find()  # of the values without a label one may leave only one field for another
        if not self.values or max(self.values) > self.press or any(self._left()):
            return ""
        orders = [_order(self.widgets[n], value) for n, value in sorted(self.values.items())]
        said = ", ".join([*orders, f'click "{self.widgets[self.press].name}"'])
        return f"{said[0].upper()}{said[1:]}."

    def _labelled(self) -> None:
        """Behind the label of a field: "first name Pat, street: 12 Quay Street"."""
        starts: dict[int, tuple[int, int]] = {}
        for at, end, n in self._runs({n: (w.name,) for n, w in enumerate(self.widgets) if w.role in WRITTEN | LISTS}):
            if not any(first < end and at < last for first, (last, _) in starts.items()):
                starts[at] = (end, n)
        for at, (begin, n) in starts.items():
            while begin < len(self.words) and self.words[begin] in {":", "is", "of", "to", "as"}:
                begin += 1
            whole, end = self.words[begin - 1] == ":", begin  # behind a colon it goes on to the next mark
            while end < len(self.words) and self.free[end] and self.words[end] not in _MARKS and end not in starts:
                if self.plain[end] in _MINOR and not whole:
                    break
                end += 1
            if end > begin:
                self._put(n, self._text(begin, end), at, end)

    def _chosen(self) -> None:
        """The name of an option or of a box."""
        names = {n: w.options if w.role in LISTS else (w.name,) for n, w in enumerate(self.widgets) if w.role in LISTS | BOXES}
        for at, end, n in self._runs(names):
            words = tuple(self.plain[at:end])
            self._put(n, next(name for name in names[n] if _begins_or_ends(_tokens(name), words)), at, end)

    def _counted(self) -> None:
        """A number before a word of a label: "2 guests", "3.5 kg"."""
        for at, number in enumerate(self.words[:-1]):
            if not (self.free[at] and self.free[at + 1] and _is_number(number)):
                continue
            unit, takes = singular(self.plain[at + 1]), [(n, w) for n, w in enumerate(self.widgets) if w.role in WRITTEN | LISTS]
            fields = [(n, w) for n, w in takes if unit in map(singular, _tokens(f"{w.name} {w.hint}"))]
            if len(fields) == 1 and (fields[0][1].role in WRITTEN or number in fields[0][1].options):
                self._put(fields[0][0], number, at, at + 2)

    def _typed(self) -> None:
        """A value of a type that one field alone takes."""
        for kind, begin, end, value in [*self._values()]:
            fields = {
                n: w for n, w in enumerate(self.widgets)
                if w.role in WRITTEN and w.name and not w.filled and n not in self.values
            }  # fmt: skip
            hint = _HINTS.get(kind, "")
            hinted = [n for n, w in fields.items() if hint and hint in w.hint.casefold()]
            named = [n for n, w in fields.items() if {*_tokens(w.name)} & _TYPES.get(kind, frozenset())]
            untyped = [
                n for n, w in fields.items()
                if w.role != "spinbutton" and not {*_tokens(w.name)} & _TYPED
                and not any(hint in w.hint.casefold() for hint in _HINTS.values())
            ]  # fmt: skip
            fitting = hinted or named or (untyped if kind in {"text", "name"} else [])
            if len(fitting) == 1:
                self._put(fitting[0], value, begin, end)

    def _values(self) -> Iterator[tuple[str, int, int, str]]:
        """Values that show by themselves of which type they are, and where they begin and end."""
        at, count = 0, len(self.words)
        while at < count:
            text, begin, at = self.words[at], at, at + 1
            if "@" in text and "." in text:
                yield "email", begin, at, text
            elif (days := next((n for n in (4, 3, 2, 1) if begin + n <= count and self._is_day(begin, begin + n)), 0)) > 0:
                at = begin + days
                yield "day", begin, at, self._text(begin, at)
            elif parse_time(text) is not None and ":" in text:
                yield "time", begin, at, text
            elif _is_number(text):
                at += at < count and self.plain[at] in _MONEY
                yield "money", begin, at, text
            elif text.startswith('"'):
                whom = begin > 0 and self.plain[begin - 1] in {"for", "to", "of", "name"}
                yield "name" if whom else "text", begin, at, text[1:-1]
            elif text[0].isupper() and begin:
                while at < count and self.words[at][0].isupper():
                    at += 1
                yield "name", begin, at, self._text(begin, at)

    def _is_day(self, begin: int, end: int) -> bool:
        return self.words[end - 1] not in _MARKS and parse_date(self._text(begin, end)) is not None

    def _runs(self, names: Mapping[int, Sequence[str]]) -> Iterator[tuple[int, int, int]]:
        """Longest first: words in a row that are a name of exactly one control, or its beginning."""
        called = [(n, _tokens(name)) for n, some in names.items() for name in some if name]
        for length in range(6, 0, -1):
            for at in range(len(self.words) - length + 1):
                words = tuple(self.plain[at : at + length])
                if not all(self.free[at : at + length]) or (length == 1 and words[0] in _MINOR):
                    continue
                found = [n for n, name in called if name == words]
                if not found and not _is_number(self.words[at]):
                    found = [n for n, name in called if _begins_or_ends(name, words)]
                if len(found) == 1 and found[0] not in self.values:
                    yield at, at + length, found[0]

    def _put(self, place: int, value: str, begin: int, end: int) -> None:
        if place not in self.values and all(self.free[begin:end]):
            self.values[place] = value
            self._take(begin, end)

    def _take(self, begin: int, end: int) -> None:
        self.free[begin:end] = [False] * (end - begin)

    def _text(self, begin: int, end: int) -> str:
        return " ".join(self.words[begin:end]).strip('"')

    def _left(self) -> Iterator[str]:
        """Words that are neither minor nor what the page itself calls what is done: "Add expense", "Book a visit"."""
        button = self.widgets[self.press].name
        titles = [self.title, button, *(text for text in self.page.texts if _tokens(text)[:1] == _tokens(button)[:1])]
        known = {singular(word) for title in titles for word in _tokens(title)}
        for word, bare, free in zip(self.words, self.plain, self.free, strict=True):
            if free and word not in _MARKS and bare not in _MINOR and singular(bare) not in known:
                yield word


def _begins_or_ends(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a name begins with the words, or ends with more than one of them: "I accept the privacy notice"."""
    return name[: len(words)] == words or (len(words) > 1 and name[-len(words) :] == words)


def _is_number(text: str) -> bool:
    return number_of(text) is not None and text[0].isdigit()


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(plain(found[0]) for found in _WORD.finditer(name) if found[0] not in _MARKS)


def _order(widget: Widget, value: str) -> str:
    if widget.role in BOXES:
        return f'select "{widget.name}"'
    if widget.role in LISTS:
        return f'select "{value}" from the "{widget.name}" list'  # noqa: S608 - words, not SQL
    return f'type "{value}" into the "{widget.name}" field'
