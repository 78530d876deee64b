"""`deskcrew knowledge learn`: from a run, or from a log of what somebody did, to steps that others can follow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.command import FAILED, AsJson, Debug, RunsDir, guarded

if TYPE_CHECKING:
    from orchestrator.learning import Kept, Lesson


def learn(
    words: Annotated[
        list[str], typer.Argument(metavar="RUN|LOG...", help="A run, or a log. Two that show the same are compared.")
    ],
    goal: Annotated[
        list[str] | None, typer.Option(metavar="WORDS", help="What was to be done, if the log does not say; one for each.")
    ] = None,
    app_name: Annotated[str, typer.Option("--app", metavar="APP", help="Keep it for goals in this application alone.")] = "",
    source: Annotated[str, typer.Option("--from", metavar="FORMAT", help="See: deskcrew log formats.")] = "deskcrew",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what was understood, and keep nothing.")] = False,
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    runs_dir: RunsDir = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Learn from a run of the crew, or from what a person or another agent did; say what was understood."""
    with guarded(debug):
        from orchestrator.driving import as_overrides
        from orchestrator.learning import Kept, kept, lesson
        from orchestrator.settings import load_settings

        settings = load_settings(config or (), [*(overrides or ()), *as_overrides({"runs_dir": runs_dir})]).settings
        found = lesson(words, goal or (), source, settings.runs_dir, app_name)
        if found.against:
            result = Kept(False, found.found.title, why=found.against)
        elif dry_run:
            result = Kept(False, found.found.title, why="only shown (--dry-run)")
        else:
            result = kept(found, settings.knowledge, settings.runs_dir)
        _tell(found, result, as_json=as_json)
        if found.against:
            raise typer.Exit(FAILED)


def _tell(found: Lesson, result: Kept, *, as_json: bool) -> None:
    from orchestrator.faces.clean import clean, json_text

    if as_json:
        typer.echo(json_text(found.found.model_dump(mode="json") | {"kept": result.told()}))
        return
    said = found.found
    typer.echo(clean(said.title, 500))
    for number, step in enumerate(said.steps, start=1):
        typer.echo(f"  {number}. {clean(step, 500)}")
    for slot in said.slots:
        typer.echo(f"given by the goal   {{{clean(slot.name, 60)}}}, here {clean(slot.value, 200)}")
    for read in said.reads:
        typer.echo(f"read on a screen    {clean(read.name, 100)} in {clean(read.app, 60)}")
    for constant in said.constants:
        typer.echo(f"always the same     {clean(constant.value, 200)} ({clean(constant.where, 100)})")
    for doubt in said.doubts:
        typer.echo(f"in doubt            {clean(doubt, 300)}")
    if said.left_out:
        typer.echo(f"left out            {said.left_out} steps that only looked, failed or led nowhere")
    typer.echo(_ending(result))


def _ending(result: Kept) -> str:
    from orchestrator.faces.clean import clean

    if result.saved:
        return f"kept as {result.document}"
    return f"not kept: {clean(result.why, 300)}"
