"""What may be done: a closed union of frozen actions. Sources: seeds 003 and 004.

Adding a verb is one class and its place in `AgentAction`; mypy then lists what else must know it.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter, model_validator

from protocol.geometry import Tagged
from protocol.targets import ActionTarget

Text = Annotated[str, Field(max_length=100_000)]


class Action(Tagged):
    """What all actions share. `action_type` names the verb; text is opaque and never interpreted."""

    tag: ClassVar[str] = "action_type"
    inner: ClassVar[bool] = False
    """True for verbs that change the crew's memory or ask its user, and never reach the environment."""

    target: ActionTarget | None = None
    delay: float | None = Field(default=None, ge=0.0, le=60.0)
    """Seconds to wait before acting (seed 004)."""

    @property
    def verb(self) -> str:
        return str(getattr(self, "action_type"))  # noqa: B009 - each subclass declares it as a Literal

    @property
    def parameters(self) -> dict[str, Any]:
        """Seed 003's view of an action: everything but the verb and the target."""
        dumped = self.model_dump(mode="json", exclude={"target"}, exclude_defaults=True)
        return {name: value for name, value in dumped.items() if name != self.tag}

    @property
    def digest(self) -> str:
        """Hash of the whole action: an approval is bound to it, so an edited action needs a new one."""
        return hashlib.blake2b(self.model_dump_json().encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

    def dump(self) -> dict[str, Any]:
        """JSON form without what is default; `parse_action` reads it back."""
        return self.model_dump(mode="json", exclude_defaults=True)


class _Targeted(Action):
    @model_validator(mode="after")
    def _has_target(self) -> _Targeted:
        if self.target is None:
            raise ValueError(f"{self.verb} needs a target")
        return self


class Click(_Targeted):
    action_type: Literal["click"] = "click"
    button: Literal["left", "right", "middle"] = "left"
    count: int = Field(default=1, ge=1, le=3)
    modifiers: tuple[str, ...] = ()


class Hover(_Targeted):
    action_type: Literal["hover"] = "hover"


class Drag(_Targeted):
    action_type: Literal["drag"] = "drag"
    to: ActionTarget


class Type(Action):
    """Key events into the target, or into the focused element; what is there stays."""

    action_type: Literal["type"] = "type"
    text: Text
    submit: bool = False
    """Press Enter afterwards."""


class Fill(_Targeted):
    """Set the value of a field, replacing what is there."""

    action_type: Literal["fill"] = "fill"
    text: Text


class PressKey(Action):
    """One chord; names as in W3C `KeyboardEvent.key`, modifiers first: `("Control", "s")`."""

    action_type: Literal["press_key"] = "press_key"
    keys: tuple[str, ...] = Field(min_length=1, max_length=5)


class Scroll(Action):
    """`dy` positive is down, `dx` positive is right."""

    action_type: Literal["scroll"] = "scroll"
    dx: int = 0
    dy: int = 0
    unit: Literal["notch", "px", "page"] = "notch"


class SelectOption(_Targeted):
    action_type: Literal["select_option"] = "select_option"
    option: str


class LaunchApp(Action):
    action_type: Literal["launch_app"] = "launch_app"
    app: str


class SwitchWindow(Action):
    action_type: Literal["switch_window"] = "switch_window"
    window: str
    """Window id, or its app."""


class Wait(Action):
    action_type: Literal["wait"] = "wait"
    seconds: float = Field(default=1.0, ge=0.0, le=600.0)


class Screenshot(Action):
    """Look again; `marks` narrows the annotation to these element ids (seed 001's SCREENSHOT)."""

    action_type: Literal["screenshot"] = "screenshot"
    marks: tuple[str, ...] = ()


class Memorize(Action):
    """Keep a value that is seen on the screen as a named fact on the blackboard."""

    inner: ClassVar[bool] = True
    action_type: Literal["memorize"] = "memorize"
    name: str = Field(min_length=1)
    value: Text


class Answer(Action):
    inner: ClassVar[bool] = True
    action_type: Literal["answer"] = "answer"
    text: Text


class AskUser(Action):
    inner: ClassVar[bool] = True
    action_type: Literal["ask_user"] = "ask_user"
    question: str = Field(min_length=1)
    name: str = "answer"
    """The fact that the reply becomes."""


class FinishGoal(Action):
    inner: ClassVar[bool] = True
    action_type: Literal["finish_goal"] = "finish_goal"
    summary: str = ""


class FailGoal(Action):
    inner: ClassVar[bool] = True
    action_type: Literal["fail_goal"] = "fail_goal"
    reason: str = ""


AgentAction = Annotated[
    Click | Hover | Drag | Type | Fill | PressKey | Scroll | SelectOption | LaunchApp | SwitchWindow | Wait | Screenshot
    | Memorize | Answer | AskUser | FinishGoal | FailGoal,
    Field(discriminator="action_type"),
]  # fmt: skip

_ADAPTER: TypeAdapter[Any] = TypeAdapter(AgentAction)


def parse_action(data: Any) -> AgentAction:
    """The action that `data` (a dict as `dump` writes it) means. Raises pydantic.ValidationError."""
    action: AgentAction = _ADAPTER.validate_python(data)
    return action


def describe(action: Action, *, hide_text: bool = False) -> str:
    """One line for people: `click "Save"`, `fill "Amount" with "$248.90"`. A name off the screen cannot break it."""
    return "⏎".join(_said(action, hide_text).splitlines())


def _said(action: Action, hide_text: bool) -> str:  # noqa: C901 - one case a verb
    where = f'"{action.target.describe()}"' if action.target else ""
    match action:
        case Click(button=button, count=count):
            verb = {2: "double-click", 3: "triple-click"}.get(count, "click")
            return f"{'' if button == 'left' else button + '-'}{verb} {where}"
        case Fill(text=text):
            return f"fill {where} with {'(hidden)' if hide_text else _quoted(text)}"
        case Type(text=text, submit=submit):
            into = f" into {where}" if where else ""
            return f"type {'(hidden)' if hide_text else _quoted(text)}{into}{' and press Enter' if submit else ''}"
        case PressKey(keys=keys):
            return f"press {'+'.join(keys)}" + (f" in {where}" if where else "")
        case Scroll(dx=dx, dy=dy, unit=unit):
            way = f"{'down' if dy > 0 else 'up'} {abs(dy)}" if dy else f"{'right' if dx > 0 else 'left'} {abs(dx)}"
            return f"scroll {way} {unit}" + (f" in {where}" if where else "")
        case SelectOption(option=option):
            return f"select {_quoted(option)} in {where}"
        case Drag(to=to):
            return f'drag {where} to "{to.describe()}"'
        case LaunchApp(app=app):
            return f"open {app}"
        case SwitchWindow(window=window):
            return f"switch to {window}"
        case Wait(seconds=seconds):
            return f"wait {seconds:g} s"
        case Memorize(name=name, value=value):
            return f"memorize {name} = {'(hidden)' if hide_text else _quoted(value)}"
        case Answer(text=text):
            return f"answer {'(hidden)' if hide_text else _quoted(text)}"
        case AskUser(question=question):
            return f"ask the user {_quoted(question)}"
        case _:
            return " ".join(part for part in (action.verb.replace("_", " "), where) if part)


def _quoted(text: str, limit: int = 60) -> str:
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{short}"'
