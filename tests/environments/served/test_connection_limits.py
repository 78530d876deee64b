"""Connections of strangers: many, half open, dripping or senseless ones take nobody's place, and fill no log."""

import logging
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from waiting import until

from environments.served import access, server

pytestmark = pytest.mark.slow("processes of their own")

Knock = Callable[..., socket.socket]


@pytest.fixture
def knock(serve) -> Iterator[Knock]:
    """`knock(b"...")` connects to a served world and sends that."""
    place = serve()
    with ExitStack() as open_:

        def connect(sent: bytes = b"") -> socket.socket:
            found = open_.enter_context(socket.create_connection((place.address.host, place.address.port), timeout=10))
            found.sendall(sent)
            return found

        connect.place = place
        yield connect


def ended(connection: socket.socket, within: float = 10.0) -> bytes:
    """All that came until the other side closed it."""
    connection.settimeout(within)
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def test_three_hundred_half_open_connections_lock_nobody_out(knock) -> None:
    held = [knock(b"" if at % 2 else b"GET / HTTP/1.1\r\nHost: 127") for at in range(300)]
    began = time.monotonic()
    assert knock.place.http.get("/state").status_code == 200
    assert time.monotonic() - began < 5
    held[0].settimeout(5)
    assert ended(held[0]) == b"", "the first that came gave way"
    held[-1].setblocking(False)
    with pytest.raises(BlockingIOError):
        held[-1].recv(1)


REQUEST = b"POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HT", REQUEST, REQUEST + b"Authorization: Bearer %s\r\nContent-Length: 90\r\n\r\n{",
              REQUEST + b"Authorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{ \r\n",
              REQUEST + b"Content-Length: 90\r\n\r\n{", b"GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\nA: "]
)  # fmt: skip
def test_a_request_that_drips_is_not_waited_for(knock, begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 1.0)
    connection = knock(begun.replace(b"%s", knock.place.address.token.encode()))
    began = time.monotonic()

    def closed() -> bool:
        try:
            connection.send(b"a")  # one byte at a time, as long as it is taken
            connection.setblocking(False)
            return not connection.recv(65_536) and time.monotonic() > began
        except BlockingIOError:
            return False
        except OSError:
            return True

    until(closed, "the connection to be closed")
    assert time.monotonic() - began < 6


def test_what_is_being_answered_is_not_closed_for_the_sake_of_others(knock) -> None:
    token = knock.place.address.token.encode()
    stream = knock(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + b"\r\n\r\n")
    assert b"200 OK" in stream.recv(4_096)
    _ = [knock() for _ in range(300)]
    knock.place.act(action_type="wait", seconds=1)
    stream.settimeout(10)
    assert stream.recv(65_536)


def test_one_visitor_holds_no_more_than_a_share_of_the_connections(knock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MOST_OF_ONE", 3)
    token = knock.place.address.token.encode()
    told = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + b"\r\n\r\n"
    streams = [knock(told) for _ in range(3)]
    assert all(b"200 OK" in one.recv(4_096) for one in streams)
    assert b" 429 " in knock(told).recv(4_096)
    streams[0].close()
    until(lambda: knock.place.http.get("/state").status_code == 200, "a place to be free")


def test_what_strangers_do_wrong_fills_no_log(knock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    words = server.FewWords()
    for name in ("uvicorn.error", "asyncio"):
        monkeypatch.setattr(logging.getLogger(name), "filters", [words])
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
    for _ in range(150):
        assert b"400" in ended(knock(b"\x16\x03\x01\r\n\r\n"))
    assert 0 < len(caplog.records) <= 20
    words._hour -= 4_000
    ended(knock(b"\x16\r\n\r\n"))
    assert caplog.records[-1].getMessage().endswith("(130 records before it were left out)")
    assert len(caplog.records) <= 21


def test_a_server_with_few_files_goes_on_answering_and_says_little(tmp_path: Path) -> None:
    command = ["prlimit", "--nofile=120", sys.executable, "-m", "deskcrew", "world", "serve", "office", "--port", "0"]
    said = tmp_path / "stderr"
    with ExitStack() as open_:
        err = open_.enter_context(said.open("wb"))
        server = open_.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True))
        assert server.stdout is not None
        try:
            url = next(word for line in server.stdout for word in line.split() if word.startswith("http"))
            there = urlsplit(url)
            _ = [open_.enter_context(socket.create_connection((there.hostname, there.port), timeout=10)) for _ in range(400)]
            assert httpx.get(url, headers={"Accept": "*/*"}, trust_env=False).status_code == 200
        finally:
            server.kill()
    assert said.stat().st_size < 20_000
