"""An HTTP server on this machine that is busy at first."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def flaky(*answers: tuple[int, dict[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Gives these answers one after the other, and then a page; with what was asked."""
    left, asked = list(answers), list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            code, headers = left.pop(0) if left and self.path == "/" else (200, {})
            self.send_response(code)
            for name, value in (headers | {"Content-Type": "text/html"}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"<title>Here</title><button>Go on</button>" if code == 200 else b"busy")

        def log_message(self, *_: object) -> None:
            return None

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{made.server_port}/", asked
    finally:
        made.shutdown()
        made.server_close()
