"""One line for each event that matters, safe to print anywhere. Shared by every face that speaks to people."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from protocol import describe, parse_action

if TYPE_CHECKING:
    from roles.journal import Event

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that move the cursor, turn the writing direction, cannot be encoded or cannot be seen."""
_KEPT = {"\u200d", "\ufe0f", "\ufe0e"}
"""Joiners inside emoji."""


def clean(text: Any, limit: int = 400) -> str:
    """Foreign text on one line: no escape sequences, no direction marks, no lone surrogates; cut when too long."""
    words = str(text)
    if len(words) > limit:
        words = words[: limit - 1] + "…"
    return "".join(_visible(c) for c in words)


def _visible(char: str) -> str:
    if char == "\n":
        return "⏎"
    if char in "\t\r":
        return " "
    return "�" if unicodedata.category(char) in _HIDDEN and char not in _KEPT else char


class Line(NamedTuple):
    """`mark` is a word or sign for the left column; `tone` is good, bad, ask, dim or empty."""

    mark: str
    text: str
    tone: str = ""

    def __str__(self) -> str:
        return f"{self.mark:>9}  {self.text}"


class Teller:
    """Tells a run in lines; remembers what the subtasks are called."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}

    def lines(self, event: Event) -> list[Line]:
        """What an event says to a reader; nothing for those that only matter to the machinery."""
        if event.kind == "plan":
            self._titles.update({str(s.get("id", "")): str(s.get("title", "")) for s in event.body.get("subtasks", ())})
        if event.kind == "subtask_status":
            return _subtask(event, self._titles.get(event.subtask) or event.subtask)
        say = _SAY.get(event.kind)
        return say(event) if say else []


def titled(title: str, app: str) -> str:
    """A subtask with its application, unless its title begins with it."""
    said = clean(title, 160)
    return said if not app or said.casefold().startswith(app.casefold()) else f"{said} · {clean(app, 40)}"


def action_words(request: Mapping[str, Any]) -> str:
    """The exact action of an approval request, or of any `{name, args}`."""
    name, args = str(request.get("name", "?")), request.get("args") or {}
    try:
        return clean(describe(parse_action({"action_type": name, **args})))
    except (ValidationError, TypeError):
        return clean(f"{name} {args}" if args else name)


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
    return [Line("subtask", f"{'✓' if good else '✗'} {clean(name, 160)} {status}", "good" if good else "bad")]


def _outcome(event: Event) -> list[Line]:
    body = event.body
    good = body.get("exec_status") == "executed"
    why = f" → {clean(body['error'], 200)}" if body.get("error") else "" if good else f" → {body.get('exec_status')}"
    return [Line(str(event.step), f"{'✓' if good else '✗'} {clean(body.get('line', ''))}{why}", "" if good else "bad")]


def _reviewed(event: Event) -> list[Line]:
    if event.body.get("verdict") != "deny":
        return []
    why = "; ".join(clean(reason, 200) for reason in event.body.get("reasons", ()))
    return [Line("safety", f"✗ not allowed: {why} ({clean(event.body.get('rule', ''))})", "bad")]


def _requested(event: Event) -> list[Line]:
    requests = event.body.get("action_requests") or [{}]
    return [Line("approval", f"? {action_words(requests[0])}", "ask")] if requests[0] else []


def _approval(event: Event) -> list[Line]:
    decision, message = str(event.body.get("decision", "")), clean(event.body.get("message", ""))
    return [Line("approval", f"{decision}{': ' + message if message else ''}", "bad" if decision == "reject" else "good")]


def _gate(event: Event) -> list[Line]:
    body = event.body
    tone = {"gate_done": "good", "gate_fail": "bad"}.get(body.get("decision", ""), "ask")
    said = f"◆ {body.get('trigger', '')} → {body.get('decision', '')}: {clean(body.get('reason', ''))}"
    return [Line("gate", said, tone), *(Line("", f"- {clean(issue)}", "bad") for issue in body.get("issues", ()))]


def _recovered(event: Event) -> list[Line]:
    return [Line("recover", f"↻ {clean(event.body.get('how', ''))} (attempt {event.body.get('attempt', 1)})", "ask")]


def _supplement(event: Event) -> list[Line]:
    found = [f"{clean(item.get('title', ''), 80)} ({clean(item.get('source', ''), 80)})" for item in event.body.get("found", ())]
    return [
        Line("help", f"{clean(event.body.get('query', ''), 80)} → {', '.join(found) or 'nothing found'}", "" if found else "bad")
    ]


def _budget(event: Event) -> list[Line]:
    return [Line("budget", f"spent: {clean(event.body.get('name', ''))}", "bad")]


def _error(event: Event) -> list[Line]:
    return [Line("error", clean(event.body.get("message", "")), "bad")]


_SAY = {
    "run_started": _started,
    "run_resumed": _resumed,
    "plan": _plan,
    "outcome": _outcome,
    "reviewed": _reviewed,
    "approval_requested": _requested,
    "approval": _approval,
    "gate": _gate,
    "recovered": _recovered,
    "supplement": _supplement,
    "budget": _budget,
    "error": _error,
}
