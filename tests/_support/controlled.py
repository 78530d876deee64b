"""Runs that come to a known point and wait there, so that a test can ask something of them: in a thread or as a process.

As a process: `python controlled.py RUNS_DIR DECISION GOAL [KEY=VALUE...]`, worked by the same code as `deskcrew run`. It makes
`RUNS_DIR/here` when the Operator has made that decision, and hands the decision out when there is `RUNS_DIR/go`.
"""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from waiting import DEADLINE, until
from warm import Forked

from orchestrator.control.controls import Stop
from orchestrator.runs import runs
from orchestrator.runs.handle import RunControl
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.settings import LoadedSettings, load_settings
from orchestrator.store.salvage import salvage
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import OperatorDecision
from roles.contracts import OperatorView, ScriptAnswer, ScriptRequest
from roles.journal.journal import Event
from roles.operator.rules import RulesOperator
from roles.technician.rules import RulesTechnician

CLAIM = "invoice-to-reimbursement"
FORM = 6
"""The decision of the claim task that fills in the form: the invoice was read by then."""
OPEN = ("safety=never-ask-in-simulation",)


def events(folder: Path, *kinds: str) -> list[Event]:
    """What stands in the journal of a run by now, whoever writes it."""
    return [event for event in salvage(folder / "journal.sqlite").events if not kinds or event.kind in kinds]


def asked(folder: Path) -> int:
    """How many requests were sent to a run."""
    path = folder / "control.sqlite"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM requests").fetchone()[0])


def settings_for(goal: str, runs_dir: Path, overrides: Sequence[str]) -> tuple[LoadedSettings, Task | str]:
    """As the command has them: a task says what world it wants."""
    target = resolve_target(goal)
    layer = target.layer() if isinstance(target, Task) else None
    return load_settings((), [*overrides, f"runs_dir={runs_dir}"], layer), target


class Halting:
    """The rules, which wait before they hand out one of their decisions until they are let go on."""

    def __init__(self, at: int, reached: Callable[[], None], wait: Callable[[], None]) -> None:
        self._left = at
        self._reached = reached
        self._wait = wait

    def decide(self, view: OperatorView) -> OperatorDecision:
        decision = RulesOperator().decide(view)
        self._halt()
        return decision

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        answer = RulesTechnician().write(request)
        self._halt()
        return answer

    def _halt(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._reached()
            self._wait()


class Working:
    """A run in a thread of this process, halted at a decision."""

    def __init__(self, runs_dir: Path, at: int, goal: str, overrides: Sequence[str], role: str, parts: dict[str, Any]) -> None:
        self._here, self._go = threading.Event(), threading.Event()
        policy = Halting(at, self._here.set, lambda: self._wait())
        self.stop = Stop()
        self.names: list[str] = []
        self.outcome: Outcome | None = None
        self.problem: BaseException | None = None
        settings, target = settings_for(goal, runs_dir, overrides)

        def listen(event: Event) -> None:
            if event.kind == "run_started":
                self.names.append(str(event.body["run_id"]))

        def work() -> None:
            try:
                given = {role: policy, **parts}
                self.outcome = runs.start(settings, target, listener=listen, parts=given, stop=self.stop)
            except BaseException as bad:  # noqa: BLE001 - shown by the test
                self.problem = bad
                self._here.set()

        self._runs_dir = runs_dir
        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        assert self._here.wait(DEADLINE), "the run does not come to its decision"
        assert self.problem is None, self.problem

    def _wait(self) -> None:
        assert self._go.wait(DEADLINE), "nobody has let the run go on"

    @property
    def folder(self) -> Path:
        return self._runs_dir / self.names[0]

    def control(self, who: str = "anna") -> RunControl:
        return RunControl(self.names[0], runs_dir=self._runs_dir, who=who, wait=DEADLINE)

    def go(self) -> None:
        self._go.set()

    def end(self) -> Outcome:
        """Let it go on, and wait until it stops."""
        self.go()
        self._thread.join(DEADLINE)
        assert not self._thread.is_alive(), "the run does not stop"
        if self.problem is not None:
            raise self.problem
        assert self.outcome is not None
        return self.outcome

    def meanwhile(self, ask: Callable[[RunControl], Any]) -> tuple[Any, Outcome]:
        """Ask something while the crew is halted, let it go on once that was sent, and wait for both."""
        found: list[Any] = []
        before = asked(self.folder)
        asking = threading.Thread(target=lambda: found.append(ask(self.control())), daemon=True)
        asking.start()
        until(lambda: asked(self.folder) > before, "the request")
        outcome = self.end()
        asking.join(DEADLINE)
        return (found[0] if found else None), outcome


def working(
    runs_dir: Path, at: int = FORM, goal: str = CLAIM, overrides: Sequence[str] = OPEN, role: str = "operator", **parts: Any
) -> Working:
    return Working(runs_dir, at, goal, overrides, role, parts)


class Started:
    """A run in a process of its own, halted at a decision."""

    def __init__(self, runs_dir: Path, process: subprocess.Popen[str]) -> None:
        self.runs_dir = runs_dir
        self.process = process

    @property
    def folder(self) -> Path:
        return next(path.parent for path in self.runs_dir.glob("*/run.json"))

    @property
    def run_id(self) -> str:
        return self.folder.name

    def control(self, who: str = "anna") -> RunControl:
        return RunControl(self.run_id, runs_dir=self.runs_dir, who=who, wait=DEADLINE)

    def go(self) -> None:
        (self.runs_dir / "go").touch()

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=DEADLINE)
        return self.process.returncode, out, err


@contextmanager
def started(runs_dir: Path, at: int = FORM, goal: str = CLAIM, overrides: Sequence[str] = OPEN) -> Iterator[Started]:
    runs_dir.mkdir(parents=True, exist_ok=True)
    words = [__file__, str(runs_dir), str(at), goal, *overrides]
    process = Forked(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: (runs_dir / "here").exists() or process.poll() is not None, "the run to come to its decision")
        assert process.poll() is None, process.communicate()
        yield Started(runs_dir, process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


def main(runs_dir: Path, at: int, goal: str, overrides: Sequence[str]) -> None:
    """What `deskcrew run` does, with an Operator that waits."""
    from orchestrator.cli.common import drive, guarded
    from orchestrator.runs.handle import LocalRuns
    from orchestrator.views.terminal import make_face

    def wait() -> None:
        until((runs_dir / "go").exists, "being let go on")

    with guarded(debug=True):
        settings, target = settings_for(goal, runs_dir, overrides)
        parts = {"operator": Halting(at, (runs_dir / "here").touch, wait)}
        face = make_face("plain")
        drive(face, LocalRuns(runs_dir), lambda heard, stop: runs.start(settings, target, listener=heard, parts=parts, stop=stop))


if __name__ == "__main__":
    import typer

    try:
        main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
    except typer.Exit as end:
        sys.exit(end.exit_code)
