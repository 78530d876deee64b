"""The commands that work a run: `deskcrew run`, `plan` and `resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator.cli.common import (
    FAILED,
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
    connected,
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
    with guarded(debug), connected(runs_dir, None if show_config else server, token_file, store) as runs:
        from orchestrator.settings.settings import varied

        shown = "json" if as_json else display
        flags = {
            "policies": policies, "seed": seed, "world": world, "faults": fault, "environment": environment,
            "browser.url": url, "crew.manager.review": review_plan or None,
        }  # fmt: skip
        changes = [*(overrides or ()), *varied(vary or ()), *as_overrides(flags)]
        if show_config:
            from orchestrator.runs.handle import LocalRuns

            _print_config(LocalRuns(runs_dir, store).loaded(target, config or (), changes, shown)[1], as_json)
            return
        from orchestrator.runs.privacy.secrets import asked_for
        from orchestrator.views.terminal import make_face

        order = runs.order(target, config or (), changes, plan, shown)
        secrets = asked_for([*(secret or ()), *order.secrets])
        face = make_face(order.display)
        drive(face, order.runs, lambda heard, stop: order.start(secrets, heard, face.approver, stop))


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
        from orchestrator.runs.answers import by_whom
        from orchestrator.runs.privacy.secrets import asked_for
        from orchestrator.views.terminal import make_face

        with connected(runs_dir, server, token_file, store) as runs:
            run = runs.run(run_id, secrets=asked_for(secret or ()))
            face = make_face("json" if as_json else checked_display(display))
            for event in run.past():
                face.recall(event)
            drive(
                face,
                runs,
                lambda heard, stop: run.resume(
                    answer=None if answer is None else by_whom(answer, "command"),
                    overrides=overrides or (),
                    listener=heard,
                    approver=face.approver,
                    stop=stop,
                ),
                run.run_id,
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
    with guarded(debug), connected(None, server, token_file) as runs:
        from orchestrator.tasks.plans import told

        changes = [*(overrides or ()), *as_overrides({"policies": policies, "seed": seed, "world": world})]
        made = runs.order(target, config or (), changes, None, None).plan()
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
