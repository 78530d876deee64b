"""The pages of the mail app."""

from __future__ import annotations

from environments.simulated.apps.mail_state import FOLDERS, GOALS, PAGE_SIZE, Compose, MailState, Message, found
from environments.simulated.values import page_of
from environments.simulated.widgets import (
    Widget,
    alert,
    bar,
    button,
    cell,
    form,
    group,
    heading,
    link,
    menubutton,
    menuitem,
    pager,
    pair,
    row,
    search_bar,
    submenu,
    table,
    text,
    textbox,
)

FIELDS = (("to", "To"), ("cc", "Cc"), ("subject", "Subject"), ("body", "Message"))


def list_view(state: MailState) -> tuple[Widget, ...]:
    items, page, pages = page_of(found(state), state.page, PAGE_SIZE)
    who = "To" if state.folder in ("Sent", "Drafts") else "From"
    rows = [_row(message, who, message.id in state.selected) for message in items]
    chosen = tuple(state.messages[name] for name in state.selected if name in state.messages)
    counted = (text(f"{len(chosen)} selected", "count"),) if chosen else ()
    folders = (link(name, f"folder-{name.lower()}", selected=name == state.folder) for name in FOLDERS)
    return (
        heading(f"Mail: {state.folder}", f"list-{state.folder.lower()}"),
        bar(button("Compose", "compose"), *folders, key="folders"),
        search_bar("mail", state.query),
        bar(button("Delete selected", "delete-selected", enabled=bool(chosen)), _more(state, chosen), *counted, key="selection"),
        table("messages", (who, "Subject", "Date", "State"), rows) if rows else text("No messages", "none"),
        pager(page, pages),
    )


def _row(message: Message, who: str, selected: bool) -> Widget:
    key = f"message-{message.id}"
    return row(
        key,
        cell(message.to if who == "To" else message.sender, f"{key}.{who.lower()}"),
        link(message.subject or "(no subject)", f"{key}.subject"),
        cell(message.date, f"{key}.date"),
        cell("Unread" if message.unread else "Read", f"{key}.state"),
        selected=selected,
        context=message.folder != "Drafts",
    )._replace(swipes=message.folder != "Drafts")


def _more(state: MailState, chosen: tuple[Message, ...]) -> Widget:
    """What can be done with the messages that are chosen, or with the one that is read."""
    here = {message.folder for message in chosen}
    some = bool(chosen)
    move = (menuitem(name, f"move-{name.lower()}", enabled=here != {name}) for name in GOALS)
    items = (
        menuitem("Mark as read", "mark-read", enabled=some), menuitem("Mark as unread", "mark-unread", enabled=some),
        *(() if state.open else (menuitem("Select all", "select-all"),)),
        *((submenu("Move to", "move-to", state.menu == "move", *move),) if some and "Drafts" not in here else ()),
    )  # fmt: skip
    return menubutton("More", "more", bool(state.menu), *items)


def read_view(state: MailState, message: Message) -> tuple[Widget, ...]:
    key = f"message-{message.id}"
    facts = {"From": message.sender, "To": message.to, "Cc": message.cc, "Date": message.date}
    lines = [text(line, f"{key}.line-{n}") for n, line in enumerate(message.body.split("\n"), start=1) if line.strip()]
    return (
        heading(message.subject or "(no subject)", key),
        *(pair(label, value, f"{key}.{label.lower()}") for label, value in facts.items() if value),
        group(*lines, key=f"{key}.body") if lines else text("(empty)", f"{key}.body"),
        bar(
            button("Reply", "reply"),
            button("Delete", "delete"),
            button("Save to notes", "to-notes"),
            button("Back to list", "back"),
            _more(state, (message,)),
        ),
    )


def compose_view(compose: Compose, errors: dict[str, str], known: tuple[str, ...]) -> tuple[Widget, ...]:
    fields: list[Widget] = []
    for name, label in FIELDS:
        value = getattr(compose, name)
        field = textbox(label, f"compose.{name}", value, multiline=name == "body", required=name == "to", invalid=name in errors)
        fields.append(field._replace(options=known) if name in ("to", "cc") else field)
        if name in errors:
            fields.append(alert(errors[name], f"compose.{name}.error"))
    buttons = bar(button("Send", "send"), button("Save draft", "save-draft"), button("Discard", "discard"), key="actions")
    return (heading("Write a message", "write"), form("compose-form", *fields, buttons, submit="send"))
