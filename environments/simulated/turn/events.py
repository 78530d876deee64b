"""What happens to a world by itself: rules of the world file. What each effect does stands in effects.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from environments.simulated.turn.triggers import Label, Trigger
from environments.simulated.world.values import Model

_HARMLESS = {"info", "newsletter", "consent"}
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
        return self.kind in _HARMLESS


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


class Validate(Control):
    """A field does not take what is given to it, and says why, for so many attempts."""

    message: str = "This value is not accepted"
    times: Times = 1


class Autocomplete(Control):
    """What is written into a field becomes something else: only its first characters, or with more at its end."""

    keep: int | None = Field(default=None, ge=0)
    add: str = ""
    times: Times = 1

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.keep is None and not self.add:
            raise ValueError("autocomplete needs keep (how many characters stay) or add (what comes at the end)")
        return self


class FocusOn(Model):
    """The keyboard's focus jumps to another control."""

    app: str
    label: Label


class Rename(Model):
    """A control goes by another name from now on."""

    app: str
    label: Label
    to: Label
    seconds: Seconds | None = None


class Move(Model):
    """A control stands elsewhere among those beside it, for a while or for good."""

    app: str
    label: Label
    to: Literal["first", "last"] = "last"
    seconds: Seconds | None = None


class Cover(Model):
    """A banner lies over a control and takes its clicks until it goes, or until it is dismissed."""

    app: str
    label: Label
    text: str = "Something new is here. Have a look!"
    seconds: Seconds = 10.0
    dismiss: bool = False
    """Whether it has a button that takes it away."""


class Stale(Model):
    """A control is built anew: it looks the same, and is another one for whoever remembers it."""

    app: str
    label: Label


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

    @property
    def receiver(self) -> str | None:
        """The app in which it is."""
        return {"mail": "mail", "note": "notes", "chat": "chat"}.get(self.where, self.app)


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
    check_fails: Validate | None = Field(default=None, alias="validate")
    autocomplete: Autocomplete | None = None
    focus: FocusOn | None = None
    rename: Rename | None = None
    move: Move | None = None
    cover: Cover | None = None
    stale: Stale | None = None
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
        effect = self.effect
        named = [self.when.app, self.when.app_opened, getattr(effect, "app", None)]
        named.append("mail" if self.mail else "chat" if self.chat else self.inject.receiver if self.inject else None)
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
