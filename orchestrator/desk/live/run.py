"""A run that somebody looks at: read on while they do, told from any number on, and looked into."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.control.channel import given_to
from orchestrator.control.status import RunStatus
from orchestrator.desk.live.journal import RunFiles, RunJournal, Sign
from orchestrator.desk.live.store import Stores
from orchestrator.runs.used_budgets import BudgetCount
from orchestrator.store.printable import UNREADABLE
from orchestrator.views.page.data import Detail, Item, items_of, plain, words
from orchestrator.views.page.items import RunLines
from orchestrator.views.page.run_data import Tracks, head_of
from orchestrator.views.page.screens import FIELDS, FLAGS, Pool, marked
from orchestrator.views.page.source import Source
from roles.contracts.requests import Request, request_in
from roles.journal.events import ApprovalEvent, ApprovalExpiredEvent, ApprovalRequestedEvent
from roles.journal.journal import Event

AFTER_THE_LAST = 0.5
"""What is known of the end comes after the last event, and before the one that goes on with the run, if it ever does."""
NOTES = 20
"""Notes on what cannot be read, at most: a journal may be wrong from end to end."""


class Page(NamedTuple):
    """What changed behind a number: the items from `start` on take the place of those that were there."""

    start: int
    items: list[Item]
    cursor: float
    more: bool


class OpenRequest(NamedTuple):
    """Something that a person is asked, and that is not answered."""

    event: Event
    place: int
    """Of its item."""
    request: Request


class RunEvents:
    """Of one run. One thread at a time."""

    def __init__(self, journal: RunJournal) -> None:
        self._journal = journal
        self.notes: list[str] = []
        self.read = 0
        """The last event that is taken in."""
        self.ended = False
        self.counting = BudgetCount()
        self.asked: dict[str, OpenRequest] = {}
        """By key, the latest last."""
        self.answered: dict[str, Any] | None = None
        self.started: Event | None = None
        self.last: Event | None = None
        self.lines: RunLines | None = None
        self.tracks: Tracks | None = None
        self._changes: list[tuple[float, int]] = []
        """By which event which item changed, in order."""
        self._added: list[float] = []
        """By which event each item came."""
        self._sought: set[int] = set()
        """Items of which it was looked where their target is."""

    # --- hearing ----------------------------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        if self.lines is None or self.tracks is None:
            self.lines = RunLines(self._journal.results, event.at)
            self.tracks = Tracks(self.lines)
            self.started = event
        try:
            self.tracks.hear(event)
            self.counting.hear(event)
        except UNREADABLE as bad:
            self.note(f"event {event.id} says what deskcrew never writes ({type(bad).__name__})")
        self.lines.hear(event)
        self._touched(self.lines, event.id)
        self._wait(event, len(self.lines.items) - 1)
        self.last = event

    def end(self, now: RunStatus, report: dict[str, Any]) -> None:
        """The run is over, and this is how."""
        if self.lines is None or self.last is None:
            return
        checks = items_of((report.get("judge") or {}).get("checks"))
        self.lines.end(now.state, now.reason, round(self.last.at - self.began, 3), checks)
        self._touched(self.lines, self.last.id + AFTER_THE_LAST)
        self.ended = True

    def note(self, said: str) -> None:
        if len(self.notes) < NOTES:
            self.notes.append(said)

    def _touched(self, lines: RunLines, number: float) -> None:
        for place in sorted(lines.touched):
            self._changes.append((number, place))
            if place == len(self._added):
                self._added.append(number)
        lines.touched.clear()

    def _wait(self, event: Event, place: int) -> None:
        key = words(event.body, "key")
        if event.kind == ApprovalRequestedEvent.KIND:
            self.asked.pop(key, None)
            if (request := request_in(event.body)) is not None:
                self.asked[key] = OpenRequest(event, place, request)
        elif event.kind in {ApprovalEvent.KIND, ApprovalExpiredEvent.KIND}:
            self.asked.pop(key, None)
            self.answered = plain(event.body)

    # --- telling ----------------------------------------------------------------------------------------------------

    @property
    def began(self) -> float:
        return self.started.at if self.started is not None else 0.0

    @property
    def seconds(self) -> float:
        return round(self.last.at - self.began, 3) if self.last is not None else 0.0

    @property
    def question(self) -> OpenRequest | None:
        """The latest that is open."""
        return next(reversed(self.asked.values()), None)

    @property
    def cursor(self) -> float:
        return self.read + (AFTER_THE_LAST if self.ended else 0)

    @property
    def count(self) -> int:
        return len(self._added)

    def after(self, cursor: float, most: int) -> Page:
        """What changed behind the event of this number."""
        begin = bisect_right(self._changes, (cursor, len(self._added)))
        end = min(begin + most, len(self._changes))
        if begin == end:
            return Page(len(self._added), [], max(cursor, self.cursor), False)
        reached = self._changes[end - 1][0]
        end = bisect_right(self._changes, (reached, len(self._added)))  # what one event did is not torn apart
        start = min(place for _, place in self._changes[begin:end])
        items = [self.item(place) for place in range(start, bisect_right(self._added, reached))]
        more = end < len(self._changes)
        return Page(start, items, reached if more else self.cursor, more)

    def item(self, place: int) -> Item:
        """An item, with the place of its target, which is looked for when somebody wants it first."""
        lines = self.lines
        assert lines is not None  # noqa: S101 - there are items
        item = lines.items[place]
        if item.box is None and item.before and any(lines.targets[place]) and place not in self._sought:
            self._sought.add(place)
            item = marked(item, lines.targets[place], items_of(self._journal.screen(item.before).get("elements")))
            lines.items[place] = item
        return item


class RunSnapshot(NamedTuple):
    """A run as it is known now."""

    folder: Path
    files: RunFiles
    journal: RunJournal
    heard: RunEvents
    said: dict[str, Any] | None
    """What was answered to what is asked, before the run has heard it."""


def said_to(folder: Path, heard: RunEvents) -> dict[str, Any] | None:
    """What somebody answered to the question that is open; None where nobody did."""
    question = heard.question
    given = given_to(folder, question.request.asking) if question is not None else None
    if question is None or given is None:
        return None
    decision = (items_of(given.answer.get("decisions")) or [{}])[0]
    about = {"key": question.request.key, "digest": question.request.digest}
    told = {name: words(decision, name) for name in ("message",)}
    return {**about, **told, "decision": words(decision, "type"), "who": given.who, "at": given.at, "heard": False}


def _head(run: RunSnapshot) -> Mapping[str, Any]:
    files, journal, heard = run.files, run.journal, run.heard
    now = files.standing
    source = Source(
        run.folder.name, journal.seal(files.record), journal.seal(files.report), now.state, journal.seal(now.reason),
        [] if heard.started is None else [heard.started], {}, [*files.notes, *journal.notes, *heard.notes], journal.open,
        run.folder, {},
    )  # fmt: skip
    return head_of(source, heard.lines.items if heard.lines is not None else [], heard.began, heard.seconds)


def _standing(run: RunSnapshot) -> dict[str, Any]:
    now = run.files.standing
    return {"state": now.state, "reason": run.journal.seal(now.reason), "ended": now.ended, "who_works": run.files.who_works}


def _budgets(run: RunSnapshot) -> Any:
    if run.files.standing.ended:
        return plain(run.files.report.get("budgets") or {})
    try:
        return {one.key: plain(one.as_json()) for one in run.heard.counting.budgets(run.files.record.get("settings") or {})}
    except UNREADABLE:
        return {}


def _pending(run: RunSnapshot) -> dict[str, Any] | None:
    """What a person is asked now, with where it would be done; None where nothing is."""
    question = run.heard.question
    if question is None or run.files.standing.ended:
        return None
    item = run.heard.item(question.place) if question.place < run.heard.count else None
    event = question.event
    about = {"at": event.at, "event": event.id, "role": event.role, "subtask": event.subtask, "step": event.step}
    body: dict[str, Any] = plain(event.body)
    more = {"id": question.request.asking, "asked": about, "options": list(question.request.allowed)}
    return {**body, **more, "target_box": item.box if item is not None else None}


def _answered(run: RunSnapshot) -> dict[str, Any] | None:
    """The answer that the run has not heard yet, or the last one that it heard."""
    if run.said is not None:
        return dict(run.journal.seal(run.said))
    return None if run.heard.answered is None else {**run.heard.answered, "heard": True}


def _track(name: str) -> Callable[[RunSnapshot], Any]:
    return lambda run: list(getattr(run.heard.tracks, name)) if run.heard.tracks is not None else []


def _machine(run: RunSnapshot) -> Any:
    made = (run.heard.tracks or Tracks(RunLines({}, 0.0))).machine
    return {"situations": made["situations"], "rows": list(made["rows"]), "walk": list(made["walk"])}


PARTS: Mapping[str, Callable[[RunSnapshot], Any]] = {
    "head": _head,
    "standing": _standing,
    "budgets": _budgets,
    "pending": _pending,
    "answered": _answered,
    "fields": lambda run: list(Item._fields),
    "drawn": lambda run: {"element": list(FIELDS), "flags": list(FLAGS)},
    "plans": _track("plans"),
    "statuses": _track("statuses"),
    "facts": _track("facts"),
    "roles": lambda run: run.heard.tracks.used() if run.heard.tracks is not None else {},
    "machine": _machine,
}
"""By their names, which are those of the API."""


AT_ONCE = 500
"""Changes, or events, that are told together."""
PAUSE, RESTING = 0.05, 0.5
"""Seconds between two looks at a run that is at work, and at one that is over and is gone on with seldom."""


def shown_cursor(cursor: float) -> float:
    """Whole where it is: 12, not 12.0."""
    return int(cursor) if cursor == int(cursor) else cursor


def items_json(page: Page) -> dict[str, Any]:
    return {"from": page.start, "items": page.items, "cursor": shown_cursor(page.cursor), "more": page.more}


class Events(NamedTuple):
    """Events as they were written, and how far they were read."""

    events: list[Event]
    reached: int
    more: bool


class WatchedRun:
    """One run. Every method may be called from any thread."""

    def __init__(self, folder: Path, stores: Stores | None = None) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.files = RunFiles(folder)
        self.version = 0
        """Another one whenever anything is not as it was."""
        self._journal = RunJournal(folder, stores or Stores())
        self._said: dict[str, Any] | None = None
        self._asked: tuple[Any, tuple[Sign, ...]] = (None, ())
        """To what, and when, it was looked whether somebody has answered."""
        self._notes: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._journal.again()
        self._heard = RunEvents(self._journal)
        self._parts: dict[str, tuple[int, Any]] = {}

    # --- reading on -------------------------------------------------------------------------------------------------

    def look(self) -> None:
        if self.lock.acquire(blocking=False):
            try:
                self.advance()
            finally:
                self.lock.release()

    def advance(self) -> None:
        """Take in what was written since. Cheap where nothing was."""
        with self.lock:
            if self.files.changed():
                self.version += 1
            if self._journal.more_private():
                self._begin()
                self.version += 1
            self._take_in()
            if self.files.standing.ended and not self._heard.ended and self._heard.last is not None and self._journal.caught_up:
                self._heard.end(self.files.standing, self.files.report)
                self.version += 1
            self._look_for_answers()
            if self._journal.notes != self._notes:
                self._notes = list(self._journal.notes)
                self.version += 1

    def _take_in(self) -> None:
        while True:
            events, number, wrong = self._journal.after(self._heard.read, AT_ONCE)
            for said in wrong:
                self._heard.note(said)
            if number == self._heard.read:
                return
            if self._heard.ended:  # it goes on after all: what was said of its end is taken back
                self._begin()
                continue
            self.version += 1
            self._heard.read = number
            for event in events:
                self._heard.hear(event)

    def _look_for_answers(self) -> None:
        question = self._heard.question
        asked = (question.event.id if question is not None else None, self.files.said_to_it)
        if asked == self._asked:
            return
        self._asked = asked
        said = said_to(self.folder, self._heard) if question is not None else None
        if said != self._said:
            self._said = said
            self.version += 1

    # --- what is asked for ------------------------------------------------------------------------------------------

    def over(self, cursor: float) -> bool:
        """Whether whoever has this cursor knows all: the run is over, its end was taken in, and came before their cursor."""
        with self.lock:
            ended = self.files.standing.ended and (self._heard.ended or self._heard.last is None)
            return ended and cursor >= self._heard.cursor

    @property
    def cursor(self) -> float:
        with self.lock:
            return self._heard.cursor

    @property
    def count(self) -> int:
        with self.lock:
            return self._heard.count

    def after(self, cursor: float, most: int = AT_ONCE) -> Page:
        """What changed behind the event of this number."""
        with self.lock:
            return self._heard.after(cursor, most)

    def events(self, number: int, most: int) -> Events:
        """What was written behind the event of that number."""
        with self.lock:
            found, reached = self._journal.read(number, most)
            return Events(found, reached, reached < self._heard.read)

    def all_events(self) -> Iterator[Event]:
        """Everything that was taken in."""
        number = 0
        while (page := self.events(number, AT_ONCE)).events:
            yield from page.events
            number = page.reached

    def rest(self) -> float:
        return RESTING if self._heard.ended else PAUSE

    def details(self, start: int, count: int) -> list[Detail]:
        with self.lock:
            return [] if self._heard.lines is None else self._heard.lines.details[start : start + count]

    def whole(self) -> dict[str, Any]:
        """The run but for its items and screens, as parts of which each may be asked for alone."""
        with self.lock:
            return {name: self.part(name) for name in PARTS}

    def part(self, name: str) -> Any:
        with self.lock:
            version, value = self._parts.get(name, (-1, None))
            if version != self.version:
                value = PARTS[name](RunSnapshot(self.folder, self.files, self._journal, self._heard, self._said))
                self._parts[name] = (self.version, value)
            return value

    def screen(self, state_id: str) -> dict[str, Any] | None:
        """What can be drawn of a screen; None where it is not there."""
        with self.lock:
            found = self._journal.screen(state_id)
            picture = self._journal.picture(state_id) is not None
        if not found:
            return {"size": [1280, 800], "app": "", "elements": [], "picture": True} if picture else None
        pool = Pool([], [])
        pool.add(state_id, found)
        chunk = pool.rest()
        drawn = chunk.screens[state_id] if chunk is not None else {"elements": []}
        rows = [] if chunk is None else chunk.elements
        return {**drawn, "elements": [rows[number] for number in drawn["elements"]], "picture": picture}

    def picture(self, state_id: str) -> Path | None:
        with self.lock:
            return self._journal.picture(state_id)

    def close(self) -> None:
        with self.lock:
            self._journal.close()
