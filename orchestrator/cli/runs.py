"""`deskcrew ls` and `deskcrew show`: the runs there are, and one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import Config, Overrides, RunId, Told, as_overrides, command, command_on_runs, group, plan_told
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean

if TYPE_CHECKING:
    from orchestrator.desk.client.handle import Runs
    from roles.skills.contract import Skill

skills_app = group("What the crew can do: verbs, apps' functions and agents, tools.")


@skills_app.command("ls")
@command
def list_skills(
    app: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this app, or of this server.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.")] = None,
    overrides: Overrides = None,
    config: Config = None,
) -> Told:
    """List every skill: its kind, arguments, risk in the terms of the safety policy, and the meaning of a second call."""
    from environments.files.wrong_data import did_you_mean
    from orchestrator.settings.build import build_skills, make_environment
    from orchestrator.settings.settings import load_settings

    settings = load_settings(config or (), [*(overrides or ()), *as_overrides({"world": world})]).settings
    environment = make_environment(settings)
    try:
        skills = build_skills(settings, environment)
        found = [skill for skill in skills.known if app is None or skill.app.casefold() == app.casefold()]
        if app is not None and not found:
            known = sorted({skill.app for skill in skills.known} - {""})
            raise UsageProblem(f"--app {app}: there are no skills under this name{did_you_mean(app, known)}")
        data = [
            {
                "kind": skill.kind, "app": skill.app, "name": skill.name, "called": skill.called, "summary": skill.summary,
                "arguments": skill.arguments, "risk": skill.risk.value if skill.risk else None,
                "idempotence": skill.idempotence.value, "forbidden": skills.settings.forbids(skill),
            }
            for skill in found
        ]  # fmt: skip

        def cells(skill: Skill) -> tuple[object, ...]:
            takes = ", ".join(f"{name}*" if name in skill.needs else name for name in skill.takes)
            risk = skill.risk.value if skill.risk is not None else "by the control"
            risk = "always asked for" if skill.outside and not skill.settled else risk
            called = clean(skill.called) + (" (forbidden)" if skills.settings.forbids(skill) else "")
            return skill.kind, called, risk, skill.idempotence.value, clean(takes, 100)

        return Told.rows(found, ("KIND", "SKILL", "RISK", "TWICE", "TAKES"), cells)._replace(data=data)
    finally:
        environment.close()


Part = Annotated[str, typer.Argument(metavar="[WORD]", help="Only those with this in their name, world, kinds or goal.")]


@command
def tasks(part: Part = "") -> Told:
    """List the shipped tasks: name, tier, whether the plan is given, world, goal. `deskcrew run NAME` works one, `deskcrew task
    check` checks one."""
    from orchestrator.tasks import shipped

    return _told(shipped.tasks(part), shipped.TASK_COLUMNS, part)


@command
def worlds(part: Part = "") -> Told:
    """List the shipped worlds: name, kind, apps and purpose. `deskcrew world serve NAME` opens one in a browser."""
    from orchestrator.tasks import shipped

    return _told(shipped.worlds(part), shipped.WORLD_COLUMNS, part)


def _told(found: Sequence[Mapping[str, object]], columns: tuple[str, ...], part: str) -> Told:
    heads = [name.upper() for name in columns]
    return Told.rows(found, heads, itemgetter(*columns), f"Nothing that is shipped has {clean(part, 80)!r} in it.")


@command_on_runs
def list_runs(runs: Runs) -> Told:
    """List the runs, newest first."""
    from orchestrator.views.listing import runs_table, width_of_terminal

    found = sorted(runs.list(), key=lambda run: (run.started, run.run_id), reverse=True)
    return Told(found, lambda: runs_table(found, width_of_terminal()))


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
) -> Told:
    """Show one run: plan, steps, gates, approvals, and its outcome."""
    from orchestrator.views.listing import board_page, run_page

    run = runs.run(run_id)
    if blackboard or at is not None:
        board = run.blackboard(at)
        return Told(board, lambda: board_page(board))
    if prompts or step is not None:
        from orchestrator.views.transcripts import page_of

        calls = run.prompts(step)
        return Told(calls, lambda: page_of(calls))
    if plan:
        return plan_told(run.plan())
    view = run.report()
    return Told(view, lambda: run_page(view))
