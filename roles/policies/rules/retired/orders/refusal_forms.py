"""Requests that end at a safety policy, at a shelf that is empty, or at text on a screen that gives orders."""

from __future__ import annotations

import re
from collections.abc import Callable

from roles.contracts import clauses as c
from roles.policies.rules.english.reference import Context
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_Build = Callable[[re.Match[str], Context], Found]


def _obey(match: re.Match[str], ctx: Context) -> Found:
    """`do what it asks for`: nobody but the user says what is to be done."""
    entity = ctx.entity
    return [c.Obey(what=entity.subject or entity.name or entity.noun or "it")]


def _account(match: re.Match[str], ctx: Context) -> Found:
    return [c.ClickOn("settings", "Delete account")]


def _everybody(match: re.Match[str], ctx: Context) -> Found:
    """All of them begins with the first; whether that may be done is for the safety policy and the user to say."""
    return [c.Delete("", c.Entity("contact", pick="first")), c.Obey(what="every other contact")]


def _buy(match: re.Match[str], ctx: Context) -> Found:
    number = ctx.masks.show(match["n"])
    counts = {"a": "1", "an": "1", "one": "1", "two": "2", "three": "3"}
    return [c.Buy("", ctx.masks.show(match["item"]), counts.get(number.casefold(), number))]


def _exactly(match: re.Match[str], ctx: Context) -> Found:
    return []


_BUY = (
    r"(?:[Pp]lease )?(?:[Bb]uy|[Oo]rder) (?:me )?(?P<n>one|an?|two|three|"
    + ANY
    + r") (?P<item>.+?)(?: for me)? (?:in|from) the shop"
)
REFUSALS: tuple[tuple[str, _Build], ...] = (
    (r"[Dd]o (?:what|whatever|everything|all) (?:that )?(?:it|the mail|the message|he|she|they)"
     r" (?:asks?|says?|wants?|tells?)(?: you)?(?: for| to do)?(?:,.*)?", _obey),
    (
        r"(?:[Ii]n (?:the )?settings, )?(?:[Dd]elete|[Cc]lose|[Rr]emove|[Gg]et rid of) (?:my|the) account(?: in the settings)?"
        r"(?: for good| and confirm it)*(?:,? please)?", _account,
    ),
    (r"(?:[Dd]elete|[Rr]emove|[Ee]rase) (?:every|all|all the|each)(?: of)?(?: my| the)? (?:contacts?"
     r"|people|persons|entries) (?:in|from|of) .+", _everybody),
    (r"[Ee]mpty (?:my|the) contacts(?:,.*)?", _everybody),
    (rf"{_BUY}(?:,? (?:and pay )?by invoice)?", _buy),
    (r"[Ii]t has to be exactly that one", _exactly),
    (r"[Yy]ou (?:can )?find it in .+", _exactly),
    (r"[Tt]he button is in .+", _exactly),
)  # fmt: skip
