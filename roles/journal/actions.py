"""What makes an action happen once: its intent, its approvals and its outcome, each under the action's key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from protocol import ActionResult, AgentAction, parse_action
from roles.contracts import Clock
from roles.journal.events import Json
from roles.journal.facts import Sealer
from roles.journal.rows import Rows, dumps
from roles.safety.privacy.redaction import Redactor


class Intent(NamedTuple):
    """What was about to be done under a key; the first writer wins."""

    key: str
    digest: str
    action: AgentAction


class Approval(NamedTuple):
    """What a person decided about an action with this digest."""

    digest: str
    decision: str
    message: str
    who: str


def action_key(run: str, subtask: str, attempt: int, step: int) -> str:
    """What an action is done under, once. The step is padded so that keys sort as they come: a table grows at its end."""
    return f"{run}/{subtask}/{attempt}/{step:06d}"


class Ledger(Sealer):
    """The actions among a run's rows. What was intended, decided or settled first stays."""

    def __init__(self, rows: Rows, clock: Clock, redactor: Redactor | None) -> None:
        super().__init__(redactor)
        self.rows = rows
        self._clock = clock

    def commit(self) -> None:
        """Make everything so far survive a kill."""
        self.rows.commit()

    def intend(self, key: str, action: AgentAction) -> Intent:
        """Write what is about to be done and read it back: a replay adopts what was recorded. Commit it before the effect."""
        action = parse_action(self.masked(action.dump()))
        self.rows.add_action(key, self.digest(action), dumps(action.dump()))
        intent = self.intent(key)
        assert intent is not None, "an intent that was just written can be read"  # noqa: S101 - an invariant
        return intent

    def replace_intent(self, key: str, action: AgentAction) -> Intent:
        """A person edited the action before it was done. Refused once there is an outcome."""
        if self.outcome(key) is not None:
            raise ValueError(f"{key} was already done and cannot be edited")
        action = parse_action(self.masked(action.dump()))
        self.rows.replace_action(key, self.digest(action), dumps(action.dump()))
        self.commit()
        return Intent(key, self.digest(action), action)

    def intent(self, key: str) -> Intent | None:
        row = self.rows.action(key)
        return Intent(key, row[0], parse_action(json.loads(row[1]))) if row else None

    def start(self, key: str) -> bool:
        """Note that the effect is about to happen. True when it was noted before: then it may have happened already."""
        noted = self.rows.start(key)
        self.commit()
        return not noted

    def reached(self) -> int:
        """The latest step that anything is written of."""
        return self.rows.latest_step(500)

    def latest_actions(self) -> Iterator[tuple[str, AgentAction, ActionResult]]:
        """What was done, with what came of it; the keys that sort last come first."""
        for key, action, result in self.rows.actions():
            if result:
                yield key, parse_action(json.loads(action)), ActionResult.model_validate_json(result)

    def request(self, key: str) -> Json:
        """The approval request of an action, as it was recorded."""
        body = self.rows.asked(key)
        return dict(json.loads(body)) if body else {}

    def decided(self, key: str) -> Json:
        """What a person said to a request, as it was recorded; empty where they were not asked yet.

        The event alone is not believed: a decision is what stands among the approvals.
        """
        body = self.rows.answered(key)
        said = dict(json.loads(body)) if body else {}
        return said if said and self.rows.latest_decision(key, said.get("digest", "")) is not None else {}

    def settle(self, key: str, result: ActionResult) -> ActionResult:
        """Write the outcome; the first one stays."""
        if self.redactor is not None:
            said = {"error": self.redactor.text(result.error), "output": self.redactor.text(result.output)}
            result = result.model_copy(update=said)
        self.rows.settle(key, result.model_dump_json(exclude_defaults=True))
        return self.outcome(key) or result

    def outcome(self, key: str) -> ActionResult | None:
        body = self.rows.result(key)
        return ActionResult.model_validate_json(body) if body else None

    def approve(self, key: str, digest: str, decision: str, message: str, who: str) -> None:
        """Record a person's decision about exactly this action under exactly this key. To be committed before it is used."""
        self.rows.add_approval(key, digest, decision, self.masked(message), who, self._clock())

    def approved(self, key: str, digest: str) -> bool:
        return self.rows.latest_decision(key, digest) == "approve"

    def last_approval(self, key: str) -> Approval | None:
        """The last decision about what is asked under this key."""
        row = self.rows.latest_approval(key)
        return Approval(*row) if row else None

    def words(self) -> list[str]:
        """What people said to requests, oldest first."""
        return self.rows.messages()
