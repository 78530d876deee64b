"""`report.json`: what a run did, gathered from its journal. Everything in it is redacted already."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from pydantic import ValidationError
from typing_extensions import TypedDict

from orchestrator.core.machine import UNDONE, Situation
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import UNREADABLE, items_of
from protocol import CARRIES, JsonObject, VisualState
from roles.contracts import Fact
from roles.contracts.facts import normal, source_told
from roles.contracts.limits import Limits
from roles.journal import events as journal
from roles.journal.budgets import COUNTED, Budget, Budgets, BudgetUse, Spending
from roles.journal.events import ControlEvent, Json, SupplementEvent
from roles.journal.journal import Content, Event
from roles.knowledge.blackboard import value_told
from roles.safety.case import Grounds, origin_of
from roles.safety.effects import learned_rules
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
    facts: list[JsonObject]
    questions: list[QuestionShown]
    screens: list[ScreenShown]
    conflicts: list[JsonObject]
    subtasks: list[SubtaskShown]


def board_at(events: Iterable[Event], at: int | None = None) -> Board:
    """All of it as JSON; `at` is the last step that is taken in. Raises UsageProblem for events that deskcrew never wrote."""
    try:
        taken, known = [event for event in events if at is None or event.step <= at or not event.step], _BoardState(at)
        for event in taken:
            known.take(event)
        facts = known.facts.values()
        return {
            "at": at,
            "facts": [known.shown(fact) for fact in facts if fact.kind != SCREEN],
            "questions": _questions(taken, facts),
            "screens": [
                {
                    "name": fact.name, "app": fact.app, "state_id": fact.state_id, "step": fact.step, "subtask": fact.subtask,
                    "shows": fact.value, "why": fact.reason,
                }
                for fact in facts
                if fact.kind == SCREEN
            ],
            "conflicts": known.conflicts,
            "subtasks": [
                {"id": name, "title": known.titles.get(name, name), "status": status,
                 "found": [fact.name for fact in facts if fact.subtask == name]}
                for name, status in known.statuses.items()
            ],
        }  # fmt: skip
    except (*UNREADABLE, ValidationError) as bad:
        raise UsageProblem(f"The journal contains facts that deskcrew does not write ({type(bad).__name__}).") from None


class _BoardState:
    """What is known after each event."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self.facts: dict[str, Fact] = {}
        self.conflicts: list[JsonObject] = []
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

    def shown(self, fact: Fact) -> JsonObject:
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


def fact_shown(fact: Fact, used_by: Iterable[str] = (), earlier: Iterable[Fact] = ()) -> JsonObject:
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


def _questions(events: Iterable[Event], facts: Iterable[Fact]) -> list[QuestionShown]:
    found: list[QuestionShown] = [
        {"question": f.question, "answer": value_told(f), "name": f.name, "said_by": source_told(f), "step": f.step}
        for f in facts
        if f.question
    ]
    for event in (e for e in events if e.kind == SupplementEvent.KIND):
        for item in event.body["found"]:
            if item.get("source") == "user":
                found.append({"question": item["query"], "answer": item["text"], "name": "", "said_by": "the user", "step": 0})
    return found


_CHECKS = {Situation.QUALITY_CHECK.value, Situation.FINAL_CHECK.value}
_UNDONE = {signal.value for signal in UNDONE}
_ANEW = {Situation.PLAN.value, Situation.SUPPLEMENT.value}
_AFTER_WAITING = frozenset(event.KIND for event in (journal.RunResumedEvent, journal.ApprovalEvent, journal.ApprovalExpiredEvent))
"""The time before one of these was a person's, or nobody's."""
_NOT_IN_EVENTS = "limits.simulated_seconds"
"""The clock of the world is the world's."""


class BudgetCount:
    """What was used up by the events that were heard, in order."""

    def __init__(self) -> None:
        self._steps_by: Counter[str] = Counter()
        self.spending = Spending()
        self._used = BudgetUse(self.spending, steps_by=self._steps_by)
        self._last: float | None = None

    def hear(self, event: Event) -> None:
        used = self._used
        if event.kind in COUNTED:
            self.spending.hear(event.role, event.content)
        elif event.kind == journal.SituationEvent.KIND:
            signal, following = (str(event.body.get(name)) for name in ("signal", "next"))
            used.plans += following == Situation.PLAN.value
            used.replans += signal in _UNDONE and following in _ANEW
            used.gates += following in _CHECKS
        elif event.kind == journal.StepEvent.KIND:
            used.steps = max(used.steps, event.step)
            self._steps_by[event.role] += 1
        if self._last is not None and event.kind not in _AFTER_WAITING:
            used.seconds += max(event.at - self._last, 0.0)
        self._last = event.at

    def budgets(self, settings: Mapping[str, Any]) -> list[Budget]:
        """Every budget that events can tell; none where the settings are not of this version."""
        try:
            limits = Limits.model_validate(settings.get("limits", {}))
        except ValidationError:
            return []
        return [budget for budget in Budgets(limits).standing(self._used) if budget.key != _NOT_IN_EVENTS]


CONTROL = frozenset(event.KIND for event in get_args(ControlEvent))


_UNTOLD = frozenset(
    event.KIND
    for event in (
        journal.ObservedEvent, journal.RecognizedEvent, journal.DecidedEvent, journal.AnsweredEvent, journal.OutcomeEvent,
    )
)  # fmt: skip
"""Kinds that come with each action, and of which a report tells no more than when they came."""


def reported_events(events: Iterable[Event]) -> list[Event]:
    """The events of a run as its report is made of them, without bodies that it does not tell: half of a long journal."""
    return [event._replace(body={}) if event.kind in _UNTOLD else event for event in events]


def build_report(events: list[Event], *, run: JsonObject, result: JsonObject, budgets: Sequence[Budget] = ()) -> JsonObject:
    """`run` is `run.json`; `result` is how the controller ended, or how far it came, and `budgets` what it used up by then."""
    steps = [e for e in events if e.kind == journal.StepEvent.KIND]
    asked = [e.body for e in events if e.kind == journal.ApprovalRequestedEvent.KIND]
    spent = [e.body for e, _ in _said(events, journal.BudgetEvent)] if result.get("ended_by") == "budget_spent" else []
    pages = {(page.source, page.title): {"used": False} | e.body for e, page in _said(events, journal.KnowledgeUsedEvent)}
    return {
        "run_id": run["run_id"],
        "goal": run["goal"],
        "task": run.get("task_id") or None,
        "world": run["settings"]["world"],
        "environment_type": run.get("environment_type"),
        "seed": run["settings"]["seed"],
        "status": result["status"],
        "reason": result["reason"],
        "ended_by": result.get("ended_by"),
        "counts": {
            "steps": len(steps),
            "plans": result.get("plans", 0),
            "gates": result.get("gates", 0),
        },
        "budget_spent": _pick(spent[-1], "key", "used", "limit", "more") if spent else None,
        "budgets": {budget.key: budget.as_json() for budget in budgets},
        "models": {
            role: asdict(use) | {"money": round(use.money, 6), "seconds": round(use.seconds, 3)}
            for role, use in Spending.of((e.role, e.content) for e in events if e.kind in _PAID).by_role.items()
        },
        "wall_seconds": round(result.get("elapsed", 0.0), 3),
        "plan": _plan(events),
        "plan_given": bool(run.get("plan_given")),
        "ledger": next((list(last.entries) for _, last in reversed(_said(events, journal.LedgerEvent))), []),
        "answer": next((fact.value for _, fact in reversed(_said(events, journal.FactEvent)) if fact.name == "answer"), ""),
        "facts": [fact_shown(fact_of(e)) for e in events if e.kind == journal.FactEvent.KIND],
        "blackboard": board_at(events),
        "steps": [
            {"step": e.step, "subtask": e.subtask, "role": e.role}
            | _pick(e.body, "action", "verb", "target", "app", "exec_status", "error", "visible_change", "events", "remark")
            for e in steps
        ],
        "gates": [
            _pick(e.body, "trigger", "decision", "reason", "evidence", "issues") | {"subtask": e.subtask}
            for e in events
            if e.kind == journal.GateEvent.KIND
        ],
        "approvals": [
            _pick(e.body, "decision", "message", "who", "way", "line", "plan_version", "worked") | {"step": e.step}
            for e in events
            if e.kind == journal.ApprovalEvent.KIND
        ],
        "constraints": {
            "given": {k: said for k, said in (run["settings"].get("constraints") or {}).items() if said},
            "added": [e.body | {"step": e.step} for e in events if e.kind == journal.ConstraintsAddedEvent.KIND],
        },
        "control": [{"kind": e.kind, "step": e.step, **e.body} for e in events if e.kind in CONTROL],
        "pending": asked[-1] if asked and result["status"] == "on_hold" else None,
        "supplements": [
            {"query": brought.query, "found": [_pick(f, "source", "title") for f in brought.found]}
            for _, brought in _said(events, journal.SupplementEvent)
        ],
        "knowledge": list(pages.values()),
        "network": {"learned": learned_rules(e.body for e in events if e.kind == journal.NetworkLearnedEvent.KIND)},
        "safety_findings": [
            e.body | {"step": e.step} for e in events if e.kind == journal.ReviewedEvent.KIND and e.body.get("verdict") != "allow"
        ],
        "environment_events": [
            {"step": e.step, "event": text}
            for e in events
            if e.kind == journal.FeedbackEvent.KIND
            for text in items_of(e.body.get("events"))
        ],
        "errors": [{"role": e.role, **_pick(e.body, "message", "reply")} for e in events if e.kind == journal.ErrorEvent.KIND],
        "decided_by": [{"role": e.role, "step": e.step, **e.body} for e in events if e.kind == journal.PolicyEvent.KIND],
        "transitions": [str(e.body.get("row", "")) for e in events if e.kind == journal.SituationEvent.KIND],
    }


def _said(events: list[Event], kind: type[Content]) -> list[tuple[Event, Content]]:
    """The events of one kind, each with what it says."""
    found = ((event, event.content) for event in events if event.kind == kind.KIND)
    return [(event, said) for event, said in found if isinstance(said, kind)]


_PAID = {journal.ModelCallEvent.KIND, journal.RehearsalEvent.KIND}


def _plan(events: list[Event]) -> list[JsonObject]:
    """The latest plan with the latest statuses."""
    plans = [plan for _, plan in _said(events, journal.PlanEvent)]
    if not plans:
        return []
    statuses = {event.subtask: event.body for event, _ in _said(events, journal.SubtaskStatusEvent)}
    shown = []
    for subtask in plans[-1].subtasks:
        stands = {"status": subtask.get("status", "ready"), "attempt": 0} | statuses.get(subtask["id"], {})
        kept = _pick(subtask, "id", "title", "instruction", "app", "worker", "depends_on", "pinned")
        shown.append(kept | _pick(stands, "status", "attempt", "reason"))
    return shown


def _pick(body: Json, *keys: str) -> Json:
    return {key: body[key] for key in keys if key in body}
