"""One episode of a task: reset, step by step, judged at the end. Gymnasium and the other faces stand on it."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from environments.contract import EnvironmentFault, FunctionInfo, NativeApi, Screenshots, Snapshots, Unavailable
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import make_environment
from orchestrator.tasks.changes import filled_text
from orchestrator.tasks.judge import Trial, Verdict, task_settings
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, answer_of, resolve_target
from protocol import Action, Answer, AskUser, FailGoal, FinishGoal, VisualState, parse_action
from protocol.dialects import Context, DialectError, dialect
from protocol.dsl import DSLError, emit, parse_line
from protocol.prompt_form import prompt_form

PARTIAL = 0.5
"""The most that an episode earns that was not done: by the share of the task's checkpoints that it reached."""


class Observation:
    """What is seen after a step: the screen, and what came of the step in one sentence. `text` is made when it is asked for."""

    def __init__(self, goal: str, screen: VisualState, result: str) -> None:
        self.goal = goal
        self.screen = screen
        self.result = result

    @cached_property
    def text(self) -> str:
        """The screen in the prompt form, one element a line, below what came of the step."""
        return f"{self.result}\n{prompt_form(self.screen)}" if self.result else prompt_form(self.screen)


class Turn(NamedTuple):
    """What a step gives, in the order that Gymnasium made usual."""

    observation: Observation
    reward: float
    """0 until the episode is over; then what it earned, from 0 to 1."""
    terminated: bool
    """The actor said that it is done, or that it cannot be."""
    truncated: bool
    """The steps are spent, or the environment cannot be worked any more."""
    info: dict[str, Any]
    """`status` as the environment has it; at the end `passed`, `clean` and `progress`."""


class _Count(NamedTuple):
    """What changes in an episode beside its world."""

    steps: int = 0
    questions: int = 0
    status: str = ""
    reason: str = ""
    answer: str = ""
    truncated: bool = False


class Episode:
    """A task's world, its goal and its judge.

    `task` is a Task, the name of a shipped one or a file; `vary` are axes of its world's variation (`language=de`), `settings`
    other settings as on the command line (`faults=[...]`); `steps` is the maximum number of steps, by default the task's own
    limit. A step is a line of the DSL, an action as JSON, an AgentAction, or a payload of `dialect`. There are no approvals or
    reviews. Raises UsageProblem for an unknown task or setting.
    """

    def __init__(
        self,
        task: Task | str,
        seed: int = 0,
        *,
        vary: Sequence[str] = (),
        settings: Sequence[str] = (),
        steps: int | None = None,
        dialect: str = "",
    ) -> None:
        found = resolve_target(task) if isinstance(task, str) else task
        if isinstance(found, str):
            raise UsageProblem(f"{task!r} is not a task; `deskcrew tasks` lists those that are shipped.")
        self.task = found
        self.seed = seed
        self.dialect = dialect
        loaded = task_settings(self.task, seed, vary, settings)
        self.limit = steps if steps is not None else loaded.limits.steps
        self._surface = make_environment(loaded)
        self.reset(seed)

    @property
    def goal(self) -> str:
        """The goal in words, with the values of this seed."""
        return self._trial.goal

    @property
    def over(self) -> bool:
        return bool(self._count.status) or self._count.truncated

    def reset(self, seed: int | None = None) -> Observation:
        """Start again; the same seed gives the same world and the same goal."""
        self.seed = self.seed if seed is None else seed
        screen = self._surface.reset(seed=self.seed)
        self._trial = Trial.begun(self.task, self._surface, self.seed)
        self._count = _Count()
        self._before = self.verdict().progress or 0.0
        return Observation(self.goal, screen, "")

    def step(self, action: str | Mapping[str, Any] | Action) -> Turn:
        """Perform one action. An unreadable or impossible action is reported in the observation, and still counts as a step.

        Raises UsageProblem if the episode is over.
        """
        if self.over:
            raise UsageProblem("The episode is over; reset it.")
        self._count = self._count._replace(steps=self._count.steps + 1)
        status, result = "unread", ""
        try:
            for meant in self._read(action):
                status, result = self._done(meant)
                if status not in ("executed", "answered"):
                    break
        except DSLError as bad:
            result = f"not understood: column {bad.column}: {bad.message}"
        except DialectError as bad:
            result = f"not understood: {bad}"
        except ValidationError as bad:
            first = bad.errors()[0]
            result = f"not understood: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        if self._count.steps >= self.limit and not self._count.status:
            self._count = self._count._replace(truncated=True)
        seen = Observation(self.goal, self._surface.observe(), result)
        if not self.over:
            return Turn(seen, 0.0, False, False, {"status": status})
        verdict = self.verdict()
        earned, whole = float(verdict.passed), 1 - self._before
        if not verdict.passed and verdict.progress is not None and whole > 0 and all(mine.passed for mine in verdict.minefields):
            earned = PARTIAL * max(0.0, verdict.progress - self._before) / whole
        info = {"status": status, "passed": verdict.passed, "clean": verdict.clean, "progress": verdict.progress}
        return Turn(seen, earned, bool(self._count.status), self._count.truncated, info)

    def look(self) -> Observation:
        """The current screen; not a step."""
        return Observation(self.goal, self._surface.observe(), "")

    def verdict(self) -> Verdict:
        """The judge's verdict on the current world."""
        count = self._count
        told = {"status": count.status, "reason": count.reason, "answer": count.answer, "questions": count.questions}
        return self._trial.verdict(self._surface, steps=count.steps - count.questions, **told)

    def oracle(self) -> list[str]:
        """The task's oracle with the values of this seed, and the line that ends it; empty if there is none."""
        if self.task.oracle is None:
            return []
        last = FinishGoal() if self.task.outcome == "fulfilled" else FailGoal(reason="it is not to be done")
        return [*(step.said for step in steps_of(self.task.oracle, self._trial.slots)), emit(last)]

    @property
    def steps(self) -> int:
        """The number of steps since the last reset."""
        return self._count.steps

    def screenshot(self) -> bytes:
        """The current screen as PNG. Raises UsageProblem if there are no pictures."""
        if not isinstance(self._surface, Screenshots):
            raise UsageProblem(f"{self._surface.name} gives no pictures.")
        return self._surface.screenshot()

    def functions(self) -> Sequence[FunctionInfo]:
        """The functions that the action `call_api` can call; empty if there are none."""
        return self._surface.functions() if isinstance(self._surface, NativeApi) else ()

    def snapshot(self) -> Any:
        """The current state, for `restore`; opaque, and valid for this episode only."""
        return (self._forkable().snapshot(), self._count)

    def restore(self, moment: Any) -> Observation:
        """Return to an earlier state of this episode."""
        world, self._count = moment
        return Observation(self.goal, self._forkable().restore(world), "")

    def fork(self) -> Self:
        """A second episode that continues from here, independent of this one."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._surface = self._forkable().fork()
        return other

    def close(self) -> None:
        self._surface.close()

    def _forkable(self) -> Snapshots:
        if not isinstance(self._surface, Snapshots):
            raise UsageProblem(f"{self._surface.name} cannot go back to a moment; episodes of the simulated desktop can.")
        return self._surface

    def _read(self, action: str | Mapping[str, Any] | Action) -> Sequence[Action]:
        if isinstance(action, Action):
            return (action,)
        if self.dialect:
            return dialect(self.dialect).read(action, Context(state=self._surface.observe())).actions
        return (parse_line(action) if isinstance(action, str) else parse_action(dict(action)),)

    def _done(self, action: Action) -> tuple[str, str]:
        match action:
            case FinishGoal() | FailGoal():
                ended = "fulfilled" if isinstance(action, FinishGoal) else "rejected"
                self._count = self._count._replace(status=ended, reason=_said(action))
                return "finished", ""
            case AskUser():
                self._count = self._count._replace(questions=self._count.questions + 1)
                answer = answer_of(self.task.user, action.question)
                said = None if answer is None else filled_text(answer, self._trial.slots)
                return "answered", "nobody answers" if said is None else f"the user answers: {said}"
            case Answer():
                self._count = self._count._replace(answer=_said(action))
                return "executed", ""
        return ("executed", "") if action.inner else self._performed(action)

    def _performed(self, action: Action) -> tuple[str, str]:
        try:
            result = self._surface.perform(action, key=f"episode-{self._count.steps}-{action.digest}")
        except Unavailable as gone:
            self._count = self._count._replace(truncated=True)
            return "fault", str(gone)
        except EnvironmentFault as fault:
            return "fault", str(fault)
        return result.exec_status.value, result.error or result.output


def _said(action: Action) -> str:
    return " ".join(str(value) for value in action.parameters.values())
