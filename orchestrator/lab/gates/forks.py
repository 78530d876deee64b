"""A run that is copied before its roles are asked, and goes on from such a copy: world, journal and checkpoints together."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from orchestrator.control.channel import FILE as CONTROL
from orchestrator.lab.suite.suite import approving
from orchestrator.runs.replay.replay import REPLAYED
from orchestrator.runs.runs import resume
from orchestrator.settings.settings import Settings
from orchestrator.store.address import LOCAL
from orchestrator.store.salvage import open_read_only
from protocol import Frozen, JsonObject

ASKED = ("plan", "decide", "judge", "answer", "write")
"""What the policies of the five roles are asked by."""
Ask = Callable[[Any], Any]
Interposed = Callable[[str, Any, Ask], Any]
"""Role, request, and how its policy is asked; gives the answer."""


class Ending(Frozen):
    """How a run came out."""

    status: str
    right: bool
    """The judge passes it, and nothing else was changed; for a goal without a judge: it ended fulfilled."""
    steps: int
    reason: str = ""

    @property
    def false_done(self) -> bool:
        return self.status == "fulfilled" and not self.right

    @property
    def worth(self) -> int:
        """1 for right, -1 for falsely done, 0 for what was given up, which a person can still see to."""
        return 1 if self.right else -1 if self.false_done else 0


def ending(report: JsonObject) -> Ending:
    """Of a run's report."""
    verdict, done = report.get("judge"), report["status"] == "fulfilled"
    right = done if verdict is None else bool(verdict["passed"]) and verdict.get("clean") is not False
    return Ending(status=report["status"], right=right, steps=report["counts"]["steps"], reason=report["reason"][:400])


class Question(NamedTuple):
    """What a role was asked, and what it answered; None where its policy failed."""

    role: str
    request: Any
    answer: BaseModel | None


class Fork(NamedTuple):
    """A run as it stood before a role was asked."""

    role: str
    request: Any
    folder: Path
    earlier: Sequence[Question]
    """Those before it."""

    def followed(self, interposed: Interposed | None = None) -> Ending:
        """How it ends from here; its policies are those of its settings, and `interposed` comes between."""
        reached = False

        def asked(role: str, request: Any, ask: Ask) -> Any:
            nonlocal reached
            if not reached:  # what was decided since the last checkpoint is asked again, and is not to be decided anew
                for known in reversed(self.earlier):
                    if known.answer is not None and (known.role, _name(known.request)) == (role, _name(request)):
                        return known.answer
                reached = True
            return ask(request) if interposed is None else interposed(role, request, ask)

        parts = {"around": between(asked)}
        return ending(resume(self.folder.name, runs_dir=self.folder.parent, approver=approving, parts=parts).report)


def _name(request: Any) -> tuple[Any, ...]:
    """What tells the questions of a role in one run apart, whenever they are asked."""
    subtask = getattr(request, "subtask", None)
    about = (subtask.id, subtask.attempt) if subtask is not None else ()
    return (*about, *(getattr(request, name, None) for name in ("step", "number", "attempts", "reask")))


class _Between:
    """A policy that is asked through another function; everything else of it is its own."""

    def __init__(self, role: str, policy: Any, interposed: Interposed) -> None:
        self._role, self._policy, self._interposed = role, policy, interposed

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._policy, name)
        return (lambda request: self._interposed(self._role, request, own)) if name in ASKED else own


def between(interposed: Interposed) -> Callable[[str, Any], Any]:
    """What a run takes as its part `around`."""
    return lambda role, policy: _Between(role, policy, interposed)


class Copies:
    """Keeps a copy of a run before each question that is `wanted`; the run is the only one below `runs_dir`.

    A copy is what a process that was killed there would leave.
    """

    def __init__(self, runs_dir: Path, out: Path, wanted: Callable[[str, Any], bool]) -> None:
        self._runs_dir, self._out, self._wanted = runs_dir, out, wanted
        self.questions: list[Question] = []
        self.forks: list[Fork] = []

    def __call__(self, role: str, request: Any, ask: Ask) -> Any:
        if self._wanted(role, request):
            run = next(path for path in self._runs_dir.iterdir() if (path / "run.json").exists())
            place = copied(run, self._out / str(len(self.forks)) / run.name)
            self.forks.append(Fork(role, request, place, tuple(self.questions)))
        self.questions.append(Question(role, request, None))
        answer = ask(request)
        self.questions[-1] = Question(role, request, answer)
        return answer


def copied(run: Path, to: Path) -> Path:
    """A copy of a run's folder while it is worked, as far as everything is committed; nobody holds the copy."""
    shutil.copytree(run, to, ignore=shutil.ignore_patterns("*.sqlite*"))
    for path in run.glob("*.sqlite"):
        if path.name != CONTROL:
            with closing(open_read_only(path)) as whole, closing(sqlite3.connect(to / path.name)) as copy:
                whole.backup(copy)
    return to


def forkable(settings: Settings) -> bool:
    """Whether everything of such a run stands in its folder, so that a copy goes on independently."""
    return settings.environment in REPLAYED and settings.store == LOCAL
