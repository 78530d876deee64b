"""Control of runs through a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from controlled import working
from waiting import until
from worked.desk_runs import rests, stands, waiting_run
from worked.runs import claims

from orchestrator.runs.folders import stored_report

pytestmark = pytest.mark.slow("processes of their own")


def test_a_run_at_work_is_paused_told_something_and_resumed_in_another_process(serve: Any, runs_dir: Path) -> None:
    place = serve()
    http = place.http
    http.timeout = 330
    run = working(runs_dir)
    path = f"/api/runs/{run.folder.name}"
    told, outcome = run.meanwhile(lambda control: http.post(f"{path}/pause").json())
    assert (told["state"], outcome.exit_code) == ("paused", 3)
    assert "paused by otto" in told["said"]
    said = http.post(f"{path}/steer", json={"words": "use the short form", "to": "manager"}).json()
    assert "as soon as run" in said["said"]
    gone_on = http.post(f"{path}/resume", json={})
    assert gone_on.status_code == 200, gone_on.text
    report = rests(run.folder, 0)
    until(lambda: stored_report(run.folder).get("status") != "paused", "the run to go on")
    report = rests(run.folder, 0)
    assert report["status"] in ("fulfilled", "on_hold")
    assert {(one["kind"], one.get("who")) for one in report["control"]} >= {("paused", "otto"), ("steered", "otto")}


def test_a_run_is_taken_over_acted_in_by_hand_and_handed_back_to_the_crew(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    http = serve().http
    http.timeout = 330
    path = f"/api/runs/{run.run_id}"
    assert http.post(f"{path}/act", json={"action": 'click "Amount"'}).status_code == 422
    assert http.post(f"{path}/takeover").json()["state"] == "taken_over"
    held = http.post(f"{path}/answer", json={"pending": run.pending["digest"], "decision": "approve"})
    assert (held.status_code, "otto" in held.json()["error"]) == (409, True)
    done = http.post(f"{path}/act", json={"action": 'fill "Amount" with "$99.00"'}).json()
    assert (done["error"], done["said"]) == ("", 'fill "Amount" with "$99.00"')
    wrong = http.post(f"{path}/act", json={"action": 'click "No such thing"'}).json()
    assert wrong["error"]
    assert http.post(f"{path}/act", json={"action": "perhaps"}).status_code == 422
    assert http.post(f"{path}/handback", json={"message": "the amount is right now"}).status_code == 200
    stands(http, run.run_id, "on_hold", "fulfilled", "rejected")
    report = rests(runs_dir / run.run_id, 0)
    assert [step["role"] for step in report["steps"] if step["role"] == "user"]
    assert {"taken_over", "handed_back", "steered"} <= {one["kind"] for one in report["control"]}


def test_a_waiting_run_is_cancelled_with_words_and_by_whom_is_known(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    http = serve().http
    http.timeout = 330
    assert http.post(f"/api/runs/{run.run_id}/cancel", json={"why": "the wrong month"}).json()["state"] == "cancelled"
    report = stored_report(runs_dir / run.run_id)
    assert report["reason"] == "the run was cancelled by otto: the wrong month"
    assert claims(runs_dir / run.run_id) == []
    for way in ("cancel", "takeover", "pause"):
        again = http.post(f"/api/runs/{run.run_id}/{way}")
        assert (again.status_code, "finished" in again.json()["error"]) == (422, True)


def test_resuming_a_run_that_waits_for_an_answer_says_so(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    said = serve().http.post(f"/api/runs/{run.run_id}/resume")
    assert (said.status_code, "waits for an answer" in said.json()["error"]) == (409, True)
