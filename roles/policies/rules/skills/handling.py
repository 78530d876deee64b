"""Skill: open, create, rename, move and delete things such as notes, files and folders."""

from __future__ import annotations

from protocol import GUIElement
from roles.policies.rules.skills.committing import after_press, commit_button, push
from roles.policies.rules.skills.deeds import open_menu, select_row
from roles.policies.rules.skills.finding import go_to, is_open
from roles.policies.rules.skills.moves import Move, Situation, done, fail, press
from roles.policies.rules.skills.writing import put_into
from roles.screen.dialogs import agree_choice
from roles.screen.language import clauses as c
from roles.screen.matching import best, similarity
from roles.screen.records import entry_of, matching_entries
from roles.screen.screens import Item
from roles.screen.values import same_value

_TITLE = ("title", "name", "subject", "note title", "folder name", "file name", "new name")
_BODY = ("body", "text", "content", "message", "description", "notes")


def open_item(clause: c.OpenItem, at: Situation) -> Move:
    """Get the record on the screen."""
    if is_open(clause.entity, at):
        return done("it is open")
    return go_to(clause.entity, at)


def create(clause: c.Create, at: Situation) -> Move:
    """Begin a new thing, fill title and text, keep it."""
    title, body = at.text(clause.title), at.text(clause.body)
    if title is None or body is None:
        lacking = [*at.missing(clause.title), *at.missing(clause.body)]
        return fail(f'the fact "{lacking[0]}" is not known', f"where to find the {lacking[0]}")
    if at.notes.get("pressed") and (move := after_press("create" if at.screen.dialog else "save", at)):
        return move
    if not at.notes.get("begun") and not _left_so(title, body, at):
        return _begin(clause.noun, at)
    at.notes["begun"] = True
    parts = ((_BODY, body),) if at.notes.get("named") else ((_TITLE, title), (_BODY, body))
    return _write_parts(parts, clause.noun, at) or _keep(clause.noun, at)


def _left_so(title: str, body: str, at: Situation) -> bool:
    """An earlier attempt got this far: the new thing is open, has its title, and holds nothing else."""
    named, held = _named(_TITLE, at), _named(_BODY, at)
    if not at.view.subtask.hints or named is None or held is None or not title or named.value != title:
        return False
    return not held.value or same_value(held.value, body)


def _write_parts(parts: tuple[tuple[tuple[str, ...], str], ...], noun: str, at: Situation) -> Move | None:
    for names, text in parts:
        field = _named(names, at)
        if text and field is not None and (move := put_into(field, text, at)).kind != "done":
            return move
        if text and field is None:
            return _open_further(names[0], noun, at)
    return None


def _open_further(name: str, noun: str, at: Situation) -> Move:
    """A prompt that asks for the name alone is answered first; the text goes into what opens then."""
    choice = agree_choice("create", at.screen) if at.screen.dialog else None
    if choice is not None and name == _BODY[0]:
        at.notes["named"] = True
        return press(choice, f"the {noun} gets its name first", at=at)
    if at.screen.inputs or at.count("waits") > 1:
        return fail(f'a new {noun} has no field "{name}" here')
    at.notes["begun"] = False
    return _begin(noun, at)


def _named(names: tuple[str, ...], at: Situation) -> GUIElement | None:
    scored = [(max(similarity(name, f.name) for name in names), f) for f in at.screen.inputs if f.role == "textbox"]
    good = [pair for pair in scored if pair[0] >= 0.7]
    return max(good, key=lambda pair: pair[0])[1] if good else None


def _begin(noun: str, at: Situation) -> Move:
    if at.count("begins") > 5:
        return fail(f"there is no way to create a {noun} here", f"how to create a {noun}")
    starts = ("new", "create", "add", "+", "compose")
    options = [e for e in at.screen.presses if e.enabled and e.name.casefold().split()[0] in starts]
    fitting = [e for e in options if similarity(noun, " ".join(e.name.split()[1:]) or noun) >= 0.7] or (
        options if len(options) == 1 else []
    )
    if fitting:
        at.notes["begun"] = True
        return press(fitting[0], f'"{fitting[0].name}" begins a {noun}', at=at)
    back = next((e for e in at.screen.presses if e.enabled and e.name.casefold().split()[0] in {"back", "close", "all"}), None)
    if back is not None:
        return press(back, "the list offers to create one", at=at)
    return fail(f"there is no way to create a {noun} here", f"how to create a {noun}")


def _keep(noun: str, at: Situation) -> Move:
    button = (agree_choice("create", at.screen) if at.screen.dialog else None) or commit_button("save", noun, "", at)
    if button is None:
        return done(f"the {noun} is written; it needs no saving")
    if not button.enabled and not at.screen.complaints and at.screen.dialog is None:
        return done(f"the {noun} is written and kept")
    return push(button, "save", at)


def delete(clause: c.Delete, at: Situation) -> Move:
    """Select or open it, press Delete, answer the question that follows, see that it is gone."""
    return _do_to("delete", ("delete", "remove", "trash", "move to trash"), clause.entity, "", at)


def rename(clause: c.Rename, at: Situation) -> Move:
    return _do_to("rename", ("rename", "edit name"), clause.entity, clause.to, at)


def move(clause: c.Move, at: Situation) -> Move:
    return _do_to("move", ("move", "move to", "move to…", "move to..."), clause.entity, clause.to, at)


def _do_to(verb: str, names: tuple[str, ...], entity: c.Entity, value: str, at: Situation) -> Move:
    if at.notes.get("asked"):
        return _answer(verb, names, entity, value, at)
    row = _row(entity, at)
    button = next(
        (e for name in names for e in at.screen.presses if e.role in {"button", "menuitem"} and e.name.casefold() == name), None
    )
    ready = at.notes.get("selected") or is_open(entity, at)
    if button is not None and button.enabled and ready:
        at.notes["asked"] = True
        return press(button, f'"{button.name}" is how to {verb} it', at=at)
    if verb == "move" and at.notes.get("selected") and (menu := open_menu(at)) is not None:
        return menu
    if verb == "move" and row is not None and row.press is not row.element and not at.count("selected"):
        return select_row(row, at)
    if row is not None and at.count("selected") < 2:
        return press(row.press, f"it is the one to {verb}", at=at)
    at.notes.pop("selected", None)
    if ready:
        return fail(f"there is no way to {verb} it on this screen", f"how to {verb} {entity.noun or 'it'}")
    return go_to(entity, at)


def _row(entity: c.Entity, at: Situation) -> Item | None:
    found = [i for i in at.screen.items if matching_entries(entity, [entry_of(i)])]
    exact = [
        i
        for i in found
        if any(p.value.casefold() == entity.name.casefold() for p in i.cells) or i.press.name.casefold() == entity.name.casefold()
    ]
    chosen = exact or found
    return chosen[0] if len(chosen) == 1 else None


def _answer(verb: str, names: tuple[str, ...], entity: c.Entity, value: str, at: Situation) -> Move:
    """The dialog that the crew's own press brought up, if any; then the proof."""
    if at.screen.dialog is not None:
        if value and (field := _value_field(at)) is not None:
            moved = put_into(field, _option(field, value), at)
            if moved.kind != "done":
                return moved
        choice = agree_choice(verb, at.screen)
        if choice is None:
            return fail(f'a dialog asks something else: "{at.screen.dialog.name}"')
        return press(choice, f"the crew itself asked to {verb} it")
    into = next((e for e in at.screen.presses if e.role in {"menuitem", "option"} and similarity(value, e.name) >= 0.9), None)
    if value and into is not None and into.enabled and not at.notes.get("into"):
        at.notes["into"] = True
        return press(into, f'"{into.name}" is where it goes', at=at)
    last = at.last
    if last is not None and last.visible_change and (verb != "delete" or _row(entity, at) is None):
        complaint = "; ".join(at.screen.complaints)
        return fail(complaint) if complaint else done(f"{verb}: {'; '.join(at.screen.notices) or 'the list changed'}")
    if at.count("tries") > 2:
        return fail(f'"{names[0]}" has no visible effect')
    at.notes.update(asked=False)
    return _do_to(verb, names, entity, value, at)


def _value_field(at: Situation) -> GUIElement | None:
    return next((f for f in at.screen.inputs if f.role in {"textbox", "combobox", "listbox"}), None)


def _option(field: GUIElement, value: str) -> str:
    """A folder may be listed by its whole path."""
    exact = next((o for o in field.choices if o.rstrip("/").split("/")[-1].casefold() == value.casefold()), None)
    match = best(value, field.choices, lambda o: o, least=0.6)
    return exact or (match.item if match else value)
