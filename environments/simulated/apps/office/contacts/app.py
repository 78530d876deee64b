"""Contacts: people with their addresses, in groups; duplicates become one."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, JsonValue, model_validator

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
    FunctionDeclined,
    FunctionResult,
    Launch,
    Meaning,
    Pressed,
    Setting,
    Shortcut,
    Submitted,
    Toast,
    Update,
    is_gone,
    is_new,
)
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.common.record_list import (
    form_opened,
    form_update,
    list_update,
    list_view,
    prompt,
    question,
    refuse_twice,
    with_ids,
)
from environments.simulated.apps.office.contacts.state import ALL, LABELS, Contact, ContactsState, Draft, draft_of
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import FIRST, LAST, Model, highest, how_many, mail_address


class NewContact(Model):
    name: str = Field(min_length=1)
    email: str = ""
    phone: str = ""
    private: bool = False
    company: str = ""
    groups: tuple[str, ...] = ()
    note: str = ""


class ChangedContact(Model):
    """What is left out stays as it is."""

    id: str
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    private: bool | None = None
    company: str | None = None
    groups: tuple[str, ...] | None = None
    note: str | None = None


def _json(contact: Contact) -> JsonValue:
    data: dict[str, JsonValue] = contact.model_dump(mode="json")
    return {**data, "phone": None if contact.private else contact.phone}


def _known(state: ContactsState, name: str) -> Contact:
    return by_id(state.contacts, "contact", name, "list_contacts and find_contacts give")


def _put(state: ContactsState, draft: Draft, given: NewContact | ChangedContact) -> FunctionResult[ContactsState]:
    """Keep what a draft with the given values describes, by the same rules as the form's. Raises FunctionDeclined."""
    values = given.model_dump(exclude_none=True, exclude={"groups"})
    if given.groups is not None:
        values["groups"] = ", ".join(given.groups)
    draft = draft.replace(**values)
    if errors := draft.errors_of():
        raise FunctionDeclined(f"the contact is not valid: {'; '.join(errors.values())}")
    after, contact = state.kept(draft.contact_of())
    return FunctionResult(after, _json(contact), (Toast("Contact saved"),))


FUNCTIONS = FunctionTable[ContactsState]()


@FUNCTIONS.reads("ContactPage", "Which part of the list; an empty group is all contacts.")
def list_contacts(state: ContactsState, group: str = "", offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Contacts of a group, or all of them, by name."""
    if group and group not in state.groups_of():
        raise FunctionDeclined(f"there is no group {group!r}; groups are: {', '.join(state.groups_of()) or 'none'}")
    items = state.found("", group or ALL)
    return told("contacts", items, _json, limit, offset)


@FUNCTIONS.reads("RecordId")
def get_contact(state: ContactsState, id: str) -> JsonValue:
    """All of one contact; a private phone number is null."""
    return _json(_known(state, id))


@FUNCTIONS.reads("SearchWords")
def find_contacts(state: ContactsState, query: str, limit: Limit = 50) -> JsonValue:
    """Contacts that have all words of the query."""
    return told("contacts", state.found(query), _json, limit)


@FUNCTIONS.reads()
def list_groups(state: ContactsState) -> JsonValue:
    """The names of all groups."""
    names: list[JsonValue] = [*state.groups_of()]
    return names


@FUNCTIONS.reads()
def find_duplicates(state: ContactsState) -> JsonValue:
    """Sets of ids that share a name or a mail address."""
    sets: list[JsonValue] = [[contact.id for contact in some] for some in state.twins()[:200]]
    return sets


@FUNCTIONS.writes()
def create_contact(state: ContactsState, given: NewContact) -> FunctionResult[ContactsState]:
    """Make a contact."""
    return _put(state, Draft(), given)


@FUNCTIONS.writes(repeatable=True)
def update_contact(state: ContactsState, given: ChangedContact) -> FunctionResult[ContactsState]:
    """Change a contact."""
    old = _known(state, given.id)
    if old.private and given.private is False and given.phone is None:
        raise FunctionDeclined("a private number is made public in the window only, or by giving a new phone with it")
    return _put(state, draft_of(old), given)


@FUNCTIONS.writes("RecordId", repeatable=True)
def delete_contact(state: ContactsState, id: str) -> FunctionResult[ContactsState]:
    """Delete a contact, without asking."""
    _known(state, id)
    return FunctionResult(state.without(id), {"deleted": id}, (Toast("Contact deleted"),))


@FUNCTIONS.writes("ContactIds")
def merge_contacts(
    state: ContactsState, ids: Annotated[tuple[str, ...], Field(min_length=2, max_length=50)]
) -> FunctionResult[ContactsState]:
    """Make one contact of several: the first, filled up from the others; what differs goes to its note"""
    if len(set(ids)) < len(ids):
        raise FunctionDeclined("an id is given twice")
    for name in ids:
        _known(state, name)
    after = state.merge(ids)
    return FunctionResult(after, _json(after.contacts[ids[0]]), (Toast(f"{len(ids)} contacts merged"),))


def _list(state: ContactsState) -> tuple[Widget, ...]:
    columns = ("Name", "Email", "Phone", "Company", "Groups")
    choices = (ALL, *state.groups_of(), *(() if state.group in (ALL, *state.groups_of()) else (state.group,)))
    return (
        ui.heading("Contacts", "list"),
        ui.bar(ui.button("New contact", "new-contact"), ui.button("Find duplicates", "find-duplicates")),
        ui.bar(ui.search_bar("contacts", state.query), ui.combobox("Group", "group", state.group, choices), key="finders"),
        *list_view("contacts", columns, state.found(state.applied, state.group), _row, "No contacts found", state.page),
    )


def _row(contact: Contact) -> Widget:
    key = f"contact-{contact.id}"
    phone = "Private" if contact.private and contact.phone else contact.phone
    rest = {"email": contact.email, "phone": phone, "company": contact.company, "groups": ", ".join(contact.groups)}
    return ui.row(key, ui.link(contact.name, f"{key}.name"), *(ui.cell(value, f"{key}.{name}") for name, value in rest.items()))


def _detail(contact: Contact) -> tuple[Widget, ...]:
    key = f"contact-{contact.id}"
    facts = {"email": contact.email, "company": contact.company, "groups": ", ".join(contact.groups)}
    phone = ui.group(
        ui.text(LABELS["phone"], f"{key}.phone.label"),
        Widget("text", contact.phone, f"{key}.phone", private=contact.private),
        key=f"{key}.phone.group", across=True,
    )  # fmt: skip
    lines = ui.lines(contact.note, key)
    buttons = ui.bar(
        ui.button("Write mail", "write", enabled=bool(contact.email)), ui.button("Send message", "message"),
        ui.button("Invite to a meeting", "invite"), ui.button("Copy email address", "copy", enabled=bool(contact.email)),
        key="reach",
    )  # fmt: skip
    return (
        ui.heading(contact.name, key),
        *(ui.pair(LABELS[name], value, f"{key}.{name}") for name, value in facts.items() if value),
        *([phone] if contact.phone else []),
        *([ui.group(*lines, key=f"{key}.note")] if lines else []),
        buttons,
        ui.bar(
            ui.button("Edit", "edit"), ui.button("Add to group", "add-to-group"), ui.button("Delete", "delete"),
            ui.button("Back to contacts", "back"), key="actions",
        ),
    )  # fmt: skip


def _form(state: ContactsState, draft: Draft) -> tuple[Widget, ...]:
    fields: list[Widget] = []
    for name, label in LABELS.items():
        key, invalid = f"form.{name}", name in state.errors
        fields.append(
            ui.textbox(label, key, getattr(draft, name), multiline=name == "note", required=name == "name", invalid=invalid,
                    private=name == "phone" and draft.private, placeholder="Friends, Work" if name == "groups" else None)
        )  # fmt: skip
        if invalid:
            fields.append(ui.alert(state.errors[name], f"{key}.error"))
        if name == "phone":
            fields.append(ui.checkbox("Private number", "form.private", draft.private))
    title = ui.heading("Edit contact" if draft.id else "New contact", f"edit-{draft.id}")
    buttons = ui.bar(ui.button("Save", "save"), ui.button("Cancel", "cancel"), key="actions")
    return (title, ui.form("contact-form", *fields, *_known_already(state, draft), buttons, submit="save"))


def _known_already(state: ContactsState, draft: Draft) -> tuple[Widget, ...]:
    """A warning; it keeps nobody from saving."""
    mail = draft.email.strip().casefold()
    other = next((c for c in state.contacts.values() if mail and c.id != draft.id and c.email.casefold() == mail), None)
    return (ui.alert(f"{other.name} has this email address already", "known"),) if other else ()


def _duplicates(state: ContactsState) -> tuple[Widget, ...]:
    columns = ("Name", "Contacts", "Email", "Merge")
    shown = list_view("twins", columns, state.twins(), _set, "No duplicates found", state.page)
    return (ui.heading("Duplicates", "duplicates"), ui.bar(ui.button("Back to contacts", "back")), *shown)


def _set(some: tuple[Contact, ...]) -> Widget:
    key = f"twins-{some[0].id}"
    mails = ", ".join(dict.fromkeys(c.email for c in some if c.email))
    cells = (ui.cell(some[0].name, f"{key}.name"), ui.cell(str(len(some)), f"{key}.count"), ui.cell(mails, f"{key}.email"))
    return ui.row(key, *cells, ui.button(f"Merge {some[0].name}", f"merge-{some[0].id}"), press=False)


class ContactsContent(Content):
    """`generate` adds contacts from the seed to those that are given."""

    contacts: tuple[Contact, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)

    @model_validator(mode="after")
    def _ids_are_different(self) -> Self:
        refuse_twice("contacts: the id", [contact.id for contact in self.contacts or ()])
        return self


MEANINGS = (
    Meaning("contacts.*", Does.DELETE, "deletes the contact {old.name}", is_gone),
    Meaning("contacts.*", Does.SAVE, "adds the contact {new.name}", is_new),
    Meaning("contacts.*", Does.SAVE, "changes the contact {old.name}"),
)


class Contacts(App[ContactsContent, ContactsState]):
    """An address book."""

    name = "contacts"
    title = "Contacts"
    words = ("contacts", "contact", "address book", "addresses", "phone number")
    looks = frozenset(
        {"counter", "group", "query", "applied", "page", "open", "duplicates", "merging", "draft", "untouched", "errors"}
    )
    meanings = MEANINGS
    functions = FUNCTIONS

    def start(self, content: ContactsContent, setting: Setting) -> ContactsState:
        many = how_many(content.contacts, content.generate, 15, setting.cast.times)
        contacts = with_ids((*(content.contacts or ()), *_generated(many, setting)))
        return ContactsState(contacts=contacts, counter=highest(contacts))

    def view(self, state: ContactsState) -> tuple[Widget, ...]:
        """The page that is shown: a form, a contact, the duplicates, or the list."""
        if state.draft is not None:
            return _form(state, state.draft)
        if state.open in state.contacts:
            return _detail(state.contacts[state.open])
        return _duplicates(state) if state.duplicates else _list(state)

    def update(self, state: ContactsState, event: Event) -> Update[ContactsState]:
        if isinstance(event, Arrived):
            return _arrived(state, event)
        if state.draft is not None:
            return _editing(state, state.draft, event)
        if state.open in state.contacts:
            return _reading(state, state.contacts[state.open], event)
        if state.duplicates:
            return _merging(state, event)
        return _listing(state, event)


def _arrived(state: ContactsState, event: Arrived) -> Update[ContactsState]:
    if event.topic != "new-contact":
        return Update(state)
    return Update(form_opened(state, Draft.model_validate({k: v for k, v in event.data.items() if k in LABELS})))


def _listing(state: ContactsState, event: Event) -> Update[ContactsState]:
    if (looked := list_update(state, event, lambda: state.found(state.applied, state.group))) is not None:
        return Update(looked)
    match event:
        case Edited(key="group", value=value):
            return Update(state.replace(group=value, page=1))
        case Pressed(key="new-contact") | Shortcut(chord="Control+n" | "Meta+n"):
            return Update(form_opened(state, Draft()))
        case Pressed(key="find-duplicates"):
            return Update(state.replace(duplicates=True, page=1))
        case Pressed(key=key) if key.startswith("contact-"):
            return Update(state.replace(open=key.removeprefix("contact-").removesuffix(".name")))
    return Update(state)


def _merging(state: ContactsState, event: Event) -> Update[ContactsState]:
    if (looked := list_update(state, event, lambda: state.twins())) is not None:
        return Update(looked)
    match event:
        case Pressed(key="back"):
            return Update(state.replace(duplicates=False, page=1))
        case Pressed(key=key) if key.startswith("merge-"):
            some = next((some for some in state.twins() if some[0].id == key.removeprefix("merge-")), ())
            text = "They become one contact. This cannot be undone."
            ask = question("merge", f"Merge {len(some)} contacts?", text, "Merge contacts")
            return Update(state.replace(merging=tuple(c.id for c in some)), (ask,) if some else ())
        case Answered(key="merge", button="Merge contacts") if state.merging and all(n in state.contacts for n in state.merging):
            one = state.merge(state.merging).replace(merging=())
            return Update(one, (Toast(f"{len(state.merging)} contacts merged"),))
    return Update(state)


def _reading(state: ContactsState, contact: Contact, event: Event) -> Update[ContactsState]:
    match event:
        case Pressed(key="back"):
            return Update(state.replace(open=""))
        case Pressed(key="edit"):
            return Update(form_opened(state, draft_of(contact)))
        case Pressed(key="delete" | "add-to-group" as key):
            return Update(state, (_question(contact, key),))
        case Pressed(key=key):
            return _reached(state, contact, key)
        case Answered(key="delete", button="Delete contact"):
            return Update(state.without(contact.id), (Toast("Contact deleted"),))
        case Answered(key="add-to-group", button="Add", fields=fields) if fields["group"].strip():
            name = fields["group"].strip()
            groups = contact.groups if name in contact.groups else (*contact.groups, name)
            changed, _ = state.kept(contact.replace(groups=groups))
            return Update(changed, (Toast(f"{contact.name} added to {name}"),))
    return Update(state)


def _question(contact: Contact, key: str) -> Dialog:
    if key == "delete":
        return question(key, "Delete this contact?", f'"{contact.name}" will be deleted for good.', "Delete contact")
    return prompt(key, f"Add {contact.name} to a group", "Add", DialogField(key="group", label="Group name"))


def _reached(state: ContactsState, contact: Contact, key: str) -> Update[ContactsState]:
    """The ways to reach somebody lie in other apps."""
    match key:
        case "write":
            return Update(state, (Launch("mail", "compose", {"to": contact.email}),))
        case "message":
            return Update(state, (Launch("chat", "open", {"with": contact.name}),))
        case "invite":
            return Update(state, (Launch("calendar", "new-event", {"attendees": contact.name}),))
        case "copy":
            return Update(state, (Copy(contact.email), Toast("Copied")))
    return Update(state)


def _editing(state: ContactsState, draft: Draft, event: Event) -> Update[ContactsState]:
    match event:
        case Edited(key="form.private", value=value):
            return Update(state.replace(draft=draft.replace(private=value == "true")))
        case Pressed(key="save") | Shortcut(chord="Control+s" | "Meta+s"):
            return _save(state, draft)
    left = form_update(state, draft, event, "contact", LABELS, lambda draft, name: (draft, draft.field_error(name)))
    return left or Update(state)


def _save(state: ContactsState, draft: Draft) -> Update[ContactsState]:
    if errors := draft.errors_of():
        return Update(state.replace(errors=errors))
    saved, contact = state.kept(draft.contact_of())
    return Update(form_opened(saved, None).replace(open=contact.id), (Submitted(), Toast("Contact saved")))


def _generated(many: int, setting: Setting) -> tuple[Contact, ...]:
    """The people of the world first, each once; beyond them whoever the seed makes up, so that a few come twice."""
    rng, cast = setting
    made = []
    for number in range(many):
        known = number < len(cast.people)
        name = cast.people[number] if known else f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        groups = tuple(rng.sample(("Work", "Family", "Friends", "Suppliers"), rng.randrange(3)))
        made.append(
            Contact(
                name=name,
                email=mail_address(name) if known or rng.random() < 0.8 else "",
                phone=f"+1 555 {rng.randrange(1000, 9999)}",
                private=rng.random() < 0.2,
                company=rng.choice(("", *cast.vendors)),
                groups=groups,
            )
        )
    return tuple(made)
