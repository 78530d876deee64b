"""Boxes of a picture, and what colours are in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy.typing as npt

from environments.contract import EnvironmentFault
from environments.pictures.set_of_mark import opened
from protocol import BoundingBox

try:
    import cv2
    import numpy as np
    from rapidocr import RapidOCR
except ModuleNotFoundError:
    raise EnvironmentFault("reading pictures needs OCR, which is not installed; type: pip install 'deskcrew[vision]'") from None


__all__ = ["RapidOCR", "cv2", "np"]


Pixels = npt.NDArray[np.uint8]
"""Rows of pixels of red, green and blue."""
INK = 40
"""How far a pixel's colour must be from the ground to belong to what is drawn on it."""
_STROKE, _SIDE = 0.7, 0.97
"""No stroke of a letter is as long, of a line's width or of its height: a line is drawn there, or the ground ends."""
_COLOURED = 60
"""How far the strongest channel must be from the weakest for a colour that is no grey."""


class Box(NamedTuple):
    """Pixels of the picture; `x2` and `y2` are outside."""

    x1: int
    y1: int
    x2: int
    y2: int

    @property
    def width(self) -> int:
        return self.x2 - self.x1

    @property
    def height(self) -> int:
        return self.y2 - self.y1

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2

    def within(self, other: Box) -> Box:
        """What both have."""
        return Box(max(self.x1, other.x1), max(self.y1, other.y1), min(self.x2, other.x2), min(self.y2, other.y2))

    def shared(self, other: Box) -> int:
        """How many pixels both have."""
        return self.within(other).area

    def likeness(self, other: Box) -> float:
        """What both have of what either has: 1 for the same box."""
        both = self.shared(other)
        return both / max(1, self.area + other.area - both)

    def holds(self, other: Box) -> bool:
        """Whether the middle of the other one lies in this one."""
        x, y = other.middle
        return self.x1 <= x < self.x2 and self.y1 <= y < self.y2

    def grown(self, by: int) -> Box:
        return Box(self.x1 - by, self.y1 - by, self.x2 + by, self.y2 + by)

    def moved(self, across: int, down: int) -> Box:
        return Box(self.x1 + across, self.y1 + down, self.x2 + across, self.y2 + down)

    def on(self, pixels: Pixels) -> Box:
        """As much of it as lies on the picture."""
        high, wide = pixels.shape[:2]
        return Box(min(max(0, self.x1), wide), min(max(0, self.y1), high), min(max(0, self.x2), wide), min(max(0, self.y2), high))

    def around(self, other: Box) -> Box:
        return Box(min(self.x1, other.x1), min(self.y1, other.y1), max(self.x2, other.x2), max(self.y2, other.y2))

    def protocol(self) -> BoundingBox:
        return BoundingBox(x1=self.x1, y1=self.y1, x2=self.x2, y2=self.y2)


class Colour(NamedTuple):
    """Red, green and blue, 0 to 255."""

    red: int
    green: int
    blue: int

    @property
    def light(self) -> float:
        return 0.299 * self.red + 0.587 * self.green + 0.114 * self.blue

    @property
    def coloured(self) -> bool:
        return max(self) - min(self) > _COLOURED

    @property
    def warns(self) -> bool:
        """Whether it is a red."""
        return self.coloured and self.red > 1.35 * max(self.green, self.blue)

    def far(self, other: Colour) -> int:
        return max(abs(one - two) for one, two in zip(self, other, strict=True))


class Boxed(Protocol):
    """What stands somewhere on a picture."""

    @property
    def box(self) -> Box: ...


B = TypeVar("B", bound=Boxed)


def in_rows(parts: Iterable[B], order: Callable[[B], Any], level: Callable[[list[B], B], bool]) -> list[list[B]]:
    """Parts in rows from the top, each row from the left; a part is `level` with a row or begins the next."""
    rows: list[list[B]] = []
    for one in sorted(parts, key=order):
        if rows and level(rows[-1], one):
            rows[-1].append(one)
        else:
            rows.append([one])
    return [sorted(row, key=lambda one: one.box.x1) for row in rows]


def around(parts: Iterable[Boxed]) -> Box:
    """The box around all of them."""
    return reduce(Box.around, (one.box for one in parts))


def pixels_of(png: bytes) -> Pixels:
    """The picture. Raises EnvironmentFault for bytes that are none."""
    return np.asarray(opened(png), dtype=np.uint8)


def far_from(pixels: Any, colour: Colour) -> Any:
    """How far each pixel is from a colour, by the channel that is farthest."""
    return np.abs(pixels.astype(np.int16) - np.array(colour, dtype=np.int16)).max(axis=-1)


def part(pixels: Pixels, box: Box) -> Pixels:
    inside = box.on(pixels)
    return pixels[inside.y1 : inside.y2, inside.x1 : inside.x2]


def most_common(pixels: Pixels) -> Colour:
    """The colour that most of them have, or nearly."""
    flat = pixels.reshape(-1, 3)
    if not len(flat):
        return Colour(0, 0, 0)
    coarse = (flat >> 3).astype(np.int32)
    keys = (coarse[:, 0] << 10) | (coarse[:, 1] << 5) | coarse[:, 2]
    values, counts = np.unique(keys, return_counts=True)
    return _colour(np.median(flat[keys == values[counts.argmax()]], axis=0))


def ground_of(pixels: Pixels, box: Box) -> Colour:
    """What a text is written on."""
    return most_common(part(pixels, box))


def ink_of(pixels: Pixels, box: Box, ground: Colour) -> Colour:
    """What it is written in: of its pixels those that are farthest from the ground."""
    flat = part(pixels, box).reshape(-1, 3)
    if not len(flat):
        return ground
    far = far_from(flat, ground)
    strongest = flat[far >= max(INK, np.quantile(far, 0.99) * 0.85)]
    return _colour(np.median(strongest, axis=0)) if len(strongest) else ground


def drawn_in(pixels: Pixels, box: Box, ground: Colour) -> Box | None:
    """The part of a box in which something is drawn on the ground; None where there is nothing."""
    inside = box.on(pixels)
    far = far_from(part(pixels, box), ground) > INK
    rows, columns = np.flatnonzero(far.any(axis=1)), np.flatnonzero(far.any(axis=0))
    if not len(rows):
        return None
    left, top = inside.x1 + int(columns[0]), inside.y1 + int(rows[0])
    return Box(left, top, inside.x1 + int(columns[-1]) + 1, inside.y1 + int(rows[-1]) + 1)


def written_in(pixels: Pixels, box: Box, ground: Colour) -> Box:
    """The ink of a line of text in a box that may reach over the edges of what the text stands in."""
    inside = box.on(pixels)
    far = far_from(part(pixels, box), ground) > INK
    if not far.size or not far.any():
        return inside
    top, bottom = _between(_longest(far) > _STROKE * far.shape[1])
    left, right = _between(far[top:bottom].mean(axis=0) > _SIDE)
    clear = Box(inside.x1 + left, inside.y1 + top, inside.x1 + right, inside.y1 + bottom)
    return drawn_in(pixels, clear, ground) or inside


def _longest(ink: Any) -> Any:
    """Of each row how many pixels of ink stand without a gap, at most."""
    run, most = np.zeros(len(ink), dtype=np.int32), np.zeros(len(ink), dtype=np.int32)
    for column in ink.T:
        run = (run + 1) * column
        most = np.maximum(most, run)
    return most


def _between(blocked: Any) -> tuple[int, int]:
    """The stretch around the middle in which nothing is blocked; all of it where the middle is."""
    middle = len(blocked) // 2
    before, behind = np.flatnonzero(blocked[:middle]), np.flatnonzero(blocked[middle:])
    start = int(before[-1]) + 1 if len(before) else 0
    end = middle + int(behind[0]) if len(behind) else len(blocked)
    return (start, end) if start < end else (0, len(blocked))


def ring_around(pixels: Pixels, box: Box) -> Pixels:
    """The pixels just outside of a box, in a row."""
    outer, inner = box.grown(3).on(pixels), box.grown(1).on(pixels)
    sides = (
        pixels[outer.y1 : inner.y1, outer.x1 : outer.x2], pixels[inner.y2 : outer.y2, outer.x1 : outer.x2],
        pixels[inner.y1 : inner.y2, outer.x1 : inner.x1], pixels[inner.y1 : inner.y2, inner.x2 : outer.x2],
    )  # fmt: skip
    return np.concatenate([side.reshape(-1, 3) for side in sides])


def _colour(values: Any) -> Colour:
    return Colour(*(round(float(value)) for value in values))


Mask = npt.NDArray[np.bool_]
_STEP = 5
"""A smaller difference between two pixels is no edge."""
_SMALLEST = 10
_STRAIGHT = 0.8
"""How much of a side must be edge; corners are round."""
_SAME = 0.82
_LINE = 3
"""How thick the line around a frame may be."""


class Frame(NamedTuple):
    """A rectangle with an edge around it."""

    box: Box
    inside: Colour
    outside: Colour
    border: Colour
    """The colour of the edge itself; that of the inside where it has no line."""
    round: bool = False

    @property
    def filled(self) -> bool:
        """Whether it is told from its ground by its colour alone, without a line around it."""
        return self.border.far(self.inside) < 14

    @property
    def stands_out(self) -> bool:
        return self.inside.far(self.outside) > 24


def frames_of(pixels: Pixels) -> list[Frame]:
    """Every frame, the largest first."""
    across, down = _steps(pixels)
    found: list[Frame] = []
    boxes: list[Box] = []
    for box, circle in sorted(_candidates(across | down), key=lambda pair: -pair[0].area):
        if any(_same(box, other) for other in boxes):
            continue
        if circle or _edged(box, across, down):
            boxes.append(box)
            found.append(_frame(pixels, box, circle))
    return found


def lines_of(pixels: Pixels, shortest: int = 24) -> list[Box]:
    """Horizontal strokes of up to four pixels: dividers, underlines, tracks."""
    _, down = _steps(pixels)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (shortest, 1))
    runs = cv2.morphologyEx(down.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    runs = cv2.morphologyEx(runs, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, (1, 5)))
    _, _, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    return [Box(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in stats[1:] if h <= 6]


def _steps(pixels: Pixels) -> tuple[Mask, Mask]:
    """Where a pixel differs from the one on its left, and from the one above."""
    values = pixels.astype(np.int16)
    across, down = np.zeros(pixels.shape[:2], dtype=np.bool_), np.zeros(pixels.shape[:2], dtype=np.bool_)
    across[:, 1:] = np.abs(values[:, 1:] - values[:, :-1]).max(axis=2) > _STEP
    down[1:] = np.abs(values[1:] - values[:-1]).max(axis=2) > _STEP
    return across, down


def _candidates(edges: Mask) -> Iterator[tuple[Box, bool]]:
    """Boxes around connected edges, and whether these are a circle."""
    high, wide = edges.shape
    contours, _ = cv2.findContours(edges.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    seen: set[tuple[int, int, int, int]] = set()
    for contour in contours:
        x, y, w, h = cv2.boundingRect(contour)
        if w < _SMALLEST or h < _SMALLEST or (w > 0.99 * wide and h > 0.99 * high) or (x, y, w, h) in seen:
            continue
        seen.add((x, y, w, h))
        box = Box(int(x), int(y), int(x + w) - 1, int(y + h) - 1)  # an edge counts to the pixel behind it
        filling = cv2.contourArea(cv2.convexHull(contour)) / (w * h)
        small = max(w, h) <= 24
        yield box, bool(small and abs(w - h) <= 2 and 0.68 < filling < 0.86 and _is_round(contour, w))


def _is_round(contour: Any, size: int) -> bool:
    """Whether every point is as far from the middle."""
    (x, y), radius = cv2.minEnclosingCircle(contour)
    far = np.hypot(contour[:, 0, 0] - x, contour[:, 0, 1] - y)
    return bool(size >= _SMALLEST and np.quantile(far, 0.1) > 0.78 * radius)


def _edged(box: Box, across: Mask, down: Mask) -> bool:
    """Whether all four sides are straight edges."""
    corner_x, corner_y = min(9, box.width // 3), min(9, box.height // 3)
    rows, columns = slice(box.y1 + corner_y, box.y2 - corner_y), slice(box.x1 + corner_x, box.x2 - corner_x)

    def straight(strip: Mask, axis: int) -> bool:
        return bool(strip.size and strip.any(axis=axis).mean() >= _STRAIGHT)

    return (
        straight(across[rows, max(0, box.x1 - 1) : box.x1 + 3], 1)
        and straight(across[rows, box.x2 - 2 : box.x2 + 2], 1)
        and straight(down[max(0, box.y1 - 1) : box.y1 + 3, columns], 0)
        and straight(down[box.y2 - 2 : box.y2 + 2, columns], 0)
    )


def _same(box: Box, other: Box) -> bool:
    """Whether both are the inner and the outer edge of one line."""
    return box.likeness(other) > _SAME or all(abs(one - two) <= _LINE for one, two in zip(box, other, strict=True))


def _frame(pixels: Pixels, box: Box, circle: bool) -> Frame:
    inner = Box(box.x1 + 3, box.y1 + 3, box.x2 - 3, box.y2 - 3)
    inside = most_common(part(pixels, inner))
    middle, half = box.y1 + box.height // 2, box.x1 + box.width // 2
    sides = (
        Box(box.x1, middle - 3, box.x1 + 2, middle + 3), Box(box.x2 - 2, middle - 3, box.x2, middle + 3),
        Box(half - 5, box.y1, half + 5, box.y1 + 2), Box(half - 5, box.y2 - 2, half + 5, box.y2),
    )  # fmt: skip
    edge = np.concatenate([part(pixels, side).reshape(-1, 3) for side in sides])
    far = far_from(edge, inside)
    border = most_common(edge[far > 14]) if (far > 14).mean() > 0.3 else inside
    return Frame(box, inside, most_common(ring_around(pixels, box)), border, circle)
