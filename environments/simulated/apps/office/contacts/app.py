"""Contacts: people with their addresses, in groups; duplicates become one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Self

from pydantic import Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.common.record_list import (
    FormState,
    ListState,
    form_opened,
    form_update,
    list_update,
    list_view,
    prompt,
    question,
    refuse_twice,
    with_ids,
)
from environments.simulated.apps.office.mail.app import bad_address
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import IdentityKey, Model, highest, how_many, made_up, mail_address, matches, without

ALL = "All contacts"
LABELS = {"name": "Name", "email": "Email address", "phone": "Phone", "company": "Company", "groups": "Groups", "note": "Note"}
_PHONE = re.compile(r"^\+?[\d ()/.-]{3,99}$")


class Contact(Model):
    """A person. In a world file the id may be left out."""

    id: str = Field(default="", pattern=r"^[\w-]*$")
    name: str = Field(min_length=1)
    email: str = ""
    phone: str = ""
    private: bool = False
    """The phone number is not for others to see: no list shows it, and no function gives it."""
    company: str = ""
    groups: tuple[str, ...] = ()
    note: str = ""


class Draft(Model):
    """The form of a contact as it stands; `id` is empty for a new one."""

    id: str = ""
    name: str = ""
    email: str = ""
    phone: str = ""
    private: bool = False
    company: str = ""
    groups: str = ""
    note: str = ""

    def field_error(self, name: str) -> str:
        """What is wrong with one field; empty when nothing is."""
        value = getattr(self, name).strip()
        if name == "name":
            return "" if value else "Name is required"
        if name == "email" and ("," in value or ";" in value or bad_address(value)):
            return f"{value} is not a mail address"
        if name == "phone" and value and not (_PHONE.match(value) and sum(char.isdigit() for char in value) >= 3):
            return "Phone must be a number like +1 555 0100"
        return ""

    def errors_of(self) -> dict[str, str]:
        return {name: error for name in LABELS if (error := self.field_error(name))}

    def contact_of(self) -> Contact:
        """The contact that a draft without errors describes."""
        groups = dict.fromkeys(part.strip() for part in re.split(r"[,;]", self.groups) if part.strip())
        plain = {name: getattr(self, name).strip() for name in ("name", "email", "phone", "company")}
        return Contact(**plain, id=self.id, private=self.private, groups=tuple(groups), note=self.note)


class ContactsState(ListState, FormState[Draft]):
    """Contacts by id, and what is looked at or written."""

    contacts: dict[str, Contact]
    counter: int
    group: str = ALL
    open: str = ""
    duplicates: bool = False
    """The page of duplicates is shown."""
    merging: tuple[str, ...] = ()
    """The contacts that the question on the screen is about."""

    def found(self, query: str, group: str = ALL) -> list[Contact]:
        """Contacts of a group that have all words of the query, by name. A private number is not searched."""
        return list(_found(IdentityKey(self.contacts), query, group))

    def groups_of(self) -> tuple[str, ...]:
        return _groups(IdentityKey(self.contacts))

    def twins(self) -> list[tuple[Contact, ...]]:
        """Contacts that share a name or an address, each in one set."""
        first: dict[str, str] = {}
        leader: dict[str, str] = {}

        def root(name: str) -> str:
            while leader.setdefault(name, name) != name:
                leader[name] = leader[leader[name]]
                name = leader[name]
            return name

        for contact in self.contacts.values():
            for mark in (f"n {_plain(contact.name)}", f"e {_plain(contact.email)}" if contact.email else ""):
                if mark:
                    leader[root(contact.id)] = root(first.setdefault(mark, contact.id))
        sets: dict[str, list[Contact]] = {}
        for contact in self.contacts.values():
            sets.setdefault(root(contact.id), []).append(contact)
        return sorted((tuple(some) for some in sets.values() if len(some) > 1), key=lambda some: by_name(some[0]))

    def merge(self, names: Sequence[str]) -> ContactsState:
        """The state with these contacts as one, which has the id of the first."""
        one = merged([self.contacts[name] for name in names])
        gone = set(names[1:])
        contacts = {name: one if name == one.id else c for name, c in self.contacts.items() if name not in gone}
        return self.replace(contacts=contacts, open=one.id if self.open in gone else self.open)

    def kept(self, contact: Contact) -> tuple[ContactsState, Contact]:
        """The state with a contact, new or changed, and the contact with its id."""
        new = not contact.id
        contact = contact.replace(id=str(self.counter + 1)) if new else contact
        changes = {"contacts": {**self.contacts, contact.id: contact}, "counter": self.counter + new}
        return self.replace(**changes), contact

    def without(self, name: str) -> ContactsState:
        return self.replace(contacts=without(self.contacts, name), open="" if self.open == name else self.open)


def by_name(contact: Contact) -> tuple[str, str]:
    return contact.name.casefold(), contact.id


@lru_cache(maxsize=8)
def _found(contacts: IdentityKey[dict[str, Contact]], query: str, group: str) -> tuple[Contact, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    fits = (
        c for c in contacts.value.values()
        if group in (ALL, *c.groups)
        and matches(query, c.name, c.email, c.company, c.note, *c.groups, "" if c.private else c.phone)
    )  # fmt: skip
    return tuple(sorted(fits, key=by_name))


@lru_cache(maxsize=8)
def _groups(contacts: IdentityKey[dict[str, Contact]]) -> tuple[str, ...]:
    return tuple(sorted({group for contact in contacts.value.values() for group in contact.groups}, key=str.casefold))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def merged(contacts: Sequence[Contact]) -> Contact:
    """One contact of several: the first one's words, filled up from the others; what differs goes to the note."""
    keep = contacts[0]
    values: dict[str, str] = {}
    extra: list[str] = []
    for name in ("email", "phone", "company"):
        said = list(dict.fromkeys(value for c in contacts if (value := getattr(c, name))))
        # A second number of somebody whose number is private would stand in the open in the note.
        together = name == "phone" and any(c.private for c in contacts)
        values[name] = " / ".join(said) if together else "".join(said[:1])
        extra += [] if together else [f"{LABELS[name]}: {value}" for value in said[1:]]
    notes = dict.fromkeys(c.note for c in contacts if c.note)
    groups = dict.fromkeys(group for c in contacts for group in c.groups)
    return keep.model_copy(update={**values, "private": any(c.private for c in contacts), "groups": tuple(groups),
                                   "note": "\n".join([*notes, *extra])})  # fmt: skip


def draft_of(contact: Contact) -> Draft:
    return Draft.model_validate({**contact.model_dump(), "groups": ", ".join(contact.groups)})


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


def _put(state: ContactsState, draft: Draft, given: NewContact | ChangedContact) -> sim.FunctionResult[ContactsState]:
    """Keep what a draft with the given values describes, by the same rules as the form's. Raises FunctionDeclined."""
    values = given.model_dump(exclude_none=True, exclude={"groups"})
    if given.groups is not None:
        values["groups"] = ", ".join(given.groups)
    draft = draft.replace(**values)
    if errors := draft.errors_of():
        raise sim.FunctionDeclined(f"the contact is not valid: {'; '.join(errors.values())}")
    after, contact = state.kept(draft.contact_of())
    return sim.FunctionResult(after, _json(contact), (sim.Toast("Contact saved"),))


FUNCTIONS = FunctionTable[ContactsState]()


@FUNCTIONS.reads("ContactPage", "Which part of the list; an empty group is all contacts.")
def list_contacts(state: ContactsState, group: str = "", offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Contacts of a group, or all of them, by name."""
    if group and group not in state.groups_of():
        raise sim.FunctionDeclined(f"there is no group {group!r}; groups are: {', '.join(state.groups_of()) or 'none'}")
    items = state.found("", group or ALL)
    return told("contacts", items, _json, limit, offset)


@FUNCTIONS.reads("SearchWords")
def find_contacts(state: ContactsState, query: str, limit: Limit = 50) -> JsonValue:
    """Contacts that have all words of the query."""
    return told("contacts", state.found(query), _json, limit)


@FUNCTIONS.writes()
def create_contact(state: ContactsState, given: NewContact) -> sim.FunctionResult[ContactsState]:
    """Make a contact."""
    return _put(state, Draft(), given)


@FUNCTIONS.writes(repeatable=True)
def update_contact(state: ContactsState, given: ChangedContact) -> sim.FunctionResult[ContactsState]:
    """Change a contact."""
    old = _known(state, given.id)
    if old.private and given.private is False and given.phone is None:
        raise sim.FunctionDeclined("a private number is made public in the window only, or by giving a new phone with it")
    return _put(state, draft_of(old), given)


@FUNCTIONS.writes("RecordId", repeatable=True)
def delete_contact(state: ContactsState, id: str) -> sim.FunctionResult[ContactsState]:
    """Delete a contact."""
    _known(state, id)
    return sim.FunctionResult(state.without(id), {"deleted": id}, (sim.Toast("Contact deleted"),))


def _list(state: ContactsState) -> tuple[Widget, ...]:
    def line(contact: Contact) -> Widget:
        phone = "Private" if contact.private and contact.phone else contact.phone
        cells = {"name": contact.name, "email": contact.email, "phone": phone, "company": contact.company}
        return ui.linked_row(f"contact-{contact.id}", {**cells, "groups": ", ".join(contact.groups)})

    columns = ("Name", "Email", "Phone", "Company", "Groups")
    choices = (ALL, *state.groups_of(), *(() if state.group in (ALL, *state.groups_of()) else (state.group,)))
    return (
        ui.heading("Contacts", "list"),
        ui.bar(ui.button("New contact", "new-contact"), ui.button("Find duplicates", "find-duplicates")),
        ui.bar(ui.search_bar("contacts", state.query), ui.combobox("Group", "group", state.group, choices), key="finders"),
        *list_view("contacts", columns, state.found(state.applied, state.group), line, "No contacts found", state.page),
    )


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
        field = ui.textbox(label, f"form.{name}", getattr(draft, name), multiline=name == "note", required=name == "name",
                           private=name == "phone" and draft.private,
                           placeholder="Friends, Work" if name == "groups" else None)  # fmt: skip
        fields += ui.checked(field, state.errors.get(name))
        if name == "phone":
            fields.append(ui.checkbox("Private number", "form.private", draft.private))
    title = ui.heading("Edit contact" if draft.id else "New contact", f"edit-{draft.id}")
    buttons = ui.bar(ui.button("Save", "save"), ui.button("Cancel", "cancel"), key="actions")
    # A warning; it keeps nobody from saving.
    mail = draft.email.strip().casefold()
    other = next((c for c in state.contacts.values() if mail and c.id != draft.id and c.email.casefold() == mail), None)
    known = (ui.alert(f"{other.name} has this email address already", "known"),) if other else ()
    return (title, ui.form("contact-form", *fields, *known, buttons, submit="save"))


def _duplicates(state: ContactsState) -> tuple[Widget, ...]:
    def line(some: tuple[Contact, ...]) -> Widget:
        key, mails = f"twins-{some[0].id}", ", ".join(dict.fromkeys(c.email for c in some if c.email))
        cells = (ui.cell(some[0].name, f"{key}.name"), ui.cell(str(len(some)), f"{key}.count"), ui.cell(mails, f"{key}.email"))
        return ui.row(key, *cells, ui.button(f"Merge {some[0].name}", f"merge-{some[0].id}"), press=False)

    columns = ("Name", "Contacts", "Email", "Merge")
    shown = list_view("twins", columns, state.twins(), line, "No duplicates found", state.page)
    return (ui.heading("Duplicates", "duplicates"), ui.bar(ui.button("Back to contacts", "back")), *shown)


class ContactsContent(sim.Content):
    """`generate` adds contacts from the seed to those that are given."""

    contacts: tuple[Contact, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)

    @model_validator(mode="after")
    def _ids_are_different(self) -> Self:
        refuse_twice("contacts: the id", [contact.id for contact in self.contacts or ()])
        return self


class Contacts(sim.App[ContactsContent, ContactsState]):
    """An address book."""

    name = "contacts"
    title = "Contacts"
    words = ("contacts", "contact", "address book", "addresses", "phone number")
    looks = frozenset({"counter", "group", "open", "duplicates", "merging"})
    meanings = (
        sim.Meaning("contacts.*", Does.DELETE, "deletes the contact {old.name}", sim.is_gone),
        sim.Meaning("contacts.*", Does.SAVE, "adds the contact {new.name}", sim.is_new),
        sim.Meaning("contacts.*", Does.SAVE, "changes the contact {old.name}"),
    )
    functions = FUNCTIONS

    def start(self, content: ContactsContent, setting: sim.Setting) -> ContactsState:
        many = how_many(content.contacts, content.generate, 15, setting.cast.times)
        # The people of the world first, each once; beyond them whoever the seed makes up, so that a few come twice
        rng, cast = setting
        made = []
        for number in range(many):
            known = number < len(cast.people)
            name = cast.people[number] if known else " ".join(rng.choice(made_up(f"{part}_names")) for part in ("first", "last"))
            groups = tuple(rng.sample(("Work", "Family", "Friends", "Suppliers"), rng.randrange(3)))
            email = mail_address(name) if known or rng.random() < 0.8 else ""
            phone, private = f"+1 555 {rng.randrange(1000, 9999)}", rng.random() < 0.2
            company = rng.choice(("", *cast.vendors))
            made.append(Contact(name=name, email=email, phone=phone, private=private, company=company, groups=groups))
        contacts = with_ids((*(content.contacts or ()), *made))
        return ContactsState(contacts=contacts, counter=highest(contacts))

    def view(self, state: ContactsState) -> tuple[Widget, ...]:
        """The page that is shown: a form, a contact, the duplicates, or the list."""
        if state.draft is not None:
            return _form(state, state.draft)
        if state.open in state.contacts:
            return _detail(state.contacts[state.open])
        return _duplicates(state) if state.duplicates else _list(state)

    def update(self, state: ContactsState, event: sim.Event) -> sim.Update[ContactsState]:
        if isinstance(event, sim.Arrived):
            if event.topic != "new-contact":
                return sim.Update(state)
            return sim.Update(form_opened(state, Draft.model_validate({k: v for k, v in event.data.items() if k in LABELS})))
        if state.draft is not None:
            return _editing(state, state.draft, event)
        if state.open in state.contacts:
            return _reading(state, state.contacts[state.open], event)
        if state.duplicates:
            return _merging(state, event)
        return _listing(state, event)


def _listing(state: ContactsState, event: sim.Event) -> sim.Update[ContactsState]:
    if (looked := list_update(state, event, lambda: state.found(state.applied, state.group))) is not None:
        return sim.Update(looked)
    match event:
        case sim.Edited(key="group", value=value):
            return sim.Update(state.replace(group=value, page=1))
        case sim.Pressed(key="new-contact") | sim.Shortcut(chord="Control+n" | "Meta+n"):
            return sim.Update(form_opened(state, Draft()))
        case sim.Pressed(key="find-duplicates"):
            return sim.Update(state.replace(duplicates=True, page=1))
        case sim.Pressed(key=key) if key.startswith("contact-"):
            return sim.Update(state.replace(open=key.removeprefix("contact-").removesuffix(".name")))
    return sim.Update(state)


def _merging(state: ContactsState, event: sim.Event) -> sim.Update[ContactsState]:
    if (looked := list_update(state, event, lambda: state.twins())) is not None:
        return sim.Update(looked)
    match event:
        case sim.Pressed(key="back"):
            return sim.Update(state.replace(duplicates=False, page=1))
        case sim.Pressed(key=key) if key.startswith("merge-"):
            some = next((some for some in state.twins() if some[0].id == key.removeprefix("merge-")), ())
            text = "They become one contact. This cannot be undone."
            ask = question("merge", f"Merge {len(some)} contacts?", text, "Merge contacts")
            return sim.Update(state.replace(merging=tuple(c.id for c in some)), (ask,) if some else ())
        case sim.Answered(key="merge", button="Merge contacts") if state.merging and all(
            n in state.contacts for n in state.merging
        ):
            one = state.merge(state.merging).replace(merging=())
            return sim.Update(one, (sim.Toast(f"{len(state.merging)} contacts merged"),))
    return sim.Update(state)


def _reading(state: ContactsState, contact: Contact, event: sim.Event) -> sim.Update[ContactsState]:
    match event:
        case sim.Pressed(key="back"):
            return sim.Update(state.replace(open=""))
        case sim.Pressed(key="edit"):
            return sim.Update(form_opened(state, draft_of(contact)))
        case sim.Pressed(key="delete" as key):
            lost = f'"{contact.name}" will be deleted for good.'
            return sim.Update(state, (question(key, "Delete this contact?", lost, "Delete contact"),))
        case sim.Pressed(key="add-to-group" as key):
            asked = sim.DialogField(key="group", label="Group name")
            return sim.Update(state, (prompt(key, f"Add {contact.name} to a group", "Add", asked),))
        case sim.Pressed(key="copy"):
            return sim.Update(state, (sim.Copy(contact.email), sim.Toast("Copied")))
        case sim.Pressed(key=key):
            # Other ways to reach somebody lie in other apps
            ways = {
                "write": sim.Launch("mail", "compose", {"to": contact.email}),
                "message": sim.Launch("chat", "open", {"with": contact.name}),
                "invite": sim.Launch("calendar", "new-event", {"attendees": contact.name}),
            }
            return sim.Update(state, (ways[key],) if key in ways else ())
        case sim.Answered(key="delete", button="Delete contact"):
            return sim.Update(state.without(contact.id), (sim.Toast("Contact deleted"),))
        case sim.Answered(key="add-to-group", button="Add", fields=fields) if fields["group"].strip():
            name = fields["group"].strip()
            groups = contact.groups if name in contact.groups else (*contact.groups, name)
            changed, _ = state.kept(contact.replace(groups=groups))
            return sim.Update(changed, (sim.Toast(f"{contact.name} added to {name}"),))
    return sim.Update(state)


def _editing(state: ContactsState, draft: Draft, event: sim.Event) -> sim.Update[ContactsState]:
    match event:
        case sim.Edited(key="form.private", value=value):
            return sim.Update(state.replace(draft=draft.replace(private=value == "true")))
        case sim.Pressed(key="save") | sim.Shortcut(chord="Control+s" | "Meta+s"):
            if errors := draft.errors_of():
                return sim.Update(state.replace(errors=errors))
            saved, contact = state.kept(draft.contact_of())
            return sim.Update(form_opened(saved, None).replace(open=contact.id), (sim.Submitted(), sim.Toast("Contact saved")))
    left = form_update(state, draft, event, "contact", LABELS, lambda draft, name: (draft, draft.field_error(name)))
    return left or sim.Update(state)
