"""A picture as SVG: boxes, arrows between them and words. It follows the reader's light or dark, and loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import hypot
from typing import NamedTuple

ROLES = {  # as in orchestrator/views/page/static/style.css: a role has one colour everywhere
    "controller": ("#5b6472", "#97a1b1"),
    "manager": ("#7a45c2", "#b58cf0"),
    "operator": ("#1d6fd1", "#6aa8f5"),
    "technician": ("#0b7d75", "#4cc4b9"),
    "analyst": ("#a3650a", "#e0a34a"),
    "evaluator": ("#16794a", "#5cc78c"),
    "user": ("#c2366b", "#f07ba6"),
    "bad": ("#b3261e", "#ff8f86"),
    "way": ("#1d57c4", "#86b3ff"),
    "plain": ("#8a93a3", "#78818f"),
}
_STYLE = """
svg { --card: #fbfcfe; --box: #fff; --line: #c9cfda; --ink: #1a1f29; --muted: #525b6b; %s }
@media (prefers-color-scheme: dark) {
  svg { --card: #191d24; --box: #242a34; --line: #3a4250; --ink: #e7eaf0; --muted: #a6afbe; %s }
}
.card { fill: var(--card); stroke: var(--line); }
.box { fill: var(--box); stroke-width: 1.5; } .group { fill: none; stroke: var(--line); stroke-dasharray: 5 4; }
text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--ink); }
.head { font-weight: 650; } .small { font-size: 13px; fill: var(--muted); } .small.bad { fill: var(--bad); }
.code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
.edge { fill: none; stroke-width: 1.6; } .dashed { stroke-dasharray: 5 4; }
.label { fill: var(--muted); paint-order: stroke; stroke: var(--card); stroke-width: 6px; }
.label.code { font-size: 12px; stroke: none; }
"""


WIDE = {"head": 8.6, "head code": 8.0, "small": 6.8}
"""Pixels of a letter in the widest of the fonts."""


class Box(NamedTuple):
    """A rectangle that arrows begin and end at."""

    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.w / 2, self.y + self.h / 2

    def border(self, toward: tuple[float, float], by: tuple[float, float] = (0.0, 0.0), gap: float = 3.0) -> tuple[float, float]:
        """Where the line from the middle, moved aside, leaves the box on its way to a point."""
        (x, y), (to_x, to_y) = self.middle, toward
        x, y = x + by[0], y + by[1]
        dx, dy = to_x - x, to_y - y
        reach = [
            ((self.x + self.w if dx > 0 else self.x) - x) / dx if dx else float("inf"),
            ((self.y + self.h if dy > 0 else self.y) - y) / dy if dy else float("inf"),
        ]
        share = min(1.0, min(part for part in reach if part >= 0) + gap / (hypot(dx, dy) or 1))
        return x + dx * share, y + dy * share


class Drawing:
    """Collects what is drawn; `svg` gives the file. `says` is read aloud in the place of the picture."""

    def __init__(self, width: int, height: int, title: str, says: str) -> None:
        self.width, self.height, self.title, self.says = width, height, title, says
        self._under: list[str] = []
        self._over: list[str] = []

    def box(self, x: float, y: float, w: float, h: float, lines: Sequence[str], role: str = "plain", code: bool = False) -> Box:
        """A box with its name, and under it what it does."""
        self._over.append(f'<rect class="box" x="{x}" y="{y}" width="{w}" height="{h}" rx="9" stroke="var(--{role})"/>')
        self._over.append(f'<rect x="{x}" y="{y + 9}" width="4" height="{h - 18}" rx="2" fill="var(--{role})"/>')
        top = y + h / 2 - (len(lines) - 1) * 9 + 5
        for number, line in enumerate(lines):
            kind = ("head code" if code else "head") if number == 0 else "small"
            if len(line) * WIDE[kind] > w - 10:
                raise ValueError(f"{line!r} has no room in a box {w} wide")
            self.words(x + w / 2, top + number * 18, line, kind)
        return Box(x, y, w, h)

    def diamond(self, middle: tuple[float, float], role: str, half: float = 12) -> Box:
        (x, y), h = middle, half
        self._over.append(f'<path class="box" d="M{_n(x)} {_n(y - h)}l{h} {h}l{-h} {h}l{-h} {-h}z" stroke="var(--{role})"/>')
        return Box(x - h + 1, y - h + 1, 2 * h - 2, 2 * h - 2)

    def group(self, x: float, y: float, w: float, h: float, title: str) -> None:
        self._under.append(f'<rect class="group" x="{x}" y="{y}" width="{w}" height="{h}" rx="12"/>')
        self.words(x + 12, y + 19, title, "small", "start")

    def words(self, x: float, y: float, text: str, kind: str = "small", anchor: str = "middle") -> None:
        self._over.append(f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(text)}</text>')

    def arrow(
        self, start: Box, end: Box, label: str = "", role: str = "plain", aside: float = 0, dashed: bool = False, at: float = 0.5
    ) -> None:
        """A straight arrow between two boxes. `aside` moves it to its right, so that two ways are two arrows."""
        (x1, y1), (x2, y2) = start.middle, end.middle
        far = hypot(x2 - x1, y2 - y1) or 1
        by = (-(y2 - y1) / far * aside, (x2 - x1) / far * aside)
        begin, stop = start.border((x2 + by[0], y2 + by[1]), by), end.border((x1 + by[0], y1 + by[1]), by, gap=6)
        self.path([begin, stop], role, dashed)
        if label:
            x, y = begin[0] + (stop[0] - begin[0]) * at, begin[1] + (stop[1] - begin[1]) * at
            wide = len(label) * 7.3 + 6
            self._over.append(f'<rect x="{_n(x - wide / 2)}" y="{_n(y - 8)}" width="{_n(wide)}" height="16" fill="var(--card)"/>')
            self.words(x, y + 4, label, "label code")

    def path(self, points: Iterable[tuple[float, float]], role: str = "plain", dashed: bool = False) -> None:
        """A line through points, with round corners and a point at its end."""
        spots = list(points)
        way = [f"M{_n(spots[0][0])} {_n(spots[0][1])}"]
        for before, corner, after in zip(spots, spots[1:], spots[2:], strict=False):
            a, b = _near(corner, before), _near(corner, after)
            way.append(f"L{_n(a[0])} {_n(a[1])}Q{_n(corner[0])} {_n(corner[1])} {_n(b[0])} {_n(b[1])}")
        way.append(f"L{_n(spots[-1][0])} {_n(spots[-1][1])}")
        kind = "edge dashed" if dashed else "edge"
        self._under.append(f'<path class="{kind}" d="{"".join(way)}" stroke="var(--{role})" marker-end="url(#to-{role})"/>')

    def svg(self) -> str:
        light = " ".join(f"--{name}: {pair[0]};" for name, pair in ROLES.items())
        dark = " ".join(f"--{name}: {pair[1]};" for name, pair in ROLES.items())
        heads = "".join(
            f'<marker id="to-{name}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L10 5L0 10z" fill="var(--{name})"/></marker>'
            for name in ROLES
        )
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" aria-labelledby="t d">',
            f'<title id="t">{escape(self.title)}</title><desc id="d">{escape(self.says)}</desc>',
            f"<style>{_STYLE % (light, dark)}</style><defs>{heads}</defs>",
            f'<rect class="card" x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="14"/>',
            *self._under,
            *self._over,
            "</svg>",
            "",
        ])  # fmt: skip


def _near(corner: tuple[float, float], other: tuple[float, float], by: float = 10) -> tuple[float, float]:
    far = hypot(other[0] - corner[0], other[1] - corner[1]) or 1
    share = min(0.5, by / far)
    return corner[0] + (other[0] - corner[0]) * share, corner[1] + (other[1] - corner[1]) * share


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
