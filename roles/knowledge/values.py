"""The values in the words of a goal: what stands in quotation marks, numbers, dates, addresses, ids and names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from roles.knowledge.pages.documents import asked_stems, stems, words_of
from roles.screen.language.dates import Dates
from roles.screen.language.words import BREAKS, Token, Words

_SHAPED = {"quote", "url", "email", "phone", "date", "time", "file", "id", "number"}
_LINKS = words_of(
    "of is be are at on in by as for with from to the a an titled called named saying number no nr : = under into it about"
)
_SAYS = {"titled": "title", "called": "name", "named": "name", "saying": "text", "about": "subject", "by": "date"}
_NO_NAMES = words_of("i ok")
_BETWEEN = words_of("& de van von der da la")


class Given(NamedTuple):
    """A value of the goal."""

    text: str
    """Without quotation marks."""
    kind: str
    """quote, url, email, phone, date, time, file, id, number or name."""
    start: int = 0
    end: int = 0
    called: tuple[str, ...] = ()
    """The words right before it that say what it is, the nearest first."""


def values_in(text: str, plain: Collection[str] = ()) -> list[Given]:
    """The values of `text`, in order. A word of `plain` begins no name, nor does the first word of a sentence."""
    words = Words(text)
    dates, found, at = Dates(words, ""), list[Given](), 0
    while at < len(words.list):
        end, kind = _value_at(words, dates, at, plain)
        if kind:
            first, last = words.list[at + (words.list[at].lower == "at")], words.list[end - 1]
            whole = text[first.start : last.end]
            bare = whole[1:-1] if kind == "quote" else whole
            found.append(Given(bare, kind, first.start, last.end, tuple(_called(words.list, at, kind))))
        at = end
    return found


def _value_at(words: Words, dates: Dates, at: int, plain: Collection[str]) -> tuple[int, str]:
    token = words.list[at]
    if token.kind not in {"quote", "url", "email", "file", "id", "phone"} and (when := dates.read(at)) is not None:
        return when[1], "time" if token.kind == "time" or token.lower == "at" else "date"
    if token.kind in _SHAPED:
        return at + 1, token.kind
    begins = at == 0 or words.list[at - 1].lower in BREAKS
    end = at
    while end < len(words.list) and (_named(words.list[end], plain) or (end > at and _joins(words.list, end, plain))):
        end += 1
    return (at + 1, "") if begins or end == at else (end, "name")


def _named(token: Token, plain: Collection[str]) -> bool:
    return token.kind == "word" and token.capital and token.lower not in _NO_NAMES and token.lower not in plain


def _joins(tokens: list[Token], at: int, plain: Collection[str]) -> bool:
    return tokens[at].lower in _BETWEEN and at + 1 < len(tokens) and _named(tokens[at + 1], plain)


def _called(tokens: list[Token], at: int, kind: str) -> Iterator[str]:
    for token in reversed(tokens[max(0, at - 5) : at]):
        if token.lower in _SAYS and kind in {"quote", "name", "date", "time"}:
            yield _SAYS[token.lower]
        if token.lower not in _LINKS:
            yield token.lower
            return


def without_values(text: str, kinds: Collection[str] = ()) -> str:
    """The words of `text` that say what is to be done, and not with what; with `kinds` only those are left out."""
    rest = text
    for one in reversed(values_in(text)):
        if not kinds or one.kind in kinds:
            rest = f"{rest[: one.start]} {rest[one.end :]}"
    return " ".join(rest.split())


def without_quoted(query: str) -> str:
    """What is asked without the values that stand in quotation marks, if that leaves anything to ask."""
    rest = without_values(query, {"quote"})
    return rest if asked_stems(rest) else query


_KINDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("email",), "email mail recipient to cc addressee"),
    (("date",), "date day due deadline start begin end until birthday from"),
    (("time",), "time hour clock"),
    (("number",), "amount total sum price cost budget fee limit salary balance subtotal tax count quantity qty copies percent"),
    (("phone", "number"), "phone telephone mobile fax"),
    (("file", "quote"), "file path document attachment folder"),
    (("url",), "link url site website"),
    (("quote", "name"), "title subject topic text message body comment note purpose reason description label wording"),
    (
        ("name", "quote"),
        "name person employee colleague customer client vendor supplier sender company contact user manager owner team department"
        " city place room deputy mentor guest attendee visitor author country street",
    ),
    (("id", "number", "quote"), "id number no nr reference ref code key"),
)  # fmt: skip


class Wanted:
    """A slot of a page, by its words."""

    def __init__(self, slot: str) -> None:
        self.slot = slot
        self.words = tuple(slot.replace("_", " ").replace(".", " ").casefold().split())
        last = self.words[-1] if self.words else ""
        self.kinds = next((kinds for kinds, names in _KINDS if last in names.split()), ())
        """Of the values that can stand here; empty: of any."""
        self._stems = frozenset(stem for word in self.words for stem in stems(word))

    def takes(self, one: Given) -> bool:
        return not self.kinds or one.kind in self.kinds

    def is_called(self, one: Given) -> bool:
        """Whether the goal calls the value what the slot is called."""
        return any(stem in self._stems for word in one.called for stem in stems(word))
