"""The command `deskcrew`. What can be typed stands in `commands`; a command's module is imported when it is typed."""

import sys
import warnings
from typing import Annotated, Any

import typer

from orchestrator.cli.commands import SHAPE, Commands
from orchestrator.cli.common import EPILOG, FAILED, LETTERS, USAGE, answer_shells

app = typer.Typer(
    name="deskcrew",
    help="A multi-agent orchestrator for computer use.",
    epilog=EPILOG,
    cls=Commands,
    no_args_is_help=True,
    **SHAPE,
)


def main() -> None:
    """Entry point of the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=LETTERS)
    answer_shells()
    warnings.formatwarning = lambda message, *_: f"deskcrew: {message}\n"
    try:
        code = app(prog_name="deskcrew", standalone_mode=False)
    except typer.Abort:
        typer.echo("deskcrew: nothing was done", err=True)
        sys.exit(FAILED)
    except Exception as bad:
        if not hasattr(bad, "format_message"):
            raise
        typer.echo(_mistyped(bad), err=True)
        sys.exit(USAGE)
    sys.exit(code if isinstance(code, int) else 0)


def _mistyped(bad: Any) -> str:
    """What the command line itself says is wrong with it, as one sentence; the help where nothing was typed."""
    said = bad.format_message().strip()
    if "\n" in said:
        return str(said)
    again = bad.ctx.command_path if getattr(bad, "ctx", None) else "deskcrew"
    return f"deskcrew: {said[:1].lower()}{said[1:].rstrip('.')}; see: {again} --help"


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"deskcrew {version('deskcrew')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    return None
