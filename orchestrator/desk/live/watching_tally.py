"""What a row of the list says of a run's journal: counted once, and read on; and what the run asks of people."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from orchestrator.control.asked import ABOUT, Asked, Askings
from orchestrator.views.page.data import number

Query = Callable[..., list[Any]]
"""Rows of a statement with `?` for its values, in which `{own}` limits the events to those of the run."""
_SAID = ("model_call", *ABOUT)


class Tally:
    """Of one run. One thread at a time reads on; what stands here is whole at any time."""

    def __init__(self) -> None:
        self.read = 0
        """The last event that is counted."""
        self.steps = self.tokens = 0
        self.last = 0.0
        """When the run did something last."""
        self.asked: tuple[Asked, ...] = ()
        self.first = threading.Event()
        """All that there was is counted, or cannot be."""
        self._askings = Askings()

    def read_on(self, query: Query) -> None:
        """Raises what the query raises, and counts nothing then."""
        ((last, at, steps),) = query(
            "SELECT max(id), max(at), sum(CASE WHEN kind = 'step' THEN 1 ELSE 0 END) FROM events WHERE {own}id > ?", self.read
        )
        if last is None:
            return
        marks = ", ".join("?" * len(_SAID))
        rows = query(
            f"SELECT at, kind, body FROM events WHERE {{own}}id > ? AND id <= ? AND kind IN ({marks}) ORDER BY id",  # noqa: S608
            self.read, last, *_SAID,
        )  # fmt: skip
        for at_, kind, text in rows:
            self._hear(number(at_), kind, text)
        self.asked = tuple(self._askings.all())
        self.steps += int(steps)
        self.last = max(self.last, number(at))
        self.read = int(last)

    def _hear(self, at: float, kind: str, text: str) -> None:
        try:
            body = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            return
        if not isinstance(body, dict):
            return
        if kind == "model_call":
            self.tokens += int(number(body.get("tokens_in")) + number(body.get("tokens_out")))
        else:
            self._askings.hear(at, kind, body)

    @property
    def open(self) -> list[Asked]:
        """What the run has heard no answer to."""
        return [one for one in self.asked if one.said is None]
