"""Chat: conversations with people who answer by rules of the world file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, NamedTuple, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.common.record_list import ListState, list_update, list_view, prompt, refuse_twice, with_ids
from environments.simulated.apps.office.calendar.state import Moment, moment_after
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import IdentityKey, Model, how_many, matches, paragraph, topic


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

    id: str = ""
    conversation: str
    sender: str = ""
    text: str
    at: str
    unread: bool = False


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


@lru_cache(maxsize=8)
def archive(messages: IdentityKey[dict[str, Message]]) -> dict[str, tuple[Message, ...]]:
    """What was said, by conversation, oldest first; messages of the same minute stay in the order in which they came."""
    said: dict[str, list[Message]] = defaultdict(list)
    for message in messages.value.values():
        said[message.conversation].append(message)
    return {name: tuple(sorted(some, key=attrgetter("at"))) for name, some in said.items()}


class Rows(NamedTuple):
    """All conversations, the one with the newest message first."""

    rows: tuple[Row, ...]
    unread: int
    """Messages that are not read, without those of muted conversations."""


@lru_cache(maxsize=8)
def rows_of(conversations: IdentityKey[dict[str, Conversation]], messages: IdentityKey[dict[str, Message]]) -> Rows:
    rows = []
    for talk in conversations.value.values():
        said = archive(messages).get(talk.id, ())
        rows.append(Row(talk, said[-1] if said else None, sum(message.unread for message in said)))
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
    drafts: dict[str, str] = Field(default_factory=dict)
    open: str = ""
    older: int = 0
    """How many pages back from the newest messages."""
    selected: str = ""

    def delivered(self) -> sim.Update[ChatState]:
        """The state once everything on its way has arrived."""
        if not self.coming:
            return sim.Update(self)
        state = self.replace(coming=())
        effects: list[sim.Effect] = []
        for one in self.coming:
            if one.conversation in self.conversations:
                state, more = state.received(one)
                effects += more
        return sim.Update(state, tuple(effects))

    def received(self, one: PendingReply) -> sim.Update[ChatState]:
        """What somebody says; it is read already where its conversation is open.
        A short notice tells of it elsewhere unless that is muted, and an invitation goes to the calendar.
        """
        unread = self.open != one.conversation
        said = Message(conversation=one.conversation, sender=one.sender, text=one.text, at=one.at, unread=unread)
        effects: list[sim.Effect] = []
        if unread and not self.conversations[one.conversation].muted:
            effects.append(sim.Toast(f"New message from {one.sender}"))
        if one.invite is not None:
            effects.append(sim.Notify("calendar", "invitation", {**one.invite.model_dump(), "from": one.sender}))
        return sim.Update(self._put(said), tuple(effects))

    def sent(self, conversation: str, text: str) -> sim.Update[ChatState]:
        """The user says something; whoever answers at once has answered, and others do when nothing happens before."""
        at, talk = self.now, self.conversations[conversation]
        state = self._put(Message(conversation=conversation, text=text, at=at))
        said = " ".join(text.casefold().split())
        fits = (n for n, one in enumerate(talk.answers) if n not in talk.used and fnmatchcase(said, one.when.casefold()))
        rule = next(fits, None)
        if rule is None:
            return sim.Update(state)
        answer = talk.answers[rule]
        used = talk.replace(used=(*talk.used, rule)) if answer.once else talk
        state = state.replace(conversations={**state.conversations, conversation: used})
        when = moment_after(at, -(-answer.after // 60))
        sender = answer.sender or next(iter(talk.members), talk.title)
        one = PendingReply(conversation=conversation, sender=sender, text=answer.say, at=when, after=answer.after,
                           invite=answer.invite)  # fmt: skip
        if answer.after:
            return sim.Update(state.replace(coming=(*state.coming, one)), (sim.Later(float(one.after), "answers", {}),))
        return state.received(one)

    def _put(self, message: Message) -> ChatState:
        name = str(self.counter + 1)
        messages = {**self.messages, name: message.replace(id=name)}
        now = max(self.now, moment_after(message.at, 1))
        return self.replace(messages=messages, counter=self.counter + 1, now=now)

    def opened(self, name: str) -> ChatState:
        """A conversation on the screen; its messages are read."""
        unread = {m.id: m.replace(unread=False) for m in self.said_in(name) if m.unread}
        messages = {**self.messages, **unread} if unread else self.messages
        return self.replace(messages=messages, open=name, older=0, selected="")

    def started(self, title: str) -> tuple[ChatState, str]:
        """The conversation with this name, a new one if there is none. A new one is with somebody who does not answer."""
        for talk in self.conversations.values():
            if talk.title.casefold() == title.casefold():
                return self, talk.id
        name = f"talk-{self.counter + 1}"
        talk = Conversation(id=name, title=title, members=(title,))
        return self.replace(conversations={**self.conversations, name: talk}, counter=self.counter + 1), name

    def said_in(self, name: str) -> tuple[Message, ...]:
        """The messages of a conversation, oldest first."""
        return archive(IdentityKey(self.messages)).get(name, ())

    def found(self, query: str) -> tuple[Message, ...]:
        """Messages that have all words of the query, newest first."""
        return fitting(IdentityKey(self.conversations), IdentityKey(self.messages), query)

    def talks(self) -> Rows:
        """All conversations, the one with the newest message first."""
        return rows_of(IdentityKey(self.conversations), IdentityKey(self.messages))


def _known(state: ChatState, name: str) -> Conversation:
    return by_id(state.conversations, "conversation", name, "list_conversations gives")


def _json(message: Message) -> JsonValue:
    return {**message.model_dump(mode="json"), "sender": message.sender or "You"}


FUNCTIONS = FunctionTable[ChatState]()


@FUNCTIONS.reads("ChatPage")
def list_conversations(state: ChatState, offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Conversations, the one with the newest message first."""
    rows = state.delivered().state.talks().rows

    def shown(row: Row) -> JsonValue:
        about = row.talk.model_dump(mode="json", include={"id", "title", "members", "muted"})
        return {**about, "unread": row.unread, "last": _json(row.last) if row.last else None}

    return told("conversations", rows, shown, limit, offset)


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
    state: ChatState, conversation: str, text: Annotated[str, Field(min_length=1, max_length=LONGEST)]
) -> sim.FunctionResult[ChatState]:
    """Say something in a conversation, named by its id as list_conversations gives it; who answers, answers as in the window."""
    _known(state, conversation)
    now, news = state.delivered()
    if not text.strip():
        raise sim.FunctionDeclined("the message is empty")
    after, effects = now.sent(conversation, text.strip())
    return sim.FunctionResult(after, {"sent": True, "at": now.now}, (sim.Submitted(), *news, *effects))


@FUNCTIONS.writes("Name", repeatable=True)
def start_conversation(
    state: ChatState, name: Annotated[str, Field(min_length=1, max_length=100)]
) -> sim.FunctionResult[ChatState]:
    """The conversation with this name, a new one if there is none."""
    if not name.strip():
        raise sim.FunctionDeclined("the name is empty")
    after, name = state.started(name.strip())
    return sim.FunctionResult(after, {"conversation": name})


_SHORT = 60


def _top(state: ChatState) -> tuple[Widget, ...]:
    return (ui.bar(ui.button("New conversation", "new")), ui.search_bar("messages", state.query))


def _list(state: ChatState) -> tuple[Widget, ...]:
    def line(item: Row) -> Widget:
        last = f"{item.last.sender or 'You'}: {_short(item.last.text)}" if item.last else ""
        unread, muted = f"{item.unread} unread" if item.unread else "", "Muted" if item.talk.muted else ""
        return _row(f"talk:{item.talk.id}", item.talk.title, last, item.last.at if item.last else "", unread, muted)

    rows, total = state.talks()
    columns = ("Name", "Last message", "Time", "Unread", "Notifications")
    shown = list_view("talks", columns, rows, line, "No conversations", state.page)
    return (ui.heading("Chats", "list"), *_top(state), ui.text(f"Unread messages: {total}", "unread"), *shown)


def _row(key: str, name: str, *cells: str) -> Widget:
    return ui.row(key, ui.link(name, f"{key}:name"), *(ui.cell(value, f"{key}:{n}") for n, value in enumerate(cells)))


def _short(said: str) -> str:
    said = " ".join(said.split())
    return said if len(said) <= _SHORT else said[: _SHORT - 1] + "…"


def _results(state: ChatState) -> tuple[Widget, ...]:
    def hit(message: Message) -> Widget:
        name = state.conversations[message.conversation].title
        return _row(f"hit:{message.id}", name, message.sender or "You", _short(message.text), message.at)

    columns = ("Conversation", "From", "Message", "Time")
    shown = list_view("hits", columns, state.found(state.applied), hit, "No messages found", state.page)
    title = ui.heading(f"Messages with “{state.applied}”", "results")
    return (title, *_top(state), ui.bar(ui.button("Clear search", "clear")), *shown)


def shown_messages(state: ChatState) -> tuple[Sequence[Message], int, int]:
    """The messages of the open conversation that are on the screen, how many pages back they are, and the most there are."""
    every = state.said_in(state.open)
    back = max(0, -(-len(every) // MESSAGES) - 1)
    at = min(state.older, back)
    stop = len(every) - at * MESSAGES
    return every[max(0, stop - MESSAGES) : stop], at, back


def _conversation(state: ChatState, talk: Conversation) -> tuple[Widget, ...]:
    part, at, back = shown_messages(state)
    chosen = state.selected in state.messages
    tools = ui.bar(
        ui.button("Back to chats", "back"), ui.button("Unmute" if talk.muted else "Mute", "mute"),
        ui.button("Copy message", "copy", enabled=chosen), key="tools",
    )  # fmt: skip
    older, newer = ui.button("Older messages", "older", enabled=at < back), ui.button("Newer messages", "newer", enabled=at > 0)
    turning = ui.bar(older, newer, key="turning")
    rows: list[Widget] = []
    for message in part:
        key = f"message:{message.id}"
        said, when = ui.text(message.text, f"{key}:text"), ui.cell(message.at, f"{key}:at")
        cells = (ui.cell(message.sender or "You", f"{key}:from"), said, when)
        rows.append(ui.row(key, *cells, selected=message.id == state.selected))
    body = ui.table("messages", ("From", "Message", "Time"), rows) if rows else ui.text("No messages yet", "none")
    typing = [c.sender for c in state.coming if c.conversation == talk.id]
    draft = state.drafts.get(talk.id, "")
    write = ui.textbox("Write a message", "write", draft)
    writing = ui.form("write-form", write, ui.button("Send", "send", enabled=bool(draft.strip())), submit="send", across=True)
    return (
        ui.heading(talk.title, f"talk-page:{talk.id}"),
        *((ui.text(f"Members: {', '.join(talk.members)}", "members"),) if len(talk.members) > 1 else ()),
        tools,
        *((turning,) if back else ()),
        body,
        *(ui.text(f"{name} is typing…", f"typing-{n}") for n, name in enumerate(typing)),
        writing,
    )


class ChatLine(Model):
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
    messages: tuple[ChatLine, ...] = ()
    answers: tuple[Answer, ...] = ()


class ChatContent(sim.Content):
    """`generate` adds conversations from the seed, with `generate_messages` messages each."""

    conversations: tuple[Talk, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    generate_messages: int = Field(default=4, ge=0, le=5000)

    @model_validator(mode="after")
    def _ids_are_different(self) -> Self:
        refuse_twice("conversations: the id", [talk.id for talk in self.conversations or ()])
        return self


def _said(found: sim.Difference) -> str:
    return f"says to {found.after.conversations[found.new.conversation].title}: {found.new.text:.160}"


class Chat(sim.App[ChatContent, ChatState]):
    """Instant messages."""

    name = "chat"
    title = "Chat"
    words = ("chat", "chats", "conversation", "conversations", "instant message", "direct message")
    looks = frozenset({"counter", "now", "coming", "drafts", "open", "older", "selected", "messages.*.unread",
                       "conversations.*.used"})  # fmt: skip
    # What others say is not the user's doing.
    meanings = (
        sim.Meaning("messages.*", None, when=lambda found: sim.is_new(found) and bool(found.new.sender)),
        sim.Meaning("messages.*", Does.SEND, _said, sim.is_new),
        sim.Meaning("conversations.*", Does.EDIT, "begins a conversation with {new.title}", sim.is_new),
        sim.Meaning("conversations.*", Does.EDIT, "changes the conversation {old.title}"),
    )
    functions = FUNCTIONS

    def start(self, content: ChatContent, setting: sim.Setting) -> ChatState:
        many = how_many(content.conversations, content.generate, 5, setting.cast.times)
        given = (*(content.conversations or ()), *_generated(many, content.generate_messages, setting))
        conversations: dict[str, Conversation] = {}
        messages: dict[str, Message] = {}
        latest = first = f"{setting.cast.today.isoformat()} 08:00"
        for talk in with_ids(given).values():
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
        return ChatState(conversations=conversations, messages=messages, counter=len(messages), now=latest)

    def view(self, state: ChatState) -> tuple[Widget, ...]:
        """The page that is shown: a conversation, what was searched for, or the list."""
        if state.open in state.conversations:
            return _conversation(state, state.conversations[state.open])
        return _results(state) if state.applied else _list(state)

    def update(self, state: ChatState, event: sim.Event) -> sim.Update[ChatState]:
        now, news = state.delivered()
        done = _happened(now, event)
        return sim.Update(done.state, (*news, *done.effects))


def _happened(state: ChatState, event: sim.Event) -> sim.Update[ChatState]:
    if isinstance(event, sim.Arrived):
        return _arrived(state, event)
    if isinstance(event, sim.Answered) and event.key == "new":
        name = event.fields.get("name", "").strip()[:100]
        return sim.Update(_with(state, name)) if event.button == "Start" and name else sim.Update(state)
    if state.open in state.conversations:
        return _talking(state, state.conversations[state.open], event)
    looked = list_update(state, event, lambda: state.found(state.applied) if state.applied else state.talks().rows)
    if looked is not None:
        return sim.Update(looked)
    match event:
        case sim.Pressed(key="new") | sim.Shortcut(chord="Control+n" | "Meta+n"):
            return sim.Update(state, (prompt("new", "New conversation", "Start", sim.DialogField(key="name", label="Name")),))
        case sim.Pressed(key=key) if key.startswith("talk:"):
            return sim.Update(state.opened(key.split(":")[1]))
        case sim.Pressed(key=key) if key.startswith("hit:"):
            # The conversation, at the page where a message stands
            message = state.messages[key.split(":")[1]]
            every = [m.id for m in state.said_in(message.conversation)]
            older = (len(every) - 1 - every.index(message.id)) // MESSAGES
            return sim.Update(state.opened(message.conversation).replace(older=older, selected=message.id))
    return sim.Update(state)


def _arrived(state: ChatState, event: sim.Arrived) -> sim.Update[ChatState]:
    """Somebody says something, or another app wants to talk to somebody."""
    who = (event.data.get("with") or event.data.get("from") or "").strip()
    if event.topic == "open" and who:
        return sim.Update(_with(state, who))
    if event.topic == "message" and who:
        state, name = state.started(who)
        one = PendingReply(conversation=name, sender=event.data.get("from") or who, text=event.data.get("text", ""), at=state.now)
        return state.received(one)
    return sim.Update(state)


def _with(state: ChatState, title: str) -> ChatState:
    state, name = state.started(title)
    return state.opened(name)


def _talking(state: ChatState, talk: Conversation, event: sim.Event) -> sim.Update[ChatState]:
    match event:
        case sim.Edited(key="write", value=value):
            return sim.Update(state.replace(drafts={**state.drafts, talk.id: value}))
        case sim.Pressed(key="send"):
            text = state.drafts.get(talk.id, "").strip()
            if not text:
                return sim.Update(state)
            if len(text) > LONGEST:
                return sim.Update(state, (sim.Toast(f"A message has at most {LONGEST} characters"),))
            after, effects = state.sent(talk.id, text)
            drafts = {**after.drafts, talk.id: ""}
            return sim.Update(after.replace(drafts=drafts, older=0, selected=""), (sim.Submitted(), *effects))
        case sim.Pressed(key="mute"):
            changed = talk.replace(muted=not talk.muted)
            toast = sim.Toast("Notifications are on" if talk.muted else "Notifications are off")
            return sim.Update(state.replace(conversations={**state.conversations, talk.id: changed}), (toast,))
        case sim.Pressed(key=key):
            return _looking(state, key)
    return sim.Update(state)


def _looking(state: ChatState, key: str) -> sim.Update[ChatState]:
    """Turning pages, and choosing a message to copy."""
    _, at, back = shown_messages(state)
    chosen = state.messages.get(state.selected)
    changes: dict[str, object] = {}
    match key:
        case "back":
            changes = {"open": "", "selected": "", "older": 0}
        case "older" | "newer":
            changes = {"older": min(back, at + 1) if key == "older" else max(0, at - 1), "selected": ""}
        case "copy" if chosen:
            return sim.Update(state, (sim.Copy(chosen.text), sim.Toast("Copied")))
        case _ if key.startswith("message:"):
            changes = {"selected": key.split(":")[1]}
    return sim.Update(state.replace(**changes))


def _generated(many: int, lines: int, setting: sim.Setting) -> tuple[Talk, ...]:
    """Conversations with the people of the world, who answer politely and know nothing."""
    rng, cast = setting
    made = []
    for number in range(many):
        again = number // len(cast.people) + 1
        person = cast.people[number % len(cast.people)]
        said: list[ChatLine] = []
        for n in range(lines):
            theirs = rng.random() < 0.6
            content = rng.choice((f"About the {topic(rng)}: {paragraph(rng, 1)}", paragraph(rng, 1)))
            line = {"from": person if theirs else "", "text": content, "unread": theirs and n >= lines - 2}
            said.append(ChatLine.model_validate(line))
        answers = (Answer(when="*[?]*", say="Let me check and come back to you.", after=20), Answer(say="Thank you!", after=5))
        title = person if again == 1 else f"{person} {again}"
        made.append(Talk(title=title, members=(person,), muted=rng.random() < 0.2, messages=tuple(said), answers=answers))
    return tuple(made)
