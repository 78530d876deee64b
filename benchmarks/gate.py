"""What the gate of the browser costs: the same presses and pages with requests held and not looked at, in turn."""

from __future__ import annotations

import argparse
import threading
import time
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from typing import Any

from environments.browser import BrowserEnvironment
from environments.effects import Effect, Network, Permit
from protocol import Action, ActionTarget, Click, Navigate

_PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        picture = self.path.startswith("/p")
        body = _PICTURE if picture else _page()
        self.send_response(200)
        self.send_header("Content-Type", "image/svg+xml" if picture else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def _page() -> bytes:
    send = "fetch('/p?' + Math.random()).then((r) => r.text())"
    rows = "".join(f"<tr><td>Row {n}<td><img src=/p{n}>" for n in range(40))
    return f"<button onclick=\"{send}; this.title += '.'\">Show</button><table>{rows}</table>".encode()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=20)
    rounds = arguments.parse_args().rounds
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        url = f"http://localhost:{site.server_port}/"
        env = BrowserEnvironment(url, allowed_hosts=("localhost",))
        env.reset()
        press = Click(target=ActionTarget(text="Show"))
        taken: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds):
            for mode in ("off", "hold") if number % 2 else ("hold", "off"):
                env.guard(Network(mode=mode))
                for what, action in (("page of 40 pictures", Navigate(url=url)), ("press", press)):
                    taken.setdefault((what, mode), []).append(_timed(partial(_perform, env, action, f"{number}/{mode}/{what}")))
        env.close()
        site.shutdown()
    for what in ("page of 40 pictures", "press"):
        off, hold = (1000 * median(taken[what, mode]) for mode in ("off", "hold"))
        print(f"{what}: off {off:.0f} ms, hold {hold:.0f} ms, {100 * (hold / off - 1):+.1f} %")


def _perform(env: BrowserEnvironment, action: Action, key: str) -> None:
    control = env.control(action)
    env.admit(key, Permit(effects=(Effect.NAVIGATE,), control=control.parts if control else None))
    result = env.perform(action, key=key)
    if not result.ok:
        raise RuntimeError(result.error)


def _timed(work: partial[None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
