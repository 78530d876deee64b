"""Faults for any environment: what goes wrong between an agent and a surface, seeded and bound to keys.

Whether a fault strikes is a function of the seed, the fault and the action's key, never of a counter: a run that is resumed
meets the same faults, and a key that was used before is answered from the record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

from pydantic import Field, model_validator

from environments.contract import DigestMismatch, Environment, EnvironmentFault
from protocol import (
    Action,
    ActionResult,
    BoundingBox,
    ExecStatus,
    Extension,
    Frozen,
    GUIElement,
    PressKey,
    Resolved,
    TargetError,
    VisualState,
    resolve,
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
    RENAME = "rename"
    """A control has another name from here on."""
    HIDE = "hide"
    """A control cannot be reached, because something lies over it; it goes away after `times` attempts."""
    INJECT = "inject"
    """The screen says something that wants to instruct the agent."""


_ON_SCREEN = {FaultKind.RENAME, FaultKind.HIDE, FaultKind.INJECT}
_DRY = {
    FaultKind.SWALLOW: (ExecStatus.EXECUTED, ""),
    FaultKind.NOT_SAVED: (ExecStatus.ERROR, "the network is down; nothing was saved"),
    FaultKind.TIMEOUT: (ExecStatus.TIMEOUT, "the application did not answer in time"),
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
    """At most so often, counted in this process; without end when left out."""
    text: str = ""
    """What the error, the new name or the injected line says."""

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> Fault:
        if self.kind in (FaultKind.RENAME, FaultKind.INJECT) and not self.text:
            raise ValueError(f"a fault of kind {self.kind} needs a text")
        return self

    def matches(self, action: Action, app: str, target: str) -> bool:
        return (
            action.verb in self.verbs
            and any(fnmatchcase(app, glob) for glob in self.apps)
            and any(fnmatchcase(target, glob) for glob in self.targets)
        )


class Struck(NamedTuple):
    """A fault that struck: for the log and for judging, never shown to a role."""

    key: str
    kind: FaultKind
    verb: str
    target: str


_CAPABILITIES = ("apps", "peek", "world", "received", "snapshot", "restore", "functions", "agents", "screenshot")


class FaultyEnvironment:
    """An environment in which things go wrong. The inner one is never told; its other capabilities are passed on as they are."""

    def __new__(cls, inner: Environment, faults: Sequence[Fault], seed: int = 0) -> FaultyEnvironment:
        made: FaultyEnvironment = object.__new__(_with(tuple(name for name in _CAPABILITIES if hasattr(inner, name))))
        return made

    def __init__(self, inner: Environment, faults: Sequence[Fault], seed: int = 0) -> None:
        self.name = f"faulty:{inner.name}"
        self.struck: list[Struck] = []
        self._inner = inner
        self._faults = tuple(faults)
        self._seed = seed
        self._done: dict[str, tuple[str, ActionResult]] = {}

    def reset(self, *, seed: int | None = None) -> VisualState:
        self._seed = self._seed if seed is None else seed
        self._done.clear()
        self.struck.clear()
        self._inner.reset(seed=seed)
        return self.observe()

    def observe(self) -> VisualState:
        state = self._inner.observe()
        for number, fault in enumerate(self._faults):
            if fault.kind in _ON_SCREEN:
                state = self._shown(number, fault, state)
        return state

    def perform(self, action: Action, *, key: str) -> ActionResult:
        if known := self._done.get(key):
            if known[0] != action.digest:
                raise DigestMismatch(f"key {key!r} was used before for another action")
            return known[1]
        app, target = self._aim(action)
        result = self._perform(action, key, app, target)
        self._done[key] = (action.digest, result)
        return result

    def close(self) -> None:
        self._inner.close()

    def _perform(self, action: Action, key: str, app: str, target: str) -> ActionResult:
        hidden = self._hidden(action)
        if hidden is not None:
            self.struck.append(Struck(key, FaultKind.HIDE, action.verb, target))
            return ActionResult(exec_status=ExecStatus.ERROR, error=f'"{hidden}" lies under something else; wait and look again')
        meant = self._meant(action)
        for number, fault in enumerate(self._faults):
            if fault.kind in _ON_SCREEN or not fault.matches(action, app, target) or not self._strikes(number, fault, key):
                continue
            self.struck.append(Struck(key, fault.kind, action.verb, target))
            return self._struck_by(fault, meant, key)
        return self._inner.perform(meant, key=key)

    def _struck_by(self, fault: Fault, action: Action, key: str) -> ActionResult:
        if fault.kind is FaultKind.BREAK:
            raise EnvironmentFault(fault.text or "the session was lost")
        if fault.kind in _DRY:
            status, said = _DRY[fault.kind]
            error = (fault.text or said) if status is not ExecStatus.EXECUTED else ""
            resolved = self._resolved(action) if status is ExecStatus.EXECUTED else None
            return ActionResult(exec_status=status, error=error, resolved=resolved)
        result = self._inner.perform(action, key=key)
        if fault.kind is FaultKind.TWICE:
            self._inner.perform(action, key=f"{key}/twice")
            return result
        return ActionResult(exec_status=ExecStatus.ERROR, error=fault.text or "the network is down", resolved=result.resolved)

    def _strikes(self, number: int, fault: Fault, key: str) -> bool:
        return not self._spent(fault) and self._chance(number, key) < fault.rate

    def _spent(self, fault: Fault) -> bool:
        return fault.times is not None and sum(struck.kind is fault.kind for struck in self.struck) >= fault.times

    def _chance(self, number: int, what: str) -> float:
        """A number in 0..1 that is the same in every process for the same seed, fault and key."""
        body = f"{self._seed}/{number}/{what}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(body, digest_size=6).digest(), "big") / 2**48

    def _aim(self, action: Action) -> tuple[str, str]:
        """The app that is worked in and the name of what is aimed at."""
        state = self._inner.observe()
        element = self._element(action, state)
        app = (element.app if element is not None else None) or state.app or ""
        return app, element.name if element is not None else ""

    def _element(self, action: Action, state: VisualState) -> GUIElement | None:
        if action.target is None:
            return next((e for e in state.elements if e.focused), None)
        try:
            return state.by_id.get(resolve(action.target, state).element_id)
        except TargetError:
            return None

    def _resolved(self, action: Action) -> Resolved | None:
        if action.target is None:
            return None
        try:
            return resolve(action.target, self._inner.observe())
        except TargetError:
            return None

    def _shown(self, number: int, fault: Fault, state: VisualState) -> VisualState:
        if fault.kind is FaultKind.INJECT:
            return self._injected(number, fault, state)
        changed = []
        for element in state.elements:
            if self._afflicts(number, fault, element):
                what = {"text": fault.text} if fault.kind is FaultKind.RENAME else {"visible": False}
                element = element.model_copy(update=what)
            changed.append(element)
        return state.model_copy(update={"elements": tuple(changed)})

    def _afflicts(self, number: int, fault: Fault, element: GUIElement) -> bool:
        """Whether a fault of the screen lies on this element: the same one each time it is seen."""
        interactive = element.role in {"button", "link", "textbox", "checkbox", "combobox", "menuitem", "tab"}
        named = any(fnmatchcase(element.name, glob) for glob in fault.targets)
        placed = any(fnmatchcase(element.app or "", glob) for glob in fault.apps)
        if not (interactive and named and placed) or self._spent(fault):
            return False
        return self._chance(number, element.track_id or element.element_id) < fault.rate

    def _injected(self, number: int, fault: Fault, state: VisualState) -> VisualState:
        if self._chance(number, state.state_id) >= fault.rate or not any(fnmatchcase(state.app or "", g) for g in fault.apps):
            return state
        width, height = state.screen_resolution
        box = BoundingBox(x1=0, y1=max(0, height - 24), x2=width, y2=height)
        line = GUIElement(element_id=f"injected-{number}", role="text", text=fault.text, bbox=box, app=state.app)
        return state.model_copy(update={"elements": (*state.elements, line)})

    def _hidden(self, action: Action) -> str | None:
        """The name of the target if a fault of the screen lies on it and the action needs a pointer."""
        if action.target is None or isinstance(action, PressKey | Extension):
            return None
        element = self._element(action, self._inner.observe())
        if element is None:
            return None
        for number, fault in enumerate(self._faults):
            if fault.kind is FaultKind.HIDE and self._afflicts(number, fault, element):
                return element.name
        return None

    def _meant(self, action: Action) -> Action:
        """The action on the control that goes by another name here, said with the name it really has."""
        if action.target is None or action.target.text is None:
            return action
        shown = self.observe()
        try:
            found = resolve(action.target, shown).element_id
        except TargetError:
            return action
        real = self._inner.observe().by_id.get(found)
        if real is None or real.text == action.target.text:
            return action
        return action.model_copy(update={"target": action.target.model_copy(update={"text": real.text})})


@cache
def _with(names: tuple[str, ...]) -> Any:
    """A class that has these capabilities too, so that `isinstance` with their protocols holds."""
    return type("FaultyEnvironment", (FaultyEnvironment,), {name: property(_passed_on(name)) for name in names})


def _passed_on(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(self._inner, name)
