"""How far a scroll goes in another unit. Everybody's wheel is different; these are the figures that are declared."""

from __future__ import annotations

from math import floor

from protocol.geometry import Size

NOTCH = 120
"""Pixels of one notch of the wheel, as Chromium has it."""


def pixels_in(unit: str, size: Size) -> tuple[int, int]:
    """Pixels across and down of one `px`, `notch` or `page`; a page is as large as the screen."""
    return {"px": (1, 1), "notch": (NOTCH, NOTCH), "page": size}[unit]


def whole(number: float) -> int:
    """The nearest whole number, and at least one where there is something."""
    size = floor(abs(number) + 0.5)
    return (max(size, 1) if number else 0) * (1 if number >= 0 else -1)
