"""A run is a folder: start it, resume it wherever it stopped, list and show what there is. Source: architecture, section 5."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from environments.contract import Unavailable, WorldError
from orchestrator.answering import answer_here, answering, asked_first, told_first, withdraw
from orchestrator.answers import check_answer
from orchestrator.control.channel import set_aside
from orchestrator.control.controls import BY_HAND, CONTROL
from orchestrator.control.hands import Hands
from orchestrator.control.lease import CREW, Hold, held
from orchestrator.control.stopping import Stop
from orchestrator.errors import Stopped, StoreGone, UsageProblem
from orchestrator.face import Approver
from orchestrator.folders import RunInfo, RunView, find_run, list_runs, no_longer_reported, read_run, show_run, stored_report
from orchestrator.integrity import damage, damaged_meanwhile, refuse_damaged, refuse_unlike, unreadable
from orchestrator.json_files import write_json
from orchestrator.machine import TaskStatus
from orchestrator.opened import OpenRun, With, create, new_folder, open_run
from orchestrator.outcome import BUDGET, BUDGET_SPENT, DONE, FAILED, WAITING, Outcome, finish, interrupted, stand_still, wait
from orchestrator.plans import PlanFile
from orchestrator.raising import finished, raised
from orchestrator.settings import Loaded, located
from orchestrator.signing import refuse_strange
from orchestrator.stores import forget, publish
from orchestrator.tasks import Task
from orchestrator.weather import refuse_unwritable, stopped, weather
from roles.journal import Listener
from roles.operator.approval import NOBODY
from roles.operator.permission import overdue_request
from roles.standstill import Standstill

__all__ = [
    "BUDGET", "DONE", "FAILED", "WAITING", "Approver", "Outcome", "RunInfo", "RunView", "list_runs", "resume", "settle",
    "show_run",
    "start",
]  # fmt: skip


def start(
    settings: Loaded,
    target: Task | str,
    *,
    listener: Listener | None = None,
    approver: Approver | None = None,
    parts: Mapping[str, Any] | None = None,
    plan: PlanFile | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Make the run's folder and work the goal until it ends, waits or is stopped; by `plan`, if one is given.

    Raises UsageProblem or WorldError for bad input.
    """
    folder = new_folder(settings.settings.runs_dir)
    with ExitStack() as opened:
        # A run that could not start leaves nothing behind; one that did is undone by nobody.
        undo = opened.enter_context(ExitStack())
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        undo.callback(forget, settings.settings.store, folder.name)
        hold = opened.enter_context(held(folder, folder.name))
        try:
            run = create(folder, settings, target, hold, With(listener, parts, stop), plan)
        except UsageProblem as bad:
            raise located(settings, bad) from None
        except (sqlite3.Error, OSError, Unavailable, WorldError) as bad:
            if why := weather(bad, folder.parent):
                raise Stopped(f"{why}; nothing was begun") from None
            raise
        undo.pop_all()
        opened.callback(run.close)
        return _drive(run, run.first_input, approver)


def resume(
    run_id: str,
    *,
    runs_dir: Path,
    answer: Mapping[str, Any] | None = None,
    listener: Listener | None = None,
    approver: Approver | None = None,
    parts: Mapping[str, Any] | None = None,
    overrides: Sequence[str] = (),
    stop: Stop | None = None,
    store: str = "",
) -> Outcome:
    """Go on where the run stopped, with the answer that it waits for, if it waits, and with the limits that `overrides` name.

    A run in the shared `store` need have no folder in `runs_dir`, if `parts` has its environment.
    Raises UsageProblem, also where another process works it, or a person has it in their hands.
    """
    if answer is not None:
        check_answer(answer)
    if store:
        from orchestrator.store_listing import find_shared

        folder = find_shared(run_id, store, runs_dir, own_environment="environment" not in (parts or {}))
        run_id, runs_dir = folder.name, folder.parent
    with taken_up(run_id, runs_dir, With(listener, parts, stop), overrides=overrides, answer=answer) as run:
        if run.controls.standing.get("state") == BY_HAND:
            who, name = run.controls.standing["who"], run.record["run_id"]
            raise UsageProblem(f"Run {name} is in the hands of {who}; let the crew go on with: deskcrew handback {name}")
        return _continue(run, answer, approver)


def settle(run_id: str, *, runs_dir: Path, parts: Mapping[str, Any] | None = None) -> Outcome | None:
    """Take in what was asked of a run that nobody works, and work nothing; the outcome where it holds still for it."""
    with taken_up(run_id, runs_dir, With(parts=parts)) as run:
        return stand_still(run) if run.controls.standing else None


@contextmanager
def taken_up(
    run_id: str,
    runs_dir: Path,
    given: With,
    *,
    doing: str = CREW,
    overrides: Sequence[str] = (),
    answer: Mapping[str, Any] | None = None,
) -> Iterator[OpenRun]:
    """A run that has not ended, open and held by this process. Raises UsageProblem."""
    folder = find_run(run_id, runs_dir)
    refuse_unwritable(folder)
    record, changed = raised(read_run(folder), overrides)
    stored = stored_report(folder)
    if stored.get("status") in _ENDED and not (changed and stored.get("ended_by") == BUDGET_SPENT):
        publish(folder)  # a process that was stopped at its very end may not have
        raise finished(record["run_id"], stored)
    refuse_strange(record)
    with ExitStack() as opened:
        hold = opened.enter_context(held(folder, record["run_id"], doing))
        refuse_damaged(folder, record["run_id"])
        _usable_checkpoints(folder, record, damage(folder / "checkpoints.sqlite"), answer)
        try:
            run = _whole(folder, record, hold, given, answer)
            opened.callback(run.close)
            refuse_unlike(run.graph.get_state(run.config, subgraphs=True), run.context, folder)
            _change_limits(run, changed)
            run.controls.begin()
            yield run
        except (OSError, Unavailable, WorldError) as bad:
            if why := weather(bad, folder):
                raise stopped(why, folder) from None
            raise
        except sqlite3.DatabaseError as bad:
            if why := weather(bad, folder):
                raise stopped(why, folder) from None
            raise damaged_meanwhile(folder, record["run_id"], bad) from None


def _whole(folder: Path, record: dict[str, Any], hold: Hold, given: With, answer: Mapping[str, Any] | None) -> OpenRun:
    """The run, with checkpoints that can be read, or without any."""
    run = open_run(folder, record, hold, given)
    if why := unreadable(run.graph, run.config):
        run.saver.give_up(record["run_id"])
        run.close()
        _usable_checkpoints(folder, record, why, answer)
        run = open_run(folder, record, hold, given)
    return run


def _usable_checkpoints(folder: Path, record: Mapping[str, Any], why: str, answer: Mapping[str, Any] | None) -> None:
    """Set damaged checkpoints aside: the run goes on from its journal, in which everything that was done is known by its key."""
    if not why:
        return
    path = folder / "checkpoints.sqlite"
    lost = f"{set_aside(path)} is" if path.exists() else "What was stored of where the run stood is"
    if answer is not None:
        raise UsageProblem(
            f"{lost} damaged ({why}) and was set aside, so what the run waits for is not known; "
            f"go on from its journal with: deskcrew resume {record['run_id']}"
        )


_ENDED = {TaskStatus.FULFILLED.value, TaskStatus.REJECTED.value}


def _change_limits(run: OpenRun, changed: Mapping[str, tuple[Any, Any]]) -> None:
    """From now on other limits hold; a report that says that the run has ended is no longer true."""
    if not changed:
        return
    no_longer_reported(run.folder)
    write_json(run.folder / "run.json", run.record)
    publish(run.folder)
    run.context.journal.record("limits_changed", {"limits": {key: [*pair] for key, pair in changed.items()}})
    run.context.journal.commit()


_NOBODY = {"decisions": [{"type": "reject", "message": "nobody answered in time", "who": NOBODY}]}


def _continue(run: OpenRun, answer: Mapping[str, Any] | None, approver: Approver | None) -> Outcome:
    snapshot = run.graph.get_state(run.config)
    journal = run.context.journal
    if run.controls.handed_back:
        Hands(run, run.controls.handed_back).remember()
    withdraw(run, snapshot.interrupts)
    if any(asked.value.get("kind") == CONTROL for asked in snapshot.interrupts):
        run.line.status(TaskStatus.PENDING, reason="going on")
    # What was answered before a kill is in the journal, though the graph had no time to take it in.
    waiting = [
        asked
        for asked in snapshot.interrupts
        if asked.value.get("kind") != CONTROL and not journal.decided(asked.value.get("key", ""))
    ]
    if answer is not None and not waiting:
        raise UsageProblem(
            f"Run {run.record['run_id']} waits for no answer; resume it with: deskcrew resume {run.record['run_id']}"
        )
    no_longer_reported(run.folder)
    journal.record(
        "run_resumed", {"goal": run.record["goal"], "answer": (answer or {}).get("decisions", [{}])[0].get("type", "")}
    )
    if not snapshot.values and not snapshot.next:
        return _drive(run, run.first_input, approver)
    if not snapshot.next and snapshot.values.get("ended_by") == BUDGET_SPENT:
        return _drive(run, {"goal": snapshot.values["goal"], "reopen": True}, approver)
    if not waiting:
        return _drive(run, None, approver)
    asked = asked_first(run, waiting) if answer is None else waiting[0]
    request = asked.value
    if answer is not None:
        check_answer(answer, request)
        told_first(run, request, answer)
    if overdue_request(run.context, run.context.safety, request):
        return _drive(run, answering(run, asked, answer or _NOBODY), approver)  # what that comes to, the policy says
    given = answer or answer_here(run, request, approver)
    if given is None:
        return wait(run, request)
    return _drive(run, answering(run, asked, given), approver)


def _drive(run: OpenRun, start_with: Any, approver: Approver | None) -> Outcome:
    """Run the graph until it ends, or until it waits for an answer that nobody here gives."""
    line = run.line
    try:
        while True:
            result: dict[str, Any] = run.graph.invoke(start_with, run.config, context=run.context, durability="sync")
            waiting = result.get("__interrupt__")
            if not waiting:
                return finish(run, result)
            asked = asked_first(run, waiting)
            request = asked.value
            if request.get("kind") == CONTROL:
                return stand_still(run)
            given = answer_here(run, request, approver)
            if given is None:
                return wait(run, request)
            line.status(TaskStatus.PENDING, reason="answered")
            start_with = answering(run, asked, given)
    except Standstill as stands:
        return interrupted(run, weather(stands, run.folder) or str(stands))
    except (sqlite3.Error, OSError, Unavailable, StoreGone) as bad:
        if why := weather(bad, run.folder):
            return interrupted(run, why)
        raise
    finally:
        with suppress(sqlite3.OperationalError, Stopped):  # what could not be written was told already
            run.context.journal.set_meta("elapsed", line.elapsed())
