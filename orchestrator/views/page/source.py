"""A run's record, report and standing, looked at again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.control.channel import FILE as CONTROL
from orchestrator.control.lease import RunStatus, standing, told
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import read_run, stored_report, written_run
from orchestrator.store.reader import NO_FILE, Sign, sign_of
from protocol import JsonObject

STALE, ALIVE = 0.1, 1.0
"""Seconds for which the files are believed without a look, and for which a holder is taken to live: a death changes no file."""
_LISTED = ("goal", "task_id", "started", "settings", "status", "reason", "ended_by", "pending", "counts", "wall_seconds")
"""What a list tells of a run's record and report."""
_READ = ("run.json", "report.json", CONTROL, f"{CONTROL}-wal")


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
                self.record, self.notes = self._kept(written_run if self._listed else read_run), []
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
