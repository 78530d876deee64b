"""The commands of the terminal: what they say of texts, and how they go about the tree and change it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fnmatch import fnmatchcase
from getopt import GetoptError, gnu_getopt
from posixpath import join, normpath
from typing import NamedTuple, TypeAlias

from environments.files.conditions import FAULTS, evaluate_each
from environments.files.yaml_lines import packaged
from environments.simulated.apps.documents.files.app import ROOT, Entry, FilesState, base, joined, parent

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

    def check_place(self, path: str, below: int = 0) -> None:
        """Whether something may stand at an absolute path, with paths in it that are so much longer. Raises Trouble."""
        if not self.is_folder(parent(path)):
            raise Trouble(self.why_not(path))
        if len(path) + below > _PATH_MAX or len(base(path)) > _NAME_MAX:
            raise Trouble("File name too long")

    def put(self, path: str, entry: Entry) -> "Shell":
        """The shell with an entry at an absolute path, in a folder that exists. Raises Trouble with the bare reason."""
        self.check_place(path)
        if len(entry.text) > FILE_MAX or (path not in self.files.entries and len(self.files.entries) >= ENTRIES_MAX):
            raise Trouble("No space left on device")
        return self._replace(files=written(self.files, path, entry))

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
    return _parts(shell, "head", words, stdin, lambda lines, count: lines[:count])


def tail(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return _parts(shell, "tail", words, stdin, lambda lines, count: lines[max(0, len(lines) - count) :])


def _parts(
    shell: Shell, name: str, words: Sequence[str], stdin: str | None, part: Callable[[list[str], int], list[str]]
) -> CommandResult:  # fmt: skip
    # `-5` as `-n 5`, which is how many people still write it
    dashed = [f"-n{word[1:]}" if word[:1] == "-" and word[1:].isdigit() else word for word in words]
    opts = options(dashed, valued="n")
    count = number(opts.values.get("n", "10"), "number of lines")
    got = read(shell, name, opts.rest, stdin)
    some = [(label, joined_lines(part(lines_of(text), count))) for label, text in got.texts]
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
    deep = "p" in opts.given

    def one(now: Shell, path: str) -> Shell:
        full = now.absolute(path)
        missing = [full]
        while deep and now.entry(parent(missing[-1])) is None:
            missing.append(parent(missing[-1]))
        if deep and now.is_folder(full):
            return now
        with saying(f"cannot create directory '{path}'"):
            if not path or now.entry(full) is not None:
                raise Trouble("File exists" if path else "No such file or directory")
            for folder in reversed(missing):
                now = now.put(folder, Entry(kind="folder"))
        return now

    _needed(opts.rest)
    return _each(shell, "mkdir", opts.rest, one)


def touch(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    def one(now: Shell, path: str) -> Shell:
        full = now.absolute(path)
        if path and now.entry(full) is not None:
            return now
        with saying(f"cannot touch '{path}'"):
            if not path or path.endswith("/"):
                raise Trouble("No such file or directory")
            return now.put(full, Entry(kind="file"))

    opts = options(words)
    _needed(opts.rest)
    return _each(shell, "touch", opts.rest, one)


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
        return now._replace(files=consistent(now.files.removed(full)))

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
        shell.check_place(to, max(map(len, shell.below(full))) - len(full))
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
        for found in shell.below(full):
            name, kind = base(found), "d" if shell.is_folder(found) else "f"
            named = fnmatchcase(name, tests["-name"]) and fnmatchcase(name.lower(), tests["-iname"].lower() or "*")
            if named and tests["-type"] in {"", kind}:
                out.append((path.rstrip("/") + found[cut:]) or "/")
    return CommandResult(shell, joined_lines(out), tuple(errors), 1 if errors else 0)


def clear(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return CommandResult(shell, clear=True)


def usage(shell: Shell, words: Sequence[str], stdin: str | None) -> CommandResult:
    return CommandResult(shell, packaged("environments.simulated.apps.documents.terminal", "help.yaml")["help"])


COMMANDS: dict[str, Command] = {
    "ls": ls, "cd": cd, "pwd": pwd, "echo": echo, "mkdir": mkdir, "touch": touch, "rm": rm, "cp": cp, "mv": mv, "find": find,
    "clear": clear, "help": usage, "cat": cat, "head": head, "tail": tail, "wc": wc, "grep": grep, "sort": sort,
}  # fmt: skip
