"""The Operator's state, and its first four stages: prepare, observe, recognise, interpret. Source: seed 000.

What is big (screens, elements, interpretations) lives in untracked channels: it is there while the step runs and never
in a checkpoint. Lists hold short references and are bounded by the steps of one delegation; the trace is the journal's.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, get_args

from langgraph.channels import UntrackedValue
from pydantic import ValidationError
from typing_extensions import TypedDict

from environments.contract import EnvironmentFault, EnvironmentType, type_of
from protocol import Action, CallApi, GUIElement, JsonObject, VisualState
from roles.contracts import Fact, Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Delegation, WorkerState
from roles.contracts.requests import ElementRef, Pending, parsed
from roles.contracts.signals import Signal
from roles.journal.actions import action_key
from roles.journal.events import JournalEvent, ObservedEvent, RecognizedEvent
from roles.knowledge.library import look_up_ahead
from roles.safety import Constraints, SafetyPolicy
from roles.safety.destinations import looks
from roles.safety.policy import problem_in

FINALIZE = "finalize_interaction_report"
"""The node that the Operator ends in, and the Technician."""
EXECUTE = "execute_action"
DECIDED = frozenset({FINALIZE, EXECUTE})
"""Routes on which nothing is left to look at or to decide: the stages in between are passed by."""


class ObservationRef(TypedDict, total=False):
    """A screen, by its id."""

    state_id: str
    app: str | None
    timestamp: float
    step: int


class RecognizedElement(TypedDict, total=False):
    """What the state says of an element; the whole of it is in the observation."""

    element_id: str
    role: str | None
    text: str | None
    value: str
    required: bool
    invalid: bool
    confidence: float


class Meaning(TypedDict):
    """What an element means for the task."""

    element_id: str
    meaning: str
    confidence: float
    affordances: list[str]


class PlannedAction(TypedDict, total=False):
    """One entry of a plan (seed 000), or what comes after it, in words."""

    type: str
    target: str | None
    value: Any
    rationale: str
    expected: str
    risk: str | None
    title: str


class ScreenEvent(TypedDict, total=False):
    """What a step showed."""

    step: int
    kind: str
    text: str


class OperatorInput(WorkerState, total=False):
    """A stand-alone call gives seed 000's inputs; the hub gives `delegation`."""

    input: str
    task_goal: str
    environment_type: str
    safety_policy: JsonObject
    initial_observation: Annotated[JsonObject, UntrackedValue]
    max_steps: int
    max_recovery_attempts: int


class OperatorState(OperatorInput, total=False):
    """Everything between two nodes."""

    current_observation: Annotated[ObservationRef | None, UntrackedValue]
    feedback_observation: Annotated[ObservationRef | None, UntrackedValue]
    recognized_elements: Annotated[list[RecognizedElement], UntrackedValue]
    element_interpretations: Annotated[list[Meaning], UntrackedValue]
    observations: list[ObservationRef]
    task_context: JsonObject
    action_plan: list[PlannedAction]
    action_result: JsonObject | None
    """`ActionResult`, as JSON."""
    environment_events: list[ScreenEvent]
    safety_findings: list[JsonObject]
    step_count: int
    recovery_attempts: int
    interaction_report: JsonObject | None


ALONE = "task"
"""The subtask id of an Operator that works without a hub."""
_AFFORDANCES = {
    **{key: ["fill", "type"] for key in ("textbox", "searchbox")},
    **{key: ["click"] for key in ("checkbox", "radio", "button", "link", "tab", "row", "menuitem")},
    "combobox": ["select_option"],
}
_WORD = re.compile(r"[^\W_]{3,}")
WRITTEN = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "switch"})
_VALUES, _LONG = 12, 120
_KEPT = 16
"""Interpretations kept per screen: those nearest to the task."""


def prepare_interaction_task(state: State, ctx: Context) -> Update:
    """Validate what was given, set every counter, and say where to start: at the screen, or at a held action."""
    fresh: Update = {
        "observations": [],
        "action_plan": [],
        "action_trace": [],
        "environment_events": [],
        "safety_findings": [],
        "errors": [],
        "pending_action": None,
        "action_result": None,
        "needs_approval": False,
        "step_count": 0,
        "recovery_attempts": 0,
        "max_steps": state.get("max_steps", ctx.limits.max_steps),
        "max_recovery_attempts": state.get("max_recovery_attempts", ctx.limits.max_recovery_attempts),
        "interaction_status": "ready",
        "interaction_report": None,
        "report": None,
    }
    if state.get("delegation"):
        subtask = subtask_of(state)
        look_up_ahead(ctx, subtask.instruction, subtask.app, role="operator", subtask=subtask.id)
        return fresh | _delegated(state["delegation"], ctx)
    ctx.journal.begin()
    return fresh | _alone(state, ctx)


def _delegated(delegation: Delegation, ctx: Context) -> Update:
    carry = delegation.get("carry") or {}
    context = {"memory": carry.get("memory", {}), "retries": carry.get("retries", 0), "since": delegation.get("since_gate", 0)}
    batch = carry.get("batch") if delegation.get("held") else None
    told = {"message": delegation.get("message"), "batch_stopped": carry.get("not_done"), "batch": batch}
    context |= {name: words for name, words in told.items() if words}
    update: Update = {
        "task_goal": delegation["subtask"]["instruction"],
        "environment_type": type_of(ctx.environment),
        "input": delegation["goal"],
        "task_context": context,
        "action_plan": [{"title": title} for title in carry.get("plan", ())],
        "interaction_status": "running",
        "route": "observe_environment",
    }
    held = delegation.get("held")
    if held:
        return update | {"pending_action": Pending.model_validate(held).but(held=True).dump(), "route": "review_action_safety"}
    if delegation.get("continued"):
        step = int(delegation["step"])
        ctx.line.passing(Signal.NOTHING_HELD, step=step, key=f"nothing/{delegation['subtask']['id']}/{step}")
    return update


def _alone(state: State, ctx: Context) -> Update:
    problems = []
    goal = str(state.get("task_goal") or state.get("input") or "").strip()
    if not goal:
        problems.append("task_goal is missing: say what should be achieved")
    if not state.get("initial_observation"):
        problems.append("initial_observation is missing: give the first screen as VisualState JSON")
    else:
        try:
            VisualState.model_validate(state["initial_observation"])
        except ValidationError as bad:
            problems.append(problem_in(bad, "initial_observation"))
    unusable: Update = {}
    for name, model in (("safety_policy", SafetyPolicy), ("constraints", Constraints)):
        try:
            model.model_validate(state.get(name) or {})
        except ValidationError as bad:
            problems.append(problem_in(bad, name))
            unusable[name] = {}
    surface = state.get("environment_type")
    if surface is not None and surface not in get_args(EnvironmentType):
        problems.append(f"environment_type: there is no {surface!r}; it is one of {', '.join(get_args(EnvironmentType))}")
    for name, least in (("max_steps", 1), ("max_recovery_attempts", 0)):
        given = state.get(name, least)
        if isinstance(given, bool) or not isinstance(given, int) or given < least:
            problems.append(f"{name}: {given!r} is not a whole number of at least {least}")
            unusable[name] = least
    if problems:
        failed = {"interaction_status": "failed", "errors": problems, "task_context": {}, "route": FINALIZE}
        return failed | unusable
    return {
        "task_goal": goal,
        "environment_type": state.get("environment_type") or type_of(ctx.environment),
        "task_context": {"memory": {}, "retries": 0, "since": 0},
        "interaction_status": "running",
        "route": "observe_environment",
    }


def observe_environment(state: State, ctx: Context) -> Update:
    """Take the initial observation first, the environment's latest afterwards. A broken adapter is an error, not an end."""
    step = step_of(state)
    try:
        if state.get("initial_observation") and not state["observations"]:
            seen = VisualState.model_validate(state["initial_observation"])
        else:
            seen = ctx.environment.observe()
    except EnvironmentFault as fault:
        return adapter_error(state, ctx.journal.masked(f"the environment could not be observed: {fault}"))
    return look(state, ctx, seen, step)


def look(state: State, ctx: Context, seen: VisualState, step: int) -> Update:
    """Store one observation and keep a reference to it."""
    state_id = ctx.journal.screens.keep(seen)
    if ctx.gallery is not None:
        ctx.gallery.keep(seen, "steps", role="operator", subtask=subtask_id(state), step=step)
    ref: ObservationRef = {"state_id": state_id, "app": seen.app, "timestamp": seen.timestamp, "step": step}
    observed = ObservedEvent(state_id=state_id, app=seen.app, timestamp=seen.timestamp, step=step, elements=len(seen.elements))
    record(state, ctx, observed, step=step, key=f"observed/{attempt_key(state)}/{step}/{state_id}")
    return {"current_observation": ref, "observations": [*state["observations"], ref][-state["max_steps"] :], "route": ""}


def recognize_elements(state: State, ctx: Context) -> Update:
    """Structured elements with confidence, from the recogniser."""
    if state.get("route") in DECIDED:
        return {"recognized_elements": []}
    elements = ctx.recognizer.recognize(_whole_screen(state, ctx))
    sure = [e for e in elements if e.confidence >= ctx.limits.min_confidence]
    if unsure := len(elements) - len(sure):  # that all of a screen was recognised need not be said of each
        recognized = RecognizedEvent(elements=len(elements), unsure=unsure)
        record(state, ctx, recognized, key=f"recognized/{attempt_key(state)}/{step_of(state)}")
    return {"recognized_elements": [_brief(e) for e in sure]}


def _brief(element: GUIElement) -> RecognizedElement:
    brief: RecognizedElement = {"element_id": element.element_id, "role": element.role, "text": element.text}
    if element.value is not None:
        brief["value"] = element.value
    if element.required or element.invalid:
        brief["required"], brief["invalid"] = element.required, element.invalid
    brief["confidence"] = element.confidence
    return brief


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def interpret_context(state: State, ctx: Context) -> Update:
    """What the recognised elements mean for this task: their affordances, and how near their words are to it."""
    if state.get("route") in DECIDED:
        return {"element_interpretations": []}
    wanted = _words(state["task_goal"])
    scored = []
    for element in state["recognized_elements"]:
        overlap = len(_words(f"{element.get('text') or ''} {element.get('value') or ''}") & wanted)
        if overlap or element.get("required") or element.get("invalid") or element.get("role") in {"dialog", "alert"}:
            scored.append((overlap, element))
    scored.sort(key=lambda pair: -pair[0])
    meanings = [
        {
            "element_id": e["element_id"],
            "meaning": f"{e.get('role') or 'element'} {e.get('text') or ''}".strip(),
            "confidence": e.get("confidence", 1.0),
            "affordances": _AFFORDANCES.get(e.get("role") or "", []),
        }
        for _, e in scored[:_KEPT]
    ]
    seen = _whole_screen(state, ctx)
    context = state["task_context"] | told_by_screen(state, seen, ctx.journal.facts())
    return {"element_interpretations": meanings, "task_context": context}


def told_by_screen(state: State, seen: VisualState, facts: Sequence[Fact]) -> JsonObject:
    """What is needed to act here: where this is, what could be entered, into which fields, and what is taken for granted."""
    shown = state["recognized_elements"]
    fields = [{k: e[k] for k in ("element_id", "text", "value", "invalid") if k in e} for e in shown if e["role"] in WRITTEN]
    values = {fact.name: fact.value[:_LONG] for fact in facts[-_VALUES:] if "\n" not in fact.value}
    modal = seen.by_id.get(seen.modal or "")
    wanted = subtask_of(state).app
    assumed = []
    if unsure := len(seen.elements) - len(shown):
        assumed.append(f"{unsure} elements that were not recognised, or not surely, do not matter")
    if wanted and seen.app and wanted != seen.app:
        assumed.append(f"{wanted} is to be worked, and {seen.app} is in front")
    page = {"app": seen.app, "dialog": modal.name if modal is not None else "", "loading": seen.loading}
    return {"page": page, "values": values, "fields": fields[:_VALUES], "assumptions": assumed}


def titles(state: State) -> tuple[str, ...]:
    """The plan in words, of the actions and of what comes after them."""
    return tuple(item["title"] for item in state["action_plan"] if "title" in item)


def current_screen(state: State, ctx: Context) -> VisualState:
    """The observed screen, narrowed to what was recognised on it."""
    seen = _whole_screen(state, ctx)
    elements = state.get("recognized_elements")
    if elements is None:  # these are in no checkpoint
        elements = [_brief(e) for e in ctx.recognizer.recognize(seen) if e.confidence >= ctx.limits.min_confidence]
    if len(elements) != len(seen.elements):
        kept = {e["element_id"] for e in elements}
        narrowed = seen.model_copy(update={"elements": tuple(e for e in seen.elements if e.element_id in kept)})
        narrowed.__dict__["state_id"] = seen.state_id
        return narrowed
    return seen


def _whole_screen(state: State, ctx: Context) -> VisualState:
    """The VisualState that `current_observation` refers to; looks anew after a resume, when there is none."""
    ref = state.get("current_observation")
    seen = ctx.journal.screens.get(ref["state_id"]) if ref else None
    if seen is None:
        seen = ctx.environment.observe()
        ctx.journal.screens.keep(seen)
    return seen


def ended(state: State, signal: Signal, status: str, summary: str, **more: Any) -> Update:
    """Stop this delegation with a signal for the hub; `more` is what its report says beside that."""
    report = {"signal": signal.value, "summary": summary, "evidence": [summary], **more}
    errors = [*state.get("errors", ()), summary][-20:] if status == "failed" else state.get("errors", [])
    held = more.get("held_action")
    return {"interaction_status": status, "report": report, "errors": errors, "pending_action": held, "route": FINALIZE}


def adapter_error(state: State, message: str) -> Update:
    """Stop in an orderly way: nothing that was seen or done before is lost."""
    pending = {"pending_action": state.get("pending_action")}
    return ended(state, Signal.CANNOT_EXECUTE, "failed", message) | pending


def record(state: State, ctx: Context, event: JournalEvent, *, step: int | None = None, key: str, role: str = "operator") -> None:
    """Write down an event of the subtask that is worked, at the step that is worked where no other is named."""
    step = step_of(state) if step is None else step
    ctx.journal.record(event, role=role, subtask=subtask_id(state), step=step, key=key)


def subtask_of(state: State) -> Subtask:
    delegation = state.get("delegation")
    if delegation:
        return parsed(Subtask, delegation["subtask"])
    return Subtask(id=ALONE, title=state["task_goal"][:80], instruction=state["task_goal"], app=None)


def subtask_id(state: State) -> str:
    return state["delegation"]["subtask"]["id"] if state.get("delegation") else ALONE


def attempt_of(state: State) -> int:
    return int(state["delegation"]["subtask"].get("attempt", 0)) if state.get("delegation") else 0


def attempt_key(state: State) -> str:
    return f"{subtask_id(state)}/{attempt_of(state)}"


def key_of(state: State, ctx: Context, step: int) -> str:
    """The key of the action at this step."""
    return action_key(ctx.journal.run_key, subtask_id(state), attempt_of(state), step)


def step_of(state: State) -> int:
    """The run-wide number of the step that is being worked."""
    base = int(state["delegation"]["step"]) if state.get("delegation") else 0
    return base + len(state["action_trace"]) + 1


def reads(action: Action) -> bool:
    """Whether it only keeps, asks, tells or reads: nothing that a check of the work has to wait for."""
    return action.inner or (isinstance(action, CallApi) and looks(action.function))


def element_ref(element: GUIElement | None) -> ElementRef | None:
    if element is None:
        return None
    return {"element_id": element.element_id, "role": element.role, "text": element.text, "app": element.app}


_UNCONSTRAINED: JsonObject = {}


def safety_of(state: State, ctx: Context) -> SafetyPolicy:
    """The context's policy, or the one a stand-alone call gave, under the constraints of the task and of the answers so far."""
    constraints = state.get("constraints") or _UNCONSTRAINED
    if state.get("delegation"):
        known = parsed(Constraints, constraints) == ctx.constraints
        return ctx.safety if known else ctx.safety.constrained(constraints)
    given = state.get("safety_policy")
    policy = SafetyPolicy.model_validate(given) if given else ctx.safety
    return policy.constrained(constraints) if constraints else policy
