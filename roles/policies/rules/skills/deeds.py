"""Skill: what an application offers for a record besides opening it, and messages in conversations."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import ActionTarget, Click, Drag, GUIElement, PressKey, Wait
from roles.policies.rules.skills.committing import after_press, push
from roles.policies.rules.skills.finding import go_to, is_open
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press
from roles.policies.rules.skills.writing import put_into
from roles.screen.language import clauses as c
from roles.screen.language.wording import entity_words
from roles.screen.matching import best, similarity
from roles.screen.records import entry_of, matching_entries
from roles.screen.screens import Item, fold, shown

NOUNS = frozenset({"row", "recording", "picture"})
"""What such places are called."""
_WAITS = 8
SHAPES = (
    (("hours", "times"), re.compile(r"\b\d{1,2}:\d{2}(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+)\d{1,2}:\d{2})*\b")),
    (
        ("phone number", "phone", "mobile", "number"),
        re.compile(r"(?<![\d/-])(?!\d{4}-\d\d?-\d|\d\d?/\d\d?/\d{2})\+?\d[\d ()/-]{5,}\d"),  # a date is none
    ),
    (("invoice number", "order number", "reference"), re.compile(r"\b[A-Z]{2,}-\d[\w-]*")),
    (("room", "place", "location"), re.compile(r"\b(?:[Rr]oom [\w-]+|(?:[A-Z]\w+ )+[Rr]oom(?! ?\d))\b")),
    (("e-mail", "email address", "address", "mail"), re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (("code", "password", "pin"), re.compile(r"\b(?:[A-Z]+-?\d[\w-]*|\d{4,})\b")),
)
"""What kinds of values look like in running text."""


class Spot(NamedTuple):
    """A value and the element that shows it."""

    value: str
    element: GUIElement


def shape_of(fact: str) -> re.Pattern[str] | None:
    return next((shape for names, shape in SHAPES if fact.casefold() in names), None)


def spot(fact: str, entity: c.Entity, at: Situation) -> Spot | None:
    """The value of `fact`, when it is on the screen."""
    match entity.noun:
        case "row":
            return _cell(fact, entity, at)
        case "recording":
            return _said(fact, entity.name, at)
        case _:
            return _picture(entity.name, at)


def waited(entity: c.Entity, at: Situation) -> Move | None:
    """What is only heard or seen later is worth waiting for, a while."""
    if entity.noun not in {"recording", "picture"} or at.count("waits_for") >= _WAITS:
        return None
    return act(Wait(seconds=15.0), f"{entity.name} may still be heard or seen")


def _cell(fact: str, entity: c.Entity, at: Situation) -> Spot | None:
    named = (
        [item for item in at.screen.items if item.cells and fold(item.cells[0].value) == fold(entity.name)] if entity.name else []
    )
    if len(named) == 1:
        cells = [pair for pair in named[0].cells if similarity(fact, pair.label) >= 0.9 and pair.value]
        return Spot(cells[0].value, cells[0].element) if cells else None
    return _grid_cell(fact, entity.pick, at) if entity.pick else None


def _grid_cell(fact: str, pick: str, at: Situation) -> Spot | None:
    """In a sheet the first line that is not empty holds the names of the columns."""
    lines = [[e for e in at.screen.kids(row) if e.role in {"cell", "gridcell"}] for row in at.screen.rows]
    lines = [line for line in lines if any(shown(cell) for cell in line)]
    if len(lines) < 2:
        return None
    column = next((i for i, cell in enumerate(lines[0]) if shown(cell) and similarity(fact, shown(cell)) >= 0.9), None)
    line = lines[-1] if pick == "last" else lines[1]
    if column is None or column >= len(line) or not shown(line[column]):
        return None
    return Spot(shown(line[column]), line[column])


def _said(fact: str, name: str, at: Situation) -> Spot | None:
    shape = shape_of(fact)
    for element in reversed(at.screen.elements):
        words = shown(element)
        if shape is not None and element.role in {"text", "listitem"} and fold(name) in fold(words):
            hits = list(shape.finditer(re.sub(r"^\d{1,2}:\d{2}(?::\d{2})?\s", "", words)))
            if hits:
                return Spot(hits[-1].group(), element)
    return None


def _picture(name: str, at: Situation) -> Spot | None:
    for element in at.screen.elements:
        if element.role in {"img", "image"} and element.name:
            group = [e for above in at.screen.above(element)[:1] for e in at.screen.kids(above)]
            if any(e.role == "heading" and similarity(name, e.name) >= 0.7 for e in group):
                return Spot(element.name, element)
    return None


_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


def keep_only(clause: c.KeepOnly, at: Situation) -> Move:
    """Press Remove for every other row, then set the quantity and update."""
    page = best(
        clause.place, [e for e in at.screen.presses if e.role in {"link", "tab", "button"} and e.enabled], lambda e: e.name
    )
    on_page = any(e.role == "heading" and clause.place in fold(e.name) for e in at.screen.elements)
    if not on_page:
        if page is None or at.count("goes") > 2:
            return fail(f'there is no "{clause.place}" here')
        return press(page.item, f'"{page.item.name}" shows what is in it', at=at)
    rows = [item for item in at.screen.items if any(e.role == "button" for e in at.screen.within(item.element))]
    kept = [item for item in rows if fold(clause.item) in fold(item.text)]
    if len(kept) != 1:
        return fail(f'"{clause.item}" stands {len(kept)} times in the {clause.place}')
    other = next((item for item in rows if item not in kept), None)
    if other is not None:
        remove = next(
            (e for e in at.screen.within(other.element) if e.role == "button" and fold(e.name).startswith(("remove", "delete"))),
            None,
        )
        if remove is None or at.count("removes") > 40:
            return fail(f'"{other.text}" cannot be removed')
        return press(remove, f'only "{clause.item}" is to stay', at=at)
    field = next((e for e in at.screen.within(kept[0].element) if e.role in {"spinbutton", "textbox", "combobox"}), None)
    if field is None:
        return fail(f'the quantity of "{clause.item}" cannot be set')
    if (move := put_into(field, clause.quantity, at)).kind != "done":
        return move
    update = next(
        (e for e in at.screen.presses if e.role == "button" and e.enabled and fold(e.name).startswith(("update", "save"))), None
    )
    if update is not None and not at.notes.get("updated"):
        at.notes["updated"] = True
        return press(update, "to keep the quantity", at=at)
    return done(f'only "{clause.item}" is left, {clause.quantity} of it')


def reschedule(clause: c.Reschedule, at: Situation) -> Move:
    """Open it, edit, move begin and end by the same time, save."""
    if at.notes.get("pressed") and (move := after_press("save", at)):
        return move
    begin, end = _field("start time", at), _field("end time", at)
    if begin is None or end is None:
        if not is_open(clause.entity, at):
            return go_to(clause.entity, at)
        edit = next((e for e in at.screen.presses if e.enabled and fold(e.name) in {"edit", "change"}), None)
        if edit is None or at.count("edits") > 2:
            return fail("it cannot be changed on this screen", "how to change an event")
        return press(edit, f'"{edit.name}" lets it be changed', at=at)
    at.notes.setdefault("until", _later(clause.to, begin.value or "", end.value or ""))
    for field, text in ((begin, clause.to), (end, str(at.notes["until"]))):
        if (move := put_into(field, text, at)).kind != "done":
            return move
    save = next((e for e in at.screen.presses if e.role == "button" and fold(e.name) == "save"), None)
    return push(save, "save", at) if save is not None else fail("there is no button to save it")


def _field(name: str, at: Situation) -> GUIElement | None:
    return next((f for f in at.screen.inputs if similarity(name, f.name) >= 0.95), None)


def _later(to: str, begin: str, end: str) -> str:
    """The end that leaves the length as it was."""
    minutes = [int(m[1]) * 60 + int(m[2]) for text in (to, begin, end) if (m := _CLOCK.search(text))]
    if len(minutes) < 3:
        return end
    late = (minutes[0] + minutes[2] - minutes[1]) % (24 * 60)
    return f"{late // 60:02d}:{late % 60:02d}"


def write_to_attendees(clause: c.Invite, at: Situation) -> Move:
    """The event's own way of writing to all who attend."""
    if at.notes.get("pressed") and (move := after_press("send", at)):
        return move
    field = next((f for f in at.screen.inputs if similarity("message", f.name) >= 0.9), None)
    if field is not None and at.notes.get("begun"):
        if (move := put_into(field, clause.body.text, at)).kind != "done":
            return move
        send = next((e for e in at.screen.presses if e.role == "button" and fold(e.name) == "send"), None)
        return push(send, "send", at) if send is not None else fail("there is no button to send it")
    button = next(
        (
            e
            for e in at.screen.presses
            if e.enabled and re.match(r"(?:e-?)?mail\b.*\b(?:attendees|guests|participants)", fold(e.name))
        ),
        None,
    )
    if button is not None and at.count("begins") < 2:
        at.notes["begun"] = True
        return press(button, f'"{button.name}" writes to all who attend', at=at)
    if is_open(clause.entity, at) or at.count("seeks") > 12:
        return fail("there is no way to write to those who attend")
    return go_to(clause.entity, at)


SIGNED = "signature "
"""Facts of this prefix are read from a signature."""
_GREETING = re.compile(
    r"^(?:--+|(?:(?:with\s+)?(?:kind|best|warm|many|all the|the)\s+)*(?:regards|best|wishes|greetings|thanks|cheers|sincerely"
    r"|yours|bye|all the best)(?:\s+(?:sincerely|truly|faithfully|again|regards|wishes))*)\s*[,.!]?$",
    re.IGNORECASE,
)


def signed(fact: str, at: Situation) -> Spot | None:
    """The value of `signature phone` and the like."""
    lines = _lines(at)
    begins = max((number for number, (text, _) in enumerate(lines) if _GREETING.match(text)), default=None)
    if begins is None:
        return None
    return _part(fact.removeprefix(SIGNED), lines[begins + 1 :])


def _lines(at: Situation) -> list[tuple[str, GUIElement]]:
    texts = [e for e in at.screen.detail_texts if e.role in {"text", "paragraph", "statictext"}]
    return [(line.strip(), e) for e in texts for line in shown(e).splitlines() if line.strip()]


def _part(fact: str, lines: list[tuple[str, GUIElement]]) -> Spot | None:
    """Numbers and addresses are known by their shape; of the others the first is the name and the next the firm."""
    shape = shape_of(fact)
    if shape is not None and fact != "name":
        return next((Spot(m.group(), e) for text, e in lines if (m := shape.search(text))), None)
    plain = [(text, e) for text, e in lines if not re.search(r"\d{3}|@|www\.|https?:", text)]
    at = {"name": 0, "company": 1}.get(fact, len(plain))
    return Spot(plain[at][0].rstrip(","), plain[at][1]) if at < len(plain) else None


_MENUS = ("more", "more actions", "actions", "options", "menu", "…", "⋯", "⋮", "...")
_WAYS = {"merge": ("find duplicates", "duplicates"), "accept": ("invitations",), "decline": ("invitations",)}
"""Where the lists are that offer such a deed."""
_NARROW = 600
"""A screen less wide than this is held in a hand."""


def act_on(clause: c.Act, at: Situation) -> Move:
    """Press what is called by the verb: in the record's row, else on its own page, else in a menu."""
    if at.notes.get("acted"):
        return _answered(clause, at)
    row = row_of(clause.entity, at)
    own = _named(clause.verb, [e for e in at.screen.within(row.element) if e.role in {"button", "link"}]) if row else None
    if own is not None:
        return _do(own, clause, at)
    if (
        row is not None
        and clause.verb == "archive"
        and at.view.seen.screen_resolution[0] < _NARROW
        and not at.notes.get("swiped")
    ):
        return _swipe(row, clause, at)
    if is_open(clause.entity, at):
        return _on_page(clause, at)
    if (way := _way(clause.verb, at)) is not None:
        return way
    return go_to(clause.entity, at)


def row_of(entity: c.Entity, at: Situation) -> Item | None:
    """The only row that is the record's."""
    found = [item for item in at.screen.items if matching_entries(entity, [entry_of(item)])]
    return found[0] if len(found) == 1 else None


def _named(verb: str, options: list[GUIElement]) -> GUIElement | None:
    """The control whose name is the verb, or begins with it."""
    folded = verb.casefold()
    exact = next((e for e in options if e.enabled and e.name.casefold() == folded), None)
    return exact or next((e for e in options if e.enabled and e.name.casefold().startswith(folded + " ")), None)


def _do(control: GUIElement, clause: c.Act, at: Situation) -> Move:
    if scroll := at.reach(control):
        return scroll
    at.notes.update(acted=True, control=control.name)
    return press(control, f'"{control.name}" is how to {clause.verb} it')


def _on_page(clause: c.Act, at: Situation) -> Move:
    control = _named(clause.verb, at.screen.presses)
    if control is not None:
        return _do(control, clause, at)
    menu = open_menu(at)
    folded = clause.verb.casefold()
    if menu is None and (still := next((e for e in at.screen.presses if e.name.casefold() == folded), None)) is not None:
        return fail(f'"{still.name}" is disabled for {entity_words(clause.entity)}')
    names = ", ".join(e.name for e in at.screen.presses if e.role in {"button", "menuitem"}) or "none"
    return menu or fail(
        f"there is no way to {clause.verb} it on this screen; buttons there are: {names}", f"how to {clause.verb}"
    )


def open_menu(at: Situation) -> Move | None:
    """Unfold a menu of further actions that is still closed."""
    menu = next((e for e in at.screen.presses if e.enabled and e.name.strip().casefold() in _MENUS), None)
    if menu is None or menu.expanded or at.count("menus") > 1:
        return None
    return press(menu, "a menu may offer it", at=at)


def _way(verb: str, at: Situation) -> Move | None:
    """The page of an application that is there for this deed."""
    names = _WAYS.get(verb, ())
    wanted = next((e for e in at.screen.presses if e.enabled and not e.selected and e.name.casefold() in names), None)
    if wanted is None or at.count("ways") > 1:
        return None
    return press(wanted, f'"{wanted.name}" lists what there is to {verb}', at=at)


def _swipe(row: Item, clause: c.Act, at: Situation) -> Move:
    """On a phone a row is swept aside, from its end to its beginning."""
    cells = [e for e in at.screen.kids(row.element) if e.visible and e.bbox is not None]
    if len(cells) < 2 or (scroll := at.reach(row.element)):
        at.notes["swiped"] = True
        return scroll if len(cells) >= 2 and scroll else go_to(clause.entity, at)
    ends = sorted(cells, key=lambda e: e.bbox.center.x if e.bbox else 0)
    at.notes.update(acted=True, swiped=True, control="")
    source, to = ActionTarget.of(ends[-1]), ActionTarget.of(ends[0])
    return act(Drag(target=source, to=to), f"on a phone a row is swept aside to {clause.verb} it", "the row is gone")


def _answered(clause: c.Act, at: Situation) -> Move:
    """The question that the crew's own press brought up, if any; then the proof."""
    if at.screen.dialog is not None:
        choice = _named(clause.verb, [e for e in at.screen.elements if e.role == "button"])
        choice = choice or next(
            (e for e in at.screen.elements if e.role == "button" and e.name.casefold() in {"ok", "yes", "confirm"}), None
        )
        return (
            press(choice, f"the crew itself asked to {clause.verb} it")
            if choice
            else fail(f'a dialog asks something else: "{at.screen.dialog.name}"')
        )
    if at.last is not None and (complaint := "; ".join(at.screen.complaints)):
        return fail(complaint)
    if at.last is not None and at.last.visible_change:
        return done(f"{clause.verb}: {'; '.join(at.screen.notices) or 'the screen changed'}")
    if at.count("tries") > 2:
        return fail(f'"{clause.verb}" has no visible effect')
    at.notes.update(acted=False)
    return act_on(clause, at)


def post(clause: c.Post, at: Situation) -> Move:
    """Open the conversation, write, send; it is sent once."""
    text = at.text(clause.body)
    if text is None:
        lacking = at.missing(clause.body)
        return fail(f'the fact "{lacking[0]}" is not known', f"where to find the {lacking[0]}")
    if at.notes.get("pressed"):
        if at.last is not None and at.last.visible_change and any(text.split("\n")[0] in i.text for i in at.screen.items):
            return done(f"{clause.to} has the message")
        if (move := after_press("send", at)) is not None:
            return move
        if at.count("looks") > 2:
            return fail("the message was not sent")
    field = next((f for f in at.screen.inputs if f.role == "textbox" and similarity("message", f.name) >= 0.6), None)
    if field is None or not _talks_to(clause.to, at):
        return go_to(c.Entity("conversation", name=clause.to), at)
    if (move := put_into(field, text, at)).kind != "done":
        return move
    at.notes["pressed"] = True
    send = _named("send", at.screen.presses)
    if send is not None:
        return press(send, "to send it", at=at)
    return act(PressKey(target=ActionTarget.of(field), keys=("Enter",)), "to send it")


def _talks_to(person: str, at: Situation) -> bool:
    return any(e.role == "heading" and similarity(person, e.name) >= 0.9 for e in at.screen.elements)


def select_row(row: Item, at: Situation) -> Move:
    """Choose a row without opening it: a long press on a phone, else a click with Control held."""
    if scroll := at.reach(row.press):
        return scroll
    phone = at.view.seen.screen_resolution[0] < _NARROW
    target = ActionTarget.of(row.press)
    click = Click(target=target, hold=0.8) if phone else Click(target=target, modifiers=("Control",))
    return act(click, "to choose it without opening it", "the row is chosen")
