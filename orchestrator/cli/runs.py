"""`deskcrew ls` and `deskcrew show`: the runs there are, and one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from orchestrator.cli.common import AsJson, Debug, RunId, RunsDir, Server, Store, TokenFile, connected, guarded

Part = Annotated[str, typer.Argument(metavar="[WORD]", help="Only those that have this in their name, world, kinds or goal.")]


def tasks(part: Part = "", as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped tasks: name, tier, whether the plan is given, world, goal. `deskcrew run NAME` works one, `deskcrew task
    check` checks one."""
    with guarded(debug):
        from orchestrator.tasks import shipped

        _tell(shipped.tasks(part), shipped.TASK_COLUMNS, as_json, part)


def worlds(part: Part = "", as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped worlds: name, kind, apps and what they are for. `deskcrew world serve NAME` opens one in a browser."""
    with guarded(debug):
        from orchestrator.tasks import shipped

        _tell(shipped.worlds(part), shipped.WORLD_COLUMNS, as_json, part)


def _tell(found: Sequence[Mapping[str, object]], columns: tuple[str, ...], as_json: bool, part: str) -> None:
    from orchestrator.store.printable import clean, json_text
    from orchestrator.views.terminal.tables import cells, table, width_of_terminal

    if as_json:
        typer.echo(json_text(found, 2))
    elif not found:
        typer.echo(f"Nothing that is shipped has {clean(part, 80)!r} in it.")
    else:
        rows = [tuple(name.upper() for name in columns), *(cells(one, columns) for one in found)]
        typer.echo(table(rows, width_of_terminal()))


def list_runs(
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """List the runs, newest first."""
    with guarded(debug), connected(runs_dir, server, token_file, store) as runs:
        from orchestrator.views import listing
        from orchestrator.views.terminal.tables import width_of_terminal

        found = sorted(runs.list(), key=lambda run: (run.started, run.run_id), reverse=True)
        typer.echo(listing.runs_json(found) if as_json else listing.runs_table(found, width_of_terminal()))


def show(
    run_id: RunId,
    plan: Annotated[bool, typer.Option("--plan", help="Only the plan, as YAML that `run --plan` reads.")] = False,
    blackboard: Annotated[
        bool, typer.Option("--blackboard", help="Only what is known: facts, who says them, who used them; answers, screens.")
    ] = False,
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="STEP", help="The blackboard as it stood after STEP.")] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Only what was said to models and by them, as far as it was kept.")
    ] = False,
    step: Annotated[int | None, typer.Option("--step", min=0, help="With --prompts: of this step only.")] = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Show one run: plan, steps, gates, approvals, and how it ended."""
    with guarded(debug), connected(runs_dir, server, token_file, store) as runs:
        from orchestrator.store.printable import json_text
        from orchestrator.views import listing

        run = runs.run(run_id)
        if blackboard or at is not None:
            from orchestrator.views.blackboard import board_page

            board = run.blackboard(at)
            typer.echo(json_text(board, 2) if as_json else board_page(board))
        elif prompts or step is not None:
            from orchestrator.views.transcripts import page_of

            calls = run.prompts(step)
            typer.echo(json_text(calls, 2) if as_json else page_of(calls))
        elif plan:
            from orchestrator.tasks.plans import told

            typer.echo(told(run.plan(), as_json), nl=False)
        else:
            view = run.report()
            typer.echo(listing.run_json(view) if as_json else listing.run_page(view))
