"""Terminal: a command line over the tree of the files app."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field, JsonValue

from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Words
from environments.simulated.apps.documents.files.app import ROOT, Entry, FilesState
from environments.simulated.apps.documents.terminal.commands import COMMANDS, FILE_MAX, CommandResult, Shell, Trouble, saying
from environments.simulated.screen.widgets import Widget, bar, button, form, group, heading, text, textbox

WORKING = frozenset({"&&", ";", "|", ">", ">>"})
_TOKEN = re.compile(
    r"(?P<blank>[^\S\n]+)|(?P<sign>\n|&&|\|\||>>|\|&|&>|;;|[|&;><()])"
    r"|(?P<word>(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.?|[^\s'\"\\|&;<>()]+)+)", re.DOTALL,
)  # fmt: skip
_PART = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.?)|([^'\"\\]+)", re.DOTALL)
_EXPANSION = re.compile(r"`|\$\(|\$[\w{?$!#@]")
LONGEST = 4096


class ShellWord(NamedTuple):
    """A word without its quotes; `pattern` is set when it has wildcards that are not quoted."""

    text: str
    pattern: str = ""


class Sign(NamedTuple):
    """`|`, `&&`, `;`, `>` or `>>`."""

    text: str


def tokens(line: str) -> Iterator[ShellWord | Sign]:
    """The words and signs of a line. Raises Trouble."""
    if len(line) > LONGEST:
        raise Trouble(f"the line is too long; at most {LONGEST} characters can be read")
    at = 0
    while at < len(line):
        found = _TOKEN.match(line, at)
        if found is None:
            raise Trouble(f"unexpected EOF while looking for matching `{line[at]}'")
        at = found.end()
        if word := found["word"]:
            if word.isdigit() and line.startswith(">", at):
                raise Trouble("streams cannot be redirected by their number; use '>' and '>>'")
            yield _word(word)
        elif sign := found["sign"]:
            if sign != "\n" and sign not in WORKING:
                raise Trouble(f"{sign!r} is not supported in this terminal; commands are joined by '|', '&&' and ';' only")
            yield Sign(sign.replace("\n", ";"))


def _word(raw: str) -> ShellWord:
    """A word as the command gets it, and as a pattern in which what was quoted stands for itself."""
    if raw == "~" or raw.startswith("~/"):
        raw = f"/{raw[2:]}"
    text, pattern, wild = "", "", False
    for single, double, escaped, bare in _PART.findall(raw):
        if loose := _EXPANSION.search(bare + re.sub(r"\\.", "", double)):
            what = "there are no variables in this terminal; quote a dollar sign with '…'"
            if loose[0] in {"`", "$("}:
                what = "commands within commands are not supported in this terminal; run them one after the other"
            raise Trouble(what)
        quoted = single + re.sub(r"\\([\"\\$`])", r"\1", double) + escaped
        text, pattern = text + quoted + bare, pattern + re.sub(r"[*?[]", r"[\g<0>]", quoted) + bare
        wild |= re.search(r"[*?[]", bare) is not None
    return ShellWord(text, pattern if wild else "")


NOT_FOUND = 127
SYNTAX = 2
_ARGUMENTS_MAX = 5_000


class Call(NamedTuple):
    """One command: its words, and the file that its output goes to, with `>` or `>>` before it."""

    words: tuple[ShellWord, ...]
    to: tuple[str, str] | None = None


class Chain(NamedTuple):
    """Commands joined by pipes; `after` is `&&` when it waits for the success of the chain before it."""

    calls: tuple[Call, ...]
    after: str = ";"


def parse(line: str) -> list[Chain]:
    """The chains of a line. Raises Trouble."""
    chains: list[Chain] = []
    after = ";"
    pieces: list[list[ShellWord | Sign]] = [[]]
    for token in [*tokens(line), Sign(";")]:
        if token == Sign("|"):
            pieces.append([])
        if isinstance(token, ShellWord) or token.text not in {";", "&&", "|"}:
            pieces[-1].append(token)
        if isinstance(token, ShellWord) or token.text not in {";", "&&"}:
            continue
        if pieces != [[]]:
            chains.append(Chain(tuple(map(_call, pieces)), after))
        elif token.text == "&&" or after == "&&":
            raise Trouble(f"syntax error near unexpected token `{token.text if token.text == '&&' else 'newline'}'")
        after, pieces = token.text, [[]]
    return chains


def _call(piece: Sequence[ShellWord | Sign]) -> Call:
    words = [token for token in piece if isinstance(token, ShellWord)]
    match [token for token in piece if isinstance(token, Sign)]:
        case []:
            to = None
        case [sign] if len(piece) > 1 and piece[-2] is sign:
            to = (sign.text, words.pop().text)
        case _:
            raise Trouble("syntax error: one file is named behind '>' or '>>', at the end of a command")
    if not words:
        raise Trouble("syntax error: a command is missing")
    return Call(tuple(words), to)


def run(shell: Shell, line: str) -> CommandResult:
    """What a line does and says. Never raises: what cannot be done is an error message and a status."""
    try:
        chains = parse(line)
    except Trouble as no:
        return CommandResult(shell, "", (f"bash: {no}",), SYNTAX)
    done = CommandResult(shell)
    for chain in chains:
        if chain.after == "&&" and done.status:
            continue
        # The folder at hand may be gone, by this window or another one: then the nearest one above it takes its place
        after = _chain(done.shell._replace(cwd=done.shell.files.nearest(done.shell.cwd)), chain)
        out = after.out if after.clear else done.out + after.out
        errors = after.errors if after.clear else done.errors + after.errors
        done = CommandResult(after.shell, out[-2 * FILE_MAX :], errors, after.status, done.clear or after.clear)
    return done


def _chain(shell: Shell, chain: Chain) -> CommandResult:
    """Each command gets what the one before it said; a folder changed inside a pipe is forgotten, as in a real shell."""
    if len(chain.calls) == 1:
        return _one(shell, chain.calls[0], None)
    errors: tuple[str, ...] = ()
    ran = CommandResult(shell)
    for at, call in enumerate(chain.calls):
        ran = _one(ran.shell._replace(cwd=ran.shell.files.nearest(shell.cwd)), call, ran.out if at else None)
        errors += ran.errors
    return ran._replace(shell=ran.shell._replace(cwd=shell.cwd), errors=errors)


def _one(shell: Shell, call: Call, stdin: str | None) -> CommandResult:
    # Wildcards as the paths that fit; a pattern that nothing fits stays as it is written
    found: list[str] = []
    for word in call.words:
        found += (shell.globbed(word.pattern) if word.pattern else []) or [word.text]
    name, *words = found
    try:
        opened = _opened(shell, call)
    except Trouble as bad:
        return CommandResult(shell, "", (f"bash: {bad}",), 1)
    command = COMMANDS.get(name)
    if command is None:
        return CommandResult(opened, "", (f"bash: {name}: command not found",), NOT_FOUND)
    try:
        if len(words) > _ARGUMENTS_MAX:
            raise Trouble("Argument list too long", 126)
        ran = command(opened, words, stdin)
        if len(ran.out) > 4 * FILE_MAX:
            raise Trouble("File too large")
    except Trouble as bad:
        said = f"bash: cd: {bad}" if name == "cd" else f"{name}: {bad}"
        return CommandResult(opened, "", (said,), bad.status)
    return _redirected(ran, call.to[1], shell.absolute(call.to[1])) if call.to else ran


def _opened(shell: Shell, call: Call) -> Shell:
    """The file of `>` is emptied, and a missing one made, before the command runs. Raises Trouble."""
    if call.to is None:
        return shell
    sign, said = call.to
    path = shell.absolute(said)
    old = shell.entry(path)
    with saying(said):
        if not said:
            raise Trouble("No such file or directory")
        if shell.is_folder(path) or said.endswith("/"):
            raise Trouble("Is a directory")
        return shell.put(path, Entry(kind="file", text=old.text if old and sign == ">>" else ""))


def _redirected(ran: CommandResult, said: str, path: str) -> CommandResult:
    """What a command said goes into a file. A file that the command itself has removed takes the text with it."""
    entry = ran.shell.entry(path)
    if entry is None or entry.kind == "folder":
        return ran._replace(out="")
    try:
        after = ran.shell.put(path, Entry(kind="file", text=entry.text + ran.out))
    except Trouble as bad:
        return ran._replace(out="", errors=(*ran.errors, f"bash: {said}: {bad}"), status=1)
    return ran._replace(shell=after, out="")


KEPT_LINES = 500
_LINE_MAX = 2_000


class TerminalState(sim.SharingState):
    """Lines and commands by number, oldest first. `own` is the tree of a world without a files app."""

    user: str
    cwd: str = ROOT
    status: int = 0
    command: str = ""
    lines: dict[str, str] = Field(default_factory=dict)
    back: int = 0
    """How many screenfuls above the end are shown."""
    own: dict[str, Entry] = Field(default_factory=lambda: {ROOT: Entry(kind="folder")})


def prompt(state: TerminalState) -> str:
    return f"{state.user}:{state.cwd}$"


def executed(state: TerminalState, line: str) -> tuple[TerminalState, CommandResult, tuple[sim.Effect, ...]]:
    """The terminal after a command line, what came of it, and what that does to the files."""
    files = state.lent if isinstance(state.lent, FilesState) else FilesState(entries=state.own)
    ran = run(Shell(files, state.cwd), line)
    said = [*ran.errors, *(ran.out.removesuffix("\n").split("\n") if ran.out else ())]
    echoed = [] if ran.clear else [f"{prompt(state)} {line}".rstrip()]
    shown = [text if len(text) <= _LINE_MAX else f"{text[:_LINE_MAX]}…" for text in [*echoed, *said][-KEPT_LINES:]]
    # More lines under the next numbers; only the last ones are kept
    new = [(str(n), text) for n, text in enumerate(shown, int(next(reversed(state.lines), "0")) + 1)]
    lines = dict(new if ran.clear else [*state.lines.items(), *new][-KEPT_LINES:])
    after = state.replace(cwd=ran.shell.cwd, status=ran.status, back=0, command="", lines=lines)
    if ran.shell.files is files:
        return after, ran, ()
    if state.lent is not None:
        return after, ran, (sim.Change(ran.shell.files),)
    return after.replace(own=ran.shell.files.entries), ran, ()


_SHOWN_MAX = 20_000


FUNCTIONS = FunctionTable[TerminalState]()


@FUNCTIONS.writes("CommandLine", "A command line, such as `grep -i total report.txt | wc -l`.")
def run_command(state: TerminalState, command: Words) -> sim.FunctionResult[TerminalState]:
    """Run a command line; gives its status, output and errors"""
    # One that fails is carried out too. What is in the field stays there.
    after, ran, effects = executed(state, command)
    out, errors = ran.out[:_SHOWN_MAX], "\n".join(ran.errors)[:_SHOWN_MAX]
    cut = len(ran.out) > _SHOWN_MAX
    result: JsonValue = {"status": ran.status, "output": out, "errors": errors, "cut": cut, "folder": after.cwd}
    return sim.FunctionResult(after.replace(command=state.command), result, effects)


SCREENFUL = 14
_KEYS = {"Control+l": "clear", "Control+u": "empty"}


class TerminalContent(sim.Content):
    """`cwd` is the folder in which it starts."""

    cwd: str = ROOT


class Terminal(sim.App[TerminalContent, TerminalState]):
    """A shell of its own making, on the files of the files app; without one in the world, on an empty tree of its own."""

    name = "terminal"
    title = "Terminal"
    words = ("terminal", "shell", "console", "command", "commands")
    shares = "files"
    looks = frozenset({"cwd", "status", "command", "lines", "back"})
    meanings = (sim.Tree("own"),)
    functions = FUNCTIONS

    def start(self, content: TerminalContent, setting: sim.Setting) -> TerminalState:
        user = ".".join(setting.cast.user.casefold().split()) or "user"
        return TerminalState(user=user, cwd=content.cwd)

    def view(self, state: TerminalState) -> tuple[Widget, ...]:
        shown, more_above, more_below = _screenful(state)
        line = textbox("Command", "command", state.command, placeholder="help")
        older, newer = button("Older output", "older", enabled=more_above), button("Newer output", "newer", enabled=more_below)
        return (
            heading("Terminal"),
            group(*(text(said, f"line-{number}") for number, said in shown), key="output"),
            text(f"[{state.status}] {prompt(state)}", "prompt"),
            form("shell", line, button("Run", "run"), submit="run", across=True),
            bar(older, newer, key="tools"),
        )

    def update(self, state: TerminalState, event: sim.Event) -> sim.Update[TerminalState]:
        match event:
            case sim.Edited(key="command", value=value):
                return sim.Update(state.replace(command=value))
            case sim.Pressed(key="run"):
                after, _, effects = executed(state, state.command)
                return sim.Update(after, effects)
            case sim.Pressed(key=key):
                return sim.Update(_done(state, key))
            case sim.Shortcut(chord=chord) if chord in _KEYS:
                return sim.Update(_done(state, _KEYS[chord]))
        return sim.Update(state)


def _screenful(state: TerminalState) -> tuple[list[tuple[str, str]], bool, bool]:
    """The lines on the screen, and whether there are more above and below them."""
    lines = list(state.lines.items())
    end = max(len(lines) - state.back * SCREENFUL, min(SCREENFUL, len(lines)))
    return lines[max(0, end - SCREENFUL) : end], end > SCREENFUL, end < len(lines)


def _done(state: TerminalState, key: str) -> TerminalState:
    _, more_above, _ = _screenful(state)
    match key:
        case "older" if more_above:
            return state.replace(back=state.back + 1)
        case "newer":
            return state.replace(back=max(0, state.back - 1))
        case "clear":
            return state.replace(lines={}, back=0)
        case "empty":
            return state.replace(command="")
    return state
