"""Episodes for verifiers: the shipped tasks as a taskset, a text rollout with the judge's reward, a chat in this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

from orchestrator.lab.episodes.episode import Episode
from orchestrator.lab.episodes.rollouts import SYSTEM, Rollout, tasks_like

NAME = "deskcrew-episodes"


class DeskTasksetConfig(vf.TasksetConfig):
    """Shipped tasks like `tasks`, patterns with commas, each on seeds 0 to `seeds` - 1."""

    tasks: str = "*"
    seeds: int = 1
    steps: int | None = None
    """Where an episode is cut off; the task's own limit where nothing is said."""


class DeskData(vf.TaskData):
    """Which episode is worked."""

    task: str
    seed: int
    steps: int | None


class DeskTask(vf.Task[DeskData, vf.State, vf.TaskConfig]):
    """An episode; its reward is recorded by the environment, which holds the world."""

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the oracle earns 1; None where the task has none."""
        episode = Episode(self.data.task, self.data.seed)
        lines = episode.oracle()
        episode.limit = max(episode.limit, len(lines))
        rewards = [episode.step(line).reward for line in lines]
        episode.close()
        return rewards[-1] == 1.0 if rewards else None


class DeskTaskset(vf.Taskset[DeskTask, DeskTasksetConfig]):
    """The shipped tasks."""

    def load(self) -> Iterator[DeskTask]:
        for name in tasks_like(self.config.tasks):
            for seed in range(self.config.seeds):
                about = {"task": name, "seed": seed, "steps": self.config.steps}
                yield DeskTask(DeskData(name=f"{name}#{seed}", system_prompt=SYSTEM, **about), self.config.task)


class DeskHarness(vf.Harness[vf.HarnessConfig]):
    """A chat without tools. It installs nothing and starts no process, as verifiers' own `null` does for each turn."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        system, prompt = self.resolve_prompt(data)
        said = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt or []
        messages = [message_to_wire(message) for message in ([vf.SystemMessage(content=system)] if system else []) + list(said)]
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(timeout=httpx.Timeout(30, read=None), headers=headers) as client:
            answer = await client.post(f"{endpoint}/chat/completions", json={"model": ctx.model, "messages": messages})
        return vf.ProgramResult(exit_code=int(answer.is_error), stdout="", stderr=answer.text if answer.is_error else "")


class DeskEnvConfig(vf.EnvConfig):
    """One seat: who works the desktop."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """On this machine: the harness runs in this process, and a box elsewhere would stand empty."""


class DeskEnv(vf.Env[DeskEnvConfig]):
    """The screen is what the user says, the last line of a reply is the action."""

    async def run(self, task: DeskTask, agents: Any) -> None:
        data = task.data
        rollout = Rollout(Episode(data.task, data.seed, steps=data.steps))
        try:
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn(rollout.asked)
                while not segment.terminated:
                    rollout.reply(segment.last_reply)
                    if rollout.episode.over:
                        break
                    segment = await interaction.turn(rollout.asked)
            verdict = rollout.verdict()
        finally:
            rollout.episode.close()
        interaction.trace.record_reward("judge", verdict.pop("reward"))
        interaction.trace.record_metrics({name: float(value) for name, value in verdict.items() if value is not None})


def load_environment(tasks: str = "*", seeds: int = 1, steps: int | None = None, **more: Any) -> DeskEnv:
    """The environment; `more` is of its config."""
    return DeskEnv(DeskEnvConfig(taskset=DeskTasksetConfig(id=NAME, tasks=tasks, seeds=seeds, steps=steps), **more))
