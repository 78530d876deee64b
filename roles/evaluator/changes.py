"""What the work changed, for who judges it: each view of an application as it was first seen against how it was last seen.

Things are known again by what they are, not by where they stand: a row by its first cell, a field by its role and name, a value
by its label. A view that was only opened is named and not told; another page of a list, or another search, is another view.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from protocol import VisualState
from roles.contracts import GateRequest, StepRecord
from roles.evaluator.effects import Screens
from roles.screen.calls import changes_something, is_call
from roles.screen.evidence import is_search, views
from roles.screen.screens import DIALOG_ROLES, FIELD_ROLES, Item, Screen, shown

_PAGE = re.compile(r"\b(?:page|rows?|columns?)\b.*\d", re.IGNORECASE)
_WHOLE = re.compile(r"\D*1(?:\s*-\s*(?P<to>\d+))?\s+(?:of|von|/)\s+(?(to)(?P=to)|1)\b")
_OF = re.compile(r"\s+(?:of|von|/)\s+")
_CHOSEN = frozenset({"tab", "treeitem", "link", "option", "listitem"})
_NEWS = frozenset({"status", "alert"})
_VALUE = 120
"""Characters of a value."""
_LINES, _ROWS = 40, 20
_ONLY_OPENED = "only opened, nothing changed there"
_CALLED_BEFORE = "looked at after a function had changed something there"
_CALLED_SINCE = "not looked at again since a function changed something there"

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
    """What is searched, filtered and chosen there."""
    page: str
    """Which part of its list is shown."""


class _Sight(NamedTuple):
    """A screen, and the step that it came of."""

    step: StepRecord | None
    state: VisualState
    view: _View
    parts: list[_Part]


def changes_told(request: GateRequest, screen: Screens) -> str:
    """The changes by application and view, those that tell most where there are many, the rows of lists that were turned page by
    page, and the views that were only opened."""
    seen = list(_seen(request, screen))
    first: dict[_View, VisualState] = {}
    last: dict[_View, _Sight] = {}
    for sight in seen:
        first.setdefault(sight.view, sight.state)
        last[sight.view] = sight
    changes = [
        (rank, view, told)
        for view, state in first.items()
        for rank, line, gone in _changes(state, last[view].state)
        if (told := line if gone is None else _gone(line, gone, view, seen, request))
    ]
    kept = sorted(changes, key=lambda change: change[0])[:_LINES]
    lines: list[str] = []
    for view in dict.fromkeys(view for _, view, _ in changes):
        here = [line for _, place, line in kept if place == view]
        lines += [f'{view.app}, "{view.name}":', *here] if here else []
    lines += [f"({len(changes) - _LINES} more changes are left out)"] if len(changes) > _LINES else []
    opened: defaultdict[str, list[str]] = defaultdict(list)
    changed, begun = {(view.app, view.name) for _, view, _ in changes}, next(iter(first), None)
    turned = _turned(last, request)
    changed |= {(view.app, view.name) for view in turned}
    calls = {str(s.action.get("app") or s.app): s.step for s in request.steps if is_call(s) and changes_something(s)}
    for view in first:
        if (view.app, view.name) not in changed and view != begun:
            step, called = last[view].step, calls.get(view.app, 0)
            how = _CALLED_SINCE if step is None or step.step < called else _CALLED_BEFORE
            opened[f"{view.app}: {how if called else _ONLY_OPENED}"].append(f'"{view.name}"')
    lines += [f"{how}: {', '.join(dict.fromkeys(names))}" for how, names in opened.items()]
    return "\n".join([*lines, *(line for told in turned.values() for line in told)])


def _gone(line: str, part: _Part, view: _View, seen: Sequence[_Sight], request: GateRequest) -> str:
    """What is said of a record that is not in its view any more: where nothing was changed since it stood there, the list was
    scrolled, or it stands on another page, it is not gone; else it may be on a page that nobody saw, or in another view."""
    mine = [at for at, sight in enumerate(seen) if sight.view == view]
    had, now = max((at for at in mine if part in _parts_of(seen[at])), default=0), mine[-1]
    between = [s for sight in seen[had + 1 : now + 1] if (s := sight.step) and view.app in {s.app, s.action.get("app")}]
    later = [sight for sight in seen[had + 1 :] if sight.view.app == view.app and sight.view != view]
    names = [sight.view.name for sight in later if part in _parts_of(sight)]
    scrolled = any(s.verb == "scroll" and s.app == view.app for s in request.steps)
    if scrolled or view.name in names or not any(map(changes_something, between)):
        return ""
    turned = " (it may be on another page)" if view.page and not _WHOLE.match(_page(seen[now].state)) else ""
    return line + (f' (now in "{names[0]}")' if names else turned)


def _turned(last: Mapping[_View, _Sight], request: GateRequest) -> dict[_View, list[str]]:
    """The rows of lists of which several pages were looked at, but for those that are shown as they are; not where typed steps
    say which one record was looked for."""
    steps = [step for one in ([request.subtask] if request.subtask else request.plan) for step in one.steps]
    looked = [records for step in steps if (records := getattr(step, "records", None)) is not None]
    if steps and all(records.exactly == 1 and records.pick is None for records in looked):
        return {}
    shown = {screen.state_id for screen in request.screens}
    lists: defaultdict[_View, list[_Sight]] = defaultdict(list)
    for view, sight in last.items():
        if view.page:
            lists[view._replace(page="")].append(sight)
    found: dict[_View, list[str]] = {}
    for view, sights in lists.items():
        left = (part for one in sights if one.state.state_id not in shown for part in _parts_of(one))
        rows = [_told(part).removeprefix("row ") for part in left if part.kind == "record"]
        if len(sights) > 1 and rows:
            head = f'{view.app}, "{view.name}": {len(sights)} pages were looked at; what was on those that are not shown:'
            more = [f"({len(rows) - _ROWS} more rows)"] if len(rows) > _ROWS else []
            found[view] = [head, *rows[:_ROWS], *more]
    return found


def _seen(request: GateRequest, screen: Screens) -> Iterable[_Sight]:
    """All screens of the work, oldest first."""
    known = {state.state_id: state for state in views(request)}
    came = zip((None, *request.steps), request.steps, strict=False)
    names = [(at, name) for last, step in came for at, name in ((last, step.before), (step, step.after)) if name]
    found = [(step, known.get(name) or screen(name)) for step, name in names]
    found += [(request.steps[-1] if request.steps else None, state) for state in request.screens]
    made: dict[str, tuple[_View, list[_Part]]] = {}
    for step, state in found:
        if state is not None:
            if state.state_id not in made:
                made[state.state_id] = _view(state), []
            view, parts = made[state.state_id]
            yield _Sight(step, state, view, parts)


def _parts_of(sight: _Sight) -> list[_Part]:
    """Worked out once for each screen."""
    sight.parts[:] = sight.parts or _parts(sight.state)
    return sight.parts


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
    ]
    return _View(state.app or "", title, tuple(selection), _OF.split(_page(state))[0])


def _page(state: VisualState) -> str:
    return next((e.name for e in state.elements if e.role == "text" and _PAGE.fullmatch(e.name)), "")


def _changes(before: VisualState, after: VisualState) -> list[tuple[int, str, _Part | None]]:
    """What appeared, went and has another value; of a record that went it, too."""
    if before.state_id == after.state_id:
        return []
    old, new = _parts(before), _parts(after)
    same = Counter(old) & Counter(new)
    gone, come = (list((Counter(parts) - same).elements()) for parts in (old, new))
    found: list[tuple[int, str, _Part | None]] = []
    for part in come:
        alike = [one for one in gone if one[:2] == part[:2]]
        was = alike[0] if len(alike) == 1 or (alike and part.kind != "record") else None  # two mails of a sender are two
        if was is not None:
            gone.remove(was)
        told = f"~ {part.name}: {_quoted(was.value)} → {_quoted(part.value)}" if was is not None else f"+ {_told(part)}"
        found.append((_RANKS[part.kind], told, None))
    left = [part for part in gone if not part.name.startswith("status ")]  # a notice goes by itself
    return found + [(_RANKS[part.kind], f"- {_told(part)}", part if part.kind == "record" else None) for part in left]


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
        elif shown(e).rstrip(" :") not in labels and not page.kids(e) and not _PAGE.fullmatch(e.name):
            found.append(_Part("text", f"{e.role} {_quoted(hidden or shown(e))}", ""))
    return found


def _record(item: Item, private: bool) -> _Part:
    name, *cells = item.text.split(" · ")
    return _Part("record", f"row {_quoted(name)}", "(hidden)" if private else " | ".join(cells))


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat[:_VALUE]}"' + (f"…(+{len(flat) - _VALUE})" if len(flat) > _VALUE else "")
