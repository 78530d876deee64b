"""Plan a goal and work nothing."""

from __future__ import annotations

from typing import Any

from environments.contract import WorldState
from orchestrator.build import build_context
from orchestrator.errors import UsageProblem
from orchestrator.plans import ShownPlan, shown_plan
from orchestrator.settings import Loaded, located
from orchestrator.tasks import Task, fill_goal, fill_slots, fitting
from roles.manager.graph import build_manager
from roles.signals import Signal

_LOOKS_UP = {Signal.SUPPLEMENT_NEEDED.value}
_NO_PLAN = {Signal.INFEASIBLE.value, Signal.NOTHING_LEFT.value}


def plan_goal(settings: Loaded, target: Task | str) -> ShownPlan | str:
    """The first plan that can be worked, or in words why there is none. Nobody is asked. Raises UsageProblem."""
    try:
        context = build_context(settings.settings).with_(review_plans=False, ask_user=False)
    except UsageProblem as bad:
        raise located(settings, bad) from None
    surface = context.environment
    try:
        surface.reset(seed=settings.settings.seed)
        goal = target if isinstance(target, str) else target.goal
        if isinstance(target, Task):
            initial = surface.world() if isinstance(surface, WorldState) else {}
            goal = fill_goal(target, fill_slots(target, initial, settings.settings.seed))
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
            if report["signal"] in _NO_PLAN:
                break
            if report["signal"] in _LOOKS_UP:
                wanted = {"task": "supplement", "attempts": attempts} | {key: report[key] for key in ("query", "app", "ask")}
                report = manager.invoke({"goal": goal, "assignment": wanted})["report"]
        return str(report["summary"])
    finally:
        surface.close()
        context.journal.close()
