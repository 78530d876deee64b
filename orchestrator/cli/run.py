"""The commands that work a run: `deskcrew run`, `plan` and `resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator.cli.common import (
    FAILED,
    RUNS,
    AsJson,
    Debug,
    Display,
    RunId,
    RunsDir,
    Secret,
    Server,
    Store,
    TokenFile,
    as_overrides,
    checked_display,
    drive,
    guarded,
)
from orchestrator.cli.completion import presets, tasks, worlds

TARGET = "A goal in words, a task file, or the name of a shipped task."


def run(
    target: Annotated[str | None, typer.Argument(help=TARGET, autocompletion=tasks)] = None,
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.", autocompletion=worlds)] = None,
    environment: Annotated[str | None, typer.Option(metavar="NAME", help="What is worked: simulated or browser.")] = None,
    url: Annotated[str | None, typer.Option(help="The page that a browser begins with; its host alone may be reached.")] = None,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="AXIS=VALUE", help="Show the world otherwise: language=de; repeatable.")
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option("--fault", metavar="KIND[:RATE]", help="Let this go wrong, in that share of the actions.")
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Who decides: a preset (see `deskcrew policies`), or a file of one.", autocompletion=presets
        ),
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
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Run a goal or a task. With --json: one event a line, the outcome last."""
    with guarded(debug):
        from orchestrator.settings.settings import load_settings, varied
        from orchestrator.tasks.tasks import Task, resolve_target

        shown = "json" if as_json else display
        if server and not show_config:
            from orchestrator.desk.client import work as there
            from orchestrator.runs.privacy.secrets import asked_for
            from orchestrator.views.terminal import make_face

            said = {
                "policies": policies, "seed": seed, "world": world, "faults": fault, "environment": environment,
                "browser.url": url, "crew.manager.review": review_plan or None,
            }  # fmt: skip
            changes = [*(overrides or ()), *varied(vary or ()), *as_overrides(said)]
            private = asked_for([*(secret or ()), *there.secrets_of(target)])
            body = there.order(target, config or (), changes, plan, private)
            with there.connected(server, token_file) as remote:
                there.started(remote, make_face(checked_display(shown)), body)
        found = None if target is None else resolve_target(target)
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
        from orchestrator.runs import runs
        from orchestrator.runs.plans import read_plan
        from orchestrator.runs.privacy.secrets import asked_for
        from orchestrator.views.terminal import make_face

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


def resume(
    run_id: RunId,
    approve: Annotated[bool, typer.Option("--approve", help="Let the action be done, or the plan be worked.")] = False,
    reject: Annotated[str | None, typer.Option(metavar="WHY", help="Do not do it; the crew plans anew with these words.")] = None,
    edit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Do the action, or work the plan, in this JSON or YAML file instead.")
    ] = None,
    respond: Annotated[str | None, typer.Option(metavar="TEXT", help="Answer the question, or say something.")] = None,
    constrain: Annotated[
        str | None,
        typer.Option(metavar="YAML", help="With an answer: what holds from here on, such as 'forbidden_actions: [delete]'."),
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("-c", metavar="limits.KEY=VALUE", help="Another limit from here on; repeatable.")
    ] = None,
    secret: Secret = None,
    display: Display = None,
    as_json: AsJson = False,
    runs_dir: RunsDir = None,
    store: Store = None,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Go on with a run: one that waits for a person, or one that was interrupted."""
    with guarded(debug):
        answer = _constrained(_answer(approve, reject, edit, respond), constrain)
        from orchestrator.control.handle import RunControl
        from orchestrator.runs.privacy.secrets import asked_for
        from orchestrator.store import folders
        from orchestrator.store.salvage import salvage
        from orchestrator.views.terminal import make_face

        if server:
            from orchestrator.desk.client import work as there

            with there.connected(server, token_file) as remote:
                there.resumed(remote, make_face("json" if as_json else checked_display(display)), run_id, answer, overrides or ())
        folder = runs_dir or RUNS
        if store:
            from orchestrator.store.postgres.listing import find_shared

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
                answer=_by_command(answer),
                listener=heard,
                approver=face.approver,
                overrides=overrides or (),
                stop=stop,
            ),
            before.name,
        )


def plan(
    target: Annotated[str, typer.Argument(help=TARGET, autocompletion=tasks)],
    overrides: Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")] = None,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.", autocompletion=worlds)] = None,
    policies: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who decides: a preset, or a file of one.", autocompletion=presets)
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    token_file: TokenFile = None,
    debug: Debug = False,
) -> None:
    """Plan a goal and work nothing: prints the plan as YAML that `run --plan` reads."""
    with guarded(debug):
        from orchestrator.runs.plans import told

        changes = [*(overrides or ()), *as_overrides({"policies": policies, "seed": seed, "world": world})]
        if server:
            from orchestrator.desk.client import work as there

            with there.connected(server, token_file) as remote:
                made = there.planned(remote, there.order(target, config or (), changes, None, {}))
        else:
            from orchestrator.runs.plans import plan_goal
            from orchestrator.settings.settings import load_settings
            from orchestrator.tasks.tasks import Task, resolve_target

            found = resolve_target(target)
            made = plan_goal(load_settings(config or (), changes, found.layer() if isinstance(found, Task) else None), found)
        if isinstance(made, str):
            typer.echo(f"deskcrew: no plan: {made}", err=True)
            raise typer.Exit(FAILED)
        typer.echo(told(made, as_json), nl=False)


def _answer(approve: bool, reject: str | None, edit: Path | None, respond: str | None) -> dict[str, Any] | None:
    from orchestrator.errors import UsageProblem
    from orchestrator.views.terminal.approval import decision, edit_decision, read_edit

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


def _constrained(answer: dict[str, Any] | None, text: str | None) -> dict[str, Any] | None:
    if text is None:
        return answer
    from orchestrator.errors import UsageProblem
    from orchestrator.views.terminal.approval import constrained

    if answer is None:
        raise UsageProblem("--constrain goes with an answer, such as --approve; a new run takes -c constraints.KEY=VALUE.")
    return dict(constrained(answer, text))


def _by_command(answer: dict[str, Any] | None) -> dict[str, Any] | None:
    from orchestrator.runs.answers import by_whom

    return None if answer is None else by_whom(answer, "command")


def _print_config(loaded: Any, as_json: bool) -> None:
    import json

    from orchestrator.settings.settings import show_config

    lines = list(show_config(loaded))
    if as_json:
        typer.echo(json.dumps([line._asdict() for line in lines], indent=2))
        return
    texts = [(line.key, json.dumps(line.value, ensure_ascii=False), line.source) for line in lines]
    widths = [max(len(text[column]) for text in texts) for column in (0, 1)]
    for key, value, source in texts:
        typer.echo(f"{key:<{widths[0]}}  {value:<{min(widths[1], 40)}}  {source}")
