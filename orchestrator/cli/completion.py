"""Words that a shell may complete: ids of runs, names of what is shipped. Looks at names of files and reads none.

Scripts of shells evaluate what they are given, so a name that is not a plain word is never offered.
"""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path

import typer

SHELLS = ("bash", "zsh", "fish")
MOST = 200
"""A list of more helps nobody."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_DISPLAYS = ("auto", "rich", "plain", "log", "json", "none")


def run_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    """The runs in the folder that the line names, newest first."""
    folder = Path(ctx.params.get("runs_dir") or "runs")
    try:
        names = [entry.name for entry in os.scandir(folder) if os.path.exists(os.path.join(entry.path, "run.json"))]
    except OSError:
        return []
    return offered(sorted(names, reverse=True), incomplete)


def tasks(incomplete: str) -> list[str]:
    """Names of shipped tasks."""
    return offered(_shipped("tasks"), incomplete)


def worlds(incomplete: str) -> list[str]:
    """Names of shipped worlds."""
    return offered(_shipped("worlds"), incomplete)


def presets(incomplete: str) -> list[str]:
    """Names of shipped presets of policies."""
    return offered(_shipped("policies"), incomplete)


def displays(incomplete: str) -> list[str]:
    """Faces of a run."""
    return offered(_DISPLAYS, incomplete)


def shells(incomplete: str) -> list[str]:
    """Shells that can be helped."""
    return offered(SHELLS, incomplete)


def offered(names: list[str] | tuple[str, ...], incomplete: str) -> list[str]:
    """Those of the names that begin so and that no shell reads as anything but a word."""
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)][:MOST]


def script(shell: str) -> str:
    """What a shell is to read once, so that it asks deskcrew for words."""
    from typer._completion_shared import get_completion_script

    return get_completion_script(prog_name="deskcrew", complete_var=ASKED, shell=shell)


ASKED = "_DESKCREW_COMPLETE"
"""The variable by which a shell's script asks for words."""


def answer_shells() -> None:
    """Let the command answer the scripts of shells; else it does not know how to write for them."""
    if ASKED in os.environ:
        from typer._completion_classes import completion_init

        completion_init()


def _shipped(kind: str) -> list[str]:
    names = (path.name for path in files("configs").joinpath(kind).iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))
