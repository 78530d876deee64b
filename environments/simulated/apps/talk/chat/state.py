"""What the chat app knows, and what becomes of it when somebody says something.

A message gets the time one minute after the one before. An answer that takes a while is on its way until the clock has gone on
so far, or until the next thing that happens in the app.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from pydantic import ConfigDict, Field

from environments.simulated.app import Effect, Later, Notify, Toast
from environments.simulated.apps.common.record_list import ListState
from environments.simulated.apps.office.calendar.state import Moment, moment_after
from environments.simulated.world.values import IdentityKey, Model, matches


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
def archive(messages: IdentityKey[dict[str, Message]]) -> Archive:
    return Archive(messages.value)


class Rows(NamedTuple):
    """All conversations, the one with the newest message first."""

    rows: tuple[Row, ...]
    unread: int
    """Messages that are not read, without those of muted conversations."""


@lru_cache(maxsize=8)
def rows_of(conversations: IdentityKey[dict[str, Conversation]], messages: IdentityKey[dict[str, Message]]) -> Rows:
    every = archive(messages)
    rows = [Row(talk, every.last(talk.id), every.unread(talk.id)) for talk in conversations.value.values()]
    rows.sort(key=lambda row: row.talk.title.casefold())
    rows.sort(key=lambda row: row.last.at if row.last else "", reverse=True)
    return Rows(tuple(rows), sum(row.unread for row in rows if not row.talk.muted))


@lru_cache(maxsize=8)
def fitting(
    conversations: IdentityKey[dict[str, Conversation]], messages: IdentityKey[dict[str, Message]], query: str
) -> tuple[Message, ...]:
    """Messages that have all words of the query, newest first."""
    titles = {talk.id: talk.title for talk in conversations.value.values()}
    fits = [m for m in messages.value.values() if matches(query, m.text, m.sender, titles.get(m.conversation, ""))]
    return tuple(sorted(reversed(fits), key=attrgetter("at"), reverse=True))


@lru_cache(maxsize=8)
def put_there(incoming: IdentityKey[dict[str, str]]) -> tuple[tuple[str, str], ...]:
    """Conversations into which a rule of the world has put a text, and the text."""
    return tuple((name, text) for name, text in incoming.value.items() if text)


MESSAGES = 10
"""How many messages of a conversation are shown at a time."""
LONGEST = 4000


class ChatState(ListState):
    """Conversations and messages by id, and what is looked at or written."""

    conversations: dict[str, Conversation]
    messages: dict[str, Message]
    counter: int
    now: str
    """When the next message will have been sent."""
    coming: tuple[PendingReply, ...] = ()
    incoming: dict[str, str] = Field(default_factory=dict)
    """By conversation: a rule of the world may put a text here, and it is a message from the first member."""
    drafts: dict[str, str] = Field(default_factory=dict)
    open: str = ""
    older: int = 0
    """How many pages back from the newest messages."""
    selected: str = ""
    reply_to: str = ""

    def delivered(self) -> ChatUpdate:
        """The state once everything on its way has arrived."""
        state = self
        news = []
        waiting = put_there(IdentityKey(state.incoming))
        for name, text in waiting:
            if name in state.conversations:
                news.append(
                    PendingReply(conversation=name, sender=first_member(state.conversations[name]), text=text, at=state.now)
                )
        # Last, because the view shows the others already, and shows them under the ids that they get here.
        news += [c for c in state.coming if c.conversation in state.conversations]
        if not news and not state.coming:
            return ChatUpdate(state)
        silent = dict.fromkeys(state.incoming, "") if waiting else state.incoming
        state = state.replace(coming=(), incoming=silent)
        for one in news:
            state = state.received(one)
        return ChatUpdate(state, tuple(news))

    def received(self, one: PendingReply) -> ChatState:
        """What somebody says; it is read already where its conversation is open."""
        unread = self.open != one.conversation
        return self._put(
            Message(id="", conversation=one.conversation, sender=one.sender, text=one.text, at=one.at, unread=unread)
        )

    def sent(self, conversation: str, text: str, reply_to: str = "") -> ChatUpdate:
        """The user says something; whoever answers at once has answered."""
        state = self
        at = state.now
        talk = state.conversations[conversation]
        state = state._put(Message(id="", conversation=conversation, text=text, at=at, reply_to=reply_to))
        rule = _answering(talk, text)
        if rule is None:
            return ChatUpdate(state)
        answer = talk.answers[rule]
        used = talk.replace(used=(*talk.used, rule)) if answer.once else talk
        state = state.replace(conversations={**state.conversations, conversation: used})
        when = moment_after(at, -(-answer.after // 60))
        one = PendingReply(
            conversation=conversation,
            sender=answer.sender or first_member(talk),
            text=answer.say,
            at=when,
            after=answer.after,
            invite=answer.invite,
        )
        if answer.after:
            return ChatUpdate(state.replace(coming=(*state.coming, one)))
        return ChatUpdate(state.received(one), (one,))

    def _put(self, message: Message) -> ChatState:
        name = str(self.counter + 1)
        messages = {**self.messages, name: message.replace(id=name)}
        now = max(self.now, moment_after(message.at, 1))
        return self.replace(messages=messages, counter=self.counter + 1, now=now)

    def opened(self, name: str) -> ChatState:
        """A conversation on the screen; its messages are read."""
        changes = {"open": name, "older": 0, "selected": "", "reply_to": ""}
        return self.read(name).replace(**changes)

    def read(self, name: str) -> ChatState:
        unread = {m.id: m.replace(unread=False) for m in self.said_in(name) if m.unread}
        return self.replace(messages={**self.messages, **unread}) if unread else self

    def started(self, title: str) -> tuple[ChatState, str]:
        """The conversation with this name, a new one if there is none. A new one is with somebody who does not answer."""
        for talk in self.conversations.values():
            if talk.title.casefold() == title.casefold():
                return self, talk.id
        name = f"talk-{self.counter + 1}"
        talk = Conversation(id=name, title=title, members=(title,))
        changes = {"conversations": {**self.conversations, name: talk}, "incoming": {**self.incoming, name: ""},
                   "counter": self.counter + 1}  # fmt: skip
        return self.replace(**changes), name

    def left(self, name: str) -> ChatState:
        """The state without a conversation and all that was said in it."""
        messages = {n: m for n, m in self.messages.items() if m.conversation != name}
        return self.replace(conversations=_without(self.conversations, name), incoming=_without(self.incoming, name),
            drafts=_without(self.drafts, name), messages=messages, open="" if self.open == name else self.open,
            coming=tuple(c for c in self.coming if c.conversation != name))  # fmt: skip

    def said_in(self, name: str) -> tuple[Message, ...]:
        """The messages of a conversation, oldest first."""
        return archive(IdentityKey(self.messages)).said_in(name)

    def found(self, query: str) -> tuple[Message, ...]:
        """Messages that have all words of the query, newest first."""
        return fitting(IdentityKey(self.conversations), IdentityKey(self.messages), query)

    def talks(self) -> Rows:
        """All conversations, the one with the newest message first."""
        return rows_of(IdentityKey(self.conversations), IdentityKey(self.messages))

    def effects_of(self, news: Iterable[PendingReply]) -> tuple[Effect, ...]:
        """A short notice of what is not on the screen anyway, unless it is muted; invitations go to the calendar."""
        effects: list[Effect] = []
        for one in news:
            talk = self.conversations[one.conversation]
            if not talk.muted and self.open != one.conversation:
                effects.append(Toast(f"New message from {one.sender}"))
            if one.invite is not None:
                effects.append(Notify("calendar", "invitation", {**one.invite.model_dump(), "from": one.sender}))
        return tuple(effects)

    def awaited(self, after: ChatState) -> tuple[Effect, ...]:
        """For each answer that is on its way since then: the moment at which it comes, if nothing happens in the app before."""
        return tuple(Later(float(one.after), "answers", {}) for one in after.coming if one not in self.coming)


class ChatUpdate(NamedTuple):
    """The next state and what became known in it."""

    state: ChatState
    news: tuple[PendingReply, ...] = ()


def _answering(talk: Conversation, text: str) -> int | None:
    """The rule that answers to a text."""
    said = " ".join(text.casefold().split())
    fits = (n for n, rule in enumerate(talk.answers) if n not in talk.used and fnmatchcase(said, rule.when.casefold()))
    return next(fits, None)


def first_member(talk: Conversation) -> str:
    return talk.members[0] if talk.members else talk.title


def _without(items: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in items.items() if key != name}
