"""The screens of a run: each stored once, redacted and deflated, the latest ones at hand."""

from __future__ import annotations

from collections import OrderedDict, deque

from protocol import VisualState
from roles.deflated import deflated, inflated
from roles.journal_rows import Rows
from roles.redaction import Redactor

_REMEMBERED = 256
"""Ids of the latest screens, to store each once."""
_AT_HAND = 48


class Screens:
    """The screens among a journal's rows; `latest` has the last one of each app, oldest look first."""

    def __init__(self, rows: Rows, redactor: Redactor | None, latest: dict[str, str]) -> None:
        self._rows = rows
        self._redactor = redactor
        self._at_hand: OrderedDict[str, VisualState] = OrderedDict()
        self._stored: deque[str] = deque(reversed(rows.latest_screens(_REMEMBERED)), maxlen=_REMEMBERED)
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
            self._rows.add_screen(state_id, state.app or "", deflated(shown.canonical))
            self._stored.append(state_id)
        return state_id

    def get(self, state_id: str) -> VisualState | None:
        """A screen by id: as it was seen while it is at hand, else as it was written (private content masked)."""
        if (held := self._at_hand.get(state_id)) is not None:
            return held
        return self.written(state_id)

    def written(self, state_id: str) -> VisualState | None:
        """A screen as it was written."""
        row = self._rows.screen_row(state_id)
        return None if row is None else self.at(row)

    def rows(self) -> dict[str, int]:
        """state_id -> row, for a reader that wants many."""
        return self._rows.screen_rows()

    def at(self, row: int) -> VisualState:
        """The screen of a row, as it was written."""
        return VisualState.model_validate_json(inflated(self._rows.screen(row)))

    def latest(self) -> dict[str, str]:
        """app -> id of its latest screen, oldest look first."""
        return dict(self._latest)

    def forget(self) -> None:
        """No application has been looked at yet."""
        self._latest.clear()
