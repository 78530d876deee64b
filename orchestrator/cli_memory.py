"""`deskcrew memory ...`: what the user answered in earlier runs, to be looked at and to be forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.command import EPILOG, RUNS, AsJson, Debug, RunsDir, guarded

if TYPE_CHECKING:
    from roles.memory.answers import AnswerFile

memory_app = typer.Typer(help="What you answered in earlier runs.", no_args_is_help=True, epilog=EPILOG)
File = Annotated[Path | None, typer.Option("--file", metavar="FILE", help="Where answers are kept, if not beside the runs.")]
App = Annotated[str | None, typer.Option("--app", metavar="APP", help="Only answers to questions in this application.")]
Days = Annotated[float, typer.Option("--days", min=0.001, metavar="DAYS", help="How long an answer is good for.")]


@memory_app.command("ls")
def list_answers(
    app: App = None,
    days: Days = 180.0,
    file: File = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """List the answers, newest first: the question, when and in which run it was answered, and how often that was used."""
    with guarded(debug):
        from orchestrator.faces.clean import json_text

        found = _used(lambda: _opened(file, runs_dir, days).all(app))
        if as_json:
            typer.echo(json_text([known.model_dump(mode="json", exclude={"exact"}) | {"good": good} for known, good in found], 2))
            return
        typer.echo(_table(found))


@memory_app.command("rm")
def remove_answers(
    ids: Annotated[list[int] | None, typer.Argument(metavar="ID...", help="Numbers that `memory ls` shows.")] = None,
    expired: Annotated[bool, typer.Option("--expired", help="All that are no longer good.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    days: Days = 180.0,
    file: File = None,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Forget answers."""
    with guarded(debug):
        from orchestrator.errors import UsageProblem

        if sum((bool(ids), expired, everything)) != 1:
            raise UsageProblem("Say which answers to forget: their numbers (deskcrew memory ls shows them), --expired or --all.")
        kept = _opened(file, runs_dir, days)
        if ids:
            known = {answer.id for answer, _ in _used(kept.all)}
            if missing := [number for number in ids if number not in known]:
                raise UsageProblem(f"There is no answer {missing[0]}; list them with: deskcrew memory ls")
            gone = sum(_used(lambda number=number: kept.remove(number)) for number in dict.fromkeys(ids))
        else:
            gone = _used(kept.remove_expired if expired else kept.remove_all)
        typer.echo(f"{gone} answer{'s' if gone != 1 else ''} forgotten")


@memory_app.command("stats")
def show_stats(
    days: Days = 180.0, file: File = None, as_json: AsJson = False, runs_dir: RunsDir = None, debug: Debug = False
) -> None:
    """Say how many answers there are, for which applications, and where."""
    with guarded(debug):
        from orchestrator.faces.clean import clean, json_text

        kept = _opened(file, runs_dir, days)
        stats = _used(kept.stats)
        if as_json:
            typer.echo(json_text({"file": str(kept.path), **stats._asdict()}, 2))
            return
        used = f"used {stats.used} times, {stats.bytes} bytes"
        typer.echo(f"{stats.answers} answers, {stats.expired} of them no longer good, {used}")
        for app, count in sorted(stats.apps.items()):
            typer.echo(f"  {clean(app or '(no application)', 60)}: {count}")
        typer.echo(f"  in {clean(kept.path)}")


def _opened(file: Path | None, runs_dir: Path | None, days: float) -> AnswerFile:
    from roles.memory.answers import AnswerFile, answers_path

    return AnswerFile(answers_path(file, runs_dir or RUNS), days=days)


def _used(work: Any) -> Any:
    """What `work` gives; a memory that cannot be used is a usage problem here."""
    from orchestrator.errors import UsageProblem
    from roles.memory.answers import MemoryFault

    try:
        return work()
    except MemoryFault as fault:
        said = str(fault)
        raise UsageProblem(f"{said[:1].upper()}{said[1:]}.") from None


def _table(found: list[Any]) -> str:
    from orchestrator.faces.clean import clean
    from orchestrator.faces.tables import table
    from orchestrator.listing import moment

    if not found:
        return "Nothing is remembered; answers are kept where memory.answers is ask or on."
    rows = [("ID", "APP", "QUESTION", "ANSWER", "WHEN", "RUN", "USED")]
    for known, good in found:
        when = moment(known.at) + ("" if good else " (expired)")
        texts = (clean(known.app, 20), clean(known.question, 50), clean(known.value, 40))
        rows.append((str(known.id), *texts, when, clean(known.run, 40), str(known.used)))
    return table(rows)
