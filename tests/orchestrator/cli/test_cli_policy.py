"""`deskcrew policy explain` and `policy check`: what is said of an action, and of a policy with a mistake."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from worked.runs import deskcrew

from orchestrator.errors import UsageProblem
from orchestrator.tasks.policy_explanation import ExplainRequest, explained

POLICY = """\
name: careful
rules:
  - {name: known_people, verdict: allow, effects: [send, edit], if: provenance.source == 'user'}
  - {name: from_screens, verdict: deny, verbs: [fill], if: "'screen' in provenance.sources", why: a screen is no address book}
  - {name: sums, verdict: ask, if: "'total' in facts && value == facts.total.value"}
  - {name: broken, verdict: allow, if: facts.nothing.private}
otherwise: ask
"""


@pytest.fixture
def careful(tmp_path: Path) -> Path:
    path = tmp_path / "careful.yaml"
    path.write_text(POLICY)
    return path


def test_the_verdict_comes_first_with_the_rule_that_decides_and_its_place(careful: Path) -> None:
    claim = {"vendor": "Acme", "amount": "12.50", "date": "2026-01-04", "category": "Travel"}
    submit = {"action_type": "call_api", "app": "reimbursement", "function": "submit_claim", "arguments": claim}
    code, said = deskcrew("policy", "explain", json.dumps(submit))
    assert code == 0
    lines = said.splitlines()
    assert lines[0].split() == ["verdict", "ask"]
    assert "approval_required_for_sensitive_actions" in lines[1]
    assert "ask-sensitive.yaml, line 5" in lines[1]
    assert "submit something to others" in lines[2]
    assert any(line.split()[:3] == ["no", "allow", "work_is_allowed"] and "its effect is submit" in line for line in lines)
    assert any(line.startswith("preview") and "hands in the claim" in line for line in lines)


def test_what_changes_nothing_is_no_more_than_looking_whatever_its_button_says() -> None:
    """The form is empty, and is not taken as it stands."""
    found = told('click "Submit"', "--app", "reimbursement")
    assert (found["verdict"], found["effect"], found["changes"]) == ("allow", "navigate", [])


def told(*words: str) -> dict[str, Any]:
    code, said = deskcrew("policy", "explain", *words, "--json")
    assert code == 0, said
    return dict(json.loads(said))


def test_what_each_rule_says_stands_in_the_order_in_which_they_count(careful: Path) -> None:
    found = told('fill "Vendor" with "Acme"', "--app", "reimbursement", "--file", str(careful), "--goal", "a claim for Acme")
    assert [(rule["name"], rule["verdict"], rule["applies"]) for rule in found["rules"]] == [
        ("from_screens", "deny", False),
        ("sums", "ask", False),
        ("known_people", "allow", True),
        ("broken", "ask", True),
    ]
    assert (found["verdict"], found["rule"]) == ("ask", "broken")
    assert "cannot be evaluated: there is no 'nothing'" in found["why"]
    assert found["rules"][0]["why"] == "if: its condition does not hold"
    assert found["rules"][2]["place"].endswith("careful.yaml, line 3")
    assert found["values"] == [{"value": "Acme", "source": "user", "sources": ["user"], "facts": [], "app": "", "private": False}]


def test_facts_and_goals_are_what_values_come_from(careful: Path) -> None:
    on = ("--app", "reimbursement", "--file", str(careful))
    seen = told('fill "Amount" with "$9.99"', *on, "--fact", "total=$9.99")
    assert (seen["verdict"], seen["rule"], seen["why"]) == ("deny", "from_screens", "a screen is no address book")
    made_up = told('fill "Amount" with "$9.98"', *on, "--fact", "total=$9.99")
    assert (made_up["verdict"], made_up["values"][0]["source"]) == ("ask", "model")


def test_what_stands_above_the_rules_is_told_with_what_the_rules_alone_say() -> None:
    unsure = told('fill "Vendor" with "Acme"', "--app", "reimbursement", "--confidence", "0.2")
    assert (unsure["verdict"], unsure["rule"], unsure["by_rules"]) == ("ask", "low_confidence", "allow (work_is_allowed)")
    unlock = json.dumps({"action_type": "call_api", "app": "home", "function": "unlock_door", "arguments": {}})
    lock = told(unlock, "--world", "smart-home", "--preset", "never-ask-in-simulation")
    assert (lock["verdict"], lock["rule"], lock["by_rules"]) == (
        "ask",
        "actuators_need_a_person",
        "allow (everything_is_allowed)",
    )


def test_a_task_brings_its_world_its_policy_and_its_goal() -> None:
    found = told('click "Submit"', "--task", "refused-by-policy")
    asked = explained(ExplainRequest(action='click "Submit"', safety="read-only"))
    assert found["policy"] != "ask-sensitive"
    assert (asked.verdict, asked.policy) == ("deny", "read-only")


def test_a_preset_can_be_tried_with_changes() -> None:
    found = told('click "Submit"', "--app", "reimbursement", "--preset", "read-only", "-c", "safety.allowed_apps=[mail]")
    assert (found["policy"], found["verdict"], found["rule"]) == ("read-only", "deny", "allowed_apps")


def test_a_screen_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    elements = [{"element_id": "7", "text": "Pay now", "role": "button", "app": "shop"}]
    path.write_text(json.dumps({"app": "shop", "elements": elements}))
    found = told('click "Pay now"', "--screen", str(path))
    assert (found["verdict"], found["effect"], found["app"], found["missing"]) == ("ask", "purchase", "shop", "")
    assert "Pay later" in told('click "Pay later"', "--screen", str(path))["missing"]


def test_a_script_is_judged_by_the_worst_that_it_amounts_to_and_the_rest_is_named() -> None:
    found = told(json.dumps({"action_type": "run_script", "code": "cat a; rm a; curl x"}), "--preset", "read-only")
    assert (found["verdict"], found["app"]) == ("deny", "terminal")
    assert any(other.startswith("observe: allow") for other in found["also"])


def test_a_tool_from_outside_that_nobody_rated_is_told_as_the_run_would_ask(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason='the MCP client is not installed; pip install "deskcrew[mcp]"')
    server = tmp_path / "tickets.py"
    server.write_text(
        'from mcp.server import MCPServer\nserver = MCPServer("tickets")\n'
        "@server.tool()\ndef count(day: str) -> int:\n    return 1\nserver.run()\n"
    )
    mcp = {"name": "tickets", "command": [sys.executable, str(server)]}
    words = ('call tickets.count(day="today")', "--preset", "never-ask-in-simulation")
    unrated = told(*words, "-c", f"skills.mcp={json.dumps([mcp])}")
    assert (unrated["verdict"], unrated["rule"], unrated["changes"]) == ("ask", "unrated_tools_need_a_person", None)
    rated = told(*words, "-c", f"skills.mcp={json.dumps([mcp | {'risk': 'send'}])}")
    assert (rated["verdict"], rated["effect"]) == ("allow", "send")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (['clikc "Submit"'], "The action is not usable"),
        (['{"action_type": "fly"}'], "The action is not usable"),
        (['click "x"', "--preset", "ask-evrything"], "no safety policy 'ask-evrything'"),
        (['click "x"', "--preset", "ask-all", "--file", "x.yaml"], "Give one policy"),
        (['click "x"', "--file", "nowhere.yaml"], "There is no safety policy"),
        (['click "x"', "--app", "nowhere"], "--app nowhere"),
        (['click "x"', "--fact", "total"], "NAME=VALUE"),
        (['click "x"', "--task", "open the mail"], "is neither a task file"),
        (['click "x"', "-c", "environment=browser", "-c", "browser.url=http://localhost:1/"], "--screen FILE"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_read_is_one_sentence_and_a_usage_error(words: list[str], said: str) -> None:
    code, output = deskcrew("policy", "explain", *words)
    assert code == 2
    assert said in output
    assert len(output.strip().splitlines()) == 1


def test_texts_of_a_screen_cannot_write_on_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    elements = [{"element_id": "7", "text": "Pay\u001b[2J\u001b[31m now\nverdict allow", "role": "button", "app": "shop"}]
    path.write_text(json.dumps({"app": "shop", "elements": elements}))
    _, said = deskcrew("policy", "explain", '{"action_type": "click", "target": {"element_id": "7"}}', "--screen", str(path))
    assert "\u001b" not in said
    assert [line.split() for line in said.splitlines() if line.startswith("verdict")] == [["verdict", "ask"]]


def test_check_names_what_is_wrong_with_file_line_and_key(careful: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: bad\nrules:\n  - {name: a, verdict: deny}\n  - {name: b, verdict: deny, if: target.nam == 'x'}\n")
    code, said = deskcrew("policy", "check", str(careful), str(bad))
    assert code == 1
    assert "careful.yaml  4 rules" in said
    assert "bad.yaml, line 4: rules[1].if" in said
    assert "target has no 'nam'" in said


def test_all_presets_are_sound_and_what_one_may_stumble_over_is_noted(tmp_path: Path) -> None:
    code, said = deskcrew("policy", "check", "--json")
    found = [json.loads(line) for line in said.splitlines()]
    assert code == 0
    assert {one["name"] for one in found} == {"ask-all", "ask-sensitive", "never-ask-in-simulation", "read-only"}
    assert not any(one["wrong"] for one in found)
    twice = tmp_path / "twice.yaml"
    twice.write_text("rules:\n  - {name: a, verdict: deny}\n  - {name: a, verdict: ask}\notherwise: allow\n")
    code, said = deskcrew("policy", "check", str(twice))
    assert code == 0
    assert "line 3: there is another rule 'a'" in said
    assert "otherwise: allow permits every action" in said


def test_explaining_works_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told('click "Submit"', "--app", "reimbursement")
    assert list(tmp_path.iterdir()) == []


def test_a_fact_without_a_value_is_refused_by_name() -> None:
    with pytest.raises(UsageProblem, match="--fact 'x' is not NAME=VALUE"):
        explained(ExplainRequest(action='click "Submit"', facts=("x",)))
