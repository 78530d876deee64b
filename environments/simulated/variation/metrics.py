"""The measures of a layout: how wide a character is, how tall each kind of control, and how many columns a form has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from environments.simulated.variation.axes import Variation


class Metrics(NamedTuple):
    """All in pixels. A role without a height of its own is text, which takes as many lines as it needs."""

    char: int = 8
    line: int = 24
    gap: int = 8
    height: Mapping[str, int] = MappingProxyType({
        "heading": 36, "button": 32, "link": 28, "textbox": 36, "combobox": 36, "checkbox": 28, "tab": 32, "cell": 28,
        "columnheader": 28, "alert": 26, "status": 28, "progress": 40, "img": 84, "spinbutton": 36, "slider": 36, "switch": 28,
        "treeitem": 28, "menuitem": 30, "option": 30, "gridcell": 30, "generic": 30,
    })  # fmt: skip
    width: Mapping[str, int] = MappingProxyType(
        {"textbox": 320, "img": 320, "combobox": 240, "spinbutton": 160, "slider": 280, "option": 320}
    )
    """Of roles that do not grow with their text."""
    multiline: int = 132
    """Height of a field of several lines."""
    multiline_width: int = 640
    columns: int = 1
    """Fields that stand side by side in a form."""
    mirrored: bool = False
    """Everything at the other side: what stands left in the usual layout stands right."""


USUAL = Metrics()
_DENSITY: dict[Literal["usual", "compact", "roomy"], tuple[int, int, float]] = {
    "usual": (8, 8, 1.0),
    "compact": (7, 4, 0.8),
    "roomy": (9, 14, 1.3),
}
"""Width of a character, gap, and how much taller or lower everything is."""
_LEAST = dict.fromkeys(("textbox", "combobox", "spinbutton"), 36)
"""A field holds its label and its value, one above the other, in whatever density."""
_WIDE = 2


@lru_cache(maxsize=64)
def metrics_for(variation: Variation) -> Metrics:
    """The measures that a variation's density and layout mean; the very same object for the same variation."""
    char, gap, scale = _DENSITY[variation.density]
    return Metrics(
        char=char,
        line=_even(USUAL.line * scale),
        gap=gap,
        height=MappingProxyType({role: max(_LEAST.get(role, 0), _even(height * scale)) for role, height in USUAL.height.items()}),
        width=MappingProxyType({role: width * char // USUAL.char for role, width in USUAL.width.items()}),
        multiline=_even(USUAL.multiline * scale),
        multiline_width=USUAL.multiline_width * char // USUAL.char,
        columns=_WIDE if variation.layout == "wide" else 1,
        mirrored=variation.layout == "mirrored",
    )


def _even(pixels: float) -> int:
    """Even numbers have a middle, on which text and icons stand."""
    return 2 * round(pixels / 2)
