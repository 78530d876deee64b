"""A run is a folder: start it, resume it wherever it stopped, list and show what there is. Source: architecture, section 5."""

import shutil
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from environments.contract import KnownKeys, Unavailable, WorldError
from orchestrator.control.channel import set_aside
from orchestrator.control.controls import BY_HAND, CONTROL, Stop
from orchestrator.control.lease import CREW, Hold, held
from orchestrator.control.requests import check_answer
from orchestrator.core.machine import TaskStatus
from orchestrator.errors import MachineStopped, UsageProblem, outage_of, refuse_unwritable, stopped
from orchestrator.runs.answers import Takeover, answer_here, answering, asked_first, request_of, told_first, withdraw
from orchestrator.runs.folders import find_run, no_longer_reported, read_run, stored_report
from orchestrator.runs.open_run import OpenOptions, OpenRun, create, new_folder, open_run
from orchestrator.runs.outcome import BUDGET_SPENT, Approver, Outcome, finish, interrupted, stand_still, wait
from orchestrator.runs.privacy.trust import refuse_strange
from orchestrator.runs.replay.courses import choices_of
from orchestrator.settings.layers import Document, Layer, MergedLayers, checked, override_layer
from orchestrator.settings.settings import LoadedSettings, Settings, located
from orchestrator.store.databases import open_read_only
from orchestrator.store.printable import write_json
from orchestrator.store.salvage import salvage
from orchestrator.tasks.plans import PlanFile
from orchestrator.tasks.tasks import Task
from protocol import Action, ExecStatus, JsonObject
from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.contracts.nodes import Graph, RunBlocked
from roles.journal.events import FeedbackEvent, LimitsChangedEvent, RunResumedEvent
from roles.journal.journal import Listener
from roles.operator.safety.approval import NOBODY, overdue_request


def raised(record: Mapping[str, Any], overrides: Sequence[str]) -> tuple[JsonObject, dict[str, tuple[Any, Any]]]:
    """The record with the limits that `overrides` (`limits.steps=240`) name, and each that is otherwise: what it was, and is.

    Raises UsageProblem for anything else.
    """
    merged = MergedLayers()
    merged.add(Layer({"limits": dict(record["settings"].get("limits", {}))}, Document({}, {}, f"run {record['run_id']}"), Path()))
    for text in overrides:
        layer = override_layer(text)
        if set(layer.data) != {"limits"}:
            raise UsageProblem(
                f"command line: -c {text}: only limits can be changed when a run continues; to change more, start "
                f"another run from a step of this one with: deskcrew fork {record['run_id']} --at STEP -c {text}"
            )
        merged.add(layer)
    now = checked(Settings, merged.data, merged.where).limits.model_dump(mode="json")
    was = Limits.model_validate(record["settings"].get("limits", {})).model_dump(mode="json")
    changed = {key: (was[key], now[key]) for key in now if now[key] != was[key]}
    return {**record, "settings": {**record["settings"], "limits": now}}, changed


def finished(run_id: str, report: Mapping[str, Any]) -> UsageProblem:
    """What is said when a run that has ended is to go on: only one that spent a budget can, with more of it."""
    if report.get("ended_by") != "budget_spent":
        return UsageProblem(f"Run {run_id} is finished; see it with: deskcrew show {run_id}")
    more = (report.get("budget_spent") or {}).get("more", "limits.KEY=MORE")
    why = str(report.get("reason", "a budget is spent")).partition("; continue with")[0]
    return UsageProblem(f"Run {run_id} is finished: {why}. Continue with more: deskcrew resume {run_id} -c {more}")


_LOOKED_THROUGH = 16 * 2**20
"""Bytes up to which a database is read through when a run is taken up; of a larger one what is read is checked then."""
_DATABASES = ("journal.sqlite", "world.sqlite", "checkpoints.sqlite")
_LEAST = 2**18
"""Bytes of free space below which nothing is called damaged that cannot be read."""
_LAST = 200
"""Actions at the end that are compared: what failing power takes is the end."""


def refuse_damaged(folder: Path, run_id: str) -> None:
    """Raise UsageProblem for a journal or a world that cannot be read, with the way on that there is."""
    if why := damage(folder / "journal.sqlite"):
        kept = salvage(folder / "journal.sqlite")
        raise UsageProblem(
            f"{folder / 'journal.sqlite'} is damaged ({why}): {len(kept.events)} events could be read; it cannot be resumed, "
            f"see what was kept with: deskcrew show {run_id}"
        )
    if why := damage(folder / "world.sqlite"):
        raise UsageProblem(f"{folder / 'world.sqlite'} is damaged ({why}); it cannot be resumed. {_anew(folder, run_id)}")


def damaged_meanwhile(folder: Path, run_id: str, bad: Exception) -> UsageProblem:
    """What to say when a file turns out to be damaged while it is read."""
    found = [f"{name} ({why})" for name in _DATABASES if (why := damage(folder / name))]
    return UsageProblem(
        f"A file of run {run_id} is damaged: {', '.join(found) or bad}; see what was kept with: deskcrew show {run_id}"
    )


def damage(path: Path) -> str:
    """Why a database cannot be read; empty for one that can be, or that is not there."""
    if not path.exists() or path.stat().st_size > _LOOKED_THROUGH:
        return ""
    if not path.is_file():
        return "it is not a file"
    try:
        # Whether a part of a page is missing at the end, and not in the log beside it either
        log = path.with_name(path.name + "-wal")
        with path.open("rb") as file:
            size = int.from_bytes(file.read(18)[16:18], "big")
        if size > 1 and path.stat().st_size % size > 0 and not (log.exists() and log.stat().st_size):
            return "its last page is cut off"
        with closing(open_read_only(path)) as db:
            found = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as bad:
        if _full(path.parent) and (why := outage_of(bad, path.parent)):
            raise stopped(why, path.parent) from None
        return str(bad)
    return "" if found == "ok" else " ".join(found.split())


def _full(folder: Path) -> bool:
    """Whether even reading may fail for want of room: SQLite keeps an index of its log beside a database."""
    return shutil.disk_usage(folder).free < _LEAST


def unreadable(graph: Graph, config: RunnableConfig) -> str:
    """Why the checkpoints cannot be used; empty where they can be."""
    try:
        graph.get_state(config, subgraphs=True)
    except (sqlite3.DatabaseError, zlib.error, ValueError, KeyError, TypeError, EOFError) as bad:
        return f"{type(bad).__name__}: {bad}"
    return ""


def refuse_unlike(snapshot: Any, context: Context, folder: Path) -> None:
    """Raise UsageProblem where one file has lost what another one builds on."""
    journal, environment, run_id = context.journal, context.environment, folder.name
    # The step that the checkpoints stand at: the controller's, or that of the action that a worker has decided on
    steps = int(snapshot.values.get("steps") or 0)
    for task in snapshot.tasks:
        inner = getattr(task.state, "values", None) or {}
        pending = inner.get("pending_action") or {}
        if "digest" in pending:  # what was only thought of, and not reviewed, need not be in the journal yet
            steps = max(steps, int(pending.get("step") or 0))
    reached, stands = journal.reached(), steps
    version = int(snapshot.values.get("plan_version") or 0)
    if stands > reached or (version and not journal.plan(version)):
        raise UsageProblem(
            f"{folder / 'journal.sqlite'} ends too early: it reaches step {reached}, but the run was at step {stands} with "
            f"plan {version}; it cannot be resumed. {_anew(folder, run_id)}"
        )
    if not isinstance(environment, KnownKeys):
        return
    performed = environment.latest_keys(5 * _LAST)
    mine = [key for key in performed[:_LAST] if key.startswith(f"{journal.run_key}/")]
    if lost := next((key for key in mine if journal.intent(key) is None), ""):
        raise UsageProblem(
            f"{folder / 'journal.sqlite'} ends too early: {lost} was done in the world, but is not in it; "
            f"it cannot be resumed. {_anew(folder, run_id)}"
        )
    for key, intent, result in islice(journal.latest_actions(), _LAST):
        if key in performed or result.exec_status is not ExecStatus.EXECUTED or _elsewhere(intent, context):
            continue
        raise UsageProblem(
            f"{folder / 'world.sqlite'} does not contain the action {key}; it cannot be resumed. {_anew(folder, run_id)}"
        )


def _elsewhere(action: Action, context: Context) -> bool:
    """Whether it is done where no environment keeps a key for it."""
    return action.inner or action.verb == "run_script" or context.skills.tool(action) is not None


def _anew(folder: Path, run_id: str) -> str:
    events = salvage(folder / "journal.sqlite").events
    steps = max((event.step for event in events if event.kind == FeedbackEvent.KIND), default=0)
    return f"Continue from its journal in a new world with: deskcrew fork {run_id} --at {steps}"


def start(
    settings: LoadedSettings,
    target: Task | str,
    *,
    listener: Listener | None = None,
    approver: Approver | None = None,
    parts: Mapping[str, Any] | None = None,
    plan: PlanFile | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Create the run's folder and work the goal until it ends, waits or is stopped; by `plan`, if one is given.

    Raises UsageProblem or WorldError for bad input.
    """
    folder = new_folder(settings.settings.runs_dir)
    with ExitStack() as opened:
        # A run that could not start leaves nothing behind; one that did is undone by nobody.
        undo = opened.enter_context(ExitStack())
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        hold = opened.enter_context(held(folder, folder.name))
        try:
            run = create(folder, settings, target, hold, OpenOptions(listener, parts, stop, resume), plan)
        except UsageProblem as bad:
            raise located(settings, bad) from None
        except (sqlite3.Error, OSError, Unavailable, WorldError) as bad:
            if why := outage_of(bad, folder.parent):
                raise MachineStopped(f"{why}; nothing was started") from None
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
) -> Outcome:
    """Continue where the run stopped, with the awaited answer, if any, and with the limits that `overrides` name.

    Raises UsageProblem, also if another process works it, or a person has taken it over.
    """
    if answer is not None:
        check_answer(answer)
    with taken_up(run_id, runs_dir, OpenOptions(listener, parts, stop, resume), overrides=overrides, answer=answer) as run:
        if run.controls.standing.get("state") == BY_HAND:
            who, name = run.controls.standing["who"], run.record["run_id"]
            raise UsageProblem(f"Run {name} was taken over by {who}; give it back to the crew with: deskcrew handback {name}")
        return _continue(run, answer, approver)


def settle(run_id: str, *, runs_dir: Path, parts: Mapping[str, Any] | None = None) -> Outcome | None:
    """Take in what was asked of a run that nobody works, and work nothing; the outcome where it holds still for it."""
    with taken_up(run_id, runs_dir, OpenOptions(parts=parts)) as run:
        return stand_still(run) if run.controls.standing else None


@contextmanager
def taken_up(
    run_id: str,
    runs_dir: Path,
    given: OpenOptions,
    *,
    doing: str = CREW,
    overrides: Sequence[str] = (),
    answer: Mapping[str, Any] | None = None,
) -> Iterator[OpenRun]:
    """A run that has not ended, open and held by this process. Raises UsageProblem."""
    folder = find_run(run_id, runs_dir)
    refuse_unwritable(folder)
    with ExitStack() as opened:
        # Held first: what is read before may be no longer true when another process lets go of the run.
        hold = opened.enter_context(held(folder, folder.name, doing))
        record, changed = raised(read_run(folder), overrides)
        stored = stored_report(folder)
        if stored.get("status") in _ENDED and not (changed and stored.get("ended_by") == BUDGET_SPENT):
            raise finished(record["run_id"], stored)
        refuse_strange(record)
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
            if why := outage_of(bad, folder):
                raise stopped(why, folder) from None
            raise
        except sqlite3.DatabaseError as bad:
            if why := outage_of(bad, folder):
                raise stopped(why, folder) from None
            raise damaged_meanwhile(folder, record["run_id"], bad) from None


def _whole(folder: Path, record: JsonObject, hold: Hold, given: OpenOptions, answer: Mapping[str, Any] | None) -> OpenRun:
    """The run, with checkpoints that can be read, or with what its journal says was answered."""
    run = open_run(folder, record, hold, given)
    if why := unreadable(run.graph, run.config):
        if _full(folder):
            run.close()
            raise stopped(f"There is no room left to write in {folder} ({why}); make room", folder)
        run.close()
        _usable_checkpoints(folder, record, why, answer)
        run = open_run(folder, record, hold, given)
    known = [] if run.graph.get_state(run.config).values else choices_of(salvage(folder / "journal.sqlite").events)
    if known:  # a policy that is asked about an earlier step now would decide by a world in which later ones are done
        run.close()
        run = open_run(folder, record, hold, given._replace(known=known))
    return run


def _usable_checkpoints(folder: Path, record: Mapping[str, Any], why: str, answer: Mapping[str, Any] | None) -> None:
    """Set damaged checkpoints aside: the run goes on from its journal, in which everything that was done is known by its key."""
    if not why:
        return
    path = folder / "checkpoints.sqlite"
    lost = f"{set_aside(path)} is" if path.exists() else "The stored position of the run is"
    if answer is not None:
        raise UsageProblem(
            f"{lost} damaged ({why}) and was set aside, so the request that the run waits for is unknown; "
            f"continue from its journal with: deskcrew resume {record['run_id']}"
        )


_ENDED = {TaskStatus.FULFILLED.value, TaskStatus.REJECTED.value}


def _change_limits(run: OpenRun, changed: Mapping[str, tuple[Any, Any]]) -> None:
    """From now on other limits hold; a report that says that the run has ended is no longer true."""
    if not changed:
        return
    no_longer_reported(run.folder)
    write_json(run.folder / "run.json", run.record)
    run.context.journal.record(LimitsChangedEvent(limits={key: [*pair] for key, pair in changed.items()}))
    run.context.journal.commit()


_NOBODY = {"decisions": [{"type": "reject", "message": "nobody answered in time", "who": NOBODY}]}


def _continue(run: OpenRun, answer: Mapping[str, Any] | None, approver: Approver | None) -> Outcome:
    snapshot = run.graph.get_state(run.config)
    journal = run.context.journal
    if run.controls.handed_back:
        Takeover(run, run.controls.handed_back).remember()
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
            f"Run {run.record['run_id']} is not waiting for an answer; resume it with: deskcrew resume {run.record['run_id']}"
        )
    no_longer_reported(run.folder)
    said = (answer or {}).get("decisions", [{}])[0].get("type", "")
    journal.record(RunResumedEvent(goal=run.record["goal"], answer=said))
    if not snapshot.values and not snapshot.next:
        return _drive(run, run.first_input, approver)
    if not snapshot.next and snapshot.values.get("ended_by") == BUDGET_SPENT:
        return _drive(run, {"goal": snapshot.values["goal"], "reopen": True}, approver)
    if not waiting:
        return _drive(run, None, approver)
    asked = asked_first(run, waiting) if answer is None else waiting[0]
    request = request_of(asked)
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
            if waiting[0].value.get("kind") == CONTROL:
                return stand_still(run)
            asked = asked_first(run, waiting)
            request = request_of(asked)
            given = answer_here(run, request, approver)
            if given is None:
                return wait(run, request)
            line.status(TaskStatus.PENDING, reason="answered")
            start_with = answering(run, asked, given)
    except RunBlocked as stands:
        return interrupted(run, outage_of(stands, run.folder) or str(stands))
    except (sqlite3.Error, OSError, Unavailable) as bad:
        if why := outage_of(bad, run.folder):
            return interrupted(run, why)
        raise
    finally:
        with suppress(sqlite3.OperationalError):  # what could not be written was told already
            run.context.journal.set_meta("elapsed", line.elapsed())
