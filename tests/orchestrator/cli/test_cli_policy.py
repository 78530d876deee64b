"""`deskcrew policy check`: what is said of a policy with a mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from worked.runs import deskcrew

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
