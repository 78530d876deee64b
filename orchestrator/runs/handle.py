"""A handle of a run of this machine, and the runs that there are; `orchestrator.desk.client.handle` has the same of a desk.

What is asked for is written down at once, whoever works the run; the crew takes it in at its next safe point. Where nobody works
the run, it is done here.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from environments.files.wrong_data import did_you_mean
from orchestrator.control.channel import Channel, myself
from orchestrator.control.lease import RUNNING, LeaseHeld, RunStatus, standing, told
from orchestrator.errors import UsageProblem
from orchestrator.runs import folders

if TYPE_CHECKING:
    from orchestrator.control.controls import Stop
    from orchestrator.runs.answers import Takeover
    from orchestrator.runs.outcome import Approver, Outcome
    from orchestrator.runs.report import Board
    from orchestrator.settings.settings import LoadedSettings
    from orchestrator.tasks.plans import ShownPlan
    from orchestrator.tasks.tasks import Task
    from protocol import JsonObject
    from roles.contracts.policies import Addressee
    from roles.journal.journal import Event, Listener

RUNS = Path("runs")
_LOOK_AGAIN = 0.05
_WORDS = 2_000


@dataclass(frozen=True)
class ControlResult:
    """What came of a request, and what can be typed next."""

    run_id: str
    state: str
    said: str
    next: tuple[str, ...] = ()


class RunControl:
    """A run of this machine, by its id or a unique beginning or end of it."""

    def __init__(
        self,
        run_id: str,
        *,
        runs_dir: Path = RUNS,
        who: str = "",
        parts: Mapping[str, Any] | None = None,
        wait: float = 20.0,
    ) -> None:
        """`parts` are those that the run was started with; `wait` is how long a crew at work is waited for, in seconds."""
        self._name = run_id
        self._runs_dir = runs_dir
        self._who = who or myself()
        self._parts = parts
        self._wait = wait

    @cached_property
    def _place(self) -> Path:
        """The folder that is called so, be it a copy of another run's."""
        return folders.find_run(self._name, self._runs_dir)

    @cached_property
    def folder(self) -> Path:
        """The folder in which the run continues on this machine."""
        name = str(folders.read_run(self._place)["run_id"])
        if name != self._place.name:  # what is meant for the copy must not be done in the run
            raise UsageProblem(
                f"The folder {self._place} is a copy of run {name!r}, or was renamed; name the run itself, "
                "or give the folder the name of the run again."
            )
        return self._place

    @property
    def run_id(self) -> str:
        return self.folder.name

    def standing(self) -> RunStatus:
        return standing(self.folder, folders.stored_report(self.folder))

    def report(self) -> folders.RunView:
        return folders.show_run(self._name, self._runs_dir)

    def plan(self) -> ShownPlan:
        return folders.show_plan(self._name, self._runs_dir)

    def blackboard(self, at: int | None = None) -> Board:
        from orchestrator.runs.report import board_at

        return board_at(self.past(), at)

    def prompts(self, step: int | None = None) -> list[JsonObject]:
        """The calls of models of which a transcript was kept; with `step` those of one step."""
        from orchestrator.store.reader import calls_in

        return calls_in(self._place, step)

    def past(self) -> list[Event]:
        from orchestrator.store.salvage import salvage

        return salvage(self._place / "journal.sqlite").events

    def pause(self) -> ControlResult:
        """Stop the crew before its next action. `resume` continues the run."""
        now = self._alive()
        if now.state != "running":
            return self._told(now.state, f"no process works run {self.run_id} now: {now.reason or now.state}")
        now = self._after(self._send("pause", {}))
        return (
            self._told(now.state, f"run {self.run_id} is {now.reason or now.state}")
            if now.state != "running"
            else self._later("stops")
        )

    def cancel(self, why: str = "") -> ControlResult:
        """End the run, rejected, before its next action."""
        self._alive()
        now = self._after(self._send("cancel", {"why": self._checked(why)}))
        if now.holder is not None:
            return self._later("ends")
        if not now.ended:
            self._worked()
        return self._told("cancelled", f"run {self.run_id} is ended: {self.standing().reason}")

    def steer(self, words: str, to: Addressee = "crew") -> ControlResult:
        """Tell the crew, or one role, something: it reaches that role's next decision."""
        from roles.contracts.policies import ADDRESSEES

        if to not in ADDRESSEES:
            raise UsageProblem(f"There is no role {str(to)!r} to instruct{did_you_mean(str(to), ADDRESSEES)}.")
        if not words.strip():
            raise UsageProblem("The instruction is empty; write for example: deskcrew steer ID 'use the other supplier'")
        now = self._alive()
        number = self._send("steer", {"words": self._checked(words).strip(), "to": to})
        if now.holder is None:
            return self._told(now.state, f"{_whom(to)} receives it as soon as run {self.run_id} continues")
        if not self._heard(number):
            return self._later("receives it")
        return self._told(self.standing().state, f"{_whom(to)} takes it into account from the next decision on")

    def takeover(self) -> ControlResult:
        """Take over the run: the crew stops before its next action, and does nothing until `handback`."""
        now = self._alive()
        if now.state != "taken_over":
            now = self._after(self._send("takeover", {}))
            if now.holder is None and now.state != "taken_over" and not now.ended:
                from orchestrator.runs import runs

                runs.settle(self.run_id, runs_dir=self.folder.parent, parts=self._parts)
                now = self.standing()
        if now.state == "running":
            return self._later("hands over")
        return self._told(now.state, f"run {self.run_id} is {now.reason}; the crew waits for handback")

    @contextmanager
    def hands(self) -> Iterator[Takeover]:
        """The environment of a run that was taken over, for acting by hand. Raises UsageProblem where it was not taken over."""
        from environments.effects import GuardedEnvironment, Network
        from orchestrator.control.controls import BY_HAND
        from orchestrator.control.lease import BY_HAND as DOING
        from orchestrator.runs.answers import Takeover
        from orchestrator.runs.open_run import OpenOptions
        from orchestrator.runs.runs import taken_up

        with taken_up(self.run_id, self.folder.parent, OpenOptions(parts=self._parts), doing=DOING) as run:
            if run.controls.standing.get("state") != BY_HAND:
                name = self.run_id
                raise UsageProblem(f"Run {name} was not taken over; take it over with: deskcrew takeover {name}")
            if isinstance(run.context.environment, GuardedEnvironment):  # who acts by hand has said yes to what comes of it
                run.context.environment.guard(Network(mode="watch"))
            hands = Takeover(run, self._who)
            hands.remember()
            yield hands

    def resume(
        self,
        *,
        answer: Mapping[str, Any] | None = None,
        overrides: Sequence[str] = (),
        listener: Listener | None = None,
        approver: Approver | None = None,
        stop: Stop | None = None,
    ) -> Outcome | None:
        """Go on with a run that holds still, until it ends or waits; None where another process here goes on with it."""
        if answer is not None and (asking := self._answered_there(answer)):
            if not self._is_let_go_unheard(asking):
                return None
            answer = None  # it counts already
        now = self.standing()  # a run that spent a budget may yet go on
        if now.holder is not None and overrides:
            raise LeaseHeld(f"Run {self.run_id} is {now.reason}; its limits can be changed when that process has stopped.")
        if self._goes_on_there(now, "resume", {}):
            return None
        return self._worked(answer=answer, overrides=overrides, listener=listener, approver=approver, stop=stop)

    def handback(
        self, say: str = "", *, listener: Listener | None = None, approver: Approver | None = None, stop: Stop | None = None
    ) -> Outcome | None:
        """Give the run back to the crew, which looks anew, and go on with it; `say` is a note to the crew."""
        now = self._alive()
        if now.state not in {"taken_over", "running"}:
            raise UsageProblem(f"Run {self.run_id} was not taken over; continue with: deskcrew resume {self.run_id}")
        if self._goes_on_there(now, "handback", {"say": self._checked(say)}):
            return None
        return self._worked(listener=listener, approver=approver, stop=stop)

    def _goes_on_there(self, now: RunStatus, kind: str, body: dict[str, Any]) -> bool:
        """Whether the process that holds the run goes on with it when it is asked to."""
        if now.state == "running" and now.holder is not None:
            raise LeaseHeld(f"Run {self.run_id} is {now.reason}; stop it there first.")
        if now.holder is None and kind == "resume":
            return False
        number = self._send(kind, body)
        return now.holder is not None and self._until(lambda: self._is_taken(number))

    def _worked(self, **given: Any) -> Outcome:
        from orchestrator.runs import runs

        return runs.resume(self.run_id, runs_dir=self.folder.parent, parts=self._parts, **given)

    def _answered_there(self, answer: Mapping[str, Any]) -> str:
        """Give the answer to the process that works the run and waits for one, as at a prompt in another terminal.

        Gives the name of what was asked; an empty one where no process waits.
        """
        if self.standing().state != RUNNING:
            return ""
        from orchestrator.control.requests import still_open
        from orchestrator.runs.answers import tell_outside

        if not (waiting := still_open(self.folder)):
            return ""
        decision = {"who": self._who, **answer["decisions"][0], "digest": waiting[0].request.digest}
        tell_outside(self.folder, waiting[0], {"decisions": [decision]}, decision["who"])
        return waiting[0].id

    def _is_let_go_unheard(self, asking: str) -> bool:
        """Whether whoever works the run ended before it heard the answer: it came to answer itself, and was second."""
        from orchestrator.control.requests import asked_of

        def is_heard() -> bool:
            return any(one.id == asking and one.heard for one in asked_of(self.folder))

        self._until(lambda: is_heard() or self.standing().holder is None)
        now = self.standing()
        return now.holder is None and not now.ended and not is_heard()

    def _alive(self) -> RunStatus:
        now = self.standing()
        if now.ended:
            raise UsageProblem(f"Run {self.run_id} is finished ({now.state}); see it with: deskcrew show {self.run_id}")
        return now

    def _send(self, kind: str, body: dict[str, Any]) -> int:
        with closing(Channel(self.folder)) as channel:
            return channel.send(kind, body, self._who)

    def _after(self, number: int) -> RunStatus:
        """How the run stands once the request was taken in and whoever works it holds still, or after waiting long enough."""
        if self._heard(number):
            self._until(lambda: standing(self.folder, {}).state != RUNNING)
        return self.standing()

    def _heard(self, number: int) -> bool:
        """Whether the request was taken in, or nobody is there who could; waits for it."""
        return self._until(lambda: self._is_taken(number) or standing(self.folder, {}).holder is None)

    def _is_taken(self, number: int) -> bool:
        with closing(Channel(self.folder)) as channel:
            return channel.is_taken(number)

    def _until(self, holds: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + self._wait
        while not holds():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_AGAIN)
        return True

    def _checked(self, words: str) -> str:
        if len(words) > _WORDS:
            raise UsageProblem(f"The text has {len(words)} characters; the limit is {_WORDS}.")
        from orchestrator.runs.privacy.secrets import said_to

        return said_to(self.folder, words)

    def _later(self, what: str) -> ControlResult:
        now = self.standing()
        whom = told(now.holder) if now.holder is not None else "the crew"
        return self._told(now.state, f"{whom} is busy, and {what} before the next action")

    def _told(self, state: str, said: str) -> ControlResult:
        ways = (f"deskcrew {way.format(self.run_id)}" for way in _NEXT.get(state, ("show {}",)))
        return ControlResult(run_id=self.run_id, state=state, said=said, next=tuple(ways))


_NEXT: dict[str, tuple[str, ...]] = {
    "taken_over": ("takeover {} --do 'click \"Save\"'", "handback {}", "cancel {}"),
    **dict.fromkeys(("paused", "on_hold", "interrupted"), ("resume {}", "cancel {}")),
    "running": ("show {}", "pause {}"),
}
"""What can be typed next, by how the run stands."""


def _whom(to: str) -> str:
    return "the crew" if to == "crew" else f"the {to.capitalize()}"


class LocalRuns:
    """The runs of a folder of this machine."""

    warning = ""
    leaving = "stop at once"

    def __init__(self, runs_dir: Path | None = None) -> None:
        self._given = runs_dir
        self.folder = runs_dir or RUNS

    @property
    def option(self) -> str:
        return "" if self.folder == RUNS else f" --runs-dir {shlex.quote(str(self.folder))}"

    def list(self) -> list[folders.RunInfo]:
        return folders.list_runs(self.folder)

    def run(self, run_id: str, *, who: str = "", wait: float = 20.0, secrets: Mapping[str, str] | None = None) -> RunControl:
        parts = None if secrets is None else {"secrets": secrets}
        return RunControl(run_id, runs_dir=self.folder, who=who, wait=wait, parts=parts)

    def loaded(
        self, target: str | None, config: Sequence[Path], overrides: Sequence[str], display: str | None = None
    ) -> tuple[Task | str | None, LoadedSettings]:
        """What is to be done, and the settings under which it is."""
        from orchestrator.settings.layers import override_lines
        from orchestrator.settings.settings import load_settings
        from orchestrator.tasks.tasks import Task, resolve_target

        found = None if target is None else resolve_target(target)
        places = {"display": display, "runs_dir": self._given}
        more = override_lines({key: value for key, value in places.items() if value is not None})
        return found, load_settings(config, [*overrides, *more], found.layer() if isinstance(found, Task) else None)

    def order(
        self, target: str | None, config: Sequence[Path], overrides: Sequence[str], plan: Path | None, display: str | None
    ) -> LocalOrder:
        found, loaded = self.loaded(target, config, overrides, display)
        if found is None:
            raise UsageProblem('No goal is given; state one in words (deskcrew run "Open ...") or name a task file.')
        return LocalOrder(found, loaded, plan)

    def left(self, run_id: str) -> str:
        return "stopped; what was done is kept" + (f"; continue with: deskcrew resume {run_id}{self.option}" if run_id else "")

    def close(self) -> None:
        """Nothing is open."""


class LocalOrder:
    """A run that can be started on this machine."""

    def __init__(self, target: Task | str, loaded: LoadedSettings, plan: Path | None) -> None:
        from orchestrator.tasks.plans import read_plan

        self._target, self._loaded = target, loaded
        self._plan = read_plan(plan) if plan else None
        self.runs = LocalRuns(loaded.settings.runs_dir)
        self.display = loaded.settings.display
        self.secrets = () if isinstance(target, str) else target.secrets

    def start(
        self, secrets: Mapping[str, str], listener: Listener | None, approver: Approver | None, stop: Stop | None
    ) -> Outcome:
        from orchestrator.runs import runs

        parts = {"secrets": secrets}
        return runs.start(
            self._loaded, self._target, plan=self._plan, parts=parts, listener=listener, approver=approver, stop=stop
        )

    def plan(self) -> ShownPlan | str:
        from orchestrator.tasks.plans import plan_goal

        return plan_goal(self._loaded, self._target)
