"""Where two courses of one run first differ: event by event, in what counts and not in its wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from orchestrator.runs.replay.recording import COMPARED
from roles.journal.events import LimitsChangedEvent, OutcomeEvent, PlanEvent, RunResumedEvent

if TYPE_CHECKING:
    from orchestrator.runs.replay.recording import Recording

_CALLED = {
    "plan": "the plan",
    "observed": "the screen that is seen",
    "decided": "the decision",
    "reviewed": "the review of the action",
    "approval_requested": "what a person is asked",
    "approval": "what a person said",
    "outcome": "the result of the action",
    "feedback": "the screen after the action",
    "fact": "the blackboard",
    "supplement": "what was looked up",
    "answer": "the analyst's answer",
    "gate": "the gate",
    "subtask_status": "the subtask",
    "situation": "the situation",
    "budget": "a budget",
    "run_finished": "the end of the run",
    "apps": "what the apps came to",
}
_OUTSIDE = ("--cancelled-->", "--budget_spent-->", " seconds ", " tokens ", " for models ", " unusable answers ", " characters ")
"""What ends a run from outside: who called it off, the clock, and what models cost are not there when it is worked again."""
_LOST = ("reviewed", "situation")
"""What a kill can take for good: it stands behind the intent, which is the last that is sure to be written."""


class Moment(NamedTuple):
    """One event as it is compared."""

    kind: str
    subtask: str
    step: int
    shown: Mapping[str, Any]
    resumed: bool = False
    """The first that stands after the run was taken up again."""

    def line(self) -> str:
        """What it says, in one line."""
        return f"{self.kind}: " + ", ".join(f"{name}={_brief(value)}" for name, value in self.shown.items())


class Difference(NamedTuple):
    """Where the two courses part: `what` (an event's kind, or `apps`) and `field` of it."""

    step: int
    subtask: str
    what: str
    field: str
    recorded: Any
    now: Any

    def sentence(self) -> str:
        where = f"step {self.step}" if self.step else "before the first step"
        place = f"{where}, subtask {self.subtask}" if self.subtask else where
        told = f"{place}: {_CALLED.get(self.what, self.what)}{f' ({self.field})' if self.field else ''}"
        return f"{told}: recorded {_brief(self.recorded)}, now {_brief(self.now)}"


def moments(recording: Recording) -> list[Moment]:
    """What is compared of a run, in order. The steps of events that have none are those they follow."""
    found: list[Moment] = []
    step, resumed = 0, False
    for event in recording.events:
        resumed = resumed or event.kind == RunResumedEvent.KIND
        if event.kind == LimitsChangedEvent.KIND:
            _taken_back(found)
        if event.kind not in COMPARED:
            continue
        step = event.step or step
        body = dict(event.body)
        if event.kind == OutcomeEvent.KIND:
            done = recording.actions.get(str(body.get("key", "")).partition("/")[2])
            body["resolved"] = ((done.result if done else None) or {}).get("resolved")
        if event.kind == PlanEvent.KIND:
            body["subtasks"] = [{k: v for k, v in item.items() if k != "status"} for item in body["subtasks"]]
        shown = {name: body.get(name) for name in COMPARED[event.kind]}
        found.append(Moment(event.kind, event.subtask, step, shown, resumed))
        resumed = False
    return found


def _taken_back(found: list[Moment]) -> None:
    """A limit was raised: that its budget ended the run holds no longer, and with the limit of now it does not."""
    while found and (found[-1].kind in {"budget", "run_finished"} or "--budget_spent-->" in str(found[-1].shown.get("row"))):
        found.pop()


def first_difference(recorded: Sequence[Moment], now: Sequence[Moment], *, finished: bool, why: str = "") -> Difference | None:
    """Where they part, or None. One that is not `finished` may be gone on with; `why` says why the course of now ended."""
    place = 0
    for old in recorded:
        while place < len(now) and old.resumed and now[place].kind in _LOST and not _same(old, now[place]):
            place += 1
        if place == len(now):
            return (
                None if _from_outside(old) else Difference(old.step, old.subtask, old.kind, "", old.line(), why or "it ends here")
            )
        if not _same(old, now[place]):
            return None if _from_outside(old) else _between(old, now[place])
        place += 1
    if finished and place < len(now):
        more = now[place]
        return Difference(more.step, more.subtask, more.kind, "", "it ends here", more.line())
    return None


def needs_approval(recorded: Sequence[Moment], now: Sequence[Moment]) -> Moment | None:
    """The first action that needs a person's approval now, and did not then."""
    reviewed = {(m.subtask, m.step): m.shown["verdict"] for m in recorded if m.kind == "reviewed"}
    asked = (m for m in now if m.kind == "reviewed" and m.shown["verdict"] == "ask")
    return next((m for m in asked if reviewed.get((m.subtask, m.step)) == "allow"), None)


def _same(old: Moment, new: Moment) -> bool:
    return (old.kind, old.subtask, old.shown) == (new.kind, new.subtask, new.shown)


def _between(old: Moment, new: Moment) -> Difference:
    if old.kind != new.kind:
        return Difference(old.step, old.subtask, old.kind, "", old.line(), new.line())
    if old.subtask != new.subtask:
        return Difference(old.step, old.subtask, old.kind, "subtask", old.subtask, new.subtask)
    field = next(name for name in old.shown if old.shown[name] != new.shown[name])
    then, now = next(_apart(old.shown[field], new.shown[field]))
    return Difference(old.step, old.subtask, old.kind, field, then, now)


def _apart(old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    """The smallest parts of two values that differ, first to last."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if old.get(key) != new.get(key):
                for then, now in _apart(old.get(key), new.get(key)):
                    yield {key: then}, {key: now}
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for then, now in zip(old, new, strict=True):
            if then != now:
                yield from _apart(then, now)
    else:
        yield old, new


def _from_outside(moment: Moment) -> bool:
    said = str(moment.shown.get("row") or moment.shown.get("name") or "")
    return moment.kind in {"situation", "budget"} and any(sign in said for sign in _OUTSIDE)


def apps_differ(recorded: Mapping[str, str] | None, now: Mapping[str, str] | None, step: int) -> Difference | None:
    """The first app whose state at the end is another one."""
    if recorded is None or now is None:
        return None
    for app in sorted({*recorded, *now}):
        if recorded.get(app) != now.get(app):
            return Difference(step, "", "apps", app, recorded.get(app, "no such app"), now.get(app, "no such app"))
    return None


def _brief(value: Any) -> str:
    said = value if isinstance(value, str) else repr(value)
    return said if len(said) <= 160 else f"{said[:157]}..."
