"""One line for each event that matters, safe to print anywhere. Shared by every face that speaks to people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from pydantic import ValidationError

from orchestrator.store.printable import UNREADABLE, clean, json_text, shortened, visible
from protocol import describe, parse_action
from roles.contracts.requests import ApprovalRequest, PlanReviewRequest, QuestionRequest, Request, request_in
from roles.contracts.signals import Signal, gate_decision
from roles.journal import events as journal
from roles.journal.events import ControlEvent, JournalEvent, Unreadable, event_of

if TYPE_CHECKING:
    from roles.journal.journal import Event


class EventLine(NamedTuple):
    """`mark` is a word or sign for the left column; `tone` is good, bad, ask, dim or empty."""

    mark: str
    text: str
    tone: str = ""

    def __str__(self) -> str:
        return f"{visible(self.mark):>9}  {visible(self.text)}"


class Teller:
    """Tells a run in lines; remembers what the subtasks are called, and which are at work."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._working: set[str] = set()

    def lines(self, event: Event) -> list[EventLine]:
        """What an event says to a reader; nothing for those that only matter to the machinery."""
        content = event.content
        unreadable = [EventLine("?", f"an event {clean(event.kind, 40)} with content that deskcrew does not write", "bad")]
        if isinstance(content, Unreadable):
            return unreadable if content.known else []
        try:
            return self._lines(event, content)
        except UNREADABLE:
            return unreadable

    def _lines(self, event: Event, content: JournalEvent) -> list[EventLine]:
        if isinstance(content, journal.PlanEvent):
            self._titles.update({str(s.get("id", "")): str(s.get("title", "")) for s in content.subtasks})
            self._numbers = {str(s.get("id", "")): number for number, s in enumerate(content.subtasks, start=1)}
        if isinstance(content, journal.SubtaskStatusEvent):
            (self._working.add if content.status == "pending" else self._working.discard)(event.subtask)
            name = self._titles.get(event.subtask) or event.subtask
            if content.status not in ("fulfilled", "rejected"):
                return []
            good = content.status == "fulfilled"
            return [EventLine("subtask", f"{'✓' if good else '✗'} {shortened(name)} {content.status}", "good" if good else "bad")]
        lines = _said(event, content)
        if isinstance(content, journal.OutcomeEvent) and len(self._working) > 1 and event.subtask in self._numbers:
            return [line._replace(text=f"[{self._numbers[event.subtask]}] {line.text}") for line in lines]
        return lines


_TICKED = {"shown": "✓", "missing": "✗", "forbidden": "✗", "unchecked": "?", "unread": "?"}


def ledger_line(entry: Mapping[str, Any]) -> str:
    """An entry of the goal's ledger: how it stands, in the goal's words, why, and what shows it."""
    state, kind = clean(entry.get("state") or "open", 20), clean(entry.get("kind") or "order", 20)
    told = [] if state in {"open", "shown"} else [state.replace("_", " ")]
    told += [clean(entry["why"], 200)] if entry.get("why") else []
    shown = ", ".join(clean(name, 60) for name in list(entry.get("evidence") or ())[:3])
    line = f"{_TICKED.get(state, '·')} {'' if kind == 'order' else f'{kind}: '}{clean(entry.get('text'), 200)}"
    return line + (f" ({'; '.join(told)})" if told else "") + (f" [{shown}]" if shown else "")


def titled(title: str, app: str) -> str:
    """A subtask with its application, unless its title begins with it."""
    said = shortened(title)
    return said if not app or said.casefold().startswith(app.casefold()) else f"{said} · {clean(app, 40)}"


def action_words(action: Mapping[str, Any]) -> str:
    """The exact action of any `{name, args}`."""
    name, args = str(action.get("name", "?")), action.get("args") or {}
    try:
        return clean(describe(parse_action({"action_type": name, **args})))
    except (ValidationError, TypeError):
        return clean(f"{name} {args}" if args else name)


def asked_words(request: Request) -> str:
    """What exactly is asked about, in a line."""
    match request:
        case PlanReviewRequest():
            return clean(request.about.description or "work this plan")
        case ApprovalRequest() | QuestionRequest():
            return action_words({"name": request.about.name, "args": request.about.args})
        case _:
            assert_never(request)


def _said(event: Event, content: JournalEvent) -> list[EventLine]:  # noqa: C901 - a branch for each kind that says something
    match content:
        case journal.RunStartedEvent():
            told = (("goal", content.goal), ("run", content.run_id))
            return [EventLine(mark, clean(text)) for mark, text in told if text]
        case journal.RunResumedEvent():
            return [EventLine("resumed", clean(content.goal))]
        case journal.PlanEvent():
            return _plan(content)
        case journal.OutcomeEvent():
            good = content.exec_status == "executed"
            why = f" → {clean(content.error, 200)}" if content.error else "" if good else f" → {content.exec_status}"
            said = f"{'✓' if good else '✗'} {clean(content.line)}{' (by hand)' if event.role == 'user' else ''}{why}"
            return [EventLine(str(event.step), said, "" if good else "bad")]
        case journal.ReviewedEvent():
            why = "; ".join(clean(reason, 200) for reason in content.reasons)
            said = f"✗ not allowed: {why} ({clean(content.policy)})"
            return [EventLine("safety", said, "bad")] if content.verdict == "deny" else []
        case journal.ApprovalRequestedEvent():
            request = request_in(event.body)
            return [EventLine("approval", f"? {asked_words(request)}", "ask")] if request is not None else []
        case journal.ApprovalEvent():
            decision, message = clean(content.decision, 40), clean(content.message)
            who = f" by {clean(content.who, 60)}" if content.who not in ("", "user") else ""
            said = f"{decision}{who}{': ' + message if message else ''}"
            return [EventLine("approval", said, "bad" if decision == "reject" else "good")]
        case journal.ConstraintsAddedEvent():
            return [EventLine("approval", f"from here on: {json_text(content.constraints)}", "dim")]
        case journal.ApprovalExpiredEvent():
            then = "asked again" if content.then == "ask" else "rejected"
            return [EventLine("approval", f"nobody answered in time, {then}: {clean(content.line, 160)}", "bad")]
        case journal.GateEvent():
            line = EventLine(
                "gate", f"◆ {content.trigger} → {content.decision}: {clean(content.reason)}", gate_tone(content.decision)
            )
            return [line, *(EventLine("", f"- {clean(issue)}", "bad") for issue in content.issues)]
        case journal.RehearsalEvent():
            said, came = f"attempt {content.number} of {content.of}", clean(content.reason, 200)
            if not content.chosen:
                said = f"{said}, {content.steps} steps: {content.decision or 'no gate'}: {came}"
                return [EventLine("rehearse", said, "dim")]
            return [EventLine("rehearse", f"{said} is carried out{f': {came}' if came else ''}")]
        case journal.RecoveredEvent():
            return [EventLine("recover", f"↻ {clean(content.how)} (attempt {content.attempt or 1})", "ask")]
        case journal.SupplementEvent():
            found = [f"{clean(item.get('title', ''), 80)} ({clean(item.get('source', ''), 80)})" for item in content.found]
            said = f"{clean(content.query, 80)} → {', '.join(found) or 'nothing found'}"
            return [EventLine("help", said, "" if found else "bad")]
        case journal.KnowledgeUsedEvent():
            return _page_used(content)
        case journal.BudgetEvent():
            return [EventLine("budget", f"spent: {clean(content.name)}", "bad")]
        case journal.BudgetWarningEvent():
            return [EventLine("budget", f"nearly spent: {clean(content.message)}", "ask")]
        case journal.LimitsChangedEvent():
            limits = content.limits.items()
            return [
                EventLine("limits", f"{clean(key, 60)}: {' → '.join(clean(value, 60) for value in pair)}") for key, pair in limits
            ]
        case journal.PausedEvent() | journal.SteeredEvent() | journal.TakenOverEvent() | journal.HandedBackEvent():
            return [EventLine("user", _control(content), "ask")]
        case journal.CancelledEvent():
            return [EventLine("user", _control(content), "bad")]
        case journal.DroppedEvent():
            return [EventLine("", _control(content), "dim")]
        case journal.ErrorEvent():
            reply = clean(content.reply, 400)
            return [EventLine("error", clean(content.message), "bad"), *([EventLine("reply", reply, "dim")] if reply else [])]
        case journal.ConflictEvent():
            pair = " and ".join(clean(name, 60) for name in content.subtasks)
            said = f"⇄ {pair} meet at the fact {clean(content.name, 80)}: {clean(content.resolution)}"
            return [EventLine("conflict", said, "ask")]
        case journal.FactEvent():
            return [EventLine("fact", f"{clean(content.name, 80)} = {fact_words(content)}", "dim")]
        case journal.NetworkLearnedEvent():
            return [EventLine("network", f"not asked again in this run: {clean(content.line)}", "dim")]
        case journal.RequestStoppedEvent():
            return [EventLine("network", f"✗ stopped: {clean(content.line)} ({clean(content.policy, 80)})", "dim")]
        case (
            journal.RunStoppedEvent() | journal.RunFinishedEvent() | journal.ForkedEvent() | journal.TaskStatusEvent()
            | journal.SituationEvent() | journal.SubtaskStatusEvent()
            | journal.ExperienceEvent() | journal.AnswerEvent() | journal.ObservedEvent() | journal.RecognizedEvent()
            | journal.DecidedEvent() | journal.BatchStoppedEvent() | journal.StepEvent() | journal.FeedbackEvent()
            | journal.PictureEvent() | journal.PictureWithdrawnEvent() | journal.NoPictureEvent()
            | journal.AnsweredEvent() | journal.PolicyEvent() | journal.ModelCallEvent() | journal.LedgerEvent()
        ):  # fmt: skip
            return []
        case _:
            assert_never(content)


def _plan(content: journal.PlanEvent) -> list[EventLine]:
    lines = [EventLine("plan", clean(content.reason), "dim")] if content.reason else []
    for number, subtask in enumerate(content.subtasks, start=1):
        sign = {"fulfilled": "✓ ", "rejected": "✗ "}.get(subtask.get("status", ""), "")
        said = f"{number}. {sign}{titled(subtask.get('title', ''), subtask.get('app') or '')}"
        lines.append(EventLine("plan" if number == 1 and not content.reason else "", said))
    return lines


def gate_tone(decision: str) -> str:
    """How good the news of a check is; whatever a journal says that deskcrew never writes is neither."""
    match gate_decision(decision):
        case Signal.GATE_DONE:
            return "good"
        case Signal.GATE_FAIL:
            return "bad"
        case Signal.GATE_CONTINUE | Signal.GATE_SUPPLEMENT | None:
            return "ask"
        case other:
            assert_never(other)


def _page_used(content: journal.KnowledgeUsedEvent) -> list[EventLine]:
    """A page that is followed, or was in vain; of the others the report tells."""
    page, why = f"{clean(content.title, 120)} ({clean(content.source, 120)})", clean(content.why, 300)
    if content.failed:
        return [EventLine("page", f"✗ {page}: {why}", "bad")]
    if not content.used:
        return [EventLine("page", f"· {page} is not followed: {why}", "dim")] if why else []
    return [EventLine("page", f"→ {page} is followed by {', '.join(clean(name, 40) for name in content.subtasks)}")]


def control_words(item: Mapping[str, Any]) -> str:
    """What people asked of the run, or what the crew left undone for it, as the report has it: a body with its kind."""
    content = event_of(str(item.get("kind")), dict(item))
    return _control(content) if isinstance(content, ControlEvent) else f"not done any more: {clean(item.get('line', ''))}"


def _control(content: ControlEvent) -> str:
    match content:
        case journal.PausedEvent():
            return f"paused by {clean(content.who, 60)}"
        case journal.SteeredEvent():
            return f"{clean(content.who, 60)} to {clean(content.to or 'crew', 20)}: {clean(content.words, 300)}"
        case journal.TakenOverEvent():
            return f"{clean(content.who, 60)} has taken over; the crew does nothing"
        case journal.HandedBackEvent():
            steps = f"{content.steps} step{'s' if content.steps != 1 else ''}"
            return f"{clean(content.who, 60)} has handed back after {steps} by hand; the crew looks anew"
        case journal.CancelledEvent():
            return f"cancelled by {clean(content.who, 60)}{': ' + clean(content.why, 300) if content.why else ''}"
        case journal.DroppedEvent():
            return f"not done any more: {clean(content.line)}"
        case _:
            assert_never(content)


def fact_words(content: journal.FactEvent, limit: int = 160) -> str:
    """A fact's value, who says it, and what others say otherwise."""
    from roles.contracts import Fact
    from roles.contracts.facts import source_told

    said, others = source_told(Fact.model_validate(content.body())), content.instead
    dispute = f"; {len(others)} other{'s say' if len(others) > 1 else ' says'} otherwise" if others else ""
    return clean(content.value, limit) + (f" ({clean(said, 80)}{dispute})" if said or others else "")


def learned_words(report: Mapping[str, Any]) -> list[str]:
    """What was asked about once and let go from then on, as a safety policy would have it; nothing where nothing was."""
    rules = (report.get("network") or {}).get("learned") or ()
    if not rules:
        return []
    return ["a person was asked once; to ask no more, add to the safety policy:", "network:", "  allow:",
            *(f"    - {json_text(rule)}" for rule in rules)]  # fmt: skip
