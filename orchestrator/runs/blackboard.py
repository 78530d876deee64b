"""The blackboard of a run as its journal tells it, now or as it stood after a step: facts with who says them and who used
them, questions and answers, kept screens, what disagrees, and what each subtask found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from typing_extensions import TypedDict

from orchestrator.errors import UsageProblem
from orchestrator.store.printable import UNREADABLE
from protocol import CARRIES, VisualState
from roles.contracts import Fact
from roles.contracts.facts import normal, source_told
from roles.journal.events import SupplementEvent
from roles.journal.journal import Event
from roles.knowledge.blackboard import value_told
from roles.safety.case import Grounds, origin_of
from roles.safety.privacy.vault import references_in

_SHORTEST = 2
"""Characters that a value must have for its use to be told from chance."""


_USES = 20


SCREEN = "screen"


_NOWHERE = VisualState()


class QuestionShown(TypedDict):
    """What people were asked, or would have been, and what came of it."""

    question: str
    answer: str
    name: str
    """Of the fact that it became."""
    said_by: str
    step: int


class ScreenShown(TypedDict):
    """A screen that was kept."""

    name: str
    app: str | None
    state_id: str | None
    step: int
    subtask: str
    shows: str
    why: str


class SubtaskShown(TypedDict):
    """A subtask, with the names of the facts that it found."""

    id: str
    title: str
    status: str
    found: list[str]


class Board(TypedDict):
    """All that is known of a run."""

    at: int | None
    """The last step that is taken in."""
    facts: list[dict[str, Any]]
    questions: list[QuestionShown]
    screens: list[ScreenShown]
    conflicts: list[dict[str, Any]]
    subtasks: list[SubtaskShown]


def board_at(events: Iterable[Event], at: int | None = None) -> Board:
    """All of it as JSON; `at` is the last step that is taken in. Raises UsageProblem for events that deskcrew never wrote."""
    try:
        return _board([event for event in events if at is None or event.step <= at or not event.step], at)
    except (*UNREADABLE, ValidationError) as bad:
        raise UsageProblem(f"The journal says of facts what deskcrew never writes ({type(bad).__name__}).") from None


def _board(events: list[Event], at: int | None) -> Board:
    known = _BoardState(at)
    for event in events:
        known.take(event)
    facts = known.facts
    return {
        "at": at,
        "facts": [known.shown(fact) for fact in facts.values() if fact.kind != SCREEN],
        "questions": _questions(events, facts),
        "screens": [_screen(fact) for fact in facts.values() if fact.kind == SCREEN],
        "conflicts": known.conflicts,
        "subtasks": [_subtask(name, known.titles, status, facts.values()) for name, status in known.statuses.items()],
    }


class _BoardState:
    """What is known after each event."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self.facts: dict[str, Fact] = {}
        self.conflicts: list[dict[str, Any]] = []
        self.statuses: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self._earlier: dict[str, list[Fact]] = {}
        self._uses: dict[str, list[str]] = {}

    def take(self, event: Event) -> None:
        match event.kind:
            case "fact":
                self._remember(fact_of(event))
            case "step":
                for name in _carried(event.body, self.facts):
                    self._used(name, f"step {event.step}")
            case "conflict" if event.body.get("about") == "fact":
                self.conflicts.append({"step": event.step, **event.body})
            case "plan":
                self.titles |= {str(s["id"]): str(s["title"]) for s in event.body["subtasks"]}
            case "subtask_status":
                self.statuses[event.subtask] = str(event.body["status"])
            case _:
                pass

    def shown(self, fact: Fact) -> dict[str, Any]:
        return fact_shown(fact, self._uses.get(fact.name, ()), self._earlier.get(fact.name, ()))

    def _remember(self, fact: Fact) -> None:
        if self._at is not None and fact.step > self._at:
            return
        if fact.name in self.facts:
            self._earlier.setdefault(fact.name, []).append(self.facts.pop(fact.name))
            self._uses.pop(fact.name, None)
        self.facts[fact.name] = fact
        for name in fact.used:
            self._used(name, f"fact {fact.name}")

    def _used(self, name: str, what: str) -> None:
        known = self._uses.setdefault(name, [])
        if what not in known and len(known) < _USES:
            known.append(what)


def fact_of(event: Event) -> Fact:
    """The fact that an event tells of."""
    return Fact.model_validate(event.body).model_copy(update={"step": event.body.get("step", event.step)})


def _carried(step: Mapping[str, Any], facts: Mapping[str, Fact]) -> Iterator[str]:
    """Names of the facts whose values an action took somewhere; what it memorised it did not use."""
    action = step["action"]
    if action.get("action_type") in {"memorize", "ask_user"}:
        return
    said = [str(action[name]) for name in CARRIES if name in action]
    folded = " ".join(" ".join(said).casefold().split())
    near = [f for f in facts.values() if len(f.value) >= _SHORTEST and " ".join(f.value.casefold().split()) in folded]
    for text in said if near else ():
        yield from origin_of(text, Grounds(facts=tuple(near)), _NOWHERE).facts


def fact_shown(fact: Fact, used_by: Iterable[str] = (), earlier: Iterable[Fact] = ()) -> dict[str, Any]:
    """A fact as reports have it: where it is from in a word and in words, and what its value comes to."""
    plain = not fact.private and not references_in(fact.value)
    body = fact.model_dump(mode="json", exclude_defaults=True)
    return {
        **body,
        "kind": fact.kind,
        "role": fact.role,
        "value": value_told(fact),
        "normal": normal(fact.value, fact.kind) if plain else "",
        "said_by": source_told(fact),
        "used_by": [*used_by],
        "earlier": [{"value": value_told(f), "step": f.step, "said_by": source_told(f)} for f in earlier],
    }


def _questions(events: Iterable[Event], facts: Mapping[str, Fact]) -> list[QuestionShown]:
    found: list[QuestionShown] = [
        {"question": f.question, "answer": value_told(f), "name": f.name, "said_by": source_told(f), "step": f.step}
        for f in facts.values()
        if f.question
    ]
    for event in (e for e in events if e.kind == SupplementEvent.KIND):
        for item in event.body["found"]:
            if item.get("source") == "user":
                found.append({"question": item["query"], "answer": item["text"], "name": "", "said_by": "the user", "step": 0})
    return found


def _screen(fact: Fact) -> ScreenShown:
    return {
        "name": fact.name, "app": fact.app, "state_id": fact.state_id, "step": fact.step, "subtask": fact.subtask,
        "shows": fact.value, "why": fact.reason,
    }  # fmt: skip


def _subtask(name: str, titles: Mapping[str, str], status: str, facts: Iterable[Fact]) -> SubtaskShown:
    found = [fact.name for fact in facts if fact.subtask == name]
    return {"id": name, "title": titles.get(name, name), "status": status, "found": found}
