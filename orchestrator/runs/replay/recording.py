"""What a run left behind that is needed to work it again: read from its folder, or from a file that is kept with tests."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from environments.contract import EnvironmentFault, WorldState
from environments.files.scratch import Scratch
from environments.files.yaml_lines import LARGEST, read_small
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import find_run, read_run
from orchestrator.settings.build import make_environment
from orchestrator.settings.settings import Settings
from orchestrator.store.databases import open_read_only
from orchestrator.store.salvage import salvage
from protocol import JsonObject
from roles.journal import events as journal
from roles.journal.journal import Event
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault, references_in


def app_hashes(record: Mapping[str, Any], folder: Path) -> dict[str, str] | None:
    """app -> hash; None where the environment does not tell, or where its world cannot be read any more."""
    with Scratch("deskcrew-world-") as copy:
        for path in folder.iterdir():
            if path.name.startswith(("world.", "faults.")):
                shutil.copyfile(path, copy.path / path.name)
        if not any(copy.path.iterdir()):
            return None
        try:
            environment = make_environment(Settings.model_validate(record["settings"]), copy.path)
        except (EnvironmentFault, UsageProblem, ValidationError):
            return None
        try:
            if not isinstance(environment, WorldState):
                return None
            apps = environment.world().get("apps", {}).items()
        finally:
            environment.close()
    bodies = {app: json.dumps(state, sort_keys=True, separators=(",", ":")) for app, state in apps}
    return {app: hashlib.blake2b(body.encode(), digest_size=8).hexdigest() for app, body in bodies.items()}


COMPARED: dict[str, tuple[str, ...]] = {
    "plan": ("the plan", "subtasks"),
    "observed": ("the screen that is seen", "app", "state_id"),
    "decided": ("the decision", "status", "line", "then"),
    "reviewed": ("the review of the action", "verdict", "policy", "effect", "action"),
    "approval_requested": ("what a person is asked", "kind", "rule", "effect"),
    "approval": ("what a person said", "decision", "line"),
    "outcome": ("the result of the action", "line", "exec_status", "error", "resolved"),
    "feedback": ("the screen after the action", "state_id", "visible_change", "events"),
    "batch_stopped": ("batch_stopped", "why"),
    "fact": ("the blackboard", "name", "value", "kind", "app"),
    "supplement": ("what was looked up", "query", "found"),
    "answer": ("the analyst's answer", "results", "missing"),
    "gate": ("the gate", "trigger", "decision", "reason"),
    "conflict": ("conflict", "about", "subtasks"),
    "subtask_status": ("the subtask", "status"),
    "situation": ("the situation", "row"),
    "budget": ("a budget", "name"),
    "run_finished": ("the end of the run", "status", "exit_code"),
    "apps": ("what the apps came to",),
}
"""Which events are compared, what each is called, and what of it is compared; `apps` stands for the worlds at the end."""


FORMAT = 1
_KEPT = {*COMPARED, journal.AnsweredEvent.KIND, "run_resumed", "run_started", "limits_changed"}


_SPOKE = {"steered": "said something", "taken_over": "took over", "cancelled": "called it off"}
"""What people do in a run; what follows was not decided by the crew alone."""


class RecordedAction(NamedTuple):
    """An action under its key (without the run's name), and its result; both JSON."""

    action: JsonObject
    result: JsonObject | None


class RecordedAnswer(NamedTuple):
    """What a person said to a request."""

    key: str
    decision: str
    message: str
    who: str
    digest: str


class Recording(NamedTuple):
    """A run as it was: `record` is its run.json without the first world, which is made anew."""

    record: JsonObject
    events: tuple[Event, ...]
    actions: Mapping[str, RecordedAction]
    said: tuple[RecordedAnswer, ...]
    plans: Mapping[int, list[JsonObject]]
    apps: Mapping[str, str] | None = None
    """A hash of each app's true state at the end; None where that is not known."""
    cut: str = ""
    """Why the events end before the run did, where they do: somebody had a hand in it whom nobody can replay."""
    values: Mapping[str, str] = {}
    """The private values that the run's vault still holds, by name. Never written to a file."""

    @property
    def run_id(self) -> str:
        return str(self.record["run_id"])

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return max((event.step for event in self.events if event.kind == journal.FeedbackEvent.KIND), default=0)

    @property
    def needed(self) -> list[str]:
        """Names of the private values that a person gave: whoever works the run again must have them, or give them again."""
        harness = self.record.get("harness", {}).get("task")
        edited = [within(said.key) for said in self.said if said.decision == "edit"]
        actions = [self.actions[key].action for key in edited if key in self.actions]
        given = self.plans.get(self.record.get("plan_version") or 0)
        told = [self.record["goal"] if harness is None else harness, given, actions, [said.message for said in self.said]]
        return references_in(json.dumps(told))

    @property
    def finished(self) -> bool:
        ends = [
            event.kind for event in self.events if event.kind in {journal.RunFinishedEvent.KIND, journal.LimitsChangedEvent.KIND}
        ]
        return ends[-1:] == ["run_finished"]

    def write(self, path: Path) -> None:
        """As a file for `read_recording`, an event a line, so that a change can be read."""
        head = {
            "recording": FORMAT,
            "record": self.record,
            "actions": {key: list(done) for key, done in self.actions.items()},
            "said": [list(said) for said in self.said],
            "plans": {str(version): plan for version, plan in self.plans.items()},
            "apps": self.apps,
        }
        events = [[event.kind, event.role, event.subtask, event.step, event.body] for event in self.events]
        lines = [json.dumps(value, ensure_ascii=True, separators=(",", ":")) for value in (head, *events)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def find_recording(name: str, runs_dir: Path) -> Recording:
    """The recording in that file, or of the run with that id. Raises UsageProblem."""
    path = Path(name)
    found = read_recording(path) if path.is_file() else recording_of(find_run(name, runs_dir))
    if not any(event.kind == journal.AnsweredEvent.KIND for event in found.events) and found.steps:
        raise UsageProblem(
            f"Run {found.run_id} cannot be replayed: what was decided in it was not recorded (it is from an earlier version)."
        )
    return found


def recording_of(folder: Path) -> Recording:
    """What a run's folder holds. Raises UsageProblem where it cannot be read whole."""
    record = read_run(folder)
    path = folder / "journal.sqlite"
    kept = salvage(path)
    if kept.note:
        raise UsageProblem(f"Run {folder.name} cannot be replayed: {kept.note}.")
    record.get("harness", {}).pop("initial", None)
    try:
        with closing(open_read_only(path)) as db:
            tables = _tables(db)
    except (sqlite3.Error, ValueError) as bad:
        raise UsageProblem(f"Run {folder.name} cannot be replayed: {path} is damaged ({bad}).") from None
    spoke = next((event for event in kept.events if event.kind in _SPOKE), None)
    events = tuple(event for event in kept.events if event.kind in _KEPT and (spoke is None or event.id < spoke.id))
    cut = "" if spoke is None else f"{spoke.body.get('who', 'somebody')} {_SPOKE[spoke.kind]} there, which is not replayed"
    return Recording(record, events, *tables, app_hashes(record, folder), cut, Vault(folder / VAULT).known)


def read_recording(path: Path) -> Recording:
    """A file that `write` made. Raises UsageProblem."""
    try:
        head, *lines = [json.loads(line) for line in read_small(path, LARGEST).splitlines()]
        if head["recording"] != FORMAT:
            raise ValueError(f"its format is {head['recording']}, and this version reads {FORMAT}")
        return Recording(
            record=head["record"],
            events=tuple(Event(n, 0.0, *line) for n, line in enumerate(lines, start=1)),
            actions={key: RecordedAction(*done) for key, done in head["actions"].items()},
            said=tuple(RecordedAnswer(*said) for said in head["said"]),
            plans={int(version): plan for version, plan in head["plans"].items()},
            apps=head["apps"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as bad:
        raise UsageProblem(f"{path} is not a readable recording ({type(bad).__name__}: {bad}).") from None


def _tables(db: sqlite3.Connection) -> tuple[dict[str, RecordedAction], tuple[RecordedAnswer, ...], dict[int, list[JsonObject]]]:
    actions = {
        key.partition("/")[2]: RecordedAction(json.loads(action), json.loads(result) if result else None)
        for key, action, result in db.execute("SELECT key, action, result FROM actions")
    }
    said = tuple(_said(db))
    plans = {version: json.loads(body) for version, body in db.execute("SELECT version, body FROM plans")}
    return actions, said, plans


def within(key: str) -> str:
    """A key without the name of the run that it may begin with."""
    first, _, rest = key.partition("/")
    return rest if first not in {"plan", "supplement"} else key


def _said(db: sqlite3.Connection) -> Iterator[RecordedAnswer]:
    """What was said to each request; an edit is recorded twice, as such and as the approval of what it came to."""
    edited = ""
    for key, decision, message, who, digest in db.execute(
        "SELECT key, decision, message, who, digest FROM approvals ORDER BY id"
    ):
        if decision != "approve" or key != edited:
            yield RecordedAnswer(key, decision, message, who, digest)
        edited = key if decision == "edit" else ""


_OUTSIDE = ("--cancelled-->", "--budget_spent-->", " seconds ", " tokens ", " for models ", " unusable answers ", " characters ")
"""What ends a run from outside: who called it off, the clock, and what models cost are not there when it is worked again."""
_LOOKS = ("observed", "reviewed")
"""What a process that knows nothing but the journal writes once more on its way to where the run stood."""
_SPENT = (journal.BudgetEvent.KIND, journal.RunFinishedEvent.KIND)
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
        called = COMPARED.get(self.what, (self.what,))[0]
        told = f"{place}: {called}{f' ({self.field})' if self.field else ''}"
        return f"{told}: recorded {_brief(self.recorded)}, now {_brief(self.now)}"


def moments(recording: Recording) -> list[Moment]:
    """What is compared of a run, in order. The steps of events that have none are those they follow."""
    found: list[Moment] = []
    step, reached, resumed = 0, 0, False
    for event in recording.events:
        resumed = resumed or event.kind == journal.RunResumedEvent.KIND
        if event.kind == journal.LimitsChangedEvent.KIND:  # that its budget ended the run holds no longer
            while found and (found[-1].kind in _SPENT or "--budget_spent-->" in str(found[-1].shown.get("row"))):
                found.pop()
        if event.kind not in COMPARED or (event.kind in _LOOKS and 0 < event.step <= reached):
            continue
        reached = max(reached, event.step) if event.kind == journal.FeedbackEvent.KIND else reached
        step = event.step or step
        body = dict(event.body)
        if event.kind == journal.OutcomeEvent.KIND:
            done = recording.actions.get(str(body.get("key", "")).partition("/")[2])
            body["resolved"] = ((done.result if done else None) or {}).get("resolved")
        if event.kind == journal.PlanEvent.KIND:
            body["subtasks"] = [{k: v for k, v in item.items() if k != "status"} for item in body["subtasks"]]
        shown = {name: body.get(name) for name in COMPARED[event.kind][1:]}
        found.append(Moment(event.kind, event.subtask, step, shown, resumed))
        resumed = False
    return found


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
