"""Reading a run's journal from outside: reports, logs, and what is left of a damaged one."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.store.databases import open_read_only
from orchestrator.store.printable import UNREADABLE, items_of
from protocol import ActionResult, InteractionStep, JsonObject, Picture, VisualState, parse_action, write_log
from protocol.model.steps import picture_file
from roles.journal.actions import action_key
from roles.journal.events import DecidedEvent, ErrorEvent, ModelCallEvent, ObservedEvent, PictureEvent, StepEvent
from roles.journal.journal import Event, Journal

Part = Callable[[str], str | None]
"""What a part says, by its name; None where it is not there."""
_ROWS = "SELECT id, at, kind, role, subtask, step, body FROM events"
_COUNTED = (
    *("model", "tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning", "seconds", "money", "estimated"),
    *("problem", "finish", "recalled"),
)


def calls_of(events: Iterable[Event], part: Part, step: int | None = None) -> list[JsonObject]:
    """Every call of which a transcript was kept, in order; with `step` those of one step."""
    found: list[JsonObject] = []
    last: dict[str, JsonObject] = {}
    for event in events:
        if event.kind not in {ModelCallEvent.KIND, ErrorEvent.KIND}:
            continue
        transcript, body = event.body.get("transcript"), event.body
        if event.kind == ErrorEvent.KIND and body.get("unusable") and event.role in last:
            last[event.role]["unusable"] = str(body.get("message", ""))
        if isinstance(transcript, dict) and transcript.get("messages"):
            call = _call(event, transcript, part)
            last[event.role] = call
            if event.kind == ErrorEvent.KIND:
                call["unusable"] = str(body.get("message", ""))
            if step is None or event.step == step:
                found.append(call)
        elif event.kind == ModelCallEvent.KIND:
            last.pop(event.role, None)
    return found


def _call(event: Event, transcript: Mapping[str, Any], part: Part) -> JsonObject:
    counted = {key: event.body[key] for key in _COUNTED if key in event.body}
    where = {"event": event.id, "at": event.at, "role": event.role, "subtask": event.subtask, "step": event.step}
    messages = [
        {
            "role": str(one.get("role", "")),
            "parts": [_said(it, part) for it in items_of(one.get("parts")) if isinstance(it, dict)],
        }
        for one in items_of(transcript.get("messages"))
        if isinstance(one, dict)
    ]
    schema, reply = (_data(part(str(transcript.get(key) or ""))) for key in ("schema", "reply"))
    asked = {key: transcript[key] for key in ("form", "temperature", "screens") if key in transcript}
    return {**where, **counted, **asked, "messages": messages, "schema": schema, "reply": reply}


def _said(it: Mapping[str, Any], part: Part) -> JsonObject:
    kind = "picture" if "picture" in it else "text"
    name = str(it.get(kind) or "")
    return {"name": name, kind: part(name)}


def _data(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except UNREADABLE:
        return text


class Salvage(NamedTuple):
    """What could be read, and a note when that is not everything."""

    events: list[Event]
    note: str


def salvage(path: Path) -> Salvage:
    """Every event that can be read. A damaged file gives what stands before the damage and what can be found behind it."""
    if not path.is_file():  # a device never ends
        return Salvage([], f"{path} is {'not a file' if path.exists() else 'missing'}")
    events: dict[int, Event] = {}
    problems: list[str] = []
    for opening in (open_read_only, _open_mended):
        try:
            with closing(_of_events(opening(path))) as db:
                _read_events(db, events, problems)
        except (sqlite3.Error, OSError) as bad:
            problems.append(str(bad))
        if events or not problems:
            break
    note = f"{path} is damaged ({problems[0]}): {len(events)} events could be read" if problems else ""
    return Salvage([events[number] for number in sorted(events)], note)


def open_journal(path: Path, patience: float = 5.0) -> sqlite3.Connection:
    """A journal, to read events of strangers. Raises sqlite3.Error."""
    return _of_events(open_read_only(path, patience))


def _of_events(db: sqlite3.Connection) -> sqlite3.Connection:
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'events' AND type <> 'table'").fetchone():
        db.close()
        raise sqlite3.DatabaseError("its events are not a table")  # a view may be without end
    return db


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
    """From the beginning, and where that ends at something damaged from the end, too."""
    for order in ("ASC", "DESC"):
        try:
            for row in db.execute(f"{_ROWS} ORDER BY id {order}"):
                if row[0] not in events and (event := _event(row, problems)) is not None:
                    events[event.id] = event
            return
        except sqlite3.Error as bad:
            problems.append(str(bad))


def events_after(db: sqlite3.Connection, number: int, most: int) -> tuple[list[Event], int, list[str]]:
    """The next events behind one, how far they were read, and what is wrong with those that cannot be. Raises sqlite3.Error."""
    rows = db.execute(f"{_ROWS} WHERE id > ? ORDER BY id LIMIT ?", (number, most)).fetchall()
    problems: list[str] = []
    read = [_event(row, problems) for row in rows]
    return [event for event in read if event is not None], rows[-1][0] if rows else number, problems


def _event(row: Sequence[Any], problems: list[str]) -> Event | None:
    try:
        event = Event.of(row)
        if not isinstance(event.body, dict):
            raise ValueError("its body is not a mapping")
    except (ValueError, TypeError, RecursionError) as bad:
        problems.append(f"event {row[0]}: {bad}")
        return None
    return event


def export_log(journal: Journal, path: Path, run_id: str) -> int:
    """Write `log.jsonl` (protocol v0.1) from the journal, in one piece. Returns the number of steps."""
    return write_log(path, _interaction_steps(journal, run_id, path.parent))


def _kept_pictures(journal: Journal, folder: Path) -> dict[str, Picture]:
    """The picture of each screen by its id, if it is there still."""
    named = ((event.body["state_id"], event.body) for event in journal.events(PictureEvent) if event.body["kind"] == "clean")
    return {
        state_id: Picture(path=body["path"], sha256=body["sha256"])
        for state_id, body in named
        if picture_file(folder, body["path"]) is not None
    }


def _interaction_steps(journal: Journal, run_id: str, folder: Path) -> Iterator[InteractionStep]:
    reasons: dict[int, str] = {}
    seen_at: dict[str, float] = {}
    rows = journal.screens.rows()
    pictures = _kept_pictures(journal, folder)
    for event in journal.events(ObservedEvent, DecidedEvent, StepEvent):
        if event.kind == ObservedEvent.KIND:
            seen_at = seen_at if len(seen_at) < 64 else {}
            seen_at[event.body["state_id"]] = event.body["timestamp"]
            continue
        if event.kind == DecidedEvent.KIND:
            reasons = {event.step: str(event.body.get("reasoning", ""))}
            continue
        body = event.body
        row = rows.get(body.get("before", ""))
        seen = VisualState() if row is None else journal.screens.at(row)
        before, after = (pictures.get(body.get(moment, "")) for moment in ("before", "after"))
        if before is not None:
            seen = seen.model_copy(update={"screenshot_path": before.path})
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
            pictures=(
                *([before] if before is not None else []),
                *([after.model_copy(update={"moment": "after"})] if after is not None else []),
            ),
        )
