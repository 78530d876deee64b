"""Icons as strokes on a grid of 24 by 24, so that every backend draws the same lines."""

from __future__ import annotations

from math import cos, pi, sin

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


def _ring(x: float, y: float, radius: float) -> Stroke:
    return _arc(x, y, radius, 0, 360)


def _round(x1: float, y1: float, x2: float, y2: float, r: float) -> Stroke:
    """A rectangle with round corners."""
    corners = ((x2 - r, y1 + r, 270), (x2 - r, y2 - r, 0), (x1 + r, y2 - r, 90), (x1 + r, y1 + r, 180))
    points = tuple(point for x, y, start in corners for point in _arc(x, y, r, start, start + 90))
    return (*points, points[0])


ICONS: dict[str, tuple[Stroke, ...]] = {
    "search": (_ring(10.5, 10.5, 6.5), ((15.4, 15.4), (20.5, 20.5))),
    "trash": (
        ((4, 6.5), (20, 6.5)),
        ((9, 6.5), (9.5, 3.5), (14.5, 3.5), (15, 6.5)),
        ((6, 6.5), (7, 20.5), (17, 20.5), (18, 6.5)),
    ),
    "plus": (((12, 5), (12, 19)), ((5, 12), (19, 12))),
    "pencil": (((4, 20), (5, 15.5), (16.5, 4), (20, 7.5), (8.5, 19), (4, 20)),),
    "dots": (_ring(5.5, 12, 1.2), _ring(12, 12, 1.2), _ring(18.5, 12, 1.2)),
    "check": (((4.5, 12.5), (9.5, 17.5), (19.5, 7)),),
    "chevron": (((6, 9.5), (12, 15.5), (18, 9.5)),),
    "chevron-up": (((6, 14.5), (12, 8.5), (18, 14.5)),),
    "chevron-right": (((9.5, 6), (15.5, 12), (9.5, 18)),),
    "chevron-left": (((14.5, 6), (8.5, 12), (14.5, 18)),),
    "calendar": (_round(3, 5, 21, 21, 2), ((3, 10), (21, 10)), ((8, 2.5), (8, 7)), ((16, 2.5), (16, 7))),
    "warning": (_ring(12, 12, 9.5), ((12, 7), (12, 12.8)), ((12, 16.6), (12, 16.7))),
    "done": (_ring(12, 12, 9.5), ((7.8, 12.4), (10.8, 15.4), (16.4, 9.2))),
    "billing": (
        ((5, 3), (5, 21), (8.5, 19), (12, 21), (15.5, 19), (19, 21), (19, 3), (5, 3)),
        ((9, 8), (15, 8)),
        ((9, 12.5), (15, 12.5)),
    ),
    "reimbursement": (_round(2.5, 6, 21.5, 18, 2), _ring(12, 12, 2.8), ((6, 12), (6.1, 12)), ((17.9, 12), (18, 12))),
    "mail": (_round(2.5, 5, 21.5, 19, 2), ((3.2, 7), (12, 13.2), (20.8, 7))),
    "notes": (
        ((14, 21), (5, 21), (4, 20), (4, 4), (5, 3), (19, 3), (20, 4), (20, 15), (14, 21), (14, 15), (20, 15)),
        ((8, 8), (16, 8)),
        ((8, 12), (13, 12)),
    ),
    "files": (
        ((2.5, 18), (2.5, 5.5), (3.5, 4.5), (9, 4.5), (11.5, 7.5), (20.5, 7.5), (21.5, 8.5), (21.5, 18), (20.5, 19.5),
         (3.5, 19.5), (2.5, 18)),
    ),
    "settings": (
        ((3, 6), (12, 6)), _ring(15, 6, 2.6), ((18, 6), (21, 6)), ((3, 12), (6, 12)), _ring(8.8, 12, 2.6), ((11.8, 12), (21, 12)),
        ((3, 18), (12, 18)), _ring(15, 18, 2.6), ((18, 18), (21, 18)),
    ),
    "browser": (_ring(12, 12, 9.5), ((2.5, 12), (21.5, 12)), _arc(4, 12, 12.4, -50, 50), _arc(20, 12, 12.4, 130, 230)),
    "home": (((3, 11.5), (12, 3.5), (21, 11.5)), ((5.5, 9.5), (5.5, 20.5), (18.5, 20.5), (18.5, 9.5)),
             ((10, 20.5), (10, 14), (14, 14), (14, 20.5))),
    "camera": (_round(2.5, 7, 21.5, 19.5, 2), _ring(12, 13, 3.6), ((8, 7), (9.5, 4.5), (14.5, 4.5), (16, 7))),
    "microphone": (_round(9, 3, 15, 14, 3), _arc(12, 11, 6.5, 0, 180), ((12, 17.5), (12, 21)), ((8.5, 21), (15.5, 21))),
    "picture": (_round(3, 4.5, 21, 19.5, 2), _ring(8.5, 9.5, 1.6),
                ((3.5, 17.5), (9.5, 12.5), (13, 15.5), (16, 12.5), (20.5, 17))),
    "app": (_round(3.5, 3.5, 20.5, 20.5, 3.5), ((3.5, 9), (20.5, 9))),
}  # fmt: skip


def icon_of(app: str | None) -> str:
    """The icon of an app; a new app has a plain window until it gets one."""
    return app if app in ICONS else "app"
