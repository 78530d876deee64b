"""OmniMCP's answers of a model: its `LLMActionPlan`, its `ActionDecision`, and seed 003's `LLMResponse` that replaces both.

An element is a whole number there. Where the state's own ids are others, the number counts its elements from 0.
What the model thought is no part of an action, but for an ending: there it is the summary, or the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from protocol.dialects.common.conversion import WAYS, Conversion, Writing
from protocol.dialects.common.dialect import Context, DialectError, ParsedPayload
from protocol.dialects.common.fields import Fields, build, checked_number, each_of, json_in, read_chords, refusing
from protocol.dialects.common.losses import written_by
from protocol.model.actions import AgentAction
from protocol.model.geometry import BoundingBox, JsonObject, Region
from protocol.model.keys import MODIFIERS, Keyboard
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Click, FailGoal, Fill, FinishGoal, PressKey, Scroll, Type, Wait

NAME = "omnimcp"
KEYBOARD: Keyboard = "pynput"
_WHOLE = re.compile(r"(0|[1-9]\d{0,5})\Z", re.ASCII)
_JOINT = re.compile(r"[+-]")


def _counted(context: Context) -> tuple[str, ...] | None:
    """The ids of the state in their order where some of them is no whole number: then numbers count them from 0."""
    ids = tuple(element.element_id for element in context.state.elements) if context.state else ()
    return None if all(_WHOLE.match(name) for name in ids) else ids


def number_of(element_id: str, context: Context) -> int | None:
    """The number that OmniMCP has for an element; None where it has none."""
    counted = _counted(context)
    if counted is None:
        return int(element_id) if _WHOLE.match(element_id) else None
    return counted.index(element_id) if element_id in counted else None


def element(fields: Fields, name: str, context: Context) -> ActionTarget | None:
    """The element of a number, or of a text that is one."""
    given = fields.any(name, None)
    if given is None:
        return None
    if isinstance(given, str) and _WHOLE.match(given):
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 1_000_000:
        fields.refuse(name, "the whole number of an element is needed")
    counted = _counted(context)
    if counted is None:
        return ActionTarget(element_id=str(given))
    if given >= len(counted):
        fields.refuse(name, f"there are {len(counted)} elements, counted from 0")
    return ActionTarget(element_id=counted[given])


def read_chord(fields: Fields, name: str) -> tuple[str, ...]:
    """`Cmd+Space`, `ctrl-c`, and, which OmniMCP itself cannot read, `ctrl+-`."""
    text = fields.text(name).strip()
    where = f"{fields.where}.{name}"
    if len(text) > 1 and text[-1] in "+-" and text[-2] in "+-":
        parts = [*_JOINT.split(text[:-2]), text[-1]]
    else:
        parts = [text] if len(text) == 1 else _JOINT.split(text)
    parts = [{"spacebar": "space"}.get(part.strip().casefold(), part.strip()) for part in parts]
    keys = tuple(read_chords(NAME, where, parts, KEYBOARD))
    if len([key for key in keys if key not in MODIFIERS]) > 1:
        raise DialectError(NAME, where, f"a chord is one key and modifiers, and {text[:60]!r} has several keys")
    return keys


_PARAMETERS: dict[str, dict[str, str]] = {
    "click": {name: name for name in ("button", "count", "modifiers", "hold")},
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


def read_response(fields: Fields, reading: Conversion) -> AgentAction:
    """The action of a response; the goal is reached where it says so, and then nothing else is done."""
    reasoning = fields.text("reasoning", "")
    complete = fields.flag("is_goal_complete", None)
    inner = Fields(NAME, fields.any("action"), f"{fields.where}.action")
    fields.end()
    verb = inner.choice("action_type", tuple(_PARAMETERS))
    target = _read_target(inner.any("target", None), inner.where, reading)
    given = _read_parameters(inner, verb)
    inner.end()
    if verb == "finish_goal" and complete is False:
        fields.refuse("is_goal_complete", "finish_goal says that the goal is reached, and this says that it is not")
    if verb == "finish_goal" or complete:
        return _finished(inner, verb, verb == "finish_goal", given.get("summary", reasoning), reading)
    return build(NAME, inner.where, action_type=verb, **{**given, "target": target})


def _read_parameters(inner: Fields, verb: str) -> JsonObject:
    fields = Fields(NAME, inner.any("parameters", {}), f"{inner.where}.parameters")
    found: JsonObject = {}
    for theirs, ours in _PARAMETERS[verb].items():
        if theirs in fields:
            if ours in found:
                fields.refuse(theirs, f"{ours} is said twice")
            found[ours] = read_chord(fields, theirs) if theirs in ("key", "key_info") else fields.any(theirs)
    fields.end()
    return found


def _read_target(data: Any, where: str, reading: Conversion) -> ActionTarget | None:
    if data is None:
        return None
    fields = Fields(NAME, data, f"{where}.target")
    found = element(fields, "element_id", reading.context)
    given: JsonObject = {name: fields.text(name, None) for name in ("track_id", "text")}
    box = fields.any("bbox", None)
    fields.end()
    if found is not None:
        given["element_id"] = found.element_id
    if box is not None:  # fractions of the screen
        place = f"{fields.where}.bbox"
        if not isinstance(box, list | tuple) or len(box) != 4:
            raise DialectError(NAME, place, "four fractions of the screen are needed: [x, y, width, height]")
        x, y, width, height = (checked_number(NAME, f"{place}[{n}]", number) for n, number in enumerate(box))
        with refusing(NAME, place):
            given["bbox"] = Region(space="norm1", x1=x, y1=y, x2=round(x + width, 9), y2=round(y + height, 9))
    given = {name: value for name, value in given.items() if value is not None}
    return ActionTarget(**given) if given else None


STEPS = 3
"""Notches that OmniMCP scrolls where nobody has said how many."""
_PAUSE = 1.0
"""Seconds that a wait of a plan takes."""

_CLICKS = {("left", 1): "single", ("left", 2): "double", ("right", 1): "right"}
_MEANT = {said: meant for meant, said in _CLICKS.items()}


def from_omnimcp(payload: Any, context: Context) -> ParsedPayload:
    """The actions of an answer, of a list of answers, or of a text that holds one. The shape tells which answer it is.

    Raises DialectError.
    """
    DIALECT.variant(context)
    reading = Conversion(NAME, context)
    if isinstance(payload, str):
        payload = json_in(NAME, payload)
    found: list[AgentAction] = []
    for answer, where in each_of(payload):
        fields, read = Fields(NAME, answer, where), _read_plan
        if "action_decision" in fields:
            fields.drop("screen_analysis")
            inner = Fields(NAME, fields.any("action_decision"), f"{where}.action_decision")
            fields.end()
            fields, read = inner, _read_decision
        elif "action_type" in fields:
            read = _read_decision
        elif isinstance(answer.get("action"), Mapping):
            read = read_response
        found.append(read(fields, reading))
    if not found:
        raise DialectError(NAME, "$", "there is no answer")
    return ParsedPayload(found, reading.losses)


def _read_plan(fields: Fields, reading: Conversion) -> AgentAction:
    reasoning = fields.text("reasoning", "")
    verb = fields.choice("action", ("click", "type", "scroll", "press_key", "wait"))
    if fields.flag("is_goal_complete", False):
        fields.drop("element_id", "text_to_type", "key_info")
        fields.end()
        return _finished(fields, verb, verb == "wait", reasoning, reading)
    if verb == "scroll":
        fields.refuse("action", "a plan says in its reasoning only where it scrolls to, and prose is not guessed at")
    return _acted(verb, fields, fields, element(fields, "element_id", reading.context), "element_id")


def _acted(verb: str, fields: Fields, parameters: Fields, target: ActionTarget | None, name: str) -> AgentAction:
    if verb == "click" and target is None:
        fields.refuse(name, "is missing")
    found = _READERS[verb](parameters)
    parameters.end()
    return build(NAME, fields.where, **{"action_type": verb, "target": target, **found})


def _finished(fields: Fields, verb: str, alone: bool, reasoning: str, reading: Conversion) -> AgentAction:
    if not alone:
        reading.lose(f"action {verb}", "a goal that is reached ends the run: nothing more is done")
    return build(NAME, fields.where, action_type="finish_goal", summary=reasoning)


def _read_decision(fields: Fields, reading: Conversion) -> AgentAction:
    reasoning = fields.text("analysis_reasoning", "")
    verb = fields.choice("action_type", (*_READERS, "finish"))
    complete = fields.flag("is_goal_complete", False)
    parameters = Fields(NAME, fields.any("parameters", {}), f"{fields.where}.parameters")
    target = element(fields, "target_element_id", reading.context)
    fields.end()
    if complete:
        return _finished(fields, verb, verb == "finish", reasoning, reading)
    if verb == "finish":  # stuck, as OmniMCP tells its model
        parameters.end()
        return build(NAME, fields.where, action_type="fail_goal", reason=reasoning)
    return _acted(verb, fields, parameters, target, "target_element_id")


def _read_click(fields: Fields) -> JsonObject:
    button, count = _MEANT[fields.choice("click_type", tuple(_MEANT), "single")]
    return {"button": button, "count": count}


_READERS: dict[str, Callable[[Fields], JsonObject]] = {
    "click": _read_click,
    "type": lambda fields: {"text": fields.text("text_to_type")},
    "scroll": lambda fields: {
        "direction": fields.choice("scroll_direction", WAYS),  # one that is said in prose is not guessed at
        "amount": fields.number("scroll_steps", STEPS),
    },
    "press_key": lambda fields: {"keys": read_chord(fields, "key_info")},
    "wait": lambda fields: {"seconds": fields.number("wait_duration_s", _PAUSE)},
    "launch_app": lambda fields: {"app": fields.text("app_name")},
}
"""A decision's verbs; `launch_app` is of an older one."""


class _Writing(Writing):
    """What the three shapes share."""

    def number(self, target: ActionTarget | None) -> int | None:
        """The number of the element that is meant. Raises DialectError where nobody knows it."""
        if target is None:
            return None
        element_id = self.element(target)
        found = number_of(element_id, self.context)
        if found is None:
            self.refuse("target", f"elements are whole numbers there, and {element_id[:60]!r} has none")
        return found

    def key_info(self, action: PressKey) -> str:
        """Raises DialectError for a chord that would be read as another."""
        said = "+".join(self.key_names(self.one_key(action.keys), KEYBOARD))
        try:
            exact = read_chord(Fields(NAME, {"key_info": said}), "key_info") == action.keys
        except DialectError:
            exact = False
        return said if exact else self.cannot(action, f"the chord {said!r} would be read as another")

    def aimed_at(self, action: Action) -> int | None:
        if getattr(action, "modifiers", ()):
            self.cannot(action, "no keys are held meanwhile")
        return self.number(action.target)


class _Response(_Writing):
    """The seed's response; its verbs are all that it has."""

    can = frozenset({"submit"})

    def simpler(self, action: Action) -> list[Action]:
        return super().simpler(action) if isinstance(action, Fill) else [action]

    def said(self, action: Action) -> list[JsonObject]:
        if action.verb not in _PARAMETERS:
            self.cannot(action)
        said: JsonObject = {"action_type": action.verb, "target": None, "parameters": {}}
        if isinstance(action, FinishGoal):
            return [{"reasoning": action.summary, "action": said, "is_goal_complete": True}]
        target = None if action.target is None else self.aim(action.target)
        said |= {"target": target, "parameters": self.parameters(action)}
        return [{"reasoning": "", "action": said, "is_goal_complete": False}]

    def parameters(self, action: Action) -> JsonObject:
        said = {name: value for name, value in action.parameters.items() if name != "delay"}
        if isinstance(action, Type):
            return {"text_to_type": said.pop("text"), **said}
        if isinstance(action, PressKey):
            return {"key_info": self.key_info(action)}
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

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """The seed's four tiers; a bare place is said as a box without size."""
        said: JsonObject = dict.fromkeys(("track_id", "element_id", "text", "bbox"))
        if target is None:
            return said
        said |= {"track_id": target.track_id, "text": target.text}
        if target.element_id is not None:
            said["element_id"] = number_of(target.element_id, self.context)
        if target.bbox is not None:
            said["bbox"] = self.box(target.bbox)
        if all(value is None for value in said.values()):
            if target.point is None:
                return {**said, "element_id": self.number(target)}
            point = self.place(ActionTarget(point=target.point), what, "norm1")
            said["bbox"] = [round(point.x, 6), round(point.y, 6), 0.0, 0.0]
        return said

    def box(self, box: BoundingBox | Region) -> list[float]:
        """In fractions of the screen."""
        if isinstance(box, Region) and box.space == "norm1":
            corners = (box.x1, box.y1, box.x2, box.y2)
        else:
            pixels, (width, height) = box.to_px(self.context.size), self.context.size
            corners = (pixels.x1 / width, pixels.y1 / height, pixels.x2 / width, pixels.y2 / height)
        x1, y1, x2, y2 = (round(min(max(number, 0.0), 1.0), 9) for number in corners)
        return [x1, y1, round(x2 - x1, 9), round(y2 - y1, 9)]


class _Plan(_Writing):
    """A plan, which cannot say where to scroll to."""

    clicks = frozenset({("left", 1)})
    aimed = frozenset({"type"})

    def said(self, action: Action) -> list[JsonObject]:
        said: JsonObject = {"reasoning": "", "action": action.verb, "is_goal_complete": False}
        said |= {"element_id": self.aimed_at(action), "text_to_type": None, "key_info": None}
        match action:
            case Click() | Wait():
                return [said]
            case Type(text=text):
                return [{**said, "text_to_type": text}]
            case PressKey():
                return [{**said, "key_info": self.key_info(action)}]
            case FinishGoal(summary=summary):
                return [{**said, "action": "wait", "reasoning": summary, "is_goal_complete": True}]
            case _:
                self.cannot(action)


class _Decision(_Writing):
    """A decision."""

    clicks = frozenset(_CLICKS)
    aimed = frozenset({"type"})

    def said(self, action: Action) -> list[JsonObject]:
        said: JsonObject = {"analysis_reasoning": "", "action_type": action.verb, "target_element_id": self.aimed_at(action)}
        said |= {"parameters": {}, "is_goal_complete": False}
        match action:
            case Click(button=button, count=count):
                kind = _CLICKS[button, count]
                return [{**said, "parameters": {} if kind == "single" else {"click_type": kind}}]
            case Type(text=text):
                return [{**said, "parameters": {"text_to_type": text}}]
            case PressKey():
                return [{**said, "parameters": {"key_info": self.key_info(action)}}]
            case Wait(seconds=seconds):
                return [{**said, "parameters": {"wait_duration_s": seconds}}]
            case Scroll():
                ways = self.ways(action, "notch")
                return [{**said, "parameters": {"scroll_direction": way, "scroll_steps": steps}} for way, steps in ways]
            case FinishGoal(summary=summary):
                return [{**said, "action_type": "finish", "analysis_reasoning": summary, "is_goal_complete": True}]
            case FailGoal(reason=reason):
                return [{**said, "action_type": "finish", "analysis_reasoning": reason}]
            case _:
                self.cannot(action)


_SHAPES = {"response": _Response, "plan": _Plan, "decision": _Decision}
DIALECT = written_by(
    lambda name, context, variant: _SHAPES[variant](name, context), NAME, "OmniMCP's answers of a model", "json", from_omnimcp,
    tuple(_SHAPES),
)  # fmt: skip
