"""The commands that control a run from another terminal: `deskcrew pause|steer|takeover|handback|cancel ID`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.common import (
    FAILED,
    RUNS,
    AsJson,
    Debug,
    Display,
    RunId,
    RunsDir,
    Server,
    TokenFile,
    checked_display,
    drive,
    guarded,
    runs_dir_option,
)

if TYPE_CHECKING:
    from orchestrator.control.handle import RunControl, Told
    from orchestrator.desk.client.hands import Acting

Who = Annotated[str, typer.Option("--as", metavar="NAME", help="Who says so; the user of this machine when not given.")]
Wait = Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long a crew at work is waited for.")]
_PROMPT = "by hand> "


def pause(
    run_id: RunId,
    who: Who = "",
    wait: Wait = 20.0,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Let the crew stop before its next action; `resume` goes on."""
    with guarded(debug):
        if server:
            _tell(_there(server, token_file, who, run_id, "pause"), as_json, runs_dir)
            return
        _tell(_control(run_id, runs_dir, who, wait).pause(), as_json, runs_dir)


def cancel(
    run_id: RunId,
    why: Annotated[str, typer.Option(metavar="WORDS", help="Why, for the report.")] = "",
    who: Who = "",
    wait: Wait = 20.0,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """End a run before its next action. It cannot be resumed."""
    with guarded(debug):
        if server:
            _tell(_there(server, token_file, who, run_id, "cancel", why=why), as_json, runs_dir)
            return
        _tell(_control(run_id, runs_dir, who, wait).cancel(why), as_json, runs_dir)


def steer(
    run_id: RunId,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What to mind: it reaches the next decision.")],
    to: Annotated[str, typer.Option(metavar="ROLE", help="crew, manager, operator, technician, analyst or evaluator.")] = "crew",
    who: Who = "",
    wait: Wait = 20.0,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Say something to the crew, or to one role, while it works."""
    with guarded(debug):
        from typing import cast

        from roles.contracts.steering import Addressee

        if server:
            _tell(_there(server, token_file, who, run_id, "steer", words=words, to=to), as_json, runs_dir)
            return
        _tell(_control(run_id, runs_dir, who, wait).steer(words, cast("Addressee", to)), as_json, runs_dir)


def takeover(
    run_id: RunId,
    do: Annotated[
        list[str] | None, typer.Option("--do", metavar="ACTION", help='Do this by hand, such as: click "Save"; repeatable.')
    ] = None,
    who: Who = "",
    wait: Wait = 20.0,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Take a run in your own hands: the crew does nothing until `handback`. In a terminal, actions are asked for."""
    with guarded(debug):
        if server:
            from orchestrator.desk.client.hands import There
            from orchestrator.desk.client.work import connected

            _refuse_name(who)
            with connected(server, token_file) as remote:
                told = remote.steered(remote.find(run_id), "takeover")
                by_hand = told.state == "taken_over" and (do or sys.stdin.isatty())
                good = not by_hand or _act(There(remote, told.run_id), do)
            _tell(told, as_json, runs_dir)
            if not good:
                raise typer.Exit(FAILED)
            return
        control = _control(run_id, runs_dir, who, wait)
        told = control.takeover()
        if told.state != "taken_over" or not (do or sys.stdin.isatty()):
            _tell(told, as_json, runs_dir)
            return
        if control.standing().holder is not None:
            typer.echo("Act in the window of the run itself; this run cannot be opened a second time.")
            return
        from orchestrator.desk.client.hands import Here

        with control.hands() as hands:
            good = _act(Here(hands), do)
        _tell(told, as_json, runs_dir)
        if not good:
            raise typer.Exit(FAILED)


def handback(
    run_id: RunId,
    say: Annotated[str, typer.Option(metavar="WORDS", help="What the crew is to know, such as what you did.")] = "",
    who: Who = "",
    wait: Wait = 20.0,
    display: Display = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Give a run back to the crew, which looks anew and goes on."""
    with guarded(debug):
        from orchestrator.store.salvage import salvage
        from orchestrator.views.terminal import make_face

        if server:
            from orchestrator.desk.client.work import connected, handed_back

            _refuse_name(who)
            with connected(server, token_file) as remote:
                handed_back(remote, make_face("json" if as_json else checked_display(display)), run_id, say)
        control = _control(run_id, runs_dir, who, wait)
        face = make_face("json" if as_json else checked_display(display))
        for event in salvage(control.folder / "journal.sqlite").events:
            face.recall(event)
        drive(
            face,
            runs_dir or RUNS,
            lambda heard, stop: control.handback(say, listener=heard, approver=face.approver, stop=stop),
            control.run_id,
        )


def _control(run_id: str, runs_dir: Path | None, who: str, wait: float) -> RunControl:
    from orchestrator.control.handle import RunControl

    return RunControl(run_id, runs_dir=runs_dir or RUNS, who=who, wait=wait)


def _there(server: str, token_file: Path | None, who: str, run_id: str, way: str, **body: Any) -> Told:
    """The same, asked of a server."""
    from orchestrator.desk.client.work import connected

    _refuse_name(who)
    with connected(server, token_file) as remote:
        return remote.steered(remote.find(run_id), way, body)


def _refuse_name(who: str) -> None:
    if who:
        from orchestrator.errors import UsageProblem

        raise UsageProblem("--as is for runs of this machine; a server knows who you are by your token.")


def _tell(told: Told, as_json: bool, runs_dir: Path | None) -> None:
    from orchestrator.views.terminal.ending import ELSEWHERE

    where = ELSEWHERE.get() or runs_dir_option(runs_dir or RUNS)
    ways = [way + where for way in told.next]
    if as_json:
        from orchestrator.runs.privacy.clean import json_text

        typer.echo(json_text(told._asdict() | {"next": ways}))
        return
    from orchestrator.runs.privacy.clean import clean

    typer.echo(clean(told.said, 1000))
    for number, way in enumerate(ways):
        typer.echo(f"{'next' if number == 0 else '':>9}  {way}")


def _typed(place: Acting) -> Iterator[str]:
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


def _act(place: Acting, given: list[str] | None) -> bool:
    """Do each line that was given, or else what is typed; False as soon as one that was given cannot be done."""
    from orchestrator.runs.privacy.clean import clean

    for line in given or _typed(place):
        why = place.done(line)
        typer.echo(f"{'✗' if why else '✓'} {clean(line)}{': ' + clean(why, 300) if why else ''}", err=bool(why and given))
        if why and given:
            return False
    return True
