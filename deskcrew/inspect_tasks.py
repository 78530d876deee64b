"""Shipped tasks as an evaluation of Inspect: `inspect eval deskcrew/desk`, in the package by which Inspect names it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    from inspect_ai import Task, task
    from inspect_ai._util.error import PrerequisiteError  # what its command says in a sentence and without a traceback
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as missing:
    raise ImportError("Inspect is not installed: pip install 'deskcrew[inspect]'") from missing

if TYPE_CHECKING:
    from orchestrator.lab.episodes.rollouts import Rollout

VERDICT = "deskcrew:verdict"


@task
def desk(tasks: str | list[str] = "*", seeds: int = 1, steps: int | None = None, vary: str | list[str] = "") -> Task:
    """Shipped tasks like `tasks` (patterns) on seeds 0 to `seeds` - 1, worked by a model alone unless a solver is named."""
    from orchestrator.errors import UsageProblem
    from orchestrator.lab.episodes.rollouts import parts, tasks_like
    from orchestrator.settings.layers import shipped
    from orchestrator.tasks.tasks import load_task

    try:
        names = tasks_like(tasks)
    except UsageProblem as bad:
        raise PrerequisiteError(f"tasks: {bad}") from None
    samples = [
        Sample(
            id=f"{name}-{seed}",
            input=load_task(shipped("tasks", f"{name}.yaml")).goal,
            metadata={"task": name, "seed": seed, "steps": steps, "vary": parts(vary)},
        )
        for name in names
        for seed in range(seeds)
    ]
    return Task(dataset=MemoryDataset(samples, name="deskcrew"), solver=model_alone(), scorer=judged())


@scorer(metrics=[accuracy(), stderr()])
def judged() -> Scorer:
    """1 where the task's judge passes the run; the metadata has what it earned as an episode, and how far it came."""

    async def score(state: TaskState, target: Target) -> Score:
        verdict = state.store.get(VERDICT, {})
        return Score(value=1.0 if verdict.get("passed") else 0.0, metadata=verdict)

    return score


@solver
def model_alone() -> Solver:
    """The model of the evaluation, one action a reply."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        rollout = _rollout(state)
        state.messages = [ChatMessageSystem(content=rollout.prompt[0]["content"])]
        try:
            while not rollout.episode.over and not state.completed:
                state.messages.append(ChatMessageUser(content=rollout.asked))
                state = await generate(state)
                rollout.reply(state.output.completion)
        finally:
            state.store.set(VERDICT, rollout.verdict())
            rollout.episode.close()
        return state

    return solve


@solver
def oracle() -> Solver:
    """Plays what the task ships as its right way; what any solver can reach at most."""
    return _given(lambda rollout: rollout.episode.oracle())


@solver
def idle() -> Solver:
    """Waits until the steps are spent."""
    return _given(lambda rollout: ["wait 1 s"] * 3)


@solver
def crew(settings: str | list[str] = "") -> Solver:
    """The crew, by settings as on the command line (`policies=llm`); whatever asks for an approval gets it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        from orchestrator.lab.episodes.rollouts import parts
        from orchestrator.lab.suite.suite import EpisodeSpec, work

        about = state.metadata
        with tempfile.TemporaryDirectory() as scratch:
            spec = EpisodeSpec(configuration="crew", task=about["task"], seed=about["seed"], settings=tuple(parts(settings)))
            row = await asyncio.to_thread(work, spec, Path(scratch))
        verdict = {"passed": row.right, "reward": float(row.right), **row.model_dump(mode="json", exclude={"run", "right"})}
        state.store.set(VERDICT, verdict)
        state.messages.append(ChatMessageAssistant(content=f"{row.status}: {row.reason}"))
        return state

    return solve


def _rollout(state: TaskState) -> Rollout:
    from orchestrator.lab.episodes.episode import Episode
    from orchestrator.lab.episodes.rollouts import Rollout

    about = state.metadata
    return Rollout(Episode(about["task"], about["seed"], vary=about["vary"], steps=about["steps"]))


def _given(replies: Callable[[Rollout], list[str]]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        rollout = _rollout(state)
        lines = replies(rollout)
        rollout.episode.limit = len(lines)
        for line in lines:
            rollout.reply(line)
        kinds: dict[str, Any] = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
        state.messages = [kinds[said["role"]](content=said["content"]) for said in [*rollout.prompt, *rollout.completion]]
        state.store.set(VERDICT, rollout.verdict())
        rollout.episode.close()
        return state

    return solve
