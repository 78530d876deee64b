"""What was said to models and by them, as a desk gives it: whole calls, single parts, and nothing that is private."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from worked.model_runs import ROLES, worked_by_model

from orchestrator.runs.handle import LocalRuns
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory):
    outcome = worked_by_model(tmp_path_factory.mktemp("runs"))
    assert outcome.status == "fulfilled", outcome.reason
    return outcome


def test_every_call_is_given_as_show_tells_it_and_by_its_step(serve, good) -> None:
    place = serve(good.folder.parent)
    calls = place.get(f"/api/runs/{good.run_id}/prompts")["calls"]
    assert calls == json.loads(json.dumps(LocalRuns(good.folder.parent).run(good.run_id).prompts()))
    assert {call["role"] for call in calls} == set(ROLES)
    assert all(call["messages"][0]["parts"] and call["reply"] for call in calls)
    step = max(call["step"] for call in calls)
    own = place.get(f"/api/runs/{good.run_id}/prompts?step={step}")["calls"]
    assert own == [call for call in calls if call["step"] == step] != []
    assert place.get(f"/api/runs/{good.run_id}/prompts?step=9999")["calls"] == []


def test_a_part_is_the_text_that_calls_name(serve, good) -> None:
    place = serve(good.folder.parent)
    calls = place.get(f"/api/runs/{good.run_id}/prompts")["calls"]
    said = {part["name"]: part["text"] for call in calls for message in call["messages"] for part in message["parts"]}
    assert len(said) > 3
    for name, text in said.items():
        assert place.get(f"/api/runs/{good.run_id}/parts/{name}") == {"text": text}


def test_a_part_that_there_is_not_and_a_name_that_is_none_are_refused(serve, good) -> None:
    place = serve(good.folder.parent)
    missing = place.http.get(f"/api/runs/{good.run_id}/parts/{'0' * 32}")
    assert (missing.status_code, missing.json()["error"]) == (404, f"Run {good.run_id} has no part {'0' * 32}.")
    for name in ("run.json", "A" * 32, "0" * 31, "' OR 1=1 --"):
        assert place.http.get(f"/api/runs/{good.run_id}/parts/{name}").status_code == 422
    for step in ("-1", "x", str(2**53)):
        assert place.http.get(f"/api/runs/{good.run_id}/prompts?step={step}").status_code == 422
    for path in ("prompts", f"parts/{'0' * 32}"):
        assert place.http.get(f"/api/runs/20260101-000000-0000/{path}").status_code == 404


def test_a_run_without_a_model_has_no_transcripts(serve, working) -> None:
    place, run = serve(), working()
    run.step()
    assert place.get(f"/api/runs/{run.id}/prompts") == {"calls": []}
    assert place.http.get(f"/api/runs/{run.id}/parts/{'0' * 32}").status_code == 404


def test_what_became_private_later_and_what_is_damaged_are_given_to_nobody(serve, tmp_path) -> None:
    outcome = worked_by_model(tmp_path / "runs")
    place = serve(tmp_path / "runs")
    path = f"/api/runs/{outcome.run_id}/prompts"
    before = json.dumps(place.get(path))
    private = "Billing"
    assert private in before
    Vault(outcome.folder / VAULT).keep(private, "application")
    calls = place.get(path)["calls"]
    assert private not in json.dumps(calls)
    name = calls[0]["messages"][0]["parts"][0]["name"]
    assert private not in json.dumps(place.get(f"/api/runs/{outcome.run_id}/parts/{name}"))
    with closing(sqlite3.connect(outcome.folder / "journal.sqlite")) as db, db:
        db.execute("UPDATE parts SET body = ? WHERE name = ?", (b"no zlib", name))
    assert place.http.get(f"/api/runs/{outcome.run_id}/parts/{name}").status_code == 404
    assert place.get(path)["calls"][0]["messages"][0]["parts"][0]["text"] is None
