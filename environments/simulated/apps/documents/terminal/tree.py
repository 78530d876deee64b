"""What the commands see: a tree of files, a folder that they are in, and what they say. No path leads out of the tree."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from environments.simulated.apps.documents.files.state import ROOT, Entry, FilesState, joined, parent

FILE_MAX = 200_000
"""Longest text of a file, and of what goes through a pipe."""
ENTRIES_MAX = 5_000
_PATH_MAX = 4096
_NAME_MAX = 255


class Shell(NamedTuple):
    """What a command works on."""

    files: FilesState
    cwd: str
    user: str
    today: str
    past: tuple[str, ...] = ()

    def entry(self, path: str) -> Entry | None:
        return self.files.entries.get(path)

    def is_folder(self, path: str) -> bool:
        entry = self.entry(path)
        return entry is not None and entry.kind == "folder"

    def with_files(self, files: FilesState) -> Shell:
        return self._replace(files=files)

    def absolute(self, path: str) -> str:
        """The path from the root, without `.` and `..`; nothing is above the root."""
        parts: list[str] = [] if path.startswith("/") else [part for part in self.cwd.split("/") if part]
        for part in path.split("/"):
            if part == "..":
                del parts[-1:]
            elif part not in {"", "."}:
                parts.append(part)
        return "/" + "/".join(parts)

    def why_not(self, path: str) -> str:
        """Why there is nothing at an absolute path."""
        above = path
        while above != ROOT:
            above = parent(above)
            if self.entry(above) is not None:
                return "No such file or directory" if self.is_folder(above) else "Not a directory"
        return "No such file or directory"

    def there(self, path: str) -> str:
        """The absolute path of something that exists. Raises Trouble with the bare reason."""
        full = self.absolute(path)
        if not path or self.entry(full) is None:
            raise Trouble(self.why_not(full))
        return full

    def text_of(self, path: str) -> str:
        """The text of a file. Raises Trouble with the bare reason."""
        entry = self.files.entries[self.there(path)]
        if entry.kind == "folder":
            raise Trouble("Is a directory")
        return entry.text

    def put(self, path: str, entry: Entry) -> Shell:
        """The shell with an entry at an absolute path, in a folder that exists. Raises Trouble with the bare reason."""
        if not self.is_folder(parent(path)):
            raise Trouble(self.why_not(path))
        if len(path) > _PATH_MAX or len(path.rpartition("/")[2]) > _NAME_MAX:
            raise Trouble("File name too long")
        if len(entry.text) > FILE_MAX or (path not in self.files.entries and len(self.files.entries) >= ENTRIES_MAX):
            raise Trouble("No space left on device")
        return self.with_files(written(self.files, path, entry))

    def below(self, folder: str) -> list[str]:
        """A path and everything in it, in order."""
        head = folder.rstrip("/") + "/"
        return sorted((p for p in self.files.entries if p == folder or p.startswith(head)), key=lambda p: p.split("/"))

    def globbed(self, pattern: str) -> list[str]:
        """The paths that fit a pattern, worded as the pattern is: relative to the folder at hand, or absolute."""
        rooted = pattern.startswith("/")
        hits = [("/" if rooted else "", ROOT if rooted else self.cwd)]
        for part in (part for part in pattern.split("/") if part):
            hits = [(_said(said, name), path) for said, folder in hits for name, path in self._fitting(folder, part)]
        return sorted(said for said, _ in hits if said)

    def _fitting(self, folder: str, part: str) -> list[tuple[str, str]]:
        if not self.is_folder(folder):
            return []
        if part in {".", ".."}:
            return [(part, self.absolute(joined(folder, part)))]
        names = [(path.rpartition("/")[2], path) for path in self.files.inside(folder)]
        return [(n, p) for n, p in names if fnmatchcase(n, part) and (not n.startswith(".") or part.startswith("."))]


class CommandResult(NamedTuple):
    """What came of a command."""

    shell: Shell
    out: str = ""
    errors: tuple[str, ...] = ()
    status: int = 0
    clear: bool = False


class Trouble(Exception):
    """A command cannot be done; the message is what it says after its name."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def written(files: FilesState, path: str, entry: Entry) -> FilesState:
    """The files with an entry. An editor without changes of its own shows the new text; unsaved changes stay its own."""
    old = files.entries.get(path)
    after = files.replace(entries={**files.entries, path: entry})
    follows = path == files.open and old is not None and files.text == old.text
    return after.replace(text=entry.text) if follows else after


def consistent(files: FilesState) -> FilesState:
    """The files when something may be gone: the window shows, selects and edits only what is there."""
    selected = tuple(path for path in files.selected if path in files.entries)
    changes: dict[str, object] = {"cwd": nearest(files, files.cwd), "selected": selected}
    open_entry = files.entries.get(files.open)
    if files.open and (open_entry is None or open_entry.kind == "folder"):
        changes |= {"open": "", "text": ""}
    return files.replace(**changes)


def nearest(files: FilesState, folder: str) -> str:
    """The folder, or the lowest one above it that is there."""
    while folder != ROOT and (folder not in files.entries or files.entries[folder].kind == "file"):
        folder = parent(folder)
    return folder


def _said(before: str, name: str) -> str:
    return f"{before}{'' if before in {'', '/'} else '/'}{name}"
