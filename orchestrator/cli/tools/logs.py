"""`deskcrew log ...` and `deskcrew schema ...`: logs of the GUI protocol, of our own runs and of other agents'."""

import json
import sys
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.common import FAILED, RUNS, AsJson, RunsDir, Told, command, group

log_app = group("Check, show and convert logs.")
schema_app = group("JSON Schemas of the protocol.")
LogFile = Annotated[str, typer.Argument(metavar="LOG", help="A log.jsonl, a folder with one, or a run.")]
From = Annotated[
    str, typer.Option("--from", metavar="FORMAT", help="What the file is: a deskcrew log, a format, dialect[:variant] or dsl.")
]
Screen = Annotated[str, typer.Option(metavar="WxH", help="Pixels of the screen, if a dialect's file does not say.")]
Image = Annotated[str, typer.Option(metavar="WxH", help="Pixels of the picture that the model saw, if not the screen's.")]


@log_app.command()
@command
def validate(
    logs: Annotated[list[str], typer.Argument(metavar="LOG...", help="Logs, folders with one, or runs.")],
    source: From = "deskcrew",
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
) -> None:
    """Report every problem with its file, line, JSON path and reason; exit 1 if a line cannot be used."""
    from orchestrator.lab import logs as reports

    wrong = sum(reports.validate(reports.opened(log, source, runs_dir or RUNS), as_json=as_json) for log in logs)
    if wrong:
        raise typer.Exit(FAILED)


@log_app.command()
@command
def show(
    log: LogFile,
    step: Annotated[int | None, typer.Option(help="Only this step, with the whole screen.")] = None,
    pictures: Annotated[str, typer.Option(help="paths: name each step's pictures; or none.")] = "paths",
    source: From = "deskcrew",
    screen: Screen = "",
    image: Image = "",
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
) -> None:
    """Print a log for people; with --json one step per line."""
    from orchestrator.lab import logs as reports

    reports.show(reports.opened(log, source, runs_dir or RUNS, screen, image), only=step, pictures=pictures, as_json=as_json)


@log_app.command()
@command
def convert(
    log: LogFile,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="A format, a dialect, dsl or deskcrew; see: log formats.")],
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file; default: beside the log.")] = None,
    source: From = "deskcrew",
    screen: Screen = "",
    image: Image = "",
    variant: Annotated[str | None, typer.Option(help="The variant of the written dialect.")] = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
) -> None:
    """Write a log in another format, and report every loss."""
    from orchestrator.lab import logs as reports

    opened = reports.opened(log, source, runs_dir or RUNS, screen, image)
    if not reports.convert(opened, to, out, variant, as_json=as_json):
        raise typer.Exit(FAILED)


@log_app.command("formats")
@command
def formats() -> Told:
    """List the formats and dialects that can be read and written."""
    from orchestrator.lab import logs as reports

    return Told.rows(reports.listed(), ("NAME", "OF", "WAYS", "TITLE"), itemgetter("name", "of", "ways", "title"))


@schema_app.command()
@command
def export(
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="DIR", help="The file; default: standard output.")] = None,
) -> None:
    """Write the JSON Schemas (2020-12) of the protocol."""
    from protocol.log.versions import schemas, write_schemas

    if out is None:
        json.dump(schemas(), sys.stdout, indent=2, ensure_ascii=False)
        typer.echo()
        return
    for path in write_schemas(out):
        typer.echo(path)
