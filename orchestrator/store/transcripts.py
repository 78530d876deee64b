"""What was said to the models of a run, and by them: call by call, from its events and the parts that are stored beside them."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.store.printable import UNREADABLE
from protocol import JsonObject
from roles.journal.events import ErrorEvent, ModelCallEvent
from roles.journal.journal import Event
from roles.journal.rows import inflated
from roles.journal.transcripts import PICTURE
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault

Part = Callable[[str], str | None]
"""What a part says, by its name; None where it is not there."""
_COUNTED = (
    *("model", "tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning", "seconds", "money", "estimated"),
    *("problem", "finish", "recalled"),
)


def seal_of(folder: Path) -> Callable[[Any], Any]:
    """What puts references over values that are known to be private by now, though they were not when they were written."""
    path = folder / VAULT
    vault = Vault(path) if path.is_file() else None
    return vault.sealed if vault is not None and len(vault) else lambda value: value


def part_in(db: sqlite3.Connection, seal: Callable[[Any], Any], name: str) -> str | None:
    """A part of a journal, with references over what is known to be private by now."""
    try:
        row = db.execute("SELECT body FROM parts WHERE name = ?", (name,)).fetchone()
        text = inflated(bytes(row[0])).decode("utf-8", "surrogatepass") if row else None
    except (sqlite3.Error, zlib.error, *UNREADABLE):
        return None
    return text if text is None or text.startswith(PICTURE) else str(seal(text))


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
        {"role": str(one.get("role", "")), "parts": [_said(it, part) for it in _items(one.get("parts")) if isinstance(it, dict)]}
        for one in _items(transcript.get("messages"))
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


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def calls_in(
    opening: Callable[[], sqlite3.Connection], events: Iterable[Event], folder: Path, step: int | None = None
) -> list[JsonObject]:
    """Those of a run whose tables `opening` opens."""
    with closing(opening()) as db:
        seal = seal_of(folder)
        told = (event._replace(body=seal(event.body)) for event in events)
        return calls_of(told, partial(part_in, db, seal), step)
