"""What a run is told in, beside its lines: parts of which each is told anew when it is not as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.answers import asking_of
from orchestrator.control.channel import given_to
from orchestrator.desk.watching_files import RunFiles
from orchestrator.desk.watching_heard import Heard
from orchestrator.desk.watching_journal import Journalled
from orchestrator.faces.clean import UNREADABLE
from orchestrator.viewer.data import Item, items_of, plain, words
from orchestrator.viewer.gather import Tracks, head_of
from orchestrator.viewer.items import Lines
from orchestrator.viewer.screens import FIELDS, FLAGS
from orchestrator.viewer.source import Source


class Known(NamedTuple):
    """A run as it is known now."""

    folder: Path
    files: RunFiles
    journal: Journalled
    heard: Heard
    said: dict[str, Any] | None
    """What was answered to what is asked, before the run has heard it."""


def said_to(folder: Path, heard: Heard) -> dict[str, Any] | None:
    """What somebody answered to the question that is open; None where nobody did."""
    question = heard.question
    given = given_to(folder, asking_of(question.event.body)) if question is not None else None
    if question is None or given is None:
        return None
    decision = (items_of(given.answer.get("decisions")) or [{}])[0]
    about = {name: words(question.event.body, name) for name in ("key", "digest")}
    told = {name: words(decision, name) for name in ("message",)}
    return {**about, **told, "decision": words(decision, "type"), "who": given.who, "at": given.at, "heard": False}


def _head(run: Known) -> Mapping[str, Any]:
    files, journal, heard = run.files, run.journal, run.heard
    now = files.standing
    source = Source(
        run.folder.name, journal.seal(files.record), journal.seal(files.report), now.state, journal.seal(now.reason),
        [] if heard.started is None else [heard.started], {}, [*files.notes, *journal.notes, *heard.notes], journal.open,
        run.folder, {},
    )  # fmt: skip
    return head_of(source, heard.lines.items if heard.lines is not None else [], heard.began, heard.seconds)


def _standing(run: Known) -> dict[str, Any]:
    now = run.files.standing
    return {"state": now.state, "reason": run.journal.seal(now.reason), "ended": now.ended, "who_works": run.files.who_works}


def _budgets(run: Known) -> Any:
    if run.files.standing.ended:
        return plain(run.files.report.get("budgets") or {})
    try:
        return {one.key: plain(one.as_json()) for one in run.heard.counting.budgets(run.files.record.get("settings") or {})}
    except UNREADABLE:
        return {}


def _pending(run: Known) -> dict[str, Any] | None:
    """What a person is asked now, with where it would be done; None where nothing is."""
    question = run.heard.question
    if question is None or run.files.standing.ended:
        return None
    item = run.heard.item(question.place) if question.place < run.heard.count else None
    event = question.event
    about = {"at": event.at, "event": event.id, "role": event.role, "subtask": event.subtask, "step": event.step}
    allowed = (items_of(event.body.get("review_configs")) or [{}])[0]
    options = items_of(allowed.get("allowed_decisions")) if isinstance(allowed, dict) else []
    body: dict[str, Any] = plain(event.body)
    more = {"id": asking_of(event.body), "asked": about, "options": plain(options)}
    return {**body, **more, "target_box": item.box if item is not None else None}


def _answered(run: Known) -> dict[str, Any] | None:
    """The answer that the run has not heard yet, or the last one that it heard."""
    if run.said is not None:
        return dict(run.journal.seal(run.said))
    return None if run.heard.answered is None else {**run.heard.answered, "heard": True}


def _track(name: str) -> Callable[[Known], Any]:
    return lambda run: list(getattr(run.heard.tracks, name)) if run.heard.tracks is not None else []


def _machine(run: Known) -> Any:
    made = (run.heard.tracks or Tracks(Lines({}, 0.0))).machine
    return {"situations": made["situations"], "rows": list(made["rows"]), "walk": list(made["walk"])}


PARTS: Mapping[str, Callable[[Known], Any]] = {
    "head": _head,
    "standing": _standing,
    "budgets": _budgets,
    "pending": _pending,
    "answered": _answered,
    "fields": lambda run: list(Item._fields),
    "drawn": lambda run: {"element": list(FIELDS), "flags": list(FLAGS)},
    "plans": _track("plans"),
    "statuses": _track("statuses"),
    "facts": _track("facts"),
    "roles": lambda run: run.heard.tracks.used() if run.heard.tracks is not None else {},
    "machine": _machine,
}
"""By their names, which are those of the API."""
