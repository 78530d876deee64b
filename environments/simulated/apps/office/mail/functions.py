"""The functions of Mail: they write in a form of their own and press Send, so that it refuses what the window refuses."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import JsonValue

from environments.simulated.app import Edited, Effect, Event, Function, FunctionDeclined, FunctionResult, Pressed
from environments.simulated.apps.common.functions_base import Drive, NoArguments, Page, driven, one_line, part_of, unknown
from environments.simulated.apps.office.mail.state import FOLDERS, Compose, Folder, MailState, Message
from environments.simulated.world.values import Model, matches

_WINDOW = ("open", "compose", "errors")


class MessageQuery(Page):
    """`query` is searched in subject, addresses and body; without a folder, in all of them."""

    folder: Folder | None = None
    query: str = ""
    sender: str = ""
    unread: bool | None = None


class ById(Model):
    """A message by its id."""

    id: str


class Letter(Model):
    """A message to write; several recipients are separated by commas."""

    to: str = ""
    cc: str = ""
    subject: str = ""
    body: str = ""


class Reply(ById):
    """An answer to a message."""

    body: str


class MessageMove(ById):
    """Where a message goes."""

    folder: Literal["Inbox", "Archive", "Trash"]


def listed(state: MailState, wanted: MessageQuery) -> list[Message]:
    """Messages that fit, newest first."""
    fits = [
        message
        for message in state.messages.values()
        if wanted.folder in (None, message.folder)
        and wanted.unread in (None, message.unread)
        and matches(wanted.sender, message.sender)
        and matches(wanted.query, message.subject, message.sender, message.to, message.body)
    ]
    return sorted(reversed(fits), key=lambda message: message.date, reverse=True)


def short(message: Message) -> JsonValue:
    return message.model_dump(mode="json", exclude={"body", "cc"})


def list_messages(state: MailState, wanted: MessageQuery) -> FunctionResult[MailState]:
    return FunctionResult(state, part_of(listed(state, wanted), wanted.offset, wanted.limit, short))


def count_folders(state: MailState, _: NoArguments) -> FunctionResult[MailState]:
    counts: dict[str, JsonValue] = {}
    for folder in FOLDERS:
        there = [message for message in state.messages.values() if message.folder == folder]
        counts[folder] = {"messages": len(there), "unread": sum(message.unread for message in there)}
    return FunctionResult(state, counts)


def get_message(state: MailState, wanted: ById) -> FunctionResult[MailState]:
    return FunctionResult(state, _message(state, wanted.id).model_dump(mode="json"))


def _message(state: MailState, name: str) -> Message:
    message = state.messages.get(name)
    if message is None:
        unknown("message", name, state.messages)
    return message


def _fields(letter: Letter) -> list[Event]:
    return [
        Edited(f"compose.{name}", text if name == "body" else one_line(text))
        for name, text in letter.model_dump().items()
        if text
    ]


def _window_as(state: MailState, after: MailState) -> MailState:
    """What was done, with the window where it was."""
    return after.replace(**({name: getattr(state, name) for name in _WINDOW}))


class _WriteFunctions:
    """The functions that change something, over the app's own `update`."""

    def __init__(self, update: Drive[MailState]) -> None:
        self.update = update

    def send_message(self, state: MailState, letter: Letter) -> FunctionResult[MailState]:
        return self._sent(state, Compose(), _fields(letter))

    def send_draft(self, state: MailState, which: ById) -> FunctionResult[MailState]:
        message = _message(state, which.id)
        if message.folder != "Drafts":
            raise FunctionDeclined(f"{message.id} is in {message.folder}, not in Drafts")
        if state.compose and state.compose.draft == message.id:
            raise FunctionDeclined(f"draft {message.id} is being written in the window; send it there")
        letter = Compose(to=message.to, cc=message.cc, subject=message.subject, body=message.body, draft=message.id)
        return self._sent(state, letter, [])

    def save_draft(self, state: MailState, letter: Letter) -> FunctionResult[MailState]:
        return draft(self.update, state, letter)

    def reply(self, state: MailState, answer: Reply) -> FunctionResult[MailState]:
        letter = answering(self.update, state, _message(state, answer.id))
        return self._sent(state, letter, [Edited("compose.body", answer.body)])

    def mark_read(self, state: MailState, which: ById) -> FunctionResult[MailState]:
        after, effects = self._reading(state, which, [])
        return FunctionResult(_window_as(state, after), short(after.messages[which.id]), effects)

    def delete_message(self, state: MailState, which: ById) -> FunctionResult[MailState]:
        after, effects = self._reading(state, which, [Pressed("delete")])
        kept = after.messages.get(which.id)
        window = state.replace(open="") if state.open == which.id else state
        return FunctionResult(_window_as(window, after), {"id": which.id, "folder": kept.folder if kept else None}, effects)

    def move_message(self, state: MailState, goal: MessageMove) -> FunctionResult[MailState]:
        message = _message(state, goal.id)
        if message.folder == "Drafts":
            raise FunctionDeclined(f"{goal.id} is a draft; send_draft sends it")
        view = state.replace(compose=None, open="", selected=(goal.id,), menu="move")
        after, effects = driven(self.update, view, [Pressed(f"move-{goal.folder.lower()}")])
        kept = after.replace(selected=state.selected, menu=state.menu)
        return FunctionResult(_window_as(state, kept), short(after.messages[goal.id]), effects)

    def _sent(self, state: MailState, letter: Compose, events: list[Event]) -> FunctionResult[MailState]:
        writing = state.replace(compose=letter, errors={})
        after, effects = driven(self.update, writing, [*events, Pressed("send")])
        if after.errors:
            raise FunctionDeclined("; ".join(after.errors.values()))
        return FunctionResult(_window_as(state, after), short(after.messages[str(after.counter)]), effects)

    def _reading(self, state: MailState, which: ById, events: list[Event]) -> tuple[MailState, tuple[Effect, ...]]:
        message = _message(state, which.id)
        if message.folder == "Drafts":
            raise FunctionDeclined(f"{which.id} is a draft; send_draft sends it")
        view = state.replace(compose=None, open="", errors={})
        return driven(self.update, view, [Pressed(f"message-{which.id}"), *events])


def functions(update: Drive[MailState]) -> tuple[Function[Any, Any], ...]:
    """Functions over the app's own `update`."""
    app = _WriteFunctions(update)
    return (
        Function("list_messages", "Messages by folder, words, sender or state, newest first", MessageQuery, list_messages),
        Function("count_folders", "How many messages each folder has", NoArguments, count_folders),
        Function("get_message", "All of one message; it stays unread", ById, get_message),
        Function("mark_read", "Mark a message as read", ById, app.mark_read, writes=True, repeatable=True),
        Function("send_message", "Send a message", Letter, app.send_message, writes=True),
        Function("reply", "Send an answer to a message", Reply, app.reply, writes=True),
        Function("save_draft", "Put a message into Drafts without sending it", Letter, app.save_draft, writes=True),
        Function("send_draft", "Send a draft as it is", ById, app.send_draft, writes=True),
        Function(
            "move_message", "Put a message into another folder", MessageMove, app.move_message, writes=True, repeatable=True
        ),
        Function(
            "delete_message", "Move a message to Trash; one in Trash is gone for good", ById, app.delete_message, writes=True
        ),
    )


def draft(update: Drive[MailState], state: MailState, letter: Letter, base: Compose | None = None) -> FunctionResult[MailState]:
    """The letter in Drafts; `base` holds what is filled in already."""
    writing = state.replace(compose=base or Compose(), errors={})
    after, effects = driven(update, writing, [*_fields(letter), Pressed("save-draft")])
    name = after.compose.draft if after.compose else ""
    return FunctionResult(_window_as(state, after), short(after.messages[name]), effects)


def answering(update: Drive[MailState], state: MailState, message: Message) -> Compose:
    """What Reply fills in for a message."""
    if message.folder == "Drafts":
        raise FunctionDeclined(f"{message.id} is a draft, which nobody can answer")
    after = update(state.replace(compose=None, open=message.id), Pressed("reply")).state
    return after.compose or Compose()
