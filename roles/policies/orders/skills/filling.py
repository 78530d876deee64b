"""Skill: write into fields of a record or of the form that is open, read each value back, and press what keeps it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from protocol import ActionTarget, Click, GUIElement, PressKey, Wait
from roles.contracts.orders import Entry, FillStep, Records, StepFailure
from roles.contracts.values import parse_time
from roles.policies.orders.skills.committing import came_of, commit, control_for, mend
from roles.policies.orders.skills.finding import find_record, find_row, go_to, is_here
from roles.policies.orders.skills.lists import is_sheet
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, press
from roles.policies.orders.skills.widgets import (
    CELL,
    GOOD,
    RANGES,
    choose,
    field_for,
    fit,
    held,
    holds,
    in_column,
    proposed,
    put,
    put_cell,
    took_it,
)
from roles.screen.answers import PAGE_SAYS_NO, refusal
from roles.screen.matching import similarity
from roles.screen.screens import Item, fold, shown
from roles.screen.values import same_value

_PARTS = re.compile(r"\s*[,;\n]\s*")
_MORE = re.compile(r"^(?:(?:show |view )?(?:more|advanced|details|all)(?: (?:options|details|settings|fields))?|options|add .*)$")


def fill(step: FillStep, at: Situation) -> Move:
    """Write all entries, then press `commit`."""
    owner = names_of(step.records)
    if (over := outcome(step.entries, step.commit, at, owner)) is not None:
        return over
    row = None
    if step.records is not None and at.notes.get("there") != "open":
        if not at.notes.get("there") and _shown_already(step, owner, at):
            at.notes["there"] = "open"
        else:
            first = step.entries[0].label if step.entries else ""
            on_page = at.shows_all(step.app)
            reached = reach(step.records, at, lambda item: on_page or bool(_row_fields(item, first, at)))
            if isinstance(reached, Move):
                return reached
            if on_page and reached is not None and (move := _in_cells(step.entries, reached, at)) is not None:
                return move
            row = reached
    move = write(step.entries, step.app, at, owner, step.form, row)
    if move.kind == "done" and not step.commit and any(f.invalid and took_it(f, at) for f in at.screen.inputs):
        move = mend(at) or write(step.entries, step.app, at, owner, step.form, row)  # nothing is pressed that would tell of it
    if move.kind == "done" and not step.commit and (said := _denied(at)):
        return fail(f"{PAGE_SAYS_NO}: {said}")
    if move.kind != "done" or not step.commit:
        return move
    about = (step.records.place, step.records.kind) if step.records else ()
    return commit(step.commit, step.app, at, owner, about)


def _in_cells(entries: Sequence[Entry], row: Item, at: Situation) -> Move | None:
    """Cells that become fields when they are pressed, or by a control of their row; None where it has fields, or no cells."""
    columns, cells = at.screen.columns, at.screen.kids(row.element)
    buttons = [e for e in at.screen.within(row.element) if e.role in {"button", "link"} and e.enabled]
    for entry in entries:
        cell = next((cell for name, cell in zip(columns, cells, strict=False) if similarity(entry.label, name) >= 0.9), None)
        if cell is None or (not at.notes.get("edited") and _row_fields(row, entry.label, at)):
            return None
        inside = [cell, *at.screen.within(cell)]
        if field := next((e for e in inside if e.role in {"textbox", "combobox", "spinbutton"}), None):
            if (move := put(field, entry.value, at)).kind != "done" or entry is not entries[-1]:
                return move if move.kind != "done" else None
            if at.count("kept") > 1:
                return fail(f'the row does not keep {entry.value!r} as "{entry.label}"')
            save = control_for("save", buttons, ())
            return (
                press(save, "it keeps what was written")
                if save
                else act(PressKey(keys=("Enter",)), "it may keep what was written")
            )
        if any(same_value(shown(e).rsplit(": ", 1)[-1], entry.value) for e in inside):
            continue
        if opener := next((e for e in inside if e.expanded is not None), None):
            at.notes["edited"] = True
            if at.count(f"open {entry.label}") > 3:
                return fail(f'"{entry.label}" of this row does not show {entry.value!r} after it was chosen')
            named = [e for e in at.screen.elements if opener.expanded and e.role in {"button", "menuitem", "option"}]
            choice = proposed(entry.value, at) or next((e for e in named if fold(e.name) == fold(entry.value)), None)
            return press(choice or opener, f'"{opener.name}" is to show {entry.value!r}', at=at)
        if at.count(f"edit {entry.label}") > 3:
            return fail(f'"{entry.label}" of this row cannot be changed')
        edit, at.notes["edited"] = control_for("edit", buttons, ()), True
        return (
            press(edit, "it lets the row be changed")
            if edit
            else act(Click(target=ActionTarget.of(cell), count=2), "it becomes a field")
        )
    waits = at.last is not None and at.last.verb != "wait" and bool(at.notes.get("edited"))
    return act(Wait(seconds=1.0), "to see that it stays") if waits else done("the row shows it")


def _denied(at: Situation) -> str:
    """What a page that saves by itself says against the last entry, also since an earlier attempt; empty for nothing."""
    if at.notes.get("wrote") and (said := refusal(at.view.before, at.view.seen)):
        return said
    told = (hint.partition(f"{PAGE_SAYS_NO}: ")[2] for hint in at.view.subtask.hints)
    return next((words for words in told if words and any(words in e.name for e in at.view.seen.elements)), "")


def tried_before(at: Situation) -> bool:
    """Whether an earlier attempt at the same may have done it, or a part of it."""
    return at.view.subtask.attempt > 1 or any("earlier attempt" in hint for hint in at.view.subtask.hints)


def names_of(records: Records | None) -> tuple[str, ...]:
    """What the record is called, as far as its tests say so."""
    return tuple(t.value for t in records.tests if t.relation in {"is", "has", "about"} and not t.negated) if records else ()


def outcome(entries: Sequence[Entry], verb: str, at: Situation, owner: Sequence[str] = ()) -> Move | None:
    """What came of the commit, with the values read back; None where it was not pressed, or is to be pressed again."""
    if not at.notes.get("pressed"):
        return None
    over = came_of(verb, at)
    if over is not None and over.kind == "done":
        lost = [(e, f) for e, f, t in _written(entries, at, owner) if held(f) and not (holds(f, t) or took_it(f, at))]
        changed = [f'"{e.label}" shows {held(f)!r}' for e, f in lost]
        return fail(f"after {verb}: {'; '.join(changed)}") if changed and verb in {"save", "set", "update", "apply"} else over
    if over is None and at.notes.get("pressed"):
        left = [f for _, f, t in _written(entries, at, owner) if not (holds(f, t) or took_it(f, at))]
        if not left and (_written(entries, at, owner) or not at.notes.get("whole")):
            return None
        texts = [t for t in dict(at.notes.get("whole", {})).values() if t.strip()]
        told = fold(" ".join(shown(e) for e in at.view.seen.elements if e.role not in {"textbox", "searchbox", "combobox"}))
        if texts and all(fold(text.splitlines()[0]) in told for text in texts[-1:]):
            return done(f"{verb}: the form is empty, and the screen shows {texts[-1]!r}")
        return fail(f"it is not known whether {verb} was done: the form no longer holds what was written, and nothing shows it")
    return over


def _written(entries: Sequence[Entry], at: Situation, owner: Sequence[str]) -> list[tuple[Entry, GUIElement, str]]:
    """Fields that are on the screen, with what they are to hold."""
    found = []
    whole: dict[str, str] = at.notes.get("whole", {})
    for n, entry in enumerate(entries):
        try:
            field = field_for(entry.label, at, owner, nth=entry.nth)
        except StepFailure:
            field = None
        if field is not None and str(n) in whole:
            found.append((entry, field, whole[str(n)]))
    return found


def reach(records: Records, at: Situation, offers: Callable[[Item], bool]) -> Move | Item | None:
    """Get to the record: its row, where that offers what is wanted, else the record itself (None: it is open)."""
    if at.notes.get("there") == "open":
        return None
    card = at.kind(records.app, records.kind)
    open_one = not (records.tests or records.pick or records.but or records.place) or (card is not None and card.single)
    if is_here(records, at) or at.notes.get("opening") or open_one:
        move = find_record(records, at)
        at.notes["there"] = "open" if move is None else ""
        return move
    at.notes["here"] = None
    track = at.notes.get("row id") if at.notes.get("there") == "row" else None
    if row := next((item for item in at.screen.items if track and item.element.track_id == track), None):
        return row  # whatever its fields show by now
    found = find_row(records, at)
    if isinstance(found, Move):
        return found
    if at.notes.get("there") == "row" or offers(found):
        same = [item for item in at.screen.items if item.text == found.text]
        at.notes.update({"there": "row", "row text": found.text, "rows": len(same), "row id": found.element.track_id})
        return found
    move = find_record(records, at)
    at.notes["there"] = "open" if move is None else ""
    return move


def _writable(element: GUIElement) -> bool:
    return element.role in RANGES | {"textbox", "combobox", "checkbox", "switch"}


def _shown_already(step: FillStep, owner: Sequence[str], at: Situation) -> bool:
    """The fields are on the screen under the record's own name, or in the form that an earlier attempt left open."""
    labels = [entry.label for entry in step.entries]
    options = [e for e in at.screen.elements if _writable(e)]
    if owner and labels and all(any(fit(label, e, owner) > max(fit(label, e, ()), GOOD) for e in options) for label in labels):
        return True
    if not tried_before(at) or not owner or not any(at.screen.says(name) for name in owner):
        return False
    try:
        fields = [field_for(label, at, owner) for label in labels]
    except StepFailure:
        return False
    at.notes["formed"] = bool(fields) and None not in fields
    return bool(at.notes["formed"])


def _row_fields(row: Item | None, label: str, at: Situation) -> list[GUIElement]:
    """Fields in the record's row that the label may mean."""
    if row is None:
        return []
    inside = [e for e in at.screen.within(row.element) if _writable(e)]
    words = [e for e in inside if fit(label, e, (row.text, *(p.value for p in row.cells))) >= 0.95]
    return in_column(label, row.element, at) or words


def write(
    entries: Sequence[Entry], app: str, at: Situation, owner: Sequence[str] = (), form: str = "", row: Item | None = None
) -> Move:
    """Each value into its field, and read back; fields that are not on the screen are looked for."""
    if form and not at.notes.get("formed"):
        return _open_form(form, app, at)
    over: list[int] = at.notes.setdefault("over", [])
    for n, entry in enumerate(entries):
        if n in over and CELL.fullmatch(entry.label.strip().upper()):
            continue
        move = _entry(n, entry, app, at, owner, row)
        if move is None and n in over:
            continue  # it was read back before the form went on to another page
        if move is None:
            return _to_field(entry.label, app, at)
        if move.kind != "done":
            return move
        if n not in over:
            over.append(n)
    return done(f"{len(entries)} values are in the form" if len(entries) != 1 else f'"{entries[0].label}" is written')


def _entry(n: int, entry: Entry, app: str, at: Situation, owner: Sequence[str], row: Item | None) -> Move | None:
    """One value into its field; None where there is no such field on the screen."""
    if CELL.fullmatch(entry.label.strip().upper()) and is_sheet(at):
        return put_cell(entry.label.strip().upper(), "" if entry.mode == "clear" else entry.value, at)
    field = field_for(entry.label, at, owner, _row_fields(row, entry.label, at), entry.nth)
    if field is None:
        return choose(entry.label, entry.value, at)
    if field.role == "radio":
        return choose(entry.label, entry.value, at) or put(field, entry.value, at)
    whole: dict[str, str] = at.notes.setdefault("whole", {})
    if str(n) not in whole:
        whole[str(n)] = _target(entry, field, app, at)
    text = whole[str(n)]
    if entry.mode == "add" and (entry_offered := proposed(entry.value, at)) is not None and not holds(field, text):
        return press(entry_offered, f'"{entry_offered.name}" is proposed', at=at)
    return put(field, text, at)


def _target(entry: Entry, field: GUIElement, app: str, at: Situation) -> str:
    """What the field is to hold in the end; what is added to is what it held at first sight."""
    there, text = held(field), entry.value
    again = tried_before(at)
    match entry.mode:
        case "set":
            return text
        case "clear":
            return ""
        case "append" | "prepend" if there:
            gap = "\n" if _many_lines(entry.label, there, app, at) else " "
            front = entry.mode == "prepend"
            if again and (there.startswith(text) if front else there.endswith(text)):
                return there
            return f"{text}{gap}{there}" if front else f"{there}{gap}{text}"
        case "add" | "remove":
            parts = [part for part in _PARTS.split(there) if part]
            named = [part for part in _PARTS.split(text) if part]
            if entry.mode == "remove":
                gone = [other for p in named for other in _meant(p, parts, entry.label)]
                if len(gone) < len(named) and not (again and not any("does not hold" in hint for hint in at.view.subtask.hints)):
                    raise StepFailure(f'"{entry.label}" does not hold {text!r}; it holds {there!r}')
                return ", ".join(part for part in parts if part not in gone)
            return ", ".join([*parts, *(p for p in named if not any(_same(p, other) for other in parts))])
        case "later":
            return _later(there, text, entry.label)
    return text


def _meant(name: str, parts: Sequence[str], label: str) -> list[str]:
    """The part that is called so, in full or by a first name that only one has. Raises StepFailure."""
    whole = [part for part in parts if _same(name, part)]
    near = whole or [part for part in parts if set(fold(name).split()) <= set(fold(part).split())]
    if len(near) > 1 and not whole:
        raise StepFailure(f'"{label}" holds {" and ".join(near)}, and which is {name!r} is not said')
    return near[:1]


def _same(one: str, other: str) -> bool:
    return fold(one) == fold(other) or same_value(one, other)


def _many_lines(label: str, there: str, app: str, at: Situation) -> bool:
    """Whether a field takes several lines: as its card says, else all but those that hold a short text."""
    card = at.card(app)
    types = [f.type for kind in (card.kinds if card else ()) for f in kind.fields if fold(f.label) == fold(label)]
    return "\n" in there or (
        "text" not in types if types else len(there) > 60 or fold(label) in {"body", "text", "content", "note"}
    )


def _later(there: str, minutes: str, label: str) -> str:
    clock = there.split()[-1] if re.match(r"\d{4}-\d\d-\d\d ", there) else there
    begin = parse_time(clock)
    if begin is None or not re.fullmatch(r"[-+]?\d+", minutes.strip()):
        raise StepFailure(f'"{label}" shows {there!r}, which cannot be made {minutes} minutes later')
    moved = begin + int(minutes)
    if not 0 <= moved < 24 * 60:
        raise StepFailure(f'"{label}" would be on another day: {there} and {minutes} minutes')
    return there.removesuffix(clock) + f"{moved // 60:02d}:{moved % 60:02d}"


# --- getting to a field -----------------------------------------------------------------------------------------------


def _open_form(form: str, app: str, at: Situation) -> Move:
    """Press the control that leads to the form; a form in a menu is found there."""
    button = control_for(form, [e for e in at.screen.presses if e.enabled], [form])
    if button is None:
        if (menu := open_menu(at)) is not None:
            return menu
        names = ", ".join(e.name for e in at.screen.presses if e.role in {"button", "menuitem", "link", "tab"}) or "none"
        return fail(f'there is no "{form}" in {at.title(app)} here; controls there are: {names}')
    if (scroll := at.reach(button)) is not None:
        return scroll
    at.notes["formed"] = True
    return press(button, f'"{button.name}" leads to the form')


def open_menu(at: Situation) -> Move | None:
    """Unfold a menu of further actions that is still closed."""
    names = {"more", "more actions", "more options", "actions", "options", "menu", "…", "⋯", "⋮", "..."}
    folded = [e for e in at.screen.elements if e.role == "menuitem" and e.expanded is False and e.enabled]
    menu = next((e for e in (*folded, *at.screen.presses) if e.enabled and (e in folded or fold(e.name) in names)), None)
    if menu is None or menu.expanded or at.count("menus") > 3:
        return None
    return press(menu, "a menu may offer it", at=at)


def _to_field(label: str, app: str, at: Situation) -> Move:
    """The field is not on the screen: let the record be changed, unfold what is folded, go to the page that has it."""
    presses = [e for e in at.screen.presses if e.enabled]
    edit = control_for("edit", [e for e in presses if e.role in {"button", "link", "menuitem"}], ())
    if edit is not None and at.count("edits") < 2:
        return press(edit, f'"{edit.name}" lets it be changed', at=at)
    tried: list[str] = at.notes.setdefault("unfolded here", [])
    places = [e for e in presses if e.name not in tried and not e.selected and e.expanded is not True]
    named = [e for e in places if fit(label, e, ("add", "show", "more")) >= 0.9 and e.role in {"tab", "button", "link"}]
    folded = [e for e in places if _MORE.match(fold(e.name)) and (e.expanded is False or e.role == "tab")]
    if (further := next(iter([*named, *folded]), None)) is not None and len(tried) < 6:
        tried.append(further.name)
        return press(further, f'"{further.name}" may show the field', at=at)
    card = at.card(app)
    kinds = [k for k in (card.kinds if card else ()) if k.single and any(fold(f.label) == fold(label) for f in k.fields)]
    if kinds and at.count("to form") < 8 and (move := go_to(app, kinds[0].place, at)) is not None:
        return move
    onward = next((e for e in presses if fold(e.name) in {"next", "continue"} and e.role == "button"), None)
    if onward is not None and at.notes.get("over") and at.count("onward") < 6:
        return press(onward, "the form has another step", at=at)
    names = ", ".join(e.name for e in at.screen.fields if e.name) or "none"
    return fail(f'there is no field "{label}" in {at.title(app)}; fields there are: {names}', f"how to enter the {label}")
