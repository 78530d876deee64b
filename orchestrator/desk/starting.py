"""Starting runs, and planning without a run."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from orchestrator.desk import acting
from orchestrator.desk.acting_orders import Begin
from orchestrator.desk.auth import Operator, Visitor
from orchestrator.desk.desk import Desk, TheDesk
from orchestrator.desk.starting_orders import as_override, loaded, plan_given, target_of
from orchestrator.errors import UsageProblem
from protocol import Frozen

router = APIRouter(prefix="/api", tags=["starting"])


class PlanIn(Frozen):
    """What is to be planned, or worked."""

    goal: str = Field(default="", max_length=20_000)
    """In words. Either this or a task."""
    task: str | dict[str, Any] = ""
    """The name of a shipped one, or all that a task file says."""
    world: str | None = None
    preset: str | None = None
    """Of policies: who decides."""
    seed: int | None = None
    overrides: dict[str, Any] | tuple[str, ...] = ()
    """Settings otherwise: `{"limits.steps": 40}` or `["limits.steps=40"]`."""


class StartIn(PlanIn):
    """A run."""

    plan: dict[str, Any] | None = None
    """Worked first, as `run --plan` has it."""
    review_plan: bool | None = None
    """Show every plan, and every replan, before it is worked."""
    secrets: dict[str, str] = Field(default_factory=dict, repr=False)
    """Private values by name; they go into the vault of the run and nowhere else."""


class Started(Frozen):
    id: str


class Planned(Frozen):
    """A plan that nobody has begun to work."""

    plan: dict[str, Any]
    apps: tuple[str, ...]
    """What the subtasks can be in."""
    about: tuple[str, ...]


@router.post("/runs", status_code=201)
def start(desk: TheDesk, visitor: Operator, wanted: StartIn) -> Started:
    """Start a run, in a process of its own."""
    overrides = () if wanted.review_plan is None else (as_override("crew.manager.review", wanted.review_plan),)
    order = _order(desk, visitor, wanted, overrides).model_copy(update={"plan": wanted.plan, "secrets": wanted.secrets})
    target = target_of(order)
    loaded(order, target)
    plan_given(order)
    return Started(id=acting.begin(order))


@router.post("/plan")
def plan(desk: TheDesk, visitor: Operator, wanted: PlanIn) -> Planned:
    """Plan a goal and work nothing."""
    from orchestrator.planning import plan_goal

    order = _order(desk, visitor, wanted)
    target = target_of(order)
    made = plan_goal(loaded(order, target), target)
    if isinstance(made, str):
        raise UsageProblem(f"There is no plan: {made}")
    apps = sorted({str(one["app"]) for one in made.data["subtasks"] if one.get("app")})
    return Planned(plan=made.data, apps=tuple(apps), about=made.about)


def _order(desk: Desk, visitor: Visitor, wanted: PlanIn, more: tuple[str, ...] = ()) -> Begin:
    told = wanted.overrides
    overrides = [as_override(key, value) for key, value in told.items()] if isinstance(told, dict) else list(told)
    flags = {"world": wanted.world, "policies": wanted.preset, "seed": wanted.seed}
    overrides += [as_override(key, value) for key, value in flags.items() if value is not None]
    return Begin(
        runs_dir=desk.runs_dir.resolve(), goal=wanted.goal, task=wanted.task, config=desk.config,
        overrides=(*overrides, *more), who=visitor.name,
    )  # fmt: skip
