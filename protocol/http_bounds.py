"""What a server may answer over HTTP: so many bytes, none of them compressed, and of a call that waits for it so many seconds."""

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

MOST = 16_000_000
"""Bytes of one answer."""


class TooMuch(ValueError):
    """The answer is no longer read."""


def bound(client: Any, seconds: float = float("inf"), most: int = MOST) -> None:
    """Bound the answers to a client of `httpx` or `httpx2`, `async` or not: providers' packages have either."""

    def asked(request: Any) -> None:
        request.headers["accept-encoding"] = "identity"

    def answered(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise TooMuch("the answer is compressed, which was not asked for")
        base = next(kind for kind in type(response.stream).__mro__ if kind.__name__ in {"SyncByteStream", "AsyncByteStream"})
        response.stream = type("Body", (_Body, base), {})(response.stream, time.monotonic() + seconds, most)

    async def asked_async(request: Any) -> None:
        asked(request)

    async def answered_async(response: Any) -> None:
        answered(response)

    waits = hasattr(client, "aclose")
    client.event_hooks["request"].append(asked_async if waits else asked)
    client.event_hooks["response"].append(answered_async if waits else answered)


class _Body:
    """The bytes of an answer, counted."""

    def __init__(self, stream: Any, until: float, most: int) -> None:
        self._stream = stream
        self._until = until
        self._most = self._left = most

    def _counted(self, chunk: bytes) -> bytes:
        self._left -= len(chunk)
        if self._left < 0:
            raise TooMuch(f"the answer is longer than {self._most / 1_000_000:g} MB")
        if time.monotonic() > self._until:
            raise TimeoutError("the answer does not end")
        return chunk

    def __iter__(self) -> Iterator[bytes]:
        return map(self._counted, self._stream)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield self._counted(chunk)

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()
