"""Other spellings of an action that are read: seed 004's `type, target_id, bbox`, seed 003's `parameters`, and common verbs.

They are read on input only; what is written is canonical.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_VERBS: dict[str, dict[str, Any]] = {
    "double_click": {"action_type": "click", "count": 2},
    "triple_click": {"action_type": "click", "count": 3},
    "right_click": {"action_type": "click", "button": "right"},
    "middle_click": {"action_type": "click", "button": "middle"},
    "chord": {"action_type": "press_key"},
    "hotkey": {"action_type": "press_key"},
    "annotate": {"action_type": "screenshot"},
}

_FIELDS = {
    "text_to_type": ("text", None),
    "key_info": ("keys", None),
    "key": ("keys", "press_key"),
    "option": ("options", "select_option"),
    "duration": ("seconds", None),
    "app_name": ("app", "launch_app"),
    "text": ("app", "launch_app"),  # seed 004 has one text field for all its verbs
}
"""Name in a seed or in its successor: canonical name, and the only verb for which it is meant so."""


def canonical_spelling(data: Any) -> Any:
    """`data` with canonical names, if it is an action in one of the spellings of the seeds; anything else as it is."""
    if not isinstance(data, Mapping):
        return data
    if "action_type" in data and not _FOREIGN.intersection(data) and data["action_type"] not in tuple(_VERBS):
        return data
    action = dict(data)
    if "action_type" not in action and isinstance(action.get("type"), str):
        action = {name: value for name, value in action.items() if value is not None}  # seed 004 writes what it leaves open
        action["action_type"] = action.pop("type")
    _merge_parameters(action)
    alias = _VERBS.get(action["action_type"]) if isinstance(action.get("action_type"), str) else None
    if alias:
        action = {**alias, **action, "action_type": alias["action_type"]}
    _gather_target(action)
    for name, (canonical, verb) in _FIELDS.items():
        if name in action and canonical not in action and verb in (None, action.get("action_type")):
            action[canonical] = action.pop(name)
    return action


_FOREIGN = frozenset({"type", "target_id", "bbox", "parameters", *_FIELDS}) - {"text"}


def _merge_parameters(action: dict[str, Any]) -> None:
    parameters = action.get("parameters")
    if not isinstance(parameters, Mapping):
        return
    twice = sorted(name for name in parameters if name in action)
    if twice:
        raise ValueError(f"{twice[0]!r} stands both in the action and in its parameters")
    del action["parameters"]
    action.update(parameters)


def _gather_target(action: dict[str, Any]) -> None:
    """Seed 004 names the target by `target_id` and `bbox` beside the verb."""
    loose = {"target_id": "element_id", "bbox": "bbox"}
    given = {name: action.pop(name) for name in loose if name in action}
    given = {loose[name]: value for name, value in given.items() if value is not None}
    if action.get("action_type") in ("click", "hover", "scroll") and isinstance(action.get("text"), str):
        given["text"] = action.pop("text")  # what is clicked: these verbs have no text of their own
    if not given:
        return
    if action.get("target") is not None:
        raise ValueError("an action has either a target or seed 004's target_id, bbox and text, not both")
    action["target"] = given
