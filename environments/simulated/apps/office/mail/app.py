"""Mail: folders of messages, reading, writing and answering."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ConfigDict, Field

from environments.effects import Effect as Does
from environments.simulated.app import (
    Answered,
    App,
    Arrived,
    Content,
    Difference,
    Edited,
    Event,
    Meaning,
    Notify,
    Pressed,
    Setting,
    Shortcut,
    Submitted,
    Toast,
    Update,
    becomes,
    is_gone,
    is_new,
)
from environments.simulated.apps.common.record_list import list_update, list_view, question, with_error
from environments.simulated.apps.office.mail.functions import functions
from environments.simulated.apps.office.mail.state import FOLDERS, GOALS, Compose, Folder, MailState, Message, bad_address
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import TOPICS, Day, Model, day_before, how_many, mail_address, paragraph

FIELDS = (("to", "To"), ("cc", "Cc"), ("subject", "Subject"), ("body", "Message"))


def _list(state: MailState) -> tuple[Widget, ...]:
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
        *list_view("messages", (who, "Subject", "Date", "State"), state.found(),
                   lambda message: _row(message, who, message.id in state.selected), "No messages", state.page),
    )  # fmt: skip


def _row(message: Message, who: str, selected: bool) -> Widget:
    key = f"message-{message.id}"
    return ui.row(
        key,
        ui.cell(message.to if who == "To" else message.sender, f"{key}.{who.lower()}"),
        ui.link(message.subject or "(no subject)", f"{key}.subject"),
        ui.cell(message.date, f"{key}.date"),
        ui.cell("Unread" if message.unread else "Read", f"{key}.state"),
        selected=selected,
        context=message.folder != "Drafts",
    )._replace(swipes=message.folder != "Drafts")


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


def compose_view(compose: Compose, errors: dict[str, str], known: tuple[str, ...]) -> tuple[Widget, ...]:
    fields: list[Widget] = []
    for name, label in FIELDS:
        value = getattr(compose, name)
        field = ui.textbox(
            label, f"compose.{name}", value, multiline=name == "body", required=name == "to", invalid=name in errors
        )
        fields.append(field._replace(options=known) if name in ("to", "cc") else field)
        if name in errors:
            fields.append(ui.alert(errors[name], f"compose.{name}.error"))
    buttons = ui.bar(
        ui.button("Send", "send"), ui.button("Save draft", "save-draft"), ui.button("Discard", "discard"), key="actions"
    )
    return (ui.heading("Write a message", "write"), ui.form("compose-form", *fields, buttons, submit="send"))


class Letter(Model):
    """A message in a world file. `sender` may be written `from`."""

    model_config = ConfigDict(validate_by_name=True)
    id: str = ""
    folder: Folder = "Inbox"
    sender: str = Field(default="", alias="from")
    to: str = ""
    cc: str = ""
    subject: str = ""
    date: Day = ""
    body: str = ""
    unread: bool = True


class MailContent(Content):
    """`generate` adds messages from the seed to those that are given."""

    messages: tuple[Letter, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    address: str | None = None


def _moved(found: Difference) -> bool:
    return found.old is not None and found.old.folder != found.new.folder


def _told(found: Difference) -> str:
    letter: Message = found.new
    to = ", ".join(filter(None, (letter.to, letter.cc)))
    return f'sends a mail to {to}, subject "{letter.subject}"' + (f": {letter.body:.100}" if letter.body else "")


MEANINGS = (
    Meaning("messages.*", Does.SEND, _told, becomes(folder="Sent")),
    Meaning("messages.*", Does.DELETE, 'moves the mail "{new.subject}" to the trash', becomes(folder="Trash")),
    Meaning("messages.*", None, when=lambda found: found.new is None and len(found.before.messages) == len(found.after.messages)),
    Meaning("messages.*", Does.DELETE, 'deletes the mail "{old.subject}" for good', is_gone),
    Meaning("messages.*", None, when=lambda found: is_new(found) and found.new.folder == "Inbox"),
    Meaning("messages.*", Does.SAVE, 'keeps the draft "{new.subject}"', becomes(folder="Drafts")),
    Meaning("messages.*", Does.EDIT, 'moves the mail "{new.subject}" to {new.folder}', _moved),
)
"""A draft that is sent goes, and as many messages are left as before; what arrives is not the user's doing."""


class Mail(App[MailContent, MailState]):
    """Electronic mail."""

    name = "mail"
    title = "Mail"
    words = ("mail", "mails", "email", "emails", "inbox", "message", "messages")
    looks = frozenset(
        {"counter", "folder", "query", "applied", "page", "open", "selected", "menu", "compose", "errors", "messages.*.unread"}
    )
    meanings = MEANINGS
    functions = functions(lambda state, event: Mail().update(state, event))

    def start(self, content: MailContent, setting: Setting) -> MailState:
        address = content.address or mail_address(setting.cast.user)
        today = setting.cast.today.isoformat()
        made = _generated(how_many(content.messages, content.generate, 14, setting.cast.times), setting, address)
        letters = (*(content.messages or ()), *made)
        messages: dict[str, Message] = {}
        for number, letter in enumerate(letters, start=1):
            name = letter.id or str(number)
            own = letter.folder in ("Sent", "Drafts")
            values: dict[str, object] = {**letter.model_dump(), "id": name, "date": letter.date or today}
            values["sender"] = letter.sender or (address if own else "")
            values["to"] = letter.to or ("" if own else address)
            values["unread"] = letter.unread and not own
            messages[name] = Message.model_validate(values)
        return MailState(messages=messages, address=address, today=today, counter=len(messages))

    def view(self, state: MailState) -> tuple[Widget, ...]:
        if state.compose is not None:
            return compose_view(state.compose, state.errors, state.addresses())
        opened = state.messages.get(state.open)
        return read_view(state, opened) if opened else _list(state)

    def update(self, state: MailState, event: Event) -> Update[MailState]:
        if (sorted_out := state.sorting(event)) is not None:
            return sorted_out
        match event:
            case Arrived(topic="mail", data=data):
                return Update(_received(state, data), (Toast(f"New message from {data.get('from', '')}"),))
            case Arrived(topic="compose", data=data):
                letter = Compose(to=data.get("to", ""), subject=data.get("subject", ""), body=data.get("body", ""))
                kept = _kept(state, state.compose) if state.compose and not state.compose.empty else state
                return Update(kept.replace(compose=letter, errors={}))
        if state.compose is not None:
            return _writing(state, state.compose, event)
        if state.open in state.messages:
            return _reading(state, state.messages[state.open], event)
        if (looked := list_update(state, event, lambda: state.found())) is not None:
            searched = isinstance(event, Pressed) and event.key == "search"
            return Update(looked.replace(selected=()) if searched else looked)
        match event:
            case Pressed(key="compose"):
                return Update(state.replace(compose=Compose(), errors={}))
            case Pressed(key=key) if key.startswith("folder-"):
                folder = next(name for name in FOLDERS if f"folder-{name.lower()}" == key)
                return Update(state.replace(folder=folder, page=1, query="", applied="", selected=()))
            case Pressed(key=key) if key.startswith("message-"):
                return Update(_opened(state, key.removeprefix("message-").removesuffix(".subject")))
        return Update(state)


def _opened(state: MailState, name: str) -> MailState:
    message = state.messages[name]
    if message.folder == "Drafts":
        letter = Compose(to=message.to, cc=message.cc, subject=message.subject, body=message.body, draft=name)
        return state.replace(compose=letter, errors={})
    read = message.replace(unread=False)
    return state.replace(open=name, selected=(), messages={**state.messages, name: read})


def _reading(state: MailState, message: Message, event: Event) -> Update[MailState]:
    match event:
        case Pressed(key="back"):
            return Update(state.replace(open=""))
        case Pressed(key="delete"):
            return Update(state.deleted((message.id,)).replace(open=""), (Toast("Message deleted"),))
        case Pressed(key="to-notes"):
            return Update(state, (Notify("notes", "note", {"title": message.subject or "(no subject)", "body": message.body}),))
        case Pressed(key="reply"):
            subject = message.subject if message.subject.casefold().startswith("re:") else f"Re: {message.subject}"
            to = message.to if message.folder == "Sent" else message.sender
            return Update(state.replace(compose=Compose(to=to, subject=subject), errors={}))
    return Update(state)


def _writing(state: MailState, letter: Compose, event: Event) -> Update[MailState]:
    match event:
        case Edited(key=key, value=value) if key.startswith("compose."):
            name = key.removeprefix("compose.")
            changed = letter.model_copy(update={name: value})
            return Update(state.replace(compose=changed, errors=with_error(state.errors, name)))
        case Pressed(key="send"):
            return _send(state, letter)
        case Pressed(key="save-draft") | Shortcut(chord="Control+s" | "Meta+s"):
            return Update(_kept(state, letter), (Toast("Draft saved"),))
        case Pressed(key="discard") if letter.empty:
            return Update(state.replace(compose=None, errors={}))
        case Pressed(key="discard"):
            lost = "What you have written will be lost."
            return Update(state, (question("discard", "Discard this message?", lost, "Discard message", "Keep writing"),))
        case Answered(key="discard", button="Discard message"):
            return Update(_closed(state, {k: m for k, m in state.messages.items() if k != letter.draft}))
    return Update(state)


def _closed(state: MailState, messages: dict[str, Message]) -> MailState:
    return state.replace(compose=None, errors={}, messages=messages)


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


def _send(state: MailState, letter: Compose) -> Update[MailState]:
    errors = {}
    if not letter.to.strip():
        errors["to"] = "To is required"
    for name in ("to", "cc"):
        if bad := bad_address(getattr(letter, name)):
            errors[name] = f"{bad} is not a mail address"
    if errors:
        return Update(state.replace(errors=errors))
    filed = _filed(state, letter, "Sent")
    return Update(_closed(filed, filed.messages).replace(open=""), (Submitted(), Toast("Message sent")))


def _received(state: MailState, data: Mapping[str, str]) -> MailState:
    name = str(state.counter + 1)
    message = Message(id=name, sender=data.get("from", ""), to=state.address, subject=data.get("subject", ""), date=state.today,
                      body=data.get("body", ""), unread=True)  # fmt: skip
    return state.replace(messages={**state.messages, name: message}, counter=state.counter + 1)


def _generated(count: int, setting: Setting, address: str) -> tuple[Letter, ...]:
    rng, cast = setting
    made = []
    for _ in range(count):
        person, sent = rng.choice(cast.people), rng.random() < 0.2
        greeting = f"Hello {(person if sent else cast.user).split()[0]},"
        made.append(
            Letter.model_validate(
                {
                    "folder": "Sent" if sent else "Inbox",
                    "from": address if sent else mail_address(person),
                    "to": mail_address(person) if sent else address,
                    "subject": f"{rng.choice(TOPICS).capitalize()} {rng.randrange(10, 99)}",
                    "date": day_before(rng, cast.today, 40),
                    "body": f"{greeting}\n{paragraph(rng)}\n{(cast.user if sent else person).split()[0]}",
                    "unread": rng.random() < 0.4,
                }
            )
        )
    return tuple(made)
