"""`deskcrew policies ...`: who can decide for the roles, by the names of presets, and whether that works on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import EPILOG, FAILED, RUNS, AsJson, Config, Debug, Overrides, RunsDir, command, presets
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, json_text

if TYPE_CHECKING:
    from orchestrator.settings.build import PolicyReport
    from orchestrator.tasks.policy_explanation import Explanation


policy_app = typer.Typer(help="Safety policies: which actions are allowed.", no_args_is_help=True, epilog=EPILOG)
PolicyFiles = Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="Safety policies; all shipped presets if none.")]


@policy_app.command("explain")
@command
def explain_action(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="""An action, such as: click button "Submit".""")],
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="The safety policy: a shipped preset.")] = None,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="The safety policy: a file.")] = None,
    task: Annotated[str | None, typer.Option(metavar="TASK", help="With the world, the policy and the goal of a task.")] = None,
    world: Annotated[str | None, typer.Option(help="On the first screen of this world.")] = None,
    app: Annotated[str | None, typer.Option(metavar="APP", help="With this app opened first.")] = None,
    screen: Annotated[Path | None, typer.Option(metavar="FILE", help="On this screen (VisualState JSON) instead.")] = None,
    goal: Annotated[str, typer.Option(metavar="WORDS", help="What the user said.")] = "",
    fact: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="On the blackboard, from a screen; repeatable.")
    ] = None,
    confidence: Annotated[float, typer.Option(min=0.0, max=1.0, help="The confidence of the policy.")] = 1.0,
    overrides: Overrides = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Explain a safety policy's verdict on an action: the verdict, the deciding rule, and what each rule says."""
    from orchestrator.tasks.policy_explanation import ExplainRequest, explained
    from orchestrator.tasks.tasks import Task, resolve_target

    if preset is not None and file is not None:
        raise UsageProblem("Give one policy: --preset NAME or --file FILE.")
    found = None if task is None else resolve_target(task)
    if task is not None and not isinstance(found, Task):
        raise UsageProblem(f"--task {task!r} is neither a task file nor a shipped task.")
    asked = ExplainRequest(
        action=action,
        safety=preset or (str(file.resolve()) if file else ""),
        task=found if isinstance(found, Task) else None,
        world=world,
        screen=screen,
        app=app,
        goal=goal,
        facts=tuple(fact or ()),
        confidence=confidence,
        config=tuple(config or ()),
        overrides=tuple(overrides or ()),
    )
    told = explained(asked)
    if as_json:
        data = told._asdict() | {"rules": [rule._asdict() for rule in told.rules]}
        typer.echo(json.dumps(data, indent=2, ensure_ascii=True))
        return
    _cli_policy_tell(told)


@policy_app.command("check")
@command
def check_policy(files: PolicyFiles = None, as_json: AsJson = False) -> None:
    """Report errors in safety policies: keys, verbs, conditions that cannot be evaluated."""
    from orchestrator.tasks.policy_explanation import check_policies

    found = check_policies([str(Path(file).resolve()) if Path(file).is_file() else file for file in files or ()])
    for one in found:
        if as_json:
            typer.echo(json.dumps(one._asdict(), ensure_ascii=True))
            continue
        rules = "" if one.wrong else f"  {one.rules} rule{'s' if one.rules != 1 else ''}, network: {one.network}"
        typer.echo(f"{'wrong' if one.wrong else 'ok':<6} {clean(one.name)}{rules}")
        for kind, said in (("wrong", [one.wrong] if one.wrong else []), ("note", one.notes)):
            for words in said:
                typer.echo(f"       {kind}: {clean(words, 1000)}")
    if any(one.wrong for one in found):
        raise typer.Exit(FAILED)


def _cli_policy_tell(told: Explanation) -> None:
    from orchestrator.views.listing import table

    rows: list[Sequence[str]] = [
        ("verdict", told.verdict),
        ("rule", clean(f"{told.rule}{f' ({told.place})' if told.place else ''}", 300)),
        ("why", clean(told.why, 400)),
        ("action", clean(told.action, 300)),
        ("effect", f"{told.effect} (severity {told.severity})"),
        ("app", clean(told.app or "none")),
        ("target", clean(told.target or "none", 160) + (f": {clean(told.missing, 200)}" if told.missing else "")),
        ("policy", clean(told.policy)),
        ("network", told.network),
    ]
    rows += [("value", clean(f"{value['value']!r} from: {', '.join(value['sources'])}", 300)) for value in told.values]
    rows += [("also", clean(other)) for other in told.also]
    would = told.changes if told.changes is None else [f"it {one['told']} ({one['effect']})" for one in told.changes]
    rows += [("preview", clean(line, 300)) for line in (["it changes nothing"] if would == [] else would or [])]
    typer.echo(table(rows))
    typer.echo("rules, in their order of precedence:")
    shown = [
        ("yes" if rule.applies else "no", rule.verdict, clean(rule.name), clean(rule.place), clean(rule.why, 300))
        for rule in told.rules
    ]
    if shown:
        typer.echo(table(shown))
    typer.echo(f"the rules alone: {clean(told.by_rules)}")


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


policies_app = typer.Typer(
    help="Presets of policies: who decides for each role. Lists them by default.",
    invoke_without_command=True,
    epilog=EPILOG,
)
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
def list_presets(as_json: AsJson = False) -> None:
    """List the shipped presets, who decides in each, and what they lack on this machine."""
    from orchestrator.settings.build import report_presets

    found = list(report_presets())
    typer.echo(json.dumps([one._asdict() for one in found], indent=2) if as_json else _table(found))


@policies_app.command("show")
@command
def show_preset(name: Name, as_json: AsJson = False) -> None:
    """Show what a preset sets, each value with its file and line, and what it lacks on this machine."""
    from orchestrator.settings.build import show
    from orchestrator.views.listing import table, width_of_terminal

    shown = show(name)
    if as_json:
        data = shown.report._asdict() | {"settings": [line._asdict() for line in shown.lines]}
        typer.echo(json_text(data, 2))
        return
    typer.echo(f"{clean(shown.report.name)}: {clean(shown.report.about)}")
    rows = [(line.key, json_text(line.value), clean(line.source)) for line in shown.lines]
    typer.echo(table(rows, width_of_terminal()))
    _tell(shown.report)


@policies_app.command("check")
@command
def check_presets(files: Files = None, as_json: AsJson = False) -> None:
    """Report errors in presets or settings: keys, models, prompts, scripts. What this machine lacks is listed, but no error."""
    from orchestrator.settings.build import report, report_presets

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
    for words, problems in (("wrong", one.wrong), ("lacks", one.lacking)):
        for problem in problems:
            typer.echo(f"       {words}: {clean(problem, 1000)}")


def _table(found: Iterable[PolicyReport]) -> str:
    from orchestrator.views.listing import table, width_of_terminal

    rows = [("NAME", "DECIDED BY", "SAFETY", "LACKS", "ABOUT")]
    for one in found:
        lacks = "wrong" if one.wrong else str(len(one.lacking) or "")
        others = [f"{role} {policy}" for role, policy in one.policies.items() if policy != "rules"]
        rows.append((clean(one.name), ", ".join(others) or "rules", clean(one.safety), lacks, clean(one.about)))
    return table(rows, width_of_terminal())
