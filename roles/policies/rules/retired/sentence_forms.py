"""Sentences that are understood as one: statements about the case, questions whose answer is used, roundabout requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from roles.policies.rules.phrases import Misread, parse_entity
from roles.policies.rules.reference import Context, asked_in, reads_for, slot
from roles.policies.rules.retired.deed_forms import CLAIMS, CONTACTS, submitted_late
from roles.policies.rules.retired.deed_forms import DEEDS as _DEEDS
from roles.policies.rules.retired.event_forms import EVENTS, event_clauses
from roles.policies.rules.retired.given_forms import GIVEN, NAME
from roles.policies.rules.retired.record_forms import BOOK, CELLS
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import PICKS
from roles.screen.language.masks import ANY, quote

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
_ERRAND_PATTERNS = tuple((re.compile(pattern), build) for pattern, build in (*CELLS, *EVENTS, *ERRANDS))


def errand(words: str, ctx: Context) -> Found:
    """One clause of this kind, when connectors have cut the sentence."""
    for pattern, build in _ERRAND_PATTERNS:
        if (match := pattern.fullmatch(words.strip(" ,."))) and (found := build(match, ctx)) is not None:
            return found
    return None


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


_PICK = "|".join(sorted(PICKS, key=len, reverse=True))
_BY_PRICE = re.compile(r"cheapest|expensive", re.IGNORECASE)
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_NUMBER = rf"(?:{ANY}|{'|'.join(_NUMBERS)})"
_HAS = r"(?:(?:that|which)\s+(?:has|have|is|are)|with|having|and\s+(?:is|has|are)|and)"
_QUALITIES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:of|in)\s+the\s+(?P<column>[a-z]+)\s+(?P<is>{NAME})",
        rf"{_HAS}\s+(?P<seats>[a-z]+)\s+for\s+(?:at\s+least\s+)?(?P<for>{_NUMBER})(?:\s+(?P<who>[a-z]+))?",
        rf"{_HAS}\s+at\s+least\s+(?P<least>{_NUMBER})\s+(?P<of>[a-z]+)",
        rf"{_HAS}\s+at\s+most\s+(?P<most>{_NUMBER})\s+(?P<of2>[a-z]+)",
        rf"{_HAS}\s+(?P<stock>in\s+stock|available)",
    )
)
_STARS = {"stars": "rating", "star": "rating"}


@dataclass
class Best:
    """Which one of a table is meant: conditions on its columns, the column that decides, and numbers a form may want."""

    noun: str
    pick: str
    column: str = ""
    conditions: list[str] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)
    """What the words say in passing, such as the number of persons."""
    looked_for: str = ""

    @property
    def name(self) -> str:
        return f"{self.pick} {self.noun}"

    @property
    def table(self) -> str:
        return f"{self.noun} table"

    def clauses(self, app: str, asked: str = "") -> list[c.Clause]:
        """Learn the table, then work out which one it is."""
        where = f" | where {' and '.join(self.conditions)}" if self.conditions else ""
        most = "largest" if PICKS[self.pick] == "largest" else "smallest"
        formula = f"table {quote(self.table)}{where} | {most} [{self.column}] | get [{asked or self.noun}]"
        entity = c.Entity(self.noun, name=self.looked_for)
        return [c.Collect(app, entity, self.table), c.Compute("", formula, self.name)]


def best_of(words: str, ctx: Context) -> Best | None:
    """`the cheapest item of the category Kitchen`, `the smallest room that has seats for 8 persons`."""
    match = re.match(rf"(?:the\s+)?(?P<pick>{_PICK})\s+(?P<noun>[a-z]+|{NAME})(?P<rest>.*)$", words.strip(), re.IGNORECASE)
    if match is None:
        return None
    best = Best(ctx.masks.show(match["noun"]).casefold(), match["pick"].casefold())
    rest = match["rest"].strip(" ,")
    while rest:
        quality = next((m for pattern in _QUALITIES if (m := pattern.match(rest))), None)
        if quality is None:
            return None
        _take(quality, best, ctx)
        rest = re.sub(r"^[\s,]+", "", rest[quality.end() :])
    best.column = "price" if _BY_PRICE.search(best.pick) else best.column
    return best if best.column else None


def _take(quality: re.Match[str], best: Best, ctx: Context) -> None:
    said = {name: _number(ctx.masks.show(value)) for name, value in quality.groupdict().items() if value is not None}
    match said:
        case {"column": column, "is": value}:
            best.conditions.append(f"[{column}] is {quote(value)}")
            best.looked_for = value
        case {"seats": column, "for": number}:
            best.conditions.append(f"[{column}] >= {number}")
            best.column = best.column or column
            best.told |= {said["who"]: number} if "who" in said else {}
        case {"least": number, "of": column}:
            best.conditions.append(f"[{_STARS.get(column, column)}] >= {number}")
        case {"most": number, "of2": column}:
            best.conditions.append(f"[{_STARS.get(column, column)}] <= {number}")
        case _:
            best.conditions.append('not [stock] contains "out" and not [stock] is "0"')


def _number(word: str) -> str:
    return _NUMBERS.get(word.casefold(), word)


def requested(match: re.Match[str], ctx: Context) -> Found:
    """`request 3 pieces of the cheapest item of the category Tools from the catalogue on the intranet, for the cost centre 1`."""
    best = best_of(match["what"], ctx)
    if best is None:
        return None
    web = match["web"].casefold()
    number = _number(ctx.masks.show(match["number"])) if match["number"] else ""
    entered: list[c.Clause] = [c.Enter(web, c.Value(number), "quantity")] if number else []
    for part in re.finditer(rf"for the (?P<field>[a-z]+(?: [a-z]+)?) (?P<value>{NAME})", match["more"] or ""):
        entered.append(c.Enter(web, c.Value(ctx.masks.show(part["value"])), part["field"]))
    chosen = c.OpenItem(web, c.Entity("item", name=slot(best.name)))
    return [c.ClickOn(web, match["page"]), *best.clauses(web), chosen, *entered, c.Commit(web, "submit", "request")]


def booked(match: re.Match[str], ctx: Context) -> Found:
    """`on the intranet, book the smallest room that has seats for 8 persons, for 2027-02-03 from 09:00`."""
    best = best_of(match["what"], ctx)
    if best is None:
        return None
    web = (match["web"] or match["web2"] or "").casefold()
    times = {name: ctx.masks.show(match[name]) for name in ("day", "from", "to") if match[name]}
    entered = [c.Enter(web, c.Value(value), name) for name, value in {**times, **best.told}.items()]
    chosen = c.Select(web, c.Value(facts=(best.name,)), best.noun)
    return [c.ClickOn(web, f"book a {best.noun}"), *best.clauses(web), chosen, *entered, c.Commit(web, "submit", "booking")]


_WEB = r"on the (?P<{}>intranet|website)"
BEST: tuple[tuple[str, Callable[[re.Match[str], Context], Found]], ...] = (
    (
        rf"(?i:request|order) (?:(?P<number>{_NUMBER}) (?:pieces?|copies|units?|of them)? ?of )?(?P<what>the .+?) from the"
        rf" (?P<page>[a-z]+) {_WEB.format('web')}(?P<more>(?:,? (?:and )?for the [a-z]+(?: [a-z]+)? {NAME})*)",
        requested,
    ),
    (
        rf"(?:[Oo]n the (?P<web>intranet|website),? )?(?i:book|reserve) (?P<what>the .+?)(?: {_WEB.format('web2')})?,? (?:for|on)"
        rf" (?P<day>{ANY}),?(?: from (?P<from>{ANY})(?: (?:to|until) (?P<to>{ANY}))?)?",
        booked,
    ),
)


DEEDS = (errand, *CLAIMS, *_DEEDS)
"""Forms of clauses, tried before those of commands, entries and records."""


def _renamed(match: re.Match[str], ctx: Context) -> Found:
    entity = c.Entity((match["noun"] or "file").casefold() if (match["noun"] or "file") in {"file", "folder", "note"} else "file",
                      name=ctx.masks.show(match["what"]))  # fmt: skip
    return [c.Rename("", entity, ctx.masks.show(match["to"]))]


def _prepared(match: re.Match[str], ctx: Context) -> Found:
    """A mail whose parts are told one by one."""
    of = asked_in(match["asked"]) if match["asked"] else None
    about = match["about"]
    if about:
        ctx.entity = parse_entity(about, ctx.masks)
    reads = reads_for(of, ctx) if of else []
    names = tuple(name for read in reads if isinstance(read, c.Read) for name in read.fact_names())
    body = c.Value(facts=names) if names else c.Value(ctx.masks.show(match["text"] or ""))
    return [*reads, c.Compose("", (ctx.masks.show(match["to"]),), c.Value(ctx.masks.show(match["subject"])), body)]


def _question(match: re.Match[str], ctx: Context) -> Found:
    """`Where does the "Lunch" take place that begins on ...?`: what follows says what becomes of the answer."""
    dated = ctx.masks.show(match["day"] or "")
    entity = c.Entity("event", name=ctx.masks.show(match["title"]), dated=dated)
    return [c.Read("", ("place",), entity)]


SENTENCES: tuple[tuple[str, _Build], ...] = (
    (
        rf"[Tt]he (?:(?P<noun>[a-z]+) )?(?P<what>{ANY}) (?:should|must|is to) be (?:called|named|renamed"
        rf" to) (?P<to>{ANY})(?: from now on)?",
        _renamed,
    ),
    (
        rf"(?:Prepare|Write|Draft|Send) an? (?:e-?)?mail to (?P<to>{NAME})(?: about (?P<about>[^:]+?))?:"
        rf" (?:the )?subject (?:is )?(?P<subject>{ANY})"
        rf",? (?:and )?(?:in the text should stand|the text (?:is|says)|text) (?:(?P<text>{ANY})|(?P<asked>.+))", _prepared,
    ),
    (rf"Where does (?:the |my )?(?P<title>{ANY}) take place(?: that (?:begins|starts|is) on"
     rf" (?P<day>{ANY})(?: (?:at )?{ANY})?)?\??", _question),
    *REFUSALS,
    *BEST,
    *CELLS,
    *CONTACTS,
    *EVENTS,
    *ERRANDS,
    *GIVEN,
)  # fmt: skip
_PATTERNS = tuple((re.compile(pattern), build) for pattern, build in SENTENCES)


def is_sentence(masked: str) -> bool:
    """Whether some form reads `masked` as a whole."""
    return any(pattern.fullmatch(masked.strip(" .!,")) for pattern, _ in _PATTERNS)


def sentence(masked: str, ctx: Context) -> Found:
    """The clauses of one sentence; None when it has to be cut after all."""
    for pattern, build in _PATTERNS:
        match = pattern.fullmatch(masked.strip(" .!,"))
        if not match:
            continue
        try:
            found = build(match, ctx)
        except Misread:
            continue
        if found is not None:
            return found
    return None


def in_order(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """As said, but what is added to a thing comes before that thing is handed in."""
    return submitted_late(clauses)
