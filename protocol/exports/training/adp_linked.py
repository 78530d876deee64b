"""Agent Data Protocol 1.3.0: as 1.2.0, with each action linked to its observation by a `tool_call_id`."""

from __future__ import annotations

from pathlib import Path

from protocol.exports.common.base import Exported, Format, Run
from protocol.exports.training import adp


def write(run: Run, path: Path) -> Exported:
    """The run as one line, written as a stream."""
    return adp.write(run, path, adp.LINKED)


FORMAT = Format(name="adp_linked", title="Agent Data Protocol 1.3.0, with linked calls", suffix=".jsonl", write=write)
