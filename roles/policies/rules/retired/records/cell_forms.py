"""Requests about sheets: write facts into a row or a list of rows, add a sheet for them, and mend a total."""

from __future__ import annotations

import re
from collections.abc import Callable

from roles.contracts import clauses as c
from roles.policies.rules.english.reference import Context, value_of
from roles.screen.language.lexicon import NOUNS
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
