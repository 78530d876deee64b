"""Signs for streams that cannot write all letters: what means something stays told apart, anything else is a question mark."""

from __future__ import annotations

import codecs

LETTERS = "deskcrew.letters"
"""The name of the error handler, for `stream.reconfigure(errors=LETTERS)`."""
_SIGNS = {
    "✓": "+", "✗": "x", "‖": "=", "◆": "*", "▸": ">", "▹": "-", "·": "-", "→": "->", "›": ">", "↻": "@", "⇄": "<>", "⏎": "/",
    "─": "-", "…": "...",
}  # fmt: skip


def _spelled(bad: UnicodeError) -> tuple[str, int]:
    if not isinstance(bad, UnicodeEncodeError):
        raise bad
    return "".join(_SIGNS.get(sign, "?") for sign in bad.object[bad.start : bad.end]), bad.end


codecs.register_error(LETTERS, _spelled)
