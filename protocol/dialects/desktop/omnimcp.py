"""OmniMCP's answers of a model: its `LLMActionPlan`, its `ActionDecision`, and seed 003's `LLMResponse` that replaces both.

An element is a whole number there. Where the state's own ids are others, the number counts its elements from 0.
What the model thought is no part of an action, but for an ending: there it is the summary, or the reason.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from protocol.dialects import Context, DialectError, Fields, ParsedPayload, build, checked_number, dialect_of, json_in, refusing
from protocol.dialects.common.conversion import WAYS, Choice, Part, Reading, Table, Writing, given, row
from protocol.dialects.common.fields import read_chords
from protocol.model.actions import AgentAction
from protocol.model.geometry import BoundingBox, JsonObject, Region
from protocol.model.keys import MODIFIERS, Keyboard
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, FailGoal, Fill, FinishGoal, PressKey, Scroll, Type, Wait

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


STEPS = 3
"""Notches that OmniMCP scrolls where nobody has said how many."""
_PAUSE = 1.0
"""Seconds that a wait of a plan takes."""


class _Reading(Reading):
    """Answers, or a text that holds one. The shape tells which answer it is."""

    nothing, empty = "there is no answer", DialectError
    target: ActionTarget | None

    def parsed(self, payload: Any) -> ParsedPayload:
        return super().parsed(json_in(NAME, payload) if isinstance(payload, str) else payload)

    def take(self, payload: Any, where: str) -> None:
        fields = Fields(NAME, payload, where)
        if "action_decision" in fields:
            fields.drop("screen_analysis")
            inner = Fields(NAME, fields.any("action_decision"), f"{where}.action_decision")
            fields.end()
            self._decision(inner)
        elif "action_type" in fields:
            self._decision(fields)
        elif isinstance(payload.get("action"), Mapping):
            self._response(fields)
        else:
            self._plan(fields)

    def _plan(self, fields: Fields) -> None:
        reasoning = fields.text("reasoning", "")
        verb = fields.choice("action", (*_PLAN, "scroll"))
        if fields.flag("is_goal_complete", False):
            fields.drop("element_id", "text_to_type", "key_info")
            fields.end()
            return self._finish(fields, verb, verb == "wait", reasoning)
        if verb == "scroll":
            fields.refuse("action", "a plan says in its reasoning only where it scrolls to, and prose is not guessed at")
        return self._act(_PLAN, verb, element(fields, "element_id", self.context), fields, fields, "element_id")

    def _decision(self, fields: Fields) -> None:
        reasoning = fields.text("analysis_reasoning", "")
        verb = fields.choice("action_type", (*_DECISION, "finish"))
        complete = fields.flag("is_goal_complete", False)
        parameters = Fields(NAME, fields.any("parameters", {}), f"{fields.where}.parameters")
        target = element(fields, "target_element_id", self.context)
        fields.end()
        if complete:
            return self._finish(fields, verb, verb == "finish", reasoning)
        if verb == "finish":  # stuck, as OmniMCP tells its model
            parameters.end()
            return self.actions.append(build(NAME, fields.where, action_type="fail_goal", reason=reasoning))
        return self._act(_DECISION, verb, target, parameters, fields, "target_element_id")

    def _response(self, fields: Fields) -> None:
        """The goal is reached where the response says so, and then nothing else is done."""
        reasoning = fields.text("reasoning", "")
        complete = fields.flag("is_goal_complete", None)
        inner = Fields(NAME, fields.any("action"), f"{fields.where}.action")
        fields.end()
        verb = inner.choice("action_type", tuple(_PARAMETERS))
        target = self._target(inner.any("target", None), inner.where)
        given = _read_parameters(inner, verb)
        inner.end()
        if verb == "finish_goal" and complete is False:
            fields.refuse("is_goal_complete", "finish_goal says that the goal is reached, and this says that it is not")
        if verb == "finish_goal" or complete:
            return self._finish(inner, verb, verb == "finish_goal", given.get("summary", reasoning))
        return self.actions.append(build(NAME, inner.where, action_type=verb, **{**given, "target": target}))

    def _act(self, table: Table, verb: str, target: ActionTarget | None, parameters: Fields, answer: Fields, name: str) -> None:
        if verb == "click" and target is None:
            answer.refuse(name, "is missing")
        self.target, self.fields = target, parameters
        self.actions += self.read(table, verb)

    def build(self, verb: str, blame: str = "", **values: Any) -> AgentAction:
        """On the element that the answer names."""
        return super().build(verb, blame, target=self.target, **values)

    def _finish(self, fields: Fields, verb: str, alone: bool, summary: str) -> None:
        if not alone:
            self.lose(f"action {verb}", "a goal that is reached ends the run: nothing more is done")
        self.actions.append(build(NAME, fields.where, action_type="finish_goal", summary=summary))

    def _target(self, data: Any, where: str) -> ActionTarget | None:
        if data is None:
            return None
        fields = Fields(NAME, data, f"{where}.target")
        found = element(fields, "element_id", self.context)
        given: JsonObject = {name: fields.text(name, None) for name in ("track_id", "text")}
        box = fields.any("bbox", None)
        fields.end()
        if found is not None:
            given["element_id"] = found.element_id
        if box is not None:  # fractions of the screen
            place = f"{fields.where}.bbox"
            if not isinstance(box, list | tuple) or len(box) != 4:
                self.refuse(place, "four fractions of the screen are needed: [x, y, width, height]")
            x, y, width, height = (checked_number(NAME, f"{place}[{n}]", number) for n, number in enumerate(box))
            with refusing(NAME, place):
                given["bbox"] = Region(space="norm1", x1=x, y1=y, x2=round(x + width, 9), y2=round(y + height, 9))
        given = {name: value for name, value in given.items() if value is not None}
        return ActionTarget(**given) if given else None


_KEYS = Part(lambda r: read_chord(r.fields, "key_info"), lambda w, keys: {"key_info": w.key_info(keys)})
_TYPE = row("type", text=given("text_to_type"))
_PLAN: Table = {
    "click": row("click"),
    "type": _TYPE,
    "press_key": row("press_key", keys=_KEYS),
    "wait": row("wait", seconds=Part(lambda r: _PAUSE, lambda w, seconds: {})),
}
_CLICKS = {"single": row("click"), "double": row("click", count=2), "right": row("click", button="right")}
_DECISION: Table = {
    "click": Choice("click_type", _CLICKS, "single"),
    "type": _TYPE,
    "scroll": lambda r: r.build(  # a direction that is said in prose is not guessed at
        "scroll", direction=r.fields.choice("scroll_direction", WAYS), amount=r.fields.number("scroll_steps", STEPS)
    ),
    "press_key": row("press_key", keys=_KEYS),
    "wait": row("wait", seconds=given("wait_duration_s", _PAUSE, kind="number", always=True)),
    "launch_app": row("launch_app", app=given("app_name")),
}


class _Writing(Writing):
    """What the three shapes share."""

    aimed = frozenset({"type"})
    element_name: ClassVar[str] = "element_id"
    """The field of the element that is meant."""

    def number(self, target: ActionTarget | None) -> int | None:
        """The number of the element that is meant. Raises DialectError where nobody knows it."""
        if target is None:
            return None
        element_id = self.element(target)
        found = number_of(element_id, self.context)
        if found is None:
            self.refuse("target", f"elements are whole numbers there, and {element_id[:60]!r} has none")
        return found

    def key_info(self, keys: tuple[str, ...]) -> str:
        """Raises DialectError for a chord that would be read as another."""
        said = "+".join(self.key_names(self.one_key(keys), KEYBOARD))
        try:
            exact = read_chord(Fields(NAME, {"key_info": said}), "key_info") == keys
        except DialectError:
            exact = False
        return said if exact else self.refuse("press_key", f"the chord {said!r} would be read as another")

    def said(self, action: Action) -> list[JsonObject]:
        if getattr(action, "modifiers", ()):
            self.cannot(action, "no keys are held meanwhile")
        number = self.number(action.target)
        calls: list[JsonObject] = super().said(action)
        return [{**call, self.element_name: number} for call in calls]


class _Response(_Writing):
    """The seed's response; its verbs are all that it has."""

    can = frozenset({"submit"})
    aimed = Writing.aimed

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
            return {"key_info": self.key_info(action.keys)}
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

    table = _PLAN

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        nothing = dict.fromkeys(("element_id", "text_to_type", "key_info"))
        return {"reasoning": "", "action": name, "is_goal_complete": False, **nothing, **arguments}

    def finish_goal(self, action: FinishGoal) -> list[JsonObject]:
        return [{**self.call("wait"), "reasoning": action.summary, "is_goal_complete": True}]


class _Decision(_Writing):
    """A decision; older ones start apps."""

    table = _DECISION
    element_name = "target_element_id"

    def names(self) -> Collection[str]:
        return [name for name in _DECISION if name != "launch_app"]

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        parts = {"analysis_reasoning": "", "action_type": name, "target_element_id": None}
        return {**parts, "parameters": arguments, "is_goal_complete": False}

    def scroll(self, action: Scroll) -> list[JsonObject]:
        ways = self.ways(action, "notch")
        return [self.call("scroll", scroll_direction=way, scroll_steps=steps) for way, steps in ways]

    def finish_goal(self, action: FinishGoal) -> list[JsonObject]:
        return [{**self.call("finish"), "analysis_reasoning": action.summary, "is_goal_complete": True}]

    def fail_goal(self, action: FailGoal) -> list[JsonObject]:
        return [{**self.call("finish"), "analysis_reasoning": action.reason}]


_SHAPES = {"response": _Response, "plan": _Plan, "decision": _Decision}
DIALECT = dialect_of(
    _Reading, lambda name, context, variant: _SHAPES[variant](name, context), NAME, "OmniMCP's answers of a model", "json",
    tuple(_SHAPES),
)  # fmt: skip
