"""The plugin as its users meet it: their test files in a pytest of their own, the documents' first."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
FILES = dict(
    re.findall(
        r"^```python\n# (test_\w+\.py)\n(.*?)^```$", (ROOT / "docs/testing.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
)
REPLAN = FILES["test_replan.py"]


def run(pytester: pytest.Pytester, text: str) -> pytest.RunResult:
    """pytest on a file with this text, with the plugin and nothing of this suite's own settings."""
    pytester.makepyfile(test_it=text)
    return pytester.runpytest_inprocess("-p", "deskcrew.pytest_plugin", "-p", "no:randomly", "-q")


@pytest.mark.parametrize("name", FILES)
def test_the_tests_of_the_documents_pass(pytester: pytest.Pytester, name: str) -> None:
    assert len([line for line in REPLAN.splitlines() if line.strip()]) <= 15
    run(pytester, FILES[name]).assert_outcomes(passed=1)


def test_a_failure_shows_the_run_in_words(pytester: pytest.Pytester) -> None:
    result = run(pytester, REPLAN.replace('"submit"', '"fill"'))
    result.stdout.fnmatch_lines(
        [
            "*the crew executed an action with verb='fill':",
            '*step * of o1: fill "Amount" with "*" in reimbursement',
            "*crew run 1: fulfilled*",
            "goal *Find the invoice total*",
            "*gate_fail: the amount is not in the form",
        ]
    )


def test_a_failure_after_a_pass_shows_what_is_different(pytester: pytest.Pytester) -> None:
    run(pytester, REPLAN).assert_outcomes(passed=1)
    result = run(pytester, re.sub(r" *script_gate\(.*\n", "", REPLAN))
    result.stdout.fnmatch_lines(["*the crew never planned again because of 'gate_fail'; what there is:", "E*nothing"])
    shown = result.stdout.str()
    assert "different from when this test last passed (- then, + now):" in shown
    assert re.search(r"^- +gate +◆ WORKER_SUCCESS → gate_fail: the amount is not in the form$", shown, re.MULTILINE)
    assert "memorize" not in shown, "what is the same is left out"
    result = run(pytester, REPLAN.replace('== "fulfilled"', '== "rejected"'))
    result.stdout.fnmatch_lines(["the run was the same as when this test last passed"])


def test_a_project_with_packages_of_our_names_runs_its_tests_and_is_told_when_it_asks_for_a_fixture(tmp_path: Path) -> None:
    for name in ("orchestrator", "roles"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("HERE = True\n")
    theirs = "import sys, orchestrator, roles\n\ndef test_theirs():\n    assert orchestrator.HERE and roles.HERE\n"
    late = "    assert not {'environments', 'protocol', 'pydantic', 'langgraph', 'yaml'} & set(sys.modules)\n"
    (tmp_path / "test_theirs.py").write_text(theirs + late)
    (tmp_path / "test_with_a_crew.py").write_text("def test_ours(crew):\n    assert crew\n")
    # LangSmith comes with LangGraph, and its own plugin takes pydantic.
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:langsmith_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "1 passed, 1 error" in done.stdout, done.stdout + done.stderr
    taken = f"the package 'orchestrator' is {tmp_path}/orchestrator/__init__.py here, not that of deskcrew"
    assert taken in done.stdout.replace("\n", " ")
