"""The evidence of one gate, gathered by code before anybody judges: what was expected, what changed, what moved, what it took."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, NamedTuple

from protocol import ExecStatus, VisualState
from roles.contracts import (
    CheckedExpectation,
    EffectSeen,
    Expectation,
    Fact,
    FactKnown,
    GateEvidence,
    GateRequest,
    StepRecord,
    Subtask,
    TextShown,
)
from roles.contracts.orders import CollectStep, ReadStep
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.contracts.values import number_of, parse_date, parse_time, table_of
from roles.safety.destinations import looks, texts
from roles.safety.privacy.vault import references_in
from roles.screen.calls import changes_something, is_call, looks_only
from roles.screen.evidence import check, done_of, views
from roles.screen.values import find_dates, is_masked, same_value

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOUR = rf"(?:\d{{1,2}}|{'|'.join(_WORDS)})"
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?", re.I)
_SPOKEN = re.compile(
    rf"\b(?:(?P<part>half|quarter|{_HOUR}(?:\s+minutes)?)\s+(?P<side>past|to)\s+(?P<of>{_HOUR})"
    rf"|(?P<hour>{_HOUR})(?=\s+(?:o['’]clock|in\s+the|at\s+night))|(?:at|from|until|till|to|by)\s+(?P<bare>{_HOUR}))"
    r"\b(?![:./-]?\d|\s?[ap]\.?m\b)(?:\s+o['’]clock)?(?:\s+(?:in\s+the\s+|at\s+)?(?P<when>morning|afternoon|evening|night))?",
    re.I,
)
_LONG = re.compile(
    rf"\b(?P<count>\d+(?:\.\d+)?|{'|'.join(_WORDS)}|half\s+an?|an?)[\s-]+(?P<unit>hours?|minutes?|mins?)\b(?P<more>\s+and\s+a\s+half)?",
    re.I,
)
_RELATIVE = re.compile(
    r"\b(?:to(?:day|night|morrow)|next\s+(?:day|week|month|year)|this\s+(?:week|month)|in\s+\w+\s+(?:days|weeks)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend)\b",
    re.I,
)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})")
_HALF_DAY = 720


class Moments(NamedTuple):
    """What a text says of days (with no year: of any year), minutes of the day, and lengths in minutes."""

    days: frozenset[tuple[int, int, int]]
    minutes: frozenset[int]
    lengths: frozenset[int]
    relative: bool
    """It speaks of a day, and only of one that a calendar tells."""

    def have_day(self, day: date) -> bool:
        return self.relative or bool({(day.year, day.month, day.day), (0, day.month, day.day)} & self.days)

    def have_minute(self, minute: int) -> bool:
        """Whether it was said, or follows from a time and a length that were."""
        return minute in self.minutes or any((minute - one) % 1440 in self.minutes for one in self.lengths)


def moments_in(text: str) -> Moments:
    text = _spaced(text)
    days = frozenset(day for found in find_dates(text) for day in _days(found))
    return Moments(
        days,
        frozenset([*(m for found in _CLOCK.findall(text) if (m := parse_time(found)) is not None), *_moments_spoken(text)]),
        frozenset(_length(found) for found in _LONG.finditer(text)),
        not days and _RELATIVE.search(text) is not None,
    )


def with_more(said: Moments, text: str) -> Moments:
    """What was said, and the days and times that stand elsewhere: how long, and which day is next, only who speaks can say."""
    other = moments_in(text)
    return said._replace(days=said.days | other.days, minutes=said.minutes | other.minutes)


def without(text: str, known: Moments) -> str:
    """A text without the days and times in it that are known."""
    text = _spaced(text)
    for found in find_dates(text):
        day = parse_date(found)
        text = text.replace(found, " ", 1) if day is not None and known.have_day(day) else text
    for found in _CLOCK.findall(text):
        minute = parse_time(found)
        text = text.replace(found, " ", 1) if minute is not None and known.have_minute(minute) else text
    return text


def _spaced(text: str) -> str:
    text = re.sub(r"(?<=\d)T(?=\d)", " ", text)
    return re.sub(r"(?<=\d)((?:st|nd|rd|th)?)\s+of\s+(?=[A-Za-z]{3})", r"\1 ", text)


def _days(found: str) -> list[tuple[int, int, int]]:
    found = found.rstrip(".")  # of the sentence
    day, plain = parse_date(found), parse_date(f"{found} 2000")
    if day is None:
        return [(0, plain.month, plain.day)] if plain is not None else []
    other = parse_date(_SLASHED.sub(r"\2/\1/\3", found))
    return [(one.year, one.month, one.day) for one in (day, other) if one is not None]


def _moments_spoken(text: str) -> list[int]:
    """Of an hour without a half of the day both are meant."""
    found = [720] * bool(re.search(r"\b(?:noon|midday)\b", text, re.I)) + [0] * bool(re.search(r"\bmidnight\b", text, re.I))
    for match in _SPOKEN.finditer(text):
        hour = _count(match["of"] or match["hour"] or match["bare"])
        part = {"half": 30, "quarter": 15}.get(str(match["part"]).casefold()) or _count(str(match["part"] or "0").split()[0])
        minute = int(hour * 60 + (-part if (match["side"] or "").casefold() == "to" else part))
        when = (match["when"] or "").casefold()
        if hour < 24 and when in {"", "morning"}:
            found.append(minute % 1440)
        if hour <= 12 and when != "morning":
            found.append((minute % _HALF_DAY) + _HALF_DAY)
    return found


def _length(found: re.Match[str]) -> int:
    head = found["count"].casefold()
    count = 0.5 if head.startswith("half") else 1.0 if head in {"a", "an"} else _count(head)
    count += 0.5 if found["more"] else 0
    return round(count * (60 if found["unit"].casefold().startswith("hour") else 1))


def _count(word: str) -> float:
    folded = word.casefold()
    return float(_WORDS.index(folded)) if folded in _WORDS else float(folded)


ScreenById = Callable[[str], VisualState | None]

_INNER = frozenset({"memorize", "answer", "ask_user", "finish_goal", "fail_goal", "run_script"})
_WRITES = {"fill": "text", "type": "text", "ask_in_app_agent": "request"}
_SEARCH = re.compile(
    r"^(?:search|find|filter|look|query|address|url|go to|quick|command|terminal|prompt|name box|formula)\b", re.I
)
_CHUNK = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[A-Za-z]{1,8}-\d[\w-]*|\d[\d.,:/'-]*\d|\d")
_MOMENT = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}/\d{1,2}(?:/\d{2,4})?"
)
_TIME = re.compile(r"(\d{1,2})[:.](\d{2})")
_WORD = re.compile(r"[^\W\d_]{4,}")
_ID = re.compile(r"\b([A-Z]{2,})-\d+\b")
_SHORT = 6
"""Words of a value that is no prose: of more, only figures, addresses and ids are held to where they come from."""
_STEM = 4
_PERSON = "user"
"""The role of a step that a person did by hand."""
_ASKING = re.compile(r"[?]|\b(?:whether|if|which|who|or)\b")
"""What lets an answer say words of the goal again."""
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|'[^']+'|‘[^’]+’")
_LEAST_ECHO = 3
_ROWS = 4
"""Levels from a cell to its row."""
_RECORDS = frozenset({"row", "listitem", "treeitem", "article"})


_SUMMED, _ADDENDS = 10, 6
"""Facts of which sums are looked for, and the most of them in one sum."""


class WrittenValue(NamedTuple):
    """A value that went out, and the step that wrote it."""

    step: StepRecord
    text: str


def unfounded(request: GateRequest, screen: ScreenById) -> tuple[str, ...]:
    """Values that come from nowhere, or from another record than the goal names, in words."""
    known = _KnownTexts(request)
    found: list[str] = []
    for written in _written(request.steps):
        where = f'"{written.step.target or written.step.app}" (step {written.step.step})'
        if (lost := known.lost(written, screen)) is not None:
            at = known.stands(lost, written.step, screen)
            own = next((f'"{f.name}"' for f in request.facts if same_value(f.value, lost)), "")
            who = f"but the worker's own fact {own} nothing says it" if own else "no goal, fact, person or page says it"
            of = _sum_of(lost, request.facts)
            told = f"; it stood on {at}" * bool(at) + f"; it is the sum of {of}" * bool(of)
            found.append(f'"{lost}" in {where}: {who}{told}')
        found += [f'"{mask}" in {where} occurs only where a value is hidden' for mask in known.masks(written)]
    found += [said for fact in request.facts if (said := _elsewhere(fact, request, screen) or _echoed(fact, request.goal))]
    return tuple(dict.fromkeys(found))


def _sum_of(value: str, facts: Sequence[Fact]) -> str:
    """Which numbers of the blackboard a value is the sum of: a column of a list, or some of the facts; empty where of none."""
    total = number_of(value)
    alone = {fact.name: number.amount for fact in facts if (number := number_of(fact.value)) is not None}
    columns: dict[str, list[Decimal]] = {}
    for fact in facts:
        for column, text in _cells(fact.value):
            if (number := number_of(text)) is not None:
                columns.setdefault(f"{column} in {fact.name}", []).append(number.amount)
    sums = {f"the {len(numbers)} values of {name}": sum(numbers) for name, numbers in columns.items() if len(numbers) > 1}
    of_facts = (names for count in range(2, _ADDENDS + 1) for names in combinations([*alone][-_SUMMED:], count))
    sums |= {", ".join(names): sum(alone[name] for name in names) for names in of_facts}
    return next((name for name, amount in sums.items() if total is not None and amount == total.amount), "")


def _cells(text: str) -> Iterator[tuple[str, str]]:
    """Each cell of a table or of the records that a function answered, behind the name of its column."""
    if (table := table_of(text)) is not None:
        yield from ((column, cell) for row in table.rows for column, cell in zip(table.columns, row, strict=True))
        return
    body: Any = None
    with suppress(ValueError, RecursionError):
        body = json.loads(text) if text.startswith(("{", "[")) else None
    lists = body.values() if isinstance(body, dict) else [body]
    records = (record for one in lists if isinstance(one, list) for record in one if isinstance(record, dict))
    yield from ((key, str(said)) for record in records for key, said in record.items())


def _written(steps: Sequence[StepRecord]) -> Iterator[WrittenValue]:
    done = [s for s in steps if s.exec_status is ExecStatus.EXECUTED and s.verb not in _INNER]
    for at, step in enumerate(done):
        if step.role == _PERSON or step.recovery or _SEARCH.match(step.target) or _taken_back(step, done[at + 1 :]):
            continue
        for text in _texts(step.action):
            if text.strip() and not references_in(text):
                yield WrittenValue(step, text)


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
        if other.action.get("action_type") in {"click", "press_key"} and other.verb != "click":
            return False
    return False


_LOOKED_BACK = 4
"""Steps before a value was written whose screens may tell how long something was."""


class _KnownTexts:
    """All that was said, by the goal and since."""

    def __init__(self, request: GateRequest) -> None:
        said = [request.goal, *request.given, *request.earlier_goals, *request.user_words]
        said += [note.words for note in request.notes]
        said += [text for found in request.supplements for text in (found.title, found.text)]
        said += [subtask.instruction for subtask in request.plan if subtask.pinned or request.plan_by_user]
        said += [origin.text for subtask in request.plan for origin in subtask.origin]
        said += [text for step in request.steps if step.role == _PERSON for text in _texts(step.action)]
        self._steps = request.steps
        self._facts = [fact.value for fact in founded(request.facts)]
        self._said = _flat("\n".join(said))
        self._moments = bool(_MOMENT.search(request.goal) or moments_in(request.goal).days)
        self._told = with_more(moments_in("\n".join(said)), "\n".join(self._facts))
        everything = "\n".join([*said, *self._facts])
        self._chunks = set(_chunks(everything)) | {
            str(n) for n, word in enumerate(_WORDS) if re.search(rf"\b{word}\b", everything, re.I)
        }
        self._stems = _stems(everything) | _stems(" ".join(fact.name for fact in request.facts))

    def masks(self, written: WrittenValue) -> list[str]:
        """Its parts that a page shows in place of a value, if nobody asked for those very words."""
        parts = [part.strip() for line in written.text.splitlines() for part in {line, line.rpartition(":")[2]}]
        return [part for part in parts if is_masked(part, written.step.target) and _flat(part) not in self._said][:1]

    def lost(self, written: WrittenValue, screen: ScreenById) -> str | None:
        """The part of a value that nothing says; None where all of it was said."""
        text = _flat(written.text)
        if text in self._said or any(text == _flat(value) for value in self._facts):
            return None
        before = screen(written.step.before) if written.step.before else None
        target = str((written.step.action.get("target") or {}).get("element_id", ""))
        named = (e for e in (before.elements if before is not None else ()) if written.step.target in {e.element_id, e.name})
        control = before.by_id.get(target) if before is not None and target else next(named, None)
        bounds = [f"{limit:g}" for limit in control.limits or ()] + list(control.options) if control is not None else []
        shown = "\n".join([*(f"{e.name}\n{e.value or ''}" for e in before.elements), *bounds]) if before is not None else ""
        if text in _flat(shown):
            return None
        there = self._chunks | set(_chunks(shown))
        left = without(written.text, with_more(self._told, shown))
        for chunk in _CHUNK.findall(left):
            moved = _MOMENT.fullmatch(chunk) and (not self._moments or _as_long(chunk, there | self._before(written, screen)))
            if _canonical(chunk) not in there and not moved:
                return str(chunk)
        words = _WORD.findall(_flat(left))
        stems = self._stems | _stems(shown)
        strange = [word for word in words if word[:_STEM] not in stems]
        few = len(written.text.split()) <= _SHORT and not re.search(r"https?:|[/=\\]", written.text)
        return written.text if few and strange and 2 * len(strange) >= len(words) else None

    def stands(self, lost: str, step: StepRecord, screen: ScreenById) -> str:
        """The last screen before a step on which a value stood that nobody noted."""
        names = dict.fromkeys(s.before for s in reversed(self._steps) if s.step <= step.step and s.before)
        for state in (state for name in names if (state := screen(name)) is not None):
            if any(_flat(lost) in _flat(f"{e.name} {e.value or ''}") for e in state.elements if not e.private):
                return f"state:{state.state_id} of {state.app}"
        return ""

    def _before(self, written: WrittenValue, screen: ScreenById) -> set[str]:
        """What stood on the screens before this one in the same application: the times that a form no longer shows."""
        steps = [s for s in self._steps if s.app == written.step.app and s.step < written.step.step and s.before][-_LOOKED_BACK:]
        return {
            chunk for s in steps if (state := screen(s.before)) for e in state.elements for chunk in _chunks(e.value or e.name)
        }


def _as_long(time: str, known: Iterable[str]) -> bool:
    """Whether it is as far from one known time of day as two others are from each other: what is moved stays as long."""
    minutes = {int(found[1]) * 60 + int(found[2]) for one in known if (found := _TIME.fullmatch(one))}
    found = _TIME.fullmatch(time)
    at = int(found[1]) * 60 + int(found[2]) if found else -1
    return found is not None and any(at - one == b - a for one in minutes for a in minutes for b in minutes if a != b)


def founded(facts: Sequence[Fact]) -> list[Fact]:
    """Facts that rest on more than a model's word, or on others that do."""
    kept = {fact.name: fact for fact in facts if fact.source not in {"model", "facts"}}
    for fact in facts:
        if fact.source == "facts" and (
            not fact.used or any(name in kept for name in fact.used) or {"steps", "supplements"} & {*fact.used}
        ):
            kept[fact.name] = fact
    return list(kept.values())


def _elsewhere(fact: Fact, request: GateRequest, screen: ScreenById) -> str:
    """That a value was read off the record of another id than the goal's, where the goal names one of its kind."""
    wanted = {found.group(): found[1] for found in _ID.finditer(request.goal)}
    state = screen(fact.state_id) if fact.state_id and fact.source == "screen" and fact.kind != "table" and wanted else None
    if state is None or (_ID.search(fact.value) and fact.value in wanted) or not _is_used(fact, request.steps):
        return ""
    around = _record(fact.element_id or "", state) or "\n".join(f"{e.name}\n{e.value or ''}" for e in state.elements)
    there = {found.group() for found in _ID.finditer(around) if found[1] in wanted.values()}
    if not there or there & set(wanted):
        return ""
    return f'"{fact.value}" ({fact.name}) was read where {min(there)} stands, and the goal names {min(wanted)}'


def _echoed(fact: Fact, goal: str) -> str:
    """That an answer rests on nothing and only says an order of the goal's again; a quoted text is wanted so."""
    said, told = _spoken(fact.value), _spoken(goal)
    if fact.name != "answer" or fact.source != "model" or said.count(" ") < _LEAST_ECHO or said not in told:
        return ""
    if _ASKING.search(_flat(goal)) or any(said == _spoken(quoted) for quoted in _QUOTED.findall(goal)):
        return ""
    return f'the answer "{fact.value}" only repeats what the goal says'


def _record(element_id: str, state: VisualState) -> str:
    """The words of the row that an element stands in."""
    at = state.by_id.get(element_id)
    for _ in range(_ROWS):
        if at is None or at.role in _RECORDS:
            break
        at = state.by_id.get(at.parent or "")
    if at is None or at.role not in _RECORDS:
        return ""
    inner = [e for e in state.elements if e.parent == at.element_id]
    return "\n".join(f"{e.name}\n{e.value or ''}" for e in (at, *inner))


def _is_used(fact: Fact, steps: Sequence[StepRecord]) -> bool:
    value = _flat(fact.value)
    figures = {_canonical(chunk) for chunk in _CHUNK.findall(fact.value)}
    written = [one.text for one in _written(steps)]
    return any((value and value in _flat(text)) or (figures and figures <= set(_chunks(text))) for text in written)


def _flat(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _chunks(text: str) -> Iterator[str]:
    for chunk in _CHUNK.findall(text):
        yield _canonical(chunk)
        yield from (_canonical(part) for part in re.findall(r"\d[\d.,']*\d|\d", chunk))


def _canonical(chunk: str) -> str:
    """A figure as a number, whatever its thousands look like; anything else in small letters."""
    plain = chunk.replace(",", "").replace("'", "")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})*,\d{2}", chunk):
        plain = chunk.replace(".", "").replace(",", ".")
    try:
        return str(Decimal(plain).normalize()) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else chunk.casefold()
    except InvalidOperation:
        return chunk.casefold()


def _spoken(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(_flat(text))}


LATELY = 4
"""Steps that count as the last ones."""
_AT_FIRST = 8
"""Screens of the way to the first change."""


def gather(request: GateRequest, screen: ScreenById | None = None) -> GateEvidence:
    """Each expectation before and after, the visible difference, progress and efficiency; at the end where values come from.

    `screen` finds an older screen by its id; without it only those that the request holds are known.
    """
    known = {state.state_id: state for state in views(request)}
    steps = [s for s in request.steps if not s.recovery]
    subtasks = [request.subtask] if request.subtask else [s for s in request.plan if s.status is not SubtaskStatus.REJECTED]
    before = _before(request)
    whole = request
    if request.subtask and request.subtask.expect:  # every screen of the subtask is read for them, and for nothing else
        ids = dict.fromkeys(i for s in reversed(steps) for i in (s.after, s.before) if i)
        there = {state.state_id for state in request.earlier}
        seen = [state for i in ids if i not in there and (state := known.get(i) or (screen(i) if screen else None)) is not None]
        whole = request.model_copy(update={"earlier": (*request.earlier, *seen)})

    def at_first(subtask: Subtask) -> tuple[VisualState, ...]:
        """What was seen before the first step of a subtask that changed something: nothing on it came of the work."""
        mine = [s for s in request.steps if s.subtask == subtask.id]
        until = next((n for n, step in enumerate(mine) if changes_something(step)), len(mine))
        names = dict.fromkeys([*(s.before for s in mine[: until + 1]), *(s.after for s in mine[:until])])
        states = (known.get(name) or (screen(name) if screen else None) for name in [*names][:_AT_FIRST] if name)
        return tuple(state for state in states if state is not None)

    return GateEvidence(
        checked=tuple(_checked(subtask, e, whole, at_first) for subtask in subtasks for e in subtask.expect),
        before=f"state:{before.state_id}" if before else "",
        after=f"state:{request.screens[-1].state_id}" if request.screens else "",
        progress=progress(request),
        steps=len(request.steps),
        failed=sum(s.exec_status is not ExecStatus.EXECUTED for s in steps),
        idle=sum(
            s.exec_status is ExecStatus.EXECUTED and not (s.visible_change or works_unseen(s) or s.verb in _INNER) for s in steps
        ),
        repeated=_repeated(steps),
        recoveries=len(request.steps) - len(steps),
        unfounded=unfounded(request, screen or known.get) if request.trigger is GateTrigger.FINAL_CHECK else (),
    )


def _repeated(steps: Iterable[StepRecord]) -> int:
    """How many did again what an earlier one had done: by a call that changes something, on the same screen, or to no effect."""
    count, made = 0, set[tuple[str, str]]()
    for s in steps:
        action = str(s.action)
        again = (action, "") in made and (works_unseen(s) or not s.visible_change)
        count += (again or (action, s.before) in made) and not looks_only(s)
        made |= {(action, ""), (action, s.before)}
    return count


def progress(request: GateRequest) -> tuple[str, ...]:
    """Steps of late that did something new: to a screen that was not there before, or by a call or script made once."""
    known = {s.after for s in request.steps[:-LATELY]} | {s.before for s in request.steps[:1]}
    made = [str(s.action) for s in request.steps]
    if request.subtask is not None and any(step.skill in {"collect", "find"} for step in request.subtask.steps):
        known = set()  # a list is gone through from its first page, whichever was seen before
    fresh = {s.step for s in request.steps if works_unseen(s) and made.count(str(s.action)) == 1}
    return tuple(
        f"step:{s.step}"
        for s in request.steps[-LATELY:]
        if (s.visible_change and s.after not in known) or (s.step in fresh and s.exec_status is ExecStatus.EXECUTED)
    )


def _after_effects(subtask: Subtask, wanted: TextShown, request: GateRequest) -> GateRequest:
    """What was seen from the last effect on that the text is expected after."""
    before = [e for e in subtask.expect[: subtask.expect.index(wanted)] if isinstance(e, EffectSeen)]
    last = max((step.step for effect in before for step in done_of(effect, request)[-1:]), default=0)
    return request.model_copy(update={"steps": tuple(s for s in request.steps if s.step >= last)})


def works_unseen(step: StepRecord) -> bool:
    """Whether it does its work without a screen: a call, a script."""
    return is_call(step) or step.action.get("action_type") == "run_script"


def own(subtask: Subtask, request: GateRequest) -> GateRequest:
    """The request with the steps of this subtask alone, and what was seen by them: another's work is no evidence for it."""
    steps = tuple(s for s in request.steps if s.subtask == subtask.id)
    seen = {i for s in steps for i in (s.before, s.after)}
    return request.model_copy(update={"steps": steps, "earlier": tuple(s for s in request.earlier if s.state_id in seen)})


def _before(request: GateRequest) -> VisualState | None:
    """The screen on which the work began, while it is known."""
    first: StepRecord | None = request.steps[0] if request.steps else None
    return next((state for state in views(request) if first is not None and state.state_id == first.before), None)


def _checked(
    subtask: Subtask, expectation: Expectation, request: GateRequest, at_first: Callable[[Subtask], tuple[VisualState, ...]]
) -> CheckedExpectation:
    if request.subtask is None and isinstance(expectation, EffectSeen | TextShown):
        request = own(subtask, request)
    if isinstance(expectation, TextShown):
        request = _after_effects(subtask, expectation, request)
    found = check(expectation, _learned_anew(subtask, request) if isinstance(expectation, FactKnown) else request)
    others = tuple(fact for fact in request.facts if fact.subtask != subtask.id)
    then = request.model_copy(update={"screens": at_first(subtask), "earlier": (), "steps": (), "facts": others})
    return CheckedExpectation(
        subtask=subtask.id,
        expectation=expectation,
        held_before=check(expectation, then).holds,
        holds=found.holds,
        evidence=found.evidence,
        missing=found.missing,
    )


def _learned_anew(subtask: Subtask, request: GateRequest) -> GateRequest:
    """Without what an attempt that was given up left of the facts that this subtask's own steps are to learn."""
    read = [name for step in subtask.steps if isinstance(step, ReadStep) for name in step.names]
    mine = {*read, *(step.name for step in subtask.steps if isinstance(step, CollectStep))}
    failed = {s.id for s in request.plan if s.status is SubtaskStatus.REJECTED and s.id != subtask.id}
    return request.model_copy(update={"facts": tuple(f for f in request.facts if f.name not in mine or f.subtask not in failed)})
