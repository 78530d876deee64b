"""What the work changed, for who judges it: each view of an application as it was first seen against how it was last seen.

Things are known again by what they are, not by where they stand: a row by its first cell, a field by its role and name, a value
by its label. A view that was only opened is named and not told; another page of a list, or another search, is another view.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from protocol import VisualState
from roles.contracts import GateRequest, StepRecord
from roles.screen.calls import changes_something, is_call
from roles.screen.evidence import Screens, is_search, screens_of
from roles.screen.screens import DIALOG_ROLES, FIELD_ROLES, Screen, shown

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


def changes_told(request: GateRequest, screen: Screens) -> str:
    """The changes by application and view, those that tell most where there are many, the rows of lists that were turned page by
    page, and the views that were only opened."""
    return "\n".join(_Work(request, screen).lines())


class _Work:
    """All screens of the work, oldest first."""

    def __init__(self, request: GateRequest, screen: Screens) -> None:
        find, came = screens_of(request, screen), zip((None, *request.steps), request.steps, strict=False)
        found = [(at, find(name)) for last, step in came for at, name in ((last, step.before), (step, step.after))]
        found += [(request.steps[-1] if request.steps else None, state) for state in request.screens]
        self.request = request
        self.view_of = {state.state_id: _view(state) for state in {s.state_id: s for _, s in found if s}.values()}
        self.seen = [_Sight(step, state, self.view_of[state.state_id]) for step, state in found if state is not None]
        self.first: dict[_View, VisualState] = {}
        for sight in self.seen:
            self.first.setdefault(sight.view, sight.state)
        self.last = {sight.view: sight for sight in self.seen}
        self._parts: dict[str, list[_Part]] = {}

    def parts(self, state: VisualState) -> list[_Part]:
        """Worked out once for each screen."""
        if state.state_id not in self._parts:
            self._parts[state.state_id] = _parts(state)
        return self._parts[state.state_id]

    def lines(self) -> Iterator[str]:
        changes = [(rank, view, told) for view in self.first for rank, told in self._changes(view)]
        kept = sorted(changes, key=lambda change: change[0])[:_LINES]
        for view in dict.fromkeys(view for _, view, _ in changes):
            here = [line for _, place, line in kept if place == view]
            yield from [f'{view.app}, "{view.name}":', *here] if here else []
        if len(changes) > _LINES:
            yield f"({len(changes) - _LINES} more changes are left out)"
        turned = dict(self._turned())
        changed = {(view.app, view.name) for view in (*(view for _, view, _ in changes), *turned)}
        calls = {str(s.action.get("app") or s.app): s.step for s in self.request.steps if is_call(s) and changes_something(s)}
        opened: defaultdict[str, list[str]] = defaultdict(list)
        for view in [*self.first][1:]:
            step, called = self.last[view].step, calls.get(view.app, 0)
            how = _CALLED_SINCE if step is None or step.step < called else _CALLED_BEFORE
            if (view.app, view.name) not in changed:
                opened[f"{view.app}: {how if called else _ONLY_OPENED}"].append(f'"{view.name}"')
        yield from (f"{how}: {', '.join(dict.fromkeys(names))}" for how, names in opened.items())
        yield from (line for told in turned.values() for line in told)

    def _changes(self, view: _View) -> Iterator[tuple[int, str]]:
        """What appeared in a view, went and has another value, and how much that tells."""
        before, after = self.first[view], self.last[view].state
        old, new = Counter(self.parts(before)), Counter(self.parts(after))
        gone = list((old - new).elements())
        for part in (new - old).elements():
            alike = [one for one in gone if one[:2] == part[:2]]
            was = alike[0] if len(alike) == 1 or (alike and part.kind != "record") else None  # two mails of a sender are two
            if was is not None:
                gone.remove(was)
                told = f"~ {part.name}: {_quoted(was.value)} → {_quoted(part.value)}"
            else:
                came = " (it may have been on another page)" if part.kind == "record" and _off_page(view, before) else ""
                told = f"+ {_told(part)}{came}"
            yield _RANKS[part.kind], told
        for part in gone:
            told = self._gone(part, view) if part.kind == "record" else f"- {_told(part)}"
            if told and not part.name.startswith("status "):  # a notice goes by itself
                yield _RANKS[part.kind], told

    def _gone(self, part: _Part, view: _View) -> str:
        """What is said of a record that is not in its view any more: where nothing was changed since it stood there, the list was
        scrolled, or it stands on another page, it is not gone; else it may be on a page that nobody saw, or in another view."""
        mine = [at for at, sight in enumerate(self.seen) if sight.view == view]
        had, now = max((at for at in mine if part in self.parts(self.seen[at].state)), default=0), mine[-1]
        between = [s for sight in self.seen[had + 1 : now + 1] if (s := sight.step) and view.app in {s.app, s.action.get("app")}]
        later = [sight for sight in self.seen[had + 1 :] if sight.view.app == view.app and sight.view != view]
        names = [sight.view.name for sight in later if part in self.parts(sight.state)]
        scrolled = any(s.verb == "scroll" and s.app == view.app for s in self.request.steps)
        if scrolled or view.name in names or not any(map(changes_something, between)):
            return ""
        turned = " (it may be on another page)" if _off_page(view, self.seen[now].state) else ""
        return f"- {_told(part)}" + (f' (now in "{names[0]}")' if names else turned)

    def _turned(self) -> Iterator[tuple[_View, list[str]]]:
        """The rows of lists of which several pages were looked at, but for those that are shown as they are; not where typed
        steps say which one record was looked for."""
        steps = [s for one in ([self.request.subtask] if self.request.subtask else self.request.plan) for s in one.steps]
        looked = [records for step in steps if (records := getattr(step, "records", None)) is not None]
        if steps and all(records.exactly == 1 and records.pick is None for records in looked):
            return
        shown = {state.state_id for state in self.request.screens}
        lists: defaultdict[_View, list[VisualState]] = defaultdict(list)
        for view, sight in self.last.items():
            if view.page:
                lists[view._replace(page="")].append(sight.state)
        for view, pages in lists.items():
            left = (part for page in pages if page.state_id not in shown for part in self.parts(page))
            rows = [_told(part).removeprefix("row ") for part in left if part.kind == "record"]
            if len(pages) > 1 and rows:
                head = f'{view.app}, "{view.name}": {len(pages)} pages were looked at; what was on those that are not shown:'
                yield view, [head, *rows[:_ROWS], *([f"({len(rows) - _ROWS} more rows)"] if len(rows) > _ROWS else [])]


def _off_page(view: _View, state: VisualState) -> bool:
    """Whether its list has more than what stands here."""
    return bool(view.page) and not _WHOLE.match(_page(state))


def _view(state: VisualState) -> _View:
    page = Screen.of(state)
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


def _told(part: _Part) -> str:
    return f"{part.name}: {_quoted(part.value)}" if part.value else part.name


def _parts(state: VisualState) -> list[_Part]:
    page = Screen.of(state)
    inside = {e.element_id for row in page.rows for e in page.within(row)} | {row.element_id for row in page.rows}
    found = list[_Part]()
    for item in (one for one in page.items if one.text):
        name, *cells = item.text.split(" · ")
        private = any(e.private for e in page.within(item.element))
        found.append(_Part("record", f"row {_quoted(name)}", "(hidden)" if private else " | ".join(cells)))
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


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat[:_VALUE]}"' + (f"…(+{len(flat) - _VALUE})" if len(flat) > _VALUE else "")
