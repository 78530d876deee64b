"""Indirect questions: which facts `when invoice INV-7 is due and what it comes to` asks for, and of what."""

from __future__ import annotations

import re
from typing import NamedTuple

from roles.contracts import clauses as c
from roles.policies.rules.english.phrases import parse_entity
from roles.policies.rules.english.reference import Context

_IT = r"(?:it|this|that|he|she|they|the one)"
_OF = r"(?P<of>.+?)"
_QUESTIONS: tuple[tuple[str, str], ...] = (
    (rf"when {_OF} is (?:due|payable)", "due date"),
    (rf"(?:what|how much) {_OF} (?:comes? to|came to|costs?|is(?: in (?:all|total))?|amounts to)", "total"),
    (r"what (?:is|was) (?:billed|charged|due|to be paid)(?: in (?:all|total))?", "total"),
    (rf"who (?:{_IT} (?:was|is)|(?:wrote|sent) (?:{_IT}|to me)|it (?:is|was) from)", "sender"),
    (r"(?:on )?(?:which|what) day(?: it (?:was|came))?|when it (?:came|was sent)", "date"),
    (rf"where {_OF} takes? place|where {_OF} is held", "place"),
    (rf"(?:which|what) room {_OF} (?:takes? place|is) in", "room"),
    (rf"(?:which|what) (?P<fact>[a-z]+(?: [a-z]+)?) {_OF} has", ""),
)
_PATTERNS = tuple(
    (re.compile(pattern.replace("(?P<of>", "(?P<of2>").replace("(?P<of2>", "(?P<of>", 1), re.IGNORECASE), fact)
    for pattern, fact in _QUESTIONS
)
_ASIDE = re.compile(r"\s*\([^)]*\)")
_BETWEEN = re.compile(
    r"\s*,?\s+and\s+(?=(?:when|what|how much|who|on which|on what|which|where)\b)|\s*,\s*(?=(?:when"
    r"|what|how much|who|which|where)\b)",
    re.IGNORECASE,
)


class Asked(NamedTuple):
    """One fact, and the words for what it is a fact of; empty when they are a pronoun."""

    fact: str
    of: str


def asked_in(words: str) -> list[Asked] | None:
    """What every part of `words` asks for; None when one of them is no question that is known."""
    found = [_one(part) for part in _BETWEEN.split(_ASIDE.sub("", words).strip(" ,.?"))]
    return [asked for asked in found if asked] if all(found) else None


def _one(part: str) -> Asked | None:
    for pattern, fact in _PATTERNS:
        if match := pattern.fullmatch(part.strip()):
            groups = match.groupdict()
            of = groups.get("of") or groups.get("of2") or ""
            return Asked(fact or groups["fact"].casefold(), "" if re.fullmatch(_IT, of, re.IGNORECASE) else of)
    return None


def reads_for(asked: list[Asked], ctx: Context, app: str = "") -> list[c.Clause]:
    """One read for each thing that is asked about; what is only pointed at is what was spoken of last."""
    entity, found = ctx.entity, dict[c.Entity, list[str]]()
    for one in asked:
        entity = parse_entity(one.of, ctx.masks) if one.of else entity
        found.setdefault(entity, []).append(one.fact)
    return [c.Read(app, tuple(facts), about) for about, facts in found.items()]
