"""Layered settings: what wins, what is said about mistakes, and where each value came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings, show_config
from orchestrator.tasks.tasks import load_task


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_later_layers_win_and_every_leaf_remembers_its_source(tmp_path: Path) -> None:
    first = write(tmp_path, "first.yaml", "limits:\n  steps: 50\n  plans: 5\n")
    second = write(tmp_path, "second.yaml", "limits:\n  steps: 40\nseed: 3\n")
    task = load_task(
        write(tmp_path, "task.yaml", "goal: do it\nseed: 7\nsettings:\n  limits: {gates: 9}\nlimits:\n  retries: 1\n")
    )
    loaded = load_settings([first, second], ["limits.reasks=0"], task.layer())
    limits = loaded.settings.limits
    assert limits.gates == 9, "a task's limits stand beside those in its settings"
    assert (limits.steps, limits.plans, limits.retries, limits.reasks, loaded.settings.seed) == (40, 5, 1, 0, 7)
    shown = {line.key: line for line in show_config(loaded)}
    assert shown["limits.steps"].source.endswith("second.yaml, line 2")
    assert shown["limits.plans"].source.endswith("first.yaml, line 3")
    assert shown["seed"].source.endswith("task.yaml, line 2")
    assert shown["limits.reasks"].source == "command line"
    assert shown["limits.max_steps"].source == "built in"
    assert "default.yaml, line" in loaded.source("world")
    crew = load_settings(overrides=["crew.model=openai:big", "crew.model.max_tokens=700"]).settings.crew
    assert crew.model
    assert (crew.model.name, crew.model.max_tokens) == ("openai:big", 700)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("limits:\n  setps: 4\n", ["bad.yaml, line 2", "unknown key 'limits.setps'", "did you mean 'steps'"]),
        ("wrld: x\n", ["bad.yaml, line 1", "unknown key 'wrld'", "did you mean 'world'"]),
        ("seed: 1\nlimits:\n  steps: many\n", ["bad.yaml, line 3", "limits.steps", '"many"', "a whole number"]),
        ("limits:\n  steps: 0\n", ["bad.yaml, line 2", "limits.steps", "greater than or equal to 1"]),
        ("seed: yes\n", ["bad.yaml, line 1", "seed is true", "a whole number"]),
        ("crew:\n  operator:\n    polcy: rules\n", ["bad.yaml, line 3", "did you mean 'policy'"]),
        ("seed: 1\nseed: 2\n", ["bad.yaml, line 2", "'seed' is given twice"]),
        ("seed: [1\n", ["bad.yaml, line 2", "not valid YAML"]),
        ("- a\n", ["bad.yaml", "a mapping", "a list"]),
        ("a: &x [*x]\n", ["bad.yaml, line 1", "alias"]),
        ("safety: ask-evrything\n", ["bad.yaml, line 1", "no safety policy 'ask-evrything'"]),
    ],
)
def test_a_mistake_in_a_config_file_is_one_sentence_with_file_line_and_key(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(UsageProblem) as caught:
        load_settings([write(tmp_path, "bad.yaml", text)])
    said = str(caught.value)
    assert "\n" not in said
    for part in parts:
        assert part in said


@pytest.mark.parametrize(
    "override", ["limits.steps", "=4", "limits..steps=4", "a=[", "limits.setps=4", "seed=x", ".".join("a" * 40) + "=1"]
)
def test_a_mistake_in_an_override_names_the_command_line(override: str) -> None:
    with pytest.raises(UsageProblem, match="command line"):
        load_settings(overrides=[override])


def test_relative_paths_mean_the_folder_of_their_file_and_names_stay_names(tmp_path: Path) -> None:
    config = write(tmp_path, "c.yaml", "world: worlds/mine.yaml\nhelp_dirs: [notes]\ncrew: {operator: {script: steps.yaml}}\n")
    settings = load_settings([config]).settings
    assert settings.world == str(tmp_path / "worlds/mine.yaml")
    assert settings.help_dirs == (tmp_path / "notes",)
    assert settings.crew.operator.script == tmp_path / "steps.yaml"
    assert load_settings(overrides=["world=plain"]).settings.world == "plain"
