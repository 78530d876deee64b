"""A goal as sentences with their values hidden: for forms that need more than one clause to be understood."""

from __future__ import annotations

import re
from typing import NamedTuple

from roles.rules.masks import ANY, Masks

_END = re.compile(rf"(?<=[.?!;])\s+(?=[A-Z{ANY[1:-1]}])|\n+")
_SHORT = re.compile(r"\b(?:ltd|inc|co|corp|mr|mrs|ms|dr|no|nr|st|e\.g|i\.e)\.$", re.IGNORECASE)
_NAME = r"(?-i:[A-Z][\w&’'-]*)(?:\s(?:&\s|of\s|and\s)?(?-i:[A-Z][\w&’'-]*))*"
NAME = rf"(?:{_NAME}|{ANY})"
"""Capitalised words, or something in quotation marks."""


class Sentences(NamedTuple):
    """Masked sentences in order, and what the masks hide."""

    parts: list[str]
    masks: Masks

    def plain(self, text: str) -> str:
        """`text` as it was written, quotation marks included."""
        return self.masks.verbatim(text)


def sentences(text: str) -> Sentences:
    """The sentences of `text`; a full stop of an abbreviation ends none."""
    masks = Masks()
    hidden = masks.hide_typed(masks.hide_quotes(text))
    parts: list[str] = []
    for piece in _END.split(hidden):
        if parts and _SHORT.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {piece}"
        elif piece.strip():
            parts.append(piece.strip())
    return Sentences(parts, masks)
