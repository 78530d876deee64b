"""The functions of Files. Paths are absolute, such as /Documents/plan.txt."""

from __future__ import annotations

from pydantic import JsonValue

from environments.simulated.app import FunctionDeclined, FunctionResult, Toast
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, Page, Words, part_of, unknown
from environments.simulated.apps.documents.files.state import ROOT, Entry, FilesState, base, joined, parent
from environments.simulated.world.values import Model, matches


class Path(Model):
    """A file or folder."""

    path: str


class Folder(Page):
    """A folder, the root where none is named."""

    path: str = ROOT


class Text(Path):
    """A file and its whole text."""

    text: str = ""


class Rename(Path):
    """Another name in the same folder."""

    name: str


class Move(Path):
    """The folder into which it goes."""

    folder: str


def _entry(state: FilesState, path: str, kind: str = "") -> Entry:
    entry = state.entries.get(path)
    if entry is None:
        unknown(kind or "entry", path, [p for p, e in state.entries.items() if kind in ("", e.kind)])
    if kind and entry.kind != kind:
        raise FunctionDeclined(f"{path} is a {entry.kind}, not a {kind}")
    return entry


def _short(state: FilesState, path: str) -> JsonValue:
    entry = state.entries[path]
    size = None if entry.kind == "folder" else len(entry.text.encode())
    return {"path": path, "kind": entry.kind, "size": size}


def _made(state: FilesState, path: str, entry: Entry) -> FunctionResult[FilesState]:
    if not path.startswith("/"):
        raise FunctionDeclined(f"{path!r} is no absolute path; write it like /Documents/plan.txt")
    folder, name = parent(path), path.rpartition("/")[2].strip()
    _entry(state, folder, "folder")
    if problem := state.bad_name(folder, name):
        raise FunctionDeclined(problem)
    path = joined(folder, name)
    after = state.replace(entries={**state.entries, path: entry})
    return FunctionResult(after, _short(after, path))


def _placed(state: FilesState, old: str, new: str, effects: tuple[Toast, ...]) -> FunctionResult[FilesState]:
    after = state.moved(old, new)
    return FunctionResult(after, _short(after, new), effects)


def _not_root(state: FilesState, path: str) -> None:
    _entry(state, path)
    if path == ROOT:
        raise FunctionDeclined("the root folder stays where it is")


def _nearest(state: FilesState, folder: str) -> str:
    while folder not in state.entries:
        folder = parent(folder)
    return folder


FUNCTIONS = FunctionTable[FilesState]()


@FUNCTIONS.reads()
def list_folder(state: FilesState, wanted: Folder) -> JsonValue:
    """What is in a folder"""
    _entry(state, wanted.path, "folder")
    return part_of(state.inside(wanted.path), wanted.offset, wanted.limit, lambda path: _short(state, path))


@FUNCTIONS.reads("FileQuery", "`query` is searched in paths and texts.")
def find_files(state: FilesState, *, offset: Offset = 0, limit: Limit = 50, query: Words) -> JsonValue:
    """Files and folders whose path or text has all words of the query"""
    hits = [path for path, entry in state.entries.items() if path != ROOT and matches(query, path, entry.text)]
    return part_of(sorted(hits), offset, limit, lambda path: _short(state, path))


@FUNCTIONS.reads("Path", "A file or folder.")
def read_file(state: FilesState, path: str) -> JsonValue:
    """The text of a file"""
    return {"path": path, "text": _entry(state, path, "file").text}


@FUNCTIONS.writes("Text", "A file and its whole text.")
def create_file(state: FilesState, path: str, text: str = "") -> FunctionResult[FilesState]:
    """Make a new file with this text"""
    return _made(state, path, Entry(kind="file", text=text))


@FUNCTIONS.writes("Path", "A file or folder.")
def create_folder(state: FilesState, path: str) -> FunctionResult[FilesState]:
    """Make a new folder"""
    return _made(state, path, Entry(kind="folder"))


@FUNCTIONS.writes("Text", "A file and its whole text.", repeatable=True)
def write_file(state: FilesState, path: str, text: str = "") -> FunctionResult[FilesState]:
    """Replace the text of a file"""
    old = _entry(state, path, "file")
    changes: dict[str, object] = {"entries": {**state.entries, path: old.replace(text=text)}}
    if state.open == path:
        if state.text != old.text:
            raise FunctionDeclined(f"{path} is open with changes that are not saved; save or discard them first")
        changes["text"] = text
    after = state.replace(**changes)
    return FunctionResult(after, _short(after, path), (Toast(f"{base(path)} saved"),))


@FUNCTIONS.writes("Rename", "Another name in the same folder.")
def rename(state: FilesState, path: str, name: str) -> FunctionResult[FilesState]:
    """Give an entry another name"""
    _not_root(state, path)
    name = name.strip()
    if name != base(path) and (problem := state.bad_name(parent(path), name)):
        raise FunctionDeclined(problem)
    return _placed(state, path, joined(parent(path), name), ())


@FUNCTIONS.writes("Move", "The folder into which it goes.")
def move(state: FilesState, path: str, folder: str) -> FunctionResult[FilesState]:
    """Put an entry into another folder"""
    _not_root(state, path)
    _entry(state, folder, "folder")
    if problem := state.cannot_move(path, folder):
        raise FunctionDeclined(problem)
    name = base(path)
    return _placed(state, path, joined(folder, name), (Toast(f"{name} moved to {folder}"),))


@FUNCTIONS.writes("Path", "A file or folder.", repeatable=True)
def delete(state: FilesState, path: str) -> FunctionResult[FilesState]:
    """Delete an entry, and all that is in it, for good"""
    _not_root(state, path)
    after = state.removed(path)
    changes: dict[str, object] = {"cwd": _nearest(after, state.cwd)}
    if state.open not in after.entries:
        changes |= {"open": "", "text": ""}
    return FunctionResult(after.replace(**changes), {"deleted": path}, (Toast(f"{base(path)} deleted"),))
