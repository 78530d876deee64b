"""Clauses about mail: send, write, reply, forward."""

from __future__ import annotations

import re
from typing import NamedTuple

from roles.contracts import clauses as c
from roles.policies.rules.english.phrases import noun_phrase, parse_entity, take_place
from roles.policies.rules.english.reference import Context, value_of
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
_BODY = re.compile(
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
    if not body and (found := _BODY.search(rest)):
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
    """As _BODY, but `about the offsite` belongs to the mail that is meant."""
    return next(
        (m for m in _BODY.finditer(rest) if not re.match(r",?\s*about\b", m.group()) and "subject" not in m.group()[:24]), None
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
