"""Reading a run's journal from outside: reports, logs, and what is left of a damaged one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from protocol import ActionResult, InteractionStep, VisualState, parse_action, write_log
from roles.journal import Event, Intent, Journal, Listener, action_key

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
    for opening in (_open_read_only, _open_mended):
        try:
            with closing(opening(path)) as db:
                _read_events(db, events, problems)
        except (sqlite3.Error, OSError) as bad:
            problems.append(str(bad))
        if events or not problems:
            break
    kept = [events[number] for number in sorted(events)]
    note = f"{path} is damaged ({problems[0]}): {len(kept)} events could be read" if problems else ""
    return Salvage(kept, note)


def _open_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(path.resolve().as_posix())}?mode=ro", uri=True)


def _open_mended(path: Path) -> sqlite3.Connection:
    """A copy in memory whose header asks for no more than there is: SQLite refuses a file that was cut off as a whole."""
    body = bytearray(path.read_bytes())
    size = int.from_bytes(body[16:18], "big")
    pages = len(body) // size if size >= 512 else 0
    if not pages:
        raise sqlite3.DatabaseError("no database page is left")
    body[18:20] = b"\1\1"  # no write-ahead log
    body[28:32] = pages.to_bytes(4, "big")
    db = sqlite3.connect(":memory:")
    db.deserialize(bytes(body[: size * pages]))
    return db


def _read_events(db: sqlite3.Connection, events: dict[int, Event], problems: list[str]) -> None:
    """From both ends, as far as each can be read."""
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    for order in ("ASC", "DESC"):
        try:
            for row in db.execute(f"SELECT id, at, kind, role, subtask, step, body FROM events ORDER BY id {order}"):  # noqa: S608
                number, at, kind, role, subtask, step, body = row
                try:
                    events.setdefault(number, Event(number, at, kind, role, subtask, step, json.loads(body)))
                except (ValueError, TypeError) as bad:
                    problems.append(f"event {number}: {bad}")
        except sqlite3.Error as bad:
            problems.append(str(bad))


def export_log(journal: Journal, path: Path, run_id: str) -> int:
    """Write `log.jsonl` (protocol v0.1) from the journal, in one piece. Returns the number of steps."""
    return write_log(path, _interaction_steps(journal, run_id))


def _interaction_steps(journal: Journal, run_id: str) -> Iterator[InteractionStep]:
    reasons: dict[int, str] = {}
    seen_at: dict[str, float] = {}
    rows = journal.screens.rows()
    for event in journal.events("observed", "decided", "step"):
        if event.kind == "observed":
            seen_at = seen_at if len(seen_at) < 64 else {}
            seen_at[event.body["state_id"]] = event.body["timestamp"]
            continue
        if event.kind == "decided":
            reasons = {event.step: str(event.body.get("reasoning", ""))}
            continue
        body = event.body
        row = rows.get(body.get("before", ""))
        seen = VisualState() if row is None else journal.screens.at(row)
        key = action_key(run_id, event.subtask, body["attempt"], event.step)
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
