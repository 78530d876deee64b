"""A model's JSON as an Operator's decision, held against what there is: unknown names are refused with the nearest known ones.

Read are the flat form of `schemas.py`, decisions in full, OmniMCP's LLMResponse and UFO's answers.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from rapidfuzz import fuzz, process

from protocol import (
    Action,
    ActionTarget,
    AgentStatus,
    Answer,
    CallApi,
    ExecStatus,
    LaunchApp,
    Memorize,
    NextAction,
    OperatorDecision,
    TargetError,
    VisualState,
    parse_action,
    resolve,
)
from protocol.dialects import Context as Reading
from protocol.dialects import DialectError
from protocol.dialects.desktop.ufo import decision_of
from protocol.dsl import DSLError, parse_line
from roles.contracts import Fact, OperatorView
from roles.policies.adaptive import NOT_ASKED
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import AIMED, STATUSES, fields_of, needs, verbs_of, verbs_told
from roles.policies.llm.subtask_words import part
from roles.safety.destinations import looks
from roles.safety.privacy.vault import is_reference
from roles.screen.calls import GRAVE_EVENTS
from roles.skills.arguments import problem_with

_UFO = frozenset({"ControlLabel", "ControlText", "Function"})
"""Fields of UFO's answers, as it writes them; `function` in small letters is a field of ours."""
_WHOLE = frozenset(OperatorDecision.model_fields) - {"memory", "then"}
_NONE = frozenset({"", "none", "null"})
_FACT = "fact:"
_FILLED = frozenset({"text", "arguments", "request", "url", "option", "options", "question", "value"})
"""What of an action may have the value of a fact in it."""
_NOTES = 3_000
_NEAREST = 5
Grounding = Callable[[str, VisualState], ActionTarget | None]
"""Finds the place of a thing that is described in words and that no element carries."""


def nowhere(described: str, seen: VisualState) -> ActionTarget | None:
    """Where nobody looks at pictures."""
    return None


ENDING = frozenset({"memorize", "answer", "call_api"})
"""That these worked is known without a look at the screen, so that the end may be said with them."""
LAST = "last"
"""In the memory: the actions of this decision are the last ones, and why."""
_NOT_THE_END = (
    "FINISH may come with memorize, answer and call_api, and with nothing else: "
    "do the rest with CONTINUE, and FINISH once the screen shows that it is done"
)


def needs_no_model(view: OperatorView) -> OperatorDecision | None:
    """What a model need not be asked about: the way to an application that is not on the screen, as the first step of a subtask,
    and the end, where just that has worked with which the last decision was to finish."""
    known = {app.app for app in view.apps}
    hands = not view.verbs or "launch_app" in view.verbs
    if view.app in known and view.seen.app != view.app and hands and not (view.history or view.host_message):
        why, action = f"{view.app} is not on the screen", LaunchApp(app=str(view.app))
        return OperatorDecision(reasoning=why, action=action, status=AgentStatus.CONTINUE, memory=view.memory)
    last = view.history[-1] if view.history else None
    interrupted = bool(view.host_message) and NOT_ASKED not in view.host_message  # a check by code has nothing to say
    stopped = interrupted or any(event.startswith(("batch:", *GRAVE_EVENTS)) for event in view.events)
    worked = last is not None and last.action["action_type"] in ENDING and last.exec_status is ExecStatus.EXECUTED
    said = str(view.memory.get(LAST) or "") if worked and not stopped else ""
    return OperatorDecision(reasoning=said, status=AgentStatus.FINISH) if said else None


def pointed(target: ActionTarget, seen: VisualState) -> ActionTarget:
    """A target that is a place, with every locator of the element that lies there; a place with none stays one.

    Raises UnusableReply for a place that is not on the screen.
    """
    at = target.point
    wide, high = at.image_size if at is not None and at.image_size else (0, 0)
    if at is not None and at.space == "image" and not (0 <= at.x < wide and 0 <= at.y < high):
        raise UnusableReply(f"the point {at.x:g}, {at.y:g} is not on the screen, whose picture is {wide} by {high}")
    try:
        there = resolve(target, seen)
        known = ActionTarget.of(seen.by_id[there.element_id]).model_copy(update={"point": target.point})
        return known if resolve(known, seen).element_id == there.element_id else target
    except KeyError:
        return target
    except TargetError as bad:
        if bad.candidates:
            return target
        raise UnusableReply(str(bad)) from None


def read_decision(data: Mapping[str, Any], view: OperatorView, batch: int = 1, ground: Grounding = nowhere) -> OperatorDecision:
    """The decision; actions that follow count only where `batch` allows several. Raises UnusableReply or ValidationError."""
    several = data.get("actions")
    several = [several] if isinstance(several, Mapping) else several
    if isinstance(several, list):
        first, *rest = several or [{}]
        data = {**data, **(first if isinstance(first, Mapping) else {"action": first}), "then": rest}
    decision = _ufo(data, view) if _UFO & data.keys() else OperatorDecision.model_validate(_whole(data, view))
    if decision.status is AgentStatus.ERROR and AgentStatus.ERROR not in (data.get("status"), data.get("Status")):
        raise UnusableReply(decision.comment or f"the status is missing; it is one of {', '.join(STATUSES)}")
    action: Action | None = decision.action
    if decision.status is AgentStatus.FAIL:  # nothing is done with it: what was to be told to the user is why
        said = action.text if isinstance(action, Answer) else ""
        decision = decision.model_copy(update={"comment": decision.comment or said})
    elif action is not None:
        action = _checked(action, view, ground)
    finishes, decision = decision.status is AgentStatus.FINISH, decision.in_order()
    if batch > 1 and decision.status is AgentStatus.CONTINUE and data.get("then"):
        decision = decision.model_copy(update={"then": _following(data["then"], _once_done(action, view), batch - 1, ground)})
    notes = data.get("notes")
    kept = part(str(notes), _NOTES, "keep notes shorter") if notes else view.memory.get("notes")
    memory: dict[str, Any] = {"notes": kept} if kept is not None else {}
    actions = [step for step in (action, *(following.action for following in decision.then)) if step is not None]
    ends = bool(actions) and {step.verb for step in actions} <= ENDING
    if finishes and data.get("then") and (batch == 1 or action is None or not ends):
        raise UnusableReply(_NOT_THE_END)
    reads = [at for at, step in enumerate(actions) if isinstance(step, CallApi) and looks(step.function)]
    behind = actions[reads[-1] + 1 :] if reads else actions  # what is read to the end, or told or kept unseen, is no end
    if finishes and ends and behind and (not reads or all(isinstance(step, CallApi) for step in behind)):
        memory[LAST] = decision.comment or decision.reasoning or "the subtask is done"
    return decision.model_copy(update={"action": action, "memory": memory})


def _following(said: Any, view: OperatorView, most: int, ground: Grounding) -> tuple[NextAction, ...]:
    """The actions that are to follow, each as carefully read as the first. Raises UnusableReply or ValidationError."""
    if not isinstance(said, list) or not all(isinstance(item, Mapping) for item in said):
        raise UnusableReply('"actions" is a list of objects, each with "action", "target" and what else it takes')
    if len(said) > most:
        raise UnusableReply(f'"actions" holds {len(said) + 1}; {most + 1} are the most')
    steps = []
    for item in said:
        body = _whole({**item, "status": "CONTINUE"}, view).get("action")
        if body is None or body.get("action_type") in {"finish_goal", "fail_goal"}:
            raise UnusableReply('each entry of "actions" needs an action; the end of a subtask is an answer of its own')
        checked = parse_action(_checked(parse_action(body), view, ground).dump())
        steps.append(NextAction(action=checked, expected=str(item.get("expected") or "")))
        view = _once_done(checked, view)
    return tuple(steps)


def _once_done(action: Action | None, view: OperatorView) -> OperatorView:
    """The view with what the action keeps, which those behind it in the same answer may name."""
    kept = (Fact(name=action.name, value=action.value),) if isinstance(action, Memorize) else ()
    return view.model_copy(update={"facts": (*view.facts, *kept)})


def _ufo(data: Mapping[str, Any], view: OperatorView) -> OperatorDecision:
    try:
        decision = decision_of(dict(data), Reading(state=view.seen))
    except DialectError as bad:
        raise UnusableReply(str(bad)) from None
    action = parse_action(_with_facts(decision.action.dump(), view)) if decision.action is not None else None
    return decision.model_copy(update={"action": action})


def _whole(data: Mapping[str, Any], view: OperatorView) -> dict[str, Any]:
    """The fields of a decision; what a model says beyond them does not count."""
    said = {key: value for key, value in data.items() if key in _WHOLE and value is not None}
    if isinstance(said.get("plan"), str):
        said["plan"] = [said["plan"]]
    if "reasoning" not in said and "thought" in data:
        said["reasoning"] = data["thought"]
    action = data.get("action")
    if isinstance(action, Mapping):
        body = dict(action)
        if isinstance(body.get("target"), str | int):
            body["target"] = _named(str(body["target"]), view)
        said["action"] = _with_facts(body | _called(str(body.get("action_type")), body, view), view)
    elif isinstance(action, str) and action.strip().casefold() not in _NONE:
        said["action"] = _flat(action.strip(), data, view)
    elif said.get("status") == "SCREENSHOT" and isinstance(data.get("marks"), list):
        said["action"] = {"action_type": "screenshot", "marks": [_id(mark) for mark in data["marks"]]}
    else:
        said.pop("action", None)
    if said.get("status") == "PENDING" and "action" not in said:
        question = str(data.get("question") or data.get("comment") or said.get("reasoning") or "")
        said["action"] = {"action_type": "ask_user", "question": question or "What should be done here?"}
    if "status" not in said and "is_goal_complete" in data and said.get("action") is not None:
        said["status"] = "FINISH" if data["is_goal_complete"] is True else "CONTINUE"  # LLMResponse, which has no status
    return said


def _called(verb: str, data: Mapping[str, Any], view: OperatorView) -> dict[str, Any]:
    """A call with app and function apart, as `files.create_folder` and `create_folder` mean it; empty for another action.

    What the call lacks is said at once: a step that fails would cost as much as the answer. Raises UnusableReply.
    """
    function = str(data.get("function") or "" if verb == "call_api" else verb).strip().casefold()
    if "call_api" not in verbs_of(view) or not function or (verb != "call_api" and verb in verbs_of(view)):
        return {}
    said = str(data.get("app") or "").strip()
    app = next((one.app for one in view.apps if said.casefold() in {one.app.casefold(), one.title.casefold()}), said)
    there = [s for s in view.skills if s.kind not in {"gui", "agent"} and (not app or s.app == app)]
    fits = [s for s in there if function in {s.name.casefold(), s.called.casefold()}]
    mine = [s for s in fits if s.app == view.app] if len(fits) > 1 else fits
    if len(mine) == 1:
        given = data.get("arguments") or {}
        with suppress(ValueError, RecursionError):
            given = json.loads(given) if isinstance(given, str) else given
        if isinstance(given, Mapping) and (unfit := problem_with(mine[0].arguments, _valued(given, view))):
            raise UnusableReply(f"{mine[0].called}: {unfit}")
        return {"app": mine[0].app, "function": mine[0].name, "arguments": given}
    if fits:
        raise UnusableReply(f"several applications have {function}: {', '.join(s.called for s in fits)}; say which by app")
    if verb == "call_api" and there:
        raise UnusableReply(_no_such("function", function, [s.called for s in there]))
    return {"app": app or view.app} if verb == "call_api" else {}


def _flat(verb: str, data: Mapping[str, Any], view: OperatorView) -> dict[str, Any]:
    """`action: click, target: e4` as an action; a line of the DSL is one, too."""
    if called := _called(verb, data, view):
        verb, data = "call_api", {**data, **called}
    if verb not in verbs_of(view):
        try:
            return _with_facts(dict(parse_line(verb).dump()), view)
        except DSLError:
            raise UnusableReply(_no_such("action", verb, verbs_of(view))) from None
    if lacks := [name for name in needs(verb) if data.get(name) is None]:
        raise UnusableReply(f"{verb} needs a {lacks[0]}: {verbs_told([verb])}")
    body: dict[str, Any] = {"action_type": verb}
    for name in fields_of(verb):
        value = data.get(name)
        if value is not None and value != "":
            body[name] = value
    target = data.get("target")
    if verb in AIMED and target not in (None, ""):
        body["target"] = dict(target) if isinstance(target, Mapping) else _named(str(target), view)
    return _canonical(verb, body, view)


def _canonical(verb: str, body: dict[str, Any], view: OperatorView) -> dict[str, Any]:
    """The few fields that the flat form names otherwise than the protocol does."""
    match verb:
        case "select_option":
            body["options"] = [str(body.pop("option", ""))]
        case "switch_window":
            body["window"] = body.pop("app", "")
        case "press_key":
            body["keys"] = str(body.pop("keys", ""))
        case "scroll":
            body = {"direction": "down", "unit": "page"} | body
        case "drag":
            body["to"] = _named(str(body.get("to", "")), view)
        case "fill" | "type" | "answer":
            body["text"] = str(body.get("text", ""))
        case "memorize" if not isinstance(body.get("value"), list):
            body["value"] = str(body.get("value", ""))
        case _:
            pass
    return _with_facts(body, view)


def _with_facts(body: dict[str, Any], view: OperatorView) -> dict[str, Any]:
    """The action with the values of facts wherever it names them; a list that is kept has a line for each."""
    if isinstance(several := body.get("value"), list):
        body = body | {"value": "\n".join(map(str, several))}
    told = tuple(fact for fact in view.facts if not fact.private or is_reference(fact.value))
    open_ = view.model_copy(update={"facts": told})  # what is kept under another name is private no more
    return {key: _valued(said, open_ if key == "value" else view) if key in _FILLED else said for key, said in body.items()}


def _valued(said: Any, view: OperatorView) -> Any:
    """`fact:NAME` as the fact's value, exactly and wherever it stands; a private one is used so without ever being read.

    The longest name that fits is meant. Raises UnusableReply where none does and nobody but the model has said the words.
    """
    if isinstance(said, Mapping):
        return {key: _valued(value, view) for key, value in said.items()}
    if isinstance(said, list | tuple):
        return [_valued(value, view) for value in said]
    if not isinstance(said, str) or _FACT not in said:
        return said
    values = {fact.name.casefold(): fact.value for fact in view.facts}
    if said.startswith(_FACT) and (whole := said.removeprefix(_FACT).strip().casefold()) in values:
        return values[whole]
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    given = f"{view.user_request}\n{view.subtask.instruction}"

    def value(match: re.Match[str]) -> str:
        if match["name"] is not None:
            return values[match["name"].casefold()]
        if match[0] in given:
            return match[0]
        raise UnusableReply(_no_such("fact", match["word"], [fact.name for fact in view.facts]))

    named = rf"(?i:(?P<name>{names}))(?!\w)" if names else "(?P<name>(?!))"
    return re.sub(rf"(?<!\w){_FACT}(?:{named}|(?P<word>\S+))", value, said)


def _named(target: str, view: OperatorView) -> dict[str, Any]:
    """An element by its id, with or without the sign before it, or else by its words."""
    name = _id(target)
    if name in view.seen.by_id:
        return {"element_id": name}
    return {"text": target.strip()}


def _id(target: object) -> str:
    return str(target).strip().strip("[]()").removeprefix("#").strip()


def _checked(action: Action, view: OperatorView, ground: Grounding) -> Action:
    """The action with a target that is on this screen. Raises UnusableReply with what is near."""
    verbs = verbs_of(view)
    if action.verb not in verbs and action.verb not in {"finish_goal", "fail_goal"}:
        raise UnusableReply(_no_such("action", action.verb, verbs))
    known = [app.app for app in view.apps]
    if known and action.verb == "call_api":
        known += [skill.app for skill in view.skills if skill.outside]
    app = getattr(action, "app", None)
    if known and isinstance(app, str) and app not in known:
        raise UnusableReply(_no_such("app", app, known))
    update: dict[str, Any] = {}
    for name in ("target", "to"):
        target = getattr(action, name, None)
        if isinstance(target, ActionTarget):
            update[name] = _found(target, view.seen, ground)
    return parse_action(action.model_copy(update=update).dump()) if update else action


def _found(target: ActionTarget, seen: VisualState, ground: Grounding) -> ActionTarget:
    """The same target with every locator that its element offers; where no element is meant, the place that `ground` finds."""
    if target.point is not None and target.element_id is None and target.text is None:
        return pointed(target, seen)
    try:
        return ActionTarget.of(seen.by_id[resolve(target, seen).element_id])
    except (TargetError, KeyError) as bad:
        several = isinstance(bad, TargetError) and bad.candidates
        if target.text and not several and (place := ground(target.text, seen)) is not None:
            return place
        near = nearest(target.describe(), {e.element_id: e.name for e in seen.elements if e.visible and e.name})
        listed = "; ".join(f"{i} {seen.by_id[i].role or 'element'} {seen.by_id[i].name[:40]!r}" for i in near)
        raise UnusableReply(f"{bad}. Name the element by its id. Nearest are: {listed or 'none'}") from None


def nearest(word: str, named: Mapping[str, str]) -> list[str]:
    """The keys whose names are nearest to a word."""
    return [key for _, _, key in process.extract(word, named, scorer=fuzz.WRatio, limit=_NEAREST)]


def _no_such(what: str, name: str, known: Iterable[str]) -> str:
    near = nearest(name, {one: one for one in known})
    return f"there is no {what} {name[:60]!r}; nearest are {', '.join(near) or 'none'}"
