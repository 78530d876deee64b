"""A command line carried out on the tree: pipes, `&&`, `;`, redirection and wildcards. No real shell has part in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from environments.simulated.apps.files_state import Entry
from environments.simulated.apps.terminal_commands import COMMANDS
from environments.simulated.apps.terminal_tree import FILE_MAX, Ran, Shell, Trouble, absolute, globbed, nearest, put
from environments.simulated.apps.terminal_words import Refusal, Sign, Word, tokens

NOT_FOUND = 127
SYNTAX = 2
_ARGUMENTS_MAX = 5_000


class Call(NamedTuple):
    """One command: its words, and where its output goes."""

    words: tuple[Word, ...]
    to: tuple[tuple[str, Word], ...] = ()
    """`>` or `>>`, and the file; all of them are made, and the last one gets the text."""


class Chain(NamedTuple):
    """Commands joined by pipes; `after` is `&&` when it waits for the success of the chain before it."""

    calls: tuple[Call, ...]
    after: str = ";"


def parse(line: str) -> list[Chain]:
    """The chains of a line. Raises Refusal."""
    chains: list[Chain] = []
    after = ";"
    part: list[Word | Sign] = []
    for token in [*tokens(line), Sign(";")]:
        if isinstance(token, Word) or token.text not in {";", "&&"}:
            part.append(token)
            continue
        if part:
            chains.append(Chain(_calls(part), after))
        elif token.text == "&&" or after == "&&":
            raise Refusal(f"syntax error near unexpected token `{token.text if token.text == '&&' else 'newline'}'")
        after, part = token.text, []
    return chains


def _calls(part: Sequence[Word | Sign]) -> tuple[Call, ...]:
    pieces: list[list[Word | Sign]] = [[]]
    for token in part:
        if isinstance(token, Sign) and token.text == "|":
            pieces.append([])
        else:
            pieces[-1].append(token)
    return tuple(_call(piece) for piece in pieces)


def _call(piece: Sequence[Word | Sign]) -> Call:
    words: list[Word] = []
    to: list[tuple[str, Word]] = []
    queue = list(reversed(piece))
    while queue:
        token = queue.pop()
        if isinstance(token, Word):
            words.append(token)
        elif queue and isinstance(target := queue.pop(), Word):
            to.append((token.text, target))
        else:
            raise Refusal("syntax error near unexpected token `newline'")
    if not words:
        raise Refusal("syntax error: a command is missing")
    return Call(tuple(words), tuple(to))


def run(shell: Shell, line: str) -> Ran:
    """What a line does and says. Never raises: what cannot be done is an error message and a status."""
    try:
        chains = parse(line)
    except Refusal as no:
        return Ran(shell, "", (f"bash: {no}",), SYNTAX)
    done = Ran(shell)
    for chain in chains:
        if chain.after == "&&" and done.status:
            continue
        done = _joined(done, _chain(_at_home(done.shell), chain))
    return done


def _at_home(shell: Shell) -> Shell:
    """The folder at hand may be gone, by this window or another one: then the nearest one above it takes its place."""
    return shell._replace(cwd=nearest(shell.files, shell.cwd))


def _joined(before: Ran, after: Ran) -> Ran:
    out = after.out if after.clear else before.out + after.out
    errors = after.errors if after.clear else before.errors + after.errors
    return Ran(after.shell, out[-2 * FILE_MAX :], errors, after.status, before.clear or after.clear)


def _chain(shell: Shell, chain: Chain) -> Ran:
    """Each command gets what the one before it said; a folder changed inside a pipe is forgotten, as in a real shell."""
    if len(chain.calls) == 1:
        return _one(shell, chain.calls[0], None)
    errors: tuple[str, ...] = ()
    ran = Ran(shell)
    for at, call in enumerate(chain.calls):
        ran = _one(ran.shell._replace(cwd=nearest(ran.shell.files, shell.cwd)), call, ran.out if at else None)
        errors += ran.errors
    return ran._replace(shell=ran.shell._replace(cwd=shell.cwd), errors=errors)


def _one(shell: Shell, call: Call, stdin: str | None) -> Ran:
    name, *words = _expanded(shell, call.words)
    try:
        opened = _opened(shell, call)
    except Trouble as bad:
        return Ran(shell, "", (f"bash: {bad}",), 1)
    command = COMMANDS.get(name)
    if command is None:
        return Ran(opened, "", (f"bash: {name}: command not found",), NOT_FOUND)
    try:
        if len(words) > _ARGUMENTS_MAX:
            raise Trouble("Argument list too long", 126)
        ran = command(opened, words, stdin)
        if len(ran.out) > 4 * FILE_MAX:
            raise Trouble("File too large")
    except Trouble as bad:
        said = f"bash: cd: {bad}" if name == "cd" else f"{name}: {bad}"
        return Ran(opened, "", (said,), bad.status)
    return _redirected(ran, call.to[-1][1].text, absolute(shell, call.to[-1][1].text)) if call.to else ran


def _expanded(shell: Shell, words: Sequence[Word]) -> list[str]:
    """Wildcards as the paths that fit; a pattern that nothing fits stays as it is written."""
    found: list[str] = []
    for word in words:
        found += (globbed(shell, word.pattern) if word.pattern else []) or [word.text]
    return found


def _opened(shell: Shell, call: Call) -> Shell:
    """The files of `>` are emptied and missing ones made before the command runs. Raises Trouble."""
    for sign, word in call.to:
        path = absolute(shell, word.text)
        old = shell.entry(path)
        try:
            if not word.text:
                raise Trouble("No such file or directory")
            if shell.is_folder(path) or word.text.endswith("/"):
                raise Trouble("Is a directory")
            shell = put(shell, path, Entry(kind="file", text=old.text if old and sign == ">>" else ""))
        except Trouble as bad:
            raise Trouble(f"{word.text}: {bad}") from None
    return shell


def _redirected(ran: Ran, said: str, path: str) -> Ran:
    """What a command said goes into a file. A file that the command itself has removed takes the text with it."""
    entry = ran.shell.entry(path)
    if entry is None or entry.kind == "folder":
        return ran._replace(out="")
    try:
        after = put(ran.shell, path, Entry(kind="file", text=entry.text + ran.out))
    except Trouble as bad:
        return ran._replace(out="", errors=(*ran.errors, f"bash: {said}: {bad}"), status=1)
    return ran._replace(shell=after, out="")
