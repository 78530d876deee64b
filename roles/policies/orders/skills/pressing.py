"""Skill: press what does a verb with a record, a row or a page, and answer what is asked for it."""

from __future__ import annotations

from collections.abc import Sequence

from environments.cards import VerbCard
from protocol import ActionTarget, Click, GUIElement, Wait
from roles.contracts.orders import Entry, PressStep
from roles.policies.orders.skills.committing import (
    agreed,
    bare,
    came_of,
    control_for,
    is_listed_still,
    lone_way_on,
    news,
    push,
)
from roles.policies.orders.skills.filling import names_of, reach, write
from roles.policies.orders.skills.finding import find_record
from roles.policies.orders.skills.revealing import revealed
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, press
from roles.policies.orders.skills.widgets import field_for
from roles.screen.dialogs import GRAVE, agree_choice, classify_dialog
from roles.screen.screens import Item
from roles.screen.texts import fold

_PRESSED = frozenset({"button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "switch", "option"})
_TAKES_AWAY = frozenset({"delete", "move", "archive", "remove", "trash"})
_SIMPLE = frozenset({"press", "click", "tap", "open", "show", "edit"})
_OPPOSITE = {"turn_on": "turn_off", "turn_off": "turn_on", "enable": "disable", "disable": "enable"}
_NARROW = 600
"""A screen less wide than this is held in a hand."""


def press_verb(step: PressStep, at: Situation) -> Move:
    """Get to where the control stands, press it once, answer what is asked, and see that it happened."""
    if at.notes.get("pressed") and (move := _answered(step, at)) is not None:
        return move
    if step.records is None:
        return _on_page(step, at)
    stands = _card(step, at)
    listed = stands is not None and stands.at in {"row", "list"}
    if listed and "there" not in at.notes:
        at.notes["here"] = None  # the record may be open, and its row is where it is done
    row = reach(step.records, at, lambda item: listed or _control(step, item, _inside(item, at), at) is not None)
    if isinstance(row, Move):
        return row
    if row is None:
        return _on_page(step, at)
    if (own := _control(step, row, _inside(row, at), at)) is not None:
        return push(own, step.verb, at)
    if (move := _in_list(step, stands, row, at)) is not None:
        return move
    at.notes["there"] = "open"  # the list does not do it: on the record's own page it may be done
    return find_record(step.records, at) or _on_page(step, at)


def _card(step: PressStep, at: Situation) -> VerbCard | None:
    """What the app's card says of the verb; on the record's own page, where it is done in several places."""
    card = at.card(step.app)
    kind = step.records.kind if step.records else ""
    mine = [v for k in card.kinds if not kind or k.kind == kind for v in k.verbs] + list(card.verbs) if card else []
    fitting = [v for v in mine if v.verb == step.verb and (not step.control or fold(v.control) == fold(step.control))]
    return min(fitting, key=lambda v: ("record", "row", "list", "app", "form").index(v.at), default=None)


def _inside(row: Item, at: Situation) -> list[GUIElement]:
    return [e for e in at.screen.within(row.element) if e.role in _PRESSED - {"link", "option"} and e.name]


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
    if not ticked and (other := _others_chosen(row, at)) is not None:  # a tick may say something of the record itself
        return other
    selected = bool(at.notes.get("selected"))
    if selected or _is_chosen(row, at):
        if (control := _control(step, row, [e for e in at.screen.elements if e.role in _PRESSED and e.name], at)) is not None:
            return push(control, step.verb, at)
        if selected and (menu := revealed(step.verb, at, "menu")) is not None:
            return menu
    tries, toolbar = at.count("selects"), stands is not None and stands.at == "list"
    if tries > (3 if toolbar else 0):
        return None
    at.notes["selected"] = True
    return _chosen(row, tries, at) if toolbar and tries < 3 else _context_menu(row, at)


def _context_menu(row: Item, at: Situation) -> Move:
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
    presses = [e for e in at.screen.elements if e.role in _PRESSED and e.name]
    if (control := _control(step, None, presses, at)) is not None:
        if step.entries and all(field_for(entry.label, at) is not None for entry in step.entries):  # it takes what stands there
            move = write(step.entries, step.app, at)
            if move.kind != "done":
                return move
            at.notes["given"] = True
        return push(control, step.verb, at)
    opposite = _OPPOSITE.get(step.verb) or (step.verb[2:] if step.verb.startswith("un") else f"un{step.verb}")
    undo = control_for(opposite, [e for e in presses if e.enabled], (), *_said(step, None, at)) if step.records else None
    if undo is not None:
        return done(f'"{undo.name}" is offered: it is so already')
    if (menu := revealed(step.verb, at, "menu")) is not None:
        return menu
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
        move = write(_fitting(step, fields, at), step.app, at)
        if move.kind != "done":
            return move
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


def _fitting(step: PressStep, fields: Sequence[GUIElement], at: Situation) -> list[Entry]:
    """The entries, a lone one for a lone field whatever that is called."""
    if len(step.entries) == len(fields) == 1 and field_for(step.entries[0].label, at) is None:
        return [step.entries[0].model_copy(update={"label": fields[0].name})]
    return list(step.entries)


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
