"""What the file manager knows, and what can be done to a tree of files."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from environments.simulated import app as sim
from environments.simulated.world.values import Model, paragraph, slug, topic

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
            raise ValueError(
                f"open: there is no file {self.open!r}; files given are: {', '.join(list(self.files or {})[:8]) or 'none'}"
            )
        return self


def generated(count: int, setting: sim.Setting) -> dict[str, str]:
    rng = setting.rng
    places = ("/Documents", "/Documents/Projects", "/Reports", "/")
    made: dict[str, str] = {}
    while len(made) < count:
        name = f"{slug(topic(rng))}-{rng.randrange(10, 9999)}.txt"
        made[joined(rng.choice(places), name)] = paragraph(rng, 2)
    return made
