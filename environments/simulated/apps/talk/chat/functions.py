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
from environments.simulated.skills import AnyFunction, Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model


class ChatPage(Model):
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


class Messages(ChatPage):
    """The newest first; the offset counts back from there."""

    conversation: str


class ChatQuery(ChatPage):
    query: str


class ConversationId(Model):
    conversation: str


class MuteArguments(ConversationId):
    muted: bool


class Name(Model):
    name: str = Field(min_length=1, max_length=100)


class Text(ConversationId):
    text: str = Field(min_length=1, max_length=LONGEST)
    reply_to: str = ""


def _known(state: ChatState, name: str) -> Conversation:
    return by_id(state.conversations, "conversation", name, "list_conversations gives")


def _json(message: Message) -> JsonValue:
    return {**message.model_dump(mode="json"), "sender": message.sender or "You"}


def _list(state: ChatState, given: ChatPage) -> FunctionResult[ChatState]:
    rows = talks(delivered(state).state).rows
    part: list[JsonValue] = [
        {"id": row.talk.id, "title": row.talk.title, "members": list(row.talk.members), "muted": row.talk.muted,
         "unread": row.unread, "last": _json(row.last) if row.last else None}
        for row in rows[given.offset : given.offset + given.limit]
    ]  # fmt: skip
    return FunctionResult(state, {"conversations": part, "total": len(rows)})


def _messages(state: ChatState, given: Messages) -> FunctionResult[ChatState]:
    _known(state, given.conversation)
    every = said_in(delivered(state).state, given.conversation)[::-1]
    return FunctionResult(state, told("messages", every, _json, given.limit, given.offset))


def _find(state: ChatState, given: ChatQuery) -> FunctionResult[ChatState]:
    every = found(delivered(state).state, given.query)
    return FunctionResult(state, told("messages", every, _json, given.limit, given.offset))


def _send(state: ChatState, given: Text) -> FunctionResult[ChatState]:
    _known(state, given.conversation)
    now, news = delivered(state)
    to = now.messages.get(given.reply_to)
    if given.reply_to and (to is None or to.conversation != given.conversation):
        raise FunctionDeclined(f"there is no message {given.reply_to!r} in this conversation")
    if not given.text.strip():
        raise FunctionDeclined("the message is empty")
    after = sent(now, given.conversation, given.text.strip(), given.reply_to)
    effects: tuple[Effect, ...] = (Submitted(), *effects_of(after.state, (*news, *after.news)), *awaited(now, after.state))
    return FunctionResult(after.state, {"sent": True, "at": now.now}, effects)


def _start(state: ChatState, given: Name) -> FunctionResult[ChatState]:
    if not given.name.strip():
        raise FunctionDeclined("the name is empty")
    after, name = started(state, given.name.strip())
    return FunctionResult(after, {"conversation": name})


def _read(state: ChatState, given: ConversationId) -> FunctionResult[ChatState]:
    _known(state, given.conversation)
    now, news = delivered(state)
    return FunctionResult(read(now, given.conversation), {"read": given.conversation}, effects_of(now, news))


def _mute(state: ChatState, given: MuteArguments) -> FunctionResult[ChatState]:
    talk = _known(state, given.conversation).model_copy(update={"muted": given.muted})
    changed = state.model_copy(update={"conversations": {**state.conversations, talk.id: talk}})
    return FunctionResult(changed, {"muted": given.muted})


def _leave(state: ChatState, given: ConversationId) -> FunctionResult[ChatState]:
    _known(state, given.conversation)
    return FunctionResult(left(state, given.conversation), {"left": given.conversation})


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("list_conversations", "Conversations, the one with the newest message first.", ChatPage, _list),
    Function("list_messages", "Messages of a conversation, newest first; they stay unread.", Messages, _messages),
    Function("find_messages", "Messages that have all words of the query, newest first.", ChatQuery, _find),
    Function("send_message", "Say something; who answers, answers as in the window.", Text, _send, writes=True),
    Function(
        "start_conversation",
        "The conversation with this name, a new one if there is none.",
        Name,
        _start,
        writes=True,
        repeatable=True,
    ),
    Function("mark_read", "Mark all messages of a conversation as read.", ConversationId, _read, writes=True, repeatable=True),
    Function("mute_conversation", "Mute or unmute a conversation.", MuteArguments, _mute, writes=True, repeatable=True),
    Function(
        "leave_conversation",
        "Leave a conversation and delete its messages, without asking.",
        ConversationId,
        _leave,
        writes=True,
        repeatable=True,
    ),
)
