"""`deskcrew ls` and `deskcrew show`: the runs there are, and one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.common import RUNS, AsJson, Debug, RunId, RunsDir, Server, Store, TokenFile, guarded

Part = Annotated[str, typer.Argument(metavar="[WORD]", help="Only those that have this in their name, world, kinds or goal.")]


def tasks(part: Part = "", as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped tasks: name, tier, world and goal. `deskcrew run NAME` works one, `deskcrew task check` checks one."""
    with guarded(debug):
        from orchestrator.tasks import shipped

        _tell(shipped.tasks(part), shipped.TASK_COLUMNS, as_json, part)


def worlds(part: Part = "", as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped worlds: name, kind, apps and what they are for. `deskcrew world serve NAME` opens one in a browser."""
    with guarded(debug):
        from orchestrator.tasks import shipped

        _tell(shipped.worlds(part), shipped.WORLD_COLUMNS, as_json, part)


def _tell(found: list[dict[str, object]], columns: tuple[str, ...], as_json: bool, part: str) -> None:
    from orchestrator.runs.privacy.clean import clean, json_text
    from orchestrator.views.terminal.tables import cells, table, width_of_terminal

    if as_json:
        typer.echo(json_text(found, 2))
    elif not found:
        typer.echo(f"Nothing that is shipped has {clean(part, 80)!r} in it.")
    else:
        rows = [tuple(name.upper() for name in columns), *(cells(one, columns) for one in found)]
        typer.echo(table(rows, width_of_terminal()))


def runs(
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """List the runs, newest first."""
    with guarded(debug):
        from orchestrator.views import listing
        from orchestrator.views.terminal.tables import width_of_terminal

        if server:
            from orchestrator.desk.client.work import connected
            from orchestrator.store.folders import RunInfo

            with connected(server, token_file) as remote:
                found = [RunInfo(**run) for run in remote.runs()]
        elif store:
            from orchestrator.store.postgres.listing import list_shared

            found = list_shared(store)
        else:
            from orchestrator.store.folders import list_runs

            found = list_runs(runs_dir or RUNS)
        found = sorted(found, key=lambda run: (run.started, run.run_id), reverse=True)
        typer.echo(listing.runs_json(found) if as_json else listing.runs_table(found, width_of_terminal()))


def show(
    run_id: RunId,
    plan: Annotated[bool, typer.Option("--plan", help="Only the plan, as YAML that `run --plan` reads.")] = False,
    blackboard: Annotated[
        bool, typer.Option("--blackboard", help="Only what is known: facts, who says them, who used them; answers, screens.")
    ] = False,
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="STEP", help="The blackboard as it stood after STEP.")] = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Show one run: plan, steps, gates, approvals, and how it ended."""
    with guarded(debug):
        from orchestrator.store import folders
        from orchestrator.views import listing

        if server:
            from orchestrator.desk.client.work import connected, shown_there

            with connected(server, token_file) as remote:
                text, ended = shown_there(remote, run_id, plan, blackboard or at is not None, at, as_json=as_json)
            typer.echo(text, nl=not ended)
            return
        if blackboard or at is not None:
            typer.echo(listing.board_text(run_id, runs_dir or RUNS, store, at, as_json=as_json))
            return
        if plan:
            from orchestrator.runs.plans import told

            typer.echo(told(folders.show_plan(run_id, runs_dir or RUNS), as_json), nl=False)
            return
        if store:
            from orchestrator.store.postgres.listing import show_shared

            view = show_shared(run_id, store)
        else:
            view = folders.show_run(run_id, runs_dir or RUNS)
        typer.echo(listing.run_json(view) if as_json else listing.run_page(view))
