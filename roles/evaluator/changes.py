"""What the work changed, for who judges it: each view of an application as it was first seen against how it was last seen.

Things are known again by what they are, not by where they stand: a row by its first cell, a field by its role and name, a value
by its label. A view that was only opened is named and not told; another page of a list, or another search, is another view.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from protocol import VisualState
from roles.contracts import GateRequest
from roles.evaluator.evidence import ScreenById
from roles.screen.evidence import is_search, views
from roles.screen.screens import DIALOG_ROLES, FIELD_ROLES, Item, Screen, shown

_PAGE = re.compile(r"\b(?:page|rows?|columns?)\b.*\d", re.IGNORECASE)
_CHOSEN = frozenset({"tab", "treeitem", "link", "option", "listitem"})
_NEWS = frozenset({"status", "alert"})
_VALUE = 120
"""Characters of a value."""
_LINES = 40

Kind = Literal["said", "value", "record", "text", "control"]
_RANKS: dict[Kind, int] = {"said": 0, "value": 0, "record": 1, "text": 2, "control": 3}
"""What tells most comes first where not all of it has room."""


class _Part(NamedTuple):
    """A thing on a screen: what it is called, and what it says."""

    kind: Kind
    name: str
    value: str


class _View(NamedTuple):
    """A place in an application."""

    app: str
    name: str
    selection: tuple[str, ...]
    """What page of it is shown, and what is searched, filtered and chosen there."""


def changes_told(request: GateRequest, screen: ScreenById) -> str:
    """The changes by application and view, those that tell most where there are many, and the views that were only opened."""
    first: dict[_View, VisualState] = {}
    last: dict[_View, VisualState] = {}
    for state in _seen(request, screen):
        view = _view(state)
        first.setdefault(view, state)
        last[view] = state
    changes = [(rank, view, line) for view, state in first.items() for rank, line in _changes(state, last[view])]
    kept = sorted(changes, key=lambda change: change[0])[:_LINES]
    lines: list[str] = []
    for view in dict.fromkeys(view for _, view, _ in changes):
        told = [line for change in kept if change[1] == view for line in [change[2]]]
        lines += [f'{view.app}, "{view.name}":', *told] if told else []
    lines += [f"({len(changes) - _LINES} more changes are not told)"] if len(changes) > _LINES else []
    opened: defaultdict[str, list[str]] = defaultdict(list)
    changed, begun = {(view.app, view.name) for _, view, _ in changes}, next(iter(first), None)
    for view in first:
        if (view.app, view.name) not in changed and view != begun:
            opened[view.app].append(f'"{view.name}"')
    lines += [f"{app}: only opened, nothing changed there: {', '.join(dict.fromkeys(names))}" for app, names in opened.items()]
    return "\n".join(lines)


def _seen(request: GateRequest, screen: ScreenById) -> Iterable[VisualState]:
    """All screens of the work, oldest first."""
    known = {state.state_id: state for state in views(request)}
    names = dict.fromkeys(name for step in request.steps for name in (step.before, step.after) if name)
    states = (known.get(name) or screen(name) for name in names)
    return [*(state for state in states if state is not None), *request.screens]


def _view(state: VisualState) -> _View:
    page = Screen(state)
    heading = next((e.name for e in state.elements if e.role == "heading" and e.name), "")
    title = f'{heading}", dialog "{page.dialog.name}' if page.dialog is not None else heading
    rows = bool(page.rows)
    selection = [
        f"{e.name}={e.value or ''}"
        for e in state.elements
        if (is_search(e) and e.value)
        or (e.selected and e.role in _CHOSEN)
        or (rows and e.role == "combobox" and not any(above.role == "form" for above in state.above(e)))
        or (e.role == "text" and _PAGE.fullmatch(e.name))
    ]
    return _View(state.app or "", title, tuple(selection))


def _changes(before: VisualState, after: VisualState) -> list[tuple[int, str]]:
    """What appeared, went and has another value."""
    if before.state_id == after.state_id:
        return []
    old, new = _parts(before), _parts(after)
    same = Counter(old) & Counter(new)
    gone, come = (list((Counter(parts) - same).elements()) for parts in (old, new))
    found: list[tuple[int, str]] = []
    for part in come:
        was = next((one for one in gone if one[:2] == part[:2]), None)
        if was is not None:
            gone.remove(was)
        told = f"~ {part.name}: {_quoted(was.value)} → {_quoted(part.value)}" if was is not None else f"+ {_told(part)}"
        found.append((_RANKS[part.kind], told))
    left = [part for part in gone if not part.name.startswith("status ")]  # a notice goes by itself
    return found + [(_RANKS[part.kind], f"- {_told(part)}") for part in left]


def _told(part: _Part) -> str:
    return f"{part.name}: {_quoted(part.value)}" if part.value else part.name


def _parts(state: VisualState) -> list[_Part]:
    page = Screen(state)
    inside = {e.element_id for row in page.rows for e in page.within(row)} | {row.element_id for row in page.rows}
    found = [_record(item, any(e.private for e in page.within(item.element))) for item in page.items if item.text]
    pairs = {pair.element.element_id: pair for pair in page.pairs}
    labels = {pair.label for pair in page.pairs}
    for e in state.elements:
        if e.element_id in inside or not (e.name or e.value) or e.role == "columnheader":
            continue
        hidden = "(hidden)" if e.private else None
        if e.role in FIELD_ROLES | {"slider"}:
            found.append(_Part("value", f'{e.role} "{e.name}"', hidden or e.value or ""))
        elif e.role in DIALOG_ROLES | _NEWS:
            found.append(_Part("said", f"{e.role} {_quoted(shown(e))}", ""))
        elif (pair := pairs.get(e.element_id)) is not None:
            found.append(_Part("value", pair.label, hidden or pair.value))
        elif e.role in {"button", "menuitem", "link"}:
            found.append(_Part("control", f'{e.role} "{e.name}"', ""))
        elif shown(e).rstrip(" :") not in labels and not page.kids(e):
            found.append(_Part("text", f"{e.role} {_quoted(hidden or shown(e))}", ""))
    return found


def _record(item: Item, private: bool) -> _Part:
    name, *cells = item.text.split(" · ")
    return _Part("record", f"row {_quoted(name)}", "(hidden)" if private else " | ".join(cells))


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat[:_VALUE]}"' + (f"…(+{len(flat) - _VALUE})" if len(flat) > _VALUE else "")
