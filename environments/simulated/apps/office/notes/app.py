"""Notes: short texts with a title."""

from functools import lru_cache
from typing import Self

from pydantic import Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, driven, one_line, part_of, unknown
from environments.simulated.apps.common.record_list import ListState, list_update, list_view, question, save_question
from environments.simulated.screen.widgets import Widget, bar, button, checked, form, heading, link, search_bar, textbox
from environments.simulated.world.values import IdentityKey, Model, how_many, made_up, matches, paragraph, topic, without


class Note(Model):
    """A note. In a world file the id may be left out."""

    id: str = ""
    title: str
    body: str = ""


class NotesState(ListState):
    """Notes by id, and the one that is edited; `new` edits one that is not saved yet."""

    notes: dict[str, Note]
    counter: int
    open: str | None = None
    title: str = ""
    body: str = ""
    error: str = ""


_EDITOR = ("open", "title", "body", "error")


def _dump(note: Note) -> JsonValue:
    return note.model_dump(mode="json")


def _note(state: NotesState, wanted: str) -> Note:
    if found := state.notes.get(wanted):
        return found
    fits = [note for note in state.notes.values() if note.title.casefold() == wanted.strip().casefold()]
    if len(fits) > 1:
        ids = ", ".join(note.id for note in fits)
        raise sim.FunctionDeclined(f"{len(fits)} notes have the title {wanted!r}; say which id: {ids}")
    return fits[0] if fits else unknown("note", wanted, [note.title for note in state.notes.values()])


def _written(state: NotesState, opening: str, title: str, body: str) -> sim.FunctionResult[NotesState]:
    """What a hand would write, with the window where it was."""
    wrote = sim.Edited("title", one_line(title)), sim.Edited("body", body)
    events: list[sim.Event] = [sim.Pressed(opening), *wrote, sim.Pressed("save")]
    after, effects = driven(Notes().update, state.replace(open=None), events)
    if after.error:
        raise sim.FunctionDeclined(after.error)
    note = after.notes[after.open or ""]
    editor = {name: getattr(state, name) for name in _EDITOR}
    if state.open == note.id:
        editor.update(title=note.title, body=note.body)
    return sim.FunctionResult(after.replace(**editor), _dump(note), effects)


FUNCTIONS = FunctionTable[NotesState]()


@FUNCTIONS.reads("NoteQuery", "`query` is searched in title and body.")
def list_notes(state: NotesState, offset: Offset = 0, limit: Limit = 50, query: str = "") -> JsonValue:
    """Notes whose title or body has all words of the query"""
    return part_of([n for n in state.notes.values() if matches(query, n.title, n.body)], offset, limit, _dump)


@FUNCTIONS.reads("NoteReference", "A note by its id or its title.")
def get_note(state: NotesState, note: str) -> JsonValue:
    """One note, by id or title"""
    return _dump(_note(state, note))


@FUNCTIONS.writes("New", "What a new note says.")
def create_note(state: NotesState, title: str, body: str = "") -> sim.FunctionResult[NotesState]:
    """Save a new note"""
    return _written(state, "new-note", title, body)


@FUNCTIONS.writes("Change", "What is left out stays; `append` goes below the body.")
def update_note(
    state: NotesState, note: str, title: str | None = None, body: str | None = None, append: str | None = None
) -> sim.FunctionResult[NotesState]:
    """Change the title or the body of a note, or add below it"""
    old = _note(state, note)
    if state.open == old.id and (state.title, state.body) != (old.title, old.body):
        raise sim.FunctionDeclined(f'"{old.title}" is open with changes that are not saved; save or discard them first')
    body = old.body if body is None else body
    if append is not None:
        body = f"{body}\n{append}" if body else append
    return _written(state, f"note-{old.id}", old.title if title is None else title, body)


@FUNCTIONS.writes("NoteReference", "A note by its id or its title.", repeatable=True)
def delete_note(state: NotesState, note: str) -> sim.FunctionResult[NotesState]:
    """Delete a note for good"""
    gone = _note(state, note)
    events: list[sim.Event] = [sim.Pressed(f"note-{gone.id}"), sim.Answered("delete", "Delete note", {})]
    after, effects = driven(Notes().update, state.replace(open=None), events)
    editor = {} if state.open == gone.id else {name: getattr(state, name) for name in _EDITOR}
    return sim.FunctionResult(after.replace(**editor), {"deleted": gone.id, "title": gone.title}, effects)


class NotesContent(sim.Content):
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


class Notes(sim.App[NotesContent, NotesState]):
    """Short texts."""

    name = "notes"
    title = "Notes"
    words = ("notes", "note", "memo", "memos", "notebook")
    looks = frozenset({"counter", "open", "title", "body", "error"})
    meanings = (
        sim.Meaning("notes.*", Does.DELETE, 'deletes the note "{old.title}"', sim.is_gone),
        sim.Meaning("notes.*", Does.SAVE, 'adds the note "{new.title}"', sim.is_new),
        sim.Meaning("notes.*", Does.SAVE, 'changes the note "{old.title}"'),
    )
    functions = FUNCTIONS

    def start(self, content: NotesContent, setting: sim.Setting) -> NotesState:
        count, rng = how_many(content.notes, content.generate, 6, setting.cast.times), setting.rng
        topics = rng.sample(made_up("topics"), min(count, len(made_up("topics"))))
        extra = [f"{topic(rng)} {n}" for n in range(2, count - len(topics) + 2)]
        made = [Note(title=title.capitalize(), body=paragraph(rng, 2)) for title in (*topics, *extra)]
        given = (*(content.notes or ()), *made)
        notes = {n.id: n for n in (note.replace(id=note.id or str(i)) for i, note in enumerate(given, start=1))}
        state = NotesState(notes=notes, counter=len(notes))
        opened = next((note.id for note in notes.values() if note.title == content.open), None)
        return _opened(state, opened) if opened else state

    def view(self, state: NotesState) -> tuple[Widget, ...]:
        if state.open is None:
            notes = _found(IdentityKey(state.notes), state.applied)
            shown = list_view("notes", (), notes, lambda n: link(n.title, f"note-{n.id}"), "No notes found", state.page)
            return (heading("All notes", "list"), bar(button("New note", "new-note")), search_bar("notes", state.query), *shown)
        title = checked(textbox("Title", "title", state.title, required=True), state.error)
        text = textbox("Body", "body", state.body, multiline=True)
        delete = button("Delete", "delete", enabled=bool(state.open))
        buttons = bar(button("Save", "save"), delete, button("Back to notes", "back"))
        head = heading("Edit note" if state.open else "Untitled note", f"edit-{state.open}")
        return (head, form("note", *title, text, buttons, submit="save"))

    def update(self, state: NotesState, event: sim.Event) -> sim.Update[NotesState]:
        if isinstance(event, sim.Arrived) and event.topic == "note":
            name = str(state.counter + 1)
            note = Note(id=name, title=event.data.get("title", "Untitled"), body=event.data.get("body", ""))
            there = state.replace(notes={**state.notes, name: note}, counter=state.counter + 1)
            return sim.Update(there, (sim.Toast("Saved to notes"),))
        if state.open is not None:
            return _editing(state, state.open, event)
        if (looked := list_update(state, event, lambda: _found(IdentityKey(state.notes), state.applied))) is not None:
            return sim.Update(looked)
        match event:
            case sim.Pressed(key="new-note"):
                return sim.Update(state.model_copy(update={"open": "", **_BLANK}))
            case sim.Pressed(key=key) if key.startswith("note-"):
                return sim.Update(_opened(state, key.removeprefix("note-")))
        return sim.Update(state)


def _editing(state: NotesState, opened: str, event: sim.Event) -> sim.Update[NotesState]:
    saved = state.notes.get(opened) or Note(title="")
    match event:
        case sim.Edited(key="title" | "body" as key, value=value):
            return sim.Update(state.model_copy(update={key: value, "error": "" if key == "title" else state.error}))
        case sim.Pressed(key="save") | sim.Shortcut(chord="Control+s" | "Meta+s"):
            return _save(state, opened)
        case sim.Pressed(key="delete"):
            gone = f'"{state.title or "Untitled"}" will be deleted for good.'
            return sim.Update(state, (question("delete", "Delete this note?", gone, "Delete note"),))
        case sim.Answered(key="delete", button="Delete note"):
            return sim.Update(_closed(state.replace(notes=without(state.notes, opened))), (sim.Toast("Note deleted"),))
        case sim.Pressed(key="back") if (state.title, state.body) != (saved.title, saved.body):
            return sim.Update(state, (save_question("This note has changes that are not saved."),))
        case sim.Pressed(key="back") | sim.Answered(key="unsaved", button="Discard changes"):
            return sim.Update(_closed(state))
        case sim.Answered(key="unsaved", button="Save changes"):
            after, effects = _save(state, opened)
            return sim.Update(after if after.error else _closed(after), effects)
    return sim.Update(state)


_BLANK = {"title": "", "body": "", "error": ""}


@lru_cache(maxsize=8)
def _found(notes: IdentityKey[dict[str, Note]], query: str) -> tuple[Note, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    return tuple(note for note in notes.value.values() if matches(query, note.title, note.body))


def _opened(state: NotesState, name: str) -> NotesState:
    note = state.notes[name]
    return state.model_copy(update={**_BLANK, "open": name, "title": note.title, "body": note.body})


def _closed(state: NotesState) -> NotesState:
    return state.model_copy(update={"open": None, **_BLANK})


def _save(state: NotesState, opened: str) -> sim.Update[NotesState]:
    if not state.title.strip():
        return sim.Update(state.replace(error="Title is required"))
    name = opened or str(state.counter + 1)
    note = Note(id=name, title=state.title.strip(), body=state.body)
    changes = {"notes": {**state.notes, name: note}, "open": name, "title": note.title, "error": ""}
    counter = state.counter if opened else state.counter + 1
    return sim.Update(state.model_copy(update={**changes, "counter": counter}), (sim.Toast("Note saved"),))
