"""Writing what the goal says where it says: into a field, on a slider, into what a page draws instead of one."""

from __future__ import annotations

import re
from dataclasses import replace

from protocol import ActionTarget, Fill, GUIElement, SelectOption
from roles.policies.rules.pages.acting.choosing import choose
from roles.policies.rules.pages.acting.holding import hold, suggested
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.things import apart
from roles.policies.rules.pages.reading.values import as_asked
from roles.policies.rules.pages.steps import into_view, missing, page_of, press, unclear, uncover
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.page import Page, Thing, likeness
from roles.screen.values import same_value

_PICKS = re.compile(r"(?:select|choose|pick)\b", re.IGNORECASE)


def put(clause: p.Put, at: Situation) -> Move:
    """Fill what the words mean: one field, or all of them."""
    text, source = clause.source.text, ""
    if clause.source.fact:
        fact = at.fact(clause.source.fact)
        if fact is None:
            return fail(f'the fact "{clause.source.fact}" is not known')
        text, source = fact.value, fact.element_id or ""
    page = page_of(at)
    clause = replace(clause, thing=apart(clause.thing, page, page.fields))
    if len(page.rivals(clause.thing, page.fields)) > 1 and (section := _section(clause, at)):
        clause = replace(clause, thing=replace(clause.thing, place=section))
    fields = [f for f in _fields(clause.thing, text, page, source) if f.element_id != source]
    if (otherwise := _no_field(clause, text, fields, page, at)) is not None:
        return otherwise
    return _fill(clause.thing, text, fields, page, at)


def _section(clause: p.Put, at: Situation) -> str:
    """The section that the goal speaks of last before this: `in the section Billing, enter X as the street`."""
    from roles.policies.rules.pages.reading.forms import understand  # it imports what uses this

    said = ""
    for other in understand(at.view.subtask.instruction) or ():
        if isinstance(other, p.Unfold) and other.thing.kind == "section":
            said = other.thing.name
        if isinstance(other, p.Put) and (other.source, other.thing.name) == (clause.source, clause.thing.name):
            return said
    return ""


def _is_drawn(field: GUIElement, at: Situation) -> bool:
    """Whether a field only shows what is chosen elsewhere: a box that opens a list, or one that refused to be written in."""
    if field.role == "combobox" and not field.options and (field.tag or "input").split("#")[0] not in {"input", "textarea"}:
        return True
    last = at.last
    refused = last is not None and last.action.get("action_type") == "fill" and "can only be read" in (last.error or "")
    if refused and last is not None and (last.action.get("target") or {}).get("track_id") == field.track_id:
        at.notes.setdefault("drawn", []).append(field.track_id)
    return field.track_id in at.notes.get("drawn", ())


def _no_field(clause: p.Put, text: str, fields: list[GUIElement], page: Page, at: Situation) -> Move | None:
    """What to do where no text field is meant: a group, a list or a calendar is set, or what leads to the field is followed."""
    drawn = fields[0] if len(fields) == 1 and _is_drawn(fields[0], at) else None
    if fields and clause.thing.words != "calendar" and drawn is None:
        return None
    if (held := hold(clause.thing, text, page, at, drawn)) is not None:
        return held
    if fields:
        return None
    if len(rivals := page.rivals(clause.thing, page.fields)) < 2 and _PICKS.match(clause.said) and " for " not in clause.said:
        return choose(p.Choose(names=text, said=clause.said), at)
    if len(rivals) > 1:
        return fail(unclear(clause.thing.words, rivals))
    return _way_to(clause.thing, page, at) or uncover(at, page) or fail(missing(clause.thing.words or "field", page))


def _fill(thing: Thing, text: str, fields: list[GUIElement], page: Page, at: Situation) -> Move:
    for field in fields:
        value = as_asked(text, field.placeholder or "")
        if same_value(field.value or "", value):
            if (offered := suggested(field, value, page, at)) is not None:
                return offered
            continue
        if at.count(f"filled {field.track_id}") > 2:
            return fail(f'"{field.name}" shows {field.value!r} and does not take {value!r}')
        if scroll := into_view(field, at):
            return scroll
        why = f'"{field.name}" is what is meant by {thing.words or "it"}'
        if field.role in {"combobox", "listbox"} and field.options:
            return act(SelectOption(target=ActionTarget.of(field), options=(value,)), why, f"it shows {value!r}")
        return act(Fill(target=ActionTarget.of(field), text=value), why, f"it shows {value!r}")
    return done(f"{text!r} is entered")


def _way_to(thing: Thing, page: Page, at: Situation) -> Move | None:
    """`the amount of the reimbursement form`: where the page has no such field and leads to what holds it."""
    if not thing.place:
        return None
    links = [e for e in page.controls if e.role in {"link", "tab"} and likeness(thing.place, e.name) >= 0.9]
    if len(links) != 1 or at.count("way"):
        return None
    return press(links[0], f'"{links[0].name}" leads to where "{thing.name}" is', at, what="opening")


def _fields(thing: Thing, text: str, page: Page, source: str) -> list[GUIElement]:
    """What the words mean. `source` is where the text was read: it is not written there again."""
    sliders = [e for e in page.elements if e.role == "slider" and e.enabled]
    if thing.kind == "slider":
        found = page.find(thing, sliders) or (sliders[0] if len(sliders) == 1 else None)
        return [found] if found else []
    if thing.name and not page.find(thing, page.fields) and (tracks := page.all(thing, sliders)):
        return tracks if len(tracks) == 1 else []
    if thing.every:
        return page.all(thing, page.fields)
    if thing.kind == "dialog" and page.dialogs:
        inside = {e.element_id for e in page.inside(page.dialogs[-1])}
        return [f for f in page.fields if f.element_id in inside][:1]
    if thing.name and len(page.rivals(thing, page.fields)) > 1:
        return []
    named = page.find(thing, page.fields) if thing.name or thing.nth else None
    if named is not None:
        return [named]
    return [] if thing.nth else _free(thing, text, page, source, sliders)


def _free(thing: Thing, text: str, page: Page, source: str, sliders: list[GUIElement]) -> list[GUIElement]:
    """Where nothing is called so: the field that asks for such a thing, else the only one that may be meant."""
    if thing.name == "user name" and (login := _login(page)) is not None:
        return [login]
    others = [f for f in page.fields if f.element_id != source]
    held = [f for f in others if f.value and not same_value(f.value, text)]  # something else stands there already
    free = [f for f in others if f not in held] or others
    hinted = _hinted(thing, free)
    called = [f for f in free if f.name_source not in {None, "class"}]
    if thing.name and hinted is None and (len(free) > 1 or called):
        return []
    if not free and len(sliders) == 1:
        return sliders
    same = next((f for f in others if f.value and same_value(f.value, text)), None)
    return [f for f in (hinted or same or next(iter(free), None),) if f]


def _login(page: Page) -> GUIElement | None:
    """The field for the user of a form that asks for one password: the one before it."""
    secret = [n for n, f in enumerate(page.fields) if f.private]
    before = page.fields[secret[0] - 1] if len(secret) == 1 and secret[0] else None
    return before if before is not None and before.role == "textbox" else None


def _hinted(thing: Thing, fields: list[GUIElement]) -> GUIElement | None:
    """The only field that asks for what the words speak of: a date, a time, something secret."""
    asks = {"date": "yyyy-mm-dd", "day": "yyyy-mm-dd", "time": "hh:mm"}
    words = set(thing.words.casefold().split())
    hits = [f for f in fields if any(w in words and f.placeholder == hint for w, hint in asks.items())]
    if words & {"password", "secret", "passcode", "pin"}:
        hits += [f for f in fields if f.private]
    return hits[0] if hits else None
