"""Dialects: how others say what is done on a screen, in both directions. Also what one of another package is written with.

Adding one is a file with a `DIALECT` and a line here; one of another package is an entry point.
"""

from importlib import import_module
from importlib.metadata import entry_points
from typing import NoReturn

from protocol.dialects.common.conversion import WAYS, Choice, Part, Reading, Row, Table, Writing, element_of, given, given_in, row
from protocol.dialects.common.dialect import (
    LONGEST,
    Context,
    Dialect,
    DialectError,
    Loss,
    NothingDone,
    ParsedPayload,
    Piece,
    WrittenPayload,
)
from protocol.dialects.common.fields import Fields, a_text, at, build, checked_number, each_of, json_in, read_chord, refusing
from protocol.dialects.common.losses import dialect_of, measured
from protocol.model.verbs import Action

_PLACES = {
    "anthropic": "vendors.anthropic",
    "openai": "vendors.openai",
    "gemini": "vendors.gemini",
    "qwen": "vendors.qwen",
    "ui_tars": "vendors.ui_tars",
    "computer_13": "python.computer_13",
    "pyautogui": "python.pyautogui",
    "agentnet": "python.agentnet",
    "browsergym": "web.browsergym",
    "webarena": "web.webarena",
    "androidworld": "desktop.androidworld",
    "playwright_mcp": "playwright.playwright_mcp",
    "playwright_python": "playwright.playwright_python",
    "openadapt": "desktop.openadapt",
    "omnimcp": "desktop.omnimcp",
    "ufo": "desktop.ufo",
    "langchain": "desktop.langchain",
}
_GROUP = "deskcrew.dialects"
_OTHERS = {point.name: point for point in entry_points(group=_GROUP) if point.name not in _PLACES}
NAMES = (*_PLACES, *_OTHERS)

__all__ = [
    "LONGEST", "NAMES", "WAYS", "Choice", "Context", "Dialect", "DialectError", "Fields", "Loss", "NothingDone",
    "ParsedPayload", "Part", "Piece", "Reading", "Row", "Table", "Writing", "WrittenPayload", "a_text", "at", "build", "cannot",
    "checked_number", "dialect", "dialect_of", "each_of", "element_of", "given", "given_in", "json_in", "measured",
    "read_chord", "refusing", "row",
]  # fmt: skip


def cannot(dialect: str, action: Action) -> NoReturn:
    """The other side has no such verb, and nothing that comes near."""
    raise DialectError(dialect, action.verb, f"{dialect} has no {action.verb.replace('_', ' ')}")


def dialect(name: str) -> Dialect:
    """The dialect of that name. Raises DialectError for a name that is not in NAMES."""
    if name not in NAMES:
        raise DialectError(name, "", f"there is no such dialect; dialects are {', '.join(NAMES)}")
    if name in _OTHERS:
        try:
            other = _OTHERS[name].load()
        except Exception as bad:
            raise DialectError(name, "", f"{_OTHERS[name].value} cannot be loaded: {type(bad).__name__}: {bad}") from bad
        if not isinstance(other, Dialect):
            raise DialectError(name, "", f"{_OTHERS[name].value} is no Dialect")
        return other
    found: Dialect = import_module(f"protocol.dialects.{_PLACES[name]}").DIALECT
    return found
