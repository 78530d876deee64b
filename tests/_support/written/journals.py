"""Journals that are closed and opened again, in either store."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.store.postgres.connection import Link
from orchestrator.store.postgres.rows import PostgresRows
from protocol import ActionResult, ActionTarget, Click, ExecStatus
from roles.contracts import StepRecord
from roles.journal.journal import Journal
from roles.journal.rows import Rows, SqliteRows
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


def opening(rows: Callable[[], Rows]) -> Iterator[Open]:
    """Opens the run's journal; the one before is closed first."""
    opened: list[Journal] = []
    vault = Vault()

    def again() -> Journal:
        for journal in opened:
            journal.close()
        opened.append(Journal(None, ticking(), Redactor(SafetyPolicy(), vault), rows=rows()))
        return opened[-1]

    yield again
    for journal in opened:
        journal.close()


@pytest.fixture
def reopen_file(tmp_path: Path) -> Iterator[Open]:
    """The journal in a file."""
    yield from opening(lambda: SqliteRows(tmp_path / "journal.sqlite"))


@pytest.fixture(params=["sqlite", "postgres"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """The journal in either store."""
    if request.param == "sqlite":
        yield from opening(lambda: SqliteRows(tmp_path / "journal.sqlite"))
        return
    server = request.getfixturevalue("postgres")
    run = f"{request.node.name}%'\\"
    yield from opening(lambda: PostgresRows(Link(server.address), run))


def step(number: int, subtask: str = "a", **more: Any) -> StepRecord:
    return StepRecord(
        step=number, subtask=subtask, action=SAVE.dump(), verb="click", target="Save", exec_status=ExecStatus.EXECUTED, **more
    )
