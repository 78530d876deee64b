"""The run's journal: append-only, and the one truth about what happened. How it is stored is said in `rows`,
what makes an action happen once in `actions`.

Live view, reports, logs, resume and tests all read it. Writes of one step are committed together, at the two points
that matter: when an intent is written (before the effect) and when its outcome is known. What a kill takes with it is
written again when the step is worked again. Nothing is pickled.
"""

import json
import secrets
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from protocol import JsonObject, VisualState
from protocol.retries import Retries
from roles.contracts import Clock, Fact, StepRecord, Subtask, Supplement
from roles.contracts.facts import OtherValue, checked_kind, source_told
from roles.contracts.facts import beside as others_beside
from roles.contracts.orders import GoalLedger
from roles.journal.actions import Ledger
from roles.journal.budgets import COUNTED, Spending
from roles.journal.events import (
    ConflictEvent,
    EventBody,
    FactEvent,
    JournalEvent,
    Json,
    LedgerEvent,
    StepEvent,
    SupplementEvent,
    event_of,
)
from roles.journal.events import Event as Event
from roles.journal.rows import MUCH, Rows, as_json, deflated, difference, dumps, inflated, is_difference, screen_text
from roles.journal.transcripts import RecordSettings, Transcripts
from roles.safety.privacy.redaction import MASK, Redactor
from roles.safety.privacy.vault import UnknownSecret, is_reference, references_in

_REMEMBERED = 256
"""Ids of the latest screens, to store each once, and keys of the latest events, to know those of a step that is worked again."""
_AT_HAND = 48


class Screens:
    """The screens among a journal's rows; `latest` has the last one of each app, oldest look first."""

    def __init__(self, rows: Rows, redactor: Redactor | None, latest: dict[str, str]) -> None:
        self._rows = rows
        self._redactor = redactor
        self._at_hand: OrderedDict[str, VisualState] = OrderedDict()
        newest = rows.texts("SELECT state_id FROM observations ORDER BY row DESC LIMIT ?", _REMEMBERED)
        self._stored: deque[str] = deque(reversed(newest), maxlen=_REMEMBERED)
        self._latest = latest
        self._bases: dict[str, tuple[int, bytes]] = {}
        """By application the row and the text of the last screen that was written whole."""

    def keep(self, state: VisualState) -> str:
        """Store a screen once, redacted, and return its id."""
        state_id = state.state_id
        if state.app:
            self._latest.pop(state.app, None)
            self._latest[state.app] = state_id
        if state_id in self._at_hand:
            self._at_hand.move_to_end(state_id)
        else:
            self._at_hand[state_id] = state
            if len(self._at_hand) > _AT_HAND:
                self._at_hand.popitem(last=False)
        if state_id not in self._stored:
            shown = self._redactor.screen(state) if self._redactor is not None else state
            row, base = self._bases.get(state.app or "", (0, b""))
            body = difference(shown.canonical, row, base) or deflated(shown.canonical)
            written = self._rows.append("observations", state_id, state.app or "", body)
            if not is_difference(body):
                self._bases[state.app or ""] = (written, shown.canonical)
            self._stored.append(state_id)
        return state_id

    def get(self, state_id: str) -> VisualState | None:
        """A screen by id: as it was seen while it is at hand, else as it was written (private content masked)."""
        if (held := self._at_hand.get(state_id)) is not None:
            return held
        return self.written(state_id)

    def written(self, state_id: str) -> VisualState | None:
        """A screen as it was written."""
        # No index: hashes come in no order, so keeping one sorted would write more pages the longer a run gets.
        statement = "SELECT row FROM observations WHERE state_id = ? ORDER BY row DESC LIMIT 1"
        row = self._rows.text(statement, state_id)
        return None if row is None else self.at(int(row))

    def rows(self) -> dict[str, int]:
        """state_id -> row, for a reader that wants many."""
        return dict(iter(self._rows.read("SELECT state_id, row FROM observations ORDER BY row")))

    def at(self, row: int) -> VisualState:
        """The screen of a row, as it was written."""
        return VisualState.model_validate_json(screen_text(self._rows.connection, row))

    def latest(self) -> dict[str, str]:
        """app -> id of its latest screen, oldest look first."""
        return dict(self._latest)

    def forget(self) -> None:
        """No application has been looked at yet."""
        self._latest.clear()

    def begin_anew(self) -> None:
        """The next screen of each application is written whole: what stands there is about to be written over."""
        self._bases.clear()


_CACHED = 200
_META = "SELECT value FROM meta WHERE key = ?"


Content = TypeVar("Content", bound=EventBody)
Listener = Callable[[Event], None]


class Journal(Ledger):
    """What a run writes down and reads back. `path` is its SQLite file; without one it is in memory."""

    def __init__(
        self,
        path: Path | None,
        clock: Clock,
        redactor: Redactor | None = None,
        listener: Listener | None = None,
        run_id: str = "alone",
        *,
        retries: Retries | None = None,
        record: RecordSettings | None = None,
    ) -> None:
        super().__init__(Rows(path, retries), clock, redactor)
        self._run_id = run_id
        self.run_key = run_id
        """First part of every action's key."""
        self._listener = listener
        self.screens = Screens(self.rows, redactor, self._latest_looks())
        self.transcripts = Transcripts(self.rows, redactor, record)
        keys = self.rows.texts("SELECT key FROM events WHERE key IS NOT NULL ORDER BY id DESC LIMIT ?", _REMEMBERED)
        # Earlier versions wrote whole keys, and these are known by their marks as well.
        self._marks: OrderedDict[str, None] = OrderedDict.fromkeys(mark for key in reversed(keys) for mark in (key, _mark(key)))
        # Read on every step, so kept beside the tables: a query over all events would grow with the run.
        self._steps: OrderedDict[tuple[str, int], deque[StepRecord]] = OrderedDict()
        self._facts: tuple[Fact, ...] | None = None
        self._cursor: tuple[str, Json] | None = None
        self._cursor_base = b""
        self._learned = 0
        """How many private values were known when the facts were read."""
        self._all_steps: deque[StepRecord] | None = None
        self._ledger: tuple[int, GoalLedger | None] | None = None
        """With how many private values were known then."""
        self._supplements: list[tuple[str, Supplement]] | None = None
        self.spending = Spending.of((role, event_of(kind, json.loads(body))) for kind, role, body in self.rows.counted())
        """What was used up so far."""
        for fact in self.facts():
            if fact.private:
                self.secret(fact.value)

    def begin(self) -> None:
        """A new run starts. A journal in memory forgets the run before, and its keys are new to the environment."""
        if self.rows.kept:
            return
        self.rows.clear()
        self._marks.clear()
        self._steps.clear()
        self._all_steps = self._ledger = self._facts = self._supplements = self._cursor = None
        self.screens.forget()
        self.spending = Spending.of(())
        self.run_key = f"{self._run_id}-{secrets.token_hex(4)}"

    def _latest_looks(self) -> dict[str, str]:
        """By application the id of its latest screen, oldest look first."""
        left = set(self.rows.texts("SELECT DISTINCT app FROM observations WHERE app <> ''"))
        found: dict[str, str] = {}
        looks = self.rows.read("SELECT body FROM events WHERE kind = 'observed' ORDER BY id DESC")
        while left and (row := looks.fetchone()) is not None:  # from the end: an index would be written with each look
            look = json.loads(row[0])
            if look.get("app") in left:
                left.remove(look["app"])
                found[look["app"]] = look["state_id"]
        return dict(reversed(found.items()))

    def record(self, event: JournalEvent, *, role: str = "", subtask: str = "", step: int = 0, key: str = "") -> bool:
        """Append an event. One with a `key` that was recorded before is not recorded again; whether it was new."""
        return self.append(event.KIND, event.body(), role=role, subtask=subtask, step=step, key=key) is not None

    def append(self, kind: str, body: Json, *, role: str = "", subtask: str = "", step: int = 0, key: str = "") -> Json | None:
        """Store an event as it is given; what was stored, or None where one with this key was before."""
        mark = _mark(key) if key else None
        if mark is not None:
            if mark in self._marks:
                return None
            self._marks[mark] = None
            if len(self._marks) > _REMEMBERED:
                self._marks.popitem(last=False)
        if self.redactor is not None:
            body = self.redactor.body(body)
        at = self._clock()
        number = self.rows.append("events", at, kind, role, subtask, step, mark, as_json(body))
        if kind == LedgerEvent.KIND:
            self._ledger = None
        if kind in COUNTED:
            self.spending.hear(role, event_of(kind, body))
        if self._listener is not None:
            self._listener(Event(number, at, kind, role, subtask, step, body))
        return body

    def recorded(self, key: str) -> bool:
        """Whether an event with this key is among the latest."""
        return _mark(key) in self._marks

    def events(self, *kinds: str | type[EventBody]) -> Iterator[Event]:
        """Events in order, all kinds or some; constant memory."""
        return self.rows.events([kind if isinstance(kind, str) else kind.KIND for kind in kinds])

    def contents(self, kind: type[Content]) -> Iterator[Content]:
        """What the events of one kind say, in order."""
        return (content for event in self.events(kind) if isinstance(content := event.content, kind))

    def step(self, record: StepRecord, attempt: int, *, key: str) -> None:
        """One finished step: the unit of history that other roles read."""
        known = self._recent(record.subtask, attempt)
        if not known or known[-1].step < record.step:
            known.append(record)
        said = StepEvent(**record.model_dump(mode="json", exclude_defaults=True), attempt=attempt).body()
        stored = self.append(StepEvent.KIND, said, role=record.role, subtask=record.subtask, step=record.step, key=key)
        if stored is not None and self._all_steps is not None:
            self._all_steps.append(record if stored == said else _record(stored))

    def steps(self, subtask: str, attempt: int, limit: int = 40) -> tuple[StepRecord, ...]:
        """The last steps of one subtask attempt, oldest first."""
        return tuple(self._recent(subtask, attempt))[-limit:]

    def all_steps(self, limit: int) -> tuple[StepRecord, ...]:
        """The last steps of the whole run, oldest first."""
        if self._all_steps is None:
            self._all_steps = self._stored_steps("")
        return tuple(islice(self._all_steps, max(0, len(self._all_steps) - limit), None))

    def _recent(self, subtask: str, attempt: int) -> deque[StepRecord]:
        slot = (subtask, attempt)
        if slot not in self._steps:
            self._steps[slot] = self._stored_steps(" AND subtask = ? AND json_extract(body, '$.attempt') = ?", subtask, attempt)
            if len(self._steps) > 8:
                self._steps.popitem(last=False)
        return self._steps[slot]

    def _stored_steps(self, which: str, *values: Any) -> deque[StepRecord]:
        """The last of them, oldest first."""
        statement = f"SELECT body FROM events WHERE kind = 'step'{which} ORDER BY id DESC LIMIT ?"  # noqa: S608 - fixed words
        bodies = reversed(self.rows.texts(statement, *values, _CACHED))
        return deque(map(_record, map(json.loads, bodies)), maxlen=_CACHED)

    def remember(self, fact: Fact) -> None:
        """Put a fact on the blackboard; the newest value of a name counts."""
        held = next((f for f in self.facts() if f.name == fact.name), None)
        fact = self._referring(fact.model_copy(update={"run": fact.run or self._run_id}))
        fact = fact.model_copy(update={"instead": others_beside(fact, held)})
        known = held is not None and fact == held.model_copy(update={"step": fact.step, "state_id": fact.state_id})
        if held is not None and not known:
            self._conflicts(fact, held)
        self._facts = None
        # An answer belongs to its call, also where it is the same as that of an earlier one.
        fact = held if known and held is not None and fact.kind != "result" else fact
        self.rows.write("DELETE FROM facts WHERE name = ?", fact.name)
        self.rows.append("facts", fact.name, fact.model_dump_json(exclude_defaults=True))
        if not known:  # no key: it would hold the value, private or not
            self.record(_shown(fact, self._run_id), role=fact.role, subtask=fact.subtask, step=fact.step)

    def _conflicts(self, fact: Fact, held: Fact) -> None:
        """Say that two values meet under one name: what two sources say stays side by side."""
        if not any((s.value, s.source, s.app) == (held.value, held.source, held.app) for s in fact.instead):
            return
        subtasks = [fact.subtask, held.subtask]
        told = [source_told(each) or each.role for each in (fact, held)]
        resolution = "both are kept; the later one is used until one is looked at again"
        said = ConflictEvent(about="fact", name=fact.name, subtasks=subtasks, sources=told, resolution=resolution)
        key = f"conflict/{fact.name}/{fact.subtask}/{held.subtask}/{fact.step}"
        self.record(said, role=fact.role, subtask=fact.subtask, step=fact.step, key=key)

    def _referring(self, fact: Fact) -> Fact:
        """The fact with a reference in place of a private value, and private where it refers to one."""
        try:
            kind = checked_kind(fact.kind, self.revealed(fact.value))
        except UnknownSecret:
            kind = fact.kind
        value = self.secret(fact.value, fact.name) if fact.private else self.alike(fact.value)
        private = fact.private or bool(references_in(value))
        about = {name: self.alike(getattr(fact, name)) for name in ("reason", "question", "source_name")}
        return fact.model_copy(update={"value": value, "kind": kind, "private": private, **about})

    def facts(self) -> tuple[Fact, ...]:
        """The blackboard, oldest first."""
        learned = 0 if self.redactor is None else len(self.redactor.vault)
        if self._facts is None or self._learned != learned:
            facts = [Fact.model_validate_json(body) for body in self.rows.texts("SELECT body FROM facts ORDER BY rowid")]
            if learned:  # references in place of what was learned to be private since
                for n, fact in enumerate(facts):
                    instead = tuple(said.model_copy(update={"value": self.alike(said.value)}) for said in fact.instead)
                    facts[n] = fact.model_copy(update={"value": self.alike(fact.value), "instead": instead})
            self._facts, self._learned = tuple(facts), learned
        return self._facts

    def save_plan(self, subtasks: tuple[Subtask, ...]) -> int:
        """Store a version of the plan and return its number."""
        bodies = [subtask.model_dump(mode="json", exclude_defaults=True) for subtask in subtasks]
        return self.rows.append("plans", dumps(self.masked(bodies)))

    def plan(self, version: int) -> tuple[Subtask, ...]:
        body = self.rows.text("SELECT body FROM plans WHERE version = ?", version)
        return tuple(Subtask.model_validate(item) for item in self.alike(json.loads(body))) if body else ()

    def ledger(self) -> GoalLedger | None:
        """What the goal asks for, as it stands; None before it was read."""
        learned = 0 if self.redactor is None else len(self.redactor.vault)
        if self._ledger is None or self._ledger[0] != learned:
            told = [*self.contents(LedgerEvent)][-1:]
            said = {"goal": told[0].goal, "worked": told[0].worked, "entries": [*told[0].entries]} if told else {}
            self._ledger = learned, GoalLedger.model_validate(self.alike(said)) if told else None
        return self._ledger[1]

    def hold(self, ledger: GoalLedger, *, role: str, key: str = "") -> None:
        """Write down what a goal asks for, and how it stands."""
        entries = [entry.model_dump(mode="json", exclude_defaults=True) for entry in ledger.entries]
        self.record(LedgerEvent(goal=ledger.goal, entries=entries, worked=ledger.worked), role=role, key=key)

    def supplements(self, about: str | None = None) -> tuple[Supplement, ...]:
        """Everything that was looked up, in order; with `about`, of what was looked up ahead for a subtask only that one's."""
        if self._supplements is None:
            told = ((event, event.content) for event in self.events(SupplementEvent))
            self._supplements = [
                (event.subtask if said.ahead else "", Supplement.model_validate(item))
                for event, said in told
                if isinstance(said, SupplementEvent)
                for item in said.found
            ]
        return tuple(found for whose, found in self._supplements if about is None or whose in ("", about))

    def supplied(
        self, query: str, found: list[Supplement], *, subtask: str, key: str, role: str = "manager", ahead: bool = False
    ) -> None:
        """Record what a search brought, nothing included."""
        self._supplements = None
        shown = [item.model_dump(mode="json", exclude_defaults=True) for item in found]
        said = SupplementEvent(query=query, found=shown, ahead=True) if ahead else SupplementEvent(query=query, found=shown)
        self.record(said, role=role, subtask=subtask, key=key)

    def set_meta(self, key: str, value: Any) -> None:
        self.rows.set_meta(key, dumps(self.masked(value)))
        self.commit()

    def meta(self, key: str) -> Any:
        value = self.rows.text(_META, key)
        return json.loads(value) if value else None

    def keep_cursor(self, at: str, state: Json) -> None:
        """Where a worker goes on that is stopped in the effect that follows; `at` names its delegation."""
        self._cursor = at, state
        text = as_json([at, state]).encode()
        body = deflated(text, self._cursor_base)
        # An empty one leaves nothing behind.
        whole = not state or not self._cursor_base or len(body) > MUCH * len(self._cursor_base)
        self.rows.set_meta("cursor", b64encode(deflated(text, text) if whole else body).decode())  # first, beside the short rows
        if whole:
            self._cursor_base = text
            self.rows.set_meta("cursor base", b64encode(deflated(text)).decode())

    def cursor(self) -> tuple[str, Json]:
        """The latest cursor, and the name of its delegation; both are empty where there is none."""
        if self._cursor is None:
            written, base = (b64decode(self.rows.text(_META, key) or "") for key in ("cursor", "cursor base"))
            at, state = json.loads(inflated(written, base=inflated(base) if base else b"")) if written else ("", {})
            self._cursor = at, state
        return self._cursor

    def close(self) -> None:
        """Commit and give the store back. Twice is fine."""
        self.rows.close()


def _shown(fact: Fact, run: str) -> FactEvent:
    """The fact as an event of its run has it: of a private value no more than its reference."""
    shown = fact.model_dump(mode="json", exclude_defaults=True, exclude={"run"} if fact.run == run else None)
    said: list[tuple[JsonObject, Fact | OtherValue]] = [(shown, fact), *zip(shown.get("instead", ()), fact.instead, strict=True)]
    for body, each in said:
        if each.private and not is_reference(each.value):
            body["value"] = MASK
    return FactEvent(**shown)


def _mark(key: str) -> str:
    """What an event's key is known by: short, since every event has one."""
    return urlsafe_b64encode(blake2b(key.encode(errors="surrogatepass"), digest_size=9).digest()).decode()


def _record(body: Json) -> StepRecord:
    return StepRecord.model_validate({name: said for name, said in body.items() if name != "attempt"})


def cut(text: str, most: int) -> str:
    """The text, or as much of it as may be kept and how much is missing."""
    return text if len(text) <= most else f"{text[:most]}\n(cut: {len(text) - most} more characters)"
