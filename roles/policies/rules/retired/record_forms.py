"""Clauses about records: open one, read facts of it, keep a fact in a note, claim what it cost."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from roles.policies.rules.phrases import Phrase, noun_phrase, parse_entity, take_place
from roles.policies.rules.reference import Context, Destination, as_app, destination, pairs_of, value_of
from roles.policies.rules.retired.entry_forms import write
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import FIELD_NOISE, NOUNS, OPEN_VERBS, PRONOUNS, READ_VERBS
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
BOOK = "sheet"
"""What the application with sheets is called by its own words."""
_NAME = rf"(?:{ANY}|[A-Z][\w’'-]*(?:\s+[\w’'-]+)*?)"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)})"
_LIST = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_WHO = re.compile(
    r"(?:the )?name of (?:who|whoever|the (?:one|person) (?:who|that)) (?:asked|wrote|has asked|has written)|who asked"
)
_COLUMN = re.compile(r"(?:the |its )?(?P<fact>[a-z][a-z ]*?) (?:in|into|goes into|under) column (?P<column>[A-Z])", re.IGNORECASE)


def _row(words: str) -> int:
    digits = re.search(r"\d+", words)
    return int(digits[0]) if digits else _ORDINALS.index(words.casefold()) + 1


def into_row(match: re.Match[str], ctx: Context) -> Found:
    """`put down the invoice number, its total and who asked in the second row of the Log sheet`: one value after the other."""
    number, sheet = _row(ctx.masks.show(match["row"])), ctx.masks.show(match["sheet"])
    values, reads = _one_by_one(match["what"].strip(), ctx)
    if not all(values):
        return None
    ctx.form = BOOK
    places = [f"{letter}{number}" for letter in "ABCDEFGHIJ"]
    return [*reads, *(c.Cell(BOOK, value, sheet, place) for value, place in zip(values, places, strict=False))]


def _one_by_one(words: str, ctx: Context) -> tuple[list[c.Value], list[c.Clause]]:
    """`the vendor and the total of INV-7` are facts of one record; else each part is a value of its own."""
    parts = _LIST.split(words)
    if not any(_WHO.fullmatch(part) or part.startswith("its ") for part in parts):
        whole, learned = value_of(words, ctx, is_fact=True)
        if len(whole.facts) == len(parts) and learned:
            return [c.Value(facts=(name,)) for name in whole.facts], learned
    values: list[c.Value] = []
    reads: list[c.Clause] = []
    for part in parts:
        value, more = (c.Value(ctx.person), []) if _WHO.fullmatch(part) else value_of(part, ctx, is_fact=True)
        for clause in more:
            ctx.learn(clause)
        reads += more
        values.append(value)
    return values, reads


def new_list(match: re.Match[str], ctx: Context) -> Found:
    """`add a sheet named T and list invoices A, B and C in it - the number in column A, the total in column B`."""
    ids = [ctx.masks.show(char) for char in re.findall(ANY, match["ids"])]
    noun = NOUNS.get(match["noun"].casefold(), match["noun"].casefold())
    columns = [found for part in _LIST.split(match["columns"]) if (found := _COLUMN.fullmatch(part.strip(" .")))]
    if not ids or not columns or len(columns) != len(_LIST.split(match["columns"])):
        return None
    sheet = ctx.masks.show(match["sheet"])
    asked = {found["column"].upper(): found["fact"].casefold().strip() for found in columns}
    facts = tuple(fact for fact in asked.values() if not _is_id(fact))
    reads = [c.Read("", facts, c.Entity(noun, id=name), tuple(f"{name} {fact}" for fact in facts)) for name in ids]
    made = [c.Create(BOOK, "sheet", c.Value(sheet))] if match["new"] else []
    first = _row(ctx.masks.show(match["row"])) if match["row"] else 1
    cells = [
        c.Cell(BOOK, c.Value(name) if _is_id(fact) else c.Value(facts=(f"{name} {fact}",)), sheet, f"{letter}{first + at}")
        for at, name in enumerate(ids)
        for letter, fact in asked.items()
    ]
    ctx.form = BOOK
    return [*(reads if facts else []), *made, *cells]


def _is_id(fact: str) -> bool:
    return fact in {"number", "id"} or fact.endswith((" number", " id"))


def total_spoken_of(match: re.Match[str], ctx: Context) -> Found:
    """`The total on the Costs sheet cannot be right`: the sheet and the row that are meant from here on."""
    ctx.mean(c.Entity("sheet", name=ctx.masks.show(match["sheet"]), subject=match["label"].casefold()))
    return []


def mended(match: re.Match[str], ctx: Context) -> Found:
    """`mend its formula so that it adds up all the rows above it`."""
    groups = match.groupdict()
    if groups.get("sheet"):
        meant = c.Entity("sheet", name=ctx.masks.show(groups["sheet"]), subject=(groups["label"] or "total").casefold())
    else:
        meant = ctx.entity
    if meant.noun != "sheet":
        return None
    ctx.form = BOOK
    ctx.mean(meant)
    return [c.AddUp(BOOK, meant.name, meant.subject or "total")]


_SUMS = (
    r"(?:adds? up|sums?(?: up)?|includes?|takes? in|covers?) (?:all|every|each)(?: of)?(?: the)? (?:\w+)"
    r"(?: (?:that (?:is|are|stands?) )?above(?: it)?)?"
)
_MEND = r"(?:[Mm]end|[Cc]orrect|[Ff]ix|[Rr]epair|[Cc]hange)"
CELLS: tuple[tuple[str, Callable[[re.Match[str], Context], Found]], ...] = (
    (
        rf"(?:(?i:put|write|note|enter|record|log))(?: down)? (?P<what>[^:]+?),? in(?:to)? (?:the )?"
        rf"(?P<row>{_ORDINAL}|row {ANY}|{ANY})"
        rf"(?: row)? of the (?P<sheet>{_NAME}) (?:sheet|table)",
        into_row,
    ),
    (
        rf"(?:(?P<new>[Aa]dd|[Mm]ake|[Cc]reate) an? (?:new )?sheet (?:named|called|titled) (?P<sheet>{_NAME})"
        rf"(?: to (?:the|my) \w+)?"
        rf",? (?:and )?(?:then )?(?:list|put|enter|write)) (?:the )?(?P<noun>[a-z]+)"
        rf" (?P<ids>{ANY}(?:(?:, | and |, and ){ANY})*) (?:in|into|on) it(?:,? in (?:this|that) order)?"
        rf"(?:,?(?: and)? from the (?P<row>{_ORDINAL}) (?:row|line)(?: on(?:wards?)?)?)?\s*[-–—:,]\s*(?P<columns>.+)",
        new_list,
    ),
    (
        rf"[Tt]he (?P<label>[a-z]+) (?:on|in|of) the (?P<sheet>{_NAME}) sheet (?:cannot be|is not|isn[’']t|is|seems|looks)"
        r" (?:right|correct|wrong)",
        total_spoken_of,
    ),
    (rf"{_MEND} (?:its|the) formula,? so that (?:it )?{_SUMS}", mended),
    (
        rf"{_MEND} the (?:formula of the )?(?P<label>[a-z]+) (?:on|in|of) the (?P<sheet>{_NAME}) sheet,? so that (?:it )?{_SUMS}",
        mended,
    ),
    (rf"[Mm]ake the (?P<label>[a-z]+) (?:on|in|of) the (?P<sheet>{_NAME}) sheet {_SUMS}", mended),
)


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
