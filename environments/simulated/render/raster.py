"""A picture as PNG, through Pillow: everything is either a filled box or a cached mask that is filled with a colour."""

import io
from collections.abc import Callable
from functools import lru_cache, partial
from math import ceil, cos, pi, sin
from typing import NamedTuple

from environments.files.yaml_lines import packaged
from environments.pictures.set_of_mark import Image, ImageDraw
from environments.simulated.render.shapes import Box, Fill, Label, Picture, Shape, common
from environments.simulated.render.text import ZOOM, Face, font, length, runs

Point = tuple[float, float]
Stroke = tuple[Point, ...]
GRID = 24
WIDTH = 2.0
"""Of a stroke, on the grid."""


def _arc(x: float, y: float, radius: float, start: float, end: float) -> Stroke:
    """Part of a circle, in degrees clockwise from the right."""
    steps = max(2, round(abs(end - start) / 10))
    angles = (pi / 180 * (start + (end - start) * step / steps) for step in range(steps + 1))
    return tuple((round(x + radius * cos(angle), 2), round(y + radius * sin(angle), 2)) for angle in angles)


def _round(x1: float, y1: float, x2: float, y2: float, r: float) -> Stroke:
    corners = ((x2 - r, y1 + r, 270), (x2 - r, y2 - r, 0), (x1 + r, y2 - r, 90), (x1 + r, y1 + r, 180))
    points = tuple(point for x, y, start in corners for point in _arc(x, y, r, start, start + 90))
    return (*points, points[0])


_SHAPES: dict[str, Callable[..., Stroke]] = {"arc": _arc, "ring": partial(_arc, start=0, end=360), "round": _round}


def _stroke(said: str) -> Stroke:
    kind, *numbers = said.split()
    if kind in _SHAPES:
        return _SHAPES[kind](*map(float, numbers))
    return tuple((float(x), float(y)) for x, _, y in (point.partition(",") for point in said.split()))


_DRAWN = packaged("environments.simulated.render", "icons.yaml")
ICONS: dict[str, tuple[Stroke, ...]] = {name: tuple(map(_stroke, said)) for name, said in _DRAWN.items()}


def icon_of(app: str | None) -> str:
    """The icon of an app; a new app has a plain window until it gets one."""
    return app if app in ICONS else "app"


COMPRESSION = 1
"""Of the PNG: a higher level takes half as long again for a few per cent."""
_FINE = 8
_GAMMA = [round(255 * (level / 255) ** 0.8) for level in range(256)]
"""Thin strokes come out as dark as they are meant."""
_BOLD = 0.02
"""Stroke of bold text, in sizes of the text."""

Pixels = Image.Image


class Stamp(NamedTuple):
    """A mask to be filled with a colour; `left` and `top` are seen from the pen."""

    mask: Pixels
    left: int
    top: int


def png(picture: Picture) -> bytes:
    """The picture as the bytes of a PNG; the same picture gives the same bytes."""
    out = io.BytesIO()
    image(picture).save(out, "PNG", compress_level=COMPRESSION)
    return out.getvalue()


def image(picture: Picture) -> Pixels:
    """The picture as an image of Pillow's."""
    canvas = _Canvas(Image.new("RGB", picture.size))
    for part in picture.parts:
        canvas.clip = common(part.clip, (0, 0, *picture.size)) or (0, 0, 0, 0)
        for shape in part.shapes:
            canvas.draw(shape)
    return canvas.image


class _Canvas:
    """An image, and the box outside of which nothing is drawn."""

    def __init__(self, target: Pixels) -> None:
        self.image = target
        self.clip: Box = (0, 0, *target.size)

    def draw(self, shape: Shape) -> None:
        if isinstance(shape, Fill):
            self._fill(shape)
        elif isinstance(shape, Label):
            self._stamp(stamp(shape.text, shape.face), shape.x, shape.y, shape.colour)
        else:
            self._stamp(_icon(shape.name, shape.size), shape.x, shape.y, shape.colour)

    def _fill(self, shape: Fill) -> None:
        box = common(shape.box, self.clip)
        if box is None:
            return
        colour, alpha = _ink(shape.colour)
        (x1, y1, x2, y2), r = shape.box, shape.radius
        if alpha == 255 and not r:
            self.image.paste(colour, box)
            return
        if alpha < 255 or min(x2 - x1, y2 - y1) < 2 * r:
            self._stamp(Stamp(_mask(x2 - x1, y2 - y1, r, alpha), 0, 0), x1, y1, shape.colour[:7])
            return
        # Boxes and four corners: much less to mix than the whole
        for box in ((x1 + r, y1, x2 - r, y2), (x1, y1 + r, x1 + r, y2 - r), (x2 - r, y1 + r, x2, y2 - r)):
            if inner := common(box, self.clip):
                self.image.paste(colour, inner)
        for corner, (x, y) in zip(_corners(r), ((x1, y1), (x2 - r, y1), (x1, y2 - r), (x2 - r, y2 - r)), strict=True):
            self._stamp(Stamp(corner, 0, 0), x, y, shape.colour)

    def _stamp(self, stamp: Stamp, x: int, y: int, colour: str) -> None:
        ink, alpha = _ink(colour)
        x, y = x + stamp.left, y + stamp.top
        box = common((x, y, x + stamp.mask.width, y + stamp.mask.height), self.clip)
        if box is None:
            return
        inner = (box[0] - x, box[1] - y, box[2] - x, box[3] - y)
        mask = stamp.mask if inner == (0, 0, *stamp.mask.size) else stamp.mask.crop(inner)
        self.image.paste(ink, box, mask if alpha == 255 else mask.point([level * alpha // 255 for level in range(256)]))


@lru_cache(maxsize=256)
def _ink(colour: str) -> tuple[tuple[int, int, int], int]:
    red, green, blue, alpha = (int(f"{colour}ff"[at : at + 2], 16) for at in (1, 3, 5, 7))
    return (red, green, blue), alpha


@lru_cache(maxsize=48)
def _mask(width: int, height: int, radius: int, alpha: int) -> Pixels:
    mask = Image.new("L", (width, height), alpha)
    radius = min(radius, width // 2, height // 2)
    if radius:
        places = ((0, 0), (width - radius, 0), (0, height - radius), (width - radius, height - radius))
        for corner, place in zip(_corners(radius), places, strict=True):
            mask.paste(corner.point([level * alpha // 255 for level in range(256)]), place)
    return mask


@lru_cache(maxsize=64)
def _corners(radius: int) -> tuple[Pixels, Pixels, Pixels, Pixels]:
    """Quarters of a circle: top left, top right, bottom left, bottom right."""
    fine = _FINE if radius <= 64 else 2
    size = 2 * radius * fine
    quarter = Image.new("L", (radius * fine, radius * fine))
    ImageDraw.Draw(quarter).ellipse((0, 0, size - 1, size - 1), fill=255)
    first = quarter.reduce(fine)
    flipped = first.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    below = (first.transpose(Image.Transpose.FLIP_TOP_BOTTOM), flipped.transpose(Image.Transpose.FLIP_TOP_BOTTOM))
    return first, flipped, *below


@lru_cache(maxsize=256)
def _icon(name: str, size: int) -> Stamp:
    zoom = size * _FINE / GRID
    mask = Image.new("L", (size * _FINE, size * _FINE))
    pen = ImageDraw.Draw(mask)
    # Thinner than one pixel would be grey.
    half = max(WIDTH * zoom, _FINE * 1.3) / 2
    for stroke in ICONS[name]:
        points = [(x * zoom, y * zoom) for x, y in stroke]
        pen.line(points, fill=255, width=round(2 * half))
        for x, y in points:
            pen.ellipse((x - half, y - half, x + half, y + half), fill=255)
    return Stamp(mask.reduce(_FINE), 0, 0)


@lru_cache(maxsize=1024)
def stamp(text: str, face: Face) -> Stamp:
    """A line of text as a mask, with the pen at the left end of its baseline."""
    margin, above, below = 2, ceil(face.size * 1.2) + 2, ceil(face.size * 0.45) + 2
    width = ceil(length(text, face)) + 2 * margin
    mask = Image.new("L", (width * ZOOM, (above + below) * ZOOM))
    pen = ImageDraw.Draw(mask)
    x = float(margin)
    for run in runs(text):
        letters = font(run.source, face.size * run.source.scale * ZOOM)
        stroke = face.size * ZOOM * _BOLD if face.bold else 0
        pen.text((x * ZOOM, above * ZOOM), run.text, font=letters, fill=255, anchor="ls", stroke_width=stroke)
        x += letters.getlength(run.text) / ZOOM
    made = mask.reduce(ZOOM).point(_GAMMA)
    box = made.getbbox() or (0, 0, 1, 1)  # without the empty edges there is less to paste
    return Stamp(made.crop(box), box[0] - margin, box[1] - above)
