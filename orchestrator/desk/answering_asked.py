"""What a run asks of people, read from its journal; and who said what, whether or not the run has heard it yet."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from orchestrator.answers import asking_of
from orchestrator.control.channel import given_to
from orchestrator.journal import open_read_only
from protocol import TargetError, VisualState, parse_action, resolve
from roles.deflated import inflated

_ABOUT = ("approval_requested", "approval", "approval_expired")


class Said(NamedTuple):
    """An answer."""

    who: str
    decision: str
    message: str


class Asked(NamedTuple):
    """Something that was asked of people, once."""

    id: str
    """Of this asking: the same again, after it was too late for an answer, has another one."""
    since: float
    request: dict[str, Any]
    """As it is recorded: the exact action or plan, its digest, the rule that asked, how it may be answered."""
    said: Said | None
    """What was answered; None while it is open."""
    heard: bool = False
    """Whether the run has taken the answer in."""

    def is_meant(self, name: str) -> bool:
        return name in (self.id, self.request.get("digest"), self.request.get("key"))


def asked_of(folder: Path) -> list[Asked]:
    """Everything that a run has asked, oldest first. What cannot be read is left out."""
    found: dict[str, Asked] = {}
    last: dict[str, str] = {}
    for at, kind, body in _events(folder):
        key = str(body.get("key", ""))
        if kind == "approval_requested":
            asking = asking_of(body)
            found[asking] = Asked(asking, at, body, None)
            last[key] = asking
        elif key in last and found[last[key]].said is None:
            said = Said(str(body.get("who", "")), str(body.get("decision", "expired")), str(body.get("message", "")))
            found[last[key]] = found[last[key]]._replace(said=said, heard=True)
    return [_with_given(folder, one) for one in found.values()]


def still_open(folder: Path) -> list[Asked]:
    """What nobody has answered."""
    return [one for one in asked_of(folder) if one.said is None]


def given(folder: Path, asking: str) -> Said | None:
    """What was answered, before the run has heard it."""
    found = given_to(folder, asking)
    if found is None:
        return None
    decision = found.answer["decisions"][0]
    return Said(found.who, str(decision.get("type", "")), str(decision.get("message", "")))


def seen_at(folder: Path, state_id: str) -> VisualState | None:
    """A screen as it was written, private content masked; None where it cannot be read."""
    try:
        with closing(open_read_only(folder / "journal.sqlite")) as db:
            row = db.execute("SELECT body FROM observations WHERE state_id = ? LIMIT 1", (state_id,)).fetchone()
            return VisualState.model_validate_json(inflated(row[0])) if row else None
    except (sqlite3.Error, OSError, ValueError):
        return None


def target_box(folder: Path, request: Mapping[str, Any]) -> list[float] | None:
    """Where on the screen it would be done: left, top, right and bottom in pixels."""
    try:
        asked = request["action_requests"][0]
        target = getattr(parse_action({"action_type": asked["name"], **asked["args"]}), "target", None)
    except (KeyError, IndexError, TypeError, ValidationError):
        return None
    seen = seen_at(folder, str(request.get("state_id", ""))) if target is not None else None
    if target is None or seen is None:
        return None
    try:
        box = seen.by_id[resolve(target, seen).element_id].bbox
    except (TargetError, KeyError):
        box = target.bbox
    return None if box is None else [box.x1, box.y1, box.x2, box.y2]


def _with_given(folder: Path, one: Asked) -> Asked:
    return one if one.said is not None else one._replace(said=given(folder, one.id))


def _events(folder: Path) -> Iterator[tuple[float, str, dict[str, Any]]]:
    try:
        with closing(open_read_only(folder / "journal.sqlite")) as db:
            marks = ", ".join("?" * len(_ABOUT))
            rows = db.execute(f"SELECT at, kind, body FROM events WHERE kind IN ({marks}) ORDER BY id", _ABOUT).fetchall()  # noqa: S608
    except (sqlite3.Error, OSError):
        return
    for at, kind, text in rows:
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(body, dict):
            yield at, kind, body
