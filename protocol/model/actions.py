"""What may be done: a closed union of verbs, and `x-` verbs that are carried. Sources: seeds 003 and 004.

Adding a verb is one class in `verbs.py` and its place in `KnownAction`; mypy then lists what else must know it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, TypeAdapter

from protocol.model import verbs as v
from protocol.model.elements import ElementId
from protocol.model.geometry import Box, Frozen
from protocol.model.targets import ActionTarget

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
    if isinstance(parameters := action.get("parameters"), Mapping):
        if twice := sorted(name for name in parameters if name in action):
            raise ValueError(f"{twice[0]!r} stands both in the action and in its parameters")
        del action["parameters"]
        action.update(parameters)
    alias = _VERBS.get(action["action_type"]) if isinstance(action.get("action_type"), str) else None
    if alias:
        action = {**alias, **action, "action_type": alias["action_type"]}
    _gather_target(action)
    for name, (canonical, verb) in _FIELDS.items():
        if name in action and canonical not in action and verb in (None, action.get("action_type")):
            action[canonical] = action.pop(name)
    return action


_FOREIGN = frozenset({"type", "target_id", "bbox", "parameters", *_FIELDS}) - {"text"}


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


KnownAction = Annotated[
    v.Click | v.MouseDown | v.MouseUp | v.Hover | v.Drag | v.Type | v.Fill | v.PressKey | v.HoldKey | v.KeyDown | v.KeyUp
    | v.Scroll | v.SelectOption | v.LaunchApp | v.SwitchWindow | v.Navigate | v.GoBack | v.GoForward | v.Tabs | v.Wait
    | v.Screenshot | v.Upload | v.CallApi | v.AskInAppAgent | v.RunScript | v.Memorize | v.Answer | v.AskUser | v.FinishGoal
    | v.FailGoal,
    Field(discriminator="action_type"),
]  # fmt: skip


CLASSES: dict[str, type[v.Action]] = {
    kind.model_fields["action_type"].default: kind for kind in get_args(get_args(KnownAction)[0])
}
"""Every verb but those of others, and its class."""
VERBS: tuple[str, ...] = tuple(CLASSES)


def _kind(data: Any) -> str:
    verb = data.get("action_type") if isinstance(data, Mapping) else getattr(data, "action_type", None)
    return "extension" if isinstance(verb, str) and verb.startswith("x-") else "known"


_Canonical = Annotated[Annotated[KnownAction, Tag("known")] | Annotated[v.Extension, Tag("extension")], Discriminator(_kind)]


class ParametersAction(Frozen):
    """Seed 003's spelling of an action: what a verb takes stands in `parameters`."""

    action_type: Literal["click", "type", "scroll", "press_key", "wait", "finish_goal", "hover"]
    target: ActionTarget | None = None
    parameters: dict[str, Any]


class FlatAction(Frozen):
    """Seed 004's spelling of an action: the target stands beside the verb."""

    type: Literal["click", "type", "hover", "launch_app", "scroll"]
    target_id: ElementId | None = None
    bbox: Box | None = None
    text: str | None = None
    delay: float | None = None


AgentAction = Annotated[
    _Canonical, BeforeValidator(canonical_spelling, json_schema_input_type=_Canonical | ParametersAction | FlatAction)
]
"""Any action. Read in canonical form and in the spellings of the seeds; written in canonical form."""

_ADAPTER: TypeAdapter[Any] = TypeAdapter(AgentAction, config=ConfigDict(defer_build=True))


def parse_action(data: Any) -> AgentAction:
    """The action that `data` (a dict as `dump` writes it, or in a seed's spelling) means. Raises pydantic.ValidationError."""
    action: AgentAction = _ADAPTER.validate_python(data)
    return action
