"""Skill: write into fields of a record or of the form that is open, read each value back, and press what keeps it."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from protocol import GUIElement, PressKey
from roles.contracts.orders import Entry, FillStep, Records, StepFailure
from roles.contracts.values import parse_date, parse_time
from roles.policies.orders.skills import widgets
from roles.policies.orders.skills.committing import came_of, commit, control_for, mend, watch
from roles.policies.orders.skills.finding import find_record, find_row, go_to, is_any, is_here
from roles.policies.orders.skills.revealing import revealed
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail, first, press
from roles.screen.answers import PAGE_SAYS_NO, refusal
from roles.screen.screens import Item, shown
from roles.screen.texts import fold, listed_in
from roles.screen.values import is_a, same_value, trend


def fill(step: FillStep, at: Situation) -> Move:
    """Write all entries, then press `commit`."""
    owner = names_of(step.records)
    if (over := outcome(step.entries, step.commit, at, owner)) is not None:
        return over
    row: Item | None = None
    if step.records is not None and at.notes.get("there") != "open":
        if not at.notes.get("there") and _shown_already(step, owner, at):
            at.notes["there"] = "open"
        else:
            begins = step.entries[0].label if step.entries else ""
            row = reach(step.records, at, lambda item: at.shows_all(step.app) or bool(widgets.in_row(item, begins, at)))
    written = write(step.entries, step.app, at, owner, step.form, row)
    if not step.commit and any(f.invalid and widgets.took_it(f, at) for f in at.screen.inputs):
        first(mend(at))  # nothing is pressed that would tell of it
        written = write(step.entries, step.app, at, owner, step.form, row)
    if not step.commit and (said := _denied(at)):
        return fail(f"{PAGE_SAYS_NO}: {said}")
    if step.leaves and any(f.focused and widgets.took_it(f, at) for f in at.screen.inputs) and not at.count("left"):
        return act(PressKey(keys=("Tab",)), "a page may take what was written only when the field is left")
    if not step.commit:
        return done(written)
    about = (step.records.place, step.records.kind) if step.records else ()
    return commit(step.commit, step.app, at, owner, about)


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
    whole: dict[str, str] = at.notes.get("whole", {})
    there: list[tuple[Entry, GUIElement, str]] = []  # fields that are on the screen, with what they are to hold
    for n, entry in enumerate(entries):
        with suppress(StepFailure):
            if (field := widgets.field_for(entry.label, at, owner, nth=entry.nth)) is not None and str(n) in whole:
                there.append((entry, field, whole[str(n)]))
    lost = [(entry, field) for entry, field, text in there if not (widgets.holds(field, text) or widgets.took_it(field, at))]
    if over is not None and over.kind == "done":
        changed = [f'"{entry.label}" shows {widgets.held(field)!r}' for entry, field in lost if widgets.held(field)]
        return fail(f"after {verb}: {'; '.join(changed)}") if changed and verb in {"save", "set", "update", "apply"} else over
    if over is not None or not at.notes.get("pressed") or (not lost and (there or not whole)):
        return over
    texts = [text for text in whole.values() if text.strip()]
    told = fold(" ".join(shown(e) for e in at.view.seen.elements if e.role not in {"textbox", "searchbox", "combobox"}))
    if texts and fold(texts[-1].splitlines()[0]) in told:
        return done(f"{verb}: the form is empty, and the screen shows {texts[-1]!r}")
    return fail(f"it is not known whether {verb} was done: the form no longer holds what was written, and nothing shows it")


def reach(records: Records, at: Situation, offers: Callable[[Item], bool]) -> Item | None:
    """Gets to the record: its row, where that offers what is wanted, else the record itself (None: it is open). Raises Needed."""
    if at.notes.get("there") == "open":
        return None
    card = at.kind(records.app, records.kind)
    open_one = is_any(records) or (card is not None and card.single)
    if not (is_here(records, at) or at.notes.get("opening") or open_one):
        at.notes["here"] = None
        track = at.notes.get("row id") if at.notes.get("there") == "row" else None
        if row := next((item for item in at.screen.items if track and item.element.track_id == track), None):
            return row  # whatever its fields show by now
        found = find_row(records, at)
        if at.notes.get("there") == "row" or offers(found):
            watch(found.text, at)
            at.notes.update({"there": "row", "row id": found.element.track_id})
            return found
    at.notes["there"] = ""
    find_record(records, at)
    at.notes["there"] = "open"
    return None


def _shown_already(step: FillStep, owner: Sequence[str], at: Situation) -> bool:
    """The fields are on the screen under the record's own name, or in the form that an earlier attempt left open."""
    labels = [entry.label for entry in step.entries]
    options = [e for e in at.screen.elements if widgets.is_writable(e)]

    def is_owned(label: str, field: GUIElement) -> bool:
        return widgets.fit(label, field, owner) > max(widgets.fit(label, field, ()), widgets.GOOD)

    if owner and labels and all(any(is_owned(label, field) for field in options) for label in labels):
        return True
    if not tried_before(at) or not owner or not any(at.screen.says(name) for name in owner):
        return False
    try:
        fields = [widgets.field_for(label, at, owner) for label in labels]
    except StepFailure:
        return False
    at.notes["formed"] = bool(fields) and None not in fields
    return bool(at.notes["formed"])


def write(
    entries: Sequence[Entry], app: str, at: Situation, owner: Sequence[str] = (), form: str = "", row: Item | None = None
) -> str:
    """Each value into its field, and read back; fields that are not on the screen are looked for. Raises Needed until all are
    written, which is said in words."""
    if form and not at.notes.get("formed"):
        raise Needed(_open_form(form, app, at))
    over: list[int] = at.notes.setdefault("over", [])
    for n, entry in enumerate(entries):
        there = _entry(n, entry, app, at, owner, row)
        if n in over:
            continue  # where it is not there: it was read back before the form went on to another page
        if not there:
            raise Needed(_to_field(entry.label, app, at))
        over.append(n)
    return f"{len(entries)} values are in the form" if len(entries) != 1 else f'"{entries[0].label}" is written'


def _entry(n: int, entry: Entry, app: str, at: Situation, owner: Sequence[str], row: Item | None) -> bool:
    """One value into its field, until it shows it; whether there is such a field on the screen."""
    field = widgets.field_for(entry.label, at, owner, widgets.in_row(row, entry.label, at), entry.nth)
    if field is None and entry.nth:  # another of that name is not meant
        return False
    if (field is None or field.role == "radio") and widgets.choose(entry.label, entry.value, at):
        return True
    if field is None:
        return False
    whole: dict[str, str] = at.notes.setdefault("whole", {})
    if str(n) not in whole:
        whole[str(n)] = _target(entry, field, app, at)
    offered = widgets.proposed(entry.value, at) if entry.mode == "add" else None
    if offered is not None and not widgets.holds(field, whole[str(n)]):
        raise Needed(press(offered, f'"{offered.name}" is proposed', at=at))
    widgets.put(field, whole[str(n)], at)
    return True


def _target(entry: Entry, field: GUIElement, app: str, at: Situation) -> str:
    """What the field is to hold in the end; what is added to is what it held at first sight."""
    there, text = widgets.held(field), entry.value
    again = tried_before(at)
    match entry.mode:
        case "clear":
            return ""
        case "append" | "prepend" if there:
            gap = "\n" if _many_lines(entry.label, there, app, at) else " "
            front = entry.mode == "prepend"
            if again and (there.startswith(text) if front else there.endswith(text)):
                return there
            return f"{text}{gap}{there}" if front else f"{there}{gap}{text}"
        case "add" | "remove":
            parts, named = listed_in(there), listed_in(text)
            if entry.mode == "remove":
                gone = [other for p in named for other in _meant(p, parts, entry.label)]
                if len(gone) < len(named) and not (again and not any("does not hold" in hint for hint in at.view.subtask.hints)):
                    raise StepFailure(f'"{entry.label}" does not hold {text!r}; it holds {there!r}')
                return ", ".join(part for part in parts if part not in gone)
            return ", ".join([*parts, *(p for p in named if not any(_same(p, other) for other in parts))])
        case "later":
            return _later(there, text, entry.label)
        case "raise" | "lower" if trend(there, text) not in {"", entry.mode}:
            way = "raised" if entry.mode == "raise" else "lowered"
            raise StepFailure(f'"{entry.label}" shows {there!r}, which is not {way} by {text!r}')
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
    types = [f.type for kind in at.kinds(app) for f in kind.fields if fold(f.label) == fold(label)]
    if types:
        return "\n" in there or "text" not in types
    return "\n" in there or len(there) > 60 or fold(label) in {"body", "text", "content", "note"}


def _later(there: str, minutes: str, label: str) -> str:
    clock = there.split()[-1] if parse_date(there[:10]) else there
    begin = parse_time(clock)
    if begin is None or not is_a("number", minutes.strip()):
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
        names = ", ".join(e.name for e in at.screen.presses if e.role in {"button", "menuitem", "link", "tab"}) or "none"
        none = f'there is no "{form}" in {at.title(app)} here; controls there are: {names}'
        return revealed(form, at, "menu") or fail(none)
    first(at.reach(button))
    at.notes["formed"] = True
    return press(button, f'"{button.name}" leads to the form')


def _to_field(label: str, app: str, at: Situation) -> Move:
    """The field is not on the screen: let the record be changed, go to the place that has it, or unfold it."""
    presses = [e for e in at.screen.presses if e.enabled]
    edit = control_for("edit", [e for e in presses if e.role in {"button", "link", "menuitem"}], ())
    if edit is not None and at.count("edits") < 2:
        return press(edit, f'"{edit.name}" lets it be changed', at=at)
    places = [e for e in presses if e.role in {"tab", "button", "link"} and not e.selected and e.expanded is not True]
    named = next((e for e in places if widgets.fit(label, e, ("add", "show", "more")) >= 0.9), None)
    if named is not None and at.count(f"to {named.name}") < 1:
        return press(named, f'"{named.name}" may show the field', at=at)
    kind = next((k for k in at.kinds(app) if k.single and any(fold(f.label) == fold(label) for f in k.fields)), None)
    if kind is not None and at.count("to form") < 8:
        go_to(app, kind.place, at)
    onward = next((e for e in presses if fold(e.name) in {"next", "continue"} and e.role == "button"), None)
    if onward is not None and at.notes.get("over") and at.count("onward") < 6:
        return press(onward, "the form has another step", at=at)
    names = ", ".join(e.name for e in at.screen.fields if e.name) or "none"
    none = f'there is no field "{label}" in {at.title(app)}; fields there are: {names}'
    return revealed(label, at, "section") or fail(none, f"how to enter the {label}")
