"""Whether a run walked a path: situations in order, with `...` for any number of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from types import EllipsisType

from orchestrator.core.machine import Situation
from orchestrator.errors import did_you_mean
from orchestrator.lab.testing.script import BadScript
from orchestrator.views.terminal.event_lines import EventLine, Teller
from roles.journal.events import OutcomeEvent, SituationEvent
from roles.journal.journal import Event

_TOLD = {Situation.PLAN, Situation.SUPPLEMENT, Situation.QUALITY_CHECK, Situation.FINAL_CHECK, Situation.DONE}
"""Situations that are worth a line; the others follow each other at every action."""
_OF_ONE_RUN = {"run", "goal"}


def story(events: Iterable[Event]) -> list[str]:
    """One line for each thing that was planned, done, asked, checked or decided. No times, no ids of the run."""
    teller = Teller()
    return [str(line) for event in events for line in _lines(event, teller) if line.mark not in _OF_ONE_RUN]


def _lines(event: Event, teller: Teller) -> list[EventLine]:
    if event.kind == SituationEvent.KIND:
        reached = event.body["next"]
        return [EventLine("→", f"{reached} ({event.body['signal']})")] if reached in _TOLD else []
    lines = teller.lines(event)
    if event.kind == OutcomeEvent.KIND:  # by subtask, so that one step more does not change every line below it
        return [line._replace(mark=event.subtask) for line in lines]
    return lines


def difference(then: Sequence[str], now: Sequence[str]) -> str:
    """What stands in one story and not in the other, with two lines around it; empty when they are the same."""
    lines = difflib.unified_diff(then, now, lineterm="", n=2)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


def compressed(words: Sequence[str]) -> str:
    """A path on one line: what repeats is said once, with how often."""
    said: list[str] = []
    at = 0
    while at < len(words):
        size, times = _repeats(words, at)
        part = " ".join(words[at : at + size])
        said.append(part if times == 1 else f"({part})×{times}" if size > 1 else f"{part}×{times}")
        at += size * times
    return " ".join(said)


def _repeats(words: Sequence[str], at: int) -> tuple[int, int]:
    """How long the part is that repeats from here, one or two words, and how often."""
    for size in (1, 2):
        times = 1
        while words[at : at + size] == words[at + size * times : at + size * (times + 1)]:
            times += 1
        if times > 1:
            return size, times
    return 1, 1


Pattern = Sequence[str | EllipsisType]


def mismatch(pattern: Pattern, path: Sequence[str]) -> str:
    """Where the path leaves the pattern, in words; empty when it does not."""
    for item in pattern:
        if item is not ... and item not in list(Situation):
            raise BadScript(f"there is no situation {item!r}{did_you_mean(str(item), [s.value for s in Situation])}")
    reached = {0}
    for number, item in enumerate(pattern, start=1):
        if item is ...:
            reached = set(range(min(reached), len(path) + 1))
            continue
        further = {at + 1 for at in reached if at < len(path) and path[at] == item}
        if not further:
            return _told(pattern, path, f"{item}, number {number} of {len(pattern)}, {_instead(path, reached)}")
        reached = further
    if len(path) not in reached:
        return _told(pattern, path, f"after {path[max(reached) - 1] if max(reached) else 'the start'} it went on")
    return ""


def _instead(path: Sequence[str], reached: set[int]) -> str:
    if len(reached) > 1:
        return "does not come any more"
    (at,) = reached
    return f"should come where {path[at]} came" if at < len(path) else "should come where the path ended"


def _told(pattern: Pattern, path: Sequence[str], why: str) -> str:
    expected = " ".join("..." if item is ... else str(item) for item in pattern)
    return f"the run walked another path: {why}\n  expected  {expected}\n  walked    {compressed(path)}"
