"""An environment that is not waited for without end: each call has its time, after which the run goes on or stops.

The calls are made by one thread, one after another. One that hangs is left behind in it, and the thread ends with the process.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

from environments.contract import Environment
from protocol import Action, ActionResult, ExecStatus, VisualState
from roles.contracts.nodes import RunBlocked

_T = TypeVar("_T")
_CALLS = ("apps", "cards", "peek", "world", "received", "snapshot", "restore", "fork", "functions", "agents", "screenshot",
          "files", "seat", "seats", "meant", "latest_keys", "written", "preview",
          "guard", "control", "admit", "held")  # fmt: skip
_VALUES = ("environment_type", "clock", "now")
_LEAVING = 5.0
"""Seconds for closing: nobody waits for the result."""


class TimedEnvironment:
    """An environment with a time for each call. It can what the inner one can.

    An action that takes longer is a result, TIMEOUT: what comes of it late is seen on the screen. Anything else that takes
    longer is a Standstill, and so is a screen that cannot be had because an action still goes on.
    """

    def __new__(cls, inner: Environment, seconds: float) -> TimedEnvironment:
        made: TimedEnvironment = object.__new__(_with(tuple(name for name in (*_CALLS, *_VALUES) if hasattr(inner, name))))
        return made

    def __init__(self, inner: Environment, seconds: float) -> None:
        self.name = inner.name
        self.inner = inner
        self.seconds = seconds
        self._caller = _Caller()

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.within(lambda: self.inner.reset(seed=seed))

    def observe(self) -> VisualState:
        return self.within(self.inner.observe)

    def perform(self, action: Action, *, key: str) -> ActionResult:
        try:
            return self._caller.call(lambda: self.inner.perform(action, key=key), self.seconds)
        except CallTimeout:
            late = f"{self.name} did not answer within {self.seconds:g} seconds (limits.action_seconds)"
            return ActionResult(exec_status=ExecStatus.TIMEOUT, error=late)

    def close(self) -> None:
        try:
            self._caller.call(self.inner.close, min(self.seconds, _LEAVING))
        except CallTimeout:
            return

    def within(self, work: Callable[[], _T]) -> _T:
        """The result of a call that has to have one. Raises RunBlocked."""
        try:
            return self._caller.call(work, self.seconds)
        except CallTimeout:
            raise RunBlocked(
                f"The environment {self.name} has not answered for {self.seconds:g} seconds; see what holds it up, "
                "or give it more time (limits.action_seconds)"
            ) from None


class CallTimeout(Exception):
    """There was no result in time."""


class _Job:
    """One call and what comes of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._context = contextvars.copy_context()
        self.done = threading.Event()
        self.result: Any = None
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._context.run(self._work)
        except BaseException as fault:  # noqa: BLE001 - handed to the caller, who raises it
            self.fault = fault
        self.done.set()


class _Caller:
    """One thread that makes calls in turn."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._latest: _Job | None = None
        self._thread: threading.Thread | None = None

    def call(self, work: Callable[[], _T], seconds: float) -> _T:
        """The result of `work`. Raises Late when it, or a call before it, takes longer than `seconds`."""
        if self._latest is not None and not self._latest.done.wait(seconds):
            raise CallTimeout
        if self._thread is None:
            self._thread = threading.Thread(target=self._go_on, name="deskcrew-environment", daemon=True)
            self._thread.start()
        self._latest = job = _Job(work)
        self._jobs.put(job)
        if not job.done.wait(seconds):
            raise CallTimeout
        if job.fault is not None:
            raise job.fault
        result: _T = job.result
        return result

    def _go_on(self) -> None:
        while True:
            self._jobs.get().run()


@cache
def _with(names: tuple[str, ...]) -> Any:
    """A class that has these capabilities too, so that `isinstance` with their protocols holds."""
    passed = {name: property(_value(name) if name in _VALUES else _call(name)) for name in names}
    return type("Bounded", (TimedEnvironment,), passed)


def _value(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(self.inner, name)


def _call(name: str) -> Callable[[Any], Any]:
    return lambda self: lambda *given, **named: self.within(lambda: getattr(self.inner, name)(*given, **named))
