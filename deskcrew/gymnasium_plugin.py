"""Tells Gymnasium of the shipped tasks. It is loaded with Gymnasium itself, so nothing of ours is imported before `make`."""

from __future__ import annotations

from pathlib import Path

_TASKS = Path(__file__).resolve().parent.parent / "configs" / "tasks"


def register() -> None:
    """`deskcrew/NAME-v0` for each shipped task, and `deskcrew/Task-v0` for one that is named: `make(..., task="mine.yaml")`."""
    from gymnasium import register as add

    home = "orchestrator.lab.episodes.gymnasium_env:TaskEnv"
    add(id="Task-v0", entry_point=home)
    for file in sorted(_TASKS.glob("*.yaml")):
        add(id=f"{file.stem}-v0", entry_point=home, kwargs={"task": file.stem})
