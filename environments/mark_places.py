"""Where the labels of marks stand: beside what they would hide, never on each other, never outside of the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from environments.pillow import Image, ImageFilter

Pixels = Image.Image
Box = tuple[int, int, int, int]
_MISTAKEN = 60.0
"""What it costs to lie on another thing, where a label might be taken for that one's; ink costs up to 255."""
_RINGS = 10
"""How far from its box a label may go when all around is taken."""


class Wanted(NamedTuple):
    """A label for a box, with the width and height that it needs."""

    box: Box
    room: tuple[int, int]


def places(wanted: Iterable[Wanted], things: Iterable[Box], picture: Pixels) -> Iterator[Box | None]:
    """Where each label stands, in order, or None where all is taken. `things` are what one may be mistaken to belong to."""
    ink = _ink(picture)
    labels, others = _Tiles(), _Tiles()
    for thing in things:
        others.add(thing)
    for box, room in wanted:
        spot = _best(box, room, ink, labels, others)
        if spot is not None:
            labels.add(spot)
        yield spot


class _Place(NamedTuple):
    """Where a label might stand, and what that costs compared with the best place."""

    spot: Box
    cost: float


def _best(box: Box, room: tuple[int, int], ink: Pixels, labels: _Tiles, things: _Tiles) -> Box | None:
    def cost(place: _Place) -> float:
        mistaken = any(not _holds(other, box) for other in things.under(place.spot) if other != box)
        return place.cost + _MISTAKEN * mistaken + mean(ink, place.spot)

    free = [place for place in _around_box(box, room) if _inside(place.spot, ink.size) and not labels.any_under(place.spot)]
    if free:
        return min(free, key=cost).spot
    return next((spot for spot in _anywhere(box, room, ink.size) if not labels.any_under(spot)), None)


def _around_box(box: Box, room: tuple[int, int]) -> Iterator[_Place]:
    """On the upper corners, beside the box, above it, inside of it; below it only if need be: there the next line begins."""
    (x1, y1, x2, y2), (w, h) = box, room
    left, right, middle = x1 - 4, x2 - w + 4, (y1 + y2 - h) // 2
    for x, y, cost in (
        (left, y1 - h // 2, 0), (x1 - w - 1, middle, 6), (right, y1 - h // 2, 6), (x2 + 1, middle, 8), (x1, y1 - h, 12),
        (x2 - w, y1 - h, 14), (x2 - w - 1, middle, 16), (x2 - w - 1, y1 + 1, 18), (x1 + 1, y1 + 1, 20),
        (max(0, x1), max(0, y1), 22), (right, y2 - h // 2, 70), (left, y2 - h // 2, 72), (x1, y2, 80), (x2 - w, y2, 82),
    ):  # fmt: skip
        yield _Place((x, y, x + w, y + h), cost)


def _anywhere(box: Box, room: tuple[int, int], size: tuple[int, int]) -> Iterator[Box]:
    """Further and further away, where every corner is taken."""
    w, h = room
    for ring in range(1, _RINGS):
        for dy in range(-ring, ring + 1):
            for dx in (-ring, ring) if abs(dy) < ring else range(-ring, ring + 1):
                x, y = box[0] + dx * (w + 2) // 2, box[1] + dy * (h + 2) // 2
                spot = (x, y, x + w, y + h)
                if _inside(spot, size):
                    yield spot


def _inside(spot: Box, size: tuple[int, int]) -> bool:
    return spot[0] >= 0 and spot[1] >= 0 and spot[2] <= size[0] and spot[3] <= size[1]


def _ink(image: Pixels) -> Pixels:
    """What can be read: edges. The outermost pixels have none, which the filter leaves as they were."""
    edges = Image.new("L", image.size)
    if min(image.size) > 2:
        inner = (1, 1, image.width - 1, image.height - 1)
        edges.paste(image.convert("L").filter(ImageFilter.FIND_EDGES).crop(inner), inner)
    return edges


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def mean(grey: Pixels, box: Box) -> float:
    """How bright a part of a grey picture is; of its edges: how much of what can be read lies there."""
    mean = grey.resize((1, 1), Image.Resampling.BOX, box=box).getpixel((0, 0))
    return float(mean) if isinstance(mean, int | float) else 0.0


class _Tiles:
    """Boxes that can be looked up by where they are."""

    SIDE = 64

    def __init__(self) -> None:
        self.tiles: dict[tuple[int, int], list[Box]] = {}

    def add(self, box: Box) -> None:
        for tile in self._over(box):
            self.tiles.setdefault(tile, []).append(box)

    def under(self, box: Box) -> Iterator[Box]:
        """The boxes that share a pixel with this one."""
        x1, y1, x2, y2 = box
        for tile in self._over(box):
            for other in self.tiles.get(tile, ()):
                if x1 < other[2] and other[0] < x2 and y1 < other[3] and other[1] < y2:
                    yield other

    def any_under(self, box: Box) -> bool:
        return next(self.under(box), None) is not None

    def _over(self, box: Box) -> Iterator[tuple[int, int]]:
        for across in range(box[0] // self.SIDE, box[2] // self.SIDE + 1):
            for down in range(box[1] // self.SIDE, box[3] // self.SIDE + 1):
                yield across, down
