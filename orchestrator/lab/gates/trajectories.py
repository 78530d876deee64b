"""Verified data: whole runs as rows with what each role was told and decided, and pairs of decisions at the same screen of which
one came to a better end. A row has all that is needed to repeat it, and is written only if it then earns its reward again.
"""

import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from orchestrator.control.requests import approving
from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.suite import EpisodeRow, EpisodeSpec, Examined, lines_of, outcome_of, read_all, settings_of, write_all
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.replay.courses import Ask, Choice, Course, Ending, Message, NothingRecorded, Told, asks, ending, no_more
from orchestrator.runs.runs import start
from orchestrator.settings.build import make_environment
from orchestrator.settings.layers import shipped
from orchestrator.settings.policies import Deciders
from orchestrator.settings.settings import LoadedSettings, load_settings
from orchestrator.tasks.check import task_named
from orchestrator.tasks.tasks import Task
from protocol import ActionTarget, AgentStatus, Click, Fill, Frozen, JsonObject, OperatorDecision, Type, Wait
from roles.contracts import PlanAnswer
from roles.journal.journal import Journal

TRAJECTORIES, PAIRS = "trajectories.jsonl", "pairs.jsonl"


class _Row(Frozen):
    """What is needed to begin the same run again."""

    task: JsonObject
    """The content of the task's file. Relative paths in it are meant beside the shipped tasks."""
    world: str
    seed: int
    settings: tuple[str, ...] = ()

    def _loaded(self, *more: str) -> tuple[Task, LoadedSettings]:
        task = Task.model_validate(self.task)
        layer = task.layer()._replace(base=shipped("tasks"))
        return task, load_settings(overrides=[f"seed={self.seed}", *self.settings, *more], task_layer=layer)

    def work(self, place: Path, parts: Mapping[str, Any]) -> Outcome:
        """The run, begun again."""
        task, loaded = self._loaded(f"runs_dir={place}")
        return start(loaded, task, approver=approving, parts=parts)

    def told(self) -> Told:
        """What models are told in it, whoever decides."""
        settings = self._loaded()[1].settings
        surface, journal = make_environment(settings), Journal(None, time.time)
        return Deciders(settings.crew, journal=journal, limits=settings.limits, environment=surface).told


class Trajectory(_Row):
    """A run from its beginning to its end. Its gates are the choices of the Evaluator."""

    kind: Literal["trajectory"] = "trajectory"
    choices: tuple[Choice, ...]
    ending: Ending
    reward: float
    """1 where the judge of the task passes it, and 0 otherwise; what the gates say does not count."""


class Pair(_Row):
    """Two decisions at the same request of the same run, each followed to its end by the policies of the settings."""

    kind: Literal["pair"] = "pair"
    role: str
    prompt: tuple[Message, ...]
    chosen: tuple[Message, ...]
    """The decision with the better end, as JSON."""
    rejected: tuple[Message, ...]
    before: tuple[Choice, ...]
    """Without their prompts, as those of both ways."""
    ways: tuple[tuple[Choice, ...], tuple[Choice, ...]]
    """From the decision to the end, of the chosen and of the rejected."""
    rewards: tuple[float, float]


_ANY: TypeAdapter[Trajectory | Pair] = TypeAdapter(Annotated[Trajectory | Pair, Field(discriminator="kind")])


def collect(spec: EpisodeSpec, place: Path, *, pairs: int, seed: int) -> Examined[Trajectory | Pair]:
    """Work an episode, take another decision at some of its requests, and keep what can be repeated."""
    said = task_named(spec.task).model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"oracle"})
    said |= {"plan": None} if not spec.given_plans else {}
    row = _Row(task=said, world=settings_of(spec).world, seed=spec.seed, settings=spec.settings)
    course = Course((), asks, row.told())
    outcome = outcome_of(spec, place, course.parts)
    came, found = ending(outcome), list[Trajectory | Pair]()
    found.append(Trajectory(**row.model_dump(), choices=tuple(course.choices), ending=came, reward=float(came.right)))
    rng = random.Random(f"{seed}:{spec.name}")  # noqa: S311 - variation, not secrecy
    asked = [number for number, choice in enumerate(course.choices) if choice.role in ("manager", "operator")]
    for number in sorted(rng.sample(asked, min(pairs, len(asked)))):
        found += _pair(row, course, number, came.right, rng)
    kept = [row for row in found if not difference(row)]
    return Examined(outcome, kept, len(found) - len(kept))


def _pair(row: _Row, course: Course, number: int, right: bool, rng: random.Random) -> Iterator[Pair]:
    """None where the other decision came to the same."""
    was = course.choices[number]
    came, other = course.otherwise(number, lambda role, request, ask: _another(was, request, ask, rng), row.work)
    if came.right != right:
        before, way = tuple(other.choices[:number]), tuple(other.choices[number:])
        own = tuple(choice.model_copy(update={"prompt": ()}) for choice in course.choices[number:])
        ways = (way, own) if came.right else (own, way)
        said = (json.dumps(one[0].decision, ensure_ascii=False) for one in ways)
        chosen, rejected = ((Message(role="assistant", content=one),) for one in said)
        told: JsonObject = {"role": was.role, "prompt": was.prompt, "chosen": chosen, "rejected": rejected}
        yield Pair(**row.model_dump(), **told, before=before, ways=ways, rewards=(1.0, 0.0))


def _another(was: Choice, request: Any, ask: Ask, rng: random.Random) -> Any:
    """What the policy decides when it is asked again, if that is something else; otherwise a plan with a subtask less, or one
    of: the subtask is done, nothing is done yet, another control is pressed, another text is written."""
    again = ask(request)
    if again.model_dump(mode="json", exclude_defaults=True, exclude={"memory"}) != was.decision:
        return again
    if isinstance(again, PlanAnswer):
        left = rng.randrange(len(again.subtasks)) if len(again.subtasks) > 1 else None
        return again.model_copy(update={"subtasks": tuple(one for n, one in enumerate(again.subtasks) if n != left)})
    shown = [element for element in request.seen.elements if element.name and element.enabled and element.visible]
    controls = [element for element in shown if element.role in ("button", "link", "tab", "checkbox", "menuitem", "radio")]
    actions: list[Any] = [Wait(seconds=0.1)]
    actions += [Click(target=ActionTarget(element_id=one.element_id)) for one in rng.sample(controls, min(2, len(controls)))]
    if isinstance(again.action, Fill | Type):
        actions.append(again.action.model_copy(update={"text": rng.choice(shown).name}))
    others = [OperatorDecision(status=AgentStatus.CONTINUE, action=action, memory=again.memory) for action in actions]
    return rng.choice([OperatorDecision(status=AgentStatus.FINISH, comment="done", is_goal_complete=True), *others])


def difference(row: Trajectory | Pair) -> str:
    """What is otherwise when a row is repeated, in one sentence; nothing where it earns its rewards again."""
    ways = zip(row.ways, row.rewards, strict=True) if isinstance(row, Pair) else [(row.choices, row.reward)]
    for way, reward in ways:
        choices = (*row.before, *way) if isinstance(row, Pair) else way
        try:
            course = Course(choices, no_more) if isinstance(row, Pair) else Course(choices, no_more, row.told())
            came = course.follow(row.work)
        except (NothingRecorded, ValidationError, UsageProblem) as bad:
            return f"it cannot be repeated: {bad}"
        if tuple(course.choices) != choices:
            return "it ends earlier, or a role is told something else"
        if float(came.right) != reward:
            return f"its reward is {float(came.right):g}, and the row says {reward:g}"
    if isinstance(row, Pair) and (row.rewards[0] <= row.rewards[1] or row.ways[0][0] == row.ways[1][0]):
        return "the rejected decision is not worse than the chosen one"
    return ""


def gathered(specs: Sequence[EpisodeSpec], folder: Path) -> list[Trajectory]:
    """The runs of these episodes. All rows stand in two files then."""
    for name, kind in ((TRAJECTORIES, Trajectory), (PAIRS, Pair)):
        write_all(folder / name, (row for row in lines_of(specs, folder, _ANY) if isinstance(row, kind)))
    return [row for row in read_rows(folder / TRAJECTORIES) if isinstance(row, Trajectory)]


def figures(runs: Sequence[Trajectory], episodes: Sequence[EpisodeRow]) -> JsonObject:
    """What the episodes gave in all, and how many steps an hour of a core gives."""
    steps, seconds = sum(run.ending.steps for run in runs), sum(one.core_seconds for one in episodes)
    return {
        "trajectories": len(runs), "right": sum(run.ending.right for run in runs),
        "pairs": sum(one.lines for one in episodes) - len(runs), "not_repeated": sum(one.dropped for one in episodes),
        "steps": steps, "steps_per_core_hour": round(3600 * steps / seconds) if seconds else None,
    }  # fmt: skip


def read_rows(path: Path) -> Iterator[Trajectory | Pair]:
    """Raises UsageProblem with the line where one is damaged."""
    if not path.is_file():
        raise UsageProblem(f"There is no file {path}; `deskcrew lab rollouts SUITE` writes {TRAJECTORIES} and {PAIRS}.")
    return read_all(path, _ANY)
