"""What is wrong with a line, where, and what could have stood there instead."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from protocol.dsl.words import ACTION, LOCATORS, OPENING, QUOTED, STARTS, TARGET, called, spellings

if TYPE_CHECKING:
    from lark import Lark
    from lark.exceptions import UnexpectedInput

_WIDEST = 100
_PIECE = re.compile(rf"{QUOTED}|[#@]?\w[\w-]*|\S")


class DSLError(ValueError):
    """A line that is no action. The message is one sentence; `pointed` shows the place under it."""

    def __init__(self, message: str, line: int = 1, column: int = 1, expected: tuple[str, ...] = (), text: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        """Both from 1; a column is one character."""
        self.expected = expected
        """What could have stood there, in words; empty where the words are right and what they say is not."""
        self.text = text
        """The whole line."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"

    def pointed(self) -> str:
        """The message, the line as far as it fits on a screen, and a caret under the mistake."""
        start = max(0, self.column - 1 - _WIDEST // 2)
        shown = "".join(sign if sign.isprintable() else " " for sign in self.text[start : start + _WIDEST])
        margin = "".join(" " * _width(sign) for sign in shown[: self.column - 1 - start])
        return f"{self}\n  {shown}\n  {margin}^"


def _width(sign: str) -> int:
    """How many places of a terminal a sign takes."""
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1


class Mistake(Exception):
    """A mistake at `offset` of the line that is being read."""

    def __init__(self, message: str, offset: int, expected: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.expected = expected

    def on(self, text: str, line: int) -> DSLError:
        return DSLError(self.message, line, self.offset + 1, self.expected, text)


def mistake(parser: Lark, text: str, bad: UnexpectedInput) -> Mistake:
    """What the grammar says of a line that it does not know."""
    from protocol.model.blame import blame  # here, since few lines are wrong

    names = _accepted(parser, text)
    offset = blame(text, bad, {})[1] - 1
    if offset == len(text) - len(text.lstrip()):
        return _no_action(text, offset)
    piece = _PIECE.match(text, offset)
    found = piece[0] if piece else ""
    if found and found in OPENING:
        return Mistake("the text that starts here has no closing quote", offset, ("a closing quote",))
    expected = wanted(names)
    message = f"expected {one_of(expected)}, not {_short(found) or 'the end of the line'}"
    near = nearest(found, (word for name in names for word in spellings(name)), 0.75)
    if not near and "STRING" in names and found[:1].isalnum():
        near = "; a text stands in quotes"
    return Mistake(message + near, offset, expected)


def _accepted(parser: Lark, text: str) -> set[str]:
    """The terminals that could have come next: exactly those, which the tables of LALR alone do not say."""
    from lark.exceptions import UnexpectedInput

    again: Any = parser.parse_interactive(text)
    with suppress(UnexpectedInput):
        again.exhaust_lexer()
    names: set[str] = again.accepts()
    return names


def _no_action(text: str, offset: int) -> Mistake:
    words = re.match(r"[^\W\d][\w-]*(?:[ \t]+[^\W\d][\w-]*)?", text[offset:])
    if not words:
        return Mistake(f"expected {ACTION}, not {_short(text[offset:])}", offset, (ACTION,))
    first = words[0].split()[0]
    near = nearest(words[0], STARTS) if words[0] != first else ""
    return Mistake(f'there is no action "{_short(first)}"{near or nearest(first, STARTS)}', offset, (ACTION,))


def wanted(names: set[str]) -> tuple[str, ...]:
    """The terminals in words; the many that begin or continue a target are one thing to people."""
    first: list[str] = []
    if {"_THE", "ID"} <= names:
        names, first = names - LOCATORS - {"_THE", "STRING"}, [TARGET]
    elif {"ID", "TRACK"} <= names:
        names, first = names - LOCATORS - {"STRING"}, ["more about the target"]
    if names & {"KEY", "NAME"}:
        names = names - {"STRING"}  # the same thing in quotes
    last = [called("$END")] if "$END" in names else []
    return (*first, *sorted({called(name) for name in names if name != "$END"}), *last)


def one_of(things: Iterable[str]) -> str:
    """`a, b or c`."""
    *some, last = things
    return f"{', '.join(some)} or {last}" if some else last


def nearest(word: str, words: Iterable[str], cutoff: float = 0.6) -> str:
    """A question after the word that was meant; nothing where none comes near."""
    near = get_close_matches(word[:40].casefold(), list(words), n=1, cutoff=cutoff)
    return f'; did you mean "{near[0]}"?' if near else ""


def _short(text: str, limit: int = 40) -> str:
    plain = "".join(sign if sign.isprintable() else "�" for sign in text[:limit])
    return plain if len(text) <= limit else plain[: limit - 1] + "…"
