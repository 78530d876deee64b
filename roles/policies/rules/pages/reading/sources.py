"""What a sentence about a page says is to be written: a text, or what the page or an earlier clause holds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roles.contracts.clauses import PageClause
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.things import thing_of
from roles.screen.language.lexicon import ORDINAL, ordinal_of, plain
from roles.screen.language.masks import ANY, Masks
from roles.screen.page import Thing

Found = list[PageClause] | None
IT = re.compile(r"^(?:it|that|this|them|the (?:word|text|value|result)|that (?:word|text|value))$", re.IGNORECASE)
_WORD = re.compile(r"^(?:the\s+)?(?P<nth>.+?)\s+word\s+(?:in|of|from)\s+(?P<of>.+)$", re.IGNORECASE)
_VALUE = re.compile(r"^(?:the\s+)?(?:value|content|contents|amount)\s+(?:of|for|beside|next to)\s+(?P<label>.+)$", re.IGNORECASE)
_TEXT = re.compile(r"^(?:the\s+)?(?:text|content|contents|words|all text)\s+(?:in|of|from|inside)\s+(?P<of>.+)$", re.IGNORECASE)
_SHOWN = re.compile(r"^(?:the|its|my|our|their)\s+(?P<label>[^\W\d_].*)$", re.IGNORECASE)
_HERE = re.compile(
    r"\s+(?:(?:on|from|in|at)\s+(?:the|this|that|its)\s+(?:\S+\s+){0,3}?(?:page|site|screen|tab|website|app)|there|here|shown)$",
    re.IGNORECASE,
)

_ITS = re.compile(r"^(?:the|its|their|my|our)\s+", re.IGNORECASE)
_LITERAL = re.compile(rf"^the\s+(?:word|text|value|name|number|code|phrase|letters?|digits?)\s+(?:{ANY}|\S+)$", re.IGNORECASE)
"""A word in front that says only what kind of text it is."""


@dataclass
class Reading:
    """What was read so far, for words that refer back."""

    masks: Masks
    fact: str = ""
    thing: Thing | None = None
    facts: list[str] = field(default_factory=list)
    unused: str = ""
    """A fact that was found and is not written anywhere yet."""
    holder: Thing | None = None
    """Of `for the room, ...`: what the next choice belongs to."""


def source_of(words: str, reading: Reading) -> p.Source:
    """`it`, `the last word of the text`, `the value of Size`, `the total of the newest invoice`, or a text as given."""
    words = words.strip(" ,")
    masks = reading.masks
    if IT.match(words) and reading.fact:
        return p.Source(fact=reading.fact)
    word = _WORD.match(words)
    if word and (nth := ORDINAL.search(word["nth"])):
        return p.Source(word=ordinal_of(nth), of=thing_of(word["of"], masks))
    if value := _VALUE.match(words):
        head = "amount of " if re.match(r"(?:the\s+)?amount of .*\d", masks.show(words), re.IGNORECASE) else ""
        return p.Source(label=head + masks.show(value["label"]))
    if text := _TEXT.match(words):
        return p.Source(of=thing_of(text["of"], masks))
    quoted = re.findall(ANY, words)
    if len(quoted) == 1 and (len(words.split()) <= 4 and not _SHOWN.match(words)):
        return p.Source(text=masks.show(quoted[0]))
    if quoted and _LITERAL.match(words):
        return p.Source(text=masks.show(quoted[0]))
    return _named(words, reading) or p.Source(text=masks.show(words))


def _named(words: str, reading: Reading) -> p.Source | None:
    """`the invoice total`: what an earlier clause found under that name, else what the page shows for it."""
    shown = _SHOWN.match(_HERE.sub("", words))
    if shown is None or _LITERAL.match(words) or thing_of(words, reading.masks).kind not in {"", "area"}:
        return None
    label = reading.masks.show(shown["label"]).strip()
    known = next((fact for fact in reversed(reading.facts) if plain(_ITS.sub("", _HERE.sub("", fact))) == plain(label)), None)
    return p.Source(fact=known) if known else p.Source(label=label)
