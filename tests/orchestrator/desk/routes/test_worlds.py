"""Worlds by hand through a real server: opened, worked in, recorded, learnt from."""

from __future__ import annotations

from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Route

from environments.served.access import LARGEST
from environments.served.routes import routes
from orchestrator.desk.workers import HOME

GOAL = "Write a note that says hello"


def act(url: str, **action: Any) -> dict[str, Any]:
    """Do something in a served world, as a program does that has its address."""
    base, token = url.split("/?token=")
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=60) as client:
        return dict(client.post("/actions", json=action).raise_for_status().json())


def said(base: str, method: str, path: str, headers: dict[str, str]) -> int:
    """The status, as nothing but these headers gets it."""
    connection = HTTPConnection(base.removeprefix("http://"), timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_world_is_opened_under_a_token_of_its_own_and_gone_when_it_is_closed(serve: Any) -> None:
    http = serve().http
    opened = http.post("/api/worlds/office/open", json={"seed": 4})
    assert opened.status_code == 201, opened.text
    world = opened.json()
    assert (world["world"], world["seed"], world["who"], world["record"]) == ("office", 4, "otto", "")
    assert httpx.get(world["url"].split("/?")[0], trust_env=False).status_code == 401
    assert [one["id"] for one in http.get("/api/worlds/open").json()["worlds"]] == [world["id"]]
    assert http.delete(f"/api/worlds/open/{world['id']}").json()["said"] == "It is closed."
    assert http.get("/api/worlds/open").json() == {"worlds": []}
    with pytest.raises(httpx.ConnectError):
        httpx.get(world["url"], trust_env=False)
    assert http.delete(f"/api/worlds/open/{world['id']}").status_code == 404


def test_what_is_done_in_a_world_is_recorded_and_can_be_learnt_from_later(
    serve: Any, runs_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs_dir.parent)
    http = serve().http
    world = http.post("/api/worlds/office/open", json={"record": True, "goal": GOAL}).json()
    act(world["url"], action_type="launch_app", app="notes")
    act(world["url"], action_type="click", target={"text": "New note"})
    act(world["url"], action_type="fill", target={"text": "Title"}, text="hello")
    act(world["url"], action_type="click", target={"text": "Save"})
    (shown,) = http.get("/api/worlds/open").json()["worlds"]
    assert (shown["steps"], shown["goal"]) == (4, GOAL)
    closed = http.delete(f"/api/worlds/open/{world['id']}").json()
    assert (closed["record"], closed["saved"]) == (world["record"], False)
    assert (runs_dir / HOME / "recordings" / world["record"]).is_file()
    (recording,) = http.get("/api/recordings").json()["recordings"]
    assert (recording["name"], recording["steps"]) == (world["record"], 4)
    learnt = http.post("/api/knowledge/learn", json={"record": world["record"], "goal": GOAL}).json()
    assert learnt["title"]
    assert learnt["saved"] or learnt["said"].startswith("The crew has learnt nothing from it"), learnt
    if learnt["saved"]:
        found = http.get(f"/api/knowledge/{learnt['document']}").json()
        assert (found["kind"], found["removable"]) == ("demonstration", True)


def test_names_lead_to_no_other_file(serve: Any, runs_dir: Path) -> None:
    (runs_dir / "elsewhere.jsonl").write_text("{}\n")
    http = serve().http
    for name in ("../../elsewhere.jsonl", "..", "nothing.jsonl"):
        assert http.post("/api/knowledge/learn", json={"record": name}).status_code == 404
    assert http.post("/api/worlds/%2Fetc%2Fpasswd/open", json={}).status_code == 404
    assert http.post("/api/knowledge/learn", json={}).status_code == 422


def test_only_an_operator_opens_worlds_or_learns(serve: Any) -> None:
    http = serve().by("approve")
    assert http.post("/api/worlds/office/open", json={}).status_code == 403
    assert http.get("/api/worlds/open").status_code == 403
    assert http.post("/api/knowledge/learn", json={"run": "x"}).status_code == 403
    assert {"name", "about", "apps"} <= set(http.get("/api/worlds").json()["worlds"][0])


def test_a_world_that_was_opened_here_is_closed_to_everybody_without_its_own_token(serve: Any) -> None:
    place = serve()
    world = place.http.post("/api/worlds/office/open", json={}).json()
    base, token = world["url"].split("/?token=")
    session = place.desk.worlds.all()[0].session
    own = {"Authorization": f"Bearer {token}"}
    attacks: list[tuple[dict[str, str], int]] = [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Bearer {place.address.token}"}, 401),  # the desk's opens the desk
        ({**own, "Origin": "http://evil.example"}, 403),
        ({**own, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**own, "Host": "evil.example"}, 403),
        ({**own, "Content-Length": str(LARGEST + 1)}, 413),
    ]
    before = session.desktop.world()
    for route in routes(session).routes:
        assert isinstance(route, Route)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            for headers, status in attacks:
                assert said(base, method, route.path, headers) == status, (method, route.path, headers)
    assert session.desktop.world() == before
    assert httpx.get(f"{place.address.base}/api/me", headers=own, trust_env=False).status_code == 401, "nor the other way round"
