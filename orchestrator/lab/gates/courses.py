"""A run's decisions, repeated from its beginning up to one of them, from where the run may take another course.

A simulated world begins the same way again, so the same decisions lead to the same request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Literal

from orchestrator.runs.rehearsal import Ask, Interposed
from orchestrator.runs.replay.recorded_policies import ANSWERS, NothingRecorded
from protocol import Frozen, JsonObject
from roles.contracts import OperatorView
from roles.policies.fallback import PolicyFault


class Ending(Frozen):
    """How a run came out."""

    status: str
    right: bool
    """The judge passes it, and nothing else was changed; for a goal without a judge: it ended fulfilled."""
    steps: int
    reason: str = ""

    @property
    def false_done(self) -> bool:
        return self.status == "fulfilled" and not self.right

    @property
    def worth(self) -> int:
        """1 for right, -1 for falsely done, 0 for what was given up, which a person can still see to."""
        return 1 if self.right else -1 if self.false_done else 0


def ending(report: JsonObject) -> Ending:
    """Of a run's report."""
    verdict, done = report.get("judge"), report["status"] == "fulfilled"
    right = done if verdict is None else bool(verdict["passed"]) and verdict.get("clean") is not False
    return Ending(status=report["status"], right=right, steps=report["counts"]["steps"], reason=report["reason"][:400])


class Message(Frozen):
    """As chat models and trainers take it."""

    role: Literal["system", "user", "assistant"]
    content: str


class Choice(Frozen):
    """One decision of a role."""

    role: str
    seen: str = ""
    """The id of the screen on which an Operator decided."""
    prompt: tuple[Message, ...] = ()
    """What a model in that role is told, where that was asked for; empty where none would be asked."""
    decision: JsonObject = {}  # noqa: RUF012 - frozen
    fault: str = ""
    """Why the policy decided nothing."""


Told = Callable[[str, Any], tuple[Message, ...]]
"""What a model is told in a role at a request."""


def asks(role: str, request: Any, ask: Ask) -> Any:
    """Leaves the decision to the policy."""
    return ask(request)


class Course:
    """Comes between the roles of a run and their policies: gives the decisions that are known, then what `then` decides.

    Raises NothingRecorded where a known decision is asked of another role, or on another screen.
    """

    def __init__(self, known: Sequence[Choice], then: Interposed, told: Told = lambda role, request: ()) -> None:
        self._known, self._then, self._told = known, then, told
        self.choices: list[Choice] = []
        self.requests: list[Any] = []

    def __call__(self, role: str, request: Any, ask: Ask) -> Any:
        number, seen = len(self.choices), request.seen.state_id if isinstance(request, OperatorView) else ""
        known = self._known[number] if number < len(self._known) else None
        choice = Choice(role=role, seen=seen, prompt=self._told(role, request))
        self.requests.append(request)
        try:
            answer = self._then(role, request, ask) if known is None else _given(known, choice, request)
        except PolicyFault as fault:
            self.choices.append(choice.model_copy(update={"fault": str(fault)}))
            raise
        self.choices.append(choice.model_copy(update={"decision": answer.model_dump(mode="json", exclude_defaults=True)}))
        return answer


def _given(known: Choice, asked: Choice, request: Any) -> Any:
    if (known.role, known.seen) != (asked.role, asked.seen):
        raise NothingRecorded(f"the {asked.role} is asked, and not the {known.role}, or it sees another screen")
    if known.fault:
        raise PolicyFault(known.fault)
    return ANSWERS[type(request)].model_validate(deepcopy(known.decision))  # a policy may write into its notes
