"""Who talks in the chat app, what was said, and how scripted people answer."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from environments.simulated.apps.office.calendar.event import Moment
from environments.simulated.world.values import Model


class Invite(Model):
    """An invitation that comes with an answer, for the calendar."""

    title: str
    start: Moment
    end: Moment
    place: str = ""


class Answer(Model):
    """When the user writes something that fits `when`, somebody says something. `*` and `?` stand for anything."""

    model_config = ConfigDict(validate_by_name=True)
    when: str = "*"
    say: str = Field(min_length=1)
    sender: str = Field(default="", alias="from")
    after: int = Field(default=0, ge=0, le=24 * 3600)
    """Seconds; at 0 the answer is there at once."""
    once: bool = False
    invite: Invite | None = None


class Conversation(Model):
    """Who talks, and how the others answer. The first rule that fits counts."""

    id: str
    title: str
    members: tuple[str, ...] = ()
    muted: bool = False
    answers: tuple[Answer, ...] = ()
    used: tuple[int, ...] = ()
    """Rules that answered already."""


class Message(Model):
    """Something that was said. The sender is empty where it was the user."""

    id: str
    conversation: str
    sender: str = ""
    text: str
    at: str
    unread: bool = False
    reply_to: str = ""


class PendingReply(Model):
    """An answer that is on its way."""

    conversation: str
    sender: str
    text: str
    at: str
    after: int = 0
    """Seconds that it takes."""
    invite: Invite | None = None
