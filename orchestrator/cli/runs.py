"""`deskcrew ls` and `deskcrew show`: the runs there are, and one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.common import EPILOG, AsJson, Config, Overrides, RunId, command, command_on_runs
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, json_text

if TYPE_CHECKING:
    from orchestrator.desk.client.handle import Runs
    from roles.skills.contract import Skill
    from roles.skills.registry import Skills

skills_app = typer.Typer(help="What the crew can do: verbs, apps' functions and agents, tools.", no_args_is_help=True,
                         epilog=EPILOG)  # fmt: skip


@skills_app.command("ls")
@command
def list_skills(
    app: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this app, or of this server.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.")] = None,
    overrides: Overrides = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List every skill: its kind, arguments, risk in the terms of the safety policy, and the meaning of a second call."""
    from orchestrator.cli.common import as_overrides
    from orchestrator.settings.build import build_skills, make_environment
    from orchestrator.settings.settings import load_settings

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
        from environments.files.wrong_data import did_you_mean

        known = sorted({skill.app for skill in skills.known} - {""})
        raise UsageProblem(f"--app {app}: there are no skills under this name{did_you_mean(app, known)}")
    return found


def _data(skill: Skill, skills: Skills) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": skill.kind, "app": skill.app, "name": skill.name, "called": skill.called}
    data |= {"summary": skill.summary, "arguments": skill.arguments, "risk": skill.risk.value if skill.risk else None}
    return data | {"idempotence": skill.idempotence.value, "forbidden": skills.settings.forbids(skill)}


def _table(found: list[Skill], skills: Skills) -> str:
    from orchestrator.views.listing import table

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


Part = Annotated[str, typer.Argument(metavar="[WORD]", help="Only those with this in their name, world, kinds or goal.")]


@command
def tasks(part: Part = "", as_json: AsJson = False) -> None:
    """List the shipped tasks: name, tier, whether the plan is given, world, goal. `deskcrew run NAME` works one, `deskcrew task
    check` checks one."""
    from orchestrator.tasks import shipped

    _tell(shipped.tasks(part), shipped.TASK_COLUMNS, as_json, part)


@command
def worlds(part: Part = "", as_json: AsJson = False) -> None:
    """List the shipped worlds: name, kind, apps and purpose. `deskcrew world serve NAME` opens one in a browser."""
    from orchestrator.tasks import shipped

    _tell(shipped.worlds(part), shipped.WORLD_COLUMNS, as_json, part)


def _tell(found: Sequence[Mapping[str, object]], columns: tuple[str, ...], as_json: bool, part: str) -> None:
    from orchestrator.views.listing import cells, table, width_of_terminal

    if as_json:
        typer.echo(json_text(found, 2))
    elif not found:
        typer.echo(f"Nothing that is shipped has {clean(part, 80)!r} in it.")
    else:
        rows = [tuple(name.upper() for name in columns), *(cells(one, columns) for one in found)]
        typer.echo(table(rows, width_of_terminal()))


@command_on_runs
def list_runs(runs: Runs, as_json: AsJson = False) -> None:
    """List the runs, newest first."""
    from orchestrator.views import listing
    from orchestrator.views.listing import width_of_terminal

    found = sorted(runs.list(), key=lambda run: (run.started, run.run_id), reverse=True)
    typer.echo(listing.runs_json(found) if as_json else listing.runs_table(found, width_of_terminal()))


@command_on_runs
def show(
    runs: Runs,
    run_id: RunId,
    plan: Annotated[bool, typer.Option("--plan", help="Only the plan, as YAML for `run --plan`.")] = False,
    blackboard: Annotated[
        bool, typer.Option("--blackboard", help="Only the blackboard: facts, their sources and uses; answers, screens.")
    ] = False,
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="STEP", help="The blackboard after STEP.")] = None,
    prompts: Annotated[bool, typer.Option("--prompts", help="Only the recorded prompts and replies of models.")] = False,
    step: Annotated[int | None, typer.Option("--step", min=0, help="With --prompts: only those of this step.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show one run: plan, steps, gates, approvals, and its outcome."""
    from orchestrator.views import listing

    run = runs.run(run_id)
    if blackboard or at is not None:
        from orchestrator.views.listing import board_page

        board = run.blackboard(at)
        typer.echo(json_text(board, 2) if as_json else board_page(board))
    elif prompts or step is not None:
        from orchestrator.views.transcripts import page_of

        calls = run.prompts(step)
        typer.echo(json_text(calls, 2) if as_json else page_of(calls))
    elif plan:
        from orchestrator.tasks.plans import told

        typer.echo(told(run.plan(), as_json), nl=False)
    else:
        view = run.report()
        typer.echo(listing.run_json(view) if as_json else listing.run_page(view))
