"""Episodes over OpenEnv: `uvicorn deskcrew.openenv:app` serves them, `DeskEnv` is the client."""

from __future__ import annotations

import os
from typing import Any

try:
    from openenv.core.env_server.http_server import create_app
except ImportError as missing:
    raise ImportError("OpenEnv is not installed: pip install 'deskcrew[openenv]'") from missing

from orchestrator.lab.episodes.openenv_env import DeskAction, DeskEnv, DeskEnvironment, DeskObservation, DeskState

__all__ = ["DeskAction", "DeskEnv", "DeskEnvironment", "DeskObservation", "DeskState"]


def __getattr__(name: str) -> Any:
    """`app` is made when it is asked for, so that a client makes no server."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    most = int(os.environ.get("MAX_CONCURRENT_ENVS", "64"))
    return create_app(
        DeskEnvironment, DeskAction, DeskObservation, env_name="deskcrew", max_concurrent_envs=most, state_cls=DeskState
    )
