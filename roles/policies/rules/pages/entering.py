"""Writing what the goal says where it says: into a field, on a slider, into what a page draws instead of one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import date

from protocol import ActionTarget, Click, Fill, GUIElement, SelectOption, Wait
from roles.policies.rules.pages.choosing import choose
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.things import apart
from roles.policies.rules.pages.reading.values import as_asked
from roles.policies.rules.pages.steps import into_view, missing, page_of, press, pressed, unclear, uncover
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.choices import _OFF, _ON, _OPTIONS, _labelled, _parts, crossed, shows
from roles.screen.language.lexicon import plain
from roles.screen.matching import similarity
from roles.screen.page import BOXES, LISTS, PRESSED, Page, Thing, likeness
from roles.screen.values import find_dates, parse_date, same_value

_WAITS = 4
_MONTHS = 36
_MONTH = re.compile(r"(?P<month>[^\W\d_]{3,})\.?,?\s+(?P<year>\d{4})|(?P<year2>\d{4})\s+(?P<month2>[^\W\d_]{3,})")
_LATER = ("next month", "go to next month", "next", "›", "»", ">", "→", "forward")
_EARLIER = ("previous month", "go to previous month", "previous", "prev", "‹", "«", "<", "←", "back")


def hold(thing: Thing, value: str, page: Page, at: Situation, drawn: GUIElement | None = None) -> Move | None:
    """The next step to make what is called so hold the value; done when it does; None when nothing is called so.

    `drawn` is a field that only shows what is chosen in what a press of it opens.
    """
    if shows(thing.name, value, page):
        return done(f'"{thing.name}" is {value}')
    if (day := parse_date(value)) is not None and (move := _by_calendar(thing, day, page, at)) is not None:
        return move
    box = _switch(thing, value, page)
    if box is not None:
        return _press_once(box, f'"{box.name}" is to be {value}', at)
    if (entry := _list(thing, value, page)) is not None:
        return entry
    if (option := _option(thing, value, page)) is not None:
        return _press_once(option, f'"{option.name}" is to be chosen for {thing.name}', at)
    opener = drawn or _opener(thing, page)
    if opener is None:
        return None
    if "opened" in at.notes and pressed(at, "opened"):
        option = _only(
            value, [e for e in page.controls if e.role in _OPTIONS and e.element_id != opener.element_id and e.visible]
        )
        if option is not None:
            return _press_once(option, f'"{option.name}" is to be chosen for {thing.name}', at)
        offered = ", ".join(e.name for e in page.controls if e.role == "option" and e.name)[:200]
        return fail(f'"{opener.name}" does not offer "{value}"' + (f"; it offers {offered}" if offered else ""))
    return press(opener, f'"{opener.name}" has to be opened first', at, what="opened")


def _press_once(element: GUIElement, why: str, at: Situation) -> Move:
    if at.count(f"held {element.track_id or element.element_id}") > 2:
        return fail(f'"{element.name}" was pressed and is not shown as chosen')
    return into_view(element, at) or act(Click(target=ActionTarget.of(element)), why, "it is shown as chosen")


def _option(thing: Thing, value: str, page: Page) -> GUIElement | None:
    """The box or entry of that value in the group of that name."""
    for part in _parts(thing.name, page):
        found = _only(value, [e for e in part if e.enabled and e.visible and e.role in _OPTIONS | BOXES])
        if found is not None:
            return found
    return crossed(thing.name, value, page.boxes)


def _only(value: str, among: list[GUIElement]) -> GUIElement | None:
    exact = [e for e in among if plain(e.name) == plain(value) or same_value(e.name, value)]
    return exact[0] if len(exact) == 1 else None


def _list(thing: Thing, value: str, page: Page) -> Move | None:
    """A native list of that name: every part of the value is one of its options."""
    from protocol import SelectOption

    named = [e for e in page.lists if similarity(thing.name, e.name) >= 0.7]
    for entry in sorted(named, key=lambda e: -similarity(thing.name, e.name))[:1]:
        parts = [value] if any(plain(o) == plain(value) for o in entry.options) else [part.strip() for part in value.split(",")]
        chosen = [next((o for o in entry.options if plain(o) == plain(part)), None) for part in parts]
        if None in chosen:
            return fail(f'"{entry.name}" does not offer "{value}"; it offers {", ".join(entry.options)[:200]}')
        options = tuple(option for option in chosen if option is not None)
        return act(SelectOption(target=ActionTarget.of(entry), options=options), f'"{entry.name}" is to be {value}', "shown")
    return None


def _switch(thing: Thing, value: str, page: Page) -> GUIElement | None:
    if plain(value) not in _ON | _OFF:
        return None
    found = [e for e in page.boxes if similarity(thing.name, e.name) >= 0.9]
    return found[0] if len(found) == 1 else None


def _opener(thing: Thing, page: Page) -> GUIElement | None:
    """A control that shows its choice and opens a list: `Priority: Normal`, or one on the line of its label."""
    pressable = [e for e in page.controls if e.role in PRESSED | LISTS and e.enabled and not e.options]
    named = [e for e in pressable if e.name and _labelled(e, thing.name, page)]
    opening = [e for e in named if e.expanded is not None or e.role in LISTS]
    found = opening or named
    return found[0] if len(found) == 1 else None


def suggested(field: GUIElement, value: str, page: Page, at: Situation) -> Move | None:
    """A field that offers entries for what was typed: the one that is meant is taken; None where it offers nothing."""
    if field.role != "combobox" or field.options or (field.value is None):
        return None
    key = f"taken {field.track_id or field.element_id}"
    if key in at.notes:
        return None
    offered = [e for e in page.elements if e.role in {"option", "listitem"} and e.name and e.visible and e.enabled]
    found = _only(value, offered)
    if found is not None:
        at.notes[key] = True
        return into_view(found, at) or act(
            Click(target=ActionTarget.of(found)), f'"{found.name}" is what is meant', "it is taken"
        )
    if at.count(f"waited {key}") < _WAITS:
        return act(Wait(seconds=0.8), f'"{field.name}" may offer entries')
    if offered:
        return fail(f'"{field.name}" does not offer "{value}"; it offers {", ".join(e.name for e in offered)[:200]}')
    return None


def _by_calendar(thing: Thing, day: date, page: Page, at: Situation) -> Move | None:
    """A month that is drawn day by day: it is turned to the month, then the day is pressed."""
    shown = _month(page)
    if shown is None:
        field = next(
            (f for f in page.controls if thing.name and similarity(thing.name, f.name) >= 0.9 and f.role not in BOXES), None
        )
        if field is not None and at.count("calendar") == 0:
            return press(field, f'"{field.name}" may show a calendar', at, what="opened")
        return None
    off = (day.year - shown[0]) * 12 + day.month - shown[1]
    if off:
        names = _LATER if off > 0 else _EARLIER
        turn = next(
            (e for name in names for e in page.controls if e.role in PRESSED and e.enabled and plain(e.name) == name), None
        )
        if turn is None or at.count("months") > _MONTHS:
            return fail(f"the calendar does not go to {day:%B %Y}")
        return press(turn, f"the calendar is to show {day:%B %Y}", at, what="months turned")
    days = [e for e in page.elements if e.enabled and _is_day(e, day)]
    exact = [e for e in days if _day_of(e.name) == day] or days
    if len(exact) != 1:
        return fail(f"the calendar shows {len(exact)} days {day.day}")
    if pressed(at, "day"):
        return done(f"{day.isoformat()} was pressed in the calendar")
    return press(exact[0], f"it is {day.isoformat()}", at, what="day")


def _is_day(element: GUIElement, day: date) -> bool:
    pressable = element.role in PRESSED | {"cell", "gridcell"}
    return pressable and (element.name.strip() == str(day.day) or _day_of(element.name) == day)


def _day_of(name: str) -> date | None:
    """The day of `5 March 2027` and of `Choose Friday, March 5, 2027`."""
    return parse_date(name) or next((day for found in find_dates(name) if (day := parse_date(found)) is not None), None)


def _month(page: Page) -> tuple[int, int] | None:
    """The year and month that a calendar on the page shows, when there is one with days in it."""
    if (
        sum(
            e.name.strip().isdigit() or _day_of(e.name) is not None
            for e in page.elements
            if e.role in PRESSED | {"cell", "gridcell"}
        )
        < 20
    ):
        return None
    for e in page.texts:
        found = _MONTH.search(e.name)
        if found is None:
            continue
        first = parse_date(f"1 {found['month'] or found['month2']} {found['year'] or found['year2']}")
        if first is not None:
            return first.year, first.month
    days = [day for e in page.elements if e.role in PRESSED | {"cell", "gridcell"} and (day := _day_of(e.name)) is not None]
    counted = Counter((day.year, day.month) for day in days).most_common(1)
    return counted[0][0] if counted else None  # no title, and days that are called by their dates


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
