"""Episodes over OpenEnv: typed actions, observations and state, the environment that a server makes, and its client."""

from __future__ import annotations

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State

from orchestrator.errors import UsageProblem
from orchestrator.lab.episodes.episode import Episode
from orchestrator.lab.episodes.episode import Observation as Seen
from orchestrator.settings.layers import shipped_names

FIRST = "claim-two-invoices"
"""The task where `reset` names none."""
SPLIT = "shipped"


class DeskAction(Action):
    """A line of the DSL, or what `dialect` of the reset names writes."""

    line: str


class DeskObservation(Observation):
    """The goal, and the screen below what came of the step. `metadata` has its status, and at the end the judge's verdict."""

    goal: str = ""
    screen: str = ""


class DeskState(State):
    """Which task is worked, and how many steps it may take."""

    task: str = ""
    seed: int = 0
    goal: str = ""
    limit: int = 0


class DeskEnvironment(Environment[DeskAction, DeskObservation, DeskState]):
    """One client's episode. Over the network only shipped tasks are named: neither files nor settings."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._episode: Episode | None = None
        self._made: tuple[Any, ...] = ()
        self._id: str | None = None

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        task: str = "",
        split: str = SPLIT,
        index: int | None = None,
        vary: tuple[str, ...] = (),
        steps: int | None = None,
        dialect: str = "",
    ) -> DeskObservation:
        """Begin `task`, or that at `index`; without either the first. Raises UsageProblem for one that is not shipped."""
        named = task or (FIRST if index is None else self.get_task(split, index)["id"])
        if named not in shipped_names("tasks"):
            raise UsageProblem(f"{named!r} is not a shipped task.")
        episode = self._begun(named, tuple(vary), steps, dialect)
        self._id = episode_id
        return _observed(episode, episode.reset(seed or 0))

    def step(self, action: DeskAction, timeout_s: float | None = None, **_: Any) -> DeskObservation:
        episode = self._episode or self._begun(FIRST)
        turn = episode.step(action.line)
        over = turn.terminated or turn.truncated
        info = {**turn.info, "truncated": turn.truncated} if over else turn.info
        return _observed(episode, turn.observation, done=over, reward=turn.reward, metadata=info)

    # In the server's loop: a step is shorter than the way into a thread and back.
    async def step_async(self, action: DeskAction, timeout_s: float | None = None, **more: Any) -> DeskObservation:
        return self.step(action, timeout_s, **more)

    @property
    def state(self) -> DeskState:
        if (episode := self._episode) is None:
            return DeskState()
        told = {"task": episode.task.id, "seed": episode.seed, "goal": episode.goal, "limit": episode.limit}
        return DeskState(episode_id=self._id, step_count=episode.steps, **told)

    def get_metadata(self) -> EnvironmentMetadata:
        about = "A simulated desktop: a goal, a screen as text, one action a step, judged at the end."
        return EnvironmentMetadata(name="deskcrew", description=about, version="0.1.0")

    def list_splits(self) -> list[str]:
        return [SPLIT]

    def num_tasks(self, split: str) -> int:
        return len(self.list_tasks(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        return [{"id": name, "index": i} for i, name in enumerate(shipped_names("tasks") if split == SPLIT else ())]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        return self.list_tasks(split)[index]

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        return self.list_tasks(split)[start:stop]

    def _begun(self, task: str, vary: tuple[str, ...] = (), steps: int | None = None, dialect: str = "") -> Episode:
        """The episode that there is, where it is of the same kind, and else another."""
        made = (task, vary, steps, dialect)
        if self._episode is None or made != self._made:
            self.close()
            self._episode, self._made = Episode(task, vary=vary, steps=steps, dialect=dialect), made
        return self._episode

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def _observed(episode: Episode, seen: Seen, **more: Any) -> DeskObservation:
    return DeskObservation(goal=episode.goal, screen=seen.text, **more)


class DeskEnv(EnvClient[DeskAction, DeskObservation, DeskState]):
    """A client: `with DeskEnv(base_url="http://127.0.0.1:8000").sync() as env`."""

    def _step_payload(self, action: DeskAction) -> dict[str, Any]:
        return {"line": action.line}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[DeskObservation]:
        done, reward = payload["done"], payload["reward"]
        seen = DeskObservation.model_validate({**payload["observation"], "done": done, "reward": reward})
        return StepResult(observation=seen, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> DeskState:
        return DeskState(**payload)
