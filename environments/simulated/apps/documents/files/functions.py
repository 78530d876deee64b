"""The functions of Files. Paths are absolute, such as /Documents/plan.txt."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue

from environments.simulated.app import Toast
from environments.simulated.apps.common.functions_base import Page, part_of, unknown
from environments.simulated.apps.documents.files.state import (
    ROOT,
    Entry,
    FilesState,
    bad_name,
    base,
    cannot_move,
    inside,
    joined,
    moved,
    parent,
    removed,
)
from environments.simulated.skills import Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model, matches


class Path(Model):
    """A file or folder."""

    path: str


class Folder(Page):
    """A folder, the root where none is named."""

    path: str = ROOT


class FileQuery(Page):
    """`query` is searched in paths and texts."""

    query: str = Field(min_length=1)


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


def list_folder(state: FilesState, wanted: Folder) -> FunctionResult[FilesState]:
    _entry(state, wanted.path, "folder")
    return FunctionResult(state, part_of(inside(state, wanted.path), wanted, lambda path: _short(state, path)))


def find_files(state: FilesState, wanted: FileQuery) -> FunctionResult[FilesState]:
    hits = [path for path, entry in state.entries.items() if path != ROOT and matches(wanted.query, path, entry.text)]
    return FunctionResult(state, part_of(sorted(hits), wanted, lambda path: _short(state, path)))


def read_file(state: FilesState, wanted: Path) -> FunctionResult[FilesState]:
    return FunctionResult(state, {"path": wanted.path, "text": _entry(state, wanted.path, "file").text})


def _made(state: FilesState, path: str, entry: Entry) -> FunctionResult[FilesState]:
    if not path.startswith("/"):
        raise FunctionDeclined(f"{path!r} is no absolute path; write it like /Documents/plan.txt")
    folder, name = parent(path), path.rpartition("/")[2].strip()
    _entry(state, folder, "folder")
    if problem := bad_name(state, folder, name):
        raise FunctionDeclined(problem)
    path = joined(folder, name)
    after = state.model_copy(update={"entries": {**state.entries, path: entry}})
    return FunctionResult(after, _short(after, path))


def create_file(state: FilesState, new: Text) -> FunctionResult[FilesState]:
    return _made(state, new.path, Entry(kind="file", text=new.text))


def create_folder(state: FilesState, new: Path) -> FunctionResult[FilesState]:
    return _made(state, new.path, Entry(kind="folder"))


def write_file(state: FilesState, new: Text) -> FunctionResult[FilesState]:
    old = _entry(state, new.path, "file")
    changes: dict[str, Any] = {"entries": {**state.entries, new.path: old.model_copy(update={"text": new.text})}}
    if state.open == new.path:
        if state.text != old.text:
            raise FunctionDeclined(f"{new.path} is open with changes that are not saved; save or discard them first")
        changes["text"] = new.text
    after = state.model_copy(update=changes)
    return FunctionResult(after, _short(after, new.path), (Toast(f"{base(new.path)} saved"),))


def rename(state: FilesState, change: Rename) -> FunctionResult[FilesState]:
    _not_root(state, change.path)
    name = change.name.strip()
    if name != base(change.path) and (problem := bad_name(state, parent(change.path), name)):
        raise FunctionDeclined(problem)
    return _placed(state, change.path, joined(parent(change.path), name), ())


def move(state: FilesState, change: Move) -> FunctionResult[FilesState]:
    _not_root(state, change.path)
    _entry(state, change.folder, "folder")
    if problem := cannot_move(state, change.path, change.folder):
        raise FunctionDeclined(problem)
    name = base(change.path)
    return _placed(state, change.path, joined(change.folder, name), (Toast(f"{name} moved to {change.folder}"),))


def _placed(state: FilesState, old: str, new: str, effects: tuple[Toast, ...]) -> FunctionResult[FilesState]:
    after = moved(state, old, new)
    return FunctionResult(after, _short(after, new), effects)


def delete(state: FilesState, which: Path) -> FunctionResult[FilesState]:
    _not_root(state, which.path)
    after = removed(state, which.path)
    changes: dict[str, Any] = {"cwd": _nearest(after, state.cwd)}
    if state.open not in after.entries:
        changes |= {"open": "", "text": ""}
    return FunctionResult(after.model_copy(update=changes), {"deleted": which.path}, (Toast(f"{base(which.path)} deleted"),))


def _not_root(state: FilesState, path: str) -> None:
    _entry(state, path)
    if path == ROOT:
        raise FunctionDeclined("the root folder stays where it is")


def _nearest(state: FilesState, folder: str) -> str:
    while folder not in state.entries:
        folder = parent(folder)
    return folder


FUNCTIONS = (
    Function("list_folder", "What is in a folder", Folder, list_folder),
    Function("find_files", "Files and folders whose path or text has all words of the query", FileQuery, find_files),
    Function("read_file", "The text of a file", Path, read_file),
    Function("create_file", "Make a new file with this text", Text, create_file, writes=True),
    Function("create_folder", "Make a new folder", Path, create_folder, writes=True),
    Function("write_file", "Replace the text of a file", Text, write_file, writes=True, repeatable=True),
    Function("rename", "Give an entry another name", Rename, rename, writes=True),
    Function("move", "Put an entry into another folder", Move, move, writes=True),
    Function("delete", "Delete an entry, and all that is in it, for good", Path, delete, writes=True, repeatable=True),
)
