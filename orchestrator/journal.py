"""Reading a run's journal from outside: reports, logs, and what is left of a damaged one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from protocol import ActionResult, InteractionStep, VisualState, parse_action, write_log
from roles.journal import Event, Intent, Journal, Listener

__all__ = ["Event", "Intent", "Journal", "Listener", "Salvage", "export_log", "salvage"]


class Salvage(NamedTuple):
    """What could be read, and a note when that is not everything."""

    events: list[Event]
    note: str


def salvage(path: Path) -> Salvage:
    """Every event that can be read. A damaged file gives what stands before the damage and what can be found behind it."""
    if not path.exists():
        return Salvage([], f"{path} is missing")
    events: dict[int, Event] = {}
    problems: list[str] = []
    uri = f"file:{path.resolve().as_posix().replace('?', '%3f').replace('#', '%23')}?mode=ro"
    try:
        db = sqlite3.connect(uri, uri=True)
    except sqlite3.Error as bad:
        return Salvage([], f"{path} cannot be opened ({bad})")
    for order in ("ASC", "DESC"):
        try:
            for row in db.execute(f"SELECT id, at, kind, role, subtask, step, body FROM events ORDER BY id {order}"):  # noqa: S608
                number, at, kind, role, subtask, step, body = row
                events.setdefault(number, Event(number, at, kind, role, subtask, step, json.loads(body)))
        except (sqlite3.Error, ValueError, UnicodeDecodeError) as bad:
            problems.append(str(bad))
    db.close()
    kept = [events[number] for number in sorted(events)]
    note = f"{path} is damaged ({problems[0]}): {len(kept)} events could be read" if problems else ""
    return Salvage(kept, note)


def export_log(journal: Journal, path: Path, run_id: str) -> int:
    """Write `log.jsonl` (protocol v0.1) from the journal, in one piece. Returns the number of steps."""
    return write_log(path, _interaction_steps(journal, run_id))


def _interaction_steps(journal: Journal, run_id: str) -> Iterator[InteractionStep]:
    reasons: dict[int, str] = {}
    seen_at: dict[str, float] = {}
    for event in journal.events("observed", "decided", "step"):
        if event.kind == "observed":
            seen_at = seen_at if len(seen_at) < 64 else {}
            seen_at[event.body["state_id"]] = event.body["timestamp"]
            continue
        if event.kind == "decided":
            reasons = {event.step: str(event.body.get("reasoning", ""))}
            continue
        body = event.body
        seen = journal.stored_screen(body.get("before", "")) or VisualState()
        key = f"{run_id}/{event.subtask}/{body['attempt']}/{event.step}"
        yield InteractionStep(
            timestamp=seen_at.get(body.get("before", ""), seen.timestamp),
            visual_state=seen,
            action=parse_action(body["action"]),
            step=event.step,
            run_id=run_id,
            subtask=event.subtask,
            role=event.role,
            reasoning=reasons.get(event.step, ""),
            result=journal.outcome(key) or ActionResult(exec_status=body["exec_status"], error=body.get("error", "")),
            state_id=body.get("before", ""),
            after_state_id=body.get("after", ""),
            visible_change=body.get("visible_change", False),
        )
