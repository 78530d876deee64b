"""Skills: make a new record and prove that it is there; tell the user."""

from collections.abc import Sequence

from environments.cards import KindCard
from protocol import Answer, GUIElement
from roles.contracts.orders import AnswerStep, CreateStep, Entry, FillStep, Records, RowTest, StepFailure
from roles.policies.orders.skills.committing import commit, news
from roles.policies.orders.skills.filling import fill, outcome, tried_before, write
from roles.policies.orders.skills.finding import find_row, go_to, step_back
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail, first, press
from roles.policies.orders.skills.widgets import field_for, held, holds
from roles.screen.matching import is_control, tokens
from roles.screen.screens import Item
from roles.screen.texts import fold


def create(step: CreateStep, at: Situation) -> Move:
    """Begin an empty form, write, commit, and see that the record is there."""
    kind = at.kind(step.app, step.kind)
    if "kept" in at.notes:
        return _proved(step, kind, at)
    if tried_before(at) and "begun" not in at.notes and (move := _looked(step, kind, at)) is not None:
        return move
    if not at.notes.get("pressed"):
        if "begun" not in at.notes:
            first(_begin(step, kind, at))
        at.notes["begun"] = True
    now = _now(step, at)
    verb = "create" if len(now) < len(step.entries) else step.commit
    if not step.commit and verb:
        raise StepFailure(f"a {step.kind} is saved as soon as it has a name, so it cannot be left unsaved")
    over = outcome(now, verb, at)
    if over is None:
        written = write(now, step.app, at)
        over = commit(verb, step.app, at, about=(step.kind,)) if verb else done(written)
    if over.kind != "done" or not verb:
        return over  # a form that is only to be filled in is left as it stands
    at.notes["kept"] = over.why
    return _proved(step, kind, at)


def _now(step: CreateStep, at: Situation) -> list[Entry]:
    """What is written at first: all, or what a dialog asks for, where one asks for a name before there is anything."""
    if "now" not in at.notes:
        if at.screen.dialog is None or "begun by" not in at.notes:
            return list(step.entries)
        here = [n for n, entry in enumerate(step.entries) if field_for(entry.label, at) is not None]
        title = bool(step.entries) and {*tokens(step.entries[0].label)} <= {"name", "title", *tokens(step.kind)}
        lone = at.screen.inputs[0].name if not here and title and len(at.screen.inputs) == 1 else ""
        if not here and not lone:
            raise StepFailure(f'"{at.notes["begun by"]}" asks for {", ".join(f.name for f in at.screen.inputs) or "nothing"}')
        at.notes.update(now=[0] if lone else here, lone=lone)
    some = [step.entries[n] for n in at.notes["now"]]
    return [some[0].model_copy(update={"label": at.notes["lone"]})] if at.notes["lone"] else some


# --- beginning --------------------------------------------------------------------------------------------------------


def _begin(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """Press what begins a new one; None where its empty form is there, or this very one."""
    label = _control(step, kind)
    fields, pressed = _fields(step, at), "begun by" in at.notes
    whole = bool(fields) and None not in fields
    if pressed and (whole or (at.screen.dialog is not None and at.screen.inputs) or (any(fields) and not at.count("looks"))):
        return None
    placed = not step.place or bool(at.notes.get("placed"))
    texts = [field for field in at.screen.inputs if field.role == "textbox"]
    blank = bool(texts) and not at.screen.items and not any(map(held, texts))  # nobody has written anything
    if whole and placed and _is_free(step, fields) and (not label or blank):
        return None
    words = {*tokens(step.kind), *(word for entry in step.entries for word in tokens(entry.label))}
    ways = [e for e in at.screen.presses if e.enabled and e.role in {"button", "link", "menuitem", "tab"}]
    ways = [e for e in ways if is_control(e.name, label) and ("{" not in label or words & {*tokens(e.name)})]  # a name in it
    begin = next(iter(ways), None) if at.screen.dialog is None and placed else None
    if begin is not None:
        if at.count("begins") > 5:
            return fail(f'"{begin.name}" does not begin a new {step.kind}')
        first(at.reach(begin))
        at.notes["begun by"] = begin.name
        return press(begin, f'"{begin.name}" begins a {step.kind}')
    if at.count("ways") < 10:
        go_to(step.app, step.place or (kind.place if kind else ""), at)
    if not at.notes.get("placed"):
        at.notes["placed"] = True
        return _begin(step, kind, at)
    if whole and not label:
        return None  # a form that always stands there: what an earlier one left in it is written over
    if at.notes["ways"] < 10:
        first(step_back(at))
    names = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
    why = f"there is no way to create a {step.kind} in {at.title(step.app)} here; buttons there are: {names}"
    return fail(why, f"how to create a {step.kind}")


def _control(step: CreateStep, kind: KindCard | None) -> str:
    """What begins one: of several ways the one that asks for what there is to say."""
    ways = [v for v in (kind.create, *kind.verbs) if v is not None and v.verb == "create"] if kind else []
    labels = {fold(entry.label) for entry in step.entries}
    asking = [v for v in ways if v.asks and any(fold(f.label) in labels for f in v.asks)]
    return next(iter([*asking, *(v for v in ways if not v.asks), *ways])).control if ways else ""


def _fields(step: CreateStep, at: Situation) -> list[GUIElement | None]:
    try:
        return [field_for(entry.label, at) for entry in step.entries]
    except StepFailure:
        return []


def _is_free(step: CreateStep, fields: Sequence[GUIElement | None]) -> bool:
    """No text field holds words of another record."""
    pairs = [(f, e) for f, e in zip(fields, step.entries, strict=True) if f is not None and f.role == "textbox"]
    return all(not held(field) or holds(field, entry.value) for field, entry in pairs)


# --- proof ------------------------------------------------------------------------------------------------------------


def new_records(step: CreateStep, kind: KindCard | None, whole: bool = False) -> Records | None:
    """How the new record is known in its list: by its key fields, else by the first text that is listed, or was asked for.

    With `whole` by all that its list shows of it.
    """
    fields = {fold(f.label): f for f in kind.fields} if kind else {}
    named = [(e, fields[fold(e.label)]) for e in step.entries if fold(e.label) in fields and e.value.strip()]
    keys = [(e, f) for e, f in named if f.key or (whole and f.listed)] or [
        (e, f) for e, f in named if f.listed and f.type in {"text", "people"}
    ][:1]
    tests = tuple(RowTest(label=f.label if f.listed else "", value=e.value) for e, f in keys)
    if not tests and step.entries and fold(step.entries[0].label) not in fields:
        tests = (RowTest(value=step.entries[0].value),)
    return Records(app=step.app, kind=step.kind, place=step.place, tests=tests) if tests else None


def _looked(step: CreateStep, kind: KindCard | None, at: Situation) -> Move | None:
    """A later attempt looks first whether an earlier one made it after all; None where it did not."""
    records, fields = new_records(step, kind, whole=True), _fields(step, at)
    if records is None or at.notes.get("looked"):
        return None
    held_by = [f is not None and bool(held(f)) and holds(f, e.value) for f, e in zip(fields, step.entries, strict=False)]
    if any(held_by) and None not in fields and _is_free(step, fields):
        at.notes.update(looked=True, begun=True)  # its form is still open
        return None
    found = _row_of(records, "looking", at)
    if found is not None and fold(records.tests[0].value) in map(fold, (found.press.name, *found.text.split(" · "))):
        return done(f"it was made before: {found.text}")
    at.notes["looked"] = True
    return None


def _row_of(records: Records, what: str, at: Situation) -> Item | None:
    """The record's row; None where it is not listed. Raises Needed until it is looked for."""
    if at.count(f"{what} steps") > 14:
        return None
    try:
        return find_row(records, at.apart(what))
    except StepFailure:
        return None
    except Needed as needed:
        if needed.move.kind == "fail":
            return None
        raise


def _proved(step: CreateStep, kind: KindCard | None, at: Situation) -> Move:
    """What a first dialog did not ask for is written; then the record shows itself, or is looked for in its list."""
    records, why = new_records(step, kind), str(at.notes["kept"])
    left = [e for n, e in enumerate(step.entries) if n not in at.notes["now"]] if "now" in at.notes else []
    if left:
        here = at.notes.setdefault("opened", any(field_for(e.label, at) is not None for e in left))
        rest = FillStep(app=step.app, records=None if here else records, entries=tuple(left), commit=step.commit)
        return fill(rest, at.apart("rest"))
    texts = [e.value for e in step.entries if e.value.strip()]
    if news(at) or not texts or records is None:
        return done(why)
    told = fold(" · ".join([*(e.name for e in at.screen.detail_texts if e.role != "status"), *(i.text for i in at.screen.items)]))
    if any(fold(text.splitlines()[0]) in told for text in texts):
        return done(f"{why}; the screen shows it")
    found = _row_of(records, "proving", at)
    if found is None:
        return fail(f"the {step.kind} was kept ({why}), and is not in the list afterwards")
    return done(f"{why}; it is in the list: {found.text}")


# --- telling ----------------------------------------------------------------------------------------------------------


def answer(step: AnswerStep, at: Situation) -> Move:
    """Tell the user, once."""
    if at.notes.get("told"):
        return done(f"the user was told: {step.value[:80]}")
    if not step.value.strip():
        return fail("there is nothing to tell")
    at.notes["told"] = True
    return act(Answer(text=step.value), "the goal asks for it")
