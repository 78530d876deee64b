"""Files: a tree of folders, and an editor for texts."""

from __future__ import annotations

from functools import reduce
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, model_validator

from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, Words, part_of, unknown
from environments.simulated.apps.common.record_list import picked, prompt, question, save_question, stepped
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, how_many, matches, page_of, paragraph, slug, topic

ROOT = "/"


class Entry(Model):
    """A file or a folder; its path is its key."""

    kind: Literal["file", "folder"]
    text: str = ""


class FilesState(sim.AppState):
    """Everything by absolute path, the folder that is shown, and the file that is edited."""

    entries: dict[str, Entry]
    cwd: str = ROOT
    selected: tuple[str, ...] = ()
    """Paths; the first one is where a range begins."""
    folded: tuple[str, ...] = ()
    """Folders whose own folders the tree does not show."""
    menu: str = ""
    """The path whose context menu is open."""
    open: str = ""
    text: str = ""
    page: int = 1

    def folders(self) -> list[str]:
        return sorted(path for path, entry in self.entries.items() if entry.kind == "folder")

    def branches(self) -> list[str]:
        """The folders that the tree shows: those below a folded one are left out."""
        return [path for path in self.folders() if not any(path != top and inside_of(path, top) for top in self.folded)]

    def inside(self, folder: str) -> list[str]:
        """The paths in a folder: folders first, then by name."""
        paths = [path for path in self.entries if path != ROOT and parent(path) == folder]
        return sorted(paths, key=lambda path: (self.entries[path].kind == "file", base(path).casefold()))

    def bad_name(self, folder: str, name: str) -> str:
        """Why there can be no new entry of this name, or nothing."""
        if not name or name in {".", ".."} or "/" in name:
            return f"{name!r} is no file name" if name else "The name is empty"
        if joined(folder, name) in self.entries:
            return f"{name} already exists"
        return ""

    def moved(self, old: str, new: str) -> FilesState:
        """The same tree with an entry, and all that is in it, at another path."""

        def at(path: str) -> str:
            return new + path[len(old) :] if path == old or path.startswith(old + "/") else path

        entries = {at(path): entry for path, entry in self.entries.items()}
        return self.replace(entries=entries, selected=(), cwd=at(self.cwd), open=at(self.open))

    def cannot_move(self, path: str, folder: str) -> str:
        """Why an entry cannot go into a folder, or nothing."""
        if folder == path or folder.startswith(path + "/"):
            return "A folder cannot be moved into itself"
        if parent(path) == folder:
            return f"{base(path)} is already in {folder}"
        return self.bad_name(folder, base(path))

    def removed(self, path: str) -> FilesState:
        rest = {p: entry for p, entry in self.entries.items() if p != path and not p.startswith(path + "/")}
        return self.replace(entries=rest, selected=())

    def copied(self, path: str, folder: str) -> FilesState:
        """The tree with a copy of an entry, and all that is in it, in a folder; under another name where its own is taken."""
        stem, dot, ending = base(path).rpartition(".")
        stem, ending = (stem, dot + ending) if stem else (base(path), "")
        names = (base(path), f"{stem} (copy){ending}", *(f"{stem} (copy {n}){ending}" for n in range(2, len(self.entries) + 3)))
        new = next(place for name in names if (place := joined(folder, name)) not in self.entries)
        more = {new + p[len(path) :]: entry for p, entry in self.entries.items() if inside_of(p, path)}
        return self.replace(entries={**self.entries, **more})

    def received(self, folder: str, name: str, text: str) -> tuple[FilesState, str]:
        """The tree with a file that another app sent, and its path. Where there is one of that name, it is numbered."""
        entry = self.entries.get(folder)
        place = ROOT if entry and entry.kind == "file" else folder
        name = name.replace("/", "-").strip(". ") or "download"
        stem, dot, ending = name.rpartition(".")
        numbered = (f"{stem} ({n}){dot}{ending}" if stem else f"{name} ({n})" for n in range(2, len(self.entries) + 3))
        free = next(joined(place, other) for other in (name, *numbered) if joined(place, other) not in self.entries)
        above = {} if place in self.entries else {place: Entry(kind="folder")}
        return self.replace(entries={**self.entries, **above, free: Entry(kind="file", text=text)}), free

    def nearest(self, folder: str) -> str:
        """The folder, or the lowest one above it that is there."""
        while folder != ROOT and (folder not in self.entries or self.entries[folder].kind == "file"):
            folder = parent(folder)
        return folder


def parent(path: str) -> str:
    return path.rpartition("/")[0] or ROOT


def base(path: str) -> str:
    return path.rpartition("/")[2] or ROOT


def joined(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def inside_of(path: str, folder: str) -> bool:
    """Whether a path is the folder or anywhere below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


class FilesContent(sim.Content):
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
            given = ", ".join(list(self.files or {})[:8]) or "none"
            raise ValueError(f"open: there is no file {self.open!r}; files given are: {given}")
        return self


def generated(count: int, setting: sim.Setting) -> dict[str, str]:
    rng = setting.rng
    places = ("/Documents", "/Documents/Projects", "/Reports", "/")
    made: dict[str, str] = {}
    while len(made) < count:
        name = f"{slug(topic(rng))}-{rng.randrange(10, 9999)}.txt"
        made[joined(rng.choice(places), name)] = paragraph(rng, 2)
    return made


Path = Annotated[str, AfterValidator(lambda path: joined(ROOT, path.strip("/")))]
"""From the root, with a slash before it or without."""


def _entry(state: FilesState, path: str, kind: str = "") -> Entry:
    entry = state.entries.get(path)
    if entry is None:
        unknown(kind or "entry", path, [p for p, e in state.entries.items() if kind in ("", e.kind)])
    if kind and entry.kind != kind:
        raise sim.FunctionDeclined(f"{path} is a {entry.kind}, not a {kind}")
    return entry


def _short(state: FilesState, path: str) -> JsonValue:
    entry = state.entries[path]
    size = None if entry.kind == "folder" else len(entry.text.encode())
    return {"path": path, "kind": entry.kind, "size": size}


def _made(state: FilesState, path: str, entry: Entry) -> sim.FunctionResult[FilesState]:
    folder, name = parent(path), path.rpartition("/")[2].strip()
    _entry(state, folder, "folder")
    if problem := state.bad_name(folder, name):
        raise sim.FunctionDeclined(problem)
    path = joined(folder, name)
    after = state.replace(entries={**state.entries, path: entry})
    return sim.FunctionResult(after, _short(after, path))


def _not_root(state: FilesState, path: str) -> None:
    _entry(state, path)
    if path == ROOT:
        raise sim.FunctionDeclined("the root folder stays where it is")


FUNCTIONS = FunctionTable[FilesState]()


@FUNCTIONS.reads("Folder", "A folder, the root where none is named.")
def list_folder(state: FilesState, offset: Offset = 0, limit: Limit = 50, path: Path = ROOT) -> JsonValue:
    """What is in a folder"""
    _entry(state, path, "folder")
    return part_of(state.inside(path), offset, limit, lambda path: _short(state, path))


@FUNCTIONS.reads("FileQuery", "`query` is searched in paths and texts.")
def find_files(state: FilesState, *, offset: Offset = 0, limit: Limit = 50, query: Words) -> JsonValue:
    """Files and folders whose path or text has all words of the query"""
    hits = [path for path, entry in state.entries.items() if path != ROOT and matches(query, path, entry.text)]
    return part_of(sorted(hits), offset, limit, lambda path: _short(state, path))


@FUNCTIONS.reads("Path", "A file or folder.")
def read_file(state: FilesState, path: Path) -> JsonValue:
    """The text of a file"""
    return {"path": path, "text": _entry(state, path, "file").text}


@FUNCTIONS.writes("Text", "A file and its whole text.")
def create_file(state: FilesState, path: Path, text: str = "") -> sim.FunctionResult[FilesState]:
    """Make a new file with this text"""
    return _made(state, path, Entry(kind="file", text=text))


@FUNCTIONS.writes("Path", "A file or folder.")
def create_folder(state: FilesState, path: Path) -> sim.FunctionResult[FilesState]:
    """Make a new folder"""
    return _made(state, path, Entry(kind="folder"))


@FUNCTIONS.writes("Text", "A file and its whole text.", repeatable=True)
def write_file(state: FilesState, path: Path, text: str = "") -> sim.FunctionResult[FilesState]:
    """Replace the text of a file"""
    old = _entry(state, path, "file")
    if state.open == path and state.text != old.text:
        raise sim.FunctionDeclined(f"{path} is open with changes that are not saved; save or discard them first")
    entries = {**state.entries, path: old.replace(text=text)}
    after = state.replace(entries=entries, text=text if state.open == path else state.text)
    return sim.FunctionResult(after, _short(after, path), (sim.Toast(f"{base(path)} saved"),))


@FUNCTIONS.writes("Rename", "Another name in the same folder.")
def rename(state: FilesState, path: Path, name: str) -> sim.FunctionResult[FilesState]:
    """Give an entry another name"""
    _not_root(state, path)
    name = name.strip()
    if name != base(path) and (problem := state.bad_name(parent(path), name)):
        raise sim.FunctionDeclined(problem)
    new = joined(parent(path), name)
    after = state.moved(path, new)
    return sim.FunctionResult(after, _short(after, new))


@FUNCTIONS.writes("Move", "The folder into which it goes.")
def move(state: FilesState, path: Path, folder: Path) -> sim.FunctionResult[FilesState]:
    """Put an entry into another folder"""
    _not_root(state, path)
    _entry(state, folder, "folder")
    if problem := state.cannot_move(path, folder):
        raise sim.FunctionDeclined(problem)
    new = joined(folder, base(path))
    after = state.moved(path, new)
    return sim.FunctionResult(after, _short(after, new), (sim.Toast(f"{base(path)} moved to {folder}"),))


@FUNCTIONS.writes("Path", "A file or folder.", repeatable=True)
def delete(state: FilesState, path: Path) -> sim.FunctionResult[FilesState]:
    """Delete an entry, and all that is in it, for good"""
    _not_root(state, path)
    after = state.removed(path)
    after = after.replace(cwd=after.nearest(state.cwd))
    after = after if state.open in after.entries else _closed(after)
    return sim.FunctionResult(after, {"deleted": path}, (sim.Toast(f"{base(path)} deleted"),))


PAGE_SIZE = 12
ACTIONS = {"move": "Move", "copy": "Copy"}
"""What is done with a folder as its goal, and how the button is called that does it."""


def folder(state: FilesState) -> tuple[Widget, ...]:
    items, page, pages = page_of(state.inside(state.cwd), state.page, PAGE_SIZE)
    some, one = bool(state.selected), len(state.selected) == 1
    tools = ui.bar(
        ui.button("Up", "up", enabled=state.cwd != ROOT), ui.button("New folder", "new-folder"),
        ui.button("New file", "new-file"), ui.button("Open", "open", enabled=one), ui.button("Rename", "rename", enabled=one),
        ui.button("Move to…", "move", enabled=some), ui.button("Copy to…", "copy", enabled=some),
        ui.button("Delete", "delete", enabled=some), key="tools",
    )  # fmt: skip
    rows: list[Widget] = []
    for path in items:
        rows.append(_row(state, path))
        if path == state.menu:
            choices = {"Open": one, "Rename…": one, "Move…": True, "Copy…": True, "Delete…": True}
            keys = {name: f"menu.{name.removesuffix('…').lower()}" for name in choices}
            rows.append(ui.menu("entry.menu", *(ui.menuitem(name, keys[name], enabled=on) for name, on in choices.items())))
    body = ui.table("entries", ("Name", "Type", "Size"), rows) if rows else ui.text("This folder is empty", "none")
    parents = {parent(path) for path in state.folders() if path != ROOT}

    def branch(path: str) -> Widget:
        level = 1 if path == ROOT else path.count("/") + 1
        expanded = path not in state.folded if path in parents else None
        return ui.treeitem(path, f"folder:{path}", level, expanded=expanded, selected=path == state.cwd, drop=True)

    title, tree = ui.heading(f"Folder {state.cwd}", f"folder:{state.cwd}.title"), ui.tree("tree", map(branch, state.branches()))
    return (title, tools, tree, body, ui.pager(page, pages))


def _row(state: FilesState, path: str) -> Widget:
    entry, key = state.entries[path], f"entry:{path}"
    is_folder = entry.kind == "folder"
    cells = (base(path), "Folder" if is_folder else "Text file", "" if is_folder else f"{len(entry.text.encode())} bytes")
    shown = (ui.cell(value, f"{key}.{n}") for n, value in zip(("name", "type", "size"), cells, strict=True))
    return ui.row(key, *shown, opens=True, selected=path in state.selected, drag=True, drop=is_folder, context=True)


_NEW = {"new-folder": ("New folder", "Folder name"), "new-file": ("New file", "File name")}


class Files(sim.App[FilesContent, FilesState]):
    """A file manager with a text editor."""

    name = "files"
    title = "Files"
    words = ("files", "file", "folder", "folders", "document", "documents")
    looks = frozenset({"cwd", "selected", "folded", "menu", "open", "text", "page"})
    meanings = (sim.Tree("entries"),)
    functions = FUNCTIONS

    def start(self, content: FilesContent, setting: sim.Setting) -> FilesState:
        files = {**generated(how_many(content.files, content.generate, 8, setting.cast.times), setting), **(content.files or {})}
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
        if state.open not in state.entries:
            return folder(state)
        buttons = ui.bar(ui.button("Save", "save"), ui.button("Close file", "close"))
        form = ui.form("editor", ui.textbox("Content", "text", state.text, multiline=True), buttons, submit="save")
        return (ui.heading(base(state.open), f"file:{state.open}"), ui.text(f"In {parent(state.open)}", "where"), form)

    def update(self, state: FilesState, event: sim.Event) -> sim.Update[FilesState]:
        if isinstance(event, sim.Arrived):
            if event.topic != "file":
                return sim.Update(state)
            after, path = state.received(event.data.get("folder", ROOT), event.data.get("name", ""), event.data.get("text", ""))
            return sim.Update(after, (sim.Toast(f"Saved as {path}"),))
        return _editing(state, event) if state.open in state.entries else _managing(state, event)


def _managing(state: FilesState, event: sim.Event) -> sim.Update[FilesState]:
    menu = state.menu
    if menu and (event in (sim.Away(pressed=True), sim.Shortcut("Escape")) or isinstance(event, sim.Pressed)):
        state = state.replace(menu="")
    match event:
        case sim.Answered(key=key, button=name, fields=fields) if name != "Cancel":
            return _answered(state, key, {k: v.strip() for k, v in fields.items()})
        case sim.Dropped(key=key, onto=onto):
            return _into(state, "move", state.selected if _path(key) in state.selected else (_path(key),), _path(onto))
        case sim.Context(key=key):
            path = _path(key)
            return sim.Update(state.replace(menu=path, selected=state.selected if path in state.selected else (path,)))
        case sim.Expanded(key=key, expanded=expanded):
            rest = tuple(path for path in state.folded if path != _path(key))
            return sim.Update(state.replace(folded=rest if expanded else (*rest, _path(key))))
        case sim.Shortcut(chord=chord):
            # Keys that stand for a button, and those that choose rows
            order = state.inside(state.cwd)
            if chord in ("Control+a", "Meta+a"):
                return sim.Update(state.replace(selected=tuple(order)))
            if chord in ("ArrowDown", "ArrowUp"):
                shown, _, _ = page_of(order, state.page, PAGE_SIZE)
                return sim.Update(state.replace(selected=stepped(shown, state.selected, 1 if chord == "ArrowDown" else -1)))
            return _browsing(state, sim.Pressed(_KEYS[chord])) if chord in _KEYS else sim.Update(state)
    return _browsing(state, event)


_KEYS = {"Delete": "delete", "F2": "rename", "Backspace": "up"}


def _path(key: str) -> str:
    return key.partition(":")[2]


def _browsing(state: FilesState, event: sim.Event) -> sim.Update[FilesState]:
    match event:
        case sim.Pressed(key="next" | "previous" as key):
            _, page, _ = page_of(state.inside(state.cwd), state.page + (1 if key == "next" else -1), PAGE_SIZE)
            return sim.Update(state.replace(page=page, selected=()))
        case sim.Pressed(key=key) if key.startswith("folder:"):
            return sim.Update(_opened(state, _path(key)))
        case sim.Pressed(key=key, modifiers=held) if key.startswith("entry:"):
            chosen = picked(state.inside(state.cwd), state.selected, _path(key), held)
            return sim.Update(state.replace(selected=chosen))
        case sim.Opened(key=key):
            return sim.Update(_opened(state, _path(key)))
        case sim.Pressed(key="open" | "menu.open") if state.selected:
            return sim.Update(_opened(state, state.selected[0]))
        case sim.Pressed(key="up"):
            return sim.Update(_opened(state, parent(state.cwd)))
        case sim.Pressed(key=key):
            dialog = _question(state, key.removeprefix("menu."))
            return sim.Update(state, (dialog,) if dialog else ())
    return sim.Update(state)


def _opened(state: FilesState, path: str) -> FilesState:
    entry = state.entries.get(path)
    if entry is None:
        return state
    if entry.kind == "folder":
        return state.replace(cwd=path, selected=(), page=1)
    return state.replace(open=path, text=entry.text, cwd=parent(path), selected=())


def _question(state: FilesState, key: str) -> sim.Dialog | None:
    if key in _NEW:
        title, label = _NEW[key]
        return prompt(key, title, "Create", sim.DialogField(key="name", label=label))
    if not state.selected:
        return None
    many = len(state.selected)
    name = base(state.selected[0]) if many == 1 else f"{many} entries"
    if key == "rename" and many == 1:
        return prompt(key, f"Rename {name}", "OK", sim.DialogField(key="name", label="New name", value=name))
    if key in ACTIONS:
        here = {parent(path) for path in state.selected} if key == "move" else ()
        places = tuple(path for path in state.folders() if path not in here)
        verb = ACTIONS[key]
        if places:
            return prompt(key, f"{verb} {name}", verb, sim.DialogField(key="folder", label="Destination folder", options=places))
    if key == "delete":
        lost = "It will be deleted for good." if many == 1 else "They will be deleted for good."
        return question(key, f"Delete {name}?", lost, f"Delete {name}")
    return None


def _answered(state: FilesState, key: str, fields: dict[str, str]) -> sim.Update[FilesState]:
    name = fields.get("name", "")
    if key == "delete":
        # What is inside of another one that is deleted goes with it
        gone = tuple(path for path in state.selected if path in state.entries)
        after = reduce(FilesState.removed, gone, state)
        return sim.Update(after, (sim.Toast(f"{_named(gone)} deleted"),) if gone else ())
    if key in ACTIONS:
        return _into(state, key, state.selected, fields["folder"]) if fields.get("folder") else sim.Update(state)
    chosen = state.selected[0] if state.selected else ""
    if key == "rename" and name == base(chosen):
        return sim.Update(state)
    place = parent(chosen) if key == "rename" else state.cwd
    if problem := state.bad_name(place, name):
        return sim.Update(state, (sim.Toast(problem),))
    path = joined(place, name)
    if key == "rename":
        return sim.Update(state.moved(chosen, path).replace(selected=(path,)))
    entry = Entry(kind="folder" if key == "new-folder" else "file")
    made = state.replace(entries={**state.entries, path: entry})
    return sim.Update(made if entry.kind == "folder" else _opened(made, path))


def _named(paths: tuple[str, ...]) -> str:
    return base(paths[0]) if len(paths) == 1 else f"{len(paths)} entries"


def _into(state: FilesState, key: str, paths: tuple[str, ...], folder: str) -> sim.Update[FilesState]:
    """All of them moved or copied into a folder, or none if one of them cannot be."""
    there = tuple(path for path in paths if path in state.entries)
    if not there or folder not in state.entries:
        return sim.Update(state)
    after = state
    for path in there:
        within = state.entries[path].kind == "folder" and inside_of(folder, path)
        problem = after.cannot_move(path, folder) if key == "move" else "A folder cannot be copied into itself" if within else ""
        if problem:
            return sim.Update(state, (sim.Toast(problem),))
        after = after.moved(path, joined(folder, base(path))) if key == "move" else after.copied(path, folder)
    done = "moved" if key == "move" else "copied"
    return sim.Update(after, (sim.Toast(f"{_named(there)} {done} to {folder}"),))


def _editing(state: FilesState, event: sim.Event) -> sim.Update[FilesState]:
    match event:
        case sim.Edited(key="text", value=value):
            return sim.Update(state.replace(text=value))
        case sim.Pressed(key="save") | sim.Shortcut(chord="Control+s" | "Meta+s"):
            return sim.Update(_saved(state), (sim.Toast(f"{base(state.open)} saved"),))
        case sim.Pressed(key="close") if state.text != state.entries[state.open].text:
            return sim.Update(state, (save_question("This file has changes that are not saved."),))
        case sim.Pressed(key="close") | sim.Answered(key="unsaved", button="Discard changes"):
            return sim.Update(_closed(state))
        case sim.Answered(key="unsaved", button="Save changes"):
            return sim.Update(_closed(_saved(state)))
    return sim.Update(state)


def _saved(state: FilesState) -> FilesState:
    entry = state.entries[state.open].replace(text=state.text)
    return state.replace(entries={**state.entries, state.open: entry})


def _closed(state: FilesState) -> FilesState:
    return state.replace(open="", text="")
