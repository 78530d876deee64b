"""A server of MCP, connected to anew for each question: one that died meanwhile is none the worse.

Settings say where servers are, and are read by every command: what asks them is imported where they are asked.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from protocol import Frozen
from protocol.http_bounds import TooMuch, bound
from protocol.retries import Overload, Retries, asked_for

MOST_TOOLS = 200
"""Tools of one server."""


class McpAddress(Frozen):
    """Where a server is: one that is started here (`command`), or one that runs already (`url`)."""

    command: tuple[str, ...] = ()
    """The program and its arguments; no shell reads them."""
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    seconds: float = Field(default=30.0, gt=0)
    """A question that takes longer is not waited for."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("an MCP server needs either a command that starts it or the url at which it runs")
        return self


class McpFault(Exception):
    """There is no answer; the message is one sentence. `how` says what may have come of the question all the same."""

    def __init__(self, why: str, how: Literal["unreached", "refused", "silent"] = "unreached") -> None:
        """Not reached: nothing was asked. Refused: the server itself said no. Silent: it was asked, and nobody knows."""
        super().__init__(why)
        self.how: Literal["unreached", "refused", "silent"] = how


class _NotReached(Overload, McpFault):
    """It was not reached, and may be the next time: nothing was asked of it."""

    how: Literal["unreached", "refused", "silent"] = "unreached"


class McpServer:
    """One server, for whoever has a question; `name` and `limit` are what messages call it and its limit of time."""

    def __init__(self, name: str, address: McpAddress, limit: str, inside: Any = None, retries: Retries | None = None) -> None:
        """`inside` is what the SDK's client takes in place of a command or an address: a server in this process."""
        self.name = name
        self._address = address
        self._limit = limit
        self._inside = inside
        self._trying = (retries or Retries()).trying(lambda bad: isinstance(bad, _NotReached))

    def tools(self) -> list[Any]:
        """What it says that it can do. Raises McpFault."""
        return list(self.ask(tools_of))

    def ask(self, question: Callable[[Any], Awaitable[Any]]) -> Any:
        """What comes of `question`, which is given the SDK's client. Raises McpFault, also one that the question raises."""
        return self._trying(self._once, question)

    def _once(self, question: Callable[[Any], Awaitable[Any]]) -> Any:
        try:
            return _waited_for(self._answer(question))
        except BaseExceptionGroup as group:
            raise _first(group) from group

    async def _answer(self, question: Callable[[Any], Awaitable[Any]]) -> Any:
        import asyncio

        try:
            from mcp import Client
        except ImportError:
            raise McpFault(f'{self.name}: the MCP client is not installed; pip install "deskcrew[mcp]"') from None
        given = self._address
        asked = False
        try:
            async with asyncio.timeout(given.seconds), _way_to(given) as way, Client(self._inside or way) as client:
                asked = True
                return await question(client)
        except* McpFault as fault:
            raise _first(fault) from None
        except* TimeoutError:
            late = f"{self.name} did not answer within {given.seconds:g} seconds ({self._limit})"
            raise (McpFault(late, "silent") if asked else _NotReached(late)) from None
        except* Exception as bad:
            first = _first(bad)
            why = f"{self.name} cannot be asked: {type(first).__name__}: {str(first)[:300]}"
            if asked or isinstance(first, FileNotFoundError | PermissionError | TooMuch):  # the next time as well
                raise McpFault(why, "unreached" if not asked else "refused" if _is_answer(first) else "silent") from bad
            raise _NotReached(why, asked_for(first)) from bad


@asynccontextmanager
async def _way_to(address: McpAddress) -> AsyncIterator[Any]:
    """What the SDK's client takes for the address; what is answered over HTTP is bounded."""
    if address.url:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(timeout=address.seconds) as client:
            bound(client)
            yield streamable_http_client(address.url, http_client=client)
    else:
        from mcp import StdioServerParameters

        command, *args = address.command
        yield StdioServerParameters(command=command, args=args, env=address.env or None)


async def tools_of(client: Any) -> list[Any]:
    """All tools, over as many pages as the server likes."""
    found: list[Any] = []
    cursor = None
    while len(found) < MOST_TOOLS:
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def _is_answer(fault: BaseException) -> bool:
    """Whether the server itself said no: it did not break in the middle of it."""
    from mcp import MCPError

    return isinstance(fault, MCPError) and "closed" not in str(fault).casefold()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first failure of a group, however deep it lies."""
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


def _waited_for(answer: Coroutine[Any, Any, Any]) -> Any:
    """The answer, also where a loop is running already, as in a notebook or a server."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, answer).result()
