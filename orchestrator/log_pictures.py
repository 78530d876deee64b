"""Pictures of a log: drawn where the terminal can draw, named by their paths where it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.text import Text

from orchestrator.errors import UsageProblem
from orchestrator.faces.clean import clean
from protocol import InteractionStep, Picture
from protocol.steps import picture_file

Draw = Callable[[Console, InteractionStep], None]
_ABLE = ("kitty", "wezterm", "iterm.app", "ghostty", "konsole", "foot", "mlterm", "contour")
"""Terminals that draw pictures, by TERM or TERM_PROGRAM."""


def picture_face(wish: str, folder: Path) -> Draw:
    """How to show a step's pictures: `auto`, `draw`, `paths` or `none`. Raises UsageProblem."""
    if wish not in ("auto", "draw", "paths", "none"):
        raise UsageProblem(f"--pictures is auto, draw, paths or none, not {wish!r}.")
    if wish == "draw" and find_spec("textual_image") is None:
        raise UsageProblem("Pictures in the terminal need the extra 'pictures': pip install 'deskcrew[pictures]'")
    if wish == "none":
        return lambda console, step: None
    draws = wish == "draw" or (wish == "auto" and _can_draw())

    def show(console: Console, step: InteractionStep) -> None:
        for picture in _pictures(step):
            path = picture_file(folder, picture.path)
            if draws and path is not None and _drawn(console, path):
                continue
            there = "" if path is not None else " (not there)"
            console.print(Text(f"{picture.moment:>16}: {clean(picture.path)}{there}", style="dim"))

    return show


def _pictures(step: InteractionStep) -> list[Picture]:
    path = step.visual_state.screenshot_path
    if path and all(picture.path != path for picture in step.pictures):
        return [Picture.model_construct(path=path, sha256="", moment="before"), *step.pictures]
    return list(step.pictures)


def _can_draw() -> bool:
    if not Console().is_terminal or find_spec("textual_image") is None:
        return False
    names = f"{os.environ.get('TERM', '')} {os.environ.get('TERM_PROGRAM', '')}".casefold()
    return any(name in names for name in _ABLE)


def _drawn(console: Console, path: Path) -> bool:
    """Draw it; False for a file that is no picture."""
    from PIL import UnidentifiedImageError
    from textual_image.renderable import Image

    try:
        console.print(Image(path, width=min(console.width, 80)))
    except (UnidentifiedImageError, OSError, ValueError):  # ValueError: too small to be drawn
        return False
    return True
