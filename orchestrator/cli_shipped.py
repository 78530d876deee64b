"""`deskcrew tasks` and `deskcrew worlds`: what is shipped, by name. `deskcrew task` and `deskcrew world` work on one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.command import AsJson, Debug, guarded

Part = Annotated[str, typer.Argument(metavar="[WORD]", help="Only those that have this in their name, world, kinds or goal.")]


def tasks(part: Part = "", as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped tasks: name, tier, world and goal. `deskcrew run NAME` works one, `deskcrew task check` checks one."""
    with guarded(debug):
        from orchestrator import shipped

        _tell(shipped.tasks(part), shipped.TASK_COLUMNS, as_json, part)


def worlds(part: Part = "", as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped worlds: name, kind, apps and what they are for. `deskcrew world serve NAME` opens one in a browser."""
    with guarded(debug):
        from orchestrator import shipped

        _tell(shipped.worlds(part), shipped.WORLD_COLUMNS, as_json, part)


def _tell(found: list[dict[str, object]], columns: tuple[str, ...], as_json: bool, part: str) -> None:
    from orchestrator.faces.clean import clean, json_text
    from orchestrator.faces.tables import cells, table, width_of_terminal

    if as_json:
        typer.echo(json_text(found, 2))
    elif not found:
        typer.echo(f"Nothing that is shipped has {clean(part, 80)!r} in it.")
    else:
        rows = [tuple(name.upper() for name in columns), *(cells(one, columns) for one in found)]
        typer.echo(table(rows, width_of_terminal()))
