"""Values that a page shows: words of a text, what stands beside a label, amounts, durations and times that can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from protocol import GUIElement
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.clauses import Source
from roles.policies.rules.pages.reading.things import thing_of
from roles.screen.language.clauses import PageClause
from roles.screen.language.lexicon import ORDINAL, ordinal_of, plain
from roles.screen.language.masks import ANY, Masks
from roles.screen.matching import similarity
from roles.screen.page import Page, Thing, likeness
from roles.screen.values import amount_of, find_money, parse_date

Found = list[PageClause] | None
IT = re.compile(r"^(?:it|that|this|them|the (?:word|text|value|result)|that (?:word|text|value))$", re.IGNORECASE)
_WORD = re.compile(r"^(?:the\s+)?(?P<nth>.+?)\s+word\s+(?:in|of|from)\s+(?P<of>.+)$", re.IGNORECASE)
_VALUE = re.compile(r"^(?:the\s+)?(?:value|content|contents|amount)\s+(?:of|for|beside|next to)\s+(?P<label>.+)$", re.IGNORECASE)
_TEXT = re.compile(r"^(?:the\s+)?(?:text|content|contents|words|all text)\s+(?:in|of|from|inside)\s+(?P<of>.+)$", re.IGNORECASE)
_SHOWN = re.compile(r"^(?:the|its|my|our|their)\s+(?P<label>[^\W\d_].*)$", re.IGNORECASE)
_HERE = re.compile(
    r"\s+(?:(?:on|from|in|at)\s+(?:the|this|that|its)\s+(?:\S+\s+){0,3}?(?:page|site|screen|tab|website|app)|there|here|shown)$",
    re.IGNORECASE,
)

_ITS = re.compile(r"^(?:the|its|their|my|our)\s+", re.IGNORECASE)
_LITERAL = re.compile(rf"^the\s+(?:word|text|value|name|number|code|phrase|letters?|digits?)\s+(?:{ANY}|\S+)$", re.IGNORECASE)
"""A word in front that says only what kind of text it is."""


@dataclass
class Reading:
    """What was read so far, for words that refer back."""

    masks: Masks
    fact: str = ""
    thing: Thing | None = None
    facts: list[str] = field(default_factory=list)
    unused: str = ""
    """A fact that was found and is not written anywhere yet."""
    holder: Thing | None = None
    """Of `for the room, ...`: what the next choice belongs to."""


def source_of(words: str, reading: Reading) -> p.Source:
    """`it`, `the last word of the text`, `the value of Size`, `the total of the newest invoice`, or a text as given."""
    words = words.strip(" ,")
    masks = reading.masks
    if IT.match(words) and reading.fact:
        return p.Source(fact=reading.fact)
    word = _WORD.match(words)
    if word and (nth := ORDINAL.search(word["nth"])):
        return p.Source(word=ordinal_of(nth), of=thing_of(word["of"], masks))
    if value := _VALUE.match(words):
        head = "amount of " if re.match(r"(?:the\s+)?amount of .*\d", masks.show(words), re.IGNORECASE) else ""
        return p.Source(label=head + masks.show(value["label"]))
    if text := _TEXT.match(words):
        return p.Source(of=thing_of(text["of"], masks))
    quoted = re.findall(ANY, words)
    if len(quoted) == 1 and (len(words.split()) <= 4 and not _SHOWN.match(words)):
        return p.Source(text=masks.show(quoted[0]))
    if quoted and _LITERAL.match(words):
        return p.Source(text=masks.show(quoted[0]))
    return _named(words, reading) or p.Source(text=masks.show(words))


def _named(words: str, reading: Reading) -> p.Source | None:
    """`the invoice total`: what an earlier clause found under that name, else what the page shows for it."""
    shown = _SHOWN.match(_HERE.sub("", words))
    if shown is None or _LITERAL.match(words) or thing_of(words, reading.masks).kind not in {"", "area"}:
        return None
    label = reading.masks.show(shown["label"]).strip()
    known = next((fact for fact in reversed(reading.facts) if plain(_ITS.sub("", _HERE.sub("", fact))) == plain(label)), None)
    return p.Source(fact=known) if known else p.Source(label=label)


_UNITS = (
    (r"d(?:ays?)?", 1440.0), (r"h(?:(?:ou)?rs?)?", 60.0), (r"m(?:in(?:ute)?s?)?", 1.0), (r"s(?:ec(?:ond)?s?)?", 1 / 60),
)  # fmt: skip
_DURATION = re.compile(r"(?<![\w.:])(\d+(?:\.\d+)?)\s?(" + "|".join(unit for unit, _ in _UNITS) + r")\b", re.IGNORECASE)
_TIME = re.compile(r"\b(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b|\b(\d{1,2}):(\d{2})\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
MEANS: dict[str, tuple[str, ...]] = {
    "price": (
        "price", "cost", "fare", "amount", "total", "fee", "rate", "preis", "betrag", "kosten", "summe", "gesamt", "prix",
        "montant", "precio", "importe", "salary",
    ),
    "duration": ("duration", "time", "length", "travel time", "takes"),
    "time": ("time", "departure", "departs", "depart", "arrival", "start"),
    "date": ("date", "day", "created", "updated", "datum", "tag", "fecha", "jour"),
}  # fmt: skip


def value_of(source: Source, page: Page) -> tuple[str, GUIElement | None]:
    """What the page holds for `source`, and the element that shows it; empty when it shows none."""
    if source.label:
        return beside(source.label, page)
    area = area_of(source.of, page)
    if area is None:
        return "", None
    text = text_of(area)
    if not source.word:
        return text, area
    words = [word for raw in text.split() if (word := re.sub(r"^[^\w]+|[^\w]+$", "", raw))]
    place = source.word - 1 if source.word > 0 else source.word
    return (words[place], area) if -len(words) <= place < len(words) else ("", area)


def text_of(element: GUIElement) -> str:
    return element.value if element.role in {"textbox", "searchbox"} and element.value is not None else element.name


def area_of(thing: Thing, page: Page) -> GUIElement | None:
    """The text that is meant: a field that holds one, by its name or because it holds the most; else the longest text."""
    held = [f for f in page.fields if f.value]
    shown = [e for e in page.texts if e.role != "cell"]
    wanted = thing.words.casefold()
    if thing.name:
        named = page.find(thing, held)
        if named is not None:
            return named
    if thing.nth and (several := held if "area" in wanted or "field" in wanted or "box" in wanted else _long(shown)):
        place = thing.nth - 1 if thing.nth > 0 else thing.nth
        return several[place] if -len(several) <= place < len(several) else None
    order = [*held, *shown] if re.search(r"area|box|field", wanted) else [*_long(shown), *held, *shown]
    groups = [g for g in ((held, shown) if order[:1] == held[:1] and held else (shown, held)) if g]
    return max(groups[0], key=lambda e: len(text_of(e))) if groups else None


def _long(shown: list[GUIElement]) -> list[GUIElement]:
    return [e for e in shown if len(e.name.split()) > 3]


def beside(label: str, page: Page) -> tuple[str, GUIElement | None]:
    """The value for a label: the next cell of its row, the cell below a heading, `Label: value`, the text that follows."""
    for part in re.split(r"\s+(?:of|for)\s+", label) if re.search(r"\s(?:of|for)\s", label) else ():
        if found := _crossing(part, label, page):
            return found.name, found
    cells = [e for e in page.elements if e.role in {"cell", "gridcell", "columnheader", "rowheader"} and e.name]
    for n, cell in enumerate(cells):
        if likeness(label, cell.name.rstrip(" :")) >= 0.9:
            inline = cells[n + 1] if n + 1 < len(cells) and cells[n + 1].parent == cell.parent else None
            if inline is not None:
                return inline.name, inline
    texts = page.texts
    for n, text in enumerate(texts):
        head, colon, tail = text.name.partition(":")
        if colon and tail.strip() and likeness(label, head) >= 0.9:
            return tail.strip(), text
        if likeness(label, text.name.rstrip(" :")) >= 0.9 and n + 1 < len(texts):
            return texts[n + 1].name, texts[n + 1]
    held = next((f for f in page.fields if f.value and likeness(label, f.name) >= 0.9), None)
    return (held.value or "", held) if held else ("", None)


def _crossing(part: str, whole: str, page: Page) -> GUIElement | None:
    """Where the column of one name meets the row of the other."""
    other = re.sub(rf"\s*(?:\bof\b|\bfor\b)?\s*{re.escape(part)}\s*(?:\bof\b|\bfor\b)?\s*", "", whole)
    rows = [[c for c in page.inside(row) if c.role in {"cell", "gridcell", "columnheader", "rowheader"}]
            for row in page.elements if row.role == "row"]  # fmt: skip
    for head in rows:
        column = next((n for n, cell in enumerate(head) if likeness(part, cell.name) >= 0.9), None)
        if column is None:
            continue
        for row in rows:
            if row is not head and len(row) > column and any(likeness(other, cell.name) >= 0.9 for cell in row):
                return row[column]
    return None


def measure(text: str, by: str, *, bare: bool = True) -> float | None:
    """The size of what `text` says, as far as it is a `by`: minutes, money, a time of day, a day, or, with `bare`, a number."""
    sort = next((kind for kind, words in MEANS.items() if plain(by) in words), "")
    money = next((n for found in find_money(text) if (n := amount_of(found)) is not None), None)
    if money is not None and sort in {"price", ""}:
        return money
    if (sort in {"duration", ""}) and (spans := _DURATION.findall(text)):
        return sum(float(number) * _minutes(unit) for number, unit in spans)
    if sort == "time" and (clock := _TIME.search(text)):
        return _clock(clock)
    if sort in {"date", ""} and (day := parse_date(text)) is not None:
        return float(day.toordinal())
    number = _NUMBER.search(text)
    return float(number.group().replace(",", "")) if number and bare else None


def _minutes(unit: str) -> float:
    return next(size for pattern, size in _UNITS if re.fullmatch(pattern, unit, re.IGNORECASE))


def _clock(match: re.Match[str]) -> float:
    if match[3]:
        return (int(match[1]) % 12 + (12 if match[3].casefold() == "p" else 0)) * 60.0 + int(match[2] or 0)
    return int(match[4]) * 60.0 + int(match[5])


def as_asked(value: str, hint: str) -> str:
    """`value` in the way that a field asks for: a day as `yyyy-mm-dd`, a time as `hh:mm`."""
    if hint == "yyyy-mm-dd" and (day := parse_date(value)) is not None:
        return day.isoformat()
    if hint == "hh:mm" and (clock := _TIME.search(value)):
        minutes = int(_clock(clock))
        return f"{minutes // 60:02d}:{minutes % 60:02d}"
    return value


def plain_count(text: str) -> int | None:
    """The number of things that a field shows, if it is nothing but one."""
    return int(text) if re.fullmatch(r"\s*\d{1,6}\s*", text) else None


def named_by(label: str, by: str) -> bool:
    """Whether a label speaks of the attribute `by`."""
    bare = label.rstrip(" :")
    return similarity(by, bare) >= 0.7 or any(plain(by) in words and plain(bare) in words for words in MEANS.values())
