"""Skill: learn every row of a list as one table, page by page; what it holds does not matter, only that it is a list."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from protocol import ActionTarget, Fill, GUIElement, Memorize, Scroll, Wait
from roles.policies.rules.retired.event_forms import FREE, later
from roles.policies.rules.skills.finding import go_to, is_list, is_open, look_elsewhere, next_page, start_search, to_first_page
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press, set_value
from roles.policies.rules.skills.writing import put_into, required
from roles.screen.language import clauses as c
from roles.screen.language.wording import entity_words
from roles.screen.matching import similarity, tokens
from roles.screen.records import entry_of, fits, matching_entries, on_record
from roles.screen.screens import Item, fold, shown
from roles.screen.screens import shown as shown_text
from roles.screen.values import find_dates, parse_date

_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_RANGE = re.compile(r"\b(\d{1,2}:\d{2})\s*(?:–|-|—|to|until)\s*(\d{1,2}:\d{2})\b")


def free(clause: c.Free, at: Situation) -> Move:
    """Show the day, note what is going on, and keep the first of the hours that fits between."""
    known = [f.name for f in at.view.facts]
    if all(name in known for name in FREE):
        return done("a free hour is known")
    text = at.text(clause.hours)
    if text is None:
        return fail(f'the fact "{at.missing(clause.hours)[0]}" is not known', "which hours there are to choose from")
    if "hour" not in at.notes:
        if (move := _day(clause.day, at)) is not None:
            return move
        busy: list[list[int]] = at.notes.setdefault("busy", [])
        busy += [found for found in _busy(clause.day, at) if found not in busy]
        following = next_page(at)
        if following is not None and at.count("pages") < 12:
            return press(following, "the day may go on there", at=at)
        hour = next((h for h in _hours(text) if not _taken(h, clause.minutes, busy)), None)
        if hour is None:
            return fail(f"none of the hours {text} is free on {clause.day}")
        at.notes["hour"] = hour
    source = next((e for e in at.screen.elements if e.role == "heading"), at.screen.elements[0])
    name, value = (
        (FREE[0], str(at.notes["hour"])) if FREE[0] not in known else (FREE[1], later(str(at.notes["hour"]), clause.minutes))
    )
    action = Memorize(target=ActionTarget.of(source), name=name, value=value)
    return act(action, f"{name} on {clause.day} is {value}", f"{name} on the blackboard")


def _day(day: str, at: Situation) -> Move | None:
    """The view of that day, where there is one; else the list of all days does."""
    if _shows(day, at):
        return None
    view = next((e for e in at.screen.presses if e.enabled and not e.selected and fold(e.name) in {"day", "day view"}), None)
    if view is not None and at.count("views") < 2:
        return press(view, f'"{view.name}" shows one day', at=at)
    field = next((f for f in at.screen.inputs if similarity("go to date", f.name) >= 0.9), None)
    if field is not None and at.count("dates") < 2:
        return act(Fill(target=ActionTarget.of(field), text=day, submit=True), f"to see {day}", f"{day} on the screen")
    return None


def _shows(day: str, at: Situation) -> bool:
    heads = [e for e in at.screen.elements if e.role == "heading"]
    return any(_is_day(day, text) for e in heads for text in (shown(e), *find_dates(shown(e))))


def _is_day(day: str, text: str) -> bool:
    found = parse_date(re.sub(r"^[^\W\d]+,?\s+(?=\d)", "", text))
    return found is not None and found == parse_date(day)


def _busy(day: str, at: Situation) -> list[list[int]]:
    """Minutes of the day from which and until which something is going on, in the rows of that day."""
    whole_day = _shows(day, at)
    found: list[list[int]] = []
    for item in at.screen.items:
        parts = item.text.split(" · ")
        if (ranges := _RANGE.search(item.text)) and (whole_day or any(_is_day(day, part) for part in parts)):
            found.append([_minute(ranges[1]), _minute(ranges[2])])
    return found


def _hours(text: str) -> list[str]:
    return [match.group() for match in _CLOCK.finditer(text)]


def _taken(hour: str, minutes: int, busy: list[list[int]]) -> bool:
    begin = _minute(hour)
    return any(begin < until and begin + minutes > since for since, until in busy)


def _minute(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)


_OUT = re.compile(r"\b(?:out of stock|sold out|not available|unavailable|0 in stock)\b", re.IGNORECASE)
_ONWARD = (
    "place order",
    "order now",
    "buy now",
    "pay",
    "continue",
    "next",
    "review order",
    "proceed to checkout",
    "to checkout",
    "checkout",
)
_DONE = re.compile(r"\b(?:order (?:placed|received|confirmed|number)|thank you for your order)\b", re.IGNORECASE)


def buy(clause: c.Buy, at: Situation) -> Move:
    """One step further; the order itself is for the safety policy to allow."""
    if at.notes.get("carted"):
        return _checkout(clause, at)
    product = c.Entity("product", name=clause.item)
    if not is_open(product, at) and not _buying_shows(clause.item, at):
        return go_to(product, at)
    said = next((shown(e) for e in at.screen.detail_texts if _OUT.search(shown(e))), "")
    add = next((e for e in at.screen.presses if e.role == "button" and fold(e.name).startswith("add to cart")), None)
    if said or add is None or not add.enabled:
        return fail(f'"{clause.item}" cannot be bought: {said or "it cannot be put into the cart"}')
    field = next((f for f in at.screen.inputs if "quantity" in fold(f.name)), None)
    if field is not None and (move := put_into(field, clause.quantity, at)).kind != "done":
        return move
    at.notes["carted"] = True
    return press(add, f'"{clause.item}" goes into the cart', at=at)


def _buying_shows(name: str, at: Situation) -> bool:
    return any(e.role == "heading" and fold(e.name) == fold(name) for e in at.screen.elements)


def _checkout(clause: c.Buy, at: Situation) -> Move:
    if any(_DONE.search(shown(e)) for e in at.screen.elements if e.role in {"heading", "status", "text"}):
        return done(f"{clause.item} is ordered")
    if at.count("steps") > 12:
        return fail("the checkout does not come to an end")
    if (move := required(at)) is not None and move.kind == "act":
        return move
    names = [
        (name, e)
        for name in _ONWARD
        for e in at.screen.presses
        if e.role == "button" and e.enabled and fold(e.name).startswith(name)
    ]
    if names:
        return press(names[0][1], "the checkout goes on", at=at)
    cart = next((e for e in at.screen.presses if e.enabled and fold(e.name) in {"cart", "go to cart", "basket"}), None)
    return press(cart, "what is bought lies in the cart", at=at) if cart is not None else fail("there is no way to the checkout")


_PIECE = 15.0
"""Seconds between two looks."""


def await_it(clause: c.Await, at: Situation) -> Move:
    """Done once it is on the screen; until then wait and look again."""
    return _place(clause, at) if clause.shows else _record(clause, at)


def _record(clause: c.Await, at: Situation) -> Move:
    """The list is where it will appear; nothing is opened."""
    if matching_entries(clause.entity, [entry_of(item) for item in at.screen.items]) or on_record(clause.entity, at.screen):
        return done(f"{entity_words(clause.entity)} is there")
    if not at.screen.items and (at.screen.prose or not at.screen.searches):
        return look_elsewhere(clause.entity, at)
    return _wait(clause, at)


def _place(clause: c.Await, at: Situation) -> Move:
    """What the place shows, in the words that stand for its picture or its sound."""
    spots = _standing_under(clause.entity.name, at)
    if not spots:
        return _next_part(clause, at)
    at.notes["place"] = True
    wanted = set(tokens(clause.shows))
    seen = next((e for e in spots if wanted <= set(tokens(f"{e.name} {shown(e)}"))), None)
    if seen is not None:
        return done(f"{clause.entity.name} shows: {seen.name or shown(seen)}")
    return _wait(clause, at)


def _standing_under(name: str, at: Situation) -> list[GUIElement]:
    """Pictures and texts in the same group as a heading of this name; what it showed before does not count."""
    for head in at.screen.elements:
        if head.role == "heading" and similarity(name, head.name) >= 0.9:
            group = [e for above in at.screen.above(head)[:1] for e in at.screen.within(above) if e is not head]
            pictures = [e for e in group if e.role in {"img", "image"} and e.name]
            return pictures or [e for e in group if e.role in {"text", "listitem"}]
    return []


def _next_part(clause: c.Await, at: Situation) -> Move:
    """The place is in another part of the application: look into one after the other."""
    tried: list[str] = at.notes.setdefault("tabs", [])
    options = [e for e in at.screen.presses if e.role in {"tab", "link"} and e.enabled and not e.selected]
    options.sort(key=lambda e: -similarity(clause.entity.name, e.name))
    link = next((e for e in options if e.name not in tried), None)
    if link is None:
        return fail(f'there is no "{clause.entity.name}" here', f"where to see {clause.entity.name}")
    tried.append(link.name)
    return press(link, f'"{clause.entity.name}" may be shown there', at=at)


def _wait(clause: c.Await, at: Situation) -> Move:
    waited = float(at.notes.get("waited", 0.0))
    if waited >= clause.seconds:
        what = f'"{clause.shows}"' if clause.shows else entity_words(clause.entity)
        return fail(f"{what} did not come within {waited:.0f} seconds")
    at.notes["waited"] = waited + _PIECE
    return act(Wait(seconds=_PIECE), "it is not there yet")


MAX_ROWS = 300
MAX_PAGES = 40
_SCROLLS = 20


def collect(clause: c.Collect, at: Situation) -> Move:
    """Search where there is a search field, then keep the rows of each page; at the end the table is on the blackboard."""
    if at.notes.get("complete"):
        return _complete(clause, at)
    if (sheet := _sheet(clause, at)) is not None:
        return sheet
    if not (at.screen.items and (is_list(at) or _is_grid(at) or _is_table(clause, at))):
        if at.notes.get("searched") and at.screen.searches:
            return _complete(clause, at)
        return look_elsewhere(clause.entity, at)
    if (place := _folder(clause, at)) is not None:
        return place
    if (tab := _own_list(clause, at)) is not None:
        return press(tab, "it lists them", at=at)
    if (search := _search(clause, at)) is not None:
        return search
    if not at.notes.get("begun") and (back := to_first_page(at)) is not None:
        return back
    columns, rows = _so_far(clause, at)
    found = [item for item in _entries(at) if _is_grid(at) or fits(_rows_of(clause), entry_of(item))]
    columns, merged = _grid_rows(columns, rows, at) if _is_grid(at) else _merged(columns, rows, found)
    if merged != rows or not at.notes.get("begun"):
        at.notes["begun"] = True
        return _keep(clause, columns, merged, found, at)
    return _further(clause, merged, at)


def _rows_of(clause: c.Collect) -> c.Entity:
    """What a row must fit; a file need not say in which folder it lies."""
    return replace(clause.entity, subject="") if clause.entity.noun == "file" else clause.entity


def _folder(clause: c.Collect, at: Situation) -> Move | None:
    """The folder whose files are meant, in a tree or as an entry of the list."""
    wanted = clause.entity.subject.rstrip("/").casefold()
    if clause.entity.noun != "file" or not wanted:
        return None
    path = wanted if wanted.startswith("/") else f"/{wanted}"
    headings = [e.name.casefold() for e in at.screen.elements if e.role == "heading"]
    if any(name.endswith(path) for name in headings) or at.count("folders") > 3:
        return None
    tree = [item.press for item in at.screen.items if item.press.role in {"treeitem", "link"}]
    entry = next((e for e in tree if e.name.casefold() == path), None)
    entry = entry or next((e for e in tree if e.name.casefold().endswith(path)), None)
    return press(entry, f'"{entry.name}" holds them', at=at) if entry is not None else None


def _entries(at: Situation) -> list[Item]:
    """Rows of tables where there are any: the tree beside a list is no part of it."""
    tables = [item for item in at.screen.items if item.cells]
    return tables or at.screen.items


def _own_list(clause: c.Collect, at: Situation) -> GUIElement | None:
    """A tab that is called like the things, when it is not the one that is shown."""
    noun = clause.entity.noun
    tabs = [e for e in at.screen.presses if e.role == "tab" and e.enabled]
    tab = next((e for e in tabs if noun and similarity(noun, e.name) >= 0.9), None)
    shown = tab is not None and any(e.role == "heading" and e.name == tab.name for e in at.screen.elements)
    return None if tab is None or tab.selected or shown or at.count("tabbed") > 1 else tab


def _is_grid(at: Situation) -> bool:
    """A sheet: columns are called by letters, rows by numbers."""
    return bool(at.screen.columns) and all(re.fullmatch(r"[A-Z]{1,2}", name) for name in at.screen.columns)


def _is_table(clause: c.Collect, at: Situation) -> bool:
    """A table whose first column is called like the things; it need not lead anywhere."""
    return bool(at.screen.columns) and similarity(clause.entity.noun or "item", at.screen.columns[0]) >= 0.9


def _sheet(clause: c.Collect, at: Situation) -> Move | None:
    """The tab of the sheet that is meant."""
    wanted = clause.entity.subject
    if not wanted or not _is_grid(at):
        return None
    tabs = [e for e in at.screen.presses if e.role == "tab"]
    tab = next((e for e in tabs if e.name.casefold() == wanted.casefold()), None)
    if tab is None:
        names = ", ".join(e.name for e in tabs)
        return fail(f'there is no sheet "{wanted}"; sheets are {names}')
    shown = any(e.role == "heading" and wanted.casefold() in e.name.casefold() for e in at.screen.elements)
    return None if tab.selected or shown else press(tab, at=at)


def _rows_down(at: Situation) -> GUIElement | None:
    """The button that shows the rows below, while it brings any."""
    lines = _grid_lines(at)
    seen = lines[-1][0] if lines else ""
    if at.notes.get("last row") == seen or not any(any(cells) for _, cells in lines):
        return None
    at.notes["last row"] = seen
    return next((e for e in at.screen.presses if e.enabled and e.name.casefold() in {"rows down", "page down", "down"}), None)


def _grid_lines(at: Situation) -> list[tuple[str, list[str]]]:
    """Number and cells of each row on the screen."""
    found: list[tuple[str, list[str]]] = []
    for row in at.screen.rows:
        kids = at.screen.kids(row)
        if kids and kids[0].role == "rowheader":
            found.append((kids[0].name, [shown_text(kid) for kid in kids[1:]]))
    return found


def _grid_rows(columns: list[str], rows: list[list[str]], at: Situation) -> tuple[list[str], list[list[str]]]:
    """The first row of a sheet names the columns; empty rows say nothing."""
    lines = [(number, cells) for number, cells in _grid_lines(at) if any(cells)]
    if not columns and lines:
        heads = lines.pop(0)[1] if lines[0][0] == "1" else []
        width = max((len(cells) for _, cells in lines), default=len(heads))
        columns = ["row", *((heads[i] if i < len(heads) and heads[i] else f"column {i + 1}") for i in range(width))]
    new = [[number, *cells][: len(columns)] for number, cells in lines if number != "1"]
    known = {row[0] for row in rows}
    return columns, [*rows, *(line for line in new if line[0] not in known)][:MAX_ROWS]


def _further(clause: c.Collect, rows: list[list[str]], at: Situation) -> Move:
    """The next page, else the part of the list below; when nothing comes any more, the list is known."""
    following = _rows_down(at) if _is_grid(at) else next_page(at)
    if following is not None and len(rows) < MAX_ROWS and at.count("pages") < MAX_PAGES:
        return press(following, "the list goes on", at=at)
    hidden = [item for item in at.screen.items if not item.element.visible]
    last = at.last
    stuck = last is not None and last.verb == "scroll" and not last.visible_change
    if _grows(at) and not hidden and not stuck and at.count("scrolls") < _SCROLLS:
        return act(Scroll.toward("down", 1, "page"), "the list may go on below", "more rows")
    at.notes["complete"] = True
    return _complete(clause, at)


def _grows(at: Situation) -> bool:
    """A list that reaches the lower edge may load more when it is scrolled."""
    boxes = [item.element.bbox for item in at.screen.items if item.element.bbox is not None]
    return bool(boxes) and max(box.y2 for box in boxes) > at.view.seen.screen_resolution[1] * 0.9


def _complete(clause: c.Collect, at: Situation) -> Move:
    _, rows = _so_far(clause, at)
    app = at.view.subtask.app or at.view.app or "this application"
    if not rows or not at.notes.get("begun"):
        return fail(
            f"{entity_words(clause.entity)} was not found in {app}", f"where to find {clause.entity.noun or 'it'} in {app}"
        )
    return done(f"{len(rows)} rows of {clause.name} are known")


def _search(clause: c.Collect, at: Situation) -> Move | None:
    """Fewer pages: let the application look for the name first."""
    words = clause.entity.name or _rows_of(clause).subject
    field = next((f for f in at.screen.searches if f.enabled and f.role in {"searchbox", "textbox"}), None)
    if field is None or at.notes.get("searched") or not words or _is_grid(at):
        return None
    if field.value != words:
        return set_value(field, words, f'to see only what has to do with "{words}"', at)
    at.notes["searched"] = True
    return start_search(field, at)


def _so_far(clause: c.Collect, at: Situation) -> tuple[list[str], list[list[str]]]:
    known = at.fact(clause.name) if at.notes.get("begun") else None
    if known is None or known.name != clause.name:
        return [], []
    body = json.loads(known.value)
    return list(body["columns"]), [list(row) for row in body["rows"]]


def _merged(columns: list[str], rows: list[list[str]], found: list[Item]) -> tuple[list[str], list[list[str]]]:
    """The rows so far and those of this page that are new. Equal rows of one page are several rows."""
    fresh = [_cells(item) for item in found]
    columns = columns or list(dict.fromkeys(name for cells in fresh for name in cells))
    lines = [[cells.get(name, "") for name in columns] for cells in fresh]
    new = [line for line in lines if line not in rows]
    return columns, [*rows, *new][:MAX_ROWS]


def _cells(item: Item) -> dict[str, str]:
    """By column names where there are some, else the whole text and its parts in order."""
    named = {pair.label: pair.value for pair in item.cells if pair.label}
    if named:
        return named
    parts = item.text.split(" · ")
    return {"entry": item.text, **{f"part {n}": part for n, part in enumerate(parts, start=1)}}


def _keep(clause: c.Collect, columns: list[str], rows: list[list[str]], found: list[Item], at: Situation) -> Move:
    table = json.dumps({"columns": columns, "rows": rows}, ensure_ascii=False, separators=(",", ":"))
    source = found[0].element if found else at.screen.items[0].element
    action = Memorize(target=ActionTarget.of(source), name=clause.name, value=table)
    return act(action, f"{len(found)} rows of this page belong to {clause.name}", f"{clause.name} on the blackboard")
