"""The chat app's own functions. What is on its way is there for whoever asks."""

from __future__ import annotations

from pydantic import Field, JsonValue

from environments.simulated.app import Effect, Submitted
from environments.simulated.apps.common.functions_base import by_id, told
from environments.simulated.apps.talk.chat.chat_talk import Conversation, Message
from environments.simulated.apps.talk.chat.state import (
    LONGEST,
    ChatState,
    awaited,
    delivered,
    effects_of,
    found,
    left,
    read,
    said_in,
    sent,
    started,
    talks,
)
from environments.simulated.skills import AnyFunction, Declined, Done, Function
from environments.simulated.world.values import Model


class Part(Model):
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


class Messages(Part):
    """The newest first; the offset counts back from there."""

    conversation: str


class Words(Part):
    query: str


class One(Model):
    conversation: str


class Muted(One):
    muted: bool


class Name(Model):
    name: str = Field(min_length=1, max_length=100)


class Text(One):
    text: str = Field(min_length=1, max_length=LONGEST)
    reply_to: str = ""


def _known(state: ChatState, name: str) -> Conversation:
    return by_id(state.conversations, "conversation", name, "list_conversations gives")


def _json(message: Message) -> JsonValue:
    return {**message.model_dump(mode="json"), "sender": message.sender or "You"}


def _list(state: ChatState, given: Part) -> Done[ChatState]:
    rows = talks(delivered(state).state).rows
    part: list[JsonValue] = [
        {"id": row.talk.id, "title": row.talk.title, "members": list(row.talk.members), "muted": row.talk.muted,
         "unread": row.unread, "last": _json(row.last) if row.last else None}
        for row in rows[given.offset : given.offset + given.limit]
    ]  # fmt: skip
    return Done(state, {"conversations": part, "total": len(rows)})


def _messages(state: ChatState, given: Messages) -> Done[ChatState]:
    _known(state, given.conversation)
    every = said_in(delivered(state).state, given.conversation)[::-1]
    return Done(state, told("messages", every, _json, given.limit, given.offset))


def _find(state: ChatState, given: Words) -> Done[ChatState]:
    every = found(delivered(state).state, given.query)
    return Done(state, told("messages", every, _json, given.limit, given.offset))


def _send(state: ChatState, given: Text) -> Done[ChatState]:
    _known(state, given.conversation)
    now, news = delivered(state)
    to = now.messages.get(given.reply_to)
    if given.reply_to and (to is None or to.conversation != given.conversation):
        raise Declined(f"there is no message {given.reply_to!r} in this conversation")
    if not given.text.strip():
        raise Declined("the message is empty")
    after = sent(now, given.conversation, given.text.strip(), given.reply_to)
    effects: tuple[Effect, ...] = (Submitted(), *effects_of(after.state, (*news, *after.news)), *awaited(now, after.state))
    return Done(after.state, {"sent": True, "at": now.now}, effects)


def _start(state: ChatState, given: Name) -> Done[ChatState]:
    if not given.name.strip():
        raise Declined("the name is empty")
    after, name = started(state, given.name.strip())
    return Done(after, {"conversation": name})


def _read(state: ChatState, given: One) -> Done[ChatState]:
    _known(state, given.conversation)
    now, news = delivered(state)
    return Done(read(now, given.conversation), {"read": given.conversation}, effects_of(now, news))


def _mute(state: ChatState, given: Muted) -> Done[ChatState]:
    talk = _known(state, given.conversation).model_copy(update={"muted": given.muted})
    changed = state.model_copy(update={"conversations": {**state.conversations, talk.id: talk}})
    return Done(changed, {"muted": given.muted})


def _leave(state: ChatState, given: One) -> Done[ChatState]:
    _known(state, given.conversation)
    return Done(left(state, given.conversation), {"left": given.conversation})


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("list_conversations", "Conversations, the one with the newest message first.", Part, _list),
    Function("list_messages", "Messages of a conversation, newest first; they stay unread.", Messages, _messages),
    Function("find_messages", "Messages that have all words of the query, newest first.", Words, _find),
    Function("send_message", "Say something; who answers, answers as in the window.", Text, _send, writes=True),
    Function(
        "start_conversation",
        "The conversation with this name, a new one if there is none.",
        Name,
        _start,
        writes=True,
        repeatable=True,
    ),
    Function("mark_read", "Mark all messages of a conversation as read.", One, _read, writes=True, repeatable=True),
    Function("mute_conversation", "Mute or unmute a conversation.", Muted, _mute, writes=True, repeatable=True),
    Function(
        "leave_conversation",
        "Leave a conversation and delete its messages, without asking.",
        One,
        _leave,
        writes=True,
        repeatable=True,
    ),
)
