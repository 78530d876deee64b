"""Text that fits: measured, cut with an ellipsis, broken into lines. Every result is cached by what went in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from environments.simulated.render.fonts import Face, Run, font, runs

ZOOM = 4
"""Text is measured and drawn this much larger, and then made smaller: even spacing at small sizes."""
PICTURE = 1.2
"""Width of a coloured picture, in sizes of the text."""
ELLIPSIS = "…"
_TOKEN = re.compile(r"\n|[^\S\n]+|[⺀-꓏가-힣豈-﫿︰-﹏＀-￯]|[^\s⺀-꓏가-힣豈-﫿︰-﹏＀-￯]+")
"""A line break, blanks, an ideograph, or a word."""
_UNSEEN = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400))))
"""Only change how the character before them looks."""


class Span(NamedTuple):
    """A line of a text: from the character at `start` to the one before `end`."""

    start: int
    end: int


def printable(text: str) -> str:
    """The text as it can be drawn on one or more lines: no control characters, no marks that show nothing, no half pairs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(char) for char in unicodedata.normalize("NFC", text))


@lru_cache(maxsize=4096)
def _seen(char: str) -> str:
    kind = unicodedata.category(char)
    if char == "\n" or char.isprintable():
        return "" if char in _UNSEEN else char
    if kind == "Cf":
        return ""
    return "�" if kind in {"Cs", "Cn"} else char if kind == "Co" else " "


def length(text: str, face: Face) -> float:
    """How wide a text is. Not cached: for pieces that are looked at once."""
    return sum(_advance(run, face) for run in runs(text))


measure = lru_cache(maxsize=16_384)(length)
"""How wide a text is."""


def _advance(run: Run, face: Face) -> float:
    if run.source.colour:
        return len(run.text) * face.size * PICTURE
    return font(run.source, face.size * run.source.scale * ZOOM, run.shaped).getlength(run.text) / ZOOM


def most(count: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `count` that fits, where all smaller ones do; 0 when none does."""
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def fitting(text: str, face: Face, room: int) -> int:
    """How many characters of the text have room."""
    return most(len(text), lambda count: length(text[:count], face) <= room)


@lru_cache(maxsize=4096)
def cut(text: str, face: Face, room: int) -> str:
    """The text, or as much of it as has room before an ellipsis. Nothing when not even that has room."""
    head = text[: room + 1]  # hardly a letter is narrower than a pixel
    if len(head) == len(text) and measure(text, face) <= room:
        return text
    if length(ELLIPSIS, face) > room:
        return ""
    kept = most(len(head), lambda n: length(head[:n].rstrip() + ELLIPSIS, face) <= room)
    return head[:kept].rstrip() + ELLIPSIS


@lru_cache(maxsize=4096)
def fit(text: str, face: Face, room: int, least: int) -> tuple[str, Face]:
    """The text in a size that has room, not below `least`; cut when even that is too wide."""
    for size in range(face.size, least, -1):
        if len(text) <= room and measure(text, face._replace(size=size)) <= room:
            return text, face._replace(size=size)
    smallest = face._replace(size=min(face.size, least))
    return cut(text, smallest, room), smallest


@lru_cache(maxsize=64)
def lines(text: str, face: Face, room: int) -> tuple[Span, ...]:
    """The text broken into lines between words, and inside of a word that is longer than a line."""
    made: list[Span] = []
    start = end = 0
    width = 0.0
    for token, word in _pieces(text, face, room):
        if word == "\n":
            made.append(Span(start, token))
            start, end, width = token + 1, token + 1, 0.0
            continue
        wide = measure(word, face)
        if width + wide > room and not word.isspace() and end > start:
            made.append(Span(start, end))
            start, width = token, 0.0
        end, width = token + len(word), width + wide
    return (*made, Span(start, max(start, end)))


def _pieces(text: str, face: Face, room: int) -> Iterator[tuple[int, str]]:
    """Words with their places; one that is longer than a line comes in pieces."""
    for found in _TOKEN.finditer(text):
        at, word = found.start(), found.group()
        while len(word) > room or (len(word) > 1 and measure(word, face) > room):
            kept = max(1, fitting(word[:room], face, room))
            yield at, word[:kept]
            at, word = at + kept, word[kept:]
        if word:
            yield at, word
