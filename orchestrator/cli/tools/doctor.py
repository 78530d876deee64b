"""`deskcrew doctor`, `deskcrew plugins` and `deskcrew completion`: this machine, what packages add, and its shell."""

from typing import Annotated

import typer

from orchestrator.cli.common import RUNS, SHELLS, RunsDir, Told, command, script, shells
from orchestrator.errors import UsageProblem


@command
def doctor(runs_dir: RunsDir = None) -> Told:
    """Check this installation; every problem comes with its fix."""
    from orchestrator.cli.tools import checks

    found = checks.examine(runs_dir or RUNS)
    return Told(found, checks.as_text(found), good=all(check.ok for check in found))


@command
def plugins(
    check: Annotated[bool, typer.Option("--check", help="Run the contract's check on each environment.")] = False,
) -> Told:
    """List environments, policies, dialects, sources and safety checks of installed packages, and their errors."""
    from orchestrator.settings.plugins import listed

    found = listed(check=check)
    lines = [] if found else ["no installed package offers a part; see docs/how-to/plugin.md"]
    for one in found:
        lines.append(f"{'✗' if one.problem else '✓'} {one.kind:<12} {one.name:<16} {one.package} ({one.place})")
        lines += [f"  {one.problem}"] if one.problem else []
    return Told(found, "\n".join(lines), good=not any(one.problem for one in found))


@command
def completion(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", autocompletion=shells)]) -> None:
    """Print the shell script that completes commands, options, run ids, tasks, worlds and presets.

    For bash: deskcrew completion bash > ~/.local/share/bash-completion/completions/deskcrew
    """
    if shell not in SHELLS:
        raise UsageProblem(f"There is no completion for {shell!r}; name one of {', '.join(SHELLS)}.")
    typer.echo(script(shell).strip())
