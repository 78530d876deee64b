"""What a list on the screen shows of one kind of record, as rows; its pages; and what is done before it is read."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypedDict

from protocol import ActionTarget, Fill, GUIElement, Scroll, SelectOption, Type
from roles.contracts.orders import Records
from roles.contracts.values import parse_date
from roles.policies.orders.skills.situation import Move, Situation, act, press
from roles.screen.language.words import phrases
from roles.screen.matching import similarity
from roles.screen.rows import Row
from roles.screen.screens import Item, Pair, leads_back, shown, turns
from roles.screen.texts import fold

_PAGER = re.compile(r"\bpage\s+(\d+)\s*(?:of|/)\s*(\d+)\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"^(?:no|nothing|there (?:is|are) no)\b.*\b(?:found|yet|here|match\w*|results?|entries|show|left)\b"
    r"|^[\w ]{1,30} is (?:still )?empty\W*$", re.I
)  # fmt: skip
DOWN = frozenset({"rows down", "page down"})
"""Controls that show the part of a sheet below, and stay enabled at its end."""
_LONG = 3
"""Pages from which on it is searched for a name before pages are turned."""


class Survey(TypedDict, total=False):
    """How far a list was looked through, as it is kept between two screens."""

    phase: Literal["walk", "look", "done"]
    place: int
    """Of `places`, which is looked through."""
    places: list[str] | None
    looked: list[str]
    rows: list[list[Any]]
    rows_here: list[list[Any]]
    """Those of the last screen."""
    stood: list[str]
    columns: list[str]
    page: int
    pages: list[int]
    way: Literal["page", "more", "scroll"]
    begun: bool
    whole: bool
    seen: int
    total: int
    query: str | None
    tried: list[str | None]
    loose: bool


class Listed(NamedTuple):
    """A record of a list, as data and on the screen."""

    row: Row
    item: Item


def listed(records: Records, at: Situation) -> list[Listed]:
    """The records of this kind that a list on the screen shows; empty where it shows none of the kind."""
    known = (records.app, records.kind)
    if known not in at.lists:
        at.lists[known] = _sheet_rows(at) if is_sheet(at) else _listed(records, at)
    found: list[Listed] = at.lists[known]
    return found


def _listed(records: Records, at: Situation) -> list[Listed]:
    groups: dict[str, list[Item]] = {}
    above = [at.screen.above(e) for e in at.screen.elements if e.role == "columnheader"]
    flat = [(row[0].parent, name) for row, name in zip(above, at.screen.columns, strict=True) if row]
    for item in at.screen.items:
        outer = next((e for e in at.screen.above(item.element) if e.role in {"table", "grid", "list", "tree", "listbox"}), None)
        beside = [name for parent, name in flat if parent == item.element.parent]  # nothing says that the rows are a table
        names = at.screen.heads(outer) if outer is not None else beside
        inside = outer.element_id if outer else f"{item.element.parent} {item.element.role}"
        kids = at.screen.kids(item.element)  # what is in a cell may be a link
        texts = [shown(kid) or " ".join(t for e in at.screen.within(kid) if (t := shown(e))) for kid in kids]
        cells = tuple(Pair(*triple) for triple in zip(names, texts, kids, strict=False))
        groups.setdefault(inside, []).append(item._replace(cells=cells))
    if at.shows_all(records.app):
        return [Listed(replace(_row(item, ""), body=""), item) for items in groups.values() for item in items]
    fitting = [(score, items) for items in groups.values() if (score := _fits_kind(items, records, at)) > 0]
    if not fitting:
        return []
    items = max(fitting, key=lambda pair: pair[0])[1]
    key = next(iter(at.keys(records.app, records.kind)), "Name")
    found = [Listed(_row(item, key), item) for item in items]
    own = [one for one in found if _of_kind(one.row, records.kind)]  # folders stand beside files, as a column says
    at.notes["folders"] = [one.row.key for one in found if own and one not in own and _of_kind(one.row, "folder")]
    return own or found


def _fits_kind(items: Sequence[Item], records: Records, at: Situation) -> float:
    """How well a list is one of these records: by its columns, and better than of other records; else by leading somewhere."""
    leads = any(item.press is not item.element for item in items)
    kind = at.kind(records.app, records.kind)
    if not leads and any(leads_back(e.name) for e in at.screen.presses) and not (kind and kind.within):
        return 0.0  # the lines of an invoice on its own page
    columns = {fold(pair.label) for pair in items[0].cells if pair.label}
    labels = {kind.kind: {fold(f.label) for f in kind.fields if f.listed} for kind in at.kinds(records.app)}
    shares = {kind: len(columns & names) / len(columns) for kind, names in labels.items() if names and columns}
    if (share := shares.get(records.kind)) is not None:
        return 10 + share if share >= 0.5 and share == max(shares.values()) else 0.0
    if items[0].element.role == "treeitem":
        return 0.0
    return (5.0 if columns else 1.0 if leads else 0.5) + min(len(items), 500) / 1000


def _row(item: Item, key_label: str) -> Row:
    cells = tuple((pair.label, pair.value) for pair in item.cells if pair.label)
    first = next((value for _, value in cells if value), item.text)
    key = item.press.name if item.press is not item.element and item.press.name else first
    return Row(item.text, key, cells or ((key_label, key),))


def _of_kind(row: Row, kind: str) -> bool:
    return any(similarity(label, "type") >= 0.9 and kind in fold(value) for label, value in row.cells)


def is_sheet(at: Situation) -> bool:
    """Columns are called by letters."""
    return bool(at.screen.columns) and all(len(name) < 3 and name.isupper() for name in at.screen.columns)


def _sheet_rows(at: Situation) -> list[Listed]:
    """Rows of a sheet: its first row names the columns, and empty rows are none."""
    lines = []
    for item in at.screen.items:
        kids = at.screen.kids(item.element)
        if kids and kids[0].role == "rowheader":
            lines.append((item, kids[0].name, [(kid.value or kid.name or "").strip() for kid in kids[1:]]))
    if lines and lines[0][1] == "1":
        at.notes["columns"] = lines.pop(0)[2]
    names: list[str] = at.notes.get("columns", [])
    found = []
    for item, number, values in lines:
        cells = tuple((name, value) for name, value in zip(names, values, strict=False) if name)
        if any(value for _, value in cells):
            text = " · ".join(value for _, value in cells if value)
            found.append(Listed(Row(text, next(v for _, v in cells if v), (*cells, ("row", number))), item))
    return found


def is_empty(at: Situation) -> bool:
    """A list without records says so, or has what lists have: a search field, page numbers."""
    texts = [e.name for e in at.screen.detail_texts]
    if is_sheet(at) or any(_NOTHING.match(text) for text in texts):
        return True
    if any(leads_back(e.name) for e in at.screen.presses) or at.view.seen.loading or at.screen.items:
        return False
    return bool(at.screen.searches or at.screen.columns) or any(_PAGER.search(text) for text in texts)


def pages_of(at: Situation) -> tuple[int, int] | None:
    """Which page of how many is shown."""
    match = next((m for e in at.screen.elements if (m := _PAGER.search(e.name))), None)
    return (int(match[1]), int(match[2])) if match else None


def turn(forward: bool, at: Situation) -> Move | None:
    """The next page of a list, or the one before."""
    buttons = (e for e in at.screen.presses if e.enabled and e.role in {"button", "link"} and e.expanded is None)
    button = next((e for e in buttons if (is_next(e.name) if forward else turns(e.name, "backward"))), None)
    button = button or numbered(at, by=1 if forward else -1)
    return press(button, f"the {'next' if forward else 'previous'} page of the list", at=at) if button is not None else None


def numbered(at: Situation, number: int = 0, by: int = 0) -> GUIElement | None:
    """The control of a page that is called by its number; `by` from the one that is shown, where that can be seen."""
    named = [e for e in at.screen.elements if e.name.isdecimal() and e.role in {"button", "link"}]
    pages = {int(e.name): e for e in named}
    here = [n for n, e in pages.items() if e.selected or not e.enabled]
    number = here[0] + by if len(here) == 1 and by else number
    return pages.get(number) if len(named) == len(pages) > 1 and 1 in pages else None


def is_next(name: str) -> bool:
    return turns(name, "onward") or fold(name) in DOWN


def scrolled(down: bool, at: Situation) -> Move:
    """The list by less than is seen of it, within the page where it is that which scrolls."""
    rows = [e for e in at.screen.rows if e.visible and e.bbox is not None]
    span = [y for e in rows if e.bbox is not None for y in (e.bbox.y1, e.bbox.y2)] or [0, 400]
    over = ActionTarget.of(rows[-1]) if rows else None
    size = max(60, int((max(span) - min(span)) * 0.7))
    return act(Scroll.toward("down" if down else "up", size, "px", over), "the list may go on there", "other rows")


# --- before a list is read ----------------------------------------------------------------------------------------------


def prepared(records: Records, place: str, state: Survey, at: Situation) -> Move | None:
    """The next move before a list is read; None when it is as it should be."""
    if at.shows_all(records.app):
        return _first_page(at)
    return _unfiltered(place, at) or _first_page(at) or _searched(records, state, at) or _dated(records, at)


def _first_page(at: Situation) -> Move | None:
    """A list is read from its beginning."""
    pages = pages_of(at)
    if (pages is not None and pages[0] < 2) or at.count("turned back") >= 60:
        return None
    return turn(False, at)


def _unfiltered(place: str, at: Situation) -> Move | None:
    """A choice of a part of the list that was left by others is taken back."""
    for box in at.screen.fields:
        whole = box.options[0] if box.role == "combobox" and box.options else ""
        if fold(whole).startswith("all") and fold(box.value or "") not in {"", fold(whole), fold(place)} and box.enabled:
            return act(SelectOption(target=ActionTarget.of(box), options=(whole,)), f'to see "{whole}"', f'"{whole}" shown')
    return None


def _searched(records: Records, state: Survey, at: Situation) -> Move | None:
    """What an earlier search left is cleared; in a long list a name is searched for before its pages are turned."""
    field = next((f for f in at.screen.searches if f.enabled and f.role in {"searchbox", "textbox"}), None)
    if field is None:
        return None
    if state["query"] is None:
        pages = pages_of(at)
        named = name_of(records, at)
        long = bool(field.value) or (pages is not None and pages[1] >= _LONG)
        wanted = records.exactly == 1 and records.pick is None and not records.but and long
        state["query"] = named if wanted else ""
    if at.notes.get("searched for", field.value or "") == state["query"] or at.count("search fields") > 5:
        return None
    query = state["query"] or ""
    if fold(field.value or "") != fold(query):
        at.notes["searched for"] = None
        return act(Fill(target=ActionTarget.of(field), text=query), f'to search for "{query}"', "the words")
    at.notes["searched for"] = state["query"]
    return start_search(field, at)


def _dated(records: Records, at: Situation) -> Move | None:
    """A list that shows a span of time is taken to the day that is meant."""
    field = next((f for f in at.screen.fields if f.enabled and fold(f.name) in phrases("to day")), None)
    ordered = (t for t in records.tests if not t.negated and t.relation in {"on", "is", "in", "between", "after"})
    day = next((t.value[:10] for t in ordered if parse_date(t.value[:10]) is not None), "")
    if field is None or not day or at.notes.get("dated") == "shown":
        return None
    if at.notes.get("dated") == day:
        at.notes["dated"] = "shown"
        return start_search(field, at)
    at.notes["dated"] = day
    return act(Fill(target=ActionTarget.of(field), text=day), f"the list is to show {day}", f"{day} in the field")


def start_search(field: GUIElement, at: Situation) -> Move:
    """Press the button that belongs to the search field: one in the same group before one that merely has such a name."""
    buttons = [
        e for e in at.screen.presses if e.role == "button" and e.enabled and fold(e.name) in {"search", "find", "go", "filter"}
    ]
    own = [e for e in buttons if e.parent == field.parent or any(a.element_id == e.parent for a in at.screen.above(field)[:2])]
    return (
        press(own[0], "to search", at=at) if own else act(Type(target=ActionTarget.of(field), text="", submit=True), "to search")
    )


def name_of(records: Records, at: Situation) -> str:
    """Words by which the application can search for them."""
    keys = {"", *at.keys(records.app, records.kind)}
    words = (t.value for t in records.tests if t.label in keys and not t.negated and t.relation in {"is", "has", "about"})
    return next((w for w in words if " .. " not in w), "")


def numbers_of(records: Records, at: Situation) -> list[str]:
    """Numbers by which the record is known, each of which is there once."""
    keys = at.keys(records.app, records.kind) if records.exactly == 1 else []
    named = [t.value for t in records.tests if t.label in keys and t.relation == "is" and not t.negated]
    return [n for n in named if sum(c.isdigit() for c in n) > 2 and " " not in n]


# --- the same rows on two screens -----------------------------------------------------------------------------------------


def overlap(before: Sequence[Row], now: Sequence[Row]) -> int:
    """How many of the first rows were at the end of the list as it was before, of which some may have changed since."""
    sizes = range(min(len(before), len(now)), 0, -1)
    ways = ((size, zip(before[len(before) - size :], now[:size], strict=True)) for size in sizes)
    return next((n for n, both in ways if all(a.text == b.text or (len(a.cells) > 2 and like(a, b)) for a, b in both)), 0)


def like(one: Row, other: Row) -> bool:
    """The same record of which one cell has changed, such as `Unread` when it was opened."""
    return one.key == other.key and sum(a != b for a, b in zip(one.cells, other.cells, strict=False)) <= 1
