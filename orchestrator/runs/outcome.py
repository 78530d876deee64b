"""How a run stands when it stops: its exit code, its reason, and the report that is written."""

import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, assert_never

from pydantic import BaseModel, ConfigDict, Field

from environments.contract import ActionRecord, WorldState
from orchestrator.control.controls import PAUSED
from orchestrator.core.machine import TaskStatus
from orchestrator.runs.open_run import OpenRun
from orchestrator.runs.privacy.secrets import beginning, redactor_of
from orchestrator.runs.report import build_report, reported_events
from orchestrator.store.printable import write_json
from orchestrator.store.salvage import export_log
from orchestrator.tasks.judge import judge
from orchestrator.tasks.tasks import Task
from protocol import JsonObject
from roles.contracts import USER
from roles.contracts.requests import ApprovalRequest, PlanReviewRequest, QuestionRequest, Request
from roles.journal.events import BudgetEvent, FactEvent, RunFinishedEvent, RunStoppedEvent, SupplementEvent
from roles.journal.journal import Event
from roles.journal.rows import TEXTS, deflated, screen_text
from roles.journal.transcripts import PICTURE, WITHDRAWN


def scrub(run: OpenRun) -> None:
    """Write references over the value in `run.json` and in the journal; to be done before the report is written."""
    vault, path = redactor_of(run.context.journal).vault, run.folder / "journal.sqlite"
    run.record.update(vault.sealed(run.record))
    write_json(run.folder / "run.json", run.record)
    run.context.journal.keep_cursor("", {})
    run.context.journal.screens.begin_anew()
    run.context.journal.commit()
    _rewrite(path, vault.seal)


def forget_checkpoints(run: OpenRun) -> None:
    """Nobody resumes a run that has ended, and its checkpoints hold the goal as it was written."""
    with closing(_opened(run.folder / "checkpoints.sqlite")) as db:
        for table in ("checkpoints", "writes"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed names
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _opened(path: Path) -> sqlite3.Connection:
    """What is deleted or written over is overwritten with zeros."""
    db = sqlite3.connect(path, isolation_level=None, timeout=20)
    db.execute("PRAGMA secure_delete=ON")
    return db


def _rewrite(path: Path, seal: Callable[[str], str]) -> None:
    with closing(_opened(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        for (row,) in db.execute("SELECT row FROM observations").fetchall():  # each whole, before one that others rest on changes
            db.execute("UPDATE observations SET body = ? WHERE row = ?", (deflated(screen_text(db, row)), row))
        for table, (key, *columns) in TEXTS.items():
            for number, *said in db.execute(f"SELECT {key}, {', '.join(columns)} FROM {table}").fetchall():  # noqa: S608
                for column, old in zip(columns, said, strict=True):
                    if (new := _sealed(old, seal)) != old:
                        db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, number))  # noqa: S608
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _sealed(old: str | bytes | None, seal: Callable[[str], str]) -> str | bytes | None:
    if isinstance(old, bytes):
        body = zlib.decompress(old).decode("utf-8", "surrogatepass")
        if body.startswith(PICTURE):  # nobody can tell whether the value is on it
            return zlib.compress(WITHDRAWN.encode(), 1)
        return old if (new := seal(body)) == body else zlib.compress(new.encode("utf-8", "surrogatepass"), 1)
    return old if old is None else seal(old)


DONE, FAILED, WAITING, BUDGET = 0, 1, 3, 4
"""Exit codes; 2 is for usage."""
INTERRUPTED = "interrupted"
"""How a run stands that has neither ended nor waits for anybody."""
BUDGET_SPENT, CANCELLED = "budget_spent", "cancelled"
"""Signals that ended a run before its time."""


class Outcome(BaseModel):
    """How a run stands when it stops."""

    model_config = ConfigDict(extra="forbid")

    run_id: str
    folder: Path
    status: str
    exit_code: int
    reason: str
    report: JsonObject
    pending: JsonObject | None = None
    answer: str = Field(default="", exclude=True, repr=False)
    """The reply to the goal, whole, for whoever asked. A private value stands in it here, and nowhere in what is written."""


def wait(run: OpenRun, request: Request) -> Outcome:
    """The run waits for a person."""
    reason = f"waiting for {_wanted(request)}: {request.about.description}"
    report = write_report(run, {"status": TaskStatus.ON_HOLD.value, "reason": reason})
    return _outcome(run, TaskStatus.ON_HOLD.value, WAITING, reason, report, request.dump())


def _wanted(request: Request) -> str:
    match request:
        case ApprovalRequest():
            return "approval"
        case QuestionRequest():
            return "an answer"
        case PlanReviewRequest():
            return "a review of the plan"
        case _:
            assert_never(request)


def stand_still(run: OpenRun) -> Outcome:
    """The crew holds still because a person wants it, and goes on when they say so."""
    state, who = run.controls.standing["state"], run.controls.standing["who"]
    reason = f"paused by {who}" if state == PAUSED else f"taken over by {who}"
    run.line.status(TaskStatus.ON_HOLD, reason=reason)
    report = write_report(run, {"status": state, "reason": reason})
    return _outcome(run, state, WAITING, reason, report, None)


def interrupted(run: OpenRun, why: str) -> Outcome:
    """It cannot go on here and now. What can still be written of that is; what cannot is worked again when it is resumed."""
    reason = f"{why}; then continue with: deskcrew resume {run.record['run_id']}"
    report: JsonObject = {}
    with suppress(sqlite3.Error, OSError):
        run.context.journal.rows.hurry()  # who has been waited for once is not waited for again
        run.context.journal.record(RunStoppedEvent(reason=reason))
        report = write_report(run, {"status": INTERRUPTED, "reason": reason})
    return _outcome(run, INTERRUPTED, FAILED, reason, report, None)


def finish(run: OpenRun, result: JsonObject) -> Outcome:
    """The run has ended: how, and what the harness says to it."""
    from orchestrator.runs.experience import after_run

    status, reason = result["task_status"], result.get("reason", "")
    code = DONE if status == TaskStatus.FULFILLED else FAILED
    if result.get("ended_by") == BUDGET_SPENT:
        code = BUDGET
        if spent := next(reversed([*run.context.journal.contents(BudgetEvent)]), None):
            reason += f"; continue with more: deskcrew resume {run.record['run_id']} -c {spent.more}"
    if result.get("ended_by") == CANCELLED:
        reason = run.controls.cancelled() or reason
    ended = {**result, "status": status, "reason": reason}
    verdict = _judge(run, ended)
    if verdict is not None and not verdict["passed"] and code == DONE:
        code, reason = (
            FAILED,
            "the crew reports success, but the world does not show it: "
            + "; ".join(c["expression"] for c in verdict["checks"] if not c["passed"]),
        )
    ended_at = f"run_finished/{run.graph.get_state(run.config).values.get('turn', 0)}"
    run.context.journal.record(RunFinishedEvent(status=status, reason=reason, exit_code=code), key=ended_at)
    if late := code != BUDGET and redactor_of(run.context.journal).vault.finds(str(run.record["goal"])):
        scrub(run)
    learned = after_run(run.context.journal, run.record, run.folder, {**ended, "judge": verdict})
    more = {"experience": learned.told()} if learned is not None else {}
    report = write_report(run, {**ended, "reason": reason}, judge=verdict, **more)
    if late:
        forget_checkpoints(run)
    vault = redactor_of(run.context.journal).vault
    answer = vault.as_known(report["answer"])
    if code != BUDGET:  # else it may go on with more
        vault.empty()
    return _outcome(run, status, code, reason, report, None).model_copy(update={"answer": answer})


def _is_answer(event: Event) -> bool:
    """Whether a person answered a question: of the Operator, or of the Manager."""
    if event.kind == FactEvent.KIND:
        return event.body.get("role") == USER
    return event.kind == SupplementEvent.KIND and any(found["source"] == USER for found in event.body["found"])


def _judge(run: OpenRun, ended: JsonObject) -> JsonObject | None:
    """The harness's verdict over the world's true state, for a run of a task file."""
    harness, surface = run.record.get("harness"), run.context.environment
    if not harness or not isinstance(surface, WorldState):
        return None
    received = surface.received() if isinstance(surface, ActionRecord) else []
    answered = sum(map(_is_answer, run.context.journal.events()))
    counts = {name: ended.get(name, 0) for name in ("steps", "plans")}
    told = {"status": ended["status"], "reason": ended["reason"], **counts, "questions": answered}
    vault = redactor_of(run.context.journal).vault
    task = Task.model_validate(vault.as_known(harness["task"]))
    slots, initial = beginning(run.folder)
    found = judge(task, surface.world(), initial, vault.as_known(slots), received, vault.as_known(told))
    verdict: JsonObject = vault.sealed(found.model_dump(mode="json"))
    return verdict


def write_report(run: OpenRun, result: JsonObject, **more: Any) -> JsonObject:
    """`log.jsonl` and `report.json`, from the journal."""
    journal, line = run.context.journal, run.line
    if run.context.gallery is not None:
        run.context.gallery.withdraw()  # what was found to be private since a picture of it was taken
    journal.commit()
    values = run.graph.get_state(run.config).values
    counts = {key: values.get(key, 0) for key in ("steps", "plans", "gates")}
    ended = {**counts, "elapsed": line.elapsed(), **result}
    report = build_report(reported_events(journal.events()), run=run.record, result=ended, budgets=line.budgets()) | more
    export_log(journal, run.folder / "log.jsonl", run.record["run_id"])
    write_json(run.folder / "report.json", report)  # last: a run that says how it ended is not worked again
    return report


def _outcome(run: OpenRun, status: str, code: int, reason: str, report: JsonObject, pending: JsonObject | None) -> Outcome:
    return Outcome(
        run_id=run.record["run_id"], folder=run.folder, status=status, exit_code=code, reason=reason, report=report,
        pending=pending,
    )  # fmt: skip


Answer = dict[str, Any]
"""`{"decisions": [{"type": "approve"}]}`, as LangChain's human in the loop has it."""


Approver = Callable[[JsonObject], Mapping[str, Any] | None]
"""Answers a request, or says with None that nobody answers now."""
