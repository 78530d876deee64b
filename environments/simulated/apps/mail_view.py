"""The pages of the mail app."""

from __future__ import annotations

from environments.simulated.apps.mail_state import FOLDERS, PAGE_SIZE, Compose, MailState, Message, found
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
    pager,
    pair,
    row,
    search_bar,
    table,
    text,
    textbox,
)

FIELDS = (("to", "To"), ("cc", "Cc"), ("subject", "Subject"), ("body", "Message"))


def list_view(state: MailState) -> tuple[Widget, ...]:
    items, page, pages = page_of(found(state), state.page, PAGE_SIZE)
    who = "To" if state.folder in ("Sent", "Drafts") else "From"
    rows = [_row(message, who) for message in items]
    folders = (link(name, f"folder-{name.lower()}", selected=name == state.folder) for name in FOLDERS)
    return (
        heading(f"Mail: {state.folder}", f"list-{state.folder.lower()}"),
        bar(button("Compose", "compose"), *folders, key="folders"),
        search_bar("mail", state.query),
        table("messages", (who, "Subject", "Date", "State"), rows) if rows else text("No messages", "none"),
        pager(page, pages),
    )


def _row(message: Message, who: str) -> Widget:
    key = f"message-{message.id}"
    return row(
        key,
        cell(message.to if who == "To" else message.sender, f"{key}.{who.lower()}"),
        link(message.subject or "(no subject)", f"{key}.subject"),
        cell(message.date, f"{key}.date"),
        cell("Unread" if message.unread else "Read", f"{key}.state"),
    )


def read_view(message: Message) -> tuple[Widget, ...]:
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
        ),
    )


def compose_view(compose: Compose, errors: dict[str, str]) -> tuple[Widget, ...]:
    fields: list[Widget] = []
    for name, label in FIELDS:
        value = getattr(compose, name)
        fields.append(
            textbox(label, f"compose.{name}", value, multiline=name == "body", required=name == "to", invalid=name in errors)
        )
        if name in errors:
            fields.append(alert(errors[name], f"compose.{name}.error"))
    buttons = bar(button("Send", "send"), button("Save draft", "save-draft"), button("Discard", "discard"), key="actions")
    return (heading("Write a message", "write"), form("compose-form", *fields, buttons, submit="send"))
