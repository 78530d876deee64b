"""Values that a page shows: words of a text, what stands beside a label, amounts, durations and times that can be compared."""

from __future__ import annotations

import re

from protocol import GUIElement
from roles.policies.rules.pages.reading.clauses import Source
from roles.screen.language.lexicon import plain
from roles.screen.matching import similarity
from roles.screen.page import Page, Thing, likeness
from roles.screen.values import amount_of, find_money, parse_date

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
