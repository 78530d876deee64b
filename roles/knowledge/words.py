"""Texts as the words by which they are found: stems of words, and pairs of characters where a script has no blanks."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any


def words_of(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


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


_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f\u0e00-\u0eff"
_TOKEN = re.compile(rf"(?P<run>[{_CJK}]+)|(?P<word>[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*)")
_VALUE = re.compile(r"\S*\d\S*")
"""An order number, an amount, a date."""
_TAIL = re.compile(r"['’]s?$")
_EMPTY = words_of(
    "a all also an and any are as at be been but by can could did do does doing even everything for from get gets go goes "
    "got had has have how i if in into is it its just let like make me my need no not now of on one only or our please "
    "should show shows so some somebody someone something still tell than that the their them then there these they thing "
    "this those to too up us very want wants was way we were what when where which who will with would you your"
)
MAX_TERMS = 48
"""Words of a query that are looked for."""


@lru_cache(1)
def _stemmer() -> Any:
    import snowballstemmer  # type: ignore[import-untyped]  # here, since the settings are read without it

    return snowballstemmer.stemmer("english")


@lru_cache(100_000)
def stem(word: str) -> str:
    """What `word` has in common with its other forms."""
    return str(_stemmer().stemWord(_TAIL.sub("", word)))


def stems(text: str) -> Iterator[str]:
    """Every word of a text, in order, as it is indexed."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    for found in _TOKEN.finditer(unicodedata.normalize("NFC", plain).casefold()):
        run = found["run"]
        if run is None:
            yield stem(found["word"])
        elif len(run) == 1:
            yield run
        else:
            yield from (run[n : n + 2] for n in range(len(run) - 1))


@lru_cache(1)
def _empty_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in _EMPTY)


def asked_stems(query: str) -> tuple[str, ...]:
    """The words of a query that say what it is about: no small words, and no values such as order numbers."""
    found = dict.fromkeys(stems(_VALUE.sub(" ", query[:4000])))
    return tuple([word for word in found if word not in _empty_stems()][:MAX_TERMS])


def indexed(text: str) -> str:
    """A text as the index takes it: stems with blanks between."""
    return " ".join(stems(text))
