"""What a run's journal says of actions, questions, gates and new plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from orchestrator.core.machine import Situation
from protocol import describe, parse_action
from roles.contracts.requests import ApprovalRequest, QuestionRequest, read_request
from roles.journal.events import ApprovalEvent, ApprovalRequestedEvent, GateEvent, SituationEvent, StepEvent
from roles.journal.journal import Event

_NOT_THERE = "target not found"
"""How the error of a step begins that never reached the environment."""


class PerformedAction(NamedTuple):
    """An action that the environment was given."""

    step: int
    subtask: str
    line: str
    verbs: tuple[str, ...]
    """The action's own verb, and what it amounted to: `submit`, `send`, `delete`."""
    target: str
    app: str
    exec_status: str
    error: str

    def __str__(self) -> str:
        why = f" ({self.exec_status}: {self.error})" if self.error else ""
        return f"step {self.step} of {self.subtask}: {self.line} in {self.app or 'no application'}{why}"


class AskedPerson(NamedTuple):
    """A person was asked, and what came of it; no decision while the run waits."""

    what: str
    app: str
    rule: str
    decision: str
    message: str

    def __str__(self) -> str:
        return f"{self.what} ({self.rule}): {self.decision or 'not answered'}"


class Gate(NamedTuple):
    """A check of the Evaluator."""

    trigger: str
    decision: str
    subtask: str
    reason: str

    def __str__(self) -> str:
        return f"{self.trigger} {self.decision}: {self.reason}"


class Replan(NamedTuple):
    """The Manager was asked for a plan again."""

    signals: tuple[str, ...]
    """What led there; two where help was looked for in between."""
    words: str
    """What was said of it: a verdict, an error, what the user answered."""

    def __str__(self) -> str:
        return f"{' and '.join(self.signals)}: {self.words or 'nothing was said of it'}"


def actions(events: Sequence[Event]) -> list[PerformedAction]:
    """What the environment was given, in order."""
    steps = (event for event in events if event.kind == StepEvent.KIND)
    return [_done(event) for event in steps if not event.body.get("error", "").startswith(_NOT_THERE)]


def questions(events: Sequence[Event]) -> list[AskedPerson]:
    """What a person was asked, in order."""
    return [_asked(event, events) for event in events if event.kind == ApprovalRequestedEvent.KIND]


def gates(events: Sequence[Event]) -> list[Gate]:
    """The checks, in order."""
    found = (event for event in events if event.kind == GateEvent.KIND)
    return [Gate(e.body["trigger"], e.body["decision"], e.subtask, e.body["reason"]) for e in found]


def replans(events: Sequence[Event]) -> list[Replan]:
    """Every return to PLAN after the first one, with what was said since the situation before."""
    found: list[Replan] = []
    before: tuple[str, ...] = ()
    words: list[str] = []
    for event in events:
        words += _words(event)
        if event.kind != SituationEvent.KIND:
            continue
        row = event.body
        signals = (*before, row["signal"]) if row["situation"] == Situation.SUPPLEMENT else (row["signal"],)
        if row["next"] == Situation.PLAN and row["situation"] != Situation.INIT:
            found.append(Replan(signals, "; ".join(dict.fromkeys(words))))
        before = signals if row["next"] == Situation.SUPPLEMENT else ()
        words = words if before else []
    return found


def _done(event: Event) -> PerformedAction:
    body = event.body
    action = parse_action(body["action"])
    target = body.get("target") or (action.target.describe() if action.target else "")
    verbs = tuple(dict.fromkeys((action.verb, body.get("verb", action.verb))))
    app = body.get("app") or ""
    return PerformedAction(
        event.step, event.subtask, describe(action), verbs, target, app, body["exec_status"], body.get("error", "")
    )


def _asked(event: Event, events: Sequence[Event]) -> AskedPerson:
    request = read_request(event.body)
    what = request.about.args.get("question") or request.about.description
    of_it = (
        e.body
        for e in events
        if e.kind == ApprovalEvent.KIND and e.id > event.id and (e.step, e.subtask) == (event.step, event.subtask)
    )
    answer = next(of_it, {})
    app, rule = (request.app or "", request.rule) if isinstance(request, ApprovalRequest | QuestionRequest) else ("", "")
    return AskedPerson(what, app, rule, answer.get("decision", ""), answer.get("message", ""))


def _words(event: Event) -> list[str]:
    """What an event says of why things went otherwise."""
    body = event.body
    match event.kind:
        case "gate":
            return [body["reason"], *body.get("issues", ())]
        case "error":
            return [body["message"]]
        case "outcome":
            return [body["error"]] if body.get("error") else []
        case "approval":
            return [f"{body['decision']} {body['line']}", body["message"]] if body["decision"] in {"reject", "respond"} else []
        case "reviewed":
            return list(body["reasons"]) if body["verdict"] == "deny" else []
        case "decided":
            return [body["reasoning"]] if body["status"] in {"FAIL", "ERROR"} else []
    return []
