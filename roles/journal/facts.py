"""The blackboard among a run's rows: facts as they are learned, and what is said when two values meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from protocol import Action, AgentAction, VisualState, parse_action
from roles.contracts import Fact
from roles.journal.events import ConflictEvent, FactEvent, JournalEvent
from roles.journal.rows import Rows
from roles.knowledge.memory import blackboard as board
from roles.knowledge.memory.facts import OtherValue, checked_kind
from roles.safety.privacy.redaction import MASK, Redactor
from roles.safety.privacy.vault import UnknownSecret, is_reference, references_in


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
        return action if self.redactor is None else parse_action(self.redactor.action(action, seen).dump())

    def revealed(self, text: str) -> str:
        """`text` with the values that it refers to, for what is worked out in this process. Raises UnknownSecret."""
        return text if self.redactor is None else self.redactor.vault.reveal(text)

    def revealed_in_code(self, code: str) -> str:
        """A script with its values. Raises UnknownSecret, and ValueError for a value that would be read as code."""
        return code if self.redactor is None else self.redactor.vault.reveal_plain(code)

    def digest(self, action: Action) -> str:
        """What an approval is bound to: the action, and the values that it refers to under the key of this run."""
        names = references_in(action.model_dump_json())
        if self.redactor is None or not names:
            return action.digest
        return self.redactor.vault.bound(action.digest, names)


class Record(Protocol):
    """Appends an event to the journal."""

    def __call__(self, event: JournalEvent, *, role: str = "", subtask: str = "", step: int = 0, key: str = "") -> None: ...


class Facts:
    """The newest fact of each name. Read on every step, so they are kept beside the rows."""

    def __init__(self, rows: Rows, sealing: Sealer, run_id: str, record: Record) -> None:
        self.record = record
        self._rows = rows
        self._sealing = sealing
        self._run_id = run_id
        self._facts: tuple[Fact, ...] | None = None
        self._learned = 0
        """How many private values were known when the facts were read."""

    def forget(self) -> None:
        """The rows are others now."""
        self._facts = None

    def remember(self, fact: Fact, *, beside: Sequence[str] = ()) -> None:
        """Put a fact on the blackboard; the newest value of a name counts.

        `beside` are the subtasks that are worked at the same time: which value is the newest is then no more than chance.
        """
        held = next((f for f in self.all() if f.name == fact.name), None)
        fact = self._referring(fact.model_copy(update={"run": fact.run or self._run_id}))
        fact = fact.model_copy(update={"instead": board.beside(fact, held)})
        known = held is not None and fact == held.model_copy(update={"step": fact.step, "state_id": fact.state_id})
        if held is not None and not known:
            self._conflicts(fact, held, beside)
        self._facts = None
        fact = held if known and held is not None else fact
        self._rows.put_fact(fact.name, fact.model_dump_json(exclude_defaults=True))
        if not known:  # no key: it would hold the value, private or not
            self.record(_shown(fact, self._run_id), role=fact.role, subtask=fact.subtask, step=fact.step)

    def _conflicts(self, fact: Fact, held: Fact, lanes: Sequence[str]) -> None:
        """Say that two values meet under one name: chance decides between lanes; what two sources say stays side by side."""
        at_once = held.subtask in lanes and held.value != fact.value
        if not at_once and not any((s.value, s.source, s.app) == (held.value, held.source, held.app) for s in fact.instead):
            return
        subtasks = [fact.subtask, held.subtask]
        told = [board.source_told(each) or each.role for each in (fact, held)]
        resolution = "the later value counts" if at_once else "both are kept; the later one is used until one is looked at again"
        said = ConflictEvent(about="fact", name=fact.name, subtasks=subtasks, sources=told, resolution=resolution)
        lane = f"conflict/{fact.name}/{fact.subtask}/{held.subtask}"
        key = lane if at_once else f"{lane}/{fact.step}"
        self.record(said, role=fact.role, subtask=fact.subtask, step=fact.step, key=key)

    def _referring(self, fact: Fact) -> Fact:
        """The fact with a reference in place of a private value, and private where it refers to one."""
        try:
            kind = checked_kind(fact.kind, self._sealing.revealed(fact.value))
        except UnknownSecret:
            kind = fact.kind
        value = self._sealing.secret(fact.value, fact.name) if fact.private else self._sealing.alike(fact.value)
        private = fact.private or bool(references_in(value))
        about = {name: self._sealing.alike(getattr(fact, name)) for name in ("reason", "question", "source_name")}
        return fact.model_copy(update={"value": value, "kind": kind, "private": private, **about})

    def all(self) -> tuple[Fact, ...]:
        """The blackboard, oldest first."""
        learned = 0 if self._sealing.redactor is None else len(self._sealing.redactor.vault)
        if self._facts is None or self._learned != learned:
            facts = map(Fact.model_validate_json, self._rows.facts())
            self._facts = tuple(self._alike(f) if learned else f for f in facts)
            self._learned = learned
        return self._facts

    def _alike(self, fact: Fact) -> Fact:
        """The fact with references in place of what was learned to be private since."""
        instead = tuple(said.model_copy(update={"value": self._sealing.alike(said.value)}) for said in fact.instead)
        return fact.model_copy(update={"value": self._sealing.alike(fact.value), "instead": instead})


def _shown(fact: Fact, run: str) -> FactEvent:
    """The fact as an event of its run has it: of a private value no more than its reference."""
    shown = fact.model_dump(mode="json", exclude_defaults=True, exclude={"run"} if fact.run == run else None)
    said: list[tuple[dict[str, Any], Fact | OtherValue]] = [
        (shown, fact),
        *zip(shown.get("instead", ()), fact.instead, strict=True),
    ]
    for body, each in said:
        if each.private and not is_reference(each.value):
            body["value"] = MASK
    return FactEvent(**shown)
