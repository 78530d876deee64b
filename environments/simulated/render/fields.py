"""Fields: a name, a value, and in the one that has the focus the caret and the selection."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from environments.simulated.input.editing import Line
from environments.simulated.render.fonts import Face, right_to_left
from environments.simulated.render.shapes import Box, Fill, Icon, Shape, framed
from environments.simulated.render.spot import BODY, RADIUS, Spot, at
from environments.simulated.render.text import cut, fitting, length, lines, measure, most, printable

NAME = Face(11)
PAD = 10
_LINE = 18
_ARROW = 16
_DOTS = "•" * 8
"""Stands for any private value: not even its length is told."""
_FAR = 4000
"""No field shows more characters than this on either side of the caret."""


class Value(NamedTuple):
    """What a field shows. `caret` and `marks` count characters of `text`; without the focus there is no caret."""

    text: str
    caret: int | None = None
    marks: tuple[int, int] = (0, 0)


def textbox(spot: Spot) -> Iterator[Shape]:
    yield from _frame(spot)
    x1, y1, x2, y2 = spot.box
    inner = (x1 + PAD, y1 + 18, x2 - PAD, y2 - 5)
    value = value_of(spot)
    if not value.text:
        hint = printable(spot.element.placeholder or "")
        yield at(inner[0], inner[1] + 11, hint, BODY, spot.theme.hint, inner[2] - inner[0])
    yield from _several(spot, value, inner) if spot.widget.multiline else _one(spot, value, inner)


def combobox(spot: Spot) -> Iterator[Shape]:
    yield from _frame(spot)
    x1, y1, x2, _ = spot.box
    theme, value = spot.theme, _flat(_told(spot))
    ink = spot.colour if value or not spot.element.enabled else theme.hint
    yield at(x1 + PAD, y1 + 29, value or printable(spot.element.placeholder or ""), BODY, ink, x2 - x1 - 2 * PAD - _ARROW)
    yield Icon(
        "chevron", x2 - PAD - _ARROW + 2, spot.middle - _ARROW // 2, _ARROW, theme.muted if spot.element.enabled else theme.faint
    )


def spinbutton(spot: Spot) -> Iterator[Shape]:
    """A number, with an arrow up and one down at its right edge."""
    yield from _frame(spot)
    x1, y1, x2, y2 = spot.box
    yield from _one(spot, value_of(spot), (x1 + PAD, y1 + 18, x2 - PAD - _ARROW, y2 - 5))
    ink = spot.theme.muted if spot.element.enabled else spot.theme.faint
    yield Icon("chevron-up", x2 - PAD - 10, spot.middle - 13, 12, ink)
    yield Icon("chevron", x2 - PAD - 10, spot.middle + 1, 12, ink)


def _frame(spot: Spot) -> Iterator[Shape]:
    """The border, and the name in small letters at the top."""
    element, theme = spot.element, spot.theme
    x1, y1, x2, _ = spot.box
    border = (
        theme.danger
        if element.invalid
        else theme.accent
        if element.focused
        else theme.control
        if element.enabled
        else theme.border
    )
    yield from framed(
        spot.box, theme.surface if element.enabled else theme.page, border, RADIUS, 2 if element.focused or element.invalid else 1
    )
    ink = theme.danger if element.invalid else theme.accent if element.focused else theme.muted
    star = 8 if element.required else 0
    name = at(x1 + PAD, y1 + 14, spot.text, NAME, ink if element.enabled else theme.faint, x2 - x1 - 2 * PAD - star)
    yield name
    if star:
        yield at(round(name.x + name.width) + 3, name.y + 2, "*", BODY, theme.danger, star)


def _told(spot: Spot) -> str:
    """The value as anybody may see it."""
    value = spot.element.value or ""
    return _DOTS if spot.element.private and value else value


def _flat(text: str) -> str:
    return " ".join(printable(text).split("\n"))


def value_of(spot: Spot) -> Value:
    """What the field shows of its value, around the caret where there is one."""
    shown = printable if spot.widget.multiline else _flat
    told = _told(spot)
    if spot.edit is None:
        return Value(shown(told[:_FAR]))
    if spot.element.private:
        whole = Line(spot.element.value or "", spot.edit.caret, spot.edit.anchor).selected
        return Value(told, len(told), (0, len(told)) if whole else (0, 0))
    caret = min(max(0, spot.edit.caret), len(told))
    first, last = max(0, caret - _FAR), caret + _FAR
    start, end = (max(first, place) for place in spot.edit.span)
    marks = len(shown(told[first:start])), len(shown(told[first:end]))
    return Value(shown(told[first:last]), len(shown(told[first:caret])), marks)


def _one(spot: Spot, value: Value, inner: Box) -> Iterator[Shape]:
    """One line, moved along so that the caret can be seen."""
    left, top, right, _ = inner
    room = right - left
    if value.caret is None:
        shown = cut(value.text, BODY, room)
        x = right - ceil(measure(shown, BODY)) if right_to_left(shown) else left
        yield at(x, top + 11, shown, BODY, spot.colour, room)
        return
    head = value.text[: value.caret]
    first = len(head) - most(len(head), lambda count: length(head[len(head) - count :], BODY) <= room - 2)
    shown = value.text[first:]
    shown = shown[: fitting(shown[: room + 1], BODY, room)]
    yield from _written(spot, shown, first, value, (left, top, right))


def _several(spot: Spot, value: Value, inner: Box) -> Iterator[Shape]:
    """Lines, moved up so that the caret can be seen, with a bar at the side when there are more."""
    left, top, right, bottom = inner
    spans = lines(value.text, BODY, right - left - 6)
    rows = max(1, (bottom - top) // _LINE)
    here = 0 if value.caret is None else max(n for n, span in enumerate(spans) if span.start <= value.caret or not n)
    first = max(0, here - rows + 1)
    for number, span in enumerate(spans[first : first + rows]):
        text = value.text[span.start : span.end]
        caret = value.caret if first + number == here else None
        yield from _written(spot, text, span.start, value._replace(caret=caret), (left, top + number * _LINE, right))
    if len(spans) > rows:
        high = bottom - top
        at_top = top + high * first // len(spans)
        yield Fill((right + 2, at_top, right + 5, at_top + max(12, high * rows // len(spans))), spot.theme.control, 1)


def _written(spot: Spot, text: str, first: int, value: Value, place: tuple[int, int, int]) -> Iterator[Shape]:
    """A line of the value, whose characters are numbered from `first`, with what is selected and the caret."""
    left, top, right = place
    backwards = right_to_left(text)
    width = length(text, BODY)
    x = right - ceil(width) if backwards else left

    def edge(number: int) -> int:
        """Where a character begins."""
        along = length(text[: min(max(0, number - first), len(text))], BODY)
        return min(right, x + round(width - along if backwards else along))

    start, end = sorted((edge(value.marks[0]), edge(value.marks[1])))
    if value.marks[0] < value.marks[1] and start < end:
        yield Fill((start, top - 2, end, top + 16), spot.theme.selection)
    yield at(x, top + 11, text.rstrip(), BODY, spot.colour, right - x)
    if value.caret is not None:
        yield Fill((edge(value.caret), top - 2, edge(value.caret) + 2, top + 16), spot.theme.accent)
