"""What a newcomer adds to a closed union is added to a copy, and the type checker has to name every other place to change."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("deskcrew", "orchestrator", "roles", "environments", "protocol")
pytestmark = pytest.mark.slow("the type checker reads all packages: half a minute")


class Addition(NamedTuple):
    """One class or member more."""

    path: str
    name: str
    """What the type checker calls it."""
    changes: Mapping[str, str]
    """Text of the module, and what stands there in the copy."""
    named: str
    """The modules that have to say what becomes of it."""


ADDITIONS = (
    Addition(
        "roles/contracts/requests.py",
        "HandoverRequest",
        {
            "\nRequest = Annotated[": '\nclass HandoverRequest(_Request):\n    kind: Literal["handover"] = "handover"\n\n\n'
            "Request = Annotated[\n    HandoverRequest |"
        },
        "orchestrator/desk/live.py orchestrator/control/requests.py orchestrator/runs/outcome.py roles/contracts/requests.py"
        " orchestrator/views/terminal/approval.py orchestrator/views/terminal/event_lines.py",
    ),
    Addition(
        "roles/journal/events.py",
        "HandoverEvent",
        {
            "\nJournalEvent = (\n": '\nclass HandoverEvent(EventBody):\n    KIND = "handover"\n\n\n'
            "JournalEvent = (\n    HandoverEvent |"
        },
        "orchestrator/views/page/items.py orchestrator/views/terminal/event_lines.py",
    ),
    Addition(
        "roles/contracts/signals.py",
        "GATE_PAUSE",
        {
            '    GATE_DONE = "gate_done"\n': '    GATE_DONE = "gate_done"\n    GATE_PAUSE = "gate_pause"\n',
            "GateDecision = Literal[": "GateDecision = Literal[Signal.GATE_PAUSE, ",
        },
        "orchestrator/core/machine.py orchestrator/views/terminal/event_lines.py roles/evaluator/llm.py",
    ),
)


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the type checker says of a copy with all additions: their names tell them apart."""
    copy = tmp_path_factory.mktemp("copy")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", copy)
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", copy / ".mypy_cache")
    for addition in ADDITIONS:
        text = (copy / addition.path).read_text(encoding="utf-8")
        for old, new in addition.changes.items():
            assert text.count(old) == 1, f"{addition.path} has another {old!r}"
            text = text.replace(old, new)
        (copy / addition.path).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, env={"PATH": "", "PYTHONPATH": ""})
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda addition: addition.name)
def test_one_more_is_asked_for_wherever_each_is_told_apart_and_nothing_else_is_wrong(
    addition: Addition, complaints: list[str]
) -> None:
    said = [line for line in complaints if addition.name in line and '"assert_never"' in line]
    assert {line.partition(":")[0] for line in said} == set(addition.named.split())
    names = [addition.name for addition in ADDITIONS]
    assert [line for line in complaints if not any(name in line for name in names)] == []
