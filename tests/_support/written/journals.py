"""Journals that are closed and opened again."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol import ActionResult, ActionTarget, Click, ExecStatus
from roles.contracts import StepRecord
from roles.journal.journal import Journal
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import Vault

SECRET = "hunter2-é🎈"
SAVE = Click(target=ActionTarget(text="Save"))
SEND = Click(target=ActionTarget(text="Send"))
DONE = ActionResult(exec_status=ExecStatus.EXECUTED)
LATE = ActionResult(exec_status=ExecStatus.TIMEOUT, error="too late")

Open = Callable[[], Journal]


def ticking() -> Callable[[], float]:
    count = itertools.count()
    return lambda: float(next(count))


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Open]:
    """Opens the run's journal in its file; the one before is closed first."""
    opened: list[Journal] = []
    vault = Vault()

    def again() -> Journal:
        for journal in opened:
            journal.close()
        opened.append(Journal(tmp_path / "journal.sqlite", ticking(), Redactor(SafetyPolicy(), vault)))
        return opened[-1]

    yield again
    for journal in opened:
        journal.close()


def step(number: int, subtask: str = "a", **more: Any) -> StepRecord:
    return StepRecord(
        step=number, subtask=subtask, action=SAVE.dump(), verb="click", target="Save", exec_status=ExecStatus.EXECUTED, **more
    )
