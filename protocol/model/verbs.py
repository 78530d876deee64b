"""The verbs: one frozen class each, and `Extension` for those of others. Sources: seeds 001, 003 and 004."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, JsonValue, model_validator
from pydantic_core import from_json

from protocol.model.geometry import AnyBox, At, Frozen, Number, TaggedModel
from protocol.model.keys import Key, Keys, Modifiers
from protocol.model.targets import ActionTarget

Text = Annotated[str, Field(max_length=100_000)]
Name = Annotated[str, Field(min_length=1, max_length=2_000)]

CARRIES = frozenset({"text", "options", "url", "files", "code", "request", "arguments", "value", "question"})
"""Fields that take content somewhere: what a rule on values looks at, and what is hidden where the content is private."""


class Action(TaggedModel):
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

    @cached_property
    def written(self) -> str:
        """The whole action as JSON."""
        return self.model_dump_json()

    @cached_property
    def digest(self) -> str:
        """Hash of the whole action: an approval is bound to it, so an edited action needs a new one."""
        return hashlib.blake2b(self.written.encode(), digest_size=12).hexdigest()

    @cached_property
    def short(self) -> bytes:
        """JSON without what is default, as bytes."""
        return self.model_dump_json(exclude_defaults=True).encode()

    def dump(self) -> dict[str, Any]:
        """JSON form without what is default; `parse_action` reads it back."""
        dumped: dict[str, Any] = from_json(self.short)
        return dumped


class _Targeted(Action):
    @model_validator(mode="after")
    def _has_target(self) -> _Targeted:
        if self.target is None:
            raise ValueError(f"{self.verb} needs a target")
        return self


Button = Literal["left", "right", "middle", "back", "forward"]


class Click(_Targeted):
    """Press and release. Double, right and middle clicks are its fields, not verbs of their own."""

    action_type: Literal["click"] = "click"
    button: Button = "left"
    count: int = Field(default=1, ge=1, le=3)
    modifiers: Modifiers = ()
    hold: float = Field(default=0.0, ge=0.0, le=60.0)
    """Seconds between press and release: a long press."""


class MouseDown(Action):
    """Press a button and keep it down, at the target or where the pointer is."""

    action_type: Literal["mouse_down"] = "mouse_down"
    button: Button = "left"


class MouseUp(Action):
    action_type: Literal["mouse_up"] = "mouse_up"
    button: Button = "left"


class Hover(_Targeted):
    action_type: Literal["hover"] = "hover"
    modifiers: Modifiers = ()


class Drag(_Targeted):
    """From `target` to `to`; `path` holds the points in between, in order."""

    action_type: Literal["drag"] = "drag"
    to: ActionTarget
    path: tuple[At, ...] = Field(default=(), max_length=1_000)
    button: Button = "left"
    modifiers: Modifiers = ()


class Type(Action):
    """Key events into the target, or into the focused element; what is there stays."""

    action_type: Literal["type"] = "type"
    text: Text
    submit: bool = False
    """Press Enter afterwards. Never implied."""


class Fill(_Targeted):
    """Set the value of a field, replacing what is there."""

    action_type: Literal["fill"] = "fill"
    text: Text
    submit: bool = False
    """Press Enter afterwards. Never implied."""


class PressKey(Action):
    """One chord; names as in W3C `KeyboardEvent.key`, modifiers first: `("Control", "s")`."""

    action_type: Literal["press_key"] = "press_key"
    keys: Keys


class HoldKey(Action):
    """One chord, held down for a while."""

    action_type: Literal["hold_key"] = "hold_key"
    keys: Keys
    seconds: float = Field(ge=0.0, le=100.0)


class KeyDown(Action):
    """Press a key and keep it down until `key_up`."""

    action_type: Literal["key_down"] = "key_down"
    key: Key


class KeyUp(Action):
    action_type: Literal["key_up"] = "key_up"
    key: Key


class Delta(Frozen):
    """How far the view moves over the content: `y` positive is down, `x` positive is right, as a W3C wheel event has it."""

    x: Number = 0
    y: Number = 0


Direction = Literal["up", "down", "left", "right"]
_WAYS: dict[str, tuple[str, int]] = {"up": ("y", -1), "down": ("y", 1), "left": ("x", -1), "right": ("x", 1)}


def _toward(direction: str, amount: float) -> dict[str, float]:
    """The delta of so far that way, and not at all across it."""
    axis, sign = _WAYS[direction]
    return {axis: sign * amount}


class Scroll(Action):
    """Move the view. Also read: `direction` with `amount` (seed 003), and `dx`, `dy`."""

    action_type: Literal["scroll"] = "scroll"
    delta: Delta = Delta()
    unit: Literal["notch", "px", "page"] = "notch"
    modifiers: Modifiers = ()

    @classmethod
    def toward(
        cls,
        direction: Direction,
        amount: int | float = 1,
        unit: Literal["notch", "px", "page"] = "notch",
        target: ActionTarget | None = None,
    ) -> Scroll:
        return cls(delta=Delta(**_toward(direction, amount)), unit=unit, target=target)

    @model_validator(mode="before")
    @classmethod
    def _sugar(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or not data.keys() & {"direction", "amount", "dx", "dy"}:
            return data
        given = dict(data)
        if "delta" in given or {"direction", "dx"} <= given.keys() or {"direction", "dy"} <= given.keys():
            raise ValueError("a scroll has one of delta, dx and dy, or direction and amount")
        if "direction" not in given:
            if "amount" in given:
                raise ValueError("amount needs a direction: up, down, left or right")
            delta = {"x": given.pop("dx", 0), "y": given.pop("dy", 0)}
            return {**given, "delta": delta}
        direction, amount = given.pop("direction"), given.pop("amount", 1)
        if direction not in tuple(_WAYS):
            raise ValueError(f"direction is up, down, left or right, not {direction!r}")
        if isinstance(amount, bool) or not isinstance(amount, int | float) or amount < 0:
            raise ValueError(f"amount is a number that is not negative, not {amount!r}; the direction says where to")
        return {**given, "delta": _toward(direction, amount)}


class SelectOption(_Targeted):
    """Choose in a list; several options where it takes several."""

    action_type: Literal["select_option"] = "select_option"
    options: Annotated[tuple[str, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)] = Field(
        min_length=1, max_length=1_000
    )

    @property
    def option(self) -> str:
        """The options as one would say them."""
        return ", ".join(self.options)


class LaunchApp(Action):
    action_type: Literal["launch_app"] = "launch_app"
    app: str


class SwitchWindow(Action):
    action_type: Literal["switch_window"] = "switch_window"
    window: str
    """Window id, or its app."""


class Navigate(Action):
    """Open an address in the current page."""

    action_type: Literal["navigate"] = "navigate"
    url: Name


class GoBack(Action):
    action_type: Literal["go_back"] = "go_back"


class GoForward(Action):
    action_type: Literal["go_forward"] = "go_forward"


class Tabs(Action):
    """Open, close, choose or list the tabs of a browser."""

    action_type: Literal["tabs"] = "tabs"
    op: Literal["list", "new", "close", "select"]
    index: int | None = Field(default=None, ge=0)
    """Which tab, from 0; the current one where it is left out."""
    url: str | None = None

    @model_validator(mode="after")
    def _fits_its_op(self) -> Tabs:
        if self.op == "select" and self.index is None:
            raise ValueError("tabs select needs the index of a tab")
        if self.index is not None and self.op in ("list", "new"):
            raise ValueError(f"tabs {self.op} takes no index")
        if self.url is not None and self.op != "new":
            raise ValueError(f"tabs {self.op} takes no url")
        return self


class Wait(Action):
    """Wait for a time; with a condition no longer than that time."""

    action_type: Literal["wait"] = "wait"
    seconds: float = Field(default=1.0, ge=0.0, le=600.0)
    text: str | None = None
    """Wait until this text shows."""
    text_gone: str | None = None
    """Wait until this text no longer shows."""


class Screenshot(Action):
    """Look again; `marks` narrows the annotation to these element ids (seed 001's SCREENSHOT), `region` the view."""

    action_type: Literal["screenshot"] = "screenshot"
    marks: tuple[str, ...] = ()
    region: AnyBox | None = None


class Upload(_Targeted):
    """Give files to a file field; paths are the environment's own."""

    action_type: Literal["upload"] = "upload"
    files: tuple[str, ...] = Field(min_length=1, max_length=1_000)


class CallApi(Action):
    """A function of the app's own interface, beside its GUI (seed 001)."""

    action_type: Literal["call_api"] = "call_api"
    app: Name
    function: Name
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class AskInAppAgent(Action):
    """A request in words to the agent that an app brings along (seed 001)."""

    action_type: Literal["ask_in_app_agent"] = "ask_in_app_agent"
    app: Name
    request: Annotated[Text, Field(min_length=1)]


class RunScript(Action):
    """Code for the sandbox of the environment, never for this process."""

    action_type: Literal["run_script"] = "run_script"
    language: Literal["bash", "python"] = "bash"
    code: Text


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


class Extension(Action):
    """A verb of somebody else's, carried whole: `x-anthropic.cursor_position`. An environment may perform some by agreement."""

    action_type: str = Field(pattern=r"^x-[a-z0-9][a-z0-9_.-]*$", max_length=100)
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
