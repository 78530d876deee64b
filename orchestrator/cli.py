"""The command `deskcrew`. Imports what a command needs when it runs, so that `--help` is instant."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli_check import task_app, world_app
from orchestrator.cli_log import log_app, schema_app
from orchestrator.command import EPILOG, FAILED, RUNS, AsJson, Debug, RunsDir, guarded

if TYPE_CHECKING:
    from orchestrator.faces import Face
    from orchestrator.runs import Outcome
    from roles.journal import Event, Listener

app = typer.Typer(
    name="deskcrew",
    help="A crew of roles that works a desktop.",
    epilog=EPILOG,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(log_app, name="log")
app.add_typer(schema_app, name="schema")
app.add_typer(task_app, name="task")
app.add_typer(world_app, name="world")
Display = Annotated[str | None, typer.Option("--display", help="auto, rich, plain, json or none.")]
RunId = Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name.")]


def main() -> None:
    """Entry point of the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"deskcrew {version('deskcrew')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    return None


@app.command()
def run(
    target: Annotated[str | None, typer.Argument(help="A goal in words, a task file, or the name of a shipped task.")] = None,
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.")] = None,
    display: Display = None,
    as_json: AsJson = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print every setting and where it was set; run nothing.")
    ] = False,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Run a goal or a task. With --json: one event a line, the outcome last."""
    with guarded(debug):
        from orchestrator.settings import load_settings
        from orchestrator.tasks import Task, resolve_target

        found = None if target is None else resolve_target(target)
        flags = {"seed": seed, "world": world, "display": "json" if as_json else display, "runs_dir": runs_dir}
        layer = found.layer() if isinstance(found, Task) else None
        loaded = load_settings(config or (), [*(overrides or ()), *_as_overrides(flags)], layer)
        if show_config:
            _print_config(loaded, as_json)
            return
        if found is None:
            from orchestrator.errors import UsageProblem

            raise UsageProblem('There is nothing to do; say it in words (deskcrew run "Open ...") or name a task file.')
        from orchestrator import runs
        from orchestrator.faces import make_face

        face = make_face(loaded.settings.display)
        _drive(face, loaded.settings.runs_dir, lambda heard: runs.start(loaded, found, listener=heard, approver=face.approver))


@app.command()
def resume(
    run_id: RunId,
    approve: Annotated[bool, typer.Option("--approve", help="Let the action be done.")] = False,
    reject: Annotated[str | None, typer.Option(metavar="WHY", help="Do not do it; the crew plans anew with these words.")] = None,
    edit: Annotated[Path | None, typer.Option(metavar="FILE", help="Do the action in this JSON or YAML file instead.")] = None,
    respond: Annotated[str | None, typer.Option(metavar="TEXT", help="Answer the question, or say something.")] = None,
    display: Display = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Go on with a run: one that waits for a person, or one that was interrupted."""
    with guarded(debug):
        answer = _answer(approve, reject, edit, respond)
        from orchestrator import folders, runs
        from orchestrator.faces import make_face
        from orchestrator.journal import salvage

        folder = runs_dir or RUNS
        before = folders.find_run(run_id, folder)
        face = make_face("json" if as_json else _checked_display(display))
        for event in salvage(before / "journal.sqlite").events:
            face.recall(event)
        _drive(
            face,
            folder,
            lambda heard: runs.resume(before.name, runs_dir=folder, answer=answer, listener=heard, approver=face.approver),
            before.name,
        )


@app.command("ls")
def list_(as_json: AsJson = False, runs_dir: RunsDir = None, debug: Debug = False) -> None:
    """List the runs, newest first."""
    with guarded(debug):
        from orchestrator import folders, listing

        found = folders.list_runs(runs_dir or RUNS)
        typer.echo(listing.runs_json(found) if as_json else listing.runs_table(found))


@app.command()
def show(run_id: RunId, as_json: AsJson = False, runs_dir: RunsDir = None, debug: Debug = False) -> None:
    """Show one run: plan, steps, gates, approvals, and how it ended."""
    with guarded(debug):
        from orchestrator import folders, listing

        view = folders.show_run(run_id, runs_dir or RUNS)
        typer.echo(listing.run_json(view) if as_json else listing.run_page(view))


@app.command()
def doctor(as_json: AsJson = False, runs_dir: RunsDir = None, debug: Debug = False) -> None:
    """Check this installation; every problem comes with its fix."""
    with guarded(debug):
        from orchestrator import doctor as checks

        found = checks.examine(runs_dir or RUNS)
        typer.echo(checks.as_json(found) if as_json else checks.as_text(found))
        if not all(check.ok for check in found):
            raise typer.Exit(FAILED)


def _drive(face: Face, folder: Path, work: Callable[[Listener], Outcome], run_id: str = "") -> None:
    """Run with a face on the screen, and end with the outcome's exit code."""
    names = [run_id] if run_id else []

    def listener(event: Event) -> None:
        if event.kind == "run_started":
            names.append(str(event.body["run_id"]))
        face.event(event)

    face.start()
    try:
        outcome = work(listener)
    except KeyboardInterrupt:
        face.stop()
        again = f"; go on with: deskcrew resume {names[-1]}{_runs_dir_option(folder)}" if names else ""
        typer.echo(f"\ndeskcrew: stopped; what was done is kept{again}", err=True)
        raise
    finally:
        face.stop()
    face.finish(outcome)
    raise typer.Exit(outcome.exit_code)


def _runs_dir_option(folder: Path) -> str:
    return "" if folder == RUNS else f" --runs-dir {shlex.quote(str(folder))}"


def _as_overrides(flags: dict[str, Any]) -> list[str]:
    import json

    return [
        f"{key}={json.dumps(str(value) if isinstance(value, Path) else value)}"
        for key, value in flags.items()
        if value is not None
    ]


def _checked_display(display: str | None) -> str:
    from orchestrator.settings import load_settings

    return load_settings(overrides=_as_overrides({"display": display})).settings.display


def _answer(approve: bool, reject: str | None, edit: Path | None, respond: str | None) -> dict[str, Any] | None:
    from orchestrator.errors import UsageProblem
    from orchestrator.faces.approval import decision, edit_decision, read_edit

    given = [approve, reject is not None, edit is not None, respond is not None]
    if sum(given) > 1:
        raise UsageProblem("Give one answer: --approve, --reject WHY, --edit FILE or --respond TEXT.")
    if edit is not None:
        return edit_decision(read_edit(edit))
    if approve:
        return decision("approve")
    if reject is not None:
        return decision("reject", message=reject)
    return None if respond is None else decision("respond", message=respond)


def _print_config(loaded: Any, as_json: bool) -> None:
    import json

    from orchestrator.settings import show_config

    lines = list(show_config(loaded))
    if as_json:
        typer.echo(json.dumps([line._asdict() for line in lines], indent=2))
        return
    texts = [(line.key, json.dumps(line.value, ensure_ascii=False), line.source) for line in lines]
    widths = [max(len(text[column]) for text in texts) for column in (0, 1)]
    for key, value, source in texts:
        typer.echo(f"{key:<{widths[0]}}  {value:<{min(widths[1], 40)}}  {source}")


if __name__ == "__main__":
    main()
