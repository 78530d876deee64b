"""The border between a crew and what it works on: a private value goes in as a reference, and a reference out as its value.

So no policy, prompt, state or record holds a value, and the environment performs what was meant.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from environments.contract import DigestMismatch, Environment, EnvironmentFault, TextLocator, Unavailable
from environments.effects import Change, ControlSeen, HeldRequest
from protocol import Action, ActionResult, ExecStatus, VisualState, parse_action
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import UnknownSecret

_PASSED_ON = ("apps", "world", "received", "functions", "agents", "environment_type", "files", "seat", "seats", "clock", "now",
              "cards", "latest_keys", "meant", "snapshot", "fork", "guard", "admit")  # fmt: skip
"""What holds no screen. `world` and `received` are for the harness's judge, and no role is given them."""
_VEILED = ("peek", "restore", "screenshot", "preview", "control", "held")
_SCREENS = 256


class SecretBorder:
    """An environment behind the vault. It can what the inner one can."""

    def __new__(cls, inner: Environment, redactor: Redactor) -> SecretBorder:
        passed = tuple(name for name in _PASSED_ON if hasattr(inner, name))
        made: SecretBorder = object.__new__(_with(passed, tuple(name for name in _VEILED if hasattr(inner, name))))
        return made

    def __init__(self, inner: Environment, redactor: Redactor) -> None:
        self.name = inner.name
        self.inner = inner
        self._redactor = redactor
        self._last: tuple[VisualState, VisualState, int] | None = None
        self._ids: OrderedDict[str, str] = OrderedDict()

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self._shown(self.inner.reset(seed=seed))

    def observe(self) -> VisualState:
        return self._shown(self.inner.observe())

    def perform(self, action: Action, *, key: str) -> ActionResult:
        """Here, and nowhere else, a reference becomes its value."""
        try:
            meant = self._meant(action)
        except UnknownSecret as unknown:
            return ActionResult(exec_status=ExecStatus.ERROR, error=str(unknown))
        try:
            return self._redactor.result(self.inner.perform(meant, key=key))
        except (DigestMismatch, Unavailable) as fault:
            raise type(fault)(self._redactor.text(str(fault))) from fault.__cause__
        except EnvironmentFault as fault:
            raise EnvironmentFault(self._redactor.text(str(fault))) from None

    def close(self) -> None:
        self.inner.close()

    def _shown(self, state: VisualState) -> VisualState:
        known = len(self._redactor.vault)
        if self._last is not None and self._last[0] is state and self._last[2] == known:
            return self._last[1]
        shown = self._redactor.arriving(state)
        if shown is not state:
            self._ids[shown.state_id] = state.state_id
            self._ids.move_to_end(shown.state_id)
            if len(self._ids) > _SCREENS:
                self._ids.popitem(last=False)
        self._last = state, shown, len(self._redactor.vault)
        return shown

    def _meant(self, action: Action) -> Action:
        """The action as the environment is to take it: with values, on its own states. Raises UnknownSecret."""
        dump = action.dump()
        aims = [dump[name] for name in ("target", "to") if isinstance(dump.get(name), dict) and dump[name].get("state_id")]
        if aims and self._last is None:
            self.observe()  # a process that took the run up has seen nothing yet
        for aim in aims:
            aim["state_id"] = self._ids.get(aim["state_id"], aim["state_id"])
        meant = self._redactor.vault.revealed(dump)
        return action if meant == action.dump() else parse_action(meant)

    def _peek(self, app: str) -> VisualState | None:
        seen: VisualState | None = self.inner.peek(app)  # type: ignore[attr-defined]  # only there where the inner one can
        return None if seen is None else self._shown(seen)

    def _restore(self, snapshot: Any) -> VisualState:
        return self._shown(self.inner.restore(snapshot))  # type: ignore[attr-defined]  # as above

    def _preview(self, action: Action) -> Sequence[Change] | None:
        """What it would change, told without what nobody may read. A reference that is not known changes nothing."""
        try:
            found: Sequence[Change] | None = self.inner.preview(self._meant(action))  # type: ignore[attr-defined]  # as above
        except UnknownSecret:
            return ()
        return found and tuple(change.model_copy(update={"told": self._redactor.text(change.told)}) for change in found)

    def _control(self, action: Action) -> ControlSeen | None:
        try:
            at: ControlSeen | None = self.inner.control(self._meant(action))  # type: ignore[attr-defined]  # as above
        except UnknownSecret:
            return None  # and it will not be performed either
        if at is None:
            return None
        masked = self._redactor.text
        return at.model_copy(update={"name": masked(at.name), "told": tuple(map(masked, at.told))})

    def _held(self) -> tuple[HeldRequest, ...]:
        waiting: Sequence[HeldRequest] = self.inner.held()  # type: ignore[attr-defined]  # as above
        masked = self._redactor.text
        return tuple(one.model_copy(update={"told": masked(one.told), "path": masked(one.path)}) for one in waiting)

    def _screenshot(self) -> bytes:
        """The picture with everything private painted over."""
        from environments.pictures.redaction import painted_over

        before = self._learned()
        png: bytes = self.inner.screenshot()  # type: ignore[attr-defined]  # as above
        after = self._learned()
        screens = [before] if after.state_id == before.state_id else [before, after]  # a page may have changed meanwhile
        boxes = [box for state in screens for box in self._redactor.private_boxes(state)]
        if isinstance(self.inner, TextLocator):
            boxes += self.inner.written(list(self._redactor.vault.known.values()))
        loose = any(self._redactor.private_without_place(state) for state in screens)
        if not boxes and not loose:
            return png
        kept = [e.bbox for state in screens for e in state.elements if e.bbox and e.visible] if loose else None
        return painted_over(png, boxes, before.screen_resolution, kept)

    def _learned(self) -> VisualState:
        """The true screen, all that is private on it known to the vault."""
        state = self.inner.observe()
        self._shown(state)
        return state


def bare(environment: Environment) -> Environment:
    """The environment itself, behind a veil or not."""
    return environment.inner if isinstance(environment, SecretBorder) else environment


@cache
def _with(passed: tuple[str, ...], veiled: tuple[str, ...]) -> Any:
    """A class that has these capabilities too, so that `isinstance` with their protocols holds."""
    members: dict[str, Any] = {name: property(_passed_on(name)) for name in passed}
    return type("Veil", (SecretBorder,), members | {name: getattr(SecretBorder, f"_{name}") for name in veiled})


def _passed_on(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(self.inner, name)
