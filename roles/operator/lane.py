"""An Operator beside others: it works a slice at a time, minds whose windows are whose, and goes on later as if without a break.

The stages know nothing of it. Each function here wraps one of them, and changes nothing where the delegation names no slice.
"""

from __future__ import annotations

from typing import Any

from protocol import Action, AskInAppAgent, CallApi, LaunchApp, SwitchWindow, TargetError, VisualState, parse_action, resolve
from roles.context import Context, State, Update
from roles.nodes import Stage
from roles.operator.perceive import current_screen
from roles.operator.state import FINALIZE
from roles.signals import Signal

_ANY = "*"
_EVENTS = 8
_SEEING = frozenset({"wait", "screenshot"})
_PAGES = frozenset({"navigate", "go_back", "go_forward", "tabs"})
_OWN = frozenset({"memory", "retries", "since", "touched", "waits_for", "page", "values", "fields", "assumptions"})
"""What of `task_context` has a way of its own from one delegation to the next, or ends with it."""


def resumed(prepare: Stage) -> Stage:
    """Go on with what was known at the end of the last slice."""

    def run(state: State, ctx: Context) -> Update:
        update = prepare(state, ctx)
        known = ((state.get("delegation") or {}).get("carry") or {}).get("slice")
        if not known:
            return update
        return update | {
            "task_context": update["task_context"] | known["context"] | {"done": known["done"]},
            "environment_events": known["events"],
            "recovery_attempts": known["recovery_attempts"],
            "max_steps": update["max_steps"] - known["done"],
        }

    return run


def minding_others(plan: Stage) -> Stage:
    """Do nothing in a window of another lane: the decision is given up, and made anew when the window is free."""

    def run(state: State, ctx: Context) -> Update:
        update = plan(state, ctx)
        delegation = state.get("delegation") or {}
        pending = update.get("pending_action")
        if "beside" not in delegation or not pending or update.get("route") == FINALIZE:
            return update
        app = app_of(parse_action(pending["action"]), current_screen(state, ctx), ctx)
        if app is None:
            return update
        locks: dict[str, str] = delegation.get("locks", {})
        holder = locks.get(app) or locks.get(_ANY)
        if holder is None:
            context: dict[str, Any] = update.get("task_context") or state["task_context"]
            return update | {"task_context": context | {"touched": sorted({*context.get("touched", ()), app})}}
        why = f"{app} is at work in the subtask {holder}"
        return _yielded(state, why) | {"task_context": state["task_context"] | {"waits_for": app}}

    return run


def yielding(decide: Stage) -> Stage:
    """Give the turn to the others after a slice, where nothing is left half done. A stall is told over all slices together."""

    def run(state: State, ctx: Context) -> Update:
        delegation = state.get("delegation") or {}
        if "base" not in delegation:
            return decide(state, ctx)
        update = decide({**state, "delegation": {**delegation, "step": delegation["base"]}}, ctx)
        most = delegation.get("slice")
        if most is None or update.get("route") != "observe_environment" or len(state["action_trace"]) < most:
            return update
        return update | _yielded(state, f"{most} action{'s' if most != 1 else ''} done; the others are next")

    return run


def handing_over(finalize: Stage) -> Stage:
    """What the hub has to know of the lane, and what the next slice goes on with."""

    def run(state: State, ctx: Context) -> Update:
        update = finalize(state, ctx)
        if "beside" not in (state.get("delegation") or {}):
            return update
        context = state["task_context"]
        carry = update["carry"] | {"touched": context.get("touched", []), "waits_for": context.get("waits_for", "")}
        if (update["report"] or {}).get("signal") == Signal.YIELDED:
            carry["slice"] = {
                "context": {key: value for key, value in context.items() if key not in _OWN},
                "events": state["environment_events"][-_EVENTS:],
                "recovery_attempts": state["recovery_attempts"],
                "done": int(context.get("done", 0)) + state["step_count"],
            }
        return update | {"carry": carry}

    return run


def _yielded(state: State, why: str) -> Update:
    report: dict[str, Any] = {"signal": Signal.YIELDED.value, "summary": why, "evidence": []}
    return {"interaction_status": "running", "report": report, "pending_action": None, "route": FINALIZE}


def app_of(action: Action, seen: VisualState, ctx: Context) -> str | None:
    """The app in whose window an action is done; None where it is done in none."""
    if action.inner or action.verb in _SEEING:
        return None
    match action:
        case LaunchApp(app=name) | CallApi(app=name) | AskInAppAgent(app=name):
            return _called(name, ctx)
        case SwitchWindow(window=name):
            return next((w.app for w in seen.windows if name in (w.window_id, w.title, w.app)), None) or _called(name, ctx)
    if action.verb in _PAGES:
        return "browser" if any(app.app == "browser" for app in ctx.apps()) else seen.app
    if action.target is None:
        return seen.app
    try:
        return seen.by_id[resolve(action.target, seen).element_id].app
    except (TargetError, KeyError):
        return None


def _called(name: str, ctx: Context) -> str:
    """An app by its name or its title."""
    said = name.strip().casefold()
    return next((a.app for a in ctx.apps() if said in (a.app.casefold(), a.title.casefold())), name)
