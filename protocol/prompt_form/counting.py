"""How many tokens a text takes: a cheap estimate, so that no tokenizer is needed."""

from __future__ import annotations

import re
from collections.abc import Callable

Counter = Callable[[str], int]
"""Gives the tokens of a text. It is asked for one line at a time, with its line end."""

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+| (?=[0-9])|[^\x00-\x7f]+|[ \t]{2,}|\n|[^A-Za-z0-9\s]")
_FIRST, _LETTERS, _CAPITALS, _DIGITS, _BYTES = 6, 3, 3, 3, 2


def estimate_tokens(text: str) -> int:
    """Rather too many than too few for the vocabularies of today: 1.1 to 1.3 times what o200k counts for screens in English,
    up to twice as much in other scripts. Strings that mean nothing, as keys and hashes, may take more than this says.

    A word takes one token for its first six letters and one for each three after them. So do three capitals, three digits
    and two bytes of anything beyond ASCII; every sign is one, and a space where it stands beside another or before a digit.
    """
    return sum(_size(part[0]) for part in _PART.finditer(text))


def _size(part: str) -> int:
    first = part[0]
    if first > "\x7f":
        pictures = sum(char > "\uffff" for char in part)
        return pictures + -(-len(part.encode("utf-8", "surrogatepass")) // _BYTES)
    if first.isdigit():
        return -(-len(part) // _DIGITS)
    if part.isupper():
        return -(-len(part) // _CAPITALS)
    return 1 + max(0, -(-(len(part) - _FIRST) // _LETTERS)) if first.isalpha() else 1
