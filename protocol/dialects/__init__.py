"""Dialects: how others say what is done on a screen, in both directions.

Adding one is a file with a `DIALECT` and a line here.
"""

from __future__ import annotations

from importlib import import_module

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, Read, Written

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
NAMES = tuple(_PLACES)

__all__ = ["NAMES", "Context", "Dialect", "DialectError", "Loss", "Read", "Written", "dialect"]


def dialect(name: str) -> Dialect:
    """The dialect of that name. Raises DialectError for a name that is not in NAMES."""
    if name not in NAMES:
        raise DialectError(name, "", f"there is no such dialect; dialects are {', '.join(NAMES)}")
    found: Dialect = import_module(f"protocol.dialects.{_PLACES[name]}").DIALECT
    return found
