"""Layered settings and presets: what wins, what is said about mistakes, what is refused, and where each value came from."""

import json
from pathlib import Path

import pytest
from worked.runs import deskcrew

from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.runs.runs import start
from orchestrator.settings.build import problems, report
from orchestrator.settings.layers import shipped_names
from orchestrator.settings.settings import load_settings, show_config
from orchestrator.store.salvage import salvage
from orchestrator.tasks.plans import read_plan
from orchestrator.tasks.tasks import load_task
from roles.policies.scripted_model import ScriptedChatModel


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
    assert (shown["limits.reasks"].source, shown["limits.max_steps"].source) == ("command line", "built in")
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
    config = write(
        tmp_path, "c.yaml", "world: worlds/mine.yaml\nhelp_dirs: [&own notes, *own]\ncrew: {operator: {script: steps.yaml}}\n"
    )
    settings = load_settings([config]).settings
    assert settings.world == str(tmp_path / "worlds/mine.yaml")
    assert settings.help_dirs == (tmp_path / "notes",) * 2, "an alias is no trap"
    assert settings.crew.operator.script == tmp_path / "steps.yaml"
    assert load_settings(overrides=["world=plain"]).settings.world == "plain"


# --- presets of policies: where they stand among the layers, what is shown of them, and what is refused before a run


PRESETS = shipped_names("policies")
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)


MINE = (
    "about: mine\ncrew:\n  operator:\n    policy: fallback\n    recent: 3\nlimits:\n  steps: 33\n  plans: 3\nsafety: read-only\n"
)


def test_a_preset_stands_above_the_defaults_and_below_everything_else_and_the_last_that_is_named_counts(tmp_path: Path) -> None:
    mine = write(tmp_path, "mine.yaml", MINE)
    config = write(tmp_path, "config.yaml", f"policies: {mine.name}\nlimits: {{plans: 4}}\n")
    task = load_task(write(tmp_path, "task.yaml", "goal: do it\nlimits: {gates: 9}\nsafety: ask-all\n"))
    loaded = load_settings([config], ["crew.operator.recent=5"], task.layer())
    settings = loaded.settings
    assert (settings.limits.steps, settings.limits.plans, settings.limits.gates) == (33, 4, 9)
    assert (settings.crew.operator.policy, settings.crew.operator.recent, settings.safety) == ("fallback", 5, "ask-all")
    shown = {line.key: line.source for line in show_config(loaded)}
    assert shown["limits.steps"].endswith("mine.yaml, line 7")
    assert shown["crew.operator.policy"].endswith("mine.yaml, line 4")
    assert shown["limits.plans"].endswith("config.yaml, line 2")
    assert shown["crew.operator.recent"] == "command line"
    assert shown["policies"].endswith("config.yaml, line 1")
    config = write(tmp_path, "config.yaml", "policies: fast\n")
    assert load_settings([config]).settings.limits.check_every == 40
    loaded = load_settings([config], ["policies=paranoid"])
    assert loaded.settings.limits.check_every == 3
    assert loaded.source("limits.check_every").endswith("policies/paranoid.yaml, line 5")


def test_presets_without_a_model_work_and_differ_in_what_they_ask(tmp_path: Path) -> None:
    goal = "Find the invoice total on the billing page and copy it into the reimbursement form"
    found = {
        name: start(load_settings((), [f"policies={name}", f"runs_dir={tmp_path / name}"]), goal)
        for name in ("rules", "fast", "paranoid")
    }
    assert {name: outcome.status for name, outcome in found.items()} == {
        "rules": "fulfilled", "fast": "fulfilled", "paranoid": "on_hold",
    }  # fmt: skip
    assert all(outcome.folder.parent == tmp_path / name for name, outcome in found.items())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("about: x\ncrew:\n  operatr: {policy: rules}\n", ["bad.yaml, line 3", "unknown key 'crew.operatr'", "'operator'"]),
        ("about: x\nworld: office\n", ["bad.yaml, line 2", "unknown key 'world'", "about, crew, knowledge, limits, safety"]),
        ("about: x\ncrew: {model: opnai:gpt}\n", ["bad.yaml, line 2", "crew.model.name", "openai:NAME", "'opnai:gpt'"]),
        ("about: x\ncrew:\n  operator:\n    policy: llm\n", ["bad.yaml, line 4", "crew.operator.model", "needs a model"]),
        (
            "about: x\ncrew:\n  manager: {policy: llm, model: openai:m}\n  operator:\n    policy: llm\n"
            "    model: openai:m\n    prompt: own.md\n",
            ["bad.yaml, line 7", "crew.operator.prompt", "own.md, line 3", "no variable 'scren'", "did you mean 'screen'"],
        ),
        ("about: ''\n", ["bad.yaml, line 1", "about"]),
    ],
)
def test_a_mistake_is_told_by_check_with_file_line_and_key(tmp_path: Path, text: str, parts: list[str]) -> None:
    write(tmp_path, "own.md", "# system\nYou decide.\n{{scren}}\n# turn\n{{subtask}}{{screen}}{{steps}}{{answer_form}}\n")
    bad = write(tmp_path, "bad.yaml", text)
    code, said = deskcrew("policies", "check", str(bad), "rules")
    assert code == 1
    for part in parts:
        assert part in said
    assert "ok     rules" in said, "the others are looked at all the same"


def test_what_this_machine_lacks_is_said_and_is_no_mistake(tmp_path: Path) -> None:
    config = write(tmp_path, "mine.yaml", "crew:\n  model: anthropic:claude-x\n  operator: {policy: llm}\n")
    found = report(str(config))
    assert not found.wrong
    (lacking,) = found.lacking
    assert "mine.yaml, line 2: crew.model: the model anthropic:claude-x needs" in lacking
    assert deskcrew("policies", "check", str(config))[0] == 0
    (problem,) = problems(load_settings([config]))
    assert isinstance(problem, MissingDependency)
    with pytest.raises(UsageProblem, match=r"mine\.yaml, line 2: crew\.model: the model anthropic:claude-x needs"):
        start(load_settings([config], [f"runs_dir={tmp_path / 'runs'}"]), "do it")


def test_every_preset_is_right_whatever_it_lacks_here_and_listed_with_who_decides() -> None:
    assert {"rules", "llm-small", "llm-large", "mixed", "paranoid", "fast"} <= set(PRESETS)
    code, said = deskcrew("policies", "check")
    assert (code, [row.split()[1] for row in said.splitlines() if row.startswith("ok")]) == (0, list(PRESETS))
    rows = deskcrew("policies", "list")[1].splitlines()
    assert "manager llm, operator llm, evaluator llm" in next(row for row in rows if row.startswith("llm-large"))
    data = json.loads(deskcrew("policies", "list", "--json")[1])
    assert {one["name"]: one["safety"] for one in data}["paranoid"] == "ask-all"


def test_a_preset_is_shown_with_the_line_of_each_value(tmp_path: Path) -> None:
    code, said = deskcrew("policies", "show", "llm-small")
    assert code == 0
    assert "configs/policies/llm-small.yaml, line 17" in next(x for x in said.splitlines() if "crew.operator.chain" in x)
    assert "built in" in next(x for x in said.splitlines() if x.startswith("crew.analyst.policy"))
    data = json.loads(deskcrew("policies", "show", str(write(tmp_path, "mine.yaml", MINE)), "--json")[1])
    lines = {line["key"]: line for line in data["settings"]}
    assert lines["limits.steps"]["value"] == 33
    assert lines["limits.steps"]["source"].endswith("mine.yaml, line 7")
    assert "limits.gates" not in lines, "only what the preset says"


def test_a_model_that_is_named_gets_what_the_rules_do_not_understand(tmp_path: Path) -> None:
    write(tmp_path, "words.yaml", "lines: [{contains: frobnicate, answer: {outcome: infeasible, reason: the model said no}}]\n")
    own = ["--model", "scripted", "-c", f"crew.model.script={tmp_path / 'words.yaml'}", "--runs-dir", str(tmp_path)]
    read = ["run", 'Create a note called "Rain"', *own, "--json", "-c", "safety=never-ask-in-simulation"]
    code, said = deskcrew(*read)
    assert code == 0, said
    assert "the model said no" not in said
    code, said = deskcrew("run", "Frobnicate the mails", *own, "--json")
    assert (code, "the model said no" in said) == (1, True), said
    code, said = deskcrew("run", "Frobnicate the mails", "--runs-dir", str(tmp_path), "-c", "knowledge.look_up=ahead")
    assert (code, "--model NAME" in said) == (1, True), "a refusal names what may do it"
    code, said = deskcrew("run", "x", "--policies", "fats")
    assert (code, "no preset of policies 'fats'; did you mean 'fast'?" in said) == (2, True), said


@pytest.mark.parametrize("preset", ["rules-first", "llm-small"])
def test_a_subtask_that_the_rules_do_not_understand_is_the_models(tmp_path: Path, preset: str) -> None:
    """One that they read costs no call: of its moves the model chooses worse than rules do."""
    plan = "subtasks:\n- {id: a, app: notes, instruction: 'Create a note called \"Rain\"'}\n"
    plan += "- {id: b, app: notes, instruction: Think of the groceries}\n"
    settings = [f"policies={preset}", "crew.model={name: given}", f"runs_dir={tmp_path}", "safety=never-ask-in-simulation"]
    no = {"reasoning": "r", "action": "none", "status": "FAIL", "comment": "the model said no"}
    says_no = ScriptedChatModel(answer=lambda _: no)
    both = read_plan(write(tmp_path, "plan.yaml", plan))
    outcome = start(load_settings((), settings), "Do both", plan=both, parts={"model": says_no})
    assert "the model said no" in outcome.reason
    events = salvage(outcome.folder / "journal.sqlite").events
    assert {event.subtask for event in events if event.kind == "model_call"} == {"b", "b-2"}, "tried once more"
    decided = [event.body for event in events if event.kind == "policy" and event.role == "operator"]
    assert (decided[0]["decided_by"], decided[-1]["decided_by"]) == ("rules", "llm")
    assert decided[-1]["passed"][0].startswith("rules: not understood")
