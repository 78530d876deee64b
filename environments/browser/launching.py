"""Which browser is started, and how."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from environments.contract import EnvironmentFault

VARIABLE = "DESKCREW_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium(given: Path | str | None = None) -> str:
    """The executable: what was given, the environment variable, the first on PATH. Raises EnvironmentFault."""
    for where, path in (("executable", given), (VARIABLE, os.environ.get(VARIABLE))):
        if path:
            found = shutil.which(str(path))
            if found is None:
                raise EnvironmentFault(f"{where} is {str(path)!r}, which is not a program that can be started")
            return found
    for name in NAMES:
        if found := shutil.which(name):
            return found
    raise EnvironmentFault(
        f"no Chromium was found ({', '.join(NAMES)} on PATH): install one (apt-get install chromium), or name it in {VARIABLE}"
    )


def need_playwright() -> None:
    """Raises EnvironmentFault where the extra is not installed."""
    try:
        import playwright.async_api  # noqa: F401 - only whoever opens a browser needs it
    except ImportError:
        raise EnvironmentFault("the browser needs Playwright: pip install 'deskcrew[browser]'") from None


def flags(allowed_hosts: Sequence[str]) -> list[str]:
    """Command line of Chromium. Names outside the allowed hosts do not resolve: this also holds for redirects and sockets."""
    given = [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        # Sockets are opened by the gate, and by no page or worker: this proxy is none, and only they would use it.
        "--proxy-server=http=direct://;https=direct://;socks=127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    ]
    if "*" not in allowed_hosts:
        rules = ["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in allowed_hosts)]
        given.append(f"--host-resolver-rules={' , '.join(rules)}")
    return given
