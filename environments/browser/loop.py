"""A thread with an event loop: what a browser does goes on there, so that any thread may ask for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import TimeoutError as Late
from typing import Any, TypeVar

from environments.contract import EnvironmentFault

T = TypeVar("T")


class LoopThread:
    """Runs coroutines one after another; a browser belongs to the loop that started it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="browser", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """The result. Raises EnvironmentFault when there is none within `seconds`."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except Late:
            if not future.done():
                future.cancel()
                raise EnvironmentFault(f"the browser did not answer within {seconds:g} seconds") from None
            raise

    def stop(self) -> None:
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_cancel_rest(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


async def _cancel_rest() -> None:
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
