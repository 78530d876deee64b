"""Statements: what the user tells about the case before asking for something. They name what is meant, and ask for nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from roles.policies.rules.phrases import Misread, own_record, parse_entity, take_place
from roles.policies.rules.reference import Context, asked_in, reads_for, slot
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import ALL_VERBS
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
NAME = rf"(?:{ANY}|[A-Z][\w’'.-]*(?:\s+[A-Z][\w’'.-]*)*)"
_QUICK = r"(?:(?i:quick|hello|hi|please),?\s+)?"
_WROTE = r"(?:wrote|has written|told|has told|said|sent|mailed)"
CHAT = "chat"


def _money_for(match: re.Match[str], ctx: Context) -> Found:
    ctx.mean(parse_entity(match["of"], ctx.masks))
    return []


def _bought(match: re.Match[str], ctx: Context) -> Found:
    ctx.mean(c.Entity("order", name=ctx.masks.show(match["what"])))
    return []


def _mail_of(match: re.Match[str], ctx: Context) -> Found:
    groups = match.groupdict()
    subject, name = groups.get("subject") or "", groups["name"]
    known = bool(name) and not re.fullmatch(r"somebody|someone", name, re.IGNORECASE)
    ctx.person = ctx.masks.show(name) if known else ""
    ctx.mean(c.Entity("mail", name=ctx.person, subject=ctx.masks.show(subject)))
    return []


def _told_in_chat(match: re.Match[str], ctx: Context) -> Found:
    """`Lee told me in chat which room "Lunch" takes place in`: read it there; what it is about is meant from now on."""
    name = ctx.person = ctx.masks.show(match["name"])
    asked = asked_in(match["what"])
    if not asked:
        return None
    of = next((one.of for one in asked if one.of), "")
    if of:
        ctx.mean(c.Entity("event", name=ctx.masks.show(re.sub(rf"^the\s+(?={ANY})", "", of))))
    return [c.Read(CHAT, tuple(one.fact for one in asked), c.Entity("conversation", name=name))]


def _has_new(match: re.Match[str], ctx: Context) -> Found:
    """`Maria has a new phone number and told me in chat`: it is her entry that has to change."""
    name = ctx.person = ctx.masks.show(match["name"])
    ctx.mean(c.Entity("contact", name=name))
    return [c.Read(CHAT, (match["fact"].casefold(),), c.Entity("conversation", name=name))]


def _asks_in_chat(match: re.Match[str], ctx: Context) -> Found:
    """A question in a conversation is about the record whose number it names."""
    name = ctx.person = ctx.masks.show(match["name"])
    read = c.Read(CHAT, ("invoice number",), c.Entity("conversation", name=name))
    ctx.mean(c.Entity("invoice", id=slot(read.fact_names()[0])))
    return [read]


def _wants_to_know(match: re.Match[str], ctx: Context) -> Found:
    ctx.person = ctx.masks.show(match["name"])
    asked = asked_in(match["what"])
    return reads_for(asked, ctx) if asked else None


def _needs(match: re.Match[str], ctx: Context) -> Found:
    """`Mina needs the phone number of Iris. It is in my contacts`."""
    ctx.person = ctx.masks.show(match["name"])
    place, fact = match["place"], match["fact"].casefold()
    entity = c.Entity("contact", name=ctx.masks.show(match["of"]))
    return [c.Read(place or "", (fact,), entity)]


def _thing(match: re.Match[str], ctx: Context) -> Found:
    """`My note "X" lacks something`, `Dana's invitation "X" lapses soon`: that thing is meant."""
    noun = (match["noun"] or "event").casefold()
    dated = ctx.masks.show(match["day"] or "")
    ctx.mean(c.Entity(noun, name=ctx.masks.show(match["title"]), dated=dated))
    return []


def _in_place(match: re.Match[str], ctx: Context) -> Found:
    """`It lies in the Reports folder`: said for whoever looks for it; it is found without as well."""
    return []


def _circumstance(match: re.Match[str], ctx: Context) -> Found:
    """Any other statement of fact, such as `The books close in two minutes`."""
    name = re.match(NAME, match.group())
    if name and len(name.group().split()) > 1:
        ctx.person = ctx.masks.show(name.group())
    said = re.split(rf"\s(?:{_STATES})\b", match.group(), maxsplit=1)[0]
    with suppress(Misread):  # it speaks of no record
        if record := own_record(said[:1].lower() + said[1:], ctx.masks, ctx.apps):
            ctx.mean(record)
    text, _ = take_place(match.group(), ctx.masks, ctx.apps)
    return [] if text else None


_Build = Callable[[re.Match[str], Context], Found]
_STATES = r"is|are|was|were|has|have|lacks|closes?|lapses|overlaps|cannot|lies|stands|gets"
GIVEN: tuple[tuple[str, _Build], ...] = (
    (r"I (?:need|want|would like) the money for (?P<of>.+?) back", _money_for),
    (
        r"I (?:have )?(?:bought|ordered|purchased) (?:the |an? )?(?P<what>.+?)"
        r"(?: (?:for|from|in) (?:work|the office|the shop|myself))?(?: and (?:do not|don[’']t) (?:want|need) it any ?more)?",
        _bought,
    ),
    (rf"(?P<name>{NAME}) {_WROTE}(?: to)? me in (?:the )?chat (?P<what>(?:which|what|where|when|who|how) .+)", _told_in_chat),
    (rf"(?P<name>{NAME}) has (?:an? )?new (?P<fact>[a-z]+(?:[ -][a-z]+)?) and {_WROTE}(?: it)?(?: to)?"
     rf" me in (?:the )?chat", _has_new),
    (rf"(?P<name>{NAME}) (?:asks|asked|has asked) me something in (?:the )?chat", _asks_in_chat),
    (rf"(?P<name>{NAME}) (?:wants|would like|needs|asks|asked) to know (?P<what>.+)", _wants_to_know),
    (
        rf"(?P<name>{NAME}|(?i:somebody|someone)) {_WROTE}(?: to)? me (?:a|an) (?:e-?)?mail "
        rf"(?:with the subject|about|titled) (?P<subject>{ANY}|.+)", _mail_of,
    ),
    (rf"(?P<name>{NAME}|(?i:somebody|someone)) {_WROTE}(?: to)? me about (?P<subject>{ANY})", _mail_of),
    (rf"(?P<name>{NAME}|(?i:somebody|someone)) {_WROTE}(?: to)? me about (?:an?|some) [a-z]+", _mail_of),
    (
        rf"(?P<name>{NAME}) needs the (?P<fact>[a-z]+(?:[ -][a-z]+)?) of (?P<of>{NAME})(?:,? which is in"
        rf" (?:my |the )?(?P<place>\w+))?",
        _needs,
    ),
    (
        rf"{_QUICK}(?:[Mm]y|[Tt]he|{NAME}['’]s) (?:(?P<noun>note|event|meeting|appointment|invitation|file|mail|contact) )?"
        rf"(?P<title>{ANY})(?: (?:on|of) (?P<day>{ANY}))? (?:{_STATES})\b(?! (?:called|titled|named|to)\b).*",
        _thing,
    ),
    (rf"[Tt]here is an? (?:e-?)?mail (?:called |titled )?(?P<subject>{ANY})(?P<name>)(?: in my inbox)?", _mail_of),
    (r"I am (?:leaving|going|moving|travelling|away|off)\b[^?]*", _circumstance),
    (r"[Ii]t (?:is|lies|stands|can be found) (?:in|on|under) [^{]*?", _in_place),
    (
        rf"{_QUICK}(?!(?i:please|kindly|now|then|and|{ALL_VERBS})\b)(?:[Tt]he|[Mm]y|[Oo]ur|[Tt]here|[Ii]t"
        rf"|{NAME}) (?:(?!\b(?:should|must|would|could|want|needs?|please|rather"
        rf"|let)\b)[^?])*?\b(?:{_STATES})\b"
        r"(?:(?!\b(?:should|must|would|could|want|needs?|please|rather|let)\b)[^?])*",
        _circumstance,
    ),
)  # fmt: skip
