"""A run in which every word wants to do something: for all that is shown in a browser."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocol import Memorize
from roles.journal.journal import Journal


@pytest.fixture
def hostile() -> Callable[[Path, str], Path]:
    """A run in which every word is this one."""

    def make(folder: Path, text: str) -> Path:
        folder.mkdir()
        record = {"run_id": folder.name, "goal": text, "started": 1.0, "settings": {"world": text, "seed": 0}, "task_id": text}
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
        (folder / "report.json").write_text(json.dumps({"status": "rejected", "reason": text}), encoding="utf-8")
        journal = Journal(folder / "journal.sqlite", lambda: 1.0, run_id=folder.name)
        name = text.encode(errors="replace").decode()  # columns of a database hold no half of a surrogate pair
        place: dict[str, Any] = {"role": "operator", "subtask": name, "step": 1}
        journal.append("plan", {"subtasks": [{"id": text, "title": text, "app": text}], "reason": text}, role=name)
        journal.append("observed", {"state_id": "s", "app": text}, **place)
        journal.append("decided", {"line": text, "reasoning": text, "observation": text}, **place)
        journal.append("reviewed", {"verdict": "allow", "policy": text, "reasons": [text]}, **place)
        action = Memorize(name="n", value="v").dump() | {"value": text}
        journal.append("step", {"action": action, "exec_status": text, "error": text, "before": "s", "events": [text]}, **place)
        gate = {"decision": text, "trigger": text, "reason": text, "issues": [text], "evidence": [text]}
        journal.append("gate", gate, role="evaluator")
        journal.append("fact", {"name": text, "value": text, "app": text}, role="operator", subtask=name)
        asked = [{"name": text, "args": {}, "description": text}]
        request = {"key": "k", "action_requests": asked, "rule": text, "reasons": [text]}
        journal.append("approval_requested", request, **place)
        journal.append("approval", {"key": "k", "decision": text, "message": text, "who": text}, **place)
        journal.append("supplement", {"query": text, "found": [{"title": text, "source": text, "text": text}]}, role="manager")
        journal.append("model_call", {"model": text, "prompt": text, "reply": text, "problem": text}, role="manager")
        journal.append("unheard of", {text: text}, role="manager")
        screen = {"screen_resolution": [200, 100], "app": text, "elements": [
            {"element_id": "e", "role": role, "text": text, "value": text, "bbox": {"x1": 1, "y1": 1, "x2": 99, "y2": 40}}
            for role in ("button", "textbox", "text", "checkbox", text)
        ]}  # fmt: skip
        journal.rows.append("observations", "s", "", zlib.compress(json.dumps(screen).encode()))
        journal.close()
        return folder

    return make
