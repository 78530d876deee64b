"""Screens, mails and documents inside a prompt: marked as data by a fence that nothing inside of it can close."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

_SIGNS = 12


def fence_for(data: Mapping[str, str]) -> str:
    """A word that occurs in none of the data. It is worked out from all of it, so whoever writes the data cannot know it."""
    told = hashlib.blake2b(digest_size=16)
    for name in sorted(data):
        for part in (name, data[name]):
            raw = part.encode("utf-8", "surrogatepass")
            told.update(len(raw).to_bytes(8, "big") + raw)
    whole = "\n".join(data.values())
    number = 0
    while True:
        word = hashlib.blake2b(told.digest() + number.to_bytes(8, "big"), digest_size=16).hexdigest()[:_SIGNS]
        if word not in whole:
            return word
        number += 1


def fenced(name: str, text: str, fence: str) -> str:
    """`text` between the two lines of its fence."""
    return f"<{name} {fence}>\n{text}\n</{name} {fence}>"
