"""The commands that work a run: `deskcrew run`, `plan` and `resume`; and `read`, which shows what is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli import common
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean

if TYPE_CHECKING:
    from roles.contracts.orders import Reading

TARGET = "A goal in words, a task file, or the name of a shipped task."


@common.command
def run(
    target: Annotated[str | None, typer.Argument(help=TARGET, autocompletion=common.tasks)] = None,
    overrides: common.Overrides = None,
    config: common.Config = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.", autocompletion=common.worlds)] = None,
    environment: Annotated[str | None, typer.Option(metavar="NAME", help="What is operated: simulated or browser.")] = None,
    url: Annotated[str | None, typer.Option(help="The first page in the browser; only its host may be reached.")] = None,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="AXIS=VALUE", help="Change the world's appearance: language=de; repeatable.")
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option("--fault", metavar="KIND[:RATE]", help="Inject this fault, in this share of the actions.")
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Who decides: a preset (see `deskcrew policies`), or its file.", autocompletion=common.presets
        ),
    ] = None,
    model: common.ModelName = None,
    plan: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Work this plan (YAML); subtasks pinned in the file stay as they are.")
    ] = None,
    review_plan: Annotated[
        bool, typer.Option("--review-plan", help="Review every plan before it is worked: approve, edit or reject it.")
    ] = False,
    display: common.Display = None,
    secret: common.Secret = None,
    as_json: common.AsJson = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print every setting and where it was set; run nothing.")
    ] = False,
    runs_dir: common.RunsDir = None,
    server: common.Server = None,
    token_file: common.TokenFile = None,
) -> None:
    """Run a goal or a task. With --json: one event per line, the outcome last."""
    with common.connected(runs_dir, None if show_config else server, token_file) as runs:
        from orchestrator.settings.settings import show_config as shown_config
        from orchestrator.settings.settings import varied

        shown = "json" if as_json else display
        flags = {
            **common.deciders(policies, model), "seed": seed, "world": world, "faults": fault, "environment": environment,
            "browser.url": url, "crew.manager.review": review_plan or None,
        }  # fmt: skip
        changes = [*(overrides or ()), *varied(vary or ()), *common.as_overrides(flags)]
        if show_config:
            from orchestrator.runs.handle import LocalRuns

            lines = list(shown_config(LocalRuns(runs_dir).loaded(target, config or (), changes, shown)[1]))
            texts = [(line.key, json.dumps(line.value, ensure_ascii=False), line.source) for line in lines]
            widest_key, widest_value = (max(len(text[column]) for text in texts) for column in (0, 1))
            rows = (f"{key:<{widest_key}}  {value:<{min(widest_value, 40)}}  {source}" for key, value, source in texts)
            common.tell(common.Told(lines, "\n".join(rows)), as_json)
            return
        from orchestrator.runs.privacy.secrets import asked_for
        from orchestrator.views.terminal import make_face

        order = runs.order(target, config or (), changes, plan, shown)
        secrets = asked_for([*(secret or ()), *order.secrets])
        face = make_face(order.display)
        common.drive(face, order.runs, lambda heard, stop: order.start(secrets, heard, face.approver, stop))


@common.command
def resume(
    run_id: common.RunId,
    approve: Annotated[bool, typer.Option("--approve", help="Perform the action, or work the plan.")] = False,
    reject: Annotated[str | None, typer.Option(metavar="WHY", help="Reject it; the crew replans with these words.")] = None,
    edit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Use the action (JSON, YAML, DSL) or the plan in this file instead.")
    ] = None,
    respond: Annotated[str | None, typer.Option(metavar="TEXT", help="Answer the question, or say something.")] = None,
    constrain: Annotated[
        str | None,
        typer.Option(metavar="YAML", help="With an answer: constraints from now on, such as 'forbidden_actions: [delete]'."),
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("-c", metavar="limits.KEY=VALUE", help="Set another limit from now on; repeatable.")
    ] = None,
    secret: common.Secret = None,
    display: common.Display = None,
    as_json: common.AsJson = False,
    runs_dir: common.RunsDir = None,
    server: common.Server = None,
    token_file: common.TokenFile = None,
) -> None:
    """Continue a run that waits for a person or was interrupted."""
    answer = _answer(approve, reject, edit, respond, constrain)
    from orchestrator.runs.answers import by_whom
    from orchestrator.runs.privacy.secrets import asked_for

    with common.connected(runs_dir, server, token_file) as runs:
        run = runs.run(run_id, secrets=asked_for(secret or ()))
        given = None if answer is None else by_whom(answer, "command")
        common.go_on(runs, run, display, as_json, partial(run.resume, answer=given, overrides=overrides or ()))


@common.command
def plan(
    target: Annotated[str, typer.Argument(help=TARGET, autocompletion=common.tasks)],
    overrides: common.Overrides = None,
    config: common.Config = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the world and of the task's variation.")] = None,
    world: Annotated[str | None, typer.Option(help="Name of a shipped world, or a path.", autocompletion=common.worlds)] = None,
    policies: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who decides: a preset, or its file.", autocompletion=common.presets)
    ] = None,
    model: common.ModelName = None,
    server: common.Server = None,
    token_file: common.TokenFile = None,
) -> common.Told:
    """Plan a goal without working it: print the plan as YAML for `run --plan`."""
    with common.connected(None, server, token_file) as runs:
        changes = [*(overrides or ()), *common.as_overrides({**common.deciders(policies, model), "seed": seed, "world": world})]
        made = runs.order(target, config or (), changes, None, None).plan()
        if isinstance(made, str):
            typer.echo(f"deskcrew: no plan: {made}", err=True)
            raise typer.Exit(common.FAILED)
        return common.plan_told(made)


@common.command
def read_goal(
    goal: Annotated[str, typer.Argument(help="A goal in words.")],
    today: Annotated[
        str, typer.Option(metavar="DAY", help="The day that relative dates refer to: 2026-03-02, with or without a time.")
    ] = "",
) -> common.Told:
    """Show how rules read a goal: its orders, words without meaning, and words that are not understood."""
    from roles.screen.language.reader import read

    reading = read(goal, today)
    lines = "\n".join(clean(line, 4000) for line in _read_lines(reading))
    return common.Told(reading, lines, good=reading.understood)


def _read_lines(reading: Reading) -> Iterator[str]:
    """A reading for people. Lists and places are written as data, without what is left out and without their characters."""
    goal = " ".join(reading.goal.splitlines()) if len(reading.goal.splitlines()) < 2 else reading.goal.replace("\n", " ")
    for number, order in enumerate(reading.orders):
        negated = "not " if order.negated else ""
        yield f"{number}. {negated}{order.verb}: {' ... '.join(goal[first:end] for first, end in order.spans)}"
        data = order.model_dump(mode="json", exclude_defaults=True)
        for key in ("object", "slots", "condition"):
            for part in data[key] if key == "slots" and key in data else [data[key]] if key in data else ():
                yield f"   {key.rstrip('s')}: {json.dumps(_without_spans(part), ensure_ascii=False)}"
    if reading.nothing and (idle := [goal[first:end] for first, end in reading.nothing if goal[first:end].strip(".!?; ")]):
        yield f"without meaning: {', '.join(idle)}"
    for told in reading.context:
        yield f"taken as background: {told.text}"
    for unread in reading.unread:
        yield f"not understood: {unread.why}"
        yield f"  {goal}"
        yield f"  {' ' * unread.span[0]}{'^' * (unread.span[1] - unread.span[0])}"
    yield from (f"question: {question}" for question in reading.asks)
    if not (reading.orders or reading.unread or reading.asks):
        yield "not understood: it contains no instruction"


def _without_spans(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_spans(value) for key, value in data.items() if key != "spans"}
    return [_without_spans(one) for one in data] if isinstance(data, list) else data


def _answer(
    approve: bool, reject: str | None, edit: Path | None, respond: str | None, constrain: str | None
) -> dict[str, Any] | None:
    from orchestrator.views.terminal.approval import constrained, decision, edit_decision, read_edit

    given = [approve, reject is not None, edit is not None, respond is not None]
    if sum(given) > 1:
        raise UsageProblem("Give one answer: --approve, --reject WHY, --edit FILE or --respond TEXT.")
    answer = None
    if edit is not None:
        answer = edit_decision(read_edit(edit))
    elif approve:
        answer = decision("approve")
    elif reject is not None:
        answer = decision("reject", message=reject)
    elif respond is not None:
        answer = decision("respond", message=respond)
    if constrain is None:
        return answer
    if answer is None:
        raise UsageProblem("--constrain goes with an answer, such as --approve; a new run takes -c constraints.KEY=VALUE.")
    return dict(constrained(answer, constrain))
