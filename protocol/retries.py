"""Trying again what may work a moment later: how often, and how long is waited before. One policy for all that is asked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field

from protocol.model.geometry import Frozen, JsonObject

if TYPE_CHECKING:
    from tenacity import AsyncRetrying, RetryCallState, Retrying

PASSING = frozenset({408, 409, 425, 429}) | frozenset(range(500, 600))
"""Answers of HTTP that may be others a moment later."""
_PASSING_NAMES = frozenset(
    {"APIConnectionError", "APITimeoutError", "RateLimitError", "InternalServerError", "OverloadedError", "TransportError"}
)
"""Of exceptions of the clients of others."""


class Overload(Exception):
    """It may work a little later, `after` so many seconds where it says that itself."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


def passes(fault: BaseException) -> bool:
    """Whether trouble of this kind may be over the next time: connections, time-outs, 429, 5xx."""
    status = status_of(fault)
    if status is not None:
        return status in PASSING
    if isinstance(fault, Overload | ConnectionError | TimeoutError):
        return True
    return any(kind.__name__ in _PASSING_NAMES for kind in type(fault).__mro__)


def status_of(fault: BaseException) -> int | None:
    """What a server answered, as the clients of others tell it."""
    response = getattr(fault, "response", None)
    for holder in (fault, response):
        for name in ("status_code", "code", "http_status"):  # httpx and most; Google's; Cohere's and others'
            status = getattr(holder, name, None)
            if isinstance(status, int) and 100 <= status < 600:
                return int(status)
    status = _of_amazon(response).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def _of_amazon(response: Any) -> Mapping[str, Any]:
    told = response.get("ResponseMetadata") if isinstance(response, Mapping) else None
    return told if isinstance(told, Mapping) else {}


class Retries(Frozen):
    """How often models, searches, MCP servers and start pages are asked while they are busy or out of reach."""

    tries: int = Field(default=4, ge=1, le=100)
    """How often in all; 1 does not ask again."""
    wait: float = Field(default=0.5, ge=0)
    """Seconds before the second try; doubled for each one after it, with jitter. `Retry-After` asks for more."""
    longest: float = Field(default=30.0, gt=0)
    """Seconds between two tries at most, whatever a server asks for."""

    def trying(
        self,
        passing: Callable[[BaseException], bool] = passes,
        *,
        sleep: Callable[[float], None] = time.sleep,
        enough: Callable[[float], bool] = lambda upcoming: False,
    ) -> Retrying:
        """Calls what it is given until it works; its last failure is raised. `enough` of the next wait ends it before."""
        from tenacity import Retrying  # here, since settings are read without it

        return Retrying(sleep=sleep, **self._given(passing, enough))

    def trying_async(
        self, passing: Callable[[BaseException], bool] = passes, *, enough: Callable[[float], bool] = lambda upcoming: False
    ) -> AsyncRetrying:
        """The same for what is awaited."""
        from tenacity import AsyncRetrying

        return AsyncRetrying(**self._given(passing, enough))

    def _given(self, passing: Callable[[BaseException], bool], enough: Callable[[float], bool]) -> JsonObject:
        from tenacity import retry_if_exception, stop_after_attempt

        stop = stop_after_attempt(self.tries)
        end = {"stop": lambda state: stop(state) or enough(state.upcoming_sleep)}
        return {"retry": retry_if_exception(passing), "wait": self._pause, "reraise": True, **end}

    def _pause(self, state: RetryCallState) -> float:
        from tenacity import wait_exponential, wait_random

        grown = wait_exponential(multiplier=self.wait, max=self.longest)(state) + wait_random(0, self.wait)(state)
        return min(self.longest, max(grown, asked_for(state.outcome.exception() if state.outcome else None) or 0.0))


def asked_for(fault: BaseException | None) -> float | None:
    """Seconds for which a failure says to wait."""
    if isinstance(fault, Overload):
        return fault.after
    response = getattr(fault, "response", None)
    headers = _of_amazon(response).get("HTTPHeaders") or getattr(response, "headers", None)
    delay = re.search(r"'retryDelay': '([0-9.]{1,9})s'", str(getattr(fault, "details", "")))  # Google says it in the body
    return float(delay[1]) if delay else retry_after(headers)


def retry_after(headers: Mapping[str, Any] | None, now: float | None = None) -> float | None:
    """Seconds for which `Retry-After` asks, said as a number or as a date of HTTP; None where it says neither."""
    exact = str((headers or {}).get("retry-after-ms", "")).strip()  # OpenAI's and Azure's
    if re.fullmatch(r"[0-9]{1,9}", exact):
        return float(exact) / 1_000
    said = str((headers or {}).get("retry-after", "")).strip()
    if re.fullmatch(r"[0-9]{1,9}", said):
        return float(said)
    try:
        date = parsedate_to_datetime(said)
    except (TypeError, ValueError):
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - (time.time() if now is None else now))
