"""Tables that a page shows: which row a phrase means (`the newest unpaid invoice`, `the parcel for Ines`), over all pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from protocol import ActionTarget, Fill, GUIElement, PressKey
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.values import measure, named_by
from roles.policies.rules.pages.steps import into_view, missing, note_press, page_of, press, pressed, turned
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.choices import Record, adding, has_trait, records
from roles.screen.language.lexicon import EXTREME, EXTREMES, SAME, plain
from roles.screen.page import PRESSED, Page, Scopes, likeness, listed, names_in

_TAKES = ("buy", "book", "order", "purchase", "reserve", "select", "choose", "get", "pick", "add", "open", "view")
_MORE = frozenset({"load more", "show more", "more results", "view more", "mehr laden", "mehr anzeigen", "voir plus", "ver más"})
_MOST_LOADS = 20
_HANDS_IN = ("order", "buy", "book", "check out", "checkout", "place order", "submit", "confirm", "done")


def _repeated(page: Page, verb: str) -> list[GUIElement]:
    """The controls that are there for each record: the same but for numbers; those that speak of the verb first."""
    groups: dict[tuple[str, str], list[GUIElement]] = {}
    for element in page.elements:
        if element.role in PRESSED and element.enabled and element.name:
            groups.setdefault((str(element.role), re.sub(r"\d[\d.,]*", "#", plain(element.name))), []).append(element)
    many = [(name, found) for (_, name), found in groups.items() if len(found) > 1]
    speaking = [found for name, found in many if any(name == w or name.startswith(f"{w} ") for w in (verb, *_TAKES))]
    return max(speaking or [found for _, found in many], key=len, default=[])


def extreme(clause: p.Extreme, at: Situation) -> Move:
    """Press the control of the record that has the most, or the least, of what is named."""
    if pressed(at):
        return done(f"the {'most' if clause.most else 'least'} by {clause.by} was taken")
    page = page_of(at)
    onward = next((e for e in page.controls if e.role in PRESSED and plain(e.name) in _MORE and e.enabled), None)
    if onward is not None and at.count("more") < _MOST_LOADS:
        return press(onward, "what is not loaded yet may be more so", at, what="loading")
    found = [_in_row(page, r) for r in records(page, _repeated(page, clause.verb))]
    sized = [(size, r) for r in found if (size := _size(r, clause.by, _column_of(page, clause.by))) is not None]
    if not sized:
        return fail(f'nothing on the page can be compared by "{clause.by}"')
    size, best = (max if clause.most else min)(sized, key=lambda pair: pair[0])
    return press(best.press, f"its {clause.by} is {size:g}, of {len(sized)} compared", at)


def _in_row(page: Page, record: Record) -> Record:
    """A control in a row of a table goes with the cells of that row."""
    known = {e.element_id: e for e in page.elements}
    at = known.get(record.press.parent or "")
    while at is not None and at.role != "row":
        at = known.get(at.parent or "")
    return record if at is None else Record(record.press, tuple(e for e in page.inside(at) if e.parent == at.element_id))


def _column_of(page: Page, by: str) -> int | None:
    """The place of the column that is headed by the attribute."""
    for row in (e for e in page.elements if e.role == "row"):
        heads = [e for e in page.inside(row) if e.role == "columnheader"]
        if (place := next((n for n, e in enumerate(heads) if named_by(e.name, by)), None)) is not None:
            return place
    return None


def _size(record: Record, by: str, column: int | None) -> float | None:
    texts = record.texts
    if column is not None and len(record.parts) > column and record.parts[column].role == "cell":
        return measure(record.parts[column].name, by)
    for n, text in enumerate(texts):
        head, colon, tail = text.partition(":")
        if colon and tail.strip() and named_by(head, by) and (size := measure(tail, by)) is not None:
            return size
        if named_by(text, by) and n + 1 < len(texts) and (size := measure(texts[n + 1], by)) is not None:
            return size
    return next((size for text in texts if (size := measure(text, by, bare=False)) is not None), None)


def collect(clause: p.Collect, at: Situation) -> Move:
    """Take each item as often as asked, one after the other, and hand the order in."""
    page = page_of(at)
    if pressed(at):
        return done("the order was handed in")
    found = adding(page)
    taken: list[str] = at.notes.setdefault("taken", [])
    if "added" in at.notes and pressed(at, "added"):
        taken.append(str(at.notes["going"]))
        del at.notes["added"]
    wanted, left = _wanted(clause, found)
    if not wanted or left:
        return fail(missing(left or clause.names or clause.trait, page))
    keys = [record.press.track_id or record.press.element_id for record in wanted]
    for n, (key, record) in enumerate(zip(keys, wanted, strict=True)):
        if taken.count(key) < keys[: n + 1].count(key):
            count = clause.each if clause.names else 1
            at.notes["going"] = key
            if count > 3:
                return fail(f"{count} of one item are more than one press can take")
            return press(record.press, f'"{record.title}" is to be taken, {count} of it', at, count=count, what="added")
    words = (clause.verb, *_HANDS_IN)
    commit = next((e for word in words for e in page.controls if e.role in PRESSED and likeness(word, e.name) >= 0.9), None)
    return press(commit, "everything is taken", at) if commit else done("everything is taken")


def _wanted(clause: p.Collect, found: list[Record]) -> tuple[list[Record], str]:
    if clause.trait:
        fitting = [r for r in found if has_trait(r, clause.trait)]
        return [fitting[n % len(fitting)] for n in range(clause.each)] if fitting else [], "" if fitting else clause.trait
    names, left = listed(clause.names, [r.title for r in found])
    return [next(r for r in found if r.title == name) for name in names], left


_MENUS = frozenset(
    {"more", "more actions", "more options", "actions", "options", "menu", "open menu", "row actions", "⋮", "⋯", "…", "...",
     "•••", "aktionen", "optionen", "weitere aktionen", "mehr", "plus d'options", "más opciones"}
)  # fmt: skip
_ITEMS = frozenset({"menuitem", "option", "button", "link", "listitem"})
_CROSSES = next(group for group in SAME if "×" in group)
_DELETES = frozenset({"delete", "remove", "move to trash"})
_GIVES = frozenset({"add", "invite", "claim", "post", "create", "register", "track", "redeem", "apply"})
_OUT = frozenset({"cancel", "no", "close", "back", "abbrechen", "nein", "schließen", "annuler", "non", "cancelar", "×", "✕", "x"})


def by_menu(clause: p.Deed, aliases: set[str], page: Page, at: Situation) -> Move | GUIElement | None:
    """The row's own menu is opened once; then its entry that is called by the verb."""
    if "menu" in at.notes and pressed(at, "menu"):
        items = [e for e in page.controls if e.role in _ITEMS and e.visible and plain(e.name) in aliases]
        return items[0] if len(items) == 1 else None
    part = _row(clause, page)
    menus = [e for e in part if e.role in PRESSED and e.enabled and plain(e.name) in _MENUS]
    if len(menus) != 1 or "menu" in at.notes:
        return None
    return press(menus[0], f'"{clause.verb}" may be in the menu of "{clause.name}"', at, what="menu")


def cross(clause: p.Deed, page: Page) -> list[GUIElement]:
    """The one cross in the row of what is to be deleted."""
    if clause.verb not in _DELETES:
        return []
    found = [e for e in _row(clause, page) if e.role in PRESSED and e.enabled and plain(e.name) in _CROSSES]
    return found if len(found) == 1 else []


def _row(clause: p.Deed, page: Page) -> list[GUIElement]:
    part = Scopes(page.elements).of(clause.name) if clause.name else None
    return [] if part is None or len(part) == len(page.elements) else part


def confirming(page: Page) -> list[GUIElement]:
    """The one button of the open dialog that is no way out of it."""
    inside = page.inside(page.dialogs[-1]) if page.dialogs else []
    found = [e for e in inside if e.role == "button" and e.enabled and e.name and plain(e.name) not in _OUT]
    return found if len(found) == 1 else []


def given(clause: p.Deed, called: list[GUIElement], page: Page, at: Situation) -> Move | None:
    """`add "Water plants" to the list`: the one empty field takes it, then the control of the verb is pressed, else Enter."""
    name = clause.name
    one = (f'"{name}"' in clause.said and clause.said.count('"') == 2) or ("@" in name and '"' not in clause.said)
    if clause.verb not in _GIVES or not name or not one or len(called) > 1:
        return None
    texts = [f for f in page.fields if f.role == "textbox" and not f.private]
    holding = [f for f in texts if plain(f.value or "") == plain(name)]
    if holding and "giving" in at.notes:
        if called:
            return press(called[0], f"the goal says: {clause.said}", at)
        note_press(at)
        return act(PressKey(target=ActionTarget.of(holding[0]), keys=("Enter",)), f"the goal says: {clause.said}")
    noun = set(re.findall(r"\w{3,}", plain(clause.words.replace(name, ""))))
    free = [f for f in texts if not f.value]
    meant = [f for f in free if noun & set(re.findall(r"\w{3,}", plain(f"{f.name} {f.placeholder or ''}")))] or free
    if len(meant) != 1 or holding or at.count("given") > 2:
        return None
    at.notes["giving"] = True
    why = f'"{meant[0].name}" takes what is to be added'
    return into_view(meant[0], at) or act(Fill(target=ActionTarget.of(meant[0]), text=name), why, f"it shows {name!r}")


_CELLS = frozenset({"cell", "gridcell", "rowheader"})
_OF = re.compile(r"\s+(?:for|of|from|by|called|named)\s+", re.IGNORECASE)
_THAT = re.compile(
    r"\s+(?:(?:that|which|who)\s+(?:is|are|was|were|has|have)|with\s+(?:the\s+)?status)\s+(?P<trait>.+)$", re.IGNORECASE
)
_BY = re.compile(r"\s+(?:with|having)\s+(?:the\s+)?$", re.IGNORECASE)
_IN = re.compile(r"\s+in\s+(?:the\s+)?(?P<trait>[^\W\d_a-zß-ÿ].*)$")
_PAGES = 40
_BEGIN = re.compile(r"^(?:the|a|an|any|my|our|row|of|in)\s+", re.IGNORECASE)


class Row(NamedTuple):
    """One row as it was read: its cells, by the heads of its table."""

    heads: tuple[str, ...]
    cells: tuple[str, ...]
    page: int = 0

    def under(self, head: str) -> str:
        """What stands in the column that is called so; empty where there is none."""
        scored = [
            (max(likeness(head, h), 0.75 if named_by(h, head) else 0.0), c) for h, c in zip(self.heads, self.cells, strict=False)
        ]
        best = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
        return best[1] if best[0] >= 0.7 else ""


class Wanted(NamedTuple):
    """Which row a phrase means."""

    by: str = ""
    most: bool | None = None
    """None where no superlative stands."""
    traits: tuple[str, ...] = ()
    """Words that the row must show, each in a cell of its own."""
    name: str = ""
    noun: str = ""


def wanted_of(words: str) -> Wanted:
    """`newest unpaid invoice`, `laptop with the lowest price that is in stock`, `invoice for Dorn`, `Delta 16`."""
    left = _bare(words)
    traits: list[str] = []
    if trait := _THAT.search(left):
        traits.append(trait["trait"].strip())
        left = left[: trait.start()]
    most, by = None, ""
    if found := EXTREME.search(left):
        most, by = EXTREMES[found["x"].casefold()]
        before, after = left[: found.start()], left[found.end() :].strip()
        if attribute := _BY.search(before):
            by, left = after, before[: attribute.start()]
            if inside := _IN.search(by):  # `the highest salary in Sales`
                by = by[: inside.start()]
                traits.append(inside["trait"])
        else:
            left = f"{before} {after}".strip()
    name = ""
    if of := _OF.search(left):
        name, left = _bare(left[of.end() :]), left[: of.start()]
    parts = left.split()
    if most is None and not name and not traits:
        return Wanted(name=left)
    return Wanted(by, most, (*traits, *(part for part in parts[:-1] if len(part) > 1)), name, parts[-1] if parts else "")


def _bare(words: str) -> str:
    while found := _BEGIN.match(words):
        words = words[found.end() :]
    return words.strip()


def table(page: Page) -> list[tuple[GUIElement, Row]]:
    """The rows of all tables, each with its element; the first row of a table heads it."""
    found: list[tuple[GUIElement, Row]] = []
    heads: tuple[str, ...] = ()
    for row in (e for e in page.elements if e.role == "row"):
        parts = [e for e in page.inside(row) if e.parent == row.element_id]
        top = [_head(page, e) for e in parts if e.role == "columnheader"]
        if top and not any(e.role in _CELLS for e in parts):
            heads = tuple(top)
            continue
        cells = tuple(_text(page, e) for e in parts if e.role in _CELLS or e.role == "columnheader")
        if cells:
            found.append((row, Row(heads, cells)))
    return found


def _head(page: Page, cell: GUIElement) -> str:
    """What a column is called, also where a press of that sorts by it."""
    return (cell.name or next((e.name for e in page.inside(cell) if e.name), "")).rstrip(" ↕↑↓▲▼⇅")


def _text(page: Page, cell: GUIElement) -> str:
    return cell.name or " ".join(e.name for e in page.inside(cell) if e.name and e.role not in PRESSED)


def look_up(words: str, at: Situation) -> tuple[Move | None, Row | None, str]:
    """The row that the words mean, once every page was seen; a move while it is turned; else why there is none."""
    page = page_of(at)
    here = table(page)
    kept: dict[str, list[list[list[str]]]] = at.notes.setdefault("rows", {})
    number = int(at.notes.get("page", 0))
    kept[str(number)] = [[list(row.heads), list(row.cells)] for _, row in here]
    rows = [Row(tuple(h), tuple(c), int(n)) for n, listed in kept.items() for h, c in listed]
    wanted = wanted_of(words)
    if not at.notes.get("all_seen"):
        sure = wanted.most is None and len(_fitting(wanted, rows)[0]) == 1
        if not sure and number < _PAGES and here and (onward := turned(page)) is not None:
            at.notes["page"] = number + 1
            return press(onward, "the other pages may hold it too", at, what="turning"), None, ""
        at.notes["all_seen"] = True
    row, why = _one(wanted, rows)
    return None, row, why


def _fitting(wanted: Wanted, rows: Sequence[Row]) -> tuple[list[Row], str]:
    left = list(rows)
    for trait in wanted.traits:
        kept = [row for row in left if any(_says(cell, trait) for cell in row.cells) or _ticked(row, trait)]
        if not kept:
            return [], f'no row of the page says "{trait}"'
        left = kept
    if wanted.name:
        for name in names_in(wanted.name):  # `invoice INV-7`, then `INV-7`
            exact = [row for row in left if any(plain(cell) == plain(name) for cell in row.cells)]
            if kept := exact or [row for row in left if any(_holds(cell, name) for cell in row.cells)]:
                left = kept
                break
        else:
            left = []
        if not left:
            return [], f'no row of the page is for "{wanted.name}"'
    return left, ""


def _says(cell: str, trait: str) -> bool:
    return plain(cell) == plain(trait) or (" " in trait.strip() and _holds(cell, trait))


def _ticked(row: Row, trait: str) -> bool:
    return (
        plain(row.under(trait)) in {"yes", "true", "✓", "✔", "x", "1"}
        if any(plain(h) == plain(trait) for h in row.heads)
        else False
    )


def _holds(cell: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(plain(name))}(?!\w)", plain(cell)) is not None


def _one(wanted: Wanted, rows: Sequence[Row]) -> tuple[Row | None, str]:
    fitting, why = _fitting(wanted, rows)
    if not fitting:
        return None, why or "there is no table on the page"
    if wanted.most is None:
        return (fitting[0], "") if len(fitting) == 1 else (None, f"{len(fitting)} rows of the page fit; which one is not said")
    by = _column(wanted, fitting)
    if by is None:
        return None, f'the rows of the page cannot be compared by "{wanted.by or wanted.noun}"'
    column, kind = by
    sized = [(size, row) for row in fitting if len(row.cells) > column and (size := measure(row.cells[column], kind)) is not None]
    if len(sized) < len(fitting):
        return None, f'not every row has a "{fitting[0].heads[column] if fitting[0].heads else kind}" that can be compared'
    size, best = (max if wanted.most else min)(sized, key=lambda pair: pair[0])
    if sum(other == size for other, _ in sized) > 1:
        return None, "several rows have the same, and which one is meant is not said"
    return best, ""


def _column(wanted: Wanted, rows: Sequence[Row]) -> tuple[int, str] | None:
    """The place of the column that is compared, and as what."""
    heads = rows[0].heads
    if wanted.by:
        named = [n for n, head in enumerate(heads) if plain(head) == plain(wanted.by)]
        named = named or [n for n, head in enumerate(heads) if named_by(head, wanted.by)]
        if named:
            return named[0], wanted.by
        kind = wanted.by
        fit = [n for n in range(len(rows[0].cells)) if all(_measures(row, n, kind) for row in rows)]
        return (fit[0], kind) if len(fit) == 1 else None
    for kind in ("price", "number"):
        named = [n for n, head in enumerate(heads) if kind == "price" and named_by(head, "price")]
        fit = named or [n for n in range(len(rows[0].cells)) if all(_measures(row, n, kind) for row in rows)]
        if len(fit) == 1:
            return fit[0], kind
    return None


def _measures(row: Row, n: int, kind: str) -> bool:
    if n >= len(row.cells):
        return False
    if kind == "number":
        return re.fullmatch(r"\s*-?\d[\d.,' ]*%?\s*", row.cells[n]) is not None
    return measure(row.cells[n], kind, bare=False) is not None


def element_of(row: Row, page: Page) -> GUIElement | None:
    """The row as it stands on the page now; None where another page is shown."""
    return next((element for element, here in table(page) if here.cells == row.cells), None)
