"""Skill: put values into fields, check that they are there, and rewrite them when the form complains."""

from __future__ import annotations

import re

from protocol import ActionTarget, AskUser, Click, GUIElement, PressKey, Type
from roles.contracts import Fact
from roles.contracts import clauses as c
from roles.policies.rules.skills.finding import go_to, is_open
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press, set_value
from roles.screen.matching import best, field_score, similarity
from roles.screen.values import kind_of, rewritings, same_value

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
