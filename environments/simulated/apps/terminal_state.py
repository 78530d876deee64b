"""What the terminal knows: what was said and typed, and the folder that it is in. The files belong to the files app."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from environments.simulated.app import Change, Effect, Sharing
from environments.simulated.apps.files_state import ROOT, Entry, FilesState
from environments.simulated.apps.terminal_shell import run
from environments.simulated.apps.terminal_tree import Ran, Shell

KEPT_LINES = 500
KEPT_COMMANDS = 200
_LINE_MAX = 2_000


class TerminalState(Sharing):
    """Lines and commands by number, oldest first. `own` is the tree of a world without a files app."""

    user: str
    today: str
    cwd: str = ROOT
    status: int = 0
    command: str = ""
    lines: dict[str, str] = Field(default_factory=dict)
    past: dict[str, str] = Field(default_factory=dict)
    back: int = 0
    """How many screenfuls above the end are shown."""
    recalled: int = 0
    """How many commands back the one in the field is; 0 when it was typed."""
    own: dict[str, Entry] = Field(default_factory=lambda: {ROOT: Entry(kind="folder")})


def prompt(state: TerminalState) -> str:
    return f"{state.user}:{state.cwd}$"


def numbered(old: dict[str, str], new: Iterable[str], most: int) -> dict[str, str]:
    """More entries under the next numbers; only the last ones are kept."""
    number = int(next(reversed(old), "0"))
    items = [*old.items(), *((str(n), text) for n, text in enumerate(new, number + 1))]
    return dict(items[-most:])


def executed(state: TerminalState, line: str) -> tuple[TerminalState, Ran, tuple[Effect, ...]]:
    """The terminal after a command line, what came of it, and what that does to the files."""
    files = state.lent if isinstance(state.lent, FilesState) else FilesState(entries=state.own)
    past = numbered(state.past, [line], KEPT_COMMANDS) if line.strip() else state.past
    ran = run(Shell(files, state.cwd, state.user, state.today, tuple(past.values())), line)
    said = [*ran.errors, *(ran.out.removesuffix("\n").split("\n") if ran.out else ())]
    echoed = [] if ran.clear else [f"{prompt(state)} {line}".rstrip()]
    shown = [text if len(text) <= _LINE_MAX else f"{text[:_LINE_MAX]}…" for text in [*echoed, *said][-KEPT_LINES:]]
    lines = numbered(state.lines, shown, KEPT_LINES)
    after = state.model_copy(
        update={
            "cwd": ran.shell.cwd, "status": ran.status, "past": past, "back": 0, "recalled": 0, "command": "",
            "lines": dict(list(lines.items())[-len(shown) :] if shown else []) if ran.clear else lines,
        }
    )  # fmt: skip
    if ran.shell.files is files:
        return after, ran, ()
    if state.lent is not None:
        return after, ran, (Change(ran.shell.files),)
    return after.model_copy(update={"own": ran.shell.files.entries}), ran, ()


def recalled(state: TerminalState, by: int) -> TerminalState:
    """An earlier (1) or later (-1) command in the field; an empty field after the latest."""
    past = list(state.past.values())
    at = min(max(0, state.recalled + by), len(past))
    return state.model_copy(update={"recalled": at, "command": past[-at] if at else ""})
