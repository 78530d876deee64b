"""The measures of a layout: how wide a character is, how tall each kind of control, and how many columns a form has."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field

from environments.simulated.world.values import Model

_SIZE = re.compile(r"^\s*(\d{2,5})\s*[x×,]\s*(\d{2,5})\s*$")


def _size(value: Any) -> Any:
    """`1024x768` as the two numbers it means."""
    found = _SIZE.match(value) if isinstance(value, str) else None
    return (int(found.group(1)), int(found.group(2))) if found else value


def _large_enough(size: tuple[int, int]) -> tuple[int, int]:
    if size[0] < SMALLEST[0] or size[1] < SMALLEST[1]:
        raise ValueError(f"{size[0]}x{size[1]} is too small; use at least {SMALLEST[0]}x{SMALLEST[1]}")
    return size


SMALLEST = (320, 240)
Size = Annotated[tuple[int, int], BeforeValidator(_size), AfterValidator(_large_enough)]


class Variation(Model):
    """What of a world's looks and words may be otherwise. The tasks and the state of the apps stay the same."""

    theme: Literal["light", "dark", "contrast"] = "light"
    density: Literal["usual", "compact", "roomy"] = "usual"
    layout: Literal["column", "wide", "mirrored"] = "column"
    """One column; fields side by side; or everything at the other side, as where people read from the right."""
    order: Literal["usual", "reversed", "shuffled"] = "usual"
    """In which order a form has its fields, a bar its buttons and a table its columns."""
    labels: Literal["usual", "synonyms"] = "usual"
    language: Literal["en", "de", "zh"] = "en"
    names: Literal["usual", "near", "missing"] = "usual"
    """Whether a control has its name, only a label that stands near it, or none, as an icon has none."""
    content: int = Field(default=1, ge=1, le=1000)
    """How many times as much is generated as the world says."""
    screen: Size | None = None
    """Width and height instead of the world's own; `1024x768` in words."""
    seed: int | None = None
    """Draws the shuffled order, the synonyms and the missing names; the world's own seed where it is left out."""

    def drawn_from(self, seed: int) -> Self:
        """The same with its seed filled in."""
        return self if self.seed is not None else self.replace(seed=seed)

    def with_changes(self, other: "Variation") -> Self:
        """The same with every axis that the other one names."""
        return self.replace(**({name: getattr(other, name) for name in other.model_fields_set}))


class Metrics(NamedTuple):
    """All in pixels. A role without a height of its own is text, which takes as many lines as it needs."""

    char: int = 8
    line: int = 24
    gap: int = 8
    height: Mapping[str, int] = MappingProxyType({
        "heading": 36, "button": 32, "link": 28, "textbox": 36, "combobox": 36, "checkbox": 28, "tab": 32, "cell": 28,
        "columnheader": 28, "alert": 26, "status": 28, "progress": 40, "img": 84, "spinbutton": 36, "slider": 36, "switch": 28,
        "treeitem": 28, "menuitem": 30, "generic": 30,
    })  # fmt: skip
    width: Mapping[str, int] = MappingProxyType({"textbox": 320, "img": 320, "combobox": 240, "spinbutton": 160, "slider": 280})
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
