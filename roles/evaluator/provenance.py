"""Where the values that were written come from: the goal, a fact, a person or a page; days and times are compared by meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from string import digits
from typing import Any, NamedTuple

from protocol import ExecStatus, VisualState
from roles.contracts import Fact, GateRequest, StepRecord
from roles.contracts.orders import When
from roles.contracts.values import parse_date, parse_time, plain_number
from roles.safety.destinations import looks, texts
from roles.safety.privacy.vault import references_in
from roles.screen.calls import INNER
from roles.screen.evidence import Screens
from roles.screen.language.dates import PARTS, Dates
from roles.screen.language.words import Doubt, Words, phrases, quotes, table
from roles.screen.screens import PRESS_VERBS
from roles.screen.texts import begins, fold, says_any, words
from roles.screen.values import is_masked, minutes_in, same_value, values_in

_WEEK = 7


class Moments(NamedTuple):
    """What a text says of days (with no year: of any year), minutes of the day, and lengths in minutes."""

    days: frozenset[tuple[int, int, int]]
    minutes: frozenset[int]
    lengths: frozenset[int] = frozenset()
    relative: bool = False
    """It speaks of a day, and only of one that a calendar tells."""

    def have_day(self, day: date) -> bool:
        return self.relative or bool({(day.year, day.month, day.day), (0, day.month, day.day)} & self.days)

    def have_minute(self, minute: int) -> bool:
        """Whether it was said, or follows from a time and a length that were."""
        return minute in self.minutes or any((minute - one) % 1440 in self.minutes for one in self.lengths)

    def with_more(self, text: str) -> Moments:
        """And the days and times that stand elsewhere."""
        other = moments_in(text)
        return self._replace(days=self.days | other.days, minutes=self.minutes | other.minutes)

    def as_long_as(self, text: str) -> Moments:
        """And every length from one to another of these times and those of a text: what is moved stays as long."""
        times = self.with_more(text).minutes
        return self._replace(lengths=self.lengths | {end - start for start in times for end in times if start != end})

    def taken_from(self, text: str) -> str:
        """A text without those of its days and times that are known."""
        for found in (*values_in("date", text), *values_in("time", text)):
            day, minute = _day(found), parse_time(found)
            if (day is not None and self.have_day(day)) or (minute is not None and self.have_minute(minute)):
                text = text.replace(found, " ", 1)
        return text


def moments_in(text: str) -> Moments:
    """The days and times that are written in figures, or as a date."""
    return Moments(frozenset(day for found in values_in("date", text) for day in _days(found)), frozenset(minutes_in([text])))


def moments_said(text: str, today: str) -> Moments:
    """And those in words, as the reader of goals takes them: half past nine, for two hours, next Friday. Of a longer span no more
    days are known than its text writes out; without a calendar a day that is counted from today may be any."""
    read, written = Words(text), moments_in(text)
    reader, said, at = Dates(read, today), list[When](), 0
    while at < len(read.list):
        one = None
        with suppress(Doubt, ValueError, OverflowError):  # such as February 30
            one = reader.read(at)
        said += [one[0]] if one and (one[0].start, one[0].end) not in PARTS.values() else []
        at = one[1] if one else at + 1
    spans = [(day, last) for one in said if (day := parse_date(one.first[:10])) and (last := parse_date(one.last[:10]))]
    every = [day + timedelta(days=n) for day, last in spans for n in range((last - day).days + 1) if (last - day).days < _WEEK]
    clocks = [clock for one in said for clock in (one.first[11:], one.last[11:], one.start, one.end)]
    minutes = {minute for clock in clocks if (minute := parse_time(clock)) is not None}
    days = written.days | {(day.year, day.month, day.day) for day in every}
    counted = says_any(text, phrases("relative")) or any(one.lower.endswith("day") for one in read.list)
    lengths = frozenset(one.minutes for one in said)
    return Moments(days, written.minutes | minutes, lengths, counted and not days and not today)


def _day(found: str) -> date | None:
    return parse_date(found.rstrip(".").replace(" of ", " "))


def _days(found: str) -> list[tuple[int, int, int]]:
    if (day := _day(found)) is None:
        plain = _day(f"{found.rstrip('.')} 2000")
        return [(0, plain.month, plain.day)] if plain is not None else []
    first, _, rest = found.partition("/")
    second, _, year = rest.partition("/")
    return [(one.year, one.month, one.day) for one in (day, _day(f"{second}/{first}/{year}")) if one is not None]


_WRITES = {"fill": "text", "type": "text", "ask_in_app_agent": "request"}
_CHUNK = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[A-Za-z]{1,8}-\d[\w-]*|\d[\d.,:/'-]*\d|\d")
_MOMENT = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}/\d{1,2}(?:/\d{2,4})?"
)
_CODE = frozenset("/=\\")
_SHORT, _STEM = 6, 4
"""Words of a value that is no prose: of more, only figures, addresses and ids are held to where they come from. Letters by which
a word is known in its other forms."""
_PERSON = "user"
"""The role of a step that a person did by hand."""
_LEAST_ECHO = 3
_RECORDS = frozenset({"row", "listitem", "treeitem", "article"})
_LOOKED_BACK = 4
"""Steps before a value was written whose screens may tell how long something was."""


def unfounded(request: GateRequest, screen: Screens) -> tuple[str, ...]:
    """Values that come from nowhere, or from another record than the goal names, in words."""
    known = _KnownTexts(request, screen)
    found: list[str] = []
    for step, text in _written(request.steps):
        where = f'"{step.target or step.app}" (step {step.step})'
        if (lost := known.lost(step, text)) is not None:
            at = known.stands(lost, step)
            own = next((f'"{f.name}"' for f in request.facts if same_value(f.value, lost)), "")
            who = f"but the worker's own fact {own} nothing says it" if own else "no goal, fact, person or page says it"
            found.append(f'"{lost}" in {where}: {who}' + f"; it stood on {at}" * bool(at))
        found += [f'"{mask}" in {where} occurs only where a value is hidden' for mask in known.masks(step, text)]
    found += [said for fact in request.facts if (said := _elsewhere(fact, request, screen) or _echoed(fact, request.goal))]
    return tuple(dict.fromkeys(found))


def _written(steps: Sequence[StepRecord]) -> Iterator[tuple[StepRecord, str]]:
    """The values that went out, each with its step, but for what a person wrote, looked for, or took back at once."""
    done = [s for s in steps if s.exec_status is ExecStatus.EXECUTED and s.verb not in INNER | {"run_script"}]
    for at, step in enumerate(done):
        free = step.role == _PERSON or step.recovery or begins(step.target, phrases("leads"))
        if not (free or _taken_back(step, done[at + 1 :])):
            yield from ((step, text) for text in _texts(step.action) if text.strip() and not references_in(text))


def _texts(action: dict[str, Any]) -> Iterator[str]:
    kind = str(action.get("action_type"))
    if kind in _WRITES:
        yield from texts(action.get(_WRITES[kind]) or "")
    elif kind == "call_api" and not looks(str(action.get("function", ""))):
        yield from texts(action.get("arguments") or {})


def _taken_back(step: StepRecord, later: Iterable[StepRecord]) -> bool:
    """Whether the field was filled anew before anything was done with what stood in it."""
    for other in later:
        if other.action.get("action_type") == "fill" and (other.target, other.app) == (step.target, step.app):
            return True
        if other.action.get("action_type") in PRESS_VERBS and other.verb != "click":
            return False
    return False


class _KnownTexts:
    """All that was said, by the goal and since."""

    def __init__(self, request: GateRequest, screen: Screens) -> None:
        goals = [request.goal, *request.given, *request.earlier_goals, *request.user_words, *(n.words for n in request.notes)]
        said = list(goals)
        said += [text for found in request.supplements for text in (found.title, found.text)]
        said += [subtask.instruction for subtask in request.plan if subtask.pinned or request.plan_by_user]
        said += [origin.text for subtask in request.plan for origin in subtask.origin]
        said += [text for step in request.steps if step.role == _PERSON for text in _texts(step.action)]
        self._steps, self._screen = request.steps, screen
        self._facts = [text for fact in founded(request.facts) for text in _inner(fact.value)]
        self._said, everything = fold("\n".join(said)), "\n".join([*said, *self._facts])
        self._moments = bool(_MOMENT.search(request.goal) or moments_in(request.goal).days)
        self._told = moments_said("\n".join(goals), request.today).with_more(everything)
        spoken = {*words(everything.casefold().replace("-", " "))}
        self._chunks = {*_chunks(everything), *(str(n) for n, word in enumerate(table("phrases")["numbers"]) if word in spoken)}
        self._stems = _stems(everything) | _stems(" ".join(fact.name for fact in request.facts))

    def masks(self, step: StepRecord, text: str) -> list[str]:
        """Its parts that a page shows in place of a value, if nobody asked for those very words."""
        parts = [part.strip() for line in text.splitlines() for part in {line, line.rpartition(":")[2]}]
        return [part for part in parts if is_masked(part, step.target) and fold(part) not in self._said][:1]

    def lost(self, step: StepRecord, text: str) -> str | None:
        """The part of a value that nothing says; None where all of it was said."""
        before = self._screen(step.before) if step.before else None
        shown, flat = _shown(before, step) if before is not None else "", fold(text)
        if flat in self._said or flat in fold(shown) or any(flat == fold(value) for value in self._facts):
            return None
        there = self._chunks | set(_chunks(shown))
        left = self._told.with_more(shown).as_long_as(self._before(step)).taken_from(text)
        for chunk in _CHUNK.findall(left):
            if _canonical(chunk) not in there and (self._moments or not _MOMENT.fullmatch(chunk)):
                return str(chunk)
        told = [word[:_STEM] for word in _heavy(left)]
        strange = [stem for stem in told if stem not in self._stems | _stems(shown)]
        few = len(text.split()) <= _SHORT and _CODE.isdisjoint(text)
        return text if few and strange and 2 * len(strange) >= len(told) else None

    def stands(self, lost: str, step: StepRecord) -> str:
        """The last screen before a step on which a value stood that nobody noted."""
        names = dict.fromkeys(s.before for s in reversed(self._steps) if s.step <= step.step and s.before)
        for state in (state for name in names if (state := self._screen(name)) is not None):
            if any(fold(lost) in fold(f"{e.name} {e.value or ''}") for e in state.elements if not e.private):
                return f"state:{state.state_id} of {state.app}"
        return ""

    def _before(self, step: StepRecord) -> str:
        """What stood on the screens before this one in the same application: the times that a form no longer shows."""
        steps = [s for s in self._steps if s.app == step.app and s.step < step.step and s.before][-_LOOKED_BACK:]
        states = (state for s in steps if (state := self._screen(s.before)) is not None)
        return "\n".join(e.value or e.name for state in states for e in state.elements)


def _shown(state: VisualState, step: StepRecord) -> str:
    """What a screen shows, and what the control that was written into allows: its ends and its options."""
    target = str((step.action.get("target") or {}).get("element_id", ""))
    named = next((e for e in state.elements if step.target in {e.element_id, e.name}), None)
    control = state.by_id.get(target) if target else named
    bounds = [*(f"{limit:g}" for limit in control.limits or ()), *control.options] if control is not None else []
    return "\n".join([*(f"{e.name}\n{e.value or ''}" for e in state.elements), *bounds])


def _inner(value: str) -> Iterator[str]:
    """A value, and the texts in it where it is JSON, in which a line break is written as a letter."""
    yield value
    if value.lstrip()[:1] in {"{", "["}:
        with suppress(ValueError, RecursionError):
            yield from texts(json.loads(value))


def founded(facts: Sequence[Fact]) -> list[Fact]:
    """Facts that rest on more than a model's word, or on others that do."""
    kept = {fact.name: fact for fact in facts if fact.source not in {"model", "facts"}}
    for fact in facts:
        if fact.source == "facts" and (not fact.used or {*kept, "steps", "supplements"} & {*fact.used}):
            kept[fact.name] = fact
    return list(kept.values())


def _elsewhere(fact: Fact, request: GateRequest, screen: Screens) -> str:
    """That a value was read off the record of another id than the goal's, where the goal names one of its kind."""
    wanted = {found: found.rstrip(digits) for found in values_in("id", request.goal) if "-" in found}
    state = screen(fact.state_id) if fact.state_id and fact.source == "screen" and fact.kind != "table" and wanted else None
    if state is None or fact.value in wanted or not _is_used(fact, request.steps):
        return ""
    at = state.by_id.get(fact.element_id or "")
    row = next((e for e in (at, *state.above(at)) if e.role in _RECORDS), None) if at is not None else None
    near = [e for e in state.elements if row is None or row.element_id in {e.element_id, e.parent}]
    around = "\n".join(f"{e.name}\n{e.value or ''}" for e in near)
    there = {found for found in values_in("id", around) if found.rstrip(digits) in wanted.values()}
    if not there or there & set(wanted):
        return ""
    return f'"{fact.value}" ({fact.name}) was read where {min(there)} stands, and the goal names {min(wanted)}'


def _is_used(fact: Fact, steps: Sequence[StepRecord]) -> bool:
    value = fold(fact.value)
    figures = {_canonical(chunk) for chunk in _CHUNK.findall(fact.value)}
    return any((value and value in fold(text)) or (figures and figures <= {*_chunks(text)}) for _, text in _written(steps))


def _echoed(fact: Fact, goal: str) -> str:
    """That an answer rests on nothing and only says an order of the goal's again; a quoted text is wanted so."""
    said, told = _spoken(fact.value), _spoken(goal)
    if fact.name != "answer" or fact.source != "model" or said.count(" ") < _LEAST_ECHO or said not in told:
        return ""
    if "?" in goal or says_any(goal, phrases("asks")) or any(said == _spoken(quoted) for quoted in quotes(goal)):
        return ""
    return f'the answer "{fact.value}" only repeats what the goal says'


def _chunks(text: str) -> Iterator[str]:
    for chunk in _CHUNK.findall(text):
        yield from (_canonical(part) for part in (chunk, *values_in("figures", chunk)))


def _canonical(chunk: str) -> str:
    """A figure as a number, whatever its thousands look like; anything else in small letters."""
    plain = plain_number(chunk)
    return str(Decimal(plain).normalize()) if plain.replace(".", "", 1).isdecimal() else chunk.casefold()


def _spoken(text: str) -> str:
    return " ".join(words(text.casefold()))


def _heavy(text: str) -> list[str]:
    """Words that are long enough to tell something."""
    return [word for word in words(fold(text).replace("-", " ")) if len(word) >= _STEM and word[:_STEM].isalpha()]


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _heavy(text)}
