"""Real pages on localhost, and a hand on a browser that shows them."""

import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from environments.browser import BrowserEnvironment
from protocol import Action, ActionResult, ActionTarget, Click, Fill, GUIElement, Navigate, VisualState

PAGES = Path(__file__).parent / "pages"


class Site(ThreadingHTTPServer):
    """The pages, and a server that remembers what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Pages, directory=str(PAGES)))
        self.saved: list[str] = []
        self.hits: list[str] = []

    def url(self, path: str, host: str = "localhost") -> str:
        return f"http://{host}:{self.server_port}/{path}"


class _Pages(SimpleHTTPRequestHandler):
    server: Site

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.hits.append(f"{self.headers.get('Host', '').split(':')[0]}{self.path}")
        match self.path:
            case "/slow":
                time.sleep(0.8)
                self._say(200, b"loaded at last")
            case "/report.csv":
                self._say(200, b"a,b\n1,2\n", ("Content-Disposition", 'attachment; filename="../re:port.csv"'))
            case "/redirect":
                self._say(302, b"", ("Location", self.server.url("hit", "127.0.0.1")))
            case _:
                super().do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.saved.append(body.decode())
        self._say(500, b"the answer was lost")

    def _say(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Surfer:
    """Acts on a browser by the words on the page, each time under a new key."""

    def __init__(self, env: BrowserEnvironment, site: Site, test: str) -> None:
        self.env, self.site, self.test, self.count = env, site, test, 0

    def do(self, action: Action) -> ActionResult:
        self.count += 1
        return self.env.perform(action, key=f"{self.test}/{self.count}")

    def open(self, page: str) -> VisualState:
        result = self.do(Navigate(url=self.site.url(page)))
        assert result.ok, result.error
        return self.see()

    def see(self) -> VisualState:
        return self.env.observe()

    def click(self, text: str, **more: Any) -> ActionResult:
        return self.do(Click(target=ActionTarget(text=text), **more))

    def fill(self, name: str, text: str, **more: Any) -> ActionResult:
        return self.do(Fill(target=ActionTarget(text=name), text=text, **more))

    def one(self, name: str, role: str | None = None) -> GUIElement:
        found = [e for e in self.see().elements if e.text == name and role in (None, e.role)]
        assert len(found) == 1, (name, [(e.role, e.text) for e in self.see().elements])
        return found[0]

    def texts(self) -> list[str]:
        return [e.name for e in self.see().elements]


@pytest.fixture(scope="session", autouse=True)
def needed(chromium: str) -> None:
    """Everything here is skipped without a Chromium."""


@pytest.fixture(scope="session")
def site(chromium: str) -> Iterator[Site]:
    with Site() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in ("downloads", "uploads")}


@pytest.fixture(scope="session")
def shared(site: Site, folders: dict[str, Path]) -> Iterator[BrowserEnvironment]:
    env = BrowserEnvironment(site.url("index.html"), allowed_hosts=("localhost",), **folders)
    yield env
    env.close()


@pytest.fixture
def surf(shared: BrowserEnvironment, site: Site, request: pytest.FixtureRequest) -> Surfer:
    """The browser that all tests share, with a fresh profile."""
    shared.reset(seed=1)
    return Surfer(shared, site, request.node.nodeid)
