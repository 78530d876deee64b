"""`deskcrew ls` and `deskcrew show`: the runs there are, and one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.command import RUNS, AsJson, Debug, RunId, RunsDir, Server, Store, TokenFile, guarded


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
        from orchestrator import listing
        from orchestrator.faces.tables import width_of_terminal

        if server:
            from orchestrator.folders import RunInfo
            from orchestrator.remote_work import connected

            with connected(server, token_file) as remote:
                found = [RunInfo(**run) for run in remote.runs()]
        elif store:
            from orchestrator.store_listing import list_shared

            found = list_shared(store)
        else:
            from orchestrator.folders import list_runs

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
        from orchestrator import folders, listing

        if server:
            from orchestrator.remote_work import connected, shown_there

            with connected(server, token_file) as remote:
                text, ended = shown_there(remote, run_id, plan, blackboard or at is not None, at, as_json=as_json)
            typer.echo(text, nl=not ended)
            return
        if blackboard or at is not None:
            typer.echo(listing.board_text(run_id, runs_dir or RUNS, store, at, as_json=as_json))
            return
        if plan:
            from orchestrator.plans import told

            typer.echo(told(folders.show_plan(run_id, runs_dir or RUNS), as_json), nl=False)
            return
        if store:
            from orchestrator.store_listing import show_shared

            view = show_shared(run_id, store)
        else:
            view = folders.show_run(run_id, runs_dir or RUNS)
        typer.echo(listing.run_json(view) if as_json else listing.run_page(view))
