"""Rectangles of a picture: what has an edge on all four sides is a frame, and nearly every control has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy.typing as npt

from environments.vision.pixels import Box, Colour, Pixels, cv2, most_common, np, part, ring_around

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
    far = np.abs(edge.astype(np.int16) - np.array(inside, dtype=np.int16)).max(axis=1)
    border = most_common(edge[far > 14]) if (far > 14).mean() > 0.3 else inside
    return Frame(box, inside, most_common(ring_around(pixels, box)), border, circle)
