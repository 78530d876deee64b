"""A crew whose Operator has nothing but a question, and the command in a process of its own."""

import json
import os
from pathlib import Path
from typing import Any

from warm import python

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
    done = python("-m", "deskcrew", *words, "--json", cwd=cwd, env={**os.environ, "TERM": "dumb"})
    return done.returncode, json.loads(done.stdout.splitlines()[-1])
