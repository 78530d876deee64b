"""Colours: one accent on calm greys, for light and for dark rooms, and plain black, white and yellow for weak eyes."""

from __future__ import annotations

from dataclasses import dataclass


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


LIGHT = Theme(
    name="light",
    wallpaper="#27457a",
    wallpaper_light="#ffffff12",
    bar="#e8ebf1",
    page="#f6f7fa",
    surface="#ffffff",
    stripe="#f3f5f9",
    border="#dde1e9",
    control="#868fa1",
    text="#1b2230",
    muted="#586275",
    hint="#6b7486",
    faint="#9aa2b0",
    accent="#2459d3",
    on_accent="#ffffff",
    soft="#e3ebfd",
    selection="#b7cffa",
    danger="#b3261e",
    danger_soft="#fdeceb",
    toast="#232b3a",
    on_toast="#f4f6fa",
    dim="#10182873",
    shade="#0f172a07",
)

DARK = Theme(
    name="dark",
    wallpaper="#101a2e",
    wallpaper_light="#7aa2ff0e",
    bar="#1b212b",
    page="#12161d",
    surface="#1a2029",
    stripe="#202733",
    border="#2c3542",
    control="#69758b",
    text="#e8ecf3",
    muted="#a0aabb",
    hint="#8791a3",
    faint="#667081",
    accent="#7fa6ff",
    on_accent="#0b1530",
    soft="#26375c",
    selection="#3a5699",
    danger="#ff9288",
    danger_soft="#40211f",
    toast="#e8ecf3",
    on_toast="#161c26",
    dim="#05080e8c",
    shade="#00000012",
)

CONTRAST = Theme(
    name="contrast",
    wallpaper="#000000",
    wallpaper_light="#00000000",
    bar="#000000",
    page="#000000",
    surface="#000000",
    stripe="#1a1a1a",
    border="#ffffff",
    control="#ffffff",
    text="#ffffff",
    muted="#ffffff",
    hint="#d0d0d0",
    faint="#a6a6a6",
    accent="#ffe500",
    on_accent="#000000",
    soft="#003a8c",
    selection="#0050c8",
    danger="#ffb3ab",
    danger_soft="#4d0000",
    toast="#ffe500",
    on_toast="#000000",
    dim="#000000b3",
    shade="#00000000",
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}
