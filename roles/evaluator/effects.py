"""What the steps of a run did to records, as screens show it: what was pressed, on which record, with which values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from environments.effects.words import is_way_out
from protocol import ExecStatus, GUIElement, VisualState
from roles.contracts import StepRecord
from roles.safety.destinations import texts
from roles.screen.calls import function_words, is_call, looks_only
from roles.screen.evidence import is_search, shown_for_it
from roles.screen.matching import similarity, tokens
from roles.screen.screens import FIELD_ROLES, Screen, fold, shown

Screens = Callable[[str], VisualState | None]

_INNER = frozenset({"memorize", "answer", "ask_user", "finish_goal", "fail_goal"})
_OPAQUE = frozenset({"run_script", "ask_in_app_agent"})
_PRESSED = frozenset({"click", "double_click", "press_key", "drag", "right_click", "long_press"})
_WRITTEN = {"fill": "text", "type": "text", "select_option": "options"}
_TICKS = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_VALUED = FIELD_ROLES | {"slider"}
_LEADING = frozenset(
    {"link", "tab", "treeitem", "row", "cell", "gridcell", "listitem", "option", "heading", "text", "columnheader"}
)
"""Roles that are pressed to look at something."""
_BACK = frozenset({"undo"})
_CALLED = 0.9
_TITLES = ("title", "subject", "name", "number")


class Written(NamedTuple):
    """A value that stands in a field when something is pressed for it, or that was written into one."""

    label: str
    value: str
    step: int = 0
    """The step that wrote it; 0 where it stood there."""


class RecordEffect(NamedTuple):
    """One thing that was done to one record."""

    step: int
    app: str
    words: frozenset[str]
    """What was pressed for it, in words: `delete`, `save draft`, and what led to that form or dialog."""
    control: str
    """What was pressed; empty for a value that is kept as it is written."""
    record: str
    """All that was seen of the record before, in lines; empty where nothing was."""
    cells: tuple[tuple[str, str], ...] = ()
    """Of it the labelled values."""
    track: str = ""
    values: tuple[Written, ...] = ()
    before: VisualState | None = None
    after: VisualState | None = None
    origin: str = ""
    """The record from which a form was opened: the mail that is replied to."""
    opaque: bool = False
    """A script or an agent did it, and what that did cannot be told from here."""

    @property
    def written(self) -> tuple[Written, ...]:
        return tuple(value for value in self.values if value.step)

    def fields(self, name: str) -> list[str] | None:
        """What stands in the fields that are called so, of the form that was open; None where it has none."""
        there = [e for e in self.before.elements if e.role in _VALUED] if self.before is not None else []
        mine = [e.name for e in there if similarity(name, e.name) >= _CALLED]
        return [value.value for value in self.values if value.label in mine] if mine else None

    @property
    def evidence(self) -> tuple[str, ...]:
        return (f"step:{self.step}", *((f"state:{self.after.state_id}",) if self.after is not None else ()))

    def says(self) -> str:
        """The record and what was written, in lines."""
        return "\n".join([self.record, *(f"{value.label}: {value.value}" for value in self.values)])


class SeenRecord(NamedTuple):
    """A record as it stands on a screen."""

    text: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    track: str = ""
    key: str = ""
    """What is pressed to open it, else the first of its cells."""


class _Begun(NamedTuple):
    """A press that led to a form or a dialog: what is pressed there is done for it."""

    words: frozenset[str]
    record: SeenRecord


Answered = tuple[SeenRecord, ...]
NOTHING: Mapping[int, Answered] = MappingProxyType({})


def effects_of(steps: Sequence[StepRecord], screen: Screens, answers: Mapping[int, Answered] = NOTHING) -> list[RecordEffect]:
    """In the order in which they were done; what was undone or called off is left out. `answers` are those of calls, by step."""
    found: list[RecordEffect] = []
    by_id: dict[str, SeenRecord] = {}
    begun: dict[str, _Begun] = {}
    written: dict[tuple[str, str], Written] = {}
    for step in steps:
        if step.verb in _INNER or not (step.exec_status is ExecStatus.EXECUTED or shown_for_it(step)):
            continue
        before, after = screen(step.before) if step.before else None, screen(step.after) if step.after else None
        if is_call(step) or step.action.get("action_type") in _OPAQUE:
            answered = answers.get(step.step, ())
            found += _called(step, after, by_id, answered)
            by_id |= {record.track: record for record in answered if record.track}
            continue
        app = (before.app if before is not None else None) or step.app or ""
        changed = list(_changes(step, before, after))
        for one in changed:
            written[app, fold(one.label)] = one
        found += [_kept(step, app, one, before, after) for one in changed]
        found += _pressed(step, app, before, after, begun, written)
        if found and found[-1].words & _BACK:
            found = _undone(found, app)
    return found


def _undone(found: list[RecordEffect], app: str) -> list[RecordEffect]:
    """Without the press for it, and without what it takes back."""
    left = found[:-1]
    last = next((n for n in range(len(left) - 1, -1, -1) if left[n].app == app and left[n].control), -1)
    return [effect for n, effect in enumerate(left) if n != last]


def records_in(app: str, text: str) -> tuple[SeenRecord, ...]:
    """The records of a function's answer: each object that holds texts and no others, by its id."""
    with suppress(ValueError, RecursionError):
        return tuple(_objects(app, json.loads(text)))
    return ()


def _objects(app: str, value: Any) -> Iterator[SeenRecord]:
    if isinstance(value, list):
        for one in value:
            yield from _objects(app, one)
    elif isinstance(value, dict):
        within = [one for one in value.values() if isinstance(one, list) and any(isinstance(item, dict) for item in one)]
        cells = tuple((str(label), said) for label, one in value.items() if (said := _cell(one)))
        if not within and cells:
            key = next((text for label, text in cells if label in _TITLES), cells[0][1])
            track = f"{app}#{value['id']}" if isinstance(value.get("id"), str | int) else ""
            yield SeenRecord("\n".join(f"{label}: {text}" for label, text in cells), cells, track, key)
        for one in within:
            yield from _objects(app, one)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_cell, value)))
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _called(
    step: StepRecord, after: VisualState | None, by_id: Mapping[str, SeenRecord], answered: Answered
) -> Iterator[RecordEffect]:
    """Of a call what its name, its arguments and the record say that it was for; what a script does is not known."""
    if is_call(step) and looks_only(step):
        return
    arguments = step.action.get("arguments")
    given = arguments.items() if isinstance(arguments, dict) else ()
    values = tuple(Written(str(name), text, step.step) for name, value in given for text in texts(value))
    words, app = frozenset(function_words(step)), str(step.action.get("app") or step.app or "")
    opaque = step.action.get("action_type") in _OPAQUE
    named = (by_id.get(f"{app}#{text}") for value in values for text in (value.value,))
    mine = next((record for record in named if record), None) or (answered[0] if len(answered) == 1 else SeenRecord())
    yield RecordEffect(
        step.step, app, words, step.target or step.verb, mine.text, mine.cells, mine.track, values, after=after, opaque=opaque
    )


def _changes(step: StepRecord, before: VisualState | None, after: VisualState | None) -> Iterator[Written]:
    """Fields that hold something else after the step, and what it wrote where there is nothing to compare."""
    kind = str(step.action.get("action_type"))
    target = _element(step, before)
    if kind in _WRITTEN and step.target and not (target is not None and is_search(target)):
        given = step.action.get(_WRITTEN[kind]) or ""
        value = ", ".join(given) if isinstance(given, (list, tuple)) else str(given)
        yield Written((target.name if target is not None else "") or step.target, value, step.step)
        return
    if (
        before is None
        or after is None
        or before.app != after.app
        or before.modal != after.modal
        or _heading(before) != _heading(after)
    ):
        return
    old = {_identity(e): e.value for e in before.elements if e.role in _VALUED}
    for element in after.elements:
        held = old.get(_identity(element), element.value)
        if element.role in _VALUED and not is_search(element) and held != element.value:
            yield Written(element.name, element.value or "", step.step)


def _kept(step: StepRecord, app: str, one: Written, before: VisualState | None, after: VisualState | None) -> RecordEffect:
    """A value as it is written: whether it is kept so, or only with a press, the application knows."""
    seen = seen_with(_element(step, before), before) if before is not None else SeenRecord()
    words = frozenset(tokens(one.label))
    return RecordEffect(step.step, app, words, "", seen.text, seen.cells, seen.track, (one,), before, after)


def _pressed(
    step: StepRecord,
    app: str,
    before: VisualState | None,
    after: VisualState | None,
    begun: dict[str, _Begun],
    written: dict[tuple[str, str], Written],
) -> Iterator[RecordEffect]:
    """What a press did: to each row that was chosen, or to the record that was open."""
    kind, target = str(step.action.get("action_type")), _element(step, before)
    if not (kind in _PRESSED or step.action.get("submit")) or not step.visible_change or _looks(kind, target, step):
        return
    words, control = _words(step, kind, target)
    if not words or (target is not None and target.role in _TICKS | {"slider"}):
        return
    if before is None:
        yield RecordEffect(step.step, app, words, control, "", after=after)
        return
    seen = _fallen_on(target, before)
    led = begun.get(app)
    if is_way_out(control) and (before.modal or led is not None):
        begun.pop(app, None)
        return
    if after is not None and _leads_on(before, after):
        kept = led.words if led is not None and before.modal is None and _inputs(before) else frozenset()
        begun[after.app or app] = _Begun(words | kept, seen[0] if len(seen) == 1 else _joined(seen))
        return
    values, origin = tuple(_values(app, before, written)), ""
    if led is not None:
        words |= led.words
        if before.modal:
            seen = [_joined([led.record, *seen])] if len(seen) < 2 else seen
        else:
            origin = led.record.text
        if after is None or not _inputs(after) or before.modal:
            begun.pop(app, None)
    for one in seen:
        yield RecordEffect(step.step, app, words, control, one.text, one.cells, one.track, values, before, after, origin)


def _looks(kind: str, target: GUIElement | None, step: StepRecord) -> bool:
    """Whether it only leads somewhere: a link, a tab, a row; unless the step is known to amount to something."""
    return (
        kind in {"click", "double_click"}
        and target is not None
        and target.role in _LEADING
        and step.verb in {"click", "double_click"}
    )


def _words(step: StepRecord, kind: str, target: GUIElement | None) -> tuple[frozenset[str], str]:
    """What a press is for; of keys and of what is swept aside what the screen says came of it."""
    control = target.name if target is not None and kind in {"click", "double_click"} else ""
    words = {step.verb} if step.verb not in {kind, "click", "fill", "type"} else set()
    words |= set(tokens(control))
    if not control:
        told = " ".join(event.partition(":")[2] for event in step.events if event.startswith("status:"))
        words |= set(tokens(told)) | {str(key).casefold() for key in step.action.get("keys", ())}
        control = told or f"{step.verb} {step.target}".removeprefix("press_key ")
    return frozenset(words), control


def _leads_on(before: VisualState, after: VisualState) -> bool:
    """Whether the press brought a dialog, or a form that was not there."""
    if after.modal is not None:
        return before.modal is None or _dialog(before) != _dialog(after)
    if before.modal is not None:
        return False
    fresh = _inputs(after) - _inputs(before)
    return (
        bool(fresh)
        and (_heading(before) != _heading(after) or before.app != after.app)
        and not _statuses(after) - _statuses(before)
    )


def _values(app: str, before: VisualState, written: dict[tuple[str, str], Written]) -> Iterator[Written]:
    """What the form holds as it is pressed; of each field which step wrote it."""
    for element in before.elements:
        if element.role in _VALUED and element.value and not is_search(element):
            one = written.get((app, fold(element.name)))
            yield Written(element.name, element.value, one.step if one is not None else 0)


def _fallen_on(target: GUIElement | None, before: VisualState) -> list[SeenRecord]:
    """The row that the control stands in, else the rows that are chosen, else what is open."""
    screen = Screen(before)
    row = _row(target, screen)
    if row is not None:
        return [_of_row(row, screen)]
    under = Screen(before.model_copy(update={"modal": None})) if before.modal else screen
    rows = [e for e in under.rows if e.role != "treeitem"]
    chosen = [e for e in rows if e.selected or any(k.role == "checkbox" and k.value == "true" for k in under.within(e))]
    if chosen:
        return [_of_row(e, under) for e in chosen]
    return [seen_on(before)]


def seen_with(target: GUIElement | None, state: VisualState) -> SeenRecord:
    """The record in which an element stands: its row, or else the page."""
    screen = Screen(state)
    row = _row(target, screen)
    return _of_row(row, screen) if row is not None else seen_on(state)


def seen_on(state: VisualState) -> SeenRecord:
    """The record that is open: all texts outside lists, and the dialog over it."""
    under = Screen(state.model_copy(update={"modal": None})) if state.modal else Screen(state)
    lines = [shown(e) for e in under.detail_texts if e.role != "status"]
    lines += [f"{f.name}: {f.value}" for f in under.inputs if f.value]
    lines += [_dialog(state)] if state.modal else []
    pairs = [p for p in under.pairs if p.element.role not in FIELD_ROLES]
    lines += [item.text for item in under.items if pairs and item.element.role != "treeitem"]
    return SeenRecord("\n".join(lines), tuple((p.label, p.value) for p in under.pairs))


def rows_on(state: VisualState) -> list[SeenRecord]:
    """The records of the lists on a screen."""
    screen = Screen(state.model_copy(update={"modal": None})) if state.modal else Screen(state)
    return [_of_row(item.element, screen) for item in screen.items if item.text and item.element.role != "treeitem"]


def made_by(effect: RecordEffect) -> bool:
    """Whether what was written in a form stands in a record once something was pressed there, whatever that is called."""
    after, written = effect.after, [value.value for value in effect.written if value.value]
    if not effect.control or after is None or after.modal or not written or {v.label for v in effect.written} & _inputs(after):
        return False
    seen = [fold(record.text) for record in (*rows_on(after), seen_on(after))]
    return any(2 * sum(fold(value) in text for value in written) >= len(written) for text in seen)


def _row(target: GUIElement | None, screen: Screen) -> GUIElement | None:
    if target is None:
        return None
    return next((e for e in (target, *screen.above(target)) if e.role in {"row", "listitem", "treeitem"}), None)


def _of_row(row: GUIElement, screen: Screen) -> SeenRecord:
    item = screen._item(row)
    key = shown(item.press) if item.press is not row else next((p.value for p in item.cells if p.value), row.name or item.text)
    return SeenRecord(item.text, tuple((p.label, p.value) for p in item.cells), row.track_id or "", key)


def _joined(seen: Iterable[SeenRecord]) -> SeenRecord:
    every = list(seen)
    text = "\n".join(dict.fromkeys(one.text for one in every if one.text))
    track, key = (
        next((part for part in parts if part), "") for parts in zip(*((one.track, one.key) for one in every), strict=True)
    )
    return SeenRecord(text, tuple(cell for one in every for cell in one.cells), track, key)


def _element(step: StepRecord, before: VisualState | None) -> GUIElement | None:
    target = step.action.get("target") or {}
    return before.by_id.get(str(target.get("element_id", ""))) if before is not None else None


def _identity(element: GUIElement) -> tuple[str, str | None]:
    return (element.name, element.role) if not element.track_id else (element.track_id, element.role)


def _inputs(state: VisualState) -> frozenset[str]:
    return frozenset(e.name for e in state.elements if e.role in FIELD_ROLES - {"switch"} and not is_search(e))


def _statuses(state: VisualState) -> set[str]:
    """What it says came of something; what was said before stands there still, in another place."""
    return {e.name for e in state.elements if e.role == "status"}


def _heading(state: VisualState) -> str:
    return next((e.name for e in state.elements if e.role == "heading"), "")


def _dialog(state: VisualState) -> str:
    if state.modal is None or (dialog := state.by_id.get(state.modal)) is None:
        return ""
    return "\n".join([dialog.name, *(shown(e) for e in Screen(state).elements if e.role not in {"button"} and shown(e))])
