"""`deskcrew policies ...`: who can decide for the roles, by the names of presets, and whether that works on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.command import EPILOG, FAILED, AsJson, Debug, guarded
from orchestrator.completion import presets

if TYPE_CHECKING:
    from orchestrator.policy_check import PolicyReport

policies_app = typer.Typer(
    help="Presets of policies: who decides for each role. Lists them, when nothing follows.",
    invoke_without_command=True,
    epilog=EPILOG,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A shipped preset, or a file of one.", autocompletion=presets)]
Files = Annotated[
    list[str] | None, typer.Argument(metavar="FILE...", help="Presets or config files; all shipped presets if none.")
]


@policies_app.callback()
def _policies(ctx: typer.Context, as_json: AsJson = False, debug: Debug = False) -> None:
    if ctx.invoked_subcommand is None:
        list_presets(as_json, debug)


@policies_app.command("list")
def list_presets(as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped presets, who decides in each, and what they lack on this machine."""
    with guarded(debug):
        import json

        from orchestrator.policy_check import report_presets

        found = list(report_presets())
        typer.echo(json.dumps([one._asdict() for one in found], indent=2) if as_json else _table(found))


@policies_app.command("show")
def show_preset(name: Name, as_json: AsJson = False, debug: Debug = False) -> None:
    """Show what a preset sets, each value with its file and line, and what it lacks on this machine."""
    with guarded(debug):
        from orchestrator import policy_check
        from orchestrator.faces.clean import clean, json_text
        from orchestrator.faces.tables import table, width_of_terminal

        shown = policy_check.show(name)
        if as_json:
            data = shown.report._asdict() | {"settings": [line._asdict() for line in shown.lines]}
            typer.echo(json_text(data, 2))
            return
        typer.echo(f"{clean(shown.report.name)}: {clean(shown.report.about)}")
        rows = [(line.key, json_text(line.value), clean(line.source)) for line in shown.lines]
        typer.echo(table(rows, width_of_terminal()))
        _tell(shown.report)


@policies_app.command("check")
def check_presets(files: Files = None, as_json: AsJson = False, debug: Debug = False) -> None:
    """Say what is wrong with presets or settings: keys, models, prompts, scripts. What is lacking here is said, and no error."""
    with guarded(debug):
        from orchestrator.faces.clean import clean, json_text
        from orchestrator.policy_check import report, report_presets

        found = (report(file) for file in files) if files else report_presets()
        bad = 0
        for one in found:
            bad += bool(one.wrong)
            if as_json:
                typer.echo(json_text(one._asdict()))
                continue
            typer.echo(f"{'wrong' if one.wrong else 'ok':<6} {clean(one.name)}")
            _tell(one)
        if bad:
            raise typer.Exit(FAILED)


def _tell(one: PolicyReport) -> None:
    from orchestrator.faces.clean import clean

    for words, problems in (("wrong", one.wrong), ("lacks", one.lacking)):
        for problem in problems:
            typer.echo(f"       {words}: {clean(problem, 1000)}")


def _table(found: Iterable[PolicyReport]) -> str:
    from orchestrator.faces.clean import clean
    from orchestrator.faces.tables import table, width_of_terminal

    rows = [("NAME", "DECIDED BY", "SAFETY", "LACKS", "ABOUT")]
    for one in found:
        lacks = "wrong" if one.wrong else str(len(one.lacking) or "")
        rows.append((clean(one.name), _deciders(one.policies), clean(one.safety), lacks, clean(one.about)))
    return table(rows, width_of_terminal())


def _deciders(policies: dict[str, str]) -> str:
    """`rules`, or the roles that are decided otherwise than by rules."""
    others = [f"{role} {policy}" for role, policy in policies.items() if policy != "rules"]
    return ", ".join(others) or "rules"
