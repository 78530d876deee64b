"""The run's journal: append-only SQLite, and the one truth about what happened.

Live view, reports, logs, resume and tests all read it. Writes of one step are committed together, at the two points
that matter: when an intent is written (before the effect) and when its outcome is known. What a kill takes with it is
written again when the step is worked again. Nothing is pickled.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from protocol import ActionResult, AgentAction, parse_action
from roles.contracts import Clock, Fact, StepRecord, Subtask, Supplement
from roles.redaction import Redactor
from roles.screens import SCHEMA as SCREENS
from roles.screens import Screens

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL,
    subtask TEXT NOT NULL, step INTEGER NOT NULL, key TEXT, body TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS actions (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, action TEXT NOT NULL, started INTEGER NOT NULL DEFAULT 0,
    result TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS approvals (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, digest TEXT NOT NULL, decision TEXT NOT NULL,
    message TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS plans (version INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
"""
_REMEMBERED = 256
"""Keys of the latest events: enough to recognise the events of a step that is worked again."""
_CACHED = 48


class Event(NamedTuple):
    """One line of the run's history; `body` is JSON and already redacted."""

    id: int
    at: float
    kind: str
    role: str
    subtask: str
    step: int
    body: dict[str, Any]


class Intent(NamedTuple):
    """What was about to be done under a key; the first writer wins."""

    key: str
    digest: str
    action: AgentAction


def action_key(run: str, subtask: str, attempt: int, step: int) -> str:
    """What an action is done under, once. The step is padded so that keys sort as they come: a table grows at its end."""
    return f"{run}/{subtask}/{attempt}/{step:06d}"


Listener = Callable[[Event], None]


class Journal:
    """Owns one SQLite connection (WAL, synchronous=NORMAL). `path=None` keeps it in memory, for a role that works alone."""

    def __init__(
        self,
        path: Path | None,
        clock: Clock,
        redactor: Redactor | None = None,
        listener: Listener | None = None,
        run_id: str = "alone",
    ) -> None:
        self.path = path
        self._run_id = run_id
        self.run_key = run_id
        """First part of every action's key."""
        self._clock = clock
        self._redactor = redactor
        self._listener = listener
        self._db = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA page_size=1024")  # rows are small; a commit writes whole pages
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA wal_autocheckpoint=500")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA + SCREENS)
        self.screens = Screens(self._db, redactor, self._begin, self._last_looks())
        latest = self._db.execute("SELECT key FROM events WHERE key IS NOT NULL ORDER BY id DESC LIMIT ?", (_REMEMBERED,))
        self._keys: OrderedDict[str, None] = OrderedDict.fromkeys(key for (key,) in reversed(latest.fetchall()))
        # Read on every step, so kept beside the tables: a query over all events would grow with the run.
        self._steps: OrderedDict[tuple[str, int], deque[StepRecord]] = OrderedDict()
        self._facts: tuple[Fact, ...] | None = None
        self._supplements: tuple[Supplement, ...] | None = None
        for fact in self.facts():
            if fact.private:
                self.secret(fact.value)

    def begin(self) -> None:
        """A new run starts. A journal in memory forgets the run before, and its keys are new to the environment."""
        if self.path is not None:
            return
        for table in ("events", "actions", "approvals", "facts", "plans", "meta"):
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed names
        self._keys.clear()
        self._steps.clear()
        self.screens.forget()
        self._facts = self._supplements = None
        self.run_key = f"{self._run_id}-{secrets.token_hex(4)}"

    # --- events -------------------------------------------------------------------------------------------------

    def record(self, kind: str, body: dict[str, Any], *, role: str = "", subtask: str = "", step: int = 0, key: str = "") -> None:
        """Append an event. One with a `key` that was recorded before is not recorded again."""
        if key:
            if key in self._keys:
                return
            self._keys[key] = None
            if len(self._keys) > _REMEMBERED:
                self._keys.popitem(last=False)
        if self._redactor is not None:
            body = self._redactor.body(body)
        at = self._clock()
        self._begin()
        text = _dumps(body)
        cursor = self._db.execute(
            "INSERT INTO events (at, kind, role, subtask, step, key, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (at, kind, role, subtask, step, key or None, text),
        )
        if self._listener is not None:
            self._listener(Event(cursor.lastrowid or 0, at, kind, role, subtask, step, body))

    def events(self, *kinds: str, after: int = 0) -> Iterator[Event]:
        """Events in order, all kinds or some; constant memory."""
        where = f" AND kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        rows = self._db.execute(
            f"SELECT id, at, kind, role, subtask, step, body FROM events WHERE id > ?{where} ORDER BY id",  # noqa: S608 - only marks
            (after, *kinds),
        )
        for row in rows:
            number, at, kind, role, subtask, step, body = row
            yield Event(number, at, kind, role, subtask, step, json.loads(body))

    def commit(self) -> None:
        """Make everything so far survive a kill."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")

    def secret(self, text: str) -> None:
        """From now on mask `text` wherever it would be written."""
        if self._redactor is not None:
            self._redactor.keep(text)

    def _last_looks(self) -> dict[str, str]:
        """app -> id of the screen that was observed last, oldest look first."""
        rows = self._db.execute(
            "SELECT json_extract(body, '$.app'), json_extract(body, '$.state_id'), max(id) FROM events "
            "WHERE kind = 'observed' GROUP BY 1 ORDER BY 3"
        )
        return {app: state_id for app, state_id, _ in rows if app}

    # --- exactly once -------------------------------------------------------------------------------------------

    def intend(self, key: str, action: AgentAction) -> Intent:
        """Write what is about to be done, commit, and read it back: a replay adopts the recorded action."""
        self._begin()
        body = _dumps(action.dump())
        self._db.execute("INSERT OR IGNORE INTO actions (key, digest, action) VALUES (?, ?, ?)", (key, action.digest, body))
        self.commit()
        intent = self.intent(key)
        assert intent is not None, "an intent that was just written can be read"  # noqa: S101 - an invariant
        return intent

    def replace_intent(self, key: str, action: AgentAction) -> Intent:
        """A person edited the action before it was done. Refused once there is an outcome."""
        if self.outcome(key) is not None:
            raise ValueError(f"{key} was already done and cannot be edited")
        self._begin()
        self._db.execute(
            "INSERT OR REPLACE INTO actions (key, digest, action) VALUES (?, ?, ?)", (key, action.digest, _dumps(action.dump()))
        )
        self.commit()
        return Intent(key, action.digest, action)

    def intent(self, key: str) -> Intent | None:
        row = self._db.execute("SELECT digest, action FROM actions WHERE key = ?", (key,)).fetchone()
        return Intent(key, row[0], parse_action(json.loads(row[1]))) if row else None

    def start(self, key: str) -> bool:
        """Note that the effect is about to happen. True when it was noted before: then it may have happened already."""
        self._begin()
        noted = self._db.execute("UPDATE actions SET started = 1 WHERE key = ? AND started = 0", (key,)).rowcount
        self.commit()
        return noted == 0

    def request(self, key: str) -> dict[str, Any]:
        """The approval request of an action, as it was recorded."""
        row = self._db.execute(
            "SELECT body FROM events WHERE kind = 'approval_requested' AND json_extract(body, '$.key') = ? "
            "ORDER BY id DESC LIMIT 1",
            (key,),
        ).fetchone()
        return dict(json.loads(row[0])) if row else {}

    def settle(self, key: str, result: ActionResult) -> ActionResult:
        """Write the outcome; the first one stays."""
        if self._redactor is not None:
            said = {"error": self._redactor.text(result.error), "output": self._redactor.text(result.output)}
            result = result.model_copy(update=said)
        self._begin()
        self._db.execute(
            "UPDATE actions SET result = ? WHERE key = ? AND result IS NULL", (result.model_dump_json(exclude_defaults=True), key)
        )
        return self.outcome(key) or result

    def outcome(self, key: str) -> ActionResult | None:
        row = self._db.execute("SELECT result FROM actions WHERE key = ?", (key,)).fetchone()
        return ActionResult.model_validate_json(row[0]) if row and row[0] else None

    def approve(self, key: str, digest: str, decision: str, message: str, who: str) -> None:
        """Record a person's decision about exactly this action under exactly this key."""
        self._begin()
        self._db.execute(
            "INSERT INTO approvals (key, digest, decision, message, who, at) VALUES (?, ?, ?, ?, ?, ?)",
            (key, digest, decision, message, who, self._clock()),
        )
        self.commit()

    def approved(self, key: str, digest: str) -> bool:
        row = self._db.execute(
            "SELECT decision FROM approvals WHERE key = ? AND digest = ? ORDER BY id DESC LIMIT 1", (key, digest)
        ).fetchone()
        return bool(row) and row[0] == "approve"

    # --- steps, facts, plans ------------------------------------------------------------------------------------

    def step(self, record: StepRecord, attempt: int, *, key: str) -> None:
        """One finished step: the unit of history that other roles read."""
        known = self._recent(record.subtask, attempt)
        if not known or known[-1].step < record.step:
            known.append(record)
        body = record.model_dump(mode="json", exclude_defaults=True) | {"attempt": attempt}
        self.record("step", body, role=record.role, subtask=record.subtask, step=record.step, key=key)

    def steps(self, subtask: str, attempt: int, limit: int = 40) -> tuple[StepRecord, ...]:
        """The last steps of one subtask attempt, oldest first."""
        return tuple(self._recent(subtask, attempt))[-limit:]

    def all_steps(self, limit: int) -> tuple[StepRecord, ...]:
        """The last steps of the whole run, oldest first."""
        rows = self._db.execute("SELECT body FROM events WHERE kind = 'step' ORDER BY id DESC LIMIT ?", (limit,)).fetchall()
        return tuple(_record(json.loads(body)) for (body,) in reversed(rows))

    def _recent(self, subtask: str, attempt: int) -> deque[StepRecord]:
        slot = (subtask, attempt)
        if slot not in self._steps:
            rows = self._db.execute(
                "SELECT body FROM events WHERE kind = 'step' AND subtask = ? AND json_extract(body, '$.attempt') = ? "
                "ORDER BY id DESC LIMIT ?",
                (subtask, attempt, _CACHED),
            ).fetchall()
            self._steps[slot] = deque((_record(json.loads(body)) for (body,) in reversed(rows)), maxlen=_CACHED)
            if len(self._steps) > 8:
                self._steps.popitem(last=False)
        return self._steps[slot]

    def remember(self, fact: Fact) -> None:
        """Put a fact on the blackboard; the newest value of a name counts."""
        self._begin()
        known = fact in self.facts()
        self._facts = None
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (fact.name, fact.model_dump_json(exclude_defaults=True)))
        shown = fact.model_dump(mode="json", exclude_defaults=True)
        if fact.private:
            if self._redactor is not None:
                self._redactor.keep(fact.value)
            shown["value"] = "•••"
        if not known:  # no key: it would hold the value, private or not
            self.record("fact", shown, role=fact.role, subtask=fact.subtask)

    def facts(self) -> tuple[Fact, ...]:
        """The blackboard, oldest first."""
        if self._facts is None:
            rows = self._db.execute("SELECT body FROM facts ORDER BY rowid")
            self._facts = tuple(Fact.model_validate_json(body) for (body,) in rows)
        return self._facts

    def save_plan(self, subtasks: tuple[Subtask, ...]) -> int:
        """Store a version of the plan and return its number."""
        self._begin()
        bodies = [subtask.model_dump(mode="json", exclude_defaults=True) for subtask in subtasks]
        return self._db.execute("INSERT INTO plans (body) VALUES (?)", (_dumps(bodies),)).lastrowid or 0

    def plan(self, version: int) -> tuple[Subtask, ...]:
        row = self._db.execute("SELECT body FROM plans WHERE version = ?", (version,)).fetchone()
        return tuple(Subtask.model_validate(item) for item in json.loads(row[0])) if row else ()

    def supplements(self) -> tuple[Supplement, ...]:
        """Everything that was looked up, in order."""
        if self._supplements is None:
            bodies = [event.body for event in self.events("supplement")]
            self._supplements = tuple(Supplement.model_validate(item) for body in bodies for item in body["found"])
        return self._supplements

    def supplied(self, query: str, found: list[Supplement], *, subtask: str, key: str) -> None:
        """Record what a search brought, nothing included."""
        self._supplements = None
        body = {"query": query, "found": [item.model_dump(mode="json", exclude_defaults=True) for item in found]}
        self.record("supplement", body, role="manager", subtask=subtask, key=key)

    # --- meta ---------------------------------------------------------------------------------------------------

    def set_meta(self, key: str, value: Any) -> None:
        self._begin()
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, _dumps(value)))
        self.commit()

    def meta(self, key: str) -> Any:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def close(self) -> None:
        """Commit and fold the write-ahead log into the file. Twice is fine."""
        try:
            self.commit()
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()
        except sqlite3.ProgrammingError:
            return

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _record(body: dict[str, Any]) -> StepRecord:
    body.pop("attempt", None)
    return StepRecord.model_validate(body)
