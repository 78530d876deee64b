"""The page's script: its modules joined into one, and its style. A live desk may serve the same modules one by one."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

MAIN = "main.js"
_IMPORT = re.compile(r"^import \{[^}]*\} from '\./([\w-]+\.js)';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|async|class)\b)", re.MULTILINE)


def static(name: str) -> str:
    """A file of the page."""
    return (resources.files("orchestrator.viewer") / "static" / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """Every module that the main one needs, each after those that it needs itself."""
    order: dict[str, str] = {}
    _collect(MAIN, order, ())
    body = "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in order.values())
    return f"(() => {{\n'use strict';\n{body}}})();"


def _collect(name: str, order: dict[str, str], above: tuple[str, ...]) -> None:
    if name in order:
        return
    if name in above:
        raise ValueError(f"{name} imports itself through {' > '.join(above)}")
    text = static(name)
    for needed in _IMPORT.findall(text):
        _collect(needed, order, (*above, name))
    order[name] = text


@cache
def style() -> str:
    return static("style.css")
