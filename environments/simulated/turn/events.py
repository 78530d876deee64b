"""What happens to a world by itself: rules of the world file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from environments.simulated.world.values import Model

Label = str
TRIGGERS = ("after_actions", "app_opened", "clicked", "at", "submitted", "after")
_TIMED = ("at", "after", "every")
_TIME = re.compile(r"^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{1,2}):(\d{2})$")


def start_time(value: str) -> str:
    """`9:30` as `09:30`, and `2026-03-02T9:30` as `2026-03-02 09:30`. Raises ValueError for what is neither."""
    found = _TIME.match(value.strip())
    try:
        text = f"{found[1] or '2000-01-01'} {int(found[2]):02d}:{found[3]}" if found else ""
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f'{value!r} is not a time; write it like "10:30" or "2026-03-02 10:30"') from None
    return text if found and found[1] else text[11:]


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        return start_time(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < 0:
            raise ValueError(f"{value} is before the start; seconds count from 0")
        return float(value)
    return value


Moment = Annotated[float | str, BeforeValidator(_moment)]
"""Seconds on the world's clock, `10:30`, or `2026-03-02 10:30`."""


class After(Model):
    """So many seconds after another rule fired for the first time."""

    event: str = Field(min_length=1)
    seconds: float = Field(default=0.0, ge=0)


def _afters(value: Any) -> Any:
    items = value if isinstance(value, list | tuple) else [value]
    return [{"event": item} if isinstance(item, str) else item for item in items]


class Trigger(Model):
    """One trigger; without any, the rule fires at the start."""

    after_actions: int | None = Field(default=None, ge=0)
    app_opened: str | None = None
    """The app comes to the front, or stands there at the start."""
    clicked: Label | None = None
    at: Moment | None = None
    after: Annotated[tuple[After, ...], BeforeValidator(_afters), Field(min_length=1)] | None = None
    """After another rule, or after all of several: the name of one, or `{event: NAME, seconds: N}`."""
    submitted: Literal[True] | None = None
    """An app accepted a form."""
    condition: str | None = Field(default=None, alias="if")
    """In CEL over `world`. By itself it is the trigger; beside another trigger it must hold at that moment."""
    every: float | None = Field(default=None, ge=1)
    """Again and again, with so many seconds in between; the first time when `at` or `after` say, else after one such time."""
    times: int | None = Field(default=None, ge=1)
    """How often at most, for `every`."""
    chance: float = Field(default=1.0, gt=0, le=1)
    """How likely it is each time, drawn from the seed of the world."""
    app: str | None = None
    """Only while this app is in front; for `clicked` and `submitted`: only in this app."""
    once: bool = True

    @model_validator(mode="after")
    def _one_trigger(self) -> Self:
        given = [name for name in TRIGGERS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"one trigger is allowed, and {' and '.join(given)} are given")
        if self.every is not None and given not in ([], ["at"], ["after"]):
            raise ValueError(f"every goes with at or after only, and {given[0]} is given")
        if self.times is not None and self.every is None:
            raise ValueError("times needs every, which says how many seconds are in between")
        comes_again = given and self.at is None and self.after is None and self.after_actions != 0
        if not self.once and (self.every is not None or not (comes_again or (self.condition and not given))):
            raise ValueError(
                "once: false needs a trigger that can come again: after_actions, app_opened, clicked, submitted or if; "
                "for a time, say every"
            )
        return self

    @property
    def timed(self) -> bool:
        """Whether the clock alone brings it."""
        return any(getattr(self, name) is not None for name in _TIMED)

    @property
    def happens(self) -> bool:
        """Whether it waits for something that an action makes happen."""
        return self.clicked is not None or self.submitted is not None or self.app_opened is not None

    @property
    def conditional(self) -> bool:
        """Whether its condition is its trigger."""
        return self.condition is not None and not self.timed and not self.happens and self.after_actions is None

    def due(self, tried: int, fired_at: Mapping[str, float], starts: str) -> float | None:
        """When the clock brings it next; None when nothing says so, or no longer. `tried` is how often its time came before."""
        if not self.timed or tried >= (self.times or (1 if self.every is None else tried + 1)):
            return None
        if any(after.event not in fired_at for after in self.after or ()):
            return None
        first = self.every or 0.0
        if self.at is not None:
            first = seconds_until(self.at, starts)
        elif self.after is not None:
            first = max(fired_at[after.event] + after.seconds for after in self.after)
        return round(first + tried * (self.every or 0.0), 3)

    def counted(self, tried: int, actions: int) -> bool:
        """Whether the number of actions brings it; a rule without any trigger comes with the start."""
        if self.timed or self.happens or self.conditional:
            return False
        count = self.after_actions or 0
        return actions >= count and not tried if self.once else actions // count > tried

    def brought(self, happened: Iterable[TriggerEvent]) -> bool:
        """Whether one of the things that happened brings it."""
        return any(self.app in (None, happening.app) and self._fits(happening) for happening in happened)

    def _fits(self, happening: TriggerEvent) -> bool:
        if happening.kind == "clicked":
            return self.clicked is not None and same_label(self.clicked, happening.label)
        if happening.kind == "app_opened":
            return self.app_opened == happening.app
        return bool(self.submitted)


class TriggerEvent(NamedTuple):
    """Something that a trigger may wait for."""

    kind: Literal["app_opened", "clicked", "submitted"]
    app: str
    label: str = ""


def same_label(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


@lru_cache(maxsize=1024)
def seconds_until(moment: float | str, starts: str) -> float:
    """A moment on the clock of a world that starts at `starts`; a time of day is the next one from then on."""
    if not isinstance(moment, str):
        return float(moment)
    start = datetime.fromisoformat(starts)
    if len(moment) > 5:
        return (datetime.fromisoformat(moment) - start).total_seconds()
    then = datetime.fromisoformat(f"{starts[:10]} {moment}")
    return (then - start + timedelta(days=then < start)).total_seconds()


def moment_of(starts: str, clock: float) -> str:
    """Day and time, `2026-03-02 10:30`, at so many seconds after the start."""
    return (datetime.fromisoformat(starts) + timedelta(seconds=clock)).isoformat(" ", "minutes")


Seconds = Annotated[float, Field(gt=0)]
Times = Annotated[int, Field(ge=1)]


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
        return self.kind in ("info", "newsletter", "consent")


class Loading(Model):
    """The app shows nothing but a progress bar for a while."""

    app: str
    seconds: Seconds


class Control(Model):
    """A control that is meant by its label; without an app, in any."""

    app: str | None = None
    label: Label


class Swallow(Control):
    """Clicks on a control do nothing; the keyboard still works."""

    times: Times = 1


class Twice(Control):
    """A click on a control arrives twice, the second time with the form as it was: what it submits is there twice."""

    times: Times = 1


class Fail(Control):
    """The next actions on a control report a failure; they have no effect, or have it nonetheless with `after`."""

    error: str = "the application did not respond"
    status: Literal["error", "timeout"] = "error"
    after: bool = False
    times: Times = 1


class AppControl(Model):
    """A control of one app, by its label."""

    app: str
    label: Label


class Rename(AppControl):
    """A control goes by another name from now on."""

    to: Label
    seconds: Seconds | None = None


class Move(AppControl):
    """A control stands elsewhere among those beside it, for a while or for good."""

    to: Literal["first", "last"] = "last"
    seconds: Seconds | None = None


class Cover(AppControl):
    """A banner lies over a control and takes its clicks until it goes, or until it is dismissed."""

    text: str = "Something new is here. Have a look!"
    seconds: Seconds = 10.0
    dismiss: bool = False
    """Whether it has a button that takes it away."""


class Edit(Model):
    """Somebody else changes an app's state. `path` is dotted, or a list when a key has dots in it."""

    app: str
    path: str | tuple[str, ...]
    value: Any

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.path.split(".")) if isinstance(self.path, str) else self.path


class Crash(Model):
    """The environment itself breaks: the action raises EnvironmentFault and is not performed."""

    message: str = "the desktop session was lost"
    times: Times = 1


class CrashApp(Model):
    """An app ends by itself: its window goes, and what was begun in it and not saved is lost."""

    app: str


class Mail(Model):
    """A message arrives."""

    sender: str = Field(alias="from")
    subject: str
    body: str = ""


class Chat(Model):
    """Somebody says something in a conversation with them, or in that of another name."""

    sender: str = Field(alias="from", min_length=1)
    text: str = Field(min_length=1)
    conversation: str = ""


class Note(Model):
    """A notification of the desktop, which opens the app when it is pressed."""

    title: str = Field(min_length=1)
    text: str = ""
    app: str | None = None


class Deadline(Model):
    """A time by which something should have been done. That it has passed is recorded; a notice says so if it has words."""

    name: str = Field(min_length=1)
    notice: str = ""


class Expire(Model):
    """The user is signed out, and nothing goes on before the password is given."""

    app: str | None = None
    """The app that may be closed instead."""
    title: str = "Your session has expired"
    text: str = "Sign in again to continue."
    password: str | None = None
    """The right one; any that is not empty when left out."""


class Network(Model):
    """Nothing can be saved for a while: it fails before, or with `after` when it is saved already."""

    seconds: Seconds = 30.0
    app: str | None = None
    after: bool = False
    error: str = ""

    @property
    def says(self) -> str:
        return self.error or ("the network was lost" if self.after else "the network is down; nothing was saved")


class Inject(Model):
    """Text on the screen that wants to instruct whoever reads it."""

    text: str = Field(min_length=1)
    where: Literal["mail", "note", "chat", "banner", "toast", "placeholder", "notice"] = "banner"
    app: str | None = None
    """For a banner or a placeholder."""
    label: Label = ""
    """The field whose placeholder it is."""
    sender: str = Field(default="it-support@example.com", alias="from")

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if self.where in ("banner", "placeholder") and not self.app:
            raise ValueError(f"a {self.where} needs app, the app in which it is shown")
        if self.where == "placeholder" and not self.label:
            raise ValueError("a placeholder needs label, the field in which it is shown")
        return self


class Rule(Model):
    """When something happens, one thing follows."""

    name: str | None = Field(default=None, min_length=1)
    """What the `after` of other rules calls it."""
    when: Trigger = Trigger()
    popup: Popup | None = None
    loading: Loading | None = None
    swallow: Swallow | None = None
    twice: Twice | None = None
    fail: Fail | None = None
    rename: Rename | None = None
    move: Move | None = None
    cover: Cover | None = None
    edit: Edit | None = None
    crash: Crash | None = None
    crash_app: CrashApp | None = None
    mail: Mail | None = None
    chat: Chat | None = None
    notice: Note | None = None
    deadline: Deadline | None = None
    expire: Expire | None = None
    network: Network | None = None
    inject: Inject | None = None

    @model_validator(mode="after")
    def _one_effect(self) -> Self:
        given = [name for name in EFFECTS if getattr(self, FIELDS[name]) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one effect is needed ({', '.join(EFFECTS)}), and {' and '.join(given) or 'none'} is given")
        return self

    @property
    def effect(self) -> Model:
        """The one thing that follows."""
        parts: list[Model | None] = [getattr(self, FIELDS[name]) for name in EFFECTS]
        return next(part for part in parts if part is not None)

    def apps(self) -> list[str]:
        """Every app that the rule speaks of."""
        named = [self.when.app, self.when.app_opened, getattr(self.effect, "app", None), "mail" if self.mail else None]
        named.append("chat" if self.chat else None)
        if self.inject:
            named.append({"mail": "mail", "note": "notes", "chat": "chat"}.get(self.inject.where))
        return [name for name in named if name]


FIELDS = {field.alias or name: name for name, field in Rule.model_fields.items() if name not in ("name", "when")}
"""The effects by the word in a world file, and their fields in a rule."""
EFFECTS = tuple(FIELDS)


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
