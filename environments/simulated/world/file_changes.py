"""Changes of many files at once, as a script makes them: all of them or none, on the tree of the files app."""

from pydantic import ValidationError

from environments.contract import FileChange, FileTree, text_digest
from environments.simulated.app import FunctionResult
from environments.simulated.apps.documents.files.app import ROOT, Entry, FilesState, parent
from environments.simulated.apps.documents.terminal.commands import Shell, Trouble, consistent
from environments.simulated.turn.turn import Refused, Turn
from environments.simulated.world.world import World
from protocol import Extension

_APP = "files"


def tree_of(world: World) -> FileTree | None:
    """The files of a world that has an app for them."""
    state = world.apps.get(_APP)
    if not isinstance(state, FilesState):
        return None
    files = {path: entry.text for path, entry in state.entries.items() if entry.kind == "file"}
    return FileTree(files, tuple(p for p, entry in state.entries.items() if entry.kind == "folder" and p != ROOT), _APP)


def change_files(turn: Turn, action: Extension) -> None:
    """Do what the action says to the files. Raises Refused, and then nothing is changed."""
    try:
        change = FileChange.of(action)
    except ValidationError as bad:
        raise Refused(f"{action.verb}: {bad.errors()[0]['msg']}") from None
    if change is None:
        raise Refused(f"this desktop cannot {action.verb.replace('_', ' ')}")
    state = turn.world.apps.get(_APP)
    if not isinstance(state, FilesState):
        raise Refused("this desktop has no app for files")
    turn.use(
        _APP,
        FunctionResult(
            _changed(state, change),
            {"written": len(change.written), "removed": len(change.removed), "folders": len(change.folders)},
        ),
    )


def _changed(state: FilesState, change: FileChange) -> FilesState:
    for path in (*change.written, *change.removed):
        entry = state.entries.get(path)
        found = text_digest(entry.text) if entry is not None and entry.kind == "file" else ""
        if found != change.was.get(path, ""):
            raise Refused(f"{path} is no longer as it was when the change was made; read it again")
    if missing := next((path for path in change.removed if path not in state.entries or path == ROOT), None):
        raise Refused(f"{missing} cannot be removed: there is no such file or folder")
    gone = set(change.removed)
    files = state.replace(entries={path: entry for path, entry in state.entries.items() if path not in gone})
    shell = Shell(files, ROOT)
    entries = [(path, Entry(kind="folder")) for path in sorted(change.folders)]
    entries += [(path, Entry(kind="file", text=text)) for path, text in sorted(change.written.items())]
    for path, entry in entries:
        try:
            if not path.startswith("/") or {"", ".", ".."} & set(path[1:].split("/")):
                raise Trouble("this is not an absolute path of a file")
            shell = shell if entry.kind == "folder" and shell.is_folder(path) else shell.put(path, entry)
        except Trouble as no:
            raise Refused(f"{path}: {no}") from None
    if lost := next((path for path in shell.files.entries if path != ROOT and not shell.is_folder(parent(path))), None):
        raise Refused(f"{lost} would be left without its folder")
    return consistent(shell.files)
