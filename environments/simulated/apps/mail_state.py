"""What the mail app knows."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field

from environments.simulated.app import AppState
from environments.simulated.values import Day, Model, matches

Folder = Literal["Inbox", "Sent", "Drafts", "Trash"]
FOLDERS: tuple[Folder, ...] = ("Inbox", "Sent", "Drafts", "Trash")
PAGE_SIZE = 12
_ADDRESS = re.compile(r"^[^@\s,;]+@[^@\s,;]+\.[^@\s,;.]+$")


class Message(Model):
    """A message in one folder."""

    id: str
    folder: Folder = "Inbox"
    sender: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    date: Day = ""
    body: str = ""
    unread: bool = False


class Compose(Model):
    """A message that is being written. `draft` is the id of the draft it came from."""

    to: str = ""
    cc: str = ""
    subject: str = ""
    body: str = ""
    draft: str = ""

    @property
    def empty(self) -> bool:
        return not (self.to or self.cc or self.subject or self.body)


class MailState(AppState):
    """Messages by id, and what is looked at or written."""

    messages: dict[str, Message]
    address: str
    today: str
    counter: int
    folder: Folder = "Inbox"
    query: str = ""
    applied: str = ""
    page: int = 1
    open: str = ""
    compose: Compose | None = None
    errors: dict[str, str] = Field(default_factory=dict)


def found(state: MailState) -> list[Message]:
    """The messages of the folder that fit the search, newest first."""
    fits = [
        m
        for m in state.messages.values()
        if m.folder == state.folder and matches(state.applied, m.subject, m.sender, m.to, m.body)
    ]
    return sorted(reversed(fits), key=lambda message: message.date, reverse=True)


def recipients(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,;]", text) if part.strip()]


def bad_address(text: str) -> str:
    """The first recipient that is no address: `Ann <ann@x.org>` is one."""
    for part in recipients(text):
        bare = re.sub(r"^.*<([^<>]*)>$", r"\1", part)
        if not _ADDRESS.match(bare):
            return part
    return ""
