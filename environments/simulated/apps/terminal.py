"""Terminal: a command line over the tree of the files app."""

from __future__ import annotations

from environments.simulated.app import App, Content, Edited, Event, Pressed, Setting, Shortcut, Update
from environments.simulated.apps.files_state import ROOT
from environments.simulated.apps.terminal_skills import FUNCTIONS
from environments.simulated.apps.terminal_state import TerminalState, executed, prompt, recalled
from environments.simulated.meanings import Tree
from environments.simulated.widgets import Widget, bar, button, form, group, heading, text, textbox

SCREENFUL = 14
_KEYS = {
    "Control+p": "earlier", "Alt+ArrowUp": "earlier", "Control+n": "later", "Alt+ArrowDown": "later", "Control+l": "clear",
    "Control+u": "empty", "ArrowUp": "earlier", "ArrowDown": "later",
}  # fmt: skip


class TerminalContent(Content):
    """`cwd` is the folder in which it starts."""

    cwd: str = ROOT


class Terminal(App[TerminalContent, TerminalState]):
    """A shell of its own making, on the files of the files app; without one in the world, on an empty tree of its own."""

    name = "terminal"
    title = "Terminal"
    words = ("terminal", "shell", "console", "command", "commands")
    shares = "files"
    content = TerminalContent
    state = TerminalState
    looks = frozenset({"cwd", "status", "command", "lines", "past", "back", "recalled"})
    meanings = (Tree("own"),)
    functions = FUNCTIONS

    def start(self, content: TerminalContent, setting: Setting) -> TerminalState:
        user = ".".join(setting.cast.user.casefold().split()) or "user"
        return TerminalState(user=user, today=setting.cast.today.isoformat(), cwd=content.cwd)

    def view(self, state: TerminalState) -> tuple[Widget, ...]:
        shown, more_above, more_below = _screenful(state)
        line = textbox("Command", "command", state.command, placeholder="help")
        tools = bar(
            button("Earlier command", "earlier", enabled=state.recalled < len(state.past)),
            button("Later command", "later", enabled=state.recalled > 0),
            button("Older output", "older", enabled=more_above), button("Newer output", "newer", enabled=more_below),
            key="tools",
        )  # fmt: skip
        return (
            heading("Terminal"),
            group(*(text(said, f"line-{number}") for number, said in shown), key="output"),
            text(f"[{state.status}] {prompt(state)}", "prompt"),
            form("shell", line, button("Run", "run"), submit="run", across=True),
            tools,
        )

    def update(self, state: TerminalState, event: Event) -> Update[TerminalState]:
        match event:
            case Edited(key="command", value=value):
                return Update(state.model_copy(update={"command": value, "recalled": 0}))
            case Pressed(key="run"):
                after, _, effects = executed(state, state.command)
                return Update(after, effects)
            case Pressed(key=key):
                return Update(_done(state, key))
            case Shortcut(chord=chord) if chord in _KEYS:
                return Update(_done(state, _KEYS[chord]))
        return Update(state)


def _screenful(state: TerminalState) -> tuple[list[tuple[str, str]], bool, bool]:
    """The lines on the screen, and whether there are more above and below them."""
    lines = list(state.lines.items())
    end = max(len(lines) - state.back * SCREENFUL, min(SCREENFUL, len(lines)))
    return lines[max(0, end - SCREENFUL) : end], end > SCREENFUL, end < len(lines)


def _done(state: TerminalState, key: str) -> TerminalState:
    _, more_above, _ = _screenful(state)
    match key:
        case "earlier":
            return recalled(state, 1)
        case "later":
            return recalled(state, -1)
        case "older" if more_above:
            return state.model_copy(update={"back": state.back + 1})
        case "newer":
            return state.model_copy(update={"back": max(0, state.back - 1)})
        case "clear":
            return state.model_copy(update={"lines": {}, "back": 0})
        case "empty":
            return state.model_copy(update={"command": "", "recalled": 0})
    return state
