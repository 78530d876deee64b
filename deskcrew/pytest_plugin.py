"""The pytest plugin: fixtures that work a crew in a test, and on failure what the run did differently than when it last passed.

Loaded by its entry point in every pytest run, also of projects that have packages of our names: nothing of ours is imported
until a fixture is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from orchestrator.lab.testing.run import CrewRun
    from orchestrator.lab.testing.stage import Desk, Stage
    from protocol import Action, OperatorDecision
    from roles.contracts import PlanAnswer

_LONGEST = 60
"""Lines of a story that a failure shows where there is nothing to compare it with."""
_STAGE: pytest.StashKey[Any] = pytest.StashKey()


@pytest.fixture
def crew(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Stage, None, None]:
    """`crew("a goal in words")` works it and gives the run. Settings follow as `limits.steps=20`."""
    from deskcrew.shadowing import shadowed

    if found := shadowed():
        pytest.fail(found[0], pytrace=False)
    from orchestrator.lab.testing.stage import Stage

    (tmp_path / "crew").mkdir()
    stage = Stage(tmp_path / "crew")
    request.node.stash[_STAGE] = stage
    yield stage
    stage.close()


@pytest.fixture
def world(crew: Stage) -> Callable[..., Desk]:
    """`world("office", seed=3)`, or with YAML: the desktop on which the crew works, and a hand to arrange it."""
    return crew.world


@pytest.fixture
def script_gate(crew: Stage) -> Callable[..., None]:
    """`script_gate("gate_fail", at=2)`: the second gate of the run fails, whatever the Evaluator would have said."""

    def script(
        decision: str, at: int = 1, *, trigger: str | None = None, reason: str = "as written in the test", query: str = ""
    ) -> None:
        from orchestrator.lab.testing.script import gate_line

        crew.script.lines.append(gate_line(decision, at, trigger, reason, query))

    return script


@pytest.fixture
def script_plan(crew: Stage) -> Callable[..., None]:
    """`script_plan([{"id": "a", "instruction": "..."}])` or `script_plan("infeasible", at=2)`: the plan of that attempt."""

    def script(
        plan: str | PlanAnswer | Sequence[Mapping[str, Any]], at: int = 1, *, reason: str = "as written in the test"
    ) -> None:
        from orchestrator.lab.testing.script import plan_line

        crew.script.lines.append(plan_line(plan, at, reason))

    return script


@pytest.fixture
def script_action(crew: Stage) -> Callable[..., None]:
    """`script_action('click "Submit"', at=3)`: the Operator's third decision, of the run or of one subtask."""

    def script(action: str | Action | OperatorDecision, at: int = 1, *, subtask: str | None = None) -> None:
        from orchestrator.lab.testing.script import action_line

        crew.script.lines.append(action_line(action, at, subtask))

    return script


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that passes leaves the stories of its runs; one that fails is shown what is different."""
    report = yield
    stage = item.stash.get(_STAGE, None)
    if call.when == "call" and stage is not None and stage.runs:
        key = f"deskcrew/{hashlib.blake2b(item.nodeid.encode(), digest_size=12).hexdigest()}"
        cache = getattr(item.config, "cache", None)
        if report.passed and cache is not None:
            cache.set(key, [run.story for run in stage.runs])
        elif report.failed:
            then = cache.get(key, []) if cache is not None else []
            report.sections += [_section(number, run, then) for number, run in enumerate(stage.runs)]
    return report


def _section(number: int, run: CrewRun, then: Sequence[Sequence[str]]) -> tuple[str, str]:
    from orchestrator.lab.testing.script import difference

    head = f"crew run {number + 1}: {run.status}"
    where = f"goal    {run.record['goal']}\nfolder  {run.folder}\n"
    if number >= len(then):
        left_out = len(run.story) - _LONGEST
        more = [f"({left_out} lines before)"] if left_out > 0 else []
        return head, where + "\n".join([*more, *run.story[-_LONGEST:]])
    changed = difference(then[number], run.story)
    if not changed:
        return head, where + "the run was the same as when this test last passed"
    return head, f"{where}different from when this test last passed (- then, + now):\n{changed}"
