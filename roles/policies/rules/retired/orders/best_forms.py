"""Requests for the best of many: the cheapest item of a kind, the smallest room that is large enough."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from roles.contracts import clauses as c
from roles.policies.rules.english.reference import Context, slot
from roles.policies.rules.retired.orders.given_forms import NAME
from roles.screen.language.lexicon import PICKS
from roles.screen.language.masks import ANY, quote

Found = list[c.Clause] | None
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
