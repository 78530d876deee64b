"""The functions of Notes."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from environments.simulated.app import Answered, Edited, Event, Pressed
from environments.simulated.apps.functions_base import Drive, Page, driven, one_line, part_of, unknown
from environments.simulated.apps.notes_state import Note, NotesState
from environments.simulated.skills import Declined, Done, Function
from environments.simulated.values import Model, matches

_EDITOR = ("open", "title", "body", "error", "past", "future", "removed")


class Found(Page):
    """`query` is searched in title and body."""

    query: str = ""


class Which(Model):
    """A note by its id or its title."""

    note: str


class New(Model):
    """What a new note says."""

    title: str
    body: str = ""


class Change(Which):
    """What is left out stays; `append` goes below the body."""

    title: str | None = None
    body: str | None = None
    append: str | None = None


def _dump(note: Note) -> JsonValue:
    return note.model_dump(mode="json")


def list_notes(state: NotesState, wanted: Found) -> Done[NotesState]:
    return Done(state, part_of([n for n in state.notes.values() if matches(wanted.query, n.title, n.body)], wanted, _dump))


def get_note(state: NotesState, wanted: Which) -> Done[NotesState]:
    return Done(state, _dump(_note(state, wanted.note)))


def _note(state: NotesState, wanted: str) -> Note:
    if found := state.notes.get(wanted):
        return found
    fits = [note for note in state.notes.values() if note.title.casefold() == wanted.strip().casefold()]
    if len(fits) > 1:
        raise Declined(f"{len(fits)} notes have the title {wanted!r}; say which id: {', '.join(note.id for note in fits)}")
    if not fits:
        unknown("note", wanted, [note.title for note in state.notes.values()])
    return fits[0]


def functions(update: Drive[NotesState]) -> tuple[Function[Any, Any], ...]:
    """Functions over the app's own `update`."""

    def written(state: NotesState, opening: str, title: str, body: str) -> Done[NotesState]:
        listing = state.model_copy(update={"open": None})
        events: list[Event] = [Pressed(opening), Edited("title", one_line(title)), Edited("body", body), Pressed("save")]
        after, effects = driven(update, listing, events)
        if after.error:
            raise Declined(after.error)
        note = after.notes[after.open or ""]
        editor = {name: getattr(state, name) for name in _EDITOR}
        if state.open == note.id:
            editor.update(title=note.title, body=note.body)
        return Done(after.model_copy(update=editor), _dump(note), effects)

    def create_note(state: NotesState, new: New) -> Done[NotesState]:
        return written(state, "new-note", new.title, new.body)

    def update_note(state: NotesState, change: Change) -> Done[NotesState]:
        note = _note(state, change.note)
        if state.open == note.id and (state.title, state.body) != (note.title, note.body):
            raise Declined(f'"{note.title}" is open with changes that are not saved; save or discard them first')
        body = note.body if change.body is None else change.body
        if change.append is not None:
            body = f"{body}\n{change.append}" if body else change.append
        return written(state, f"note-{note.id}", note.title if change.title is None else change.title, body)

    def delete_note(state: NotesState, which: Which) -> Done[NotesState]:
        note = _note(state, which.note)
        listing = state.model_copy(update={"open": None})
        after, effects = driven(update, listing, [Pressed(f"note-{note.id}"), Answered("delete", "Delete note", {})])
        editor = {"removed": None} if state.open == note.id else {name: getattr(state, name) for name in _EDITOR}
        return Done(after.model_copy(update=editor), {"deleted": note.id, "title": note.title}, effects)

    return (
        Function("list_notes", "Notes whose title or body has all words of the query", Found, list_notes),
        Function("get_note", "One note, by id or title", Which, get_note),
        Function("create_note", "Save a new note", New, create_note, writes=True),
        Function("update_note", "Change the title or the body of a note, or add below it", Change, update_note, writes=True),
        Function("delete_note", "Delete a note for good", Which, delete_note, writes=True, repeatable=True),
    )
