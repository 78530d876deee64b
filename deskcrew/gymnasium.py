"""Tells Gymnasium of the shipped tasks: `import deskcrew.gymnasium`, or `make("deskcrew.gymnasium:deskcrew/NAME-v0")`."""

from __future__ import annotations

from pathlib import Path

try:
    from gymnasium import register
    from gymnasium.envs.registration import registry
except ImportError as missing:
    raise ImportError("Gymnasium is not installed: pip install 'deskcrew[gymnasium]'") from missing

_TASKS = Path(__file__).resolve().parent.parent / "configs" / "tasks"
_HOME = "orchestrator.lab.episodes.gymnasium_env:TaskEnv"

if "deskcrew/Task-v0" not in registry:
    register(id="deskcrew/Task-v0", entry_point=_HOME)
    for file in sorted(_TASKS.glob("*.yaml")):
        register(id=f"deskcrew/{file.stem}-v0", entry_point=_HOME, kwargs={"task": file.stem})
