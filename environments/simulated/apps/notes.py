"""Notes: short texts with a title."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from pydantic import Field, model_validator

from environments.effects import Effect as Does
from environments.simulated.app import (
    Answered,
    App,
    Arrived,
    Content,
    Dialog,
    Edited,
    Event,
    Pressed,
    Setting,
    Shortcut,
    Toast,
    Update,
)
from environments.simulated.apps.forms import save_question
from environments.simulated.apps.functions_notes import functions
from environments.simulated.apps.notes_state import Note, NotesState, edited, stepped
from environments.simulated.generate import TOPICS, how_many, paragraph
from environments.simulated.meanings import Meaning, is_gone, is_new
from environments.simulated.values import Same, matches, page_of
from environments.simulated.widgets import (
    Widget,
    alert,
    bar,
    button,
    form,
    heading,
    link,
    listing,
    pager,
    search_bar,
    text,
    textbox,
)

PAGE_SIZE = 12


class NotesContent(Content):
    """`generate` adds notes from the seed; `open` is the title of the note that is on the screen at first."""

    notes: tuple[Note, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    open: str | None = None

    @model_validator(mode="after")
    def _open_exists(self) -> Self:
        titles = [note.title for note in self.notes or ()]
        if self.open not in (None, *titles):
            raise ValueError(f"open: there is no note {self.open!r}; notes given are: {', '.join(titles[:8]) or 'none'}")
        return self


MEANINGS = (
    Meaning("notes.*", Does.DELETE, 'deletes the note "{old.title}"', is_gone),
    Meaning("notes.*", Does.SAVE, 'adds the note "{new.title}"', is_new),
    Meaning("notes.*", Does.SAVE, 'changes the note "{old.title}"'),
)


class Notes(App[NotesContent, NotesState]):
    """Short texts."""

    name = "notes"
    title = "Notes"
    words = ("notes", "note", "memo", "memos", "notebook")
    content = NotesContent
    state = NotesState
    looks = frozenset({"counter", "open", "title", "body", "error", "past", "future", "removed", "query", "applied", "page"})
    meanings = MEANINGS
    functions = functions(lambda state, event: Notes().update(state, event))

    def start(self, content: NotesContent, setting: Setting) -> NotesState:
        given = (*(content.notes or ()), *_generated(how_many(content.notes, content.generate, 6, setting.cast.times), setting))
        notes = {n.id: n for n in (note.model_copy(update={"id": note.id or str(i)}) for i, note in enumerate(given, start=1))}
        state = NotesState(notes=notes, counter=len(notes))
        opened = next((note.id for note in notes.values() if note.title == content.open), None)
        return _opened(state, opened) if opened else state

    def view(self, state: NotesState) -> tuple[Widget, ...]:
        return _list(state) if state.open is None else _editor(state)

    def update(self, state: NotesState, event: Event) -> Update[NotesState]:
        if isinstance(event, Arrived) and event.topic == "note":
            name = str(state.counter + 1)
            note = Note(id=name, title=event.data.get("title", "Untitled"), body=event.data.get("body", ""))
            return Update(
                state.model_copy(update={"notes": {**state.notes, name: note}, "counter": state.counter + 1}),
                (Toast("Saved to notes"),),
            )
        return _listing(state, event) if state.open is None else _editing(state, state.open, event)


def _listing(state: NotesState, event: Event) -> Update[NotesState]:
    match event:
        case Edited(key="query", value=value):
            return Update(state.model_copy(update={"query": value}))
        case Pressed(key="search"):
            return Update(state.model_copy(update={"applied": state.query, "page": 1}))
        case Pressed(key="new-note"):
            return Update(state.model_copy(update={"open": "", **_BLANK}))
        case Pressed(key="next" | "previous" as key):
            _, page, _ = page_of(_found(state), state.page + (1 if key == "next" else -1), PAGE_SIZE)
            return Update(state.model_copy(update={"page": page}))
        case Pressed(key="undo") | Shortcut(chord="Control+z" | "Meta+z") if state.removed:
            notes = {**state.notes, state.removed.id: state.removed}
            return Update(state.model_copy(update={"notes": notes, "removed": None}), (Toast("Note restored"),))
        case Pressed(key=key) if key.startswith("note-"):
            return Update(_opened(state, key.removeprefix("note-")))
    return Update(state)


def _editing(state: NotesState, opened: str, event: Event) -> Update[NotesState]:
    match event:
        case Edited(key="title" | "body" as key, value=value):
            return Update(edited(state, key, value))
        case Pressed(key="undo") | Shortcut(chord="Control+z" | "Meta+z"):
            return Update(stepped(state, back=True))
        case Pressed(key="redo") | Shortcut(chord="Control+y" | "Meta+y"):
            return Update(stepped(state, back=False))
        case Pressed(key="save") | Shortcut(chord="Control+s" | "Meta+s"):
            return _save(state, opened)
        case Pressed(key="delete"):
            ask = Dialog(
                key="delete",
                title="Delete this note?",
                text=f'"{state.title or "Untitled"}" will be deleted for good.',
                buttons=("Delete note", "Cancel"),
                escape="Cancel",
            )
            return Update(state, (ask,))
        case Answered(key="delete", button="Delete note"):
            rest = {name: note for name, note in state.notes.items() if name != opened}
            removed = state.notes.get(opened)
            return Update(_closed(state.model_copy(update={"notes": rest, "removed": removed})), (Toast("Note deleted"),))
        case Pressed(key="back") if _unsaved(state, opened):
            return Update(state, (save_question("This note has changes that are not saved."),))
        case Pressed(key="back") | Answered(key="unsaved", button="Discard changes"):
            return Update(_closed(state))
        case Answered(key="unsaved", button="Save changes"):
            saved = _save(state, opened)
            return saved if saved.state.error else Update(_closed(saved.state), saved.effects)
    return Update(state)


_BLANK = {"title": "", "body": "", "error": "", "past": (), "future": ()}


def _found(state: NotesState) -> list[Note]:
    return list(_matching(Same(state.notes), state.applied))


@lru_cache(maxsize=8)
def _matching(notes: Same[dict[str, Note]], query: str) -> tuple[Note, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    return tuple(note for note in notes.value.values() if matches(query, note.title, note.body))


def _opened(state: NotesState, name: str) -> NotesState:
    note = state.notes[name]
    return state.model_copy(update={**_BLANK, "open": name, "title": note.title, "body": note.body, "removed": None})


def _closed(state: NotesState) -> NotesState:
    return state.model_copy(update={"open": None, **_BLANK})


def _unsaved(state: NotesState, opened: str) -> bool:
    note = state.notes.get(opened) or Note(title="")
    return (note.title, note.body) != (state.title, state.body)


def _save(state: NotesState, opened: str) -> Update[NotesState]:
    if not state.title.strip():
        return Update(state.model_copy(update={"error": "Title is required"}))
    name = opened or str(state.counter + 1)
    note = Note(id=name, title=state.title.strip(), body=state.body)
    changes = {"notes": {**state.notes, name: note}, "open": name, "title": note.title, "error": ""}
    counter = state.counter if opened else state.counter + 1
    return Update(state.model_copy(update={**changes, "counter": counter}), (Toast("Note saved"),))


def _list(state: NotesState) -> tuple[Widget, ...]:
    items, page, pages = page_of(_found(state), state.page, PAGE_SIZE)
    links = [link(note.title, f"note-{note.id}") for note in items]
    body = listing("notes", links) if links else text("No notes found", "none")
    undo: tuple[Widget, ...] = ()
    if state.removed:
        undo = (bar(text(f"{state.removed.title} was deleted", "removed"), button("Undo", "undo"), key="undo-bar"),)
    return (
        heading("All notes", "list"),
        *undo,
        bar(button("New note", "new-note")),
        search_bar("notes", state.query),
        body,
        pager(page, pages),
    )


def _editor(state: NotesState) -> tuple[Widget, ...]:
    error = (alert(state.error, "title.error"),) if state.error else ()
    fields = (
        textbox("Title", "title", state.title, required=True, invalid=bool(state.error)),
        *error,
        textbox("Body", "body", state.body, multiline=True),
    )
    buttons = bar(
        button("Save", "save"), button("Delete", "delete", enabled=bool(state.open)), button("Back to notes", "back"),
        button("Undo", "undo", enabled=bool(state.past)), button("Redo", "redo", enabled=bool(state.future)),
    )  # fmt: skip
    return (
        heading("Edit note" if state.open else "Untitled note", f"edit-{state.open}"),
        form("note", *fields, buttons, submit="save"),
    )


def _generated(count: int, setting: Setting) -> tuple[Note, ...]:
    rng = setting.rng
    topics = rng.sample(TOPICS, min(count, len(TOPICS)))
    extra = [f"{rng.choice(TOPICS)} {n}" for n in range(2, count - len(topics) + 2)]
    return tuple(Note(title=topic.capitalize(), body=paragraph(rng, 2)) for topic in (*topics, *extra))
