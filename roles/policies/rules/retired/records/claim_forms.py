"""Clauses about claims: claim a sum back, with what else belongs on the claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from roles.contracts import clauses as c
from roles.policies.rules.english.phrases import noun_phrase, parse_entity, take_place
from roles.policies.rules.english.reference import Context
from roles.screen.language.lexicon import FIELD_WORDS
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
APP = "claim"
_THE = re.compile(r"^(?:the|its|their|his|her|my|that|this|an?)\s+", re.IGNORECASE)
_CLAIM = re.compile(
    r"^claim(?:\s+back)?\s+(?P<what>.+?)(?:\s+(?:in|on|with|using) the (?:\w+ )?(?:form|page|app))?"
    r"(?:\s+(?:before that|for me|back|too))*(?:,?\s+with\s+(?P<pairs>.+)|,\s*(?P<apposed>(?:its|the)\s+\w+ as the \w+))?$",
    re.IGNORECASE,
)
_CAME_TO = re.compile(
    r"what (?P<of>.+?) (?:came to|comes to|costs?|is|was)(?: in (?:all|total))?(?:,? (?:shipping|tax|everything) included)?",
    re.IGNORECASE,
)
_ON_IT = re.compile(
    r"^(?:put|enter|write|note|add)\s+(?P<pairs>.+?)\s+(?:on|onto|into|in|to)\s+(?:the|that|this|my)\s+(?:claim|form)$",
    re.IGNORECASE,
)
_BELONGS = re.compile(
    r"^(?P<pairs>.+?)\s+(?:belongs?|goes|go|should(?: also)? (?:go|stand|be)|must(?: also)? be)\s+(?:on|onto|in|into)\s+"
    r"(?:the|that|this|my|each|every)\s+(?:claim|form)(?:,?\s+(?:too|as well))?$", re.IGNORECASE,
)  # fmt: skip
_PART = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_AS = re.compile(r"^(?P<value>.+?)\s+(?:as|for|in|into)\s+(?:the|its)\s+(?P<field>[\w ]+)$", re.IGNORECASE)
_NAMED = re.compile(rf"^(?:the\s+)?(?P<field>[a-z]+(?: [a-z]+)?)\s+(?P<value>{ANY}|[A-Z][\w&’'.-]*(?:\s+[\w&’'.-]+)*)$")


def claim(words: str, ctx: Context) -> Found:
    """`claim the total of INV-7, with the vendor and "Travel" as the category`: read, fill in, submit."""
    match = _CLAIM.match(words)
    if not match:
        return None
    amount = _amount(match["what"], ctx)
    if amount is None:
        return None
    value, entity, reads = amount
    entered = [*reads, c.Enter(APP, value, "amount")]
    for pair in _parts(match["pairs"] or ""):
        more = _entry(pair, entity, ctx)
        if more is None:
            return None
        entered += more
    return _reads_first([*entered, c.Commit(APP, "submit", "claim")])


def _amount(what: str, ctx: Context) -> tuple[c.Value, c.Entity, list[c.Clause]] | None:
    """What is claimed, the record it is a fact of, and the read that it needs."""
    if re.fullmatch(r"(?:that|this|the) (?:amount|sum|figure)|it|that", what, re.IGNORECASE) and ctx.last:
        return c.Value(facts=ctx.last[-1:]), ctx.entity, []
    came = _CAME_TO.fullmatch(what)
    said = re.sub(r"\b(?:whole|entire|complete)\s+", "", came["of"] if came else what)
    phrase = noun_phrase(said, ctx.masks, ctx.apps)
    entity = phrase.entity if phrase.entity.specific else ctx.entity
    if not entity.specific or (phrase.entity.noun and entity.noun and phrase.entity.noun != entity.noun):
        return None
    facts = phrase.facts if not came and phrase.facts else ("total",)
    read = c.Read(phrase.app, facts[:1], entity)
    return c.Value(facts=read.fact_names()), entity, [read]


def _parts(words: str) -> list[str]:
    return [part.strip() for part in _PART.split(words.strip(" ,")) if part and part.strip()]


def _entry(words: str, entity: c.Entity, ctx: Context) -> Found:
    """One value and its field: `"Travel" as the category`, `the order number in the description`, `the vendor`."""
    match = _AS.match(words) or _NAMED.match(words)
    value, field = (match["value"], match["field"].strip().casefold()) if match else (words, "")
    plain = _THE.sub("", value)
    if plain.casefold().split()[-1:] and plain.casefold().split()[-1] in FIELD_WORDS and not re.search(ANY, plain):
        read = c.Read("", (plain.casefold(),), entity)
        return [read, c.Enter(APP, c.Value(facts=read.fact_names()), field or plain.casefold())]
    return [c.Enter(APP, c.Value(ctx.masks.show(plain if match else value)), field)] if field else None


def on_claim(words: str, ctx: Context) -> Found:
    """`put the invoice number and "late" as the description on the claim`; it is submitted with them."""
    match = _ON_IT.match(words) or _BELONGS.match(words.strip(" ,"))
    if not match or not ctx.entity.specific:
        return None
    entered: list[c.Clause] = []
    for pair in _parts(match["pairs"]):
        more = _entry(pair, ctx.entity, ctx)
        if more is None:
            return None
        entered += more
    return [*entered, c.Commit(APP, "submit", _SAME)]


_SAME = "same claim"
"""A commit that takes the place of the one before: more belongs on what it submits."""


def submitted_late(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """What is added to a claim is entered before the claim is submitted."""
    found: list[c.Clause] = []
    for clause in clauses:
        if isinstance(clause, c.Commit) and clause.thing == _SAME:
            before = next((x for x in reversed(found) if isinstance(x, c.Commit) and x.app == clause.app), None)
            found = [x for x in found if x is not before] if before is not None else found
            found = (
                [*_reads_first(found), replace(clause, thing="claim")]
                if before is not None
                else [*found, replace(clause, thing="claim")]
            )
        else:
            found.append(clause)
    return found


def _reads_first(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """Facts of one record are read together, before any of them is entered."""
    found: list[c.Clause] = []
    for clause in clauses:
        at = next((i for i, x in enumerate(found) if _together(x, clause)), None)
        first = found[at] if at is not None else None
        if at is not None and isinstance(first, c.Read) and isinstance(clause, c.Read):
            found[at] = replace(first, facts=tuple(dict.fromkeys((*first.facts, *clause.facts))))
        else:
            found.append(clause)
    return found


def _together(first: c.Clause, second: c.Clause) -> bool:
    if not isinstance(first, c.Read) or not isinstance(second, c.Read) or first.names or second.names:
        return False
    return first.entity == second.entity and first.entity.specific


def entity_of(words: str, ctx: Context) -> c.Entity:
    """The record that `words` name."""
    left, _ = take_place(words, ctx.masks, ctx.apps)
    return parse_entity(left, ctx.masks)


CLAIMS = (claim, on_claim)
