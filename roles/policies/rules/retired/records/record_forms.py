"""Clauses about records: open one, read facts of it, keep a fact in a note, claim what it cost."""

from __future__ import annotations

import re
from dataclasses import replace

from roles.contracts import clauses as c
from roles.policies.rules.english.pairs import pairs_of
from roles.policies.rules.english.phrases import Phrase, noun_phrase, parse_entity, take_place
from roles.policies.rules.english.reference import Context, Destination, as_app, destination, value_of
from roles.policies.rules.retired.records.entry_forms import write
from roles.screen.language.lexicon import FIELD_NOISE, NOUNS, OPEN_VERBS, PRONOUNS, READ_VERBS
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_ARTICLES = r"(?:the|my|our|a|an|its|this)\s+"
_OPEN = re.compile(rf"^(?:{OPEN_VERBS})\s+(?P<rest>.+)$", re.IGNORECASE)
_READ = re.compile(rf"^(?:{READ_VERBS}|check)\s+(?:(?:out|down|up|me|us)\s+)?(?P<rest>.+)$", re.IGNORECASE)
_KEPT = re.compile(
    r"^(?:(?:note|write|jot|copy)\s+down|save|store|keep|record)\s+(?P<what>.+?)\s+(?:in|into|to|on|as)\s+"
    r"(?P<where>(?:an?|the|my)\s+(?:new\s+)?(?:text\s+)?(?:note|document|memo|list|file)\b.*)$",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"^(?P<verb>submit|file|hand in|send in|make|create|prepare|fill in|fill out|start)\s+(?:an?|the|my)\s+(?:new\s+)?"
    r"(?P<kind>(?:expense|reimbursement|travel|cost)\s+(?:claim|form|request|report)|claim|reimbursement)"
    r"(?:\s+(?:for|of|about|over)\s+(?P<what>.+?))?(?:\s*,?\s+with\s+(?P<pairs>.+))?$",
    re.IGNORECASE,
)
_LOOK_IN = re.compile(r"^(?:check|search|look in|look through)\s+(?P<app>.+?)\s+for\s+(?P<what>.+)$", re.IGNORECASE)
_SECOND = re.compile(r"\s*,?\s+and\s+(?=(?:(?:the|its)\s+)?[\w -]*?\b(?:of|for|on|from)\s)", re.IGNORECASE)
_TWO_IDS = re.compile(rf"^(?P<head>.*?\b)(?P<first>{ANY})\s+and\s+(?P<second>{ANY})(?P<tail>.*)$")
_CLAIMED = ("total", "vendor", "date", "invoice number")


def open_thing(words: str, ctx: Context) -> Found:
    """`open the billing app`, `open the mail from Ada about the offsite`, `go to the expense form`."""
    match = _OPEN.match(words)
    if not match:
        return None
    rest = match["rest"].strip()
    bare = re.sub(rf"^{_ARTICLES}|^up\s+", "", rest, flags=re.IGNORECASE)
    if app := as_app(bare, ctx):
        return [c.Open(app)]
    if re.search(r"\bpage\b", bare, re.IGNORECASE):
        return None
    left, place = take_place(rest, ctx.masks, ctx.apps)
    entity = parse_entity(left, ctx.masks)
    if re.search(rf"\b(?:tab|link|button|{FIELD_NOISE})$", rest, re.IGNORECASE):
        return [
            c.ClickOn(place, ctx.masks.show(re.sub(rf"^{_ARTICLES}|\s+(?:tab|link|button|{FIELD_NOISE})$", "", rest, flags=re.I)))
        ]
    if entity.noun and (entity.specific or left.casefold() not in NOUNS) and not _plural(bare):
        return [c.OpenItem(place, entity)]
    if entity.id or (entity.name and ctx.masks.of_kind(left, "file", "quoted")):
        return [c.OpenItem(place, entity)]
    return [c.Open(ctx.masks.show(bare))] if len(bare.split()) <= 3 else None


def _plural(bare: str) -> bool:
    return bool(
        re.fullmatch(
            r"(?:my |the )?(?:notes|files|mails?|e-?mails?|messages|contacts|invoices|expenses|claims)", bare, re.IGNORECASE
        )
    )


def read(words: str, ctx: Context) -> Found:
    """`find the total of invoice INV-7 in billing`; without a fact it means opening the record."""
    match = _READ.match(words)
    if not match:
        return None
    found: list[c.Clause] = []
    before = Phrase()
    for rest in _each_record(match["rest"], ctx):
        clause, before = _read_one(rest, before, ctx)
        if clause is None:
            return None
        found.append(_own_names(clause, found, ctx))
    if len(found) > 1:
        ctx.learn(found[0])
    return found


def _each_record(rest: str, ctx: Context) -> list[str]:
    """`the total of INV-1 and the tax of INV-2`, `the totals of INV-1 and INV-2`: one phrase for each record."""
    ids = ctx.masks.of_kind(rest, "id")
    if len(ids) < 2:
        return [rest]
    two = _TWO_IDS.match(rest)
    if two and two["first"] in ids and two["second"] in ids:
        head = re.sub(r"\btotals\b", "total", two["head"], flags=re.IGNORECASE)
        return [f"{head}{two['first']}{two['tail']}", f"{head}{two['second']}{two['tail']}"]
    return _SECOND.split(rest)


def _read_one(rest: str, before: Phrase, ctx: Context) -> tuple[c.Clause | None, Phrase]:
    said = re.match(r"^(?P<rest>.+?)\s+as\s+(?P<name>.+)$", rest)
    rest = said["rest"] if said else rest
    if re.match(r"(?:of|for|from)\s", rest) and before.facts:
        rest = f"{' and '.join(before.facts)} {rest}"
    phrase = noun_phrase(rest, ctx.masks, ctx.apps)
    entity = phrase.entity
    if not entity.specific and ctx.entity and entity.noun in {"", ctx.entity.noun}:
        entity = ctx.entity
    if not phrase.facts:
        return (c.OpenItem(phrase.app, entity) if phrase.entity else None), phrase
    names = (ctx.masks.show(re.sub(rf"^{_ARTICLES}", "", said["name"])),) if said else ()
    return c.Read(phrase.app, phrase.facts, entity, names), phrase


def _own_names(clause: c.Clause, before: list[c.Clause], ctx: Context) -> c.Clause:
    """Facts of a second record get names of their own, so that neither hides the other."""
    if not isinstance(clause, c.Read) or clause.names or not clause.entity.specific:
        return clause
    others = [x for x in before if isinstance(x, c.Read)]
    taken = any(set(x.fact_names()) & set(clause.fact_names()) and x.entity != clause.entity for x in others)
    if not taken and not (ctx.entity != clause.entity and ctx.entity.specific and set(ctx.known) & set(clause.fact_names())):
        return clause
    label = clause.entity.id or clause.entity.name or clause.entity.pick or clause.entity.subject
    return replace(clause, names=tuple(f"{label} {fact}" for fact in clause.facts))


def keep(words: str, ctx: Context) -> Found:
    """`note down the total in a new note called X`, `save the vendor as a new file called vendor.txt`."""
    match = _KEPT.match(words)
    if not match or destination(match["where"], ctx) == Destination(field=match["where"]):
        return None
    return write(f"copy {match['what']} into {match['where']}", ctx)


def look_in(words: str, ctx: Context) -> Found:
    """`check the billing app for the latest invoice`."""
    match = _LOOK_IN.match(words)
    app = as_app(re.sub(rf"^{_ARTICLES}", "", match["app"], flags=re.IGNORECASE), ctx) if match else ""
    if match is None or not app:
        return None
    phrase = noun_phrase(match["what"], ctx.masks, ctx.apps)
    if phrase.facts and not phrase.entity:
        return [c.Search(app, ctx.masks.show(match["what"]))]
    return [c.Read(app, phrase.facts, phrase.entity)] if phrase.facts else [c.OpenItem(app, phrase.entity)]


def claim(words: str, ctx: Context) -> Found:
    """`file an expense claim for the latest invoice with category Travel`: read it, fill the form, submit it."""
    match = _CLAIM.match(words)
    if not match or not (match["what"] or match["pairs"]):
        return None
    app = f"{match['kind']}".casefold()
    found: list[c.Clause] = []
    what = (match["what"] or "").strip()
    if what.casefold() in PRONOUNS and ctx.last:
        found = [c.Enter(app, c.Value(facts=ctx.last[-1:]))]
    elif what and (held := ctx.masks.only(what)) is not None and held.kind == "money":
        found = [c.Enter(app, c.Value(held.raw), "amount")]
    elif what:
        entity = parse_entity(what, ctx.masks)
        if not entity.noun or not entity.specific:
            return None
        found = [c.Read("", _CLAIMED, entity), c.Complete(app)]
    for field, value in pairs_of(match["pairs"], ctx) or [] if match["pairs"] else []:
        text, reads = value_of(value, ctx, is_fact=False)
        found += [*reads, c.Enter(app, text, field)]
    sends = match["verb"].casefold() in {"submit", "file", "hand in", "send in"}
    return [*found, c.Commit(app, "submit", "form")] if sends and found else found or None


FIRST = (keep, look_in, claim)
RECORDS = (open_thing, read)
