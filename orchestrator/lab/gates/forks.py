"""A run that is copied before its roles are asked, and goes on from such a copy: world, journal and checkpoints together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.control.requests import approving
from orchestrator.runs.rehearsal import Ask, Interposed, Question, answered, between, copied
from orchestrator.runs.runs import resume
from protocol import Frozen, JsonObject


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
                if (known := answered(self.earlier, role, request)) is not None:
                    return known
                reached = True
            return ask(request) if interposed is None else interposed(role, request, ask)

        parts = {"around": between(asked)}
        return ending(resume(self.folder.name, runs_dir=self.folder.parent, approver=approving, parts=parts).report)


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
