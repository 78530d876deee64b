"""One world that is served: what is done in it, who hears of it, and where that is written down."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from environments.contract import EnvironmentFault
from environments.served.demonstration import Demonstration, meant
from environments.served.feed import Event, Feed
from environments.served.view import View, view_of
from environments.simulated.desktop import SimulatedDesktop
from protocol import Action, ActionResult, ActionTarget, Drag, VisualState

Status = Literal["fulfilled", "rejected"]


class Exercise(Protocol):
    """A task that somebody does in the served world, judged by whoever serves it."""

    def begin(self, desktop: SimulatedDesktop) -> str:
        """The world starts, or starts anew; gives the goal in it."""

    def finish(self, desktop: SimulatedDesktop, status: Status, reason: str, steps: int) -> Mapping[str, Any]:
        """The verdict: `passed`, and `checks`, each with `expression` and `passed`."""


class Told(NamedTuple):
    """What came of an action, and the change of the screen that it made."""

    result: ActionResult
    event: Event


class Session:
    """Everything here happens on the loop of the server: one action at a time."""

    def __init__(
        self, desktop: SimulatedDesktop, goal: str = "", exercise: Exercise | None = None, log: Demonstration | None = None
    ) -> None:
        self.desktop = desktop
        self.feed = Feed()
        self._exercise, self._log = exercise, log
        self._given_goal = goal
        self._prefix = secrets.token_hex(4)
        self._done = 0
        self.goal = self._begun()
        self._view = self._look()

    @property
    def view(self) -> View:
        """The screen as it was told last."""
        return self._view

    @property
    def judged(self) -> bool:
        return self._exercise is not None

    def state(self) -> VisualState:
        return self.desktop.observe()

    def perform(self, action: Action, *, role: str, key: str = "") -> Told:
        """Do it, write it down, and tell every page. Raises EnvironmentFault when the world breaks."""
        before, count = self.desktop.observe(), self._done
        if not key:
            self._done += 1
            key = f"{self._prefix}/{count + 1}"
        try:
            result = self.desktop.perform(action, key=key)
        except EnvironmentFault:
            self._tell()
            raise
        if self._log:
            self._log.add(before, action, result, self.desktop.observe(), role)
        return Told(result, self._tell())

    def complete(self, action: Action) -> Action:
        """The same action with every locator of what it means, so that a log of it can be replayed elsewhere."""
        state = self.desktop.observe()
        changes: dict[str, Any] = {}
        if action.target is not None and (element := meant(action.target, state)):
            changes["target"] = ActionTarget.of(element).model_copy(update={"point": action.target.point})
        if isinstance(action, Drag) and (element := meant(action.to, state)):
            changes["to"] = ActionTarget.of(element).model_copy(update={"point": action.to.point})
        return action.model_copy(update=changes) if changes else action

    def reset(self, seed: int | None = None) -> Event:
        """The world as it began."""
        self.desktop.reset(seed=seed)
        self._done, self._prefix = 0, secrets.token_hex(4)
        self.goal = self._begun()
        self._view = self._look()
        return self.feed.publish(self._view.whole())

    def finish(self, status: Status, reason: str) -> Mapping[str, Any]:
        """The verdict on what was done, where there is a task to judge."""
        assert self._exercise is not None  # noqa: S101 - callers asked `judged`
        return self._exercise.finish(self.desktop, status, reason, len(self.desktop.received()))

    def close(self) -> None:
        self.feed.close()
        if self._log:
            self._log.close()

    def _begun(self) -> str:
        goal = self._exercise.begin(self.desktop) if self._exercise else self._given_goal
        if self._log:
            self._log.begin(goal)
        return goal

    def _look(self) -> View:
        view = view_of(self.desktop.snapshot().world)
        view.head.update(goal=self.goal, judged=self.judged)
        return view

    def _tell(self) -> Event:
        before, self._view = self._view, self._look()
        return self.feed.publish(self._view.since(before))
