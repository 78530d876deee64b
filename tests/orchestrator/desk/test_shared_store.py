"""Runs whose journals are in a PostgreSQL that several machines share: listed, watched and answered like all others."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource
from services.postgres import MISSING, Server, programs, running
from waiting import until
from worked.desk_runs import GOAL, rests, waiting_run
from worked.runs import claims

from orchestrator.desk.live.run import WatchedRun
from orchestrator.store.stores import Stores
from roles.journal.journal import Journal


@pytest.fixture
def shared_run(postgres: Server, runs_dir: Path) -> Any:
    """A run that waits for an answer, and has no journal in its folder."""
    run = waiting_run(runs_dir, f"store={postgres.address}")
    assert not (run.folder / "journal.sqlite").exists()
    return run


def row_of(http: httpx.Client, run_id: str) -> dict[str, Any]:
    return dict(next(row for row in http.get("/api/runs").json()["runs"] if row["id"] == run_id))


def test_a_run_in_a_shared_store_is_listed_watched_and_answered(serve: Any, shared_run: Any, runs_dir: Path) -> None:
    http, run_id = serve().http, shared_run.run_id
    (asked,) = http.get("/api/approvals").json()["approvals"]
    assert (asked["run_id"], asked["pending"]["digest"]) == (run_id, shared_run.pending["digest"])
    assert asked["pending"]["target_box"]
    assert asked["since"] > 0
    row = until(lambda: (found := row_of(http, run_id))["steps"] and found, "the store to be counted")
    assert (row["status"], row["waiting"]["kind"], row["steps"]) == ("on_hold", "approval", shared_run.report["counts"]["steps"])
    whole = http.get(f"/api/runs/{run_id}").json()
    assert (whole["head"]["goal"], whole["pending"]["id"], whole["head"]["notes"]) == (GOAL, asked["id"], [])
    assert whole["pending"]["target_box"] == asked["pending"]["target_box"]
    drawn = http.get(f"/api/runs/{run_id}/screens/{asked['pending']['state_id']}/elements").json()
    assert drawn["elements"]
    told: list[tuple[str, Any]] = []
    with http.stream("GET", f"/api/runs/{run_id}/stream?events=1", timeout=240) as answer:
        body = {"pending": asked["id"], "decision": "approve"}
        assert http.post(f"/api/runs/{run_id}/answer", json=body).status_code == 200
        for part in EventSource(answer).iter_sse():
            told.append((part.event, part.json()))
            if part.event == "end":
                break
    ids = [event["id"] for kind, event in told if kind == "event"]
    assert ids == list(range(1, len(ids) + 1)), "nothing is lost, and nothing comes twice"
    assert told[-1][1]["standing"]["state"] == "fulfilled"
    report = rests(runs_dir / run_id)
    assert ([(one["decision"], one["who"]) for one in report["approvals"]], len(claims(runs_dir / run_id))) == (
        [("approve", "otto")], 1,
    )  # fmt: skip
    assert http.get("/api/approvals").json() == {"approvals": []}
    until(lambda: row_of(http, run_id)["steps"] == report["counts"]["steps"], "what is new to be counted")


def test_what_is_watched_of_a_shared_store_is_what_the_same_run_has_in_a_folder(postgres: Server, runs_dir: Path) -> None:
    far = waiting_run(runs_dir, f"store={postgres.address}")
    near = waiting_run(runs_dir)
    stores = Stores()
    seen = []
    for run in (far, near):
        watched = WatchedRun(run.folder, stores)
        watched.look()
        items = watched.after(0, 5_000).items
        seen.append([(item.kind, item.status, item.role, item.line, item.box, item.point) for item in items])
        assert any(item.point for item in items), "the results of actions came along"
        watched.close()
    stores.close()
    assert seen[0] == seen[1]


@pytest.mark.skipif(programs() is None, reason=MISSING)
def test_a_store_that_goes_away_is_said_holds_up_no_other_run_and_is_read_on_when_it_is_back(
    serve: Any, runs_dir: Path, working: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from orchestrator.store import stores
    from orchestrator.store.postgres.connection import Link
    from orchestrator.store.postgres.rows import PostgresRows

    monkeypatch.setattr(stores, "AWAY", 0.2)
    with running() as server:
        far = waiting_run(runs_dir, f"store={server.address}")
        http = serve().http
        path = f"/api/runs/{far.run_id}"
        before = http.get(f"{path}/events?limit=5000").json()["cursor"]
        server.stop()
        said = until(lambda: http.get(path).json()["head"]["notes"], "the trouble to be told")
        assert "may be old" in said[0]
        near = working("20260101-000000-0001")
        near.step()
        began = time.monotonic()
        assert http.get(f"/api/runs/{near.id}").json()["cursor"] > 0
        assert http.get("/api/runs").status_code == 200
        assert time.monotonic() - began < 10, "who looks at another run does not wait for the store"
        assert http.get(f"{path}/events?limit=5000").json()["cursor"] == before, "what was known is there"
        refused = http.post(f"{path}/answer", json={"pending": "x", "decision": "approve"})
        assert (refused.status_code, "store" in refused.json()["error"]) == (503, True)
        server.start()
        rows = PostgresRows(Link(server.address), far.run_id)
        journal = Journal(far.folder / "none", lambda: 1.0, run_id=far.run_id, rows=rows)
        journal.append("error", {"message": "said after the store came back"})
        journal.close()
        until(lambda: http.get(f"{path}/events?limit=5000").json()["cursor"] > before, "what is new to come")
        until(lambda: not http.get(path).json()["head"]["notes"], "the trouble to be over")
