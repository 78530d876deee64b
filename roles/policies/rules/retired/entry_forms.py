"""Clauses that read and write values: enter, copy, set, fill in, select, create, open, read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from roles.policies.rules.phrases import LIST, noun_phrase, parse_entity, saved, take_place
from roles.policies.rules.reference import Context, Destination, destination, pairs_of, value_of
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import (
    COPY_VERBS,
    CREATE_VERBS,
    ENTER_VERBS,
    FIELD_WORDS,
    NOUNS,
    PRONOUNS,
    SELECT_VERBS,
    SET_VERBS,
)
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_MAIL = r"(?:e-?mail|mail|message)"
_NEW = r"(?:an?\s+|the\s+)?(?:new\s+|short\s+|quick\s+)?"
_NAME = rf"(?:{ANY}|[A-Z][\w’'.-]*(?:\s+[A-Z][\w’'.-]*)*)"
_PEOPLE = rf"{_NAME}(?:\s*,\s*{_NAME})*(?:\s*,?\s+and\s+{_NAME})?"
_TO = re.compile(rf"(?:^|\s)to\s+(?P<to>(?:the\s+)?{_PEOPLE})(?=\s|,|$)")
_FORMS = (
    re.compile(rf"^(?i:send|write|compose|draft|create|prepare)\s+(?i:{_NEW}){_MAIL}\b(?P<rest>.*)$"),
    re.compile(rf"^(?i:send|write|draft)\s+(?P<to>{_PEOPLE})\s+(?i:{_NEW}){_MAIL}\b(?P<rest>.*)$"),
    re.compile(rf"^(?i:{_MAIL})\s+(?P<to>{_PEOPLE})\s*(?P<rest>(?:$|[, ]).*)$"),
    re.compile(rf"^(?i:{_MAIL}|send)\s+(?P<what>.+?)(?P<rest>\s+to\s+{_PEOPLE}(?:[ ,].*)?)$"),
)
_SUBJECT = re.compile(
    rf",?\s*(?:\band\s+)?(?:\bwith\s+|\busing\s+|\bunder\s+)?(?:\b(?:the|a)\s+)?\bsubject(?:\s+line)?(?:\s+(?:is|of"
    rf"|set to|being))?\s*:?\s+(?P<v>{ANY}|.+?)"
    r"(?=\s*,|\s+(?:and|with|saying|that says|containing|body|message)\b|$)", re.IGNORECASE,
)  # fmt: skip
_MESSAGE = re.compile(
    r",?\s*(?:\band\s+)?(?:\bwith\s+|\busing\s+)?(?:\b(?:the|a|as)\s+)*\b(?:message|body|text|content"
    r"|contents)(?:\s+(?:is|of|set to|being|saying))?\s*:?\s+(?P<v>.+)$|"
    r",?\s*(?:\band\s+)?\b(?:saying|that says|which says|to say|that reads|stating|writing|telling (?:him|her|them)"
    r"|and say|and write)\s+(?:that\s+)?(?P<said>.+)$|"
    r",?\s*\b(?:with|containing|including|that contains|that includes)\s+(?P<facts>.+)$", re.IGNORECASE,
)  # fmt: skip
_ABOUT = re.compile(
    rf"\babout\s+(?:the\s+)?(?P<v>{ANY}|.+?)(?=\s*,|\s+(?:and|with|saying|that says|containing)\b|$)", re.IGNORECASE
)
_AS_BODY = re.compile(
    rf",?\s*(?:\band\s+)?(?:\bwith\s+|\busing\s+)?(?P<v>{ANY}|(?:the|its|both|all|it|them)\b(?:(?!\bwith\b|\bsubject\b|,).)*?)"
    r"\s+as\s+(?:the\s+|its\s+)?(?:message|body|text|content)s?\b", re.IGNORECASE,
)  # fmt: skip
_REPLY = re.compile(r"^(?:reply|respond|write back|answer)(?:\s+to)?\s+(?P<rest>.+)$", re.IGNORECASE)
_REPLY_NOUN = re.compile(r"^(?:send|write|draft)\s+(?:a\s+)?reply\s+to\s+(?P<rest>.+)$", re.IGNORECASE)
_TO_MAIL = re.compile(r"^answer\s+(?:.*\bto\b|(?:the|that|this)\s+(?:e-?mail|mail|message)\b)", re.IGNORECASE)
_FORWARD = re.compile(rf"^forward\s+(?P<what>.+?)\s+to\s+(?P<to>{_PEOPLE})(?P<rest>.*)$", re.IGNORECASE)


class _Parts(NamedTuple):
    subject: c.Value
    body: c.Value
    reads: list[c.Clause]
    rest: str


def compose(words: str, ctx: Context) -> Found:
    """`email the total to dana@x with subject S`, `send Dana an e-mail saying T`."""
    match = next((m for form in _FORMS if (m := form.match(words))), None)
    if match is None:
        return None
    groups = match.groupdict()
    words_left, app = take_place(groups["rest"], ctx.masks, ctx.apps)
    to_words, rest = groups.get("to") or "", f" {words_left}"
    if not to_words and (found := _TO.search(rest)):
        to_words, rest = found["to"], rest[: found.start()] + rest[found.end() :]
    to = _people(to_words, ctx)
    what = groups.get("what") or ""
    if not to or _is_document(what):
        return None
    parts = _parts(rest, ctx)
    body, reads = parts.body, parts.reads
    plain = re.sub(r"^[\s,]+|^(?:the\s+)", "", parts.rest)
    if not what and not body and plain:
        what = parts.rest.strip(" ,")
    if what and not re.fullmatch(rf"{_NEW}{_MAIL}\s*", what, re.IGNORECASE):
        value, more = value_of(what, ctx, is_fact=ctx.masks.only(what) is None)
        body, reads = (c.Value(body.text, (*value.facts, *body.facts)) if value.facts else value), [*more, *reads]
    draft = words.casefold().startswith("draft")
    return [*reads, c.Compose(app, to, parts.subject, body, not draft)]


def _is_document(what: str) -> bool:
    """`send the form to Ada` is no new mail; `forward the mail` neither."""
    return bool(re.fullmatch(r"(?:the|this|my|it)?\s*(?:form|claim|reply|draft|report)", what.strip(), re.IGNORECASE))


def _people(words: str, ctx: Context) -> tuple[str, ...]:
    names = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.sub(r"^the\s+", "", words.strip()))
    return tuple(ctx.masks.show(name) for name in names if name)


def _parts(rest: str, ctx: Context) -> _Parts:
    subject, body = c.Value(), c.Value()
    reads: list[c.Clause] = []
    if found := _AS_BODY.search(rest):
        body, reads = value_of(found["v"], ctx, is_fact=ctx.masks.only(found["v"]) is None)
        rest = rest[: found.start()] + rest[found.end() :]
    if found := _SUBJECT.search(rest) or _ABOUT.search(rest):
        subject, more = value_of(found["v"], ctx, is_fact=False)
        reads = [*reads, *more]
        rest = rest[: found.start()] + rest[found.end() :]
    if not body and (found := _MESSAGE.search(rest)):
        literal = found["v"] or found["said"]
        body, more = value_of(
            literal or found["facts"], ctx, is_fact=not literal and ctx.masks.only(found["facts"].strip()) is None
        )
        reads = [*reads, *more]
        rest = rest[: found.start()]
    return _Parts(subject, body, reads, rest)


def reply(words: str, ctx: Context) -> Found:
    """`reply to the mail from Priya saying T`."""
    match = _REPLY_NOUN.match(words) or _REPLY.match(words)
    if not match or (words.casefold().startswith("answer") and not _TO_MAIL.match(words)):
        return None
    rest, app = take_place(match["rest"], ctx.masks, ctx.apps)
    held = ctx.masks.only(rest.strip(" :,"))
    if held is not None and held.kind == "quoted":
        return [c.Reply(app, ctx.entity if ctx.entity.noun == "mail" else c.Entity("mail"), c.Value(held.raw))]
    found = _said(rest)
    body = c.Value()
    reads: list[c.Clause] = []
    if found:
        literal = found["v"] or found["said"] or ""
        body, reads = value_of(literal or found["facts"], ctx, is_fact=not literal and not ctx.masks.only(found["facts"].strip()))
        rest = rest[: found.start()]
    elif masks := re.search(rf"[,:]?\s+({ANY})$", rest):
        body, rest = c.Value(ctx.masks.show(masks.group(1))), rest[: masks.start()]
    entity = (
        ctx.entity if re.fullmatch(r"(?:it|this|that|them|him|her|the mail|the message)", rest.strip(" ,")) else _mail(rest, ctx)
    )
    return [*reads, c.Reply(app, entity, body, not words.casefold().startswith("draft"))]


def _said(rest: str) -> re.Match[str] | None:
    """As _MESSAGE, but `about the offsite` belongs to the mail that is meant."""
    return next(
        (m for m in _MESSAGE.finditer(rest) if not re.match(r",?\s*about\b", m.group()) and "subject" not in m.group()[:24]), None
    )


def _mail(words: str, ctx: Context) -> c.Entity:
    entity = parse_entity(words, ctx.masks)
    return (
        entity
        if entity.noun
        else c.Entity("mail", entity.id, entity.name, entity.subject, entity.dated, entity.filters, entity.pick)
    )


def forward(words: str, ctx: Context) -> Found:
    """`forward the mail from Ada to dana@x`."""
    match = _FORWARD.match(words)
    if not match:
        return None
    what, app = take_place(match["what"], ctx.masks, ctx.apps)
    entity = ctx.entity if what.casefold() in {"it", "this", "that", "the mail"} else _mail(what, ctx)
    parts = _parts(match["rest"], ctx)
    if entity.noun not in {"mail", "item", ""} and noun_phrase(what, ctx.masks).facts:
        return None
    return [*parts.reads, c.Forward(app, entity, _people(match["to"], ctx), parts.body)]


MAILS = (forward, reply, compose)


_ARTICLES = r"(?:the|my|our|a|an|its|this)\s+"
_WRITE = re.compile(rf"^(?P<verb>{ENTER_VERBS}|{COPY_VERBS}|use|carry|move)\s+(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)
_CREATED = (
    "note|folder|event|appointment|meeting|task|contact|document|memo|reminder|file|claim|expense|list|entry|todo|directory|draft"
)
_CREATE = re.compile(
    rf"^(?:{CREATE_VERBS})\s+(?:(?:me|us)\s+)?(?P<new>an?\s+new\s+|an?\s+|new\s+|the\s+new\s+|another\s+)(?P<noun>(?:\w+\s+)?(?:{_CREATED}))\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_SET = re.compile(rf"^(?:{SET_VERBS})\s+(?:{_ARTICLES})?(?P<field>.+?)\s+(?:to|as|=|into)\s+(?P<value>.+)$", re.IGNORECASE)
_ITS = re.compile(rf"^(?:{SET_VERBS})\s+(?:its|their)\s", re.IGNORECASE)
_AND_FIELD = re.compile(
    r"(?:,\s*(?:and\s+)?|\s+and\s+)(?:(?:set|change)\s+)?(?:the|its|their)\s+([a-z][a-z ]{0,30}?)\s+(?:to|as)\s+", re.IGNORECASE
)
_FILL_WITH = re.compile(
    r"^(?:fill(?:\s+(?:in|out|up))?|complete)\s+(?P<form>.+?)(?:\s+(?:with|using|from|as follows|like this)\s*:?\s+"
    r"|\s*:\s*)(?P<rest>.+)$",
    re.IGNORECASE,
)
_FILL = re.compile(r"^(?:fill(?:\s+(?:in|out|up))?|complete)\s+(?P<form>.+?)(?:\s+(?:in|out|up))?$", re.IGNORECASE)
_SELECT = re.compile(rf"^(?:{SELECT_VERBS})\s+(?P<rest>.+)$", re.IGNORECASE)
_TITLE = re.compile(
    rf"^\s*,?\s*(?:(?:titled|called|named|entitled|with (?:the |a )?(?:title|name)(?: of)?|for)\s+)(?P<title>{ANY}"
    rf"|.+?)(?=\s*(?:,|\b(?:with|containing|and|that says|saying|holding|having)\b)|$)",
    re.I,
)
_BODY = re.compile(
    r"\s*(?:,\s*)?(?:and\s+)?(?:with|containing|that says|which says|saying|holding|that contains|that reads"
    r"|including|listing|having)\s+"
    r"(?:(?:the|a|its)?\s*(?:text|body|content|contents|message|words)(?:\s+of|:)?\s+)?(?P<body>.+)$", re.I,
)  # fmt: skip


def write(words: str, ctx: Context) -> Found:
    """`enter V as F in A`, `copy V into D`, `put V in D`, `use V as F`."""
    match = _WRITE.match(words)
    if not match:
        return None
    verb = match["verb"].casefold()
    is_fact = bool(re.fullmatch(rf"{COPY_VERBS}|carry|move", verb))
    if several := _several(match["rest"], is_fact, ctx):
        return several
    value_words, target = _split(match["rest"], ctx)
    if not target and not is_fact and verb in {"use", "log", "record", "complete", "fill", "fill in", "fill out"}:
        return None
    left, app = take_place(match["rest"], ctx.masks, ctx.apps)
    if (
        not is_fact
        and not re.search(r"\b(?:as|into)\b", left)
        and (pairs := pairs_of(left, ctx))
        and (not target or _named_fields(pairs))
    ):
        return _pairs(left, app, ctx)
    value, reads = value_of(value_words, ctx, is_fact=is_fact)
    if not value and not ctx.masks.only(value_words):
        return None
    if target and target.field and len(value.facts) > 1 and not re.match(r"(?:both|all|them)\b", value_words, re.IGNORECASE):
        rest = c.Value(value.text, value.facts[:-1])  # "the vendor and the total as the amount": only the last has a field
        last = _written(c.Value(facts=value.facts[-1:]), target, ctx)
        return [*reads, _written(rest, replace(target, field=""), ctx), last]
    return [*reads, _written(value, target, ctx, verb), *(saved(target.entity) if target and target.kept else ())]


def _named_fields(pairs: list[tuple[str, str]]) -> bool:
    return all(
        field.casefold().split()[0] in FIELD_WORDS and not re.search(r"\b(?:as|into|to|in)\b", value) for field, value in pairs
    )


def _several(rest: str, is_fact: bool, ctx: Context) -> Found:
    """`the vendor as the merchant and the total as the amount in the form`."""
    left, app = take_place(rest, ctx.masks, ctx.apps)
    parts = LIST.split(left)
    if len([part for part in parts if re.search(r"\sas\s", part)]) < 2:
        return None
    found: list[c.Clause] = []
    for part in parts:
        words, _, field = ([*re.split(r"\s+(as)\s+", part, maxsplit=1), "", ""])[:3]
        value, reads = value_of(words, ctx, is_fact=is_fact)
        spot = destination(field, ctx) if field else Destination()
        found += [*reads, c.Enter(app or spot.app or ctx.form, value, spot.field)]
    return found


def _split(rest: str, ctx: Context) -> tuple[str, Destination | None]:
    """The value's words and where they go."""
    named = re.match(r"^(?P<v>.+?)\s+as\s+(?P<f>.+?)(?:\s+(?:in|into|on|to|(?P<of>of))\s+(?P<app>.+))?$", rest, re.I)
    if named and not re.search(r"\b(?:into|onto)\b", named["v"]):
        if named["of"] and (whose := destination(f"{named['f']} of {named['app']}", ctx)).kept:
            return named["v"], whose
        inner = destination(named["app"], ctx) if named["app"] else Destination()
        spot = destination(named["f"], ctx)
        return named["v"], replace(inner, field=spot.field or inner.field, app=spot.app or inner.app)
    for preps in (r"into|onto", r"to", r"in|on|under|at|for"):
        cuts = list(re.finditer(rf"\s+(?:{preps})\s+", rest, re.IGNORECASE))
        if preps.startswith("in|") and cuts and not _short(rest[: cuts[0].start()], ctx):
            cuts = cuts[-1:]
        if cuts:
            return rest[: cuts[0].start()], destination(rest[cuts[0].end() :], ctx)
    return rest, None


def _short(words: str, ctx: Context) -> bool:
    plain = words.casefold().strip()
    return (
        plain in PRONOUNS
        or ctx.masks.only(words) is not None
        or plain.removeprefix("the ") in FIELD_WORDS
        or bool(ctx.fact_for(plain.removeprefix("the ")))
    )


def _written(value: c.Value, target: Destination | None, ctx: Context, verb: str = "") -> c.Clause:
    spot = target or Destination()
    if spot.create:
        return c.Create(spot.app, spot.create, c.Value(spot.title), value)
    if spot.field.casefold() in {"form", "sheet"}:
        spot = replace(spot, field="")
    form = ctx.form if not spot.entity and (not target or spot.field) else ""
    return c.Enter(spot.app or form, value, spot.field, spot.entity, verb in {"add", "append"} and bool(spot.entity))


def fill(words: str, ctx: Context) -> Found:
    """`fill in the form with V`, `fill the expense form: vendor Acme, amount $5`, `fill in F with V`."""
    match = _FILL_WITH.match(words)
    if match:
        spot = destination(match["form"], ctx)
        pairs = _pairs(match["rest"], spot.app, ctx) if not spot.field or spot.field.casefold() == "form" else None
        if pairs:
            return pairs
        value, reads = value_of(match["rest"], ctx, is_fact=False)
        return [*reads, _written(value, spot, ctx)]
    bare = _FILL.match(words)
    if not bare or re.search(r"\b(?:into|to)\b", bare["form"]):
        return None
    spot = destination(bare["form"], ctx)
    formal = spot.app or re.fullmatch(rf"(?:{_ARTICLES})?(?:form|rest|fields|remaining fields|it)", bare["form"], re.IGNORECASE)
    return [c.Complete(spot.app or ctx.form)] if formal else None


def _pairs(text: str, app: str, ctx: Context) -> Found:
    pairs = pairs_of(text, ctx)
    if not pairs:
        return None
    found: list[c.Clause] = []
    for field, value_words in pairs:
        value, reads = value_of(value_words, ctx, is_fact=False)
        found += [*reads, c.Enter(app or ctx.form, value, field)]
    return found


def set_field(words: str, ctx: Context) -> Found:
    """`set the amount to 12.50`, `set the status of ticket T-7 to Closed and the priority to Low`."""
    match = _SET.match(words)
    if not match:
        return None
    first, *more = _AND_FIELD.split(match["value"])
    found = _set_one(match["field"], first, bool(_ITS.match(words)), ctx)
    record = next((x.entity for x in found if isinstance(x, c.Enter)), c.NOTHING)
    for field, text in zip(more[::2], more[1::2], strict=True):
        value, reads = value_of(text, ctx, is_fact=False)
        found += [*reads, c.Enter("" if record else ctx.form, value, field, record), *saved(record)]
    return found


def _set_one(field: str, words: str, its: bool, ctx: Context) -> list[c.Clause]:
    value, reads = value_of(words, ctx, is_fact=False)
    spot = destination(field, ctx)
    if its and not ctx.form and not spot.entity and not spot.app and ctx.entity.specific:
        spot = replace(spot, entity=ctx.entity, kept=True)
    app = spot.app
    if not app and not ctx.masks.only(words):
        left, app = take_place(words, ctx.masks, ctx.apps)
        value, reads = value_of(left, ctx, is_fact=False)
    entered = c.Enter(app or ("" if spot.entity else ctx.form), value, spot.field, spot.entity)
    return [*reads, entered, *(saved(spot.entity) if spot.kept else ())]


def select(words: str, ctx: Context) -> Found:
    """`choose category Travel`, `select Travel as the category`, `pick Travel from the Category list`."""
    match = _SELECT.match(words)
    if not match:
        return None
    rest, app = take_place(match["rest"], ctx.masks, ctx.apps)
    how = re.match(r"^(?P<v>.+?)\s+(?:as|for|in|from|under)\s+(?P<f>.+)$", rest, re.IGNORECASE)
    if not how and (pairs := pairs_of(rest, ctx)):
        return [_choice(field, value, app, ctx) for field, value in pairs]
    if re.search(rf"\b(?:{'|'.join(NOUNS)})\b", rest, re.IGNORECASE) and not how:
        return [c.OpenItem(app, parse_entity(rest, ctx.masks))]
    if how:
        spot = destination(how["f"], ctx)
        chosen = _choice(spot.field, how["v"], app or spot.app, ctx)
        return [c.OpenItem("", spot.entity), replace(chosen, app=""), *saved(spot.entity)] if spot.kept else [chosen]
    return [_choice("", re.sub(rf"^{_ARTICLES}|\s+(?:option|entry)$", "", rest, flags=re.IGNORECASE), app, ctx)]


def _choice(field: str, words: str, app: str, ctx: Context) -> c.Clause:
    option = re.sub(r"^(?:the\s+)?(?:option|value|entry)\s+", "", words, flags=re.IGNORECASE)
    value, _ = value_of(option, ctx, is_fact=False)
    return c.Select(app or ctx.form, value, field)


def create(words: str, ctx: Context) -> Found:
    """`create a note titled X with text Y`, `make a folder called X`."""
    match = _CREATE.match(words)
    if not match or re.match(r"\s+(?:from|by|dated)\b", match["rest"]):
        return None
    rest, app = take_place(match["rest"], ctx.masks, ctx.apps)
    title = _TITLE.match(rest)
    rest = rest[title.end() :] if title else rest
    body = c.Value()
    reads: list[c.Clause] = []
    if said := _BODY.match(rest):
        is_fact = not ctx.masks.only(said["body"]) and bool(re.match(r"the\s|it$|them$|both", said["body"]))
        body, reads = value_of(said["body"], ctx, is_fact=is_fact)
        rest = ""
    if rest.strip(" ,"):
        return None
    noun = match["noun"].casefold()
    name, more = value_of(title["title"], ctx, is_fact=False) if title else (c.Value(), [])
    return [*reads, *more, c.Create(app, NOUNS.get(noun, noun), name, body)]


ENTRIES = (create, fill, set_field, select, write)
