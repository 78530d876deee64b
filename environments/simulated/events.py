"""What happens to a world by itself: rules of the world file, looked at after every action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from environments.simulated.values import Model

Label = str
_HARMLESS = {"info", "newsletter", "consent"}
TRIGGERS = ("after_actions", "app_opened", "clicked", "at", "submitted")
EFFECTS = ("popup", "loading", "swallow", "rename", "edit", "fail", "crash", "mail")


class When(Model):
    """One trigger; without any, the rule fires at the start."""

    after_actions: int | None = Field(default=None, ge=0)
    app_opened: str | None = None
    """The app comes to the front, or stands there at the start."""
    clicked: Label | None = None
    at: float | None = Field(default=None, ge=0)
    """Seconds on the world's clock."""
    submitted: Literal[True] | None = None
    """An app accepted a form."""
    app: str | None = None
    """Only while this app is in front; for `clicked` and `submitted`: only in this app."""
    once: bool = True

    @model_validator(mode="after")
    def _one_trigger(self) -> Self:
        given = [name for name in TRIGGERS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"one trigger is allowed, and {' and '.join(given)} are given")
        if not self.once and (not given or self.at is not None or self.after_actions == 0):
            raise ValueError("once: false needs a trigger that can come again: after_actions, app_opened, clicked or submitted")
        return self


class Popup(Model):
    """A dialog of the desktop itself; every button closes it. What kind it is shows in its words only."""

    title: str
    text: str = ""
    buttons: tuple[str, ...] = Field(default=("OK",), min_length=1)
    kind: Literal["info", "newsletter", "consent", "security", "permission", "payment", "account"] = "info"
    default: str | None = None
    """The button that Enter presses; the first one of a harmless dialog, none of another."""

    @model_validator(mode="after")
    def _default_exists(self) -> Self:
        if self.default is not None and self.default not in self.buttons:
            raise ValueError(f"default {self.default!r} is not one of the buttons {', '.join(self.buttons)}")
        return self

    @property
    def harmless(self) -> bool:
        return self.kind in _HARMLESS


class Loading(Model):
    """The app shows nothing but a progress bar for a while."""

    app: str
    seconds: float = Field(gt=0)


class Swallow(Model):
    """Clicks on a control do nothing; the keyboard still works."""

    app: str | None = None
    label: Label
    times: int = Field(default=1, ge=1)


class Rename(Model):
    """A control goes by another name from now on."""

    app: str
    label: Label
    to: Label


class Edit(Model):
    """Somebody else changes an app's state. `path` is dotted, or a list when a key has dots in it."""

    app: str
    path: str | tuple[str, ...]
    value: Any

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.path.split(".")) if isinstance(self.path, str) else self.path


class Fail(Model):
    """The next actions on a control report a failure; they have no effect, or have it nonetheless with `after`."""

    app: str | None = None
    label: Label
    error: str = "the application did not respond"
    status: Literal["error", "timeout"] = "error"
    after: bool = False
    times: int = Field(default=1, ge=1)


class Crash(Model):
    """The environment itself breaks: the action raises EnvironmentFault and is not performed."""

    message: str = "the desktop session was lost"
    times: int = Field(default=1, ge=1)


class Mail(Model):
    """A message arrives."""

    sender: str = Field(alias="from")
    subject: str
    body: str = ""


class Rule(Model):
    """When something happens, one thing follows."""

    when: When = When()
    popup: Popup | None = None
    loading: Loading | None = None
    swallow: Swallow | None = None
    rename: Rename | None = None
    edit: Edit | None = None
    fail: Fail | None = None
    crash: Crash | None = None
    mail: Mail | None = None

    @model_validator(mode="after")
    def _one_effect(self) -> Self:
        given = [name for name in EFFECTS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one effect is needed ({', '.join(EFFECTS)}), and {' and '.join(given) or 'none'} is given")
        return self

    def apps(self) -> list[str]:
        """Every app that the rule speaks of."""
        parts = (self.loading, self.swallow, self.rename, self.edit, self.fail)
        named = [self.when.app, self.when.app_opened, *(part.app for part in parts if part), "mail" if self.mail else None]
        return [name for name in named if name]


class Happening(NamedTuple):
    """Something that a trigger may wait for."""

    kind: Literal["app_opened", "clicked", "submitted"]
    app: str
    label: str = ""


def due(rule: Rule, fired: int, actions: int, clock: float, front: str | None, happened: Iterable[Happening]) -> bool:
    """Whether a rule fires now. `fired` is how often it did before."""
    when = rule.when
    if when.once and fired:
        return False
    if when.clicked is not None or when.submitted or when.app_opened is not None:
        return any(_fits(when, happening) for happening in happened)
    if when.app is not None and when.app != front:
        return False
    if when.at is not None:
        return clock >= when.at
    count = when.after_actions or 0
    return actions >= count if when.once else actions // count > fired


def _fits(when: When, happening: Happening) -> bool:
    if when.app not in (None, happening.app):
        return False
    if happening.kind == "clicked":
        return when.clicked is not None and same_label(when.clicked, happening.label)
    if happening.kind == "app_opened":
        return when.app_opened == happening.app
    return bool(when.submitted)


def same_label(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def set_in(data: Any, keys: Sequence[str], value: Any) -> Any:
    """`data` with another value at `keys`. Raises KeyError with the part that is not there."""
    head, rest = keys[0], keys[1:]
    if isinstance(data, dict):
        if head not in data:
            raise KeyError(head)
        return {**data, head: set_in(data[head], rest, value) if rest else value}
    if isinstance(data, list) and head.isdigit() and int(head) < len(data):
        at = int(head)
        return [*data[:at], set_in(data[at], rest, value) if rest else value, *data[at + 1 :]]
    raise KeyError(head)
