"""Formats of whole runs: what other tools read, train on or replay, and what they have written.

Adding one is a file with a `FORMAT` and a line here.
"""

from __future__ import annotations

from importlib import import_module

from protocol.exports.base import Exported, Format, FormatError, Imported, Run, RunInfo

NAMES = (
    "atif", "osworld", "llamafactory", "ms_swift", "adp", "adp_linked", "agentnet_traj", "playwright_script", "webdriver",
    "openadapt_episode", "omnimcp_log", "devtools_recorder", "browser_use_history", "playwright_js",
    "selenium_ide", "mind2web", "playwright_trace", "draft",
)  # fmt: skip

__all__ = ["NAMES", "Exported", "Format", "FormatError", "Imported", "Run", "RunInfo", "format_named"]


def format_named(name: str) -> Format:
    """The format of that name. Raises FormatError for a name that is not in NAMES."""
    if name not in NAMES:
        raise FormatError(f"there is no format {name!r}; formats are {', '.join(NAMES)}")
    found: Format = import_module(f"protocol.exports.{name}").FORMAT
    return found
