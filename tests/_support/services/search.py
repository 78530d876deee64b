"""A search interface on this machine: a real HTTP server that answers by the path it is asked at."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

OTTERS = [
    {"title": "How to feed the otters", "text": "Give the otters fish.", "url": "https://zoo.example/otters", "name": "Otters"},
    {"title": "Otters of the world", "text": "There are thirteen kinds.", "url": "https://my.zoo.example/kinds", "name": "Kinds"},
    {"title": "Feed", "text": "A format for news.", "url": "https://news.example/feed", "name": "News"},
]


class Asked(NamedTuple):
    """What reached the server."""

    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]


class SearchServer(ThreadingHTTPServer):
    """`/search`, `/nested`, `/status/CODE` (the second time it is well), `/always/CODE`, `/slow`, `/drip`, `/huge`, `/deep`,
    `/html`, `/redirect`, `/cut`, `/given` (whatever `given` holds)."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []
        self.given: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: SearchServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        said = Asked(parts.path, parse_qs(parts.query), {k.lower(): v for k, v in self.headers.items()})
        self.server.asked.append(said)
        first, _, rest = parts.path.strip("/").partition("/")
        answer = getattr(self, f"_{first}", None)
        if answer is None:
            self.send_error(404)
        else:
            answer(rest)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what was asked is kept."""

    def _json(self, data: Any, status: int = 200) -> None:
        self._raw(json.dumps(data).encode(), status)

    def _raw(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def _search(self, _: str) -> None:
        self._json(OTTERS)

    def _nested(self, _: str) -> None:
        self._json({"web": {"results": OTTERS[:1]}, "more": [{"results": OTTERS[1:]}]})

    def _status(self, code: str) -> None:
        seen = sum(one.path == urlsplit(self.path).path for one in self.server.asked)
        self._json(OTTERS if seen > 1 else {"error": "busy"}, 200 if seen > 1 else int(code))

    def _always(self, code: str) -> None:
        self._json({"error": "no"}, int(code))

    def _slow(self, seconds: str) -> None:
        time.sleep(float(seconds or 1))
        self._json(OTTERS)

    def _drip(self, _: str) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _turn in range(100):
                self.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            self.close_connection = True

    def _huge(self, size: str) -> None:
        self._raw(json.dumps([{"title": "Otters", "text": "x" * int(size or 5_000_000), "url": ""}]).encode())

    def _deep(self, _: str) -> None:
        self._raw(b"[" * 100_000 + b"]" * 100_000)

    def _html(self, _: str) -> None:
        self._raw(b"<html><body>Sign in first</body></html>")

    def _redirect(self, _: str) -> None:
        self.send_response(302)
        self.send_header("Location", f"{self.server.url}/search")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _cut(self, _: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'[{"title"')
        self.close_connection = True

    def _given(self, _: str) -> None:
        self._json(self.server.given)


@contextmanager
def search_server() -> Iterator[SearchServer]:
    server = SearchServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
