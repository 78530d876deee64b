"""`deskcrew task ...` and `deskcrew world ...`: files checked without a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.command import EPILOG, FAILED, AsJson, Debug, guarded

if TYPE_CHECKING:
    from orchestrator.checking import Checked

task_app = typer.Typer(help="Task files.", no_args_is_help=True, epilog=EPILOG)
world_app = typer.Typer(help="Worlds of the simulated desktop.", no_args_is_help=True, epilog=EPILOG)
Tasks = Annotated[list[str] | None, typer.Argument(metavar="TASK...", help="Files or shipped names; all shipped ones if none.")]
Worlds = Annotated[list[str] | None, typer.Argument(metavar="WORLD...", help="Files or shipped names; all shipped ones if none.")]
Seeds = Annotated[int, typer.Option(min=1, max=1000, help="How many seeds to try.")]


@task_app.callback()
def _tasks() -> None:
    return None


@world_app.callback()
def _worlds() -> None:
    return None


@task_app.command("check")
def check_task(
    tasks: Tasks = None,
    seeds: Seeds = 5,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Say what is wrong with tasks: keys, slots without a value, conditions that name nothing or hold from the start."""
    with guarded(debug):
        from orchestrator.checking import check_tasks

        _tell(check_tasks(tasks or [], seeds), as_json)


@world_app.command("check")
def check_world(
    worlds: Worlds = None,
    seeds: Seeds = 5,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Say what is wrong with worlds: unknown apps and keys, duplicates, rules that fit nothing."""
    with guarded(debug):
        from orchestrator.checking import check_worlds

        _tell(check_worlds(worlds or [], seeds), as_json)


def _tell(found: Iterable[Checked], as_json: bool) -> None:
    import json

    from orchestrator.faces.words import clean

    bad = 0
    for checked in found:
        bad += bool(checked.problems)
        if as_json:
            typer.echo(json.dumps(checked._asdict(), ensure_ascii=False))
            continue
        typer.echo(f"{'wrong' if checked.problems else 'ok':<6} {clean(checked.name)}: {clean(checked.says, 200)}".rstrip(": "))
        for problem in checked.problems:
            typer.echo(f"       {clean(problem, 1000)}")
    if bad:
        raise typer.Exit(FAILED)
