"""The pages of the chat app."""

from __future__ import annotations

from collections.abc import Sequence

from environments.simulated.apps.chat_archive import Row, put_there
from environments.simulated.apps.chat_state import MESSAGES, PAGE_SIZE, ChatState, delivered, found, said_in, talks
from environments.simulated.apps.chat_talk import Conversation, Message
from environments.simulated.values import Same, page_of
from environments.simulated.widgets import (
    Widget,
    bar,
    button,
    cell,
    form,
    heading,
    link,
    pager,
    row,
    search_bar,
    table,
    text,
    textbox,
)

_SHORT = 60


def page(state: ChatState) -> tuple[Widget, ...]:
    """The page that is shown: a conversation, what was searched for, or the list."""
    if put_there(Same(state.incoming)):
        state = delivered(state.model_copy(update={"coming": ()})).state.model_copy(update={"coming": state.coming})
    if state.open in state.conversations:
        return _conversation(state, state.conversations[state.open])
    return _results(state) if state.applied else _list(state)


def _top(state: ChatState) -> tuple[Widget, ...]:
    return (bar(button("New conversation", "new")), search_bar("messages", state.query))


def _list(state: ChatState) -> tuple[Widget, ...]:
    rows, total = talks(state)
    part, number, pages = page_of(rows, state.page, PAGE_SIZE)
    columns = ("Name", "Last message", "Time", "Unread", "Notifications")
    body = table("talks", columns, (_row(item) for item in part)) if rows else text("No conversations", "none")
    return (heading("Chats", "list"), *_top(state), text(f"Unread messages: {total}", "unread"), body, pager(number, pages))


def _row(item: Row) -> Widget:
    key = f"talk:{item.talk.id}"
    last = f"{item.last.sender or 'You'}: {_short(item.last.text)}" if item.last else ""
    cells = (last, item.last.at if item.last else "", f"{item.unread} unread" if item.unread else "",
            "Muted" if item.talk.muted else "")  # fmt: skip
    name = link(item.talk.title, f"{key}:name", selected=item.unread > 0)
    return row(key, name, *(cell(value, f"{key}:{n}") for n, value in enumerate(cells)))


def _short(said: str) -> str:
    said = " ".join(said.split())
    return said if len(said) <= _SHORT else said[: _SHORT - 1] + "…"


def _results(state: ChatState) -> tuple[Widget, ...]:
    part, number, pages = page_of(found(state, state.applied), state.page, PAGE_SIZE)
    rows = []
    for message in part:
        key = f"hit:{message.id}"
        name = state.conversations[message.conversation].title
        said = (message.sender or "You", _short(message.text), message.at)
        rows.append(row(key, link(name, f"{key}:name"), *(cell(value, f"{key}:{n}") for n, value in enumerate(said))))
    body = table("hits", ("Conversation", "From", "Message", "Time"), rows) if rows else text("No messages found", "none")
    title = heading(f"Messages with “{state.applied}”", "results")
    return (title, *_top(state), bar(button("Clear search", "clear")), body, pager(number, pages))


def shown_messages(state: ChatState) -> tuple[Sequence[Message], int, int]:
    """The messages of the open conversation that are on the screen, how many pages back they are, and the most there are."""
    every = said_in(state, state.open)
    back = max(0, -(-len(every) // MESSAGES) - 1)
    at = min(state.older, back)
    stop = len(every) - at * MESSAGES
    return every[max(0, stop - MESSAGES) : stop], at, back


def _conversation(state: ChatState, talk: Conversation) -> tuple[Widget, ...]:
    part, at, back = shown_messages(state)
    chosen = state.selected in state.messages
    tools = bar(
        button("Back to chats", "back"), button("Unmute" if talk.muted else "Mute", "mute"),
        button("Leave conversation", "leave"), button("Reply", "reply", enabled=chosen),
        button("Copy message", "copy", enabled=chosen), key="tools",
    )  # fmt: skip
    turning = bar(
        button("Older messages", "older", enabled=at < back), button("Newer messages", "newer", enabled=at > 0), key="turning"
    )
    rows = [_message(state, message) for message in part]
    body = table("messages", ("From", "Message", "Time"), rows) if rows else text("No messages yet", "none")
    typing = [c.sender for c in state.coming if c.conversation == talk.id]
    draft = state.drafts.get(talk.id, "")
    answered = state.messages.get(state.reply_to)
    quote = (
        (bar(text(f"Replying to {_quoted(answered)}", "reply-to"), button("Cancel reply", "cancel-reply")),) if answered else ()
    )
    write = textbox("Write a message", "write", draft)
    writing = form("write-form", write, button("Send", "send", enabled=bool(draft.strip())), submit="send", across=True)
    return (
        heading(talk.title, f"talk-page:{talk.id}"),
        *((text(f"Members: {', '.join(talk.members)}", "members"),) if len(talk.members) > 1 else ()),
        tools,
        *((turning,) if back else ()),
        body,
        *(text(f"{name} is typing…", f"typing-{n}") for n, name in enumerate(typing)),
        *quote,
        writing,
    )


def _message(state: ChatState, message: Message) -> Widget:
    key = f"message:{message.id}"
    to = state.messages.get(message.reply_to)
    said = f"↪ {_quoted(to)}\n{message.text}" if to else message.text
    cells = (cell(message.sender or "You", f"{key}:from"), text(said, f"{key}:text"), cell(message.at, f"{key}:at"))
    return row(key, *cells, selected=message.id == state.selected)


def _quoted(message: Message) -> str:
    return f"{message.sender or 'You'}: {_short(message.text)}"
