"""Skill: learn every row of a list as one table, page by page; what it holds does not matter, only that it is a list."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from protocol import ActionTarget, GUIElement, Memorize, Scroll
from roles.rules import clauses as c
from roles.rules.finding import is_list, look_elsewhere, next_page, to_first_page
from roles.rules.matching import similarity
from roles.rules.moves import Move, Situation, act, done, fail, press, set_value
from roles.rules.records import entry_of, fits
from roles.rules.screens import Item
from roles.rules.screens import shown as shown_text
from roles.rules.searching import start_search
from roles.rules.wording import entity_words

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
