"""The pages of the contacts app."""

from __future__ import annotations

from environments.simulated.apps.contacts_state import (
    ALL,
    LABELS,
    PAGE_SIZE,
    Contact,
    ContactsState,
    Draft,
    found,
    groups_of,
    twins,
)
from environments.simulated.values import page_of
from environments.simulated.widgets import (
    Widget,
    alert,
    bar,
    button,
    cell,
    checkbox,
    combobox,
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


def page(state: ContactsState) -> tuple[Widget, ...]:
    """The page that is shown: a form, a contact, the duplicates, or the list."""
    if state.draft is not None:
        return _form(state, state.draft)
    if state.open in state.contacts:
        return _detail(state.contacts[state.open])
    return _duplicates(state) if state.duplicates else _list(state)


def _list(state: ContactsState) -> tuple[Widget, ...]:
    items, number, pages = page_of(found(state, state.applied, state.group), state.page, PAGE_SIZE)
    rows = [_row(contact) for contact in items]
    columns = ("Name", "Email", "Phone", "Company", "Groups")
    choices = (ALL, *groups_of(state), *(() if state.group in (ALL, *groups_of(state)) else (state.group,)))
    return (
        heading("Contacts", "list"),
        bar(button("New contact", "new-contact"), button("Find duplicates", "find-duplicates")),
        bar(search_bar("contacts", state.query), combobox("Group", "group", state.group, choices), key="finders"),
        table("contacts", columns, rows) if rows else text("No contacts found", "none"),
        pager(number, pages),
    )


def _row(contact: Contact) -> Widget:
    key = f"contact-{contact.id}"
    phone = "Private" if contact.private and contact.phone else contact.phone
    rest = {"email": contact.email, "phone": phone, "company": contact.company, "groups": ", ".join(contact.groups)}
    return row(key, link(contact.name, f"{key}.name"), *(cell(value, f"{key}.{name}") for name, value in rest.items()))


def _detail(contact: Contact) -> tuple[Widget, ...]:
    key = f"contact-{contact.id}"
    facts = {"email": contact.email, "company": contact.company, "groups": ", ".join(contact.groups)}
    phone = group(
        text(LABELS["phone"], f"{key}.phone.label"),
        Widget("text", contact.phone, f"{key}.phone", private=contact.private),
        key=f"{key}.phone.group", across=True,
    )  # fmt: skip
    lines = [text(line, f"{key}.line-{n}") for n, line in enumerate(contact.note.split("\n"), start=1) if line.strip()]
    buttons = bar(
        button("Write mail", "write", enabled=bool(contact.email)), button("Send message", "message"),
        button("Invite to a meeting", "invite"), button("Copy email address", "copy", enabled=bool(contact.email)), key="reach",
    )  # fmt: skip
    return (
        heading(contact.name, key),
        *(pair(LABELS[name], value, f"{key}.{name}") for name, value in facts.items() if value),
        *([phone] if contact.phone else []),
        *([group(*lines, key=f"{key}.note")] if lines else []),
        buttons,
        bar(
            button("Edit", "edit"), button("Add to group", "add-to-group"), button("Delete", "delete"),
            button("Back to contacts", "back"), key="actions",
        ),
    )  # fmt: skip


def _form(state: ContactsState, draft: Draft) -> tuple[Widget, ...]:
    fields: list[Widget] = []
    for name, label in LABELS.items():
        key, invalid = f"form.{name}", name in state.errors
        fields.append(
            textbox(label, key, getattr(draft, name), multiline=name == "note", required=name == "name", invalid=invalid,
                    private=name == "phone" and draft.private, placeholder="Friends, Work" if name == "groups" else None)
        )  # fmt: skip
        if invalid:
            fields.append(alert(state.errors[name], f"{key}.error"))
        if name == "phone":
            fields.append(checkbox("Private number", "form.private", draft.private))
    title = heading("Edit contact" if draft.id else "New contact", f"edit-{draft.id}")
    buttons = bar(button("Save", "save"), button("Cancel", "cancel"), key="actions")
    return (title, form("contact-form", *fields, *_known_already(state, draft), buttons, submit="save"))


def _known_already(state: ContactsState, draft: Draft) -> tuple[Widget, ...]:
    """A warning; it keeps nobody from saving."""
    mail = draft.email.strip().casefold()
    other = next((c for c in state.contacts.values() if mail and c.id != draft.id and c.email.casefold() == mail), None)
    return (alert(f"{other.name} has this email address already", "known"),) if other else ()


def _duplicates(state: ContactsState) -> tuple[Widget, ...]:
    items, number, pages = page_of(twins(state), state.page, PAGE_SIZE)
    rows = []
    for some in items:
        key = f"twins-{some[0].id}"
        mails = ", ".join(dict.fromkeys(c.email for c in some if c.email))
        cells = (cell(some[0].name, f"{key}.name"), cell(str(len(some)), f"{key}.count"), cell(mails, f"{key}.email"))
        rows.append(row(key, *cells, button(f"Merge {some[0].name}", f"merge-{some[0].id}"), press=False))
    body = table("twins", ("Name", "Contacts", "Email", "Merge"), rows) if rows else text("No duplicates found", "none")
    return (heading("Duplicates", "duplicates"), bar(button("Back to contacts", "back")), body, pager(number, pages))
