"""Skill: press what does a verb with a record, a row or a page, and answer what is asked for it."""

from __future__ import annotations

from collections.abc import Sequence

from environments.cards import VerbCard
from protocol import ActionTarget, Click, ExecStatus, GUIElement, PressKey, Wait
from roles.contracts.orders import Entry, PressStep
from roles.policies.orders.skills.committing import commit_button, control_for, differs, evidence, mend, news
from roles.policies.orders.skills.filling import names_of, open_menu, reach, write
from roles.policies.orders.skills.finding import find_record
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, press
from roles.policies.orders.skills.widgets import field_for, option
from roles.screen.dialogs import agree_choice, classify_dialog, dialog_text
from roles.screen.events import refusal
from roles.screen.screens import Item, fold

_PRESSED = frozenset({"button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "switch", "option"})
_TAKES_AWAY = frozenset({"delete", "move", "archive", "remove", "trash"})
_GRAVE = frozenset({"payment", "account", "permission", "security"})
_NARROW = 600
"""A screen less wide than this is held in a hand."""


def press_verb(step: PressStep, at: Situation) -> Move:
    """Get to where the control stands, press it once, answer what is asked, and see that it happened."""
    if at.notes.get("acted"):
        return _answered(step, at)
    if step.records is None:
        return _on_page(step, at)
    stands = _card(step, at)
    selects = stands is not None and stands.at in {"row", "list"}
    row = reach(step.records, at, lambda item: selects or _control(step, item, _inside(item, at), at) is not None)
    if isinstance(row, Move):
        return row
    if row is None:
        return _on_page(step, at)
    if (own := _control(step, row, _inside(row, at), at)) is not None:
        return _do(own, step, at)
    return _in_list(step, stands, row, at)


def _card(step: PressStep, at: Situation) -> VerbCard | None:
    """What the app's card says of the verb."""
    card = at.card(step.app)
    if card is None:
        return None
    kind = step.records.kind if step.records else ""
    mine = [v for k in card.kinds if not kind or k.kind == kind for v in k.verbs]
    fitting = [v for v in (*mine, *card.verbs) if v.verb == step.verb and (not step.control or fold(v.control) == fold(step.control))]
    return min(fitting, key=lambda v: ["record", "row", "list", "app", "form"].index(v.at), default=None)


def _labels(step: PressStep, at: Situation) -> list[str]:
    card = _card(step, at)
    return [label for label in (step.control, card.control if card else "") if label]


def _inside(row: Item, at: Situation) -> list[GUIElement]:
    return [e for e in at.screen.within(row.element) if e.role in _PRESSED - {"link", "option"} and e.name]


def _owner(step: PressStep, row: Item | None) -> tuple[str, ...]:
    said = names_of(step.records)
    return (*said, *(p.value for p in row.cells), row.press.name) if row is not None else said


def _control(step: PressStep, row: Item | None, options: Sequence[GUIElement], at: Situation) -> GUIElement | None:
    """The control of the verb among these; where none is called so, nothing."""
    found = control_for(step.verb, [e for e in options if e.enabled], _labels(step, at), _owner(step, row))
    if found is None and (step.control or not _labels(step, at)):
        wanted = fold(step.control or step.verb)
        found = next((e for e in options if e.enabled and fold(e.name) == wanted), None)
    return found


def _do(control: GUIElement, step: PressStep, at: Situation) -> Move:
    if scroll := at.reach(control):
        return scroll
    at.notes.update(acted=True, verb=step.verb, button=control.name, at=at.history[-1].step if at.history else 0)
    at.notes.update(warned=at.screen.complaints, noticed=at.screen.notices)
    return press(control, f'"{control.name}" is how to {step.verb} it')


def _in_list(step: PressStep, stands: VerbCard | None, row: Item, at: Situation) -> Move:
    """The row's context menu, or the toolbar over the list, which works on what is chosen."""
    if row.element.selected or at.notes.get("selected"):
        if (control := _control(step, row, _presses(at), at)) is not None:
            return _do(control, step, at)
        if at.notes.get("selected") and (menu := open_menu(at)) is not None:
            return menu
    tries = at.count("selects")
    if stands is not None and stands.at == "list" and tries < 3:
        at.notes["selected"] = True
        return _select(row, tries, at)
    if tries < (4 if stands is not None and stands.at == "list" else 1):
        return _context_menu(row, at)
    assert step.records is not None
    at.notes["there"] = "open"  # the list does not do it: on the record's own page it may be done
    return find_record(step.records, at) or _on_page(step, at)


def _presses(at: Situation) -> list[GUIElement]:
    return [e for e in at.screen.elements if e.role in _PRESSED and e.name]


def _select(row: Item, tries: int, at: Situation) -> Move:
    """Choose a row without opening it: its box, a long press on a phone, a click where it opens nothing, a click with Control."""
    box = next((e for e in at.screen.within(row.element) if e.role == "checkbox" and e.enabled), None)
    if box is not None:
        return press(box, "its box chooses it", at=at)
    if scroll := at.reach(row.press):
        return scroll
    target = ActionTarget.of(row.press)
    if at.view.seen.screen_resolution[0] < _NARROW:
        return act(Click(target=target, hold=0.8), "to choose it without opening it", "the row is chosen")
    if row.press is row.element or tries:
        return act(Click(target=target), "to choose it", "the row is chosen")
    return act(Click(target=target, modifiers=("Control",)), "to choose it without opening it", "the row is chosen")


def _context_menu(row: Item, at: Situation) -> Move:
    if scroll := at.reach(row.press):
        return scroll
    target = ActionTarget.of(row.press)
    phone = at.view.seen.screen_resolution[0] < _NARROW
    at.notes["selected"] = True
    click = Click(target=target, hold=0.8) if phone else Click(target=target, button="right")
    return act(click, "its own menu may offer it", "a menu of the row")


def _on_page(step: PressStep, at: Situation) -> Move:
    """On the page that is open: its control, or a menu's."""
    if (control := _control(step, None, _presses(at), at)) is not None:
        return _do(control, step, at)
    wanted = {fold(label).rstrip(".… ") for label in (*_labels(step, at), step.verb)}
    presses = _presses(at)
    off = next((e for e in presses if fold(e.name).rstrip(".… ") in wanted and not e.enabled), None)
    undo = next((e for e in presses if e.enabled and fold(e.name).replace("-", "") in {f"un{word}" for word in wanted}), None)
    if undo is not None and at.view.subtask.attempt > 1:
        return done(f'"{undo.name}" is offered: it is so already')
    if (menu := open_menu(at)) is not None:
        return menu
    if off is not None:
        return fail(f'"{off.name}" is disabled')
    names = ", ".join(e.name for e in presses if e.role in {"button", "menuitem"}) or "none"
    return fail(f"there is no way to {step.verb} it in {at.title(step.app)}; buttons there are: {names}", f"how to {step.verb}")


# --- what is asked, and what came of it -------------------------------------------------------------------------------


def _answered(step: PressStep, at: Situation) -> Move:
    """What the press asks for, then the proof."""
    if at.view.seen.loading:
        return act(Wait(seconds=1.0), "it is still loading")
    if at.screen.dialog is not None:
        return _in_dialog(step, at)
    if step.entries and not at.notes.get("given"):
        return _given(step, at)
    if set(at.screen.complaints) - set(at.notes.get("warned", [])) and any(f.invalid for f in at.screen.inputs):
        return mend(at) or fail("; ".join(at.screen.complaints))
    last = at.last
    if last is not None and last.visible_change and last.step > int(at.notes["at"]) and (news(at) or differs(at)):
        if said := refusal(at.view.before, at.view.seen):
            return fail(f"after the press the screen says: {said}")
        if not _still_there(step.verb, at):
            return done(f"{step.verb}: {evidence(at)}")
    return _again(step, at)


def _in_dialog(step: PressStep, at: Situation) -> Move:
    """Give what is asked for, and agree."""
    assert at.screen.dialog is not None
    if at.count("asked") > 12:
        return fail(f'the dialog "{at.screen.dialog.name}" does not go away')
    fields = [f for f in at.screen.fields if f.role in {"textbox", "combobox", "listbox", "spinbutton", "checkbox"}]
    if step.entries and fields and not at.notes.get("given"):
        move = write(_fitting(step, fields, at), step.app, at)
        if move.kind != "done":
            return move
        at.notes["given"] = True
    if fields and not step.entries:
        empty = next((f for f in fields if f.required and not f.value), None)
        if empty is not None:
            return fail(f'"{step.verb}" asks for "{empty.name}", and nothing says what it is')
    kind = classify_dialog(at.screen.dialog, at.screen.elements)
    if kind in _GRAVE and step.verb not in fold(dialog_text(at.screen.dialog, at.screen.elements)):
        return fail(f'a dialog asks something else: "{at.screen.dialog.name}"')
    choice = agree_choice(step.verb, at.screen) or _own_button(step, at)
    if choice is None:
        return fail(f'a dialog asks something else: "{dialog_text(at.screen.dialog, at.screen.elements)[:160]}"')
    at.notes["at"] = at.history[-1].step if at.history else 0
    return press(choice, f"the crew itself asked to {step.verb} it", at=at)


def _fitting(step: PressStep, fields: Sequence[GUIElement], at: Situation) -> list[Entry]:
    """The entries, a lone one for a lone field whatever that is called; a folder by the path under which it is listed."""
    entries = []
    for entry in step.entries:
        field = field_for(entry.label, at)
        if field is None and len(step.entries) == 1 and len(fields) == 1:
            field = fields[0]
        name = field.name if field is not None else entry.label
        value = option(entry.value, field.choices, name) if field is not None and field.choices else entry.value
        entries.append(entry.model_copy(update={"label": name, "value": value}))
    return entries


def _own_button(step: PressStep, at: Situation) -> GUIElement | None:
    """The button that is called as the one that was pressed, or as the verb is."""
    wanted = fold(str(at.notes.get("button", ""))).rstrip(".… ")
    buttons = [e for e in at.screen.presses if e.role == "button" and e.enabled]
    same = next((e for e in buttons if fold(e.name).rstrip(".… ") == wanted), None)
    plain = next((e for e in buttons if fold(e.name) in {"ok", "yes", "confirm", "continue"}), None)
    return same or control_for(step.verb, buttons, (), names_of(step.records)) or (plain if step.entries else None)


def _given(step: PressStep, at: Situation) -> Move:
    """Without a dialog: an entry of a menu that opened, or fields on the page with a button behind them."""
    value = step.entries[0].value
    items = [e for e in at.screen.elements if e.role in {"menuitem", "option", "menuitemradio", "treeitem"} and e.enabled]
    into = [e for e in items if fold(e.name.rsplit("/", 1)[-1]) == fold(value)] or [e for e in items if fold(value) in fold(e.name)]
    if len(into) == 1:
        at.notes.update(given=True, at=at.history[-1].step if at.history else 0)
        return press(into[0], f'"{into[0].name}" is where it goes', at=at)
    named = [field_for(entry.label, at) for entry in step.entries]
    if None not in named:
        move = write(step.entries, step.app, at)
        if move.kind != "done":
            return move
        at.notes["given"] = True
        button = commit_button("save", step.app, at) or _own_button(step, at)
        if button is not None and button.enabled:
            at.notes["at"] = at.history[-1].step if at.history else 0
            return press(button, f'"{button.name}" is how to {step.verb} it', at=at)
        return act(PressKey(keys=("Enter",)), "there is no button for it; Enter may")
    if at.last is not None and not at.last.visible_change:
        return _again(step, at)
    asked = ", ".join(entry.label for entry in step.entries)
    return fail(f'"{step.verb}" does not ask for {asked} in {at.title(step.app)}')


def _still_there(verb: str, at: Situation) -> bool:
    """Whether what was taken away is still in the list that is shown."""
    text = at.notes.get("row text")
    return verb in _TAKES_AWAY and bool(text) and sum(i.text == text for i in at.screen.items) >= int(at.notes["rows"])


def _again(step: PressStep, at: Situation) -> Move:
    """Nothing is to be seen of it: wait, then by key, then no more."""
    tries = at.count("tries again")
    last = at.last
    if tries == 0 or (last is not None and last.exec_status is not ExecStatus.EXECUTED and tries < 2):
        return act(Wait(seconds=1.0), f"nothing shows yet whether {step.verb} was done")
    if tries > 3 or (_still_there(step.verb, at) and tries > 1):
        return fail(f'"{at.notes.get("button") or step.verb}" has no effect that can be seen')
    control = next((e for e in _presses(at) if e.name == at.notes.get("button") and e.enabled), None)
    if control is None:
        at.notes.update(acted=False, selected=False)
        return press_verb(step, at)
    why = f'"{control.name}" did not react to a click; press it by key'
    return act(PressKey(target=ActionTarget.of(control), keys=("Enter",)), why, f"what {step.verb} shows")
