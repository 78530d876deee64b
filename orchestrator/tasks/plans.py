"""Plans as files: read one that a person wrote, and write one that can be read back."""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_context
from orchestrator.settings.layers import Document, checked, read_document
from orchestrator.settings.settings import LoadedSettings, located
from orchestrator.store.printable import clean
from orchestrator.tasks.judge import truth_of
from orchestrator.tasks.tasks import Task, fill_goal, fill_slots, fitting
from protocol import JsonObject
from roles.contracts import AppWords, Subtask
from roles.contracts.signals import Signal
from roles.manager.graph import build_manager
from roles.manager.plans import GivenPlan, PlanError, as_given, levels, validate_plan

WHAT = "plan"


class PlanFile(NamedTuple):
    """A plan that fits together, and where it stands."""

    subtasks: tuple[Subtask, ...]
    document: Document

    @property
    def name(self) -> str:
        return self.document.name

    def check(self, apps: Sequence[AppWords] = ()) -> None:
        """Refuse what is no DAG over these applications. Raises UsageProblem with file, line and key."""
        try:
            validate_plan(self.subtasks, apps)
        except PlanError as bad:
            raise UsageProblem(f"{self.document.where(('subtasks', *bad.at))}: {bad}.") from None


def read_given(path: Path) -> JsonObject:
    """A plan in place of one that was shown; it may wait for what has ended, so who asked checks that. Raises UsageProblem."""
    document = read_document(path, WHAT)
    return checked(GivenPlan, document.data, document.where).model_dump(mode="json", exclude_defaults=True)


def read_plan(path: Path) -> PlanFile:
    """The plan in a YAML or JSON file. Raises UsageProblem."""
    document = read_document(path, WHAT)
    found = PlanFile(whole(checked(GivenPlan, document.data, document.where), document), document)
    found.check()
    return found


def whole(given: GivenPlan, document: Document) -> tuple[Subtask, ...]:
    """The subtasks of a plan that stands in a document. Raises UsageProblem."""
    try:
        return given.whole()
    except PlanError as bad:
        raise UsageProblem(f"{document.where(('subtasks', *bad.at))}: {bad}.") from None


def plan_of(subtasks: Sequence[Subtask], name: str = WHAT) -> PlanFile:
    """A plan that comes from a program. Raises UsageProblem."""
    found = PlanFile(tuple(subtasks), Document({}, {}, name))
    if not subtasks:
        raise UsageProblem(f"{name}: there is no subtask in it.")
    found.check()
    return found


class ShownPlan(NamedTuple):
    """A plan to be printed, and what is said above it."""

    data: JsonObject
    about: tuple[str, ...] = ()


def shown_plan(subtasks: Sequence[Subtask], *about: str) -> ShownPlan:
    """The plan without what was replaced, and which of it is independent of each other."""
    given = as_given(subtasks)
    groups = levels({s.id: s.depends_on for s in given.subtasks})
    beside = [f"independent of each other: {', '.join(group)}" for group in groups if len(group) > 1]
    return ShownPlan(given.model_dump(mode="json", exclude_defaults=True), (*about, *beside))


def plan_text(data: Mapping[str, Any], *about: str) -> str:
    """YAML that `--plan` and `--edit` read; `about` are lines of comment above it."""
    comment = "".join(f"# {clean(line, 1_000)}\n" for text in about for line in text.splitlines())
    shown = {**data, "subtasks": [dict(subtask) for subtask in data.get("subtasks", ())]}
    for subtask in shown["subtasks"]:
        if steps := subtask.get("steps"):
            lined = [{key: _Line(value) if isinstance(value, dict) else value for key, value in step.items()} for step in steps]
            subtask["steps"] = lined
    plain = yaml.dump(shown, Dumper=_PlanDumper, sort_keys=False, allow_unicode=True, width=100)
    if any(unicodedata.category(char) == "Cf" for char in plain):  # would turn the writing direction of a terminal
        plain = yaml.dump(shown, Dumper=_PlanDumper, sort_keys=False, width=100)
    return comment + plain


class _Line(dict[str, Any]):
    """What a step is done with, on one line."""


class _PlanDumper(yaml.SafeDumper):
    """Writes steps as people do."""


_PlanDumper.add_representer(_Line, lambda dumper, step: dumper.represent_mapping("tag:yaml.org,2002:map", step, flow_style=True))


def plan_goal(settings: LoadedSettings, target: Task | str) -> ShownPlan | str:
    """The first plan that can be worked, or in words why there is none. Nobody is asked. Raises UsageProblem."""
    try:
        context = build_context(settings.settings).with_(review_plans=False, ask_user=False)
    except UsageProblem as bad:
        raise located(settings, bad) from None
    surface = context.environment
    try:
        surface.reset(seed=settings.settings.seed)
        goal = target if isinstance(target, str) else ""
        if isinstance(target, Task):
            goal = fill_goal(target, fill_slots(target, truth_of(surface), settings.settings.seed))
        goal = fitting(goal, settings.settings.limits)
        manager = build_manager(context)
        report: dict[str, Any] = {"signal": Signal.TASK_OPEN.value, "summary": ""}
        for attempts in range(1, settings.settings.limits.plans + 1):
            told = {"trigger": report["signal"], "evidence": [report["summary"]] if report["summary"] else []}
            assignment = {"task": "plan", "attempts": attempts, **told}
            made = manager.invoke({"goal": goal, "assignment": assignment})
            report = made["report"]
            if report["signal"] == Signal.PLANNED:
                part = ("the rest is planned when this is done",) if made["more"] else ()
                return shown_plan(context.journal.plan(made["plan_version"]), goal, *part)
            if report["signal"] in {Signal.INFEASIBLE, Signal.NOTHING_LEFT}:
                break
            if report["signal"] == Signal.SUPPLEMENT_NEEDED:
                wanted = {"task": "supplement", "attempts": attempts} | {key: report[key] for key in ("query", "app", "ask")}
                report = manager.invoke({"goal": goal, "assignment": wanted})["report"]
        return str(report["summary"])
    finally:
        surface.close()
        context.journal.close()
