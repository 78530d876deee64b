"""`deskcrew attack ...`: texts that mean harm, put to a crew, and what came through."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import EPILOG, FAILED, AsJson, Overrides, command

if TYPE_CHECKING:
    from orchestrator.lab.attacks.outcome import AttackOutcome
    from orchestrator.lab.attacks.page_runner import PageOutcome

attack_app = typer.Typer(help="Attack a crew with texts and pages that mean harm.", no_args_is_help=True, epilog=EPILOG)
Names = Annotated[list[str] | None, typer.Argument(metavar="ATTACK...", help="Names, or globs such as 'mail-*'; all if none.")]
Files = Annotated[
    list[Path] | None, typer.Option("--corpus", metavar="FILE", help="Attacks of your own, in place of the shipped; repeatable.")
]
OnPages = Annotated[bool, typer.Option("--pages", help="Hostile pages in a real browser, not texts; names may be classes.")]


@attack_app.command("list")
@command
def list_attacks(attacks: Names = None, corpus: Files = None, pages: OnPages = False, as_json: AsJson = False) -> None:
    """List the attacks: how each is carried, its language, how it hides, what harm it wants; pages with class and script."""
    if pages:
        return _list_pages(attacks or (), corpus or (), as_json)
    from orchestrator.lab.attacks.corpus import chosen, load_corpus
    from orchestrator.store.printable import clean, json_text

    found = load_corpus(corpus or ())
    for attack in chosen(found, attacks or ()):
        if as_json:
            typer.echo(json_text(attack.model_dump(mode="json")))
            continue
        said = f"{attack.name:<34} {attack.carrier:<13} {attack.language:<5} {attack.how:<26} {attack.harm}"
        typer.echo(clean(said, 200))


@attack_app.command("run")
@command
def run_attacks(
    attacks: Names = None,
    corpus: Files = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="victim, or a preset of policies; repeatable; rules and victim if none."),
    ] = None,
    safety: Annotated[str, typer.Option(metavar="NAME", help="A safety policy by name or path, or off.")] = "",
    overrides: Overrides = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="How many at once.")] = 1,
    pages: OnPages = False,
    table: Annotated[bool, typer.Option("--table", help="With the safety policy and without, counted in Markdown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let a crew work where the attacks are; a person is there and approves nothing. Exit code 1 when one came through.

    With --safety off nothing is asked and everything may be done: what comes through then would come through without a
    safety policy, and the exit code is 0. With --pages a victim does what each page wants, in Chromium, under the policy
    that the page names.
    """
    if pages:
        return _run_pages(attacks or (), corpus or (), [*(overrides or ()), *([f"safety={safety}"] if safety else [])], as_json)
    from orchestrator.lab.attacks.corpus import chosen, load_corpus
    from orchestrator.lab.attacks.outcome import OFF, totals, worked
    from orchestrator.lab.attacks.outcome import table as as_table

    found = load_corpus(corpus or ())
    named = OFF if safety == "off" else safety
    outcomes = []
    for outcome in worked(
        found,
        chosen(found, attacks or ()),
        policies=policies or ["rules", "victim"],
        safeties=list(dict.fromkeys([named, OFF])) if table else [named],
        overrides=overrides or (),
        jobs=jobs,
    ):
        outcomes.append(outcome)
        _tell(outcome, as_json)
    typer.echo("\n".join(as_table(found, outcomes) if table else totals(outcomes)), err=as_json)
    if any(not outcome.held for outcome in outcomes if outcome.safety != OFF):
        raise typer.Exit(FAILED)


def _tell(outcome: AttackOutcome, as_json: bool) -> None:
    """One outcome on its line: for a program on stdout, for a person beside it."""
    from orchestrator.lab.attacks.outcome import line
    from orchestrator.store.printable import clean, json_text

    if as_json:
        typer.echo(json_text(outcome.model_dump(mode="json")))
    else:
        typer.echo(clean(line(outcome), 400), err=True)


def _list_pages(names: Sequence[str], files: Sequence[Path], as_json: bool) -> None:
    from orchestrator.lab.attacks.pages import chosen_pages, load_pages
    from orchestrator.store.printable import clean, json_text

    for case in chosen_pages(load_pages(files), names):
        if as_json:
            typer.echo(json_text(case.model_dump(mode="json", by_alias=True)))
        else:
            typer.echo(clean(f"{case.name:<34} {case.kind:<28} {case.safety:<14} {'; '.join(case.do)}", 200))


def _run_pages(names: Sequence[str], files: Sequence[Path], overrides: Sequence[str], as_json: bool) -> None:
    from environments.contract import EnvironmentFault
    from orchestrator.errors import UsageProblem
    from orchestrator.lab.attacks.page_runner import line, surfed, table
    from orchestrator.lab.attacks.pages import chosen_pages, load_pages
    from orchestrator.store.printable import clean, json_text

    found = load_pages(files)
    outcomes: list[PageOutcome] = []
    try:
        for outcome in surfed(found, chosen_pages(found, names), overrides):
            outcomes.append(outcome)
            typer.echo(json_text(outcome.model_dump(mode="json")) if as_json else clean(line(outcome), 400), err=not as_json)
    except EnvironmentFault as missing:
        raise UsageProblem(f"--pages needs a browser: {missing}") from None
    typer.echo("\n".join(table(outcomes)), err=as_json)
    if any(not outcome.held for outcome in outcomes):
        raise typer.Exit(FAILED)
