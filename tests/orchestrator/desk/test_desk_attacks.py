"""Attacks on the server: each is refused and written down, on every route that there is."""

import http.client
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource

from environments.served.access import LARGEST, cookie_name
from orchestrator.desk.app import _ROUTERS
from orchestrator.desk.auth import Role

_PLACE = re.compile(r"\{(\w+)(?::\w+)?\}")
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
HOSTILE = [
    MARKUP, "\n\nevent: end\ndata: {}\n\n", "\u202egnirts\u202c \x1b[31m", "'\"; DROP TABLE events; --", "{{7*7}} ${7*7}",
]  # fmt: skip
STRANGE = [
    "..", ".", "%2e%2e", "..%2f..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "..%5c..%5cwindows", "a%00.png", "%2e%2e%2frun.json",
    "....//....//etc/passwd", "a%0d%0aSet-Cookie:x=1",
]  # fmt: skip


def patterns() -> Iterator[tuple[str, str]]:
    """Method and pattern of everything that the desk answers to: no route that is added later is left out."""
    yield "GET", "/api/openapi.json"
    for router in _ROUTERS:
        for route in router.routes:
            for method in sorted(route.methods):
                yield method, route.path


def routes(run: str) -> Iterator[tuple[str, str, str]]:
    """Method, path and pattern of each, with something in its places."""
    for method, pattern in patterns():
        path = pattern.replace("{run_id}", run).replace("/static/{name}", "/static/main.js")
        yield method, _PLACE.sub("0", path), pattern


def _names(path: str) -> list[str]:
    return [place[0] for place in _PLACE.finditer(path)]


_NO_BODY = {"/api/runs/{run_id}/pause", "/api/runs/{run_id}/takeover"}


def raw(place: Any, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, dict[str, str], str]:
    """As it is written: no client that makes an address better on the way."""
    connection = http.client.HTTPConnection("127.0.0.1", place.address.port, timeout=30)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    if "Content-Length" not in headers and body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body or None)
    answer = connection.getresponse()
    told = (answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode())
    connection.close()
    return told


def bearer(place: Any, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {place.address.token}", **more}


def cookie(place: Any, **more: str) -> dict[str, str]:
    return {"Cookie": f"{cookie_name(f'x:{place.address.port}')}={place.address.token}", **more}


def written_down(place: Any) -> dict[tuple[str, str, int], dict[str, Any]]:
    """The lines of the log by method, path and status."""
    return {(line["method"], line["path"], line["status"]): line for line in reversed(place.refusals())}


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic eDp5"}, 401),
        ({"Cookie": "deskcrew-80=x"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Host": "deskcrew"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_without_a_token_or_from_another_site_or_a_rebound_name_nothing_is_told_or_done_anywhere(shared, given, status) -> None:
    """Another site is refused also where it has the token."""
    place, runs = shared
    tried = list(routes(runs["done"]))
    for method, path, _ in tried:
        refused, headers, text = raw(place, method, path, given if status == 401 else bearer(place, **given))
        assert refused == status, (method, path)
        assert status == 403 or headers["www-authenticate"] == "Bearer"
        assert "INV-7029" not in text
    log = written_down(place)
    assert {log[method, path, status]["who"] for method, path, _ in tried} <= {"-", "otto"}
    assert status == 403 or {log[method, path, 401]["who"] for method, path, _ in tried} == {"-"}


def test_a_browser_changes_nothing_without_the_header_that_no_other_site_can_send(shared) -> None:
    place, runs = shared
    before = place.get("/api/runs")
    tried = [(method, path) for method, path, _ in routes(runs["waiting"]) if method != "GET"]
    for method, path in tried:
        for given in ({}, {"X-Deskcrew": "0"}):
            status, _, text = raw(place, method, path, cookie(place, **given))
            assert status == 403, (method, path)
            assert "X-Deskcrew" in json.loads(text)["error"]
    log = written_down(place)
    assert {log[method, path, 403]["who"] for method, path in tried} == {"otto"}
    assert place.get("/api/runs") == before
    assert raw(place, "GET", "/api/me", cookie(place))[0] == 200


@pytest.mark.parametrize("role", ["view", "approve"])
def test_whoever_has_a_lesser_role_changes_nothing(shared, role: Role) -> None:
    place, runs = shared
    before = place.get("/api/runs")
    tried = [
        (method, path)
        for method, path, pattern in routes(runs["waiting"])
        if method != "GET" and not (role == "approve" and pattern.endswith("/answer"))
    ]
    for method, path in tried:
        answer = place.by(role).request(method, path, json={"decision": "approve", "pending": "x", "goal": "x"})
        assert answer.status_code == 403, (method, path, answer.text)
        assert f"role {role}" in answer.json()["error"]
    log = written_down(place)
    assert {log[method, path, 403]["who"] for method, path in tried} == {{"view": "vera", "approve": "anna"}[role]}
    assert place.get("/api/runs") == before


@pytest.mark.parametrize("strange", STRANGE)
def test_no_part_of_a_path_leads_out_of_where_it_belongs(shared, strange) -> None:
    place, runs = shared
    for method, pattern in patterns():
        for name in _names(pattern):
            path = pattern.replace(name, strange).replace("{run_id}", runs["done"])
            path = _PLACE.sub("0", path)
            status, headers, text = raw(place, method, path, bearer(place), b"{}" if method != "GET" else b"")
            assert status in (404, 405, 422), (method, path, status)
            assert "set-cookie" not in headers
            assert "root:" not in text
    assert raw(place, "GET", f"/static/{strange}", bearer(place))[0] == 404


@pytest.mark.parametrize(
    "path",
    ["/api/runs/../../etc/passwd", "/api/runs/%2e%2e/run.json", "//evil.example/", "/api//runs", "/static/..%5cx",
     "/static/x%2f..%2fy", "/api/runs/a%2Fb", "/api/runs/a%5Cb", "/api/runs/%252f..%252f"]
)  # fmt: skip
def test_a_path_that_may_mean_another_one_is_refused_and_written_down(shared, path) -> None:
    place, _ = shared
    before = place.refusals()
    status, headers, _ = raw(place, "GET", path, bearer(place, Accept="text/html"))
    assert status == 404
    assert "location" not in headers
    after = place.refusals()
    assert (after[1:], after[0]["status"]) == (before, 404)


def test_a_body_that_is_too_long_is_refused_before_it_is_read(shared) -> None:
    place, runs = shared
    tried = [(method, path) for method, path, _ in routes(runs["waiting"])]
    for method, path in tried:
        for length in (str(LARGEST + 1), "-1", "12x"):
            status, _, _ = raw(place, method, path, bearer(place, **{"Content-Length": length}))
            assert status in (400, 413), (method, path, length)
    log = written_down(place)
    assert all((method, path, 413) in log for method, path in tried)


def test_a_body_whose_length_was_not_said_is_not_read_to_its_end(shared) -> None:
    place, runs = shared
    path = f"/api/runs/{runs['waiting']}/answer"
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while taken < 50 * LARGEST:
            taken += 65536
            yield b" " * 65536

    try:
        answer = place.http.post(path, content=endless(), headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
    except httpx.WriteError:
        pass  # it was not even listened to any more
    assert taken < 50 * LARGEST
    assert written_down(place)["POST", path, 413]["who"] == "otto"


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"[]", b"7", b"\xff\xfe", b"goal=x&task=y", b'{"decision": {"$ne": 1}}', b'{"\\ud800": 1}', b"[" * 100_000,
        b'{"a":' * 20_000,
    ],
)  # fmt: skip
def test_what_is_no_order_is_answered_in_a_sentence_and_changes_nothing(shared, body) -> None:
    place, runs = shared
    before = place.get("/api/runs")
    for method, path, pattern in routes(runs["done"]):
        if method == "POST" and pattern not in _NO_BODY:
            answer = place.http.post(path, content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (400, 404, 409, 422), (path, answer.text)
            assert answer.json()["error"].endswith((".", "?")), (path, answer.text)
    assert place.get("/api/runs") == before


def test_a_body_that_is_said_to_be_something_else_is_not_taken_for_an_order(shared) -> None:
    place, runs = shared
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        for method, path, pattern in routes(runs["done"]):
            if method == "POST" and pattern not in _NO_BODY:
                answer = place.http.post(path, content=b"goal=x", headers={"Content-Type": kind})
                assert answer.status_code in (404, 409, 422), (path, answer.text)


@pytest.mark.slow("a large sample")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_in_every_field_come_out_as_the_data_that_they_are(serve, working, text) -> None:
    place = serve()
    run = working(goal=text, task_id=text)
    run.plan(text, text)
    run.step(line=text, reasoning=text)
    about = {"role": text, "subtask": text, "step": 2}
    run.journal.append("fact", {"name": text, "value": text, "kind": text, "app": text, "source": text}, **about)
    run.journal.append("gate", {"decision": text, "reason": text, "trigger": text, "evidence": [text], "issues": [text]}, **about)
    run.journal.append(text, {text: {text: [text]}}, **about)
    run.journal.append("error", {"message": text}, **about)
    action = {"name": text, "args": {text: text}, "description": text}
    run.ask(rule=text, reasons=[text], app=text, state_id=text, action_requests=[action])
    for path in ("", "/items", "/details", "/events", "/details/1", "/blackboard"):
        answer = place.http.get(f"/api/runs/{run.id}{path}")
        assert answer.status_code in ((200, 422) if path == "/blackboard" else (200,)), (path, answer.text)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        answer.json()
    listed = place.get("/api/runs")["runs"][0]
    assert (listed["goal"], listed["task"], listed["waiting"]["summary"]) == (text, text, text)
    assert place.get(f"/api/runs/{run.id}")["head"]["goal"] == text
    kinds = told(place, run.id, 3)
    assert set(kinds) <= {"items", "head"}, "no word of a run makes an event of its own"
    assert "end" not in kinds


def test_one_run_that_says_the_impossible_keeps_nobody_from_the_others(serve, working, runs_dir) -> None:
    place = serve()
    good = working("20260101-000000-0002", goal="Work", started=5.0)
    good.step()
    bad = working("20260101-000000-0001", goal="half a sign: \ud800", task_id="\udfff", started=float("inf"))
    bad.report("on_hold", "\ud800", pending={"kind": ["x"], "action_requests": [{"description": "\ud800"}]})
    bad.step()
    with sqlite3.connect(bad.folder / "journal.sqlite") as db:
        db.execute("UPDATE events SET at = 9e999 WHERE id % 2 = 0")
    db.close()
    for name, record in (("a", "[]"), ("b", "{"), ("c", '{"run_id": "../x", "goal": 1, "settings": 7}')):
        (runs_dir / name).mkdir()
        (runs_dir / name / "run.json").write_text(record, encoding="utf-8")
    (runs_dir / os.fsdecode(b"half \xff")).mkdir()
    (runs_dir / os.fsdecode(b"half \xff") / "run.json").write_text("{}", encoding="utf-8")
    rows = {row["id"]: row for row in place.get("/api/runs")["runs"]}
    assert rows.keys() == {good.id, bad.id, "a", "b", "c"}
    assert (rows[good.id]["steps"], rows["a"]["status"]) == (1, "damaged")
    for run in rows:
        for path in ("", "/items", "/events", "/details"):
            assert place.http.get(f"/api/runs/{run}{path}").status_code == 200, (run, path)


def told(place: Any, run: str, seconds: float) -> list[str]:
    """What kinds of things a stream says until it is quiet."""
    found: list[str] = []
    with suppress(httpx.ReadTimeout), place.http.stream("GET", f"/api/runs/{run}/stream", timeout=seconds) as answer:
        for part in EventSource(answer).iter_sse():
            found.append(part.event)
    return found
