"""What the file manager knows, and what can be done to a tree of files."""

from __future__ import annotations

from typing import Literal

from environments.simulated.app import AppState
from environments.simulated.values import Model

ROOT = "/"


class Entry(Model):
    """A file or a folder; its path is its key."""

    kind: Literal["file", "folder"]
    text: str = ""


class FilesState(AppState):
    """Everything by absolute path, the folder that is shown, and the file that is edited."""

    entries: dict[str, Entry]
    cwd: str = ROOT
    selected: str = ""
    open: str = ""
    text: str = ""
    page: int = 1


def parent(path: str) -> str:
    return path.rpartition("/")[0] or ROOT


def base(path: str) -> str:
    return path.rpartition("/")[2] or ROOT


def joined(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def folders(state: FilesState) -> list[str]:
    return sorted(path for path, entry in state.entries.items() if entry.kind == "folder")


def inside(state: FilesState, folder: str) -> list[str]:
    """The paths in a folder: folders first, then by name."""
    paths = [path for path in state.entries if path != ROOT and parent(path) == folder]
    return sorted(paths, key=lambda path: (state.entries[path].kind == "file", base(path).casefold()))


def bad_name(state: FilesState, folder: str, name: str) -> str:
    """Why there can be no new entry of this name, or nothing."""
    if not name or name in {".", ".."} or "/" in name:
        return f"{name!r} is no file name" if name else "The name is empty"
    if joined(folder, name) in state.entries:
        return f"{name} already exists"
    return ""


def moved(state: FilesState, old: str, new: str) -> FilesState:
    """The same tree with an entry, and all that is in it, at another path."""

    def at(path: str) -> str:
        return new + path[len(old) :] if path == old or path.startswith(old + "/") else path

    entries = {at(path): entry for path, entry in state.entries.items()}
    return state.model_copy(update={"entries": entries, "selected": "", "cwd": at(state.cwd), "open": at(state.open)})


def cannot_move(state: FilesState, path: str, folder: str) -> str:
    """Why an entry cannot go into a folder, or nothing."""
    if folder == path or folder.startswith(path + "/"):
        return "A folder cannot be moved into itself"
    if parent(path) == folder:
        return f"{base(path)} is already in {folder}"
    return bad_name(state, folder, base(path))


def removed(state: FilesState, path: str) -> FilesState:
    rest = {p: entry for p, entry in state.entries.items() if p != path and not p.startswith(path + "/")}
    return state.model_copy(update={"entries": rest, "selected": ""})
