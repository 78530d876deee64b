"""An episode as a Gymnasium environment: `import deskcrew.gymnasium` registers it. Its actions and observations are text."""

import io
from collections.abc import Sequence
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces

from orchestrator.lab.episodes.episode import Episode, Observation
from orchestrator.tasks.tasks import Task

LONGEST_ACTION = 4_000
LONGEST_OBSERVATION = 1_000_000


class AnyText(spaces.Text):
    """A text of any characters; samples are of Gymnasium's own alphabet."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length


class TaskEnv(gymnasium.Env[dict[str, Any], str]):
    """One task. An observation is `{"goal": ..., "screen": ...}`, an action a line of the DSL, or what `dialect` names writes.

    `reset(seed=n)` is the task's seed n, so that `n` has the same goal here as for a crew; without a seed one is drawn.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 - Gymnasium declares it so

    def __init__(
        self,
        task: Task | str,
        *,
        vary: Sequence[str] = (),
        settings: Sequence[str] = (),
        steps: int | None = None,
        dialect: str = "",
        render_mode: str | None = None,
    ) -> None:
        self.episode = Episode(task, vary=vary, settings=settings, steps=steps, dialect=dialect)
        self.render_mode = render_mode
        self.action_space = AnyText(LONGEST_ACTION, min_length=0)
        seen = AnyText(LONGEST_OBSERVATION, min_length=0)
        self.observation_space = spaces.Dict({"goal": seen, "screen": seen})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**31)) if seed is None else seed
        return _observed(self.episode.reset(drawn)), {"seed": drawn}

    def step(self, action: str) -> tuple[dict[str, Any], SupportsFloat, bool, bool, dict[str, Any]]:
        turn = self.episode.step(action)
        return _observed(turn.observation), turn.reward, turn.terminated, turn.truncated, turn.info

    def render(self) -> Any:
        """The screen as an array of height x width x 3; None where no render mode was asked for."""
        if self.render_mode is None:
            return None
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(self.episode.screenshot())).convert("RGB"))

    def close(self) -> None:
        self.episode.close()


def _observed(seen: Observation) -> dict[str, str]:
    return {"goal": seen.goal, "screen": seen.text[:LONGEST_OBSERVATION]}
