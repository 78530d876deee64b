"""The command `deskcrew trust`."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.command import RUNS, Debug, RunsDir, guarded


def trust(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Let a run that came from elsewhere start what its settings name, after saying what that is."""
    with guarded(debug):
        from orchestrator.faces.clean import clean
        from orchestrator.folders import find_run, read_run
        from orchestrator.signing import reaching
        from orchestrator.signing import trust as sign

        folder = find_run(run_id, runs_dir or RUNS)
        found = reaching(read_run(folder)["settings"])
        if not found:
            typer.echo(f"Run {folder.name} names nothing beyond itself; it goes on without that.")
            return
        for what in found:
            typer.echo(f"- {clean(what, 400)}")
        if not yes:
            typer.confirm("Is all of this to be started, or asked, for you?", abort=True)
        sign(folder.name, runs_dir=folder.parent)
        typer.echo(f"Go on with: deskcrew resume {folder.name}")
