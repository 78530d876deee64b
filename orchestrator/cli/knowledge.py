"""`deskcrew knowledge ...`: what the crew can look up, added, listed, searched and removed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.common import Told, command_with_settings, group
from orchestrator.store.printable import clean

if TYPE_CHECKING:
    from orchestrator.runs.experience import LearningResult
    from orchestrator.settings.settings import Settings
    from roles.contracts import Supplement
    from roles.knowledge.pages.learned import LearnedPlaybook


@command_with_settings
def learn(
    settings: Settings,
    word: Annotated[str, typer.Argument(metavar="RUN|LOG", help="A run, or a log.")],
    goal: Annotated[str, typer.Option(metavar="WORDS", help="The goal, if the log does not contain it.")] = "",
    app_name: Annotated[str, typer.Option("--app", metavar="APP", help="Keep it only for goals in this application.")] = "",
    source: Annotated[str, typer.Option("--from", metavar="FORMAT", help="See: deskcrew log formats.")] = "deskcrew",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what was understood, and keep nothing.")] = False,
) -> Told:
    """Learn from a run of the crew, a person or another agent; print what was understood."""
    from orchestrator.lab.learning.knowledge import lesson
    from orchestrator.runs.experience import LearningResult, kept

    found = lesson(word, goal, source, settings.runs_dir, app_name)
    if found.against:
        result = LearningResult(False, found.found.title, why=found.against)
    elif dry_run:
        result = LearningResult(False, found.found.title, why="only shown (--dry-run)")
    else:
        result = kept(found, settings.knowledge, settings.runs_dir)
    data = found.found.model_dump(mode="json") | {"kept": result.told()}
    return Told(data, "\n".join(_lines(found.found, result)), good=not found.against)


def _lines(said: LearnedPlaybook, result: LearningResult) -> Iterator[str]:
    yield clean(said.title, 500)
    for number, step in enumerate(said.steps, start=1):
        yield f"  {number}. {clean(step, 500)}"
    for name, value in said.slots.items():
        yield f"given by the goal   {{{clean(name, 60)}}}, here {clean(value, 200)}"
    for value, where in said.constants.items():
        yield f"always the same     {clean(value, 200)} ({clean(where, 100)})"
    for doubt in said.doubts:
        yield f"in doubt            {clean(doubt, 300)}"
    if said.left_out:
        yield f"left out            {said.left_out} steps that only looked, failed or led nowhere"
    yield f"kept as {result.document}" if result.saved else f"not kept: {clean(result.why, 300)}"


knowledge_app = group("What the crew looks up: help pages, searches, experience, demonstrations.")
knowledge_app.command()(learn)
App = Annotated[str | None, typer.Option("--app", metavar="APP", help="The application it is about.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="help, online, experience or demonstration.")]


@knowledge_app.command()
@command_with_settings
def add(
    settings: Settings,
    places: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Pages (Markdown, JSON, HTML), or folders of them.")],
    app: App = None, kind: Kind = None,
) -> Told:  # fmt: skip
    """Add pages. In a folder, APP/PAGE is about APP. Adding again rereads changed pages and drops deleted ones."""
    from orchestrator.lab.learning import knowledge

    done = knowledge.add(settings, places, app, kind)
    good = done.added or done.changed or done.unchanged or not done.problems
    groups = (("added", done.added), ("changed", done.changed), ("dropped", done.removed))
    lines = [f"{word} {clean(id)}" for word, ids in groups for id in ids]
    lines += [f"not read: {clean(problem, 1000)}" for problem in done.problems]
    counts = f"{len(done.added)} added, {len(done.changed)} changed, {len(done.removed)} dropped, {done.unchanged} as they were"
    return Told(done, "\n".join([*lines, counts]), good=bool(good))


@knowledge_app.command("ls")
@command_with_settings
def list_all(
    settings: Settings,
    app: App = None,
    kind: Kind = None,
    every: Annotated[bool, typer.Option("--all", help="Also shipped ones, and those in help_dirs.")] = False,
) -> Told:
    """List the added documents."""
    from orchestrator.lab.learning import knowledge

    none = "Nothing was added. (deskcrew knowledge ls --all shows what is shipped.)"
    found = knowledge.listed(settings, app, kind, every)
    return Told.rows(found, ("KIND", "APP", "ID", "TITLE"), lambda one: (one.kind, one.app or "-", one.id, one.title), none)


@knowledge_app.command()
@command_with_settings
def search(
    settings: Settings,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to do, or to know, in words.")],
    app: App = None, kind: Kind = None,
) -> Told:  # fmt: skip
    """Search as a run does. Exit code 1: nothing fits."""
    from orchestrator.lab.learning import knowledge

    answer = knowledge.search(settings, query, app, kind)
    for fault in answer.faults:
        typer.echo(f"deskcrew: {fault}", err=True)

    def cells(hit: Supplement) -> tuple[object, ...]:
        score, sources = "-" if hit.score is None else f"{hit.score:.2f}", ", ".join([hit.source, *hit.also])
        return score, hit.kind or "-", hit.app or "-", clean(hit.title, 60), clean(sources, 80)

    data = {"found": [hit.model_dump(mode="json", exclude={"query"}) for hit in answer.found], "faults": answer.faults}
    told = Told.rows(answer.found, ("SCORE", "KIND", "APP", "TITLE", "SOURCE"), cells, "No document fits.")
    return told._replace(data=data, good=bool(answer.found))


@knowledge_app.command("rm")
@command_with_settings
def remove(
    settings: Settings,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of documents, as ls shows them.")],
) -> Told:
    """Remove added documents."""
    from orchestrator.lab.learning import knowledge

    knowledge.remove(settings, ids)
    return Told({"removed": ids}, "\n".join(f"removed {clean(id)}" for id in ids))
