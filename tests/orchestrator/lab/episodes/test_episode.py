"""Episodes: a task worked without a crew, and what it earns."""

import random
from itertools import cycle

import pytest
from support import sampled

from environments.simulated.screen import elements as elements_module
from environments.simulated.screen import screen as screen_module
from environments.simulated.world.world import World
from orchestrator.errors import UsageProblem
from orchestrator.lab.episodes.episode import PARTIAL, Episode
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.tasks.tasks import load_task
from protocol import FinishGoal
from protocol.dsl import emit
from protocol.prompt_form import element_text, lines, whole_form

TASKS = shipped_names("tasks")


def test_the_oracle_earns_one_and_doing_nothing_earns_nothing() -> None:
    for name in sampled(TASKS, 12):
        task = load_task(shipped("tasks", f"{name}.yaml"))
        if task.oracle is None:
            continue
        episode = Episode(task, seed=3)
        lines = episode.oracle()
        episode.limit = len(lines) + 1
        rewards = [episode.step(line).reward for line in lines]
        assert rewards[-1] == 1.0, (name, episode.verdict())
        assert not any(rewards[:-1])
        episode.limit = 3
        episode.reset()
        turns = [episode.step("wait 1 s") for _ in range(3)]
        assert turns[-1].truncated, name
        assert sum(turn.reward for turn in turns) == 0.0, name
        episode.close()


def test_what_is_half_done_earns_less_than_half_and_what_is_said_done_and_is_not_earns_no_one() -> None:
    name = next(n for n in TASKS if (t := load_task(shipped("tasks", f"{n}.yaml"))).checkpoints and t.oracle)
    episode = Episode(name, seed=1)
    *lines, last = episode.oracle()
    earned = []
    for length in range(len(lines)):
        episode.reset()
        for line in lines[:length]:
            episode.step(line)
        earned.append(episode.step(last).reward)
    assert earned[0] == 0.0
    assert 0.0 < max(earned) <= PARTIAL
    assert earned == sorted(earned)


def test_a_line_that_cannot_be_read_says_where_and_changes_nothing() -> None:
    episode = Episode(TASKS[0])
    turn = episode.step("clikc the thing")
    assert turn.observation.result.startswith("not understood: column ")
    assert turn.observation.text.startswith(turn.observation.result)
    assert turn.info["status"] == "unread"
    assert not episode.verdict().side_effects
    wrong = episode.step({"action_type": "click"})
    assert wrong.observation.result.startswith("not understood: ")
    spoken = Episode(TASKS[0], dialect="pyautogui")
    assert spoken.step("pyautogui.press('tab')").info["status"] == "executed"
    assert spoken.step("nonsense(").observation.result.startswith("not understood: ")
    with pytest.raises(UsageProblem, match="is not a task"):
        Episode("no such task at all")
    spoken.dialect = ""
    spoken.step(emit(FinishGoal()))
    with pytest.raises(UsageProblem, match="over"):
        spoken.step("wait 1 s")


def test_a_fork_goes_its_own_way_and_a_snapshot_takes_back_what_was_done() -> None:
    episode = Episode(TASKS[0], seed=2)
    lines = episode.oracle()
    first = episode.snapshot()
    other = episode.fork()
    for line in lines:
        turn = other.step(line)
    assert turn.reward == 1.0
    assert not episode.over
    assert not episode.verdict().passed
    for line in lines[:-1]:
        episode.step(line)
    episode.restore(first)
    assert not episode.verdict().side_effects
    assert [episode.step(line).reward for line in lines][-1] == 1.0


def test_a_walk_at_random_shows_and_says_the_same_as_if_nothing_had_been_kept_of_the_screens_before() -> None:
    of_each_world = {task.world: task for task in (load_task(shipped("tasks", f"{name}.yaml")) for name in TASKS)}
    assert len(of_each_world) > 15
    axes = cycle(((), ("language=de",), ("layout=mirrored", "density=compact"), ("layout=wide", "names=near")))
    for task, vary in zip(of_each_world.values(), axes, strict=False):
        episode, chance = Episode(task, seed=2, vary=vary, steps=10**6), random.Random(task.id)
        oracle = episode.oracle()[:-1]
        worlds: list[World] = []
        kept: list[tuple[bytes, str]] = []
        for _ in range(12):
            seen = [e.element_id for e in episode.look().screen.elements]
            fields = [e.element_id for e in episode.look().screen.elements if e.role == "textbox"] or seen
            some = (f"click #{chance.choice(seen)}", f'fill #{chance.choice(fields)} with "a {chance.random()}"', "scroll down")
            turn = episode.step(oracle.pop(0) if oracle and chance.random() < 0.4 else chance.choice(some))
            worlds.append(episode.snapshot()[0].world)
            kept.append((turn.observation.screen.canonical, turn.observation.text.removeprefix(f"{turn.observation.result}\n")))
        for world, before in zip(worlds, kept, strict=True):
            for forgotten in (screen_module._PANELS._made, screen_module._VIEWS._made, elements_module._ELEMENTS, lines._LATEST):
                forgotten.clear()
            for cached in (screen_module._part, element_text.traits, lines._said):
                cached.cache_clear()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(screen_module, "_by_parts", lambda *_: None)
                state = screen_module.Screen(world).state
            assert (state.canonical, whole_form(state, budget=None).text) == before, (task.id, vary)
