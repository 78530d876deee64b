"""A server that shows one page at a time and writes down everything that reaches it: requests, frames of sockets, datagrams."""

from __future__ import annotations

import base64
import hashlib
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from urllib.parse import unquote_plus, urlsplit

_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_LONGEST = 100_000
"""Bytes of a body or a frame that are kept."""
_HEARD = 2.0
"""Seconds that a page has to say that it has changed."""
_QUIET = ("/signals", "/turned", "/favicon.ico")


class Recorder(ThreadingHTTPServer):
    """`pages` are what it shows now, by path; any other path is answered with a few words. `received` is all that came."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, str] = {}
        self.received: list[str] = []
        self._signal, self.turned, self._ended = threading.Condition(), threading.Event(), False
        self._datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._datagrams.bind(("127.0.0.1", 0))
        for work in (partial(self.serve_forever, poll_interval=0.05), self._listen):
            threading.Thread(target=work, name="deskcrew-recorder", daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def show(self, pages: Mapping[str, str]) -> None:
        """From here on it has these pages, with its own ports in them."""
        self.pages = {path: self.filled(text) for path, text in pages.items()}

    def filled(self, text: str) -> str:
        """A text with the server's own ports in it."""
        return text.replace("{port}", str(self.server_port)).replace("{udp}", str(self._datagrams.getsockname()[1]))

    def turn(self) -> None:
        """Tell the page that is open to change, and wait until it says that it has."""
        self.turned.clear()
        with self._signal:
            self._signal.notify_all()
        self.turned.wait(_HEARD)

    def close(self) -> None:
        """Twice is fine."""
        with self._signal:
            self._ended = True
            self._signal.notify_all()
        self.shutdown()
        self.server_close()
        self._datagrams.close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle of an answer is no error."""

    def note(self, line: str) -> None:
        if urlsplit(line.split(" ", 2)[1]).path not in _QUIET:
            self.received.append(line.rstrip())

    def signals(self, out: BufferedIOBase) -> None:
        """A line for each turn, for as long as somebody reads."""
        with self._signal, suppress(OSError):
            while not self._ended:
                out.write(b": here\n\n")
                out.flush()
                if self._signal.wait(5.0):
                    out.write(b"data: turn\n\n")

    def _listen(self) -> None:
        while True:
            try:
                self._datagrams.recvfrom(2048)
            except OSError:
                return
            self.note("UDP /datagram")


class _Handler(BaseHTTPRequestHandler):
    server: Recorder

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._take()

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET

    def _take(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _LONGEST)).decode("utf-8", "replace")
        form = self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded")
        path = urlsplit(self.path).path
        self.server.note(f"{self.command} {self.path} {unquote_plus(body) if form else body}")
        if self.headers.get("Upgrade", "").casefold() == "websocket":
            return self._frames()
        if path == "/turned":
            self.server.turned.set()
        if path == "/signals":
            self._say("text/event-stream", None)
            return self.server.signals(self.wfile)
        page = self.server.pages.get(path)
        kind = "text/javascript" if path.endswith(".js") else "application/json" if path.endswith(".json") else "text/html"
        if page is not None and page.startswith("-> "):
            self.send_response(302)
            self.send_header("Location", page[3:].strip())
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self._say(kind, ("<!doctype html><title>Done</title><h1>Done</h1>" if page is None else page).encode())

    def _say(self, kind: str, content: bytes | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Allow-Methods", "*")
        if "/download" in self.path:
            self.send_header("Content-Disposition", "attachment")
        if content is not None:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if content is not None and self.command != "HEAD":
            self.wfile.write(content)

    def _frames(self) -> None:
        """The other side of a WebSocket: it says nothing, and writes down what it hears."""
        key = self.headers.get("Sec-WebSocket-Key", "").encode()
        accept = base64.b64encode(hashlib.sha1(key + _ACCEPT, usedforsecurity=False).digest()).decode()
        said = (
            f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n"
        )
        self.wfile.write(f"{said}\r\n".encode())
        self.wfile.flush()
        while head := self.rfile.read(2):
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self.rfile.read(2 if size == 126 else 8))
            if size > _LONGEST or head[0] & 0x0F == 8:
                return
            mask, data = self.rfile.read(4), self.rfile.read(size)
            text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)).decode("utf-8", "replace")
            self.server.note(f"FRAME {self.path} {text}")
