"""What a run's journal has told so far: lines, details, plans, facts and what it waits for, grown event by event.

Every change is numbered by the event that made it, so that whoever has seen all up to one is told the rest, however long they
were away. Nothing is kept for anybody who looks on: they have their number, and this has the run.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from orchestrator.control.standing import Standing
from orchestrator.desk.watching_journal import Journalled
from orchestrator.faces.clean import UNREADABLE
from orchestrator.used import Counting
from orchestrator.viewer.data import Item, items_of, plain, words
from orchestrator.viewer.gather import Tracks
from orchestrator.viewer.items import Lines
from orchestrator.viewer.screens import marked
from roles.journal import Event

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


class Unanswered(NamedTuple):
    """Something that a person is asked, and that is not answered."""

    event: Event
    place: int
    """Of its item."""


class Heard:
    """Of one run. One thread at a time."""

    def __init__(self, journal: Journalled) -> None:
        self._journal = journal
        self.notes: list[str] = []
        self.read = 0
        """The last event that is taken in."""
        self.ended = False
        self.counting = Counting()
        self.asked: dict[str, Unanswered] = {}
        """By key, the latest last."""
        self.answered: dict[str, Any] | None = None
        self.started: Event | None = None
        self.last: Event | None = None
        self.lines: Lines | None = None
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
            self.lines = Lines(self._journal.results, event.at)
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

    def end(self, now: Standing, report: dict[str, Any]) -> None:
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

    def _touched(self, lines: Lines, number: float) -> None:
        for place in sorted(lines.touched):
            self._changes.append((number, place))
            if place == len(self._added):
                self._added.append(number)
        lines.touched.clear()

    def _wait(self, event: Event, place: int) -> None:
        key = words(event.body, "key")
        if event.kind == "approval_requested":
            self.asked.pop(key, None)
            self.asked[key] = Unanswered(event, place)
        elif event.kind in {"approval", "approval_expired"}:
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
    def question(self) -> Unanswered | None:
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
