"""The crew's graph for LangGraph Server and Studio: `langgraph.json` names `graph`.

An assistant chooses by its `configurable` what a crew may be asked for from outside: `world`, `seed`, `policies` (a preset by
name). All else is the server's: settings from the files that `DESKCREW_CONFIG` names, threads in the folder `DESKCREW_THREADS`
(`.deskcrew/threads` when it is not set), from which another process goes on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from deskcrew import Crew
from environments.files.wrong_data import did_you_mean
from orchestrator.errors import ThreadProblem
from orchestrator.settings.layers import shipped_names
from roles.contracts.nodes import Graph

CONFIG, THREADS = "DESKCREW_CONFIG", "DESKCREW_THREADS"


async def graph(config: RunnableConfig) -> Graph:
    """The graph of a request. Raises ThreadProblem where its `configurable` is not understood."""
    return await asyncio.to_thread(_asked_for, config.get("configurable", {}))


def _asked_for(asked: Mapping[str, Any]) -> Graph:
    seed = asked.get("seed")
    if seed is not None and type(seed) is not int:
        raise ThreadProblem(f"configurable.seed: {seed!r} is not a whole number.")
    return _made(_named("world", asked), seed, _named("policies", asked))


def _named(key: str, asked: Mapping[str, Any]) -> str | None:
    name = asked.get(key)
    known = shipped_names("worlds" if key == "world" else key)
    if name is not None and name not in known:
        raise ThreadProblem(f"configurable.{key}: there is no {name!r} here{did_you_mean(str(name), known)}")
    return name


@lru_cache(maxsize=64)
def _made(world: str | None, seed: int | None, preset: str | None) -> Graph:
    files = [file for file in os.environ.get(CONFIG, "").split(os.pathsep) if file]
    wanted = {"world": world, "seed": seed, "policies": preset}
    crew = Crew.from_config(*files, overrides=[f"{key}={value}" for key, value in wanted.items() if value is not None])
    folder = Path(os.environ.get(THREADS) or Path(".deskcrew", "threads"))
    return crew.graph(store=folder / "-".join(str(value) for value in wanted.values() if value is not None))
