"""Safety policies by name, by file and with changes: merged like every setting, and refused before the run when wrong."""

from pathlib import Path
from typing import Any

import pytest
from support import Real

from environments.effects import SELF
from environments.faults.faults import FaultyEnvironment
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.settings.build import build_context, build_safety
from orchestrator.settings.layers import Source, shipped_names
from orchestrator.settings.settings import LoadedSettings, load_settings, read_safety, show_config
from orchestrator.tasks.tasks import load_task
from protocol import ActionTarget, Click, Fill, GUIElement, VisualState
from roles.safety import SafetyPolicy, review


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def verdicts(policy: SafetyPolicy) -> dict[str, str]:
    """Of some controls, by their names."""
    told = {}
    for name, role in {"Open": "button", "Amount": "textbox", "Submit": "button", "Delete": "button"}.items():
        at = GUIElement(element_id="it", text=name, role=role, app="mail")
        target = ActionTarget(element_id="it")
        action = Fill(target=target, text="x") if role == "textbox" else Click(target=target)
        told[name] = review(action, at, VisualState(elements=(at,), app="mail"), policy).verdict
    return told


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("ask-all", ["allow", "ask", "ask", "ask"]),
        ("ask-sensitive", ["allow", "allow", "ask", "ask"]),
        ("never-ask-in-simulation", ["allow", "allow", "allow", "allow"]),
        ("read-only", ["allow", "deny", "deny", "deny"]),
    ],
)
def test_the_four_presets(preset: str, expected: list[str]) -> None:
    policy = build_safety(load_settings(overrides=[f"safety={preset}"]).settings)
    assert policy.name == preset
    assert list(verdicts(policy).values()) == expected


def test_there_are_four_presets_and_the_default_is_that_of_the_code() -> None:
    assert shipped_names("safety") == ("ask-all", "ask-sensitive", "never-ask-in-simulation", "read-only")
    default = build_safety(load_settings().settings)
    assert verdicts(default) == verdicts(SafetyPolicy())
    assert default.model_dump(exclude={"rules", "network"}) == SafetyPolicy().model_dump(exclude={"rules", "network"})
    assert default.network.mode == SafetyPolicy().network.mode == "hold"
    assert {rule.host for rule in default.network.allow} == {SELF}, "to other hosts nothing goes by itself"
    told = [(rule.name, rule.verdict, sorted(rule.effects)) for rule in default.rules]
    assert told == [(rule.name, rule.verdict, sorted(rule.effects)) for rule in SafetyPolicy().rules]


# --- layers


def shown(loaded: LoadedSettings) -> dict[str, tuple[Any, str]]:
    return {line.key: (line.value, line.source) for line in show_config(loaded) if line.key.startswith("safety")}


def test_a_change_goes_on_top_of_the_policy_below_it_and_never_in_its_place(tmp_path: Path) -> None:
    config = write(tmp_path, "mine.yaml", "safety: read-only\n")
    assert shown(load_settings([config])) == {"safety": ("read-only", f"{config}, line 1")}
    assert shown(load_settings([config], ["safety=ask-all"])) == {"safety": ("ask-all", "command line")}
    loaded = load_settings([config], ["safety.approval_seconds=60"])
    assert shown(loaded) == {"safety.preset": ("read-only", f"{config}, line 1"), "safety.approval_seconds": (60, "command line")}
    policy = build_safety(loaded.settings)
    assert (policy.name, policy.approval_seconds) == ("read-only", 60.0)
    assert verdicts(policy)["Submit"] == "deny"


def test_rules_beside_a_preset_are_added_to_it_and_rules_alone_are_a_policy_of_their_own(tmp_path: Path) -> None:
    rule = "rules: [{name: no_mail, verdict: deny, if: app == 'mail'}]"
    added = build_safety(load_settings(overrides=[f"safety={{preset: ask-all, {rule}}}"]).settings)
    assert [rule.name for rule in added.rules] == ["no_mail", "looking_is_allowed", "approval_required_for_every_change"]
    assert (added.name, added.min_confidence) == ("ask-all", 0.8)
    alone = build_safety(load_settings(overrides=[f"safety={{{rule}}}"]).settings)
    assert [rule.name for rule in alone.rules] == ["no_mail"]


def test_a_preset_may_be_a_file_beside_the_one_that_names_it_and_have_one_itself(tmp_path: Path) -> None:
    write(tmp_path, "ours.yaml", "preset: ask-sensitive\nname: ours\nrules:\n  - {name: mine, verdict: deny, apps: [web]}\n")
    (tmp_path / "sub").mkdir()
    config = write(tmp_path / "sub", "config.yaml", "safety:\n  preset: ../ours.yaml\n  expired: deny\n")
    loaded = load_settings([config])
    policy = build_safety(loaded.settings)
    assert (policy.name, policy.expired, policy.rules[0].name, len(policy.rules)) == ("ours", "deny", "mine", 4)
    short = build_safety(load_settings(overrides=[f"safety={write(tmp_path, 'apps.yaml', 'allowed_apps: [mail]')}"]).settings)
    assert (short.allowed_apps, short.rules) == (("mail",), SafetyPolicy().rules), "without rules it has those of the default"
    write(tmp_path, "short.yaml", "name: short\nallowed_apps: [mail]\npreset: ./short.yaml\n")
    with pytest.raises(UsageProblem, match="has itself as its preset"):
        load_settings(overrides=[f"safety={tmp_path / 'short.yaml'}"])
    found = read_safety(loaded.settings.safety, lambda path: Source("here"))
    assert [str(place).rpartition("/")[2] for place in found.places] == [
        "ours.yaml, line 4", "ask-sensitive.yaml, line 5", "ask-sensitive.yaml, line 8", "ask-sensitive.yaml, line 11",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("{name: x, verdict: deny, if: app ==}", ["line 3", "rules[0].if", "Syntax error"]),
        ("{name: x, verdict: deny, if: aap == 'mail'}", ["line 3", "rules[0].if", "it uses unknown names (aap)"]),
        ("{name: x, verdict: deny, if: action.verbb == 'x'}", ["line 3", "rules[0].if", "action has no 'verbb'"]),
        ("{name: x, verdict: deny, if: value}", ["line 3", "rules[0].if", "neither true nor false"]),
        ("{name: x, verdict: deny, valuse: [y]}", ["line 3", "unknown key 'rules[0].valuse'", "did you mean 'values'?"]),
        ("{name: x, verdict: deny, verbs: [clik]}", ["line 3", "rules[0].verbs[0]", "there is no verb 'clik'"]),
        ("{name: x, verdict: perhaps}", ["line 3", "rules[0].verdict"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_rule_is_refused_before_the_run_with_file_line_and_key(rule: str, said: list[str], tmp_path: Path) -> None:
    path = write(tmp_path, "policy.yaml", f"name: mine\nrules:\n  - {rule}\n")
    task = write(tmp_path, "task.yaml", "goal: do it\nsafety:\n  rules: [" + rule + "]\n")
    ways = {f"safety={path}": "policy.yaml", f"safety={{preset: {path}}}": "policy.yaml", "": "task.yaml"}
    for way, name in ways.items():
        with pytest.raises(UsageProblem) as bad:
            load_settings((), [way] if way else (), None if way else load_task(task).layer())
        assert all(words in str(bad.value) for words in (name, *said))


# --- only in simulation


def test_the_policy_that_never_asks_is_refused_for_a_browser_and_for_a_real_environment_that_is_given(tmp_path: Path) -> None:
    config = write(tmp_path, "mine.yaml", "environment: browser\nsafety: never-ask-in-simulation\n")
    with pytest.raises(UsageProblem, match=r"mine.yaml, line 2: .* only for simulated environments, and environment: browser"):
        load_settings([config])
    mine = "safety={preset: never-ask-in-simulation, name: mine}"
    with pytest.raises(UsageProblem, match="'mine' is only for simulated"):
        load_settings(overrides=["environment=browser", mine])
    chosen = load_settings(overrides=["safety=never-ask-in-simulation", f"runs_dir={tmp_path}", "display=none"])
    with pytest.raises(UsageProblem, match="only for simulated environments, and real is a real one"):
        build_context(chosen.settings, environment=Real())
    with pytest.raises(UsageProblem, match="faulty:real"):
        build_context(chosen.settings, environment=FaultyEnvironment(Real(), (), 0))
    with pytest.raises(UsageProblem, match="only for simulated"):
        runs.start(chosen, "do it", parts={"environment": Real()})
    assert list(tmp_path.iterdir()) == [config]
