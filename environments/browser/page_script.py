"""The script that each document is given, put together from `scripts/*.js`: what is shown, and what can be asked of it."""

from __future__ import annotations

import secrets
from importlib import resources


def _text(*names: str) -> str:
    """These parts, one after the other, as they are sent to each frame."""
    folder = resources.files("environments.browser") / "scripts"
    return "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)


KEY = f"_{secrets.token_hex(12)}"
"""The name, new in each process, under which a document says which elements listen for a press, and is told what may reach it."""

_SECRET = secrets.token_hex(16)
_LISTENERS = _text("listeners")


def listeners(strict: bool) -> str:
    """Begun with each document: remembers which elements listen for a press, and by what, as a page cannot be asked for that
    later; what an element has ever listened by is kept, and a listener that is put back is no other one.

    It also stands before the page with each press and key that is no script's: only what was armed for goes on. Where it is
    `strict`, nothing else does, as nobody but the door has a hand on the browser.
    """
    return _LISTENERS.replace("KEY", KEY).replace("SECRET", _SECRET).replace("STRICT", "true" if strict else "false")


PAGE_SCRIPT = (
    f"() => {{\nconst KEY = '{KEY}', SECRET = '{_SECRET}';\n"
    f"{_text('names', 'places', 'sending', 'walk', 'looking', 'offered')}\n}}"
)
"""Evaluated once in each document; gives an object that only its caller holds, so that the page cannot see or change it."""
