"""What waits for people, and their answers. Of several who answer at once the first is heard, and the others are told who."""

from pathlib import Path
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import Field

from orchestrator.control.channel import AnswerRecord
from orchestrator.control.lease import HOLDING_STILL, standing
from orchestrator.control.requests import RequestRecord, asked_of, usable_action
from orchestrator.desk import workers
from orchestrator.desk.auth import Approver, Viewer
from orchestrator.desk.desk import RunFolder, TheDesk
from orchestrator.desk.models import Approval, Body
from orchestrator.desk.workers import GoOn
from orchestrator.errors import UsageProblem
from orchestrator.runs.answers import DID, AnsweredBefore, tell_outside
from orchestrator.runs.folders import list_runs, stored_report
from orchestrator.views.terminal.approval import constrained
from protocol import Frozen, JsonObject
from roles.manager.plans import WORK_PLAN

router = APIRouter(prefix="/api", tags=["answering"])


class Approvals(Frozen):
    """Oldest first."""

    approvals: tuple[Approval, ...]


class AnswerIn(Body):
    """What somebody says to a request."""

    pending: str = Field(min_length=1, max_length=500)
    """Its `id`, or the digest of what was shown: another request is not answered by it."""
    decision: Literal["approve", "edit", "reject", "respond"]
    action: JsonObject | str | None = None
    """With `edit`: the action as JSON or in the DSL, or the plan, in place of what was asked about."""
    message: str = Field(default="", max_length=20_000)
    constraints: JsonObject | str | None = None
    """What holds for the run from here on, as JSON or as YAML."""


class Answered(Frozen):
    """The answer counts."""

    run_id: str
    id: str
    who: str
    decision: str
    message: str


class OtherAnswer(Frozen):
    """Somebody was quicker, or nothing is asked any more."""

    error: str
    who: str = ""
    decision: str = ""
    message: str = ""


@router.get("/approvals")
def approvals(desk: TheDesk, visitor: Viewer) -> Approvals:
    """Every run that waits for somebody, with exactly what it asks."""
    return Approvals(approvals=tuple(desk.watch.list.approvals()))


@router.post("/runs/{run_id}/answer", responses={409: {"model": OtherAnswer}}, response_model=Answered)
def answer(desk: TheDesk, visitor: Approver, folder: RunFolder, said: AnswerIn) -> Answered | JSONResponse:
    """Say something to what a run waits for. The run goes on at once, in a process of its own."""
    now = standing(folder, stored_report(folder))
    meant = next((one for one in reversed(asked_of(folder)) if one.is_meant(said.pending)), None)
    if meant is None:
        return _conflict(f"Run {folder.name} has no such request; see /api/approvals.")
    if now.ended:
        return _conflict(f"Run {folder.name} is finished ({now.state}).", meant.said)
    if now.state in HOLDING_STILL:
        return _conflict(f"Run {folder.name} is {now.reason}; resume it first.", meant.said)
    try:
        mine = tell_outside(folder, meant, _decision(said, visitor.name, meant), visitor.name)
    except AnsweredBefore as before:
        first = before.said
        words = f": {first.message}" if first.message else ""
        return _conflict(f"{first.who or 'Somebody'} was first and {DID.get(first.decision, first.decision)}{words}", first)
    order = GoOn(runs_dir=desk.runs_dir, run_id=folder.name, who=visitor.name, answered=meant.id)
    workers.go_on(order)
    return Answered(run_id=folder.name, id=meant.id, who=mine.who, decision=mine.decision, message=mine.message)


def go_on_with_answers(runs_dir: Path) -> list[str]:
    """Let runs go on that were answered when nobody was left to work them: the server was killed in between."""
    found = []
    for run in list_runs(runs_dir):
        if run.status not in ("on_hold", "interrupted"):
            continue
        folder = runs_dir / run.run_id
        waiting = asked_of(folder)[-1:]
        if waiting and waiting[0].said is not None and not waiting[0].heard:
            who, asking = waiting[0].said.who, waiting[0].id
            workers.go_on(GoOn(runs_dir=runs_dir, run_id=run.run_id, who=who, answered=asking))
            found.append(run.run_id)
    return found


def _decision(said: AnswerIn, who: str, asked: RequestRecord) -> JsonObject:
    """In the ecosystem's form. Raises UsageProblem for what this request cannot be answered with."""
    if said.decision not in asked.request.allowed:
        raise UsageProblem(f"{said.decision} is not allowed here; allowed are: {', '.join(asked.request.allowed)}.")
    if said.decision == "edit" and said.action is None:
        raise UsageProblem("An edit needs the replacement action or plan.")
    decision: JsonObject = {"type": said.decision, "who": who, "way": "desk", "digest": asked.request.digest}
    if said.message:
        decision["message"] = said.message
    if said.decision == "edit" and isinstance(said.action, dict) and "subtasks" in said.action:
        decision["edited_action"] = {"name": WORK_PLAN, "args": said.action}
    elif said.decision == "edit":
        dump = usable_action(said.action or {}).dump()
        decision["edited_action"] = {"name": dump.pop("action_type"), "args": dump}
    answer: JsonObject = {"decisions": [decision]}
    return constrained(answer, said.constraints) if said.constraints else answer


def _conflict(why: str, said: AnswerRecord | None = None) -> JSONResponse:
    told = OtherAnswer(error=why, **(said._asdict() if said else {}))
    return JSONResponse(told.model_dump(mode="json"), 409)
