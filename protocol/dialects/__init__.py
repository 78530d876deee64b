"""Dialects: how others say what is done on a screen, in both directions.

Adding one is a file with a `DIALECT` and a line here.
"""

from __future__ import annotations

from importlib import import_module

from protocol.dialects.base import Context, Dialect, DialectError, Loss, Read, Written

NAMES = (
    "anthropic", "openai", "gemini", "qwen", "ui_tars", "computer_13", "pyautogui", "agentnet", "browsergym", "webarena",
    "androidworld", "playwright_mcp", "playwright_python", "openadapt", "omnimcp", "ufo", "langchain",
)  # fmt: skip

__all__ = ["NAMES", "Context", "Dialect", "DialectError", "Loss", "Read", "Written", "dialect"]


def dialect(name: str) -> Dialect:
    """The dialect of that name. Raises DialectError for a name that is not in NAMES."""
    if name not in NAMES:
        raise DialectError(name, "", f"there is no such dialect; dialects are {', '.join(NAMES)}")
    found: Dialect = import_module(f"protocol.dialects.{name}").DIALECT
    return found
