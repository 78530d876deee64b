"""OmniMCP's answers of a model: its `LLMActionPlan`, its `ActionDecision`, and seed 003's `LLMResponse` that replaces both.

An element is a whole number there. Where the state's own ids are others, the number counts its elements from 0.
What the model thought is no part of an action, but for an ending: there it is the summary, or the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from protocol.actions import AgentAction
from protocol.dialects.base import Context, Dialect, DialectError, Fields, Read, Written, build, cannot, json_in
from protocol.dialects.naming import Ledger
from protocol.dialects.omnimcp_parts import NAME, element, number, read_chord, thoughts, write_chord
from protocol.dialects.omnimcp_response import read_response, say_response
from protocol.verbs import Action, Click, FailGoal, FinishGoal, PressKey, Scroll, Type, Wait

STEPS = 3
"""Notches that OmniMCP scrolls where nobody has said how many."""
_PAUSE = 1.0
"""Seconds that a wait of a plan takes."""

_CLICKS = {("left", 1): "single", ("left", 2): "double", ("right", 1): "right"}
_MEANT = {said: meant for meant, said in _CLICKS.items()}
_WAYS = ("up", "down", "left", "right")
_TIMED = "only a time is waited for"
_ENDED = "a goal that is reached ends the run: nothing more is done"


def from_omnimcp(payload: Any, context: Context) -> Read:
    """The actions of an answer, of a list of answers, or of a text that holds one. The shape tells which answer it is.

    Raises DialectError.
    """
    DIALECT.variant(context)
    ledger = Ledger(NAME, context)
    if isinstance(payload, str):
        payload = json_in(NAME, payload)
    listed = isinstance(payload, list | tuple)
    answers = [(each, f"$[{n}]") for n, each in enumerate(payload)] if listed else [(payload, "$")]
    if not answers:
        raise DialectError(NAME, "$", "there is no answer")
    return Read([_read(answer, where, ledger) for answer, where in answers], ledger.losses)


def _read(answer: Any, where: str, ledger: Ledger) -> AgentAction:
    fields = Fields(NAME, answer, where)
    if "action_decision" in fields:
        fields.drop("screen_analysis")
        inner = Fields(NAME, fields.any("action_decision"), f"{where}.action_decision")
        fields.end()
        return _read_decision(inner, ledger)
    if "action_type" in fields:
        return _read_decision(fields, ledger)
    return read_response(fields, ledger) if isinstance(answer.get("action"), Mapping) else _read_plan(fields, ledger)


def _read_plan(fields: Fields, ledger: Ledger) -> AgentAction:
    reasoning = thoughts(fields, "reasoning")
    verb = fields.choice("action", ("click", "type", "scroll", "press_key", "wait"))
    if fields.flag("is_goal_complete", False):
        fields.drop("element_id", "text_to_type", "key_info")
        fields.end()
        return _finished(fields, verb, verb == "wait", reasoning, ledger)
    if verb == "scroll":
        fields.refuse("action", "a plan says in its reasoning only where it scrolls to, and prose is not guessed at")
    target = element(fields, "element_id", ledger.context)
    found: dict[str, Any] = {"target": target}
    if verb == "type":
        found["text"] = fields.text("text_to_type")
    elif verb == "press_key":
        found["keys"] = read_chord(fields, "key_info")
    if verb == "click" and target is None:
        fields.refuse("element_id", "is missing")
    fields.end()
    return build(NAME, fields.where, action_type=verb, **found)


def _finished(fields: Fields, verb: str, alone: bool, reasoning: str, ledger: Ledger) -> AgentAction:
    if not alone:
        ledger.lose(f"action {verb}", _ENDED)
    return build(NAME, fields.where, action_type="finish_goal", summary=reasoning)


def _read_decision(fields: Fields, ledger: Ledger) -> AgentAction:
    reasoning = thoughts(fields, "analysis_reasoning")
    verb = fields.choice("action_type", (*_READERS, "finish"))
    complete = fields.flag("is_goal_complete", False)
    parameters = Fields(NAME, fields.any("parameters", {}), f"{fields.where}.parameters")
    target = element(fields, "target_element_id", ledger.context)
    fields.end()
    if complete:
        return _finished(fields, verb, verb == "finish", reasoning, ledger)
    if verb == "finish":  # stuck, as OmniMCP tells its model
        parameters.end()
        return build(NAME, fields.where, action_type="fail_goal", reason=reasoning)
    if verb == "click" and target is None:
        fields.refuse("target_element_id", "is missing")
    found = _READERS[verb](parameters)
    parameters.end()
    return build(NAME, fields.where, **{"action_type": verb, "target": target, **found})


def _read_click(fields: Fields) -> dict[str, Any]:
    button, count = _MEANT[fields.choice("click_type", tuple(_MEANT), "single")]
    return {"button": button, "count": count}


def _read_scroll(fields: Fields) -> dict[str, Any]:
    if "scroll_direction" not in fields:
        fields.refuse("scroll_direction", "is missing, and prose is not guessed at")
    return {"direction": fields.choice("scroll_direction", _WAYS), "amount": fields.number("scroll_steps", STEPS)}


_READERS: dict[str, Callable[[Fields], dict[str, Any]]] = {
    "click": _read_click,
    "type": lambda fields: {"text": fields.text("text_to_type")},
    "scroll": _read_scroll,
    "press_key": lambda fields: {"keys": read_chord(fields, "key_info")},
    "wait": lambda fields: {"seconds": fields.number("wait_duration_s", _PAUSE)},
    "launch_app": lambda fields: {"app": fields.text("app_name")},
}
"""A decision's verbs; `launch_app` is of an older one."""


def to_omnimcp(action: Action, context: Context) -> Written:
    """The action as an answer in one of the three shapes, or as several. Raises DialectError."""
    variant, ledger = DIALECT.variant(context), Ledger(NAME, context)
    if variant == "response":
        said = say_response(action, ledger)
    else:
        clicks = _CLICKS if variant == "decision" else {("left", 1): "single"}
        write = _decision if variant == "decision" else _plan
        said = [answer for part in ledger.simpler(action, clicks, (Type,)) for answer in write(part, ledger)]
    return Written(said[0] if len(said) == 1 else said, ledger.losses)


def _aimed(action: Action, ledger: Ledger) -> int | None:
    if getattr(action, "modifiers", ()):
        cannot(NAME, action, "no keys are held meanwhile")
    return None if action.target is None else number(action.target, ledger)


def _plan(action: Action, ledger: Ledger) -> list[dict[str, Any]]:
    said: dict[str, Any] = {"reasoning": "", "action": action.verb, "is_goal_complete": False}
    said |= {"element_id": _aimed(action, ledger), "text_to_type": None, "key_info": None}
    match action:
        case Click():
            return [said]
        case Type(text=text):
            return [{**said, "text_to_type": text}]
        case PressKey():
            return [{**said, "key_info": write_chord(action, ledger)}]
        case Wait():
            ledger.drop(action, text=_TIMED, text_gone=_TIMED, seconds=f"a wait of a plan takes {_PAUSE:g} s")
            return [said]
        case FinishGoal(summary=summary):
            return [{**said, "action": "wait", "reasoning": summary, "is_goal_complete": True}]
        case Scroll():
            cannot(NAME, action, "a plan cannot say where to scroll to")
        case _:
            cannot(NAME, action)


def _decision(action: Action, ledger: Ledger) -> list[dict[str, Any]]:
    said: dict[str, Any] = {"analysis_reasoning": "", "action_type": action.verb, "target_element_id": _aimed(action, ledger)}
    said |= {"parameters": {}, "is_goal_complete": False}
    match action:
        case Click(button=button, count=count):
            kind = _CLICKS[button, count]
            return [{**said, "parameters": {} if kind == "single" else {"click_type": kind}}]
        case Type(text=text):
            return [{**said, "parameters": {"text_to_type": text}}]
        case PressKey():
            return [{**said, "parameters": {"key_info": write_chord(action, ledger)}}]
        case Wait(seconds=seconds):
            ledger.drop(action, text=_TIMED, text_gone=_TIMED)
            return [{**said, "parameters": {"wait_duration_s": seconds}}]
        case Scroll():
            strokes = ledger.strokes(action, "notch")
            return [{**said, "parameters": {"scroll_direction": way, "scroll_steps": steps}} for way, steps in strokes]
        case FinishGoal(summary=summary):
            return [{**said, "action_type": "finish", "analysis_reasoning": summary, "is_goal_complete": True}]
        case FailGoal(reason=reason):
            return [{**said, "action_type": "finish", "analysis_reasoning": reason}]
        case _:
            cannot(NAME, action)


DIALECT = Dialect(
    name=NAME,
    title="OmniMCP's answers of a model",
    kind="json",
    read=from_omnimcp,
    write=to_omnimcp,
    variants=("response", "plan", "decision"),
)
