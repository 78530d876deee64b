"""Text that fits: measured, cut with an ellipsis, broken into lines. Every result is cached by what went in."""

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from environments.contract import EnvironmentFault
from environments.files.yaml_lines import packaged
from environments.pictures.set_of_mark import ImageFont

_NOBODY_HAS = "\U0010ffff"
_PROBE = 24
_ALPHABETS_END = "\u0590"


class Face(NamedTuple):
    """How a text is set; bold is the same font with a stroke."""

    size: int
    bold: bool = False


class Source(NamedTuple):
    """A font of a file; Pillow's own font has no path. `scale` makes its letters as tall as those of Pillow's."""

    path: str = ""
    scale: float = 1.0
    number: int = 0


class Run(NamedTuple):
    """A piece of text in one font."""

    source: Source
    text: str


OWN = Source()


@lru_cache(maxsize=1)
def chain() -> tuple[Source, ...]:
    """Pillow's own font and those of the system that are known, in the order in which they are asked."""
    found: dict[str, str] = {}
    known = packaged("environments.simulated.render", "fonts.yaml")
    for folder in _folders():
        for where, inner, names in os.walk(folder):
            inner.sort()
            for name in known.keys() & names:
                found.setdefault(name, str(Path(where) / name))
    return (OWN, *filter(_opens, (Source(path=found[name], **how) for name, how in known.items() if name in found)))


def _folders() -> tuple[Path, ...]:
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts",)
    if sys.platform == "darwin":
        return Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"
    own = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    return own / "fonts", home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")


def _opens(source: Source) -> bool:
    try:
        font(source, _PROBE)
    except OSError:
        return False
    return True


@lru_cache(maxsize=128)
def font(source: Source, size: float) -> ImageFont.FreeTypeFont:
    """The font in a size. Raises EnvironmentFault when Pillow cannot draw outlines, OSError when the file is no font."""
    if not source.path:
        own = ImageFont.load_default(size)
        if not isinstance(own, ImageFont.FreeTypeFont):
            raise EnvironmentFault(
                "this Pillow was built without FreeType; install the wheel: pip install --force-reinstall pillow"
            )
        return own
    return ImageFont.truetype(source.path, size, index=source.number, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=16_384)
def has(source: Source, char: str) -> bool:
    """Whether the font draws the character as anything but the box for what it lacks."""
    return char.isspace() or _ink(source, char) != _missing(source)


@lru_cache(maxsize=64)
def _missing(source: Source) -> tuple[tuple[int, int], bytes]:
    return _ink(source, _NOBODY_HAS)


def _ink(source: Source, char: str) -> tuple[tuple[int, int], bytes]:
    mask = font(source, _PROBE).getmask(char, mode="L")
    return mask.size, bytes(mask)


def runs(text: str) -> list[Run]:
    """The text in pieces of one font each. A letter that no font has stays with the first one, which draws its box."""
    if text.isascii():
        return [Run(OWN, text)]
    alphabetic = [char for char in set(text) if char < _ALPHABETS_END]
    base = next((source for source in chain() if all(has(source, char) for char in alphabetic)), OWN)
    pieces = ((source, "".join(chars)) for source, chars in groupby(text, key=lambda char: _source_of(char, base)))
    return [Run(source, piece) for source, piece in pieces]


@lru_cache(maxsize=4096)
def _source_of(char: str, base: Source) -> Source:
    """Letters are in the font of the text around them, where it has them."""
    return next((source for source in (base, *chain()) if has(source, char)), OWN)


ZOOM = 4
"""Text is measured and drawn this much larger, and then made smaller: even spacing at small sizes."""
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
    return sum(font(one.source, face.size * one.source.scale * ZOOM).getlength(one.text) / ZOOM for one in runs(text))


measure = lru_cache(maxsize=16_384)(length)
"""How wide a text is."""


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
