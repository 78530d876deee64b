"""One record for everything that can be looked up, and the words by which it is found: stems, or pairs of characters."""

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

from pydantic import Field, field_validator

from protocol import Frozen, JsonObject
from roles.contracts import Supplement


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
    total = max(total, _SMALL)
    weights = {w: math.log(1 + (total - known.get(w, 0) + 0.5) / (known.get(w, 0) + 0.5)) for w in asked}
    whole = sum(weights.values())
    if not whole:
        return 0.0
    got = sum(weight * (1.0 if word in in_title else _BODY if word in in_body else 0.0) for word, weight in weights.items())
    return got / whole


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


DocumentKind = Literal["help", "online", "experience", "demonstration"]
KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
MAX_TEXT = 200_000
MAX_TITLE = 300


class Document(Frozen):
    """Something that was written down to be found again. It is data: nothing in it is done because it says so."""

    kind: DocumentKind = "help"
    app: str | None = None
    """The application it is about; None fits every one."""
    title: str = Field(min_length=1, max_length=MAX_TITLE)
    """What it is good for, in words; `{slots}` stand for values."""
    text: str = Field(max_length=MAX_TEXT)
    source: str = ""
    """Where it came from: a file, an address, a run."""
    data: JsonObject = Field(default_factory=dict)
    """What its kind knows beside the text, as plain JSON."""
    id: str = Field(default_factory=lambda said: f"{said['kind']}:{digest_of(said)}", min_length=1, max_length=500)
    """The same content has the same id, unless one is given."""

    @field_validator("app")
    @classmethod
    def _no_empty_app(cls, app: str | None) -> str | None:
        return app or None

    @property
    def digest(self) -> str:
        """The same for two documents that say the same, whoever says it."""
        return text_digest(self.text)

    def found_for(self, query: str, score: float) -> Supplement:
        """What a run records of it; `score` is how much of what was asked it speaks of, 0 to 1."""
        return Supplement(
            query=query, source=self.source or self.id, title=self.title, text=self.text, app=self.app, kind=self.kind,
            score=round(score, 4), document=self.id,
        )  # fmt: skip


def text_digest(text: str) -> str:
    """Of the words alone: neither case nor blanks make a difference."""
    return hashlib.blake2b(" ".join(text.casefold().split()).encode("utf-8", "replace"), digest_size=12).hexdigest()


def digest_of(said: dict[str, Any]) -> str:
    """Of what a document is about and says."""
    parts = "\n".join([said.get("app") or "", said.get("title", ""), said.get("text", "")])
    return text_digest(parts)
