"""Streams: what happens is told at once, from where it broke off, to everybody, however slow one of them is."""

import json
import shutil
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource, ServerSentEvent
from waiting import until
from worked.desk_runs import serving

from orchestrator.desk import app
from orchestrator.desk import live as listed
from orchestrator.desk.live import WatchedRun
from orchestrator.desk.routes import streams
from orchestrator.errors import UsageProblem
from orchestrator.store import reader
from orchestrator.store.reader import AT_ONCE

PATIENCE = 120.0


class Viewer:
    """Somebody who looks at a stream, in a thread of their own, until they `leave`."""

    def __init__(self, base: str, token: str, path: str, headers: dict[str, str] | None = None) -> None:
        self.events: list[tuple[str, Any]] = []
        self.items: list[Any] = []
        self.cursor = ""
        self.ended = False
        self._left = threading.Event()
        self._headers = {"Authorization": f"Bearer {token}", **(headers or {})}
        self._url = base + path
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        with suppress(httpx.TransportError), httpx.Client(trust_env=False, timeout=PATIENCE) as client:
            with client.stream("GET", self._url, headers=self._headers) as answer:
                assert answer.status_code == 200
                for part in EventSource(answer).iter_sse():
                    self._take(part)
                    if self._left.is_set():
                        break
            self.ended = True

    def _take(self, part: ServerSentEvent) -> None:
        data = part.json()
        if part.event == "items":
            self.items[data["from"] :] = data["items"]
        self.cursor = part.id
        self.events.append((part.event, data))

    def kinds(self) -> list[str]:
        return [kind for kind, _ in list(self.events)]

    @property
    def alive(self) -> int:
        """How often it was said that the server is still there."""
        return self.kinds().count("alive")

    def leave(self) -> None:
        self._left.set()
        self._thread.join(PATIENCE)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that is quiet says so soon, so that whoever wants to leave can."""
    monkeypatch.setattr(streams, "IDLE", 0.2)


@pytest.fixture
def watch() -> Iterator[Callable[..., Viewer]]:
    made: list[Viewer] = []

    def look(place: Any, path: str, **headers: str) -> Viewer:
        made.append(Viewer(place.address.base, place.address.token, path, headers))
        return made[-1]

    yield look
    for one in made:
        one.leave()


def lines(viewer: Viewer) -> list[str]:
    return [item[8] for item in list(viewer.items) if item[0] == "step"]


def clicks(last: int) -> list[str]:
    return [f"click number {number}" for number in range(1, last + 1)]


def test_what_a_run_does_is_told_while_it_does_it_and_then_its_end(serve, working, watch) -> None:
    place, run = serve(), working()
    run.step(2)
    viewer = watch(place, f"/api/runs/{run.id}/stream")
    until(lambda: lines(viewer) == clicks(2), "what was before")
    for number in (3, 4, 5):
        run.step()
        until(lambda number=number: lines(viewer) == clicks(number), f"step {number}")
    run.end()
    until(lambda: viewer.ended, "the end")
    kind, told = viewer.events[-1]
    assert kind == "end"
    assert (told["standing"]["state"], told["head"]["reason"]) == ("fulfilled", "all is done")
    assert viewer.items == place.get(f"/api/runs/{run.id}/items")["items"]
    assert viewer.items[-1][0] == "end"


def test_a_run_that_ends_between_two_looks_of_a_stream_is_told_to_its_last_line(serve, working, watch, monkeypatch) -> None:
    place, run = serve(), working()
    run.step(2)
    look, ends = WatchedRun.after, threading.Event()

    def and_then_it_ends(watched: WatchedRun, cursor: float, most: int = AT_ONCE) -> Any:
        page = look(watched, cursor, most)
        if page.items and not ends.is_set():
            ends.set()
            run.step()
            run.end()
            until(lambda: (watched.look(), watched.part("standing")["ended"])[1], "the desk to know of the end")
        return page

    monkeypatch.setattr(WatchedRun, "after", and_then_it_ends)
    viewer = watch(place, f"/api/runs/{run.id}/stream")
    until(lambda: viewer.ended, "the end")
    assert viewer.events[-1][0] == "end"
    assert lines(viewer) == clicks(3)
    assert viewer.items[-1][0] == "end"


def test_the_end_of_a_run_is_not_told_before_what_came_first_can_be_read(serve, working, watch, monkeypatch) -> None:
    place, run = serve(), working()
    run.step(2)
    read, held = reader.events_after, threading.Event()

    def unless_held(*args: Any) -> Any:
        if held.is_set():
            raise sqlite3.OperationalError("database is locked")
        return read(*args)

    monkeypatch.setattr(reader, "events_after", unless_held)
    viewer = watch(place, f"/api/runs/{run.id}/stream")
    until(lambda: lines(viewer) == clicks(2), "what was before")
    held.set()
    run.step()
    run.end()
    quiet = viewer.alive
    until(lambda: viewer.alive > quiet + 3, "a while to pass")
    assert not viewer.ended
    held.clear()
    until(lambda: viewer.ended, "the end")
    assert (lines(viewer), viewer.items[-1][0]) == (clicks(3), "end")


def test_a_stream_goes_on_from_its_cursor_and_nothing_is_told_twice_or_lost(serve, working, watch) -> None:
    place, run = serve(), working()
    run.step(3)
    first = watch(place, f"/api/runs/{run.id}/stream?events=1")
    until(lambda: lines(first) == clicks(3) and first.cursor, "the first part")
    first.leave()
    run.step(2)
    for how in ({"path": f"/api/runs/{run.id}/stream?events=1&after={first.cursor}"},
                {"path": f"/api/runs/{run.id}/stream?events=1", "Last-Event-ID": first.cursor}):  # fmt: skip
        second = watch(place, **how)
        until(lambda second=second: lines(second), "the second part")
        until(lambda second=second: second.cursor != "", "the cursor")
        assert lines(second) == clicks(5)[3:]
        heard = [data["id"] for viewer in (first, second) for kind, data in viewer.events if kind == "event"]
        assert heard == [event.id for event in run.journal.events()]
        second.leave()


def test_one_who_does_not_read_slows_nobody_and_misses_nothing(serve, working, watch) -> None:
    place, run = serve(), working()
    slow = socket.create_connection(("127.0.0.1", place.address.port))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    request = f"GET /api/runs/{run.id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {place.address.token}\r\n\r\n"
    slow.sendall(request.encode())
    quick = watch(place, f"/api/runs/{run.id}/stream")
    for number in range(1, 41):  # with so much to say that no buffer between the two holds it
        run.step(line=f"click number {number}", error="x" * 60_000)
        until(lambda number=number: lines(quick)[-1:] == [f"click number {number}"], f"step {number}, told to the quick one")
    run.end()
    until(lambda: quick.ended, "the end, for the quick one")
    slow.settimeout(PATIENCE)
    text = b""
    while b"\nevent: end\r\n" not in text and b"event: end\n" not in text:
        part = slow.recv(1 << 20)
        assert part, "it ends before its end"
        text += part
    slow.close()
    items: list[Any] = []
    for line in _joined(text.partition(b"\r\n\r\n")[2]).split(b"\n"):
        if line.startswith(b'data: {"from":'):
            told = json.loads(line[6:])
            items[told["from"] :] = told["items"]
    assert [item[8] for item in items if item[0] == "step"] == clicks(40)


def _joined(body: bytes) -> bytes:
    """A body that was sent in pieces, each of which says its size before it, as far as it is there."""
    found = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        found, body = found + rest[:length], rest[length + 2 :]
    return found


def test_where_more_rows_changed_than_are_told_one_by_one_the_list_is_to_be_read_again(working, runs_dir, monkeypatch) -> None:
    names = {working(f"20260101-000000-000{number}").id for number in (1, 2)}
    seen = listed.RunList(runs_dir)
    seen.look()
    rows, known, again = seen.after(0)
    assert ({row.id for row in rows}, again) == (names, False)
    monkeypatch.setattr(listed, "_TOLD", 1)
    assert (seen.after(0), seen.after(known)) == (([], known, True), ([], known, False))


def test_the_list_tells_of_runs_that_come_change_and_end(serve, working, watch) -> None:
    place = serve()
    viewer = watch(place, "/api/stream")
    until(lambda: "again" in viewer.kinds(), "the word to read the list")

    def rows(run: str) -> list[dict[str, Any]]:
        return [data for kind, data in list(viewer.events) if kind == "runs" and data["id"] == run]

    run = working()
    until(lambda: rows(run.id), "the new run")
    run.step(2)
    until(lambda: rows(run.id)[-1]["steps"] == 2, "its steps")
    run.ask()
    until(lambda: rows(run.id)[-1]["status"] == "on_hold", "that it waits")
    run.end("rejected")
    until(lambda: rows(run.id)[-1]["status"] == "rejected", "its end")
    told = max(place for place, kind in enumerate(viewer.kinds()) if kind == "runs")
    until(lambda: "seen" in viewer.kinds()[told:], "the cursor behind it")  # it may be followed by signs of life at once
    cursor = viewer.cursor
    viewer.leave()
    other = working("20260101-000000-0002")
    back = watch(place, "/api/stream", **{"Last-Event-ID": cursor})
    until(lambda: "runs" in back.kinds(), "the run that is new")
    assert {data["id"] for kind, data in list(back.events) if kind == "runs"} == {other.id}, "and nothing else"
    assert "again" not in back.kinds()
    shutil.rmtree(run.folder)
    until(lambda: "again" in back.kinds(), "that a run went")
    stranger = watch(place, "/api/stream", **{"Last-Event-ID": "00000000-5"})
    until(lambda: "again" in stranger.kinds(), "that a number of another server means nothing")


def test_a_quiet_stream_says_that_it_is_still_there_and_nobody_is_read_for_who_left(serve, working, watch) -> None:
    place, run = serve(), working()
    viewer = watch(place, f"/api/runs/{run.id}/stream")
    until(lambda: viewer.alive > 1, "signs of life")
    assert place.desk.watch.looks.total() == 1
    viewer.leave()
    until(lambda: place.desk.watch.looks.total() == 0, "nobody looks any more")


@pytest.mark.slow("processes that are killed")
def test_a_server_that_was_killed_is_gone_on_with_by_the_next_one(working, runs_dir, watch) -> None:
    """With the command itself: the token is kept, so the page that is open reads on where it was."""
    run = working()
    run.step(2)
    with serving(runs_dir) as (first, address):
        port = int(address.partition("/?")[0].rpartition(":")[2])
        token = address.partition("token=")[2]
        viewer = Viewer(f"http://127.0.0.1:{port}", token, f"/api/runs/{run.id}/stream")
        until(lambda: lines(viewer) == clicks(2) and viewer.cursor, "what was before")
        first.kill()
        first.wait(PATIENCE)
    viewer.leave()
    run.step()
    with serving(runs_dir, str(port), "--host", "0.0.0.0") as (second, again):
        assert again == address
        back = Viewer(f"http://127.0.0.1:{port}", token, f"/api/runs/{run.id}/stream?after={viewer.cursor}")
        until(lambda: back.items, "what came meanwhile")
        assert [item[8] for item in back.items if item] == clicks(3)[2:]
        second.send_signal(signal.SIGINT)
        said, wrong = second.communicate(timeout=PATIENCE)
        assert second.returncode == 0
        assert "stopped; runs in progress continue" in said
        assert wrong.startswith("warning: other machines can connect"), "which they could not before"
    back.leave()


def test_a_port_that_is_taken_is_said_in_a_sentence(serve, runs_dir) -> None:
    place = serve()
    with pytest.raises(UsageProblem, match="--port"):
        app.serve(place.desk, "127.0.0.1", place.address.port, "a token", lambda address: None)
