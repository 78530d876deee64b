"""Mail: folders of messages, reading, writing and answering."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Page, driven, one_line, part_of, unknown
from environments.simulated.apps.common.record_list import ListState, list_update, list_view, picked, question, with_error
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world import values
from environments.simulated.world.values import Day, IdentityKey, Model, mail_address, matches, without

Folder = Literal["Inbox", "Sent", "Drafts", "Archive", "Trash"]
FOLDERS: tuple[Folder, ...] = ("Inbox", "Sent", "Drafts", "Archive", "Trash")
GOALS: tuple[Folder, ...] = ("Inbox", "Archive", "Trash")
"""Folders that a message can be moved to."""
_ADDRESS = re.compile(r"^[^@\s,;]+@[^@\s,;]+\.[^@\s,;.]+$")


class Message(Model):
    """A message in one folder."""

    id: str
    folder: Folder = "Inbox"
    sender: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    date: Day = ""
    body: str = ""
    unread: bool = False


class Letter(Model):
    """A message to write; several recipients are separated by commas."""

    to: str = ""
    cc: str = ""
    subject: str = ""
    body: str = ""


class Compose(Letter):
    """A message that is being written. `draft` is the id of the draft it came from."""

    draft: str = ""

    @property
    def empty(self) -> bool:
        return not (self.to or self.cc or self.subject or self.body)


class MailState(ListState):
    """Messages by id, and what is looked at or written."""

    messages: dict[str, Message]
    address: str
    today: str
    counter: int
    folder: Folder = "Inbox"
    open: str = ""
    selected: tuple[str, ...] = ()
    """Messages of the list, by id; the first one is where a range begins."""
    menu: Literal["", "more", "move"] = ""
    """Which menu is open; `move` is the one within `more`."""
    compose: Compose | None = None
    errors: dict[str, str] = Field(default_factory=dict)

    def found(self) -> list[Message]:
        """The messages of the folder that fit the search, newest first."""
        return list(_found(IdentityKey(self.messages), self.folder, self.applied))

    def sorting(self, event: sim.Event) -> sim.Update[MailState] | None:
        """What an event means for the selection and its menu; None when it has nothing to do with them."""
        if self.compose is not None:
            return None
        match event:
            case sim.Pressed(key="more"):
                return sim.Update(self.replace(menu="" if self.menu else "more"))
            case sim.Hovered(key="move-to") | sim.Pressed(key="move-to") if self.menu:
                return sim.Update(self.replace(menu="move"))
            case sim.Hovered(key=key) if self.menu and key not in _MOVES:
                return sim.Update(self.replace(menu="more"))
            case sim.Away(pressed=pressed) if self.menu:
                return sim.Update(self.replace(menu="" if pressed else "more"))
            case sim.Shortcut(chord="Escape") if self.menu:
                return sim.Update(self.replace(menu=""))
        if isinstance(event, sim.Pressed) and self.menu and (done := self._done(event.key)) is not None:
            return done
        return None if self.open in self.messages else self._choosing(event)

    def _choosing(self, event: sim.Event) -> sim.Update[MailState] | None:
        match event:
            case sim.Pressed(key=key, modifiers=held) if key.startswith("message-") and any(name in held for name in _CHOOSING):
                order = [message.id for message in self.found()]
                name = key.removeprefix("message-").removesuffix(".subject")
                return sim.Update(self.replace(selected=picked(order, self.selected, name, held)))
            case sim.Context(key=key):
                name = key.removeprefix("message-")
                kept = self.selected if name in self.selected else (name,)
                return sim.Update(self.replace(selected=kept, menu="more"))
            case sim.Swiped(key=key, direction="left"):
                archived = self._changed((key.removeprefix("message-"),), folder="Archive")
                return sim.Update(archived, (sim.Toast("Moved to Archive"),))
            case sim.Swiped(key=key, direction="right"):
                return sim.Update(self._changed((key.removeprefix("message-"),), unread=False), (sim.Toast("Marked as read"),))
            case sim.Shortcut(chord="Control+a" | "Meta+a"):
                return sim.Update(self._all())
            case sim.Shortcut(chord="Escape") if self.selected:
                return sim.Update(self.replace(selected=()))
            case sim.Pressed(key="delete-selected") | sim.Shortcut(chord="Delete") if self.selected:
                return sim.Update(self.deleted(self.selected), (sim.Toast(f"{_counted(len(self.selected))} deleted"),))
        return None

    def _done(self, key: str) -> sim.Update[MailState] | None:
        """An item of the menu; it closes by that."""
        names = (self.open,) if self.open in self.messages else self.selected
        closed = self.replace(menu="")
        if key == "select-all":
            return sim.Update(closed._all())
        if key in ("mark-read", "mark-unread"):
            unread = key == "mark-unread"
            return sim.Update(closed._changed(names, unread=unread), (sim.Toast(f"Marked as {'unread' if unread else 'read'}"),))
        if key in _MOVES:
            moved = closed._changed(names, folder=_MOVES[key]).replace(selected=(), open="")
            return sim.Update(moved, (sim.Toast(f"{_counted(len(names))} moved to {_MOVES[key]}"),))
        return None

    def _all(self) -> MailState:
        return self.replace(selected=tuple(message.id for message in self.found()))

    def _changed(self, names: Sequence[str], **fields: bool | str) -> MailState:
        changed: dict[str, Message] = {n: self.messages[n].replace(**fields) for n in names if n in self.messages}
        return self.replace(messages={**self.messages, **changed})

    def deleted(self, names: Sequence[str]) -> MailState:
        """Messages go to Trash, and from there for good."""
        gone = {name for name in names if name in self.messages and self.messages[name].folder == "Trash"}
        moved = self._changed(names, folder="Trash").messages
        return self.replace(messages={name: message for name, message in moved.items() if name not in gone}, selected=())


@lru_cache(maxsize=8)
def _found(messages: IdentityKey[dict[str, Message]], folder: str, query: str) -> tuple[Message, ...]:
    """Newest first; of all folders where none is named.

    Looked for once as long as neither the content nor the search changes: each key that is typed asks again.
    """
    there = (m for m in messages.value.values() if folder in ("", m.folder))
    fits = [m for m in there if matches(query, m.subject, m.sender, m.to, m.body)]
    return tuple(sorted(reversed(fits), key=lambda message: message.date, reverse=True))


def bad_address(text: str) -> str:
    """The first recipient that is no address: `Ann <ann@x.org>` is one."""
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    return next((part for part in parts if not _ADDRESS.match(re.sub(r"^.*<([^<>]*)>$", r"\1", part))), "")


_MOVES: dict[str, Folder] = {f"move-{name.lower()}": name for name in GOALS}
_CHOOSING = ("Shift", "Control", "Meta", "ControlOrMeta")


def _counted(many: int) -> str:
    return "Message" if many == 1 else f"{many} messages"


class MessageQuery(Page):
    """`query` is searched in subject, addresses and body; without a folder, in all of them."""

    folder: Folder | None = None
    query: str = ""
    sender: str = ""
    unread: bool | None = None


def _short(message: Message) -> JsonValue:
    return message.model_dump(mode="json", exclude={"body", "cc"})


def _message(state: MailState, name: str) -> Message:
    return state.messages.get(name) or unknown("message", name, state.messages)


def _fields(letter: Letter) -> list[sim.Event]:
    given = letter.model_dump().items()
    return [sim.Edited(f"compose.{name}", text if name == "body" else one_line(text)) for name, text in given if text]


def _by_hand(state: MailState, *events: sim.Event, **window: object) -> sim.Update[MailState]:
    """What a hand does in a window of its own; the one that is there stays where it was. Raises FunctionDeclined."""
    own = {"compose": None, "open": "", "errors": {}, **window}
    after, effects = driven(Mail().update, state.replace(**own), events)
    if after.errors:
        raise sim.FunctionDeclined("; ".join(after.errors.values()))
    return sim.Update(after.replace(open=state.open, compose=state.compose, errors=state.errors), effects)


def _filed_by_hand(state: MailState, *events: sim.Event, **window: object) -> sim.FunctionResult[MailState]:
    """What comes of a letter: it was sent, or is a draft."""
    after, effects = _by_hand(state, *events, **window)
    return sim.FunctionResult(after, _short(after.messages[str(after.counter)]), effects)


def _no_draft(state: MailState, name: str) -> None:
    if _message(state, name).folder == "Drafts":
        raise sim.FunctionDeclined(f"{name} is a draft; send_draft sends it")


FUNCTIONS = FunctionTable[MailState]()


@FUNCTIONS.reads()
def list_messages(state: MailState, wanted: MessageQuery) -> JsonValue:
    """Messages by folder, words, sender or state, newest first"""
    fits = _found(IdentityKey(state.messages), wanted.folder or "", wanted.query)
    some = [m for m in fits if wanted.unread in (None, m.unread) and matches(wanted.sender, m.sender)]
    return part_of(some, wanted.offset, wanted.limit, _short)


@FUNCTIONS.reads()
def count_folders(state: MailState) -> JsonValue:
    """How many messages each folder has"""
    there = {folder: [m for m in state.messages.values() if m.folder == folder] for folder in FOLDERS}
    return {folder: {"messages": len(some), "unread": sum(m.unread for m in some)} for folder, some in there.items()}


@FUNCTIONS.reads("ById", "A message by its id.")
def get_message(state: MailState, id: str) -> JsonValue:
    """All of one message; it stays unread"""
    return _message(state, id).model_dump(mode="json")


@FUNCTIONS.writes("ById", "A message by its id.", repeatable=True)
def mark_read(state: MailState, id: str) -> sim.FunctionResult[MailState]:
    """Mark a message as read"""
    _no_draft(state, id)
    after, effects = _by_hand(state, sim.Pressed(f"message-{id}"))
    return sim.FunctionResult(after, _short(after.messages[id]), effects)


@FUNCTIONS.writes()
def send_message(state: MailState, letter: Letter) -> sim.FunctionResult[MailState]:
    """Send a message"""
    return _filed_by_hand(state, *_fields(letter), sim.Pressed("send"), compose=Compose())


@FUNCTIONS.writes("Reply", "An answer to a message.")
def reply(state: MailState, id: str, body: str) -> sim.FunctionResult[MailState]:
    """Send an answer to a message"""
    if _message(state, id).folder == "Drafts":
        raise sim.FunctionDeclined(f"{id} is a draft, which nobody can answer")
    return _filed_by_hand(state, sim.Pressed("reply"), sim.Edited("compose.body", body), sim.Pressed("send"), open=id)


@FUNCTIONS.writes()
def save_draft(state: MailState, letter: Letter) -> sim.FunctionResult[MailState]:
    """Put a message into Drafts without sending it"""
    return _filed_by_hand(state, *_fields(letter), sim.Pressed("save-draft"), compose=Compose())


@FUNCTIONS.writes("ById", "A message by its id.")
def send_draft(state: MailState, id: str) -> sim.FunctionResult[MailState]:
    """Send a draft as it is"""
    message = _message(state, id)
    if message.folder != "Drafts":
        raise sim.FunctionDeclined(f"{id} is in {message.folder}, not in Drafts")
    if state.compose and state.compose.draft == id:
        raise sim.FunctionDeclined(f"draft {id} is being written in the window; send it there")
    return _filed_by_hand(state, sim.Pressed("send"), compose=_letter_of(message))


@FUNCTIONS.writes("MessageMove", "Where a message goes.", repeatable=True)
def move_message(state: MailState, id: str, folder: Literal["Inbox", "Archive", "Trash"]) -> sim.FunctionResult[MailState]:
    """Put a message into another folder"""
    _no_draft(state, id)
    after, effects = _by_hand(state, sim.Pressed(f"move-{folder.lower()}"), selected=(id,), menu="move")
    kept = after.replace(selected=state.selected, menu=state.menu)
    return sim.FunctionResult(kept, _short(after.messages[id]), effects)


@FUNCTIONS.writes("ById", "A message by its id.")
def delete_message(state: MailState, id: str) -> sim.FunctionResult[MailState]:
    """Move a message to Trash; one in Trash is gone for good"""
    _no_draft(state, id)
    after, effects = _by_hand(state, sim.Pressed(f"message-{id}"), sim.Pressed("delete"))
    kept = after.messages.get(id)
    after = after.replace(open="") if state.open == id else after
    return sim.FunctionResult(after, {"id": id, "folder": kept.folder if kept else None}, effects)


FIELDS = (("to", "To"), ("cc", "Cc"), ("subject", "Subject"), ("body", "Message"))


def _list(state: MailState) -> tuple[Widget, ...]:
    def line(message: Message) -> Widget:
        key, movable = f"message-{message.id}", message.folder != "Drafts"
        return ui.row(
            key,
            ui.cell(message.to if who == "To" else message.sender, f"{key}.{who.lower()}"),
            ui.link(message.subject or "(no subject)", f"{key}.subject"),
            ui.cell(message.date, f"{key}.date"),
            ui.cell("Unread" if message.unread else "Read", f"{key}.state"),
            selected=message.id in state.selected,
            context=movable,
        )._replace(swipes=movable)

    who = "To" if state.folder in ("Sent", "Drafts") else "From"
    chosen = tuple(state.messages[name] for name in state.selected if name in state.messages)
    counted = (ui.text(f"{len(chosen)} selected", "count"),) if chosen else ()
    folders = (ui.link(name, f"folder-{name.lower()}", selected=name == state.folder) for name in FOLDERS)
    return (
        ui.heading(f"Mail: {state.folder}", f"list-{state.folder.lower()}"),
        ui.bar(ui.button("Compose", "compose"), *folders, key="folders"),
        ui.search_bar("mail", state.query),
        ui.bar(ui.button("Delete selected", "delete-selected", enabled=bool(chosen)), _more(state, chosen), *counted,
               key="selection"),
        *list_view("messages", (who, "Subject", "Date", "State"), state.found(), line, "No messages", state.page),
    )  # fmt: skip


def _more(state: MailState, chosen: tuple[Message, ...]) -> Widget:
    """What can be done with the messages that are chosen, or with the one that is read."""
    here = {message.folder for message in chosen}
    some = bool(chosen)
    move = (ui.menuitem(name, f"move-{name.lower()}", enabled=here != {name}) for name in GOALS)
    items = (
        ui.menuitem("Mark as read", "mark-read", enabled=some), ui.menuitem("Mark as unread", "mark-unread", enabled=some),
        *(() if state.open else (ui.menuitem("Select all", "select-all"),)),
        *((ui.submenu("Move to", "move-to", state.menu == "move", *move),) if some and "Drafts" not in here else ()),
    )  # fmt: skip
    return ui.menubutton("More", "more", bool(state.menu), *items)


def read_view(state: MailState, message: Message) -> tuple[Widget, ...]:
    key = f"message-{message.id}"
    facts = {"From": message.sender, "To": message.to, "Cc": message.cc, "Date": message.date}
    lines = ui.lines(message.body, key)
    return (
        ui.heading(message.subject or "(no subject)", key),
        *(ui.pair(label, value, f"{key}.{label.lower()}") for label, value in facts.items() if value),
        ui.group(*lines, key=f"{key}.body") if lines else ui.text("(empty)", f"{key}.body"),
        ui.bar(
            ui.button("Reply", "reply"),
            ui.button("Delete", "delete"),
            ui.button("Save to notes", "to-notes"),
            ui.button("Back to list", "back"),
            _more(state, (message,)),
        ),
    )


class GivenMessage(Message):
    """A message in a world file. `sender` may be written `from`."""

    model_config = ConfigDict(validate_by_name=True)
    id: str = ""
    sender: str = Field(default="", alias="from")
    unread: bool = True


class MailContent(sim.Content):
    """`generate` adds messages from the seed to those that are given."""

    messages: tuple[GivenMessage, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    address: str | None = None


def _told(found: sim.Difference) -> str:
    letter: Message = found.new
    to = ", ".join(filter(None, (letter.to, letter.cc)))
    return f'sends a mail to {to}, subject "{letter.subject}"' + (f": {letter.body:.100}" if letter.body else "")


class Mail(sim.App[MailContent, MailState]):
    """Electronic mail."""

    name = "mail"
    title = "Mail"
    words = ("mail", "mails", "email", "emails", "inbox", "message", "messages")
    looks = frozenset({"counter", "folder", "open", "selected", "menu", "compose", "errors", "messages.*.unread"})
    # A draft that is sent goes, and as many messages are left as before; what arrives is not the user's doing.
    meanings = (
        sim.Meaning("messages.*", Does.SEND, _told, sim.becomes(folder="Sent")),
        sim.Meaning("messages.*", Does.DELETE, 'moves the mail "{new.subject}" to the trash', sim.becomes(folder="Trash")),
        sim.Meaning(
            "messages.*", None, when=lambda found: found.new is None and len(found.before.messages) == len(found.after.messages)
        ),
        sim.Meaning("messages.*", Does.DELETE, 'deletes the mail "{old.subject}" for good', sim.is_gone),
        sim.Meaning("messages.*", None, when=lambda found: sim.is_new(found) and found.new.folder == "Inbox"),
        sim.Meaning("messages.*", Does.SAVE, 'keeps the draft "{new.subject}"', sim.becomes(folder="Drafts")),
        sim.Meaning(
            "messages.*",
            Does.EDIT,
            'moves the mail "{new.subject}" to {new.folder}',
            when=lambda found: found.old is not None and found.old.folder != found.new.folder,
        ),
    )
    functions = FUNCTIONS

    def start(self, content: MailContent, setting: sim.Setting) -> MailState:
        address = content.address or mail_address(setting.cast.user)
        today = setting.cast.today.isoformat()
        made = _generated(values.how_many(content.messages, content.generate, 14, setting.cast.times), setting, address)
        letters = (*(content.messages or ()), *made)
        messages: dict[str, Message] = {}
        for number, letter in enumerate(letters, start=1):
            name = letter.id or str(number)
            own = letter.folder in ("Sent", "Drafts")
            sender, to = (address, "") if own else ("", address)
            messages[name] = Message.model_validate({
                **letter.model_dump(), "id": name, "date": letter.date or today, "sender": letter.sender or sender,
                "to": letter.to or to, "unread": letter.unread and not own,
            })  # fmt: skip
        return MailState(messages=messages, address=address, today=today, counter=len(messages))

    def view(self, state: MailState) -> tuple[Widget, ...]:
        if state.compose is not None:
            fields: list[Widget] = []
            for name, label in FIELDS:
                value, required = getattr(state.compose, name), name == "to"
                field = ui.textbox(label, f"compose.{name}", value, multiline=name == "body", required=required)
                fields += ui.checked(field, state.errors.get(name))
            buttons = ui.bar(
                ui.button("Send", "send"), ui.button("Save draft", "save-draft"), ui.button("Discard", "discard"), key="actions"
            )
            return (ui.heading("Write a message", "write"), ui.form("compose-form", *fields, buttons, submit="send"))
        opened = state.messages.get(state.open)
        return read_view(state, opened) if opened else _list(state)

    def update(self, state: MailState, event: sim.Event) -> sim.Update[MailState]:
        if (sorted_out := state.sorting(event)) is not None:
            return sorted_out
        match event:
            case sim.Arrived(topic="mail", data=data):
                sender, name = data.get("from", ""), str(state.counter + 1)
                mail = Message(id=name, sender=sender, to=state.address, subject=data.get("subject", ""), date=state.today,
                               body=data.get("body", ""), unread=True)  # fmt: skip
                there = state.replace(messages={**state.messages, name: mail}, counter=state.counter + 1)
                return sim.Update(there, (sim.Toast(f"New message from {sender}"),))
            case sim.Arrived(topic="compose", data=data):
                letter = Compose(to=data.get("to", ""), subject=data.get("subject", ""), body=data.get("body", ""))
                kept = _kept(state, state.compose) if state.compose and not state.compose.empty else state
                return sim.Update(kept.replace(compose=letter, errors={}))
        if state.compose is not None:
            return _writing(state, state.compose, event)
        if state.open in state.messages:
            return _reading(state, state.messages[state.open], event)
        if (looked := list_update(state, event, lambda: state.found())) is not None:
            searched = isinstance(event, sim.Pressed) and event.key == "search"
            return sim.Update(looked.replace(selected=()) if searched else looked)
        match event:
            case sim.Pressed(key="compose"):
                return sim.Update(state.replace(compose=Compose(), errors={}))
            case sim.Pressed(key=key) if key.startswith("folder-"):
                folder = next(name for name in FOLDERS if f"folder-{name.lower()}" == key)
                return sim.Update(state.replace(folder=folder, page=1, query="", applied="", selected=()))
            case sim.Pressed(key=key) if key.startswith("message-"):
                return sim.Update(_opened(state, key.removeprefix("message-").removesuffix(".subject")))
        return sim.Update(state)


def _letter_of(draft: Message) -> Compose:
    return Compose(to=draft.to, cc=draft.cc, subject=draft.subject, body=draft.body, draft=draft.id)


def _opened(state: MailState, name: str) -> MailState:
    message = state.messages[name]
    if message.folder == "Drafts":
        return state.replace(compose=_letter_of(message), errors={})
    return state.replace(open=name, selected=(), messages={**state.messages, name: message.replace(unread=False)})


def _reading(state: MailState, message: Message, event: sim.Event) -> sim.Update[MailState]:
    match event:
        case sim.Pressed(key="back"):
            return sim.Update(state.replace(open=""))
        case sim.Pressed(key="delete"):
            return sim.Update(state.deleted((message.id,)).replace(open=""), (sim.Toast("Message deleted"),))
        case sim.Pressed(key="to-notes"):
            note = {"title": message.subject or "(no subject)", "body": message.body}
            return sim.Update(state, (sim.Notify("notes", "note", note),))
        case sim.Pressed(key="reply"):
            subject = message.subject if message.subject.casefold().startswith("re:") else f"Re: {message.subject}"
            to = message.to if message.folder == "Sent" else message.sender
            return sim.Update(state.replace(compose=Compose(to=to, subject=subject), errors={}))
    return sim.Update(state)


def _writing(state: MailState, letter: Compose, event: sim.Event) -> sim.Update[MailState]:
    match event:
        case sim.Edited(key=key, value=value) if key.startswith("compose."):
            name = key.removeprefix("compose.")
            changed = letter.model_copy(update={name: value})
            return sim.Update(state.replace(compose=changed, errors=with_error(state.errors, name)))
        case sim.Pressed(key="send"):
            return _send(state, letter)
        case sim.Pressed(key="save-draft") | sim.Shortcut(chord="Control+s" | "Meta+s"):
            return sim.Update(_kept(state, letter), (sim.Toast("Draft saved"),))
        case sim.Pressed(key="discard") if letter.empty:
            return sim.Update(state.replace(compose=None, errors={}))
        case sim.Pressed(key="discard"):
            lost = "What you have written will be lost."
            return sim.Update(state, (question("discard", "Discard this message?", lost, "Discard message", "Keep writing"),))
        case sim.Answered(key="discard", button="Discard message"):
            return sim.Update(state.replace(compose=None, errors={}, messages=without(state.messages, letter.draft)))
    return sim.Update(state)


def _filed(state: MailState, letter: Compose, folder: Folder) -> MailState:
    """The letter as a message in a folder; a draft that it came from is replaced."""
    name = letter.draft if folder == "Drafts" and letter.draft else str(state.counter + 1)
    message = Message(id=name, folder=folder, sender=state.address, to=letter.to.strip(), cc=letter.cc.strip(),
                      subject=letter.subject, date=state.today, body=letter.body)  # fmt: skip
    rest = {k: m for k, m in state.messages.items() if k != letter.draft or k == name}
    counter = state.counter if name == letter.draft else state.counter + 1
    return state.replace(messages={**rest, name: message}, counter=counter)


def _kept(state: MailState, letter: Compose) -> MailState:
    filed = _filed(state, letter, "Drafts")
    name = letter.draft or str(filed.counter)
    return filed.replace(compose=letter.replace(draft=name))


def _send(state: MailState, letter: Compose) -> sim.Update[MailState]:
    errors = {}
    if not letter.to.strip():
        errors["to"] = "To is required"
    for name in ("to", "cc"):
        if bad := bad_address(getattr(letter, name)):
            errors[name] = f"{bad} is not a mail address"
    if errors:
        return sim.Update(state.replace(errors=errors))
    filed = _filed(state, letter, "Sent").replace(compose=None, errors={}, open="")
    return sim.Update(filed, (sim.Submitted(), sim.Toast("Message sent")))


def _generated(count: int, setting: sim.Setting, address: str) -> tuple[GivenMessage, ...]:
    rng, cast = setting
    made = []
    for _ in range(count):
        person, sent = rng.choice(cast.people), rng.random() < 0.2
        greeting = f"Hello {(person if sent else cast.user).split()[0]},"
        made.append({
            "folder": "Sent" if sent else "Inbox",
            "from": address if sent else mail_address(person),
            "to": mail_address(person) if sent else address,
            "subject": f"{values.topic(rng).capitalize()} {rng.randrange(10, 99)}",
            "date": values.day_before(rng, cast.today, 40),
            "body": f"{greeting}\n{values.paragraph(rng)}\n{(cast.user if sent else person).split()[0]}",
            "unread": rng.random() < 0.4,
        })  # fmt: skip
    return tuple(map(GivenMessage.model_validate, made))
