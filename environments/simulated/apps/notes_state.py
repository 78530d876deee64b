"""What the notes know, and how what was written is taken back."""

from __future__ import annotations

from typing import NamedTuple

from environments.simulated.app import AppState
from environments.simulated.values import Model

UNDO = 50
"""So many changes of a note can be taken back."""


class Note(Model):
    """A note. In a world file the id may be left out."""

    id: str = ""
    title: str
    body: str = ""


class Written(NamedTuple):
    """What stands in the editor."""

    title: str
    body: str


class NotesState(AppState):
    """Notes by id, and the one that is edited; `new` edits one that is not saved yet."""

    notes: dict[str, Note]
    counter: int
    open: str | None = None
    title: str = ""
    body: str = ""
    error: str = ""
    past: tuple[Written, ...] = ()
    """What stood in the editor before each change, the latest last."""
    future: tuple[Written, ...] = ()
    """What was undone, the latest last."""
    removed: Note | None = None
    """The note that was deleted last, for Undo."""
    query: str = ""
    applied: str = ""
    page: int = 1


def edited(state: NotesState, key: str, value: str) -> NotesState:
    """Another title or body, with what stood there before remembered."""
    past = (*state.past[1 - UNDO :], Written(state.title, state.body))
    error = "" if key == "title" else state.error
    return state.model_copy(update={key: value, "error": error, "past": past, "future": ()})


def stepped(state: NotesState, back: bool) -> NotesState:
    """The editor one change earlier, or one later."""
    source, target = ("past", "future") if back else ("future", "past")
    held: tuple[Written, ...] = getattr(state, source)
    if not held:
        return state
    title, body = held[-1]
    other = (*getattr(state, target), Written(state.title, state.body))
    return state.model_copy(update={"title": title, "body": body, source: held[:-1], target: other, "error": ""})
