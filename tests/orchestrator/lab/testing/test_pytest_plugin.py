"""The plugin as its users meet it: their test files in a pytest of their own, the documents' first."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[4]
FILES = dict(
    re.findall(
        r"^```python\n# (test_\w+\.py)\n(.*?)^```$", (ROOT / "docs/testing.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
)
REPLAN = FILES["test_replan.py"]


def run(pytester: pytest.Pytester, text: str) -> pytest.RunResult:
    """pytest on a file with this text, with the plugin and nothing of this suite's own settings."""
    pytester.makepyfile(test_it=text)
    return pytester.runpytest_inprocess("-p", "orchestrator.lab.testing.pytest_plugin", "-p", "no:randomly", "-q")


@pytest.mark.parametrize("name", FILES)
def test_the_tests_of_the_documents_pass(pytester: pytest.Pytester, name: str) -> None:
    run(pytester, FILES[name]).assert_outcomes(passed=1)


def test_a_users_test_of_a_replan_is_at_most_fifteen_lines() -> None:
    assert len([line for line in REPLAN.splitlines() if line.strip()]) <= 15


def test_without_the_failed_gate_the_documents_test_fails_and_says_that_nothing_was_planned_again(
    pytester: pytest.Pytester,
) -> None:
    result = run(pytester, re.sub(r" *script_gate\(.*\n", "", REPLAN))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the crew never planned again because of 'gate_fail'; what there is:", "E*nothing"])


def test_a_failure_shows_the_run_in_words(pytester: pytest.Pytester) -> None:
    result = run(pytester, REPLAN.replace('"submit"', '"fill"'))
    result.stdout.fnmatch_lines(
        [
            "*the crew executed an action with verb='fill':",
            '*step * of s2: fill "Amount" with "*" in reimbursement',
            "*crew run 1: fulfilled*",
            "goal *Find the invoice total*",
            "*gate_fail: the amount is not in the form",
        ]
    )


def test_a_failure_after_a_pass_shows_what_is_different(pytester: pytest.Pytester) -> None:
    run(pytester, REPLAN).assert_outcomes(passed=1)
    result = run(pytester, re.sub(r" *script_gate\(.*\n", "", REPLAN))
    shown = result.stdout.str()
    assert "different from when this test last passed (- then, + now):" in shown
    assert re.search(r"^- +gate +◆ WORKER_SUCCESS → gate_fail: the amount is not in the form$", shown, re.MULTILINE)
    assert "memorize" not in shown, "what is the same is left out"


def test_what_is_new_in_a_run_is_marked_too(pytester: pytest.Pytester) -> None:
    run(pytester, REPLAN).assert_outcomes(passed=1)
    shown = run(pytester, REPLAN.replace("at=2", "at=3").replace('"submit"', '"fill"')).stdout.str()
    assert re.search(r"^\+ +gate +◆ FINAL_CHECK → gate_fail: the amount is not in the form$", shown, re.MULTILINE)


def test_a_failure_of_the_tests_own_says_that_the_run_was_the_same(pytester: pytest.Pytester) -> None:
    run(pytester, REPLAN).assert_outcomes(passed=1)
    result = run(pytester, REPLAN.replace('== "fulfilled"', '== "rejected"'))
    result.stdout.fnmatch_lines(["the run was the same as when this test last passed"])


def test_a_test_without_a_crew_is_left_alone(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_it():\n    assert 1 + 1 == 3\n")
    result.assert_outcomes(failed=1)
    assert "crew run" not in result.stdout.str()


def test_the_plugin_is_an_entry_point_under_the_name_of_its_module() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    assert points == {"orchestrator.lab.testing.pytest_plugin": "orchestrator.lab.testing.pytest_plugin"}


def test_loading_the_plugin_loads_nothing_heavy() -> None:
    heavy = "print([m for m in ('langgraph', 'pydantic', 'yaml') if m in sys.modules])"
    code = f"import sys, orchestrator.lab.testing.pytest_plugin; {heavy}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
