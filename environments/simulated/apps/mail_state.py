"""What the mail app knows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from pydantic import Field

from environments.simulated.app import AppState
from environments.simulated.values import Day, Model, Same, matches

Folder = Literal["Inbox", "Sent", "Drafts", "Archive", "Trash"]
FOLDERS: tuple[Folder, ...] = ("Inbox", "Sent", "Drafts", "Archive", "Trash")
GOALS: tuple[Folder, ...] = ("Inbox", "Archive", "Trash")
"""Folders that a message can be moved to."""
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
    selected: tuple[str, ...] = ()
    """Messages of the list, by id; the first one is where a range begins."""
    menu: Literal["", "more", "move"] = ""
    """Which menu is open; `move` is the one within `more`."""
    compose: Compose | None = None
    errors: dict[str, str] = Field(default_factory=dict)


def found(state: MailState) -> list[Message]:
    """The messages of the folder that fit the search, newest first."""
    return list(_found(Same(state.messages), state.folder, state.applied))


@lru_cache(maxsize=8)
def _found(messages: Same[dict[str, Message]], folder: str, query: str) -> tuple[Message, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    fits = [m for m in messages.value.values() if m.folder == folder and matches(query, m.subject, m.sender, m.to, m.body)]
    return tuple(sorted(reversed(fits), key=lambda message: message.date, reverse=True))


def addresses(state: MailState) -> tuple[str, ...]:
    """Whom the user has written to or heard from, for the fields of recipients to propose."""
    return _addresses(Same(state.messages), state.address)


@lru_cache(maxsize=8)
def _addresses(messages: Same[dict[str, Message]], own: str) -> tuple[str, ...]:
    known = {part for m in messages.value.values() for text in (m.sender, m.to, m.cc) for part in recipients(text)}
    return tuple(sorted(known - {own}, key=str.casefold))


def recipients(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,;]", text) if part.strip()]


def bad_address(text: str) -> str:
    """The first recipient that is no address: `Ann <ann@x.org>` is one."""
    for part in recipients(text):
        bare = re.sub(r"^.*<([^<>]*)>$", r"\1", part)
        if not _ADDRESS.match(bare):
            return part
    return ""
