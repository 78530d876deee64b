"""`deskcrew doctor`, `deskcrew plugins` and `deskcrew completion`: this machine, what packages add, and its shell."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from orchestrator.cli.common import FAILED, RUNS, SHELLS, AsJson, RunsDir, command, script, shells
from orchestrator.errors import UsageProblem


@command
def doctor(as_json: AsJson = False, runs_dir: RunsDir = None) -> None:
    """Check this installation; every problem comes with its fix."""
    from orchestrator.cli.tools import checks

    found = checks.examine(runs_dir or RUNS)
    typer.echo(checks.as_json(found) if as_json else checks.as_text(found))
    if not all(check.ok for check in found):
        raise typer.Exit(FAILED)


@command
def plugins(
    check: Annotated[bool, typer.Option("--check", help="Run the contract's check on each environment.")] = False,
    as_json: AsJson = False,
) -> None:
    """List environments, policies, dialects, sources and safety checks of installed packages, and their errors."""
    from orchestrator.settings.plugins import listed

    found = listed(check=check)
    if as_json:
        typer.echo(json.dumps([one._asdict() for one in found], indent=2))
    for one in [] if as_json else found:
        typer.echo(f"{'✗' if one.problem else '✓'} {one.kind:<12} {one.name:<16} {one.package} ({one.place})")
        if one.problem:
            typer.echo(f"  {one.problem}")
    if not found and not as_json:
        typer.echo("no installed package offers a part; see docs/how-to/plugin.md")
    if any(one.problem for one in found):
        raise typer.Exit(FAILED)


@command
def completion(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", autocompletion=shells)]) -> None:
    """Print the shell script that completes commands, options, run ids, tasks, worlds and presets.

    For bash: deskcrew completion bash > ~/.local/share/bash-completion/completions/deskcrew
    """
    if shell not in SHELLS:
        raise UsageProblem(f"There is no completion for {shell!r}; name one of {', '.join(SHELLS)}.")
    typer.echo(script(shell).strip())
