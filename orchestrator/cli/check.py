"""`deskcrew task ...` and `deskcrew world ...`: files checked, and oracles played, without a crew."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli import common
from orchestrator.cli.common import AsJson, CheckedThing, RunsDir, Told, command, group, tell_checked
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, json_text


@command
def mcp(
    task: Annotated[
        str, typer.Option(metavar="NAME", help="The first task; the tool `reset` selects others.")
    ] = "claim-two-invoices",
    seed: Annotated[int, typer.Option(help="Seed of its world.")] = 0,
    http: Annotated[int, typer.Option("--http", metavar="PORT", help="Serve over local HTTP, not stdin and stdout.")] = 0,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="With --http: the file with the token; by default one is created."),
    ] = None,
    elicit: Annotated[bool, typer.Option("--elicit", help="Let the client ask its user for the crew's approvals.")] = False,
    runs_dir: RunsDir = None,
) -> None:
    """Serve a simulated desktop over MCP: snapshot, act by reference, screenshot, functions, and goals for the crew."""
    from orchestrator.lab.episodes.mcp_server import DesktopTools, build_server, serve_http

    tools = DesktopTools(task, seed, runs_dir, elicit=elicit)
    server = build_server(tools)
    try:
        if not http:
            server.run("stdio")
            return
        try:
            token = token_file.read_text(encoding="utf-8").strip() if token_file is not None else secrets.token_urlsafe(32)
        except OSError as bad:
            raise UsageProblem(f"--token-file {token_file} cannot be read ({bad.strerror or bad}).") from None
        if not token:
            raise UsageProblem(f"--token-file {token_file} is empty; write a token into it.")
        told = "the token is in --token-file" if token_file is not None else f"the token is {token}"
        typer.echo(f"http://127.0.0.1:{http}/mcp; {told}", err=True)
        serve_http(server, http, token)
    finally:
        tools.close()


if TYPE_CHECKING:
    from environments.cards import AppCard, VerbCard
    from environments.served.server import Address
    from environments.simulated.apps import AppListing
    from orchestrator.tasks.check import CheckedFile
    from orchestrator.tasks.judge import OracleRun, Verdict


task_app = group("Task files.")
world_app = group("Worlds of the simulated desktop.")
_NAMES = "Files or shipped names; all shipped ones if none."
Tasks = Annotated[list[str] | None, typer.Argument(metavar="TASK...", help=_NAMES, autocompletion=common.tasks)]
Worlds = Annotated[list[str] | None, typer.Argument(metavar="WORLD...", help=_NAMES, autocompletion=common.worlds)]
Seeds = Annotated[int, typer.Option(min=1, max=1000, help="How many seeds to try.")]


@task_app.command("check")
@command
def check_task(tasks: Tasks = None, seeds: Seeds = 5, as_json: AsJson = False) -> None:
    """Report errors in tasks: keys, slots without a value, conditions that hold from the start, oracles that fail."""
    from orchestrator.tasks.check import check_tasks

    tell_checked(map(_as_checked, check_tasks(tasks or [], seeds)), as_json)


def _as_checked(file: CheckedFile) -> CheckedThing:
    about = f": {clean(file.says, 200)}" if file.says else ""
    return CheckedThing(file, file.name, bool(file.problems), about, file.problems)


@task_app.command("play")
@command
def play_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A file or a shipped name.", autocompletion=common.tasks)],
    seed: Annotated[int, typer.Option(help="Selects the values of the slots.")] = 0,
) -> Told:
    """Perform a task's oracle without a crew, and print the result of each line and the judge's findings."""
    from orchestrator.tasks.check import task_named
    from orchestrator.tasks.judge import play

    played = play(task_named(task), seed)
    told = {"goal": played.trial.goal, "seed": seed}
    told |= {"steps": played.steps, "problem": played.problem, "verdict": played.verdict}
    return Told(told, "\n".join(_played_lines(played)), good=played.passed)


def _played_lines(played: OracleRun) -> Iterator[str]:
    verdict = played.verdict
    yield f"goal   {clean(played.trial.goal, 1000)}"
    for step in played.steps:
        told = f" -> {clean(step.told, 200)}" if step.told else ""
        yield f"{step.line:>3}  {step.status:<9} {clean(step.said, 200)}{told}"
    if played.problem:
        yield f"wrong  {clean(played.problem, 1000)}"
    for check in verdict.checks:
        why = f": {clean(check.error, 200)}" if check.error else ""
        yield f"{'ok' if check.passed else 'wrong':<6} {clean(check.expression, 1000)}{why}"
    reached = sum(point.reached for point in verdict.checkpoints)
    ended = "passed" if played.passed else "failed"
    yield f"{ended}, {verdict.steps} steps, {reached} of {len(verdict.checkpoints)} checkpoints"


@world_app.command("check")
@command
def check_world(
    worlds: Worlds = None,
    seeds: Seeds = 5,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="AXIS=VALUE", help="Change the worlds' appearance: language=de; repeatable.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report errors in worlds: unknown apps and keys, duplicates, rules that match nothing."""
    from orchestrator.tasks.check import check_worlds

    tell_checked(map(_as_checked, check_worlds(worlds or [], seeds, vary or ())), as_json)


@world_app.command("apps")
@command
def list_apps(
    world: Annotated[
        str | None, typer.Argument(metavar="[WORLD]", help="Show what its apps contain and can do.", autocompletion=common.worlds)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the apps that a world may have; for one world, its apps' cards: kinds of records, fields, operations."""
    from environments.simulated.apps import UNUSABLE, listed_apps
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world
    from orchestrator.views.listing import rows_table

    if world is not None:
        for card in SimulatedDesktop(load_world(world)).cards():  # as a crew is given them
            data = json_text(card.model_dump(mode="json", exclude_defaults=True))
            typer.echo(data if as_json else "\n".join(clean(line, 1000) for line in _card_lines(card)))
        return

    every = listed_apps()
    if as_json:
        for one in every:
            typer.echo(json_text(one))
        return

    def cells(one: AppListing) -> tuple[object, ...]:
        return one.name, one.title, len(one.functions), "yes" if one.agent else "", one.package

    typer.echo(rows_table(every, ("APP", "TITLE", "FUNCTIONS", "AGENT", "PACKAGE"), cells))
    for name, why in UNUSABLE.items():
        typer.echo(f"{name} cannot be used: {why}")


def _card_lines(card: AppCard) -> Iterator[str]:
    yield f"{card.title} ({card.app})" + (f", works on {card.shares}" if card.shares else "")
    for kind in card.kinds:
        also = f" ({', '.join(kind.words)})" if kind.words else ""
        place = f", in {', '.join(kind.places) or kind.place}" if kind.place or kind.places else ""
        yield f"  {kind.kind}{also}{', only one' if kind.single else ''}{f' of a {kind.within}' if kind.within else ''}{place}"
        for field in kind.fields:
            marks = ("key", "listed", "written", "required")
            told = [field.type.replace("_", " "), *(mark for mark in marks if getattr(field, mark))]
            yield f"    {field.label}: {', '.join(told)}" + (f" ({' | '.join(field.options)})" if field.options else "")
        yield from ("    " + _verb_line(verb) for verb in (*([kind.create] if kind.create else ()), *kind.verbs))
    yield from ("  " + _verb_line(verb) for verb in card.verbs)
    if card.functions:
        yield "  functions: " + ", ".join(function.name for function in card.functions)
    yield ""


def _verb_line(verb: VerbCard) -> str:
    asks = f", asks for {', '.join(field.label for field in verb.asks)}" if verb.asks else ""
    control = f'"{verb.control}"' if verb.control else "its own form"
    return f"> {verb.verb}: {control} at the {verb.at}{asks}" + (f" [{verb.effect}]" if verb.effect else "")


@world_app.command("serve")
@command
def serve_world(
    world: Annotated[str | None, typer.Argument(metavar="WORLD", help="A file or a shipped name.")] = None,
    task: Annotated[str | None, typer.Option(metavar="TASK", help="Serve the world of this task, and judge the result.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    goal: Annotated[str, typer.Option(metavar="WORDS", help="The goal, shown below the desktop and in the recording.")] = "",
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Record the actions in this new protocol log.")] = None,
    host: Annotated[str, typer.Option(help="The address to serve at; by default only this machine can connect.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 selects a free one.")] = 8765,
) -> None:
    """Serve a world as web pages, until Ctrl-C. The printed address opens it; access needs the token in it."""
    from orchestrator.tasks import served_world

    served_world.serve_world(
        _ready, _told, world=world, task=task, seed=seed, goal=goal, record=record, host=host, port=port
    )  # fmt: skip


def _ready(address: Address, goal: str) -> None:
    if goal:
        typer.echo(f"goal: {clean(goal, 1000)}")
    typer.echo(f"open {address.url}")
    typer.echo("press Ctrl-C to stop")


def _told(verdict: Verdict) -> None:
    typer.echo(f"{'passed' if verdict.passed else 'not passed'}, {verdict.steps} steps")
    for check in verdict.checks:
        if not check.passed:
            typer.echo(f"  wrong  {clean(check.expression, 1000)}{': ' + clean(check.error, 200) if check.error else ''}")
