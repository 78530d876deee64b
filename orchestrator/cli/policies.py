"""`deskcrew policies ...`: who can decide for the roles, by the names of presets, and whether that works on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import RUNS, AsJson, CheckedThing, Debug, RunsDir, Told, command, group, presets, tell_checked
from orchestrator.store.printable import clean, json_text

if TYPE_CHECKING:
    from orchestrator.settings.build import PolicyReport


policy_app = group("Safety policies: which actions are allowed.")
PolicyFiles = Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="Safety policies; all shipped presets if none.")]


@policy_app.command("check")
@command
def check_policy(files: PolicyFiles = None, as_json: AsJson = False) -> None:
    """Report errors in safety policies: keys, verbs, conditions that cannot be evaluated."""
    from orchestrator.settings.build import check_safety

    things = []
    for one in check_safety([str(Path(file).resolve()) if Path(file).is_file() else file for file in files or ()]):
        rules = "" if one.wrong else f"  {one.rules} rule{'s' if one.rules != 1 else ''}, network: {one.network}"
        findings = [*([f"wrong: {one.wrong}"] if one.wrong else []), *(f"note: {note}" for note in one.notes)]
        things.append(CheckedThing(one, one.name, bool(one.wrong), rules, findings))
    tell_checked(things, as_json)


@command
def trust(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    runs_dir: RunsDir = None,
) -> None:
    """Allow a run that came from elsewhere to start the programs that its settings name, after listing them."""
    from orchestrator.runs.folders import find_run, read_run
    from orchestrator.runs.privacy.trust import reaching
    from orchestrator.runs.privacy.trust import trust as sign

    folder = find_run(run_id, runs_dir or RUNS)
    found = reaching(read_run(folder)["settings"])
    if not found:
        typer.echo(f"Run {folder.name} names nothing outside itself; it continues without this command.")
        return
    for what in found:
        typer.echo(f"- {clean(what, 400)}")
    if not yes:
        typer.confirm("Allow this run to start, or ask, all of this on your behalf?", abort=True)
    sign(folder.name, runs_dir=folder.parent)
    typer.echo(f"Continue with: deskcrew resume {folder.name}")


policies_app = group("Presets of policies: who decides for each role. Lists them by default.", alone=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A shipped preset, or its file.", autocompletion=presets)]
Files = Annotated[
    list[str] | None, typer.Argument(metavar="FILE...", help="Presets or config files; all shipped presets if none.")
]


@policies_app.callback()
def _policies(ctx: typer.Context, as_json: AsJson = False, debug: Debug = False) -> None:
    if ctx.invoked_subcommand is None:
        list_presets(as_json=as_json, debug=debug)


@policies_app.command("list")
@command
def list_presets() -> Told:
    """List the shipped presets, who decides in each, and what they lack on this machine."""
    from orchestrator.settings.build import report_presets

    def cells(one: PolicyReport) -> tuple[object, ...]:
        others = [f"{role} {policy}" for role, policy in one.policies.items() if policy != "rules"]
        return one.name, others or "rules", one.safety, "wrong" if one.wrong else len(one.lacking) or "", one.about

    return Told.rows(list(report_presets()), ("NAME", "DECIDED BY", "SAFETY", "LACKS", "ABOUT"), cells)


@policies_app.command("show")
@command
def show_preset(name: Name) -> Told:
    """Show what a preset sets, each value with its file and line, and what it lacks on this machine."""
    from orchestrator.settings.build import show
    from orchestrator.views.listing import table, width_of_terminal

    report, lines = show(name)
    data = report.model_dump() | {"settings": lines}
    rows = [(line.key, json_text(line.value), clean(line.source)) for line in lines]
    findings = [f"       {clean(finding, 1000)}" for finding in _findings(report)]
    name_and_about = f"{clean(report.name)}: {clean(report.about)}"
    return Told(data, "\n".join([name_and_about, table(rows, width_of_terminal()), *findings]))


@policies_app.command("check")
@command
def check_presets(files: Files = None, as_json: AsJson = False) -> None:
    """Report errors in presets or settings: keys, models, prompts, scripts. What this machine lacks is listed, but no error."""
    from orchestrator.settings.build import report, report_presets

    found = (report(file) for file in files) if files else report_presets()
    things = (CheckedThing(one, one.name, bool(one.wrong), "", _findings(one)) for one in found)
    tell_checked(things, as_json)


def _findings(one: PolicyReport) -> list[str]:
    return [*(f"wrong: {problem}" for problem in one.wrong), *(f"lacks: {problem}" for problem in one.lacking)]
