"""Files: a tree of folders, and an editor for texts."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from environments.simulated.app import (
    Answered,
    App,
    Content,
    Dialog,
    DialogField,
    Dropped,
    Edited,
    Event,
    Opened,
    Pressed,
    Setting,
    Shortcut,
    Toast,
    Update,
)
from environments.simulated.apps.files_state import (
    ROOT,
    Entry,
    FilesState,
    bad_name,
    base,
    cannot_move,
    folders,
    inside,
    joined,
    moved,
    parent,
    removed,
)
from environments.simulated.apps.functions_files import FUNCTIONS
from environments.simulated.generate import TOPICS, how_many, paragraph
from environments.simulated.values import page_of, slug
from environments.simulated.widgets import (
    Widget,
    bar,
    button,
    cell,
    form,
    heading,
    listing,
    pager,
    row,
    table,
    text,
    textbox,
)

PAGE_SIZE = 12
_NEW = {"new-folder": ("New folder", "Folder name"), "new-file": ("New file", "File name")}


class FilesContent(Content):
    """`files` maps absolute paths to texts; `folders` adds empty ones. `generate` adds files from the seed."""

    files: dict[str, str] | None = None
    folders: tuple[str, ...] = ()
    generate: int | None = Field(default=None, ge=0, le=500)
    cwd: str = ROOT
    open: str | None = None

    @model_validator(mode="after")
    def _paths_are_absolute(self) -> Self:
        paths = (*(self.files or {}), *self.folders)
        for path in paths:
            if not path.startswith("/") or path.endswith("/") or "//" in path:
                raise ValueError(f"{path!r} is no absolute path; write it like /Documents/plan.txt")
            if any(path != other and other.startswith(path + "/") for other in paths if path in (self.files or {})):
                raise ValueError(f"{path!r} is a file, so nothing can be in it")
        if self.open not in (None, *(self.files or {})):
            raise ValueError(
                f"open: there is no file {self.open!r}; files given are: {', '.join(list(self.files or {})[:8]) or 'none'}"
            )
        return self


class Files(App[FilesContent, FilesState]):
    """A file manager with a text editor."""

    name = "files"
    title = "Files"
    words = ("files", "file", "folder", "folders", "document", "documents")
    content = FilesContent
    state = FilesState
    looks = frozenset({"cwd", "selected", "open", "text", "page"})
    functions = FUNCTIONS

    def start(self, content: FilesContent, setting: Setting) -> FilesState:
        files = {**_generated(how_many(content.files, content.generate, 8), setting), **(content.files or {})}
        entries = {ROOT: Entry(kind="folder")}
        for path in (*content.folders, *files):
            above = parent(path) if path in files else path
            missing = []
            while above not in entries:
                missing.append(above)
                above = parent(above)
            entries.update({folder: Entry(kind="folder") for folder in reversed(missing)})
            if path in files:
                entries[path] = Entry(kind="file", text=files[path])
        cwd = content.cwd if content.cwd in entries and entries[content.cwd].kind == "folder" else ROOT
        state = FilesState(entries=entries, cwd=cwd)
        return _opened(state, content.open) if content.open in entries else state

    def view(self, state: FilesState) -> tuple[Widget, ...]:
        return _editor(state) if state.open in state.entries else _folder(state)

    def update(self, state: FilesState, event: Event) -> Update[FilesState]:
        if state.open in state.entries:
            return _editing(state, event)
        match event:
            case Answered(key=key, button=name, fields=fields) if name != "Cancel":
                return _answered(state, key, {k: v.strip() for k, v in fields.items()})
            case Dropped(key=key, onto=onto):
                return _move(state, _path(key), _path(onto))
        return _browsing(state, event)


def _path(key: str) -> str:
    return key.partition(":")[2]


def _browsing(state: FilesState, event: Event) -> Update[FilesState]:
    match event:
        case Pressed(key="next" | "previous" as key):
            _, page, _ = page_of(inside(state, state.cwd), state.page + (1 if key == "next" else -1), PAGE_SIZE)
            return Update(state.model_copy(update={"page": page, "selected": ""}))
        case Pressed(key=key) if key.startswith("folder:"):
            return Update(_opened(state, _path(key)))
        case Pressed(key=key) if key.startswith("entry:"):
            return Update(state.model_copy(update={"selected": _path(key)}))
        case Opened(key=key):
            return Update(_opened(state, _path(key)))
        case Pressed(key="open") if state.selected:
            return Update(_opened(state, state.selected))
        case Pressed(key="up"):
            return Update(_opened(state, parent(state.cwd)))
        case Pressed(key=key):
            dialog = _question(state, key)
            return Update(state, (dialog,) if dialog else ())
    return Update(state)


def _opened(state: FilesState, path: str) -> FilesState:
    entry = state.entries.get(path)
    if entry is None:
        return state
    if entry.kind == "folder":
        return state.model_copy(update={"cwd": path, "selected": "", "page": 1})
    return state.model_copy(update={"open": path, "text": entry.text, "cwd": parent(path), "selected": ""})


def _question(state: FilesState, key: str) -> Dialog | None:
    """The dialog that a button of the folder page opens."""
    if key in _NEW:
        title, label = _NEW[key]
        return _prompt(key, title, DialogField(key="name", label=label), "Create")
    name = base(state.selected)
    if key == "rename" and state.selected:
        return _prompt(key, f"Rename {name}", DialogField(key="name", label="New name", value=name), "OK")
    if key == "move" and state.selected:
        places = tuple(path for path in folders(state) if path != parent(state.selected))
        if places:
            return _prompt(key, f"Move {name}", DialogField(key="folder", label="Destination folder", options=places), "Move")
    if key == "delete" and state.selected:
        return Dialog(
            key="delete",
            title=f"Delete {name}?",
            text="It will be deleted for good.",
            buttons=(f"Delete {name}", "Cancel"),
            escape="Cancel",
        )
    return None


def _prompt(key: str, title: str, field: DialogField, go: str) -> Dialog:
    return Dialog(key=key, title=title, fields=(field,), buttons=(go, "Cancel"), default=go, escape="Cancel")


def _answered(state: FilesState, key: str, fields: dict[str, str]) -> Update[FilesState]:
    name = fields.get("name", "")
    if key == "delete":
        return Update(removed(state, state.selected), (Toast(f"{base(state.selected)} deleted"),))
    if key == "move":
        return _move(state, state.selected, fields.get("folder", "")) if fields.get("folder") else Update(state)
    if key == "rename" and name == base(state.selected):
        return Update(state)
    folder = parent(state.selected) if key == "rename" else state.cwd
    if problem := bad_name(state, folder, name):
        return Update(state, (Toast(problem),))
    path = joined(folder, name)
    if key == "rename":
        return Update(moved(state, state.selected, path).model_copy(update={"selected": path}))
    entry = Entry(kind="folder" if key == "new-folder" else "file")
    made = state.model_copy(update={"entries": {**state.entries, path: entry}})
    return Update(made if entry.kind == "folder" else _opened(made, path))


def _move(state: FilesState, path: str, folder: str) -> Update[FilesState]:
    if path not in state.entries or folder not in state.entries:
        return Update(state)
    if problem := cannot_move(state, path, folder):
        return Update(state, (Toast(problem),))
    return Update(moved(state, path, joined(folder, base(path))), (Toast(f"{base(path)} moved to {folder}"),))


def _editing(state: FilesState, event: Event) -> Update[FilesState]:
    match event:
        case Edited(key="text", value=value):
            return Update(state.model_copy(update={"text": value}))
        case Pressed(key="save") | Shortcut(chord="Control+s" | "Meta+s"):
            return Update(_saved(state), (Toast(f"{base(state.open)} saved"),))
        case Pressed(key="close") if state.text != state.entries[state.open].text:
            ask = Dialog(
                key="unsaved",
                title="Save changes?",
                text="This file has changes that are not saved.",
                buttons=("Save changes", "Discard changes", "Keep editing"),
                escape="Keep editing",
            )
            return Update(state, (ask,))
        case Pressed(key="close") | Answered(key="unsaved", button="Discard changes"):
            return Update(_closed(state))
        case Answered(key="unsaved", button="Save changes"):
            return Update(_closed(_saved(state)))
    return Update(state)


def _saved(state: FilesState) -> FilesState:
    entry = state.entries[state.open].model_copy(update={"text": state.text})
    return state.model_copy(update={"entries": {**state.entries, state.open: entry}})


def _closed(state: FilesState) -> FilesState:
    return state.model_copy(update={"open": "", "text": ""})


def _editor(state: FilesState) -> tuple[Widget, ...]:
    buttons = bar(button("Save", "save"), button("Close file", "close"))
    content = textbox("Content", "text", state.text, multiline=True)
    return (
        heading(base(state.open), f"file:{state.open}"),
        text(f"In {parent(state.open)}", "where"),
        form("editor", content, buttons, submit="save"),
    )


def _folder(state: FilesState) -> tuple[Widget, ...]:
    items, page, pages = page_of(inside(state, state.cwd), state.page, PAGE_SIZE)
    tree = listing("tree", (_branch(path, state.cwd) for path in folders(state)))
    some = bool(state.selected)
    tools = bar(
        button("Up", "up", enabled=state.cwd != ROOT), button("New folder", "new-folder"), button("New file", "new-file"),
        button("Open", "open", enabled=some), button("Rename", "rename", enabled=some), button("Move to…", "move", enabled=some),
        button("Delete", "delete", enabled=some), key="tools",
    )  # fmt: skip
    rows = [_row(state, path) for path in items]
    body = table("entries", ("Name", "Type", "Size"), rows) if rows else text("This folder is empty", "none")
    return (heading(f"Folder {state.cwd}", f"folder:{state.cwd}.title"), tools, tree, body, pager(page, pages))


def _branch(path: str, cwd: str) -> Widget:
    return Widget("link", path, f"folder:{path}", press=True, drop=True, selected=path == cwd)


def _row(state: FilesState, path: str) -> Widget:
    entry, key = state.entries[path], f"entry:{path}"
    is_folder = entry.kind == "folder"
    cells = (base(path), "Folder" if is_folder else "Text file", "" if is_folder else f"{len(entry.text.encode())} bytes")
    return row(
        key,
        *(cell(value, f"{key}.{n}") for n, value in zip(("name", "type", "size"), cells, strict=True)),
        opens=True,
        selected=path == state.selected,
        drag=True,
        drop=is_folder,
    )


def _generated(count: int, setting: Setting) -> dict[str, str]:
    rng = setting.rng
    places = ("/Documents", "/Documents/Projects", "/Reports", "/")
    made: dict[str, str] = {}
    while len(made) < count:
        name = f"{slug(rng.choice(TOPICS))}-{rng.randrange(10, 9999)}.txt"
        made[joined(rng.choice(places), name)] = paragraph(rng, 2)
    return made
