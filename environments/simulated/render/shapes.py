"""What a picture is made of: a flat list of shapes that any backend can draw."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from environments.files.yaml_lines import packaged
from environments.simulated.render.text import Face


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a desktop; each text colour is legible on what it is drawn on."""

    name: str
    wallpaper: str
    wallpaper_light: str
    """Lies over the wallpaper in large soft rounds."""
    bar: str
    """Title bar and task bar."""
    page: str
    surface: str
    """Fields, tables and dialogs."""
    stripe: str
    """Every second row of a table, and its header."""
    border: str
    control: str
    """The border of what can be used."""
    text: str
    muted: str
    hint: str
    """What stands in an empty field."""
    faint: str
    """What is disabled."""
    accent: str
    on_accent: str
    soft: str
    """A pale accent, behind what is chosen."""
    selection: str
    """Behind text that is selected."""
    danger: str
    danger_soft: str
    toast: str
    on_toast: str
    dim: str
    shade: str
    """One layer of a shadow."""


THEMES = {name: Theme(name=name, **colours) for name, colours in packaged("environments.simulated.render", "themes.yaml").items()}
LIGHT, DARK, CONTRAST = (THEMES[name] for name in ("light", "dark", "contrast"))


Box = tuple[int, int, int, int]
"""Left, top, right and bottom; the right and bottom edges lie outside."""


class Fill(NamedTuple):
    """A filled rectangle, with round corners where it has a `radius`. The colour is `#rrggbb` or `#rrggbbaa`."""

    box: Box
    colour: str
    radius: int = 0


class Label(NamedTuple):
    """One line of text that was measured to fit: `x` is its left edge, `y` its baseline."""

    x: int
    y: int
    text: str
    face: Face
    colour: str
    width: float


class Icon(NamedTuple):
    """A drawing of `icons.ICONS` in a square."""

    name: str
    x: int
    y: int
    size: int
    colour: str


Shape: TypeAlias = Fill | Label | Icon


class ShapeGroup(NamedTuple):
    """Shapes that belong together. Nothing is drawn outside `clip`; `owner` is an element id, or empty for the desktop's own."""

    shapes: tuple[Shape, ...]
    clip: Box
    owner: str = ""


class Picture(NamedTuple):
    """A whole screen, from the lowest part to the topmost."""

    size: tuple[int, int]
    parts: tuple[ShapeGroup, ...]


def grown(box: Box, by: int) -> Box:
    """The box with `by` pixels more on every side, or fewer."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def common(one: Box, other: Box) -> Box | None:
    """What two boxes share, or None."""
    box = max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
    return box if box[0] < box[2] and box[1] < box[3] else None


def framed(box: Box, fill: str, border: str, radius: int, width: int = 1) -> tuple[Fill, Fill]:
    """A rectangle with a border inside its edges."""
    return Fill(box, border, radius), Fill(grown(box, -width), fill, max(0, radius - width))


def shadow(box: Box, colour: str, radius: int, reach: int) -> tuple[Fill, ...]:
    """A soft shadow below a box, in layers that add up towards the middle."""
    x1, y1, x2, y2 = box
    return tuple(
        Fill((x1 - by, y1 - by + reach // 3, x2 + by, y2 + by + reach // 3), colour, radius + by) for by in range(reach, 0, -3)
    )
