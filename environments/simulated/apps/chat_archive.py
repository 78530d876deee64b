"""All messages sorted into conversations, once for each content: a page then costs what it shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from environments.simulated.apps.chat_talk import Conversation, Message
from environments.simulated.values import Same, matches


class Row(NamedTuple):
    """A conversation in the list."""

    talk: Conversation
    last: Message | None
    unread: int


class Archive:
    """What was said, by conversation, oldest first; messages of the same minute stay in the order in which they came."""

    def __init__(self, messages: Mapping[str, Message]) -> None:
        sorted_out: dict[str, list[Message]] = defaultdict(list)
        for message in messages.values():
            sorted_out[message.conversation].append(message)
        self._said = {name: tuple(sorted(said, key=attrgetter("at"))) for name, said in sorted_out.items()}
        self._unread = {name: sum(m.unread for m in said) for name, said in self._said.items()}

    def said_in(self, conversation: str) -> tuple[Message, ...]:
        return self._said.get(conversation, ())

    def last(self, conversation: str) -> Message | None:
        said = self._said.get(conversation)
        return said[-1] if said else None

    def unread(self, conversation: str) -> int:
        return self._unread.get(conversation, 0)


@lru_cache(maxsize=8)
def archive(messages: Same[dict[str, Message]]) -> Archive:
    return Archive(messages.value)


class Rows(NamedTuple):
    """All conversations, the one with the newest message first."""

    rows: tuple[Row, ...]
    unread: int
    """Messages that are not read, without those of muted conversations."""


@lru_cache(maxsize=8)
def rows_of(conversations: Same[dict[str, Conversation]], messages: Same[dict[str, Message]]) -> Rows:
    every = archive(messages)
    rows = [Row(talk, every.last(talk.id), every.unread(talk.id)) for talk in conversations.value.values()]
    rows.sort(key=lambda row: row.talk.title.casefold())
    rows.sort(key=lambda row: row.last.at if row.last else "", reverse=True)
    return Rows(tuple(rows), sum(row.unread for row in rows if not row.talk.muted))


@lru_cache(maxsize=8)
def fitting(conversations: Same[dict[str, Conversation]], messages: Same[dict[str, Message]], query: str) -> tuple[Message, ...]:
    """Messages that have all words of the query, newest first."""
    titles = {talk.id: talk.title for talk in conversations.value.values()}
    fits = [m for m in messages.value.values() if matches(query, m.text, m.sender, titles.get(m.conversation, ""))]
    return tuple(sorted(reversed(fits), key=attrgetter("at"), reverse=True))


@lru_cache(maxsize=8)
def put_there(incoming: Same[dict[str, str]]) -> tuple[tuple[str, str], ...]:
    """Conversations into which a rule of the world has put a text, and the text."""
    return tuple((name, text) for name, text in incoming.value.items() if text)
