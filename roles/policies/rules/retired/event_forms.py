"""Requests for events: who, on which day, from when to when, how often, at an hour that was found out."""

from __future__ import annotations

import re
from collections.abc import Callable

from roles.policies.rules.reference import Context
from roles.policies.rules.retired.given_forms import CHAT, NAME
from roles.screen.language import clauses as c
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER = rf"(?:{ANY}|{'|'.join(_NUMBERS)}|half an?|an?)"
_LONG = rf"(?:{_NUMBER})\s+(?:hours?|minutes?)(?:\s+and\s+a\s+half)?"
_PEOPLE = rf"{NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){NAME})*"
_PIECES = tuple(
    re.compile(piece, re.IGNORECASE)
    for piece in (
        r"(?:in|into|to|on)\s+(?:my|the|our)\s+(?P<app>calendar|diary|agenda|schedule)",
        rf"with\s+(?P<people>(?-i:{_PEOPLE}))",
        r"every\s+(?P<every>day|week|month|year)|(?P<often>daily|weekly|monthly|yearly)",
        rf"from\s+(?P<first>{ANY})\s+(?:to|until|till)\s+(?P<last>{ANY})",
        rf"on\s+(?P<day>{ANY})",
        rf"(?:at|from)\s+(?P<clock>noon|(?:{_NUMBER})(?:\s+o[’']clock)?(?:\s+in\s+the\s+(?:morning|afternoon|evening))?)",
        rf"(?:for|of)\s+(?P<long>{_LONG})(?:\s+each)?",
        r"as\s+(?:one|an?)\s+(?:single\s+)?(?:repeating|recurring|regular)\s+(?:event|series|entry|meeting)",
    )
)
_OFTEN = {"day": "Daily", "week": "Weekly", "month": "Monthly", "year": "Yearly"}
_NOTHING = c.Value()
FREE = ("free hour", "free hour end")
"""What the hour that was found free, and its end, are called on the blackboard."""


def event(match: re.Match[str], ctx: Context) -> Found:
    """`put "Choir" with Ada into my calendar every week from 2026-04-01 to 2026-04-22, at nine in the morning for one hour`."""
    said = _pieces(f"{match['more'] or ''} {match['rest']}", ctx)
    if said is None or not (said.get("app") or match["noun"]):
        return None
    app, minutes = said.get("app", "event").casefold(), _minutes(said.get("long", ""))
    title = ctx.masks.show(match["title"])
    people = c.Value(said.get("people", ""))
    free = ctx.entity if ctx.entity.noun == "hour" else c.NOTHING
    if free and "begin" not in said:
        found = c.Free(app, free.dated, c.Value(facts=(free.name,)), minutes)
        begin, end = (c.Value(facts=(name,)) for name in FREE)
        return [found, *event_clauses(app, title, c.Value(free.dated), begin, end, people)]
    if "day" not in said or "begin" not in said:
        return None
    begin = c.Value(said["begin"])
    end = c.Value(said.get("end") or later(said["begin"], minutes))
    often = c.Value(_OFTEN[said["often"]]) if "often" in said else _NOTHING
    return event_clauses(app, title, c.Value(said["day"]), begin, end, people, often, c.Value(said.get("until", "")))


def event_clauses(
    app: str, title: str, day: c.Value, begin: c.Value, end: c.Value,
    people: c.Value = _NOTHING, often: c.Value = _NOTHING, until: c.Value = _NOTHING,
) -> list[c.Clause]:  # fmt: skip
    """The fields of a new event, then its keeping."""
    fields = (
        (c.Value(title), "title"), (day, "start date"), (begin, "start time"), (day, "end date"), (end, "end time"),
        (people, "attendees"),
    )  # fmt: skip
    entered: list[c.Clause] = [c.Enter(app, value, name) for value, name in fields if value]
    if often:
        entered += [c.Select(app, often, "repeats"), *([c.Enter(app, until, "repeat until")] if until else [])]
    return [*entered, c.Commit(app, "save", "event")]


def _pieces(words: str, ctx: Context) -> dict[str, str] | None:
    """What the words behind the title say; None when some of them say something else."""
    said: dict[str, str] = {}
    rest = words.strip(" ,.")
    while rest:
        match = next((m for piece in _PIECES if (m := piece.match(rest))), None)
        if match is None:
            return None
        rest = re.sub(r"^[\s,]+(?:and\s+)?", "", rest[match.end() :])
        for name, value in match.groupdict().items():
            if value is not None:
                said |= _meaning(name, value, ctx)
        if match.groupdict().get("first"):
            said |= _span(match["first"], match["last"], ctx)
    if "day" in said and "until" in said and "often" not in said:
        return None
    return said


def _meaning(name: str, value: str, ctx: Context) -> dict[str, str]:
    shown = ctx.masks.show(value)
    match name:
        case "every":
            return {"often": value.casefold()}
        case "often":
            return {"often": {"daily": "day"}.get(value.casefold(), value.casefold().removesuffix("ly"))}
        case "clock":
            return {"begin": _clock(shown)}
        case "first" | "last":
            return {}
        case _:
            return {name: shown}


def _span(first: str, last: str, ctx: Context) -> dict[str, str]:
    """Two days begin and end a series; two hours begin and end an event."""
    held = ctx.masks.only(first)
    one, two = ctx.masks.show(first), ctx.masks.show(last)
    return {"day": one, "until": two} if held is not None and held.kind == "date" else {"begin": _clock(one), "end": _clock(two)}


def _clock(words: str) -> str:
    folded = words.casefold()
    if folded.startswith("noon"):
        return "12:00"
    head = folded.split()[0]
    if head not in _NUMBERS and not head.isdigit():
        return words.split()[0]
    hour = _NUMBERS.index(head) if head in _NUMBERS else int(head)
    late = re.search(r"afternoon|evening", folded) and hour < 12
    return f"{hour + 12 if late else hour:02d}:00"


def _minutes(words: str) -> int:
    """How long it takes; an hour when nobody says."""
    match = re.match(r"(?P<n>half|\S+)(?:\s+an?)?\s+(?P<unit>hour|minute)", words, re.IGNORECASE)
    if match is None:
        return 60
    head = match["n"].casefold()
    count = 0.5 if head == "half" else 1.0 if head in {"a", "an"} else _number(head)
    count += 0.5 if words.casefold().endswith("and a half") else 0
    return round(count * (60 if match["unit"].casefold() == "hour" else 1))


def _number(word: str) -> float:
    return float(_NUMBERS.index(word)) if word in _NUMBERS else float(word) if word.replace(".", "", 1).isdigit() else 1.0


def later(clock: str, minutes: int) -> str:
    """`09:30` and 45 minutes: 10:15."""
    hour, _, minute = clock.partition(":")
    total = int(hour) * 60 + int(minute or 0) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"


def hours_in_chat(match: re.Match[str], ctx: Context) -> Found:
    """`Ada has told me in chat which hours suit on 2026-03-10`: they are read, and one of them is meant from here on."""
    day = ctx.masks.show(match["day"])
    read = c.Read(CHAT, (f"hours on {day}",), c.Entity("conversation", name=ctx.masks.show(match["name"])))
    ctx.person = ctx.masks.show(match["name"])
    ctx.mean(c.Entity("hour", name=read.fact_names()[0], dated=day))
    return [read]


def free_one(match: re.Match[str], ctx: Context) -> Found:
    """`find the one at which I am free as well`: which one is found out where the events are."""
    return [] if ctx.entity.noun == "hour" else None


EVENTS: tuple[tuple[str, Callable[[re.Match[str], Context], Found]], ...] = (
    (
        rf"(?P<name>{NAME}) (?:has )?(?:told|wrote|written)(?: to)? me in (?:the )?chat (?:which|what) (?:hours|times)"
        rf" (?:suit|are free|fit|would do|are good)(?: (?:him|her|them))?,? on (?P<day>{ANY})",
        hours_in_chat,
    ),
    (r"[Ff]ind (?:the one|one|the hour|an hour) (?:at which|when|that) I am (?:also )?free(?: as well| too|, too)?", free_one),
    (
        r"(?i:put|add|enter|schedule|make|create|note|plan|set up) (?:an? (?:new )?(?P<noun>meeting|event|appointment|entry)"
        rf"(?P<more> (?:of|with|for) (?:(?!{ANY}).)+?)?(?: (?:called|titled|named))? )?(?P<title>{ANY})(?P<rest>.*)",
        event,
    ),
)
