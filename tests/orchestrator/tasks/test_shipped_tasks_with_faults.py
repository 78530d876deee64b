"""Things go wrong once at a delicate place of a shipped task, and the crew gets it right all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task


def worked(task: str, folder: Path, seed: int, *faults: dict[str, Any], overrides: tuple[str, ...] = ()) -> dict[str, Any]:
    """The report of a run; every approval is given."""
    loaded = load_task(shipped("tasks", f"{task}.yaml"))
    told = [f"seed={seed}", f"runs_dir={folder}", f"faults={json.dumps(faults)}", *overrides]
    approve = {"decisions": [{"type": "approve"}]}
    settings = load_settings(overrides=told, task_layer=loaded.layer())
    return start(settings, loaded, approver=lambda asked: approve if asked["kind"] != "question" else None).report


@pytest.mark.parametrize(
    ("task", "seed", "kind", "target", "times"),
    [
        pytest.param("largest-invoice-by-mail", 0, "stale", "Next", 1, id="a page that would not turn"),
        pytest.param("claim-two-invoices", 1, "saved_anyway", "Submit", 1, id="a form that was accepted, reported as failed"),
        pytest.param("mail-the-total", 1, "saved_anyway", "Send", 1, id="a mail that was sent, reported as failed"),
        pytest.param("answer-the-invitations", 0, "saved_anyway", "Decline*", 1, id="an answer taken, reported as failed"),
        pytest.param("throw-away-mails", 0, "break", "Delete*", 1, id="a last press that never arrived"),
        pytest.param("mail-the-total", 1, "timeout", "Subject", 3, id="a message that an attempt left half written"),
        pytest.param("overdue-sum-into-a-note", 0, "expired", "Save", 3, id="a note that an attempt left unsaved"),
    ],
)  # fmt: skip
def test_what_went_wrong_is_put_right_and_nothing_is_done_twice(
    task: str, seed: int, kind: str, target: str, times: int, tmp_path: Path
) -> None:
    report = worked(task, tmp_path, seed, {"kind": kind, "targets": [target], "times": times})
    record = (tmp_path / report["run_id"] / "faults.jsonl").read_text(encoding="utf-8")
    assert record.count(f'"kind": "{kind}"') == times, "the fault never struck"
    assert report["judge"]["passed"], report["reason"]
    assert not report["judge"]["duplicate_writes"]
