"""Commands that go about the tree and change it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from environments.simulated.apps.documents.files.state import ROOT, Entry, base, joined, parent
from environments.simulated.apps.documents.terminal.text import (
    ENTRIES_MAX,
    TEXT_COMMANDS,
    Command,
    CommandResult,
    Shell,
    Trouble,
    consistent,
    joined_lines,
    options,
    saying,
)


def _each(shell: Shell, name: str, paths: Iterable[str], one: Callable[[Shell, str], Shell]) -> CommandResult:
    """Do one thing after the other; what fails is said, and the rest is still done."""
    errors: list[str] = []
    for path in paths:
        try:
            shell = one(shell, path)
        except Trouble as bad:
            errors.append(f"{name}: {bad}")
    return CommandResult(shell, "", tuple(errors), 1 if errors else 0)


def _needed(paths: Sequence[str], count: int = 1) -> None:
    if not paths:
        raise Trouble("missing operand" if count == 1 else "missing file operand")
    if len(paths) < count:
        raise Trouble(f"missing destination file operand after '{paths[0]}'")


def ls(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    """What is in folders; files are shown first, under the names that were asked for."""
    opts = options(words, "a1")
    hidden = "a" in opts.given
    errors: list[str] = []
    files: list[tuple[str, str]] = []
    folders: list[tuple[str, str]] = []
    for path in opts.rest or ["."]:
        try:
            full = shell.there(path)
        except Trouble as bad:
            errors.append(f"ls: cannot access '{path}': {bad}")
        else:
            (folders if shell.is_folder(full) else files).append((path, full))
    parts = [joined_lines(name for name, _ in sorted(files))] if files else []
    for path, full in sorted(folders):
        body = joined_lines(sorted(base(p) for p in shell.files.inside(full) if hidden or not base(p).startswith(".")))
        parts.append((f"{path}:\n" if len(opts.rest) > 1 else "") + body)
    return CommandResult(shell, "\n".join(parts), tuple(errors), 2 if errors else 0)


def cd(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    if len(words) > 1:
        raise Trouble("too many arguments")
    path = words[0] if words else ROOT
    with saying(path):
        full = shell.there(path)
        if not shell.is_folder(full):
            raise Trouble("Not a directory")
    return CommandResult(shell._replace(cwd=full))


def pwd(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return CommandResult(shell, f"{shell.cwd}\n")


def echo(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    bare = words[:1] == ["-n"]
    return CommandResult(shell, " ".join(words[bare:]) + ("" if bare else "\n"))


def mkdir(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    opts = options(words, "pv")
    _needed(opts.rest)
    return _each(shell, "mkdir", opts.rest, lambda s, path: _made(s, path, "p" in opts.given))


def _made(shell: Shell, path: str, deep: bool) -> Shell:
    full = shell.absolute(path)
    missing = [full]
    while deep and shell.entry(parent(missing[-1])) is None:
        missing.append(parent(missing[-1]))
    if deep and shell.is_folder(full):
        return shell
    with saying(f"cannot create directory '{path}'"):
        if path and shell.entry(full) is not None:
            raise Trouble("File exists")
        if not path:
            raise Trouble("No such file or directory")
        for folder in reversed(missing):
            shell = shell.put(folder, Entry(kind="folder"))
    return shell


def touch(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    opts = options(words)
    _needed(opts.rest)
    return _each(shell, "touch", opts.rest, _touched)


def _touched(shell: Shell, path: str) -> Shell:
    full = shell.absolute(path)
    if path and shell.entry(full) is not None:
        return shell
    with saying(f"cannot touch '{path}'"):
        if not path or path.endswith("/"):
            raise Trouble("No such file or directory")
        return shell.put(full, Entry(kind="file"))


def rm(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    opts = options(words, "rRfv")
    force, deep = "f" in opts.given, bool({"r", "R"} & opts.given)
    if not force:
        _needed(opts.rest)

    def one(now: Shell, path: str) -> Shell:
        full = now.absolute(path)
        if not path or now.entry(full) is None:
            if force:
                return now
            raise Trouble(f"cannot remove '{path}': {now.why_not(full)}")
        if now.is_folder(full):
            if not deep:
                raise Trouble(f"cannot remove '{path}': Is a directory")
            if full == ROOT:
                raise Trouble("it is dangerous to operate recursively on '/'")
            if path.rstrip("/").rpartition("/")[2] in {".", ".."}:
                raise Trouble(f"refusing to remove '.' or '..' directory: skipping '{path}'")
        return now.with_files(consistent(now.files.removed(full)))

    return _each(shell, "rm", opts.rest, one)


def cp(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    opts = options(words, "rRapv")
    deep = bool({"r", "R", "a"} & opts.given)
    return _transfer(shell, "cp", opts.rest, lambda s, src, path, to: _copied(s, src, path, to, deep))


def mv(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return _transfer(shell, "mv", options(words, "fv").rest, _moved)


def _transfer(shell: Shell, name: str, paths: Sequence[str], one: Callable[[Shell, str, str, str], Shell]) -> CommandResult:
    """Sources into a folder, or one source to a new place."""
    _needed(paths, 2)
    *sources, last = paths
    to = shell.absolute(last)
    if len(sources) > 1 and not shell.is_folder(to):
        raise Trouble(f"target '{last}': {'Not a directory' if shell.entry(to) else shell.why_not(to)}")

    def each(now: Shell, path: str) -> Shell:
        with saying(f"cannot stat '{path}'"):
            full = now.there(path)
        place = joined(to, base(full)) if now.is_folder(to) and full != ROOT else to
        if not last or (last.endswith("/") and not now.is_folder(to) and not now.is_folder(full)):
            raise Trouble(f"cannot create regular file '{last}': Not a directory")
        return one(now, full, path, place)

    return _each(shell, name, sources, each)


def _copied(shell: Shell, full: str, path: str, to: str, deep: bool) -> Shell:
    if full == to:
        raise Trouble(f"'{path}' and '{to}' are the same file")
    if not shell.is_folder(full):
        if shell.is_folder(to):
            raise Trouble(f"cannot overwrite directory '{to}' with non-directory")
        return _put(shell, to, shell.files.entries[full])
    if not deep:
        raise Trouble(f"-r not specified; omitting directory '{path}'")
    if to.startswith(full.rstrip("/") + "/"):
        raise Trouble(f"cannot copy a directory, '{path}', into itself, '{to}'")
    pairs = [(to + p[len(full) :], shell.files.entries[p]) for p in shell.below(full)]
    if len(shell.files.entries) + len(pairs) > ENTRIES_MAX:
        raise Trouble(f"cannot create directory '{to}': No space left on device")
    for place, entry in pairs:
        old = shell.entry(place)
        if old is not None and old.kind != entry.kind:
            kinds = ("non-directory", "directory") if entry.kind == "folder" else ("directory", "non-directory")
            raise Trouble(f"cannot overwrite {kinds[0]} '{place}' with {kinds[1]}")
        if old is None or entry.kind == "file":
            shell = _put(shell, place, entry)
    return shell


def _put(shell: Shell, place: str, entry: Entry) -> Shell:
    with saying(f"cannot create regular file '{place}'"):
        return shell.put(place, entry)


def _moved(shell: Shell, full: str, path: str, to: str) -> Shell:
    if full == ROOT:
        raise Trouble(f"cannot move '{path}' to '{to}': Device or resource busy")
    if full == to:
        raise Trouble(f"'{path}' and '{to}' are the same file")
    if to.startswith(full + "/"):
        raise Trouble(f"cannot move '{path}' to a subdirectory of itself, '{to}'")
    old = shell.entry(to)
    if old is not None and old.kind != shell.files.entries[full].kind:
        kinds = ("directory", "non-directory") if old.kind == "folder" else ("non-directory", "directory")
        raise Trouble(f"cannot overwrite {kinds[0]} '{to}' with {kinds[1]} '{path}'")
    if old is not None and old.kind == "folder" and shell.files.inside(to):
        raise Trouble(f"cannot move '{path}' to '{to}': Directory not empty")
    with saying(f"cannot move '{path}' to '{to}'"):
        longest = max(shell.below(full), key=len)
        if not shell.is_folder(parent(to)):
            raise Trouble(shell.why_not(to))
        if len(longest) - len(full) + len(to) > 4096 or len(base(to)) > 255:
            raise Trouble("File name too long")
    clear = shell.files if old is None else shell.files.removed(to)
    cwd = to + shell.cwd[len(full) :] if (shell.cwd + "/").startswith(full + "/") else shell.cwd
    return shell._replace(files=consistent(clear.moved(full, to)), cwd=cwd)


def find(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    """Everything in folders, or what has a name or a type: `find FOLDER -name '*.txt' -type f`."""
    tests = {"-name": "*", "-iname": "", "-type": ""}
    at = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
    for name, value in zip(words[at::2], [*words[at + 1 :: 2], ""], strict=False):
        if name not in tests:
            raise Trouble(f"unknown predicate '{name}'")
        if not value:
            raise Trouble(f"missing argument to '{name}'")
        tests[name] = value
    if tests["-type"] not in {"", "f", "d"}:
        raise Trouble(f"Unknown argument to -type: {tests['-type']}")
    out: list[str] = []
    errors: list[str] = []
    for path in words[:at] or ["."]:
        try:
            full = shell.there(path)
        except Trouble as bad:
            errors.append(f"find: '{path}': {bad}")
            continue
        cut = len(full.rstrip("/"))
        out += [(path.rstrip("/") + p[cut:]) or "/" for p in shell.below(full) if _found(shell, p, tests)]
    return CommandResult(shell, joined_lines(out), tuple(errors), 1 if errors else 0)


def _found(shell: Shell, path: str, tests: dict[str, str]) -> bool:
    name = base(path)
    kind = "d" if shell.is_folder(path) else "f"
    fits = fnmatchcase(name, tests["-name"]) and (not tests["-iname"] or fnmatchcase(name.lower(), tests["-iname"].lower()))
    return fits and tests["-type"] in {"", kind}


def clear(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return CommandResult(shell, clear=True)


def usage(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return CommandResult(shell, HELP)


COMMANDS: dict[str, Command] = {
    "ls": ls, "cd": cd, "pwd": pwd, "echo": echo, "mkdir": mkdir, "touch": touch, "rm": rm, "cp": cp, "mv": mv, "find": find,
    "clear": clear, "help": usage, **TEXT_COMMANDS,
}  # fmt: skip
HELP = """\
ls [-a] [PATH…]         cd [FOLDER]             pwd
cat [FILE…]             echo [-n] TEXT…         touch FILE…
mkdir [-p] FOLDER…      rm [-rf] PATH…          cp [-r] FROM… TO
mv FROM… TO             find [FOLDER] [-name PATTERN] [-type f|d]
head [-n N] [FILE…]     tail [-n N] [FILE…]     wc [-lwc] [FILE…]
grep [-inrvclFh] PATTERN [PATH…]
sort [-nru] [FILE…]     clear                   help
Join commands by |, && and ;, and write to a file by > or >>.
"""
