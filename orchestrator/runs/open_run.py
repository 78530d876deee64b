"""A run that is open: what is in its folder, and what works on it."""

from __future__ import annotations

import json
import platform
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from pydantic import ValidationError

from environments.contract import type_of
from orchestrator.control.channel import holder_of
from orchestrator.control.controls import Controls, Stop
from orchestrator.control.lease import Hold, is_dead
from orchestrator.core.controller import build_controller
from orchestrator.core.hub_line import HubLine
from orchestrator.errors import UsageProblem, outage_of, stopped
from orchestrator.runs.privacy.secrets import give, give_named, goal_without, keep_beginning, named, plan_without, task_without
from orchestrator.runs.privacy.trust import signed
from orchestrator.runs.replay.courses import Choice, Course, asks, interposed, noting
from orchestrator.runs.traces import RunTrace
from orchestrator.settings.build import build_context
from orchestrator.settings.settings import LoadedSettings, Settings
from orchestrator.store.checkpoints import CursorSaver
from orchestrator.store.printable import write_json
from orchestrator.store.salvage import salvage
from orchestrator.tasks.judge import truth_of
from orchestrator.tasks.plans import PlanFile, plan_of
from orchestrator.tasks.tasks import Task, fill_goal, fill_plan, fill_slots, fitting
from protocol import JsonObject
from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.contracts.nodes import Graph
from roles.journal.events import RunStartedEvent
from roles.journal.journal import Listener
from roles.manager.graph import record_plan
from roles.operator.graph import NODES_PER_STEP

if TYPE_CHECKING:
    from orchestrator.runs.rehearsal import Rehearsal


def recursion_limit(limits: Limits) -> int:
    """The larger of what the hub's graph and what one delegation can take, with room to spare."""
    # Every round ends in an action of the run, or in a decision that asks for help; recovery may go round once more for each.
    delegation = NODES_PER_STEP * (limits.steps + 1) * (1 + min(limits.max_recovery_attempts, 1))
    # A turn of the hub takes its own node and its spoke's: a spoke plans, fetches a supplement (after which there is a plan),
    # checks, or works. Work ends in a plan, in a supplement or at a check.
    planning = 2 * (limits.plans + 1)
    checking = limits.gates + 1
    working = 2 * (planning + checking) + limits.steps
    return max(2 * (planning + checking + working), delegation) + 100


class OpenOptions(NamedTuple):
    """What a run is opened with, beside what is in its folder."""

    listener: Listener | None = None
    parts: Mapping[str, Any] | None = None
    """Policies, an environment and so on in place of what the settings name."""
    stop: Stop | None = None
    """Where a wish to stop comes from that is no request of the channel."""
    follow: Callable[..., Any] | None = None
    """How a copy of the run is followed to its end, in which is rehearsed what this run does."""
    known: Sequence[Choice] = ()
    """What the journal says was answered, where nothing else is left of the run's position."""


@dataclass
class OpenRun:
    """An open run: what is in the folder, and what works on it."""

    record: JsonObject
    folder: Path
    context: Context
    saver: CursorSaver
    graph: Graph
    controls: Controls
    trace: RunTrace | None = None
    owned: bool = True
    """Whether the environment was made for this run and goes with it."""

    @property
    def config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.record["run_id"]}, "recursion_limit": recursion_limit(self.context.limits)}

    @property
    def line(self) -> HubLine:
        assert isinstance(self.context.line, HubLine)  # noqa: S101 - built by us
        return self.context.line

    @property
    def first_input(self) -> dict[str, Any]:
        """What the controller begins with: the goal, and the plan if one was given."""
        return {"goal": self.record["goal"], "plan_version": self.record.get("plan_version", 0)}

    def close(self) -> None:
        with ExitStack() as closing:  # each of them, whatever becomes of the others
            if self.owned:
                closing.callback(self.context.environment.close)
            closing.callback(self.saver.close)
            closing.callback(self.context.journal.close)
            if self.trace is not None:
                closing.callback(self.trace.close)


def create(
    folder: Path, settings: LoadedSettings, target: Task | str, hold: Hold, given: OpenOptions, plan: PlanFile | None
) -> OpenRun:
    """A new run in an empty folder. Raises UsageProblem and WorldError."""
    record: JsonObject = {
        "run_id": folder.name,
        "started": time.time(),
        "settings": json.loads(settings.settings.model_dump_json()),
        "sources": settings.sources,
        "versions": {"deskcrew": version("deskcrew"), "langgraph": version("langgraph"), "python": platform.python_version()},
        "goal": target if isinstance(target, str) else target.goal,
    }
    record = signed(record)
    run = open_run(folder, record, hold, given)
    with ExitStack() as undo:
        undo.callback(run.close)
        by_rules = settings.settings.crew.manager.policy == "rules" and not (given.parts or {}).get("manager")
        _first_state(run, settings, target, plan, own_plan=by_rules)
        undo.pop_all()
    return run


def _first_state(run: OpenRun, settings: LoadedSettings, target: Task | str, plan: PlanFile | None, *, own_plan: bool) -> None:
    """Reset the world, fill the task's slots from it, store the plan that was given, and write `run.json`."""
    record, surface, journal = run.record, run.context.environment, run.context.journal
    limits = settings.settings.limits
    first = surface.reset(seed=settings.settings.seed)
    if isinstance(target, Task):
        give_named(journal, target)
    record["environment_type"] = type_of(surface)
    if isinstance(target, Task):
        initial = truth_of(surface)
        slots = fill_slots(target, initial, settings.settings.seed) | named(journal)
        record["goal"] = goal_without(fitting(fill_goal(target, slots), limits), journal, first)
        record["task_id"] = target.id
        keep_beginning(run.folder, slots, initial)
        if plan is None and own_plan and target.plan is not None:
            record["plan_given"] = True
            if isinstance(given := fill_plan(target, slots), str):
                record["given"] = goal_without(fitting(given, limits), journal, first)
                run.context = run.context.with_(given=record["given"])
            else:
                plan = plan_of(given.whole(), f"task {target.id}")
        record["harness"] = {"task": task_without(target, slots, journal)}
    else:
        record["goal"] = goal_without(fitting(target, limits), journal, first)
    if plan is not None:
        plan.check(run.context.apps())
        record["plan_version"] = journal.save_plan(plan_without(plan, journal))
        journal.commit()  # before run.json speaks of it
    write_json(run.folder / "run.json", record)
    begun = RunStartedEvent(
        goal=record["goal"],
        run_id=record["run_id"],
        task=record.get("task_id", ""),
        world=settings.settings.world,
        seed=settings.settings.seed,
    )
    journal.record(begun, key="run_started")
    if plan is not None:
        role = "harness" if record.get("plan_given") else "user"
        record_plan(journal, record["plan_version"], f"as given in {plan.name}", role=role, key="plan/given")
    journal.commit()


def open_run(folder: Path, record: JsonObject, hold: Hold, given: OpenOptions) -> OpenRun:
    """The run of the folder, as it stands. Raises UsageProblem."""
    parts = given.parts or {}
    try:
        settings = Settings.model_validate(record["settings"])
    except ValidationError as bad:
        where = ".".join(str(p) for p in bad.errors()[0]["loc"])
        raise UsageProblem(f"{folder / 'run.json'}: settings.{where}: {bad.errors()[0]['msg']}") from None
    rehearsal = _rehearsal(folder, settings, given)
    trace = None if settings.traces == "none" else RunTrace(record["run_id"], given.listener)
    try:
        with ExitStack() as undo:
            if trace is not None:
                undo.callback(trace.close)
            saver = CursorSaver(folder / "checkpoints.sqlite", retries=settings.retries)
            undo.callback(saver.close)
            context = build_context(
                settings,
                environment=parts.get("environment"),
                run_id=record["run_id"],
                journal_path=folder / "journal.sqlite",
                store=folder,
                listener=trace or given.listener,
                parts=parts if rehearsal is None else {**parts, "around": rehearsal.around},
            ).with_(given=record.get("given", ""))
            give(context.journal, parts.get("secrets") or {})
            context = noting(context)
            context = interposed(context, Course(given.known, asks, joins=True)) if given.known else context
            if rehearsal is not None:
                rehearsal.journal = context.journal
            undo.pop_all()
    except sqlite3.DatabaseError as bad:
        if why := outage_of(bad, folder):
            raise stopped(why, folder) from None
        kept = salvage(folder / "journal.sqlite")
        note = kept.note or f"{folder} is damaged ({bad}): {len(kept.events)} events could be read"
        raise UsageProblem(f"{note}; it cannot be resumed, see what was kept with: deskcrew show {record['run_id']}") from None
    owned = "environment" not in parts
    controls = Controls(
        context.journal,
        hold.channel,
        hold.lease,
        record["run_id"],
        stop=given.stop,
        stays=owned and settings.environment == "browser" and not settings.browser.resumes,
        resting=context.line.waiting if isinstance(context.line, HubLine) else None,
    )
    context = context.with_(say=controls)
    graph = build_controller(checkpointer=saver, granularity=settings.crew.operator.granularity)
    return OpenRun(record, folder, context, saver, graph, controls, trace, owned)


def _rehearsal(folder: Path, settings: Settings, given: OpenOptions) -> Rehearsal | None:
    """What comes between roles and policies where attempts come first. Raises UsageProblem for a world that cannot be copied."""
    parts = given.parts or {}
    if settings.crew.rehearse.n == 1 or given.follow is None or parts.get("around") is not None:
        return None
    from orchestrator.runs.rehearsal import Rehearsal

    if not settings.forkable or "environment" in parts:
        raise UsageProblem(
            "crew.rehearse: only a simulated world that stands in the run's own folder can be copied; leave it out."
        )
    return Rehearsal(folder, settings, parts, given.follow, fresh=not (folder / "run.json").exists())


def new_folder(runs_dir: Path) -> Path:
    """`runs/<date>-<time>-<eight hex digits>`, made anew."""
    clear_unbegun(runs_dir)
    for _ in range(100):
        folder = runs_dir / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as bad:
            raise UsageProblem(f"runs_dir: {folder} cannot be made ({bad.strerror}); choose another with --runs-dir.") from None
        return folder
    raise UsageProblem(f"runs_dir: no free name was found in {runs_dir}")


def clear_unbegun(runs_dir: Path) -> None:
    """Take away folders of processes that were killed before their run was begun: nobody could go on with anything there.

    Only where that process is known to be dead, and its journal can be read and has no beginning.
    """
    latest = sorted(runs_dir.glob(_NAMES))[-_LATEST:]
    for folder in (path for path in latest if not path.is_symlink() and not (path / "run.json").exists()):
        holder = holder_of(folder)
        if holder is None or not is_dead(holder):
            continue
        kept = salvage(folder / "journal.sqlite")
        if not kept.note and not any(event.kind == RunStartedEvent.KIND for event in kept.events):
            shutil.rmtree(folder, ignore_errors=True)


_LATEST = 200
"""Folders that are looked at before a run: there may be very many."""
_NAMES = "-".join(("[0-9]" * 8, "[0-9]" * 6, "[0-9a-f]" * 8))
