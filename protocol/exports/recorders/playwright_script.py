"""A Python script that replays a run in a browser with Playwright. Every text of the log is quoted or escaped.

The script is data until somebody runs it: each line is parsed before it is written, never run, and does nothing but call
methods of the page. What cannot be said is a comment in its place.
"""

import ast
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from protocol.dialects import DialectError, dialect
from protocol.exports.common.base import ExportResult, Format, Run
from protocol.exports.common.kept import context_of, sized
from protocol.log.log import whole_file
from protocol.model.steps import InteractionStep

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
