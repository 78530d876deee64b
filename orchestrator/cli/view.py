"""`deskcrew view`: a run as one page that opens in any browser, without a server and without a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli import common
from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.store.printable import clean

if TYPE_CHECKING:
    from environments.served.server import Address


@common.command
def replay(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="A run, the beginning of its name, or a file with a recording.")],
    secret: common.Secret = None,
    runs_dir: common.RunsDir = None,
) -> common.Told:
    """Repeat a run with its recorded decisions, and report the first difference. No model is asked."""
    from orchestrator.runs.privacy.secrets import asked_for
    from orchestrator.runs.replay.recording import find_recording
    from orchestrator.runs.replay.replay import replay as work_again

    found = work_again(find_recording(run_id, runs_dir or common.RUNS), asked_for(secret or ()))
    return common.Told(found.as_json(), clean(found.sentence(), 2000), good=found.difference is None)


@common.command
def fork(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name; it is only read.")],
    at: Annotated[int, typer.Option("--at", metavar="STEP", help="The last repeated step; 0 for none.")],
    goal: Annotated[str | None, typer.Option(metavar="TEXT", help="Another goal from there on.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value from there on; repeatable.")
    ] = None,
    config: common.Config = None,
    secret: common.Secret = None,
    display: common.Display = None,
    as_json: common.AsJson = False,
    runs_dir: common.RunsDir = None,
) -> None:
    """Start a new run from a step of another one, with the same world, plan and blackboard."""
    from orchestrator.runs.handle import LocalRuns
    from orchestrator.runs.privacy.secrets import asked_for
    from orchestrator.runs.replay.fork import fork as make

    face, secrets = common.checked_display(display), asked_for(secret or ())
    runs = LocalRuns(runs_dir)
    made = make(run_id, at, runs_dir=runs.folder, goal=goal, config=config or (), overrides=overrides or (), secrets=secrets)
    run = runs.run(made, secrets=secrets)
    common.go_on(runs, run, face, as_json, run.resume)


PORT = 8770


@common.command
def serve(
    host: Annotated[str, typer.Option(help="The address to serve at; by default only this machine can connect.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 selects a free one.")] = PORT,
    tokens: Annotated[
        Path | None, typer.Option(metavar="FILE", help="More people (YAML): name, role view|approve|operate, sha256 of a token.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where your own token is kept; default: desk.token beside the runs.")
    ] = None,
    new_token: Annotated[bool, typer.Option("--new-token", help="Replace the stored token with a new one.")] = False,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="Settings (YAML) of runs started here; repeatable.")
    ] = None,
    model: common.ModelName = None,
    a2a: Annotated[bool, typer.Option("--a2a", help="Be an A2A agent: an agent card, and runs as tasks.")] = False,
    runs_dir: common.RunsDir = None,
) -> None:
    """Watch, answer and start runs in a browser, until Ctrl-C. The printed address opens it; runs continue without it."""
    from importlib.util import find_spec

    if not all(find_spec(name) for name in ("fastapi", "starlette", "sse_starlette", "uvicorn", "PIL")):
        raise MissingDependency('The server needs FastAPI, uvicorn and Pillow: pip install "deskcrew[serve]"')
    import yaml

    from orchestrator.control.channel import myself
    from orchestrator.desk import app
    from orchestrator.desk.auth import FILE, Tokens, kept_token, person_of, read_people
    from orchestrator.desk.desk import Desk

    folder = runs_dir or common.RUNS
    people = read_people(tokens) if tokens else []
    token = kept_token(token_file or folder / FILE, new=new_token)
    settings = list(config or ())
    if model:  # in a file: a run that goes on in another process reads it, too
        folder.mkdir(parents=True, exist_ok=True)
        file, chosen = folder / "desk.model.yaml", {"policies": "rules-first", "crew": {"model": {"name": model}}}
        file.write_text(yaml.safe_dump(chosen), encoding="utf-8")
        settings.insert(0, file)
    desk = Desk(folder, Tokens([person_of(myself(), "operate", token), *people]), settings, a2a=a2a)
    try:
        app.serve(desk, host, port, token, _ready)
    except KeyboardInterrupt:
        typer.echo("stopped; runs in progress continue")
    finally:
        desk.close()


def _ready(address: Address) -> None:
    from orchestrator.desk.client.remote import is_here

    if not is_here(address.host):
        typer.echo(
            f"warning: other machines can connect to {address.host}:{address.port}, and nothing that is sent is encrypted; "
            "whoever has the address with the token starts and changes runs here",
            err=True,
        )
    typer.echo(f"open {address.url}")
    typer.echo("press Ctrl-C to stop; runs continue without the server")


NAME = "view.html"


@common.command
def view(
    run: Annotated[
        str, typer.Argument(metavar="ID", help="A run, the beginning of its name, or its folder.", autocompletion=common.run_ids)
    ],
    other: Annotated[
        str | None,
        typer.Option(
            "--with", metavar="ID", help="Another run beside it, with the first difference marked.", autocompletion=common.run_ids
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help=f"The file; default: {NAME} in the run's folder.")
    ] = None,
    bundle: Annotated[bool, typer.Option("--bundle", help="Put the pictures of screens into the file, not beside it.")] = False,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    runs_dir: common.RunsDir = None,
) -> common.Told:
    """Write a run as one HTML file: screens, steps, gates, approvals, the plan and the machine; two runs with --with."""
    from orchestrator.views.page.page import write_page
    from orchestrator.views.page.run_data import read_whole

    read = [read_whole(name, runs_dir or common.RUNS) for name in (run, other) if name is not None]
    path = (out or read[0].folder / NAME).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        written = write_page(path, read, bundle=bundle)
    except OSError as bad:
        raise UsageProblem(f"-o: {path} cannot be written ({bad.strerror or bad}); name another file.") from None
    if show:
        import webbrowser

        webbrowser.open(path.as_uri())
    size, copied, notes = path.stat().st_size, written.copied, written.notes
    beside = f", with {copied} pictures in {path.stem}-screens beside it" if copied else ""
    lines = [f"{path} ({size / 1_000_000:.1f} MB{beside})", *(f"note: {clean(note, 500)}" for note in notes)]
    return common.Told({"file": str(path), "bytes": size, "pictures_beside": copied, "notes": notes}, "\n".join(lines))
