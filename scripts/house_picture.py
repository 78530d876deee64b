"""The house as a picture: the folders of the four packages in the layers of `pyproject.toml`, which `lint-imports` keeps."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from drawing import Drawing

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"orchestrator": "controller", "roles": "operator", "environments": "analyst", "protocol": "manager"}
"""From the top down, each with the colour of its boxes."""
WIDTH, BOX, ROW = 900, 132, 32


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


def _about(package: str, place: str) -> str:
    """The first sentence of a folder or module on itself; what follows its colon only where there is room."""
    folder = ROOT / package / place
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = re.split(r"\.(?:\s|$)", " ".join(said.replace("`", "").split()))[0]
    return sentence if len(sentence) < 100 else sentence.split(": ")[0]


def house() -> Drawing:
    """Who stands on whom, and what each is."""
    rows = {package: sum(map(len, floors(package))) for package in PACKAGES}
    height = sum(count * ROW + len(floors(package)) * 8 + 46 for package, count in rows.items()) + 34
    says = "The folders of each package in floors; a folder imports only what stands below it."
    picture = Drawing(WIDTH, height, "The house", says)
    y = 12.0
    for package, role in PACKAGES.items():
        tall, against = rows[package] * ROW + len(floors(package)) * 8 + 34, upward(package)
        picture.group(12, y, WIDTH - 24, tall, f"{package}/")
        top = y + 28
        for places in floors(package):
            for place in places:
                picture.box(26, top, BOX, ROW - 4, (place,), role, code=True)
                picture.words(26 + BOX + 14, top + 19, _about(package, place), anchor="start")
                if against[place]:
                    picture.words(WIDTH - 26, top + 19, f"{against[place]} up", "small bad", "end")
                top += ROW
            top += 8
        y += tall + 12
    words = "A folder imports what stands below it; those that touch are on one floor. Red: imports that still lead up."
    picture.words(24, height - 12, words, anchor="start")
    return picture
