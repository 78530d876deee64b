"""The call form: `clickBox("Submit", [100, 200, 150, 240], delay=0.3)`. It is read and never written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lark import Token
from pydantic import ValidationError

from protocol.actions import AgentAction, parse_action
from protocol.dsl.mistakes import Mistake, nearest
from protocol.dsl.parts import Pair, named, refusal, start
from protocol.dsl.sentences import VERBS
from protocol.dsl.words import ACTION
from protocol.targets import ActionTarget
from protocol.verbs import Click

_ALSO = {
    "double_click": "double_click", "triple_click": "triple_click", "right_click": "right_click", "middle_click": "middle_click",
    "click_box": "click", "hotkey": "press_key", "press": "press_key", "hold": "hold_key", "select": "select_option",
    "open": "launch_app", "launch": "launch_app", "switch_to": "switch_window", "go_to": "navigate", "ask": "ask_user",
    "run": "run_script", "call": "call_api", "finish": "finish_goal", "fail": "fail_goal",
}  # fmt: skip
"""Other names of a call, and the verb as the protocol reads it."""
_NAMES = {name.replace("_", ""): verb for name, verb in ({verb: verb for verb in VERBS} | _ALSO).items()}
_PLACES: dict[str, tuple[str, ...]] = {
    "type": ("text", "target"), "fill": ("target", "text"), "press_key": ("keys",), "hold_key": ("keys", "seconds"),
    "key_down": ("key",), "key_up": ("key",), "scroll": ("direction", "amount"), "drag": ("target", "to"),
    "mouse_down": ("target", "button"), "mouse_up": ("target", "button"), "select_option": ("options", "target"),
    "launch_app": ("app",), "switch_window": ("window",), "navigate": ("url",), "tabs": ("op", "index"), "wait": ("seconds",),
    "screenshot": ("marks", "region"), "upload": ("files", "target"), "call_api": ("app", "function", "arguments"),
    "ask_in_app_agent": ("app", "request"), "run_script": ("language", "code"), "memorize": ("name", "value"),
    "answer": ("text",), "ask_user": ("question", "name"), "finish_goal": ("summary",), "fail_goal": ("reason",),
    "go_back": (), "go_forward": (),
}  # fmt: skip
"""The arguments that need no name, in order; for all other verbs the target and its box."""
_TARGETS = frozenset(ActionTarget.model_fields)


def action_of_call(name: Token, given: tuple[Pair, ...]) -> AgentAction:
    """The action that a call means. Raises Mistake."""
    verb = _NAMES.get(re.sub(r"[_-]", "", name).casefold())
    if verb is None:
        near = nearest(_snake(name), [*VERBS, *_ALSO])
        raise Mistake(f'there is no action "{name[:40]}"{near}', start(name), (ACTION,))
    pairs = _all_named(verb, given)
    fields = _with_target(verb, named(pairs))
    try:
        return parse_action({**fields, "action_type": verb})
    except ValidationError as bad:
        where, message = refusal(bad)
        if bad.errors()[0]["type"] == "extra_forbidden":
            message = f"{verb} takes no argument of this name"
        at = next((pair for field in reversed(where) for pair in pairs if pair.name == field), None)
        raise Mistake(f"{at.name}: {message}" if at else message, at.offset if at else start(name)) from None


def _all_named(verb: str, given: tuple[Pair, ...]) -> list[Pair]:
    places = iter(_PLACES.get(verb, ("target", "bbox")))
    pairs: list[Pair] = []
    by_name = False
    for pair in given:
        by_name = by_name or pair.name is not None
        place = _snake(pair.name) if pair.name is not None else None if by_name else next(places, None)
        if place is None:
            raise Mistake(f"{verb} needs a name for this argument", pair.offset)
        if place == "action_type":
            raise Mistake("the name of the call says which action it is", pair.offset)
        pairs.append(pair._replace(name=place))
    return pairs


def _with_target(verb: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A text alone is a target's text, and what only a target has belongs to it, wherever it stands."""
    own = VERBS.get(verb, Click).model_fields
    target = {name: fields.pop(name) for name in list(fields) if name in _TARGETS and name not in own}
    for name in ("target", "to"):
        if isinstance(fields.get(name), str):
            fields[name] = {"text": fields[name]}
    for name in ("files", "marks"):
        if isinstance(fields.get(name), str):
            fields[name] = [fields[name]]
    if target:
        fields["target"] = {**_plain(fields.get("target")), **target}
    return fields


def _plain(target: Any) -> dict[str, Any]:
    return dict(target) if isinstance(target, Mapping) else {}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()
