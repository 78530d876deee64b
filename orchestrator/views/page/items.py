"""The events of a run as the lines that a person reads: one for each action, check, question, plan and mishap."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from orchestrator.store.printable import UNREADABLE, clean, number
from orchestrator.views.page.data import Detail, Item, Kind, Status, Target, bounded, plain, words
from orchestrator.views.terminal.event_lines import Teller, action_words, asked_words, gate_tone, ledger_line
from protocol import JsonObject
from roles.contracts.requests import request_in
from roles.journal import events as journal
from roles.journal.events import JournalEvent, Unreadable
from roles.journal.journal import Event

_TONES: Mapping[str, Status] = {"good": "ok", "bad": "failed", "ask": "warn"}
_ENDS: Mapping[str, Status] = {"fulfilled": "ok", "rejected": "failed", "cancelled": "failed", "damaged": "failed"}


@dataclass
class _OpenStep:
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
class _RoleMessages:
    """What a role's policy and its models have said since its last item."""

    calls: list[Any] = field(default_factory=list)
    decided: Any = None
    began: float | None = None


class RunLines:
    """Hears the events in order; `items` and `details` grow with them, and `touched` says which are not as they were."""

    def __init__(self, results: Callable[[str], Mapping[str, Any]], began: float) -> None:
        self.items: list[Item] = []
        self.details: list[Detail] = []
        self.targets: list[Target] = []
        self.touched: set[int] = set()
        """Places in `items`; whoever reads them empties it."""
        self._results = results
        self._began = began
        self._open: dict[tuple[str, int], _OpenStep] = {}
        self._said: dict[str, _RoleMessages] = {}
        self._asked: dict[str, int] = {}
        """Keys of requests, and their items."""
        self._attempts: dict[str, int] = {}
        self._plans = 0
        self._tell = Teller()

    def hear(self, event: Event) -> None:
        """Take an event in; one with content that deskcrew does not write becomes a line that says so."""
        content = event.content
        try:
            if isinstance(content, Unreadable):
                if content.known:
                    raise ValueError(content.kind)
                self._other(event, "note")
            else:
                self._take(event, content)
        except UNREADABLE:
            self._add(event, "note", "warn", f"an event {clean(event.kind, 40)} with content that deskcrew does not write")

    def _take(self, event: Event, content: JournalEvent) -> None:  # noqa: C901 - a branch for each kind that has a line of its own
        match content:
            case journal.ObservedEvent():
                one = self._at(event)
                one.before, one.app = bounded(content.state_id), bounded(content.app or "")
            case journal.DecidedEvent():
                self._decided(event, content)
            case journal.ReviewedEvent():
                self._reviewed(event, content)
            case journal.OutcomeEvent():
                one = self._at(event)
                one.line = bounded(content.line) or one.line
                one.status, one.error, one.key = bounded(content.exec_status), bounded(content.error), bounded(content.key)
            case journal.StepEvent():
                self._step(event, content)
            case journal.ApprovalRequestedEvent():
                self._requested(event, content)
            case journal.ApprovalEvent():
                self._answered(event, content)
            case journal.ApprovalExpiredEvent():
                if (place := self._asked.get(bounded(content.key))) is None:
                    self._other(event, "note")
                else:
                    self._change(place, status="warn")
                    self.details[place]["body"] = plain(event.body)
            case journal.GateEvent():
                self._gate(event, content)
            case journal.PlanEvent():
                self._plan(event, content)
            case journal.LedgerEvent():
                said = "; ".join(map(ledger_line, content.entries))
                self._add(event, "note", "info", "what the goal asks for", said, Detail(body=plain(event.body)))
            case journal.SupplementEvent():
                detail = Detail(found=plain(content.found), query=bounded(content.query))
                titles = ", ".join(words(item, "title", "source") for item in content.found) or "nothing found"
                said = f"looked up {bounded(content.query)!r}"
                self._add(event, "supplement", "info" if content.found else "warn", said, titles, detail)
            case journal.RecoveredEvent():
                said = f"recovers from {bounded(content.trouble)}: {bounded(content.how)} (attempt {content.attempt})"
                self._add(event, "recovery", "warn", said, "", Detail(body=plain(event.body)))
            case journal.AnsweredEvent():
                heard = self._heard(event)
                heard.decided, heard.began = plain(content.answer), heard.began or event.at
            case journal.ModelCallEvent():
                heard = self._heard(event)
                heard.calls.append(plain(event.body))
                heard.began = heard.began or event.at - number(content.seconds)
            case journal.AnswerEvent():
                detail = Detail(body=plain(event.body))
                began = self._take_said(event, detail)
                self._add(event, "report", "info", "answer", bounded(content.reason or content.advice), detail, began=began)
            case journal.SubtaskStatusEvent():
                self._attempts[event.subtask] = content.attempt
            case journal.RunResumedEvent():
                answer = bounded(content.answer)
                self._add(event, "control", "info", f"resumed{f' with the answer {answer}' if answer else ''}")
            case (
                journal.PausedEvent() | journal.SteeredEvent() | journal.TakenOverEvent() | journal.HandedBackEvent()
                | journal.CancelledEvent() | journal.DroppedEvent() | journal.RunStoppedEvent()
            ):  # fmt: skip
                self._other(event, "control")
            case journal.BudgetEvent() | journal.BudgetWarningEvent() | journal.LimitsChangedEvent():
                self._other(event, "budget")
            case journal.ErrorEvent():
                self._other(event, "error")
            case (
                journal.ForkedEvent() | journal.ConflictEvent() | journal.KnowledgeUsedEvent()
                | journal.ExperienceEvent() | journal.BatchStoppedEvent() |
                journal.NoPictureEvent()
                | journal.ConstraintsAddedEvent() | journal.NetworkLearnedEvent() | journal.RequestStoppedEvent()
                | journal.PolicyEvent() | journal.RehearsalEvent()
            ):  # fmt: skip
                self._other(event, "note")
            case (
                journal.RunStartedEvent() | journal.RunFinishedEvent() | journal.TaskStatusEvent() | journal.SituationEvent()
                | journal.RecognizedEvent() | journal.FeedbackEvent() | journal.FactEvent()
                | journal.PictureEvent() | journal.PictureWithdrawnEvent()
            ):  # fmt: skip
                pass  # shown elsewhere, or nothing to a reader
            case _:
                assert_never(content)

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

    def _at(self, event: Event) -> _OpenStep:
        one = self._open.setdefault((event.subtask, event.step), _OpenStep(event.at))
        one.role = one.role or event.role
        return one

    def _decided(self, event: Event, content: journal.DecidedEvent) -> None:
        one = self._at(event)
        one.line = bounded(content.line)
        if content.observation:
            one.detail["observation"] = bounded(content.observation)
        if content.reasoning:
            one.detail["reasoning"] = bounded(content.reasoning)
        if content.comment:
            one.detail["comment"] = bounded(content.comment)
        if ahead := [*content.then, *content.plan]:
            one.detail["steps_ahead"] = plain(ahead)
        self._take_said(event, one.detail)
        if not one.line:  # it ends: there is no action
            said = bounded(content.comment or content.reasoning)
            self._close(event, one, "report", "info", f"{bounded(content.status).lower() or 'ends'}: {said}", "")

    def _reviewed(self, event: Event, content: journal.ReviewedEvent) -> None:
        one = self._at(event)
        one.detail.setdefault("review", []).append(plain(event.body))
        one.line = one.line or bounded(content.action)
        one.verdict = bounded(content.verdict)
        if one.verdict == "deny":
            why = "; ".join(map(clean, content.reasons))
            self._close(event, one, "step", "failed", one.line, f"not allowed: {why} ({bounded(content.policy)})")

    def _step(self, event: Event, content: journal.StepEvent) -> None:
        one = self._at(event)
        one.detail["action"] = plain(content.action)
        if content.events:
            one.detail["events"] = plain(content.events)
        status = bounded(content.exec_status) or one.status
        line = one.line or action_words(_as_request(content.action))
        why = bounded(content.error) or one.error or ("" if status == "executed" else status)
        one.before, one.app = bounded(content.before) or one.before, bounded(content.app or "") or one.app
        self._take_said(event, one.detail)
        good: Status = "ok" if status == "executed" else "failed"
        self._close(event, one, "step", good, line, why, after=bounded(content.after))

    def _close(self, event: Event, one: _OpenStep, kind: Kind, status: Status, line: str, why: str, *, after: str = "") -> None:
        self._open.pop((event.subtask, event.step), None)
        result = self._results(one.key)
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

    def _requested(self, event: Event, content: journal.ApprovalRequestedEvent) -> None:
        key, request = bounded(content.key), request_in(event.body)
        line = asked_words(request) if request is not None else "?"
        if key in self._asked:  # nobody answered in time, and it is asked anew
            self._change(self._asked[key], status="waiting")
            return
        detail = Detail(request=plain(event.body))
        open_ = self._open.get((event.subtask, event.step))
        if open_ is not None:
            detail = Detail(**{**open_.detail, **detail})
        why = "; ".join(map(clean, content.reasons))
        self._asked[key] = len(self.items)
        target = request.about.args.get("target") if request is not None else None
        self._add(
            event, "approval", "waiting", line, why, detail, role="user", app=bounded(content.app or ""),
            before=bounded(content.state_id), target=(words(target, "element_id"), target),
        )  # fmt: skip

    def _answered(self, event: Event, content: journal.ApprovalEvent) -> None:
        place, decision = self._asked.get(bounded(content.key)), bounded(content.decision)
        status: Status = "ok" if decision in {"approve", "respond"} else "warn"
        if place is None:
            detail = Detail(answer=plain(event.body))
            self._add(event, "approval", status, f"{decision}: {bounded(content.line)}", bounded(content.message), detail)
        else:
            waited = round(event.at - self._began - self.items[place].at, 3)
            self._change(place, status=status, seconds=max(waited, 0.0))
            self.details[place]["answer"] = plain(event.body)
        if decision == "reject":
            self._open.pop((event.subtask, event.step), None)
        elif (one := self._open.get((event.subtask, event.step))) is not None:
            one.began = event.at  # what a person took is not the worker's time

    def _gate(self, event: Event, content: journal.GateEvent) -> None:
        decision, detail = bounded(content.decision), Detail(gate=plain(event.body))
        line = f"{bounded(content.trigger).lower().replace('_', ' ')} → {decision}"
        after = words(content.found, "after").removeprefix("state:")
        began = self._take_said(event, detail)
        self._add(
            event, "gate", _TONES[gate_tone(decision)], line, bounded(content.reason), detail, began=began,
            before=words(content.found, "before").removeprefix("state:"), after=after,
        )  # fmt: skip

    def _plan(self, event: Event, content: journal.PlanEvent) -> None:
        self._plans += 1
        count = len(content.subtasks)
        detail = Detail(body=plain(event.body))
        began = self._take_said(event, detail)
        said = f"plan {self._plans}: {count} subtask{'' if count == 1 else 's'}"
        self._add(event, "plan", "info", said, bounded(content.reason), detail, began=began)

    def _heard(self, event: Event) -> _RoleMessages:
        return self._said.setdefault(_whose(event), _RoleMessages())

    def _take_said(self, event: Event, detail: Detail) -> float | None:
        unplaced = self._said.pop(f"{event.role}/", _RoleMessages())  # of a run in which calls had no subtask yet
        said = self._said.pop(_whose(event), unplaced)
        calls = said.calls if said is unplaced else [*unplaced.calls, *said.calls]
        if calls:
            detail["calls"] = [*detail.get("calls", []), *calls]
        if said.decided is not None:
            detail["decided"] = said.decided
            if expected := words(said.decided, "expected"):
                detail["expected"] = expected
        return said.began or unplaced.began

    def _other(self, event: Event, kind: Kind) -> None:
        """Any event that has words for people; one of a kind that is not known here says its kind."""
        told = self._tell.lines(event)
        status = _TONES.get(told[0].tone, "info") if told else "info"
        line = told[0].text if told else event.kind.replace("_", " ")
        detail = Detail(body=plain(event.body))
        self._take_said(event, detail)
        why = "" if told else words(event.body, "message", "why")
        self._add(event, kind, status, line, why, detail)

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


def _whose(event: Event) -> str:
    """Workers are asked beside each other, each about its own subtask."""
    return event.role if event.role in {"manager", "evaluator"} else f"{event.role}/{event.subtask}"


def _as_request(action: Any) -> JsonObject:
    rest = dict(action) if isinstance(action, dict) else {}
    return {"name": rest.pop("action_type", "?"), "args": rest}


def _point(value: Any) -> tuple[float, float] | None:
    if isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    good = isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(part, int | float) for part in value)
    return (number(value[0]), number(value[1])) if good else None
