"""Pages of which no more is known than what they show: press what a name means there, and prove what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words, is_way_out
from protocol import ActionTarget, Drag, ExecStatus, GUIElement, Hover, PressKey, Scroll, Wait
from roles.contracts.orders import PressStep, Records, StepFailure
from roles.policies.orders.pages import ROLES, names_verb
from roles.policies.orders.skills.committing import agreed
from roles.policies.orders.skills.filling import names_of
from roles.policies.orders.skills.finding import find_row, fitting, naming
from roles.policies.orders.skills.lists import is_next, numbered, turn
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, press
from roles.policies.orders.skills.widgets import field_for, put
from roles.screen.answers import PAGE_SAYS_NO, called_off, refusal
from roles.screen.dialogs import agree_choice
from roles.screen.matching import tokens
from roles.screen.page import BOXES, PRESSED, Page, Scopes, likeness, plain, says, stands_in
from roles.screen.page import records as parts_of
from roles.screen.rows import Row
from roles.screen.screens import DIALOG_ROLES, Item, Screen, fold, shown

_SAID = frozenset({"text", "cell", "gridcell", "heading", "rowheader", "label", "status"})
_NAMES = frozenset({"is", "has", "from", "to", "by", "about"})
"""Tests that what is shown may pass by being called so; a bound is none."""
_HARMLESS = frozenset({None, Effect.NAVIGATE, Effect.OBSERVE})


# --- pressing ---------------------------------------------------------------------------------------------------------


def press_on_page(step: PressStep, at: Situation) -> Move:
    """Press what is meant, once, and see what came of it."""
    if at.view.seen.loading and at.count("loads") < 8:
        return act(Wait(seconds=1.0), "it is still loading")
    if other := {"scroll": _scroll, "reveal": _reveal, "point": _point, "move": _move, "enter": _enter}.get(step.verb):
        return other(step, at)
    if at.notes.get("pressed"):
        return _after(step, at)
    if step.records is not None:
        control = _row_control(step, step.records, at)
    else:
        control = _way_out(step, at) if step.verb == "close" else _control(step, at)
    if isinstance(control, Move):
        return control
    for entry in step.entries:
        beside = [e for e in at.view.seen.elements if e.element_id in at.notes.get("inside", ())]
        field = field_for(entry.label, at, within=beside) if beside else None
        if field is None:
            raise StepFailure(f'there is no "{entry.label}" beside "{control.name}"')
        if (move := put(field, entry.value, at)).kind != "done":
            return move
    if not control.visible and at.count("into view") < 3:
        return act(Scroll.toward("down", 1, "page", ActionTarget.of(control)), f'"{control.name}" is out of view')
    at.notes.update(pressed=1, at=at.history[-1].step if at.history else 0, button=control.name)
    return press(control, f'"{control.name}" is what is to be pressed')


def _here(at: Situation) -> list[GUIElement]:
    """What takes input: a dialog on top of the page first."""
    return at.screen.elements if at.screen.dialog is not None else list(at.view.seen.elements)


def _dialogs(at: Situation) -> list[GUIElement]:
    return [e for e in at.view.seen.elements if e.role in DIALOG_ROLES]


def _control(step: PressStep, at: Situation) -> GUIElement:
    elements = _here(at)
    if step.place:
        elements = _part(step.place, at)
    roles = ROLES.get(step.kind, PRESSED | BOXES)
    called = [e for e in elements if e.name == step.control and e.role in roles]
    if called and not any(e.enabled for e in called):
        raise StepFailure(f'"{step.control}" is disabled; the page may still ask for something')
    called = [e for e in called if e.enabled and e.visible] or [e for e in called if e.enabled]
    exactly = [e for e in called if e.role == step.kind] or called
    if step.nth and len(exactly) >= step.nth:
        return exactly[step.nth - 1]
    if len(exactly) == 1:
        return exactly[0]
    if not exactly:
        raise StepFailure(f'there is no "{step.control}" on the page{f" in {step.place}" if step.place else ""}')
    raise StepFailure(f'{len(exactly)} things on the page are called "{step.control}"; say which one')


def _part(place: str, at: Situation) -> list[GUIElement]:
    """A part of the page: the dialog, or what stands in or beside what is called so."""
    elements = Page(at.view.seen, at.view.user_request).elements
    if fold(place) == "dialog" and (open_ := _dialogs(at)):
        return Scopes(elements).inside(open_[-1])
    found = Scopes(elements).of(place)
    if found is None:
        raise StepFailure(f'no single part of the page is called "{place}"')
    return found


def _way_out(step: PressStep, at: Situation) -> GUIElement:
    """What closes the dialog."""
    named = [d for d in _dialogs(at) if not step.place or likeness(step.place, d.name) >= 0.8]
    inside = Scopes(list(at.view.seen.elements)).inside(named[-1]) if named else []
    ways = [e for e in inside if e.role in PRESSED and e.enabled and (is_way_out(e.name) or likeness("close", e.name) >= 0.9)]
    closes = [e for e in ways if likeness("close", e.name) >= 0.9] or ways
    if len(closes) == 1:
        return closes[0]
    raise StepFailure("there is no dialog on the page" if not named else f"{len(closes)} controls may close the dialog")


def _reveal(step: PressStep, at: Situation) -> Move:
    """Look behind tabs, into sections and further down until something of that name is shown."""
    elements = _here(at)
    names = [name for e in elements for name in (e.name, *e.choices) if name]
    if at.notes.get("looked") and any(likeness(step.control, name) >= 0.9 for name in names):
        return done(f'"{step.control}" is on the page')
    at.notes["looked"] = True
    tried: list[str] = at.notes.setdefault("tried", [])
    ways = [e for e in elements if e.enabled and e.name and effect_of_words(e.name) in _HARMLESS and e.name not in tried]
    ways = [e for e in ways if e.expanded is False or (e.role == "tab" and not e.selected)]
    if ways and len(tried) < 12:
        if scroll := at.reach(ways[0]):
            return scroll
        tried.append(ways[0].name)
        return press(ways[0], f'"{step.control}" may stand in "{ways[0].name}"')
    return _further(at) or fail(step.place)


def _further(at: Situation) -> Move | None:
    """More of what the page shows, by its control for it or further down; None at its end."""
    still = at.last is not None and at.last.verb == "scroll" and not at.last.visible_change
    over = next((e for e in reversed(_here(at)) if e.visible and e.name), None)
    if still or over is None or at.count("further") > 12:
        return None
    return turn(True, at) or act(Scroll.toward("down", 1, "page", ActionTarget.of(over)), "it may stand further down")


def _enter(step: PressStep, at: Situation) -> Move:
    """Enter in a field that has no control beside it."""
    if at.notes.get("pressed"):
        return _after(step, at)
    fields = [e for e in _here(at) if e.name == step.control and e.role in ROLES["field"]]
    field = fields[max(0, step.nth - 1)] if len(fields) >= max(1, step.nth) else None
    if field is None:
        raise StepFailure(f'there is no "{step.control}" on the page')
    at.notes.update(pressed=1, at=at.history[-1].step if at.history else 0, button="Enter")
    return act(PressKey(target=ActionTarget.of(field), keys=("Enter",)), "there is no control to add it; Enter may")


def _move(step: PressStep, at: Situation) -> Move:
    """Bring a card to another part of the page: by a list or a control that stands with it, else by dragging it there."""
    scopes, names = Scopes(Page(at.view.seen, at.view.user_request).elements), names_of(step.records)
    card = next((part for name in names if (part := scopes.of(name))), None)
    if card is None:
        raise StepFailure(f"no single part of the page is called {' or '.join(map(repr, names))}")
    if stands_in(names[0], step.place, at.view.seen):
        return done(f'"{names[0]}" stands in "{step.place}"')
    tried = at.count("moves")
    if at.last is not None and at.last.verb == "wait" and tried > 4:
        return fail(f'"{names[0]}" does not stand in "{step.place}" after it was moved')
    field = next((e for e in card if any(plain(o) == plain(step.place) for o in e.choices)), None)
    if field is not None and tried < 2:
        return put(field, next(o for o in field.choices if plain(o) == plain(step.place)), at)
    opened = at.notes.get("menu") and next(
        (e for e in _here(at) if e.role in PRESSED and plain(e.name) == plain(step.place)), None
    )
    ways = [e for e in card if e.role in PRESSED and e.enabled]
    named = [e for e in ways if {*tokens(step.place)} <= {*tokens(e.name)}]
    menu = [e for e in ways if names_verb("move", e.name)]
    if (control := opened or next(iter(named or menu), None)) and tried < 3:
        at.notes["menu"] = control in menu
        return press(control, f'"{control.name}" moves "{names[0]}"', at=at)
    into = next((e for e in scopes.of(step.place) or () if e.visible and e.bbox is not None), None)
    label = next((e for e in card if e.name and e.visible), None)
    if into is not None and label is not None and not (named or menu or field) and tried < 2:
        return act(Drag(target=ActionTarget.of(label), to=ActionTarget.of(into)), f'"{names[0]}" goes to "{step.place}"')
    return act(Wait(seconds=1.0), "to see whether it was moved") if tried < 6 else fail(f'there is no way to move "{names[0]}"')


def _point(step: PressStep, at: Situation) -> Move:
    """Open an entry of a menu that leads to others: most open when they are pointed at, and a press may be an answer."""
    names = [e.name for e in _here(at)]
    before: list[str] = at.notes.setdefault("before", names)
    if set(names) - set(before):
        return done(f'"{step.control}" is open')
    control, tried = _control(step, at), at.count("pointed")
    if tried == 0:
        return act(Hover(target=ActionTarget.of(control)), f'"{control.name}" leads to what is meant')
    if tried < 3:
        return act(Wait(seconds=0.5), f'"{control.name}" may open')
    return press(control, f'"{control.name}" leads to what is meant') if tried == 3 else done(f'"{control.name}" was pressed')


def _scroll(step: PressStep, at: Situation) -> Move:
    """Down or up until nothing moves any more."""
    way = "up" if step.place == "top" else "down"
    last = at.last
    still = bool(at.notes.get("scrolled")) and last is not None and last.verb == "scroll" and not last.visible_change
    if still or at.count("scrolled") > 12:
        return done(f"scrolled {way}")
    field = next((e for e in _here(at) if e.name == step.control), None) if step.control else None
    if step.control and field is None:
        raise StepFailure(f'there is no "{step.control}" on the page')
    target = ActionTarget.of(field) if field is not None else None
    return act(Scroll.toward("up" if way == "up" else "down", 10, "page", target), f"to get to the {step.place}")


# --- what came of it --------------------------------------------------------------------------------------------------


def _after(step: PressStep, at: Situation) -> Move:
    """Done, or what the page says against it, or asks."""
    last, name = at.last, str(at.notes.get("button", ""))
    if last is None or last.step <= int(at.notes.get("at", 0)):
        return act(Wait(seconds=0.5), "to see what came of it")
    dialog = at.screen.dialog
    native = dialog is not None and dialog.name.startswith("The page asks")
    if dialog is not None and (native or step.records is not None):
        return _answer(step, name, at, native)
    if (asked := _asked_beside(step, at)) is not None:
        return asked
    if said := refusal(at.view.before, at.view.seen, at.view.user_request, name):
        return fail(f"{PAGE_SAYS_NO}: {said}")
    if (move := _not_done(step, name, at)) is not None:
        return move
    if step.verb == "close" and _dialogs(at):
        looks = at.count("closing")
        return act(Wait(seconds=1.0), "the dialog is still there") if looks < 2 else fail("the dialog is still open")
    if at.notes.get("row") and sum(item.text == at.notes["row"] for item in at.screen.items) >= at.notes["alike"]:
        row = at.notes["row"]
        return act(Wait(seconds=1.0), "it is still listed") if at.count("listed") < 2 else fail(f'"{row}" is still listed')
    return done(f'"{name}" was pressed')


def _asked_beside(step: PressStep, at: Situation) -> Move | None:
    """Yes to a question that came up in a dialog which leaves the page as it is; None where none did."""
    known = {e.element_id for e in at.view.before.elements} if at.view.before is not None else set[str]()
    fresh = [d for d in _dialogs(at) if d.element_id not in known and step.records is not None]
    screen = Screen(at.view.seen.model_copy(update={"modal": fresh[-1].element_id})) if fresh else None
    choice = agree_choice(step.verb, screen) if screen is not None else None
    return press(choice, f"the crew itself asked to {step.verb} it") if choice is not None and at.count("agreed") < 3 else None


def _not_done(step: PressStep, name: str, at: Situation) -> Move | None:
    """Why the press may have come to nothing: it was stopped, nobody knows, or what the page asked was answered with no."""
    mine = [s for s in at.history if s.step > int(at.notes.get("at", 0))]
    if mine and mine[0].exec_status is ExecStatus.ERROR and at.count("again") < 2:
        at.notes["pressed"] = 0  # it was stopped before anything happened
        return press_on_page(step, at)
    if said := next((said for s in mine if (said := called_off(s, mine))), ""):
        return fail(f"after the press {said}")
    if asked := at.notes.get("called off"):
        return fail(f'after the press the page asked "{asked}", and the answer was "{at.notes.get("answer")}"')
    if not mine or mine[0].exec_status is ExecStatus.EXECUTED:
        return None
    if at.count("unknown") < 2:
        return act(Wait(seconds=1.0), f"it is not known whether it was done ({mine[0].error or mine[0].exec_status.value})")
    return fail(f'"{name}" was not pressed: {mine[0].error or mine[0].exec_status.value}')


def _answer(step: PressStep, name: str, at: Situation, native: bool) -> Move:
    """A question that the press brought up: agreed to where it is about what was pressed."""
    if native and effect_of_words(name) not in SENSITIVE:
        way = next((e for e in at.screen.presses if is_way_out(e.name)), None)
        asked = " ".join(dict.fromkeys(shown(e) for e in at.screen.elements if e.role in _SAID))
        if way is None:
            return fail(f"the page asks: {asked}")
        at.notes.update({"called off": asked[:160], "answer": way.name})
        return press(way, f'"{name}" was not to do what the page asks')
    return agreed(step.verb if step.records is not None else plain(name), at)


# --- rows -------------------------------------------------------------------------------------------------------------


def _controls(step: PressStep, at: Situation) -> list[GUIElement]:
    """Those of the verb, in the part of the page that is named where there is one."""
    part = Scopes(Page(at.view.seen, at.view.user_request).elements).of(step.place) if step.place else None
    controls = [e for e in part or _here(at) if e.role in PRESSED and e.enabled and names_verb(step.verb, e.name)]
    if not controls:
        raise StepFailure(f'there is no control to "{step.verb}" on the page')
    return [e for e in controls if e.name == step.control] or controls


def _row_control(step: PressStep, records: Records, at: Situation) -> GUIElement | Move:
    """The control of the verb in the one row or part that is meant."""
    controls = _controls(step, at)
    if not records.tests and records.pick is None:
        if len(controls) == 1:
            return controls[0]
        raise StepFailure(f"{len(controls)} controls of the page may be meant; say which one")
    if (control := _only_one(step, controls, records, at)) is not None:
        return control
    in_rows = {e.element_id for row in at.screen.rows for e in at.screen.within(row)}
    if any(e.element_id in in_rows for e in controls):
        row = find_row(records, at)
        if isinstance(row, Move):
            return row
        inside, name = at.screen.within(row.element), row.text
        _watch(step, name, at)
    elif len(controls) == 1:
        return _beside(controls[0], records, at)
    else:
        if isinstance(found := _stretch(controls, records, at), Move):
            return found
        inside, name = found
    mine = [e for e in controls if any(e.element_id == one.element_id for one in inside)]
    at.notes["inside"] = [e.element_id for e in inside]
    if len(mine) != 1:
        raise StepFailure(f'{len(mine)} controls of "{name}" may be meant')
    return mine[0]


def _only_one(step: PressStep, controls: Sequence[GUIElement], records: Records, at: Situation) -> GUIElement | None:
    """The control that bears the name itself, "Remove Take Five"; else, of a list without further pages, that of the only row
    which has one and is called exactly so."""
    called = [e for e in controls if any(says(e, name) for name in names_of(records))]
    if len(called) == 1 and records.pick is None:
        return called[0]
    names, rows = [plain(name) for name in names_of(records)], list[tuple[GUIElement, Item]]()
    paged = numbered(at, 1) is not None or any(is_next(e.name) for e in at.screen.presses)
    for row in at.screen.items if len(names) == len(records.tests) == 1 and not paged else ():
        inside = at.screen.within(row.element)
        if any(plain(e.name) in names for e in inside if e.role in _SAID | {"link", "checkbox"}):
            rows += [(e, row) for e in inside if e in controls]
    if len(rows) != 1 or records.pick is not None:
        return None
    _watch(step, rows[0][1].text, at)
    at.notes["inside"] = [e.element_id for e in at.screen.within(rows[0][1].element)]
    return rows[0][0]


def _watch(step: PressStep, row: str, at: Situation) -> None:
    """What is to be gone from the list afterwards."""
    if names_verb("delete", step.verb):
        at.notes.update(row=row, alike=sum(item.text == row for item in at.screen.items))


def _beside(control: GUIElement, records: Records, at: Situation) -> GUIElement:
    """The only control of its name, where it stands with what is meant and is not that of the whole page."""
    scopes = Scopes(Page(at.view.seen, at.view.user_request).elements)
    parts = [scopes.of(test.value) or [] for test in records.tests]
    told = all(test.relation in _NAMES and not test.negated for test in records.tests) and records.pick is None
    if not parts or not told or not all(any(e.element_id == control.element_id for e in part) for part in parts):
        raise StepFailure(f'nothing shows that "{control.name}" is for what is meant')
    return control


def _stretch(controls: Sequence[GUIElement], records: Records, at: Situation) -> tuple[list[GUIElement], str] | Move:
    """Without rows: the one that is meant of the stretches of the page between one such control and the next."""
    found: list[tuple[Row, list[GUIElement]]] = []
    for record in parts_of(Page(at.view.seen, ""), list(controls)):
        cells, label = [], ""
        for text in (e.name for e in record.parts if e.name and e.role in _SAID):
            if text.rstrip().endswith(":"):
                label = text.strip(" :")
                continue
            cells.append((label, text))
            label = ""
        row = Row(" · ".join(text for _, text in cells), record.title, (*cells, ("", record.press.name)), body="")
        found.append((row, [*record.parts, record.press]))
    fits = fitting(records, [row for row, _ in found], at)
    if not fits and (way := _further(at)) is not None:
        return way
    if len(fits) != 1:
        raise StepFailure(f"{len(fits)} parts of the page fit {naming(records)}")
    return next(inside for row, inside in found if row is fits[0]), fits[0].text
