"""What is on a picture, before it has a place in the order of a screen: a draft of each element."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from environments.vision.pixels import Box, Colour, Pixels, ground_of, ink_of
from environments.vision.reader import TextLine

DOTS = re.compile(r"[•●∙·*⬤.…\s]{4,}|…|[•●∙·⬤]{2,}")
"""How a text looks that nobody is to read."""


_HANGING = re.compile(r"[gjpqy,;()$@]")
_STAR = re.compile(r"\s*[*＊]$|\s+[+×x·]$")
"""A small star is read as other signs too."""


@dataclass
class ElementDraft:
    """A draft of an element."""

    role: str
    box: Box
    text: str = ""
    value: str | None = None
    placeholder: str = ""
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    required: bool = False
    private: bool = False
    invalid: bool = False
    expanded: bool | None = None
    source: str = "content"
    confidence: float = 1.0
    inside: list[ElementDraft] = field(default_factory=list)


@dataclass(frozen=True)
class InkedLine:
    """A line of text with the colours that it is written in."""

    line: TextLine
    ground: Colour
    ink: Colour

    @property
    def box(self) -> Box:
        return self.line.box

    @property
    def text(self) -> str:
        return self.line.text

    @property
    def size(self) -> float:
        """How high its capitals are, or nearly: what hangs below the line does not count."""
        return self.box.height * (0.78 if _HANGING.search(self.text) else 1.0)

    @property
    def strength(self) -> float:
        """How far the ink stands out from its ground, 0 to 255."""
        return self.ink.far(self.ground)

    @property
    def coloured(self) -> bool:
        """Whether it is written in a colour, as links are, and not only on one."""
        return self.ink.coloured and not self.ground.coloured and not self.ink.warns


def inked(pixels: Pixels, line: TextLine) -> InkedLine:
    ground = ground_of(pixels, line.box.grown(1))
    return InkedLine(line, ground, ink_of(pixels, line.box, ground))


def marked_required(text: str) -> tuple[str, bool]:
    """A label without the star that says that a field must be filled."""
    bare = text.rstrip()
    starred = _STAR.sub("", bare)
    return starred.rstrip(":： "), starred != bare
