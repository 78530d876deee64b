"""What of a text the grammars read in a time that grows with its length: what is longer is not understood."""

from __future__ import annotations

import re

from roles.rules.masks import QUOTED

_LONGEST, _LONGEST_WORD, _MOST_PARTS = 10_000, 200, 150
_BLANKS = re.compile(rf"(?P<quoted>{QUOTED})|(?P<blanks>[^\S\n]{{9,}})|(?P<lines>\n\s{{2,}})", re.DOTALL)
_END = re.compile(r"[.!?;:,]\s|\n")


def readable(text: str) -> str | None:
    """The text with short blanks outside of quotation marks; None where it is too long, or a word of it is, or it has too many
    parts."""
    if len(text) > _LONGEST:
        return None
    told = _BLANKS.sub(lambda match: match[0] if match["quoted"] else " " * 8 if match["blanks"] else "\n", text)
    bare = _BLANKS.sub(" ", told)
    if len(_END.findall(bare)) >= _MOST_PARTS or any(len(word) > _LONGEST_WORD for word in bare.split()):
        return None
    return told
