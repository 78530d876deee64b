"""`deskcrew policy ...`: what a safety policy says of an action and why, and whether a policy can be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.command import EPILOG, FAILED, AsJson, Debug, guarded

if TYPE_CHECKING:
    from orchestrator.explaining import Told

policy_app = typer.Typer(help="Safety policies: what an action may do.", no_args_is_help=True, epilog=EPILOG)
Files = Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="Safety policies; all shipped presets if none.")]


@policy_app.command("explain")
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
    confidence: Annotated[float, typer.Option(min=0.0, max=1.0, help="How sure the decision maker is.")] = 1.0,
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Say what a safety policy says of an action on a screen: the verdict, the rule that decides, and what each rule says."""
    with guarded(debug):
        import json

        from orchestrator.errors import UsageProblem
        from orchestrator.explaining import Asked, explained
        from orchestrator.tasks import Task, resolve_target

        if preset is not None and file is not None:
            raise UsageProblem("Give one policy: --preset NAME or --file FILE.")
        found = None if task is None else resolve_target(task)
        if task is not None and not isinstance(found, Task):
            raise UsageProblem(f"--task {task!r} is no task file and no shipped task.")
        asked = Asked(
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
        _tell(told)


@policy_app.command("check")
def check_policy(files: Files = None, as_json: AsJson = False, debug: Debug = False) -> None:
    """Say what is wrong with safety policies: keys, verbs, conditions that cannot be evaluated."""
    with guarded(debug):
        import json

        from orchestrator.explaining import check_policies
        from orchestrator.faces.clean import clean

        found = check_policies([_as_path(file) for file in files or ()])
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


def _as_path(word: str) -> str:
    """A file in this folder whose name could be a preset's is a file."""
    return str(Path(word).resolve()) if Path(word).is_file() else word


def _tell(told: Told) -> None:
    from orchestrator.faces.clean import clean
    from orchestrator.faces.tables import table

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
    typer.echo("rules, in the order in which they count:")
    shown = [
        ("yes" if rule.applies else "no", rule.verdict, clean(rule.name), clean(rule.place), clean(rule.why, 300))
        for rule in told.rules
    ]
    if shown:
        typer.echo(table(shown))
    typer.echo(f"the rules alone: {clean(told.by_rules)}")
