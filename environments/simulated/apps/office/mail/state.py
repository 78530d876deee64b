"""What the mail app knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pydantic import Field

from environments.simulated.app import Away, Context, Effect, Event, Hovered, Pressed, Shortcut, Swiped, Toast, Update
from environments.simulated.apps.common.record_list import ListState, picked
from environments.simulated.world.values import Day, IdentityKey, Model, matches

Folder = Literal["Inbox", "Sent", "Drafts", "Archive", "Trash"]
FOLDERS: tuple[Folder, ...] = ("Inbox", "Sent", "Drafts", "Archive", "Trash")
GOALS: tuple[Folder, ...] = ("Inbox", "Archive", "Trash")
"""Folders that a message can be moved to."""
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


class MailState(ListState):
    """Messages by id, and what is looked at or written."""

    messages: dict[str, Message]
    address: str
    today: str
    counter: int
    folder: Folder = "Inbox"
    open: str = ""
    selected: tuple[str, ...] = ()
    """Messages of the list, by id; the first one is where a range begins."""
    menu: Literal["", "more", "move"] = ""
    """Which menu is open; `move` is the one within `more`."""
    compose: Compose | None = None
    errors: dict[str, str] = Field(default_factory=dict)

    def found(self) -> list[Message]:
        """The messages of the folder that fit the search, newest first."""
        return list(_found(IdentityKey(self.messages), self.folder, self.applied))

    def addresses(self) -> tuple[str, ...]:
        """Whom the user has written to or heard from, for the fields of recipients to propose."""
        return _addresses(IdentityKey(self.messages), self.address)

    def sorting(self, event: Event) -> Update[MailState] | None:
        """What an event means for the selection and its menu; None when it has nothing to do with them."""
        if self.compose is not None:
            return None
        match event:
            case Pressed(key="more"):
                return Update(self.replace(menu="" if self.menu else "more"))
            case Hovered(key="move-to") | Pressed(key="move-to") if self.menu:
                return Update(self.replace(menu="move"))
            case Hovered(key=key) if self.menu and key not in _MOVES:
                return Update(self.replace(menu="more"))
            case Away(pressed=pressed) if self.menu:
                return Update(self.replace(menu="" if pressed else "more"))
            case Shortcut(chord="Escape") if self.menu:
                return Update(self.replace(menu=""))
        if isinstance(event, Pressed) and self.menu and (done := self._done(event.key)) is not None:
            return done
        return None if self.open in self.messages else self._choosing(event)

    def _choosing(self, event: Event) -> Update[MailState] | None:
        match event:
            case Pressed(key=key, modifiers=held) if key.startswith("message-") and any(name in held for name in _CHOOSING):
                order = [message.id for message in self.found()]
                name = key.removeprefix("message-").removesuffix(".subject")
                return Update(self.replace(selected=picked(order, self.selected, name, held)))
            case Context(key=key):
                name = key.removeprefix("message-")
                kept = self.selected if name in self.selected else (name,)
                return Update(self.replace(selected=kept, menu="more"))
            case Swiped(key=key, direction="left"):
                return Update(self._changed((key.removeprefix("message-"),), folder="Archive"), (Toast("Moved to Archive"),))
            case Swiped(key=key, direction="right"):
                return Update(self._changed((key.removeprefix("message-"),), unread=False), (Toast("Marked as read"),))
            case Shortcut(chord="Control+a" | "Meta+a"):
                return Update(self._all())
            case Shortcut(chord="Escape") if self.selected:
                return Update(self.replace(selected=()))
            case Pressed(key="delete-selected") | Shortcut(chord="Delete") if self.selected:
                many = len(self.selected)
                return Update(self.deleted(self.selected), (Toast(f"{_counted(many)} deleted"),))
        return None

    def _done(self, key: str) -> Update[MailState] | None:
        """An item of the menu; it closes by that."""
        names = (self.open,) if self.open in self.messages else self.selected
        closed = self.replace(menu="")
        if key == "select-all":
            return Update(closed._all())
        if key in ("mark-read", "mark-unread"):
            unread = key == "mark-unread"
            return Update(closed._changed(names, unread=unread), (Toast(f"Marked as {'unread' if unread else 'read'}"),))
        if key in _MOVES:
            moved = closed._changed(names, folder=_MOVES[key]).replace(selected=(), open="")
            effects: tuple[Effect, ...] = (Toast(f"{_counted(len(names))} moved to {_MOVES[key]}"),)
            return Update(moved, effects)
        return None

    def _all(self) -> MailState:
        return self.replace(selected=tuple(message.id for message in self.found()))

    def _changed(self, names: Sequence[str], **fields: bool | str) -> MailState:
        changed: dict[str, Message] = {n: self.messages[n].replace(**fields) for n in names if n in self.messages}
        return self.replace(messages={**self.messages, **changed})

    def deleted(self, names: Sequence[str]) -> MailState:
        """Messages go to Trash, and from there for good."""
        messages = dict(self.messages)
        for name in names:
            message = messages.get(name)
            if message is None:
                continue
            if message.folder == "Trash":
                del messages[name]
            else:
                messages[name] = message.replace(folder="Trash")
        return self.replace(messages=messages, selected=())


@lru_cache(maxsize=8)
def _found(messages: IdentityKey[dict[str, Message]], folder: str, query: str) -> tuple[Message, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    fits = [m for m in messages.value.values() if m.folder == folder and matches(query, m.subject, m.sender, m.to, m.body)]
    return tuple(sorted(reversed(fits), key=lambda message: message.date, reverse=True))


@lru_cache(maxsize=8)
def _addresses(messages: IdentityKey[dict[str, Message]], own: str) -> tuple[str, ...]:
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


_MOVES: dict[str, Folder] = {f"move-{name.lower()}": name for name in GOALS}
_CHOOSING = ("Shift", "Control", "Meta", "ControlOrMeta")


def _counted(many: int) -> str:
    return "Message" if many == 1 else f"{many} messages"
