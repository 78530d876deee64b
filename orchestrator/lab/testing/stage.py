"""Where a test's crew works: its folder, its desktop, its script, and the runs that came of them."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from textwrap import dedent
from typing import Any

from environments.contract import Environment
from environments.faults.faults import FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.crew import PARTS
from orchestrator.lab.testing.run import CrewRun
from orchestrator.lab.testing.script import BadScript, Script
from orchestrator.runs import runs
from orchestrator.runs.outcome import Approver, Outcome
from orchestrator.settings.build import make_environment
from orchestrator.settings.layers import override_lines
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task, resolve_target
from orchestrator.views.terminal.approval import decision
from protocol import ActionResult, VisualState, describe
from protocol.dsl import parse_line
from roles.contracts.requests import QuestionRequest, read_request


class Desk(SimulatedDesktop):
    """What the hand did before a run is how the run finds the desktop."""

    def __init__(self, world: str, seed: int = 0) -> None:
        """`world` is the name of a shipped world, or a path."""
        super().__init__(load_world(world), seed)
        self.origin, self.seed = world, seed
        self._by_hand = 0
        self._arranged = False

    def do(self, line: str) -> ActionResult:
        """One action by hand, in the words of the protocol's language: `click "Save"`, `open mail`."""
        action = parse_line(line)
        self._by_hand += 1
        result = self.perform(action, key=f"by-hand/{self._by_hand}")
        if not result.ok:
            raise AssertionError(f"by hand: {describe(action)}: {result.exec_status}: {result.error}")
        self._arranged = True
        return result

    def shows(self, words: str) -> bool:
        """Whether these words stand on the screen now, as a name or as a value."""
        wanted = words.casefold()
        return any(wanted in f"{e.text} {e.value or ''}".casefold() for e in self.observe().elements if e.visible)

    def reset(self, *, seed: int | None = None) -> VisualState:
        """A run begins with a reset, which leaves what was arranged by hand for it; the next one begins anew."""
        if self._arranged:
            self._arranged = False
            return self.observe()
        return super().reset(seed=seed)


Answer = str | Mapping[str, str] | Approver | None
"""What a person says: `approve`, `reject`, `reject: why` or other words; by glob of what is asked; or a function."""


class Stage:
    """One per test. Called with a goal, it works the goal and returns the run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.script = Script()
        self.desk: Desk | None = None
        self.runs: list[CrewRun] = []
        self._environments: list[Environment] = []
        self._given: dict[str, dict[str, Any]] = {}
        """The parts of each run, for whoever goes on with it."""

    def __repr__(self) -> str:
        return f"a crew with {len(self.runs)} runs"

    def world(self, world: str, seed: int = 0) -> Desk:
        """Sets the desktop of the following runs: a shipped world by name, a path, or YAML."""
        if "\n" in world or ":" in world:
            path = self._folder / f"world-{len(self._environments)}.yaml"
            path.write_text(dedent(world), encoding="utf-8")
            world = str(path)
        self.desk = Desk(world, seed)
        self._environments.append(self.desk)
        return self.desk

    def __call__(self, target: Task | str, *overrides: str, policies: str = "", answer: Answer = None, **parts: Any) -> CrewRun:
        """Work a goal in words, a task or the name of one. `overrides` are `limits.steps=20`, as after `-c`.

        `parts` are objects in place of what the settings build: `manager`, `operator`, `evaluator`, `sources`, `safety`.
        """
        if unknown := set(parts) - set(PARTS):
            raise BadScript(f"unknown part {sorted(unknown)[0]!r}; the parts are {', '.join(PARTS)}")
        found = target if isinstance(target, Task) else resolve_target(target)
        own: dict[str, Any] = {"runs_dir": str(self._folder / "runs"), "display": "none"}
        own |= {"policies": policies} if policies else {}
        own |= {"seed": self.desk.seed, "world": self.desk.origin} if self.desk else {}
        loaded = load_settings((), [*override_lines(own), *overrides], found.layer() if isinstance(found, Task) else None)
        settings, environment = loaded.settings, parts.get("environment")
        if environment is None and self.desk is not None:
            environment = FaultyEnvironment(self.desk, settings.faults, settings.seed) if settings.faults else self.desk
        elif environment is None:
            self._environments.append(environment := make_environment(settings))
        given = {**parts, "environment": environment, "around": self.script.for_a_run()}
        return self._kept(runs.start(loaded, found, approver=approver(answer), parts=given), given)

    def resume(self, run: CrewRun, answer: Answer = None) -> CrewRun:
        """Continue a run that waits."""
        given = self._given[run.folder.name]
        return self._kept(runs.resume(run.folder.name, runs_dir=run.folder.parent, approver=approver(answer), parts=given), given)

    def close(self) -> None:
        for environment in self._environments:
            environment.close()

    def _kept(self, outcome: Outcome, given: dict[str, Any]) -> CrewRun:
        self._given[outcome.run_id] = given
        run = CrewRun(outcome.folder, given["environment"])
        self.runs.append(run)
        if outcome.pending is None and (unused := self.script.unused()):
            raise BadScript(f"the run came to its end without what the test scripts: {'; '.join(unused)}")
        return run


def approver(answer: Answer) -> Approver | None:
    """What `answer` says as a function; a request that it does not cover stays unanswered, and the run waits."""
    if answer is None or callable(answer):
        return answer
    words: Mapping[str, str] = {"*": answer} if isinstance(answer, str) else answer

    def approve(body: dict[str, Any]) -> dict[str, Any] | None:
        request = read_request(body)
        what = str(request.about.args.get("question") or request.about.description).casefold()
        said = next((said for glob, said in words.items() if fnmatchcase(what, glob.casefold())), None)
        if said is None or (said == "approve" and isinstance(request, QuestionRequest)):
            return None
        kind, _, why = said.partition(":")
        decides = said == "approve" or kind == "reject"
        return decision(kind, message=why.strip()) if decides else decision("respond", message=said)

    return approve
