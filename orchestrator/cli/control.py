"""The commands that control a run from another terminal: `deskcrew pause|steer|takeover|handback|cancel ID`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import AsJson, Display, RunId, Told, command_on_runs, go_on
from orchestrator.store.printable import clean

if TYPE_CHECKING:
    from orchestrator.desk.client.handle import RemoteHands, Runs
    from orchestrator.runs.answers import Takeover
    from orchestrator.runs.handle import ControlResult

Who = Annotated[str, typer.Option("--as", metavar="NAME", help="Who gives the command; default: the user of this machine.")]
Wait = Annotated[float, typer.Option(min=0, metavar="SECONDS", help="Seconds to wait for a crew at work.")]
_PROMPT = "by hand> "


@command_on_runs
def pause(runs: Runs, run_id: RunId, who: Who = "", wait: Wait = 20.0) -> Told:
    """Stop the crew before its next action; `resume` continues."""
    return _told(runs.run(run_id, who=who, wait=wait).pause(), runs)


@command_on_runs
def cancel(
    runs: Runs,
    run_id: RunId,
    why: Annotated[str, typer.Option(metavar="WORDS", help="Why, for the report.")] = "",
    who: Who = "",
    wait: Wait = 20.0,
) -> Told:
    """End a run before its next action. It cannot be resumed."""
    return _told(runs.run(run_id, who=who, wait=wait).cancel(why), runs)


@command_on_runs
def steer(
    runs: Runs,
    run_id: RunId,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="The instruction; it reaches the next decision.")],
    to: Annotated[str, typer.Option(metavar="ROLE", help="crew, manager, operator, technician, analyst or evaluator.")] = "crew",
    who: Who = "",
    wait: Wait = 20.0,
) -> Told:
    """Tell the crew, or one role, something while it works."""
    from typing import cast

    from roles.contracts.policies import Addressee

    return _told(runs.run(run_id, who=who, wait=wait).steer(words, cast("Addressee", to)), runs)


@command_on_runs
def takeover(
    runs: Runs,
    run_id: RunId,
    do: Annotated[
        list[str] | None, typer.Option("--do", metavar="ACTION", help='Perform this action, such as: click "Save"; repeatable.')
    ] = None,
    who: Who = "",
    wait: Wait = 20.0,
) -> Told | None:
    """Take over a run: the crew does nothing until `handback`. In a terminal, actions are asked for."""
    from orchestrator.control.lease import LeaseHeld

    run, good = runs.run(run_id, who=who, wait=wait), True
    result = run.takeover()
    if result.state == "taken_over" and (do or sys.stdin.isatty()):
        try:
            with run.hands() as hands:
                good = _act(hands, do)
        except LeaseHeld:
            typer.echo("Act in the window of the run itself; a run cannot be opened twice.")
            return None
    return _told(result, runs, good)


@command_on_runs
def handback(
    runs: Runs,
    run_id: RunId,
    say: Annotated[str, typer.Option(metavar="WORDS", help="What the crew should know, such as what you did.")] = "",
    who: Who = "",
    wait: Wait = 20.0,
    display: Display = None,
    as_json: AsJson = False,
) -> None:
    """Give a run back to the crew, which observes the screen and continues."""
    run = runs.run(run_id, who=who, wait=wait)
    go_on(runs, run, display, as_json, partial(run.handback, say))


def _told(result: ControlResult, runs: Runs, good: bool = True) -> Told:
    from dataclasses import asdict

    ways = [way + runs.option for way in result.next]
    lines = [clean(result.said, 1000), *(f"{'next' if number == 0 else '':>9}  {way}" for number, way in enumerate(ways))]
    return Told(asdict(result) | {"next": ways}, "\n".join(lines), good)


def _typed(place: Takeover | RemoteHands) -> Iterator[str]:
    """Lines from the terminal until the person is done."""
    typer.echo('Type actions such as click "Save" or fill "Amount" with "12"; look shows the screen, done ends.')
    typer.echo(place.shown())
    while True:
        try:
            line = input(_PROMPT).strip()
        except (EOFError, KeyboardInterrupt):
            typer.echo("")
            return
        if line in {"done", "exit", "quit"}:
            return
        if line == "look":
            typer.echo(place.shown())
        elif line:
            yield line


def _act(place: Takeover | RemoteHands, given: list[str] | None) -> bool:
    """Do each line that was given, or else what is typed; False as soon as one that was given cannot be done."""
    for line in given or _typed(place):
        why = place.done(line)
        typer.echo(f"{'✗' if why else '✓'} {clean(line)}{': ' + clean(why, 300) if why else ''}", err=bool(why and given))
        if why and given:
            return False
    return True
