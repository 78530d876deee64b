"""What the steps of a run did to records, as screens show it: what was pressed, on which record, with which values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words, is_way_out
from protocol import ExecStatus, GUIElement, VisualState
from roles.contracts import StepRecord
from roles.safety.destinations import texts
from roles.screen.calls import INNER, cells_of, function_words, is_call, looks_only, target_of
from roles.screen.calls import records_in as answered_in
from roles.screen.evidence import Screens, is_search, shown_for_it
from roles.screen.language.words import deeds
from roles.screen.matching import similarity, tokens
from roles.screen.page import BOXES
from roles.screen.rows import Row, dialog_text, record_of, row_of, rows_on, seen_on, seen_with, without_dialog
from roles.screen.screens import DIALOG_ROLES, FIELD_ROLES, Screen
from roles.screen.texts import fold

_OPAQUE = frozenset({"run_script", "ask_in_app_agent"})
_PRESSED = frozenset({"click", "double_click", "press_key", "drag", "right_click", "long_press"})
_WRITTEN = {"fill": "text", "type": "text", "select_option": "options"}
_VALUED = FIELD_ROLES | {"slider"}
_LEADING = frozenset(
    {"link", "tab", "treeitem", "row", "cell", "gridcell", "listitem", "option", "heading", "text", "columnheader"}
)
"""Roles that are pressed to look at something."""
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
    control: str = ""
    """What was pressed; empty for a value that is kept as it is written."""
    record: Row = Row()
    """As it was before; empty where nothing was seen of it."""
    values: tuple[Written, ...] = ()
    before: VisualState | None = None
    after: VisualState | None = None
    origin: str = ""
    """The record from which a form was opened: the mail that is replied to."""
    opened: int = 0
    """The step that opened the form or dialog in which it was done; 0 where none is known."""
    opaque: bool = False
    """A script or an agent did it, and what that did cannot be told from here."""

    @property
    def written(self) -> tuple[Written, ...]:
        return tuple(value for value in self.values if value.step)

    @property
    def kind(self) -> Effect | None:
        """What its control announces."""
        return effect_of_words(self.control) if self.control else None

    @property
    def settles(self) -> bool:
        """Whether it is never done besides."""
        return self.kind in SENSITIVE

    @property
    def stores(self) -> bool:
        """Whether it only keeps what is on a page, of whatever else stands there."""
        return not self.control or self.kind is Effect.SAVE or bool({"update", "ok", "apply"} & {*tokens(self.control)})

    @property
    def leads(self) -> bool:
        """Whether it only brought another view."""
        places = [_place(state) for state in (self.before, self.after) if state is not None]
        return self.kind is Effect.NAVIGATE and len(places) == 2 and places[0] != places[1]

    @property
    def opposite(self) -> str:
        """The button for the opposite that stands there once its own was pressed; empty where none does."""
        shown = self.after.elements if self.after is not None else ()
        named = {frozenset(tokens(e.name)): e.name for e in shown if e.role == "button"}
        own, verbs = frozenset(tokens(self.control)), deeds()["opposites"].items()
        ways = [own - {*verb.split("_")} | {*tokens(other)} for verb, other in verbs if {*verb.split("_")} <= own]
        return next((named[way] for way in ways if way in named and own not in named), "")

    @property
    def evidence(self) -> tuple[str, ...]:
        return (f"step:{self.step}", *((f"state:{self.after.state_id}",) if self.after is not None else ()))

    @property
    def line(self) -> str:
        """What it was done to, in a line."""
        return next((line for line in self.says().splitlines() if line), self.app)

    def says(self) -> str:
        """The record and what was written, in lines."""
        return "\n".join([self.record.text, *(f"{value.label}: {value.value}" for value in self.values)])

    @property
    def names(self) -> set[str]:
        """What the record may be called: its lines, and what its fields held."""
        lines = [*self.record.text.splitlines(), *self.record.text.split(" · "), *(value for _, value in self.record.cells)]
        return {one.strip().casefold() for one in (self.record.key, *lines, *(value.value for value in self.values))}

    @property
    def text(self) -> str:
        """What it says, and what was pressed."""
        return f"{self.says()}\n{self.control}"

    def fields(self, name: str) -> list[str] | None:
        """What stands in the fields that are called so, of the form that was open; None where it has none."""
        there = [e for e in self.before.elements if e.role in _VALUED] if self.before is not None else []
        mine = [e.name for e in there if similarity(name, e.name) >= 0.9]
        return [value.value for value in self.values if value.label in mine] if mine else None

    def made_a_record(self) -> bool:
        """Whether what was written in a form stands in a record once something was pressed there, whatever that is called."""
        after, wrote = self.after, [value.value for value in self.written if value.value]
        if not self.control or after is None or after.modal or not wrote or {v.label for v in self.written} & _inputs(after):
            return False
        seen = [fold(record.text) for record in (*rows_on(after), seen_on(after))]
        return any(2 * sum(fold(value) in text for value in wrote) >= len(wrote) for text in seen)


Answered = tuple[Row, ...]


def effects_of(steps: Sequence[StepRecord], screen: Screens, answers: Mapping[int, Answered]) -> list[RecordEffect]:
    """In the order in which they were done; what was undone or called off is left out. `answers` are those of calls, by step."""
    history = _History(screen, answers)
    for step in steps:
        if step.verb not in INNER and (step.exec_status is ExecStatus.EXECUTED or shown_for_it(step)):
            history.add(step)
    return history.found


class _Begun(NamedTuple):
    """A press that led to a form or a dialog: what is pressed there is done for it."""

    words: frozenset[str]
    record: Row
    step: int


class _Press(NamedTuple):
    """A step with what it fell on and the screens around it."""

    step: StepRecord
    app: str
    target: GUIElement | None
    before: VisualState | None
    after: VisualState | None

    @property
    def kind(self) -> str:
        return str(self.step.action.get("action_type"))


class _History:
    """The effects so far, and what the next step has to know of those before it."""

    def __init__(self, screen: Screens, answers: Mapping[int, Answered]) -> None:
        self.screen, self.answers = screen, answers
        self.found: list[RecordEffect] = []
        self.by_id: dict[str, Row] = {}
        self.begun: dict[str, _Begun] = {}
        self.written: dict[tuple[str, str], Written] = {}

    def add(self, step: StepRecord) -> None:
        before, after = (self.screen(name) if name else None for name in (step.before, step.after))
        if is_call(step) or step.action.get("action_type") in _OPAQUE:
            self._called(step, after)
            return
        target = target_of(step, before)
        press = _Press(step, (before.app if before is not None else None) or step.app or "", target, before, after)
        changed = list(_changes(press))
        for one in changed:  # whether it is kept so, or only with a press, the application knows
            self.written[press.app, fold(one.label)] = one
            seen = seen_with(target, before) if before is not None else Row()
            words = frozenset(tokens(one.label))
            self.found.append(RecordEffect(step.step, press.app, words, "", seen, (one,), before, after))
        self.found += self._pressed(press)
        if self.found and "undo" in self.found[-1].words:  # without the press for it, and what it takes back
            self.found.pop()
            back = next((effect for effect in reversed(self.found) if effect.app == press.app and effect.control), None)
            self.found = [effect for effect in self.found if effect is not back]

    def _menu(self, press: _Press) -> frozenset[str]:
        """What the menu was opened for in which it is chosen: "Move to", of "Trash"."""
        last = self.found[-1] if self.found and press.target is not None and press.target.role == "menuitem" else None
        return last.words if last is not None and last.control and last.after is press.before else frozenset()

    def _called(self, step: StepRecord, after: VisualState | None) -> None:
        """Of a call what its name, its arguments and the record say that it was for; what a script does is not known."""
        answered = self.answers.get(step.step, ())
        if not (is_call(step) and looks_only(step)):
            arguments = step.action.get("arguments")
            given = arguments.items() if isinstance(arguments, dict) else ()
            values = tuple(Written(str(name), text, step.step) for name, value in given for text in texts(value))
            words, app = frozenset(function_words(step)), str(step.action.get("app") or step.app or "")
            named = (self.by_id.get(f"{app}#{value.value}") for value in values)
            mine = next((record for record in named if record), None) or (answered[0] if len(answered) == 1 else Row())
            opaque = step.action.get("action_type") in _OPAQUE
            control = step.target or step.verb
            self.found.append(RecordEffect(step.step, app, words, control, mine, values, after=after, opaque=opaque))
        self.by_id |= {record.track: record for record in answered if record.track}

    def _pressed(self, press: _Press) -> Iterator[RecordEffect]:
        """What a press did: to each row that was chosen, or to the record that was open."""
        step, app, target, before, after = press
        only_leads = target is not None and target.role in _LEADING and {press.kind, step.verb} <= {"click", "double_click"}
        if not (press.kind in _PRESSED or step.action.get("submit")) or not step.visible_change or only_leads:
            return
        words, control = _words(press)
        words |= self._menu(press)
        if not words or (target is not None and target.role in BOXES | {"slider"}):
            return
        if before is None:
            yield RecordEffect(step.step, app, words, control, after=after)
            return
        seen, led = _fallen_on(target, before), self.begun.get(app)
        if is_way_out(control) and (before.modal or led is not None):
            self.begun.pop(app, None)
            return
        if after is not None and _leads_on(before, after):
            kept = led.words if led is not None and before.modal is None and _inputs(before) else frozenset()
            self.begun[after.app or app] = _Begun(words | kept, seen[0] if len(seen) == 1 else _joined(seen), step.step)
            return
        origin, opened = "", led.step if led is not None else 0
        if led is not None:
            words |= led.words
            if before.modal:
                seen = [_joined([led.record, *seen])] if len(seen) < 2 else seen
            else:
                origin = led.record.text
            if after is None or not _inputs(after) or before.modal:
                self.begun.pop(app, None)
        fields = [e for e in before.elements if e.role in _VALUED and e.value and not is_search(e)]
        wrote = {label: kept.step for (place, label), kept in self.written.items() if place == app}
        values = tuple(Written(e.name, e.value or "", wrote.get(fold(e.name), 0)) for e in fields)
        for one in seen:
            yield RecordEffect(step.step, app, words, control, one, values, before, after, origin, opened)


def records_in(app: str, text: str) -> tuple[tuple[Row, ...], bool]:
    """The records of a function's answer, by their ids, and whether these are all that there are."""
    found, whole = answered_in(text)
    records: list[Row] = []
    for record, cells in ((record, cells) for record in found if (cells := cells_of(record))):
        track = f"{app}#{record['id']}" if isinstance(record.get("id"), str | int) else ""
        key = next((said for label, said in cells if label in _TITLES), cells[0][1])
        records.append(Row("\n".join(f"{label}: {said}" for label, said in cells), key, cells, track=track))
    return tuple(records), whole


def _changes(press: _Press) -> Iterator[Written]:
    """Fields that hold something else after the step, and what it wrote where there is nothing to compare."""
    step, _, target, before, after = press
    if press.kind in _WRITTEN and step.target and not (target is not None and is_search(target)):
        given = step.action.get(_WRITTEN[press.kind]) or ""
        value = ", ".join(given) if isinstance(given, (list, tuple)) else str(given)
        yield Written((target.name if target is not None else "") or step.target, value, step.step)
        return
    if before is None or after is None or _place(before) != _place(after) or before.modal != after.modal:
        return
    fields = [e for e in before.elements if e.role in _VALUED]
    old = {(key, e.role or ""): e.value for e in fields for key in (e.name, e.track_id) if key}
    for e in after.elements:  # which may all be drawn anew
        was = old.get((e.track_id or e.name, e.role or ""), old.get((e.name, e.role or ""), e.value))
        if e.role in _VALUED and not is_search(e) and was != e.value:
            yield Written(e.name, e.value or "", step.step)


def _words(press: _Press) -> tuple[frozenset[str], str]:
    """What a press is for; of keys and of what is swept aside what the screen says came of it."""
    step, target = press.step, press.target
    control = target.name if target is not None and press.kind in {"click", "double_click"} else ""
    words = {step.verb} if step.verb not in {press.kind, "click", "fill", "type"} else set()
    if not control:
        told = " ".join(event.partition(":")[2] for event in step.events if event.startswith("status:"))
        words |= {*tokens(told), *(str(key).casefold() for key in step.action.get("keys", ()))}
        control = told or f"{step.verb} {step.target}".removeprefix("press_key ")
        return frozenset(words), control
    return frozenset(words | {*tokens(control)}), control


def _leads_on(before: VisualState, after: VisualState) -> bool:
    """Whether the press brought a dialog, or a form that was not there. Where a status is told, something came of it; one that
    was told before stands there still, in another place."""
    if after.modal is not None:
        return before.modal is None or dialog_text(before) != dialog_text(after)
    dialogs = [{e.element_id for e in state.elements if e.role in DIALOG_ROLES} for state in (before, after)]
    if dialogs[1] - dialogs[0] and before.modal is None:
        return True
    told = {e.name for e in after.elements if e.role == "status"} - {e.name for e in before.elements if e.role == "status"}
    fresh = before.modal is None and bool(_inputs(after) - _inputs(before))
    return fresh and _place(before) != _place(after) and not told


def _fallen_on(target: GUIElement | None, before: VisualState) -> list[Row]:
    """The row that the control stands in, else the rows that are chosen, else what is open."""
    screen = Screen.of(before)
    if (row := row_of(target, screen)) is not None:
        return [record_of(row, screen)]
    under = without_dialog(before)
    rows = [e for e in under.rows if e.role != "treeitem"]
    chosen = [e for e in rows if e.selected or any(k.role == "checkbox" and k.value == "true" for k in under.within(e))]
    return [record_of(e, under) for e in chosen] or [seen_on(before)]


def _joined(every: Sequence[Row]) -> Row:
    text = "\n".join(dict.fromkeys(one.text for one in every if one.text))
    track, key = (next(filter(None, parts), "") for parts in zip(*((one.track, one.key) for one in every), strict=True))
    return Row(text, key, tuple(cell for one in every for cell in one.cells), track=track)


def _inputs(state: VisualState) -> frozenset[str]:
    return frozenset(e.name for e in state.elements if e.role in FIELD_ROLES - {"switch"} and not is_search(e))


def _place(state: VisualState) -> tuple[str | None, str]:
    """The application and its heading."""
    return state.app, next((e.name for e in state.elements if e.role == "heading"), "")
