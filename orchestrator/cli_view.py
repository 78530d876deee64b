"""`deskcrew view`: a run as one page that opens in any browser, without a server and without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.command import RUNS, AsJson, Debug, RunsDir, Store, guarded
from orchestrator.completion import run_ids

NAME = "view.html"


def view(
    run: Annotated[
        str, typer.Argument(metavar="ID", help="A run, the beginning of its name, or its folder.", autocompletion=run_ids)
    ],
    other: Annotated[
        str | None,
        typer.Option(
            "--with", metavar="ID", help="Another run, beside it, with the first difference marked.", autocompletion=run_ids
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help=f"The file; {NAME} in the run's folder when not given.")
    ] = None,
    bundle: Annotated[bool, typer.Option("--bundle", help="Put the pictures of screens into the file, not beside it.")] = False,
    gif: Annotated[
        Path | None, typer.Option("--gif", metavar="FILE", help="Write a film instead: a picture a line, with what was pressed.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    debug: Debug = False,
) -> None:
    """Write a run as one HTML file: screens, steps, gates, approvals, the plan and the machine; two runs with --with."""
    with guarded(debug):
        from orchestrator.errors import UsageProblem

        if gif is not None:
            if other or out or bundle:
                raise UsageProblem("--gif writes a film of one run; leave out --with, -o and --bundle.")
            _film(run, gif.absolute(), runs_dir or RUNS, store, as_json)
            return
        from orchestrator.viewer.page import write_page
        from orchestrator.viewer.source import read_source

        sources = [read_source(name, runs_dir or RUNS, store) for name in (run, other) if name is not None]
        path = (out or _place(sources[0].folder)).absolute()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            written = write_page(path, sources, bundle=bundle)
        except OSError as bad:
            raise UsageProblem(f"-o: {path} cannot be written ({bad.strerror or bad}); name another file.") from None
        _say(written.path, written.copied, written.notes, as_json)
        if show:
            import webbrowser

            webbrowser.open(written.path.as_uri())


def _film(run: str, path: Path, runs_dir: Path, store: str | None, as_json: bool) -> None:
    from environments.contract import EnvironmentFault
    from orchestrator.errors import UsageProblem
    from orchestrator.faces.clean import clean, json_text
    from orchestrator.viewer.source import read_source

    try:
        from orchestrator.viewer.film import write_film

        path.parent.mkdir(parents=True, exist_ok=True)
        made = write_film(path, read_source(run, runs_dir, store))
    except EnvironmentFault as bad:
        raise UsageProblem(f"--gif: {bad}") from None
    except OSError as bad:
        raise UsageProblem(f"--gif: {path} cannot be written ({bad.strerror or bad}); name another file.") from None
    if as_json:
        told = {"file": str(path), "bytes": path.stat().st_size, "notes": made.notes}
        typer.echo(json_text(told | {"frames": made.frames, "seconds": made.seconds}, 2))
        return
    typer.echo(f"{path} ({path.stat().st_size / 1_000_000:.1f} MB, {made.frames} pictures, {made.seconds:.0f} s)")
    for note in made.notes:
        typer.echo(f"note: {clean(note, 500)}")


def _place(folder: Path) -> Path:
    """In the run's folder; a run of a shared store may have none here."""
    return folder / NAME if folder.is_dir() else Path(f"{folder.name}.html")


def _say(path: Path, copied: int, notes: list[str], as_json: bool) -> None:
    from orchestrator.faces.clean import clean, json_text

    if as_json:
        typer.echo(json_text({"file": str(path), "bytes": path.stat().st_size, "pictures_beside": copied, "notes": notes}, 2))
        return
    beside = f", with {copied} pictures in {path.stem}-screens beside it" if copied else ""
    typer.echo(f"{path} ({path.stat().st_size / 1_000_000:.1f} MB{beside})")
    for note in notes:
        typer.echo(f"note: {clean(note, 500)}")
