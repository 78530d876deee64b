"""How much of what was asked a document speaks of: a number from 0 to 1 that means the same in a small and in a large collection.

BM25 says which of two documents fits better, but its numbers depend on the collection; they tell no "nothing fits".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_BODY = 0.85
"""What a word of the query counts when the text has it, where it counts 1 when the title has it."""
_SMALL = 200
"""A small collection does not tell which words are rare; it is treated as a part of one of this size."""


def fits(asked: Sequence[str], title: str, body: str, known: Mapping[str, int], total: int) -> float:
    """The share of the query, rare words weighing more, that title and text have. All are stems."""
    in_title, in_body = set(title.split()), set(body.split())
    weights = {word: _weight(known.get(word, 0), max(total, _SMALL)) for word in asked}
    whole = sum(weights.values())
    if not whole:
        return 0.0
    got = sum(weight * (1.0 if word in in_title else _BODY if word in in_body else 0.0) for word, weight in weights.items())
    return got / whole


def _weight(documents: int, total: int) -> float:
    return math.log(1 + (total - documents + 0.5) / (documents + 0.5))
