"""Whether a run walked a path: situations in order, with `...` for any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType

from orchestrator.errors import did_you_mean
from orchestrator.machine import Situation
from orchestrator.testing.scripting import BadScript
from orchestrator.testing.story import compressed

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
