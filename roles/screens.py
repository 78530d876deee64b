"""The screens of a run: each stored once, redacted and deflated, the latest ones at hand."""

from __future__ import annotations

import sqlite3
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable

from protocol import VisualState
from roles.redaction import Redactor

SCHEMA = """
CREATE TABLE IF NOT EXISTS observations (
    row INTEGER PRIMARY KEY, state_id TEXT NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL) STRICT;
"""
_REMEMBERED = 256
"""Ids of the latest screens, to store each once."""
_AT_HAND = 48


class Screens:
    """The observations table of a journal's database; `begin` opens a transaction if there is none."""

    def __init__(
        self, db: sqlite3.Connection, redactor: Redactor | None, begin: Callable[[], None], latest: dict[str, str]
    ) -> None:
        self._db = db
        self._redactor = redactor
        self._begin = begin
        self._at_hand: OrderedDict[str, VisualState] = OrderedDict()
        stored = db.execute("SELECT state_id FROM observations ORDER BY row DESC LIMIT ?", (_REMEMBERED,))
        self._stored: deque[str] = deque((state_id for (state_id,) in reversed(stored.fetchall())), maxlen=_REMEMBERED)
        self._latest = latest

    def keep(self, state: VisualState) -> str:
        """Store a screen once, redacted, and return its id."""
        state_id = state.state_id
        if state.app:
            self._latest.pop(state.app, None)
            self._latest[state.app] = state_id
        if state_id in self._at_hand:
            self._at_hand.move_to_end(state_id)
        else:
            self._at_hand[state_id] = state
            if len(self._at_hand) > _AT_HAND:
                self._at_hand.popitem(last=False)
        if state_id not in self._stored:
            shown = self._redactor.screen(state) if self._redactor is not None else state
            self._begin()
            self._db.execute(
                "INSERT INTO observations (state_id, app, body) VALUES (?, ?, ?)",
                (state_id, state.app or "", zlib.compress(shown.canonical, 1)),
            )
            self._stored.append(state_id)
        return state_id

    def get(self, state_id: str) -> VisualState | None:
        """A screen by id: as it was seen while it is at hand, else as it was written (private content masked)."""
        if (held := self._at_hand.get(state_id)) is not None:
            return held
        return self.written(state_id)

    def written(self, state_id: str) -> VisualState | None:
        """A screen as it was written."""
        # No index: hashes come in no order, so keeping one sorted would write more pages the longer a run gets.
        row = self._db.execute(
            "SELECT row FROM observations WHERE state_id = ? ORDER BY row DESC LIMIT 1", (state_id,)
        ).fetchone()
        return self.at(row[0]) if row else None

    def rows(self) -> dict[str, int]:
        """state_id -> row, for a reader that wants many."""
        return dict(self._db.execute("SELECT state_id, row FROM observations"))

    def at(self, row: int) -> VisualState:
        """The screen of a row, as it was written."""
        (body,) = self._db.execute("SELECT body FROM observations WHERE row = ?", (row,)).fetchone()
        return VisualState.model_validate_json(zlib.decompress(body))

    def latest(self) -> dict[str, str]:
        """app -> id of its latest screen, oldest look first."""
        return dict(self._latest)

    def forget(self) -> None:
        """No application has been looked at yet."""
        self._latest.clear()
