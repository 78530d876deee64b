"""What makes an action happen once: intent, approvals and outcome under its key; and what keeps private values out of it all."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from protocol import Action, ActionResult, AgentAction, VisualState, parse_action
from roles.contracts import Clock
from roles.journal.events import Json
from roles.journal.rows import ABOUT_A_KEY, Rows, dumps
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import references_in


class Sealer:
    """Puts references in the place of private values, and the values in the place of references."""

    def __init__(self, redactor: Redactor | None) -> None:
        self.redactor = redactor
        """What keeps private values out of all that is written; None where nothing is private."""

    def secret(self, text: str, label: str = "value") -> str:
        """What stands for `text` from now on, wherever it would be written."""
        return text if self.redactor is None else self.redactor.keep(text, label)

    def masked(self, value: Any) -> Any:
        """`value` (JSON) as it may be written."""
        return value if self.redactor is None else self.redactor.body(value)

    def alike(self, value: Any) -> Any:
        """`value` (JSON) as the screens of now are written, so that the two can be compared."""
        return value if self.redactor is None else self.redactor.vault.alike(value)

    def said(self, text: str) -> str:
        """What a person said, as it may be written."""
        return text if self.redactor is None else self.redactor.said(text)

    def answer(self, question: str, text: str, name: str) -> str:
        """What a person answered, as it may be written."""
        return text if self.redactor is None else self.redactor.answer(question, text, name)

    def sealed(self, action: AgentAction, seen: VisualState) -> AgentAction:
        """An action on that screen as it may be written: what goes into a private field is referred to."""
        sealed = action if self.redactor is None else self.redactor.action(action, seen)
        return action if sealed is action else parse_action(sealed.dump())

    def revealed(self, text: str) -> str:
        """`text` with the values that it refers to, for what is worked out in this process. Raises UnknownSecret."""
        return text if self.redactor is None else self.redactor.vault.reveal(text)

    def revealed_in_code(self, code: str) -> str:
        """A script with its values. Raises UnknownSecret, and ValueError for a value that would be read as code."""
        return code if self.redactor is None else self.redactor.vault.reveal_plain(code)

    def digest(self, action: Action) -> str:
        """What an approval is bound to: the action, and the values that it refers to under the key of this run."""
        names = references_in(action.written)
        if self.redactor is None or not names:
            return action.digest
        return self.redactor.vault.bound(action.digest, names)


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
        """Write what is about to be done, or adopt what was recorded before. Commit it before the effect."""
        written = self.masked(given := action.dump())
        action = action if written == given else parse_action(written)
        intent = Intent(key, self.digest(action), action)
        first = "INSERT INTO actions (key, digest, action) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        return intent if self.rows.write(first, key, intent.digest, dumps(written)).rowcount else self.intent(key) or intent

    def replace_intent(self, key: str, action: AgentAction) -> Intent:
        """A person edited the action before it was done. Refused once there is an outcome."""
        if self.outcome(key) is not None:
            raise ValueError(f"{key} was already done and cannot be edited")
        action = parse_action(self.masked(action.dump()))
        self.rows.write(
            "INSERT INTO actions (key, digest, action) VALUES (?, ?, ?) ON CONFLICT (key) "
            "DO UPDATE SET digest = excluded.digest, action = excluded.action, started = 0, result = NULL",
            key,
            self.digest(action),
            dumps(action.dump()),
        )
        self.commit()
        return Intent(key, self.digest(action), action)

    def intent(self, key: str) -> Intent | None:
        row = self.rows.read("SELECT digest, action FROM actions WHERE key = ?", key).fetchone()
        return Intent(key, row[0], parse_action(json.loads(row[1]))) if row else None

    def start(self, key: str) -> bool:
        """Note that the effect is about to happen. True when it was noted before: then it may have happened already."""
        noted = self.rows.write("UPDATE actions SET started = 1 WHERE key = ? AND started = 0", key).rowcount
        self.commit()
        return not noted

    def reached(self) -> int:
        """The latest step that anything is written of."""
        latest = "SELECT step FROM events ORDER BY id DESC LIMIT 500"
        return int(self.rows.text(f"SELECT max(step) FROM ({latest}) AS latest") or 0)  # noqa: S608 - fixed words

    def latest_actions(self) -> Iterator[tuple[str, AgentAction, ActionResult]]:
        """What was done, with what came of it; the keys that sort last come first."""
        for key, action, result in self.rows.read("SELECT key, action, result FROM actions ORDER BY key DESC"):
            if result:
                yield key, parse_action(json.loads(action)), ActionResult.model_validate_json(result)

    def request(self, key: str) -> Json:
        """The approval request of an action, as it was recorded."""
        body = self.rows.text(f"{ABOUT_A_KEY} ORDER BY id DESC LIMIT 1", "approval_requested", key)
        return dict(json.loads(body)) if body else {}

    def decided(self, key: str) -> Json:
        """What a person said to a request, as it was recorded; empty where they were not asked yet.

        The event alone is not believed: a decision is what stands among the approvals.
        """
        body = self.rows.text(f"{ABOUT_A_KEY} ORDER BY id LIMIT 1", "approval", key)
        said = dict(json.loads(body)) if body else {}
        return said if said and self._latest_decision(key, said.get("digest", "")) is not None else {}

    def settle(self, key: str, result: ActionResult) -> ActionResult:
        """Write the outcome; the first one stays."""
        if self.redactor is not None:
            said = {"error": self.redactor.text(result.error), "output": self.redactor.text(result.output)}
            result = result.model_copy(update=said) if (result.error, result.output) != (*said.values(),) else result
        written = self.rows.write(
            "UPDATE actions SET result = ? WHERE key = ? AND result IS NULL",
            result.model_dump_json(exclude_defaults=True),
            key,
        ).rowcount
        return result if written else self.outcome(key) or result

    def outcome(self, key: str) -> ActionResult | None:
        body = self.rows.text("SELECT result FROM actions WHERE key = ?", key)
        return ActionResult.model_validate_json(body) if body else None

    def approve(self, key: str, digest: str, decision: str, message: str, who: str) -> None:
        """Record a person's decision about exactly this action under exactly this key. To be committed before it is used."""
        self.rows.append("approvals", key, digest, decision, self.masked(message), who, self._clock())

    def approved(self, key: str, digest: str) -> bool:
        return self._latest_decision(key, digest) == "approve"

    def _latest_decision(self, key: str, digest: str) -> str | None:
        return self.rows.text("SELECT decision FROM approvals WHERE key = ? AND digest = ? ORDER BY id DESC LIMIT 1", key, digest)

    def last_approval(self, key: str) -> Approval | None:
        """The last decision about what is asked under this key."""
        statement = "SELECT digest, decision, message, who FROM approvals WHERE key = ? ORDER BY id DESC LIMIT 1"
        row = self.rows.read(statement, key).fetchone()
        return Approval(*row) if row else None

    def words(self) -> list[str]:
        """What people said to requests, oldest first."""
        return [said for said in self.rows.texts("SELECT message FROM approvals ORDER BY id") if said]
