"""`deskcrew skills ls`: everything that the crew can do in a world, with what it takes and what it risks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.common import EPILOG, AsJson, Debug, guarded

if TYPE_CHECKING:
    from roles.skills.contract import Skill
    from roles.skills.registry import Skills

skills_app = typer.Typer(help="What the crew can do: the surface, apps' functions and agents, tools.", no_args_is_help=True,
                         epilog=EPILOG)  # fmt: skip


@skills_app.command("ls")
def list_skills(
    app: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this app, or of this server.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.")] = None,
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List every skill: its kind, what it takes, its risk in the safety policy's words, and what it means to do it twice."""
    with guarded(debug):
        from orchestrator.cli.common import as_overrides
        from orchestrator.settings.build import build_skills, make_environment
        from orchestrator.settings.settings import load_settings
        from orchestrator.store.printable import json_text

        settings = load_settings(config or (), [*(overrides or ()), *as_overrides({"world": world})]).settings
        environment = make_environment(settings)
        try:
            skills = build_skills(settings, environment)
            found = _of(skills, app)
            typer.echo(json_text([_data(skill, skills) for skill in found], 2) if as_json else _table(found, skills))
        finally:
            environment.close()


def _of(skills: Skills, app: str | None) -> list[Skill]:
    """Raises UsageProblem for an app that has none."""
    if app is None:
        return list(skills.known)
    found = [skill for skill in skills.known if skill.app.casefold() == app.casefold()]
    if not found:
        from orchestrator.errors import UsageProblem, did_you_mean

        known = sorted({skill.app for skill in skills.known} - {""})
        raise UsageProblem(f"--app {app}: nothing stands under this name{did_you_mean(app, known)}")
    return found


def _data(skill: Skill, skills: Skills) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": skill.kind, "app": skill.app, "name": skill.name, "called": skill.called}
    data |= {"summary": skill.summary, "arguments": skill.arguments, "risk": skill.risk.value if skill.risk else None}
    return data | {"idempotence": skill.idempotence.value, "forbidden": skills.settings.forbids(skill)}


def _table(found: list[Skill], skills: Skills) -> str:
    from orchestrator.store.printable import clean
    from orchestrator.views.terminal.tables import table

    rows = [("KIND", "SKILL", "RISK", "TWICE", "TAKES")]
    for skill in found:
        takes = ", ".join(f"{name}*" if name in skill.needs else name for name in skill.takes)
        forbidden = " (forbidden)" if skills.settings.forbids(skill) else ""
        rows.append((skill.kind, clean(skill.called) + forbidden, _risk(skill), skill.idempotence.value, clean(takes, 100)))
    return table(rows)


def _risk(skill: Skill) -> str:
    if skill.outside and not skill.settled:
        return "always asked for"
    return skill.risk.value if skill.risk is not None else "by the control"
