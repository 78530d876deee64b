"""Faults for any environment: what goes wrong between an agent and a surface, seeded and bound to keys.

Whether a fault strikes is a function of the seed, the fault, the action and its place in the run, which is its key without the
run's own name; only `times` counts, in a record that may be kept beside the run. So a run that is resumed, and another one that
does the same, meets the same faults; a key that was used before is answered from the record.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from fnmatch import fnmatchcase
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from environments.contract import DigestMismatch, Environment, EnvironmentFault, EnvironmentWrapper
from environments.effects import Change
from protocol import (
    Action,
    ActionResult,
    ExecStatus,
    Fill,
    Frozen,
    PressKey,
    Resolved,
    TargetError,
    Type,
    VisualState,
    resolve,
    target_element,
)


class FaultKind(StrEnum):
    """What goes wrong."""

    SWALLOW = "swallow"
    """The action is reported as done and has no effect."""
    NOT_SAVED = "not_saved"
    """A network error before it had its effect."""
    SAVED_ANYWAY = "saved_anyway"
    """A network error after it had its effect: who tries again does it twice."""
    TIMEOUT = "timeout"
    """No answer in time; it had no effect."""
    TWICE = "twice"
    """The surface takes the action twice, as a bouncing button does."""
    BREAK = "break"
    """The adapter breaks before the action: an EnvironmentFault."""
    STALE = "stale"
    """The target is no longer there although it was just seen."""
    EXPIRED = "expired"
    """The session is over; the action had no effect."""
    FOCUS = "focus"
    """The keyboard's focus goes on to another control before something is typed."""
    AUTOCOMPLETE = "autocomplete"
    """Only the first half of what is typed arrives, with the fault's text at its end."""


DOES_OTHERWISE = {FaultKind.TWICE, FaultKind.AUTOCOMPLETE, FaultKind.FOCUS}
"""What is done is not what was asked for."""
DRY = {
    FaultKind.SWALLOW: (ExecStatus.EXECUTED, ""),
    FaultKind.NOT_SAVED: (ExecStatus.ERROR, "the network is down; nothing was saved"),
    FaultKind.TIMEOUT: (ExecStatus.TIMEOUT, "the application did not answer in time"),
    FaultKind.EXPIRED: (ExecStatus.ERROR, "the session has expired; sign in again"),
    FaultKind.STALE: (ExecStatus.ERROR, "the element is no longer on the screen; observe again"),
}


class Fault(Frozen):
    """One thing that may go wrong, and when. Names are globs."""

    kind: FaultKind
    rate: float = Field(default=1.0, ge=0.0, le=1.0)
    """The share of matching actions that it strikes."""
    verbs: tuple[str, ...] = ("click", "type", "fill", "press_key", "select_option", "drag", "scroll")
    apps: tuple[str, ...] = ("*",)
    targets: tuple[str, ...] = ("*",)
    times: int | None = Field(default=None, ge=1)
    """At most so often; without end when left out."""
    text: str = ""
    """What the error says, or what stands at the end of what is typed."""

    @classmethod
    def of(cls, words: str) -> "Fault":
        """The fault that `KIND` or `KIND:RATE` means. Raises ValueError in one sentence."""
        kind, _, rate = words.partition(":")
        if kind not in set(FaultKind):
            raise ValueError(f"there is no fault {kind!r}; there are {', '.join(FaultKind)}")
        try:
            share = float(rate or 1)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            raise ValueError(f"{rate!r} is not a rate; write a number from 0 to 1, such as {kind}:0.2")
        return cls(kind=FaultKind(kind), rate=share)

    def matches(self, action: Action, app: str, target: str) -> bool:
        return (
            action.verb in self.verbs
            and any(fnmatchcase(app, glob) for glob in self.apps)
            and any(fnmatchcase(target, glob) for glob in self.targets)
        )


class FaultedResult(NamedTuple):
    """An action with its result, or without one when the surface broke; `kind` is the fault that struck, if one did."""

    key: str
    digest: str
    kind: str
    verb: str
    target: str
    result: ActionResult | None


class FaultRecord:
    """A line of JSON for each action. Without a path it goes with the process."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.done: list[FaultedResult] = []
        if path is not None and path.exists():
            self.done = [done for line in path.read_text(encoding="utf-8").splitlines() if (done := _read(line))]

    def add(self, done: FaultedResult) -> None:
        self.done.append(done)
        if self._path is None:
            return
        body = done._asdict() | {"result": done.result.model_dump(mode="json") if done.result else None}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" + json.dumps(body))
        except OSError as bad:
            raise EnvironmentFault(f"{self._path}: the record of faults cannot be written: {bad.strerror}") from bad

    def clear(self) -> None:
        self.done.clear()
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _read(line: str) -> FaultedResult | None:
    """None for a line that was cut short: what it stood for is done again under the same key, with the same fault."""
    try:
        body = json.loads(line)
        result = body.pop("result")
        return FaultedResult(**body, result=ActionResult.model_validate(result) if result else None)
    except (ValueError, TypeError, AttributeError):
        return None


_FOCUS, _TWICE = "/focus", "/twice"
"""How the key of what a fault does besides the action goes on."""


class FaultyEnvironment(EnvironmentWrapper):
    """An environment in which things go wrong. The inner one is never told; its other capabilities are passed on as they are."""

    PASSED = ("control", "apps", "peek", "world", "received", "snapshot", "restore", "functions", "agents", "screenshot",
              "environment_type", "files", "clock", "now", "cards", "written", "guard", "admit", "held")  # fmt: skip
    TURNED = ("preview", "latest_keys")
    computes = True

    def __init__(self, inner: Environment, faults: Sequence[Fault], seed: int = 0, record: Path | None = None) -> None:
        self.name = f"faulty:{inner.name}"
        self._record = FaultRecord(record)
        self.inner = inner
        self._faults = tuple(faults)
        self._seed = seed
        self._done = {done.key: done for done in self._record.done if done.result is not None}
        self._counts = Counter(done.kind for done in self._record.done)

    @property
    def struck(self) -> list[FaultedResult]:
        """The actions that a fault struck, in order: for judging, and never shown to a role."""
        return [done for done in self._record.done if done.kind]

    def reset(self, *, seed: int | None = None) -> VisualState:
        self._seed = self._seed if seed is None else seed
        self._done.clear()
        self._counts.clear()
        self._record.clear()
        self.inner.reset(seed=seed)
        return self.observe()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        if known := self._done.get(key):
            if known.digest != action.digest:
                raise DigestMismatch(f"key {key!r} was used before for another action")
            assert known.result is not None  # noqa: S101 - only those with a result are kept
            return known.result
        app, target = self._aim(action)
        fault = self._striking(action, key, app, target)
        broken = fault is not None and fault.kind is FaultKind.BREAK
        result = None if broken else self._do(fault, action, key)
        done = FaultedResult(key, action.digest, "" if fault is None else str(fault.kind), action.verb, target, result)
        self._record.add(done)
        self._counts[done.kind] += bool(done.kind)
        if result is None:
            raise EnvironmentFault((fault and fault.text) or "the session was lost")
        self._done[key] = done
        return result

    def _preview(self, action: Action) -> Sequence[Change] | None:
        """What it changes where no fault strikes: unknown where one may do more."""
        app, target = self._aim(action)
        may = (f for f in self._faults if f.kind in DOES_OTHERWISE and f.rate and f.matches(action, app, target))
        if any(_concerns(fault, action) and not self._spent(fault) for fault in may):
            return None
        found: Sequence[Change] | None = self.inner.preview(action)  # type: ignore[attr-defined]  # only there where the inner one can
        return found

    def _latest_keys(self, most: int) -> list[str]:
        """Of what was asked for: with what a fault swallowed, and without what one did besides."""
        within = [key for key in self.inner.latest_keys(2 * most) if not key.endswith((_FOCUS, _TWICE))]  # type: ignore[attr-defined]  # as above
        # A kill between the two leaves a key in one of them alone, so the newest of both come first.
        both = zip_longest(within, islice(reversed(self._done), most))
        return list(dict.fromkeys(key for pair in both for key in pair if key is not None))[:most]

    def _striking(self, action: Action, key: str, app: str, target: str) -> Fault | None:
        """The fault that takes this action."""
        for number, fault in enumerate(self._faults):
            if not fault.matches(action, app, target) or not _concerns(fault, action):
                continue
            if not self._spent(fault) and self._chance(number, f"{key.partition('/')[2] or key}/{action.digest}") < fault.rate:
                return fault
        return None

    def _do(self, fault: Fault | None, action: Action, key: str) -> ActionResult:
        if fault is None:
            return self.inner.perform(action, key=key)
        if fault.kind in DRY:
            status, said = DRY[fault.kind]
            error = (fault.text or said) if status is not ExecStatus.EXECUTED else ""
            resolved = _resolved(action, self.inner.observe()) if status is ExecStatus.EXECUTED else None
            return ActionResult(exec_status=status, error=error, resolved=resolved)
        if fault.kind is FaultKind.FOCUS:
            self.inner.perform(PressKey(keys=("Tab",)), key=f"{key}{_FOCUS}")
        if fault.kind is FaultKind.AUTOCOMPLETE and isinstance(action, Type | Fill):
            action = action.model_copy(update={"text": action.text[: (len(action.text) + 1) // 2] + fault.text})
        result = self.inner.perform(action, key=key)
        if fault.kind is FaultKind.TWICE:
            self.inner.perform(action, key=f"{key}{_TWICE}")
        if fault.kind is not FaultKind.SAVED_ANYWAY:
            return result
        return ActionResult(exec_status=ExecStatus.ERROR, error=fault.text or "the network is down", resolved=result.resolved)

    def _spent(self, fault: Fault) -> bool:
        return fault.times is not None and self._counts[str(fault.kind)] >= fault.times

    def _chance(self, number: int, what: str) -> float:
        """A number in 0..1 that is the same in every process for the same seed, fault and key."""
        body = f"{self._seed}/{number}/{what}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(body, digest_size=6).digest(), "big") / 2**48

    def _aim(self, action: Action) -> tuple[str, str]:
        """The app that is worked in and the name of what is aimed at."""
        state = self.inner.observe()
        focused = (e for e in state.elements if e.focused)
        element = next(focused, None) if action.target is None else target_element(action.target, state)
        app = (element.app if element is not None else None) or state.app or ""
        return app, element.name if element is not None else ""


def _resolved(action: Action, state: VisualState) -> Resolved | None:
    with suppress(TargetError):
        return None if action.target is None else resolve(action.target, state)
    return None


def _concerns(fault: Fault, action: Action) -> bool:
    """Whether a fault can do anything to such an action."""
    if fault.kind is FaultKind.FOCUS:
        return isinstance(action, Type) and action.target is None
    return isinstance(action, Type | Fill) if fault.kind is FaultKind.AUTOCOMPLETE else True
