"""Episodes as conversations, as rows of a data set, and as Gymnasium checks and runs them."""

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import deskcrew.gymnasium  # noqa: F401 - registers the tasks
from orchestrator.errors import UsageProblem
from orchestrator.lab.episodes.episode import Episode
from orchestrator.lab.episodes.rollouts import SYSTEM, action_in, played, tasks_like, write_rows
from orchestrator.settings.layers import shipped_names
from protocol.dsl import parse_script

TASK = "claim-two-invoices"


def test_every_action_that_a_model_is_shown_can_be_read_and_the_action_is_the_last_line_of_a_reply() -> None:
    shown = SYSTEM.splitlines()[2:-2]
    assert len(list(parse_script("\n".join(shown)))) == len(shown)
    for reply in ("{}", "I save it.\nAction: {}", "So:\n```\n{}\n```", "First\n- {}\n\n", "`{}`"):
        assert action_in(reply.format('click "Save"')) == 'click "Save"'


def test_a_rollout_ends_with_what_the_model_said_and_what_it_earned() -> None:
    episode = Episode(TASK, seed=3)
    rollout = played(episode, episode.oracle())
    row = rollout.row()
    assert (row["reward"], row["passed"], row["clean"]) == (1.0, True, True)
    assert (row["task"], row["seed"], row["goal"]) == (TASK, 3, episode.goal)
    assert row["actions"] == episode.oracle()
    assert [message["role"] for message in row["completion"]] == (["assistant", "user"] * len(row["actions"]))[:-1]
    assert episode.goal in row["prompt"][1]["content"]


def test_what_is_not_over_has_earned_nothing_and_says_how_far_it_came() -> None:
    episode = Episode(TASK, seed=3)
    *lines, _ = episode.oracle()
    rollout = played(episode, lines)
    assert not episode.over
    assert rollout.verdict()["reward"] == 0.0
    assert not rollout.verdict()["passed"]
    assert rollout.verdict()["progress"] == 1.0
    assert rollout.asked == rollout.completion[-1]["content"]
    rollout.reply("I do not know.")
    assert rollout.asked.startswith("not understood: ")
    assert rollout.episode.steps == len(lines) + 1


def test_rows_are_a_line_each_with_the_same_columns(tmp_path: Path) -> None:
    episodes = [Episode(TASK, seed=seed) for seed in (0, 1)]
    rollouts = [played(episodes[0], episodes[0].oracle()), played(episodes[1], ["finish"])]
    assert write_rows(rollouts, tmp_path / "rows.jsonl") == 2
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["reward"] for row in rows] == [1.0, 0.0]
    assert rows[0].keys() == rows[1].keys()
    assert TASK in tasks_like("claim-*,open-*")
    with pytest.raises(UsageProblem, match="no shipped task"):
        tasks_like("no such thing")


# --- gymnasium's own checks, and a vector of environments


TASKS = shipped_names("tasks")


@pytest.mark.parametrize("task", TASKS[:: len(TASKS) // 2])
def test_gymnasium_finds_nothing_wrong_with_a_task(task: str) -> None:
    env = gymnasium.make(f"deskcrew/{task}-v0", render_mode="rgb_array", disable_env_checker=True)
    check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=4)
    picture = np.asarray(env.render())
    assert (picture.ndim, picture.shape[2]) == (3, 3)
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
