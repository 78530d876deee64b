"""Setting what is no text field: a group of boxes, a list that a page draws, a switch, a calendar, a field that suggests."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

from protocol import ActionTarget, Click, GUIElement, Wait
from roles.policies.rules.pages.steps import into_view, press, pressed
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.choices import _OFF, _ON, _OPTIONS, _labelled, _parts, crossed, shows
from roles.screen.language.lexicon import plain
from roles.screen.matching import similarity
from roles.screen.page import BOXES, LISTS, PRESSED, Page, Thing
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
