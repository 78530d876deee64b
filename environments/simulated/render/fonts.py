"""Which font has a letter: Pillow's own one, which is the same everywhere, and the system's for what that one lacks."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from environments.contract import EnvironmentFault
from environments.pictures.set_of_mark import ImageFont, features

_STRIKES = (109, 160, 136, 128, 96, 64, 32)
"""Sizes that fonts of coloured pictures come in; a drawn font takes the first."""
_NOBODY_HAS = "\U0010ffff"
_PROBE = 24
_SHAPED = re.compile("[\u0590-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Scripts that join or reorder their letters, and those that run from right to left."""
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")
_ALPHABETS_END = "\u0590"
_PICTURES = "\U0001f000"


class Face(NamedTuple):
    """How a text is set; bold is the same font with a stroke."""

    size: int
    bold: bool = False


class Source(NamedTuple):
    """A font of a file; Pillow's own font has no path. `scale` makes its letters as tall as those of Pillow's."""

    path: str = ""
    scale: float = 1.0
    number: int = 0
    colour: bool = False


class Run(NamedTuple):
    """A piece of text in one font."""

    source: Source
    text: str
    shaped: bool = False


OWN = Source()

# File names, as the systems ship them. Latin, Greek and Cyrillic first, then other scripts, then pictures.
_KNOWN: tuple[tuple[str, Source], ...] = (
    ("LiberationSans-Regular.ttf", Source()), ("Arial.ttf", Source()), ("arial.ttf", Source()),
    ("NotoSans-Regular.ttf", Source(scale=0.96)), ("segoeui.ttf", Source()), ("DejaVuSans.ttf", Source(scale=0.93)),
    ("NotoSansCJK-Regular.ttc", Source(number=2)), ("NotoSansSC-Regular.otf", Source()),
    ("SourceHanSansSC-Regular.otf", Source()), ("PingFang.ttc", Source()), ("msyh.ttc", Source()),
    ("wqy-microhei.ttc", Source()), ("wqy-zenhei.ttc", Source()),
    ("YuGothM.ttc", Source()), ("malgun.ttf", Source()), ("AppleSDGothicNeo.ttc", Source()),
    ("NotoSansArabic-Regular.ttf", Source()), ("NotoSansHebrew-Regular.ttf", Source()), ("NotoSansThai-Regular.ttf", Source()),
    ("NotoSansDevanagari-Regular.ttf", Source()), ("Arial Unicode.ttf", Source()),
    ("NotoColorEmoji.ttf", Source(colour=True)), ("Apple Color Emoji.ttc", Source(colour=True)),
    ("seguiemj.ttf", Source(colour=True)), ("NotoEmoji-Regular.ttf", Source()), ("Symbola.ttf", Source()),
)  # fmt: skip


@lru_cache(maxsize=1)
def chain() -> tuple[Source, ...]:
    """Pillow's own font and those of the system that are known, in the order in which they are asked."""
    found: dict[str, str] = {}
    wanted = {name for name, _ in _KNOWN}
    for folder in _folders():
        for where, inner, names in os.walk(folder):
            inner.sort()
            for name in wanted.intersection(names):
                found.setdefault(name, str(Path(where) / name))
    return (OWN, *(source._replace(path=found[name]) for name, source in _KNOWN if name in found and _opens(source, found[name])))


def _folders() -> tuple[Path, ...]:
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts",)
    if sys.platform == "darwin":
        return Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"
    own = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    return own / "fonts", home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")


def _opens(source: Source, path: str) -> bool:
    try:
        font(source._replace(path=path), _PROBE)
    except OSError:
        return False
    return True


@lru_cache(maxsize=128)
def font(source: Source, size: float, shaped: bool = False) -> ImageFont.FreeTypeFont:
    """The font in a size. Raises EnvironmentFault when Pillow cannot draw outlines, OSError when the file is no font."""
    if not source.path:
        own = ImageFont.load_default(size)
        if not isinstance(own, ImageFont.FreeTypeFont):
            raise EnvironmentFault(
                "this Pillow was built without FreeType; install the wheel: pip install --force-reinstall pillow"
            )
        return own
    engine = ImageFont.Layout.RAQM if shaped and can_shape() else ImageFont.Layout.BASIC
    if not source.colour:
        return ImageFont.truetype(source.path, size, index=source.number, layout_engine=engine)
    return _strike(source.path, engine)


def _strike(path: str, engine: ImageFont.Layout) -> ImageFont.FreeTypeFont:
    for size in _STRIKES:
        try:
            return ImageFont.truetype(path, size, layout_engine=engine)
        except OSError:
            continue
    raise OSError(f"{path} has none of the sizes {_STRIKES}")


@lru_cache(maxsize=1)
def can_shape() -> bool:
    """Whether letters of Arabic, Hebrew or Devanagari can be joined and put in order."""
    return bool(features.check("raqm") and features.check("fribidi"))


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


def right_to_left(text: str) -> bool:
    """Whether the first letter belongs to a script that runs from right to left."""
    first = _LETTER.search(text)
    return first is not None and _RTL.match(first.group()) is not None


def runs(text: str) -> list[Run]:
    """The text in pieces of one font each. A letter that no font has stays with the first one, which draws its box."""
    if text.isascii():
        return [Run(OWN, text)]
    if _RTL.search(text):
        # In one piece: only then do the letters of both directions come out in order.
        best = max(chain(), key=lambda source: sum(has(source, char) for char in set(text)) * (not source.colour))
        return [Run(best, text, shaped=True)]
    alphabetic = [char for char in set(text) if char < _ALPHABETS_END]
    base = next((source for source in chain() if not source.colour and all(has(source, char) for char in alphabetic)), OWN)
    pieces = ((source, "".join(chars)) for source, chars in groupby(text, key=lambda char: _source_of(char, base)))
    return [Run(source, piece, shaped=_SHAPED.search(piece) is not None) for source, piece in pieces]


@lru_cache(maxsize=4096)
def _source_of(char: str, base: Source) -> Source:
    """Pictures in colour where there are any, and letters in the font of the text around them."""
    sources = sorted(chain(), key=lambda source: source.colour is not (char >= _PICTURES))
    return next((source for source in (base, *sources) if _may(source, base, char) and has(source, char)), OWN)


def _may(source: Source, base: Source, char: str) -> bool:
    return source is not base or char < _PICTURES or not any(other.colour for other in chain())
