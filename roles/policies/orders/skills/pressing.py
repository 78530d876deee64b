"""Skill: press what does a verb with a record, a row or a page, and answer what is asked for it."""

from collections.abc import Sequence

from environments.cards import VerbCard
from environments.effects import SENSITIVE
from environments.effects.words import effect_of_words, is_way_out
from protocol import ActionTarget, Click, ExecStatus, GUIElement, Hover, Wait
from roles.contracts.orders import PressStep, Records, StepFailure
from roles.policies.orders.page_forms import ROLES, names_verb
from roles.policies.orders.skills.committing import agreed, came_of, control_for, is_listed_still, lone_way_on, news, push, watch
from roles.policies.orders.skills.filling import names_of, reach, write
from roles.policies.orders.skills.finding import find_record, find_row, fitting, is_any, naming
from roles.policies.orders.skills.lists import turn
from roles.policies.orders.skills.revealing import further, revealed
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, first, press
from roles.policies.orders.skills.widgets import field_for
from roles.screen.answers import PAGE_SAYS_NO, called_off, refusal
from roles.screen.dialogs import GRAVE, agree_choice, classify_dialog
from roles.screen.evidence import shown_for_it
from roles.screen.matching import bare
from roles.screen.page import BOXES, PARTLY, PRESSED, Page, Scopes, likeness, says
from roles.screen.page import records as parts_of
from roles.screen.rows import Row
from roles.screen.screens import DIALOG_ROLES, Item, Screen, shown
from roles.screen.texts import fold, plain

_CONTROLS = PRESSED - {"treeitem"} | {"switch"}
"""Roles of controls where cards tell of the records: an entry of a tree is a record there."""
_TAKES_AWAY = frozenset({"delete", "move", "archive", "remove", "trash"})
_SIMPLE = frozenset({"press", "click", "tap", "open", "show", "edit"})
_OPPOSITE = {"turn_on": "turn_off", "turn_off": "turn_on", "enable": "disable", "disable": "enable"}
_NARROW = 600
"""A screen less wide than this is held in a hand."""
_SAID = frozenset({"text", "cell", "gridcell", "heading", "rowheader", "label", "status"})
_MOST_TURNS = 12


def press_verb(step: PressStep, at: Situation) -> Move:
    """Get to where the control stands, press it once, answer what is asked, and see that it happened."""
    if at.shows_all(step.app):
        return _press_shown(step, at)
    if at.notes.get("pressed") and (move := _answered(step, at)) is not None:
        return move
    if step.records is None:
        return _on_page(step, at)
    stands = _card(step, at)
    listed = stands is not None and stands.at in {"row", "list"}
    if listed and "there" not in at.notes:
        at.notes["here"] = None  # the record may be open, and its row is where it is done
    row = reach(step.records, at, lambda item: listed or _control(step, item, _inside(item, at), at) is not None)
    if row is None:
        return _on_page(step, at)
    if (own := _control(step, row, _inside(row, at), at)) is not None:
        return push(own, step.verb, at)
    first(_in_list(step, stands, row, at))
    at.notes["there"] = "open"  # the list does not do it: on the record's own page it may be done
    find_record(step.records, at)
    return _on_page(step, at)


def _card(step: PressStep, at: Situation) -> VerbCard | None:
    """What the app's card says of the verb; on the record's own page, where it is done in several places."""
    card = at.card(step.app)
    kind = step.records.kind if step.records else ""
    mine = [v for k in card.kinds if not kind or k.kind == kind for v in k.verbs] + list(card.verbs) if card else []
    fitting = [v for v in mine if v.verb == step.verb and (not step.control or fold(v.control) == fold(step.control))]
    return min(fitting, key=lambda v: ("record", "row", "list", "app", "form").index(v.at), default=None)


def _inside(row: Item, at: Situation) -> list[GUIElement]:
    return [e for e in at.screen.within(row.element) if e.role in _CONTROLS - {"link", "option"} and e.name]


def _labels(step: PressStep, at: Situation) -> list[str]:
    card = _card(step, at)
    return [step.control] if step.control else [card.control] if card and card.control else []


def _control(step: PressStep, row: Item | None, options: Sequence[GUIElement], at: Situation) -> GUIElement | None:
    """The control of the verb among these: one that the step names, and no other; else by the card or the words for it."""
    owner, about = _said(step, row, at)
    enabled = [e for e in options if e.enabled]
    found = control_for(step.verb if not step.control else "\0", enabled, _labels(step, at), owner, about)
    return found or next((e for e in enabled if bare(e.name) == bare(step.control or step.verb)), None)


def _said(step: PressStep, row: Item | None, at: Situation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the record is called, and what such records are called."""
    kind = at.kind(step.app, step.records.kind) if step.records else None
    shown = (*(p.value for p in row.cells), row.press.name) if row is not None else ()
    return (*names_of(step.records), *shown), (kind.kind, *kind.words) if kind else ()


# --- in a list --------------------------------------------------------------------------------------------------------


def _in_list(step: PressStep, stands: VerbCard | None, row: Item, at: Situation) -> Move | None:
    """The toolbar over the list, which works on what is chosen, or the row's context menu; None where neither does it."""
    card = at.kind(step.app, step.records.kind) if step.records else None
    ticked = card is not None and any(verb.verb == "tick" and "{title}" in verb.control for verb in card.verbs)
    if not ticked:  # else a tick may say something of the record itself
        first(_others_chosen(row, at))
    selected = bool(at.notes.get("selected"))
    if selected or _is_chosen(row, at):
        if (control := _control(step, row, [e for e in at.screen.elements if e.role in _CONTROLS and e.name], at)) is not None:
            return push(control, step.verb, at)
        if selected:
            first(revealed(step.verb, at, "menu"))
    tries, toolbar = at.count("selects"), stands is not None and stands.at == "list"
    if tries > (3 if toolbar else 0):
        return None
    at.notes["selected"] = True
    if toolbar and tries < 3:
        return _chosen(row, tries, at)
    target = ActionTarget.of(row.press)
    click = Click(target=target, hold=0.8) if _in_hand(at) else Click(target=target, button="right")
    return at.reach(row.press) or act(click, "its own menu may offer it", "a menu of the row")


def _in_hand(at: Situation) -> bool:
    return at.view.seen.screen_resolution[0] < _NARROW


def _box(row: Item, at: Situation) -> GUIElement | None:
    return next((e for e in at.screen.within(row.element) if e.role == "checkbox" and e.enabled), None)


def _is_chosen(row: Item, at: Situation) -> bool:
    box = _box(row, at)
    return row.element.selected or (box is not None and box.value == "true")


def _others_chosen(row: Item, at: Situation) -> Move | None:
    """What else is chosen would be dealt with as well: it is let go first."""
    alike = [item for item in at.screen.items if item.element.role == row.element.role and item.element is not row.element]
    other = next((item for item in alike if _is_chosen(item, at)), None)
    if other is None:
        return None
    if at.count("let go") > 20:
        return fail(f'"{other.text}" is selected as well, and cannot be deselected')
    box = _box(other, at)
    click = Click(target=ActionTarget.of(box or other.press), modifiers=() if box is not None else ("Control",))
    return at.reach(other.press) or act(click, f'"{other.text}" is chosen, and is not meant', "it is let go")


def _chosen(row: Item, tries: int, at: Situation) -> Move:
    """Choose a row without opening it: its box, a long press on a phone, a click where it opens nothing, a click with Control."""
    if (box := _box(row, at)) is not None:
        return press(box, "its box chooses it", at=at)
    target = ActionTarget.of(row.press)
    plain = Click(target=target, hold=0.8 if _in_hand(at) else 0.0)
    click = plain if _in_hand(at) or row.press is row.element or tries else Click(target=target, modifiers=("Control",))
    return at.reach(row.press) or act(click, "to choose it without opening it", "the row is chosen")


# --- on a page --------------------------------------------------------------------------------------------------------


def _on_page(step: PressStep, at: Situation) -> Move:
    """On the page that is open: its control, or a menu's."""
    presses = [e for e in at.screen.elements if e.role in _CONTROLS and e.name]
    if (control := _control(step, None, presses, at)) is not None:
        if step.entries and all(field_for(entry.label, at) is not None for entry in step.entries):  # it takes what stands there
            write(step.entries, step.app, at)
            at.notes["given"] = True
        return push(control, step.verb, at)
    opposite = _OPPOSITE.get(step.verb) or (step.verb[2:] if step.verb.startswith("un") else f"un{step.verb}")
    undo = control_for(opposite, [e for e in presses if e.enabled], (), *_said(step, None, at)) if step.records else None
    if undo is not None:
        return done(f'"{undo.name}" is offered: it is so already')
    first(revealed(step.verb, at, "menu"))
    wanted = {bare(label) for label in (*_labels(step, at), step.verb)}
    if (off := next((e for e in presses if bare(e.name) in wanted), None)) is not None:
        return fail(f'"{off.name}" is disabled')
    names = ", ".join(e.name for e in presses if e.role in {"button", "menuitem"}) or "none"
    return fail(f"there is no way to {step.verb} it in {at.title(step.app)}; buttons there are: {names}", f"how to {step.verb}")


# --- what is asked, and what came of it -------------------------------------------------------------------------------


def _answered(step: PressStep, at: Situation) -> Move | None:
    """What the press asks for, then the proof; None where it has to be pressed again."""
    if not at.view.seen.loading:
        if at.screen.dialog is not None:
            return _in_dialog(step, at.screen.dialog, at)
        if step.entries and not at.notes.get("given"):
            return _given(step, at)
    over = came_of(step.verb, at, done_to_it=True)
    if over is not None and over.kind != "done":
        return over
    if not step.entries and step.verb not in _SIMPLE and (asked := _asked_for(at)):
        return fail(f'"{at.notes.get("button")}" asks for more than was said: {asked}')
    if step.verb in _TAKES_AWAY and is_listed_still(at):
        return act(Wait(seconds=1.0), "it is still in the list") if at.count("looks") < 2 else None
    return over


def _asked_for(at: Situation) -> str:
    """What a menu or a form that the press brought up wants to know."""
    known = {e.track_id for e in at.view.before.elements} if at.view.before is not None else set()
    menu = [e.name for e in at.screen.elements if e.name == at.notes.get("button") and e.expanded]
    fresh = [] if at.screen.items or news(at) else [f for f in at.screen.inputs if f.track_id not in known]
    empty = [f.name for f in fresh if f.role == "textbox" and not f.value]
    return ", ".join((*menu, *empty)) if at.view.before is not None else ""


def _in_dialog(step: PressStep, dialog: GUIElement, at: Situation) -> Move:
    """Give what is asked for, and agree."""
    fields = [f for f in at.screen.fields if f.role in {"textbox", "combobox", "listbox", "spinbutton", "checkbox"}]
    if step.entries and fields and not at.notes.get("given"):
        given = list(step.entries)
        if len(given) == len(fields) == 1 and field_for(given[0].label, at) is None:  # for the only field, whatever it is called
            given = [given[0].model_copy(update={"label": fields[0].name})]
        write(given, step.app, at)
        at.notes["given"] = True
    empty = next((f for f in fields if not f.value and (f.required or not step.entries)), None)
    if empty is not None:
        return fail(f'"{step.verb}" asks for "{empty.name}", and nothing says what it is')
    if fields and step.entries and agree_choice(step.verb, at.screen) is None:
        on = control_for(step.verb, at.screen.presses, ()) or lone_way_on(at)
        if on is not None and classify_dialog(dialog, at.screen.elements) not in GRAVE and at.count("agreed") < 4:
            at.mark()
            return press(on, f"the crew itself asked to {step.verb} it", at=at)
    return agreed(step.verb, at)


def _given(step: PressStep, at: Situation) -> Move | None:
    """Without a dialog: an entry of a menu that opened."""
    value = fold(step.entries[0].value)
    roles = {"menuitem", "option", "menuitemradio", "treeitem"}
    items = [e for e in at.screen.elements if e.role in roles and e.enabled and e.expanded is None]
    into = [e for e in items if fold(e.name.rsplit("/", 1)[-1]) == value] or [e for e in items if value in fold(e.name)]
    if len(into) == 1:
        at.mark(given=True)
        return press(into[0], f'"{into[0].name}" is where it goes', at=at)
    if at.last is not None and not at.last.visible_change:
        return None
    asked = ", ".join(entry.label for entry in step.entries)
    return fail(f'"{step.verb}" does not ask for {asked} in {at.title(step.app)}')


# --- where no more is known than what a page shows --------------------------------------------------------------------


def _press_shown(step: PressStep, at: Situation) -> Move:
    """Press what is meant, once, whatever comes of it; nothing else is tried."""
    if at.view.seen.loading and at.count("loads") < 8:
        return act(Wait(seconds=1.0), "it is still loading")
    if step.verb == "reveal":
        return _reveal(step, at)
    if step.verb == "point" and at.count("pointed"):
        return done(f'"{step.control}" is pointed at')
    if at.notes.get("pressed"):
        return _after(step, at)
    control = _row_control(step, step.records, at) if step.records is not None else _sole_control(step, at)
    if step.verb == "point":  # a press on an entry of a menu that leads to others may be an answer
        return act(Hover(target=ActionTarget.of(control)), f'"{step.control}" leads to what is meant')
    first(at.reach(control))
    at.mark(pressed=1, button=control.name)
    return press(control, f'"{control.name}" is what is to be pressed')


def _reveal(step: PressStep, at: Situation) -> Move:
    """Look behind tabs, into sections and further down until something of that name is shown."""
    names = [name for e in _taking_input(at) for name in (e.name, *e.choices) if name]
    looks = at.count("looks")
    if looks and any(likeness(step.control, name) >= PARTLY for name in names):
        return done(f'"{step.control}" is on the page')
    return revealed(step.control, at, "section", "tab") or (_further(at) if looks < 2 * _MOST_TURNS else None) or fail(step.place)


def _further(at: Situation) -> Move | None:
    """More of what the page shows, by its control for it or further down; None at its end."""
    return (turn(True, at) if at.count("turns") < _MOST_TURNS else None) or further(at)


def _taking_input(at: Situation) -> list[GUIElement]:
    """A dialog on top of the page first."""
    return at.screen.elements if at.screen.dialog is not None else list(at.view.seen.elements)


def _part(place: str, at: Situation) -> list[GUIElement] | None:
    """A part of the page: the dialog, or what stands in or beside what is called so; None where that is no single one."""
    scopes = Scopes(Page(at.view.seen, at.view.user_request).elements)
    dialogs = [e for e in at.view.seen.elements if e.role in DIALOG_ROLES] if fold(place) == "dialog" else []
    return scopes.inside(dialogs[-1]) if dialogs else scopes.of(place)


def _sole_control(step: PressStep, at: Situation) -> GUIElement:
    elements = _part(step.place, at) if step.place else _taking_input(at)
    if elements is None:
        raise StepFailure(f'no single part of the page is called "{step.place}"')
    called = [e for e in elements if e.name == step.control and e.role in ROLES.get(step.kind, PRESSED | BOXES)]
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


def _row_control(step: PressStep, records: Records, at: Situation) -> GUIElement:
    """The control of the verb in the one row or part of the page that is meant. Raises Needed until that is on the screen."""
    part = _part(step.place, at) if step.place else None
    verbs = [e for e in part or _taking_input(at) if e.role in PRESSED and e.enabled and names_verb(step.verb, e.name)]
    controls = [e for e in verbs if e.name == step.control] or verbs
    if not controls:
        raise StepFailure(f'there is no control to "{step.verb}" on the page')
    named = [e for e in controls if any(says(e, name) for name in names_of(records))]  # "Remove Take Five"
    sole = controls if is_any(records) else named if records.pick is None else []
    if len(sole) == 1:
        return sole[0]
    if is_any(records):
        raise StepFailure(f"{len(controls)} controls of the page may be meant; say which one")
    in_rows = {e.element_id for row in at.screen.rows for e in at.screen.within(row)}
    if any(e.element_id in in_rows for e in controls):
        row = find_row(records, at)
        inside, name = at.screen.within(row.element), row.text
        if names_verb("delete", step.verb):
            watch(name, at)
    elif len(controls) == 1:
        raise StepFailure(f'nothing shows that "{controls[0].name}" is for what is meant')
    else:
        inside, name = _stretch(controls, records, at)
    mine = [e for e in controls if any(e.element_id == one.element_id for one in inside)]
    if len(mine) != 1:
        raise StepFailure(f'{len(mine)} controls of "{name}" may be meant')
    return mine[0]


def _stretch(controls: Sequence[GUIElement], records: Records, at: Situation) -> tuple[list[GUIElement], str]:
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
    if not fits:
        first(_further(at))
    if len(fits) != 1:
        raise StepFailure(f"{len(fits)} parts of the page fit {naming(records)}")
    return next(inside for row, inside in found if row is fits[0]), fits[0].text


def _after(step: PressStep, at: Situation) -> Move:
    """Done, or what the page says against it, or asks."""
    last, name, since = at.last, str(at.notes.get("button", "")), int(at.notes.get("at", 0))
    if last is None or last.step <= since:
        return act(Wait(seconds=0.5), "to see what came of it")
    if (asked := _asked(step, name, at)) is not None:
        return asked
    if said := refusal(at.view.before, at.view.seen, at.view.user_request, name):
        return fail(f"{PAGE_SAYS_NO}: {said}")
    mine = [s for s in at.history if s.step > since]
    status, error = mine[0].exec_status, mine[0].error
    if status is ExecStatus.ERROR and at.count("again") < 2:
        at.notes["pressed"] = 0  # it was stopped before anything happened
        return _press_shown(step, at)
    if said := next((said for s in mine if (said := called_off(s, mine))), ""):
        return fail(f"after the press {said}")
    if asked_for := at.notes.get("called off"):
        return fail(f'after the press the page asked "{asked_for}", and the answer was "{at.notes.get("answer")}"')
    brought = (
        shown_for_it(mine[0]) and effect_of_words(name) not in SENSITIVE
    )  # a page that is loaded again shows nothing of a sending
    if status is not ExecStatus.EXECUTED and not brought:
        why = error or status.value
        unsure = act(Wait(seconds=1.0), f"it is not known whether it was done ({why})")
        return unsure if at.count("unknown") < 2 else fail(f'"{name}" was not pressed: {why}')
    if is_listed_still(at):
        still = f'"{at.notes["row"]}" is still listed'
        return act(Wait(seconds=1.0), still) if at.count("still") < 2 else fail(still)
    return done(f'"{name}" was pressed')


def _asked(step: PressStep, name: str, at: Situation) -> Move | None:
    """The answer to a question that the press brought up: yes to one about what was pressed; None where there is none."""
    dialog = at.screen.dialog
    native = dialog is not None and dialog.name.startswith("The page asks")
    if native and effect_of_words(name) not in SENSITIVE:
        way = next((e for e in at.screen.presses if is_way_out(e.name)), None)
        asked = " ".join(dict.fromkeys(shown(e) for e in at.screen.elements if e.role in _SAID))
        if way is None:
            return fail(f"the page asks: {asked}")
        at.notes.update({"called off": asked[:160], "answer": way.name})
        return press(way, f'"{name}" was not to do what the page asks')
    if native or (dialog is not None and step.records is not None):
        return agreed(step.verb if step.records is not None else plain(name), at)
    if step.records is None:
        return None
    known = {e.element_id for e in at.view.before.elements} if at.view.before is not None else set[str]()
    dialogs = [e for e in at.view.seen.elements if e.role in DIALOG_ROLES and e.element_id not in known]
    screen = Screen(at.view.seen.model_copy(update={"modal": dialogs[-1].element_id})) if dialogs else None  # beside the page
    choice = agree_choice(step.verb, screen) if screen is not None else None
    return press(choice, f"the crew itself asked to {step.verb} it") if choice is not None and at.count("agreed") < 3 else None
