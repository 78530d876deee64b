"""`deskcrew policy check`: what is said of a policy with a mistake."""

from __future__ import annotations

import json
from pathlib import Path

from worked.runs import deskcrew


def test_check_names_what_is_wrong_with_file_line_and_key(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("name: good\nrules:\n  - {name: sums, verdict: ask, if: value == facts.total.value}\n")
    bad.write_text("name: bad\nrules:\n  - {name: a, verdict: deny}\n  - {name: b, verdict: deny, if: target.nam == 'x'}\n")
    code, said = deskcrew("policy", "check", good, bad)
    assert code == 1
    assert "good.yaml  1 rule" in said
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
