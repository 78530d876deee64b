"""A Python script that replays a run in a browser with Playwright. Every text of the log is quoted or escaped.

The script is data until somebody runs it: each line is parsed before it is written, never run, and does nothing but call
methods of the page. What cannot be said is a comment in its place.

And scripts that Playwright's codegen writes in JavaScript or TypeScript, read as data, statement by statement. They are said in
Python's words first, so selectors and what is carried are those of the dialect `playwright_python`. A statement that is not
understood is an error with its line, and the others are read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from protocol.dialects import LONGEST, DialectError, Loss, dialect
from protocol.dialects.common.scripts import PRINTED, UNSURE, Statement
from protocol.dialects.playwright.javascript import NAME, StatementTokens, TestStart, Token, parts, pythonic, text_of, tokens
from protocol.dialects.playwright.playwright_script import Pieces
from protocol.exports.common.base import ExportResult, Format, FormatError, ImportResult, Run, RunInfo
from protocol.exports.common.kept import context_of, sized
from protocol.exports.common.lines import text_document
from protocol.exports.training.spoken import piece_line
from protocol.log.log import LogLine, whole_file
from protocol.model.steps import InteractionStep

_EVENTS = ("popup", "download")
_CHANGES = frozenset("=+-*/")
"""Marks behind a name that something else is given."""
_SILENT = frozenset({"import", "'use strict'", '"use strict"'})


def read(path: Path) -> ImportResult:
    """The steps of a script; a title of a test is their subtask. The script is held in memory. Raises FormatError."""
    text = text_document(path)
    if len(text) > LONGEST:
        raise FormatError(f"{path.name}: a script of more than {LONGEST} characters is not read")
    found = tokens(text)
    if not found:
        raise FormatError(f"{path.name}: there is no statement in it")
    return ImportResult(RunInfo(run_id=path.stem, agent="playwright codegen"), _steps_in(found, text))


def _steps_in(found: list[Token], text: str) -> Iterator[LogLine]:
    reader, count = _Reader(text), 0
    outer: dict[str, str] | None = None
    """What was given a name before the first test, which holds in each."""
    for part in (*parts(found), TestStart("")):
        if isinstance(part, StatementTokens):
            reader.statement(part)
            continue
        for piece in reader.pieces.all():
            count += piece.action is not None
            yield piece_line(piece, count, subtask=reader.title)
        outer = reader.pieces.script.names if outer is None else outer
        reader = _Reader(text, part.title)
        reader.pieces.script.names |= outer


class _Reader:
    """Reads the statements of one test."""

    def __init__(self, text: str, title: str = "") -> None:
        self.title = title
        self.pieces = Pieces()
        self._text = text
        self._expected: set[str] = set()
        """Names of what is expected to come of an action."""

    def statement(self, said: StatementTokens) -> None:
        """Read a statement; what is not understood is kept as an error with its line and its first words."""
        first = said.tokens[0]

        def read() -> None:
            for text in self._pythonic(said):
                self.pieces.script.statement(Statement(text, 0, len(text), first.line, first.column))

        words = self._text[first.start : first.start + 60].partition("\n")[0]
        self.pieces.add(first.line, read, words, f"line {first.line}")

    def _lose(self, what: str, why: str) -> list[str]:
        self.pieces.script.losses.append(Loss(what=what, why=why))
        return []

    def _pythonic(self, said: StatementTokens) -> list[str]:
        """The statement in Python's words: none where nothing is done. Raises DialectError."""
        given = said.tokens
        if said.control:
            changed = (token.text for token, after in pairwise(given) if token.kind == "name" and after.text in _CHANGES)
            self.pieces.script.forget(changed)
            raise DialectError(NAME, given[0].where, UNSURE)
        texts = [token.text for token in given]
        if texts[0] in _SILENT or "require" in texts[:12]:
            return []
        if texts[0] in ("test", "it", "describe"):
            return self._lose("test", "how a test is set up is no action")
        if texts[0] == "console":
            self.pieces.script.losses.append(PRINTED)
            return []
        if texts[0] == "await":
            given, texts = given[1:], texts[1:]
        if not given:
            raise DialectError(NAME, said.tokens[0].where, "nothing is done here")
        if texts[0] in ("const", "let", "var"):
            return self._given(given[1:])
        if texts[:3] == ["Promise", ".", "all"]:
            return self._together(given, "")
        if texts[1:4] == [".", "once", "("] or texts[1:4] == [".", "on", "("]:
            return self._answer(given)
        return [pythonic(given)]

    def _given(self, given: list[Token]) -> list[str]:
        """`const name = ...`: a page, something that is expected, or an element that gets a name."""
        texts = [token.text for token in given]
        if "=" not in texts:
            raise DialectError(NAME, given[0].where if given else "", "this is not understood")
        middle = texts.index("=")
        name, rest = texts[0], given[middle + 1 :]
        rest = rest[1:] if rest and rest[0].text == "await" else rest
        said = [token.text for token in rest]
        if texts[0] == "[" and middle > 2 and said[:3] == ["Promise", ".", "all"]:
            return self._together(rest, texts[1])
        if not rest or given[0].kind != "name":
            raise DialectError(NAME, given[0].where, "this is not understood")
        if said[1:4] == [".", "waitForEvent", "("] and len(rest) > 4 and rest[4].kind == "text":
            self._expected.add(name)
            return [_expected(rest, name)]
        if len(rest) == 1 and said[0] in self._expected:
            return [f"{name} = {said[0]}_info.value"]
        if said[1:3] == [".", "launch"]:
            return []
        if said[1:3] == [".", "newContext"]:
            return [f"context = {pythonic(rest)}"]
        if said[1:3] == [".", "newPage"]:
            return [f"{name} = {pythonic(rest)}"]
        try:
            return [f"{name} = {pythonic(rest)}"]
        except DialectError:
            raise DialectError(NAME, given[0].where, "only an element or a literal can be given a name") from None

    def _together(self, given: list[Token], name: str) -> list[str]:
        """`Promise.all([page.waitForEvent('popup'), page.click('text=More')])`, as older recorders wrote it."""
        ends = [n for n, token in enumerate(given) if token.text == "]"]
        each = _split(given[5 : ends[-1]]) if ends and [token.text for token in given[3:5]] == ["(", "["] else []
        said: list[str] = []
        for one in each:
            texts = [token.text for token in one]
            if texts[1:4] == [".", "waitForEvent", "("] and len(one) > 4 and one[4].kind == "text":
                said.append(_expected(one, name or "event"))
            elif texts[1:4] == [".", "waitForNavigation", "("]:
                self._lose("wait_for_navigation", "what comes of an action is no action")
            elif one:
                said.append(pythonic(one))
        if not said:
            raise DialectError(NAME, given[0].where, "nothing is done here")
        return [*said, f"{name} = {name}_info.value"] if name else said

    def _answer(self, given: list[Token]) -> list[str]:
        """`page.once('dialog', dialog => { ... dialog.dismiss().catch(() => {}); })`."""
        answers = [n for n, token in enumerate(given) if token.text in ("accept", "dismiss") and given[n - 1].text == "."]
        about = given[4] if len(given) > 4 else given[0]
        if about.kind != "text" or text_of(about) != "dialog" or len(answers) != 1:
            raise DialectError(NAME, given[0].where, "this is not understood")
        n = answers[0]
        if [token.text for token in given[n + 1 : n + 3]] != ["(", ")"]:
            raise DialectError(NAME, given[n].where, "an answer with a text is not understood")
        return [f'{given[0].text}.once("dialog", lambda dialog: dialog.{given[n].text}())']


def _expected(given: list[Token], name: str) -> str:
    event = text_of(given[4])
    if event not in _EVENTS:
        raise DialectError(NAME, given[4].where, f"a {event[:40]} is not understood as something that comes of an action")
    return f"with {given[0].text}.expect_{event}() as {name}_info:"


def _split(given: list[Token]) -> list[list[Token]]:
    """The members of a list."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in given:
        depth += (token.text in "([{") - (token.text in ")]}")
        if token.text == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return [one for one in found if one]


JAVASCRIPT = Format(name=NAME, title="Playwright script in JavaScript or TypeScript", suffix=".ts", read=read)


_SCRIPT = files("protocol.exports.recorders") / "playwright_script.template"
"""What stands around the steps; a line `# steps` is where they go, and the last two numbers are the size of the page."""
_PLAIN = (
    ast.Expr, ast.Assign, ast.Call, ast.Attribute, ast.Name, ast.Constant, ast.keyword, ast.List, ast.Tuple, ast.Dict,
    ast.UnaryOp, ast.USub, ast.Subscript, ast.Load, ast.Store,
)  # fmt: skip
"""All that a line may be made of: calls with literal arguments, and another page as the current one."""
_NAMES = frozenset({"page", "context", "expect", "re"})
_DIALOGS = frozenset(f'page.once("dialog", lambda dialog: dialog.{answer}())' for answer in ("accept", "dismiss"))


def write(run: Run, path: Path) -> ExportResult:
    """The script, step by step, as a stream."""
    exported = ExportResult(files=[path])
    size: tuple[int, int] | None = None
    head, _, tail = _SCRIPT.read_text(encoding="utf-8").partition("# steps")
    with whole_file(path) as file:
        file.write(head)
        if run.info.goal:
            file.write(f"    # Goal: {escaped(run.info.goal)}\n")
        for step in run.steps:
            exported.steps += 1
            if size is None and sized(step):
                size = step.visual_state.screen_resolution
            file.writelines(f"    {line}\n" if line else "\n" for line in _lines(step, exported))
        file.write(tail % (size or (1280, 800)))
    return exported


def _lines(step: InteractionStep, exported: ExportResult) -> Iterator[str]:
    yield ""
    yield f"# Step {exported.steps}" + (f": {escaped(step.reasoning)}" if step.reasoning else "")
    try:
        written = dialect("playwright_python").write(step.action, context_of(step))
        lines = _checked(written.payload)
    except DialectError as no:
        exported.unsaid(no)
        yield f"# Not said: {escaped(str(no))}"
        return
    exported.losses.update(written.losses)
    for loss in written.losses:
        yield f"# Lost: {escaped(loss.what)}: {escaped(loss.why)}"
    yield from lines


def _checked(payload: object) -> list[str]:
    """The lines of a payload. Raises DialectError for one that is more than calls of the page."""
    lines = [line for line in str(payload).split("\n") if line.strip()]
    for line in lines:
        try:
            tree = ast.parse(line)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise DialectError("playwright_python", "", "the line is no Python by itself") from None
        if line not in _DIALOGS and not all(map(_harmless, ast.walk(tree))):
            raise DialectError("playwright_python", "", "the line does more than call the page")
    return lines


def _harmless(node: ast.AST) -> bool:
    match node:
        case ast.Module():
            return True
        case ast.Name(id=name, ctx=use):
            return name in _NAMES and (name == "page" or isinstance(use, ast.Load))
        case ast.Attribute(attr=name, ctx=use):
            return not name.startswith("_") and isinstance(use, ast.Load)
        case ast.Subscript(ctx=use):
            return isinstance(use, ast.Load)
    return isinstance(node, _PLAIN)


def escaped(text: str) -> str:
    """`text` on one line of a comment: every sign that is not printed is escaped, and ends no line."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


FORMAT = Format(name="playwright_script", title="Playwright script in Python", suffix=".py", write=write)
