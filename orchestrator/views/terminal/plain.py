"""Plain lines, newest at the bottom: for pipes, logs, CI, terminals without colour, and screen readers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, Any

from orchestrator.settings.layers import shown
from orchestrator.store.printable import clean, shortened, visible
from orchestrator.views.terminal.approval import asked, request_lines, typed
from orchestrator.views.terminal.event_lines import EventLine, Teller, learned_words
from roles.contracts.requests import PlanReviewRequest, QuestionRequest, request_in
from roles.journal.events import ApprovalRequestedEvent

if TYPE_CHECKING:
    from orchestrator.runs.outcome import Answer, Approver, Outcome
    from protocol import JsonObject
    from roles.journal.journal import Event

_VERDICTS = {0: ("✓", "good"), 1: ("✗", "bad"), 3: ("‖", "ask"), 4: ("✗", "bad")}
_STILL = {"paused": "paused", "taken_over": "taken over by a person"}
_FACTS_SHOWN = 8
ELSEWHERE: ContextVar[str] = ContextVar("elsewhere", default="")
"""The option by which commands reach the machine that a run is on; empty where that is this one."""


def ending_lines(outcome: Outcome) -> list[EventLine]:
    """As pytest does it: what matters most stands last."""
    sign, tone = _VERDICTS.get(outcome.exit_code, ("", ""))
    lines = [EventLine(sign, _verdict(outcome), tone)]
    if (request := request_in(outcome.pending)) is not None:
        lines += request_lines(request)
    elif outcome.reason:
        lines.append(EventLine("why", clean(outcome.reason, 2_000)))
    lines += [EventLine("answer" if n == 0 else "", clean(text, 4_000)) for n, text in enumerate(outcome.answer.splitlines())]
    lines += _done(outcome.report)
    lines += [EventLine("network" if n == 0 else "", visible(text)) for n, text in enumerate(learned_words(outcome.report))]
    lines.append(EventLine("run", clean(outcome.run_id if ELSEWHERE.get() else shown(outcome.folder))))
    return [*lines, *(EventLine("next" if number == 0 else "", text) for number, text in enumerate(next_commands(outcome)))]


def _verdict(outcome: Outcome) -> str:
    if outcome.exit_code == 3:
        return _STILL.get(outcome.status, "waiting for a person")
    if outcome.report.get("ended_by") == "cancelled":
        return "cancelled"
    if outcome.exit_code == 1 and outcome.status == "fulfilled":
        return "failed, although the crew reports it as fulfilled"
    return outcome.status + (" (a budget is spent)" if outcome.exit_code == 4 else "")


def next_commands(outcome: Outcome) -> list[str]:
    """What can be typed now."""
    name = shlex.quote(outcome.run_id)
    where = "" if outcome.folder.parent.name == "runs" and shown(outcome.folder.parent) == "runs" else None
    tail = ELSEWHERE.get() or (where if where is not None else f" --runs-dir {shlex.quote(shown(outcome.folder.parent))}")
    if outcome.exit_code == 4 and (spent := outcome.report.get("budget_spent")):
        return [f"deskcrew resume {name}{tail} -c {shlex.quote(str(spent['more']))}", f"deskcrew show {name}{tail}"]
    if outcome.status == "interrupted":
        return [f"deskcrew resume {name}{tail}", f"deskcrew show {name}{tail}"]
    if outcome.exit_code != 3:
        return [f"deskcrew show {name}{tail}"]
    if outcome.status in _STILL:
        ways_on = {"paused": ["resume"], "taken_over": ["takeover", "handback"]}[outcome.status]
        return [f"deskcrew {way} {name}{tail}" for way in (*ways_on, "cancel")]
    if (request := request_in(outcome.pending)) is None:
        return [f"deskcrew show {name}{tail}"]
    ways = {"approve": "--approve", "reject": '--reject "why"', "edit": "--edit FILE", "respond": '--respond "words"'}
    if isinstance(request, QuestionRequest):
        ways = {"respond": '--respond "your answer"', "reject": '--reject "why"'}
    to_edit = [f"deskcrew show {name}{tail} --plan > plan.yaml"] if isinstance(request, PlanReviewRequest) else []
    return [*to_edit, *(f"deskcrew resume {name}{tail} {way}" for kind, way in ways.items() if kind in request.allowed)]


def _done(report: Mapping[str, Any]) -> list[EventLine]:
    lines = []
    for number, subtask in enumerate(report.get("plan") or (), start=1):
        status = subtask.get("status", "")
        sign = {"fulfilled": "✓", "rejected": "✗"}.get(status, "·")
        tone = {"fulfilled": "good", "rejected": "bad"}.get(status, "dim")
        lines.append(EventLine("done" if number == 1 else "", f"{sign} {shortened(subtask.get('title', ''))}", tone))
    facts = [fact for fact in report.get("facts") or () if fact.get("name") != "answer"]
    for number, fact in enumerate(facts[:_FACTS_SHOWN]):
        lines.append(
            EventLine("facts" if number == 0 else "", f"{clean(fact.get('name', ''), 60)} = {clean(fact.get('value', ''), 80)}")
        )
    if len(facts) > _FACTS_SHOWN:
        lines.append(EventLine("", f"and {len(facts) - _FACTS_SHOWN} more"))
    if counts := report.get("counts"):
        parts = [f"{number} {word if number != 1 else word[:-1]}" for word, number in counts.items()]
        lines.append(EventLine("work", f"{', '.join(parts)} · {report.get('wall_seconds', 0):.1f} s"))
    return lines


class Face:
    """Shows events as they come, and how it ended. By itself it is for scripts that only want the exit code, and asks nobody."""

    approver: Approver | None = None
    """Asks the person who sits there; None where nobody can be asked."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def start(self) -> None:
        """Take the screen."""

    def recall(self, event: Event) -> None:
        """Take in what happened before a resume, without showing it again."""

    def event(self, event: Event) -> None:
        """Take in what happens, and show it."""

    def stop(self) -> None:
        """Give the screen back. Twice is fine."""

    def finish(self, outcome: Outcome) -> None:
        """The last screen: the verdict, why, what was done, where it is kept, and what to type next."""
        self._line(f"{outcome.run_id} {outcome.status}: {clean(outcome.reason)}")

    def _line(self, text: str) -> None:
        self._out.write(text.rstrip() + "\n")
        self._out.flush()


class JsonLines(Face):
    """For programs. The outcome's line has the kind `run_outcome`."""

    def event(self, event: Event) -> None:
        self._line(json.dumps(event._asdict(), separators=(",", ":"), default=str))

    def finish(self, outcome: Outcome) -> None:
        ended = {"kind": "run_outcome", **outcome.model_dump(mode="json")}
        self._line(json.dumps(ended, separators=(",", ":"), default=str))


class Plain(Face):
    """One line per event that matters."""

    def __init__(self, out: IO[str], *, can_ask: bool = False) -> None:
        super().__init__(out)
        self._teller = Teller()
        self.approver = self._ask if can_ask else None

    def recall(self, event: Event) -> None:
        self._teller.lines(event)

    def event(self, event: Event) -> None:
        for line in self._teller.lines(event):
            if self.approver is None or event.kind != ApprovalRequestedEvent.KIND:  # else it is asked at once
                self._line(str(line))

    def finish(self, outcome: Outcome) -> None:
        self._line("")
        for line in ending_lines(outcome):
            self._line(str(line))

    def _ask(self, body: JsonObject) -> Answer | None:
        return asked(body, lambda line: self._line(str(line)), read=lambda prompt: typed(prompt, self._out), say=self._line)
