"""Gymnasium's own checks, and a vector of environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import deskcrew.gymnasium  # noqa: F401 - registers the tasks
from orchestrator.lab.episodes.episode import Episode
from orchestrator.settings.layers import shipped_names

TASKS = shipped_names("tasks")


@pytest.mark.parametrize("task", TASKS[:: len(TASKS) // 2])
def test_gymnasium_finds_nothing_wrong_with_a_task(task: str) -> None:
    env = gymnasium.make(f"deskcrew/{task}-v0", render_mode="rgb_array", disable_env_checker=True)
    check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=4)
    picture = np.asarray(env.render())
    assert picture.ndim == 3
    assert picture.shape[2] == 3
    env.close()


def test_a_seed_has_the_goal_that_it_has_for_a_crew_and_without_one_seeds_are_drawn() -> None:
    env = gymnasium.make("deskcrew.gymnasium:deskcrew/Task-v0", task=TASKS[0])
    seen, _ = env.reset(seed=7)
    assert seen["goal"] == Episode(TASKS[0], seed=7).goal
    drawn = {env.reset()[1]["seed"] for _ in range(3)}
    assert len(drawn) == 3
    env.close()


def test_a_vector_steps_each_of_its_worlds() -> None:
    envs = gymnasium.make_vec(f"deskcrew/{TASKS[0]}-v0", num_envs=3, vectorization_mode="sync")
    envs.reset(seed=1)
    _, rewards, ended, cut, _ = envs.step(["wait 1 s", "finish", "no line"])
    assert list(rewards) == [0.0, 0.0, 0.0]
    assert list(ended) == [False, True, False]
    assert not any(cut)
    envs.close()
