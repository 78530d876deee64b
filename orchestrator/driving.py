"""What commands share that work a run: a face on the screen, flags as settings, and the outcome's exit code."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from orchestrator.command import RUNS

if TYPE_CHECKING:
    from orchestrator.control.stopping import Stop
    from orchestrator.face import Face
    from orchestrator.runs import Outcome
    from roles.journal import Event, Listener


def drive(face: Face, folder: Path, work: Callable[[Listener, Stop], Outcome | None], run_id: str = "") -> None:
    """Run with a face on the screen, and end with the outcome's exit code. Ctrl-C pauses the run, twice stops it at once."""
    from orchestrator.control.stopping import Stop, heeding

    stop = Stop()
    names = [run_id] if run_id else []

    def listener(event: Event) -> None:
        if event.kind == "run_started":
            names.append(str(event.body["run_id"]))
        face.event(event)

    face.start()
    try:
        with heeding(stop, _pausing):
            outcome = work(listener, stop)
    except KeyboardInterrupt:
        face.stop()
        again = f"; go on with: deskcrew resume {names[-1]}{runs_dir_option(folder)}" if names else ""
        typer.echo(f"\ndeskcrew: stopped; what was done is kept{again}", err=True)
        raise
    finally:
        face.stop()
    if outcome is None:
        typer.echo(f"run {names[-1]} goes on in its own process; see it with: deskcrew show {names[-1]}{runs_dir_option(folder)}")
        return
    face.finish(outcome)
    _offer_to_keep(outcome, folder)
    raise typer.Exit(outcome.exit_code)


def _offer_to_keep(outcome: Outcome, folder: Path) -> None:
    """Ask who sits at the terminal whether the crew is to do it so again (`knowledge.experience.save: ask`)."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    from orchestrator.errors import UsageProblem
    from orchestrator.faces.clean import clean
    from orchestrator.learning import kept, offered

    if (offer := offered(outcome.folder)) is None:
        return
    found, settings = offer
    for number, step in enumerate(found.found.steps, start=1):
        typer.echo(f"  {number}. {clean(step, 500)}")
    try:
        if typer.confirm("Keep these steps for goals like this one?", default=False):
            result = kept(found, settings, folder)
            typer.echo(f"kept as {result.document}" if result.saved else result.why)
    except (typer.Abort, UsageProblem) as no:  # whoever leaves the question has not said yes, and the run has ended as it has
        typer.echo(f"\ndeskcrew: nothing is kept {no}".rstrip(), err=True)


def _pausing() -> None:
    # Not by typer, which goes past whoever has taken the place of the stream: the live view prints it above its rows.
    print("\ndeskcrew: pausing before the next action; press Ctrl-C again to stop at once", file=sys.stderr, flush=True)


def runs_dir_option(folder: Path) -> str:
    return "" if folder == RUNS else f" --runs-dir {shlex.quote(str(folder))}"


def as_overrides(flags: dict[str, Any]) -> list[str]:
    import json

    return [
        f"{key}={json.dumps(str(value) if isinstance(value, Path) else value)}"
        for key, value in flags.items()
        if value is not None
    ]


def checked_display(display: str | None) -> str:
    from orchestrator.settings import load_settings

    return load_settings(overrides=as_overrides({"display": display})).settings.display
