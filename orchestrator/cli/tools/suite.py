"""`deskcrew suite ...`: many tasks, seeds and configurations, worked as one table and compared."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import EPILOG, FAILED, AsJson, command

if TYPE_CHECKING:
    from orchestrator.lab.suite.suite import EpisodeRow

suite_app = typer.Typer(help="Work tasks x seeds x configurations, and compare.", no_args_is_help=True, epilog=EPILOG)
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where `suite run` put it.")]


@suite_app.command("list")
@command
def list_suites(as_json: AsJson = False) -> None:
    """List the suites that are shipped."""
    from orchestrator.lab.suite.suite import episodes_of, load_suite
    from orchestrator.settings.settings import shipped_names
    from orchestrator.store.printable import json_text

    for name in shipped_names("suites"):
        suite = load_suite(name)
        count = len(episodes_of(suite))
        said = {"suite": name, "episodes": count, "configurations": list(suite.configurations), "about": suite.about}
        typer.echo(json_text(said) if as_json else f"{name:<10} {count:>5} episodes  {suite.about}")


@suite_app.command("run")
@command
def run(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A shipped suite (see `suite list`), or a file.")],
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where to; suites/NAME when not given.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many processes.")] = 1,
    retry: Annotated[str, typer.Option(metavar="failed", help="failed: work again what did not come out right.")] = "",
    only: Annotated[str, typer.Option("--tasks", metavar="PATTERN", help="Only tasks whose name fits.")] = "*",
    as_json: AsJson = False,
) -> None:
    """Work what is not done yet, and show the table. What was stopped goes on when the same is typed again."""
    from orchestrator.errors import UsageProblem
    from orchestrator.lab.suite.suite import load_suite, rows_in, run_suite

    if retry not in {"", "failed"}:
        raise UsageProblem(f"--retry {retry!r} is not known; there is `failed`.")
    folder = out or Path("suites") / Path(suite).stem
    began, first = time.monotonic(), 0
    for row, done, of in run_suite(load_suite(suite), folder, workers=workers, again=retry == "failed", only=only):
        first = first or done
        left = (time.monotonic() - began) / (done - first + 1) * (of - done)
        _tell(row, f"{done:>4}/{of}", left)
    rows = rows_in(folder)
    _show(rows, "configuration", as_json)
    typer.echo(f"in {folder}; {sum(row.seconds for row in rows):.0f} s of runs", err=True)
    if any(row.status == "error" for row in rows):
        raise typer.Exit(FAILED)


@suite_app.command("show")
@command
def show(
    folder: Folder,
    by: Annotated[str, typer.Option(metavar="WORD", help="configuration, task, tier, kind or seed.")] = "configuration",
    as_json: AsJson = False,
) -> None:
    """Show the table of what is done: shares with intervals, false done apart, steps, gates, plans, tokens, money."""
    from orchestrator.lab.suite.suite import rows_in

    _show(rows_in(folder), by, as_json)


@suite_app.command("compare")
@command
def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="FOLDER, or FOLDER:CONFIGURATION.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The same of the other.")],
    as_json: AsJson = False,
) -> None:
    """Compare two configurations on what both were given, pair by pair."""
    from orchestrator.lab.suite.figures import compared, comparison_lines
    from orchestrator.store.printable import json_text

    found = compared(_chosen(first), _chosen(second), (first, second))
    typer.echo(json_text(found.model_dump(mode="json")) if as_json else "\n".join(comparison_lines(found)))


@suite_app.command("report")
@command
def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="report.html in the folder if not given.")
    ] = None,
) -> None:
    """Write one HTML page: the tables, and what went wrong with the viewer's page of each run."""
    from orchestrator.lab.suite.page import write_report

    place = out or folder / "report.html"
    linked = write_report(folder, place)
    typer.echo(f"{place} ({linked} runs with a page of their own)")


def _chosen(word: str) -> list[EpisodeRow]:
    from orchestrator.errors import UsageProblem
    from orchestrator.lab.suite.suite import rows_in

    place, _, name = word.rpartition(":") if not Path(word).is_dir() else (word, "", "")
    rows = [row for row in rows_in(Path(place or word)) if not name or row.configuration == name]
    names = sorted({row.configuration for row in rows})
    if len(names) != 1:
        told = f"there is none called {name!r}" if name else f"it has {', '.join(names) or 'no rows'}; write {word}:NAME"
        raise UsageProblem(f"{word}: one configuration is compared with one, and {told}.")
    return rows


def _show(rows: list[EpisodeRow], by: str, as_json: bool) -> None:
    from orchestrator.lab.suite.figures import figures, table
    from orchestrator.store.printable import json_text

    lines = figures(rows, by)
    if as_json:
        typer.echo(json_text([line.model_dump(mode="json") for line in lines], indent=1))
    else:
        typer.echo("\n".join(table(lines)))


def _tell(row: EpisodeRow, where: str, left: float) -> None:
    from orchestrator.store.printable import clean

    word = "right" if row.right else "FALSE" if row.false_done else row.status
    why = "" if row.right else f"  {row.reason}"
    said = f"{where} {word:<9} {row.configuration} {row.task} seed {row.seed} {row.steps} steps, {left:.0f} s left{why}"
    typer.echo(clean(said, 240), err=True)
