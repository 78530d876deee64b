"""The chat app's own functions. What is on its way is there for whoever asks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from environments.simulated.app import Effect, FunctionDeclined, FunctionResult, Submitted
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.talk.chat.state import LONGEST, ChatState, Conversation, Message
from environments.simulated.world.values import Model


class ChatPage(Model):
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


class Messages(ChatPage):
    """The newest first; the offset counts back from there."""

    conversation: str


class Name(Model):
    name: str = Field(min_length=1, max_length=100)


def _known(state: ChatState, name: str) -> Conversation:
    return by_id(state.conversations, "conversation", name, "list_conversations gives")


def _json(message: Message) -> JsonValue:
    return {**message.model_dump(mode="json"), "sender": message.sender or "You"}


FUNCTIONS = FunctionTable[ChatState]()


@FUNCTIONS.reads("ChatPage")
def list_conversations(state: ChatState, offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Conversations, the one with the newest message first."""
    rows = state.delivered().state.talks().rows
    part: list[JsonValue] = [
        {"id": row.talk.id, "title": row.talk.title, "members": list(row.talk.members), "muted": row.talk.muted,
         "unread": row.unread, "last": _json(row.last) if row.last else None}
        for row in rows[offset : offset + limit]
    ]  # fmt: skip
    return {"conversations": part, "total": len(rows)}


@FUNCTIONS.reads("Messages", "The newest first; the offset counts back from there.")
def list_messages(state: ChatState, *, offset: Offset = 0, limit: Limit = 50, conversation: str) -> JsonValue:
    """Messages of a conversation, named by its id, newest first; they stay unread."""
    _known(state, conversation)
    every = state.delivered().state.said_in(conversation)[::-1]
    return told("messages", every, _json, limit, offset)


@FUNCTIONS.reads("ChatQuery")
def find_messages(state: ChatState, *, offset: Offset = 0, limit: Limit = 50, query: str) -> JsonValue:
    """Messages that have all words of the query, newest first."""
    every = state.delivered().state.found(query)
    return told("messages", every, _json, limit, offset)


@FUNCTIONS.writes("Text")
def send_message(
    state: ChatState, conversation: str, text: Annotated[str, Field(min_length=1, max_length=LONGEST)], reply_to: str = ""
) -> FunctionResult[ChatState]:
    """Say something in a conversation, named by its id as list_conversations gives it; who answers, answers as in the window."""
    _known(state, conversation)
    now, news = state.delivered()
    to = now.messages.get(reply_to)
    if reply_to and (to is None or to.conversation != conversation):
        raise FunctionDeclined(f"there is no message {reply_to!r} in this conversation")
    if not text.strip():
        raise FunctionDeclined("the message is empty")
    after = now.sent(conversation, text.strip(), reply_to)
    effects: tuple[Effect, ...] = (Submitted(), *after.state.effects_of((*news, *after.news)), *now.awaited(after.state))
    return FunctionResult(after.state, {"sent": True, "at": now.now}, effects)


@FUNCTIONS.writes("Name", repeatable=True)
def start_conversation(state: ChatState, name: Annotated[str, Field(min_length=1, max_length=100)]) -> FunctionResult[ChatState]:
    """The conversation with this name, a new one if there is none."""
    if not name.strip():
        raise FunctionDeclined("the name is empty")
    after, name = state.started(name.strip())
    return FunctionResult(after, {"conversation": name})


@FUNCTIONS.writes("ConversationId", repeatable=True)
def mark_read(state: ChatState, conversation: str) -> FunctionResult[ChatState]:
    """Mark all messages of a conversation as read."""
    _known(state, conversation)
    now, news = state.delivered()
    return FunctionResult(now.read(conversation), {"read": conversation}, now.effects_of(news))


@FUNCTIONS.writes("MuteArguments", repeatable=True)
def mute_conversation(state: ChatState, conversation: str, muted: bool) -> FunctionResult[ChatState]:
    """Mute or unmute a conversation."""
    talk = _known(state, conversation).replace(muted=muted)
    changed = state.replace(conversations={**state.conversations, talk.id: talk})
    return FunctionResult(changed, {"muted": muted})


@FUNCTIONS.writes("ConversationId", repeatable=True)
def leave_conversation(state: ChatState, conversation: str) -> FunctionResult[ChatState]:
    """Leave a conversation and delete its messages, without asking."""
    _known(state, conversation)
    return FunctionResult(state.left(conversation), {"left": conversation})
