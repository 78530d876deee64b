"""One line for each event that matters, safe to print anywhere. Shared by every face that speaks to people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from pydantic import ValidationError

from orchestrator.runs.privacy.clean import UNREADABLE, clean, escaped, json_text, shortened, visible
from protocol import describe, parse_action
from roles.contracts.requests import ApprovalRequest, DecisionRequest, PlanReviewRequest, QuestionRequest, Request, request_in
from roles.contracts.signals import Signal, gate_decision

if TYPE_CHECKING:
    from roles.journal.journal import Event

__all__ = [
    "UNREADABLE", "Line", "Teller", "action_words", "clean", "control_words", "escaped", "fact_words", "json_text", "titled",
    "visible",
]  # fmt: skip


class Line(NamedTuple):
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

    def lines(self, event: Event) -> list[Line]:
        """What an event says to a reader; nothing for those that only matter to the machinery."""
        try:
            return self._lines(event)
        except UNREADABLE:
            return [Line("?", f"an event {clean(event.kind, 40)} that says what deskcrew never writes", "bad")]

    def _lines(self, event: Event) -> list[Line]:
        if event.kind == "plan":
            plan = event.body.get("subtasks", ())
            self._titles.update({str(s.get("id", "")): str(s.get("title", "")) for s in plan})
            self._numbers = {str(s.get("id", "")): number for number, s in enumerate(plan, start=1)}
        if event.kind == "subtask_status":
            (self._working.add if event.body.get("status") == "pending" else self._working.discard)(event.subtask)
            return _subtask(event, self._titles.get(event.subtask) or event.subtask)
        say = _SAY.get(event.kind)
        lines = say(event) if say else []
        if event.kind == "outcome" and len(self._working) > 1 and event.subtask in self._numbers:
            return [line._replace(text=f"[{self._numbers[event.subtask]}] {line.text}") for line in lines]
        return lines


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
        case ApprovalRequest() | QuestionRequest() | DecisionRequest():
            return action_words({"name": request.about.name, "args": request.about.args})
        case _:
            assert_never(request)


def _started(event: Event) -> list[Line]:
    lines = [Line("run", clean(event.body.get("run_id", "")))] if event.body.get("run_id") else []
    return [*([Line("goal", clean(event.body["goal"]))] if event.body.get("goal") else []), *lines]


def _resumed(event: Event) -> list[Line]:
    return [Line("resumed", clean(event.body.get("goal", "")))]


def _plan(event: Event) -> list[Line]:
    lines = []
    if reason := event.body.get("reason"):
        lines.append(Line("plan", clean(reason), "dim"))
    for number, subtask in enumerate(event.body.get("subtasks", ()), start=1):
        sign = {"fulfilled": "✓ ", "rejected": "✗ "}.get(subtask.get("status", ""), "")
        lines.append(
            Line(
                "plan" if number == 1 and not reason else "",
                f"{number}. {sign}{titled(subtask.get('title', ''), subtask.get('app') or '')}",
            )
        )
    return lines


def _subtask(event: Event, name: str) -> list[Line]:
    status = event.body.get("status", "")
    if status not in ("fulfilled", "rejected"):
        return []
    good = status == "fulfilled"
    return [Line("subtask", f"{'✓' if good else '✗'} {shortened(name)} {status}", "good" if good else "bad")]


def _outcome(event: Event) -> list[Line]:
    body = event.body
    good = body.get("exec_status") == "executed"
    why = f" → {clean(body['error'], 200)}" if body.get("error") else "" if good else f" → {body.get('exec_status')}"
    hand = " (by hand)" if event.role == "user" else ""
    return [Line(str(event.step), f"{'✓' if good else '✗'} {clean(body.get('line', ''))}{hand}{why}", "" if good else "bad")]


def _reviewed(event: Event) -> list[Line]:
    if event.body.get("verdict") != "deny":
        return []
    why = "; ".join(clean(reason, 200) for reason in event.body.get("reasons", ()))
    return [Line("safety", f"✗ not allowed: {why} ({clean(event.body.get('policy', ''))})", "bad")]


def _requested(event: Event) -> list[Line]:
    request = request_in(event.body)
    return [Line("approval", f"? {asked_words(request)}", "ask")] if request is not None else []


def _approval(event: Event) -> list[Line]:
    decision, message = clean(event.body.get("decision", ""), 40), clean(event.body.get("message", ""))
    who = event.body.get("who")
    said = f"{decision}{f' by {clean(who, 60)}' if who not in (None, '', 'user') else ''}{': ' + message if message else ''}"
    return [Line("approval", said, "bad" if decision == "reject" else "good")]


def _added(event: Event) -> list[Line]:
    return [Line("approval", f"from here on: {json_text(event.body.get('constraints', {}))}", "dim")]


def _expired(event: Event) -> list[Line]:
    then = "asked again" if event.body.get("then") == "ask" else "rejected"
    return [Line("approval", f"nobody answered in time, {then}: {clean(event.body.get('line', ''), 160)}", "bad")]


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


def _gate(event: Event) -> list[Line]:
    body = event.body
    tone = gate_tone(str(body.get("decision", "")))
    said = f"◆ {body.get('trigger', '')} → {body.get('decision', '')}: {clean(body.get('reason', ''))}"
    return [Line("gate", said, tone), *(Line("", f"- {clean(issue)}", "bad") for issue in body.get("issues", ()))]


def _recovered(event: Event) -> list[Line]:
    return [Line("recover", f"↻ {clean(event.body.get('how', ''))} (attempt {event.body.get('attempt', 1)})", "ask")]


def _supplement(event: Event) -> list[Line]:
    found = [f"{clean(item.get('title', ''), 80)} ({clean(item.get('source', ''), 80)})" for item in event.body.get("found", ())]
    return [
        Line("help", f"{clean(event.body.get('query', ''), 80)} → {', '.join(found) or 'nothing found'}", "" if found else "bad")
    ]


def _page_used(event: Event) -> list[Line]:
    """A page that is followed, or was in vain; of the others the report tells."""
    body = event.body
    page = f"{clean(body.get('title', ''), 120)} ({clean(body.get('source', ''), 120)})"
    if body.get("failed"):
        return [Line("page", f"✗ {page}: {clean(body.get('why', ''), 300)}", "bad")]
    if not body.get("used"):
        return [Line("page", f"· {page} is not followed: {clean(body.get('why', ''), 300)}", "dim")] if body.get("why") else []
    return [Line("page", f"→ {page} is followed by {', '.join(clean(name, 40) for name in body.get('subtasks', ()))}")]


def _budget(event: Event) -> list[Line]:
    return [Line("budget", f"spent: {clean(event.body.get('name', ''))}", "bad")]


def _warning(event: Event) -> list[Line]:
    return [Line("budget", f"nearly spent: {clean(event.body.get('message', ''))}", "ask")]


def _limits(event: Event) -> list[Line]:
    changed = event.body.get("limits")
    pairs = changed.items() if isinstance(changed, dict) else ()
    return [Line("limits", f"{clean(key, 60)}: {' → '.join(clean(value, 60) for value in pair)}") for key, pair in pairs]


def control_words(body: Mapping[str, Any]) -> str:
    """What people asked of the run, or what the crew left undone for it; `body` has the event's kind."""
    who, kind = clean(body.get("who", ""), 60), body.get("kind")
    words = clean(body.get("words") or body.get("why") or "", 300)
    match kind:
        case "paused":
            return f"paused by {who}"
        case "steered":
            return f"{who} to {clean(body.get('to', 'crew'), 20)}: {words}"
        case "taken_over":
            return f"{who} has taken over; the crew does nothing"
        case "handed_back":
            count = body.get("steps", 0)
            return f"{who} has handed back after {count} step{'s' if count != 1 else ''} by hand; the crew looks anew"
        case "cancelled":
            return f"cancelled by {who}{': ' + words if words else ''}"
        case _:
            return f"not done any more: {clean(body.get('line', ''))}"


def _control(event: Event) -> list[Line]:
    tone = {"cancelled": "bad", "dropped": "dim"}.get(event.kind, "ask")
    return [Line("user" if event.kind != "dropped" else "", control_words({**event.body, "kind": event.kind}), tone)]


def _error(event: Event) -> list[Line]:
    said = clean(event.body.get("reply", ""), 400)
    return [Line("error", clean(event.body.get("message", "")), "bad"), *([Line("reply", said, "dim")] if said else [])]


def _conflict(event: Event) -> list[Line]:
    body = event.body
    what = clean(body.get("app") or body.get("name", ""), 80)
    pair = " and ".join(clean(name, 60) for name in body.get("subtasks", ()))
    where = f"{clean(body.get('about', ''), 40)} {what}"
    return [Line("conflict", f"⇄ {pair} meet at the {where}: {clean(body.get('resolution', ''))}", "ask")]


def _in_series(event: Event) -> list[Line]:
    return [Line("lanes", clean(event.body.get("message", "")), "dim")]


def fact_words(body: Mapping[str, Any], limit: int = 160) -> str:
    """A fact's value, who says it, and what others say otherwise."""
    from roles.contracts import Fact
    from roles.knowledge.memory.blackboard import source_told

    said = source_told(Fact.model_validate({"name": "-", **body}))
    others = body.get("instead") or ()
    dispute = f"; {len(others)} other{'s say' if len(others) > 1 else ' says'} otherwise" if others else ""
    return f"{clean(body.get('value', ''), limit)}" + (f" ({clean(said, 80)}{dispute})" if said or others else "")


def _fact(event: Event) -> list[Line]:
    return [Line("fact", f"{clean(event.body.get('name', ''), 80)} = {fact_words(event.body)}", "dim")]


def _recalled(event: Event) -> list[Line]:
    body = event.body
    said = f"{clean(body.get('question', ''), 160)} → {clean(body.get('value', ''), 160)}"
    return [Line("memory", f"{said} (as the user said in {clean(body.get('from', ''), 80)}; nobody was asked)")]


def _kept(event: Event) -> list[Line]:
    body = event.body
    asked = clean(body.get("question", ""), 160)
    said = f"kept for later runs: {asked}" if body.get("kept") else f"not kept: {asked} ({clean(body.get('why', ''), 160)})"
    return [Line("memory", said, "dim")]


def _learned(event: Event) -> list[Line]:
    return [Line("network", f"not asked again in this run: {clean(event.body.get('line', ''))}", "dim")]


def _stopped(event: Event) -> list[Line]:
    body = event.body
    return [Line("network", f"✗ stopped: {clean(body.get('line', ''))} ({clean(body.get('policy', ''), 80)})", "dim")]


def learned_words(report: Mapping[str, Any]) -> list[str]:
    """What was asked about once and let go from then on, as a safety policy would have it; nothing where nothing was."""
    rules = (report.get("network") or {}).get("learned") or ()
    if not rules:
        return []
    return ["a person was asked once; to ask no more, add to the safety policy:", "network:", "  allow:",
            *(f"    - {json_text(rule)}" for rule in rules)]  # fmt: skip


_SAY = {
    "network_learned": _learned,
    "request_stopped": _stopped,
    "fact": _fact,
    "answer_recalled": _recalled,
    "answer_kept": _kept,
    "conflict": _conflict,
    "in_series": _in_series,
    "run_started": _started,
    "run_resumed": _resumed,
    "plan": _plan,
    "outcome": _outcome,
    "reviewed": _reviewed,
    "approval_requested": _requested,
    "approval": _approval,
    "constraints_added": _added,
    "approval_expired": _expired,
    "gate": _gate,
    "recovered": _recovered,
    "supplement": _supplement,
    "knowledge_used": _page_used,
    "budget": _budget,
    "budget_warning": _warning,
    "limits_changed": _limits,
    "error": _error,
    **dict.fromkeys(("paused", "steered", "taken_over", "handed_back", "cancelled", "dropped"), _control),
}
