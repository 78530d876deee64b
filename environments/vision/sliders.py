"""Sliders: two strokes in one line with a knob between them, a name and a number above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from environments.vision.parts import Inked, Part
from environments.vision.pixels import Box

_KNOB = (6, 26)
_ABOVE = 34


def sliders_of(strokes: Sequence[Box], lines: Sequence[Inked]) -> tuple[list[Part], list[Inked]]:
    """The sliders, and the lines that belong to none of them."""
    found: list[Part] = []
    left = list(lines)
    for track in _tracks(strokes):
        level = [line for line in left if 0 < track.middle[1] - line.box.middle[1] <= _ABOVE]
        above = [line for line in level if track.x1 - 4 <= line.box.x1 < track.x2]
        names = [line for line in above if not line.text.strip("%").isdigit() and len(line.text) > 1]
        numbers = [line for line in above if line.text.strip("%").isdigit()]
        if not names:
            continue
        name = min(names, key=lambda line: line.box.x1)
        knob = [line for line in left if abs(line.box.middle[1] - track.middle[1]) <= 6 and len(line.text) <= 2]
        used = [name, *numbers, *knob]
        left = [line for line in left if line not in used]
        box = track.around(name.box)
        value = numbers[-1].text if numbers else None
        found.append(Part("slider", box, name.text, value=value, source="nearby", confidence=name.line.confidence))
    return found, left


def _tracks(strokes: Sequence[Box]) -> Iterator[Box]:
    for one in strokes:
        for other in strokes:
            gap = other.x1 - one.x2
            if _KNOB[0] <= gap <= _KNOB[1] and abs(one.y1 - other.y1) <= 1 and one.height >= 3 and one.height == other.height:
                yield one.around(other)
