"""The events of a run as the lines that a person reads: one for each action, check, question, plan and mishap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.runs.privacy.clean import UNREADABLE, clean
from orchestrator.views.page.data import Detail, Item, Kind, Status, Target, items_of, number, plain, words
from orchestrator.views.terminal.words import Teller, action_words, asked_words, gate_tone
from roles.contracts.requests import request_in
from roles.journal.journal import Event

_SILENT = frozenset({
    "run_started", "run_finished", "task_status", "situation", "recognized", "feedback", "output", "fact", "picture",
    "picture_withdrawn",
})  # fmt: skip
"""Kinds that are shown elsewhere, or say nothing to a reader."""
_TONES: Mapping[str, Status] = {"good": "ok", "bad": "failed", "ask": "warn"}
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("paused", "steered", "taken_over", "handed_back", "cancelled", "dropped"), "control"),
    **dict.fromkeys(("run_resumed", "run_stopped"), "control"),
    **dict.fromkeys(("budget", "budget_warning", "limits_changed"), "budget"),
    "error": "error",
}
_ENDS: Mapping[str, Status] = {"fulfilled": "ok", "rejected": "failed", "cancelled": "failed", "damaged": "failed"}


@dataclass
class _Open:
    """A step that is not over."""

    began: float
    role: str = ""
    line: str = ""
    app: str = ""
    before: str = ""
    key: str = ""
    status: str = ""
    error: str = ""
    verdict: str = ""
    detail: Detail = field(default_factory=lambda: Detail())


@dataclass
class _Said:
    """What a role's policy and its models have said since its last item."""

    calls: list[Any] = field(default_factory=list)
    decided: Any = None
    began: float | None = None


class Lines:
    """Hears the events in order; `items` and `details` grow with them, and `touched` says which are not as they were."""

    def __init__(self, results: Mapping[str, Mapping[str, Any]], began: float) -> None:
        self.items: list[Item] = []
        self.details: list[Detail] = []
        self.targets: list[Target] = []
        self.touched: set[int] = set()
        """Places in `items`; whoever reads them empties it."""
        self._results = results
        self._began = began
        self._open: dict[tuple[str, int], _Open] = {}
        self._said: dict[str, _Said] = {}
        self._asked: dict[str, int] = {}
        """Keys of requests, and their items."""
        self._attempts: dict[str, int] = {}
        self._plans = 0
        self._tell = Teller()
        self._hear: dict[str, Callable[[Event], None]] = {
            "observed": self._observed, "decided": self._decided, "reviewed": self._reviewed, "outcome": self._outcome,
            "step": self._step, "approval_requested": self._requested, "approval": self._answered,
            "approval_expired": self._expired, "gate": self._gate, "plan": self._plan, "supplement": self._supplement,
            "recovered": self._recovered, "answered": self._decision, "model_call": self._call, "answer": self._answer,
            "subtask_status": self._status, "run_resumed": self._resumed,
        }  # fmt: skip

    def hear(self, event: Event) -> None:
        """Take an event in; one that says what deskcrew never writes becomes a line that says so."""
        try:
            hear = self._hear.get(event.kind)
            if hear is not None:
                hear(event)
            elif event.kind not in _SILENT:
                self._other(event)
        except UNREADABLE:
            self._add(event, "note", "warn", f"an event {clean(event.kind, 40)} that says what deskcrew never writes")

    def end(self, status: str, reason: str, at: float, checks: list[Any]) -> None:
        """What was begun and not finished, and how the run stands."""
        waiting = {(i.subtask, i.step) for i in self.items if i.kind == "approval" and i.status == "waiting"}
        for (subtask, step), one in list(self._open.items()):
            if (subtask, step) not in waiting:
                event = Event(0, self._began + at, "step", one.role, subtask, step, {})
                self._close(event, one, "step", "waiting", one.line or "looked at the screen", "it was not finished")
        failed = any(isinstance(check, dict) and not check.get("passed") for check in checks)
        stands = "failed" if failed else _ENDS.get(status, "waiting")
        detail = Detail(checks=plain(checks)) if checks else Detail()
        self._put(Item("end", stands, "controller", "", 0, 0, round(at, 3), 0.0, status.replace("_", " "), reason), detail)

    # --- the steps of a worker ------------------------------------------------------------------------------------

    def _at(self, event: Event) -> _Open:
        one = self._open.setdefault((event.subtask, event.step), _Open(event.at))
        one.role = one.role or event.role
        return one

    def _observed(self, event: Event) -> None:
        one = self._at(event)
        one.before, one.app = words(event.body, "state_id"), words(event.body, "app")

    def _decided(self, event: Event) -> None:
        one, body = self._at(event), event.body
        one.line = words(body, "line")
        for name in ("observation", "reasoning", "comment"):
            if said := words(body, name):
                one.detail[name] = said
        ahead = [*items_of(body.get("then")), *items_of(body.get("plan"))]
        if ahead:
            one.detail["steps_ahead"] = plain(ahead)
        self._take_said(event.role, one.detail)
        if not one.line:  # it ends: there is no action
            said = words(body, "comment", "reasoning")
            self._close(event, one, "report", "info", f"{words(body, 'status').lower() or 'ends'}: {said}", "")

    def _reviewed(self, event: Event) -> None:
        one = self._at(event)
        one.detail.setdefault("review", []).append(plain(event.body))
        one.line = one.line or words(event.body, "action")
        one.verdict = words(event.body, "verdict")
        if one.verdict == "deny":
            why = "; ".join(clean(reason) for reason in items_of(event.body.get("reasons")))
            self._close(event, one, "step", "failed", one.line, f"not allowed: {why} ({words(event.body, 'policy')})")

    def _outcome(self, event: Event) -> None:
        one = self._at(event)
        one.line = words(event.body, "line") or one.line
        one.status, one.error = words(event.body, "exec_status"), words(event.body, "error")
        one.key = words(event.body, "key")

    def _step(self, event: Event) -> None:
        one, body = self._at(event), event.body
        action = body.get("action")
        one.detail["action"] = plain(action)
        if events := items_of(body.get("events")):
            one.detail["events"] = plain(events)
        status = words(body, "exec_status") or one.status
        line = one.line or action_words(_as_request(action))
        why = words(body, "error") or one.error or ("" if status == "executed" else status)
        one.before, one.app = words(body, "before") or one.before, words(body, "app") or one.app
        self._take_said(event.role, one.detail)
        good: Status = "ok" if status == "executed" else "failed"
        self._close(event, one, "step", good, line, why, after=words(body, "after"))

    def _close(
        self, event: Event, one: _Open, kind: Kind, status: Status, line: str, why: str, *, after: str = ""
    ) -> None:
        self._open.pop((event.subtask, event.step), None)
        result = self._results.get(one.key, {})
        resolved = result.get("resolved")
        resolved = resolved if isinstance(resolved, dict) else {}
        if output := words(result, "output"):
            one.detail["output"] = output
        if tier := words(resolved, "tier"):
            one.detail["tier"] = tier
        action = one.detail.get("action")
        target = action.get("target") if isinstance(action, dict) else None
        meant = words(resolved, "element_id") or words(target, "element_id")
        self._add(
            event, kind, status, line, why, one.detail, began=one.began, app=one.app, before=one.before, after=after,
            point=_point(resolved.get("point")), target=(meant, target),
        )  # fmt: skip

    # --- people -----------------------------------------------------------------------------------------------------

    def _requested(self, event: Event) -> None:
        body, key = event.body, words(event.body, "key")
        request = request_in(body)
        line = asked_words(request) if request is not None else "?"
        if key in self._asked:  # nobody answered in time, and it is asked anew
            self._change(self._asked[key], status="waiting")
            return
        detail = Detail(request=plain(body))
        open_ = self._open.get((event.subtask, event.step))
        if open_ is not None:
            detail = Detail(**{**open_.detail, **detail})
        why = "; ".join(clean(reason) for reason in items_of(body.get("reasons")))
        self._asked[key] = len(self.items)
        target = request.about.args.get("target") if request is not None else None
        self._add(
            event, "approval", "waiting", line, why, detail, role="user", app=words(body, "app"),
            before=words(body, "state_id"), target=(words(target, "element_id"), target),
        )  # fmt: skip

    def _answered(self, event: Event) -> None:
        body, place = event.body, self._asked.get(words(event.body, "key"))
        decision = words(body, "decision")
        status: Status = "ok" if decision in {"approve", "respond"} else "warn"
        if place is None:
            detail = Detail(answer=plain(body))
            self._add(event, "approval", status, f"{decision}: {words(body, 'line')}", words(body, "message"), detail)
        else:
            waited = round(event.at - self._began - self.items[place].at, 3)
            self._change(place, status=status, seconds=max(waited, 0.0))
            self.details[place]["answer"] = plain(body)
        if decision == "reject":
            self._open.pop((event.subtask, event.step), None)
        elif (one := self._open.get((event.subtask, event.step))) is not None:
            one.began = event.at  # what a person took is not the worker's time

    def _expired(self, event: Event) -> None:
        place = self._asked.get(words(event.body, "key"))
        if place is None:
            self._other(event)
            return
        self._change(place, status="warn")
        self.details[place]["body"] = plain(event.body)

    # --- the other roles ----------------------------------------------------------------------------------------------

    def _gate(self, event: Event) -> None:
        body, decision = event.body, words(event.body, "decision")
        detail = Detail(gate=plain(body))
        line = f"{words(body, 'trigger').lower().replace('_', ' ')} → {decision}"
        found = body.get("found")
        after = words(found, "after").removeprefix("state:")
        began = self._take_said(event.role, detail)
        self._add(
            event, "gate", _TONES[gate_tone(decision)], line, words(body, "reason"), detail, began=began,
            before=words(found, "before").removeprefix("state:"), after=after,
        )  # fmt: skip

    def _plan(self, event: Event) -> None:
        self._plans += 1
        count = len(items_of(event.body.get("subtasks")))
        detail = Detail(body=plain(event.body))
        began = self._take_said(event.role, detail)
        said = f"plan {self._plans}: {count} subtask{'' if count == 1 else 's'}"
        self._add(event, "plan", "info", said, words(event.body, "reason"), detail, began=began)

    def _supplement(self, event: Event) -> None:
        found = items_of(event.body.get("found"))
        titles = ", ".join(words(item, "title", "source") for item in found)
        detail = Detail(found=plain(found), query=words(event.body, "query"))
        self._add(
            event, "supplement", "info" if found else "warn", f"looked up {words(event.body, 'query')!r}",
            titles or "nothing found", detail,
        )  # fmt: skip

    def _recovered(self, event: Event) -> None:
        body = event.body
        said = f"recovers from {words(body, 'trouble')}: {words(body, 'how')} (attempt {words(body, 'attempt')})"
        self._add(event, "recovery", "warn", said, "", Detail(body=plain(body)))

    def _answer(self, event: Event) -> None:
        detail = Detail(body=plain(event.body))
        began = self._take_said(event.role, detail)
        self._add(event, "report", "info", "answer", words(event.body, "reason", "advice"), detail, began=began)

    def _decision(self, event: Event) -> None:
        said = self._said.setdefault(event.role, _Said())
        said.decided = plain(event.body.get("answer"))
        said.began = said.began or event.at

    def _call(self, event: Event) -> None:
        said = self._said.setdefault(event.role, _Said())
        said.calls.append(plain(event.body))
        said.began = said.began or event.at - number(event.body.get("seconds"))

    def _take_said(self, role: str, detail: Detail) -> float | None:
        said = self._said.pop(role, _Said())
        if said.calls:
            detail["calls"] = [*detail.get("calls", []), *said.calls]
        if said.decided is not None:
            detail["decided"] = said.decided
            if expected := words(said.decided, "expected"):
                detail["expected"] = expected
        return said.began

    def _status(self, event: Event) -> None:
        self._attempts[event.subtask] = int(number(event.body.get("attempt")))

    def _resumed(self, event: Event) -> None:
        answer = words(event.body, "answer")
        self._add(event, "control", "info", f"resumed{f' with the answer {answer}' if answer else ''}")

    def _other(self, event: Event) -> None:
        """Any event that has words for people; one of a kind that is not known here says its kind."""
        told = self._tell.lines(event)
        status = _TONES.get(told[0].tone, "info") if told else "info"
        line = told[0].text if told else event.kind.replace("_", " ")
        detail = Detail(body=plain(event.body))
        self._take_said(event.role, detail)
        why = "" if told else words(event.body, "message", "why")
        self._add(event, _KINDS.get(event.kind, "note"), status, line, why, detail)

    def _add(
        self, event: Event, kind: Kind, status: Status, line: str, why: str = "", detail: Detail | None = None, *,
        role: str = "", began: float | None = None, app: str = "", before: str = "", after: str = "",
        point: tuple[float, float] | None = None, target: Target = ("", None),
    ) -> None:  # fmt: skip
        start = min(event.at if began is None else began, event.at)
        self._put(
            Item(
                kind, status, role or event.role or "controller", event.subtask, self._attempts.get(event.subtask, 0), event.step,
                round(start - self._began, 3), round(event.at - start, 3), line, why, app, before, after, None, point,
            ),
            detail or Detail(), target,
        )  # fmt: skip

    def _change(self, place: int, **values: Any) -> None:
        self.touched.add(place)
        self.items[place] = self.items[place]._replace(**values)

    def _put(self, item: Item, detail: Detail, target: Target = ("", None)) -> None:
        self.touched.add(len(self.items))
        self.items.append(item)
        self.details.append(detail)
        self.targets.append(target)


def _as_request(action: Any) -> dict[str, Any]:
    rest = dict(action) if isinstance(action, dict) else {}
    return {"name": rest.pop("action_type", "?"), "args": rest}


def _point(value: Any) -> tuple[float, float] | None:
    if isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    good = isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(part, int | float) for part in value)
    return (number(value[0]), number(value[1])) if good else None
