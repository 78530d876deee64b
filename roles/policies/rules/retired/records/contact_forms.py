"""Requests to take down a person from a mail: what its signature says, and where it came from."""

from __future__ import annotations

import re
from collections.abc import Callable

from roles.contracts import clauses as c
from roles.policies.rules.english.reference import Context
from roles.policies.rules.skills.deeds import SIGNED

Found = list[c.Clause] | None
_FACTS = {
    "name": "name", "company": "company", "firm": "company", "employer": "company", "phone": "phone", "phone number": "phone",
    "number": "phone", "telephone": "phone", "mobile": "phone", "e-mail address": "e-mail", "email address": "e-mail",
    "e-mail": "e-mail", "email": "e-mail",
}  # fmt: skip
_FACT = "|".join(sorted(_FACTS, key=len, reverse=True))
_FROM_MAIL = re.compile(
    r"(?:with\s+)?the\s+(?:e-?mail\s+)?address\s+(?:(?:that\s+)?(?:the|that)\s+mail\s+(?:came|comes|is|was)\s+(?:sent\s+)?from"
    r"|of\s+the\s+sender)",
    re.IGNORECASE,
)
_IN_SIGNATURE = re.compile(
    rf"(?:with\s+)?(?:everything|all|what)\s+(?:that\s+)?the\s+signature\s+says\s*(?:[-–—:,(]\s*)?(?P<list>(?:(?:the\s+)?(?:{_FACT})"
    rf"(?:\s*,\s*(?:and\s+)?|\s+and\s+)?)+)?\s*(?:[-–—,)]\s*)?"
    rf"|(?:with\s+)?(?P<list2>(?:(?:the\s+)?(?:{_FACT})(?:\s*,\s*(?:and\s+)?|\s+and\s+)?)+)\s+(?:from|in|of)\s+the\s+signature",
    re.IGNORECASE,
)


def from_signature(match: re.Match[str], ctx: Context) -> Found:
    """`add that person to my contacts with everything the signature says and with the address the mail came from`."""
    if ctx.entity.noun != "mail" or not ctx.entity.specific:
        return None
    words, own = _FROM_MAIL.subn("", match["what"])
    signed = _IN_SIGNATURE.search(words)
    if signed is None or re.sub(r"[\s,]|\band\b", "", words[: signed.start()] + words[signed.end() :]):
        return None
    said = re.findall(rf"\b(?:{_FACT})\b", signed["list"] or signed["list2"] or "", re.IGNORECASE)
    facts = tuple(dict.fromkeys(_FACTS[fact.casefold()] for fact in said)) or ("name", "company", "phone")
    read = c.Read("", (*(f"{SIGNED}{fact}" for fact in facts), *(("sender",) if own else ())), ctx.entity)
    fields = (*facts, *(("e-mail",) if own else ()))
    app = match["app"].casefold()
    entered = [c.Enter(app, c.Value(facts=(name,)), field) for name, field in zip(read.fact_names(), fields, strict=True)]
    return [read, *entered, c.Commit(app, "save", "contact")]


CONTACTS: tuple[tuple[str, Callable[[re.Match[str], Context], Found]], ...] = (
    (
        r"(?i:add|put|enter|save) (?:th(?:at|is) person|him|her|them|(?:the|its) (?:sender|writer)) (?:to|into|in)"
        r" (?:my |the )?(?P<app>contacts|address book),? (?P<what>(?:with|using) .+)",
        from_signature,
    ),
)
