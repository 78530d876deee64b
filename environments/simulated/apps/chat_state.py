"""What the chat app knows, and how scripted people answer.

The app has no clock. A message gets the time one minute after the one before; an answer that takes a while is on its way
until the next thing that happens in the app.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from pydantic import ConfigDict, Field

from environments.simulated.app import AppState
from environments.simulated.apps.calendar_state import Moment, moment_after
from environments.simulated.values import Model, matches

PAGE_SIZE = 12
MESSAGES = 10
"""How many messages of a conversation are shown at a time."""
LONGEST = 4000


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


class Coming(Model):
    """An answer that is on its way."""

    conversation: str
    sender: str
    text: str
    at: str
    invite: Invite | None = None


class ChatState(AppState):
    """Conversations and messages by id, and what is looked at or written."""

    conversations: dict[str, Conversation]
    messages: dict[str, Message]
    counter: int
    now: str
    """When the next message will have been sent."""
    coming: tuple[Coming, ...] = ()
    incoming: dict[str, str] = Field(default_factory=dict)
    """By conversation: a rule of the world may put a text here, and it is a message from the first member."""
    drafts: dict[str, str] = Field(default_factory=dict)
    query: str = ""
    applied: str = ""
    page: int = 1
    open: str = ""
    older: int = 0
    """How many pages back from the newest messages."""
    selected: str = ""
    reply_to: str = ""


class Said(NamedTuple):
    """The next state and what became known in it."""

    state: ChatState
    news: tuple[Coming, ...] = ()


def delivered(state: ChatState) -> Said:
    """The state once everything on its way has arrived."""
    news = []
    for name, text in state.incoming.items():
        if text and name in state.conversations:
            news.append(Coming(conversation=name, sender=first_member(state.conversations[name]), text=text, at=state.now))
    # Last, because the view shows the others already, and shows them under the ids that they get here.
    news += [c for c in state.coming if c.conversation in state.conversations]
    if not news and not state.coming:
        return Said(state)
    silent = state.incoming if not any(state.incoming.values()) else dict.fromkeys(state.incoming, "")
    state = state.model_copy(update={"coming": (), "incoming": silent})
    for one in news:
        state = received(state, one)
    return Said(state, tuple(news))


def received(state: ChatState, one: Coming) -> ChatState:
    """What somebody says; it is read already where its conversation is open."""
    unread = state.open != one.conversation
    return _put(state, Message(id="", conversation=one.conversation, sender=one.sender, text=one.text, at=one.at, unread=unread))


def sent(state: ChatState, conversation: str, text: str, reply_to: str = "") -> Said:
    """The user says something; whoever answers at once has answered."""
    at = state.now
    talk = state.conversations[conversation]
    state = _put(state, Message(id="", conversation=conversation, text=text, at=at, reply_to=reply_to))
    rule = _answering(talk, text)
    if rule is None:
        return Said(state)
    answer = talk.answers[rule]
    used = talk.model_copy(update={"used": (*talk.used, rule)}) if answer.once else talk
    state = state.model_copy(update={"conversations": {**state.conversations, conversation: used}})
    when = moment_after(at, -(-answer.after // 60))
    one = Coming(
        conversation=conversation, sender=answer.sender or first_member(talk), text=answer.say, at=when, invite=answer.invite
    )
    if answer.after:
        return Said(state.model_copy(update={"coming": (*state.coming, one)}))
    return Said(received(state, one), (one,))


def _answering(talk: Conversation, text: str) -> int | None:
    """The rule that answers to a text."""
    said = " ".join(text.casefold().split())
    fits = (n for n, rule in enumerate(talk.answers) if n not in talk.used and fnmatchcase(said, rule.when.casefold()))
    return next(fits, None)


def _put(state: ChatState, message: Message) -> ChatState:
    name = str(state.counter + 1)
    messages = {**state.messages, name: message.model_copy(update={"id": name})}
    now = max(state.now, moment_after(message.at, 1))
    return state.model_copy(update={"messages": messages, "counter": state.counter + 1, "now": now})


def first_member(talk: Conversation) -> str:
    return talk.members[0] if talk.members else talk.title


def opened(state: ChatState, name: str) -> ChatState:
    """A conversation on the screen; its messages are read."""
    changes = {"open": name, "older": 0, "selected": "", "reply_to": ""}
    return read(state, name).model_copy(update=changes)


def read(state: ChatState, name: str) -> ChatState:
    messages = state.messages
    if any(m.unread and m.conversation == name for m in messages.values()):
        messages = {
            n: m.model_copy(update={"unread": False}) if m.unread and m.conversation == name else m for n, m in messages.items()
        }
    return state.model_copy(update={"messages": messages})


def started(state: ChatState, title: str) -> tuple[ChatState, str]:
    """The conversation with this name, a new one if there is none. A new one is with somebody who does not answer."""
    for talk in state.conversations.values():
        if talk.title.casefold() == title.casefold():
            return state, talk.id
    name = f"talk-{state.counter + 1}"
    talk = Conversation(id=name, title=title, members=(title,))
    changes = {"conversations": {**state.conversations, name: talk}, "incoming": {**state.incoming, name: ""},
               "counter": state.counter + 1}  # fmt: skip
    return state.model_copy(update=changes), name


def left(state: ChatState, name: str) -> ChatState:
    """The state without a conversation and all that was said in it."""
    messages = {n: m for n, m in state.messages.items() if m.conversation != name}
    return state.model_copy(update={
        "conversations": _without(state.conversations, name), "incoming": _without(state.incoming, name),
        "drafts": _without(state.drafts, name), "messages": messages, "open": "" if state.open == name else state.open,
        "coming": tuple(c for c in state.coming if c.conversation != name),
    })  # fmt: skip


def _without(items: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in items.items() if key != name}


def said_in(state: ChatState, name: str) -> list[Message]:
    """The messages of a conversation, oldest first."""
    return sorted((m for m in state.messages.values() if m.conversation == name), key=_time)


def _time(message: Message) -> str:
    return message.at  # sorting keeps the order of messages of the same minute


def found(state: ChatState, query: str) -> list[Message]:
    """Messages that have all words of the query, newest first."""
    titles = {talk.id: talk.title for talk in state.conversations.values()}
    fits = [m for m in state.messages.values() if matches(query, m.text, m.sender, titles.get(m.conversation, ""))]
    return sorted(reversed(fits), key=_time, reverse=True)


class Row(NamedTuple):
    """A conversation in the list."""

    talk: Conversation
    last: Message | None
    unread: int


def talks(state: ChatState) -> list[Row]:
    """All conversations, the one with the newest message first."""
    last: dict[str, Message] = {}
    unread: dict[str, int] = {}
    for m in state.messages.values():
        if m.conversation not in last or m.at >= last[m.conversation].at:
            last[m.conversation] = m
        unread[m.conversation] = unread.get(m.conversation, 0) + m.unread
    rows = [Row(talk, last.get(talk.id), unread.get(talk.id, 0)) for talk in state.conversations.values()]
    rows.sort(key=lambda row: row.talk.title.casefold())
    return sorted(rows, key=lambda row: row.last.at if row.last else "", reverse=True)
