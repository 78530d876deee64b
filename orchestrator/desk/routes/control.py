"""Control of runs: pause, resume, steer, cancel, and a person's hands in one."""

from typing import Any

from fastapi import APIRouter, HTTPException
from pydantic import Field

from orchestrator.control.lease import LeaseHeld
from orchestrator.control.requests import still_open, usable_action
from orchestrator.desk import workers
from orchestrator.desk.auth import Caller, Operator, Viewer
from orchestrator.desk.desk import Desk, RunFolder, TheDesk
from orchestrator.desk.models import Body
from orchestrator.desk.routes.start import said_over
from orchestrator.desk.workers import GoOn
from orchestrator.runs.handle import ControlResult, RunControl
from protocol import Frozen, JsonObject, describe
from roles.contracts.policies import Addressee

router = APIRouter(prefix="/api/runs/{run_id}", tags=["controlling"])
_HEARD_WITHIN = 10.0
"""Seconds for which a crew in the middle of something is waited for before it is said that it will hear it."""


class Limits(Body):
    overrides: JsonObject | tuple[str, ...] = ()
    """Other limits from here on: `{"limits.steps": 240}`, or `["limits.steps=240"]`."""


class SteeringText(Body):
    words: str = Field(min_length=1, max_length=2_000)
    to: Addressee = "crew"


class CancelReason(Body):
    why: str = Field(default="", max_length=2_000)


class Message(Body):
    message: str = Field(default="", max_length=2_000)
    """What the crew is to know, such as what was done by hand."""


class ActIn(Body):
    action: JsonObject | str
    """JSON of the protocol, or a line of the DSL."""


class ManualActionResult(Frozen):
    """What came of an action by hand."""

    said: str
    error: str
    state_id: str
    """The screen afterwards."""


class Worker(Frozen):
    """The process that works a run."""

    state: str
    reason: str
    said: str
    """The last complaint of a process that the desk started for this run; empty where there was none."""


@router.post("/pause")
def pause(desk: TheDesk, visitor: Operator, folder: RunFolder) -> ControlResult:
    """Let the crew stop before its next action."""
    return _control(desk, visitor, folder.name).pause()


@router.post("/resume")
def resume(desk: TheDesk, visitor: Operator, folder: RunFolder, wanted: Limits | None = None) -> ControlResult:
    """Go on, in a process of its own where none holds the run."""
    control = _control(desk, visitor, folder.name)
    now = control.standing()
    if now.state == "on_hold" and still_open(folder):
        raise HTTPException(409, f"Run {folder.name} waits for an answer; see /api/approvals.")
    return _gone_on(desk, control, visitor, overrides=said_over(wanted.overrides if wanted else ()))


@router.post("/steer")
def steer(desk: TheDesk, visitor: Operator, folder: RunFolder, said: SteeringText) -> ControlResult:
    """Say something to the crew, or to one role."""
    return _control(desk, visitor, folder.name).steer(said.words, said.to)


@router.post("/cancel")
def cancel(desk: TheDesk, visitor: Operator, folder: RunFolder, said: CancelReason | None = None) -> ControlResult:
    """End the run before its next action."""
    return _control(desk, visitor, folder.name).cancel(said.why if said else "")


@router.post("/takeover")
def takeover(desk: TheDesk, visitor: Operator, folder: RunFolder) -> ControlResult:
    """Take the run in one's own hands: the crew does nothing until it is handed back."""
    return _control(desk, visitor, folder.name).takeover()


@router.post("/handback")
def handback(desk: TheDesk, visitor: Operator, folder: RunFolder, said: Message | None = None) -> ControlResult:
    """Give the run back to the crew, which looks anew and goes on."""
    control = _control(desk, visitor, folder.name)
    if control.standing().state != "taken_over":
        raise HTTPException(409, f"Run {folder.name} was not taken over.")
    return _gone_on(desk, control, visitor, do="hand_back", say=said.message if said else "")


@router.post("/act")
def act(desk: TheDesk, visitor: Operator, folder: RunFolder, wanted: ActIn) -> ManualActionResult:
    """Do one action by hand in a run that was taken over."""
    control = _control(desk, visitor, folder.name)
    if (now := control.standing()).holder is not None:
        raise HTTPException(409, f"Run {folder.name} is {now.reason}; act in the window of the run itself.")
    action = usable_action(wanted.action)
    try:
        with control.hands() as hands:
            result = hands.do(action)
            return ManualActionResult(said=describe(action), error=result.error or "", state_id=hands.look().state_id)
    except LeaseHeld as bad:
        raise HTTPException(409, str(bad)) from None


@router.get("/worker")
def worker(desk: TheDesk, visitor: Viewer, folder: RunFolder) -> Worker:
    """Who works the run, and what the process that the desk started for it has complained of."""
    now = _control(desk, visitor, folder.name).standing()
    return Worker(state=now.state, reason=now.reason, said=workers.complaints(folder))


def _control(desk: Desk, visitor: Caller, run_id: str) -> RunControl:
    return RunControl(run_id, runs_dir=desk.runs_dir, who=visitor.name, wait=_HEARD_WITHIN)


def _gone_on(desk: Desk, control: RunControl, visitor: Caller, **how: Any) -> ControlResult:
    workers.go_on(GoOn(runs_dir=desk.runs_dir.resolve(), run_id=control.run_id, who=visitor.name, **how), wait=True)
    now = control.standing()
    return ControlResult(
        run_id=control.run_id, state=now.state, said=f"run {control.run_id} continues: {now.reason or now.state}"
    )
