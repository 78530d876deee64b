"""What the crew can look up, through a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def place(serve: Any, runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(runs_dir.parent)
    return serve()


def test_a_page_is_added_found_read_and_removed(place: Any) -> None:
    http = place.http
    page = {"title": "How the Zanzibar form is filed", "text": "Open the Zanzibar form. Press File.", "app": "forms"}
    made = http.post("/api/knowledge", json=page)
    assert made.status_code == 201, made.text
    id = made.json()["id"]
    found = place.by("view").get("/api/knowledge", params={"query": "file the Zanzibar form"}).json()["documents"]
    assert (found[0]["id"], found[0]["why_not"]) == (id, "")
    whole = place.by("view").get(f"/api/knowledge/{id}").json()
    assert {key: whole[key] for key in ("title", "text", "app", "removable")} == {**page, "removable": True}
    assert whole["source"] == "written by otto"
    assert http.delete(f"/api/knowledge/{id}").json() == {"removed": id}
    assert http.get(f"/api/knowledge/{id}").status_code == 404
    assert http.delete(f"/api/knowledge/{id}").status_code == 404


def test_documents_are_listed_by_app_and_kind_and_a_mistake_is_a_sentence(place: Any) -> None:
    http = place.http
    http.post("/api/knowledge", json={"title": "One", "text": "a", "app": "forms"})
    http.post("/api/knowledge", json={"title": "Two", "text": "b"})
    listed = http.get("/api/knowledge", params={"app": "forms"}).json()
    assert ([one["title"] for one in listed["documents"]], listed["total"]) == (["One"], 1)
    wrong = http.get("/api/knowledge", params={"kind": "gossip"})
    assert (wrong.status_code, "kinds are" in wrong.json()["error"]) == (422, True)


@pytest.mark.parametrize("role", ["view", "approve"])
def test_only_an_operator_adds_and_removes(role: Any, place: Any) -> None:
    http = place.by(role)
    assert http.post("/api/knowledge", json={"title": "One", "text": "a"}).status_code == 403
    assert http.delete("/api/knowledge/help:1").status_code == 403
