"""The crew as a Python object: as good as the command, from a config or from your own parts."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from orchestrator.core.controller import Threads, build_controller
from orchestrator.runs import runs
from orchestrator.runs.handle import RunControl
from orchestrator.runs.outcome import Approver, Outcome
from orchestrator.settings.build import build_context
from orchestrator.settings.settings import LoadedSettings, load_settings
from orchestrator.tasks.plans import plan_of, read_plan
from orchestrator.tasks.tasks import Task, resolve_target
from roles.contracts import Subtask
from roles.contracts.context import Context
from roles.contracts.nodes import Graph
from roles.contracts.policies import Granularity
from roles.journal.journal import Event

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

PARTS = (
    "environment", "manager", "operator", "evaluator", "analyst", "technician", "sandbox", "sources", "safety", "model",
    "secrets", "clock", "skills", "recognizer",
)  # fmt: skip


class Crew:
    """Works goals. One crew works one run at a time; create several crews for several runs.

    `parts` replaces parts built from the settings: `environment`, the policies of the five roles, the `sandbox` of the
    Technician, `secrets` (private values by name, `{name}` in a goal), `sources` of supplements, `safety` (a SafetyPolicy),
    `model` (a LangChain chat model for llm policies), the `clock` that dates events, the `recognizer` that selects the
    elements of a screen with their confidence, `skills` (LangChain tools that the Operator may use besides the desktop;
    their `metadata` may contain `risk` and `idempotence`).
    """

    def __init__(self, settings: LoadedSettings | None = None, **parts: Any) -> None:
        if unknown := set(parts) - set(PARTS):
            raise ValueError(f"unknown part {sorted(unknown)[0]!r}; the parts are {', '.join(PARTS)}")
        self.settings = settings or load_settings()
        self._parts = {name: part for name, part in parts.items() if part is not None}

    @classmethod
    def from_config(cls, *files: Path | str, overrides: Sequence[str] = (), **parts: Any) -> Self:
        """A crew from YAML files and `key=value` overrides, as on the command line."""
        return cls(load_settings([Path(file) for file in files], overrides), **parts)

    def run(
        self, target: Task | str, *, approver: Approver | None = None, plan: Path | str | Sequence[Subtask] | None = None
    ) -> Outcome:
        """Work a goal in words, a Task or a task file until it ends or waits for a person; by `plan`, if one is given.

        A task has its own world, limits and policies, as for the command; the crew's `overrides` take precedence.
        """
        given = None if plan is None else read_plan(Path(plan)) if isinstance(plan, Path | str) else plan_of(plan)
        work, settings = self._target(target)
        return runs.start(settings, work, approver=approver, parts=self._parts, plan=given)

    def resume(
        self,
        run_id: str,
        answer: Mapping[str, Any] | None = None,
        *,
        approver: Approver | None = None,
        overrides: Sequence[str] = (),
    ) -> Outcome:
        """Continue a run that waits or was stopped; with `overrides` (`limits.steps=240`) also one that spent a budget."""
        return runs.resume(
            run_id,
            runs_dir=self.settings.settings.runs_dir,
            answer=answer,
            approver=approver,
            parts=self._parts,
            overrides=overrides,
        )

    def control(self, run_id: str, who: str = "") -> RunControl:
        """Pause, cancel, steer, take over or hand back a run of this crew's folder, from any thread or process."""
        return RunControl(run_id, runs_dir=self.settings.settings.runs_dir, who=who, parts=self._parts)

    def stream(self, target: Task | str, *, approver: Approver | None = None) -> Iterator[Event | Outcome]:
        """Every event of the journal as it happens; the last item is the Outcome."""
        items: queue.SimpleQueue[Event | Outcome | BaseException] = queue.SimpleQueue()

        def work() -> None:
            try:
                goal, settings = self._target(target)
                items.put(runs.start(settings, goal, listener=items.put, approver=approver, parts=self._parts))
            except BaseException as bad:  # noqa: BLE001 - handed to the reader, who raises it
                items.put(bad)

        worker = threading.Thread(target=work, name="deskcrew-run", daemon=True)
        worker.start()
        while True:
            item = items.get()
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, Outcome):
                worker.join()
                return

    async def arun(self, target: Task | str, *, approver: Approver | None = None) -> Outcome:
        """`run` without blocking the event loop."""
        return await asyncio.to_thread(self.run, target, approver=approver)

    async def astream(self, target: Task | str, *, approver: Approver | None = None) -> AsyncIterator[Event | Outcome]:
        """`stream` without blocking the event loop."""
        events = self.stream(target, approver=approver)
        while (item := await asyncio.to_thread(next, events, None)) is not None:
            yield item

    def graph(
        self, checkpointer: Any = None, *, granularity: Granularity | None = None, store: Path | str | None = None
    ) -> Graph:
        """The controller as a plain LangGraph graph: `{"goal": ...}` in, `{"task_status": ..., "reason": ...}` out.

        Invoke it, stream it with `subgraphs=True`, draw it with `get_graph(xray=True)`, or add it as a node of your own
        graph, whose checkpointer it then uses. Approvals are interrupts. `granularity="fine"` makes each of the Operator's
        twelve stages a separate node, for watching or drawing; "coarse" runs the same stages at half the cost. Default: the
        setting `crew.operator.granularity`.

        Every thread has its own world, which exists as long as this process, or in a folder of `store`, from which another
        process with the same checkpointer continues. Taking a thread back to an earlier checkpoint is refused, since the
        actions in its world remain.
        """

        def context(folder: Path | None) -> Context:
            journal = None if folder is None else folder / "journal.sqlite"
            given = self._parts.get("environment")
            return build_context(self.settings.settings, journal_path=journal, environment=given, store=folder, parts=self._parts)

        threads = Threads(context, None if store is None else Path(store), single="environment" in self._parts)
        chosen = granularity or self.settings.settings.crew.operator.granularity
        return build_controller(threads, checkpointer=checkpointer, granularity=chosen)

    def as_tool(self, name: str = "work_the_desktop", approver: Approver | None = None) -> BaseTool:
        """The crew as a LangChain tool that takes a goal. Without an approver, a run that needs approval waits."""

        def work(goal: str) -> str:
            """Work the desktop's applications towards a goal given in plain words."""
            outcome = self.run(goal, approver=approver)
            answer = next((f["value"] for f in reversed(outcome.report["facts"]) if f["name"] == "answer"), "")
            return f"{outcome.status}: {answer or outcome.reason} (run {outcome.run_id})"

        from langchain_core.tools import StructuredTool

        return StructuredTool.from_function(work, name=name)

    def _target(self, target: Task | str) -> tuple[Task | str, LoadedSettings]:
        """What is to be worked, and under which settings: a task brings its own world, limits and policies."""
        found = target if isinstance(target, Task) else resolve_target(target)
        return found, self.settings.with_task(found.layer()) if isinstance(found, Task) else self.settings
