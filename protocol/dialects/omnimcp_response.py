"""Seed 003's `LLMResponse`: reasoning, one action with a target and free parameters, and whether the goal is reached."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from protocol.actions import AgentAction
from protocol.dialects.base import DialectError, Fields, build, cannot, checked_number, place, without_delay
from protocol.dialects.naming import Ledger
from protocol.dialects.omnimcp_parts import NAME, element, number, number_of, read_chord, thoughts, write_chord
from protocol.geometry import BoundingBox, Region
from protocol.targets import ActionTarget
from protocol.verbs import Action, Fill, FinishGoal, PressKey, Scroll, Type, Wait

_PARAMETERS: dict[str, dict[str, str]] = {
    "click": {"button": "button", "count": "count", "modifiers": "modifiers", "hold": "hold"},
    "type": {"text_to_type": "text", "text": "text", "submit": "submit"},
    "scroll": {
        "direction": "direction", "amount": "amount", "dx": "dx", "dy": "dy", "unit": "unit", "modifiers": "modifiers",
        "scroll_direction": "direction", "scroll_steps": "amount",
    },
    "press_key": {"key_info": "keys", "key": "keys", "keys": "keys"},
    "wait": {
        "seconds": "seconds", "duration": "seconds", "wait_duration_s": "seconds", "text": "text", "text_gone": "text_gone",
    },
    "hover": {"modifiers": "modifiers"},
    "finish_goal": {"summary": "summary"},
}  # fmt: skip
"""The seed's verbs, and their parameters: as they are read, and what they are here. The seed itself leaves most names open."""

_TARGET = ("track_id", "element_id", "text", "bbox")


def read_response(fields: Fields, ledger: Ledger) -> AgentAction:
    """The action of a response; the goal is reached where it says so, and then nothing else is done."""
    reasoning = thoughts(fields, "reasoning")
    complete = fields.flag("is_goal_complete", None)
    inner = Fields(NAME, fields.any("action"), f"{fields.where}.action")
    fields.end()
    verb = inner.choice("action_type", tuple(_PARAMETERS))
    target = _read_target(inner.any("target", None), inner.where, ledger)
    given = _read_parameters(inner, verb)
    inner.end()
    if verb == "finish_goal" and complete is False:
        fields.refuse("is_goal_complete", "finish_goal says that the goal is reached, and this says that it is not")
    if verb == "finish_goal" or complete:
        if verb != "finish_goal":
            ledger.lose(f"action {verb}", "a goal that is reached ends the run: nothing more is done")
        return build(NAME, inner.where, action_type="finish_goal", summary=given.get("summary", reasoning))
    return build(NAME, inner.where, action_type=verb, **{**given, "target": target})


def _read_parameters(inner: Fields, verb: str) -> dict[str, Any]:
    fields = Fields(NAME, inner.any("parameters", {}), f"{inner.where}.parameters")
    found: dict[str, Any] = {}
    for theirs, ours in _PARAMETERS[verb].items():
        if theirs in fields:
            if ours in found:
                fields.refuse(theirs, f"{ours} is said twice")
            found[ours] = read_chord(fields, theirs) if theirs in ("key", "key_info") else fields.any(theirs)
    fields.end()
    return found


def _read_target(data: Any, where: str, ledger: Ledger) -> ActionTarget | None:
    if data is None:
        return None
    fields = Fields(NAME, data, f"{where}.target")
    found = element(fields, "element_id", ledger.context)
    given: dict[str, Any] = {name: fields.text(name, None) for name in ("track_id", "text")}
    box = fields.any("bbox", None)
    fields.end()
    if found is not None:
        given["element_id"] = found.element_id
    if box is not None:
        given["bbox"] = _read_box(box, f"{fields.where}.bbox")
    if not any(value is not None for value in given.values()):
        return None
    return ActionTarget(**{name: value for name, value in given.items() if value is not None})


def _read_box(box: Any, where: str) -> Region:
    """Fractions of the screen `[x, y, width, height]`."""
    if not isinstance(box, list | tuple) or len(box) != 4:
        raise DialectError(NAME, where, "four fractions of the screen are needed: [x, y, width, height]")
    x, y, width, height = (checked_number(NAME, f"{where}[{n}]", number) for n, number in enumerate(box))
    try:
        return Region(space="norm1", x1=x, y1=y, x2=round(x + width, 9), y2=round(y + height, 9))
    except ValidationError as bad:
        raise DialectError(NAME, where, bad.errors()[0]["msg"].removeprefix("Value error, ")) from None


def say_response(action: Action, ledger: Ledger) -> list[dict[str, Any]]:
    """The action as a response, or as several. Raises DialectError for a verb that the seed does not have."""
    parts = ledger.simpler(action, (), ()) if isinstance(action, Fill) else [action]
    ledger.take(without_delay(action))
    return [_said(part, ledger) for part in parts]


def _said(action: Action, ledger: Ledger) -> dict[str, Any]:
    if action.verb not in _PARAMETERS:
        cannot(NAME, action)
    target = action.target
    if isinstance(action, FinishGoal):
        if target is not None:
            ledger.lose("finish_goal.target", "an ending has no target")
        return _response(action, None, {}, action.summary)
    return _response(action, None if target is None else _aim(target, ledger), _parameters(action, ledger), "")


def _response(action: Action, target: dict[str, Any] | None, parameters: dict[str, Any], reasoning: str) -> dict[str, Any]:
    said = {"action_type": action.verb, "target": target, "parameters": parameters}
    return {"reasoning": reasoning, "action": said, "is_goal_complete": isinstance(action, FinishGoal)}


def _parameters(action: Action, ledger: Ledger) -> dict[str, Any]:
    said = {name: value for name, value in action.parameters.items() if name != "delay"}
    if isinstance(action, Type):
        return {"text_to_type": said.pop("text"), **said}
    if isinstance(action, PressKey):
        return {"key_info": write_chord(action, ledger)}
    if isinstance(action, Wait):
        return {"seconds": action.seconds, **said}
    if isinstance(action, Scroll):
        said.pop("delta", None)
        x, y = action.delta.x, action.delta.y
        if x and y:
            return {"dx": x, "dy": y, **said}
        way = ("right" if x > 0 else "left") if x else ("up" if y < 0 else "down")
        return {"direction": way, "amount": abs(x or y), **said}
    return said


def _aim(target: ActionTarget, ledger: Ledger) -> dict[str, Any]:
    """The seed's four tiers; a bare place is said as a box without size."""
    said: dict[str, Any] = {name: None for name in _TARGET}
    said |= {"track_id": target.track_id, "text": target.text}
    if target.element_id is not None:
        said["element_id"] = number_of(target.element_id, ledger.context)
    if target.bbox is not None:
        said["bbox"] = _say_box(target.bbox, ledger)
    kept = {name for name in _TARGET if said[name] is not None}
    if not kept and target.point is not None:
        point = place(ActionTarget(point=target.point), ledger.context, "norm1", None, NAME)[0]
        said["bbox"] = [round(point.x, 6), round(point.y, 6), 0.0, 0.0]
    elif not kept:
        said["element_id"] = number(target, ledger)
        return said
    ledger.leave_out(target, kept, "a target is a track, an element, a text or a box")
    return said


def _say_box(box: BoundingBox | Region, ledger: Ledger) -> list[float]:
    if isinstance(box, Region) and box.space == "norm1":
        corners = (box.x1, box.y1, box.x2, box.y2)
    else:
        pixels, (width, height) = box.to_px(ledger.context.size), ledger.context.size
        corners = (pixels.x1 / width, pixels.y1 / height, pixels.x2 / width, pixels.y2 / height)
    x1, y1, x2, y2 = (round(min(max(number, 0.0), 1.0), 9) for number in corners)
    said = [x1, y1, round(x2 - x1, 9), round(y2 - y1, 9)]
    if _read_box(said, "target.bbox") != box:
        ledger.lose("target.bbox", "said in fractions of the screen")
    return said
