"""`deskcrew knowledge ...`: what the crew can look up, added, listed, searched and removed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli_learn import learn
from orchestrator.command import EPILOG, FAILED, AsJson, Debug, RunsDir, Server, TokenFile, guarded

if TYPE_CHECKING:
    from orchestrator.knowledge import Finding
    from roles.knowledge.documents import Document
    from roles.knowledge.folders import Synced

knowledge_app = typer.Typer(
    help="What the crew looks up: help pages, searches, what it did, what people showed.", no_args_is_help=True, epilog=EPILOG
)
knowledge_app.command()(learn)
App = Annotated[str | None, typer.Option("--app", metavar="APP", help="The application it is about.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="help, online, experience or demonstration.")]
Config = Annotated[list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")]
Overrides = Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")]


@knowledge_app.command()
def add(
    places: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Pages (Markdown, JSON, HTML), or folders of them.")],
    app: App = None,
    kind: Kind = None,
    config: Config = None,
    overrides: Overrides = None,
    runs_dir: RunsDir = None,
    as_json: AsJson = False,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Add pages. In a folder, APP/PAGE is about APP. Added again, what changed is read again and what is gone is dropped.

    With --server the pages of these files are sent, each as a help page.
    """
    with guarded(debug):
        from orchestrator.faces.clean import json_text

        if server:
            _add_there(server, token_file, places, app, kind, as_json=as_json)
            return
        from orchestrator import knowledge

        done = knowledge.add(_settings(config, overrides, runs_dir), places, app, kind)
        typer.echo(json_text(done._asdict(), 2) if as_json else _added(done))
        if done.problems and not (done.added or done.changed or done.unchanged):
            raise typer.Exit(FAILED)


@knowledge_app.command("ls")
def list_all(
    app: App = None,
    kind: Kind = None,
    every: Annotated[bool, typer.Option("--all", help="Also what is shipped or in help_dirs, and what is retired.")] = False,
    config: Config = None,
    overrides: Overrides = None,
    runs_dir: RunsDir = None,
    as_json: AsJson = False,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """List what was added; with --server, everything that is looked up there."""
    with guarded(debug):
        from orchestrator.faces.clean import clean, json_text
        from orchestrator.faces.tables import table

        if server:
            from orchestrator import remote_knowledge as there
            from orchestrator.remote_work import connected

            with connected(server, token_file) as remote:
                told = there.listed(remote, app, kind)
            typer.echo(json_text(told["documents"], 2) if as_json else there.as_table(told, scored=False))
            return
        from orchestrator import knowledge

        found = knowledge.listed(_settings(config, overrides, runs_dir), app, kind, every)
        if as_json:
            typer.echo(json_text([one.model_dump(mode="json") for one in found], 2))
        elif not found:
            typer.echo("Nothing was added. (deskcrew knowledge ls --all shows what is shipped.)")
        else:
            rows = [(one.kind, clean(one.app or "-"), clean(one.id), clean(_titled(one))) for one in found]
            typer.echo(table([("KIND", "APP", "ID", "TITLE"), *rows]))


@knowledge_app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What is to be done, or known, in words.")],
    app: App = None,
    kind: Kind = None,
    config: Config = None,
    overrides: Overrides = None,
    runs_dir: RunsDir = None,
    as_json: AsJson = False,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Search as a run does, and show also what came close and is not returned, with the reason. Exit code 1: nothing fits."""
    with guarded(debug):
        from orchestrator.faces.clean import json_text

        if server:
            from orchestrator import remote_knowledge as there
            from orchestrator.remote_work import connected

            with connected(server, token_file) as remote:
                told = there.searched(remote, query, app, kind)
            typer.echo(json_text(told, 2) if as_json else there.as_table(told, scored=True))
            if not any(not one["why_not"] for one in told["documents"]):
                raise typer.Exit(FAILED)
            return
        from orchestrator import knowledge

        answer = knowledge.search(_settings(config, overrides, runs_dir), query, app, kind)
        typer.echo(json_text(answer.as_data(), 2) if as_json else _found(answer.found))
        for fault in answer.faults:
            typer.echo(f"deskcrew: {fault}", err=True)
        if not any(not one.why_not for one in answer.found):
            raise typer.Exit(FAILED)


@knowledge_app.command("rm")
def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Of documents, as ls shows them.")],
    config: Config = None,
    overrides: Overrides = None,
    runs_dir: RunsDir = None,
    as_json: AsJson = False,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Remove what was added."""
    with guarded(debug):
        from orchestrator.faces.clean import clean, json_text

        if server:
            from orchestrator.remote_knowledge import removed
            from orchestrator.remote_work import connected

            with connected(server, token_file) as remote:
                removed(remote, ids)
        else:
            from orchestrator import knowledge

            knowledge.remove(_settings(config, overrides, runs_dir), ids)
        typer.echo(json_text({"removed": ids}, 2) if as_json else "\n".join(f"removed {clean(id)}" for id in ids))


@knowledge_app.command()
def stats(
    config: Config = None,
    overrides: Overrides = None,
    runs_dir: RunsDir = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Count what can be looked up, by source, and say what could not be read."""
    with guarded(debug):
        from orchestrator import knowledge
        from orchestrator.faces.clean import clean, json_text
        from orchestrator.faces.tables import table

        told = knowledge.stats(_settings(config, overrides, runs_dir))
        if as_json:
            typer.echo(json_text(told._asdict(), 2))
            return
        rows = [(row["kind"], clean(row["app"] or "-"), str(row["added"]), str(row["folders"])) for row in told.counts]
        typer.echo(table([("KIND", "APP", "ADDED", "IN FOLDERS"), *rows]))
        typer.echo(f"store: {clean(told.store)}" + (f", {told.bytes:,} bytes" if told.bytes else " (not made yet)"))
        for line in (*(f"embeddings: {model}: {count} vectors" for model, count in told.vectors.items()), *told.problems):
            typer.echo(clean(line, 1000))


def _add_there(
    server: str, token_file: Path | None, places: list[Path], app: str | None, kind: str | None, *, as_json: bool
) -> None:
    from orchestrator.errors import UsageProblem
    from orchestrator.faces.clean import clean, json_text
    from orchestrator.remote_knowledge import added
    from orchestrator.remote_work import connected

    if kind not in (None, "help"):
        raise UsageProblem(f"--kind {kind}: a desk takes help pages only; leave it out with --server.")
    with connected(server, token_file) as remote:
        done = added(remote, places, app)
    lines = [*(f"added {clean(id)}" for id in done["added"]), *(f"not read: {clean(one, 1000)}" for one in done["problems"])]
    typer.echo(json_text(done, 2) if as_json else "\n".join(lines) or "No page was found.")
    if done["problems"] and not done["added"]:
        raise typer.Exit(FAILED)


def _titled(document: Document) -> str:
    return f"{document.title} (retired: {document.retired})" if document.retired else document.title


def _settings(config: list[Path] | None, overrides: list[str] | None, runs_dir: Path | None) -> Any:
    from orchestrator.driving import as_overrides
    from orchestrator.settings import load_settings

    return load_settings(config or (), [*(overrides or ()), *as_overrides({"runs_dir": runs_dir})]).settings


def _added(done: Synced) -> str:
    from orchestrator.faces.clean import clean

    groups = (("added", done.added), ("changed", done.changed), ("dropped", done.removed))
    lines = [f"{word} {clean(id)}" for word, ids in groups for id in ids]
    lines += [f"not read: {clean(problem, 1000)}" for problem in done.problems]
    counts = f"{len(done.added)} added, {len(done.changed)} changed, {len(done.removed)} dropped, {done.unchanged} as they were"
    return "\n".join([*lines, counts])


def _found(found: list[Finding]) -> str:
    from orchestrator.faces.clean import clean
    from orchestrator.faces.tables import table

    if not found:
        return "Nothing has a word of it."
    rows = [("SCORE", "KIND", "APP", "TITLE", "SOURCE", "")]
    for one in found:
        hit = one.hit
        score = "-" if hit.score is None else f"{hit.score:.2f}"
        sources = ", ".join([hit.source, *hit.also])
        rows.append((score, hit.kind or "-", clean(hit.app or "-"), clean(hit.title, 60), clean(sources, 80), one.why_not))
    return table(rows)
