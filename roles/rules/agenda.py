"""Skill: of some hours of a day, find the first at which nothing else is going on."""

from __future__ import annotations

import re

from protocol import ActionTarget, Fill, Memorize
from roles.rules import clauses as c
from roles.rules.event_forms import FREE, later
from roles.rules.finding import next_page
from roles.rules.matching import similarity
from roles.rules.moves import Move, Situation, act, done, fail, press
from roles.rules.screens import fold, shown
from roles.rules.values import find_dates, parse_date

_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_RANGE = re.compile(r"\b(\d{1,2}:\d{2})\s*(?:–|-|—|to|until)\s*(\d{1,2}:\d{2})\b")


def free(clause: c.Free, at: Situation) -> Move:
    """Show the day, note what is going on, and keep the first of the hours that fits between."""
    known = [f.name for f in at.view.facts]
    if all(name in known for name in FREE):
        return done("a free hour is known")
    text = at.text(clause.hours)
    if text is None:
        return fail(f'the fact "{at.missing(clause.hours)[0]}" is not known', "which hours there are to choose from")
    if "hour" not in at.notes:
        if (move := _day(clause.day, at)) is not None:
            return move
        busy: list[list[int]] = at.notes.setdefault("busy", [])
        busy += [found for found in _busy(clause.day, at) if found not in busy]
        following = next_page(at)
        if following is not None and at.count("pages") < 12:
            return press(following, "the day may go on there", at=at)
        hour = next((h for h in _hours(text) if not _taken(h, clause.minutes, busy)), None)
        if hour is None:
            return fail(f"none of the hours {text} is free on {clause.day}")
        at.notes["hour"] = hour
    source = next((e for e in at.screen.elements if e.role == "heading"), at.screen.elements[0])
    name, value = (
        (FREE[0], str(at.notes["hour"])) if FREE[0] not in known else (FREE[1], later(str(at.notes["hour"]), clause.minutes))
    )
    action = Memorize(target=ActionTarget.of(source), name=name, value=value)
    return act(action, f"{name} on {clause.day} is {value}", f"{name} on the blackboard")


def _day(day: str, at: Situation) -> Move | None:
    """The view of that day, where there is one; else the list of all days does."""
    if _shows(day, at):
        return None
    view = next((e for e in at.screen.presses if e.enabled and not e.selected and fold(e.name) in {"day", "day view"}), None)
    if view is not None and at.count("views") < 2:
        return press(view, f'"{view.name}" shows one day', at=at)
    field = next((f for f in at.screen.inputs if similarity("go to date", f.name) >= 0.9), None)
    if field is not None and at.count("dates") < 2:
        return act(Fill(target=ActionTarget.of(field), text=day, submit=True), f"to see {day}", f"{day} on the screen")
    return None


def _shows(day: str, at: Situation) -> bool:
    heads = [e for e in at.screen.elements if e.role == "heading"]
    return any(_is_day(day, text) for e in heads for text in (shown(e), *find_dates(shown(e))))


def _is_day(day: str, text: str) -> bool:
    found = parse_date(re.sub(r"^[^\W\d]+,?\s+(?=\d)", "", text))
    return found is not None and found == parse_date(day)


def _busy(day: str, at: Situation) -> list[list[int]]:
    """Minutes of the day from which and until which something is going on, in the rows of that day."""
    whole_day = _shows(day, at)
    found: list[list[int]] = []
    for item in at.screen.items:
        parts = item.text.split(" · ")
        if (ranges := _RANGE.search(item.text)) and (whole_day or any(_is_day(day, part) for part in parts)):
            found.append([_minute(ranges[1]), _minute(ranges[2])])
    return found


def _hours(text: str) -> list[str]:
    return [match.group() for match in _CLOCK.finditer(text)]


def _taken(hour: str, minutes: int, busy: list[list[int]]) -> bool:
    begin = _minute(hour)
    return any(begin < until and begin + minutes > since for since, until in busy)


def _minute(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)
