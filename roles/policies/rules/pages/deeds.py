"""Skills for what a goal calls by a verb of its own: a deed on one of several things, dragging, giving a file, searching."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from protocol import ActionTarget, Click, Drag, Fill, GoBack, GUIElement, Hover, PressKey, Upload
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.values import as_asked, plain_count
from roles.policies.rules.pages.rows import by_menu, confirming, cross, element_of, given, look_up, wanted_of
from roles.policies.rules.pages.steps import into_view, missing, note_press, page_of, press, pressed, turned, uncover
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.dialogs import agree_choice
from roles.screen.language.clauses import PageClause
from roles.screen.language.lexicon import EXTREME, SAME, plain
from roles.screen.matching import tokens
from roles.screen.page import BOXES, PRESSED, Page, Scopes, Thing, likeness
from roles.screen.values import same_value

_TEXTS = frozenset({"textbox", "spinbutton"})
_TRIES = 2


def restored(clause: PageClause, page: Page, at: Situation) -> Move | None:
    """A field that was filled for this press and holds something else is filled again; None where all is as it was entered."""
    for put in _entered_for(clause, at):
        field = page.find(put.thing, page.fields) if put.thing.name else None
        if field is None or field.role not in _TEXTS or field.private or field.value is None:
            continue
        value = as_asked(put.source.text, field.placeholder or "")
        if same_value(field.value, value):
            continue
        if at.count(f"restored {field.track_id or field.element_id}") >= _TRIES:
            return fail(f'"{field.name}" does not keep {value!r}: it shows {field.value!r}')
        why = f'"{field.name}" no longer holds what was entered'
        return act(Fill(target=ActionTarget.of(field), text=value), why, f"it shows {value!r}")
    return None


def _entered_for(clause: PageClause, at: Situation) -> Iterator[p.Put]:
    """What the goal enters right before this press."""
    from roles.policies.rules.pages.reading.forms import understand  # it imports what uses this

    clauses = understand(at.view.subtask.instruction) or ()
    if clause not in clauses:
        return
    before: list[PageClause] = []
    for other in clauses[: clauses.index(clause)]:
        before = [*before, other] if isinstance(other, p.Put | p.Choose | p.Learn | p.Look) else []
    yield from (other for other in before if isinstance(other, p.Put) and other.source.text)


_ADDS = (
    "add to cart", "add to basket", "add to bag", "add to trolley", "add", "buy", "+", "in den warenkorb", "hinzufügen",
    "ajouter au panier", "ajouter", "añadir al carrito", "añadir", "agregar",
)  # fmt: skip
_AMOUNTS = ("qty", "quantity", "amount", "count", "menge", "anzahl", "quantité", "cantidad")
_BACK = ("back", "go back", "zurück", "retour", "volver", "atrás")


def take(clause: p.Take, at: Situation) -> Move:
    """The number goes into the field beside the thing, or its control is pressed so many times."""
    page = page_of(at)
    part = Scopes(page.elements).of(clause.name)
    adds = _adding(part or [])
    if len(adds) != 1:
        if not adds:
            return uncover(at, page) or fail(missing(clause.name, page))
        return fail(f'{len(adds)} controls of the page may add "{clause.name}"; say which one')
    fields = [e for e in part or [] if e.role in {"spinbutton", "combobox", "textbox"} and _is_amount(e)]
    presses = 1 if len(fields) == 1 else clause.count
    if "taking" in at.notes and pressed(at, "taking"):
        at.notes["taken"] = int(at.notes.get("taken", 0)) + 1
        del at.notes["taking"]
    if int(at.notes.get("taken", 0)) >= presses:
        return done(f'{clause.count} of "{clause.name}" were taken')
    if len(fields) == 1 and plain_count(fields[0].value or "") != clause.count:
        return _amount(fields[0], clause.count, at)
    return press(adds[0], f'"{clause.name}" is to be taken, {clause.count} of it', at, what="taking")


def _adding(part: list[GUIElement]) -> list[GUIElement]:
    controls = [e for e in part if e.role in PRESSED and e.enabled and e.name]
    for word in _ADDS:
        if found := [e for e in controls if plain(e.name) == word or (len(word) > 1 and plain(e.name).startswith(f"{word} "))]:
            return found
    return []


def _is_amount(element: GUIElement) -> bool:
    return element.role == "spinbutton" or any(plain(element.name).startswith(word) for word in _AMOUNTS)


def _amount(field: GUIElement, count: int, at: Situation) -> Move:
    if at.count(f"amount {field.track_id}") > 2:
        return fail(f'"{field.name}" does not take {count}')
    why = f"{count} are wanted"
    return into_view(field, at) or act(Fill(target=ActionTarget.of(field), text=str(count)), why, str(count))


def back(clause: p.Back, at: Situation) -> Move:
    """By the page's own way back where it has one, else by the browser's."""
    if pressed(at):
        return done("gone back")
    page = page_of(at)
    own = _own_way(page)
    if own is not None:
        return press(own, f"the goal says: {clause.said}", at)
    note_press(at)
    return act(GoBack(), f"the goal says: {clause.said}")


def _own_way(page: Page) -> GUIElement | None:
    found = [
        e for e in page.controls
        if e.role in PRESSED and any(plain(e.name) == word or plain(e.name).startswith(f"{word} to ") for word in _BACK)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


_LEADS = frozenset(
    {"open", "follow", "download", "view", "play", "show", "visit", "go to", "watch", "listen to", "get", "see", "read", "take"}
)
"""Verbs of which a control need not speak: it is called by what it leads to."""
_AGREES = (*(group for group in SAME if "submit" in group), frozenset({"save", "store", "update", "save changes"}))
_SAYS_YES = frozenset({"confirm", "accept", "agree", "agree to"})
_YES = frozenset({"ok", "yes", "confirm", "continue", "accept", "agree"})
_EMPTY = frozenset(
    {"all", "my", "the", "a", "an", "i", "to", "your", "now", "this", "it", "of", "in", "for", "from", "and", "selected"}
)


def deed(clause: p.Deed, at: Situation) -> Move:
    """Press the one control that is called by the verb and stands with the thing; then agree to what the page asks of it."""
    page = page_of(at)
    if pressed(at) or ("agreed" in at.notes and pressed(at, "agreed")):
        return _agree(clause, page, at)
    what = f"{clause.verb} {clause.words}".strip()
    if EXTREME.search(clause.words) or ("rows" in at.notes):
        found, move = _by_row(clause, page, at)
        if found is None:
            return move or fail(missing(what, page))
    else:
        meant = _meant(clause, page)
        if len(meant) > 1:
            return fail(f'{len(meant)} controls of the page may be meant by "{what}": {_told(meant)}; say which one')
        if not meant:
            other = _otherwise(clause, page, at)
            if not isinstance(other, GUIElement):
                return other or uncover(at, page) or fail(missing(what, page))
            meant = [other]
        found = meant[0]
    return restored(clause, page, at) or _press_for(clause, found, at)


def _press_for(clause: p.Deed, found: GUIElement, at: Situation) -> Move:
    if not found.enabled:
        return fail(f'"{found.name}" cannot be pressed: it is disabled')
    if found.role in BOXES:
        if found.value == "true":
            return done(f'"{found.name}" is ticked')
        note_press(at)
        return into_view(found, at) or act(Click(target=ActionTarget.of(found)), f"the goal says: {clause.said}", "it is ticked")
    return press(found, f"the goal says: {clause.said}", at)


def _otherwise(clause: p.Deed, page: Page, at: Situation) -> Move | GUIElement | None:
    """What may lead to the control that is not there: the menu of the row, a field that takes the thing, the pointer on it."""
    aliases = _aliases(clause.verb)
    if (found := by_menu(clause, aliases, page, at)) is not None:
        return found
    if crosses := cross(clause, page):
        return crosses[0] if crosses[0].visible else _hovered(clause, page, at) or crosses[0]
    called = [e for e in page.controls if e.role in PRESSED and _called(e, aliases)]
    return given(clause, called, page, at) or _hovered(clause, page, at)


def _agree(clause: p.Deed, page: Page, at: Situation) -> Move:
    """The question that the crew's own press brought up is answered with the deed's own verb, once."""
    said = done(f"{clause.verb} {clause.words}".strip() + " was pressed")
    if (at.screen.dialog is None and not page.dialogs) or "agreed" in at.notes:
        return said
    choice = agree_choice(clause.verb, at.screen)
    if choice is None:
        named = [e for e in confirming(page) if plain(e.name) in _aliases(clause.verb) or clause.verb in tokens(e.name)]
        if not named:
            return said
        choice = named[0]
    return press(choice, f"the page asks whether to {clause.verb}, and the goal says so", at, what="agreed")


def _aliases(verb: str) -> set[str]:
    groups = [group for group in (*SAME, *_AGREES) if verb in group]
    return {verb, *(name for group in groups for name in group)}


def _called(element: GUIElement, aliases: Iterable[str]) -> bool:
    """Whether a control's name is the verb, or begins with it."""
    name = plain(element.name)
    return any(name == alias or name.startswith(f"{alias} ") for alias in aliases)


def _meant(clause: p.Deed, page: Page) -> list[GUIElement]:
    controls = [e for e in page.controls if e.role in PRESSED | BOXES | {"img"} and e.name]
    disabled = [e for e in page.elements if e.role in PRESSED and not e.enabled and e.name]
    aliases = _aliases(clause.verb)
    if page.dialogs and clause.verb in _SAYS_YES and not clause.name:
        inside = [e for e in page.inside(page.dialogs[-1]) if e.role == "button" and e.enabled]
        if yes := [e for e in inside if plain(e.name) in _YES]:
            return yes[:1]
        if clause.verb == "confirm" and (yes := confirming(page)):
            return yes
    if clause.verb == "vote for":
        return [e for e in page.boxes if plain(e.name) == plain(clause.name or clause.words)]
    if clause.name:
        return _beside(clause, aliases, controls, page)
    whole = f"{clause.verb} {clause.words}".strip()
    for options in (controls, disabled):
        if exact := [e for e in options if e.role in PRESSED and plain(e.name) == plain(whole)]:
            return exact
        if called := _fitting(clause, aliases, options):
            return called
    if clause.verb in _LEADS:
        return _best(clause.words, controls)
    return []


def _fitting(clause: p.Deed, aliases: set[str], controls: list[GUIElement]) -> list[GUIElement]:
    """Controls called by the verb whose other words, if any, the goal says too; the more of them the better."""
    said = set(tokens(clause.words)) | {t for alias in aliases for t in tokens(alias)}
    found = []
    for e in controls:
        own = set(tokens(e.name))
        if e.role in BOXES:
            asked = set(tokens(clause.words)) - _EMPTY
            agrees = clause.verb in _SAYS_YES and bool(asked) and asked <= own  # in a language that the goal is not in
            if agrees or (own & set(tokens(clause.verb)) and own & asked):
                found.append((len(own & said), e))
        elif _called(e, aliases) and (not clause.words or not (own - said - _EMPTY)):
            found.append((len(own & said), e))
    top = max((score for score, _ in found), default=0)
    best = [e for score, e in found if score == top]
    own_verb = [e for e in best if _called(e, {clause.verb})]
    return [e for e in own_verb or best if e.visible] or own_verb or best


def _best(words: str, controls: list[GUIElement]) -> list[GUIElement]:
    scored = [(likeness(words, e.name), e) for e in controls if e.role in PRESSED]
    top = max((score for score, _ in scored), default=0.0)
    return [e for score, e in scored if score == top] if top >= 0.8 else []


def _beside(clause: p.Deed, aliases: set[str], controls: list[GUIElement], page: Page) -> list[GUIElement]:
    """The control of the verb that stands with the name, or that has the name in its own."""
    own = [e for e in controls if _called(e, aliases) and f" {plain(clause.name)}" in f" {plain(e.name)}"]
    if own:
        return own
    part = Scopes(page.elements).of(clause.name)
    known = {e.element_id for e in part} if part is not None else set()
    there = [e for e in controls if e.element_id in known]
    found = [e for e in there if _called(e, aliases)]
    exact = [e for e in found if plain(e.name) in aliases]
    if exact or found:
        return exact or found
    named = _best(clause.name, controls)
    if clause.verb in _LEADS and named:
        return named
    # One control of the verb on a page that shows the name nowhere else is no choice between several things.
    return _fitting(clause, aliases, controls) if part is not None and len(part) == len(page.elements) else []


def _hovered(clause: p.Deed, page: Page, at: Situation) -> Move | None:
    """Controls of a row may show only while the pointer is on it."""
    part = Scopes(page.elements).of(clause.name) if clause.name else None
    if not part or len(part) == len(page.elements) or at.count("hovered"):
        return None
    spot = next((e for e in part if e.visible and e.name), part[0])
    return act(Hover(target=ActionTarget.of(spot)), f'its controls may show while the pointer is on "{spot.name}"')


def _told(meant: list[GUIElement]) -> str:
    return ", ".join(dict.fromkeys(f'"{e.name}"' for e in meant))[:200]


def _by_row(clause: p.Deed, page: Page, at: Situation) -> tuple[GUIElement | None, Move | None]:
    """The control of the verb in the row that the superlative picks, over all pages of the table."""
    move, row, why = look_up(clause.words, at)
    if move is not None:
        return None, move
    if row is None:
        return None, fail(why)
    element = element_of(row, page)
    if element is None:
        back = turned(page, back=True)
        if back is None or at.count("turned back") > 40:
            return None, fail("the row that is meant is on a page that cannot be gone back to")
        return None, press(back, "the row that is meant is on an earlier page", at, what="turning")
    inside = [e for e in page.inside(element) if e.role in PRESSED and e.name]
    aliases = _aliases(clause.verb)
    found = [e for e in inside if _called(e, aliases)] or (inside if len(inside) == 1 else [])
    if len(found) != 1:
        return None, fail(f'the row of "{row.cells[0]}" has no one control to {clause.verb} it')
    return found[0], None


def drag(clause: p.DragTo, at: Situation) -> Move:
    if pressed(at):
        return done(f'"{clause.thing.words}" was dragged')
    page = page_of(at)
    spots = [e for e in page.elements if e.name]
    what = _place(clause.thing, spots)
    to = _place(clause.to, spots)
    if what is None or to is None:
        return fail(missing(clause.thing.words if what is None else clause.to.words, page))
    note_press(at)
    return into_view(what, at) or act(
        Drag(target=ActionTarget.of(what), to=ActionTarget.of(to)),
        f"the goal says: {clause.said}",
        f'"{what.name}" in "{to.name}"',
    )


def _place(thing: Thing, spots: list[GUIElement]) -> GUIElement | None:
    name = thing.name or thing.words
    for same in ([e for e in spots if e.name == name], [e for e in spots if plain(e.name) == plain(name)]):
        boxes = [e for e in same if e.role not in {"heading", "text"}]
        if found := boxes or same:
            return found[0]
    return None


def attach(clause: p.Attach, at: Situation) -> Move:
    if pressed(at, "given"):
        return done(f"{clause.file} was given to the page")
    page = page_of(at)
    takes = [e for e in page.elements if e.tag == "input" and e.role == "button" and e.enabled]
    named = [e for e in takes if clause.thing.name and likeness(clause.thing.name, e.name) >= 0.7]
    found = named or takes
    if len(found) != 1:
        return fail("the page has no field for a file" if not found else "the page has several fields for files; say which one")
    note_press(at, "given")
    return act(Upload(target=ActionTarget.of(found[0]), files=(clause.file,)), f"the goal says: {clause.said}", clause.file)


def seek(clause: p.Seek, at: Situation) -> Move:
    """Type it into the field that searches, then press its button or Enter."""
    if pressed(at):
        return done(f'"{clause.query}" was searched for')
    page = page_of(at)
    fields = [f for f in page.fields if f.role == "searchbox"] or [
        f for f in page.fields if "search" in plain(f"{f.name} {f.placeholder}")
    ]
    field = fields[0] if fields else next(iter(page.fields), None) if len(page.fields) == 1 else None
    if field is None:
        return uncover(at, page) or fail(missing("search field", page))
    if plain(field.value or "") != plain(clause.query):
        if at.count("typed") > 2:
            return fail(f'"{field.name}" does not take "{clause.query}"')
        return into_view(field, at) or act(
            Fill(target=ActionTarget.of(field), text=clause.query), "to search for it", clause.query
        )
    button = next((e for e in page.controls if e.role in PRESSED and plain(e.name) in {"search", "go", "find", "🔍"}), None)
    if button is not None:
        return press(button, f"the goal says: {clause.said}", at)
    note_press(at)
    return act(PressKey(target=ActionTarget.of(field), keys=("Enter",)), f"the goal says: {clause.said}")


__all__ = ["attach", "deed", "drag", "seek", "wanted_of"]
