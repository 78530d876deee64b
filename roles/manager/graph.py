"""The Manager as a graph: it plans, or it fetches what a plan needs. Source: seed 002 (PLAN and SUPPLEMENT)."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic import ValidationError

from roles.context import Context, State, Update
from roles.contracts import PlanAnswer, PlanRequest, Report, Subtask, Supplement
from roles.nodes import Graph, node
from roles.plans import PlanError, validate_plan
from roles.signals import Signal, SubtaskStatus

_OPEN = {SubtaskStatus.READY, SubtaskStatus.PENDING}
_FOUND = 3
"""Supplements kept per source and query."""


class ManagerState(TypedDict, total=False):
    """`assignment` says what the hub wants: a plan (trigger, evidence, ...) or a supplement (query, app)."""

    goal: str
    assignment: dict[str, Any]
    report: dict[str, Any] | None
    plan_version: int


def build_manager(context: Context | None = None, *, checkpointer: Any = None) -> Graph:
    """`plan_subtasks` or `gather_supplement`, by `assignment["task"]`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ManagerState, context_schema=Context)
    graph.add_node("plan_subtasks", node(plan_subtasks, context))
    graph.add_node("gather_supplement", node(gather_supplement, context))
    graph.add_conditional_edges(START, _task, ["plan_subtasks", "gather_supplement"])
    graph.add_edge("plan_subtasks", END)
    graph.add_edge("gather_supplement", END)
    return graph.compile(checkpointer=checkpointer, name="manager")


def _task(state: ManagerState) -> str:
    return "gather_supplement" if (state.get("assignment") or {}).get("task") == "supplement" else "plan_subtasks"


def plan_subtasks(state: State, ctx: Context) -> Update:
    """Ask the policy for a plan, refuse one that is no DAG over known apps, and store the version that counts."""
    if ctx.manager is None:
        raise ValueError("the context of a Manager needs a manager policy")
    assignment = state.get("assignment") or {}
    known = ctx.journal.plan(state.get("plan_version") or 0)
    statuses = assignment.get("statuses") or {}
    plan = tuple(with_status(s, statuses) for s in known)
    request = PlanRequest(
        goal=state["goal"],
        apps=ctx.apps(),
        plan=plan,
        facts=ctx.journal.facts(),
        trigger=assignment.get("trigger", "task_open"),
        failed=assignment.get("failed"),
        evidence=tuple(assignment.get("evidence", ())),
        user_words=tuple(assignment.get("user_words", ())),
        supplements=ctx.journal.supplements(),
        refused=tuple(assignment.get("refused", ())),
        attempts=assignment.get("attempts", 1),
    )
    try:
        answer = ctx.manager.plan(request)
        merged = _merge(plan, answer, ctx) if answer.outcome == "planned" else plan
    except (PlanError, ValidationError) as bad:
        reason = str(bad) if isinstance(bad, PlanError) else f"the plan is not usable: {bad.errors()[0]['msg']}"
        return _report(ctx, Signal.PLAN_FAILED, reason)
    if answer.outcome == "nothing_left" and (open_ := [s.id for s in merged if s.status in _OPEN]):
        return _report(ctx, Signal.PLAN_FAILED, f"the policy says that nothing is left, but {open_[0]!r} is not fulfilled")
    if answer.outcome != "planned":
        return _report(ctx, Signal(answer.outcome), answer.reason, query=answer.query, app=answer.app)
    version = ctx.journal.save_plan(merged)
    shown = [s.model_dump(mode="json", exclude_defaults=True) | {"status": s.status.value} for s in merged]
    ctx.journal.record(
        "plan", {"subtasks": shown, "reason": answer.reason, "version": version}, role="manager", key=f"plan/{request.attempts}"
    )
    return _report(ctx, Signal.PLANNED, answer.reason or f"{len(merged)} subtasks") | {"plan_version": version}


def _merge(old: tuple[Subtask, ...], answer: PlanAnswer, ctx: Context) -> tuple[Subtask, ...]:
    """The new plan, with what is fulfilled or rejected kept exactly as it was."""
    ended = {s.id: s for s in old if s.status in {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}}
    fresh = [ended.get(s.id, s) for s in answer.subtasks]
    kept = {s.id for s in fresh}
    missing = [s for s in ended.values() if s.id not in kept]
    # What is replaced stays in sight as rejected: a policy must know what was tried before.
    replaced = [s.model_copy(update={"status": SubtaskStatus.REJECTED}) for s in old if s.status in _OPEN and s.id not in kept]
    merged = (*missing, *replaced, *fresh)
    validate_plan(merged, ctx.apps())
    rejected = {s.id for s in merged if s.status is SubtaskStatus.REJECTED}
    live = [s for s in merged if s.status not in {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}]
    for subtask in live:
        if lost := rejected & set(subtask.depends_on):
            raise PlanError(f"subtask {subtask.id!r} depends on {sorted(lost)[0]!r}, which was rejected")
    if not live:
        raise PlanError("the plan has no subtask that is still to be done")
    return merged


def with_status(subtask: Subtask, statuses: dict[str, Any]) -> Subtask:
    """`subtask` as it stands now: statuses live in the controller's state, the plan's text in the journal."""
    if subtask.id not in statuses:
        return subtask
    status, attempt = statuses[subtask.id]
    return subtask.model_copy(update={"status": SubtaskStatus(status), "attempt": attempt})


def gather_supplement(state: State, ctx: Context) -> Update:
    """Look the query up in every source and record what was found, with its source."""
    assignment = state["assignment"]
    query, app = assignment["query"], assignment.get("app")
    known = {(s.source, s.title) for s in ctx.journal.supplements()}
    found: list[Supplement] = []
    for source in ctx.sources:
        hits = source.search(query, app, _FOUND)
        found += [hit for hit in hits if (hit.source, hit.title) not in known]
    ctx.journal.supplied(query, found, subtask=assignment.get("failed") or "", key=f"supplement/{assignment.get('attempts', 0)}")
    if not found:
        return _report(ctx, Signal.NOTHING_FOUND, f"nothing was found for {query!r}")
    titles = ", ".join(f"{s.title} ({s.source})" for s in found)
    return _report(ctx, Signal.SUPPLIED, f"found for {query!r}: {titles}")


def _report(ctx: Context, signal: Signal, summary: str, **more: Any) -> Update:
    ctx.journal.commit()
    app = more.pop("app", None)
    report = Report(signal=signal, summary=summary, evidence=[summary] if summary else [], **more).model_dump(mode="json")
    return {"report": report | {"app": app}}
