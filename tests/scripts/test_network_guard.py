"""What keeps every test on this machine."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest


def test_nothing_leaves_this_machine() -> None:
    with pytest.raises(OSError, match="tests stay on this machine"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(OSError, match="tests stay on this machine"):
        socket.getaddrinfo("example.com", 443)


def test_nothing_that_a_test_starts_leaves_it_either() -> None:
    code = "import urllib.request as r; r.urlopen('http://192.0.2.1/', timeout=1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "tests stay on this machine" in done.stderr


def test_the_machine_itself_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
