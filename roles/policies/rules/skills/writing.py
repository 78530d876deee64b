"""Skill: put values into fields, check that they are there, and rewrite them when the form complains."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import ActionTarget, AskUser, Click, Fill, GUIElement, PressKey, Type
from roles.contracts import Fact
from roles.policies.rules.skills.finding import go_to, is_open
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press, set_value
from roles.screen.language import clauses as c
from roles.screen.matching import best, field_score, similarity
from roles.screen.screens import shown
from roles.screen.values import amount_of, kind_of, rewritings, same_value

_NEW = ("new", "create", "add", "compose", "write", "start")
_BEGUN = ("note", "file", "draft", "event", "task", "list")
"""What is begun where there is none of that name; any other record has to be there."""
_BODY = ("body", "message", "text", "content", "note")


def enter(clause: c.Enter, at: Situation) -> Move:
    """Each fact into the field that fits it, or one text into one field."""
    lacking = at.missing(clause.value)
    if lacking:
        return fail(f'the fact "{lacking[0]}" is not known', f"where to find the {lacking[0]}")
    if clause.entity and (move := _open_first(clause, at)):
        return move
    if len(clause.value.facts) > 1 and not clause.field and not clause.entity and _several_fields(at):
        return _each(clause, at)
    text = at.text(clause.value)
    if text is None:
        return fail("there is nothing to enter")
    name = clause.value.facts[0] if clause.value.facts else ""
    if clause.add:
        return _append(clause.field, name, text, at)
    return put(clause.field, name, text, at)


def _append(field: str, fact: str, text: str, at: Situation) -> Move:
    """Behind what is there; what the field held at first sight is remembered, so that it is added once."""
    element, _ = field_for(field or "body", fact, text, at)
    if element is None:
        return _reach_form(field or "body", fact, at)
    if "whole" not in at.notes:
        held = (element.value or "").rstrip("\n")
        at.notes["whole"] = f"{held}\n{text}" if held else text
    return put_into(element, str(at.notes["whole"]), at)


def _several_fields(at: Situation) -> bool:
    return len([f for f in at.screen.inputs if f.role in {"textbox", "combobox"}]) != 1


def _each(clause: c.Enter, at: Situation) -> Move:
    for name in clause.value.facts:
        text = at.text(c.Value(facts=(name,)))
        move = put("", name, text or "", at)
        if move.kind != "done":
            return move
    return done(f"{len(clause.value.facts)} values are in the form")


def _open_first(clause: c.Enter, at: Situation) -> Move | None:
    """Writing into a record opens it first; a note that is not there is begun."""
    entity = clause.entity
    if at.notes.get("ways"):
        return None  # something was entered already; the name itself may be what changed
    said = entity.name or entity.id
    if at.screen.inputs and (not said or at.screen.says(said)):
        return None
    if entity.specific and is_open(entity, at) and (edit := _edit(at)) is not None:
        return edit
    if at.notes.get("making"):
        return None
    move = go_to(entity, at) if entity.specific else _new(entity.noun, at)
    if move is not None and move.kind == "fail" and entity.noun in _BEGUN:
        at.notes["making"] = True
        return _new(entity.noun, at) or move
    return move


def _edit(at: Situation) -> Move | None:
    """A record that is shown is changed after pressing Edit."""
    button = next((e for e in at.screen.presses if e.enabled and e.name.casefold() in {"edit", "change", "modify"}), None)
    return press(button, f'"{button.name}" lets it be changed', at=at) if button is not None and at.count("edits") < 3 else None


def put(field: str, fact: str, text: str, at: Situation) -> Move:
    """One value into the field called `field`, else the one that fits the fact's name and kind."""
    element, rivals = field_for(field, fact, text, at)
    if element is None:
        return _reach_form(field, fact, at)
    if rivals and not any(same_value(f.value or "", text) for f in (element, *rivals)):
        at.notes["unsure"] = True
    return put_into(element, text, at, sure=not rivals)


def put_into(element: GUIElement, text: str, at: Situation, *, sure: bool = True) -> Move:
    """Set a field to `text` and look whether it took it."""
    ways: dict[str, int] = at.notes.setdefault("ways", {})
    key = element.track_id or element.name
    tried = ways.get(key, 0)
    wanted = _options(element, text) if element.choices else [text, *rewritings(text)]
    if not wanted:
        return fail(f'"{text}" is not one of the choices of "{element.name}": {", ".join(element.choices)}')
    holds = any(_holds(element, way) for way in wanted)
    if holds and not (element.invalid and tried < len(wanted)):
        return done(f'"{element.name}" shows {element.value!r}')
    if not element.enabled:
        return fail(f'the field "{element.name}" cannot be changed')
    if tried > len(wanted) + 2:
        return fail(f'the field "{element.name}" does not take {text!r}; it shows {element.value or ""!r}')
    ways[key] = tried + 1
    way = wanted[min(tried, len(wanted) - 1)] if element.invalid or element.choices else wanted[0]
    if tried >= 2 and not element.invalid and not element.choices:
        return _by_keys(element, way, tried, at)
    move = set_value(element, way, f'"{element.name}" is to show {way!r}', at)
    if move.action is not None and move.action.verb == "scroll":
        ways[key] = tried
    return move if sure else Move(move.kind, move.why, move.action, move.expected, 0.45)


def _holds(element: GUIElement, text: str) -> bool:
    if element.role in {"checkbox", "radio", "switch"}:
        return (element.value == "true") == (text.casefold() not in {"false", "no", "off", ""})
    return same_value(element.value or "", text) if text else not element.value


def _by_keys(element: GUIElement, text: str, tried: int, at: Situation) -> Move:
    """Focus, select all, type: what a field that ignores being filled may still understand."""
    if not element.focused:
        return act(Click(target=ActionTarget.of(element)), f'"{element.name}" did not take the value; focus it first')
    if element.value and tried % 2 == 0:
        return act(PressKey(keys=("Control", "a"), target=ActionTarget.of(element)), "to replace what is there")
    return act(
        Type(target=ActionTarget.of(element), text=text), f'"{element.name}" did not take the value; type it', f"{text!r} shown"
    )


def _options(element: GUIElement, text: str) -> list[str]:
    exact = next((o for o in element.choices if o.casefold() == text.strip().casefold() or same_value(o, text)), None)
    match = best(text, element.choices, lambda o: o, least=0.7)
    return [exact] if exact is not None else [match.item] if match else []


def field_for(field: str, fact: str, text: str, at: Situation) -> tuple[GUIElement | None, tuple[GUIElement, ...]]:
    """The field meant, and others that fit as well. A value's kind decides when names do not."""
    inputs = [f for f in at.screen.inputs if f.role not in {"checkbox", "radio", "switch"} or field]
    if field:
        match = best(field, inputs, lambda f: f.name or f.placeholder or "", least=0.62)
        if match:
            return match.item, match.rivals
        if similarity(field, "body") > 0.9:
            return next((f for f in inputs if any(similarity(w, f.name) > 0.9 for w in _BODY)), None), ()
        return None, ()
    kind = kind_of(text)
    scored = sorted(((field_score(fact or text, kind, f.name), f) for f in inputs), key=lambda pair: -pair[0])
    if scored and scored[0][0] >= 0.6:
        top = scored[0][0]
        return scored[0][1], tuple(f for score, f in scored[1:] if top - score < 0.01)
    bodies = [f for f in inputs if any(similarity(w, f.name) > 0.9 for w in _BODY)]
    if len(bodies) == 1 and len(inputs) <= 4:
        return bodies[0], ()
    return (inputs[0], ()) if len(inputs) == 1 else (None, ())


def _reach_form(field: str, fact: str, at: Situation) -> Move:
    """The field is not on the screen: begin a new form, or go to the page that may hold it."""
    wanted = field or fact or "value"
    move = _new("", at) or _page_for(wanted, at)
    if move is not None:
        return move
    names = ", ".join(f.name for f in at.screen.inputs) or "none"
    app = at.view.subtask.app or at.view.app or "this application"
    return fail(f'there is no field "{wanted}" in {app}; fields there are: {names}', f"how to enter the {wanted} in {app}")


def _new(noun: str, at: Situation) -> Move | None:
    """Press a control such as `New claim`, `Compose`, `Add expense`."""
    if at.notes.get("began"):
        return None
    goal = f"{noun} {at.view.subtask.instruction}"
    options = [e for e in at.screen.presses if e.enabled and e.name.casefold().split()[0].strip("+") in {*_NEW, ""}]
    if not options:
        return None
    ranked = sorted(options, key=lambda e: -_fit(e.name, noun, goal))
    at.notes["began"] = True
    return press(ranked[0], f'"{ranked[0].name}" begins one', at=at)


def _fit(name: str, noun: str, goal: str) -> float:
    object_words = " ".join(name.split()[1:])
    if noun and similarity(noun, object_words) > 0.9:
        return 2.0
    return sum(1.0 for word in re.findall(r"\w+", object_words.casefold()) if word in goal.casefold())


def _page_for(wanted: str, at: Situation) -> Move | None:
    tried: list[str] = at.notes.setdefault("pages", [])
    options = [
        e
        for e in at.screen.presses
        if e.role in {"tab", "link", "menuitem"} and e.enabled and not e.selected and e.name not in tried
    ]
    match = best(wanted, options, lambda e: e.name)
    back = next(
        (e for e in at.screen.presses if e.enabled and e.name.casefold().startswith("back") and e.name not in tried), None
    )
    chosen = match.item if match else back
    if chosen is None or len(tried) > 3:
        return None
    tried.append(chosen.name)
    at.notes["began"] = False
    return press(chosen, f'"{chosen.name}" may lead to the field', at=at)


def select(clause: c.Select, at: Situation) -> Move:
    """Choose an option in the field that is named, else in the only one that offers it."""
    text = at.text(clause.option)
    if text is None:
        return fail(f"{', '.join(at.missing(clause.option))} is not known")
    if clause.field:
        return put(clause.field, "", text, at)
    lists = [f for f in at.screen.inputs if f.choices and _options(f, text)]
    if lists:
        return put_into(lists[0], text, at, sure=len(lists) == 1)
    radios = [f for f in at.screen.inputs if f.role in {"radio", "checkbox"}] + [
        e for e in at.screen.presses if e.role in {"tab", "option"}
    ]
    match = best(text, radios, lambda e: e.name, least=0.7)
    if match is None:
        return _reach_form(text, "", at)
    ticked = match.item.value == "true" or match.item.selected
    return done(f'"{match.item.name}" is chosen') if ticked else press(match.item, f'"{match.item.name}" is the choice', at=at)


def check(clause: c.Check, at: Situation) -> Move:
    """Tick or untick a box; a box that stands right is left alone."""
    boxes = [f for f in at.screen.inputs if f.role in {"checkbox", "switch", "radio"}]
    match = best(clause.box, boxes, lambda f: f.name, least=0.5)
    box = match.item if match else next((b for b in boxes if clause.box.casefold() in b.name.casefold()), None)
    box = box or (boxes[0] if len(boxes) == 1 and not clause.box else None)
    if box is None:
        return _reach_form(clause.box, "", at)
    return put_into(box, "true" if clause.on else "false", at)


def complete(clause: c.Complete, at: Situation) -> Move:
    """Fill what the facts can fill, and then whatever is required."""
    if not at.screen.inputs:
        return _reach_form("form", "", at)
    for field in at.screen.inputs:
        fact = fact_for_field(field, at)
        if fact is not None and not field.value:
            return put_into(field, fact.value, at)
    return done("what is known is in the form")


def fact_for_field(field: GUIElement, at: Situation) -> Fact | None:
    """The newest fact that belongs into `field`."""
    if field.role in {"checkbox", "radio", "switch"}:
        return None
    scored = [(field_score(f.name, f.kind if f.kind != "text" else kind_of(f.value), field.name), f) for f in at.view.facts]
    fitting = [(score, f) for score, f in scored if score >= 0.85 and (not field.choices or _options(field, f.value))]
    top = max((score for score, _ in fitting), default=0.0)
    return next((f for score, f in reversed(fitting) if score >= top - 0.02), None)


def required(at: Situation) -> Move | None:
    """Deal with the first required field that is empty; None when there is none."""
    for field in at.screen.inputs:
        empty = not (field.value or "").strip() or field.value == "false"
        complained = field.invalid or any(f"{field.name} is required".casefold() == t.casefold() for t in at.screen.complaints)
        if not empty or not (field.required or complained):
            continue
        fact = fact_for_field(field, at)
        return put_into(field, fact.value, at) if fact else _lacking(field, at)
    return None


def _lacking(field: GUIElement, at: Situation) -> Move:
    """At first the Manager may know where to find it; after that the user is asked."""
    hinted = any("ask the user" in hint.casefold() for hint in at.view.subtask.hints)
    if not hinted or at.notes.get("asked_for") == field.name:
        return fail(
            f'the required field "{field.name}" is empty and no known fact fits it', f"what goes into the field {field.name}"
        )
    at.notes["asked_for"] = field.name
    choices = f" It can be: {', '.join(field.choices)}." if field.choices else ""
    question = f'What should go into the required field "{field.name}"?{choices}'
    return Move(
        "ask", f'nothing known fits the required field "{field.name}"', AskUser(question=question, name=field.name.casefold())
    )


def sort(clause: c.Sort, at: Situation) -> Move:
    """Open the sheet, ask to sort, choose column and direction, agree."""
    if at.notes.get("agreed"):
        return done(f"sorted by {clause.column}") if at.screen.dialog is None else fail("the sort dialog is still open")
    if at.screen.dialog is None:
        return _begin(clause, at)
    lists = [f for f in at.screen.fields if f.options]
    column = next((f for f in lists if (_choice(clause.column, f)) is not None), None)
    if column is None:
        return fail(f'nothing here can be sorted by "{clause.column}"')
    if (move := put_into(column, _choice(clause.column, column) or "", at)).kind != "done":
        return move
    order = next((f for f in lists if f is not column and any(o.casefold().startswith(("desc", "asc")) for o in f.options)), None)
    if order is not None:
        way = next((o for o in order.options if o.casefold().startswith("desc" if clause.down else "asc")), "")
        if (move := put_into(order, way, at)).kind != "done":
            return move
    agree = next(
        (e for e in at.screen.presses if e.role == "button" and e.enabled and e.name.casefold() in {"sort", "ok", "apply"}), None
    )
    if agree is None:
        return fail("the dialog cannot be agreed to")
    at.notes["agreed"] = True
    return press(agree, "to sort by it", at=at)


def _choice(column: str, field: GUIElement) -> str | None:
    """`amount` among `D: Amount`."""
    match = best(column, [o for o in field.options if o], lambda o: o.split(":")[-1].strip(), least=0.7)
    return match.item if match else None


def _begin(clause: c.Sort, at: Situation) -> Move:
    if (tab := sheet_tab(clause.sheet, at)) is not None:
        return tab
    button = next(
        (
            e
            for e in at.screen.presses
            if e.role in {"button", "menuitem"} and e.enabled and e.name.casefold().rstrip(".…") == "sort"
        ),
        None,
    )
    if button is None or at.count("begins") > 2:
        return fail("there is no way to sort on this screen", "how to sort")
    return press(button, "to sort the rows", at=at)


def sheet_tab(sheet: str, at: Situation) -> Move | None:
    """A press on the tab of the sheet, unless it is in front."""
    tab = next((e for e in at.screen.presses if e.role == "tab" and similarity(sheet, e.name) >= 0.9), None)
    return press(tab, f'"{tab.name}" is the sheet', at=at) if tab is not None and not tab.selected else None


_PLACE = re.compile(r"([A-Z]{1,3})(\d+)")
_LIST = re.compile(r"[A-Z]{1,3}")


class Line(NamedTuple):
    """One row of the grid that is on the screen: its number, and its cells by the letters of their columns."""

    number: int
    cells: dict[str, GUIElement]


def cell(clause: c.Cell, at: Situation) -> Move:
    """Bring the sheet to the front, go to the cell, write, and see that it is there."""
    text = at.text(clause.value)
    if text is None:
        lacking = at.missing(clause.value)
        return fail(f'the fact "{lacking[0]}" is not known', f"where to find the {lacking[0]}")
    if (tab := _sheet(clause.sheet, at)) is not None:
        return tab
    return _write(clause.place, text, at)


def add_up(clause: c.AddUp, at: Situation) -> Move:
    """Find the row of the total and the figures above it; the formula over all of them goes into its cell."""
    if (tab := _sheet(clause.sheet, at)) is not None:
        return tab
    if "place" not in at.notes:
        found = _short_sum(clause.label, at)
        if found is None:
            return fail(f'there is no row "{clause.label}" with figures above it on the sheet "{clause.sheet}"')
        at.notes["place"], at.notes["formula"] = found
    return _write(str(at.notes["place"]), str(at.notes["formula"]), at)


def _sheet(name: str, at: Situation) -> Move | None:
    if not name:
        return None
    if (tab := sheet_tab(name, at)) is not None:
        return tab if at.count("tabs") < 3 else fail(f'the sheet "{name}" does not come to the front')
    tabs = [e for e in at.screen.presses if e.role == "tab"]
    if any(similarity(name, e.name) >= 0.9 for e in tabs):
        return None
    return fail(f'there is no sheet "{name}"; sheets are {", ".join(e.name for e in tabs) or "none"}')


def lines(at: Situation) -> list[Line]:
    """The rows of the grid; columns are called by letters, rows by numbers."""
    letters = [name for name in at.screen.columns if _LIST.fullmatch(name)]
    found: list[Line] = []
    for row in at.screen.rows:
        kids = at.screen.kids(row)
        if kids and kids[0].role == "rowheader" and kids[0].name.isdigit():
            found.append(Line(int(kids[0].name), dict(zip(letters, kids[1:], strict=False))))
    return found


def _write(place: str, text: str, at: Situation) -> Move:
    there = _element(place, at)
    if at.notes.get("written") and there is not None and _cell_holds(there, text):
        return done(f"{place} holds {text}")
    where, bar = _bars(at)
    if where is None or bar is None:
        return fail("there is no line in which a cell can be edited", "how to write into a cell")
    if at.count("tries") > 8:
        return fail(f"{place} does not take {text!r}")
    if (where.value or "").strip().upper() != place:
        return _go(place, there, where)
    if at.notes.get("written") and there is None and same_value(bar.value or "", text):
        return done(f"{place} holds {text}")
    if same_value(bar.value or "", text) and there is not None and _cell_holds(there, text):
        return done(f"{place} holds {text}")
    at.notes["written"] = True
    return act(Fill(target=ActionTarget.of(bar), text=text, submit=True), f"{place} is to hold {text}", f"{text!r} in {place}")


def _go(place: str, there: GUIElement | None, where: GUIElement) -> Move:
    """By a click when it is in sight, else by its name."""
    if there is not None and there.visible:
        return act(Click(target=ActionTarget.of(there)), f"{place} is the cell that is meant", f"{place} chosen")
    return act(Fill(target=ActionTarget.of(where), text=place, submit=True), f"to go to {place}", f"{place} chosen")


def _bars(at: Situation) -> tuple[GUIElement | None, GUIElement | None]:
    """The line that says which cell is chosen, and the one with what it holds; they are known by what they show."""
    boxes = [f for f in at.screen.inputs if f.role in {"textbox", "combobox"}]
    where = next((f for f in boxes if _PLACE.fullmatch((f.value or "").strip().upper())), None)
    rest = boxes[boxes.index(where) + 1 :] if where is not None else []
    return where, next((f for f in rest if f.role == "textbox"), None)


def _element(place: str, at: Situation) -> GUIElement | None:
    match = _PLACE.fullmatch(place)
    if match is None:
        return None
    return next((line.cells.get(match[1]) for line in lines(at) if line.number == int(match[2])), None)


def _cell_holds(element: GUIElement, text: str) -> bool:
    """A formula shows its result."""
    held = shown(element)
    return (bool(held) and not held.startswith("#")) if text.startswith("=") else same_value(held, text)


def _short_sum(label: str, at: Situation) -> tuple[str, str] | None:
    """The cell of the total that is not what the figures above come to, and the formula that makes it so."""
    table = {line.number: line.cells for line in lines(at)}
    for number, cells in sorted(table.items(), reverse=True):
        if not any(similarity(label, shown(e)) >= 0.9 for e in cells.values() if shown(e)):
            continue
        places = [(letter, _run(letter, number, table)) for letter, e in cells.items() if amount_of(shown(e)) is not None]
        ranges = [(letter, run) for letter, run in places if run]
        wrong = [(letter, run) for letter, run in ranges if not _adds_up(letter, number, run, table)] or ranges
        if wrong:
            letter, run = wrong[0]
            return f"{letter}{number}", f"=SUM({letter}{run[0]}:{letter}{run[-1]})"
    return None


def _run(letter: str, below: int, table: dict[int, dict[str, GUIElement]]) -> list[int]:
    """Numbers of the rows right above that hold figures in this column, from the top."""
    found: list[int] = []
    at = below - 1
    while at in table and (held := table[at].get(letter)) is not None and amount_of(shown(held)) is not None:
        found.insert(0, at)
        at -= 1
    return found


def _adds_up(letter: str, number: int, run: list[int], table: dict[int, dict[str, GUIElement]]) -> bool:
    parts = sum(amount_of(shown(table[row][letter])) or 0 for row in run)
    return abs(parts - (amount_of(shown(table[number][letter])) or 0)) < 0.005
