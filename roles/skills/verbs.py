"""The verbs of a surface as skills, worked out from its capabilities: what a policy may choose from, and no more."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from environments.contract import AppCatalog, Environment, type_of
from environments.effects.words import Effect
from protocol import Action
from protocol.model.actions import KnownAction
from roles.operator.recovering.repeating import REPEATS, Repeat
from roles.skills.contract import Idempotence, Skill

_ALWAYS = (
    "click",
    "fill",
    "type",
    "press_key",
    "select_option",
    "scroll",
    "drag",
    "hover",
    "wait",
    "screenshot",
    "switch_window",
)
INNER = ("memorize", "answer", "ask_user")
_PAGES = ("navigate", "go_back", "go_forward", "tabs")
LOOKING = frozenset({"wait", "screenshot"})
"""Verbs that touch nothing: they stay where the surface is forbidden."""
_RISKS = {
    **dict.fromkeys(("hover", "scroll", "wait", "screenshot"), Effect.OBSERVE),
    **dict.fromkeys(("switch_window", "launch_app", "go_back", "go_forward", "tabs"), Effect.NAVIGATE),
    "upload": Effect.UPLOAD,
}
"""By verb alone; of the others the control tells the risk."""


def surface_verbs(environment: Environment) -> tuple[str, ...]:
    """The verbs that make sense here, those that need a capability only where it is there."""
    apps = {app.app for app in environment.apps()} if isinstance(environment, AppCatalog) else set()
    verbs = list(_ALWAYS)
    if apps:
        verbs.append("launch_app")
    if type_of(environment) == "browser" or "browser" in apps:
        verbs += _PAGES
    if type_of(environment) == "browser":
        verbs.append("upload")
    return tuple(verbs)


@cache
def verb_skill(verb: str) -> Skill:
    """A verb of the surface as a skill. The control that it is done to says what it risks, where the verb does not."""
    reading = _RISKS.get(verb) is Effect.OBSERVE
    repeatable = REPEATS.get(verb, Repeat.READ_BACK) is Repeat.SAFE
    twice = Idempotence.READING if reading else Idempotence.REPEATABLE if repeatable else Idempotence.ONCE
    kind = _kinds().get(verb)
    said = (kind.__doc__ or "").strip().partition("\n")[0] if kind is not None else ""
    return Skill(kind="gui", name=verb, summary=said, arguments=_schema(kind), risk=_RISKS.get(verb), idempotence=twice)


@cache
def _kinds() -> dict[str, type[Action]]:
    kinds = get_args(get_args(KnownAction)[0])
    return {kind.model_fields["action_type"].default: kind for kind in kinds}


def _schema(kind: type[Action] | None) -> dict[str, Any]:
    """What a verb takes beside what every action may say; a target is told as such."""
    if kind is None:
        return {}
    common = set(Action.model_fields) | {"action_type"}
    whole = kind.model_json_schema()
    properties = {name: part for name, part in whole.get("properties", {}).items() if name not in common - {"target"}}
    if "target" in properties:
        properties["target"] = {"description": "an element of the screen"}
    needed = [name for name in whole.get("required", []) if name in properties]
    return {"type": "object", "properties": properties, "required": needed}
