"""The commands `deskcrew replay` and `deskcrew fork`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.command import FAILED, RUNS, AsJson, Debug, Display, RunsDir, Secret, guarded
from orchestrator.driving import checked_display, drive


def replay(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="A run, the beginning of its name, or a file with a recording.")],
    secret: Secret = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Work a run again with what was decided in it, and say where it first differs. Asks no model and nobody."""
    with guarded(debug):
        from orchestrator.private import asked_for
        from orchestrator.replaying.recording import find_recording
        from orchestrator.replaying.replay import replay as work_again

        found = work_again(find_recording(run_id, runs_dir or RUNS), asked_for(secret or ()))
        if as_json:
            from orchestrator.faces.clean import json_text

            typer.echo(json_text(found.as_json()))
        else:
            from orchestrator.faces.clean import clean

            typer.echo(clean(found.sentence(), 2000))
        if found.difference is not None:
            raise typer.Exit(FAILED)


def fork(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name. It is only read.")],
    at: Annotated[int, typer.Option("--at", metavar="STEP", help="The last step that is as it was; 0 for none.")],
    goal: Annotated[str | None, typer.Option(metavar="TEXT", help="Another goal from there on.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value from there on; repeatable.")
    ] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    secret: Secret = None,
    display: Display = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Start a new run from a step of another one: the same world, plan and blackboard, and from there on its own way."""
    with guarded(debug):
        from orchestrator import runs
        from orchestrator.faces import make_face
        from orchestrator.journal import salvage
        from orchestrator.private import asked_for
        from orchestrator.replaying.fork import fork as make

        folder = runs_dir or RUNS
        face = make_face("json" if as_json else checked_display(display))
        secrets = asked_for(secret or ())
        made = make(run_id, at, runs_dir=folder, goal=goal, config=config or (), overrides=overrides or (), secrets=secrets)
        for event in salvage(folder / made / "journal.sqlite").events:
            face.recall(event)
        drive(
            face,
            folder,
            lambda heard, stop: runs.resume(
                made, runs_dir=folder, parts={"secrets": secrets}, listener=heard, approver=face.approver, stop=stop
            ),
            made,
        )
