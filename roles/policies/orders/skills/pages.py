"""Pages of which no more is known than what they show: press what a name means there, read a piece of it, prove what came."""

from __future__ import annotations

import re
from collections.abc import Sequence

from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words, is_way_out
from protocol import ActionTarget, ExecStatus, GUIElement, Hover, Memorize, Scroll, Wait
from roles.contracts.orders import PressStep, ReadStep, Records
from roles.contracts.values import parse_date
from roles.policies.orders.pages import BOXES, LISTS, PRESSED, ROLES, WRITTEN, names_verb
from roles.policies.orders.skills.rows import Row, is_called, matches, picked
from roles.policies.orders.skills.situation import Move, Situation, StepFailure, act, done, fail, press
from roles.screen.dialogs import agree_choice, called_off, refusal
from roles.screen.page import Page, Scopes, likeness, plain
from roles.screen.page import records as parts_of
from roles.screen.screens import fold, shown

_SAID = frozenset({"text", "cell", "gridcell", "heading", "rowheader", "label", "status"})
_MONEY = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|USD|EUR|GBP|CHF)\b")
_LENGTH = re.compile(r"^\s*(?:(?P<h>\d+)\s*h(?:ours?|rs?)?)?\s*(?:(?P<m>\d+)\s*m(?:in(?:utes?)?)?)?\s*$", re.IGNORECASE)
_MONEYED = frozenset({"price", "cost", "costs", "amount", "total", "fare", "fee"})
_LASTING = frozenset({"duration", "length", "time"})
_MOST_PAGES = 40
_WAYS = {"next": {"next", "next page", ">", "›", "»", "→"}, "previous": {"previous", "previous page", "<", "‹", "«", "←"}}
_HARMLESS = frozenset({None, Effect.NAVIGATE, Effect.OBSERVE})


class Part:
    """A row, or what stands on a page with one of several controls of the same name."""

    def __init__(self, row: Row, inside: Sequence[GUIElement]) -> None:
        self.row, self.inside = row, list(inside)


# --- pressing ---------------------------------------------------------------------------------------------------------


def press_on_page(step: PressStep, at: Situation) -> Move:
    """Press what is meant, once, and see what came of it."""
    if at.view.seen.loading and at.count("loads") < 8:
        return act(Wait(seconds=1.0), "it is still loading")
    if step.verb == "scroll":
        return _scroll(step, at)
    if step.verb == "reveal":
        return _reveal(step, at)
    if step.verb == "point":
        return _point(step, at)
    if at.notes.get("pressed"):
        return _after(step, at)
    if step.verb == "close":
        return _press(_way_out(step, at), at)
    if step.records is not None:
        found = _row_control(step, step.records, at)
        return found if isinstance(found, Move) else _press(found, at)
    return _press(_control(step, at), at)


def _press(control: GUIElement, at: Situation) -> Move:
    if not control.visible and at.count("into view") < 3:
        return act(Scroll.toward("down", 1, "page", ActionTarget.of(control)), f'"{control.name}" is out of view')
    at.notes.update(pressed=1, at=at.history[-1].step if at.history else 0, button=control.name)
    return press(control, f'"{control.name}" is what is to be pressed')


def _here(at: Situation) -> list[GUIElement]:
    """What takes input: a dialog on top of the page first."""
    return at.screen.elements if at.screen.dialog is not None else list(at.view.seen.elements)


def _dialogs(at: Situation) -> list[GUIElement]:
    return [e for e in at.view.seen.elements if e.role in {"dialog", "alertdialog"}]


def _control(step: PressStep, at: Situation) -> GUIElement:
    elements = _here(at)
    if step.place:
        elements = _part(step.place, at)
    roles = ROLES.get(step.kind, PRESSED | BOXES)
    called = [e for e in elements if e.name == step.control and e.role in roles and e.enabled]
    called = [e for e in called if e.visible] or called
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
        raise StepFailure(f'there is no one part of the page that is called "{place}"')
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
    lowest = max((e for e in elements if e.bbox is not None and e.name), key=lambda e: e.bbox.y2 if e.bbox else 0, default=None)
    still = at.last is not None and at.last.verb == "scroll" and not at.last.visible_change
    if still or lowest is None or at.count("down") > 12:
        return fail(step.place)
    target = ActionTarget.of(next((e for e in reversed(elements) if e.visible and e.name), lowest))
    return act(Scroll.toward("down", 1, "page", target), f'"{step.control}" may stand further down')


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
    if dialog is not None and (native or step.records is not None) and at.count("answered") < 3:
        return _answer(step, name, at, native)
    if said := refusal(at.view.before, at.view.seen):
        return fail(f"the page says after the last press: {said}")
    if (move := _not_done(step, name, at)) is not None:
        return move
    if step.verb == "close" and _dialogs(at):
        looks = at.count("closing")
        return act(Wait(seconds=1.0), "the dialog is still there") if looks < 2 else fail("the dialog is still open")
    return done(f'"{name}" was pressed')


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
        return act(Wait(seconds=1.0), f"nobody knows whether it was done ({mine[0].error or mine[0].exec_status.value})")
    return fail(f'"{name}" was not pressed: {mine[0].error or mine[0].exec_status.value}')


def _answer(step: PressStep, name: str, at: Situation, native: bool) -> Move:
    """A question that the press brought up: agreed to where it is about what was pressed."""
    verb = step.verb if step.records is not None else plain(name)
    same = [e for e in at.screen.presses if e.enabled and plain(e.name) == plain(name)]
    choice = agree_choice(verb, at.screen) or (same[0] if len(same) == 1 else None)
    if native and effect_of_words(name) not in SENSITIVE:
        way = next((e for e in at.screen.presses if is_way_out(e.name)), None)
        asked = " ".join(dict.fromkeys(shown(e) for e in at.screen.elements if e.role in _SAID))
        if way is None:
            return fail(f"the page asks: {asked}")
        at.notes.update({"called off": asked[:160], "answer": way.name})
        return press(way, f'"{name}" was not to do what the page asks')
    if choice is None:
        return fail(f'the page asks something else: "{at.screen.dialog.name if at.screen.dialog else ""}"')
    at.notes["at"] = at.history[-1].step if at.history else 0
    return press(choice, f"the crew itself asked to {verb} it")


# --- rows -------------------------------------------------------------------------------------------------------------


def _row_control(step: PressStep, records: Records, at: Situation) -> GUIElement | Move:
    """The control of the verb in the one row or part that is meant."""
    controls = [e for e in _here(at) if e.role in PRESSED and e.enabled and names_verb(step.verb, e.name)]
    if not controls:
        raise StepFailure(f'there is no control to "{step.verb}" on the page')
    if not records.tests and records.pick is None:
        if len(controls) == 1:
            return controls[0]
        raise StepFailure(f"{len(controls)} controls of the page may be meant; say which one")
    if len(controls) == 1 and not any(e.element_id == controls[0].element_id for p in parts_on(at) for e in p.inside):
        return _beside(controls[0], records, at)
    part = _one(records, _with_controls(controls, at), at)
    if isinstance(part, Move):
        return part
    mine = [e for e in part.inside if any(e.element_id == c.element_id for c in controls)]
    if len(mine) != 1:
        raise StepFailure(f'{len(mine)} controls of "{part.row.key}" may be meant')
    return mine[0]


def _beside(control: GUIElement, records: Records, at: Situation) -> GUIElement:
    """The only control of its name, where it stands with what is meant and is not that of the whole page."""
    scopes = Scopes(Page(at.view.seen, at.view.user_request).elements)
    parts = [scopes.of(test.value) or [] for test in records.tests if not test.negated]
    if not parts or records.pick is not None or not all(any(e.element_id == control.element_id for e in part) for part in parts):
        raise StepFailure(f'nothing shows that "{control.name}" is for what is meant')
    return control


def _with_controls(controls: Sequence[GUIElement], at: Situation) -> list[Part]:
    """Rows that hold such a control; without rows what stands between one control and the next."""
    held = [part for part in parts_on(at) if any(c.element_id == e.element_id for c in controls for e in part.inside)]
    if held:
        return held
    page = Page(at.view.seen, "")
    found = []
    for record in parts_of(page, list(controls)):
        texts = [e for e in record.parts if e.name and e.role in _SAID]
        cells, label = [], ""
        for e in texts:
            if e.name.rstrip().endswith(":"):
                label = e.name.strip(" :")
                continue
            cells.append((label, e.name))
            label = ""
        row = Row(" · ".join(e.name for e in texts), record.title, (*cells, ("", record.press.name)))
        found.append(Part(row, [*record.parts, record.press]))
    return found


def parts_on(at: Situation) -> list[Part]:
    """The rows of tables and lists, with the heads of their columns."""
    elements, found = list(at.view.seen.elements), list[Part]()
    scopes, heads = Scopes(elements), list[str]()
    for row in (e for e in elements if e.role in {"row", "listitem"}):
        inside = scopes.inside(row)
        kids = [e for e in inside if e.parent == row.element_id]
        if kids and all(e.role == "columnheader" for e in kids):
            heads = [e.name.rstrip(" ↕↑↓▲▼⇅") for e in kids]
            continue
        texts = [_text(e, scopes) for e in kids] or [row.name]
        named = zip([*heads, *[""] * len(texts)] if row.role == "row" else [""] * len(texts), texts, strict=False)
        cells = tuple((label, text) for label, text in named)
        filled = [text for text in texts if text]
        found.append(Part(Row(" · ".join(filled), filled[0] if filled else "", cells), [row, *inside]))
    return found


def _text(cell: GUIElement, scopes: Scopes) -> str:
    return shown(cell) or " ".join(shown(e) for e in scopes.inside(cell) if e.role not in PRESSED and shown(e))


def _one(records: Records, parts: Sequence[Part], at: Situation) -> Part | Move:
    """The one that is meant, after all pages of a list were looked at where that decides it."""
    fitting = [part for part in parts if matches(_whole(part.row), records.tests)]
    exact = [p for p in fitting if all(is_called(_whole(p.row), t) for t in records.tests if not t.negated)]
    fitting = exact or fitting
    if (move := _other_pages(records, parts, fitting, at)) is not None:
        return move
    kept: dict[str, list[list[object]]] = at.notes.get("pages", {})
    rows = [Row.load(row) for page in kept.values() for row in page] or [part.row for part in parts]
    fits = [row for row in rows if matches(_whole(row), records.tests)]
    fits = [r for r in fits if all(is_called(_whole(r), t) for t in records.tests if not t.negated)] or fits
    if not fits:
        raise StepFailure(f"there is no row that fits {', '.join(test.value for test in records.tests)}")
    if records.pick is not None:
        fits = picked([_measured(row, records.pick.by) for row in fits], records.pick)
    if len({row.text for row in fits}) != 1:
        raise StepFailure(f"{len(fits)} rows of the page fit; which one is not said")
    mine = [part for part in parts if part.row.text == fits[0].text]
    if len(mine) == 1:
        return mine[0]
    if kept and (back := _turn("previous", at)) is not None and at.count("back") < _MOST_PAGES:
        return press(back, "it stands on an earlier page", at=at)
    raise StepFailure(f'"{fits[0].text}" is not on the page any more')


def _whole(row: Row) -> Row:
    """A row that says no more of itself: what it does not show it does not say."""
    return Row(row.text, row.key, row.cells, row.page, row.body or "")


def _other_pages(records: Records, parts: Sequence[Part], fitting: Sequence[Part], at: Situation) -> Move | None:
    """Turn to the next page, as long as one may hold what is meant."""
    if at.notes.get("all seen") or (records.pick is None and fitting):
        return None
    number = int(at.notes.get("page", 0))
    pages: dict[str, list[object]] = at.notes.setdefault("pages", {})
    pages[str(number)] = [part.row.dump() for part in parts]
    onward = _turn("next", at)
    if onward is None or number >= _MOST_PAGES:
        at.notes["all seen"] = True
        return None
    at.notes["page"] = number + 1
    return at.reach(onward) or press(onward, "the other pages may hold it, too")


def _turn(way: str, at: Situation) -> GUIElement | None:
    return next((e for e in _here(at) if e.role in {"button", "link"} and e.enabled and plain(e.name) in _WAYS[way]), None)


def _measured(row: Row, by: str) -> Row:
    """The row with a cell of the name by which it is compared. Raises StepFailure where nothing in it can be."""
    if not by or row.value(by) is not None:
        cells = tuple((name, _minutes(text)) for name, text in row.cells)
        return Row(row.text, row.key, cells, row.page, row.body)
    texts = [text for _, text in row.cells]
    told = [text for text in texts if _MONEY.search(text)] if fold(by) in _MONEYED else []
    told = [text for text in texts if text.strip() and _LENGTH.match(text)] if fold(by) in _LASTING else told
    told = [text for text in texts if parse_date(text) is not None] if fold(by) in {"date", "day"} else told
    if len(told) != 1:
        raise StepFailure(f'nothing on the page can be compared by "{by}"')
    figure = re.search(r"[$€£¥]?\s?\d[\d.,]*\s?[$€£¥]?", told[0]) if fold(by) in _MONEYED else None
    value = figure.group() if figure else _minutes(told[0])
    return Row(row.text, row.key, ((by, value),), row.page, row.body)


def _minutes(text: str) -> str:
    """A length of time as a number of minutes; other texts as they are."""
    found = _LENGTH.match(text) if text.strip() else None
    return str(int(found["h"] or 0) * 60 + int(found["m"] or 0)) if found and (found["h"] or found["m"]) else text


# --- reading ----------------------------------------------------------------------------------------------------------


def read_on_page(step: ReadStep, at: Situation) -> Move:
    """Learn a value that the page shows: of a field, under a label, of a row, or a word of a text."""
    name = step.names[0]
    if at.notes.get("known"):
        return done(f"{name} known")
    if step.records is not None:
        part = _one(step.records, parts_on(at), at)
        if isinstance(part, Move):
            return part
        value, where = part.row.value(step.labels[0]) or "", part.inside[0]
    elif step.labels:
        value, where = _labelled(step.labels[0], at)
    else:
        value, where = _paragraph(at)
    if step.part.startswith("word "):
        value = _word(value, int(step.part[5:]))
    if not value:
        raise StepFailure(f'the page shows no "{", ".join(step.labels) or "text"}"')
    at.notes["known"] = True
    action = Memorize(target=ActionTarget.of(where), name=name, value=value)
    return act(action, f'the page shows "{value[:80]}"', f"{name} on the blackboard")


def _word(text: str, number: int) -> str:
    words = re.findall(r"\w[\w'’-]*", text)
    if not words or (number > 0 and number > len(words)):
        raise StepFailure(f"the text has {len(words)} words, and number {number} is asked for")
    return str(words[number - 1 if number > 0 else number])


def _labelled(label: str, at: Situation) -> tuple[str, GUIElement]:
    """The value of a field, of a row of two cells, or behind a label."""
    elements = _here(at)
    found: list[tuple[str, GUIElement]] = [
        (e.value or "", e) for e in elements if e.role in WRITTEN | LISTS and plain(e.name) == plain(label)
    ]
    for part in parts_on(at):
        texts = [text for _, text in part.row.cells if text]
        if len(texts) == 2 and plain(texts[0]) == plain(label):
            found.append((texts[1], part.inside[0]))
    found += [(pair.value, pair.element) for pair in at.screen.pairs if plain(pair.label) == plain(label) and pair.value]
    if not found:
        raise StepFailure(f'the page shows no "{label}"')
    if len({value for value, _ in found}) > 1:
        raise StepFailure(f'the page shows several values for "{label}"')
    return found[0]


def _paragraph(at: Situation) -> tuple[str, GUIElement]:
    """The only running text of the page; what only repeats the goal is none."""
    goal = plain(at.view.user_request)
    texts = [e for e in _here(at) if e.role == "text" and len(e.name.split()) > 2 and plain(e.name) != goal]
    if len(texts) != 1:
        raise StepFailure(f"{len(texts)} texts of the page may be meant")
    return texts[0].name, texts[0]
