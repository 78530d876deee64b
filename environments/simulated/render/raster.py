"""A picture as PNG, through Pillow: everything is either a filled box or a cached mask that is filled with a colour."""

from __future__ import annotations

import io
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from environments.pillow import Image, ImageDraw
from environments.simulated.render.fonts import Face, font, runs
from environments.simulated.render.icons import GRID, ICONS, WIDTH
from environments.simulated.render.shapes import Box, Fill, Label, Picture, Shape, common
from environments.simulated.render.text import PICTURE, ZOOM, length

COMPRESSION = 1
"""Of the PNG: a higher level takes half as long again for a few per cent."""
_FINE = 8
_GAMMA = [round(255 * (level / 255) ** 0.8) for level in range(256)]
"""Thin strokes come out as dark as they are meant."""
_BOLD = 0.02
"""Stroke of bold text, in sizes of the text."""

Pixels = Image.Image


class Stamp(NamedTuple):
    """A mask to be filled with a colour, and what has colours of its own; `left` and `top` are seen from the pen."""

    mask: Pixels
    coloured: Pixels | None
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
        if alpha == 255 and not shape.radius:
            self.image.paste(colour, box)
        elif alpha == 255 and min(shape.box[2] - shape.box[0], shape.box[3] - shape.box[1]) >= 2 * shape.radius:
            self._rounded(shape, colour)
        else:
            x1, y1, x2, y2 = shape.box
            self._stamp(Stamp(_mask(x2 - x1, y2 - y1, shape.radius, alpha), None, 0, 0), x1, y1, shape.colour[:7])

    def _rounded(self, shape: Fill, colour: tuple[int, int, int]) -> None:
        """Boxes and four corners: much less to mix than the whole."""
        (x1, y1, x2, y2), r = shape.box, shape.radius
        for box in ((x1 + r, y1, x2 - r, y2), (x1, y1 + r, x1 + r, y2 - r), (x2 - r, y1 + r, x2, y2 - r)):
            if inner := common(box, self.clip):
                self.image.paste(colour, inner)
        for corner, (x, y) in zip(_corners(r), ((x1, y1), (x2 - r, y1), (x1, y2 - r), (x2 - r, y2 - r)), strict=True):
            self._stamp(Stamp(corner, None, 0, 0), x, y, shape.colour)

    def _stamp(self, stamp: Stamp, x: int, y: int, colour: str) -> None:
        ink, alpha = _ink(colour)
        x, y = x + stamp.left, y + stamp.top
        box = common((x, y, x + stamp.mask.width, y + stamp.mask.height), self.clip)
        if box is None:
            return
        inner = (box[0] - x, box[1] - y, box[2] - x, box[3] - y)
        whole = inner == (0, 0, *stamp.mask.size)
        mask = stamp.mask if whole else stamp.mask.crop(inner)
        self.image.paste(ink, box, mask if alpha == 255 else mask.point([level * alpha // 255 for level in range(256)]))
        if stamp.coloured:
            own = stamp.coloured if whole else stamp.coloured.crop(inner)
            self.image.paste(own, box, own)


@lru_cache(maxsize=256)
def _ink(colour: str) -> tuple[tuple[int, int, int], int]:
    """The colour, and how much it covers."""
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
    return Stamp(mask.reduce(_FINE), None, 0, 0)


@lru_cache(maxsize=1024)
def stamp(text: str, face: Face) -> Stamp:
    """A line of text as a mask, with the pen at the left end of its baseline."""
    margin, above, below = 2, ceil(face.size * 1.2) + 2, ceil(face.size * 0.45) + 2
    width = ceil(length(text, face)) + 2 * margin
    mask = Image.new("L", (width * ZOOM, (above + below) * ZOOM))
    pen = ImageDraw.Draw(mask)
    coloured: Pixels | None = None
    x = float(margin)
    for run in runs(text):
        if run.source.colour:
            coloured = coloured or Image.new("RGBA", (width, above + below))
            for char in run.text:
                coloured.alpha_composite(_picture(char, face), (round(x), above - round(face.size * 0.95)))
                x += face.size * PICTURE
            continue
        letters = font(run.source, face.size * run.source.scale * ZOOM, run.shaped)
        stroke = face.size * ZOOM * _BOLD if face.bold else 0
        pen.text((x * ZOOM, above * ZOOM), run.text, font=letters, fill=255, anchor="ls", stroke_width=stroke)
        x += letters.getlength(run.text) / ZOOM
    return _trimmed(mask.reduce(ZOOM).point(_GAMMA), coloured, margin, above)


def _trimmed(mask: Pixels, coloured: Pixels | None, left: int, above: int) -> Stamp:
    """Without the empty edges, so that there is less to paste."""
    boxes = [box for box in (mask.getbbox(), coloured.getbbox() if coloured else None) if box]
    if not boxes:
        return Stamp(mask.crop((0, 0, 1, 1)), None, 0, 0)
    box = min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)
    return Stamp(mask.crop(box), coloured.crop(box) if coloured else None, box[0] - left, box[1] - above)


@lru_cache(maxsize=1024)
def _picture(char: str, face: Face) -> Pixels:
    """A character that has its own colours, as large as the text around it."""
    letters = font(runs(char)[0].source, face.size)
    box = letters.getbbox(char, mode="RGBA", anchor="ls")
    wide, high = max(1, ceil(box[2] - box[0])), max(1, ceil(box[3] - box[1]))
    big = Image.new("RGBA", (wide, high))
    ImageDraw.Draw(big).text((-box[0], -box[1]), char, font=letters, anchor="ls", embedded_color=True)
    scale = min(face.size * (PICTURE - 0.05) / wide, face.size * 1.15 / high)
    return big.resize((max(1, round(wide * scale)), max(1, round(high * scale))), Image.Resampling.LANCZOS, reducing_gap=2.0)
