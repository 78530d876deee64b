"""What may be done: a closed union of verbs, and `x-` verbs that are carried. Sources: seeds 003 and 004.

Adding a verb is one class in `verbs.py` and its place in `KnownAction`; mypy then lists what else must know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter

from protocol.elements import ElementId
from protocol.geometry import Box, Frozen
from protocol.spellings import canonical_spelling
from protocol.targets import ActionTarget
from protocol.verbs import (
    Answer,
    AskInAppAgent,
    AskUser,
    CallApi,
    Click,
    Drag,
    Extension,
    FailGoal,
    Fill,
    FinishGoal,
    GoBack,
    GoForward,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    LaunchApp,
    Memorize,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    RunScript,
    Screenshot,
    Scroll,
    SelectOption,
    SwitchWindow,
    Tabs,
    Type,
    Upload,
    Wait,
)  # fmt: skip

KnownAction = Annotated[
    Click | MouseDown | MouseUp | Hover | Drag | Type | Fill | PressKey | HoldKey | KeyDown | KeyUp | Scroll | SelectOption
    | LaunchApp | SwitchWindow | Navigate | GoBack | GoForward | Tabs | Wait | Screenshot | Upload | CallApi | AskInAppAgent
    | RunScript | Memorize | Answer | AskUser | FinishGoal | FailGoal,
    Field(discriminator="action_type"),
]  # fmt: skip


VERBS: tuple[str, ...] = tuple(kind.model_fields["action_type"].default for kind in get_args(get_args(KnownAction)[0]))
"""Every verb but those of others."""


def _kind(data: Any) -> str:
    verb = data.get("action_type") if isinstance(data, Mapping) else getattr(data, "action_type", None)
    return "extension" if isinstance(verb, str) and verb.startswith("x-") else "known"


_Canonical = Annotated[
    Annotated[KnownAction, Tag("known")] | Annotated[Extension, Tag("extension")],
    Discriminator(_kind),
]


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
    _Canonical,
    BeforeValidator(canonical_spelling, json_schema_input_type=_Canonical | ParametersAction | FlatAction),
]
"""Any action. Read in canonical form and in the spellings of the seeds; written in canonical form."""

_ADAPTER: TypeAdapter[Any] = TypeAdapter(AgentAction)


def parse_action(data: Any) -> AgentAction:
    """The action that `data` (a dict as `dump` writes it, or in a seed's spelling) means. Raises pydantic.ValidationError."""
    action: AgentAction = _ADAPTER.validate_python(data)
    return action
