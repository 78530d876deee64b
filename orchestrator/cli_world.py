"""`deskcrew world serve`: a world in a browser, for people and for programs that drive one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli_check import world_app
from orchestrator.command import Debug, guarded

if TYPE_CHECKING:
    from environments.served.running import Address
    from orchestrator.judge import Verdict

__all__ = ["world_app"]


@world_app.command("serve")
def serve_world(
    world: Annotated[str | None, typer.Argument(metavar="WORLD", help="A file or a shipped name.")] = None,
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="Serve the world of this task, and judge what is done.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    goal: Annotated[
        str, typer.Option(metavar="WORDS", help="What is to be done, shown below the desktop and in the record.")
    ] = "",
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what is done to this new protocol log.")] = None,
    host: Annotated[
        str, typer.Option(help="The address to serve at; by default nobody but this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8765,
    debug: Debug = False,
) -> None:
    """Serve a world as web pages, until Ctrl-C. The printed address opens it; nobody gets in without the token in it."""
    with guarded(debug):
        from orchestrator import serving

        serving.serve_world(serving.Wanted(world, task, seed, goal, record, host, port), _ready, _told)


def _ready(address: Address, goal: str) -> None:
    from orchestrator.faces.clean import clean

    if goal:
        typer.echo(f"goal: {clean(goal, 1000)}")
    typer.echo(f"open {address.url}")
    typer.echo("press Ctrl-C to stop")


def _told(verdict: Verdict) -> None:
    from orchestrator.faces.clean import clean

    typer.echo(f"{'passed' if verdict.passed else 'not passed'}, {verdict.steps} steps")
    for check in verdict.checks:
        if not check.passed:
            typer.echo(f"  wrong  {clean(check.expression, 1000)}{': ' + clean(check.error, 200) if check.error else ''}")
