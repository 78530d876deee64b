"""What a person sees of a run: one protocol, four faces. A face only listens; it never decides and never knows a role.

All text from screens, models and worlds passes `words.clean` and is printed without markup.
"""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.views.terminal.plain import Face


def make_face(display: str, *, out: IO[str] | None = None, source: IO[str] | None = None) -> Face:
    """The face for `display`; `auto` is rich in a terminal that can show it, else plain lines."""
    out, source = out or sys.stdout, source or sys.stdin
    if display == "json":
        from orchestrator.views.terminal.plain import JsonLines

        return JsonLines(out)
    if display == "none":
        from orchestrator.views.terminal.plain import Face

        return Face(out)
    can_ask = out.isatty() and source.isatty()
    if display == "rich" or (display == "auto" and is_rich_terminal(out)):
        from orchestrator.views.terminal.live import Live

        return Live(out, can_ask=can_ask)
    from orchestrator.views.terminal.plain import Plain

    return Plain(out, can_ask=can_ask)


def is_rich_terminal(out: IO[str]) -> bool:
    """A terminal that wants colours and can move its cursor."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
