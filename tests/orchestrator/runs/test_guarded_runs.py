"""Requests that a run's environment holds: asked about in whole runs, answered by other processes, learned, told at the end."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from services.site_in_memory import Control, Profile, Sent, Site
from support import FINISH, decide, planned, subtask
from worked.runs import APPROVE

from environments.effects import RELEASE, Network, NetworkRule
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.runs.folders import show_run
from orchestrator.runs.handle import RunControl
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.layers import Source
from orchestrator.settings.settings import load_settings, read_safety
from orchestrator.views.listing import run_page
from orchestrator.views.terminal.approval import request_lines
from orchestrator.views.terminal.plain import ending_lines
from protocol import ActionTarget, Click, VisualState
from roles.contracts.requests import read_request
from roles.policies.scripted import ScriptedEvaluator, ScriptedManager, ScriptedOperator

LOOK = decide(Click(target=ActionTarget(text="Balance")))
SHIPPED = read_safety("ask-sensitive", lambda path: Source("shipped")).policy().network.allow


class Told(Site):
    """A site that notes what was said to it before it was first looked at."""

    looked = False

    def observe(self) -> VisualState:
        assert self.guards, "it is looked at before anybody has said what holds for requests"
        return super().observe()


def site(profile: Profile | None = None) -> Site:
    made = Told(Control("Balance", "link"), profile=profile)
    made.at_look = lambda it: it.send(*[Sent("/draft", (("n", str(len(it.reached))),))] if len(it.reached) < 2 else [])
    return made


def parts(surface: Site, *decisions: Any) -> dict[str, Any]:
    return {
        "environment": surface,
        "manager": ScriptedManager(plans=(planned(subtask("a")),)),
        "operator": ScriptedOperator(decisions={"any": (*(decisions or (LOOK, LOOK)), FINISH)}),
        "evaluator": ScriptedEvaluator(verdicts={}),
    }


def started(folder: Path, surface: Site, *decisions: Any, **more: Any) -> Outcome:
    overrides = [f"runs_dir={folder}", "display=none", *(f"{key}={value}" for key, value in more.items())]
    return runs.start(load_settings(overrides=overrides), "look at it", parts=parts(surface, *decisions))


def resumed(outcome: Outcome, folder: Path, surface: Site, answer: dict[str, Any] | None = None, *decisions: Any) -> Outcome:
    return runs.resume(outcome.run_id, runs_dir=folder, parts=parts(surface, *decisions), answer=answer)


def test_what_a_page_sends_by_itself_is_asked_about_in_words_before_anything_else(tmp_path: Path) -> None:
    surface = site()
    outcome = started(tmp_path, surface)
    assert (outcome.exit_code, surface.reached) == (3, [])
    assert outcome.pending is not None
    said = [f"{line.mark} {line.text}".strip() for line in request_lines(read_request(outcome.pending))]
    assert said[0] == 'approve? release "POST n=0 to bank.example/draft"'
    assert "because the page would POST n=0 to bank.example/draft" in said
    assert "because the page sends it by itself" in said
    ways = [line.text for line in ending_lines(outcome) if "deskcrew resume" in line.text]
    assert [way.rpartition("--")[2].split()[0] for way in ways] == ["approve", "reject", "respond"]


def test_another_process_lets_it_go_once_and_what_is_learned_holds_in_every_one_after_it(tmp_path: Path) -> None:
    profile = Profile()
    outcome = started(tmp_path, site(profile))
    edit = {"decisions": [{"type": "edit", "edited_action": {"name": "wait", "args": {"seconds": 1.0}}}]}
    with pytest.raises(UsageProblem, match="cannot be edited"):
        resumed(outcome, tmp_path, site(), edit)
    second = site(profile)
    done = resumed(outcome, tmp_path, second, APPROVE)
    assert done.exit_code == 0, done.reason
    assert second.paths == ["/draft", "/draft"]
    assert second.guards[0] == Network(allow=SHIPPED), "before the yes there was nothing to be learned"
    (rule,) = done.report["network"]["learned"]
    assert second.guards[-1] == Network(allow=(*SHIPPED, NetworkRule(**rule)))


def test_what_was_learned_is_said_to_the_environment_before_its_first_look_when_a_run_goes_on(tmp_path: Path) -> None:
    first = site()
    ask = decide(Click(target=ActionTarget(text="Balance")), confidence=0.1)
    outcome = started(tmp_path, first, ask)
    outcome = resumed(outcome, tmp_path, (second := site()), APPROVE, ask)
    assert outcome.pending is not None, "it waits for the press"
    assert outcome.pending["action_requests"][0]["name"] == "click"
    third = site()
    resumed(outcome, tmp_path, third, APPROVE, ask)
    assert third.guards[0].allow == second.guards[-1].allow != ()


def test_the_rules_that_were_learned_are_offered_as_a_policy_that_can_be_read(tmp_path: Path) -> None:
    done = resumed(started(tmp_path, site()), tmp_path, site(), APPROVE)
    for said in (
        "\n".join(line.text for line in ending_lines(done)),
        "\n".join(line[11:] for line in run_page(show_run(done.run_id, tmp_path)).splitlines()),
    ):
        offered = said[said.index("network:") :].splitlines()
        text = "\n".join([*offered[:2], *(line for line in offered[2:] if line.startswith("    - "))])
        policy = read_safety({"preset": "ask-sensitive", **yaml.safe_load(text)}, lambda path: Source("offered")).policy()
        offered_rules = [rule for rule in policy.network.allow if rule not in SHIPPED]
        assert [rule.model_dump() for rule in offered_rules] == done.report["network"]["learned"]
    kept = {"preset": "ask-sensitive", "network": {"allow": done.report["network"]["learned"]}}
    surface = site()
    asked = runs.start(load_settings(overrides=[f"runs_dir={tmp_path}", f"safety={kept}"]), "look at it", parts=parts(surface))
    assert (asked.exit_code, surface.paths) == (0, ["/draft", "/draft"])


def test_a_person_who_has_taken_over_is_not_asked_and_the_crew_is_again(tmp_path: Path) -> None:
    outcome = started(tmp_path, site())
    control = RunControl(outcome.run_id, runs_dir=tmp_path, who="ada", parts=parts(site()))
    control.takeover()
    surface = site()
    with RunControl(outcome.run_id, runs_dir=tmp_path, who="ada", parts=parts(surface)).hands() as hands:
        assert surface.guards[-1].mode == "watch"
        hands.do(Click(target=ActionTarget(text="Balance")))
    assert surface.paths == ["/draft", "/draft"]
    after = site()
    again = RunControl(outcome.run_id, runs_dir=tmp_path, who="ada", parts=parts(after)).handback()
    assert {network.mode for network in after.guards} == {"hold"}
    assert again.pending["action_requests"][0]["name"] == RELEASE
