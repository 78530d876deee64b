"""Whether the files of a run are whole and fit together: power that fails may take the end of one file and not of another."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from environments.contract import KnownKeys
from orchestrator.errors import UsageProblem
from orchestrator.journal import open_read_only, salvage
from protocol import Action, ExecStatus
from roles.context import Context
from roles.nodes import Graph

_LOOKED_THROUGH = 16 * 2**20
"""Bytes up to which a database is read through when a run is taken up; of a larger one what is read is checked then."""
_DATABASES = ("journal.sqlite", "world.sqlite", "checkpoints.sqlite")
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
        return "it is no file"
    try:
        if _cut_off(path):
            return "its last page is cut off"
        with closing(open_read_only(path)) as db:
            found = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as bad:
        return str(bad)
    return "" if found == "ok" else " ".join(found.split())


def _cut_off(path: Path) -> bool:
    """Whether a part of a page is missing at the end, and not in the log beside it either."""
    log = path.with_name(path.name + "-wal")
    with path.open("rb") as file:
        size = int.from_bytes(file.read(18)[16:18], "big")
    return size > 1 and path.stat().st_size % size > 0 and not (log.exists() and log.stat().st_size)


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
    reached, stands = journal.reached(), _stands_at(snapshot)
    version = int(snapshot.values.get("plan_version") or 0)
    if stands > reached or (version and not journal.plan(version)):
        raise UsageProblem(
            f"{folder / 'journal.sqlite'} has lost its end: it reaches step {reached}, and the run stood at step {stands} with "
            f"plan {version}; it cannot be resumed. {_anew(folder, run_id)}"
        )
    if not isinstance(environment, KnownKeys):
        return
    performed = environment.latest_keys(5 * _LAST)
    mine = [key for key in performed[:_LAST] if key.startswith(f"{journal.run_key}/")]
    if lost := next((key for key in mine if journal.intent(key) is None), ""):
        raise UsageProblem(
            f"{folder / 'journal.sqlite'} has lost its end: {lost} was done in the world and is not in it; "
            f"it cannot be resumed. {_anew(folder, run_id)}"
        )
    for key, intent, result in islice(journal.latest_actions(), _LAST):
        if key in performed or result.exec_status is not ExecStatus.EXECUTED or _elsewhere(intent, context):
            continue
        raise UsageProblem(
            f"{folder / 'world.sqlite'} has lost what was done as {key}; it cannot be resumed. {_anew(folder, run_id)}"
        )


def _elsewhere(action: Action, context: Context) -> bool:
    """Whether it is done where no environment keeps a key for it."""
    return action.inner or action.verb == "run_script" or context.skills.tool(action) is not None


def _stands_at(snapshot: Any) -> int:
    """The step that the checkpoints stand at: the controller's, or that of the action that a worker has decided on."""
    steps = int(snapshot.values.get("steps") or 0)
    for task in snapshot.tasks:
        inner = getattr(task.state, "values", None) or {}
        pending = inner.get("pending_action") or {}
        if "digest" in pending:  # what was only thought of, and not reviewed, need not be in the journal yet
            steps = max(steps, int(pending.get("step") or 0))
    return steps


def _anew(folder: Path, run_id: str) -> str:
    steps = max((event.step for event in salvage(folder / "journal.sqlite").events if event.kind == "feedback"), default=0)
    return f"Go on from its journal in a world made anew with: deskcrew fork {run_id} --at {steps}"
