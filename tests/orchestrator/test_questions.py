"""A question of the Operator (PENDING): asked by the command, answered with `resume --respond` or in Python, and asked once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from orchestrator import Crew

SCRIPTS = {
    "manager.yaml": """
plans:
  - outcome: planned
    subtasks: [{id: a, title: ask, instruction: ask it}, {id: b, title: ask again, instruction: ask it, depends_on: [a]}]
""",
    "operator.yaml": """
decisions:
  any: [{status: PENDING, comment: "Which amount is it?"}]
""",
    "evaluator.yaml": "verdicts: {}\n",
}


def overrides(folder: Path) -> list[str]:
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    roles = ("manager", "operator", "evaluator")
    own = [f"crew.{role}={json.dumps({'policy': 'scripted', 'script': str(folder / f'{role}.yaml')})}" for role in roles]
    return [*own, f"runs_dir={json.dumps(str(folder / 'runs'))}"]


def deskcrew(*words: str, cwd: Path) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "orchestrator.cli", *words, "--json"]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "TERM": "dumb"}
    )
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


def values(report: dict[str, Any]) -> set[str]:
    return {fact["value"] for fact in report["facts"]}


def test_a_question_waits_and_is_answered_in_another_process(tmp_path: Path) -> None:
    """The second subtask asks the same: it gets the answer that was given to the process before."""
    code, outcome = deskcrew("run", "ask me", *[w for text in overrides(tmp_path) for w in ("-c", text)], cwd=tmp_path)
    assert code == 3
    assert outcome["pending"]["kind"] == "question"
    code, outcome = deskcrew("resume", outcome["run_id"], "--respond", "$7.50", cwd=tmp_path)
    assert (code, outcome["status"]) == (0, "fulfilled")
    assert values(outcome["report"]) == {"$7.50"}


def test_a_question_is_answered_in_python_at_once_or_later(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"decisions": [{"type": "respond", "message": "$7.50"}]}

    crew = Crew.from_config(overrides=overrides(tmp_path))
    outcome = crew.run("ask me", approver=answer)
    assert (outcome.status, len(asked)) == ("fulfilled", 1)
    later = crew.run("ask me")
    assert (later.exit_code, (later.pending or {})["kind"]) == (3, "question")
    done = crew.resume(later.run_id, {"decisions": [{"type": "respond", "message": "$8.00"}]})
    assert (done.status, values(done.report)) == ("fulfilled", {"$8.00"})


def test_an_approval_is_no_answer_to_a_question(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=overrides(tmp_path))
    waiting = crew.run("ask me")
    done = crew.resume(waiting.run_id, {"decisions": [{"type": "approve"}]})
    assert not any(fact["value"] for fact in done.report["facts"])
