"""A call that is waited for no longer than it may take, whatever it does."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Late(Exception):
    """There was no result in time."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """The result of `work`. Raises Late when it takes longer; it is then left behind, and ends with the process."""
    result: list[Any] = []
    faults: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result.append(context.run(work))
        except BaseException as fault:  # noqa: BLE001 - handed to the caller, who raises it
            faults.append(fault)

    thread = threading.Thread(target=run, name="deskcrew-tool", daemon=True)
    thread.start()
    thread.join(seconds)
    if faults:
        raise faults[0]
    if not result:
        raise Late
    found: T = result[0]
    return found
