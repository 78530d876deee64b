"""Colours: one accent on calm greys, for light and for dark rooms, and plain black, white and yellow for weak eyes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import yaml


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


_COLOURS = yaml.load((resources.files(__package__) / "themes.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
THEMES = {name: Theme(name=name, **colours) for name, colours in _COLOURS.items()}
LIGHT, DARK, CONTRAST = (THEMES[name] for name in ("light", "dark", "contrast"))
