"""The command `deskcrew`. Imports what a command needs when it runs, so that `--help` is instant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator.cli_attack import attack_app
from orchestrator.cli_check import task_app
from orchestrator.cli_control import cancel, handback, pause, steer, takeover
from orchestrator.cli_knowledge import knowledge_app
from orchestrator.cli_log import log_app, schema_app
from orchestrator.cli_memory import memory_app
from orchestrator.cli_policies import policies_app
from orchestrator.cli_policy import policy_app
from orchestrator.cli_replay import fork, replay
from orchestrator.cli_skills import skills_app
from orchestrator.cli_trust import trust
from orchestrator.cli_view import view
from orchestrator.cli_world import world_app
from orchestrator.command import EPILOG, FAILED, RUNS, AsJson, Debug, Display, RunsDir, Secret, Store, guarded
from orchestrator.driving import as_overrides, checked_display, drive

app = typer.Typer(
    name="deskcrew",
    help="A crew of roles that works a desktop.",
    epilog=EPILOG,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(attack_app, name="attack")
app.add_typer(knowledge_app, name="knowledge")
app.add_typer(log_app, name="log")
app.add_typer(memory_app, name="memory")
app.add_typer(policies_app, name="policies")
app.add_typer(policy_app, name="policy")
app.add_typer(schema_app, name="schema")
app.add_typer(skills_app, name="skills")
app.add_typer(task_app, name="task")
app.add_typer(world_app, name="world")
app.command()(replay)
app.command()(fork)
app.command()(trust)
app.command()(view)
for command in (pause, steer, takeover, handback, cancel):
    app.command()(command)
RunId = Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name.")]


def main() -> None:
    """Entry point of the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"deskcrew {version('deskcrew')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    return None


@app.command()
def run(
    target: Annotated[str | None, typer.Argument(help="A goal in words, a task file, or the name of a shipped task.")] = None,
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.")] = None,
    environment: Annotated[str | None, typer.Option(metavar="NAME", help="What is worked: simulated or browser.")] = None,
    url: Annotated[str | None, typer.Option(help="The page that a browser begins with; its host alone may be reached.")] = None,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="AXIS=VALUE", help="Show the world otherwise: language=de; repeatable.")
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option("--fault", metavar="KIND[:RATE]", help="Let this go wrong, in that share of the actions.")
    ] = None,
    policies: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who decides: a preset (see `deskcrew policies list`), or a file of one.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Work this plan (YAML); pinned in the file, the crew keeps to it.")
    ] = None,
    review_plan: Annotated[
        bool, typer.Option("--review-plan", help="Show every plan to you before it is worked: approve, edit or reject it.")
    ] = False,
    display: Display = None,
    secret: Secret = None,
    as_json: AsJson = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print every setting and where it was set; run nothing.")
    ] = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    debug: Debug = False,
) -> None:
    """Run a goal or a task. With --json: one event a line, the outcome last."""
    with guarded(debug):
        from orchestrator.settings import load_settings, varied
        from orchestrator.tasks import Task, resolve_target

        found = None if target is None else resolve_target(target)
        shown = "json" if as_json else display
        flags = {
            "policies": policies, "seed": seed, "world": world, "faults": fault, "display": shown, "runs_dir": runs_dir,
            "store": store, "environment": environment, "browser.url": url, "crew.manager.review": review_plan or None,
        }  # fmt: skip
        layer = found.layer() if isinstance(found, Task) else None
        loaded = load_settings(config or (), [*(overrides or ()), *varied(vary or ()), *as_overrides(flags)], layer)
        if show_config:
            _print_config(loaded, as_json)
            return
        if found is None:
            from orchestrator.errors import UsageProblem

            raise UsageProblem('There is nothing to do; say it in words (deskcrew run "Open ...") or name a task file.')
        from orchestrator import runs
        from orchestrator.faces import make_face
        from orchestrator.plans import read_plan
        from orchestrator.private import asked_for

        given = read_plan(plan) if plan else None
        secrets = asked_for([*(secret or ()), *(found.secrets if isinstance(found, Task) else ())])
        face = make_face(loaded.settings.display)
        drive(
            face,
            loaded.settings.runs_dir,
            lambda heard, stop: runs.start(
                loaded, found, listener=heard, approver=face.approver, plan=given, parts={"secrets": secrets}, stop=stop
            ),
        )


@app.command()
def resume(
    run_id: RunId,
    approve: Annotated[bool, typer.Option("--approve", help="Let the action be done, or the plan be worked.")] = False,
    reject: Annotated[str | None, typer.Option(metavar="WHY", help="Do not do it; the crew plans anew with these words.")] = None,
    edit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Do the action, or work the plan, in this JSON or YAML file instead.")
    ] = None,
    respond: Annotated[str | None, typer.Option(metavar="TEXT", help="Answer the question, or say something.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("-c", metavar="limits.KEY=VALUE", help="Another limit from here on; repeatable.")
    ] = None,
    secret: Secret = None,
    display: Display = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    debug: Debug = False,
) -> None:
    """Go on with a run: one that waits for a person, or one that was interrupted."""
    with guarded(debug):
        answer = _answer(approve, reject, edit, respond)
        from orchestrator import folders
        from orchestrator.control.asking import RunControl
        from orchestrator.faces import make_face
        from orchestrator.journal import salvage
        from orchestrator.private import asked_for

        folder = runs_dir or RUNS
        if store:
            from orchestrator.store_listing import find_shared

            before = find_shared(run_id, store, folder)
        else:
            before = folders.find_run(run_id, folder)
        folder = before.parent
        secrets = asked_for(secret or ())
        face = make_face("json" if as_json else checked_display(display))
        for event in salvage(before / "journal.sqlite").events:
            face.recall(event)
        drive(
            face,
            folder,
            lambda heard, stop: RunControl(before.name, runs_dir=folder, parts={"secrets": secrets}).resume(
                answer=answer,
                listener=heard,
                approver=face.approver,
                overrides=overrides or (),
                stop=stop,
            ),
            before.name,
        )


@app.command("ls")
def list_(as_json: AsJson = False, runs_dir: RunsDir = None, store: Store = None, debug: Debug = False) -> None:
    """List the runs, newest first."""
    with guarded(debug):
        from orchestrator import listing

        if store:
            from orchestrator.store_listing import list_shared

            found = list_shared(store)
        else:
            from orchestrator.folders import list_runs

            found = list_runs(runs_dir or RUNS)
        typer.echo(listing.runs_json(found) if as_json else listing.runs_table(found))


@app.command()
def show(
    run_id: RunId,
    plan: Annotated[bool, typer.Option("--plan", help="Only the plan, as YAML that `run --plan` reads.")] = False,
    blackboard: Annotated[
        bool, typer.Option("--blackboard", help="Only what is known: facts, who says them, who used them; answers, screens.")
    ] = False,
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="STEP", help="The blackboard as it stood after STEP.")] = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    debug: Debug = False,
) -> None:
    """Show one run: plan, steps, gates, approvals, and how it ended."""
    with guarded(debug):
        from orchestrator import folders, listing

        if blackboard or at is not None:
            typer.echo(listing.board_text(run_id, runs_dir or RUNS, store, at, as_json=as_json))
            return
        if plan:
            from orchestrator.plans import told

            typer.echo(told(folders.show_plan(run_id, runs_dir or RUNS), as_json), nl=False)
            return
        if store:
            from orchestrator.store_listing import show_shared

            view = show_shared(run_id, store)
        else:
            view = folders.show_run(run_id, runs_dir or RUNS)
        typer.echo(listing.run_json(view) if as_json else listing.run_page(view))


@app.command("plan")
def plan_(
    target: Annotated[str, typer.Argument(help="A goal in words, a task file, or the name of a shipped task.")],
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.")] = None,
    policies: Annotated[str | None, typer.Option(metavar="NAME", help="Who decides: a preset, or a file of one.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Plan a goal and work nothing: prints the plan as YAML that `run --plan` reads."""
    with guarded(debug):
        from orchestrator.planning import plan_goal
        from orchestrator.plans import told
        from orchestrator.settings import load_settings
        from orchestrator.tasks import Task, resolve_target

        found = resolve_target(target)
        flags = as_overrides({"policies": policies, "seed": seed, "world": world})
        loaded = load_settings(config or (), [*(overrides or ()), *flags], found.layer() if isinstance(found, Task) else None)
        made = plan_goal(loaded, found)
        if isinstance(made, str):
            typer.echo(f"deskcrew: no plan: {made}", err=True)
            raise typer.Exit(FAILED)
        typer.echo(told(made, as_json), nl=False)


@app.command()
def doctor(as_json: AsJson = False, runs_dir: RunsDir = None, debug: Debug = False) -> None:
    """Check this installation; every problem comes with its fix."""
    with guarded(debug):
        from orchestrator import doctor as checks

        found = checks.examine(runs_dir or RUNS)
        typer.echo(checks.as_json(found) if as_json else checks.as_text(found))
        if not all(check.ok for check in found):
            raise typer.Exit(FAILED)


def _answer(approve: bool, reject: str | None, edit: Path | None, respond: str | None) -> dict[str, Any] | None:
    from orchestrator.errors import UsageProblem
    from orchestrator.faces.approval import decision, edit_decision, read_edit

    given = [approve, reject is not None, edit is not None, respond is not None]
    if sum(given) > 1:
        raise UsageProblem("Give one answer: --approve, --reject WHY, --edit FILE or --respond TEXT.")
    if edit is not None:
        return edit_decision(read_edit(edit))
    if approve:
        return decision("approve")
    if reject is not None:
        return decision("reject", message=reject)
    return None if respond is None else decision("respond", message=respond)


def _print_config(loaded: Any, as_json: bool) -> None:
    import json

    from orchestrator.settings import show_config

    lines = list(show_config(loaded))
    if as_json:
        typer.echo(json.dumps([line._asdict() for line in lines], indent=2))
        return
    texts = [(line.key, json.dumps(line.value, ensure_ascii=False), line.source) for line in lines]
    widths = [max(len(text[column]) for text in texts) for column in (0, 1)]
    for key, value, source in texts:
        typer.echo(f"{key:<{widths[0]}}  {value:<{min(widths[1], 40)}}  {source}")


if __name__ == "__main__":
    main()
