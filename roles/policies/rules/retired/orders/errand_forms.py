"""Requests that take several steps: read on a page that is reached by its links, sign in, prepare, merge, keep."""

from __future__ import annotations

import re
from collections.abc import Callable

from roles.contracts import clauses as c
from roles.policies.rules.english.phrases import parse_entity
from roles.policies.rules.english.reference import Context, slot
from roles.policies.rules.retired.orders.given_forms import NAME
from roles.policies.rules.retired.records.cell_forms import BOOK, CELLS
from roles.policies.rules.retired.records.event_forms import EVENTS, event_clauses
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_Build = Callable[[re.Match[str], Context], Found]


def _shown(match: re.Match[str], name: str, ctx: Context) -> str:
    return ctx.masks.show(match[name] or "").strip()


def _on_pages(match: re.Match[str], ctx: Context) -> Found:
    """`look up in the P of the Q on the intranet what the limit "L" is in Dublin`: a row and a column of a table."""
    ways = [ctx.masks.show(part) for part in reversed(re.split(r" of the ", match["pages"]))]
    entity = c.Entity("row", name=_shown(match, "row", ctx))
    web = match["web"]
    read = c.Read(web, (_shown(match, "column", ctx),), entity, (match["fact"].casefold(),))
    return [*(c.ClickOn(web, way) for way in ways), read]


def _of_person(match: re.Match[str], ctx: Context) -> Found:
    """`find out from the people directory on the intranet who the deputy is`: of the person spoken of, and the mail address."""
    if not ctx.person:
        return None
    fact, web = match["fact"].casefold(), match["web"]
    page = re.sub(r"\s+(?:directory|list|pages?)$", "", _shown(match, "page", ctx)).capitalize()
    read = c.Read(web, (fact,), c.Entity("person", name=ctx.person), (fact,))
    address = c.Read(web, ("mail",), c.Entity("person", name=slot(fact)), (f"{fact} mail",))
    ctx.person = slot(f"{fact} mail")
    return [c.ClickOn(web, page), read, c.ClickOn(web, page), address]


def _to_that_person(match: re.Match[str], ctx: Context) -> Found:
    """`send that person a mail with the subject S and the text T`."""
    if not ctx.person:
        return None
    return [c.Compose("", (ctx.person,), c.Value(_shown(match, "subject", ctx)), c.Value(_shown(match, "text", ctx)))]


def _sign_in(match: re.Match[str], ctx: Context) -> Found:
    page, web = re.sub(r"\s+pages?$", "", _shown(match, "page", ctx)).capitalize(), match["web"]
    return [
        c.ClickOn(web, page), c.Enter(web, c.Value(_shown(match, "user", ctx)), "user name"),
        c.Enter(web, c.Value(_shown(match, "password", ctx)), "password"), c.ClickOn(web, "Sign in"),
    ]  # fmt: skip


def _on_record(match: re.Match[str], ctx: Context) -> Found:
    """`look up the travel allowance on the payslip of April 2026`."""
    entity = c.Entity(match["noun"].casefold(), name=_shown(match, "name", ctx))
    return [c.Read("", (match["fact"].casefold(),), entity)]


def _prepare(match: re.Match[str], ctx: Context) -> Found:
    """`Prepare the payment of INV-7`: what that takes is said after it."""
    ctx.mean(parse_entity(match["of"], ctx.masks))
    return [] if ctx.entity.specific else None


def _reminder(match: re.Match[str], ctx: Context) -> Found:
    """`put a reminder "Pay" into the calendar on the day on which it is due, from 09:00 to 10:00`."""
    if not ctx.entity.specific:
        return None
    read = c.Read("", ("due date",), ctx.entity)
    day = c.Value(facts=read.fact_names())
    begin, end = c.Value(_shown(match, "begin", ctx)), c.Value(_shown(match, "end", ctx))
    ctx.mean(ctx.entity)
    return [read, *event_clauses(match["app"], _shown(match, "title", ctx), day, begin, end)]


def _address(match: re.Match[str], ctx: Context) -> Found:
    """`look up the address of Ada in my contacts`: where mail goes is an e-mail address."""
    name = _shown(match, "name", ctx)
    fact = "email address" if match["fact"].casefold() == "address" else match["fact"].casefold()
    read = c.Read("", (fact,), c.Entity("contact", name=name))
    ctx.person = slot(read.fact_names()[0])
    if ctx.entity.noun != "contact":
        ctx.mean(ctx.entity)
    return [read]


def _mail_there(match: re.Match[str], ctx: Context) -> Found:
    """`mail the total there with the subject S`."""
    if not ctx.person or not ctx.entity.specific:
        return None
    entity = ctx.entity
    read = c.Read("", (match["fact"].casefold(),), entity)
    ctx.mean(entity)
    return [read, c.Compose("", (ctx.person,), c.Value(_shown(match, "subject", ctx)), c.Value(facts=read.fact_names()))]


def _note_with(match: re.Match[str], ctx: Context) -> Found:
    """`make a note titled T with the vendor and the total`, of what is meant, or of a row of the sheet."""
    facts = tuple(
        re.sub(r"^(?:the|its)\s+", "", part.strip()).casefold() for part in re.split(r"\s+and\s+|\s*,\s*", match["facts"])
    )
    entity, app = ctx.entity, ""
    if match["row"]:
        entity, app = c.Entity("row", pick="last" if match["row"].casefold() == "last" else "first"), ctx.form or BOOK
    if not entity.specific:
        return None
    read = c.Read(app, facts, entity)
    return [read, c.Create("", "note", c.Value(_shown(match, "title", ctx)), c.Value(facts=read.fact_names()))]


def _merge(match: re.Match[str], ctx: Context) -> Found:
    return [c.Act("", "merge", c.Entity("contact", name=ctx.person))] if ctx.person else None


def _twice(match: re.Match[str], ctx: Context) -> Found:
    ctx.person = _shown(match, "name", ctx)
    ctx.mean(c.Entity("contact", name=ctx.person))
    return []


def _sorted(match: re.Match[str], ctx: Context) -> Found:
    down = bool(re.search(r"largest|highest|newest|latest|descending|most", match["how"] or ""))
    ctx.form = BOOK
    saved = [c.Commit(BOOK, "save", "workbook")] if match["save"] else []
    return [c.Sort(BOOK, _shown(match, "sheet", ctx), match["column"].casefold(), down), *saved]


def _keep_only(match: re.Match[str], ctx: Context) -> Found:
    quantity = _shown(match, "quantity", ctx)
    return [c.KeepOnly("cart", "cart", _shown(match, "item", ctx), quantity)]


def _said(match: re.Match[str], ctx: Context) -> Found:
    """`write the phone number that Ada left on the answering machine into a new note titled T`."""
    read = c.Read("", (match["fact"].casefold(),), c.Entity("recording", name=_shown(match, "name", ctx)))
    return [read, c.Create("", "note", c.Value(_shown(match, "title", ctx)), c.Value(facts=read.fact_names()))]


def _caption(match: re.Match[str], ctx: Context) -> Found:
    """`write the caption of its latest picture into a new note titled T`."""
    read = c.Read("", ("caption",), c.Entity("picture", name=ctx.entity.name))
    return [read, c.Create("", "note", c.Value(_shown(match, "title", ctx)), c.Value(facts=read.fact_names()))]


def _reschedule(match: re.Match[str], ctx: Context) -> Found:
    """`move it to 12:00 on the same day, just as long as it was`."""
    if ctx.entity.noun != "event":
        return None
    return [c.Reschedule("", ctx.entity, _shown(match, "to", ctx))]


def _mail_attendees(match: re.Match[str], ctx: Context) -> Found:
    """`mail everybody who attends that it is now at 12:00`."""
    words = _shown(match, "words", ctx)
    return [c.Invite("", ctx.entity, c.Value(words[:1].upper() + words[1:].rstrip(".") + "."))] if ctx.entity.specific else None


_TITLED = rf"an? (?:new )?note (?:titled|called|named|with the title) (?P<title>{ANY})"
ERRANDS: tuple[tuple[str, _Build], ...] = (
    (
        rf"[Ll]ook up in the (?P<pages>[\w ]+?) on the (?P<web>intranet|website) what the (?P<fact>[a-z]+)"
        rf" (?P<row>{ANY}) is in (?P<column>{NAME})",
        _on_pages,
    ),
    (r"(?:[Ff]ind out|[Ll]ook up) (?:from|in) the (?P<page>[\w ]+?) on the (?P<web>intranet|website) who"
     r" the (?P<fact>[a-z]+) is", _of_person),
    (rf"[Ss]end (?:that person|him|her|them) a mail with the subject (?P<subject>{ANY}) and the text"
     rf" (?P<text>{ANY})", _to_that_person),
    (
        rf"[Ss]ign in to the (?P<page>[\w ]+?) of the (?P<web>intranet|website) as (?P<user>{NAME}) with the"
        rf" password (?P<password>\S+?)",
        _sign_in,
    ),
    (r"[Ll]ook up the (?P<fact>[a-z]+(?: [a-z]+)*?) on the (?P<noun>[a-z]+) of (?P<name>[^,]+?)", _on_record),
    (rf"[Pp]repare the [a-z]+ (?:of|for) (?P<of>{ANY}|[a-z]+ {ANY})", _prepare),
    (
        rf"[Pp]ut an? (?:reminder|event|entry) (?P<title>{ANY}) (?:into|in) (?:the|my) (?P<app>calendar) on the day"
        rf" on which it is due"
        rf"(?:,? from (?P<begin>{ANY}) to (?P<end>{ANY}))", _reminder,
    ),
    (rf"(?:[Tt]hen )?[Ll]ook up the (?P<fact>address|phone number|company) of (?P<name>{NAME}) in my contacts", _address),
    (rf"[Mm]ail the (?P<fact>[a-z]+) there with the subject (?P<subject>{ANY})", _mail_there),
    (
        rf"(?:(?:[Ll]ast|[Tt]hen|[Ff]inally),? )?(?:[Mm]ake|[Cc]reate|[Ww]rite) {_TITLED} with"
        rf" (?P<facts>the [a-z]+(?:(?: and |, )the [a-z]+)*)"
        r"(?: of the row (?:that|which) comes (?P<row>first|last))?", _note_with,
    ),
    (r"[Mm]ake one (?:entry|contact|of) (?:out )?(?:of )?(?:the|them|both)(?: (?:two|entries))?(?:,? without .+)?", _merge),
    (rf"(?P<name>{NAME}) is in my contacts (?:twice|two times)", _twice),
    (
        r"[Ss]ort the (?P<sheet>\w+) sheet by (?P<column>[a-z]+)(?: (?:with|so that)"
        r" (?P<how>.+?))??(?P<save> and save (?:it|the \w+))?",
        _sorted,
    ),
    (rf"[Kk]eep only the (?P<item>[^,]+?), exactly (?P<quantity>{ANY}) of it, and (?:take|throw"
     rf"|remove) everything else(?: out)?", _keep_only),
    (rf"[Ww]rite the (?P<fact>[a-z]+(?: [a-z]+)?) that (?P<name>{NAME}) left on the answering machine into {_TITLED}", _said),
    (rf"[Ww]rite the caption of (?:its|the) latest picture into {_TITLED}", _caption),
    (rf"[Mm]ove it to (?P<to>{ANY}) on the same day(?:,? (?:just )?as long as it was)?", _reschedule),
    (r"[Mm]ail (?:everybody|everyone|all) who attends that (?P<words>.+)", _mail_attendees),
)  # fmt: skip
_PATTERNS = tuple((re.compile(pattern), build) for pattern, build in (*CELLS, *EVENTS, *ERRANDS))


def errand(words: str, ctx: Context) -> Found:
    """One clause of this kind, when connectors have cut the sentence."""
    for pattern, build in _PATTERNS:
        if (match := pattern.fullmatch(words.strip(" ,."))) and (found := build(match, ctx)) is not None:
            return found
    return None
