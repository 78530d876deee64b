"""Chat: conversations with people who answer by rules of the world file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from environments.effects import Effect as Does
from environments.simulated.app import (
    Answered,
    App,
    Arrived,
    Content,
    Copy,
    Dialog,
    DialogField,
    Edited,
    Event,
    Pressed,
    Setting,
    Shortcut,
    Submitted,
    Toast,
    Update,
)
from environments.simulated.apps.calendar_event import Moment, moment_after
from environments.simulated.apps.chat_news import awaited, effects_of
from environments.simulated.apps.chat_skills import FUNCTIONS
from environments.simulated.apps.chat_state import (
    LONGEST,
    MESSAGES,
    PAGE_SIZE,
    ChatState,
    delivered,
    found,
    left,
    opened,
    received,
    said_in,
    sent,
    started,
    talks,
)
from environments.simulated.apps.chat_talk import Answer, Coming, Conversation, Message
from environments.simulated.apps.chat_view import page, shown_messages
from environments.simulated.generate import TOPICS, how_many, paragraph
from environments.simulated.meanings import Difference, Meaning, is_gone, is_new
from environments.simulated.values import Model, page_of
from environments.simulated.widgets import Widget


class Line(Model):
    """A message in a world file. Without a sender, or from `me`, it is the user's; without a time, a minute after the last."""

    model_config = ConfigDict(validate_by_name=True)
    sender: str = Field(default="", alias="from")
    text: str = Field(min_length=1)
    at: Moment | None = None
    unread: bool = False


class Talk(Model):
    """A conversation in a world file."""

    id: str = Field(default="", pattern=r"^[\w-]*$")
    title: str = Field(min_length=1)
    members: tuple[str, ...] = ()
    muted: bool = False
    messages: tuple[Line, ...] = ()
    answers: tuple[Answer, ...] = ()


class ChatContent(Content):
    """`generate` adds conversations from the seed, with `generate_messages` messages each."""

    conversations: tuple[Talk, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    generate_messages: int = Field(default=4, ge=0, le=5000)

    @model_validator(mode="after")
    def _ids_are_different(self) -> Self:
        names = [talk.id for talk in self.conversations or () if talk.id]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"conversations: the id {twice!r} is given twice")
        return self


def _said(found: Difference) -> str:
    return f"says to {found.after.conversations[found.new.conversation].title}: {found.new.text:.160}"


MEANINGS = (
    Meaning("messages.*", None, when=lambda found: is_new(found) and bool(found.new.sender)),
    Meaning("messages.*", Does.SEND, _said, is_new),
    Meaning("messages.*", Does.DELETE, "deletes a message: {old.text:.80}", is_gone),
    Meaning("conversations.*", Does.DELETE, "leaves the conversation {old.title}", is_gone),
    Meaning("conversations.*", Does.EDIT, "begins a conversation with {new.title}", is_new),
    Meaning("conversations.*", Does.EDIT, "changes the conversation {old.title}"),
    Meaning("incoming", None),
)
"""What others say is not the user's doing."""


class Chat(App[ChatContent, ChatState]):
    """Instant messages."""

    name = "chat"
    title = "Chat"
    words = ("chat", "chats", "conversation", "conversations", "instant message", "direct message")
    content = ChatContent
    state = ChatState
    looks = frozenset({
        "counter", "now", "coming", "drafts", "query", "applied", "page", "open", "older", "selected", "reply_to",
        "messages.*.unread", "conversations.*.used",
    })  # fmt: skip
    meanings = MEANINGS
    functions = FUNCTIONS

    def start(self, content: ChatContent, setting: Setting) -> ChatState:
        many = how_many(content.conversations, content.generate, 5, setting.cast.times)
        given = (*(content.conversations or ()), *_generated(many, content.generate_messages, setting))
        names = {talk.id for talk in given}
        free = (str(number) for number in count(1) if str(number) not in names)
        named = [talk.model_copy(update={"id": talk.id or next(free)}) for talk in given]
        conversations: dict[str, Conversation] = {}
        messages: dict[str, Message] = {}
        latest = first = f"{setting.cast.today.isoformat()} 08:00"
        for talk in named:
            members = talk.members or (talk.title,)
            conversations[talk.id] = Conversation(id=talk.id, title=talk.title, members=members, muted=talk.muted,
                                                  answers=talk.answers)  # fmt: skip
            at = first
            for line in talk.messages:
                number, at = str(len(messages) + 1), line.at or at
                sender = "" if line.sender in ("me", setting.cast.user) else line.sender
                messages[number] = Message(id=number, conversation=talk.id, sender=sender, text=line.text, at=at,
                                           unread=line.unread and bool(sender))  # fmt: skip
                at = moment_after(at, 1)
            latest = max(latest, at)
        return ChatState(conversations=conversations, messages=messages, counter=len(messages), now=latest,
                         incoming=dict.fromkeys(conversations, ""))  # fmt: skip

    def view(self, state: ChatState) -> tuple[Widget, ...]:
        return page(state)

    def update(self, state: ChatState, event: Event) -> Update[ChatState]:
        now, news = delivered(state)
        done = _happened(now, event)
        return Update(done.state, (*effects_of(now, news), *done.effects)) if news else done


def _happened(state: ChatState, event: Event) -> Update[ChatState]:
    if isinstance(event, Arrived):
        return _arrived(state, event)
    if isinstance(event, Answered) and event.key == "new":
        name = event.fields.get("name", "").strip()[:100]
        return Update(_with(state, name)) if event.button == "Start" and name else Update(state)
    if state.open in state.conversations:
        return _talking(state, state.conversations[state.open], event)
    return _listing(state, event)


def _arrived(state: ChatState, event: Arrived) -> Update[ChatState]:
    """Somebody says something, or another app wants to talk to somebody."""
    who = (event.data.get("with") or event.data.get("from") or "").strip()
    if event.topic == "open" and who:
        return Update(_with(state, who))
    if event.topic == "message" and who:
        state, name = started(state, who)
        one = Coming(conversation=name, sender=event.data.get("from") or who, text=event.data.get("text", ""), at=state.now)
        return Update(received(state, one), effects_of(state, (one,)))
    return Update(state)


def _with(state: ChatState, title: str) -> ChatState:
    state, name = started(state, title)
    return opened(state, name)


def _listing(state: ChatState, event: Event) -> Update[ChatState]:
    match event:
        case Edited(key="query", value=value):
            return Update(state.model_copy(update={"query": value}))
        case Pressed(key="search"):
            return Update(state.model_copy(update={"applied": state.query.strip(), "page": 1}))
        case Pressed(key="clear"):
            return Update(state.model_copy(update={"applied": "", "query": "", "page": 1}))
        case Pressed(key="next" | "previous" as key):
            items: Sequence[object] = found(state, state.applied) if state.applied else talks(state).rows
            _, shown, _ = page_of(items, state.page, PAGE_SIZE)
            return Update(state.model_copy(update={"page": shown + (1 if key == "next" else -1)}))
        case Pressed(key="new") | Shortcut(chord="Control+n" | "Meta+n"):
            field = DialogField(key="name", label="Name")
            ask = Dialog(key="new", title="New conversation", fields=(field,), buttons=("Start", "Cancel"), default="Start",
                         escape="Cancel")  # fmt: skip
            return Update(state, (ask,))
        case Pressed(key=key) if key.startswith("talk:"):
            return Update(opened(state, key.split(":")[1]))
        case Pressed(key=key) if key.startswith("hit:"):
            return Update(_at_message(state, state.messages[key.split(":")[1]]))
    return Update(state)


def _at_message(state: ChatState, message: Message) -> ChatState:
    """The conversation, at the page where a message stands."""
    every = [m.id for m in said_in(state, message.conversation)]
    older = (len(every) - 1 - every.index(message.id)) // MESSAGES
    return opened(state, message.conversation).model_copy(update={"older": older, "selected": message.id})


def _talking(state: ChatState, talk: Conversation, event: Event) -> Update[ChatState]:
    match event:
        case Edited(key="write", value=value):
            return Update(state.model_copy(update={"drafts": {**state.drafts, talk.id: value}}))
        case Pressed(key="send"):
            return _send(state, talk)
        case Pressed(key="mute"):
            changed = talk.model_copy(update={"muted": not talk.muted})
            toast = Toast("Notifications are on" if talk.muted else "Notifications are off")
            return Update(state.model_copy(update={"conversations": {**state.conversations, talk.id: changed}}), (toast,))
        case Pressed(key="leave"):
            ask = Dialog(
                key="leave",
                title=f"Leave {talk.title}?",
                text="All messages of this conversation will be deleted for good.",
                buttons=("Leave", "Cancel"),
                escape="Cancel",
            )
            return Update(state, (ask,))
        case Answered(key="leave", button="Leave"):
            return Update(left(state, talk.id), (Toast(f"You left {talk.title}"),))
        case Pressed(key=key):
            return _looking(state, key)
    return Update(state)


def _looking(state: ChatState, key: str) -> Update[ChatState]:
    """Turning pages, and choosing a message to reply to or to copy."""
    _, at, back = shown_messages(state)
    chosen = state.messages.get(state.selected)
    changes: dict[str, object] = {}
    match key:
        case "back":
            changes = {"open": "", "selected": "", "reply_to": "", "older": 0}
        case "older" | "newer":
            changes = {"older": min(back, at + 1) if key == "older" else max(0, at - 1), "selected": ""}
        case "reply" if chosen:
            changes = {"reply_to": chosen.id}
        case "cancel-reply":
            changes = {"reply_to": ""}
        case "copy" if chosen:
            return Update(state, (Copy(chosen.text), Toast("Copied")))
        case _ if key.startswith("message:"):
            changes = {"selected": key.split(":")[1]}
    return Update(state.model_copy(update=changes))


def _send(state: ChatState, talk: Conversation) -> Update[ChatState]:
    text = state.drafts.get(talk.id, "").strip()
    if not text:
        return Update(state)
    if len(text) > LONGEST:
        return Update(state, (Toast(f"A message has at most {LONGEST} characters"),))
    reply_to = state.reply_to if state.reply_to in state.messages else ""
    after, news = sent(state, talk.id, text, reply_to)
    changes = {"drafts": {**after.drafts, talk.id: ""}, "older": 0, "selected": "", "reply_to": ""}
    return Update(after.model_copy(update=changes), (Submitted(), *effects_of(after, news), *awaited(state, after)))


def _generated(many: int, lines: int, setting: Setting) -> tuple[Talk, ...]:
    """Conversations with the people of the world, who answer politely and know nothing."""
    rng, cast = setting
    made = []
    for number in range(many):
        again = number // len(cast.people) + 1
        person = cast.people[number % len(cast.people)]
        said: list[Line] = []
        for n in range(lines):
            theirs = rng.random() < 0.6
            content = rng.choice((f"About the {rng.choice(TOPICS)}: {paragraph(rng, 1)}", paragraph(rng, 1)))
            said.append(
                Line.model_validate({"from": person if theirs else "", "text": content, "unread": theirs and n >= lines - 2})
            )
        answers = (Answer(when="*[?]*", say="Let me check and come back to you.", after=20), Answer(say="Thank you!", after=5))
        title = person if again == 1 else f"{person} {again}"
        made.append(Talk(title=title, members=(person,), muted=rng.random() < 0.2, messages=tuple(said), answers=answers))
    return tuple(made)
