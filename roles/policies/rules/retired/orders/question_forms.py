"""Questions, answers to the user, and what must not be done."""

from __future__ import annotations

import re

from roles.contracts import clauses as c
from roles.policies.rules.english.phrases import noun_phrase
from roles.policies.rules.english.reference import Context, value_of
from roles.screen.language.lexicon import PRONOUNS, TELL_VERBS

Found = list[c.Clause] | None
_AVOID = re.compile(r"^(?:do not|don[’']t|never|without)\s+(?P<what>.+)$", re.IGNORECASE)
_TELL = re.compile(rf"^(?:{TELL_VERBS})(?:\s+(?:the user|me|us))?(?:\s+(?:about|back|with))?\s*(?P<rest>.*)$", re.IGNORECASE)
_ASK = re.compile(
    r"^(?:what(?:[’']s| is| are| was)|how much(?: is| was| does| do)?|when is|when was|who is|which is"
    r"|where is)\s+(?P<rest>.+?)\??$",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"^(?P<what>.+?)\s+(?:should|must|needs? to|has to|have to|is to|are to)\s+(?:go|be\s+(?:copied|entered|put"
    r"|written|transferred|filled|typed|noted))\s+"
    r"(?P<where>(?:in|into|on|to|onto|as)\s+.+)$", re.IGNORECASE,
)  # fmt: skip
_ANSWERED = re.compile(r"^answer\s+(?:to\s+)?(?:(?:the|that|this|his|her|my)\s+)?(?:e-?mail|mail|message)\b", re.IGNORECASE)
_WANTED = re.compile(r"^i\s+(?:need|want|would like)\s+(?P<what>the\s.+?)\s+(?P<where>(?:in|into|on|to)\s+.+)$", re.IGNORECASE)


def avoid(words: str, ctx: Context) -> Found:
    """`do not submit it`, `without sending`."""
    match = _AVOID.match(words)
    return [c.Avoid(what=ctx.masks.show(match["what"]).casefold())] if match else None


def question(words: str, ctx: Context) -> Found:
    """`what is the total of invoice INV-7`: read it, then say it."""
    match = _ASK.match(words)
    if not match:
        return None
    rest = re.sub(r"^(?:it that|there in)\s+", "", match["rest"])
    if due := re.match(r"^(?P<what>.+?)\s+(?:due|payable)$", rest, re.IGNORECASE):
        rest = f"the due date of {due['what']}"
    phrase = noun_phrase(rest, ctx.masks, ctx.apps)
    facts = phrase.facts
    if not facts and words.casefold().startswith("how much") and phrase.entity:
        facts = ("total",)
    if not facts:
        return None
    entity = ctx.entity if not phrase.entity.specific and ctx.entity else phrase.entity
    read = c.Read(phrase.app, facts, entity)
    return [read, c.Tell(value=c.Value(facts=read.fact_names()))]


def tell(words: str, ctx: Context) -> Found:
    """`tell me the total`, `let me know what it is`, `report it`."""
    match = _TELL.match(words)
    if not match or _ANSWERED.match(words):
        return None
    rest = re.sub(
        r"^(?:what|how much)\s+(?:is\s+|are\s+)?|\s+(?:is|are|was|to me)$", "", match["rest"].strip(), flags=re.IGNORECASE
    )
    if not rest or rest.casefold() in PRONOUNS:
        return [c.Tell(value=c.Value(facts=ctx.last))] if ctx.last else None
    value, reads = value_of(rest, ctx, is_fact=True)
    return [*reads, c.Tell(value=value)] if value else None


def needed(words: str, ctx: Context) -> Found:
    """`the total of INV-7 should go into the expense form`."""
    from roles.policies.rules.retired.records.entry_forms import write

    match = _NEEDED.match(words) or _WANTED.match(words)
    return write(f"copy {match['what']} {match['where']}", ctx) if match else None


QUESTIONS = (avoid, needed, question, tell)
