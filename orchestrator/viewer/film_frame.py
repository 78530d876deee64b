"""One picture of a film: the screen, what was pressed on it, and below it what is said of this line.

Raises EnvironmentFault on import where Pillow is not installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from environments.painting import COLOUR as COVER
from environments.pillow import Image, ImageDraw
from environments.simulated.render.fonts import Face
from environments.simulated.render.raster import image
from environments.simulated.render.shapes import Box, Fill, Label, Part, Picture, Shape, grown
from environments.simulated.render.text import cut, fit, lines, measure, printable
from environments.simulated.render.theme import DARK
from orchestrator.faces.clean import clean
from orchestrator.viewer.data import Item, RunHead
from orchestrator.viewer.sketch import drawn, private_boxes, scaled

ROLES = {
    "controller": "#94a3b8", "manager": "#c79bff", "operator": "#7fa6ff", "technician": "#4fd1c5", "analyst": "#fbbf5a",
    "evaluator": "#4ade80", "user": "#ff9288",
}  # fmt: skip
_SIGNS = {"ok": ("✓", "#4ade80"), "failed": ("✗", "#ff9288"), "warn": ("!", "#fbbf5a"), "waiting": ("?", "#fbbf5a"),
          "info": ("·", "#a0aabb")}  # fmt: skip
_MARK = "#db2777"
_HIGHEST = 720
_NARROWEST = 560
_CAPTION = 84
_PAD = 14
_TITLE, _WORDS, _SMALL = Face(19, bold=True), Face(17), Face(13)


class Seen(Protocol):
    """A recorded screen."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def elements(self) -> list[Any]: ...


class Stage(NamedTuple):
    """The size of every picture of a film, and the room for the screen within it."""

    size: tuple[int, int]
    room: tuple[int, int]


def stage_for(sizes: Sequence[tuple[int, int]], width: int) -> Stage:
    """Room for the largest screen, made smaller where it is larger than anybody wants to look at."""
    across = max((size[0] for size in sizes), default=1280)
    down = max((size[1] for size in sizes), default=800)
    scale = min(width / across, _HIGHEST / down, 1.0)
    wide, high = max(round(across * scale), _NARROWEST), max(round(down * scale), 160)
    return Stage((wide, high + _CAPTION), (wide, high))


class Frame:
    """Makes the pictures of one film."""

    def __init__(self, stage: Stage, count: int) -> None:
        self._stage = stage
        self._count = max(count, 1)

    def title(self, head: RunHead, picture: Image.Image | None, screen: Seen | None) -> Image.Image:
        """What was wanted, over the first screen."""
        told = [clean(part, 60) for part in (head["task"], head["world"]) if part]
        caption = self._caption("goal", DARK.accent, clean(head["goal"], 400), " · ".join([clean(head["run_id"], 60), *told]), 0)
        return self._composed(picture, screen, None, caption)

    def line(self, item: Item, number: int, picture: Image.Image | None, screen: Seen | None) -> Image.Image:
        """A line of the run, with its target marked."""
        sign, colour = _SIGNS.get(item.status, _SIGNS["info"])
        where = " · ".join(part for part in (clean(item.role, 30), clean(item.app, 40), f"{item.at:.1f} s") if part)
        below = f"{where}   {clean(item.why, 300)}" if item.why else where
        caption = self._caption(sign, colour, clean(item.line, 400), below, number, ROLES.get(item.role, DARK.muted))
        return self._composed(picture, screen, item, caption)

    def _composed(self, picture: Image.Image | None, screen: Seen | None, item: Item | None, caption: Part) -> Image.Image:
        wide, high = self._stage.room
        size = screen.size if screen else picture.size if picture else self._stage.room
        scale = min(wide / size[0], high / size[1], 1.0)
        across, down = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
        left, top = (wide - across) // 2, (high - down) // 2
        place: Box = (left, top, left + across, top + down)
        ground = Part((Fill((0, 0, *self._stage.size), DARK.page),), (0, 0, *self._stage.size))
        sketch = drawn(screen.elements, place, scale) if picture is None and screen else ()
        made = image(Picture(self._stage.size, (ground, *sketch, caption)))
        if picture is not None:
            made.paste(picture.resize((across, down), Image.Resampling.LANCZOS), place[:2])
        if screen is not None:
            pen = ImageDraw.Draw(made)
            for box in private_boxes(screen.elements) if picture is not None else ():
                pen.rectangle(scaled(box, place, scale), fill=COVER)
            if item is not None:
                _marked(pen, item, place, scale)
        return made

    def _caption(self, sign: str, colour: str, said: str, below: str, number: int, role: str = DARK.muted) -> Part:
        wide, high = self._stage.size
        top = high - _CAPTION
        return Part(tuple(self._told(sign, colour, printable(said), printable(below), number, role, top)), (0, top, wide, high))

    def _told(self, sign: str, colour: str, said: str, below: str, number: int, role: str, top: int) -> Iterator[Shape]:
        wide, high = self._stage.size
        yield Fill((0, top, wide, high), DARK.surface)
        yield Fill((0, top, round(wide * number / self._count), top + 3), role)
        left = _PAD + max(26, round(measure(sign, _TITLE)) + 10)
        count = f"{number} / {self._count}" if number else ""
        right = wide - _PAD - round(measure(count, _SMALL)) - 10
        yield Label(_PAD, top + 29, sign, _TITLE, colour, measure(sign, _TITLE))
        first, face = fit(said, _WORDS, right - left, 14)
        if first != said:
            yield from _two_lines(said, left, top, right - left)
        else:
            yield Label(left, top + 29, first, face, DARK.text, measure(first, face))
        foot = cut(below, _SMALL, wide - left - _PAD)
        yield Label(left, high - 12, foot, _SMALL, DARK.muted, measure(foot, _SMALL))
        yield Label(right + 10, top + 27, count, _SMALL, DARK.muted, measure(count, _SMALL))


def _two_lines(said: str, left: int, top: int, room: int) -> Iterator[Shape]:
    face = Face(14)
    spans = lines(said, face, room)
    first = said[spans[0].start : spans[0].end].strip()
    rest = cut(said[spans[0].end :].strip(), face, room)
    for number, text in enumerate((first, rest)):
        yield Label(left, top + 24 + 19 * number, text, face, DARK.text, measure(text, face))


def _marked(pen: ImageDraw.ImageDraw, item: Item, place: Box, scale: float) -> None:
    """The target's box and the pixel that was pressed."""
    if item.box is not None:
        pen.rounded_rectangle(grown(scaled(item.box, place, scale), 3), radius=5, outline=_MARK, width=3)
    if item.point is not None:
        x, y = place[0] + round(item.point[0] * scale), place[1] + round(item.point[1] * scale)
        if place[0] <= x < place[2] and place[1] <= y < place[3]:
            for reach, colour, width in ((10, "#ffffff", 4), (9, _MARK, 2)):
                pen.ellipse((x - reach, y - reach, x + reach, y + reach), outline=colour, width=width)
            pen.ellipse((x - 2, y - 2, x + 2, y + 2), fill=_MARK)
