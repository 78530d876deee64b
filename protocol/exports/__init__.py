"""Formats of whole runs: what other tools read, train on or replay, and what they have written.

Adding one is a file with a `FORMAT` and a line here.
"""

from importlib import import_module

from protocol.exports.common.base import ExportResult, Format, FormatError, ImportResult, Run, RunInfo

_PLACES = {
    "atif": "agents.atif",
    "osworld": "agents.osworld",
    "llamafactory": "training.chat:LLAMAFACTORY",
    "adp": "training.adp",
    "adp_linked": "training.adp:LINKED_FORMAT",
    "model_chats": "training.chat",
    "agentnet_traj": "agents.osworld:AGENTNET",
    "playwright_script": "recorders.playwright_script",
    "openadapt_episode": "agents.openadapt_episode",
    "omnimcp_log": "agents.omnimcp_log",
    "devtools_recorder": "recorders.devtools_recorder",
    "browser_use_history": "agents.browser_use_history",
    "playwright_trace": "recorders.playwright_trace",
    "draft": "common.draft",
}
NAMES = tuple(_PLACES)

__all__ = ["NAMES", "ExportResult", "Format", "FormatError", "ImportResult", "Run", "RunInfo", "format_named"]


def format_named(name: str) -> Format:
    """The format of that name. Raises FormatError for a name that is not in NAMES."""
    if name not in NAMES:
        raise FormatError(f"there is no format {name!r}; formats are {', '.join(NAMES)}")
    module, _, constant = _PLACES[name].partition(":")
    found: Format = getattr(import_module(f"protocol.exports.{module}"), constant or "FORMAT")
    return found
