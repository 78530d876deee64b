"""A run as it can be shown: its files as they stand, and everything that its events come to but screens."""

import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from orchestrator.control.channel import FILE as CONTROL
from orchestrator.control.lease import RunStatus, standing, told
from orchestrator.core.machine import ANYWHERE, ROWS, Situation
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import find_run, read_run, stored_report
from orchestrator.runs.report import BudgetCount
from orchestrator.store.printable import UNREADABLE, clean, items_of, number
from orchestrator.store.reader import JOURNAL, NO_FILE, RunJournal, Sign, sign_of
from orchestrator.views.page.data import FactSeen, Item, Machine, PlanVersion, RoleUse, RunHead, marked, plain, words
from orchestrator.views.page.items import RunLines
from orchestrator.views.terminal.event_lines import ledger_line
from protocol import JsonObject
from roles.contracts.requests import Request, request_in
from roles.journal import events as journal
from roles.journal.budgets import Spending, Use
from roles.journal.journal import Event

_BY_DEFAULT = ("default.yaml",)
_WAITED = frozenset({"approval", "run_resumed", "handed_back"})
"""Before these the run waited for a person."""
WAITING = "waiting"
AFTER_THE_LAST = 0.5
"""What is known of the end comes after the last event, and before the one that goes on with the run, if it ever does."""
NOTES = 20
"""Notes on what cannot be read, at most: a journal may be wrong from end to end."""
STALE, ALIVE = 0.1, 1.0
"""Seconds for which the files are believed without a look, and for which a holder is taken to live: a death changes no file."""
_LISTED = ("goal", "task_id", "started", "settings", "status", "reason", "ended_by", "pending", "counts", "wall_seconds")
"""What a list tells of a run's record and report."""
_READ = ("run.json", "report.json", CONTROL, f"{CONTROL}-wal")


class Tracks:
    """What goes on beside the lines: plans, statuses, the blackboard, the machine, and who used up what."""

    def __init__(self, lines: RunLines, spending: Spending) -> None:
        self.plans: list[PlanVersion] = []
        self.statuses: list[tuple[int, str, str, int]] = []
        self.facts: list[FactSeen] = []
        rows = [(row.situation.value, row.label, row.next.value) for row in ROWS]
        rows += [(situation.value, signal.value, Situation.DONE.value) for signal in ANYWHERE for situation in Situation]
        self._rows = {row: place for place, row in enumerate(rows)}
        self.machine: Machine = {"situations": [situation.value for situation in Situation], "rows": rows, "walk": []}
        self._lines = lines
        self._ledger: list[str] = []
        self._spending = spending
        self._seconds: defaultdict[str, float] = defaultdict(float)
        """By who spoke, or was waited for."""
        self._last: float | None = None

    def hear(self, event: Event) -> None:
        """Before the lines hear it: what it leads to is the next item."""
        if self._last is not None:  # what went by is the time of whoever speaks now, or of the person who was waited for
            role = WAITING if event.kind in _WAITED else event.role or "controller"
            self._seconds[role] = round(self._seconds[role] + max(event.at - self._last, 0.0), 6)
        self._last = event.at
        place, body = len(self._lines.items), event.body
        if event.kind == journal.PlanEvent.KIND:
            subtasks = [plain(item) for item in items_of(body.get("subtasks")) if isinstance(item, dict)]
            version = len(self.plans) + 1
            reason = words(body, "reason")
            self.plans.append({"item": place, "version": version, "reason": reason, "subtasks": subtasks, "ledger": self._ledger})
        elif event.kind == journal.LedgerEvent.KIND:
            self._ledger = [ledger_line(entry) for entry in items_of(body.get("entries")) if isinstance(entry, dict)]
            if self.plans:
                self.plans[-1] = {**self.plans[-1], "ledger": self._ledger}
        elif event.kind == journal.SubtaskStatusEvent.KIND:
            self.statuses.append((place, event.subtask, words(body, "status"), int(number(body.get("attempt")))))
        elif event.kind == journal.FactEvent.KIND:
            said = {key: words(body, key) for key in ("name", "value", "kind", "app", "source", "source_name", "reason")}
            self.facts.append({"item": place, **said, "subtask": event.subtask, "role": event.role})  # type: ignore[typeddict-item]
        elif event.kind == journal.SituationEvent.KIND:
            label = words(body, "row").partition(" --")[2].partition("-->")[0]
            row = (words(body, "situation"), label or words(body, "signal"), words(body, "next"))
            known = self._rows.get(row)
            if known is None:  # of another version of the table
                known = self._rows[row] = len(self.machine["rows"])
                self.machine["rows"].append(row)
            self.machine["walk"].append((place, known))

    def used(self) -> dict[str, RoleUse]:
        """By role, with the items of each counted as they are now."""
        counted = Counter(item.role for item in self._lines.items)
        failed = Counter(item.role for item in self._lines.items if item.status == "failed")
        found: dict[str, RoleUse] = {}
        for role in dict.fromkeys((*self._seconds, *self._spending.by_role, *counted)):
            use = self._spending.by_role.get(role, Use())
            found[role] = {
                "seconds": self._seconds[role], "items": counted[role], "failed": failed[role], "calls": use.calls,
                "tokens_in": int(number(use.tokens_in)), "tokens_out": int(number(use.tokens_out)),
                "money": round(number(use.money), 8), "model_seconds": round(number(use.seconds), 3),
            }  # fmt: skip
        return found


class Page(NamedTuple):
    """What changed behind a cursor: the items from `start` on take the place of those that were there."""

    start: int
    items: list[Item]
    cursor: float
    more: bool

    def as_json(self) -> JsonObject:
        return {"from": self.start, "items": self.items, "cursor": shown_cursor(self.cursor), "more": self.more}


def shown_cursor(cursor: float) -> float:
    """Whole where it is: 12, not 12.0."""
    return int(cursor) if cursor == int(cursor) else cursor


class OpenRequest(NamedTuple):
    """Something that a person is asked, and that is not answered."""

    event: Event
    place: int
    """Of its item."""
    request: Request


class RunEvents:
    """What a run's events come to, told from any cursor on. One thread at a time."""

    def __init__(self, result: Callable[[str], Mapping[str, Any]], screen: Callable[[str], Mapping[str, Any]]) -> None:
        """`result` is what the environment said to an action, by its key; `screen` a screen by its id. Either may be empty."""
        self._result, self._screen = result, screen
        self.reached = 0
        """The last event that is taken in."""
        self.ended = False
        self.notes: list[str] = []
        self.counting = BudgetCount()
        self.asked: dict[str, OpenRequest] = {}
        """By key, the latest last."""
        self.answered: JsonObject | None = None
        self.about: JsonObject = {}
        """What was said when it began."""
        self.began = 0.0
        self.last: Event | None = None
        self.lines = RunLines(result, 0.0)
        self.tracks = Tracks(self.lines, self.counting.spending)
        self._changes: list[tuple[float, int]] = []
        """By which event which item changed, in order."""
        self._added: list[float] = []
        """By which event each item came."""
        self._sought: set[int] = set()
        """Items of which it was looked where their target is."""

    def hear(self, event: Event) -> None:
        if self.last is None:
            self.began = event.at
            self.lines = RunLines(self._result, event.at)
            self.tracks = Tracks(self.lines, self.counting.spending)
        try:
            self.tracks.hear(event)
            self.counting.hear(event)
        except UNREADABLE as bad:
            self.notes = [*self.notes, f"event {event.id} holds what deskcrew does not write ({type(bad).__name__})"][:NOTES]
        self.lines.hear(event)
        self._touched(event.id)
        if event.kind == journal.RunStartedEvent.KIND:
            self.about = self.about or event.body
        elif event.kind == journal.ApprovalRequestedEvent.KIND:
            self.asked.pop(key := words(event.body, "key"), None)
            if (request := request_in(event.body)) is not None:
                self.asked[key] = OpenRequest(event, len(self.lines.items) - 1, request)
        elif event.kind in {journal.ApprovalEvent.KIND, journal.ApprovalExpiredEvent.KIND}:
            self.asked.pop(words(event.body, "key"), None)
            self.answered = plain(event.body)
        self.last = event

    def end(self, status: str, reason: str, checks: list[Any]) -> None:
        """The run is over, and this is how."""
        self.lines.end(status, reason, self.seconds, checks)
        self._touched((self.last.id if self.last is not None else 0) + AFTER_THE_LAST)
        self.ended = True

    def _touched(self, number: float) -> None:
        for place in sorted(self.lines.touched):
            self._changes.append((number, place))
            if place == len(self._added):
                self._added.append(number)
        self.lines.touched.clear()

    @property
    def seconds(self) -> float:
        return round(self.last.at - self.began, 3) if self.last is not None else 0.0

    @property
    def question(self) -> OpenRequest | None:
        """The latest that is open."""
        return next(reversed(self.asked.values()), None)

    @property
    def cursor(self) -> float:
        return self.reached + (AFTER_THE_LAST if self.ended else 0)

    def after(self, cursor: float, most: int) -> Page:
        """What changed behind the event of this number."""
        begin = bisect_right(self._changes, (cursor, len(self._added)))
        end = min(begin + most, len(self._changes))
        if begin == end:
            return Page(len(self._added), [], max(cursor, self.cursor), False)
        reached = self._changes[end - 1][0]
        end = bisect_right(self._changes, (reached, len(self._added)))  # what one event did is not torn apart
        start = min(place for _, place in self._changes[begin:end])
        items = [self.item(place) for place in range(start, bisect_right(self._added, reached))]
        more = end < len(self._changes)
        return Page(start, items, reached if more else self.cursor, more)

    def item(self, place: int) -> Item:
        """An item, with the place of its target, which is looked for when somebody wants it first."""
        item, target = self.lines.items[place], self.lines.targets[place]
        if item.box is None and item.before and any(target) and place not in self._sought:
            self._sought.add(place)
            item = marked(item, target, items_of(self._screen(item.before).get("elements")))
            self.lines.items[place] = item
        return item


class RunFiles:
    """Record, report and standing of a run; of one that is only listed what a list tells, since there may be thousands."""

    def __init__(self, folder: Path, *, listed: bool = False) -> None:
        self.folder = folder
        self._listed = listed
        self.notes: list[str] = []
        self.record: JsonObject = {}
        self.report: JsonObject = {}
        self.who_works = ""
        self.signs: dict[str, Sign] = {}
        """Others when the run was begun, reported, asked for something or answered, taken or let go of."""
        self._looked = self._read_at = 0.0
        self.standing = RunStatus("", "", None)
        self.changed()

    def changed(self) -> bool:
        """Look again; says whether record, report or standing is another one."""
        now = time.monotonic()
        if self.signs and now - self._looked < STALE:
            return False
        self._looked = now
        before, self.signs = self.signs, {name: sign_of(self.folder / name) for name in _READ}
        asleep = self.standing.ended or self.standing.holder is None  # whoever takes it up writes that down
        if self.signs == before and (asleep or now - self._read_at < ALIVE):
            return False
        known = (self.record, self.report, self.standing, self.who_works) if before else None
        if self.signs["run.json"] != before.get("run.json"):
            try:
                self.record, self.notes = self._kept(read_run), []
            except UsageProblem as bad:
                said = str(bad).replace("; the run cannot be used", "; the settings and the goal are as the journal says")
                self.record, self.notes = {}, [said]
        if self.signs["report.json"] != before.get("report.json"):
            self.report = self._kept(stored_report)
        self.standing = standing(self.folder, self.report)
        if self.notes and self.standing.holder is None:
            self.standing = self.standing._replace(state="damaged", reason=self.notes[0])
        self.who_works = told(self.standing.holder) if self.standing.holder is not None else ""
        self._read_at = now
        return known != (self.record, self.report, self.standing, self.who_works)

    def _kept(self, read: Callable[[Path], JsonObject]) -> JsonObject:
        whole = read(self.folder)
        if not self._listed:
            return whole
        kept = {name: whole[name] for name in _LISTED if name in whole}
        if isinstance(settings := kept.get("settings"), dict):
            kept["settings"] = {"policies": settings.get("policies")}
        return kept

    @property
    def gone(self) -> bool:
        """Somebody deleted the run."""
        return self.signs["run.json"] == NO_FILE


class RunReader:
    """A run as it can be shown, read on whenever it is looked at. One thread at a time."""

    def __init__(self, folder: Path, *, live: bool = True) -> None:
        """`live`: it may be at work; else what can be read of it now is all."""
        self.folder = folder
        self.files = RunFiles(folder)
        self.journal = RunJournal(folder, live=live)
        self.heard = RunEvents(self.journal.result, self.journal.screen)
        self._again = False
        """Whether what was heard is to be heard once more."""

    def look(self) -> bool:
        """Take in what was written since, and say whether anything is not as it was. Cheap where nothing was."""
        changed = self.files.changed()
        self._again |= self.journal.more_private()
        while (events := self.journal.read_on()) is not None or self._again:
            if events is None or self._again or self.heard.ended:  # it goes on after all: what was said of its end is taken back
                heard = RunEvents(self.journal.result, self.journal.screen)
                for again in self.journal.read_again():
                    self._hear(heard, again)
                self.heard, self._again = heard, False
            else:
                self._hear(self.heard, events)
            changed = True
        if self.files.standing.ended and not self.heard.ended and self.heard.last is not None and self.journal.caught_up:
            self.end()
            changed = True
        return changed

    def _hear(self, heard: RunEvents, events: list[Event]) -> None:
        for event in events:
            heard.hear(self.journal.private.sealed(event))
        heard.reached = self.journal.reached

    def end(self) -> None:
        """Say how it stands, and what was begun and not finished."""
        now, seal = self.files.standing, self.journal.private.seal
        self.heard.end(now.state, seal(now.reason), items_of((seal(self.files.report).get("judge") or {}).get("checks")))

    @property
    def notes(self) -> list[str]:
        """What of it cannot be read."""
        return [*self.files.notes, *self.journal.notes, *[*self.journal.wrong, *self.heard.notes][:NOTES]]

    def part(self, name: str) -> Any:
        return PARTS[name](self)

    def close(self) -> None:
        self.journal.close()


def read_whole(run: str, runs_dir: Path) -> RunReader:
    """All of a run, by its id, a unique part of it, or its folder. Raises UsageProblem where there is nothing to show."""
    folder = Path(run)
    is_run = any((folder / name).is_file() for name in ("run.json", JOURNAL))
    reader = RunReader(folder.resolve() if is_run else find_run(run, runs_dir), live=False)
    reader.look()
    if not reader.files.record and reader.heard.last is None:
        raise UsageProblem(f"{reader.folder} holds neither a run.json nor a journal that can be read; there is nothing to view.")
    if not reader.heard.ended:
        reader.end()
    return reader


def _head(run: RunReader) -> RunHead:
    seal, heard, now = run.journal.private.seal, run.heard, run.files.standing
    record, report, started = seal(run.files.record), seal(run.files.report), heard.about
    settings = record.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    budgets = report.get("budgets")
    return {
        "run_id": words(record, "run_id") or run.folder.name,
        "goal": words(record, "goal") or words(started, "goal"),
        "task": words(record, "task_id") or words(started, "task"),
        "world": words(settings, "world") or words(started, "world"),
        "environment": words(record, "environment_type") or words(settings, "environment"),
        "seed": words(settings, "seed") or words(started, "seed"),
        "status": now.state,
        "reason": seal(now.reason),
        "started": number(record.get("started")) or heard.began,
        "seconds": heard.seconds,
        "budgets": plain(budgets) if isinstance(budgets, dict) else {},
        "settings": _settings(record, settings),
        "notes": run.notes,
        "opens_at": opens_at(heard.lines.items),
    }


PARTS: Mapping[str, Callable[[RunReader], Any]] = {
    "head": _head,
    "fields": lambda run: list(Item._fields),
    "plans": lambda run: list(run.heard.tracks.plans),
    "statuses": lambda run: list(run.heard.tracks.statuses),
    "facts": lambda run: list(run.heard.tracks.facts),
    "roles": lambda run: run.heard.tracks.used(),
    "machine": lambda run: {**run.heard.tracks.machine, "walk": list(run.heard.tracks.machine["walk"])},
}
"""What every page is told of a run, beside its lines and its screens."""


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
