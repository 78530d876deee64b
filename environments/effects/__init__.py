"""What an action does to the world outside: the words for it, what of it is permitted, and what an environment tells of it.

An effect is looked at where it happens. Words of a control only make a person be asked sooner.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal, TypeAlias

from pydantic import Field
from typing_extensions import Protocol, runtime_checkable

from protocol import Action, Extension, Frozen


class Effect(StrEnum):
    """From harmless to irreversible."""

    OBSERVE = "observe"
    NAVIGATE = "navigate"
    EDIT = "edit"
    SAVE = "save"
    ACTIVATE = "activate"
    CONFIRM = "confirm"
    SUBMIT = "submit"
    SEND = "send"
    PURCHASE = "purchase"
    ACCOUNT = "account"
    PERMISSION = "permission"
    ACTUATE = "actuate"
    UPLOAD = "upload"
    DOWNLOAD = "download"
    DELETE = "delete"


NetworkMode: TypeAlias = Literal["hold", "watch", "off"]
"""What becomes of a request that no permit and no rule covers: it is held and asked about, it is let go and told, or it is not
looked at."""


SENSITIVE: frozenset[Effect] = frozenset([*Effect][[*Effect].index(Effect.SUBMIT) :])
"""Effects that reach outside or cannot be taken back (seed 000): they want explicit approval."""


SELF = "self"
"""In place of a host: that of the page which sends it."""
QUERY = "QUERY"
"""In place of a method: a request that only asks, such as GraphQL by POST that defines nothing but queries."""


class NetworkRule(Frozen):
    """Requests that a page may send by itself, as globs. `operation` is that of a query by POST, where it names one."""

    method: str = "*"
    host: str = "*"
    path: str = "*"
    operation: str = "*"


class Network(Frozen):
    """What of a safety policy concerns requests."""

    mode: NetworkMode = "hold"
    allow: tuple[NetworkRule, ...] = ()


class Permit(Frozen):
    """What one action may do: given before it is performed, held against what is there right before it happens."""

    effects: tuple[Effect, ...] = ()
    """What was allowed or approved."""
    approved: bool = False
    """Whether a person said yes to exactly this."""
    control: dict[str, str] | None = None
    """The control that was reviewed, by `GuardedEnvironment.control`: digests by part. None where the action falls on none."""


class ControlSeen(Frozen):
    """The control on which an action would fall now: in the focus, at a point, or the one that it names."""

    parts: dict[str, str] = Field(default_factory=dict)
    """A digest by part (such as `name`, `leads`, `form`, `around`, `handlers`), each another one when that part is."""
    role: str = ""
    name: str = ""
    leads: str | None = None
    """What it is, is called and leads to at this moment, as a screen has it: held against the screen that was judged. Role and
    name are empty where it cannot be told, and so is where it leads where it is None."""
    told: tuple[str, ...] = ()
    """What a person should know of it and no screen shows, a sentence each."""


class HeldRequest(Frozen):
    """A request that a page wants to send and that nothing covers. It has not left."""

    request_id: str
    """A digest over method, address, names and values."""
    method: str
    host: str
    path: str
    operation: str = ""
    told: str = ""
    """What it would do, such as `POST amount=500 to bank.example/transfer`; private values masked."""
    effects: tuple[Effect, ...] = ()
    """What its address, its operation and its names say it does, the worst first."""


RELEASE = "x-deskcrew.release"
GONE = "nothing waits for it any more"
"""How the result of a release begins that came too late: the page has to send it again."""


def release(request: HeldRequest) -> Extension:
    """The action that lets a held request go, once."""
    return Extension(action_type=RELEASE, arguments={"request": request.request_id, "told": request.told})


def released(action: Action) -> str:
    """The id of the request that an action lets go; empty for any other action."""
    if not isinstance(action, Extension) or action.action_type != RELEASE:
        return ""
    return str(action.arguments.get("request", ""))


@runtime_checkable
class GuardedEnvironment(Protocol):
    """Performs under a permit, and holds what leaves it. What no permit was given for is performed as its caller likes."""

    def guard(self, network: Network) -> None:
        """From here on requests are treated so, also those that pages send by themselves between two actions."""

    def control(self, action: Action) -> ControlSeen | None:
        """The control on which it would fall now; None where it presses nothing and reaches nothing."""

    def admit(self, key: str, permit: Permit) -> None:
        """What the action of this key may do. Its `perform` refuses, before anything happens, what differs from it: the error
        begins with `contract.STOPPED`."""

    def held(self) -> Sequence[HeldRequest]:
        """Requests that wait, oldest first. `release(request)` performed lets one go; the next other action drops them all."""


class Change(Frozen):
    """One difference that an action would make."""

    effect: Effect
    app: str
    told: str
    """What it is, in words: `sends a mail to ada@example.com, subject "Plan", 2 attachments`."""
    path: str = ""
    """Where in the world's state, such as `apps.mail.messages.m7`."""
    digest: str = ""
    """Of all that is changed there, where the effect is sensitive: what no phrase tells is another one too."""
    declared: bool = True
    """Whether the app says what such a change does. Where it does not, the words of the action count as well."""


@runtime_checkable
class Preview(Protocol):
    """Can say what an action would change, by doing it in a fork."""

    def preview(self, action: Action) -> Sequence[Change] | None:
        """Every difference outside of the windows; empty where there is none; None where it cannot be told."""
