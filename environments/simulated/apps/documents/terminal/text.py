"""Commands that read texts and say something of them: they change nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fnmatch import fnmatchcase
from getopt import GetoptError, gnu_getopt
from posixpath import join, normpath
from typing import NamedTuple, TypeAlias

from environments.files.conditions import FAULTS, evaluate_each
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

    def entry(self, path: str) -> Entry | None:
        return self.files.entries.get(path)

    def is_folder(self, path: str) -> bool:
        entry = self.entry(path)
        return entry is not None and entry.kind == "folder"

    def with_files(self, files: FilesState) -> Shell:
        return self._replace(files=files)

    def absolute(self, path: str) -> str:
        """The path from the root, without `.` and `..`; nothing is above the root."""
        return "/" + normpath(join(self.cwd, path)).lstrip("/")

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
            inner = [(said if said in {"", "/"} else f"{said}/", folder) for said, folder in hits]
            hits = [(said + name, path) for said, folder in inner for name, path in self._fitting(folder, part)]
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


@contextmanager
def saying(what: str) -> Iterator[None]:
    """Trouble within is told with what could not be done for it."""
    try:
        yield
    except Trouble as bad:
        raise Trouble(f"{what}: {bad}") from None


def written(files: FilesState, path: str, entry: Entry) -> FilesState:
    """The files with an entry. An editor without changes of its own shows the new text; unsaved changes stay its own."""
    old = files.entries.get(path)
    after = files.replace(entries={**files.entries, path: entry})
    follows = path == files.open and old is not None and files.text == old.text
    return after.replace(text=entry.text) if follows else after


def consistent(files: FilesState) -> FilesState:
    """The files when something may be gone: the window shows, selects and edits only what is there."""
    selected = tuple(path for path in files.selected if path in files.entries)
    changes: dict[str, object] = {"cwd": files.nearest(files.cwd), "selected": selected}
    open_entry = files.entries.get(files.open)
    if files.open and (open_entry is None or open_entry.kind == "folder"):
        changes |= {"open": "", "text": ""}
    return files.replace(**changes)


_COUNT_MAX = 9


class Options(NamedTuple):
    """Letters that were given, values of those that take one, and what is no option."""

    given: frozenset[str]
    values: dict[str, str]
    rest: list[str]


def options(words: Sequence[str], flags: str = "", valued: str = "") -> Options:
    """Split the words after a command's name. Raises Trouble for an option that the command does not have."""
    try:
        found, rest = gnu_getopt(list(words), flags + "".join(f"{letter}:" for letter in valued))
    except GetoptError as bad:
        if bad.msg.startswith("option --"):
            raise Trouble(f"unrecognized option '--{bad.opt}'", 2) from None
        raise Trouble(f"{'option requires an argument' if bad.opt in valued else 'invalid option'} -- '{bad.opt}'", 2) from None
    values = {sign[1:]: value for sign, value in found}
    return Options(frozenset(values), values, rest)


def number(text: str, noun: str) -> int:
    """A count that is not negative. Raises Trouble."""
    if not (text.isascii() and text.isdigit() and len(text) <= _COUNT_MAX):
        raise Trouble(f"invalid {noun}: '{text}'")
    return int(text)


Command: TypeAlias = Callable[[Shell, Sequence[str], str | None], CommandResult]
_NUMBER = re.compile(r"\s*([+-]?(?:\d{1,30}(?:\.\d{0,20})?|\.\d{1,20}))")


class TextInputs(NamedTuple):
    """Texts with the names by which they were asked for, and what could not be read."""

    texts: list[tuple[str, str]]
    errors: tuple[str, ...]

    @property
    def status(self) -> int:
        return 1 if self.errors else 0


def read(shell: Shell, name: str, paths: Sequence[str], stdin: str | None) -> TextInputs:
    """The texts of files; what comes through the pipe where none is named. Raises Trouble."""
    if not paths and stdin is None:
        raise Trouble("there is no input; name a file, or pipe a text into it")
    texts: list[tuple[str, str]] = []
    errors: list[str] = []
    for path in paths or ["-"]:
        try:
            texts.append((path, (stdin or "") if path == "-" else shell.text_of(path)))
        except Trouble as bad:
            errors.append(f"{name}: {path}: {bad}")
        if sum(len(text) for _, text in texts) > 4 * FILE_MAX:
            raise Trouble("File too large")
    return TextInputs(texts, tuple(errors))


def lines_of(text: str) -> list[str]:
    """The lines of a text, whether or not the last one ends in a line break."""
    return text.removesuffix("\n").split("\n") if text else []


def joined_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def cat(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    got = read(shell, "cat", options(words).rest, stdin)
    return CommandResult(shell, "".join(text for _, text in got.texts), got.errors, got.status)


def head(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    opts = options(_dashed(words), valued="n")
    count = number(opts.values.get("n", "10"), "number of lines")
    return _parts(shell, "head", opts, stdin, lambda lines: lines[:count])


def tail(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    opts = options(_dashed(words), valued="n")
    count = number(opts.values.get("n", "10"), "number of lines")
    return _parts(shell, "tail", opts, stdin, lambda lines: lines[max(0, len(lines) - count) :])


def _dashed(words: Sequence[str]) -> list[str]:
    """`-5` as `-n 5`, which is how many people still write it."""
    return [f"-n{word[1:]}" if word[:1] == "-" and word[1:].isdigit() else word for word in words]


def _parts(shell: Shell, name: str, opts: Options, stdin: str | None, part: Callable[[list[str]], list[str]]) -> CommandResult:
    got = read(shell, name, opts.rest, stdin)
    some = [(label, joined_lines(part(lines_of(text)))) for label, text in got.texts]
    if len(opts.rest) > 1:
        out = "\n".join(f"==> {label} <==\n{text}" for label, text in some)
    else:
        out = "".join(text for _, text in some)
    return CommandResult(shell, out, got.errors, got.status)


def wc(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    """Counts of line breaks, words and bytes, in columns as wide as the largest of them may be."""
    opts = options(words, "lwc")
    got = read(shell, "wc", opts.rest, stdin)
    kept = [at for at, letter in enumerate("lwc") if letter in opts.given or not opts.given]
    rows = [
        ((text.count("\n"), len(text.split()), len(text.encode("utf-8", "surrogatepass"))), label if opts.rest else "")
        for label, text in got.texts
    ]
    if len(opts.rest) > 1:
        rows.append(((sum(c[0] for c, _ in rows), sum(c[1] for c, _ in rows), sum(c[2] for c, _ in rows)), "total"))
    wide = len(str(max((counts[2] for counts, _ in rows), default=0))) if opts.rest else 7
    if len(rows) == 1 and len(kept) == 1:
        wide = 1
    out = (" ".join([*(f"{counts[at]:{wide}}" for at in kept), *([label] if label else [])]) for counts, label in rows)
    return CommandResult(shell, joined_lines(out), got.errors, got.status)


def grep(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    """Lines that a pattern fits; status 1 when there is none."""
    opts = options(words, "inrRvclFh")
    if not opts.rest:
        raise Trouble("a pattern is needed: grep PATTERN FILE", 2)
    wanted, *paths = opts.rest
    deep = bool({"r", "R"} & opts.given)
    errors: list[str] = []
    if deep:
        paths = [leaf for path in paths or ["."] for leaf in _leaves(shell, path)]
    elif stdin is None or paths:
        errors = [f"grep: {path}: Is a directory" for path in paths if shell.is_folder(shell.absolute(path)) and path]
        paths = [path for path in paths if not path or not shell.is_folder(shell.absolute(path))]
    got = TextInputs([], ()) if not paths and (deep or errors) else read(shell, "grep", paths, stdin)
    fits = _pattern(wanted, opts.given)
    named = (len(opts.rest) > 2 or deep) and "h" not in opts.given
    out = [line for label, text in got.texts for line in _hits(text, label, named, opts, fits)]
    errors += got.errors
    found = any(not line.endswith(":0") and line != "0" for line in out) if "c" in opts.given else out
    return CommandResult(shell, joined_lines(out), tuple(errors), 2 if errors else 0 if found else 1)


_SIGN = re.compile(r"\\[^+?|(){}]|(\\?)([+?|(){}])", re.DOTALL)


def _pattern(wanted: str, given: frozenset[str]) -> str:
    """A basic regular expression, or with `-F` a text, as CEL has it: its engine takes a time that grows with the line alone."""

    def sign(match: re.Match[str]) -> str:
        """What means something with a backslash in the one notation does without one in the other."""
        return match[0] if match[2] is None else match[2] if match[1] else f"\\{match[2]}"

    return ("(?i)" if "i" in given else "") + (re.escape(wanted) if "F" in given else _SIGN.sub(sign, wanted))


def _leaves(shell: Shell, path: str) -> list[str]:
    """The files in a folder, named as the folder was."""
    full = shell.absolute(path)
    if not shell.is_folder(full):
        return [path]
    head, cut = path.rstrip("/"), len(full.rstrip("/"))
    return [head + p[cut:] for p in shell.below(full) if not shell.is_folder(p)]


def _hits(text: str, label: str, named: bool, opts: Options, pattern: str) -> list[str]:
    lines = lines_of(text)
    try:
        fits = evaluate_each("line.matches(pattern)", "line", lines, {"pattern": pattern})
    except FAULTS:
        raise Trouble("the pattern cannot be read", 2) from None
    hits = [(n, line) for n, (line, fit) in enumerate(zip(lines, fits, strict=True), 1) if fit != ("v" in opts.given)]
    head = f"{label}:" if named else ""
    if "l" in opts.given:
        return [label] if hits else []
    if "c" in opts.given:
        return [f"{head}{len(hits)}"]
    return [f"{head}{f'{n}:' if 'n' in opts.given else ''}{line}" for n, line in hits]


def sort(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    """Lines in order, by code point or by the number at their start; with `-u` each of them once."""
    opts = options(words, "nru")
    got = read(shell, "sort", opts.rest, stdin)

    def key(line: str) -> tuple[Decimal, str]:
        found = _NUMBER.match(line) if "n" in opts.given else None
        return Decimal(found[1] if found else 0), line

    lines = [line for _, text in got.texts for line in lines_of(text)]
    lines = sorted(set(lines) if "u" in opts.given else lines, key=key, reverse="r" in opts.given)
    return CommandResult(shell, joined_lines(lines), got.errors, 2 if got.errors else 0)


TEXT_COMMANDS: dict[str, Command] = {
    "cat": cat, "head": head, "tail": tail, "wc": wc, "grep": grep, "sort": sort,
}  # fmt: skip
