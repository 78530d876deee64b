"""The house as a picture: the folders of the four packages in the layers of `pyproject.toml`, which `lint-imports` keeps."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from drawing import Drawing

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"orchestrator": "controller", "roles": "operator", "environments": "analyst", "protocol": "manager"}
"""From the top down, each with the colour of its boxes."""
WIDTH, BOX, FLOOR = 900, 132, 46


def _contract(package: str) -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return next(one for one in settings["contracts"] if one.get("containers") == [package])


def floors(package: str) -> list[list[str]]:
    """From the top: the folders and single modules of a package, those of one layer beside each other."""
    return [re.split(r"\s*[:|]\s*", layer) for layer in _contract(package)["layers"]]


def upward(package: str) -> Counter[str]:
    """How many imports of a folder still lead up, against the layers."""
    pairs = (line.split(" -> ")[0].split(".") for line in _contract(package).get("ignore_imports", ()))
    return Counter(source[1] for source in pairs)


def house() -> Drawing:
    """Who stands on whom."""
    height = sum(len(floors(package)) * FLOOR + 44 for package in PACKAGES) + 40
    says = "The folders of each package in floors; a folder imports only what stands below it."
    picture = Drawing(WIDTH, height, "The house", says)
    y = 12
    for package, role in PACKAGES.items():
        tall, against = len(floors(package)) * FLOOR + 32, upward(package)
        picture.group(12, y, WIDTH - 24, tall, f"{package}/")
        for line, places in enumerate(floors(package)):
            for column, place in enumerate(places):
                x, top = 26 + column * (BOX + 76), y + 28 + line * FLOOR
                picture.box(x, top, BOX, 34, (place,), role, code=True)
                if against[place]:
                    picture.words(x + BOX + 8, top + 22, f"{against[place]} up", "small bad", "start")
        y += tall + 12
    words = "A folder imports what stands below it, in its own package and in those beneath. Red: imports that still lead up."
    picture.words(24, height - 14, words, anchor="start")
    return picture
