"""Everything that is known of a run but its screens, from its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from orchestrator.core.machine import ANYWHERE, ROWS, Situation
from orchestrator.store.printable import clean
from orchestrator.views.page.data import (
    FORMAT,
    FactSeen,
    Item,
    Machine,
    PlanVersion,
    RoleUse,
    RunExtract,
    RunHead,
    items_of,
    number,
    plain,
    words,
)
from orchestrator.views.page.items import RunLines
from orchestrator.views.page.source import Source
from roles.journal.events import FactEvent, ModelCallEvent, PlanEvent, RunStartedEvent, SituationEvent, SubtaskStatusEvent
from roles.journal.journal import Event

_BY_DEFAULT = ("default.yaml",)
_WAITED = frozenset({"approval", "run_resumed", "handed_back"})
"""Before these the run waited for a person."""
WAITING = "waiting"


def gather(source: Source) -> RunExtract:
    """The run's lines and what stands behind them. `opens_at` and the notes are final once the screens were read, too."""
    events = source.events
    began = events[0].at if events else number(source.record.get("started"))
    lines = RunLines(lambda key: source.results.get(key, {}), began)
    tracks = Tracks(lines)
    for event in events:
        tracks.hear(event)
        lines.hear(event)
    ended = round(events[-1].at - began, 3) if events else 0.0
    checks = items_of((source.report.get("judge") or {}).get("checks"))
    lines.end(source.status, source.reason, ended, checks)
    return RunExtract(
        {
            "head": head_of(source, lines.items, began, ended),
            "fields": list(Item._fields),
            "items": lines.items,
            "plans": tracks.plans,
            "statuses": tracks.statuses,
            "facts": tracks.facts,
            "roles": tracks.used(),
            "machine": tracks.machine,
        },
        lines.details,
        lines.targets,
    )


class Tracks:
    """What goes on beside the lines: plans, statuses, the blackboard, the machine, and who used up what."""

    def __init__(self, lines: RunLines) -> None:
        self.plans: list[PlanVersion] = []
        self.statuses: list[tuple[int, str, str, int]] = []
        self.facts: list[FactSeen] = []
        rows = [(row.situation.value, _signal(row.signal.value, row.name), row.next.value) for row in ROWS]
        rows += [(situation.value, signal.value, Situation.DONE.value) for signal in ANYWHERE for situation in Situation]
        self._rows = {row: place for place, row in enumerate(rows)}
        self.machine: Machine = {"situations": [situation.value for situation in Situation], "rows": rows, "walk": []}
        self._lines = lines
        self._uses: dict[str, RoleUse] = {}
        self._last: float | None = None

    def hear(self, event: Event) -> None:
        """Before the lines hear it: what it leads to is the next item."""
        self._time(event)
        place, body = len(self._lines.items), event.body
        if event.kind == PlanEvent.KIND:
            subtasks = [plain(item) for item in items_of(body.get("subtasks")) if isinstance(item, dict)]
            version = len(self.plans) + 1
            self.plans.append({"item": place, "version": version, "reason": words(body, "reason"), "subtasks": subtasks})
        elif event.kind == SubtaskStatusEvent.KIND:
            self.statuses.append((place, event.subtask, words(body, "status"), int(number(body.get("attempt")))))
        elif event.kind == FactEvent.KIND:
            said = {key: words(body, key) for key in ("name", "value", "kind", "app", "source", "source_name", "reason")}
            self.facts.append({"item": place, **said, "subtask": event.subtask, "role": event.role})  # type: ignore[typeddict-item]
        elif event.kind == SituationEvent.KIND:
            self._walked(place, body)
        elif event.kind == ModelCallEvent.KIND:
            use = self._use(event.role)
            use["calls"] += 1
            use["tokens_in"] += int(number(body.get("tokens_in")))
            use["tokens_out"] += int(number(body.get("tokens_out")))
            use["money"] = round(use["money"] + number(body.get("money")), 8)
            use["model_seconds"] = round(use["model_seconds"] + number(body.get("seconds")), 3)

    def _walked(self, place: int, body: Mapping[str, Any]) -> None:
        row = (words(body, "situation"), _signal(words(body, "signal"), words(body, "row")), words(body, "next"))
        known = self._rows.get(row)
        if known is None:  # of another version of the table
            known = self._rows[row] = len(self.machine["rows"])
            self.machine["rows"].append(row)
        self.machine["walk"].append((place, known))

    def _time(self, event: Event) -> None:
        """What went by since the last event is the time of whoever speaks now, or of the person who was waited for."""
        if self._last is not None:
            role = WAITING if event.kind in _WAITED else event.role or "controller"
            use = self._use(role)
            use["seconds"] = round(use["seconds"] + max(event.at - self._last, 0.0), 6)
        self._last = event.at

    def _use(self, role: str) -> RoleUse:
        empty: RoleUse = {
            "seconds": 0.0, "items": 0, "failed": 0, "calls": 0, "tokens_in": 0, "tokens_out": 0, "money": 0.0,
            "model_seconds": 0.0,
        }  # fmt: skip
        return self._uses.setdefault(role or "controller", empty)

    def used(self) -> dict[str, RoleUse]:
        """By role, with the items of each counted as they are now."""
        counted = Counter(item.role for item in self._lines.items)
        failed = Counter(item.role for item in self._lines.items if item.status == "failed")
        for role in counted:
            self._use(role)
        made = self._uses.items()
        return {role: {**use, "items": counted[role], "failed": failed[role]} for role, use in made}


def _signal(signal: str, row: str) -> str:
    """The signal with the guard that the name of its row says."""
    guard = row.partition(" [")[2].partition("]")[0]
    return f"{signal} [{guard}]" if guard else signal


def head_of(source: Source, items: list[Item], began: float, seconds: float) -> RunHead:
    """The run as a whole; of its events only the one that began it is looked at."""
    record, report = source.record, source.report
    started = next((event.body for event in source.events if event.kind == RunStartedEvent.KIND), {})
    settings = record.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    budgets = report.get("budgets")
    return {
        "format": FORMAT,
        "run_id": source.run_id,
        "goal": words(record, "goal") or words(started, "goal"),
        "task": words(record, "task_id") or words(started, "task"),
        "world": words(settings, "world") or words(started, "world"),
        "environment": words(record, "environment_type") or words(settings, "environment"),
        "seed": words(settings, "seed") or words(started, "seed"),
        "status": source.status,
        "reason": source.reason,
        "started": number(record.get("started")) or began,
        "seconds": seconds,
        "budgets": plain(budgets) if isinstance(budgets, dict) else {},
        "settings": _settings(record, settings),
        "notes": source.notes,
        "opens_at": opens_at(items),
    }


def opens_at(items: list[Item]) -> int:
    """The first failure, else the question that waits for an answer, else the end."""
    for status in ("failed", "waiting"):
        for place, item in enumerate(items):
            if item.status == status:
                return place
    return len(items) - 1


def _settings(record: Mapping[str, Any], settings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What was set otherwise than by default, with the name of the file that did it; its folder concerns nobody."""
    sources = record.get("sources")
    found = []
    for key, source in sources.items() if isinstance(sources, dict) else ():
        place = PurePath(str(source).replace("\\", "/")).name
        if not place.startswith(_BY_DEFAULT) and key not in {"runs_dir", "display"}:
            found.append((clean(key, 100), clean(_value(settings, str(key)), 300), clean(place, 100)))
    return found


def _value(settings: Mapping[str, Any], key: str) -> Any:
    value: Any = settings
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
