"""What the nodes of every role are given beside the state: the world, the policies, the journal, the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol

from environments.cards import AppCard, Cards, card_of_screen
from environments.contract import AppCatalog, AppInfo, Environment
from environments.effects import GuardedEnvironment
from environments.sandbox.contract import NoSandbox, Sandbox
from protocol import GUIElement, VisualState
from roles.contracts import (
    AnalystPolicy,
    AppWords,
    Clock,
    EvaluatorPolicy,
    ManagerPolicy,
    OperatorPolicy,
    SupplementSource,
    TechnicianPolicy,
)
from roles.contracts.facts import BoardSettings
from roles.contracts.limits import Limits
from roles.contracts.policies import SteeringInput
from roles.contracts.signals import Signal
from roles.journal.journal import Journal
from roles.journal.screenshots import Gallery
from roles.safety import Constraints, SafetyPolicy
from roles.safety.policy import Uptime, uptime
from roles.safety.privacy.redaction import SecretBorder
from roles.skills.registry import Skills


class Recognizer(Protocol):
    """Turns a raw screen into elements with confidence scores (seed 000's recognition model)."""

    def recognize(self, state: VisualState) -> tuple[GUIElement, ...]: ...


class AsShown:
    """Trusts the environment's own elements; drops what has neither name, value nor a role to act on."""

    def recognize(self, state: VisualState) -> tuple[GUIElement, ...]:
        return tuple(e for e in state.elements if e.text or e.value or (e.role and e.role != "generic"))


class WorkerLine:
    """A worker's line to the hub while it goes on working. One that works alone reports to nobody."""

    def passing(self, signal: Signal, *, step: int, key: str) -> None:
        """Report a change that does not end the delegation."""

    def spent(self, step: int) -> str:
        """Why the run may not go on, or an empty string."""
        return ""

    def nearly_spent(self) -> tuple[str, ...]:
        """Which budgets are nearly used up, in words, for whoever plans."""
        return ()

    def cancelled(self) -> bool:
        """Whether somebody has called the run off."""
        return False


@dataclass(frozen=True)
class Context:
    """Injected through LangGraph's `context`; never part of the state, never checkpointed."""

    environment: Environment
    journal: Journal
    operator: OperatorPolicy | None = None
    manager: ManagerPolicy | None = None
    evaluator: EvaluatorPolicy | None = None
    analyst: AnalystPolicy | None = None
    technician: TechnicianPolicy | None = None
    sandbox: Sandbox = field(default_factory=lambda: NoSandbox("scripts need a sandbox, and this crew was given none"))
    recognizer: Recognizer = field(default_factory=AsShown)
    sources: tuple[SupplementSource, ...] = ()
    ahead: bool = False
    """Look up what is known of a goal and of a subtask before anybody asks for it."""
    safety: SafetyPolicy = field(default_factory=SafetyPolicy)
    constraints: Constraints = field(default_factory=Constraints)
    """What `safety` was narrowed by, as far as that was said beside it."""
    limits: Limits = field(default_factory=Limits)
    blackboard: BoardSettings = field(default_factory=BoardSettings)
    """How much of the facts a prompt is told."""
    clock: Clock = time.time
    uptime: Callable[[], Uptime] = uptime
    """A clock that nobody can set back: by it approvals expire."""
    line: WorkerLine = field(default_factory=WorkerLine)
    gallery: Gallery | None = None
    """What keeps pictures of screens; None where none are kept."""
    say: SteeringInput = field(default_factory=SteeringInput)
    """What people beside the run say and do."""
    review_plans: bool = False
    """Show every plan to a person before it is worked."""
    ask_user: bool = False
    """Ask the person what no source knows."""
    given: str = ""
    """How the goal is worked, in plain words that came with it."""
    skills: Skills = None  # type: ignore[assignment]  # made of the environment where it is not given
    """What the crew can do here."""

    def __post_init__(self) -> None:
        """What keeps private values out of the journal stands between the crew and its environment, too."""
        if self.skills is None:
            object.__setattr__(self, "skills", Skills(self.environment))
        if self.journal.redactor is not None and not isinstance(self.environment, SecretBorder):
            object.__setattr__(self, "environment", SecretBorder(self.environment, self.journal.redactor))

    @cached_property
    def guarded(self) -> GuardedEnvironment | None:
        """The environment, where it holds back what its pages send; asked several times for each action."""
        return self.environment if isinstance(self.environment, GuardedEnvironment) else None

    def apps(self) -> tuple[AppWords, ...]:
        """The applications that can be named, or none if the environment does not know."""
        if not isinstance(self.environment, AppCatalog):
            return ()
        return tuple(map(_words, self.environment.apps()))

    def cards(self, seen: VisualState | None = None) -> tuple[AppCard, ...]:
        """What they hold and can do, as the environment says; where it says nothing, as far as the screen shows. What sends
        requests by itself is not looked at for that: a look that nobody guards would let them go."""
        here = self.environment
        own = here.cards() if isinstance(here, Cards) else ()
        if self.guarded is None and not isinstance(here, Cards):
            own = [card_of_screen(seen or here.observe())]
        return (*own, *self.skills.cards())

    def today(self) -> str:
        """The world's own day and time; empty where it has none."""
        return str(getattr(self.environment, "now", ""))

    def with_(self, **changes: Any) -> Context:
        return replace(self, **changes)


@lru_cache(maxsize=256)
def _words(app: AppInfo) -> AppWords:
    return AppWords(app=app.app, title=app.title, words=app.words)


Update = dict[str, Any]
State = Mapping[str, Any]
