"""Servers that answer without end: read up to a bound, and told in a sentence."""

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import httpx2
import pytest

from protocol.http_bounds import MOST, TooMuch, bound
from roles.contracts.limits import Limits
from roles.journal.journal import Journal
from roles.policies.llm.calls import Breaker, Caller, Clocks, Question
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.settings import ModelSettings
from roles.policies.scripted_model import ScriptedChatModel
from roles.skills.chain_tools import McpServer, tools_of
from roles.skills.contract import McpAddress, NoAnswer

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


def endless(to: socket.socket) -> None:
    to.sendall(HEAD + b"\r\n[")
    while True:
        to.sendall(b"1," * 30_000)


def dripping(to: socket.socket) -> None:
    to.sendall(HEAD + b"\r\n")
    while True:
        to.sendall(b" ")
        time.sleep(0.05)


def compressed(to: socket.socket) -> None:
    body = gzip.compress(b"1" * 10_000)
    to.sendall(HEAD + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


def plain(to: socket.socket) -> None:
    to.sendall(HEAD + b"content-length: 2\r\n\r\n{}")


@pytest.fixture
def serving() -> Iterator[Callable[[Callable[[socket.socket], None]], str]]:
    """The address of a server that answers everybody in one way."""
    listening: list[socket.socket] = []

    def answered(way: Callable[[socket.socket], None], to: socket.socket) -> None:
        try:
            to.recv(65_536)
            way(to)
        except OSError:  # whoever asked has gone
            pass
        finally:
            to.close()

    def serve(way: Callable[[socket.socket], None]) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        listening.append(server)

        def accept() -> None:
            while True:
                try:
                    to, _ = server.accept()
                except OSError:  # closed
                    return
                threading.Thread(target=answered, args=(way, to), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/"

    yield serve
    for server in listening:
        server.close()


def got(package: Any, address: str, seconds: float) -> Any:
    with package.Client(timeout=20) as client:
        bound(client, seconds)
        return client.get(address).json()


def got_waiting(package: Any, address: str, seconds: float) -> Any:
    async def ask() -> Any:
        async with package.AsyncClient(timeout=20) as client:
            bound(client, seconds)
            return (await client.get(address)).json()

    return asyncio.run(ask())


@pytest.mark.parametrize("package", [httpx, httpx2])
@pytest.mark.parametrize("ask", [got, got_waiting])
def test_an_answer_is_bounded_by_its_bytes_and_its_time_and_is_not_unpacked(serving, package, ask):
    assert ask(package, serving(plain), 30) == {}
    with pytest.raises(TooMuch, match=f"longer than {MOST // 1_000_000} MB"):
        ask(package, serving(endless), 30)
    with pytest.raises(TooMuch, match="compressed"):
        ask(package, serving(compressed), 30)
    with pytest.raises(TimeoutError, match="does not end"):
        ask(package, serving(dripping), 0.3)


@pytest.mark.parametrize(("way", "seconds", "said"), [(endless, 30, "longer than 16 MB"), (dripping, 1, "within 1 seconds")])
def test_a_server_of_mcp_that_answers_without_end_is_a_fault_in_words(serving, way, seconds, said):
    pytest.importorskip("mcp", reason='the MCP client is not installed; pip install "deskcrew[mcp]"')
    with pytest.raises(NoAnswer, match=said):
        McpServer("mcp x", McpAddress(url=serving(way), seconds=seconds), "skills.mcp.seconds").ask(tools_of)


def test_a_model_that_answers_without_end_is_an_answer_that_cannot_be_used(serving):
    settings = ModelSettings(name="given", timeout=30)
    model: Any = ScriptedChatModel(answer=lambda _: got(httpx2, serving(endless), 30))
    caller = Caller(model, settings, "operator", Journal(None, time.time), Limits(), Breaker(settings, Clocks()))
    with pytest.raises(UnusableReply, match="longer than 16 MB"):
        caller.call(Question([]), model)
