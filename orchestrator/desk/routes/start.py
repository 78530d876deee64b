"""Starting runs, and planning without a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from environments.files.wrong_data import did_you_mean
from orchestrator.desk import workers
from orchestrator.desk.auth import Caller, Operator, Viewer
from orchestrator.desk.desk import Desk, TheDesk
from orchestrator.desk.models import Body
from orchestrator.desk.workers import Begin
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import PolicyReport, report_presets
from orchestrator.settings.layers import Document, Source, checked, looks_like_path, override_layer, override_lines, shipped_names
from orchestrator.settings.role_settings import CrewSettings
from orchestrator.settings.settings import LoadedSettings, load_settings, refused_address
from orchestrator.tasks import shipped
from orchestrator.tasks.plans import PlanFile, plan_of, whole
from orchestrator.tasks.shipped import ShippedTask, ShippedWorld
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import Frozen, JsonObject
from roles.manager.plans import GivenPlan

router = APIRouter(prefix="/api", tags=["starting"])
_MAY_BE_SAID = (
    "policies", "world", "seed", "safety", "variation", "faults", "limits", "environment", "browser.url", "browser.resumes",
    "screenshots", "vision", "memory.blackboard", "knowledge.look_up",
    "knowledge.help", "knowledge.experience", "knowledge.demonstrations", "skills.prefer", "skills.when", "skills.forbid",
    "skills.shown", "skills.known", "skills.seconds",
)  # fmt: skip
"""Keys, each with all below it, that a run over HTTP may carry. No other: whatever names programs, files, addresses or
environment variables is the server's, and so is a setting that is new and that nobody has thought about."""
_OF_ROLES = (
    "policy", "vision", "pictures", "batch", "form", "tool", "verbs", "screen_tokens", "recent", "chain",
    "review", "ask_user", "final",
)  # fmt: skip
_OF_MODELS = (
    "name", "temperature", "max_tokens", "structure", "timeout", "deadline", "break_after", "break_seconds",
    "prices",
)  # fmt: skip
_NAMES = ("world", "policies", "safety", "safety.preset")
"""Keys that name something shipped; a path there would be one of the server's machine."""


def target_of(order: Begin) -> Task | str:
    """The task, or the goal in words. Raises UsageProblem."""
    if bool(order.goal.strip()) == bool(order.task):
        raise UsageProblem("Give either a goal in words or a task.")
    if isinstance(order.task, dict):
        task = checked(Task, order.task, lambda path: Source("the task"))
        _refuse_places(_leaves(task.layer().data), order.config)
        return task
    if not order.task:
        return order.goal
    names = shipped_names("tasks")
    if order.task not in names:
        raise UsageProblem(f"There is no task {order.task!r} here{did_you_mean(order.task, names)}")
    return resolve_target(order.task)


def loaded(order: Begin, target: Task | str) -> LoadedSettings:
    """The settings of the run: those of the server, of the task, and what was asked for. Raises UsageProblem."""
    for text in order.overrides:
        _refuse_places(_leaves(override_layer(text).data), order.config)
    fixed = override_lines({"runs_dir": order.runs_dir.resolve(), "display": "none"})
    return load_settings(order.config, [*order.overrides, *fixed], target.layer() if isinstance(target, Task) else None)


def plan_given(order: Begin) -> PlanFile | None:
    """The plan that came with it. Raises UsageProblem."""
    if order.plan is None:
        return None
    name = f"the plan of {order.who}" if order.who else "the plan"
    given = checked(GivenPlan, order.plan, lambda path: Source(f"{name}, {'.'.join(map(str, path))}" if path else name))
    return plan_of(whole(given, Document({}, {}, name)), name)


def said_over(overrides: JsonObject | tuple[str, ...]) -> tuple[str, ...]:
    """Settings as the command line has them."""
    return overrides if isinstance(overrides, tuple) else tuple(override_lines(overrides))


def _leaves(data: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{at}.{key}" if at else str(key))
    else:
        yield at, data
        for item in data if isinstance(data, list | tuple) else ():
            if isinstance(item, Mapping | list | tuple):
                yield from _leaves(item, at)


def _refuse_places(leaves: Iterable[tuple[str, Any]], config: Sequence[Path]) -> None:
    """Raises UsageProblem for what would reach into the server's machine."""
    for key, value in leaves:
        if not _may_be_said(key):
            raise UsageProblem(f"{key} is unknown or reserved for the server; set it where the server is started.")
        if key in _NAMES and isinstance(value, str) and looks_like_path(value):
            raise UsageProblem(f"{key}: {value[:100]!r} is a path, and only shipped names are accepted.")
        if key == "environment" and ":" in str(value):
            raise UsageProblem(f"environment: {str(value)[:100]!r} is a class, and only installed names are accepted.")
        if key == "browser.url" and (why := refused_address(str(value), load_settings(config).settings.browser)):
            raise UsageProblem(f"browser.url: {why}; browser.allowed_hosts is set where the server starts.")


def _may_be_said(key: str) -> bool:
    top, *rest = key.split(".")
    if top != "crew":
        return any(key == known or key.startswith(f"{known}.") for known in _MAY_BE_SAID)
    inner = rest[1:] if rest and rest[0] in CrewSettings.model_fields and rest[0] != "model" else rest
    inner = inner[1:] if inner[:1] == ["final"] and len(inner) > 1 else inner
    inner = inner[1:] if inner[:1] == ["chain"] and len(inner) > 1 else inner
    match inner:
        case ["model"]:
            return True
        case ["model", of_model, *_]:
            return of_model in _OF_MODELS
        case [of_role]:
            return of_role in _OF_ROLES
    return False


class PlanIn(Body):
    """What is to be planned, or worked."""

    goal: str = Field(default="", max_length=20_000)
    """In words. Either this or a task."""
    task: str | JsonObject = ""
    """The name of a shipped one, or all that a task file says."""
    world: str | None = None
    preset: str | None = None
    """Of policies: who decides."""
    seed: int | None = None
    overrides: JsonObject | tuple[str, ...] = ()
    """Settings otherwise: `{"limits.steps": 40}` or `["limits.steps=40"]`."""


class StartIn(PlanIn):
    """A run."""

    plan: JsonObject | None = None
    """Worked first, as `run --plan` has it."""
    review_plan: bool | None = None
    """Show every plan, and every replan, before it is worked."""
    secrets: dict[str, str] = Field(default_factory=dict, repr=False)
    """Private values by name; they go into the vault of the run and nowhere else."""


class StartedRun(Frozen):
    id: str


class PlanPreview(Frozen):
    """A plan that nobody has begun to work."""

    plan: dict[str, Any]
    apps: tuple[str, ...]
    """What the subtasks can be in."""
    about: tuple[str, ...]


@router.post("/runs", status_code=201)
def start(desk: TheDesk, visitor: Operator, wanted: StartIn) -> StartedRun:
    """Start a run, in a process of its own."""
    order = _order(desk, visitor, wanted, {"crew.manager.review": wanted.review_plan})
    order = order.model_copy(update={"plan": wanted.plan, "secrets": wanted.secrets})
    target = target_of(order)
    loaded(order, target)
    plan_given(order)
    return StartedRun(id=workers.begin(order))


@router.post("/plan")
def plan(desk: TheDesk, visitor: Operator, wanted: PlanIn) -> PlanPreview:
    """Plan a goal and work nothing."""
    from orchestrator.tasks.plans import plan_goal

    order = _order(desk, visitor, wanted)
    target = target_of(order)
    made = plan_goal(loaded(order, target), target)
    if isinstance(made, str):
        raise UsageProblem(f"There is no plan: {made}")
    apps = sorted({str(one["app"]) for one in made.data["subtasks"] if one.get("app")})
    return PlanPreview(plan=made.data, apps=tuple(apps), about=made.about)


def _order(desk: Desk, visitor: Caller, wanted: PlanIn, more: JsonObject | None = None) -> Begin:
    flags = {"world": wanted.world, "policies": wanted.preset, "seed": wanted.seed, **(more or {})}
    given = override_lines({key: value for key, value in flags.items() if value is not None})
    return Begin(
        runs_dir=desk.runs_dir.resolve(), goal=wanted.goal, task=wanted.task, config=desk.config,
        overrides=(*said_over(wanted.overrides), *given), who=visitor.name,
    )  # fmt: skip


class Tasks(Frozen):
    tasks: tuple[ShippedTask, ...]


class Worlds(Frozen):
    worlds: tuple[ShippedWorld, ...]


class Presets(Frozen):
    presets: tuple[PolicyReport, ...]


@router.get("/tasks")
def tasks(visitor: Viewer) -> Tasks:
    """What is shipped."""
    return Tasks(tasks=tuple(shipped.tasks()))


@router.get("/worlds")
def worlds(visitor: Viewer) -> Worlds:
    """What is shipped."""
    return Worlds(worlds=tuple(shipped.worlds()))


@router.get("/presets")
def presets(visitor: Viewer) -> Presets:
    """What is shipped, and what it lacks on this machine."""
    return Presets(presets=tuple(report_presets()))
