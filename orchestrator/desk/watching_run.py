"""A run as its journal tells of it so far: lines, details, plans, facts and what it waits for, grown event by event.

Every change is numbered by the event that made it, so that whoever has seen all up to one is told the rest, however long they
were away. Nothing is kept for anybody who looks on: they have their number, and this has the run.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.desk.watching_files import Journalled, RunFiles
from orchestrator.faces.words import UNREADABLE
from orchestrator.journal import Event
from orchestrator.used import Counting
from orchestrator.viewer.data import Detail, Item, items_of, plain, words
from orchestrator.viewer.gather import Tracks, head_of
from orchestrator.viewer.items import Lines
from orchestrator.viewer.screens import FIELDS, FLAGS, Pool, marked
from orchestrator.viewer.source import Source

AT_ONCE = 500
"""Changes, or events, that are told together."""
PAUSE, RESTING = 0.05, 0.5
"""Seconds between two looks at a run that is at work, and at one that is over and is gone on with seldom."""
AFTER_THE_LAST = 0.5
"""What is known of the end comes after the last event, and before the one that goes on with the run, if it ever does."""


class Page(NamedTuple):
    """What changed behind a number: the items from `start` on take the place of those that were there."""

    start: int
    items: list[Item]
    cursor: float
    more: bool


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


class Asked(NamedTuple):
    """A question to a person that is not answered."""

    event: Event
    place: int
    """Of its item."""


class Watched:
    """One run. Every method may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.files = RunFiles(folder)
        self.version = 0
        """Another one whenever anything is not as it was."""
        self._begin()

    def _begin(self) -> None:
        self._journal = Journalled(self.folder)
        self.notes: list[str] = []
        self._read = 0
        self._ended = False
        self._lines: Lines | None = None
        self._tracks: Tracks | None = None
        self._counting = Counting()
        self._asked: dict[str, Asked] = {}
        self._last: Event | None = None
        self._started: Event | None = None
        self._answered: dict[str, Any] | None = None
        self._changes: list[tuple[float, int]] = []
        """By which event which item changed, in order."""
        self._added: list[float] = []
        """By which event each item came."""
        self._sought: set[int] = set()
        """Items of which it was looked where their target is."""
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
            if self._journal.stale:
                self._journal.close()
                self._begin()
                self.version += 1
            self._take_in()
            if self.files.standing.ended and not self._ended and self._last is not None:
                self._end(self._last)

    def _take_in(self) -> None:
        while True:
            events, number, wrong = self._journal.after(self._read, AT_ONCE)
            self.notes += wrong[: max(0, 20 - len(self.notes))]
            if number == self._read:
                return
            if self._ended:  # it goes on after all: what was said of its end is taken back
                self._journal.close()
                self._begin()
                continue
            self.version += 1
            self._read = number
            for event in events:
                self._hear(event)

    def _hear(self, event: Event) -> None:
        if self._lines is None or self._tracks is None:
            self._lines = Lines(self._journal.results, event.at)
            self._tracks = Tracks(self._lines)
            self._started = event
        try:
            self._tracks.hear(event)
            self._counting.hear(event)
        except UNREADABLE as bad:
            self.notes.append(f"event {event.id} says what deskcrew never writes ({type(bad).__name__})")
        self._lines.hear(event)
        self._touched(self._lines, event.id)
        self._wait(event, len(self._lines.items) - 1)
        self._last = event

    def _touched(self, lines: Lines, number: float) -> None:
        for place in sorted(lines.touched):
            self._changes.append((number, place))
            if place == len(self._added):
                self._added.append(number)
        lines.touched.clear()

    def _wait(self, event: Event, place: int) -> None:
        key = words(event.body, "key")
        if event.kind == "approval_requested":
            self._asked.pop(key, None)
            self._asked[key] = Asked(event, place)
        elif event.kind in {"approval", "approval_expired"}:
            self._asked.pop(key, None)
            self._answered = plain(event.body)

    def _end(self, last: Event) -> None:
        lines, now = self._lines, self.files.standing
        assert lines is not None  # noqa: S101 - there was an event
        checks = items_of((self.files.report.get("judge") or {}).get("checks"))
        lines.end(now.state, now.reason, round(last.at - self._began, 3), checks)
        self._touched(lines, last.id + AFTER_THE_LAST)
        self._ended = True
        self.version += 1

    # --- what is asked for ------------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether all is told: the run is over, and its end was taken in."""
        with self.lock:
            return self._ended or (self.files.standing.ended and self._last is None)

    @property
    def cursor(self) -> float:
        with self.lock:
            return self._read + (AFTER_THE_LAST if self._ended else 0)

    def after(self, cursor: float, most: int = AT_ONCE) -> Page:
        """What changed behind the event of this number."""
        with self.lock:
            begin = bisect_right(self._changes, (cursor, len(self._added)))
            end = min(begin + most, len(self._changes))
            if begin == end:
                return Page(len(self._added), [], max(cursor, self.cursor), False)
            reached = self._changes[end - 1][0]
            end = bisect_right(self._changes, (reached, len(self._added)))  # what one event did is not torn apart
            start = min(place for _, place in self._changes[begin:end])
            items = [self._item(place) for place in range(start, bisect_right(self._added, reached))]
            more = end < len(self._changes)
            return Page(start, items, reached if more else self.cursor, more)

    def _item(self, place: int) -> Item:
        """An item, with the place of its target, which is looked for when somebody wants it first."""
        lines = self._lines
        assert lines is not None  # noqa: S101 - there are items
        item = lines.items[place]
        if item.box is None and item.before and any(lines.targets[place]) and place not in self._sought:
            self._sought.add(place)
            item = marked(item, lines.targets[place], items_of(self._journal.screen(item.before).get("elements")))
            lines.items[place] = item
        return item

    def events(self, number: int, most: int) -> Events:
        """What was written behind the event of that number."""
        with self.lock:
            found, reached = self._journal.read(number, most)
            return Events(found, reached, reached < self._read)

    def all_events(self) -> Iterator[Event]:
        """Everything that was taken in."""
        number = 0
        while (page := self.events(number, AT_ONCE)).events:
            yield from page.events
            number = page.reached

    def rest(self) -> float:
        return RESTING if self._ended else PAUSE

    def details(self, start: int, count: int) -> list[Detail]:
        with self.lock:
            return [] if self._lines is None else self._lines.details[start : start + count]

    @property
    def count(self) -> int:
        with self.lock:
            return len(self._added)

    def whole(self) -> dict[str, Any]:
        """The run but for its items and screens, as parts of which each may be asked for alone."""
        return {name: self.part(name) for name in PARTS}

    def part(self, name: str) -> Any:
        with self.lock:
            version, value = self._parts.get(name, (-1, None))
            if version != self.version:
                value = PARTS[name](self)
                self._parts[name] = (self.version, value)
            return value

    def screen(self, state_id: str) -> dict[str, Any] | None:
        """What can be drawn of a screen; None where it is not there."""
        with self.lock:
            found = self._journal.screen(state_id)
            picture = self.picture(state_id) is not None
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

    # --- the parts --------------------------------------------------------------------------------------------------

    @property
    def _began(self) -> float:
        return self._started.at if self._started is not None else 0.0

    def _head(self) -> Mapping[str, Any]:
        now, last = self.files.standing, self._last
        source = Source(
            self.folder.name, self._journal.seal(self.files.record), self._journal.seal(self.files.report), now.state,
            self._journal.seal(now.reason), [] if self._started is None else [self._started], {},
            [*self.files.notes, *self._journal.notes, *self.notes], self._journal.open, self.folder, {},
        )  # fmt: skip
        seconds = round(last.at - self._began, 3) if last is not None else 0.0
        return head_of(source, self._lines.items if self._lines is not None else [], self._began, seconds)

    def _standing(self) -> dict[str, Any]:
        now = self.files.standing
        who = self.files.who_works
        return {"state": now.state, "reason": self._journal.seal(now.reason), "ended": now.ended, "who_works": who}

    def _budgets(self) -> Any:
        if self.files.standing.ended:
            return plain(self.files.report.get("budgets") or {})
        try:
            return {one.key: plain(one.as_json()) for one in self._counting.budgets(self.files.record.get("settings") or {})}
        except UNREADABLE:
            return {}

    def _pending(self) -> dict[str, Any] | None:
        """What a person is asked now, with where it would be done; None where nothing is."""
        if not self._asked or self.files.standing.ended:
            return None
        asked = next(reversed(self._asked.values()))
        item = self._item(asked.place) if asked.place < self.count else None
        event = asked.event
        about = {"at": event.at, "event": event.id, "role": event.role, "subtask": event.subtask, "step": event.step}
        allowed = (items_of(event.body.get("review_configs")) or [{}])[0]
        options = items_of(allowed.get("allowed_decisions")) if isinstance(allowed, dict) else []
        body: dict[str, Any] = plain(event.body)
        return {**body, "asked": about, "target_box": item.box if item is not None else None, "options": plain(options)}

    def _track(self, name: str) -> Any:
        return list(getattr(self._tracks, name)) if self._tracks is not None else []

    def _machine(self) -> Any:
        tracks = self._tracks or Tracks(Lines({}, 0.0))
        made = tracks.machine
        return {"situations": made["situations"], "rows": list(made["rows"]), "walk": list(made["walk"])}


PARTS = {
    "head": Watched._head,
    "standing": Watched._standing,
    "budgets": Watched._budgets,
    "pending": Watched._pending,
    "answered": lambda run: run._answered,
    "fields": lambda run: list(Item._fields),
    "drawn": lambda run: {"element": list(FIELDS), "flags": list(FLAGS)},
    "plans": lambda run: run._track("plans"),
    "statuses": lambda run: run._track("statuses"),
    "facts": lambda run: run._track("facts"),
    "roles": lambda run: run._tracks.used() if run._tracks is not None else {},
    "machine": Watched._machine,
}
"""What a run is told in, beside its items."""
