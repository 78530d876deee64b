"""A site on this machine that remembers what is sent to it, and a browser that is at it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from waiting import DEADLINE

from environments.browser import BrowserEnvironment

SAID = '<p role="status" id="said"></p><script>function say(t){said.textContent=t;fetch("/said",{method:"POST",body:t})}</script>'


class Site(ThreadingHTTPServer):
    """One page, or some by their paths; what it was sent, and where."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.show("")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def told(self) -> list[str]:
        return [body for _, body in self.sent]

    def show(self, page: str, pages: dict[str, str] | None = None, answer: str = "<h1>Thank you</h1>") -> None:
        self.page, self.pages, self.answer = page, pages or {}, answer
        self.sent: list[tuple[str, str]] = []
        self.approving, self.changed = threading.Event(), threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/wait":
            self.server.approving.wait(DEADLINE)
        elif self.path == "/changed":
            self.server.changed.set()
        self._say(
            f"<!doctype html><meta charset=utf-8><title>Site</title>{self.server.pages.get(self.path, self.server.page)}{SAID}"
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.sent.append((self.path, body))
        self._say(self.server.answer)

    def _say(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def browser(site: Site, chromium: str) -> Iterator[BrowserEnvironment]:
    made = BrowserEnvironment(site.url, allowed_hosts=("127.0.0.1",))
    yield made
    made.close()
